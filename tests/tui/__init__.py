"""The interface, through Textual's Pilot and in a real terminal."""
