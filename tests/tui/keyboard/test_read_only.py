"""Under the lock nothing that one can do in the program changes anything: every command, by key, palette and mouse."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field

import pytest
from textual.screen import ModalScreen

from chartui.commands import COMMANDS, SCREENS, Command, commands_for
from chartui.core.clock import seeded_ids
from chartui.core.profiles import BUILT_IN, Profile
from chartui.core.session import Session, journal_path, store_path
from chartui.core.spec.operations import Effect
from chartui.tui.shell.opening import Opening
from chartui.tui.widgets.chooser import Chooser
from tests.tui.sessions import clock
from tests.tui.user import NARROW, User, opened

DEMO = BUILT_IN["demo"]
SCOPES = [command.id.removeprefix("show-") for command in SCREENS]
#: What has something to change on its screen: begun there before each command.
BEGUN = {"actions": ["t", *"Hello there", "escape"], "characters": ["e", "right", "escape"]}
#: The commands that end the program.
LAST = {"quit"}


@dataclass(eq=False)
class Watched(Opening):
    """Remembers what was opened."""

    sessions: list[Session] = field(default_factory=list)

    def open(self, profile: Profile, *, anew: bool = False) -> Session:
        self.sessions.append(super().open(profile, anew=anew))
        return self.sessions[-1]

    @property
    def changes(self) -> list[str]:
        """What came through the lock that was no read."""
        calls = [call.operation for session in self.sessions for call in session.recorder.calls]
        return [row.name for row in calls if row.effect is not Effect.READ]


def stored() -> dict[str, list[str]]:
    """Everything in the store and in the journal."""
    content = {}
    for path in (store_path(DEMO), journal_path()):
        with closing(sqlite3.connect(path)) as connection:
            content[path.name] = list(connection.iterdump())
    return content


async def prepare() -> None:
    """A store with a change in it that could be undone."""
    session = Opening(clock=clock, ids=seeded_ids(7)).open(DEMO)
    first = (await session.service.summaries())[0]
    await session.service.toggle_narrative(first.character_id, False)
    await session.service.toggle_narrative(first.character_id, True)
    await session.aclose()


@asynccontextmanager
async def at(scope: str, *, read_only: bool = True) -> AsyncIterator[tuple[User, Watched]]:
    """The program on prepared data."""
    await prepare()
    way = Watched(clock=clock, ids=seeded_ids(8), read_only=read_only)
    async with opened(way.open(DEMO), screen=scope, opening=way, size=NARROW) as user:
        yield user, way


async def back(user: User, scope: str) -> None:
    """Out of whatever is open, to the screen, with something begun there."""
    for _ in range(8):
        if not isinstance(user.app.screen, ModalScreen):
            break
        await user.press("escape")
    await user.press("escape")
    assert not isinstance(user.app.screen, ModalScreen), user.screen
    user.app.action_show(scope)
    await user.ready()
    await user.press(*BEGUN.get(scope, []))
    await user.settle()


async def agree(user: User) -> None:
    """Say yes to whatever asks."""
    await user.settle()
    for key in ("y", "enter"):
        if isinstance(user.app.screen, ModalScreen) and not isinstance(user.app.screen, Chooser):
            await user.press(key)
            await user.settle()


async def by_key(user: User, scope: str, command: Command) -> None:
    for key in command.keys:
        await back(user, scope)
        await user.press(key)
        await agree(user)


async def by_palette(user: User, scope: str, command: Command) -> None:
    await back(user, scope)
    await user.app.action_command("palette")
    await user.until(lambda: isinstance(user.app.screen, Chooser), "for the palette")
    await user.press(*("space" if character == " " else character for character in command.title))
    await user.press("enter")
    await agree(user)


def commands_on(scope: str) -> list[Command]:
    return [c for c in (*commands_for(scope), *commands_for("app")) if c.id not in LAST]


WAYS: dict[str, Callable[[User, str, Command], Awaitable[None]]] = {"key": by_key, "palette": by_palette}


def test_every_command_is_walked() -> None:
    walked = {command.id for scope in SCOPES for command in commands_on(scope)}
    assert walked | LAST == {command.id for command in COMMANDS}


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("scope", SCOPES)
async def test_no_command_changes_anything(scope: str, way: str) -> None:
    async with at(scope) as (user, watched):
        before = stored()
        for command in commands_on(scope):
            await WAYS[way](user, scope, command)
            assert watched.changes == [], command.id
        assert all(session.read_only for session in watched.sessions)
    assert stored() == before


@pytest.mark.parametrize("scope", SCOPES)
async def test_no_click_changes_anything(scope: str) -> None:
    async with at(scope) as (user, watched):
        before = stored()
        columns, lines = NARROW
        for line in (0, *range(2, lines - 1, 2), lines - 1):
            await back(user, scope)
            text = user.screen.splitlines()[line]
            step = 4 if line in (0, lines - 1) else 27
            end = text.find(" quit") - 2 if line == lines - 1 else columns
            for column in range(1, end, step):
                await user.pilot.click(offset=(column, line))
                await agree(user)
                if user.app.screen is not user.app.work_screen(scope):
                    await back(user, scope)
        assert watched.changes == []
    assert stored() == before


@pytest.mark.parametrize("scope", ["characters", "narrative", "actions"])
async def test_without_the_lock_the_same_walk_does_change_something(scope: str) -> None:
    async with at(scope, read_only=False) as (user, watched):
        for command in commands_for(scope):
            await by_key(user, scope, command)
        await user.until(lambda: watched.changes, "for a change")
