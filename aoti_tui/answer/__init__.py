"""What failure and replay give together."""
