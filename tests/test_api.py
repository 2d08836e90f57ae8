"""``import inarow`` gives what people need: quick to import, by values or by texts, drawn in a notebook."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inarow
from inarow.agents import agent
from inarow.drawing.svg import draw_svg
from inarow.match import Termination
from inarow.randomness import Stream
from inarow.rules import CONNECT4, TICTACTOE, parse_moves
from inarow.solver import Oracle, Unsolved
from inarow.training import trainer


@dataclass(frozen=True)
class Last(inarow.Agent):
    """An agent of one's own."""

    name = "last"
    summary = "the last legal move"

    def mind(self, game: inarow.Game, player: inarow.Player, seed: int) -> inarow.Mind:
        return LastMind()


class LastMind(inarow.Mind):
    def think(self, position: inarow.Position, limit: inarow.Limit, stop: object) -> inarow.Decision:
        return inarow.Decision(position.legal_moves()[-1])


class TestNames:
    def test_every_public_name_is_there_and_documented(self) -> None:
        for name in inarow.__all__:
            value = getattr(inarow, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                assert value.__doc__, f"inarow.{name} has no docstring"
        assert set(inarow.__all__) <= set(dir(inarow))

    def test_type_checkers_see_the_names_that_python_loads(self) -> None:
        tree = ast.parse(Path(inarow.__file__).read_text(encoding="utf-8"))
        checked = {
            (node.module, name.name)
            for branch in tree.body
            if isinstance(branch, ast.If)
            for node in branch.body
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        }
        loaded = {(module, name) for module, names in inarow._NAMES.items() for name in names.split()}
        assert checked == loaded
        assert sorted({*(name for _, name in loaded), "__version__"}) == sorted(inarow.__all__)

    def test_a_name_that_does_not_exist_is_an_attribute_error(self) -> None:
        with pytest.raises(AttributeError, match="module 'inarow' has no attribute 'sovle'"):
            _ = inarow.sovle  # type: ignore[attr-defined]

    def test_the_import_loads_nothing_heavy(self) -> None:
        script = (
            "import sys, inarow; dir(inarow)\n"
            "assert not {'numpy', 'llvmlite', 'matplotlib', 'rich'} & set(sys.modules), sorted(sys.modules)\n"
            "inarow.position('connect4', '44'), inarow.agent('rules')\n"
            "assert not {'matplotlib', 'scipy'} & set(sys.modules), sorted(sys.modules)\n"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


class TestPositions:
    def test_a_position_is_given_by_moves_by_ints_or_by_a_drawing(self) -> None:
        wanted = inarow.Position.start(TICTACTOE, (0, 4))
        for given in ("15", "1 5", (0, 4), [0, 4], "X../.O./...", "X . .\n. O .\n. . ."):
            assert inarow.position("tictactoe", given) == wanted
        assert inarow.position(TICTACTOE) == inarow.Position.start(TICTACTOE)

    @pytest.mark.parametrize("name", ["tictactoe", "connect4", "5x4x4", "4x4x3-free"])
    def test_what_a_position_prints_makes_it_again(self, name: str) -> None:
        stream = Stream(3)
        position = inarow.position(name)
        while position.outcome() is None:
            assert eval(repr(position), {"position": inarow.position}) == position
            position = position.play(stream.choice(position.legal_moves()))
        assert eval(repr(position), {"position": inarow.position}) == position

    def test_what_is_left_over_beside_a_position_is_an_error(self) -> None:
        position = inarow.position("connect4", "4455")
        record = inarow.play_match("tictactoe", "random", "random")
        left_over: list[tuple[Any, tuple[Any, ...]]] = [
            (inarow.decide, (position, "9", "rules")),
            (inarow.decide, (position, "45", "rules")),
            (inarow.decide, (position, "", "rules")),
            (inarow.solve, (position, "9")),
            (inarow.watch, (position, "45", "minimax:depth=1")),
        ]
        for function, given in left_over:
            name = function.__name__
            with pytest.raises(
                inarow.InarowError, match=rf"^got a position and the moves '.*'; write {name}\(position"
            ):
                function(*given)
        with pytest.raises(inarow.InarowError, match="a record is shown as it is; write watch"):
            inarow.watch(record, "45")  # type: ignore[call-overload]
        twice: list[tuple[Any, tuple[Any, ...]]] = [
            (inarow.position, ()),
            (inarow.solve, ()),
            (inarow.decide, ("rules",)),
        ]
        for function, given in twice:
            with pytest.raises(inarow.NotationError, match=r"expected moves as a string .*; got position"):
                function("connect4", position, *given)

    @pytest.mark.parametrize(
        ("moves", "reason"),
        [
            ("48", "'8' is not a column of connect4; give a number from 1 to 7"),
            ((9,), "move 9 is out of range: connect4 has columns 0 to 6"),
            (5, "expected moves as a string that counts from 1, such as '4455', or as ints .*; got 5"),
            ([True], "expected moves .*; got .True."),
            ("X../...", "rows"),
        ],
    )
    def test_what_is_wrong_with_a_text_is_an_inarow_error(self, moves: str, reason: str) -> None:
        with pytest.raises(inarow.InarowError, match=reason):
            inarow.position("connect4", moves)
        with pytest.raises(inarow.InarowError, match=reason):
            inarow.solve("connect4", moves)

    @pytest.mark.parametrize("name", ["tictactoe", "connect4", "5x4x4"])
    def test_children_and_planes_are_those_of_the_rules(self, name: str) -> None:
        position = inarow.position(name, "12")
        assert [move for move, _ in position.children()] == list(position.legal_moves())
        assert all(child == position.play(move) for move, child in position.children())
        planes = position.to_array()
        for row, cells in enumerate(position.grid()):
            for column, stone in enumerate(cells):
                assert planes[:, row, column].tolist() == [stone is position.to_move, stone is position.to_move.other]

    def test_moves_are_integers_of_any_type(self) -> None:
        moves = np.array([3, 3, 4])
        assert inarow.position("connect4", moves) == inarow.position("connect4", "445")
        assert inarow.decide("connect4", moves, "random").position == inarow.position("connect4", moves)
        assert inarow.play_match("connect4", "random", "random", opening=moves).opening == (3, 3, 4)

    @pytest.mark.parametrize(
        ("function", "given", "reason"),
        [
            (inarow.agent, (Last,), "class '.*Last'> is not an agent; .*; an instance was meant: Last()"),
            (inarow.play_series, ("connect4", Last, "random"), "an instance was meant"),
            (inarow.Tournament.of, ("connect4", ["random", Last]), "an instance was meant"),
            (inarow.agent, (3,), "3 is not an agent; give a spec such as 'rules', or an Agent"),
            (inarow.game, (4,), "4 is not a game; give a name such as 'connect4', or a Game"),
            (inarow.Oracle, (4,), "4 is not a game"),
            (inarow.Tournament.of, ("connect4", "rules"), r"agents must be a list such as .*, got 'rules'"),
            (inarow.play_tournament, ("tictactoe",), "tournament must be a Tournament, as .*, got 'tictactoe'"),
            (inarow.run_study, (None,), "study must be the name of a study, or a Study, got None"),
            (inarow.load, ("",), "path must be a path, .*, got ''"),
        ],
    )
    def test_a_value_of_a_wrong_type_gets_a_sentence(self, function: Any, given: tuple[object], reason: str) -> None:
        with pytest.raises(inarow.InarowError, match=reason):
            function(*given)

    @pytest.mark.parametrize(
        ("call", "reason"),
        [
            ({"limit": 1}, "limit must be a Limit, such as Limit.seconds=1., got 1"),
            ({"limit": inarow.Limit}, "limit must be a Limit.*; an instance was meant: Limit.…."),
            ({"seed": "x"}, "seed must be an integer, got 'x'"),
            ({"seed": True}, "seed must be an integer, got True"),
            ({"matches": 2.5}, "matches must be an integer from 1 to 10,000,000, got 2.5"),
            ({"swap": "off"}, "swap must be True or False, got 'off'"),
            ({"progress": 5}, "progress must be a function or None, got 5"),
            ({"openings": 4}, "openings must be openings such as 'random:4', got 4"),
        ],
    )
    def test_a_wrong_option_gets_a_sentence(self, call: dict[str, Any], reason: str) -> None:
        with pytest.raises(inarow.InarowError, match=f"^{reason}$"):
            inarow.play_series("tictactoe", "random", "rules", **call)

    def test_as_many_positions_are_graded_as_there_can_be(self) -> None:
        with pytest.raises(inarow.InarowError, match="positions must be an integer from 0 to 10,000,000, got -5"):
            inarow.grade("tictactoe", "rules", positions=-5)

    def test_an_oracle_takes_the_name_of_a_game_and_moves(self) -> None:
        oracle = inarow.Oracle("tictactoe")
        assert oracle.game == TICTACTOE
        assert oracle.scores("15") == oracle.scores([0, 4]) == oracle.scores(inarow.position("tictactoe", "15"))
        assert oracle.analyse("15").position == inarow.position("tictactoe", "15")
        with pytest.raises(inarow.NotationError, match="'0' is not a cell of tictactoe"):
            oracle.score("10")


class TestDecisions:
    def test_texts_and_values_decide_the_same(self) -> None:
        position = inarow.position("connect4", "4455")
        by_text = inarow.decide("connect4", "4455", "random", seed=5)
        assert by_text.move == inarow.decide(position, agent("random"), seed=5).move
        assert by_text.position == position

    def test_a_limit_is_kept(self) -> None:
        decision = inarow.decide("connect4", "", "mcts:simulations=5000", limit=inarow.Limit(simulations=10))
        assert decision.details["simulations"] == 10

    def test_every_field_of_an_agents_decision_is_kept(self) -> None:
        details = {"leaves": 4}
        given = inarow.Decision(1, 0.5, 7, {1: 0.5}, {"visits": {1: 3}}, 9, 2, (1, 2), 99.0, details, "a note")

        class Full(LastMind):
            def think(self, *_: object) -> inarow.Decision:
                return given

        position = inarow.position("tictactoe")
        decision = Full().decide(position)
        assert decision == given._replace(seconds=decision.seconds, position=position)
        assert decision.seconds < 99

    def test_an_agent_must_be_given(self) -> None:
        with pytest.raises(TypeError, match="no agent was given"):
            inarow.decide("connect4", "44")  # type: ignore[call-overload]

    def test_the_game_must_not_be_over(self) -> None:
        with pytest.raises(inarow.InarowError, match="the game is over"):
            inarow.decide("tictactoe", "15243", "random")


class TestSolving:
    @pytest.mark.parametrize("moves", ["4455", "44455554221"])
    def test_a_solution_is_what_the_oracle_says(self, moves: str) -> None:
        found = inarow.solve("connect4", moves)
        oracle = Oracle(CONNECT4)
        position = inarow.position("connect4", moves)
        assert (found.score, found.verdict) == (oracle.score(position), oracle.verdict(position))
        assert found.scores == oracle.scores(position)
        assert max(found.scores.values()) == found.score
        assert found.best_moves == tuple(m for m, score in found.scores.items() if score == found.score)
        assert found.line is not None
        end = inarow.Position.start(CONNECT4, (*parse_moves(CONNECT4, moves), *found.line))
        outcome = end.outcome()
        assert outcome is not None
        assert outcome.score(position.to_move) == (0.5 if found.score == 0 else float(found.score > 0))
        assert inarow.solve(position).scores == found.scores

    def test_a_limit_leaves_bounds_and_says_so(self) -> None:
        found = inarow.solve("7x7x4", "", limit=inarow.Limit(nodes=100))
        assert found.bounds.low < found.bounds.high
        with pytest.raises(Unsolved, match="not solved within the limit"):
            _ = found.scores
        assert "not solved" in found._repr_html_()


class TestMatches:
    def test_a_match_with_an_agent_of_ones_own(self) -> None:
        record = inarow.play_match("connect4", Last(), "random", opening="44", seed=1)
        assert (record.first, record.second, record.opening) == ("last", "random", (3, 3))
        assert record.termination in (Termination.LINE, Termination.FULL_BOARD)
        assert record.moves == inarow.play_match("connect4", Last(), "random", opening=(3, 3), seed=1).moves

    def test_a_series_is_finished_and_tells_its_progress(self) -> None:
        told: list[tuple[int, int]] = []
        series = inarow.play_series(
            "tictactoe", "rules", Last(), matches=7, seed=2, progress=lambda *now: told.append(now)
        )
        assert series.matches == sum(series.terminations.values()) == 7
        assert told == [(2, 7), (4, 7), (6, 7), (7, 7)]
        again = inarow.play_series("tictactoe", "rules", Last(), matches=7, seed=2)
        assert again.sides[0].to_json() == series.to_json()

    def test_agents_that_would_repeat_themselves_stop_with_a_warning(self) -> None:
        pair = ("minimax:depth=1", "minimax:depth=2")
        with pytest.warns(UserWarning, match=r"used up: 2 of 6 matches count, .*such as openings=.random:4"):
            assert inarow.play_series("tictactoe", *pair, matches=6, openings="none").matches == 2
        with pytest.warns(UserWarning, match=r"used up: 1 of 3 pairs of .* count, .*such as openings=\"random:4\""):
            inarow.play_tournament(inarow.Tournament.of("tictactoe", pair, "none", pairs=3))

    def test_a_tournament_is_kept_and_resumed(self, tmp_path: Path) -> None:
        plan = inarow.Tournament.of("tictactoe", ["random", "rules", Last()], pairs=4, seed=1)
        told: list[tuple[int, int]] = []
        path = tmp_path / "league.db"
        results = inarow.play_tournament(plan, path, progress=lambda *now: told.append(now))
        assert results.matches == 2 * 12
        assert told[-1] == (12, 12)
        again = inarow.play_tournament(plan, str(path), resume=True)
        assert [s.to_json() for s in again.standings()] == [s.to_json() for s in results.standings()]
        with pytest.raises(inarow.InarowError, match="exists"):
            inarow.play_tournament(plan, path)


class TestLearning:
    def test_what_is_trained_plays_and_is_saved(self, tmp_path: Path) -> None:
        told: list[tuple[int, int]] = []
        training = inarow.QLearning(alpha=0.4).learn(
            "tictactoe",
            3_000,
            evaluation_matches=2,
            seed=4,
            progress=lambda *now: told.append(now),
        )
        assert told[-1] == (3_000, 3_000)
        assert training.history[-1]["episodes"] == 3_000
        saved = training.save(tmp_path / "mine.npz")
        assert inarow.load(tmp_path / "mine.npz") == saved
        for moves in ("", "1", "159", "52"):
            here = inarow.decide("tictactoe", moves, training.agent, seed=1)
            assert here.values == inarow.decide("tictactoe", moves, saved, seed=1).values

    def test_a_guided_learner_is_saved_and_loaded_with_its_guide(self, tmp_path: Path) -> None:
        training = inarow.QLearning(guide="rules").learn("3x3x3", 10, evaluate_every=0, evaluation_opponents=[])
        saved = training.save(tmp_path / "mine.npz")
        assert saved.spec.endswith("mine.npz,guide=rules")
        assert inarow.load(tmp_path / "mine.npz") == saved

    def test_a_trained_agent_plays_its_game_only(self) -> None:
        training = inarow.QLearning().learn("3x3x3", 10, evaluation_matches=1)
        with pytest.raises(inarow.InarowError, match="qlearning after 10 episodes was trained on 3x3x3 and can't play"):
            inarow.decide("tictactoe", "", training.agent)

    def test_only_learners_are_trained(self) -> None:
        with pytest.raises(inarow.InarowError, match="'rules' is not a trainer; known: qlearning, ntuple"):
            trainer("rules")

    def test_rates_are_numbers_or_schedules(self) -> None:
        assert inarow.QLearning(alpha=0.3, epsilon="decay(0.5,0.99,0.1)") == trainer(
            "qlearning:alpha=0.3,epsilon=decay(0.5,0.99,0.1)"
        )
        with pytest.raises(inarow.AgentError, match="alpha=2 is not a rate from 0 to 1"):
            inarow.QLearning(alpha=2)

    def test_an_agent_is_graded_by_the_truth(self) -> None:
        perfect, last = inarow.grade("3x3x3", "perfect", matches=1), inarow.grade("3x3x3", Last())
        assert perfect.whole
        assert perfect.accuracy == 1 > last.accuracy == last.total.kept / last.total.moves
        assert perfect.total.kept == perfect.total.moves == last.total.moves > last.total.kept
        assert perfect.against
        assert not last.against

    def test_arguments_are_never_swapped_silently(self) -> None:
        given: list[tuple[Any, Any]] = [(Last(), TICTACTOE), ("random", "3x3x3"), (Last(), "3x3x3")]
        for one, other in given:
            with pytest.raises(inarow.InarowError, match=r"is not a game|unknown game"):
                inarow.grade(one, other)
        with pytest.raises(inarow.InarowError, match="no_such_game"):
            inarow.grade("no_such_game", "random")


def test_a_study_that_can_not_be_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(inarow.InarowError, match=r"workers on \d+ cores must be an integer from 1 to \d+, got 'x'"):
        inarow.run_study("atlas", tmp_path / "out", workers="x")  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()
    with pytest.raises(inarow.InarowError, match="unknown study 'comparee'; did you mean compare"):
        inarow.run_study("comparee", tmp_path / "out")


class TestNotebooks:
    def test_a_position_is_a_picture(self) -> None:
        position = inarow.position("connect4", "44")
        assert position._repr_svg_() == draw_svg(position)

    def test_an_analysis_shows_every_score_and_the_best_play(self) -> None:
        shown = inarow.solve("connect4", "4455")._repr_html_()
        assert all(f">{score}<" in shown for score in ("−4", "−3", "+18", "+2"))
        assert "score +18: first player wins with its 4th disc" in shown
        assert "best play: 342" in shown
        kept = Path(__file__).parents[1] / "docs" / "images" / "analysis.svg"
        assert kept.read_text(encoding="utf-8").strip() in shown, (
            "the picture of docs/api.md has changed; run scripts/readme_picture.py"
        )

    def test_a_decision_shows_the_value_of_every_move(self) -> None:
        decision = inarow.decide("connect4", "4455", "alphabeta:depth=2")
        shown = decision._repr_html_()
        labels = [f"{value:+.2f}".replace("-", "−") for value in decision.values.values()]
        assert all(f">{label}<" in shown for label in labels)
        sizes = re.findall(r'font-size="([\d.]+)"[^>]*>[+−]\d\.\d\d<', shown)
        assert all(float(size) * 0.7 * 5 < 100 for size in sizes), "narrower than a cell, so that no two touch"
        assert len(sizes) == len(labels)
        assert f"move {decision.move + 1}, value" in shown
        assert "<svg" not in inarow.Decision(3)._repr_html_()

    def test_a_record_shows_how_it_ended(self) -> None:
        record = inarow.play_match("tictactoe", "perfect", Last(), seed=3)
        assert f"perfect won (line) after {len(record.all_moves)} moves" in record._repr_html_()

    def test_a_series_shows_both_agents(self) -> None:
        series = inarow.play_series("tictactoe", "perfect", Last(), matches=4)
        shown = series._repr_html_()
        assert "perfect" in shown
        assert "last" in shown
        assert f"4 matches, {series.distinct} of them distinct" in shown
        assert repr(series).startswith("<Series tictactoe: perfect against last, 4 matches, ")

    def test_a_tournament_a_grade_a_rating_and_a_training_are_shown_in_few_words(self) -> None:
        results = inarow.play_tournament(inarow.Tournament.of("tictactoe", ["random", "rules"], pairs=2))
        assert repr(results) == "<Results tictactoe: random, rules, 4 matches>"
        assert all(word in results._repr_html_() for word in ("rules", "Elo (95 %)", "4 matches"))
        best = results.standings()[0]
        assert re.fullmatch(rf"<Standing {best.spec}: 4 matches, {best.counts}, Elo .*>", repr(best))
        assert repr(best.as_first) == f"<Tally {best.spec}: 2 matches, {best.as_first.counts}>"
        grade = inarow.grade("3x2x2", "rules")
        assert repr(grade).startswith("<Grade rules on 3x2x2: ")
        assert "verdict kept (95 %)" in grade._repr_html_()
        placement = inarow.rate("tictactoe", "rules", pairs=4, positions=0)
        assert repr(placement).startswith("<Placement rules on tictactoe: ")
        assert placement.sentence() in unescape(placement._repr_html_())
        training = inarow.QLearning().learn("tictactoe", 10)
        assert repr(training) == "<Training qlearning on tictactoe: 10 episodes>"
