"""The session, through Textual's Pilot and in a real terminal."""
