"""Running coroutines in tests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor


def run_on_a_loop(test: Callable[[], Awaitable[None]]) -> None:
    """Run it on an event loop of its own, in another thread: the browser's driver keeps one running in this one."""

    async def run() -> None:
        await test()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, run()).result()
