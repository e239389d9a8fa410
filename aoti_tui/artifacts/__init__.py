"""Opening what the user has. Nothing here knows what the text means."""
