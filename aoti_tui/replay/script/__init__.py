"""A user's own script in a process of its own, and what it tells of its launches."""
