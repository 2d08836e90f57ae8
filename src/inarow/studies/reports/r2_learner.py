"""The learner of r2: how it is trained while it plays, its games batch by batch, and what each of its errors costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.sentences import rate_difference
from inarow.report.tables import Table, table
from inarow.rules import CONNECT4, Game
from inarow.stats import wilson
from inarow.studies.framework.study import Measurement, Plan
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.handwritten_qlearner import train_by_hand
from inarow.studies.sections.trainings import training

BATCHES = (10, 100, 1000)
EVERY = 10
_MENDED_REWARD = 'reward="windows(four=1000,three=20,two=5,other_three=-50,other_two=-3,centre=10)"'
_MENDED_END = "win=20,loss=-20"
AS_RUN = "as run"
ALL_MENDED = "all four mended"
VARIANTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    # The agent, and the faults that it is left with.
    AS_RUN: ("", ("column-0", "outright")),
    "column 0 is learnt too": ("", ("outright",)),
    "nothing is set outright": ("", ("column-0",)),
    "winning and losing are learnt": (_MENDED_END, ("column-0", "outright")),
    "the opponent’s threes and twos count against it": (_MENDED_REWARD, ("column-0", "outright")),
    ALL_MENDED: (f"{_MENDED_END},{_MENDED_REWARD}", ()),
    "it learns nothing at all": ("alpha=0", ()),
}


class Batch(NamedTuple):
    """Games of two players: counts are for the second named, the learner if there is one."""

    wins: int
    draws: int
    losses: int
    plies: float
    seconds: tuple[float, float]
    """A move: of the first and of the second named."""

    @property
    def games(self) -> int:
        """All of them."""
        return self.wins + self.draws + self.losses


def key_of(game: Game, opponent: str, variant: str = AS_RUN) -> str:
    """The key of a training."""
    return f"{game.name}-learner-{opponent.replace(', ', '-').replace(' ', '-')}" + (
        "" if variant == AS_RUN else f"-{variant}"
    )


def trainings(game: Game, opponents: Mapping[str, str], baseline: str, plan: Plan) -> list[Measurement]:
    """The learner against each opponent, given as label → spec; in Connect 4 also with its errors mended."""
    made = []
    for opponent, spec in opponents.items():
        variants = VARIANTS if game == CONNECT4 and opponent == baseline else {AS_RUN: VARIANTS[AS_RUN]}
        for variant, (changed, faults) in variants.items():
            agent = "qlearning:preset=r2" + (f",{changed}" if changed else "")
            settings = training(agent, game, sum(BATCHES), plan, every=EVERY, opponents=[spec])
            settings["faults"] = list(faults) if game == CONNECT4 else []
            made.append(Measurement(key_of(game, opponent, variant), train_by_hand, settings, weight=100))
    return made


def batches(measured: Mapping[str, Any] | None) -> dict[int, Batch]:
    """What the learner's games showed, batch by batch."""
    if measured is None:
        return {}
    made, start = {}, 0
    entries = list(zip(measured["history"], measured["timing"]["history"], strict=True))
    for size in BATCHES:
        part = [pair for pair in entries if start < pair[0]["episodes"] <= start + size]
        wins, draws, losses = (sum(entry[name] for entry, _ in part) for name in ("wins", "draws", "losses"))
        plies = sum(entry["plies"] * EVERY for entry, _ in part) / max(1, wins + draws + losses)
        times = []
        for side in ("opponent", "learner"):
            seconds, moves = (sum(timing[side][what] for _, timing in part) for what in ("seconds", "moves"))
            times.append(seconds / max(1, moves))
        made[size] = Batch(wins, draws, losses, plies, (times[0], times[1]))
        start += size
    return made


def errors_table(found: StudyResults, baseline: str) -> Table:
    """What each error of the Connect 4 learner costs: its wins in the last batch as run and with errors mended."""
    last = {name: batches(found.measured(key_of(CONNECT4, baseline, name))).get(BATCHES[-1]) for name in VARIANTS}
    rates = {name: wilson(b.wins, b.games) if b is not None else None for name, b in last.items()}
    as_run = rates[AS_RUN]
    rows: list[tuple[Cell, ...]] = []
    for name, rate in rates.items():
        said: Cell = Blank("what the others are compared with")
        if name != AS_RUN and rate is not None and as_run is not None:
            gap = rate_difference(rate, as_run)
            said = "no difference shown" if gap.covers(0) else "better" if gap.estimate > 0 else "worse"
        rows.append((name, Blank("not played") if rate is None else rate, said))
    heads = ("learner", Column("wins", "percent"), "against as run")
    title = f"Connect 4: the learner with its errors mended: its last {BATCHES[-1]:,} games against the baseline"
    note = (
        "It wins and blocks by rule before it looks into its table. Where mending shows no difference, look at the "
        "last row: what that rule scores alone."
    )
    return table("r2-learner-errors", title, heads, rows, note)


def errors_sentences(made: Table) -> list[str]:
    """Which mending is shown to help or to harm."""
    as_run = made.rows[0][1]
    return [
        f"Connect 4: with “{name}” R2’s learner is {said}: it wins {shown('percent', rate)}, as run "
        f"{shown('percent', as_run)}."
        for name, rate, said in made.rows
        if said in ("better", "worse")
    ]


def learners(found: StudyResults, game: Game, opponents: Sequence[str]) -> dict[str, dict[int, Batch]]:
    """The batches of the learner as run against each opponent."""
    return {opponent: batches(found.measured(key_of(game, opponent))) for opponent in opponents}
