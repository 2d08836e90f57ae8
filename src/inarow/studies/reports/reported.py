"""A published figure beside ours, and whether the two agree: what the studies of the five reports share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from inarow.agents import agent
from inarow.arena import Tournament
from inarow.errors import InarowError
from inarow.report.cells import Blank, Cell, Column
from inarow.report.page import Item, Section
from inarow.report.sentences import agreement
from inarow.report.tables import Table, table
from inarow.rules import Game
from inarow.stats import Interval, wilson
from inarow.studies.framework.study import Plan

NOT_PLAYED = Blank("not played here")
NOT_GIVEN = Blank("the report gives no figure")

Labels = Mapping[str, str]


def tournament(
    key: str, game: Game, players: Mapping[str, str], pairs: int, plan: Plan, *, format: str = "round-robin",
    openings: str = "none", with_self: bool = False,
) -> Tournament:  # fmt: skip
    """A tournament between players given as label → spec, by default from the empty board."""
    labels = {agent(spec).spec: label for label, spec in players.items()}
    assert len(labels) == len(players), f"{key}: two labels for one player"
    return Tournament.of(
        game, tuple(players.values()), openings, pairs,
        format=format, with_self=with_self, seed=plan.seed, key=key, labels=labels,
    )  # fmt: skip


def usable(game: Game, players: Mapping[str, str]) -> dict[str, str]:
    """The players whose agents are there and can play this game (a model may be missing)."""
    found = {}
    for label, spec in players.items():
        try:
            agent(spec).check(game)
        except InarowError:
            continue
        found[label] = spec
    return found


def quoted(text: str) -> Cell:
    """A published figure exactly as it is printed, or why there is none."""
    return text if text else NOT_GIVEN


def rate_agreement(percent: str, games: int, ours: Interval | None) -> str:
    """Whether a published percentage, of so many games, can be the same rate as ours."""
    if ours is None:
        return "not played here"
    if not percent:
        return "the report gives no figure"
    low, _, high = percent.partition("-")
    if high:
        inside = ours.low <= float(high) / 100 and ours.high >= float(low) / 100
        return "agrees" if inside else "differs"
    theirs = wilson(round(float(percent) / 100 * games), games)
    assert theirs is not None
    return agreement(theirs, ours)


def count_agreement(wins: str, games: str, ours: Interval | None) -> str:
    """Whether a published number of wins can come from the same rate as ours."""
    if ours is None:
        return "not played here"
    theirs = wilson(int(wins), int(games))
    assert theirs is not None
    return agreement(theirs, ours)


def agreement_table(key: str, tables: Iterable[Table]) -> Table:
    """How many published figures agree with ours, table by table: over the columns named ``agrees?``."""
    rows: list[tuple[Cell, ...]] = []
    for source in tables:
        counts: Counter[str] = Counter()
        for index, column in enumerate(source.columns):
            if column.name.startswith("agrees?"):
                counts.update(str(row[index]) for row in source.rows)
        agree, differ = counts["agrees"], counts["differs"]
        rows.append((source.title, agree, differ, counts.total() - agree - differ))
    total: tuple[Cell, ...] = ("in all", *(sum(int(str(row[i])) for row in rows) for i in (1, 2, 3)))
    heads = ("table", Column("agree", "count"), Column("differ", "count"), Column("not comparable", "count"))
    title = "Published figures against ours"
    note = "Two rates agree unless the 95 % interval of their difference (Newcombe) excludes 0."
    return table(key, title, heads, [*rows, total], note)


def agreement_sentence(agreements: Table) -> str:
    """What `agreement_table` says in all."""
    _, agree, differ, _ = agreements.rows[-1]
    if agree == differ == 0:
        return "None of the published rates could be compared."
    return f"Of the published rates, {agree} agree with ours within chance and {differ} differ; each table says which."


def cut(made: Table, shared: int, at: int, title: str) -> tuple[Table, Table]:
    """A wide table as two: the columns before ``at``, and the rest beside the first ``shared`` columns again."""
    rows = [row[:shared] + row[at:] for row in made.rows]
    rest = table(f"{made.key}-cost", title, made.columns[:shared] + made.columns[at:], rows, *made.notes)
    return replace(made, columns=made.columns[:at], rows=tuple(row[:at] for row in made.rows), notes=()), rest


def differing(key: str, tables: Iterable[Table]) -> Table:
    """The rows whose published figure differs from ours, all in one place."""
    rows: list[tuple[Cell, ...]] = []
    for source in tables:
        names = [column.name for column in source.columns]
        verdicts = [index for index, name in enumerate(names) if name.startswith("agrees?")]
        for row, texts in zip(source.rows, source.texts(), strict=True):
            if any(row[index] == "differs" for index in verdicts):
                first = next(i for i, column in enumerate(source.columns) if column.published)
                said = "; ".join(f"{names[i]} {texts[i]}" for i in range(first, len(row)) if i not in verdicts)
                rows.append((source.title, ", ".join(texts[:first]), said))
    return table(key, "Where ours differs", ("table", "row", "the figures"), rows or [("none", "–", "–")])


def closing(key: str, tables: Sequence[Table], why: str, errors: Table, *more: Item) -> tuple[str, list[Section]]:
    """How a report's study ends: a sentence on what agrees, and the sections on that and on the report's errors."""
    agreements = agreement_table(f"{key}-agreement", tables)
    sections = [
        Section("Agreement", (agreements, differing(f"{key}-differing", tables), why)),
        Section("The report’s errors", (errors, *more)),
    ]
    return agreement_sentence(agreements), sections


def faults(key: str, report: str, rows: Sequence[tuple[str, str]]) -> Table:
    """Where a report is in error: what it says or does, and what is right."""
    return table(key, f"Errors of {report}", ("in the report", "in truth, and here"), rows)
