"""The program as the command line opens it, to be started again and again on the same files."""

from __future__ import annotations

import gc
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

import pytest

from chartui.core.backends.local.store import Store
from chartui.core.clock import seeded_ids
from chartui.core.profiles import BUILT_IN
from chartui.core.session import store_path
from chartui.demos import fill
from chartui.main import main
from tests.tui.sessions import clock
from tests.tui.user import NARROW, User, Watched

#: The command of most starts.
LOCAL = "chartui --profile local"


def fill_local() -> None:
    """Put the demo data into the user's own store."""
    with closing(Store(store_path(BUILT_IN["local"]))) as store:
        fill(store, ids=seeded_ids(7), clock=clock)


@asynccontextmanager
async def started(command: str = LOCAL, *, size: tuple[int, int] = NARROW) -> AsyncIterator[User]:
    """What a command line opens, in front of a user; it quits at the end."""
    made: list[Watched] = []

    def caught(app: Watched) -> int:
        made.append(app)
        return 0

    with pytest.MonkeyPatch.context() as patch:
        for stream in ("stdin", "stderr"):
            patch.setattr(f"sys.{stream}.isatty", lambda: True)
        patch.setenv("TEXTUAL_FPS", "240")
        patch.setenv("TEXTUAL_ANIMATIONS", "none")
        patch.setattr("chartui.tui.run.ChartuiApp", Watched)
        patch.setattr("chartui.tui.run.run_app", caught)
        status = main(shlex.split(command)[1:])
    gc.enable()
    assert status == 0, command
    [app] = made
    async with app.run_test(size=size) as pilot:
        user = User(app, pilot)
        try:
            await user.ready()
            yield user
        except AssertionError as error:
            error.add_note(user.screen)
            raise
        app.exit()
