"""The files of a league: the site to post, and next to it marks, exports, results, history and similar submissions.

All of it is a function of the table, so the same results give the same bytes. Unchanged files are left alone and others
are replaced atomically, so the site can be served while it is rewritten.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from inarow.errors import printable, unknown
from inarow.formatting import counted, share
from inarow.frontend import match_page, template
from inarow.paths import read_text, write_text
from inarow.stats import Interval
from inarow.teaching.league.entrants import LeagueError, Student, page_name
from inarow.teaching.league.pages import DATA, NODES, entrant_page, index_page, points_text, qr_code, why_page
from inarow.teaching.league.settings import LeagueSettings
from inarow.teaching.league.similarity import Similar, SimilarCluster, Similarity, side_by_side
from inarow.teaching.league.standings import EntrantResult

PAGE = "live.html"
SITE = "site"
WHY = "why"
HISTORY = "history.csv"
RESULTS = "results"
MARKS = "marks.csv"
SIMILAR = "similar.csv"
SIMILAR_PAGES = "similar"
"""The folder of pages for the teacher: they show names and programs."""
SIMILAR_INDEX = f"{SIMILAR_PAGES}/index.html"


@dataclass(frozen=True)
class StudentMark:
    """The mark of one student."""

    student: Student
    points: float
    feedback: str
    """One line."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """The row of ``marks.csv``."""


def cell(text: str) -> str:
    """Prefix a cell with an apostrophe if a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    """Return rows as CSV with commas; no cell is a formula."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([map(cell, row) for row in rows])
    return text.getvalue()


def mark_files(marks: Iterable[StudentMark], title: str, most: float) -> dict[str, str]:
    """Return ``marks.csv``, a row per student with the roster's columns at the end, and the exports."""
    marks = sorted(marks, key=lambda one: one.student.name.casefold())
    head = list(dict.fromkeys(name for one in marks for name in one.columns))
    own = list(dict.fromkeys(name for one in marks for name in one.student.columns))
    cells = ([*one.columns.values(), *(one.student.columns.get(name, "") for name in own)] for one in marks)
    table = csv_text([[*head, *(f"roster: {name}" for name in own)], *cells])
    return {MARKS: table, **export_files(marks, title, most)}


def export_files(marks: Sequence[StudentMark], title: str, most: float) -> dict[str, str]:
    """Return the files that Moodle and Canvas import, for the roster's students, or for all without a roster."""
    known = [one for one in marks if one.student.columns] or marks
    return {"exports/moodle.csv": moodle_csv(known, most), "exports/canvas.csv": canvas_csv(known, title, most)}


def moodle_csv(marks: Sequence[StudentMark], most: float) -> str:
    """Return marks as Moodle imports them: its own grading worksheet filled in, or a table for the gradebook."""
    head = list(marks[0].student.columns) if marks else []
    headers = {"Username": "login", "ID number": "id", "Email address": "mail"}
    worksheet = {"Identifier", "Grade"} <= {*head}
    if not worksheet:
        head = [*headers, "Full name", "Grade", "Feedback comments"]
    rows = []
    for one in marks:
        known = {name: one.student.get(kind) for name, kind in headers.items()} | {"Full name": one.student.name}
        own = {"Grade": f"{one.points:g}", "Feedback comments": one.feedback, "Maximum Grade": f"{most:g}"}
        row = {**(one.student.columns if worksheet else known), **own}
        rows.append([row.get(name, "") for name in head])
    return csv_text([head, *rows])


def canvas_csv(marks: Sequence[StudentMark], title: str, most: float) -> str:
    """Return marks as Canvas's gradebook imports them; a student's Canvas ID is known from Canvas's own list only."""
    known = {"ID": "", "SIS User ID": "id", "SIS Login ID": "login", "Section": "group"}
    rows: list[list[str]] = [["Student", *known, title], ["    Points Possible", "", "", "", "", f"{most:g}"]]
    for one in marks:
        columns = one.student.columns
        own = "SIS User ID" in columns or "SIS Login ID" in columns
        others = [columns.get(head, "") if own else kind and one.student.get(kind) for head, kind in known.items()]
        rows.append([one.student.name, *others, f"{one.points:g}"])
    return csv_text(rows)


def write_league(
    table: Sequence[EntrantResult],
    settings: LeagueSettings,
    similarity: Similarity,
    out: Path,
    doing: str = "",
    rounds: Sequence[dict[str, Any]] = (),
    url: str = "",
) -> None:
    """Write all files; ``doing`` is the current step, ``rounds`` are the matches among entrants.

    With the address of the served site, a page for a projector is added.
    """
    files: dict[str, str] = {
        f"{SITE}/index.html": index_page("index.html", table, settings, doing, rounds=rounds),
        **mark_files((mark for one in table for mark in student_marks(one)), settings.title, settings.most_points),
        **{f"{SITE}/{name}": (DATA / name).read_text(encoding="utf-8") for name in ("style.css", "replay.js")},
        f"{SITE}/board.html": match_page("Replay", []),
        **similar_files(similarity),
    }
    if url:
        files[f"{SITE}/{PAGE}"] = index_page(PAGE, table, settings, doing, url=url, code=qr_code(url))
    for one in table:
        files[f"{SITE}/entrants/{page_name(one.entrant.public)}.html"] = entrant_page(one, doing)
        files[f"{RESULTS}/{page_name(one.entrant.name)}.json"] = json_text(results_json(one))
    write_files(out, files, own=(f"{SITE}/entrants", RESULTS, SIMILAR_PAGES))


def write_why(one: EntrantResult, path: Path, out: Path) -> Path:
    """Write the page that explains every point of a regraded entrant; ``path`` is its submission."""
    name = page_name(one.entrant.name)
    stored = out / RESULTS / f"{name}.json"
    before = json.loads(read_text(stored, LeagueError))["score"] if stored.is_file() else None
    page = f"{WHY}/{name}.html"
    write_files(out, {page: why_page(one, path, before)})
    return out / page


def json_text(data: Any) -> str:
    """Return JSON for people to read."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def write_files(out: Path, files: Mapping[str, str], own: Iterable[str] = ()) -> None:
    """Write files below a folder if they have changed, and delete all other files in the folders ``own``."""
    try:
        for name, text in files.items():
            path = out / name
            if path.is_file() and path.read_bytes() == text.encode():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, text, LeagueError, durable=False)
        for folder in own:
            for path in (out / folder).iterdir():
                if f"{folder}/{path.name}" not in files:
                    path.unlink()
    except OSError as error:
        raise LeagueError(f"{out} can't be written: {error.strerror}; results are kept") from None


def student_marks(one: EntrantResult) -> list[StudentMark]:
    """Return the mark of each student of an entrant, after the penalty for being late."""
    who, settings = one.entrant, one.settings
    results = [f"{test['name']}: {test['score']:g} of {test['max_score']:g}" for test in results_json(one)["tests"]]
    rate = one.accuracy.nontrivial_kept_rate
    submitted = "" if who.submitted is None else who.submitted.isoformat()
    marks = []
    for student in who.authors:
        late = settings.late
        days = 0 if late is None else late.days_late(who.submitted)
        off = 0.0 if late is None else min(late.points_off(who.submitted, student.late_days), one.points)
        points = round(one.points - off, 2)
        columns = {
            "name": student.name,
            "entrant": who.name,
            "group": who.group,
            "file": who.file,
            "sha256": who.digest,
            "points": points_text(one.points),
            "error": f"{one.mark.error:.2f}",
            "of": points_text(settings.most_points),
            "grade": settings.marking.grade(points),
            "near": one.near,
            "accuracy": "" if rate is None else f"{rate.estimate:.4f}",
            "remark": one.problem,
        }
        if settings.pseudonyms:
            columns["pseudonym"] = who.alias
        if late is not None:
            columns |= {"submitted": submitted, "days late": str(days)}
            columns |= {"points off": points_text(off), "final points": points_text(points)}
        grade = settings.marking.grade(points)
        penalty = f"{counted(days, 'day', 'days')} late: −{off:g}" if off else ""
        feedback = "; ".join(filter(None, (f"Grade {grade}" if grade else "", *results, penalty, one.problem)))
        marks.append(StudentMark(student, points, printable(feedback, 0), columns))
    return marks


def _history(out: Path) -> tuple[list[str], list[list[str]]]:
    """Return the columns and the complete rows of the history."""
    head = ["time", "event", "name", "file", "sha256", "submitted", "points", "grade"]
    path = out / HISTORY
    rows = list(csv.reader(io.StringIO(read_text(path, LeagueError)))) if path.exists() else []
    return head, [row for row in rows[1:] if len(row) == len(head)]


def add_history(out: Path, table: Sequence[EntrantResult], now: datetime) -> None:
    """Append a row for each submission that is new, changed, withdrawn or whose mark differs from its last row."""
    head, rows = _history(out)
    last = {row[2]: row for row in rows}
    new = []
    for one in sorted(table, key=lambda result: result.entrant.name.casefold()):
        entrant = one.entrant
        time = "" if entrant.submitted is None else entrant.submitted.isoformat()
        row = [cell(entrant.name), cell(entrant.file), entrant.digest, time, points_text(one.points), one.grade]
        before = last.pop(row[0], None)
        if before is None or before[1] == "withdrawn":
            new.append(["handed in" if entrant.file else "missing", *row])
        elif before[4] != entrant.digest:
            new.append(["changed", *row])
        elif before[6:] != row[4:]:
            new.append(["marked", *row])
    new += [["withdrawn", *row[2:4], "", "", "", ""] for row in last.values() if row[1] != "withdrawn"]
    if new:
        stamp = now.isoformat(timespec="seconds")
        write_text(out / HISTORY, csv_text([head, *rows, *([stamp, *row] for row in new)]), LeagueError)


def forget_files(name: str, out: Path) -> set[str]:
    """Remove a name from the history, and the pages that the next run would not delete.

    Return the SHA-256 of its submissions, except those that others share. Raises `LeagueError` if the history does not
    have the name.
    """
    head, rows = _history(out)
    own = [row for row in rows if row[2].casefold() == cell(name).casefold()]
    if not own:
        raise LeagueError(unknown("name in the league's history", name, sorted({row[2] for row in rows})))
    kept = [row for row in rows if row not in own]
    write_text(out / HISTORY, csv_text([head, *kept]), LeagueError)
    for called in {row[2].removeprefix("'") for row in own}:
        (out / WHY / f"{page_name(called)}.html").unlink(missing_ok=True)
    return {row[4] for row in own if row[4]} - {row[4] for row in kept}


def similar_csv(found: Similarity) -> str:
    """Return all similar pairs, and the programs that could not be compared, as a table for the teacher."""
    clusters = found.clusters
    pages = {_both(pair): name for name, pair in _similar_pages(clusters)}
    numbers = {one.name: str(number) for number, cluster in enumerate(clusters, start=1) for one in cluster.programs}
    rows = [["cluster", "a", "b", "share of a", "share of b", "identical", "page", "remark"]]
    for one in found.pairs:
        shares = f"{one.of_a:.3f}", f"{one.of_b:.3f}", "yes" if one.identical else "no"
        rows.append([numbers[one.a.name], *_both(one), *shares, pages.get(_both(one), ""), ""])
    rows += [["", name, "", "", "", "", "", reason] for name, reason in sorted(found.skipped.items())]
    return csv_text(rows)


def _both(pair: Similar) -> tuple[str, str]:
    return pair.a.name, pair.b.name


def _similar_pages(clusters: Iterable[SimilarCluster]) -> list[tuple[str, Similar]]:
    """Return the pairs that have a page, with its name, in the order of the clusters."""
    links = [pair for cluster in clusters for pair in cluster.links]
    return [(f"{SIMILAR_PAGES}/pair-{number:03}.html", pair) for number, pair in enumerate(links, start=1)]


def similar_files(similarity: Similarity) -> dict[str, str]:
    """Return the tables of similar submissions, and a page for each pair that connects a cluster, by file name."""
    clusters = similarity.clusters
    pages = _similar_pages(clusters)
    names = {_both(pair): name.partition("/")[2] for name, pair in pages}
    table = {"clusters": clusters, "pages": names, "both": _both, "counted": counted}
    files = {
        SIMILAR: similar_csv(similarity),
        SIMILAR_INDEX: template(DATA, "clusters.html").render(table),
        f"{SIMILAR_PAGES}/style.css": (DATA / "style.css").read_text("utf-8"),
    }
    for name, pair in pages:
        left, right = side_by_side(pair)
        files[name] = template(DATA, "similar.html").render(pair=pair, left=left, right=right)
    return files


def similar_text(out: Path) -> str:
    """Return how many submissions are similar, and where to look; empty if none is."""
    rows = list(csv.DictReader(io.StringIO(read_text(out / SIMILAR, LeagueError))))
    clusters = len({row["cluster"] for row in rows if row["cluster"]})
    skipped = len([row for row in rows if not row["cluster"]])
    parts = [f"{counted(clusters, 'cluster', 'clusters')} of similar submissions: {out / SIMILAR_INDEX}"] * bool(
        clusters
    )
    parts += [f"{counted(skipped, 'submission', 'submissions')} not fully compared: {out / SIMILAR}"] * bool(skipped)
    return "\n".join(parts)


def league_json(table: Sequence[EntrantResult], settings: LeagueSettings, out: Path) -> dict[str, Any]:
    """Return the table and the paths of the site and the marks, for JSON."""
    return {
        "title": settings.title,
        "boards": [board.name for board in settings.boards],
        "most_points": settings.most_points,
        "site": str(out / SITE / "index.html"),
        "marks": str(out / MARKS),
        "entrants": [_entrant_json(one) for one in table],
    }


def _entrant_json(one: EntrantResult) -> dict[str, Any]:
    def interval(rate: Interval | None) -> Any:
        return None if rate is None else rate.to_json(4)

    return {
        "rank": one.rank,
        "name": one.entrant.name,
        "group": one.entrant.group,
        "file": one.entrant.file,
        "sha256": one.entrant.digest,
        "points": one.points,
        "error": round(one.mark.error, 2),
        "grade": one.grade,
        "near": one.near or None,
        "score": interval(one.ladder_score),
        "accuracy": interval(one.accuracy.nontrivial_kept_rate),
        "nodes_saved": None if one.saved is None else round(one.saved, 4),
        "among": interval(one.among_score),
        "place": one.place or None,
        "problem": one.problem or None,
        "tests": results_json(one)["tests"],
    }


def results_json(one: EntrantResult) -> dict[str, Any]:
    """Return the results of one entrant in the format of Gradescope's results.json.

    The first column of the leaderboard decides its order.
    """
    rate, score, mark = one.accuracy.nontrivial_kept_rate, one.ladder_score, one.mark
    tests = [
        (
            f"{result.opponent.name} on {result.meeting.game.title}",
            result.points,
            f"Score {share(result.score)} in {2 * len(result.pairs)} matches; points are linear from "
            f"{share(result.scale.least)} to {share(result.scale.full)}.",
        )
        for result in one.ladder
    ]
    kept = f"Kept the value of the position in {share(rate)} of {one.accuracy.nontrivial} moves that could lose it."
    saved = f"Of plain minimax's nodes {share(one.saved)} were saved. {NODES}"
    tests += [
        (name, points, text)
        for name, points, text in (("Accuracy", mark.accuracy, kept), ("Nodes saved", mark.efficiency, saved))
        if points.most
    ]
    problems = [problem for check in one.checks.values() for problem in check["problems"]]
    output = [one.problem, *(f"{problem['text']} (first seen: {problem['where']})" for problem in problems)]
    columns = {"Points": one.points} | {
        name: 0 if found is None else round(found.estimate, 4) for name, found in (("Score", score), ("Accuracy", rate))
    }
    return {
        "score": one.points,
        "output": "\n".join(filter(None, output)) or "No failure was found.",
        "visibility": "visible",
        "tests": [
            {"name": name, "score": round(points.value, 2), "max_score": round(points.most, 2), "output": text}
            for name, points, text in tests
        ],
        "leaderboard": [{"name": name, "value": value} for name, value in columns.items()],
        "execution_time": round(sum(one.seconds), 1),
        "extra_data": {"grade": one.grade, "standard_error": round(one.mark.error, 2), "sha256": one.entrant.digest},
    }
