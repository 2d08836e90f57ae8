"""The learner of r2: its games while it learns, batch by batch, and what each of its errors costs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from inarow.randomness import derive
from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.sentences import rate_difference
from inarow.report.tables import Table, table
from inarow.rules import CONNECT4, TICTACTOE, Game, game
from inarow.stats import wilson
from inarow.studies.framework.study import Measured, Measurement, Plan, measurement
from inarow.studies.framework.study_results import StudyResults

BATCHES = (10, 100, 1000)
BASELINE = "baseline"
OPPONENTS: Mapping[Game, Mapping[str, str]] = {
    TICTACTOE: {BASELINE: "rules:preset=r2", "minimax": "alphabeta:preset=r2,letter=x"},
    CONNECT4: {
        BASELINE: "rules:preset=r2",
        "minimax depth 4": "alphabeta:preset=r2,letter=x,depth=4",
        "minimax depth 5": "alphabeta:preset=r2,letter=x,depth=5",
    },
}
"""Whom the learner meets; minimax plays X."""
FRESH, CARRIED, SECOND = "a fresh learner for each batch", "carried over", "carried over, second pass"
_MENDED_REWARD = 'reward="windows(four=1000,three=20,two=5,other_three=-50,other_two=-3,centre=10)"'
AS_RUN = "as printed"
ALL_MENDED = "all mended"
VARIANTS: Mapping[str, str] = {
    AS_RUN: "",
    "column 0 is learnt too": "faults=skips+outright+no-end",
    "nothing is set outright": "faults=column-0+skips+no-end",
    "no update is skipped": "faults=column-0+outright+no-end",
    "winning and losing are learnt": "faults=column-0+skips+outright",
    "the opponent’s threes and twos count against it": _MENDED_REWARD,
    "its wins and blocks are never reached, as the listing is indented": "guide=none",
    ALL_MENDED: f"faults=none,{_MENDED_REWARD}",
    "it learns nothing at all": "faults=none,alpha=0",
}
"""What is given beside the preset."""


class Batch(NamedTuple):
    """Games of two players: counts are for the second named, the learner if there is one."""

    wins: int
    draws: int
    losses: int
    plies: float
    seconds: tuple[float, float]
    """A move: of the first and of the second named."""

    @property
    def matches(self) -> int:
        """All of them."""
        return self.wins + self.draws + self.losses

    @property
    def counts(self) -> tuple[int, int, int]:
        """As the report has them: player 1, ties, player 2."""
        return self.losses, self.draws, self.wins


@measurement("learn_while_playing")
def learn_while_playing(settings: dict[str, Any]) -> Measured:
    """A learner’s games in ``batches`` against ``opponent``, learning as it goes; ``fresh``: anew for each batch."""
    from inarow.agents import agent
    from inarow.training import new_learner
    from inarow.training.report_learner import ReportLearner

    board, made = game(settings["game"]), agent(settings["agent"])
    learner: ReportLearner | None = None
    results, timing = [], []
    for number, size in enumerate(settings["batches"]):
        if learner is None or settings["fresh"]:
            new = new_learner(made, board, derive(settings["seed"], "batch", number), size)
            assert isinstance(new, ReportLearner)
            learner = new
            learner.episode(settings["opponent"])  # compiles, and is not counted
            new = new_learner(made, board, derive(settings["seed"], "batch", number), size)
            assert isinstance(new, ReportLearner)
            learner = new
        begun, before = time.perf_counter(), learner.opponent_seconds
        for _ in range(size):
            learner.episode(settings["opponent"])
        took, opponent = time.perf_counter() - begun, learner.opponent_seconds - before
        tally = learner.tally()
        results.append({"games": size, **{name: tally[name] for name in ("wins", "draws", "losses", "plies")}})
        moves = size * tally["plies"] / 2
        timing.append({"learner": (took - opponent) / moves, "opponent": opponent / moves, "seconds": took})
    last = results[-1]
    said = f"{settings['agent']} won {last['wins']} of its last {last['games']:,} games"
    return Measured({"batches": results, "verdict": said}, {"batches": timing})


def key_of(board: Game, opponent: str, reading: str, variant: str = AS_RUN, run: int = 0) -> str:
    """The key of a run, the first of several."""
    again = f"-run-{run + 1}" if run else ""
    return f"{board.name}-learner-{opponent}-{reading}-{variant}{again}".replace(", ", "-").replace(" ", "-")


def experiments(plan: Plan) -> list[Measurement]:
    """The learner against each opponent, fresh for each batch and carried over twice; and with its errors mended."""
    made = []
    for board, opponents in OPPONENTS.items():
        for opponent, spec in opponents.items():
            for reading, batches in ((FRESH, BATCHES), (CARRIED, BATCHES + BATCHES)):
                for run in range(plan.pick(2, 5)):
                    made.append(_run(board, opponent, spec, reading, AS_RUN, batches, plan, run))
            mended = "" if board == TICTACTOE else VARIANTS[ALL_MENDED]
            if mended:
                made.append(_run(board, opponent, spec, FRESH, ALL_MENDED, BATCHES, plan))
    for variant in VARIANTS:
        if variant not in (AS_RUN, ALL_MENDED):
            made.append(_run(CONNECT4, BASELINE, OPPONENTS[CONNECT4][BASELINE], FRESH, variant, BATCHES, plan))
    return made


def _run(
    board: Game, opponent: str, spec: str, reading: str, variant: str, batches: tuple[int, ...], plan: Plan,
    run: int = 0,
) -> Measurement:  # fmt: skip
    changed = VARIANTS[variant]
    settings = {
        "agent": "qlearning:preset=r2" + (f",{changed}" if changed else ""), "game": board.name, "opponent": spec,
        "batches": [10 * plan.pick(size // 10, size // 10) for size in batches], "fresh": reading == FRESH,
        "seed": derive(plan.seed, "run", run) if run else plan.seed,
    }  # fmt: skip
    return Measurement(key_of(board, opponent, reading, variant, run), learn_while_playing, settings, weight=100)


def batch(
    found: StudyResults, board: Game, opponent: str, reading: str, size: int, variant: str = AS_RUN, run: int = 0
) -> Batch | None:
    """What one batch of a reading showed, in one of its runs."""
    kept = CARRIED if reading == SECOND else reading
    measured = found.measured(key_of(board, opponent, kept, variant, run))
    if measured is None:
        return None
    index = BATCHES.index(size) + (len(BATCHES) if reading == SECOND else 0)
    one, clock = measured["batches"][index], measured["timing"]["batches"][index]
    return Batch(one["wins"], one["draws"], one["losses"], one["plies"], (clock["opponent"], clock["learner"]))


def runs(found: StudyResults, board: Game, opponent: str, reading: str, size: int) -> list[Batch]:
    """What one batch of a reading showed in each of its runs."""
    made: list[Batch] = []
    while (one := batch(found, board, opponent, reading, size, run=len(made))) is not None:
        made.append(one)
    return made


def errors_table(found: StudyResults) -> Table:
    """What each error of the Connect 4 learner costs: its wins in the last batch as printed and with errors mended."""
    last = {name: batch(found, CONNECT4, BASELINE, FRESH, BATCHES[-1], name) for name in VARIANTS}
    rates = {name: wilson(b.wins, b.matches) if b is not None else None for name, b in last.items()}
    as_run = rates[AS_RUN]
    rows: list[tuple[Cell, ...]] = []
    for name, rate in rates.items():
        said: Cell = Blank("what the others are compared with")
        if name != AS_RUN and rate is not None and as_run is not None:
            gap = rate_difference(rate, as_run)
            said = "no difference shown" if gap.covers(0) else "better" if gap.estimate > 0 else "worse"
        rows.append((name, Blank("not played") if rate is None else rate, said))
    heads = ("learner", Column("wins", "percent"), "against as printed")
    note = (
        "It wins and blocks by rule before it looks into its table. Where mending shows no difference, look at the "
        "last row: what that rule scores alone."
    )
    return table("r2-learner-errors", "Connect 4: the learner, fresh, against the baseline", heads, rows, note)


def errors_sentences(made: Table) -> list[str]:
    """Which mending is shown to help or to harm."""
    as_run = made.rows[0][1]
    return [
        f"Connect 4: with “{name}” R2’s learner is {said}: it wins {shown('percent', rate)}, as printed "
        f"{shown('percent', as_run)}."
        for name, rate, said in made.rows
        if said in ("better", "worse")
    ]
