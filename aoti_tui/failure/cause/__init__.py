"""Why an assert failed: what is established, what is possible, and what to change."""
