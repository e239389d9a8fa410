"""Sources as they are shown and searched."""
