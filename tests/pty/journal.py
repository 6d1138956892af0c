"""The journal of a program that runs elsewhere: held, and read."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from chartui.core.journal import Journal, Outcome, PlanState
from tests.pty.terminal import PATIENCE


@contextmanager
def held(path: Path) -> Iterator[Callable[[], None]]:
    """Write to a store, so that everybody else waits who wants to; gives what lets them."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection.rollback


def until(holds: Callable[[], object]) -> None:
    """Wait until something holds that only looking tells."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        os.sched_yield()


async def outcomes(path: Path) -> list[Outcome]:
    """How the changes in a journal ended."""
    journal = Journal(path)
    try:
        return [entry.outcome for entry in await journal.entries()]
    finally:
        await journal.aclose()


async def plans(path: Path) -> list[PlanState]:
    """How the plans in a journal ended."""
    journal = Journal(path)
    try:
        return [plan.state for plan in await journal.plans()]
    finally:
        await journal.aclose()
