"""What the commands exit with."""

from __future__ import annotations

ANSWERED = 0
FAILED = 1
"""Something of ours broke, or a comparison found a mismatch."""
UNUSABLE = 2
"""What was given cannot be used."""
NOTHING_MATCHES = 3
"""No failure of the log matches the wrapper."""
