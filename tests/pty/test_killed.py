"""The program killed in its terminal while it applies a change: the next start says so, and finds out how it ended."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from chartui.core.journal import Outcome
from tests.pty.journal import held, outcomes, until
from tests.pty.terminal import CHARTUI, running

COMMAND = (CHARTUI, "--profile", "demo", "--screen", "narrative")


@pytest.mark.parametrize("arrived", [False, True], ids=["not applied", "applied"])
def test_a_change_under_way_is_found_and_looked_at(arrived: bool, own_folders: Path) -> None:
    """Killed before the store took the change, or after it did and before that was written down."""
    data = own_folders / "data"
    with running(COMMAND) as terminal:
        terminal.wait_for("Welcome at the door")
        terminal.type("T")
        terminal.wait_for("Cancel")
        # The store waits for its lock. Then the journal does, so that it misses the end of the change.
        with held(data / "demo.db") as let_store:
            terminal.type("y")
            until(lambda: (data / "journal.db").exists() and asyncio.run(outcomes(data / "journal.db")))
            if arrived:
                with held(data / "journal.db"):
                    let_store()
                    until(lambda: not switched_on(data / "demo.db"))
                    terminal.process.kill()
                    assert terminal.end() == -signal.SIGKILL
            else:
                terminal.process.kill()
                assert terminal.end() == -signal.SIGKILL
    assert asyncio.run(outcomes(data / "journal.db")) == [Outcome.OPEN]

    with running(COMMAND, size=(120, 40)) as terminal:
        terminal.wait_for("Check the history")
        terminal.type("H")
        terminal.wait_for("l check outcome", "esc close")
        terminal.type("l")
        terminal.wait_for("the change was applied" if arrived else "the change was not applied")
        until(lambda: asyncio.run(outcomes(data / "journal.db")) != [Outcome.OPEN])
    assert asyncio.run(outcomes(data / "journal.db")) == [Outcome.DONE if arrived else Outcome.REFUSED]


def switched_on(store: Path) -> bool:
    """Whether the narrative graph of Elena Marsh is on, as the store has it."""
    query = (
        "SELECT json_extract(record, '$.is_narrative_driven') FROM characters"
        " WHERE json_extract(record, '$.character_name') = 'Elena Marsh'"
    )
    with closing(sqlite3.connect(store)) as connection:
        [(on,)] = connection.execute(query).fetchall()
    return bool(on)
