"""What runs beneath everything: files that stay whole, compiled kernels, and work at the same time."""
