"""What goes between a match and a guest's process: JSON with its length before it, so that nothing is unpickled."""

from __future__ import annotations

import json
import socket
from typing import Any

MOST_BYTES = 1 << 20


def send(connection: socket.socket, message: dict[str, Any]) -> None:
    """Send one message."""
    data = json.dumps(message).encode()
    connection.sendall(len(data).to_bytes(4, "big") + data)


class Reader:
    """Puts messages together from what has arrived."""

    def __init__(self) -> None:
        self.data = b""

    def feed(self, data: bytes) -> dict[str, Any] | None:
        """The message that is complete now, if one is; raises ValueError for one that is none."""
        self.data += data
        if len(self.data) < 4:
            return None
        size = int.from_bytes(self.data[:4], "big")
        if size > MOST_BYTES:
            raise ValueError(f"a message of {size} bytes")
        if len(self.data) < 4 + size:
            return None
        message = json.loads(self.data[4 : 4 + size])
        self.data = self.data[4 + size :]
        if not isinstance(message, dict):
            raise ValueError("a message that is no object")
        return message


def receive(connection: socket.socket, reader: Reader) -> dict[str, Any] | None:
    """Wait for the next message; None if the other end is closed."""
    message = reader.feed(b"")
    while message is None:
        data = connection.recv(65536)
        if not data:
            return None
        message = reader.feed(data)
    return message
