"""From the text of a log to the kernels that its asserts can have come from."""
