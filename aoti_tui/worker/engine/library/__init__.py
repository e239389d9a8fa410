"""What is built on the operations: reductions, libdevice, block pointers of older releases."""
