"""The inner loops: functions in a subset of Python (docs/kernels.md) that `lang` compiles."""
