"""Running a launch again: its plan, its values, the worker session and the recording."""
