"""What a league writes: the site to post, and beside it the marks, a results.json per entrant and what is similar.

All of it is a function of the table, so the same results give the same bytes. Files whose content is unchanged are left
alone, others are replaced at once.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

import inarow
from inarow.atomic import write_text
from inarow.formatting import share
from inarow.teaching.league.pages import NODES, entrant_page, index_page, points_text
from inarow.teaching.league.pictures import replay_pictures
from inarow.teaching.league.settings import LeagueError, Settings
from inarow.teaching.league.similarity import FOLDER as SIMILAR_PAGES
from inarow.teaching.league.similarity import Similarity, cell, page_of, side_by_side, similar_csv
from inarow.teaching.league.standings import Standing

DATA = Path(inarow.__file__).parent / "data" / "league"
SITE = "site"
RESULTS = "results"
MARKS = "marks.csv"
SIMILAR = "similar.csv"


def write_league(
    table: Sequence[Standing],
    settings: Settings,
    similarity: Similarity,
    out: Path,
    doing: str = "",
    rounds: Sequence[dict[str, Any]] = (),
) -> None:
    """Write everything; ``doing`` says what is still under way, ``rounds`` are those among entrants."""
    files: dict[str, str] = {
        f"{SITE}/index.html": _render("index.html", index_page(table, settings, page_name, rounds), doing, settings),
        MARKS: marks_csv(table, settings),
        f"{SITE}/style.css": (DATA / "style.css").read_text(encoding="utf-8"),
        f"{SITE}/replay.js": (DATA / "replay.js").read_text(encoding="utf-8"),
    }
    for board in settings.boards:
        files |= {f"{SITE}/boards/{name}": text for name, text in replay_pictures(board).items()}
    for one in table:
        name = page_name(one.entrant.name)
        files[f"{SITE}/entrants/{name}.html"] = _render("entrant.html", entrant_page(one, page_name), doing, settings)
        files[f"{RESULTS}/{name}.json"] = json.dumps(results_json(one), indent=2, ensure_ascii=False) + "\n"
    try:
        _write(out, files | similar_files(similarity))
    except OSError as error:
        raise LeagueError(f"{out} can't be written: {error.strerror}; what was played is kept") from None


def page_name(name: str) -> str:
    """Return the name of an entrant's files: its letters in any script, and a hash that differs between names."""
    kept = "".join(letter if unicodedata.category(letter)[0] in "LMN" else " " for letter in name.casefold())
    tag = hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
    return "-".join([*kept[:40].split(), tag])


def _write(out: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = out / name
        if path.is_file() and path.read_bytes() == text.encode():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text, LeagueError, durable=False)  # it can be made again from the store
    kept = {out / name for name in files}
    for folder in (f"{SITE}/entrants", f"{SITE}/boards", RESULTS, SIMILAR_PAGES):  # of those who have withdrawn
        for path in (out / folder).iterdir():
            if path not in kept:
                path.unlink()


@cache
def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(DATA),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["svg"] = Markup  # of our own drawing only
    return made


def _render(template: str, page: dict[str, Any], doing: str, settings: Settings) -> str:
    text = _environment().get_template(template).render(**page, doing=doing, title=settings.title)
    return text if text.endswith("\n") else text + "\n"


def marks_csv(table: Sequence[Standing], settings: Settings) -> str:
    """A row per entrant, by name: what a teacher copies into the list of marks."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", "group", "file", "sha256", "points", "error", "of", "grade", "near", "accuracy", "remark"])
    for one in sorted(table, key=lambda standing: standing.entrant.name.casefold()):
        rate, who = one.accuracy.nontrivial_kept_rate, one.entrant
        accuracy = "" if rate is None else f"{rate.estimate:.4f}"
        points = (points_text(one.points), f"{one.mark.error:.2f}", points_text(settings.most_points))
        writer.writerow(
            [
                cell(who.name),
                cell(who.group),
                cell(who.file),
                who.digest,
                *points,
                one.grade,
                one.near,
                accuracy,
                cell(one.problem),
            ]
        )
    return text.getvalue()


def similar_files(similarity: Similarity) -> dict[str, str]:
    """Return the table of similar hand-ins and a page for each pair, by file name."""
    files = {SIMILAR: similar_csv(similarity), f"{SIMILAR_PAGES}/style.css": (DATA / "style.css").read_text("utf-8")}
    for number, pair in enumerate(similarity.pairs, start=1):
        left, right = side_by_side(pair)
        page = {"pair": pair, "left": left, "right": right, "number": number, "of": len(similarity.pairs)}
        files[f"{SIMILAR_PAGES}/{page_of(number)}"] = _environment().get_template("similar.html").render(page)
    return files


def league_json(table: Sequence[Standing], settings: Settings, out: Path) -> dict[str, Any]:
    """The table and where everything is, for JSON."""
    return {
        "title": settings.title,
        "boards": [board.name for board in settings.boards],
        "most_points": settings.most_points,
        "site": str(out / SITE / "index.html"),
        "marks": str(out / MARKS),
        "entrants": [_entrant_json(one) for one in table],
    }


def _entrant_json(one: Standing) -> dict[str, Any]:
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


def results_json(one: Standing) -> dict[str, Any]:
    """The results of one entrant in the format of Gradescope's results.json."""
    tests: list[dict[str, Any]] = [
        {
            "name": f"{result.rung.name} on {result.meeting.game.title}",
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
        "extra_data": {"grade": one.grade, "standard_error": round(one.mark.error, 2), "sha256": one.entrant.digest},
    }
