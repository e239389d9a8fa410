"""From a jit function and a user's arguments to a kernel of the engine and its values."""
