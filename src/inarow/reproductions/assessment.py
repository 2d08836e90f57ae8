"""Assess published rows: is each one plausible as another run of the printed program?

Every row is compared with shipped runs of the printed program (`distributions`), each of which repeats the whole
experiment, including training. So a verdict depends only on published figures and shipped data, not on the scale or
seed of a study.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from math import ceil, exp, floor, lgamma, pi, sqrt
from statistics import fmean, stdev, variance

import numpy as np
from numpy.typing import NDArray

from inarow.formatting import listed, share
from inarow.report.charts import stacked_counts
from inarow.report.page import Item, Section
from inarow.report.tables import Blank, Cell, Figure, Table, table
from inarow.reproductions.distributions import ProgramRun, Sample, errors_table, provenance, unstated_table
from inarow.stats import holm
from inarow.studies.base import Content, Experiment, Plan, Study, StudyResults

Counts = tuple[int, int, int]


class RowStatus(StrEnum):
    """The verdict on a published row, from the shipped runs of the printed program."""

    EXACT = "exact"
    CONSISTENT = "consistent"
    NOT_REPRODUCED = "not reproduced"
    IMPOSSIBLE = "impossible"
    NOT_COMPARABLE = "not comparable"


MEANING: Mapping[RowStatus, str] = {
    RowStatus.EXACT: (
        "The printed program produces exactly this row; if it is a sum of possible games, with a chance of a false hit."
    ),
    RowStatus.CONSISTENT: "Plausible as another run of the printed program (p ≥ 0.05, Holm).",
    RowStatus.NOT_REPRODUCED: "Implausible under every reading that was tried (p < 0.05, Holm).",
    RowStatus.IMPOSSIBLE: (
        "Proved impossible, or p < 0.0001 (Bonferroni) over at least 20 runs with all settings stated."
    ),
    RowStatus.NOT_COMPARABLE: "The result is illegible, depends on a person, or is a time on another machine.",
}
LEVEL, SURELY, MANY = 0.05, 1e-4, 20
OUTCOMES = ("wins", "draws", "losses")
"""The order of outcomes in every table: those of the first-named player."""


@dataclass(frozen=True)
class PublishedRow:
    """A published row and the samples of the printed program to compare it with."""

    key: str
    labels: tuple[str, ...]
    published: str
    """The row as printed."""
    games: int = 0
    counts: Sequence[Counts] = ()
    """The published counts; several for a range, empty if the report gives no counts."""
    stated: Sequence[int] = (0, 1, 2)
    """Indices of the outcomes that the report states."""
    moves: str = ""
    """The published mean number of plies, as printed."""
    total: int = 0
    """The published total of nodes, in a row that is about nodes."""
    readings: Mapping[str, Sample] = field(default_factory=dict)
    """Samples of the printed program by reading; several if the report leaves a setting open."""
    ties_to_second: bool = False
    """True if a tie is counted for the second player."""
    columns: Sequence[int] = ()
    """The program's moves in a published log. They are exact, or only shown beside the runs."""
    assumed: str = ""
    """What is assumed in place of a setting that the report does not state."""
    open: str = ""
    """The setting that the report does not state. With one, or an assumption, a row is impossible only by proof."""
    proof: str = ""
    """The reason why no reading of the printed program can produce this row, if that is proved."""
    why: str = ""
    """The reason why nothing can be compared, or why the row is exact without counts."""
    verdict: RowStatus | None = None
    """Set if the verdict does not come from runs but, for example, from a move log or a bound."""


@dataclass(frozen=True)
class Assessed:
    """A row with its verdict, the p-value of the best reading, and the same corrected over the report's rows."""

    row: PublishedRow
    verdict: RowStatus
    p: float | None = None
    adjusted: float | None = None
    reading: str = ""
    note: str = ""

    @property
    def runs(self) -> Sequence[ProgramRun]:
        """The runs of the reading that fits best; of a log, those of all readings."""
        names = self.row.readings if self.row.columns else [self.reading] if self.reading in self.row.readings else []
        return [run for name in names for run in self.row.readings[name].runs]


def one_more_run(
    theirs: int, games: int, runs: Sequence[tuple[int, int]], careful: bool = False, independent: bool = False
) -> float:
    """Return the p-value of ``theirs`` of ``games`` as another run like ``runs`` (successes, games).

    The model is beta-binomial: the mean of all runs, with the variance between runs estimated from them (at least the
    binomial one) and the uncertainty of the mean added, so games repeated within a run count once. With
    ``careful`` the variance is taken at its upper 95 % confidence limit; ``independent`` games have the binomial one.
    """
    total = sum(size for _, size in runs)
    seen = sum(count for count, _ in runs) / total
    mean = (sum(count for count, _ in runs) + 0.5) / (total + 1)
    size = total / len(runs)
    chance = seen * (1 - seen)
    scatter = sum((count - size_ * seen) ** 2 / (size_ * chance) for count, size_ in runs) if chance else 0.0
    freedom = max(1, len(runs) - 1)
    excess = 1.0 if independent else max(1.0, scatter / freedom)
    if careful and not independent:
        excess *= freedom / _low_chi_square(freedom)
    between = min(1.0, (excess - 1) / (size - 1)) if size > 1 else 0.0
    inflation = min(float(games), 1 + (games - 1) * between + games * excess / total)
    precision = max(1e-3, (games - 1) / (inflation - 1) - 1) if games > 1 and inflation > 1 else 1e9
    chances = _beta_binomial(games, precision * mean, precision * (1 - mean))
    return float(min(1.0, chances[chances <= chances[theirs] * (1 + 1e-7)].sum()))


def _low_chi_square(freedom: int) -> float:
    """Return the 5 % quantile of the chi-square distribution (Wilson and Hilferty)."""
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part - 1.6449 * sqrt(part)) ** 3)


def _beta_binomial(games: int, a: float, b: float) -> NDArray[np.float64]:
    logs = np.array([
        lgamma(games + 1) - lgamma(k + 1) - lgamma(games - k + 1) + lgamma(k + a) + lgamma(games - k + b)
        for k in range(games + 1)
    ])  # fmt: skip
    return np.exp(logs - (lgamma(games + a + b) + lgamma(a) + lgamma(b) - lgamma(a + b)))


def mean_p(theirs: float, rounding: float, games: int, runs: Sequence[tuple[float, int]]) -> float:
    """Return the p-value of a published mean over ``games`` games as another run like ``runs`` (mean, games).

    Student's t for a new observation; differences within ``rounding`` are ignored.
    """
    means = [mean for mean, _ in runs]
    size = fmean(size for _, size in runs)
    gap = max(0.0, abs(theirs - fmean(means)) - rounding)
    if not gap:
        return 1.0
    spread = variance(means) * (size / games + 1 / len(runs))
    return student_p(gap / sqrt(spread), len(runs) - 1) if spread else 0.0


def student_p(t: float, freedom: int) -> float:
    """Return the two-sided tail of Student's t, integrated over its angle."""
    scale = 2 * exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(pi)
    angles = np.linspace(np.arctan(t / sqrt(freedom)), pi / 2, 4001)
    return float(min(1.0, scale * np.trapezoid(np.cos(angles) ** (freedom - 1), angles)))


def p_value(row: PublishedRow, reading: str, careful: bool = False) -> float:
    """Return the p-value of a row under one reading: shares and mean length together, Bonferroni-corrected."""
    runs = [_shown_run(row, run) for run in row.readings[reading].runs]
    parts: list[float] = []
    if row.total:
        nodes = [(run.nodes / run.games, run.games) for run in row.readings[reading].runs]
        return mean_p(row.total / row.games, 0.0, row.games, nodes)
    if row.counts:
        for place in row.stated:
            published = [counts[place] for counts in row.counts]
            seen = [(counts[place], sum(counts)) for counts in runs]
            if any(published) or any(count for count, _ in seen):
                known = row.readings[reading].independent
                parts.append(max(one_more_run(count, row.games, seen, careful, known) for count in published))
        if len(parts) == 2 and len(row.stated) == 3:
            parts.pop()  # with two outcomes, one share determines the other
    if row.moves:
        decimals = len(row.moves.partition(".")[2])
        lengths = [(run.plies / run.games, run.games) for run in row.readings[reading].runs]
        parts.append(mean_p(float(row.moves), 0.5 * 10**-decimals, row.games, lengths))
    return min(1.0, len(parts) * min(parts)) if parts else 1.0


def _shown_run(row: PublishedRow, run: ProgramRun) -> Counts:
    first, draws, second = run.counts
    return (first, 0, draws + second) if row.ties_to_second else (first, draws, second)


def exact_note(row: PublishedRow) -> str:
    """Explain why a row is exact: its total is a sum of the program's games, or all games of all runs repeat and end as
    published. Empty if it is not exact."""
    runs = [run for sample in row.readings.values() for run in sample.runs]
    for sample in row.readings.values() if row.total else ():
        values = sorted({total for run in sample.runs for total in run.totals})
        if text := decomposed(row.total, row.games, values):
            same = sum(run.nodes * row.games == row.total * run.games for run in sample.runs)
            chance = chance_of_a_sum(row.games, values, sample) if sample.independent else ""
            return text + (chance or f", in {same} of {len(sample.runs)} runs")
    if row.columns and all(tuple(run.columns) == tuple(row.columns) for run in runs):
        return "the printed program always plays the legible moves"
    if not runs or not row.counts or not all(run.lines == 1 for run in runs):
        return ""
    shares = [count / row.games for count in row.counts[0]]
    if not all([count / run.games for count in run.counts] == shares for run in runs):
        return ""
    note = "every run repeats one game, which ends like this"
    same = sum(run.plies == float(row.moves) * run.games for run in runs) if row.moves else len(runs)
    return note + (f", in {same} of {len(runs)} after this number of moves" if same < len(runs) else "")


def chance_of_a_sum(games: int, values: Sequence[int], sample: Sample) -> str:
    """State the share of sums of ``games`` of these values among all integers in the central 95 % of the runs' totals.

    Empty if all games are alike.
    """
    if len(values) < 2:
        return ""
    totals = [run.nodes * games / run.games for run in sample.runs]
    reach = 1.96 * stdev(totals)
    low, high = ceil(fmean(totals) - reach), floor(fmean(totals) + reach)
    sums = {0}
    for _ in range(games):
        sums = {total + value for total in sums for value in values}
    hits = sum(low <= total <= high for total in sums)
    chance = share(hits / (high - low + 1), decimals=1)
    return f"; chance of a false hit {chance}, the share of such sums in the central 95 % of totals"


def decomposed(total: int, games: int, values: Sequence[int]) -> str:
    """Write a total as a sum of ``games`` of these values, such as ``5 × 8,610 + 5 × 8,778``, or return ``""``."""
    if total % games == 0 and total // games in values:
        return f"{games} × {total // games:,}"
    if not values or len(values) > 5 or games > 10:
        return ""
    for counts in product(range(games + 1), repeat=len(values) - 1):
        last = games - sum(counts)
        if last >= 0 and sum(n * v for n, v in zip(counts, values, strict=False)) + last * values[-1] == total:
            parts = zip((*counts, last), values, strict=True)
            return " + ".join(f"{n} × {value:,}" for n, value in parts if n)
    return ""


def assess(rows: Sequence[PublishedRow]) -> list[Assessed]:
    """Return the verdict on each row of one report."""
    tested = [row for row in rows if row.readings and not row.columns]
    best = {row.key: max((p_value(row, name), name) for name in row.readings) for row in tested}
    adjusted = dict(zip(best, holm([p for p, _ in best.values()]), strict=True))
    made = []
    for row in rows:
        p, reading = best.get(row.key, (None, ""))
        corrected = adjusted.get(row.key)
        note = exact_note(row)
        if row.verdict is not None:
            verdict, note = row.verdict, row.why
        elif row.proof:
            verdict, note = RowStatus.IMPOSSIBLE, row.proof
        elif note:
            verdict = RowStatus.EXACT
        elif p is None or corrected is None:
            verdict, note = RowStatus.NOT_COMPARABLE, row.why
        else:
            alike = row.games >= min(run.games for run in row.readings[reading].runs)
            verdict, note = RowStatus.CONSISTENT, outside(row, reading)
            note = note if alike else ""  # fewer games than a run's scatter more
            if corrected < LEVEL:
                verdict = RowStatus.IMPOSSIBLE if _surely_not(row, len(rows)) else RowStatus.NOT_REPRODUCED
                note = note or "inside the range of single runs, but too far from their mean"
        made.append(Assessed(row, verdict, p, corrected, reading, note))
    return made


def _surely_not(row: PublishedRow, rows: int) -> bool:
    known = not row.open and not row.assumed
    enough = all(len(sample.runs) >= MANY for sample in row.readings.values())
    return known and enough and all(rows * p_value(row, name, True) < SURELY for name in row.readings)


def outside(row: PublishedRow, reading: str) -> str:
    """Name the published values that no run of a reading reaches, with the range of the runs, or return ``""``."""
    sample = row.readings[reading]
    values: list[tuple[str, list[float], list[float], str]] = []
    if row.total:
        means = [run.nodes / run.games for run in sample.runs]
        values.append(("{} nodes a game", [row.total / row.games], means, ",.0f"))
    for place in row.stated if row.counts else ():
        shares = [100 * counts[place] / sum(counts) for counts in (_shown_run(row, run) for run in sample.runs)]
        published = [100 * counts[place] / row.games for counts in row.counts]
        values.append((f"{OUTCOMES[place]} {{}} %", published, shares, ".3g"))
    if row.moves:
        values.append((f"{row.moves} moves", [float(row.moves)], [run.plies / run.games for run in sample.runs], ".2f"))
    parts = []
    for text, published, runs, form in values:
        low, high = min(runs), max(runs)
        if not any(low <= value <= high for value in published):
            ends = sorted({f"{value:{form}}" for value in (min(published), max(published))})
            gave = f"{low:{form}}" + (f" to {high:{form}}" if high > low else "")
            parts.append(f"{text.format(' to '.join(ends))}, the runs gave {gave}")
    return f"outside all runs: {'; '.join(parts)}" if parts else ""


def counted(assessed: Iterable[Assessed]) -> Counter[RowStatus]:
    """Count the rows by verdict."""
    return Counter(one.verdict for one in assessed)


ORDER = "win / draw / loss"
HEADS = (f"published, {ORDER}:published", f"printed program, shipped runs, {ORDER}")
JUDGED = ("p (Holm):number", "verdict", "reading, assumptions, notes")
NOTE = (
    "Outcomes are wins / draws / losses of the first-named player. Printed program: mean (minimum to maximum) over "
    "shipped runs, each repeating the whole experiment with training. p: probability that another run differs as much, "
    "for the best reading, corrected after Holm over the report’s rows. The verdicts are the same at every scale."
)
NOT_RUN = Blank("not run here")


QUICK = "quick scale: fewer games and episodes than at full scale"
Here = Mapping[str, tuple[Counts | str | None, Counts | str | None]]
"""This run's counts for the printed and the corrected program, by the keys of the published rows."""


def report_content(
    results: StudyResults, lead: str, labels: Sequence[str], assessed: Sequence[Assessed], here: Here,
    findings: Iterable[str], sections: Iterable[Section], *, rows: Sequence[Item] = (), errors: Sequence[Item] = (),
    heading: str = "Published rows",
) -> Content:  # fmt: skip
    """Return the page of a report's study: published rows, the report's own sections, verdicts and errors.

    ``rows`` and ``errors`` are additional items for the sections that all reports share. Figures of scale quick say so.
    """
    report, quick = results.study, results.plan.scale == "quick"
    every = [
        Section(heading, (rows_table(report, labels, assessed, here), *rows)),
        *(Section(one.title, tuple(map(_marked, one.items))) if quick else one for one in sections),
        Section("Verdicts", (summary_table(f"{report}-verdicts", {report: assessed}),)),
        Section("The report’s errors", (errors_table(report), *errors)),
        Section("Not stated in the report", (unstated_table(report),)),
    ]
    return Content(lead, [summary_sentence(report.upper(), assessed), *findings], every)


def _marked(item: Item) -> Item:
    return item.noted(QUICK) if isinstance(item, Figure) else item


def rows_table(report: str, labels: Sequence[str], assessed: Sequence[Assessed], here: Here) -> Table:
    """Return all published rows of a report with this run's results and their verdicts."""
    rows: list[tuple[Cell, ...]] = []
    for one in assessed:
        ours = map(_counts_text, here.get(one.row.key, (None, None)))
        runs: Cell = len(one.runs) or Blank("no runs are needed")
        rows.append((*one.row.labels, one.row.published, _spread(one), runs, *ours, *_judged(one)))
    new = ("runs:count", f"this run, {ORDER}", f"a correct program, this run, {ORDER}")
    return table(f"{report}-rows", "Published rows and verdicts", [*labels, *HEADS, *new, *JUDGED], rows, NOTE)


def judged_rows(every: Mapping[str, Sequence[Assessed]]) -> Table:
    """Return all published rows of some reports with their verdicts."""
    rows: list[tuple[Cell, ...]] = []
    for report, ones in every.items():
        for one in ones:
            name = ", ".join(one.row.labels)
            name = f"table {name}" if name[0].isdigit() else name
            rows.append((report.upper(), name, one.row.published, _spread(one), *_judged(one)))
    return table("reports-rows", "Published rows and verdicts", ["report", "row", *HEADS, *JUDGED], rows, NOTE)


def _judged(one: Assessed) -> tuple[Cell, Cell, Cell]:
    """Return the p-value, the verdict, and the reading, assumptions and notes."""
    row = one.row
    compared = one.adjusted is not None and one.verdict is not RowStatus.EXACT and not row.proof
    p: Cell = round(one.adjusted or 0, 4) if compared else Blank("deterministic, or nothing to compare")
    notes = filter(None, (one.reading, row.assumed, f"not stated: {row.open}" if row.open else "", one.note))
    return p, str(one.verdict), "; ".join(notes) or "as stated"


def _spread(one: Assessed) -> Cell:
    """Return the mean, minimum and maximum of each share over the runs of the best reading."""
    row, runs = one.row, one.runs
    if not runs:
        return Blank("no runs are needed")
    if row.columns:
        played = [sum(run.columns[place] == column for run in runs) for place, column in enumerate(row.columns)]
        said = [f"{column} in {share(n / len(runs))}" for column, n in zip(row.columns, played, strict=True)]
        return f"plays {', '.join(said)} of the runs"
    if row.total:
        totals = [run.nodes * row.games / run.games for run in runs]
        return f"{fmean(totals):,.0f} ({min(totals):,.0f} to {max(totals):,.0f})"
    parts = []
    for place in range(3):
        shares = [100 * counts[place] / sum(counts) for counts in (_shown_run(row, run) for run in runs)]
        low, high = min(shares), max(shares)
        parts.append(f"{fmean(shares):.3g}" + (f" ({low:.3g}–{high:.3g})" if high > low else ""))
    text = " / ".join(parts) + " %"
    if row.moves:
        text += f"; {fmean(run.plies / run.games for run in runs):.4g} moves (published {row.moves})"
    return text


def _counts_text(counts: Counts | str | None) -> Cell:
    if counts is None or isinstance(counts, str):
        return counts or NOT_RUN
    games = max(1, sum(counts))
    return " / ".join(f"{100 * n / games:.3g}" for n in counts) + f" % of {games:,}"


def summary_table(key: str, assessed: Mapping[str, Sequence[Assessed]]) -> Table:
    """Return the number of rows with each verdict, by report."""
    rows: list[tuple[Cell, ...]] = []
    total: Counter[RowStatus] = Counter()
    for report, ones in assessed.items():
        counts = counted(ones)
        total += counts
        rows.append((report.upper(), len(ones), *(counts[verdict] for verdict in RowStatus)))
    if len(assessed) > 1:
        rows.append(("all", sum(total.values()), *(total[verdict] for verdict in RowStatus)))
    heads = ["report", "rows:count", *(f"{verdict}:count" for verdict in RowStatus)]
    notes = [f"{str(verdict).capitalize()}: {text}" for verdict, text in MEANING.items()]
    return table(key, "Published rows by verdict", heads, rows, *notes)


def summary_sentence(report: str, assessed: Sequence[Assessed]) -> str:
    """Summarise a report's verdicts in a sentence."""
    counts = counted(assessed)
    said = listed([f"{counts[verdict]} {verdict}" for verdict in RowStatus if counts[verdict]])
    return f"Of {report}’s {len(assessed)} published rows, {said}."


REPORTS = ("r1", "r2", "r3", "r4", "r5")


def assessed(report: str) -> list[Assessed]:
    """Return the verdicts on a report's published rows, from the shipped runs."""
    return assess(importlib.import_module(f"inarow.reproductions.{report}.study").rows())


class Reports(Study):
    """Summarises the verdicts on all reports; it plays nothing, because the runs are shipped."""

    name = "reports"
    title = "Five reports: which published rows are exact, consistent, not reproduced or impossible"
    summary = "all five reports: which published rows are exact, consistent, not reproduced or impossible"
    figure = "reports-verdicts"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        return []

    def content(self, found: StudyResults) -> Content:
        every = {report: assessed(report) for report in REPORTS}
        total = [one for ones in every.values() for one in ones]
        counts = {
            report.upper(): [sum(o.verdict is v for o in ones) for v in RowStatus] for report, ones in every.items()
        }
        figure = stacked_counts(
            "reports-verdicts", "Published rows by report and verdict", list(map(str, RowStatus)), counts
        )
        sections = [
            Section("Verdicts", (summary_table("reports-all", every), figure)),
            Section("Published rows", (judged_rows(every),)),
            Section("Origin of the runs", (_made(),)),
        ]
        lead = (
            "Every published row of five reports, compared with runs of the report’s printed program, errors and "
            "trainings included. The runs ship with the package, so the verdicts are the same at every scale. The "
            "studies r1 to r5 show this run beside them."
        )
        said = [
            summary_sentence("all", total).replace("all’s", "all"),
            *(summary_sentence(r.upper(), o) for r, o in every.items()),
        ]
        return Content(lead, said, sections)


def _made() -> Table:
    rows = [
        (report.upper(), made["command"], made["inarow"], made["seed"])
        for report in REPORTS
        if (made := provenance(report))
    ]
    return table("reports-runs", "How the shipped runs were made", "report | command | version | first seed", rows)
