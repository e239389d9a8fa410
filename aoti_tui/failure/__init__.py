"""From a log to the kernel that failed, where its bound and index come from, and why."""
