"""A network that is slow at random: what goes through it comes late, in its order on each connection."""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections.abc import Iterator

_LOT = random.Random(1)


@contextlib.contextmanager
def slowed(port: int, most: float) -> Iterator[int]:
    """A port whose traffic goes to this one of the loopback address, every piece up to ``most`` seconds late."""
    found: list[int] = []
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        server = await asyncio.start_server(lambda *ends: _connect(port, most, *ends), "127.0.0.1", 0)
        found.append(server.sockets[0].getsockname()[1])
        ready.set()
        await stop.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run, name="slow-network")
    thread.start()
    ready.wait()
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


async def _connect(port: int, most: float, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        there, back = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        writer.close()
        return
    try:
        await asyncio.gather(_copy(most, reader, back), _copy(most, there, writer))
    finally:
        back.close()
        writer.close()


async def _copy(most: float, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(1 << 16):
            await asyncio.sleep(_LOT.random() * most)
            writer.write(piece)
            await writer.drain()
    writer.close()
