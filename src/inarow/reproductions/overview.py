"""reports: all five reports on one page: which published rows are exact, consistent, not reproduced or impossible."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from inarow.report.charts import stacked_counts
from inarow.report.page import Section
from inarow.report.tables import Cell, Column, Table, table
from inarow.reproductions.assessment import Assessed, Verdict, assess, summary_sentence, summary_table
from inarow.reproductions.distributions import provenance
from inarow.studies.base import Content, Experiment, Plan, Study, StudyResults

REPORTS = ("r1", "r2", "r3", "r4", "r5")


def assessed(report: str) -> list[Assessed]:
    """Return the verdicts on a report's published rows, from the shipped runs."""
    return assess(importlib.import_module(f"inarow.reproductions.{report}.assessment").rows())


class Reports(Study):
    """One table of verdicts; it plays nothing, because the runs that they come from are shipped."""

    name = "reports"
    title = "Five reports: which published rows are exact, consistent, not reproduced or impossible"
    summary = "all five reports on one page: which published rows are exact, consistent, not reproduced or impossible"
    figure = "reports-verdicts"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        return []

    def content(self, found: StudyResults) -> Content:
        every = {report: assessed(report) for report in REPORTS}
        total = [one for ones in every.values() for one in ones]
        counts = {
            report.upper(): [sum(o.verdict is v for o in ones) for v in Verdict] for report, ones in every.items()
        }
        figure = stacked_counts(
            "reports-verdicts", "Published rows by report and verdict", list(map(str, Verdict)), counts
        )
        sections = [
            Section("Verdicts", (summary_table("reports-all", every), figure)),
            Section("Rows that are not reproduced or impossible", (_missed(every),)),
            Section("Where the runs come from", (_made(),)),
        ]
        lead = (
            "Every published row of five reports, compared with runs of the program that is printed beside it, errors "
            "and trainings included. The runs are shipped with the package, so that a page at any scale has the same "
            "verdicts. The studies r1 to r5 have every row."
        )
        said = [
            summary_sentence("all", total).replace("all’s", "all"),
            *(summary_sentence(r.upper(), o) for r, o in every.items()),
        ]
        return Content(lead, said, sections)


def _missed(every: dict[str, list[Assessed]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for report, ones in every.items():
        for one in ones:
            if one.verdict in (Verdict.NOT_REPRODUCED, Verdict.IMPOSSIBLE):
                label = ", ".join(one.row.labels)
                rows.append((report.upper(), label, one.row.published, str(one.verdict), one.note or "–"))
    heads = ("report", "row", Column("published", published=True), "verdict", "why")
    return table("reports-missed", "Rows that are not reproduced or impossible", heads, rows)


def _made() -> Table:
    rows = [
        (report.upper(), made["command"], made["inarow"], made["seed"])
        for report in REPORTS
        if (made := provenance(report))
    ]
    return table("reports-runs", "How the shipped runs were made", ("report", "command", "version", "first seed"), rows)
