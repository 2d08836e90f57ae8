"""A real X screen that nobody looks at (Xvfb), and what is to be seen on it."""

from __future__ import annotations

import contextlib
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


def install() -> bool:
    """Whether there is an Xvfb; where this may be done, it is installed first."""
    if shutil.which("Xvfb") is None and hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"DEBIAN_FRONTEND": "noninteractive", **os.environ}
        wait = ["-o", "DPkg::Lock::Timeout=120", "-y", "-q"]
        for command in (["apt-get", *wait, "update"], ["apt-get", *wait, "install", "--no-install-recommends", "xvfb"]):
            subprocess.run(command, env=quiet, capture_output=True, check=False, timeout=240)
    return shutil.which("Xvfb") is not None


@dataclass(frozen=True)
class VirtualScreen:
    """An X display with its picture in a file."""

    display: str
    picture: Path

    def environment(self) -> dict[str, str]:
        """For a program that is to show itself there."""
        rest = {key: value for key, value in os.environ.items() if key not in ("SDL_VIDEODRIVER", "WAYLAND_DISPLAY")}
        return {**rest, "DISPLAY": self.display, "SDL_VIDEODRIVER": "x11"}

    def pixels(self) -> tuple[int, int, bytes]:
        """Width, height, and the colours row by row, three bytes each."""
        data = self.picture.read_bytes()
        header = struct.unpack(">20I", data[:80])  # the X window dump format
        start, width, height, stride, colours = header[0], header[4], header[5], header[12], header[19]
        start += 12 * colours
        rows = []
        for row in range(height):
            line = data[start + row * stride : start + row * stride + 4 * width]
            rgb = bytearray(3 * width)
            rgb[0::3], rgb[1::3], rgb[2::3] = line[2::4], line[1::4], line[0::4]  # stored as blue, green, red, unused
            rows.append(bytes(rgb))
        return width, height, b"".join(rows)


@contextlib.contextmanager
def virtual_screen(folder: Path, size: str = "1280x1024x24") -> Iterator[VirtualScreen]:
    """A screen for as long as the block runs."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-fbdir", str(folder), "-nolisten", "tcp"]
    process = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as answer:
            number = answer.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start")
        yield VirtualScreen(f":{number}", folder / "Xvfb_screen0")
    finally:
        process.terminate()
        process.wait()
