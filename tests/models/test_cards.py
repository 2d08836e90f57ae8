"""Shipped models: their cards are true, and their commands make them again."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from inarow.models.files import ModelFile
from inarow.models.loading import SHIPPED, cards
from inarow.paths import fingerprint
from support.commands import inarow


def test_every_shipped_model_has_a_card_with_its_hash() -> None:
    known = cards()
    assert {card.path for card in known.values()} == set(SHIPPED.glob("*.npz"))
    for card in known.values():
        assert card.sha256 == fingerprint(card.path), f"python scripts/train_shipped_models.py --cards: {card.name}"
        for counts in card.graded.values():
            assert counts["positions"] >= counts["kept"] >= counts["perfect"] > 0


def test_a_card_s_command_says_how_the_file_was_trained() -> None:
    for card in cards().values():
        _, _, board, spec, *options = shlex.split(card.train)
        with ModelFile(card.path) as file:
            header = file.header
        assert (board, spec.partition(":")[0]) == (header["game"], header["kind"])
        given = dict(zip(options[::2], options[1::2], strict=True))
        assert (int(given["--episodes"]), int(given["--seed"])) == (header["episodes"], header["seed"])
        assert header["training"]["opponents"] == [given.get("--opponent", "self")]


def test_list_and_show() -> None:
    listed = json.loads(inarow("model", "list", "--json").stdout)["models"]
    assert [one["name"] for one in listed] == list(cards())
    assert "ntuple-connect4" in inarow("model", "list").stdout
    shown = json.loads(inarow("model", "show", "ntuple-tictactoe", "--json").stdout)
    card = cards()["ntuple-tictactoe"]
    assert (shown["trained_by"], shown["cut_by"], shown["sha256"]) == (card.train, card.slim, card.sha256)
    assert card.train in inarow("model", "show", "ntuple-tictactoe").stdout
    assert "plays_as" not in shown
    assert "there is no model file ntuple-chess" in inarow("model", "show", "ntuple-chess", code=2).stderr


def test_a_guided_learner_is_graded_with_its_guide_and_by_its_table_alone() -> None:
    graded = cards()["qlearning-connect4"].graded
    assert list(graded) == ["qlearning", "qlearning:guide=heuristic"]
    assert graded["qlearning"]["kept"] < graded["qlearning:guide=heuristic"]["kept"]
    for command in (("list",), ("show", "qlearning-connect4")):
        said = inarow("model", *command).stdout
        assert "guided Q-learning" in said
        for counts in graded.values():
            assert f"{100 * counts['kept'] / counts['positions']:.1f} %" in said


@pytest.mark.parametrize("name", ["ntuple-tictactoe", "qlearning-tictactoe"])
def test_a_shipped_model_is_made_again_by_its_commands(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    card = cards()[name]
    fewer = ("--eval-every", "50000", "--eval-matches", "1")
    inarow(*shlex.split(card.train)[1:], *fewer)  # evaluations don't change what is learnt
    inarow(*shlex.split(card.slim)[1:])
    with np.load(f"{name}.npz") as made, np.load(card.path) as shipped:
        for array in set(shipped.files) - {"header"}:
            assert np.array_equal(made[array], shipped[array])
