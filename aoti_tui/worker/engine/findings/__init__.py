"""What a run finds and notes: asserts, bad accesses, writes to an element, every value made."""
