"""Loads, stores and atomics, each checked against its tensor before it happens."""
