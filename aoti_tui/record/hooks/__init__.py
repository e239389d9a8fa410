"""What is hooked, a file for each: it says in which versions the place was seen."""
