"""Whatever is handed in becomes an agent, or an entrant with the reason why it does not; nothing vanishes."""

from __future__ import annotations

import gzip
import io
import json
import os
import stat
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from inarow.agents.parameters import AgentError
from inarow.teaching.league.entrants import notebook_source, page_name, read_entrants, take_in
from support.league_doubles import FIRST_FREE, hand_in


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def tarred(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for info, content in members:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


def notebook(*cells: tuple[str, str]) -> bytes:
    return json.dumps(
        {"cells": [{"cell_type": kind, "source": text.splitlines(True)} for kind, text in cells]}
    ).encode()


def test_every_usual_form_of_a_hand_in_becomes_the_same_agent(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", plain=FIRST_FREE)
    source = (folder / "plain.py").read_bytes()
    (folder / "Carl.PY").write_bytes(source)
    (folder / "zip.zip").write_bytes(zipped({"project/agent.py": source, "__MACOSX/._agent.py": b"\0"}))
    (folder / "tar.tar.gz").write_bytes(tarred((tarfile.TarInfo("./p/my_agent.py"), source)))
    moodle = folder / "Ada Lovelace_12_assignsubmission_file_"
    hand_in(moodle / "hw3" / "src", agent=FIRST_FREE)
    (moodle / "report.pdf").touch()
    (folder / "Bo_13_assignsubmission_file_").mkdir()
    (folder / "Bo_13_assignsubmission_file_" / "all.zip").write_bytes(zipped({"inner.zip": zipped({"x.py": source})}))
    found = read_entrants(folder)
    assert {one.name: one.problem for one in found} == dict.fromkeys(
        ("Ada Lovelace", "Bo", "Carl", "plain", "tar", "zip"), ""
    )
    assert len({one.digest for one in found}) == 1


def test_the_code_cells_of_a_notebook_are_a_program() -> None:
    cells = [
        ("markdown", "# My agent"),
        ("code", "%matplotlib inline\n!pip install numpy\nimport random\n"),
        ("code", "%%bash\nls"),
        ("code", "%%time\ndef agent(observation):\n    return 3"),
    ]
    scope: dict[str, object] = {}
    exec(compile(notebook_source(notebook(*cells), "x.ipynb"), "x", "exec"), scope)
    agent = scope["agent"]
    assert callable(agent)
    assert agent(None) == 3


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"cells": 3}', b'{"cells": [{}]}', b"[" * 100_000, b"\xff"])
def test_a_damaged_notebook_is_refused(data: bytes) -> None:
    with pytest.raises(AgentError, match=r"x\.ipynb is not a Jupyter notebook"):
        notebook_source(data, "x.ipynb")


def link_in_zip() -> bytes:
    info = zipfile.ZipInfo("agent.py")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    return data.getvalue()


def link_in_tar() -> bytes:
    info = tarfile.TarInfo("agent.py")
    info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return tarred((info, b""))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.zip", lambda: zipped({"agent.py": "x" * (2 << 20)}), "^a.zip unpacks to more than 500 files or 1 MB$"),
        ("a.zip", lambda: zipped({f"{n}.py": "" for n in range(600)}), "unpacks to more than 500 files"),
        ("a.zip", lambda: zipped({"x" * 200 + f"{n}.py": "" for n in range(6000)}), "unpacks to more than 500 files"),
        ("a.zip", lambda: zipped({"../agent.py": ""}), "a.zip has the unsafe file name '../agent.py'"),
        ("a.zip", lambda: zipped({"/agent.py": ""}), "unsafe file name '/agent.py'"),
        ("a.zip", lambda: zipped({"C:\\agent.py": ""}), "unsafe file name"),
        ("a.zip", link_in_zip, "a.zip has the link 'agent.py'"),
        ("a.zip", lambda: b"PK\3\4 no", "a.zip can't be unpacked"),
        ("a.zip", lambda: zipped({"agent.py": FIRST_FREE})[:-30], "a.zip can't be unpacked"),
        ("a.zip", lambda: zipped({"notes.txt": ""}), "a.zip has no Python file"),
        ("a.zip", lambda: zipped({"a/x.py": "", "b/y.py": ""}), "a.zip has a, b; hand in one of them"),
        ("a.zip", lambda: zipped({"/".join("d" * 40) + "/x.py": ""}), "nested more than 30 deep"),
        ("a.tar.gz", lambda: gzip.compress(b"\0" * (3 << 20)), "a.tar.gz unpacks to more than"),
        ("a.tgz", link_in_tar, "which is a link or not a file"),
        ("a.tar", lambda: b"x", "a.tar can't be unpacked"),
        (
            "a.txt",
            FIRST_FREE.encode,
            "a .txt file can't be used: expected a .py file, .* rename it to .py if it is Python",
        ),
        ("a", bytes, "a file without a suffix can't be used"),
    ],
)
def test_what_cannot_be_used_has_a_reason(
    name: str, data: Callable[[], bytes], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inarow.teaching.league.entrants.MAX_BYTES", 1 << 20)
    (tmp_path / name).write_bytes(data())
    with pytest.raises(AgentError, match=said):
        take_in(tmp_path / name)


def test_archives_in_archives_end(tmp_path: Path) -> None:
    data = zipped({"agent.py": FIRST_FREE})
    for _ in range(4):
        data = zipped({"a.zip": data})
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(AgentError, match="archives nested more than 3 deep"):
        take_in(tmp_path / "a.zip")


def test_folders_in_folders_without_end_are_one_entrant_with_a_problem(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE)
    here = os.open(folder, os.O_RDONLY)
    os.mkdir("deep", dir_fd=here)
    try:
        for _ in range(1_100):
            inner = os.open("deep", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
            os.mkdir("deep", dir_fd=here)
    finally:
        os.close(here)
    problems = {one.name: one.problem for one in read_entrants(folder)}
    subprocess.run(["rm", "-r", str(folder)], check=True)  # too deep for pytest, which removes its folders later
    assert problems == {"ada": "", "deep": "deep has folders nested more than 30 deep"}


def test_pages_have_readable_names_that_nobody_shares() -> None:
    assert page_name("Ångström, Ann").startswith("ångström-ann-")
    assert page_name("王娜明").startswith("王娜明-")
    assert page_name("नमस्ते").startswith("नमस्ते-")
    names = [
        "王娜明",
        "王静强",
        "?",
        "!",
        "Ann",
        "ann",
        "a" * 50,
        "a" * 51,
        *(f"王{number}" for number in range(2_000)),
    ]
    assert len({page_name(name) for name in names}) == len(names)
    assert all(len(page_name(name).encode()) < 200 for name in names)
