"""The process that runs kernels: Triton's interpreter on a CPU, behind one small protocol.

It may run under another Python than the package (the one that holds the user's torch), so it
imports nothing of the package, and `__main__.py` loads this folder under a name of its own.
PROTOCOL.md is the contract with whoever talks to it.
"""
