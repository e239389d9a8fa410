"""``make bench``: speed as ratios, each measured within one run against what it is compared to."""
