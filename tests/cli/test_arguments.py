"""One order of arguments and one name for openings in all commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.cli.common import optional_game
from inarow.errors import InarowError
from support.commands import inarow, inarow_json

AGENT = "def agent(observation, configuration):\n    return observation.board.index(0) % configuration.columns\n"


def test_the_game_comes_first(tmp_path: Path) -> None:
    assert "unknown game 'rules'" in inarow("grade", "rules", "3x3x2", code=2).stderr
    out = str(tmp_path / "m.npz")
    assert "unknown game 'qlearning'" in inarow("train", "qlearning", "tictactoe", "--out", out, code=2).stderr
    assert "unknown game 'nowhere'" in inarow("grade", "nowhere", "rules", code=2).stderr


def test_check_and_export_take_the_game_first_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "good.py"
    path.write_text(AGENT)
    for words in ([str(path)], ["connect4", str(path)]):
        assert optional_game(words, "FILE") == ("connect4", str(path))
    assert inarow_json("check", "4x3x3", str(path))["game"] == "4x3x3"
    assert "expected [GAME] FILE" in inarow("check", "connect4", str(path), "more", code=2).stderr
    said = inarow("export", "5x4x4", "alphabeta:depth=2", "--out", str(tmp_path / "exported.py")).stdout
    assert "5x4x4" in said


@pytest.mark.parametrize("openings", ["random:3", "moves:44"])
def test_openings_have_one_name(openings: str) -> None:
    series = ["--openings", openings, "--seed", "1"]
    match = inarow_json("match", "connect4", "rules", "random", "-n", "4", *series)
    played = inarow_json("tournament", "connect4", "rules", "random", "--pairs", "2", "--workers", "1", *series)
    (tournament,) = played["tournaments"]
    assert tournament["config"]["openings"]["kind"] == openings.partition(":")[0]
    assert [side["wins"] for side in match["agents"]] == [tournament["pairings"][0][side]["wins"] for side in "ab"]


def test_training_stops_when_its_minutes_are_over_and_can_be_resumed(tmp_path: Path) -> None:
    out = str(tmp_path / "m.npz")
    command = ["train", "tictactoe", "qlearning", "--episodes", "100000000", "--eval-matches", "1", "--no-truth"]
    shown = inarow(*command, "--minutes", "0.002", "--out", out).stdout
    assert "stopped after 0.002 minutes" in shown
    first = inarow_json("model", "show", out)
    assert 0 < first["episodes"] < 100_000_000
    inarow(*command, "--minutes", "0.002", "--resume", out)
    assert inarow_json("model", "show", out)["episodes"] > first["episodes"]
    assert (
        "minutes must be a positive number, got 0.0"
        in inarow(*command, "--minutes", "0", "--out", out, "--force", code=2).stderr
    )


def test_a_python_file_needs_no_prefix_and_a_folder_or_pattern_stands_for_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inarow.agents import agent
    from inarow.agents.registry import expand_specs

    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "league"
    folder.mkdir()
    for name in ("good.py", "best.py", "_helper.py", "notes.txt"):
        (folder / name).write_text(AGENT)
    assert agent("league/good.py").spec == "file:league/good.py"
    files = ["file:league/best.py", "file:league/good.py"]
    assert expand_specs(["league", "rules"]) == [*files, "rules"]
    assert expand_specs(["league/*.py"]) == expand_specs(["file:league/*.py"]) == files
    assert expand_specs([f"{folder}/g*.py"]) == [f"file:{folder}/good.py"]
    for nothing in ("league/x*.py", str(tmp_path)):
        with pytest.raises(InarowError, match="holds no Python file"):
            expand_specs([nothing])
    with pytest.raises(InarowError, match=r"missing\.py does not exist"):
        agent("missing.py")
    played = inarow_json("tournament", "tictactoe", "league", "random", "--pairs", "1", "--workers", "1")
    assert {one["spec"] for one in played["tournaments"][0]["standings"]} == {*files, "random"}


def test_a_folder_of_agents_is_refused_where_one_agent_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "league"
    folder.mkdir()
    for name in ("one.py", "two.py"):
        (folder / name).write_text(AGENT)
    played = inarow_json("match", "tictactoe", "league", "-n", "2")
    assert [one["spec"] for one in played["agents"]] == ["file:league/one.py", "file:league/two.py"]
    for command in (
        ["decide", "tictactoe", "1", "league"],
        ["play", "tictactoe", "league"],
        ["trace", "tictactoe", "league"],
        ["export", "league", "--out", "x.py"],
    ):
        said = inarow(*command, code=2).stderr
        assert "league matches 2 Python files, expected one agent; give one of them, such as league/one.py" in said
        assert "or file:league if the folder is one agent. `inarow tournament` and `inarow league` play all" in said
    assert "if the folder" not in inarow("grade", "tictactoe", "league/*.py", code=2).stderr
    said = inarow("sprt", "tictactoe", "league", "random", code=2).stderr
    assert "sprt takes two agents, got 3 (league random); `inarow tournament` and" in said


def test_a_folder_named_human_is_not_taken_for_the_person_who_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "human").mkdir()
    assert "human" in inarow("play", "tictactoe", "human", "random", stdin="quit\n").stdout
