"""Killing the program at every kind of moment, and looking at what it left.

``CHARTUI_KILLS`` in the environment says how often each thing is killed; without it a normal run kills it once, which
shows that nothing is wrong with the tests, and a long one a few times::

    CHARTUI_KILLS=50 script/test tests/kill
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple
from unittest import mock

from chartui.core.jsontext import dumps
from chartui.core.profiles import BUILT_IN
from chartui.core.session import Session, open_session
from tests.long import sampled

__all__ = ["KILLS", "SEEDS", "Life", "Victim", "everything_in", "normal"]

#: How often each thing is killed.
KILLS: Final = int(os.environ.get("CHARTUI_KILLS", "4"))
#: What chance starts from, each time.
SEEDS: Final = sampled(range(KILLS), *(range(KILLS) if "CHARTUI_KILLS" in os.environ else [0]))
_PATIENCE: Final = 120
_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


class Life(NamedTuple):
    """How many statements a job takes, and how many seconds."""

    statements: int
    seconds: float


class Victim:
    """The program on files of its own in ``folder``, doing ``job``: ``module:function``, called with a session.

    ``words`` are given to the function as well. What the program finds is put there before, with :meth:`copy_of` or
    in a :meth:`session`.
    """

    def __init__(self, folder: Path, job: str, *words: str) -> None:
        self.folder = folder
        self.job = job
        self.words = words

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def copy_of(self, other: Path) -> Victim:
        """Begin with the files in ``other``."""
        shutil.copytree(other, self.folder)
        return self

    def doing(self, job: str, *words: str) -> Victim:
        return Victim(self.folder, job, *words)

    def lives(self) -> Life:
        """Let it do its job to the end; returns how long that was."""
        with self._process(0) as process:
            out, errors = process.communicate(timeout=_PATIENCE)
        assert process.returncode == 0, errors
        _, statements, seconds = out.split()
        return Life(int(statements), float(seconds))

    def dies_at(self, statement: int, *, surely: bool = True) -> None:
        """Let it die before it executes that statement, counted from 1; what it was about to do it has not done.

        Unless ``surely``, a job that has fewer statements, since some of it was done before, may end by itself.
        """
        with self._process(statement) as process:
            _, errors = process.communicate(timeout=_PATIENCE)
        assert process.returncode == -signal.SIGKILL or (process.returncode == 0 and not surely), errors

    def dies_after(self, seconds: float) -> bool:
        """Kill it from outside so long after it has begun; False when it was faster."""
        with self._process(0) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.kill()
            process.communicate(timeout=_PATIENCE)
        assert process.returncode in (0, -signal.SIGKILL)
        return process.returncode != 0

    def dies_somehow(self, random: Random, life: Life) -> None:
        """Let chance decide where in a life of that length: between two statements, or whatever it is doing then."""
        if random.random() < 0.75:
            self.dies_at(random.randint(1, life.statements))
        else:
            self.dies_after(random.uniform(0.0, life.seconds))

    def _process(self, last: int) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.kill.victim", str(last), self.job, *self.words],
            env={**os.environ, "CHARTUI_DATA_DIR": str(self.data)},
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        with mock.patch.dict(os.environ, {"CHARTUI_DATA_DIR": str(self.data)}):
            session = open_session(BUILT_IN["local"])
            try:
                yield session
            finally:
                await session.aclose()


async def everything_in(session: Session) -> dict[str, Any]:
    """All that the store knows, by character: what must be the same is compared by this."""
    found = {}
    for character in await session.service.summaries():
        found[character.character_id] = await snapshot(session, character.character_id)
    return found


async def snapshot(session: Session, character_id: str) -> Any:
    from chartui.core.spec.operations import operation

    return (await session.service.call(operation("snapshot-character"), {"charID": character_id})).body


def normal(everything: dict[str, Any]) -> str:
    names: dict[str, str] = {}
    text = _ID.sub(lambda found: names.setdefault(found[0], f"id-{len(names)}"), dumps(list(everything.values())))
    return _TIME.sub("a moment", text)
