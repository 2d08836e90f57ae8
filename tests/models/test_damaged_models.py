"""Damaged and tampered model files: whatever is in them, they load and play soundly or are refused with the reason.

``INAROW_FUZZ=5000 pytest tests/models/test_damaged_models.py`` tries that many files of each kind.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from inarow.cli.train import show
from inarow.errors import InarowError
from inarow.models.files import ModelError, ModelFile
from inarow.models.loading import read_model, slimmed
from inarow.reproductions.learning import ReportQTable
from inarow.rules import Position, game
from inarow.training import Stage, Training, TrainingPlan, trainer
from inarow.training.training import curve_rows

FILES = int(os.environ.get("INAROW_FUZZ", "150"))
PLANS = {
    "qlearning": TrainingPlan(trainer("qlearning"), game("tictactoe"), 60, evaluate_every=30, seed=3),
    "table": TrainingPlan(
        trainer("qlearning:alpha=visits(0.1)"), game("4x4x3"), 60, (Stage(("rules",)),), evaluate_every=30
    ),
    "ntuple": TrainingPlan(trainer("ntuple:tuples=3,length=3,memory=off"), game("4x4x3"), 60, evaluate_every=30),
    "report": TrainingPlan(trainer("r1-qlearning"), game("tictactoe"), 60, evaluate_every=30),
}
JUNK: list[Any] = [
    None, True, -1, 0, 2**63, 10**400, 1e308, "", "x", "1e999", [], [[]], {}, {"a": 1}, [None], 0.5,
    "\x1b[2J", "\ud800", [7],
]  # fmt: skip


@pytest.fixture(scope="module", params=list(PLANS))
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainingPlan, Path]:
    """A plan, and a file of its training after half of the episodes."""
    plan = PLANS[request.param]
    path = tmp_path_factory.mktemp("models") / f"{request.param}.npz"
    training = Training(plan)
    for done in training.steps():
        if done >= 30:
            break
    training.save(path)
    return plan, path


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, parts: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()


def header_of(parts: dict[str, bytes]) -> Any:
    return json.loads(np.load(io.BytesIO(parts["header.npy"])).tobytes())


def with_header(parts: dict[str, bytes], header: Any) -> dict[str, bytes]:
    return {**parts, "header.npy": npy(np.frombuffer(json.dumps(header).encode(), np.uint8))}


def flip_bytes(path: Path, source: Path, random: Random) -> None:
    data = bytearray(source.read_bytes())
    for _ in range(random.randint(1, 8)):
        data[random.randrange(len(data))] = random.randrange(256)
    path.write_bytes(bytes(data[: random.choice([len(data), random.randrange(len(data))])]))


def change_bytes_of_a_member(path: Path, source: Path, random: Random) -> None:
    parts = members(source)
    name = random.choice(list(parts))
    data = bytearray(parts[name])
    for _ in range(random.randint(1, 6)):
        data[random.randrange(len(data))] = random.randrange(256)
    written(path, {**parts, name: bytes(data)})


def change_an_array(path: Path, source: Path, random: Random) -> None:
    parts = members(source)
    name = random.choice([name for name in parts if name != "header.npy"])
    array = np.load(io.BytesIO(parts[name]))
    flat = array.reshape(-1)
    change = random.randrange(4)
    if change == 0:
        array = array[: random.randrange(len(array) + 1)]
    elif change == 1:
        array = np.concatenate([array, array])
    elif change == 2:
        array = array.astype(random.choice([np.int8, np.float32, np.float64, np.int64]))
    else:
        least, most = (np.iinfo(array.dtype).min, np.iinfo(array.dtype).max) if array.dtype.kind == "i" else (0, 0)
        extremes = [0, -1, 1, 9, least, most] if array.dtype.kind == "i" else [np.nan, np.inf, -1e38, 3e38, -0.0]
        for _ in range(random.choice([1, 1, random.randint(1, max(1, flat.size))]) if flat.size else 0):
            flat[random.randrange(flat.size)] = random.choice(extremes)
    written(path, {**parts, name: npy(array)})


def change_the_header(path: Path, source: Path, random: Random) -> None:
    parts = members(source)
    at = header = header_of(parts)
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = random.choice(keys)
        inner = at[key]
        if not isinstance(inner, dict | list) or not inner or random.random() < 0.3:
            break
        at = inner
    if random.random() < 0.2:
        del at[key]
    else:
        at[key] = random.choice(JUNK)
    written(path, with_header(parts, header))


DAMAGES: list[Callable[[Path, Path, Random], None]] = [
    flip_bytes,
    change_bytes_of_a_member,
    change_an_array,
    change_the_header,
]


def use(path: Path, plan: TrainingPlan) -> None:
    """Show what a file is, decide by it, list its curves, shrink it, resume its training and save that."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        show(str(path))
        show(str(path), as_json=True)
    assert out.getvalue().replace("\n", "").isprintable()
    with ModelFile(path) as file:
        board, model = read_model(file)
        curve_rows(file.header)
    assert (model.row if isinstance(model, ReportQTable) else model.judge)(Position.start(board)) is not None
    result = path.with_name("result.npz")
    with contextlib.suppress(InarowError):  # a table may say too little of visits
        slimmed(path, result, visits=1)
    trainer = Training.resume(plan, path)
    trainer.run(out=result)
    assert trainer.learner.episodes >= plan.episodes
    Training.resume(plan, result)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_works_or_is_refused(
    trained: tuple[TrainingPlan, Path], tmp_path: Path, damage: Callable[[Path, Path, Random], None]
) -> None:
    plan, source = trained
    random = Random(7)
    refused = 0
    for _ in range(max(1, FILES // len(DAMAGES))):
        path = tmp_path / "damaged.npz"
        damage(path, source, random)
        try:
            use(path, plan)
        except InarowError:
            refused += 1
    assert refused


def test_a_network_larger_than_the_plan_s_is_not_resumed(tmp_path: Path) -> None:
    small = TrainingPlan(trainer("ntuple:cells=1-2,memory=off,threats=off"), game("4x4x3"), 20)
    large = TrainingPlan(trainer("ntuple:cells=1-2-3-5-6-7,memory=off,threats=off"), game("4x4x3"), 20)
    Training(small).save(tmp_path / "small.npz")
    Training(large).save(tmp_path / "large.npz")
    parts, header = members(tmp_path / "large.npz"), header_of(members(tmp_path / "large.npz"))
    header["training"] = header_of(members(tmp_path / "small.npz"))["training"]
    parts["traces.npy"] = members(tmp_path / "small.npz")["traces.npy"]
    with pytest.raises(ModelError, match="does not match its settings"):
        Training.resume(small, written(tmp_path / "crafted.npz", with_header(parts, header)))


def test_a_table_with_other_settings_or_keys_is_not_resumed(tmp_path: Path) -> None:
    plan = PLANS["qlearning"]
    training = Training(plan)
    next(training.steps())
    training.save(tmp_path / "good.npz")
    parts, header = members(tmp_path / "good.npz"), header_of(members(tmp_path / "good.npz"))
    header["model"]["start"] = 0.5
    with pytest.raises(ModelError, match="does not match its settings"):
        Training.resume(plan, written(tmp_path / "other.npz", with_header(parts, header)))
    keys = np.load(io.BytesIO(parts["keys.npy"]))
    keys[-1] = [7 << 4 & plan.game.board, 0]
    with pytest.raises(ModelError, match="not a position"):
        Training.resume(plan, written(tmp_path / "keys.npz", {**parts, "keys.npy": npy(keys)}))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"history": [{}]}, "entry 1 of its history is not an evaluation"),
        ({"history": [7]}, "entry 1 of its history is not an evaluation"),
        ({"timing": "long"}, "history and timing must be lists"),
        ({"timing": [{"episodes": 30, "seconds": -1}]}, "entry 1 of its timing"),
        ({"timing": [{"episodes": 31, "seconds": 1}]}, "timing does not match its history"),
        ({"training": "hard"}, "its training is not described"),
        ({"training": {"opponents": [7]}}, "its opponents are not names"),
        ({"training": {"earlier": [{"spec": "x"}]}}, "its earlier trainings are not described"),
        ({"episodes": 5}, "do not increase up to those of the training"),
        ({"episodes": -5}, "number of episodes: -5"),
    ],
)
def test_a_history_that_was_tampered_with_is_refused(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    training = Training(TrainingPlan(trainer("qlearning"), game("tictactoe"), 30))
    training.run()
    training.save(tmp_path / "good.npz")
    parts = members(tmp_path / "good.npz")
    with pytest.raises(ModelError, match=reason):
        ModelFile(written(tmp_path / "bad.npz", with_header(parts, {**header_of(parts), **change})))


def test_an_array_that_would_unpack_to_more_than_it_may_is_refused_unread(tmp_path: Path) -> None:
    training = Training(PLANS["qlearning"])
    training.save(tmp_path / "good.npz")
    parts = members(tmp_path / "good.npz")
    rows = (1 << 23) + 1
    start = npy(np.zeros((0, 2), np.int64)).replace(b"(0, 2)", f"({rows}, 2)".encode())
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, start + bytes(16 * rows) if name == "keys.npy" else data)
    assert path.stat().st_size < 1 << 20
    with ModelFile(path) as file, pytest.raises(ModelError, match=r"keys would take 134,217,744 bytes; at most"):
        read_model(file)
