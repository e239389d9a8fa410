"""What has a name and can be gone to, and how a typed text finds it."""
