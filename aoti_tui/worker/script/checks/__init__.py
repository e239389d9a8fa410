"""What is wrong with a launch: found while it runs, and by running programs of it again."""
