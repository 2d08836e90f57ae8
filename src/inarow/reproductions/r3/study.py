"""The study ``r3``: R3's published rows, the runs to compare them with, and its experiments repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inarow.report.charts import Shares, StripFrame, film_strip, share_matrix
from inarow.report.page import Section
from inarow.report.tables import Cell, Figure, Table, table
from inarow.reproductions import assessment
from inarow.reproductions.assessment import Counts, PublishedRow
from inarow.reproductions.distributions import LEARNER, Source, Trial, TrialPairing, published, shipped_runs
from inarow.rules import CONNECT4, TICTACTOE, Game, Position, format_moves
from inarow.rules import game as game_named
from inarow.studies.base import (
    Content,
    Experiment,
    Measured,
    Measurement,
    Plan,
    Study,
    StudyResults,
    measurement,
    tournament,
)
from inarow.studies.sections import Seats, as_first, results_by_seat

PLAYERS = {"Easy": "r3-easy", "Medium": "r3-medium", "Minimax": "r3-minimax"}
LEARNS, QLEARNING, GAMES = "r3-qlearning", "Q-learning", 100
_WITH_LEARNER = tuple(
    TrialPairing(f"{a} – {b}", PLAYERS.get(a, LEARNER), PLAYERS.get(b, LEARNER), GAMES)
    for a, b in (
        (QLEARNING, "Easy"), ("Easy", QLEARNING), (QLEARNING, "Medium"), ("Medium", QLEARNING),
        ("Minimax", QLEARNING), (QLEARNING, "Minimax"), (QLEARNING, QLEARNING),
    )
)  # fmt: skip
TRAININGS: Mapping[str, Mapping[str, Sequence[tuple[str, int, str]]]] = {
    "tictactoe": {
        f"{games:,} games a seat": (("r3-medium", 2 * games, "0.2"),) for games in (3_000, 10_000, 50_000)
    },
    "connect4": {
        "Easy only": (("r3-easy", 20_000, "0.2"),),
        "all stages": (
            ("r3-easy", 20_000, "0.2"), ("r3-medium", 40_000, "0.2"),
            ("r3-medium", 100_000, "linear(0.6,0)"), ("self", 10_000, "0.2"),
        ),
    },
}  # fmt: skip
"""Possible trainings of the learner: opponent, games over both seats, exploration."""

SOURCES: tuple[Source, ...] = tuple(
    Trial(game, game, tuple(
        TrialPairing(f"{a} – {b}", PLAYERS[a], PLAYERS[b], GAMES, once=a == b == "Minimax")
        for a in PLAYERS for b in PLAYERS
    ))
    for game in TRAININGS
) + tuple(
    Trial(f"{game}, {name}", game, _WITH_LEARNER, LEARNS, stages)
    for game, trainings in TRAININGS.items() for name, stages in trainings.items()
)  # fmt: skip
"""Runs for ``scripts/report_runs.py r3``."""

COLUMNS = ("first_win_pct", "draw_pct", "second_win_pct")


def rows() -> list[PublishedRow]:
    """Return every published share, of 100 games each."""
    return [_row(row) for row in published("r3_stated")]


def _row(row: Mapping[str, str]) -> PublishedRow:
    runs, game, pair = shipped_runs("r3"), row["game"], f"{row['first']} – {row['second']}"
    learner = QLEARNING in (row["first"], row["second"])
    readings = {f"trained with {name}": runs[f"{game}, {name} / {pair}"] for name in TRAININGS[game]} if learner else {}
    shares = [row[name] for name in COLUMNS]
    assumed = ["results of +1, 0 and −1"] if learner and game == "connect4" else []
    assumed += ["“about” is taken as exact"] if "about" in row["note"] else []
    return PublishedRow(
        f"{game} {pair}", (game, row["first"], row["second"], row["note"] or "–"),
        " / ".join(text or "–" for text in shares), GAMES, _counts(shares),
        [place for place, text in enumerate(shares) if text], readings=readings or {"": runs[f"{game} / {pair}"]},
        assumed="; ".join(assumed), open="how long the learner was trained" if learner else "",
    )  # fmt: skip


def _counts(shares: list[str]) -> list[Counts]:
    """Return the possible counts for the stated shares, several for a range such as ``13-19``; derive missing ones."""
    bounds = [text.partition("-") for text in shares]
    lows = [int(low or 0) for low, _, _ in bounds]
    highs = [int(high or low or 0) for low, _, high in bounds]
    made: list[Counts] = []
    for step in range(max(high - low for low, high in zip(lows, highs, strict=True)) + 1):
        one = [min(low + step, high) for low, high in zip(lows, highs, strict=True)]
        if "" in shares:
            one[shares.index("")] += GAMES - sum(one)
        made.append((one[0], one[1], one[2]))
    return made


STAGES = {TICTACTOE: "10,000 games a seat", CONNECT4: "all stages"}
"""The trainings that the study runs; the shipped runs include all."""
FIXED = {"Minimax": "Minimax, fixed", QLEARNING: "Q-learning, fixed"}
ORDERS: Mapping[str, tuple[str, Game]] = {
    "Tic Tac Toe, as printed": ("r3-minimax", TICTACTOE),
    "Tic Tac Toe, from the top left": ("r3-minimax:ordering=left", TICTACTOE),
    "Connect 4, as printed": ("r3-minimax", CONNECT4),
    "Connect 4, from the left": ("r3-minimax:ordering=left", CONNECT4),
    "Connect 4, from the centre": ("r3-minimax:ordering=centre", CONNECT4),
    "Connect 4, as printed, depth 4": ("r3-minimax:depth=4", CONNECT4),
    "Connect 4, as printed, depth 6": ("r3-minimax:depth=6", CONNECT4),
}
DRAWN = [(a, b) for a, b in (("Minimax", QLEARNING), (QLEARNING, "Minimax"), (QLEARNING, QLEARNING))]
"""Pairs of Tic Tac Toe that are published as always drawn."""


def _players(game: Game) -> dict[str, str]:
    made = PLAYERS | {QLEARNING: f"{LEARNS}:model={_model(game)}"}
    made[FIXED[QLEARNING]] = f"{LEARNS}:model={_model(game, '-fixed')}"
    if game == CONNECT4:
        made[FIXED["Minimax"]] = "r3-minimax:fixed=on"
    return made


def _model(game: Game, kind: str = "") -> str:
    return f"models/r3-{game.name}{kind}.npz"


class R3(Study):
    """The third report's experiment."""

    name = "r3"
    title = "R3 again: every player against every player and itself"
    summary = "the third report: a full cross table of Easy, Medium, minimax and Q-learning on both games"
    figure = "r3-connect4-matrix"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for game, name in STAGES.items():
            stages = [[who, 10 * plan.pick(n // 100, n // 10), rate] for who, n, rate in TRAININGS[game.name][name]]
            for kind, changed in (("", ""), ("-fixed", ":fixed=on")):
                settings = {
                    "trainer": f"{LEARNS}{changed}", "game": game.name, "seed": plan.seed, "stages": stages,
                    "model": _model(game, kind),
                }  # fmt: skip
                made.append(Measurement(f"{game.name}-training{kind}", train_in_stages, settings, weight=200))
        for game in STAGES:
            made.append(tournament(game.name, game, _players(game), plan.pick(30, GAMES), plan, with_self=True))
        for name, (spec, game) in ORDERS.items():
            made.append(Measurement(f"order-{name}", play_alone, {"agent": spec, "game": game.name, "seed": plan.seed}))
        return made

    def content(self, found: StudyResults) -> Content:
        seats = {game: results_by_seat(found, game.name) for game in STAGES}
        assessed = assessment.assess(rows())
        orders, finding = _orders(found)
        drawn, said = _drawn()
        figures = [figure for game in STAGES for figure in (*_pictures(game, found), _matrix(game, seats[game]))]
        sections = [
            Section("Figures: matches and matrices", tuple(figures)),
            Section("Tables that draw", (drawn,)),
            Section("Move order decides", (orders,)),
        ]
        lead = (
            "Every player of the report’s printed program, with its errors, as first player (rows) against every "
            "player as second (columns), compared with the published shares and with the same players without the "
            "errors. Games between deterministic players are identical, as the report notes."
        )
        labels = ("game", "first", "second", "its note")
        return assessment.report_content(found, lead, labels, assessed, _this_run(seats), [*said, *finding], sections)


def _this_run(seats: Mapping[Game, Seats]) -> assessment.Here:
    here = {}
    for row in published("r3_stated"):
        board, names = game_named(row["game"]), (row["first"], row["second"])
        known = _players(board)
        fixed = [FIXED[name] if FIXED.get(name) in known else name for name in names]
        here[f"{board.name} {names[0]} – {names[1]}"] = as_first(seats[board], *names), as_first(seats[board], *fixed)
    return here


def _matrix(game: Game, seats: Seats) -> Figure:
    names = ["Easy", "Medium", "Minimax", QLEARNING]
    cells = {
        (names.index(a), names.index(b)): Shares(s.wins, s.draws, s.losses)
        for (a, b), s in seats.items() if a in names and b in names
    }  # fmt: skip
    quotes = {
        (names.index(row["first"]), names.index(row["second"])): " / ".join(row[name] or "–" for name in COLUMNS)
        for row in published("r3_stated") if row["game"] == game.name
    }  # fmt: skip
    return share_matrix(f"r3-{game.name}-matrix", f"{game.title}: outcome shares", names, cells, quotes)


def _pictures(game: Game, found: StudyResults) -> list[Figure]:
    """Draw a match of Medium against minimax during play and at its end, as in the report."""
    labels = found.labels(game.name)
    for record in found.records(game.name):
        names = [labels.get(spec, spec) for spec in (record.first, record.second)]
        if names == ["Medium", "Minimax"]:
            frames = []
            for ply in sorted({max(1, len(record.moves) * part // 6) for part in range(1, 7)}):
                position, move = Position.start(game, record.moves[:ply]), record.moves[ply - 1]
                when = "after play" if ply == len(record.moves) else "during play"
                frames.append(
                    StripFrame(position, move, names[(ply - 1) % 2], format_moves(game, (move,)), when, ply=ply)
                )
            title = f"{game.title}: Medium against minimax"
            return [film_strip(f"r3-{game.name}-match", title, frames, "From this run.", "when")]
    return []


def _drawn() -> tuple[Table, list[str]]:
    """Count, by training, the shipped trainings that give the published results of repeated games."""
    made: list[tuple[Cell, ...]] = []
    runs = shipped_runs("r3")
    wanted = [("tictactoe", a, b, 1) for a, b in DRAWN] + [("connect4", QLEARNING, QLEARNING, 2)]
    said = []
    for game, a, b, place in wanted:
        for name in TRAININGS[game]:
            sample = runs[f"{game}, {name} / {a} – {b}"]
            count = sum(run.counts[place] == run.games for run in sample.runs)
            result = ("first player wins", "draw", "second player wins")[place]
            made.append((game, f"{a} – {b}", result, name, count, len(sample.runs)))
            if name in STAGES.values() and a == b:
                said.append(
                    f"{count} of {len(sample.runs)} trainings ({name}) give R3’s published {a} – {b} of {game}: always "
                    f"{'drawn' if place == 1 else 'won by the second player'}."
                )
    heads = "game | players | in all 100 games | training | trainings:count | of:count"
    note = "Each training has its own seed; a single trained table says little about the program."
    return table("r3-drawn", "Trainings with the published result in every game", heads, made, note), said


def _orders(found: StudyResults) -> tuple[Table, list[str]]:
    """Tabulate minimax against itself by move order."""
    made: list[tuple[Cell, ...]] = []
    for name, (spec, game) in ORDERS.items():
        measured = found.measured(f"order-{name}")
        if measured is not None:
            made.append((game.title, name, measured["moves"], measured["plies"], measured["result"], spec))
    heads = "game | minimax against itself | moves, from 0 | plies:count | result | player"
    drawn = table("r3-orders", "The same search with other move orders", heads, made or [("–",) * 6])
    results = {str(row[1]): row for row in made}
    printed, left = results.get("Connect 4, as printed"), results.get("Connect 4, from the left")
    if printed is None or left is None:
        return drawn, []
    return drawn, [
        f"Move order decides the winner: R3’s Connect 4 minimax against itself ends with {printed[4]} after "
        f"{printed[3]} plies as printed, and with {left[4]} after {left[3]} plies if moves are tried from the left."
    ]


@measurement("train_in_stages")
def train_in_stages(settings: dict[str, Any]) -> Measured:
    """Train R3's learner in ``stages`` of opponent, games and exploration, one table throughout, and save it."""
    from inarow.models.files import save
    from inarow.reproductions.distributions import train

    board = game_named(settings["game"])
    stages = [(who, games, rate) for who, games, rate in settings["stages"]]
    learner, tally = train(settings["trainer"], board, stages, settings["seed"])
    path = Path(settings["model"])
    path.parent.mkdir(exist_ok=True)
    played = sum(games for _, games, _ in stages)
    header = {
        "kind": learner.kind, "game": board.name, "spec": settings["trainer"], "seed": settings["seed"],
        "episodes": played, "model": learner.header(), "history": [], "timing": [],
    }  # fmt: skip
    save(path, header, learner.arrays(slim=True))
    entries = learner.size()["entries"]
    return Measured({"last_stage": tally, "verdict": f"trained on {played:,} games; {entries:,} entries"}, {})


@measurement("play_alone")
def play_alone(settings: dict[str, Any]) -> Measured:
    """Play one match of ``agent`` against itself."""
    from inarow.agents import agent
    from inarow.match import play_match

    player = agent(settings["agent"])
    record = play_match(game_named(settings["game"]), player, player, seed=settings["seed"])
    result = "a draw" if record.result == "draw" else f"a win of the {record.result} player"
    moves = " ".join(map(str, record.moves))
    return Measured({"moves": moves, "plies": len(record.moves), "result": result, "verdict": result}, {})
