"""Questions that a replay answers, beside running one launch."""
