"""Check the kernels for other systems than this one.

python scripts/check_targets.py           # emit object files for every system, and inspect them
python scripts/check_targets.py aarch64   # run the kernels for 64-bit ARM under qemu, and compare what they compute

The second needs qemu-aarch64 (Debian: qemu-user), apt-get and pip. It unpacks Python for Debian on ARM in a temporary
folder, and installs nothing. Code for macOS and Windows is never run here: those systems compile it themselves.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from build_wheel import compiled, warm_everything

from inarow.kernels.lang import jit, native
from inarow.kernels.lang.kinds import Signature
from inarow.kernels.lang.loader import AARCH64, ENTRY, X86_64, Target

PROJECT = Path(__file__).parents[1]
TARGETS = {
    X86_64: ("ELF", 62),
    AARCH64: ("ELF", 183),
    Target("x86_64-apple-macosx11.0", "x86-64"): ("Mach-O", 0x01000007),
    Target("arm64-apple-macosx11.0", "apple-m1"): ("Mach-O", 0x0100000C),
    Target("x86_64-pc-windows-msvc", "x86-64"): ("COFF", 0x8664),
    Target("aarch64-pc-windows-msvc", "generic"): ("COFF", 0xAA64),
}
"""Each with the format of its object files, and the number by which that names the processor."""

RUN = """
import json
from inarow import decide, solve
from inarow.rules import CONNECT4, TICTACTOE, game
from inarow.truth.positions import SolvedPositions, random_positions

found = {}
for board, count in ((CONNECT4, 1200), (TICTACTOE, 400), (game("6x5x4"), 1200)):
    positions = random_positions(SolvedPositions(board), count, 1, first_ply=board.cells // 2)
    found[f"{board} positions"] = [position.key() for position in positions]
    found[f"{board} scores"] = [solve(position).score for position in positions]
    for agent in ("alphabeta:depth=6", "mcts:simulations=200", "ntuple", "qlearning"):
        if board not in (CONNECT4, TICTACTOE) and agent in ("ntuple", "qlearning"):
            continue
        decisions = [decide(position, agent, seed=i) for i, position in enumerate(positions[:100])]
        found[f"{board} {agent}"] = [(one.move, repr(one.values)) for one in decisions]
print(json.dumps(found))
"""


def form(code: bytes) -> tuple[str, int]:
    """Return the format of an object file, and its number for the processor."""
    if code.startswith(b"\x7fELF"):
        return "ELF", struct.unpack_from("<H", code, 18)[0]
    if code.startswith(b"\xcf\xfa\xed\xfe"):
        return "Mach-O", struct.unpack_from("<I", code, 4)[0]
    return "COFF", struct.unpack_from("<H", code, 0)[0]


def inspect(kernel: jit.Compiled, kinds: Signature) -> Iterator[str]:
    """Emit a kernel for every target; yields what is wrong."""
    for target, wanted in TARGETS.items():
        code = native.build(kernel, kinds, checked=False, target=target)
        if form(code) != wanted:
            yield f"{target.triple}: {form(code)}, expected {wanted}"
        if ENTRY.encode() not in code:
            yield f"{target.triple}: no {ENTRY}"
        names = set(re.findall(rb"Py[A-Z]\w+", code))
        if unknown := {name.decode() for name in names} - {*native.PYTHON_FUNCTIONS, *native.PYTHON_ERRORS}:
            yield f"{target.triple}: calls {unknown}"


def unpack_python(folder: Path) -> tuple[Path, Path]:
    """Unpack Debian's Python for ARM, and NumPy; returns the root of the system and the folder of the packages."""
    system, state, packages = folder / "system", folder / "state", folder / "packages"
    for name in ("lists/partial", "archives/partial"):
        (state / name).mkdir(parents=True)
    (state / "status").touch()
    options = {
        "APT::Architecture": "arm64",
        "APT::Architectures::": "arm64",
        "APT::Sandbox::User": "root",
        "Dir::State": state,
        "Dir::State::status": state / "status",
        "Dir::Cache": state,
        "Debug::NoLocking": "true",
    }
    apt = ["apt-get", "-q", "-y", *(part for name, value in options.items() for part in ("-o", f"{name}={value}"))]
    wanted = ["install", "--download-only", "--no-install-recommends", "python3", "libstdc++6"]
    for command in (["update"], wanted):
        subprocess.run([*apt, *command], check=True, stdout=subprocess.DEVNULL)
    for path in sorted((state / "archives").glob("*.deb")):
        subprocess.run(["dpkg", "-x", path, system], check=True)
    version = (system / "usr" / "bin" / "python3").resolve().name.removeprefix("python")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(packages), "--only-binary=:all:"]
    pip += ["--platform=manylinux_2_28_aarch64", "--platform=manylinux2014_aarch64", f"--python-version={version}"]
    subprocess.run([*pip, "numpy", "platformdirs"], check=True)
    return system, packages


def run_on_arm() -> int:
    """Run the kernels on both processors; returns how many values were compared. Ends the program if any differ."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        system, packages = unpack_python(folder)
        shutil.copytree(PROJECT / "src" / "inarow", folder / "src" / "inarow")
        shipped = folder / "src" / "inarow" / "data" / "kernels"
        shipped.mkdir()
        for file, content in compiled([AARCH64]).items():
            (shipped / file).write_bytes(content)
        cached = {"INAROW_CACHE": str(folder / "cache"), "INAROW_CONFIG": str(folder / "config")}
        here = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}
        there = {**os.environ, **cached, "PYTHONPATH": f"{folder / 'src'}:{packages}", "PYTHONNOUSERSITE": "1"}
        emulated = ["qemu-aarch64", "-L", str(system), str(system / "usr" / "bin" / "python3")]
        found = [
            json.loads(subprocess.run([*command, "-c", RUN], env=environment, capture_output=True, check=True).stdout)
            for command, environment in (([sys.executable], here), (emulated, there))
        ]
        if differ := [group for group in found[0] if found[0][group] != found[1][group]]:
            sys.exit(f"64-bit ARM computes other values than this machine: {', '.join(differ)}")
        return sum(len(values) for values in found[0].values())


def main() -> None:
    """Check."""
    if sys.argv[1:] == ["aarch64"]:
        sys.stdout.write(f"64-bit ARM under qemu: {run_on_arm():,} values, all as on this machine\n")
        return
    warm_everything()
    every = [(kernel, kinds) for kernel in jit.State.kernels for kinds in kernel.versions]
    if wrong := [f"{kernel.name}: {what}" for kernel, kinds in every for what in inspect(kernel, kinds)]:
        sys.exit("\n".join(wrong))
    sys.stdout.write(f"{len(every)} kernels emitted for {', '.join(target.triple for target in TARGETS)}\n")


if __name__ == "__main__":
    main()
