"""Who reads, writes and shares which memory, and in which order: one data flow over an index."""
