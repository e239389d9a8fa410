"""Where a value comes from: from a kernel's name back to inputs, constants and literals."""
