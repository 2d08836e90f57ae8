"""Grade a submission: python grade.py FILE-OR-FOLDER [--results results.json]"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))

from inarow.assignment.autograder import main  # noqa: E402

sys.exit(main(HERE))
