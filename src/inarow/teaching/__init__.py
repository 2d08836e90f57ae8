"""For a class: agents in files are checked, held in a league and graded; assignments come with their grader.

Nothing is imported here, because an assignment's grader carries this package to machines without inarow.
"""
