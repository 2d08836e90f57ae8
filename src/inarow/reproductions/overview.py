"""reports: all five reports on one page: which published figures are exact, consistent or not reproduced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inarow.arena import Results
from inarow.match import MatchRecord
from inarow.report.cells import Cell, Column
from inarow.report.charts import Bar, outcome_bars
from inarow.report.page import Section
from inarow.report.tables import Table, table
from inarow.reproductions import verdicts
from inarow.reproductions.r1.study import R1
from inarow.reproductions.r2.study import R2
from inarow.reproductions.r3.study import R3
from inarow.reproductions.r4.study import R4
from inarow.reproductions.r5.study import R5
from inarow.studies.framework.study import Content, Experiment, Plan, Study
from inarow.studies.framework.study_results import StudyResults

REPORTS: Sequence[type[Study]] = (R1, R2, R3, R4, R5)
WHY: Mapping[str, str] = {
    "r1": "Its state totals are sums of games of the printed program. Its guides play, not its table.",
    "r2": "Its table has depth 5, its code 4, and some rows fit each; ties seem to be counted for player 2.",
    "r3": "Its order of moves decides who wins a match without chance; its tables depend on unstated training.",
    "r4": "As O its search plays for X’s win, looks a ply too far and inverts leaves; its learner knows X’s seat only.",
    "r5": "Its MCTS never used who won, its alpha–beta played a score as a column.",
}


class Reports(Study):
    """Every experiment of the five reports, and one table of verdicts."""

    name = "reports"
    title = "Five reports: which published figures are exact, consistent or not reproduced"
    summary = "all five reports at once: which published figures are exact, consistent or not reproduced"
    figure = "reports-verdicts"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for report in REPORTS:
            made += [replace(one, key=f"{report.name}-{one.key}") for one in report().experiments(plan)]
        return made

    def content(self, found: StudyResults) -> Content:
        rows: list[tuple[Cell, ...]] = []
        missed: list[Table] = []
        said: list[str] = []
        for report in REPORTS:
            content = report().content(Part(found, f"{report.name}-"))
            tables = [item for section in content.sections for item in section.items if isinstance(item, Table)]
            counts = verdicts.verdict_counts(tables)
            rows.append((report.name.upper(), *(counts[name] for name in verdicts.VERDICTS), WHY[report.name]))
            said.append(f"{report.name.upper()}: {content.summary[0]}")
            missed += [one for one in tables if one.key == f"{report.name}-not-reproduced"]
        totals = [sum(int(str(row[place])) for row in rows) for place in range(1, 5)]
        made = table(
            "reports-all", "Published rows by verdict",
            ("report", *(Column(name, "count") for name in verdicts.VERDICTS), "why"),
            [*rows, ("in all", *totals, "–")],
            "Exact: the printed program gives precisely this. Consistent: one test on all shares together, corrected "
            "after Holm within each report, shows no difference. Not reproduced: it shows one, for this run.",
        )  # fmt: skip
        findings = table("reports-findings", "What each report shows", ("report", "finding"), [
            (text.partition(": ")[0], text.partition(": ")[2]) for text in said
        ])  # fmt: skip
        bars = [
            Bar(str(row[0]), int(str(row[1])) + int(str(row[2])), int(str(row[4])), int(str(row[3]))) for row in rows
        ]
        figure = outcome_bars(
            "reports-verdicts", "Published rows by report", bars,
            "In the place of wins: exact or consistent; of draws: not comparable; of losses: not reproduced.",
        )  # fmt: skip
        sentence = (
            f"Of all published rows {totals[0]} are exact, {totals[1]} consistent with this run of the printed "
            f"programs, {totals[2]} not reproduced by it, and {totals[3]} not comparable."
        )
        sections = [Section("Verdicts", (made, figure)), Section("Findings", (findings,))]
        sections.append(Section("Rows that this run does not reproduce", tuple(missed)))
        lead = (
            "The experiments of five reports, each run again with the program that is printed beside them, errors "
            "included. The studies r1 to r5 have every table."
        )
        return Content(lead, (sentence, *said), sections)


class Part(StudyResults):
    """The results of one report among those of all."""

    def __init__(self, whole: StudyResults, prefix: str) -> None:
        self.whole, self.prefix = whole, prefix
        self.plan, self.notes, self.machine, self.manifest = whole.plan, whole.notes, whole.machine, whole.manifest

    def keys(self, kind: str = "") -> list[str]:
        size = len(self.prefix)
        return [key[size:] for key in self.whole.keys(kind) if key.startswith(self.prefix)]

    def config(self, key: str) -> dict[str, Any]:
        return self.whole.config(self.prefix + key)

    def labels(self, key: str) -> dict[str, str]:
        return self.whole.labels(self.prefix + key)

    def results(self, key: str) -> Results | None:
        return self.whole.results(self.prefix + key)

    def measured(self, key: str) -> dict[str, Any] | None:
        return self.whole.measured(self.prefix + key)

    def records(self, key: str) -> Iterator[MatchRecord]:
        yield from self.whole.records(self.prefix + key)
