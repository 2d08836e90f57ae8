"""The engine in the browser answers as the library does: positions, scores, sentences, moves, recorded searches."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page

from inarow.agents import agent
from inarow.errors import InarowError
from inarow.frontend import STATIC
from inarow.match.record import parse_records, record_text
from inarow.models.network import Network
from inarow.play import Session, Setup
from inarow.play.setup import Starts
from inarow.randomness import Stream, derive
from inarow.rules import TICTACTOE, Position, game
from inarow.stopping import Stop
from inarow.tracing import trace
from inarow.training.ntuple import NTuple
from inarow.training.opponents import Stage
from inarow.training.qlearning import QLearning
from inarow.web.data import known_positions, local_data
from support import page_answers
from support.static_files import served

PAGE = """<!doctype html><html><link rel="icon" href="data:,"><p id="banner"></p>
<script type="module" src="static/js/engine.js"></script></html>"""
ASK = """async ([name, ...given]) => {
  const { engine } = await import(new URL("static/js/engine.js", location));
  return engine[name](...given);
}"""
PLAY = """async (setup) => {
  const { engine } = await import(new URL("static/js/engine.js", location));
  const { id } = await engine.startMatch({ delay: 0, ...setup });
  const ended = (end) => (state) => (state.series_over || state.failure) && end(state);
  const state = await new Promise((end) => engine.followMatch(id, ended(end), (problem) => problem && end(problem)));
  return { ...state, file: await engine.saved(id) };
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page with the local engine, its modules as they are."""
    root = tmp_path_factory.mktemp("local")
    (root / "index.html").write_text(PAGE, encoding="utf-8")
    (root / "static").symlink_to(STATIC)
    for name, content in local_data().items():
        path = root / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    with served(root) as address:
        page = browser.new_page()
        page.goto(address)
        yield page
        page.close()


def ask(page: Page, name: str, *given: Any) -> Any:
    return page.evaluate(ASK, [name, *given])


def answer(ask: Callable[[], Any]) -> Any:
    """What an engine answers, or the sentence by which it refuses."""
    try:
        return ask()
    except (InarowError, Error) as error:
        return str(error).removeprefix("Page.evaluate: EngineError: ").split("\n")[0]


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def random_moves(board: str, plies: int, stream: Stream) -> list[int]:
    """A game of so many plies that is not over."""
    while True:
        position, moves = Position.start(game(board)), list[int]()
        while position.outcome() is None and position.ply < plies:
            moves.append(stream.choice(position.legal_moves()))
            position = position.play(moves[-1])
        if position.outcome() is None:
            return moves


ROWS = [".......", ".......", ".......", ".......", "...OO..", "..XXX.."]


@pytest.mark.parametrize(
    "question",
    [
        {"game": "connect4", "moves": [3, 3, 2, 4]},
        {"game": "connect4", "moves": [0, 1, 0, 1, 0, 1, 0]},
        {"game": "tictactoe", "text": "519"},
        {"game": "12x4x4", "text": "12,3,7"},
        {"game": "connect4", "text": "4453 -2"},
        {"game": "connect4", "text": "0,3,3"},
        {"game": "connect4", "rows": ROWS},
        {"game": "connect4", "text": "/".join(ROWS)},
        {"game": "5x4x4-misere", "moves": [0, 1, 0, 1, 0, 1, 0]},
        {"game": "connect4", "moves": [0] * 7},
        {"game": "connect4", "moves": [7]},
        {"game": "tictactoe", "moves": [4, 4]},
        {"game": "tictactoe", "moves": [0, 3, 1, 4, 2, 5]},
        {"game": "connect4", "text": "44444445"},
        {"game": "connect4", "text": "banana"},
        {"game": "connect4", "rows": [*["......."] * 4, "X......", "O......"]},
        {"game": "connect4", "rows": [*["......."] * 5, "XX....."]},
        {"game": "connect4", "rows": [*["......."] * 4, "X......", "......."]},
        {"game": "connect4", "rows": ["....", "...."]},
        {"game": "20x20x4", "moves": []},
        {"game": "3x3x9", "moves": []},
    ],
)
def test_positions_are_read_and_refused_alike(page: Page, question: dict[str, Any]) -> None:
    wanted = answer(lambda: as_json(page_answers.position_info(*page_answers.read_position(question))))
    assert answer(lambda: ask(page, "position", question)) == wanted


@pytest.mark.parametrize("board", ["connect4", "5x4x4", "4x4x3-free", "tictactoe", "5x4x4-misere", "6x4x4-cylinder"])
def test_scores_lines_and_reasons_are_those_of_the_solver(page: Page, board: str) -> None:
    stream = Stream(len(board))
    for _ in range(4):
        moves = random_moves(board, (20 if board == "connect4" else 2) + stream.below(5), stream)
        found = ask(page, "solve", {"game": board, "moves": moves, "seconds": 60, "line": True})
        for name in ("nodes", "seconds", "seconds_left"):
            del found[name]
        assert found == as_json(page_answers.solution(board, moves))


def test_the_book_answers_early_positions(page: Page) -> None:
    found = ask(page, "solve", {"game": "connect4", "moves": [3, 3], "seconds": 60})
    assert (found["solved"], found["nodes"], found["words"]) == (True, 0, "win in 20 moves")


def test_a_match_is_reviewed_as_in_python(page: Page) -> None:
    moves = (3, 3, 3, 3, 3, 2, 2, 2, 2, 4, 4, 4, 4, 2, 4, 0)
    wanted = as_json(page_answers.review("connect4", moves, 12))
    assert ask(page, "review", {"game": "connect4", "moves": moves, "first": 12, "seconds": 60}) == wanted


@pytest.mark.parametrize(
    ("board", "one", "two"),
    [
        ("connect4", "rules", "mcts:simulations=300"),
        ("tictactoe", "rules:style=corners", "mcts:simulations=100,rollouts=rules"),
        ("5x4x4-misere", "random", "mcts:simulations=50"),
        ("connect4", "greedy", "alphabeta:depth=4,eval=lines,ordering=history,ties=random"),
        ("4x4x3-free", "random", "alphabeta:depth=3,tt=on,tt_mb=4,symmetry=on"),
        ("tictactoe", "minimax:depth=3", "perfect:error=0.2"),
        ("connect4", "ntuple", "alphabeta:depth=2,eval=ntuple"),
        ("connect4", "best:level=4", "qlearning"),
        (
            "connect4",
            "mcts:simulations=60,prior=ntuple",
            "mcts:simulations=60,prior=ntuple,leaf=ntuple,temperature=0.5",
        ),
        ("tictactoe", "mcts:simulations=60,leaf=windows(three=7)", "mcts:simulations=20,prior=ntuple,reuse_tree=off"),
        ("5x4x4", "mcts:simulations=80,solver=on", "mcts:simulations=60,leaf=lines"),
        ("connect4", "greedy:eval=ntuple", "mcts:simulations=20,solver=on"),
        ("tictactoe", "qlearning:guide=rules,noise=0.2", "rules"),
        ("5x4x4", "rules", "best:seconds=unlimited,nodes=2000"),
    ],
)
def test_a_seed_gives_the_same_match_as_in_python(page: Page, board: str, one: str, two: str) -> None:
    found = page.evaluate(PLAY, {"game": board, "one": one, "two": two, "seed": 5, "starts": "random", "matches": 2})
    session = Session(
        Setup(game(board), (agent(one), agent(two)), seed=5, delay=0, pause=0, starts=Starts.RANDOM, matches=2)
    )
    while not session.series_over:
        session.update()
        session.wait(0.01)
    assert found["failure"] is None
    for mine, other in zip(found["played"], session.played, strict=True):
        assert other.decision is not None
        assert (mine["move"], mine["value"]) == (other.move, other.decision.value)
    assert found["score"] == list(session.tally)
    assert [record.moves for record in parse_records(found["file"], "it")] == [one.moves for one in session.records()]


@pytest.mark.parametrize(
    ("board", "moves", "spec", "events"),
    [
        ("tictactoe", [], "mcts:simulations=60", 5000),
        ("connect4", [3, 3], "mcts:simulations=80", 150),
        ("tictactoe", [4], "minimax:depth=3", 5000),
        ("connect4", [3, 3], "alphabeta:depth=3,ordering=threats,tt=on", 5000),
        ("connect4", [3, 3], "alphabeta:depth=2,eval=ntuple", 5000),
        ("connect4", [3, 3], "mcts:simulations=40,prior=ntuple,leaf=ntuple", 5000),
        ("tictactoe", [4], "mcts:simulations=40,leaf=windows", 5000),
    ],
)
def test_a_recorded_search_is_the_same_as_in_python(
    page: Page, board: str, moves: list[int], spec: str, events: int
) -> None:
    script = ASK.replace("(...given)", "(...given, new AbortController().signal, () => {})")
    asked = {"game": board, "moves": moves, "agent": spec, "events": events, "seed": 3}
    found = page.evaluate(script, ["trace", asked])
    wanted = trace(Position.start(game(board), moves), agent(spec), events=events, seed=3)
    info = found["info"]
    assert (info["length"], info["node_count"], info["truncated"]) == (len(wanted), wanted.nodes, wanted.truncated)
    assert (info["whole"] is None) == (wanted.decision is not None)
    assert found["pages"] == [as_json(page_answers.trace_page(wanted))]


@pytest.mark.parametrize(
    "question",
    [
        {"algorithm": "minimax", "tree": "((3 12 8) (2 4 6) (14 5 2))"},
        {"algorithm": "alphabeta", "tree": "start(left(−1 2.5) (0 B(7 1.0625) [3; 0.5]))", "root": "min"},
        {"algorithm": "uct", "tree": "((1 1 0) (0 0 1))", "simulations": 30, "exploration": 0},
        {"algorithm": "uct", "tree": "((10 -4) ((0 3) 7))", "simulations": 12, "seed": 5},
        {"algorithm": "alphabeta", "difficulty": "hard", "seed": 7},
        {"algorithm": "uct", "difficulty": "easy", "seed": 3, "root": "min"},
        {"algorithm": "minimax", "tree": "((3 12"},
        {"algorithm": "minimax", "tree": "A(B(1 2) B(3 4))"},
        {"algorithm": "minimax", "tree": "((1 2) %)"},
        {"algorithm": "minimax", "tree": "7"},
        {"algorithm": "minimax", "tree": "(" * 14},
        {"algorithm": "minimax", "tree": "(" + "1 " * 301 + ")"},
    ],
)
def test_exam_trees_are_the_same_as_in_python(page: Page, question: dict[str, Any]) -> None:
    wanted = answer(lambda: as_json(page_answers.exam(question)))
    assert (
        answer(lambda: page.evaluate(ASK.replace("(...given)", "(...given, undefined)"), ["examTree", question]))
        == wanted
    )


THINK = """async (question) => {
  const { engine } = await import(new URL("static/js/engine.js", location));
  const frames = [];
  return new Promise((end) => engine.think(question, (frame) => frames.push(frame), () => end(frames)));
}"""


def test_agents_think_next_to_the_truth_and_are_judged(page: Page) -> None:
    moves = [3, 3, 3, 3, 3, 2, 2, 2, 2, 4, 4, 4, 4, 2]
    specs = ["alphabeta:depth=2", "nobody", "minimax:nodes=2000"]
    frames = page.evaluate(THINK, {"game": "connect4", "moves": moves, "agents": specs})
    assert frames[-1]["finished"]
    (truth,) = [frame["truth"] for frame in frames if frame["truth"]]
    done = [frame["mind"] for frame in frames if frame["mind"] and frame["mind"]["done"]]
    judged = [frame["judgement"] for frame in frames if frame["judgement"]]
    position = Position.start(game("connect4"), moves)
    decision, cut = (
        agent(spec).start(position.game, position.to_move, 0).decide(position) for spec in specs if spec != "nobody"
    )
    done.sort(key=lambda one: one["agent"])
    assert [(one["move"], one["value"]) for one in done] == [(one.move, one.value) for one in (decision, cut)]
    assert [one["earlier"] for one in done] == [
        {},
        {str(move): value for move, value in cut.by_move["earlier"].items()},
    ]
    judged.sort(key=lambda one: one["agent"])
    assert judged[0]["right"] == (truth["moves"][str(decision.move)]["verdict"] == truth["verdict"])
    assert next(frame["problem"] for frame in frames if frame["agent"] == 1).startswith("unknown agent")


def test_a_learner_learns_answers_and_shows_its_updates(page: Page) -> None:
    script = """async (request) => {
      const { engine } = await import(new URL("static/js/engine.js", location));
      return new Promise((end) => {
        const training = engine.learn(request, (frame) => {
          if (frame.episodes > 2000 && frame.reply === null) training.send({ moves: [0, 3, 1, 4], reply: true });
          if (frame.ended || frame.reply !== null) end((training.close(), frame));
        }, () => {});
      });
    }"""
    found = page.evaluate(script, {"game": "tictactoe", "alpha": 0.5, "epsilon": 0.5, "seed": 1})
    assert found["reply"] == 2
    assert found["shown"]["moves"] == [0, 3, 1, 4]
    assert found["shown"]["values"]["2"] > 0.9
    last = found["updates"][0]
    assert last["new"] == pytest.approx(last["old"] + 0.5 * (last["target"] - last["old"]), abs=1e-6)


def expect_two_workers(page: Page) -> None:
    for _ in range(1000):  # the browser tells later of those that ended
        if len(page.workers) != 2:
            page.wait_for_timeout(10)
    assert len(page.workers) == 2


def test_five_agents_share_two_workers_and_a_cancelled_one_is_replaced(page: Page) -> None:
    page.reload()
    for _ in range(2):
        frames = page.evaluate(THINK, {"game": "connect4", "moves": [3, 3], "agents": ["mcts:simulations=90"] * 5})
        minds = [frame["mind"] for frame in frames if frame["mind"]]
        assert sorted(mind["agent"] for mind in minds if mind["done"]) == [0, 1, 2, 3, 4]
        expect_two_workers(page)
    script = """async () => {
      const { engine } = await import(new URL("static/js/engine.js", location));
      const stop = new AbortController();
      const solving = engine.solve({ game: "7x7x4", moves: [], seconds: 60 }, stop.signal);
      setTimeout(() => stop.abort(), 200);
      const ended = await solving.catch((error) => error.name);
      return [ended, (await engine.solve({ game: "connect4", moves: [3, 3], seconds: 60 })).words];
    }"""
    with page.expect_worker():
        assert page.evaluate(script) == ["AbortError", "win in 20 moves"]
    expect_two_workers(page)


def test_tables_are_cut_to_the_memory_and_the_card_says_so(page: Page) -> None:
    specs = ["mcts:simulations=90", "mcts:simulations=90,tree_mb=8", "alphabeta:depth=2,tt=on,tt_mb=4096"]
    frames = page.evaluate(THINK, {"game": "connect4", "moves": [3, 3], "agents": specs})
    done = [frame["mind"] for frame in frames if frame["mind"] and frame["mind"]["done"]]
    notes = {mind["agent"]: mind["note"] for mind in done}
    assert notes == {
        0: "Here tree_mb is 24: the page saves memory.",
        1: "",
        2: "Here tt_mb is 32: the page saves memory.",
    }


def test_a_small_game_is_learnt_as_in_python(page: Page) -> None:
    script = """async (request) => {
      const { engine } = await import(new URL("static/js/engine.js", location));
      return new Promise((end) => {
        const training = engine.learn(request, (frame) => {
          if (frame.ended || frame.episodes) end((training.close(), frame));
        }, () => {});
      });
    }"""
    found = page.evaluate(script, {"game": "tictactoe", "alpha": 0.5, "epsilon": 0.3, "seed": 3})
    learner = QLearning(alpha=0.5, epsilon=0.3, opening_plies=0).learner(TICTACTOE, 3, 1 << 40)
    learner.run(Stage(("self",)), found["episodes"] - 1, Stop())
    updates = learner.observe()
    values, _, known = learner.table.judge(Position.start(TICTACTOE))
    assert {int(move): value for move, value in found["shown"]["values"].items()} == values
    assert (found["shown"]["known"], found["entries"]) == (known, learner.size()["entries"])
    assert [(one["position"]["moves"], one["move"], one["old"], one["new"]) for one in found["updates"]] == [
        ([*one.moves], one.move, one.old, one.new) for one in updates
    ]
    assert any(one.new for one in updates)


@pytest.mark.parametrize("board", ["5x4x4", "4x4x3-free"])
def test_a_board_without_shipped_positions_is_measured_by_those_that_python_draws(page: Page, board: str) -> None:
    script = """async (name) => {
      const { engine } = await import(new URL("static/js/engine.js", location));
      const { Game } = await import(new URL("static/js/rules.js", location));
      await engine.ready();
      const known = await engine.sampled(Game.of(name), new AbortController().signal);
      const score = await new Promise((end) => {
        const request = { game: name, alpha: 0.1, epsilon: 0.3, seed: 3 };
        const hear = ({ score }) => score !== null && end((training.close(), score));
        const training = engine.learn(request, hear, () => {});
      });
      return [known, score];
    }"""
    known, score = page.evaluate(script, board)
    assert sorted(map(tuple, known)) == sorted(known_positions(game(board)))
    assert 0 <= score <= 1


def test_a_network_is_trained_in_the_browser(page: Page) -> None:
    script = """async (request) => {
      const { engine } = await import(new URL("static/js/engine.js", location));
      return new Promise((end) => {
        const frames = [];
        const training = engine.learn(request, (frame) => {
          frames.push(frame);
          if (frame.ended || frame.episodes > 3000) end((training.close(), frames));
        }, () => {});
      });
    }"""
    plan = NTuple(alpha=0.026, epsilon=0.05)
    learner = plan.learner(TICTACTOE, 3, 5_000_000)
    frames = page.evaluate(script, {"kind": "ntuple", "game": "tictactoe", "alpha": 0.026, "epsilon": 0.05, "seed": 3})
    learner.run(Stage(("self",)), frames[-1]["episodes"], Stop())
    start = Position.start(TICTACTOE)
    found = {int(move): value for move, value in frames[-1]["shown"]["values"].items()}
    assert found == pytest.approx(learner.played.judge(start), abs=1e-5)
    assert frames[-1]["entries"] == learner.size()["entries"]
    assert frames[0]["score"] is not None
    for board, sentence in (
        ("6x9x5", "A network for 6x9x5 has 8,128,449 weights; this page trains 8,000,000 at most."),
        ("4x12x4", "A network for a board where stones fall has 10 rows at most; 4x12x4 has 12."),
    ):
        refused = page.evaluate(script, {"kind": "ntuple", "game": board, "alpha": 0.1, "epsilon": 0.1})
        assert refused[-1] == {"ended": sentence}


@pytest.mark.parametrize("board", ["connect4", "6x5x4", "4x4x3-free", "9x6x4", "3x9x3"])
def test_networks_have_the_layout_of_python_on_every_board(page: Page, board: str) -> None:
    script = """async (name) => {
      const { engine } = await import(new URL("static/js/engine.js", location));
      const { Game } = await import(new URL("static/js/rules.js", location));
      const { untrained } = await import(new URL("static/js/layout.js", location));
      await engine.ready();
      const { cells, layout } = Game.of(name);
      const { fields, tables, images } = untrained(engine.kernels, { name, cells, layout }).parts;
      return [fields.map(String), [...tables], images.map(String)];
    }"""
    fields, tables, images = page.evaluate(script, board)
    network = Network(NTuple().layout(game(board), 0))
    record = network.rules.__struct__  # type: ignore[attr-defined]
    assert dict(zip([name for name, *_ in record.fields], map(int, fields), strict=True)) == {
        name: int(getattr(network.rules, name)) for name, *_ in record.fields
    }
    assert tables == network.layout.tables.tolist()
    bits = network.game.cell_bits
    assert [int(image) for image in images] == [sum(bits[cell] for cell in image) for image in network.layout.images]


def test_a_networks_values_are_taken_apart_as_in_python(page: Page) -> None:
    for board, moves in (("connect4", [3, 3, 2, 4, 1, 5]), ("connect4", [3, 0, 3, 1]), ("tictactoe", [4, 0])):
        frames = page.evaluate(THINK, {"game": board, "moves": moves, "agents": ["ntuple"]})
        shown = next(frame["mind"] for frame in frames if frame["mind"])
        settled, wanted = page_answers.network_parts(Position.start(game(board), moves))
        assert {int(move): said for move, said in shown["settled"].items()} == settled
        for move, parts in wanted.items():
            for one, other in zip(shown["parts"][str(move)], parts, strict=True):
                assert one == {**other, "share": pytest.approx(other["share"], abs=2e-5)}


def test_records_are_read_and_written_alike(page: Page) -> None:
    moves = [3, 3, 2, 2, 1, 1, 0]
    text = ask(page, "record", {"game": "connect4", "moves": moves, "first": "Ada", "second": "rules"})
    assert text == record_text(
        page_answers.record_of(Position.start(game("connect4"), moves), tuple(moves), "Ada", "rules")
    )
    assert ask(page, "records", text)[0] == {
        "game": "connect4", "moves": moves, "opening": 0, "first": "Ada", "second": "rules", "result": "first",
    }  # fmt: skip
    with pytest.raises(Error, match="the file, line 1: the tag First is missing"):
        ask(page, "records", '[Game "connect4"]')


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("startMatch", {"game": "connect4", "two": "nobody"}, "unknown agent 'nobody'; known: random, rules"),
        ("startMatch", {"game": "connect4", "two": "mine.py"}, "agents in files need the server"),
        ("startMatch", {"game": "connect4", "two": "r1-minimax"}, "agent r1-minimax needs the server"),
        ("startMatch", {"game": "connect4", "two": "alphabeta:depth=x"}, "agent alphabeta: depth=x is not an integer"),
        (
            "startMatch",
            {"game": "5x4x4-misere", "two": "rules"},
            "agent rules does not support misère games such as 5x4x4-misere",
        ),
        ("solve", {"game": "connect4", "moves": [0, 1, 0, 1, 0, 1, 0]}, "there is nothing to solve"),
        ("share", "own-1", "A link for a friend needs the server"),
        ("decide", {"spec": "r1-minimax"}, "agent r1-minimax needs the server"),
        ("storedMatch", 0, "This match is not in the example"),
        ("match", "gone", "this session does not exist or has expired"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(page: Page, name: str, given: Any, sentence: str) -> None:
    with pytest.raises(Error, match=sentence):
        ask(page, name, {"one": "human", **given} if name == "startMatch" else given)


def test_seeds_are_derived_as_in_python(page: Page) -> None:
    script = """async (names) => {
      const { derive } = await import(new URL("static/js/seeds.js", location));
      return names.map(([seed, ...rest]) => String(derive(seed, ...rest)));
    }"""
    names: list[list[Any]] = [[0, "mind", 1], [7, "lot", 0], [2**31 - 1, "a name that is rather long", 12345]]
    assert page.evaluate(script, names) == [str(derive(*one)) for one in names]
