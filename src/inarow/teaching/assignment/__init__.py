"""A programming assignment: a starter kit for students, and the grader that matches it.

All modules but `making` use Python's standard library only, so that the grader runs wherever Python does.
"""
