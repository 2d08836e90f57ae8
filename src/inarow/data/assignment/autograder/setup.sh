#!/usr/bin/env bash
# Nothing is installed and no network is needed: the grader is in this folder and uses Python's standard library only.
python3 -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
