"""The panes of the main screen. Each shows one thing and posts what the user asked of it."""
