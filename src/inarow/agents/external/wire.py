"""Messages between a match and an external agent's process: length-prefixed JSON, no pickles."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

MAX_BYTES = 1 << 16
Message = dict[str, Any]
Ask = Callable[[Message], Message]
"""A function from a question to its answer, in the agent's process or in the parent."""


def packed(message: dict[str, Any]) -> bytes:
    """Return one message as bytes."""
    data = json.dumps(message).encode()
    return len(data).to_bytes(4, "big") + data


class Reader:
    """Assemble messages from received bytes."""

    def __init__(self) -> None:
        self.data = b""

    def feed(self, data: bytes) -> dict[str, Any] | None:
        """Return the next complete message, if any. Raises ValueError for invalid data."""
        self.data += data
        if len(self.data) < 4:
            return None
        size = int.from_bytes(self.data[:4], "big")
        if size > MAX_BYTES:
            raise ValueError(f"a message of {size} bytes")
        if len(self.data) < 4 + size:
            return None
        try:
            message = json.loads(self.data[4 : 4 + size])
        except (ValueError, RecursionError):
            raise ValueError("a message that is not JSON") from None
        self.data = self.data[4 + size :]
        if not isinstance(message, dict):
            raise ValueError("a message that is not an object")
        return message


def receive(read: Callable[[int], bytes], reader: Reader) -> dict[str, Any] | None:
    """Wait for the next message; None if the other end is closed."""
    message = reader.feed(b"")
    while message is None:
        data = read(65536)
        if not data:
            return None
        message = reader.feed(data)
    return message
