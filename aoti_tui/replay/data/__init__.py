"""The tensors and numbers of a replay, and how far they can be trusted."""
