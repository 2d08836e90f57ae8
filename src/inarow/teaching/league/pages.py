"""The content of the site's pages, as plain values for their templates."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inarow.agents.file import MOVE_SECONDS
from inarow.arena import FORMATS
from inarow.drawing.svg import Label, draw_svg
from inarow.formatting import NOTHING, capitalised, counted, sentence, share
from inarow.match import MatchRecord, Pair
from inarow.rules import Player, Position, format_move, format_moves, game
from inarow.solver import Verdict
from inarow.teaching.league.entrants import Entrant, HandIn
from inarow.teaching.league.judging import COUNTED, Efficiency, Mistake
from inarow.teaching.league.meetings import failed, pair_points
from inarow.teaching.league.settings import PRIOR_MOVES, LeagueSettings, PointScale
from inarow.teaching.league.standings import EntrantResult, MeetingResult

_WORDS = {Verdict.WIN: "a win", Verdict.DRAW: "a draw", Verdict.LOSS: "a loss"}


def mistake_picture(opponent: str, pair: Pair, mistake: Mistake) -> dict[str, str]:
    """Return the position of a mistake with the better moves marked, and what happened in words."""
    record = pair.matches()[mistake.swapped][0]
    moves = record.all_moves[: len(record.opening) + mistake.at]
    position = Position.start(record.game, moves)
    labels = {mistake.move: Label("✗", "bad"), **{move: Label("✓", "good") for move in mistake.best}}
    picture = draw_svg(position, last=moves[-1] if moves else None, labels=labels, marked=mistake.best, cell=30)
    better = " or ".join(format_move(move) for move in mistake.best)
    before, after = (_WORDS[Verdict.of(score)] for score in (mistake.best_score, mistake.score))
    played = format_moves(record.game, moves) or "no move"
    return {
        "picture": picture,
        "text": f"Played {format_move(mistake.move)}; {better} was better: {before} became {after}.",
        "where": f"as {'XO'[position.to_move]} against {opponent}, after {played}",
    }


PageName = Callable[[str], str]
NODES = (
    "Nodes are counted from outside, on positions that are the same for all: moves played on the game object that the "
    "assignment's kit hands over, or calls of the function result of CS50's files. Other files can't be counted."
)
MISTAKES = 6
"""The worst mistakes on a page."""


def points_text(points: float, error: float = 0.0) -> str:
    """Format points without superfluous zeros, with their standard error if they have one: ``78.2 ± 3.1``."""
    if error:
        return f"{points:.1f} ± {error:.1f}"
    return f"{points:.2f}".rstrip("0").rstrip(".")


def mark_text(one: EntrantResult) -> str:
    """Format a grade with its points and their standard error: ``B (78 ± 3)``."""
    points = f"{one.points:.0f} ± {one.mark.error:.0f}" if one.mark.error else points_text(one.points)
    return f"{one.grade} ({points})" if one.grade else points


def index_page(
    table: Sequence[EntrantResult], settings: LeagueSettings, page_name: PageName, rounds: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return the table of all entrants, and how it comes about."""
    rows = [
        {
            "rank": one.rank,
            "name": one.entrant.public,
            "page": page_name(one.entrant.public),
            "group": one.public_group,
            "points": points_text(one.points, one.mark.error),
            "grade": one.grade,
            "near": one.near,
            "ladder": [_mark(one, name) for name in (rung.name for rung in settings.ladder)],
            "score": share(one.ladder_score),
            "accuracy": share(one.accuracy.nontrivial_kept_rate),
            "nodes": share(one.saved),
            "among": _among(one),
            "sha": one.entrant.digest[:12],
            "problem": one.public_problem,
        }
        for one in table
    ]
    return {
        "rows": rows,
        "groups": any(one.public_group for one in table),
        "among": bool(settings.among),
        "nodes": any(one.efficiencies for one in table) or bool(settings.marking.efficiency.points),
        "accuracy": bool(settings.marking.accuracy.points),
        "rungs": [rung.name for rung in settings.ladder],
        "rules": list(_rules(settings)),
        "nodes_note": NODES
        if any(one.efficiencies for one in table) and not settings.marking.efficiency.points
        else "",
        "rounds": [{**one, "meets": [_meet(meet) for meet in one["meets"]]} for one in rounds],
        "entrants": counted(len(table), "entrant", "entrants"),
        "boards": ", ".join(board.title for board in settings.boards),
    }


def _among(one: EntrantResult) -> str:
    """Return the score among entrants, after the place if the format has rounds."""
    score = share(one.among_score)
    return f"place {one.place}, {score}" if one.place else score


def _meet(meet: dict[str, Any]) -> dict[str, str]:
    points = meet["points"]
    return {**meet, "points": NOTHING if points is None else f"{points[0]:.3g} : {points[1]:.3g}"}


def _mark(one: EntrantResult, rung: str) -> str:
    """Return the score against a reference player, on each board."""
    return ", ".join(share(result.score) for result in one.ladder if result.opponent.name == rung) or NOTHING


def _rules(settings: LeagueSettings) -> Iterator[str]:
    """Yield how points are earned, in sentences."""
    boards = ", ".join(board.title for board in settings.boards)
    marking = settings.marking
    per = ", shared equally by the boards" if len(settings.boards) > 1 else ""
    for rung in settings.ladder:
        scales = dict.fromkeys((rung.scale(board).least, rung.scale(board).full) for board in settings.boards)
        rates = " or ".join(f"{share(least)} to {share(full)}" for least, full in scales)
        yield (f"Up to {points_text(rung.points)} points for the score against {rung.name}{per}: linear from {rates}.")
    yield (
        f"Each series has {2 * marking.pairs} to {2 * marking.max_pairs} matches on {boards}, more while the standard "
        f"error of the points is above {marking.precision:g}, or {marking.precision / 2:g} near a grade boundary. Each "
        "opening is played twice, with seats swapped. Openings and random numbers are the same for all entrants."
    )
    accuracy = marking.accuracy
    if accuracy.points:
        yield (
            f"Up to {points_text(accuracy.points)} points for accuracy: linear from {share(accuracy.least)} to "
            f"{share(accuracy.full)}. Accuracy is the share of moves that kept the exact value of the position, among "
            "moves that could lose it, in matches against reference players. It counts with the weight n / (n + "
            f"{PRIOR_MOVES}) for n such moves; the rest of its points go by the reference players."
        )
    efficiency = marking.efficiency
    if efficiency.points:
        yield (
            f"Up to {points_text(efficiency.points)} points for nodes saved: linear from {share(efficiency.least)} to "
            f"{share(efficiency.full)}, if all answers are right. {NODES}"
        )
    seconds = MOVE_SECONDS if settings.limit.seconds is None else settings.limit.seconds
    yield f"A decision may take {seconds:g} s; the first one 10 s more."
    if settings.limit.nodes is not None:
        yield f"Reference players search {settings.limit.nodes:,} nodes per decision; nobody counts those of entrants."
    yield f"Entrants may import the standard library and {', '.join(settings.packages) or 'nothing else'}."
    yield "A failed match (crash, illegal move, out of time …) is a lost match."
    if marking.disqualify is not None:
        yield (
            f"An entrant that fails in {share(marking.disqualify)} of the first {2 * marking.pairs} matches of each "
            "series is disqualified and gets no points."
        )
    if settings.among:
        yield f"Among entrants: {FORMATS[settings.format.partition(':')[0]].partition(';')[0]}."
        yield (
            "Matches among entrants decide nothing but the order of equal points. If both fail in a pair of matches, "
            "nobody scores in it."
        )
    grades = ", ".join(f"{name} from {points_text(least)}" for name, least in marking.grades)
    yield f"Grades: {grades} points. They do not depend on who else takes part."


def entrant_page(one: EntrantResult, page_name: PageName) -> dict[str, Any]:
    """Return all about one entrant."""
    matches = list(_matches(one, page_name))
    return {
        "name": one.entrant.public,
        "group": one.public_group,
        "file": "" if one.entrant.alias else one.entrant.file,
        "sha": one.entrant.digest,
        "imports": ", ".join(() if one.entrant.agent is None else one.entrant.agent.snapshot.imports),
        "mark": mark_text(one),
        "most": points_text(one.settings.most_points),
        "near": one.near,
        "problem": sentence(capitalised(one.public_problem)) if one.problem else "",
        "ladder": [_ladder_row(result) for result in one.ladder],
        "accuracy": share(one.accuracy.nontrivial_kept_rate),
        "accuracy_points": points_text(one.mark.accuracy.value, one.mark.accuracy.error),
        "accuracy_most": points_text(one.mark.accuracy.most),
        "accuracy_range": "{} to {}".format(
            *map(share, (one.settings.marking.accuracy.least, one.settings.marking.accuracy.full))
        ),
        "accuracy_moves": counted(one.accuracy.nontrivial, "move", "moves"),
        "nodes": [_nodes(name, found) for name, found in one.efficiencies.items()],
        "nodes_points": points_text(one.mark.efficiency.value),
        "nodes_most": points_text(one.mark.efficiency.most),
        "checks": [_check(name, check) for name, check in one.checks.items()],
        "mistakes": [mistake_picture(met.other.name, pair, bad) for met, pair, bad in one.progress.mistakes[:MISTAKES]],
        "among": _among(one) if one.among else "",
        "losses": [match for match in matches if match["result"] == "loss"],
        "matches": matches,
    }


def _nodes(board: str, found: Efficiency) -> dict[str, str]:
    """Return what a search needed on a board, and who counted."""
    answers = f"{found.right} of {found.total} answers right"
    return {
        "board": game(board).title,
        "counted": f"{found.nodes:,} of plain minimax's {found.plain:,}, {answers}",
        "how": f"counted from outside: {COUNTED[found.kind]}",
        "saved": share(found.saved),
        "complaint": found.complaint,
    }


def _ladder_row(result: MeetingResult) -> dict[str, str]:
    return {
        "rung": result.opponent.name,
        "board": result.meeting.game.title,
        "results": result.counts,
        "score": share(result.score),
        "range": f"{share(result.scale.least)} to {share(result.scale.full)}",
        "points": points_text(result.points.value, result.points.error),
        "most": points_text(result.points.most),
    }


def _check(board: str, check: Any) -> dict[str, Any]:
    return {"board": game(board).title, **{key: check[key] for key in ("problems", "advice", "stopped")}}


def _matches(one: EntrantResult, page_name: PageName) -> Iterator[dict[str, Any]]:
    """Yield every match of an entrant that counts."""
    for result in (*one.ladder, *one.among):
        name = result.opponent.public
        page = page_name(name) if isinstance(result.opponent, Entrant) else ""
        for match in result.matches():
            yield {**_match(*match), "opponent": name, "page": page}


def _match(pair: Pair, record: MatchRecord, seat: Player) -> dict[str, Any]:
    outcome = record.outcome
    won = None if outcome is None or outcome.winner is None else outcome.winner is seat
    reason = record.termination.value
    if record.termination.is_fault:
        reason = f"{reason}: {record.fault}" if failed(record, seat) else f"the other failed ({reason})"
    return {
        "board": record.game.title,
        "pair": pair.index + 1,
        "seat": seat.name.lower(),
        "result": "draw" if won is None else "win" if won else "loss",
        "reason": reason,
        "plies": len(record.all_moves),
        "moves": format_moves(record.game, record.all_moves),
        "replay": {"game": record.game.name, "moves": record.all_moves, "at": len(record.opening)},
    }


def why_page(one: EntrantResult, path: str, before: float | None) -> dict[str, Any]:
    """Return where every point of an entrant comes from, and the commands that play its matches again.

    It is for the teacher: the seeds in it let anyone prepare for the openings.
    """
    marking, mark = one.settings.marking, one.mark
    parts = []
    for result in one.ladder:
        scores = result.scores
        mean = sum(scores) / len(scores) if scores else 0.0
        parts.append(
            {
                "name": f"{result.opponent.name} on {result.meeting.game.title}",
                "points": points_text(result.points.value, result.points.error),
                "most": points_text(result.points.most),
                "formula": f"Mean of {counted(len(scores), 'pair', 'pairs')}: {mean:.3f}. "
                f"{_linear(result.scale, mean)}.",
                "command": _command(result, path, one.settings),
                "pairs": [_pair_row(pair) for pair in result.pairs],
            }
        )
    moves, kept = one.accuracy.nontrivial, one.accuracy.nontrivial_kept
    weight = moves / (moves + PRIOR_MOVES)
    ladder = sum(part.value for part in mark.ladder), sum(part.most for part in mark.ladder)
    share_of = ladder[0] / ladder[1] if ladder[1] else 0.0
    own = _linear(marking.accuracy, kept / moves) if moves else "no such move"
    accuracy = (
        f"{kept} of {counted(moves, 'move', 'moves')} that could lose the value kept it: {own}. Weight: {moves} / "
        f"({moves} + {PRIOR_MOVES}) = {weight:.3f}. The rest goes by the reference players: "
        f"{1 - weight:.3f} · {share_of:.3f} · {marking.accuracy.points:g} = "
        f"{(1 - weight) * share_of * marking.accuracy.points:.2f}."
    )
    return {
        "name": one.entrant.name,
        "mark": mark_text(one),
        "most": points_text(one.settings.most_points),
        "problem": sentence(capitalised(one.problem)) if one.problem else "",
        "before": "" if before is None else points_text(before),
        "same": before is not None and abs(before - one.points) < 0.005,
        "parts": parts,
        "accuracy": accuracy if marking.accuracy.points else "",
        "accuracy_points": points_text(mark.accuracy.value, mark.accuracy.error),
        "accuracy_most": points_text(mark.accuracy.most),
        "nodes": [_nodes(name, found) for name, found in one.efficiencies.items()] if mark.efficiency.most else [],
        "nodes_points": points_text(mark.efficiency.value),
        "nodes_most": points_text(mark.efficiency.most),
        "mistakes": [mistake_picture(met.other.name, pair, bad) for met, pair, bad in one.progress.mistakes],
        "file": one.entrant.file,
        "sha": one.entrant.digest,
    }


def _linear(scale: PointScale, rate: float) -> str:
    """Write out how a rate becomes points."""
    line = f"({rate:.3f} − {scale.least:g}) / ({scale.full:g} − {scale.least:g}) · {scale.points:g}"
    bound = " (all)" if rate >= scale.full else " (none)" if rate <= scale.least else ""
    return f"{line} = {scale.of(rate):.2f}{bound}"


def _command(result: MeetingResult, path: str, settings: LeagueSettings) -> str:
    tournament, (_, other) = result.meeting.tournament, result.meeting.agents
    opponent = result.opponent.name if isinstance(other, HandIn) else other.spec
    limits = {"--seconds": settings.limit.seconds, "--nodes": settings.limit.nodes}
    given = [f"{key} {value:g}" for key, value in limits.items() if value is not None]
    words = ["inarow match", result.meeting.game.name, shlex.quote(f"file:{path}"), shlex.quote(opponent)]
    words += [f"--matches {2 * tournament.pairs}", f"--openings {shlex.quote(settings.openings)}"]
    return " ".join([*words, f"--seed {tournament.seed}", *given])


def _pair_row(pair: Pair) -> dict[str, Any]:
    matches = [_match(pair, record, seat) for record, seat in pair.matches()]
    return {"number": pair.index + 1, "points": f"{pair_points(pair)[0]:g}", "matches": matches}
