"""Damaged files, as many as asked for: whatever a command meets in one, it says so, and never ends unforeseen.

``CHARTUI_DAMAGED=2000`` damages as many copies of each file; a few are part of every run.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import pytest

from chartui.core.jsontext import dumps, loads
from chartui.core.narrative.edits import Edits, StoryDraft, Turned, draft_to_wire
from chartui.core.profiles import BUILT_IN
from chartui.core.session import open_session
from chartui.main import main
from tests.long import sampled
from tests.tui.user import opened, run_app

from .damaging import WAYS

#: How many copies of each file are damaged.
COPIES: Final = int(os.environ.get("CHARTUI_DAMAGED", "11"))
#: How many unforeseen ends a failure shows.
SHOWN: Final = 5
#: What chance starts from.
SEED: Final = int(os.environ.get("CHARTUI_SEED", "1"))
#: The terminal UI is opened on one copy in so many: it takes longer than all the commands.
OPENED: Final = 11
FILES: Final = ("local.db", "journal.db", "drafts.db", "seen.db", "demo.db")
#: Those of a normal run.
SHORT_RUN: Final = ("local.db", "journal.db")
#: Done, no, a usage that the damage caused, refused by the store, and the store itself; a crash is none of them.
ALLOWED: Final = frozenset({0, 1, 2, 3, 5})

READING: Final = (
    "characters list --json",
    "characters show {id}",
    "characters show {id} --json",
    "characters card {id}",
    "characters compare {id} {other}",
    "characters seen",
    "characters seen {id}",
    "narrative show {id} --json",
    "narrative lint {id}",
    "estimate --character {id}",
    "history",
    "history --open --json",
    "history --character {id}",
    "plans list",
    "plans show {plan} --json",
    "pull {id}",
    "doctor --json",
    "store check",
    "store check --json",
    "store accounts",
    "store backups",
    "store backup {new}",
    "store salvage {new}",
)
CHANGING: Final = (
    "characters set {id} --temperature 0.37 --yes",
    "characters rename {id} Another --yes",
    "characters duplicate {id} --yes",
    "characters delete {id} --yes",
    "undo --yes",
    "undo {plan} --yes",
    "plans resume {plan} --yes",
    "narrative sections create {id} Another More --yes",
    "act {id} hello",
    "characters seen {id} --remember",
)


class Stand(NamedTuple):
    """The files before they are damaged, and what is in them."""

    folder: Path
    words: Mapping[str, Mapping[str, str]]


def run(*words: str) -> tuple[int, str, str]:
    """The program on ``words``: its status, and what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    return status, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Stand:
    """Files that the program has used for a while, each with a part of its content still in its log."""
    root = tmp_path_factory.mktemp("sound")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHARTUI_CONFIG_DIR", str(root / "config"))
        patch.setenv("CHARTUI_DATA_DIR", str(root / "data"))
        assert run("store", "seed", "--characters", "6", "--sections", "5")[0] == 0
        words = {profile: _used(profile) for profile in ("local", "demo")}
        asyncio.run(_drafts(words["local"]["id"]))
        with contextlib.ExitStack() as stack:
            for name in FILES:
                connection = stack.enter_context(closing(sqlite3.connect(root / "data" / name, isolation_level=None)))
                [(table, column), *_] = [
                    (table, row[1])
                    for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
                    if connection.execute(f"SELECT 1 FROM {table}").fetchone()
                    for row in connection.execute(f"PRAGMA table_info({table})").fetchall()
                ]
                connection.execute(f"UPDATE {table} SET {column} = {column}")
            shutil.copytree(root / "data", root / "used", ignore=shutil.ignore_patterns("*-shm", "backups"))
    return Stand(root / "used", words)


def _used(profile: str) -> Mapping[str, str]:
    """Make some changes on a profile; gives what commands can name: two characters and a plan."""

    def wrote(words: str) -> str:
        status, out, err = run("--profile", profile, *words.split())
        assert status == 0, f"{words}: {err}"
        return out

    first, second, *_ = (one["character_id"] for one in loads(wrote("characters list --json"))["characters"])
    for words in (
        f"characters set {first} --temperature 0.21 --yes",
        f"characters set {first} {second} --temperature 0.42 --yes",
        f"characters rename {second} Renamed --yes",
        f"narrative sections create {first} More More --yes",
        "undo --yes",
        f"characters seen {first} --remember",
        f"characters seen {second} --remember",
    ):
        wrote(words)
    plan = next(one["name"] for one in loads(wrote("history --json"))["changes"] if "#" not in one["name"])
    return {"id": first, "other": second, "plan": plan}


async def _drafts(character_id: str) -> None:
    session = open_session(BUILT_IN["local"])
    place = session.profile.place
    await session.drafts.save(place, character_id, "action", {"text": "Hello.", "actions": ["wave"]})
    staged = {"temperature": [dumps(None), dumps(1)]}
    await session.drafts.save(place, character_id, "settings", {"format": "chartui-settings-draft", "staged": staged})
    story = StoryDraft(character_id=character_id, name="One", edits=Edits(start=Turned("a", "b")))
    await session.drafts.save(place, character_id, "narrative", draft_to_wire(story))
    await session.aclose()


@pytest.mark.parametrize("name", sampled(FILES, *(FILES if "CHARTUI_DAMAGED" in os.environ else SHORT_RUN)))
def test_no_damage_ends_the_program_unforeseen(
    name: str,
    stand: Stand,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    chance = Random(f"{name} {SEED}")
    ends: Counter[int] = Counter()
    unforeseen = []
    profile = "demo" if name == "demo.db" else "local"
    for copy in range(COPIES):
        way = WAYS[copy % len(WAYS)]
        data = tmp_path / f"data-{copy}"
        shutil.copytree(stand.folder, data)
        monkeypatch.setenv("CHARTUI_DATA_DIR", str(data))
        way(data / name, chance)
        words = {**stand.words[profile], "new": str(tmp_path / f"new-{copy}.db")}
        for command in (*chance.sample(READING, 3), *chance.sample(CHANGING, 2), chance.choice(READING)):
            status, _, err = run("--profile", profile, *command.format(**words).split())
            ends[status] += 1
            if status not in ALLOWED:
                unforeseen.append(f"copy {copy}, {way.__name__}: {command} ended with {status}\n{err}{_reports(data)}")
        if copy % OPENED == 0:
            try:
                run_app(_open(profile))
            except Exception as error:  # noqa: BLE001 - to be reported with what had been damaged
                unforeseen.append(f"copy {copy}, {way.__name__}: the terminal UI ended with {error!r}")
        shutil.rmtree(data)
    figures = ", ".join(f"{count} with {status}" for status, count in sorted(ends.items()))
    request.node.user_properties.append(("damaged", f"{COPIES} copies of {name}; commands ended {figures}"))
    assert not unforeseen, f"{len(unforeseen)} of {COPIES}\n" + "\n".join(unforeseen[:SHOWN])


async def _open(profile: str) -> None:
    """The terminal UI, from its start to characters, history and end."""
    session = open_session(BUILT_IN[profile])
    async with opened(session, screen="characters", ready=False) as user:
        await user.settle()
        await user.press("3")
        await user.settle()
        await user.press("H")
        await user.settle()
    user.app.assert_whole()


def _reports(data: Path) -> str:
    """The reports about crashes, which are taken away: each is shown once."""
    found = list((data / "logs").glob("*"))
    text = "\n".join(path.read_text() for path in found)
    for path in found:
        path.unlink()
    return text
