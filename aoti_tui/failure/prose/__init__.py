"""A failure in words, for the screen, the terminal and a ticket."""
