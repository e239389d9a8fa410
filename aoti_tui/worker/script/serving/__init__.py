"""Answers to requests about launches that have run."""
