"""The script's own checks: what they compare, where it is worst, and which lane wrote that."""
