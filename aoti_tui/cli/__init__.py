"""Arguments and headless commands. Starts without torch, triton, numpy or the interface."""
