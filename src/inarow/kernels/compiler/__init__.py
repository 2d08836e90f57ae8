"""Compiling kernels: the decorators, the cache on disk, bare pointers, and warming ahead of time."""
