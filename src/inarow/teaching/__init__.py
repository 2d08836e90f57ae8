"""Tools for a class: check agents in files, run and grade leagues, and make assignments with autograders.

Nothing is imported here, because an assignment's grader carries this package to machines without inarow.
"""
