"""Reading Python: the expressions that kernels are made of."""
