"""What crosses the boundary of a process that runs kernels: frames, values, steps, reports."""
