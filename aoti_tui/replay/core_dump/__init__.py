"""A core dump as data of a replay: which launch failed, its symbols, its tensors' memory."""
