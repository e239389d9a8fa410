"""A user's own script, run whole under the engine."""
