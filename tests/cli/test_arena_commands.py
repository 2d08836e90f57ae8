"""The commands of the arena: what they print, export and refuse."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from inarow.match.record import read_records
from support.commands import inarow, inarow_json


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("league") / "league.db"
    inarow("tournament", "tictactoe", "random", "rules", "--pairs", "6", "--out", str(path), "--workers", "1")
    return path


def test_a_tournament_prints_its_tables(tmp_path: Path) -> None:
    shown = inarow("tournament", "tictactoe", "random", "rules", "greedy", "--pairs", "5", "--workers", "1").stdout
    for word in ("round-robin: 15 pairs, 30 matches", "Elo", "Pairings", "superior", "Score in %", "Effort", "by line"):
        assert word in shown, word
    assert "pool of 3, whose mean is 0" in shown
    assert "greedy: eval=windows, ties=random" in shown, "effective parameters"


def test_results_are_those_that_the_tournament_printed(league: Path) -> None:
    assert "6 pairs, 12 matches" in inarow("results", str(league)).stdout
    data = inarow_json("results", str(league))
    again = inarow_json("tournament", "tictactoe", "random", "rules", "--pairs", "6", "--workers", "1")
    del data["timing"], again["timing"]
    assert data == again


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["match", "--matches", "60"], "The openings are used up: 18 of 60 matches count, the others repeat earlier"),
        (["tournament", "--pairs", "60", "--workers", "1"], "The openings are used up: 9 of 60 pairs of "),
        (["sprt", "--workers", "1"], "The openings are used up: 9 of 20,000 pairs of "),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_agents_without_randomness_stop_when_their_openings_are_used_up(command: list[str], said: str) -> None:
    name, *options = command
    agents = "tictactoe", "alphabeta:depth=1", "alphabeta:depth=2"
    assert said in " ".join(inarow(name, *agents, "--openings", "all:1", *options).stdout.split())


def test_sprt_plans_without_playing() -> None:
    shown = inarow("sprt", "--plan", "--elo1", "50").stdout
    assert "SPRT elo0=0 elo1=50 alpha=0.05 beta=0.05: expected matches" in shown
    assert "+50" in shown
    assert "95 %" in shown
    assert inarow("sprt", code=2).stderr == (
        "inarow: sprt takes a game and two agents, such as: inarow sprt connect4 rules random.\n"
    )


def test_sprt_stops_by_itself_and_shows_bounds_and_state() -> None:
    shown = inarow("sprt", "tictactoe", "rules", "random", "--elo0", "0", "--elo1", "100", "--workers", "1").stdout
    assert "SPRT elo0=0 elo1=100: LLR +" in shown
    assert "in (−2.94, 2.94)" in shown
    assert "H1 accepted: rules is stronger than random (error rate 5 %)" in shown
    other = inarow("sprt", "tictactoe", "random", "rules", "--elo1", "100", "--workers", "1").stdout
    assert "H0 accepted: random is less than 100 Elo stronger than rules (error rate 5 %)" in other
    few = inarow("sprt", "tictactoe", "random", "rules", "--pairs", "2", "--workers", "1").stdout
    assert "after 2 pairs; undecided" in few


@pytest.mark.parametrize("name", ["records.jsonl", "records.txt"])
def test_records_are_exported(league: Path, tmp_path: Path, name: str) -> None:
    inarow("results", str(league), "--out", str(tmp_path / name))
    records = list(read_records(tmp_path / name))
    assert len(records) == 12
    assert {record.first for record in records} == {"random", "rules"}


def test_tables_are_exported(league: Path, tmp_path: Path) -> None:
    inarow("results", str(league), "--out", str(tmp_path / "t.csv"))
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["a"], row["b"], row["matches"]) == ("random", "rules", "12")
    inarow("results", str(league), "--out", str(tmp_path / "t.json"))
    exported = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert exported == inarow_json("results", str(league))


def test_tables_are_exported_for_a_paper(league: Path, tmp_path: Path) -> None:
    for name, mark in (("tables.tex", r"\begin{tabular}"), ("tables.md", "| agent |")):
        inarow("results", str(league), "--out", str(tmp_path / name))
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text.count(mark) >= 3
        assert "Tic Tac Toe: standings" in text
        assert "Tic Tac Toe: effective parameters" in text


def test_moves_are_measured_against_the_truth_when_asked(league: Path) -> None:
    shown = inarow("results", str(league), "--truth").stdout
    assert "Moves against the truth, from 0 stones on" in shown
    data = inarow_json("results", str(league), "--truth")
    tournament = data["tournaments"][0]
    for standing in tournament["standings"]:
        one = tournament["truth"]["agents"][standing["spec"]]
        assert one["moves"] == standing["moves"]
        assert one["unsolved"] == 0
        assert one["perfect"] <= one["kept"] == one["moves"] - sum(one["blunders_by_ply"].values())
    late = inarow_json("results", str(league), "--truth", "--truth-from", "4")["tournaments"][0]["truth"]
    assert late["from_ply"] == 4
    assert late["agents"]["random"]["moves"] < tournament["truth"]["agents"]["random"]["moves"]
    assert "give --truth as well" in inarow("results", str(league), "--workers", "2", code=2).stderr


def test_an_existing_store_is_resumed_or_left_alone(league: Path) -> None:
    command = ["tournament", "tictactoe", "random", "rules", "--workers", "1", "--out", str(league)]
    before = league.read_bytes()
    assert "exists; give another name" in inarow(*command, "--pairs", "6", code=2).stderr
    refused = inarow(*command, "--pairs", "7", "--resume", code=2).stderr
    assert "can't be resumed: pairs was 6 and is now 7" in refused
    assert "6 pairs, 12 matches" in inarow(*command, "--pairs", "6", "--resume").stdout
    assert league.read_bytes()[100:] == before[100:]  # SQLite counts openings in its header


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("tournament connect4 random", "needs at least two agents"),
        ("tournament connect4 random random", "random is given twice"),
        ("tournament connect4 random nobody", "unknown agent 'nobody'"),
        ("tournament connect4 random rules --openings file:{tmp}/bad.txt", "bad.txt, line 2: in '49'"),
        ("tournament connect4 random rules --openings random:42", "openings of 42 plies are not possible on connect4"),
        ("tournament connect4 random rules --openings all:10", "more than 200,000 positions"),
        ("tournament connect4 random rules --format ladder", "unknown format 'ladder'"),
        ("tournament connect4 random rules --resume", "give it with --out"),
        ("tournament connect4 random rules --resume --out {tmp}/none.db", "does not exist"),
        ("tournament connect4 random rules --resume --out {tmp}/bad.txt", "is not a store of inarow"),
        ("tournament connect4 random rules --out {tmp}/bad.txt", "exists; give another name"),
        ("tournament connect4 random rules --out {tmp}/no/folder.db", "does not exist; create it first"),
        ("sprt connect4 random rules --elo0 5 --elo1 5", "elo1 must be greater than elo0"),
        ("sprt connect4 random random", "given twice"),
        ("results {tmp}/none.db", "does not exist"),
        ("results {tmp}/bad.txt", "is not a store of inarow"),
        ("results {tmp}", "is a folder"),
    ],
)
def test_bad_input_is_said_before_anything_is_played(arguments: str, reason: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("44\n49\n" + "# filling\n" * 100, encoding="utf-8")
    before = bad.read_bytes()
    done = inarow(*arguments.format(tmp=tmp_path).split(), code=2)
    assert reason in " ".join(done.stderr.split())
    assert done.stdout == ""
    assert bad.read_bytes() == before


def test_an_export_of_unknown_form_is_refused(league: Path, tmp_path: Path) -> None:
    assert "ends with .csv" in inarow("results", str(league), "--out", str(tmp_path / "t.xls"), code=2).stderr
