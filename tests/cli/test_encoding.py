"""Terminals without Unicode get similar characters, and commands never fail for a character."""

from __future__ import annotations

import io
import json
import sys

import pytest

from inarow.cli.common import print_json
from inarow.cli.main import is_plain_locale, settle_encoding


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def printed(monkeypatch: pytest.MonkeyPatch, stream: io.TextIOWrapper, text: str) -> bytes:
    monkeypatch.setattr(sys, "stdout", stream)
    settle_encoding()
    stream.write(text)
    stream.flush()
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue()


def test_characters_that_an_encoding_lacks_become_similar_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = printed(monkeypatch, io.TextIOWrapper(io.BytesIO(), encoding="ascii"), "−4 ± 2 in 3 µs … é")
    assert shown == b"-4 +/- 2 in 3 us ... \\xe9"


def test_a_terminal_of_the_locale_c_gets_ascii_and_a_pipe_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.cli.main.is_plain_locale", lambda environment, utf8_mode: True)
    assert printed(monkeypatch, Terminal(io.BytesIO(), encoding="utf-8"), "−4") == b"-4"
    assert printed(monkeypatch, io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), "−4") == "−4".encode()


@pytest.mark.parametrize(
    ("environment", "plain"),
    [
        ({"LANG": "C"}, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),
        ({"LC_ALL": "POSIX", "LANG": "en_GB.UTF-8"}, True),
        ({"LC_ALL": "C.UTF-8", "LANG": "C"}, False),
        ({"LC_CTYPE": "en_GB.UTF-8", "LANG": "C"}, False),
        ({"LANG": "en_GB.UTF-8"}, False),
        ({}, False),
    ],
)
def test_the_locale_c_counts_if_it_was_asked_for(environment: dict[str, str], plain: bool) -> None:
    assert is_plain_locale(environment, utf8_mode=True) is plain
    assert not is_plain_locale(environment, utf8_mode=False)


def test_json_is_escaped_where_it_would_steer_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    data = {"name": "é \x9b2J \x7f \ud800 \u202e 𝄞"}
    print_json(data)
    shown = capsys.readouterr().out
    assert shown.replace("\n", "").isprintable()
    assert "é" in shown
    assert json.loads(shown) == data
