"""Ten runs of the study `compare` with ten seeds, and a reference run: python scripts/compare_seeds.py FOLDER

Of the study it runs what ranks the searchers, Connect 4 at 3 ms a move, in `FOLDER/0` … `FOLDER/9`, unless it is
there, and 1,000 pairs of each pairing of the searchers from random openings of four plies in `FOLDER/reference.db`;
then it writes `docs/studies/compare-seeds.md` and ends with an error if two runs contradict each other, or one of them
the reference. It takes about ten minutes on an idle machine.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from inarow import play_tournament
from inarow.agents import agent
from inarow.arena import Results, Store, Tournament
from inarow.arena.executor import cores
from inarow.formatting import share
from inarow.paths import write_text
from inarow.report.tables import Cell, ranking, table, to_markdown
from inarow.rules import CONNECT4
from inarow.studies import Plan, StudyResults, run_study
from inarow.studies.base import Experiment
from inarow.studies.compare import Compare
from inarow.studies.compare.lineup import HEADLINE, budget_key
from inarow.studies.compare.results import Pool, Stored
from inarow.studies.running import STORE

PAGE = Path(__file__).parents[1] / "docs" / "studies" / "compare-seeds.md"
SEEDS = range(10)
REFERENCE_PAIRS = 1_000
CLEAR = 0.6
"""A score in the reference from which every run must have the same order."""


class Ranking(Compare):
    """The matches of the comparison that rank the searchers on Connect 4; the others don't change them."""

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        return [one for one in super().experiments(plan) if one.key == f"connect4-{budget_key(HEADLINE)}"]


def pool_of(folder: Path, seed: int) -> Pool:
    """Return Connect 4 at the headline's budget in the run with a seed, which is made if it is missing."""
    if not (folder / STORE).exists():
        run_study(Ranking(), folder, Plan(seed=seed))
    with Store.read(folder / STORE) as store:
        return Stored(Compare().line_up, StudyResults(store), ()).connect4


def reference(path: Path) -> Results:
    """Return the reference run, which is continued if it is unfinished."""
    players = tuple(Compare().line_up.searching(CONNECT4).values())
    tournament = Tournament.of(CONNECT4, players, "random:4", REFERENCE_PAIRS, seed=1)
    return play_tournament(tournament, path, resume=path.exists(), workers=cores())


def main(folder: Path) -> None:
    """Run what is missing, write the page, and check that nothing contradicts."""
    names = [one.label for one in Compare().line_up.searchers]
    pools = [pool_of(folder / str(seed), seed) for seed in SEEDS]
    pairs = list(combinations(pools[0].ordered(names), 2))
    rows: list[tuple[Cell, ...]] = [
        (str(seed), ranking(pool.tiers(names)), *(score if (score := pool.score(a, b)) else "–" for a, b in pairs))
        for seed, pool in zip(SEEDS, pools, strict=True)
    ]
    heads = ["seed", "order", *(f"{a} against {b}:percent" for a, b in pairs)]
    contradictions = [
        f"{a} and {b}" for a, b in pairs if any(p.beats(a, b) for p in pools) and any(p.beats(b, a) for p in pools)
    ]
    results = reference(folder / "reference.db")
    labels = {agent(spec).spec: label for label, spec in Compare().line_up.searching(CONNECT4).items()}
    stated = []
    for series in results.series.values():
        a, b = (labels[side.spec] for side in series.sides)
        score = series.score
        assert score is not None
        stated.append(f"{a} {share(score)} against {b}")
        for better, worse, value in ((a, b, score.estimate), (b, a, 1 - score.estimate)):
            scores = [one.estimate for p in pools if (one := p.score(better, worse)) is not None]
            if value >= CLEAR and min(scores) <= 0.5:
                contradictions.append(f"{better} and {worse}: the reference says {share(value)}")
    text = (
        "# The comparison with ten seeds\n\n"
        f"`python scripts/{Path(__file__).name} FOLDER` made this page: Connect 4 at 3 ms a move in ten runs of "
        "`inarow study compare` that differ in their seeds (the matches that rank the searchers). > stands "
        "where every player before it is shown to be better than every one after it.\n\n"
        f"{to_markdown(table('seeds', 'Ten runs', heads, rows))}\n"
        f"Reference, {REFERENCE_PAIRS:,} pairs from random openings of four plies: {', '.join(stated)}.\n\n"
        "[The comparison](compare.md)\n"
    )
    write_text(PAGE, text)
    if contradictions:
        sys.exit(f"contradictions: {'; '.join(contradictions)}")
    sys.stdout.write(f"wrote {PAGE}; no contradictions\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
