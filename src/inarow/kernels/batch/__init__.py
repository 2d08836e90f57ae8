"""Many boards stepped at once, for people who train learners."""
