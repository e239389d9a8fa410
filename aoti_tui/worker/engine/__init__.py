"""Runs Triton kernels on numpy arrays: no protocol, nothing of Inductor, no torch.compile.

numbers → values → findings → run → memory → operations → library → language → programs: each room
knows only those before it.
"""
