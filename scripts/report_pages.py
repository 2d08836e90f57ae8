"""The docs' pages of the five reports: python scripts/report_pages.py [FOLDER …]

Figures are taken from folders in which the reports' studies were run; without one, those that are there stay.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from inarow.report.tables import to_markdown
from inarow.reproductions.about import Feature, Report, all_reports
from inarow.reproductions.assessment import MEANING, NOTE, REPORTS, assessed, judged_rows, summary_table

DOCS = Path(__file__).parents[1] / "docs"
IMAGES = DOCS / "images" / "reproductions"

GENERATED = "<!-- Written by scripts/report_pages.py from src/inarow/reproductions/*/about.toml. -->"


def coverage_page() -> str:
    """Return ``docs/coverage.md``: every feature of every report with its commands."""
    parts = [
        GENERATED,
        "# Features of the five reports",
        "Five written reports, R1 to R5, describe programs for Tic Tac Toe and Connect 4. This page lists the "
        "commands for their features, with the reports' parameters; `inarow reproduce r1` prints them, too. "
        "The players move, count and learn as the printed programs do, errors included; `fixed=on` fixes the errors, "
        "and `inarow agents r1-minimax` names them. A test runs every command, with fewer episodes and matches.",
    ]
    for one in all_reports():
        parts += [
            f"## {one.name.upper()}",
            f"[{one.title}](reproductions/{one.name}.md). {one.about}",
            _features(one, ""),
        ]
    parts += ["## Figures", figures_table()]
    counts = summary_table("all", {report: assessed(report) for report in REPORTS})
    parts += ["## Published rows", "[Every row with its verdict](reproductions/rows.md).", to_markdown(counts).strip()]
    return "\n\n".join(parts) + "\n"


def rows_page() -> str:
    """Return ``docs/reproductions/rows.md``: every published row of every report with its verdict."""
    every = {report: assessed(report) for report in REPORTS}
    parts = [
        GENERATED,
        f"# The {sum(map(len, every.values()))} published rows",
        "Every row that the five reports publish, beside shipped runs of the printed program. "
        "`inarow reproduce r1` prints those of one report, and `inarow study reports` writes this page with figures.",
        NOTE,
        "\n".join(f"- {str(verdict).capitalize()}: {text}" for verdict, text in MEANING.items()),
    ]
    for one in all_reports():
        heads, *lines = to_markdown(judged_rows({one.name: every[one.name]})).strip().splitlines()[2:]
        table = [heads, *(line for line in lines if line.startswith("|"))]
        parts += [f"## {one.name.upper()}", f"{one.title}:", "\n".join(table)]
    return "\n\n".join(parts) + "\n"


def figures_table() -> str:
    """Return every figure of every report and its counterpart in the study."""
    lines = ["| report | figure | what | in the report's study | published values drawn in |", "|---|---|---|---|---|"]
    for one in all_reports():
        for figure in one.figures:
            keys = ", ".join(f"`{key}`" for key in figure.keys)
            lines.append(f"| {one.name.upper()} | {figure.number} | {figure.what} | {keys} | {figure.published} |")
        if not one.figures:
            lines.append(
                f"| {one.name.upper()} | – | logs of matches, no figures | tables of the matches | winners, moves |"
            )
    return "\n".join(lines)


def report_page(one: Report) -> str:
    """Return ``docs/reproductions/r1.md`` and so on: the report, its commands, verdicts and figures."""
    parts = [
        GENERATED,
        f"# {one.name.upper()}: {one.title}",
        one.about,
        f"Games: {one.games}. Algorithms: {one.algorithms}.",
        f"```\ninarow reproduce {one.name} --run\n```",
        "The command runs the study and writes the page, tables and figures. The program's behaviour and the "
        f"assumptions are described in `src/inarow/reproductions/{one.name}/README.md`.",
        to_markdown(summary_table("rows", {one.name: assessed(one.name)})).strip(),
        f"[Every row with its verdict](rows.md#{one.name}).",
        "## Features",
        _features(one, "../"),
    ]
    if one.figures:
        parts.append("## Figures")
    for figure in one.figures:
        number = f"Figure {figure.number}: " if figure.number != "–" else ""
        parts.append(f"**{number}{figure.what}.** Published values: {figure.published}.")
        parts += [f"![{figure.what}](../images/reproductions/{key}.svg)" for key in figure.keys]
    return "\n\n".join(parts) + "\n"


def _features(one: Report, up: str) -> str:
    lines = ["| what the report has | here |", "|---|---|"]
    for heading, features in one.features:
        lines.append(f"| **{heading}** | |")
        lines += [f"| {feature.what} | {_commands(feature, up)} |" for feature in features]
    differs = f"\n\nDifferent here: {'; '.join(one.differs)}." if one.differs else ""
    return "\n".join(lines) + differs


def _commands(feature: Feature, up: str) -> str:
    made = [f"`{command}`" for command in feature.commands]
    return " · ".join(made + ([f"[more]({up}{feature.see})"] if feature.see else []))


def main(folders: list[str]) -> None:
    """Write the pages, and copy the figures that they show."""
    (DOCS / "reproductions").mkdir(exist_ok=True)
    IMAGES.mkdir(parents=True, exist_ok=True)
    (DOCS / "coverage.md").write_text(coverage_page(), encoding="utf-8")
    (DOCS / "reproductions" / "rows.md").write_text(rows_page(), encoding="utf-8")
    for one in all_reports():
        (DOCS / "reproductions" / f"{one.name}.md").write_text(report_page(one), encoding="utf-8")
        for key in [key for figure in one.figures for key in figure.keys]:
            for folder in folders:
                if (found := Path(folder) / "figures" / f"{key}.svg").exists():
                    shutil.copy(found, IMAGES / found.name)


if __name__ == "__main__":
    main(sys.argv[1:])
