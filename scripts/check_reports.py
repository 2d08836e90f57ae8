"""Play again what the reports' printed programs were measured to do, with as many games, and compare.

    python scripts/check_reports.py [R1 …]

A row of one run has a p-value for all its shares together, corrected after Holm over all rows; rows of several runs
must lie in their range, widened by chance and by how much learners differ. Takes twenty minutes. Exits
with 1 if a row does not fit.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from inarow.stats import holm  # noqa: E402
from reproductions.outcomes import references, run  # noqa: E402

RUNS, FOR_ONE = 3, 12
"""Learners that are trained for a row, at most; and for one of a single learner that was judged while it learnt."""


def main(reports: list[str]) -> int:
    """Compare the rows of these reports, or all, and print a line each."""
    rows = [row for row in references() if not reports or row.report in reports]
    p_values, bad = [], 0
    for row in rows:
        runs = min(row.runs, RUNS) if row.first != "learns" else RUNS if row.runs > 1 else FOR_ONE
        found = run(row, row.games, runs)
        misfits, p = row.misfits(found), row.p(found)
        if p is not None:
            p_values.append(p)
        bad += bool(misfits)
        ours = ", ".join("/".join(map(str, counts)) for counts in found.runs)
        said = "; ".join(misfits) or ("" if p is None else f"p = {p:.3g}")
        known = "/".join("–" if share is None else str(share) for share in row.shares)
        known = f"known {known} % of {row.games}"
        sys.stdout.write(f"{row.name}\n    {known}, ours {ours}: {said or 'fits'}\n")
        sys.stdout.flush()
    least = min(holm(p_values), default=1.0)
    sys.stdout.write(f"{len(rows)} rows; {bad} outside their range; least p after Holm {least:.3g}\n")
    return 1 if bad or least < 0.05 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
