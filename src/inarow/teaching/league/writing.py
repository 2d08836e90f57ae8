"""What a league writes: the site to post, and beside it the marks, a results.json per entrant and what is similar.

All of it is a function of the table, so the same results give the same bytes. Files whose content is unchanged are left
alone, others are replaced at once. The site can be served while it is rewritten.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import socket
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import inarow
from inarow.errors import printable, unknown
from inarow.formatting import counted, share
from inarow.frontend import match_page, template
from inarow.paths import read_text, write_text
from inarow.teaching.league.entrants import LeagueError, Student
from inarow.teaching.league.pages import NODES, entrant_page, index_page, points_text, why_page
from inarow.teaching.league.settings import LeagueSettings
from inarow.teaching.league.similarity import FOLDER as SIMILAR_PAGES
from inarow.teaching.league.similarity import Similarity, page_of, side_by_side
from inarow.teaching.league.standings import EntrantResult

PAGE = "live.html"
PORT = 8000


class _Handler(SimpleHTTPRequestHandler):
    """Hands out the files of the site, and nothing else: no listings, no other methods, no log on the screen."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        self.send_error(404)

    def log_message(self, *_: Any) -> None:
        pass


def parse_address(text: str) -> tuple[str, int]:
    """Read ``PORT`` or ``HOST:PORT``; without a host only this machine can connect."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise LeagueError(
            f"--serve {text!r:.60}: a port such as {PORT}, or an address such as 0.0.0.0:{PORT}, was expected"
        )
    return host or "127.0.0.1", int(port)


@contextlib.contextmanager
def serving(site: Path, address: tuple[str, int]) -> Iterator[str]:
    """Serve a folder until the block ends; yields the address of the site as others see it."""
    try:
        server = ThreadingHTTPServer(address, partial(_Handler, directory=str(site)))
    except OSError as error:
        raise LeagueError(f"{address[0]}:{address[1]} can't be served: {error.strerror}; give another port") from None
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    try:
        yield f"http://{_visible(address[0])}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _visible(host: str) -> str:
    """Return the address under which other machines find this one, if it serves on all of its addresses."""
    if host not in ("0.0.0.0", "::"):
        return host
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent: it only asks which address would be used
        return str(probe.getsockname()[0])
    return socket.gethostname()


def qr_code(url: str) -> str:
    """Return a QR code as SVG; empty if segno is not installed (the extra ``live``)."""
    try:
        import segno
    except ImportError:
        return ""
    return str(segno.make(url, micro=False, error="m").svg_inline(scale=6, border=4, light="white", dark="black"))


DATA = Path(inarow.__file__).parent / "data" / "league"
SITE = "site"
WHY = "why"
HISTORY = "history.csv"
RESULTS = "results"
MARKS = "marks.csv"
SIMILAR = "similar.csv"


@dataclass(frozen=True)
class StudentMark:
    """What a platform is told about one student."""

    student: Student
    points: float
    feedback: str
    """One line."""


def cell(text: str) -> str:
    """Return text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV with commas; no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([cell(str(value)) if isinstance(value, str) else value for value in row] for row in rows)
    return text.getvalue()


def export_files(marks: Sequence[StudentMark], title: str, most: float) -> dict[str, str]:
    """Return the files that Moodle and Canvas import, with the students of the roster, or all if there is none."""
    known = [one for one in marks if one.student.columns] or marks
    return {"exports/moodle.csv": moodle_csv(known, most), "exports/canvas.csv": canvas_csv(known, title, most)}


def moodle_csv(marks: Sequence[StudentMark], most: float) -> str:
    """Return marks as Moodle imports them: its own grading worksheet filled in, or a table for the gradebook."""
    heads = list(marks[0].student.columns) if marks else []
    if {"Identifier", "Grade"} <= {*heads}:
        filled = {"Maximum Grade": f"{most:g}"}
        rows = []
        for one in marks:
            own = {"Grade": f"{one.points:g}", "Feedback comments": one.feedback, **filled}
            rows.append([own.get(head, one.student.columns.get(head, "")) for head in heads])
        return csv_text([heads, *rows])
    head = ["Username", "ID number", "Email address", "Full name", "Grade", "Feedback comments"]
    return csv_text(
        [
            head,
            *(
                [
                    *(one.student.get(kind) for kind in ("login", "id", "mail")),
                    one.student.name,
                    f"{one.points:g}",
                    one.feedback,
                ]
                for one in marks
            ),
        ]
    )


def canvas_csv(marks: Sequence[StudentMark], title: str, most: float) -> str:
    """Return marks as Canvas's gradebook imports them; only its own list has its own number of a student (ID)."""
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
    """Write everything; ``doing`` says what is still under way, ``rounds`` are those among entrants.

    With the address under which the site is served, a page for a projector is added.
    """
    index = index_page(table, settings, page_name, rounds)
    files: dict[str, str] = {
        f"{SITE}/index.html": _render("index.html", index, doing, settings),
        MARKS: marks_csv(table, settings),
        **export_files(student_marks(table, settings), settings.title, settings.most_points),
        f"{SITE}/style.css": (DATA / "style.css").read_text(encoding="utf-8"),
        f"{SITE}/replay.js": (DATA / "replay.js").read_text(encoding="utf-8"),
        f"{SITE}/board.html": match_page("Replay", []),
    }
    if url:
        live = {**index, "url": url, "code": qr_code(url)}
        files[f"{SITE}/{PAGE}"] = _render("live.html", live, doing, settings)
    for one in table:
        page = f"{SITE}/entrants/{page_name(one.entrant.public)}.html"
        files[page] = _render("entrant.html", entrant_page(one, page_name), doing, settings)
        files[f"{RESULTS}/{page_name(one.entrant.name)}.json"] = (
            json.dumps(results_json(one), indent=2, ensure_ascii=False) + "\n"
        )
    own = (f"{SITE}/entrants", RESULTS, SIMILAR_PAGES)
    write_files(out, files | similar_files(similarity), own)


def write_why(one: EntrantResult, path: Path, out: Path) -> Path:
    """Write the page that explains every point of an entrant, graded anew; ``path`` is its hand-in."""
    name = page_name(one.entrant.name)
    stored = out / RESULTS / f"{name}.json"
    before = json.loads(read_text(stored, LeagueError))["score"] if stored.is_file() else None
    target = out / WHY / f"{name}.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    write_text(target, _render("why.html", why_page(one, str(path), before), "", one.settings), LeagueError)
    return target


def page_name(name: str) -> str:
    """Return the name of an entrant's files: its letters in any script, and a hash that differs between names."""
    kept = "".join(letter if unicodedata.category(letter)[0] in "LMN" else " " for letter in name.casefold())
    tag = hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
    return "-".join([*kept[:40].split(), tag])


def write_files(out: Path, files: Mapping[str, str], own: Iterable[str] = ()) -> None:
    """Write files below a folder if they have changed; what else is in the folders ``own`` is deleted.

    It can be made again from what is stored.
    """
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


def _render(name: str, page: dict[str, Any], doing: str, settings: LeagueSettings) -> str:
    text = template(DATA, name).render(**page, doing=doing, title=settings.title)
    return text if text.endswith("\n") else text + "\n"


@dataclass(frozen=True)
class _Final:
    """The mark of one student of an entrant, after what being late costs."""

    student: Student
    one: EntrantResult
    settings: LeagueSettings

    @property
    def days_late(self) -> int:
        return 0 if self.settings.late is None else self.settings.late.days_late(self.one.entrant.submitted)

    @property
    def points_off(self) -> float:
        late = self.settings.late
        off = 0.0 if late is None else late.points_off(self.one.entrant.submitted, self.student.late_days)
        return min(off, self.one.points)

    @property
    def points(self) -> float:
        return round(self.one.points - self.points_off, 2)


def _finals(table: Sequence[EntrantResult], settings: LeagueSettings) -> list[_Final]:
    """Return the students of all entrants by name; an entrant that is not on the roster is one itself."""
    found = [
        _Final(student, one, settings)
        for one in table
        for student in one.entrant.students or (Student(one.entrant.name),)
    ]
    return sorted(found, key=lambda final: final.student.name.casefold())


def student_marks(table: Sequence[EntrantResult], settings: LeagueSettings) -> list[StudentMark]:
    """Return what learning platforms import."""
    return [
        StudentMark(final.student, final.points, printable(_feedback(final), 0)) for final in _finals(table, settings)
    ]


def _feedback(final: _Final) -> str:
    parts = [f"{test['name']}: {test['score']:g} of {test['max_score']:g}" for test in results_json(final.one)["tests"]]
    if final.points_off:
        parts.append(f"{counted(final.days_late, 'day', 'days')} late: −{final.points_off:g}")
    grade = final.settings.marking.grade(final.points)
    return "; ".join(filter(None, (f"Grade {grade}" if grade else "", *parts, final.one.problem)))


def marks_csv(table: Sequence[EntrantResult], settings: LeagueSettings) -> str:
    """Return a row per student, by name: the mark, what it rests on, and the roster's own columns."""
    head = ["name", "entrant", "group", "file", "sha256", "points", "error", "of", "grade", "near"]
    head += ["accuracy", "remark", *(["pseudonym"] if settings.pseudonyms else [])]
    head += ["submitted", "days late", "points off", "final points"] if settings.late is not None else []
    rows: list[tuple[Student, list[str]]] = []
    for final in _finals(table, settings):
        one, who = final.one, final.one.entrant
        rate = one.accuracy.nontrivial_kept_rate
        accuracy = "" if rate is None else f"{rate.estimate:.4f}"
        points = (points_text(one.points), f"{one.mark.error:.2f}", points_text(settings.most_points))
        row = [final.student.name, who.name, who.group, who.file, who.digest, *points]
        row += [settings.marking.grade(final.points), one.near, accuracy, one.problem]
        row += [who.alias] if settings.pseudonyms else []
        if settings.late is not None:
            time = "" if who.submitted is None else who.submitted.isoformat()
            row += [time, str(final.days_late), points_text(final.points_off), points_text(final.points)]
        rows.append((final.student, row))
    return student_csv(head, rows)


def student_csv(head: Sequence[str], rows: Sequence[tuple[Student, Sequence[str]]]) -> str:
    """Return a table with a row per student, and the roster's own columns at its end."""
    own = list(dict.fromkeys(name for student, _ in rows for name in student.columns))
    cells = ([*row, *(student.columns.get(name, "") for name in own)] for student, row in rows)
    return csv_text([[*head, *(f"roster: {name}" for name in own)], *cells])


def add_history(out: Path, table: Sequence[EntrantResult], now: datetime) -> None:
    """Append a row for each hand-in that is new, changed, withdrawn or marked otherwise than in its last row."""
    path = out / HISTORY
    head = ["time", "event", "name", "file", "sha256", "submitted", "points", "grade"]
    rows = list(csv.reader(io.StringIO(read_text(path, LeagueError)))) if path.exists() else [head]
    last = {row[2]: row for row in rows[1:] if len(row) == len(head)}
    new = []
    for one in sorted(table, key=lambda standing: standing.entrant.name.casefold()):
        who = one.entrant
        time = "" if who.submitted is None else who.submitted.isoformat()
        row = [cell(who.name), cell(who.file), who.digest, time, points_text(one.points), one.grade]
        before = last.pop(row[0], None)
        if before is None or before[1] == "withdrawn":
            new.append(["handed in" if who.file else "missing", *row])
        elif before[4] != who.digest:
            new.append(["changed", *row])
        elif before[6:] != row[4:]:
            new.append(["marked", *row])
    new += [["withdrawn", *row[2:4], "", "", "", ""] for row in last.values() if row[1] != "withdrawn"]
    if new:
        stamp = now.isoformat(timespec="seconds")
        write_text(path, csv_text([*rows, *([stamp, *row] for row in new)]), LeagueError)


def forget_files(name: str, out: Path) -> set[str]:
    """Remove somebody from the history, and the pages that the next run would leave.

    Returns the SHA-256 of all that nobody else has handed in. Raises `LeagueError` if the history has no such name.
    """
    path = out / HISTORY
    rows = list(csv.reader(io.StringIO(read_text(path, LeagueError)))) if path.exists() else []
    own = [row for row in rows[1:] if len(row) > 4 and row[2].casefold() == cell(name).casefold()]
    if not own:
        known = sorted({row[2] for row in rows[1:] if len(row) > 4})
        raise LeagueError(unknown("name in the league's history", name, known))
    kept = [row for row in rows if row not in own]
    write_text(path, csv_text(kept), LeagueError)
    for called in {row[2].removeprefix("'") for row in own}:
        (out / WHY / f"{page_name(called)}.html").unlink(missing_ok=True)
    return {row[4] for row in own if row[4]} - {row[4] for row in kept[1:] if len(row) > 4}


def similar_csv(found: Similarity) -> str:
    """Return the similar pairs and what could not be compared, as a table for the teacher."""
    rows = [["a", "b", "share of a", "share of b", "identical", "page", "remark"]]
    for number, one in enumerate(found.pairs, start=1):
        shares = f"{one.of_a:.3f}", f"{one.of_b:.3f}"
        page = f"{SIMILAR_PAGES}/{page_of(number)}"
        rows.append([one.a.name, one.b.name, *shares, "yes" if one.identical else "no", page, ""])
    rows += [[name, "", "", "", "", "", reason] for name, reason in sorted(found.skipped.items())]
    return csv_text(rows)


def similar_files(similarity: Similarity) -> dict[str, str]:
    """Return the table of similar hand-ins and a page for each pair, by file name."""
    files = {SIMILAR: similar_csv(similarity), f"{SIMILAR_PAGES}/style.css": (DATA / "style.css").read_text("utf-8")}
    for number, pair in enumerate(similarity.pairs, start=1):
        left, right = side_by_side(pair)
        page = {"pair": pair, "left": left, "right": right, "number": number, "of": len(similarity.pairs)}
        files[f"{SIMILAR_PAGES}/{page_of(number)}"] = template(DATA, "similar.html").render(page)
    return files


def league_json(table: Sequence[EntrantResult], settings: LeagueSettings, out: Path) -> dict[str, Any]:
    """Return the table and where everything is, for JSON."""
    return {
        "title": settings.title,
        "boards": [board.name for board in settings.boards],
        "most_points": settings.most_points,
        "site": str(out / SITE / "index.html"),
        "marks": str(out / MARKS),
        "entrants": [_entrant_json(one) for one in table],
    }


def _entrant_json(one: EntrantResult) -> dict[str, Any]:
    rate = one.accuracy.nontrivial_kept_rate
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
        "score": None if one.ladder_score is None else one.ladder_score.to_json(4),
        "accuracy": None if rate is None else rate.to_json(4),
        "nodes_saved": None if one.saved is None else round(one.saved, 4),
        "among": None if one.among_score is None else one.among_score.to_json(4),
        "place": one.place or None,
        "problem": one.problem or None,
        "tests": results_json(one)["tests"],
    }


def leaderboard(one: EntrantResult) -> list[dict[str, Any]]:
    """Return the columns of Gradescope's leaderboard; the order of the first one decides."""
    rate, score = one.accuracy.nontrivial_kept_rate, one.ladder_score
    return [
        {"name": "Points", "value": one.points},
        {"name": "Score", "value": 0 if score is None else round(score.estimate, 4)},
        {"name": "Accuracy", "value": 0 if rate is None else round(rate.estimate, 4)},
    ]


def results_json(one: EntrantResult) -> dict[str, Any]:
    """Return the results of one entrant in the format of Gradescope's results.json."""
    tests: list[dict[str, Any]] = [
        {
            "name": f"{result.opponent.name} on {result.meeting.game.title}",
            "score": round(result.points.value, 2),
            "max_score": round(result.points.most, 2),
            "output": f"Score {share(result.score)} in {2 * len(result.pairs)} matches; points are linear from "
            f"{share(result.scale.least)} to {share(result.scale.full)}.",
        }
        for result in one.ladder
    ]
    rate, mark = one.accuracy.nontrivial_kept_rate, one.mark
    if mark.accuracy.most:
        tests.append(
            {
                "name": "Accuracy",
                "score": round(mark.accuracy.value, 2),
                "max_score": mark.accuracy.most,
                "output": f"Kept the value of the position in {share(rate)} of {one.accuracy.nontrivial} moves that "
                "could lose it.",
            }
        )
    if mark.efficiency.most:
        tests.append(
            {
                "name": "Nodes saved",
                "score": round(mark.efficiency.value, 2),
                "max_score": mark.efficiency.most,
                "output": f"Of plain minimax's nodes {share(one.saved)} were saved. {NODES}",
            }
        )
    problems = [problem for check in one.checks.values() for problem in check["problems"]]
    said = [one.problem] + [f"{problem['text']} (first seen: {problem['where']})" for problem in problems]
    return {
        "score": one.points,
        "output": "\n".join(filter(None, said)) or "No failure was found.",
        "visibility": "visible",
        "tests": tests,
        "leaderboard": leaderboard(one),
        "execution_time": round(sum(one.seconds), 1),
        "extra_data": {"grade": one.grade, "standard_error": round(one.mark.error, 2), "sha256": one.entrant.digest},
    }
