"""A kernel's source as syntax trees: what it says, whether it may run, and what is recorded of it.

Nothing here runs anything; an artifact's source is checked, a user's own is not.
"""
