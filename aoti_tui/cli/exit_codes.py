"""What the commands exit with."""

from __future__ import annotations

ANSWERED = 0
FAILED = 1
"""Something of ours broke, or a comparison found a mismatch."""
UNUSABLE = 2
"""What was given cannot be used."""
NOTHING_MATCHES = 3
"""No failure of the log matches the wrapper."""
FOUND = 4
"""The script of `run` ended well, but something was found to be wrong in it."""
