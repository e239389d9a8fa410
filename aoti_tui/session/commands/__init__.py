"""What can be asked and done, from whatever front end: each command answers in words."""
