"""What the user has before them: one state, and every command on it. No Textual here."""
