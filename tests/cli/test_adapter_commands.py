"""convert, dataset and export from the command line."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import inarow, inarow_json

REPLAY = str(Path(__file__).parents[1] / "data" / "connectx-replay.json")


def test_convert_turns_positions_around() -> None:
    assert inarow("convert", "connect4", "3342", "0", "--from", "zero", "--to", "moves").stdout == "4453\n1\n"
    done = inarow("convert", "tictactoe", "X../.O./...", "--from", "drawing", "--to", "pons", "--solve")
    assert done.stdout == "15 0\n"


def test_convert_reads_and_writes_files(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("4453 1\n\n44\n", encoding="utf-8")
    out = tmp_path / "out.txt"
    inarow(
        "convert", "connect4", "--file", str(tmp_path / "in.txt"), "--from", "pons", "--to", "zero", "--out", str(out)
    )
    assert out.read_text(encoding="utf-8") == "3342\n33\n"
    done = inarow("convert", "connect4", "4", "--out", str(out), code=2)
    assert "exists" in done.stderr


def test_convert_takes_replays_and_records(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    inarow("convert", "--from", "replay", "--file", REPLAY, "--to", "record", "--out", str(record))
    back = json.loads(inarow("convert", "--from", "record", "--file", str(record), "--to", "replay").stdout)
    assert back["steps"] == json.loads(Path(REPLAY).read_text(encoding="utf-8"))["steps"]
    moves = inarow("convert", "--from", "replay", "--file", REPLAY, "--to", "moves").stdout.strip()
    assert len(moves) == len(back["steps"]) - 1


def test_convert_says_what_is_wrong(tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("33\n38\n", encoding="utf-8")
    cases = [
        (["connect4", "--file", str(bad), "--from", "zero"], "line 2: move 2, '8'"),
        (["connect4"], "give positions as arguments, or --file"),
        (["connect4", "1", "--from", "pgn"], "unknown format 'pgn'"),
        (["connect4", "1", "--to", "replay"], "moves holds positions, not matches"),
        (["--from", "replay"], "replay is read from a file"),
        (["--from", "replay", "--file", str(bad), "--to", "moves"], "line 2: not JSON"),
    ]
    for arguments, words in cases:
        assert words in inarow("convert", *arguments, code=2).stderr, arguments
    cut = tmp_path / "cut.json"
    cut.write_text(Path(REPLAY).read_text(encoding="utf-8")[:500], encoding="utf-8")
    assert "may be cut short" in inarow("convert", "--from", "replay", "--file", str(cut), code=2).stderr
    assert "uci" in inarow("convert", "--formats").stdout


def test_dataset_writes_positions_with_scores(tmp_path: Path) -> None:
    out = tmp_path / "ttt.csv"
    arguments = ["dataset", "tictactoe", "--from-ply", "2", "--to-ply", "3", "--per-ply", "4", "--out", str(out)]
    assert inarow_json(*arguments)["positions"] == 8
    assert len(out.read_text(encoding="utf-8").splitlines()) == 9
    assert "exists" in inarow(*arguments, code=2).stderr
    assert "8 positions of Tic Tac Toe, plies 2 to 3" in inarow(*arguments, "--force").stdout
    assert "ends in .csv or .npz" in inarow("dataset", "tictactoe", "--out", str(tmp_path / "x.txt"), code=2).stderr
    wrong = inarow("dataset", "tictactoe", "--from-ply", "5", "--to-ply", "4", "--out", str(tmp_path / "y.csv"), code=2)
    assert "--from-ply must not exceed --to-ply" in wrong.stderr
    late = inarow("dataset", "tictactoe", "--to-ply", "9" * 30, "--out", str(tmp_path / "z.csv"), code=2)
    assert "--to-ply must be at most 8 on tictactoe" in late.stderr


def test_export_writes_a_file_that_plays(tmp_path: Path) -> None:
    out = tmp_path / "submission.py"
    said = inarow("export", "connect4", "alphabeta:depth=2", "--out", str(out)).stdout
    assert f"inarow match connect4 file:{out} random" in said
    assert "def agent(observation, configuration):" in out.read_text(encoding="utf-8")
    assert "exists" in inarow("export", "alphabeta", "--out", str(out), code=2).stderr
    assert "can't be exported" in inarow("export", "random", "--out", str(tmp_path / "b.py"), code=2).stderr
