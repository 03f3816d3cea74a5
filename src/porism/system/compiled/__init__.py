"""Compiled kernels: how they are declared, compiled at once, and cached."""
