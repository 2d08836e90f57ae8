"""Published figures beside the printed program run again and a correct program, and one verdict on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import erfc, sqrt
from statistics import fmean, pstdev

from inarow.report.cells import Blank, Cell, Column
from inarow.report.page import Section
from inarow.report.tables import Table, table
from inarow.stats import holm, same_shares

EXACT, CONSISTENT, NOT_REPRODUCED, OPEN = "exact", "consistent", "not reproduced", "not comparable"
VERDICTS = (EXACT, CONSISTENT, NOT_REPRODUCED, OPEN)
SAME = "the same: no error in it"
NOT_RUN = "not run here"
LEVEL = 0.05
VERDICT = "verdict"
"""The column that the summaries read."""
HEADS = (
    Column("published", published=True), "printed program, run again", "a correct program", "p (Holm)", VERDICT,
    "how ours was obtained",
)  # fmt: skip
NOTE = (
    "p: the exact test of Freeman and Halton on all shares together, published counts against the printed program’s, "
    "corrected after Holm for all rows of this report. Below 0.05 this run does not reproduce the published row. The "
    "test treats every game as independent and knows one training only: another training, or a setting that the "
    "report does not state, may reproduce it."
)
Counts = tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """One published row. Counts are of the same outcomes in the same order; None where there are none."""

    labels: tuple[Cell, ...]
    published: str
    theirs: Counts | None
    printed: Counts | None
    correct: Counts | str | None
    how: str
    shows: Sequence[int] | None = None
    """Indices of the outcomes that the report gives, if not all: the others are put together."""
    exact: bool = False
    """Whether both sides are one repeated match, so that equal shares are equal."""
    ranges: Sequence[Counts] = field(default=())
    """All published counts that the report allows, if it gives a range."""

    @property
    def p(self) -> float | None:
        """How likely a difference as large is by chance alone."""
        if self.printed is None or (self.theirs is None and not self.ranges):
            return None
        ours = self._given(self.printed)
        return max(same_shares(self._given(theirs), ours) for theirs in self.ranges or (self.theirs or (),))

    def _given(self, counts: Counts) -> Counts:
        if self.shows is None:
            return counts
        rest = sum(n for place, n in enumerate(counts) if place not in self.shows)
        return (*(counts[place] for place in self.shows), rest)


def shares_text(counts: Counts | str | None) -> str:
    """Counts as percentages, with how many games."""
    if counts is None or isinstance(counts, str):
        return counts or NOT_RUN
    games = max(1, sum(counts))
    return " / ".join(f"{100 * n / games:.3g}" for n in counts) + f" % of {games:,}"


@dataclass(frozen=True)
class Group:
    """Rows that make one table."""

    key: str
    title: str
    labels: Sequence[str]
    rows: Sequence[Row]
    notes: Sequence[str] = ()


def judged(groups: Iterable[Group]) -> list[Table]:
    """The tables of a report's groups, its p-values corrected together."""
    made = list(groups)
    known = [(row, p) for group in made for row in group.rows if (p := row.p) is not None]
    adjusted = dict(zip((id(row) for row, _ in known), holm([p for _, p in known]), strict=True))
    tables = []
    for group in made:
        rows = []
        for row in group.rows:
            p = adjusted.get(id(row))
            verdict = OPEN if p is None else NOT_REPRODUCED if p < LEVEL else CONSISTENT
            if p is not None and row.exact and row.theirs is not None and row.printed is not None:
                same = shares_text(row.theirs).split(" %")[0] == shares_text(row.printed).split(" %")[0]
                verdict = EXACT if same else NOT_REPRODUCED
            shown: Cell = Blank("no counts to compare") if p is None else round(p, 4)
            cells = (row.published, shares_text(row.printed), shares_text(row.correct), shown, verdict, row.how)
            rows.append((*row.labels, *cells))
        heads = [*group.labels, *(Column("p (Holm)", "number") if head == "p (Holm)" else head for head in HEADS)]
        tables.append(table(group.key, group.title, heads, rows, *group.notes, NOTE))
    return tables


def decomposed(total: int, games: int, values: Sequence[int]) -> str:
    """A total as a sum of ``games`` of these values, such as ``5 × 8,610 + 5 × 8,778``; empty if it is none."""
    values = sorted(set(values))
    if not values or len(values) > 5:
        return ""
    for counts in product(range(games + 1), repeat=len(values) - 1):
        last = games - sum(counts)
        if last >= 0 and sum(n * v for n, v in zip(counts, values, strict=False)) + last * values[-1] == total:
            parts = zip((*counts, last), values, strict=True)
            return " + ".join(f"{n} × {value:,}" for n, value in parts if n)
    return ""


def total_p(total: int, games: int, values: Sequence[int]) -> float:
    """How likely a total of ``games`` games is as far from its mean, each as one of these; normal approximation."""
    spread = pstdev(values) * sqrt(games * (1 + games / len(values)))
    gap = abs(total - games * fmean(values))
    return 1.0 if not gap else erfc(gap / spread / sqrt(2)) if spread else 0.0


def verdict_counts(tables: Iterable[Table]) -> Counter[str]:
    """How many published rows have each verdict."""
    counts: Counter[str] = Counter()
    for made in tables:
        for place, column in enumerate(made.columns):
            if column.name == VERDICT:
                counts.update(str(row[place]) for row in made.rows)
    return counts


def verdict_table(key: str, tables: Sequence[Table]) -> Table:
    """The verdicts, table by table."""
    rows: list[tuple[Cell, ...]] = []
    for made in tables:
        counts = verdict_counts([made])
        rows.append((made.title, *(counts[verdict] for verdict in VERDICTS)))
    total = verdict_counts(tables)
    rows.append(("in all", *(total[verdict] for verdict in VERDICTS)))
    heads: list[Column | str] = ["table", *(Column(verdict, "count") for verdict in VERDICTS)]
    return table(key, "Published rows by verdict", heads, rows)


def verdict_sentence(report: str, made: Table) -> str:
    """What `verdict_table` says in all."""
    _, exact, consistent, missed, _ = made.rows[-1]
    return (
        f"Of {report}’s published rows {exact} are exact, {consistent} are consistent with this run of its printed "
        f"program, and {missed} are not reproduced by it."
    )


def closing(report: str, tables: Sequence[Table], *errors: Table) -> tuple[str, list[Section]]:
    """How a report's study ends: a sentence on the verdicts; the sections on them, on errors and on what is open."""
    verdicts = verdict_table(f"{report.lower()}-verdicts", tables)
    sections = [
        Section("Verdicts", (verdicts, _not_reproduced(report, tables))),
        Section("The report’s errors", errors),
    ]
    return verdict_sentence(report, verdicts), sections


def _not_reproduced(report: str, tables: Sequence[Table]) -> Table:
    """List the rows that this run of the printed program does not reproduce."""
    rows: list[tuple[Cell, ...]] = []
    for made in tables:
        names = [column.name for column in made.columns]
        if VERDICT not in names:
            continue
        first = next(place for place, column in enumerate(made.columns) if column.published)
        ours = next(place for place, name in enumerate(names) if name.startswith("printed program"))
        for texts in made.texts():
            if texts[names.index(VERDICT)] == NOT_REPRODUCED:
                rows.append((made.title, ", ".join(texts[:first]), texts[first], texts[ours]))
    heads = ("table", "row", Column("published", published=True), "printed program, run again")
    title = f"Rows of {report} that this run does not reproduce"
    return table(f"{report.lower()}-not-reproduced", title, heads, rows or [("none", "–", "–", "–")])
