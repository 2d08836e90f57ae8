"""The inner loops, compiled by numba: bare integers and arrays, no classes, no input or output."""
