"""Reading Python: kernel sources and their decorators, and the expressions kernels are made of."""
