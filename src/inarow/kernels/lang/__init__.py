"""The language of kernels: its compiler, the cache of machine code on disk, and compiling ahead of time."""
