"""A program that does one job on a store of its own, and dies where it is told to: ``python -m tests.kill.victim``.

What it does to its files is counted, statement by statement, over all of them. It dies by ``SIGKILL``, before the
statement with the number given, or whenever somebody else kills it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from importlib import import_module
from typing import Any

from chartui.core.profiles import BUILT_IN
from chartui.core.session import open_session


class Counted(sqlite3.Connection):
    """A connection whose statements count."""

    statements = 0
    last = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.set_trace_callback(_count)


def _count(_: str) -> None:
    Counted.statements += 1
    if Counted.statements == Counted.last:
        os.kill(os.getpid(), signal.SIGKILL)


async def _work(job: Callable[..., Awaitable[None]], words: list[str]) -> None:
    session = open_session(BUILT_IN["local"])
    try:
        await job(session, *words)
    finally:
        await session.aclose()


def main() -> None:
    """Do the job; prints how many statements and seconds that took."""
    last, job, *words = sys.argv[1:]
    Counted.last = int(last)
    sqlite3.connect = partial(sqlite3.connect, factory=Counted)  # type: ignore[assignment]
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    start = time.monotonic()
    name, _, function = job.partition(":")
    module = import_module(name)
    # Jobs that open a screen name the loop that can be awaited until it is at rest.
    with asyncio.Runner(loop_factory=getattr(module, "LOOP", None)) as runner:
        runner.run(_work(getattr(module, function), words))
    sys.stdout.write(f"{Counted.statements} {time.monotonic() - start}\n")


if __name__ == "__main__":
    main()
