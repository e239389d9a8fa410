"""What a recorded process left behind, and the bundle made of it."""
