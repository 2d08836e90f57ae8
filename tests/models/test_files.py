"""Model files: what is written is read again; what is hostile, damaged or foreign is refused with the reason."""

from __future__ import annotations

import errno
import io
import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.models import files
from inarow.models.files import ModelError, ModelFile, save
from inarow.models.loading import SHIPPED, load_model, model_path, read_model
from inarow.models.network import Layout, Network
from inarow.models.qtable import QTable
from inarow.rules import CONNECT4, TICTACTOE, Position, game

HEADER = {
    "kind": "qlearning",
    "game": "tictactoe",
    "spec": "qlearning",
    "seed": 1,
    "episodes": 10,
    "history": [],
    "model": QTable(TICTACTOE).header(),
}


def table_arrays(rows: int = 3) -> dict[str, Any]:
    return {
        "keys": np.array([[0, 0], [1, 2], [2, 1]])[:rows],
        "values": np.arange(9 * rows, dtype=np.float32).reshape(rows, 9),
    }


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.npz"
    save(path, HEADER, table_arrays())
    return path


def read(path: Path) -> Any:
    with ModelFile(path) as file:
        return read_model(file)


def with_member(path: Path, name: str, data: bytes) -> Path:
    """A copy of an archive in which one array's bytes are others."""
    target = path.with_name("changed.npz")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for member in old.namelist():
            new.writestr(member, data if member == f"{name}.npy" else old.read(member))
    return target


def npy(array: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **options)
    return out.getvalue()


def test_a_table_is_read_as_it_was_written(good: Path) -> None:
    board, table = read(good)
    assert board == TICTACTOE
    assert len(table) == 3
    keys, values, _ = table.rows()
    assert keys.tolist() == [[0, 0], [1, 2], [2, 1]]
    assert values.tolist() == table_arrays()["values"].tolist()


def test_the_same_model_is_the_same_bytes(good: Path, tmp_path: Path) -> None:
    save(tmp_path / "again.npz", HEADER, table_arrays())
    assert (tmp_path / "again.npz").read_bytes() == good.read_bytes()


def test_a_network_is_read_as_it_was_written(tmp_path: Path) -> None:
    network = Network(Layout(CONNECT4, ((0, 1, 8), (35, 36))), gamma=0.99)
    network.weights[:] = np.random.default_rng(1).normal(size=network.weights.shape)
    header = {**HEADER, "kind": "ntuple", "game": "connect4", "model": network.header()}
    save(tmp_path / "n.npz", header, {"weights": network.weights})
    _, again = read(tmp_path / "n.npz")
    start = Position.start(CONNECT4)
    assert again.judge(start) == network.judge(start)
    save(tmp_path / "half.npz", header, {"half": network.weights.astype(np.float16)})
    half = read(tmp_path / "half.npz")[1].judge(start)
    assert half == pytest.approx(network.judge(start), abs=0.01)


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"there is no model file .*none\.npz"):
        ModelFile(tmp_path / "none.npz")
    with pytest.raises(ModelError, match="is not a file; give a model"):
        ModelFile(tmp_path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_refused(good: Path, share: float) -> None:
    data = good.read_bytes()
    good.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(ModelError, match="is truncated"):
        read(good)


def test_a_pickle_is_never_loaded(tmp_path: Path, good: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "hacked"),)

    bare = tmp_path / "bare.npz"
    bare.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(ModelError, match="looks like a pickle"):
        read(bare)
    array = npy(np.array([Evil()], dtype=object), allow_pickle=True)
    with pytest.raises(ModelError, match="pickles are never loaded"):
        read(with_member(good, "values", array))
    with pytest.raises(ModelError, match="pickles are never loaded"):
        read(with_member(good, "header", array))
    assert not (tmp_path / "hacked").exists()


def test_a_text_and_a_foreign_archive_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.npz"
    path.write_text("hello")
    with pytest.raises(ModelError, match=r"not an \.npz archive"):
        read(path)
    np.savez(path, other=np.zeros(3))
    with pytest.raises(ModelError, match="the array header is missing"):
        read(path)


def test_a_flipped_bit_is_found(good: Path) -> None:
    data = bytearray(good.read_bytes())
    with zipfile.ZipFile(good) as archive:
        start = archive.getinfo("values.npy").header_offset + 60
    data[start] ^= 0xFF
    good.write_bytes(bytes(data))
    with pytest.raises(ModelError, match=r"can't be read|not an array|truncated|damaged"):
        read(good)


def test_absurd_sizes_are_refused_before_memory_is_taken(good: Path) -> None:
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 9000000000000000)}"
    huge = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with pytest.raises(ModelError, match=r"values has shape .* expected"):
        read(with_member(good, "values", huge))
    header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (90000000000000, 2)}"
    huge = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with pytest.raises(ModelError, match=r"keys would take [\d,]+ bytes; at most"):
        read(with_member(good, "keys", huge))


@pytest.mark.parametrize(
    ("name", "array", "reason"),
    [
        ("keys", np.zeros((3, 2), np.float64), "has dtype float64, expected int64"),
        ("keys", np.zeros((3, 3), np.int64), r"has shape \(3, 3\), expected \(any, 2\)"),
        ("keys", np.zeros((3, 2), np.int64), "negative or occur twice"),
        ("keys", np.array([[0, 0], [-1, 2], [2, 1]]), "negative or occur twice"),
        ("values", np.zeros((2, 9), np.float32), r"has shape \(2, 9\)"),
        ("values", np.full((3, 9), np.nan, np.float32), "not numbers"),
        ("values", np.asfortranarray(np.zeros((3, 9), np.float32)), "a memory layout that inarow never writes"),
    ],
)
def test_arrays_that_can_not_be_are_refused(good: Path, name: str, array: Any, reason: str) -> None:
    with pytest.raises(ModelError, match=reason):
        read(with_member(good, name, npy(array)))


def test_an_array_shorter_than_it_claims_is_refused(good: Path) -> None:
    data = npy(np.zeros((3, 9), np.float32))
    with pytest.raises(ModelError, match="not have the 108 bytes that it declares"):
        read(with_member(good, "values", data[:-8]))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": 99}, "version 99; this inarow reads versions up to 1: update it"),
        ({"format": "other"}, "not a model of inarow"),
        ({"kind": "neural"}, "'neural' is not a kind of model; known: qlearning, ntuple"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": 5}, "an invalid game: 5"),
        ({"history": "none"}, "an invalid history: 'none'"),
        ({"model": None}, "does not describe a table"),
        ({"model": {**QTable(TICTACTOE).header(), "guide": "some"}}, "does not describe a table"),
        ({"model": {**QTable(TICTACTOE).header(), "share": 7}}, "does not describe a table"),
        ({"game": "connect4"}, r"values has shape \(3, 9\), expected \(3, 7\)"),
    ],
)
def test_a_header_that_can_not_be_is_refused(good: Path, change: dict[str, Any], reason: str) -> None:
    header = {"format": "inarow model", "version": 1, **HEADER, **change}
    data = npy(np.frombuffer(json.dumps(header).encode(), np.uint8))
    with pytest.raises(ModelError, match=reason):
        read(with_member(good, "header", data))


def test_a_header_that_is_no_json_is_refused(good: Path) -> None:
    with pytest.raises(ModelError, match="the header is not JSON"):
        read(with_member(good, "header", npy(np.frombuffer(b"\xff{", np.uint8))))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tuples": [[1, 2], [99]]}, "distinct cells from 1 to 42"),
        ({"tuples": []}, "at least one tuple"),
        ({"tuples": [[*range(1, 43)]]}, "table entries; the limit is"),
        ({"tuples": "all"}, "does not describe an n-tuple network"),
        ({"gamma": "high"}, "does not describe an n-tuple network"),
        ({"gamma": 3}, "does not describe an n-tuple network"),
    ],
)
def test_a_network_that_can_not_be_is_refused(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    network = Network(Layout(CONNECT4, ((0, 1),)))
    header = {**HEADER, "kind": "ntuple", "game": "connect4", "model": {**network.header(), **change}}
    save(tmp_path / "n.npz", header, {"weights": network.weights})
    with pytest.raises(ModelError, match=reason):
        read(tmp_path / "n.npz")


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    network = Network(Layout(CONNECT4, ((0, 1),)))
    network.weights[0, 0] = np.inf
    header = {**HEADER, "kind": "ntuple", "game": "connect4", "model": network.header()}
    save(tmp_path / "n.npz", header, {"weights": network.weights})
    with pytest.raises(ModelError, match="some weights are not numbers"):
        read(tmp_path / "n.npz")


def test_a_model_of_another_kind_or_game_is_refused(good: Path) -> None:
    with pytest.raises(ModelError, match="is a model of qlearning, not of ntuple"):
        load_model(good, "ntuple", TICTACTOE)
    with pytest.raises(ModelError, match="was trained on tictactoe and can't play connect4"):
        load_model(good, "qlearning", CONNECT4)


def test_a_file_is_read_once_and_again_when_it_changes(good: Path) -> None:
    table = load_model(good, "qlearning", TICTACTOE)
    assert load_model(good, "qlearning", TICTACTOE) is table
    save(good, HEADER, table_arrays(2))
    os.utime(good, ns=(1, 1))
    assert len(load_model(good, "qlearning", TICTACTOE)) == 2


def test_without_a_model_the_way_to_one_is_told() -> None:
    with pytest.raises(ModelError, match=r"inarow train 5x4x4 qlearning --out my-model.npz"):
        model_path("qlearning", "", game("5x4x4"))


@pytest.mark.parametrize("failure", [errno.ENOSPC, errno.EIO])
def test_a_save_that_fails_leaves_the_last_good_file(good: Path, failure: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = good.read_bytes()

    def fail(out: Any, arrays: Any) -> None:
        out.write(b"half a file")
        raise OSError(failure, os.strerror(failure))

    monkeypatch.setattr(files, "write_arrays", fail)
    with pytest.raises(ModelError, match="the existing file is unchanged"):
        save(good, HEADER, table_arrays())
    assert good.read_bytes() == before
    assert [path.name for path in good.parent.iterdir()] == ["good.npz"]


def test_a_kill_during_a_save_leaves_the_last_good_file(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = good.read_bytes()

    def killed(out: Any, arrays: Any) -> None:
        out.write(b"half a file")
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "write_arrays", killed)
    with pytest.raises(KeyboardInterrupt):
        save(good, HEADER, table_arrays())
    assert good.read_bytes() == before


def test_a_folder_that_is_not_there_is_said_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="can't be written"):
        save(tmp_path / "none" / "model.npz", HEADER, table_arrays())


def test_the_shipped_models_are_small_and_sound() -> None:
    shipped = sorted(SHIPPED.glob("*.npz"))
    assert {"qlearning-tictactoe.npz", "ntuple-tictactoe.npz"} <= {path.name for path in shipped}
    assert sum(path.stat().st_size for path in shipped) <= 5_000_000
    for path in shipped:
        with ModelFile(path) as file:
            assert file.header["history"], f"{path.name} has no history"
            read_model(file)
