"""Make an assignment: draw and solve positions, write the kit and the grader as folders and as zips."""

from __future__ import annotations

import ast
import io
import json
import secrets
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import jinja2

from inarow.agents.external.sandbox import OPEN_PARTS, PACKAGE
from inarow.paths import write_bytes
from inarow.randomness import Stream, derive
from inarow.rules import CONNECT4, Game, Position
from inarow.solver import Oracle
from inarow.teaching.assignment.exercise import (
    CALLS,
    HEADINGS,
    KINDS,
    AssignmentError,
    Exercise,
    Solved,
    line_kind,
    value_of,
)
from inarow.teaching.assignment.grading import EXERCISE, GOOD
from inarow.teaching.league.settings import LeagueSettings, read_settings

DATA = PACKAGE / "data" / "assignment"
STUDENT_FILES = ("README.md", "kit.py", "solution.py", "check.py")
GRADER_FILES = ("grade.py", "run_autograder", "setup.sh")
MAX_CELLS = {True: 12, False: 9}
"""Maximum cells with and without gravity; on larger boards a table learns too little in the given time."""
TRAINING = {9: 4000, 12: 8000}
"""Matches that the learner trains for, by the largest number of cells."""
MAX_NODES = 1500
"""Maximum plays of plain minimax on a position: each is a message between two processes."""
_PLAYOUTS = 600
_ROOTS = (
    "inarow.teaching.assignment.grading",
    "inarow.agents.external.server",
)
"""Modules that the grader runs; it carries them and everything that they import."""


def draw_exercise(game: Game, seed: int, *, boards: int = 40, searches: int = 20) -> Exercise:
    """Draw positions of random matches; half of the boards are decided, by as many different lines as possible."""
    if game.cells > MAX_CELLS[game.gravity]:
        raise AssignmentError(
            f"{game.title} has {game.cells} cells; an assignment needs a board of at most {MAX_CELLS[True]}, "
            f"without gravity {MAX_CELLS[False]}, such as 4x3x3 or tictactoe"
        )
    over, live = _reached(game, derive(seed, "playouts"))
    full = [one for one in over if value_of(one) == 0][: boards // 8]
    won = [one for one in over if len(one.winning_cells()) == game.k]  # by one line only
    ended = _by_turns(_by_turns(won, Position.winning_cells), line_kind)[: boards // 2 - len(full)]
    rules = (*ended, *full, *live[: boards - len(ended) - len(full)])
    fit = (one for one in live if 4 <= _nodes(one, MAX_NODES) <= MAX_NODES)
    training = next(matches for cells, matches in TRAINING.items() if game.cells <= cells)
    return Exercise(game, seed, rules, _varied(game, fit, searches), training=training)


def _reached(game: Game, seed: int) -> tuple[list[Position], list[Position]]:
    """Return distinct positions of random matches in order: finished ones and unfinished ones."""
    stream = Stream(seed)
    seen: dict[Position, None] = {}
    for _ in range(_PLAYOUTS):
        position = Position.start(game)
        while position.outcome() is None:
            position = position.play(stream.choice(position.legal_moves()))
            seen[position] = None
    every = list(seen)
    stream.shuffle(every)
    return [one for one in every if one.outcome() is not None], [one for one in every if one.outcome() is None]


def _by_turns(positions: list[Position], kind: Callable[[Position], Hashable]) -> list[Position]:
    """Order positions so that their kinds alternate."""
    seen: Counter[Hashable] = Counter()
    turns = []
    for one in positions:
        turns.append(seen[kind(one)])
        seen[kind(one)] += 1
    return [one for _, one in sorted(zip(turns, positions, strict=True), key=lambda item: item[0])]


def _nodes(position: Position, most: int) -> int:
    """Count the positions below this one, up to about ``most``."""
    count = 0
    for move in position.legal_moves():
        count += 1 + _nodes(position.play(move), most - count)
        if count > most:
            break
    return count


def _varied(game: Game, positions: Iterator[Position], count: int) -> tuple[Solved, ...]:
    """Choose solved positions where not every move is right, alternating between the values."""
    oracle = Oracle(game)
    found: dict[int, list[Solved]] = {}
    for position in islice(positions, 8 * count):
        scores = oracle.scores(position)
        best = max(scores.values())
        sign = (best > 0) - (best < 0)
        moves = tuple(move for move, score in scores.items() if (score > 0) - (score < 0) == sign)
        if len(moves) < len(scores):
            value = sign if position.ply % 2 == 0 else -sign
            found.setdefault(value, []).append(Solved(position, value, moves))
    chosen: list[Solved] = []
    while len(chosen) < count and any(found.values()):
        for kind in sorted(found):
            chosen += [found[kind].pop()] if found[kind] else []
    if len(chosen) < count // 2:
        raise AssignmentError(f"{game.title} has too few positions where a search matters; give another board")
    return tuple(chosen[:count])


def make_assignment(game: Game, folder: Path, seed: int | None = None, kind: str = "complete") -> Exercise:
    """Write an assignment of a kind into a new folder; return the exercise."""
    game.check_usual("an assignment")
    refuse_existing(folder)
    seed = secrets.randbits(62) if seed is None else seed
    exercise = replace(draw_exercise(game, seed), points=KINDS[kind])
    lib = {f"lib/{path.relative_to(PACKAGE.parent).as_posix()}": path.read_bytes() for path in sorted(_carried())}
    student = {name: filled(f"student/{name}", exercise) for name in STUDENT_FILES}
    student |= {f"checks/{name}": data for name, data in lib.items()}
    student[f"checks/{EXERCISE}"] = _json(_public(exercise).to_json())
    grader = {name: (DATA / "autograder" / f"{name}.in").read_bytes() for name in GRADER_FILES}
    grader |= {EXERCISE: _json(exercise.to_json()), **lib}
    files = {
        "README.md": filled("teacher.md", exercise),
        "reference.py": filled("reference.py", exercise),
        "student.zip": zipped(student),
        "autograder.zip": zipped(grader),
        **{f"student/{name}": data for name, data in student.items()},
        **{f"autograder/{name}": data for name, data in grader.items()},
    }
    write_files(folder, files)
    return exercise


def refuse_existing(folder: Path) -> None:
    """Raise `AssignmentError` if the folder is not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise AssignmentError(f"{folder} exists and is not empty; give the name of a new folder")


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write files below a folder; programs are executable."""
    for name, data in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AssignmentError(f"the folder {path.parent} can't be made: {error.strerror}") from None
        write_bytes(path, data, AssignmentError, durable=False)
        if _is_program(name):
            path.chmod(0o755)


def _is_program(name: str) -> bool:
    return name.endswith(("setup.sh", "run_autograder"))


def zipped(files: dict[str, bytes]) -> bytes:
    """Zip these files; the same files give the same bytes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if _is_program(name) else 0o100644) << 16
            archive.writestr(entry, content)
    return data.getvalue()


def _json(data: Any) -> bytes:
    return (json.dumps(data) + "\n").encode()


def filled(name: str, exercise: Exercise) -> bytes:
    """Fill in a file of the assignment for this exercise."""
    points = exercise.points
    heading = next((HEADINGS[kind] for kind, given in KINDS.items() if given == points), HEADINGS["complete"])
    values = {"game": exercise.game, "points": points, "parts": points.parts, "calls": CALLS, "good": GOOD}
    return _rendered(name, exercise=exercise, heading=heading, **values)


def _rendered(name: str, **values: Any) -> bytes:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(DATA),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(f"{name}.in").render(values).encode()


def _public(exercise: Exercise) -> Exercise:
    """Return an exercise for the students' own checks: drawn separately, without any position that is graded."""
    shown = draw_exercise(exercise.game, derive(exercise.seed, "public"))
    hidden = {*exercise.rules, *(one.position for one in exercise.search)}
    rules = tuple(one for one in shown.rules if one not in hidden)
    search = tuple(one for one in shown.search if one.position not in hidden)
    return replace(shown, seed=0, rules=rules, search=search, points=exercise.points)


def _carried() -> set[Path]:
    """Return the files of inarow that the grader imports, and those that its sandbox opens to submissions."""
    found = {PACKAGE / "data" / "sentences.json"}
    opened = [path for part in OPEN_PARTS for path in (PACKAGE / part, *(PACKAGE / part).rglob("*.py"))]
    names = (path.relative_to(PACKAGE.parent).with_suffix("").parts for path in opened if path.is_file())
    waiting = [*_ROOTS, *map(".".join, names)]
    while waiting:
        for path in _files(waiting.pop()):
            if path not in found:
                found.add(path)
                waiting += _imports(path)
    return found


def _files(module: str) -> Iterator[Path]:
    """Return the file of a module and those of its packages; nothing for a name that is not a module."""
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        base = PACKAGE.parent.joinpath(*parts[:count])
        yield from (path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file())


def _imports(path: Path) -> Iterator[str]:
    """Return the modules of inarow that a file imports when it is loaded."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("inarow"))
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("inarow"):
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


SECONDS = 1.0
"""Seconds per move."""


def make_heuristic(folder: Path, seed: int | None = None) -> LeagueSettings:
    """Write the assignment on heuristic search, whose grader is a league; return the league's settings."""
    refuse_existing(folder)
    secret = secrets.token_hex(16) if seed is None else seed
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "league.toml"
        path.write_bytes(_rendered("heuristic/league.toml", seconds=SECONDS, starter=None, seed=None))
        settings = read_settings(path)
    scales = {f"score against {rung.name}": rung.scale(CONNECT4) for rung in settings.ladder}
    scales["accuracy"] = settings.marking.accuracy
    student = {
        "README.md": _rendered("heuristic/README.md", seconds=SECONDS, scales=scales),
        "agent.py": _rendered("heuristic/agent.py"),
        "league.toml": _rendered("heuristic/league.toml", seconds=SECONDS, starter="agent.py", seed=None),
    }
    files = {
        "README.md": _rendered("heuristic/teacher.md"),
        "league.toml": _rendered("heuristic/league.toml", seconds=SECONDS, starter="student/agent.py", seed=secret),
        "reference.py": _rendered("heuristic/reference.py"),
        "student.zip": zipped(student),
        **{f"student/{name}": data for name, data in student.items()},
    }
    write_files(folder, files)
    return settings
