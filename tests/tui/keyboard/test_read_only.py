"""Under the lock nothing that one can do in the program changes anything: every command, by key, palette and mouse."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from textual.screen import ModalScreen

from chartui.commands import COMMANDS, SCREENS, Command, DataEffect, commands_for
from chartui.core.clock import seeded_ids
from chartui.core.drafts import STORY_PART
from chartui.core.narrative.edits import StoryDraft, difference, draft_to_wire
from chartui.core.narrative.story import Story
from chartui.core.plans.settings import SETTINGS_PART, TEMPERATURE, Staged, staged_to_wire
from chartui.core.profiles import BUILT_IN, Profile
from chartui.core.session import Session, journal_path, store_path
from chartui.core.spec.operation import Effect
from chartui.tui.run_plan import Report
from chartui.tui.shell.open_profile import Opening
from chartui.tui.wait import Waiting
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.questions import AskLine, Confirm, TypeCount
from chartui.tui.widgets.review import Review
from tests import writes
from tests.long import sampled
from tests.tui.sessions import clock
from tests.tui.user import NARROW, User, opened

DEMO = BUILT_IN["demo"]
SCOPES = [command.id.removeprefix("show-") for command in SCREENS]
#: The commands that end the program.
LAST = {"quit"}
#: The walks of a normal run: where most can be changed, by key, and once by the palette.
SHORT_RUN = {("characters", "key"), ("narrative", "key"), ("characters", "palette")}
CHANGING = {DataEffect.WRITE, DataEffect.ACT}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory of one's own: files may be written under the lock, and end here."""
    monkeypatch.chdir(tmp_path)


@dataclass(eq=False)
class Watched(Opening):
    """Remembers what was opened."""

    sessions: list[Session] = field(default_factory=list)

    def open(self, profile: Profile, *, reset: bool = False) -> Session:
        self.sessions.append(super().open(profile, reset=reset))
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
    """A store with a change in it that could be undone, settings that wait to be saved, and a story to be sent."""
    session = Opening(clock=clock, ids=seeded_ids(7)).open(DEMO)
    first = (await session.service.summaries())[0].character_id
    await writes.toggle_narrative(session.service, first, False)
    await writes.toggle_narrative(session.service, first, True)
    now = (await session.service.settings(first)).raw
    staged = Staged(character_id=first, name="Elena Marsh", base=now, changes={TEMPERATURE: "0.05"})
    await session.drafts.save(DEMO.place, first, SETTINGS_PART, staged_to_wire(staged))
    character, sections = await session.service.character(first), await session.service.sections(first)
    story = Story.of(character, sections, await session.service.triggers(first))
    edits = difference(story, story.with_section(sections[0].section_id, name="Zed"))
    draft = StoryDraft(character_id=first, name="Elena Marsh", edits=edits)
    await session.drafts.save(DEMO.place, first, STORY_PART, draft_to_wire(draft))
    await session.aclose()


@asynccontextmanager
async def at(scope: str, *, read_only: bool = True) -> AsyncIterator[tuple[User, Watched]]:
    """The program on prepared data."""
    await prepare()
    way = Watched(clock=clock, ids=seeded_ids(8), read_only=read_only)
    async with opened(way.open(DEMO), screen=scope, opening=way, size=NARROW) as user:
        yield user, way


async def begin(user: User, scope: str) -> None:
    """Have something on the screen that could be changed: somebody selected, settings in sight, a text to be said."""
    match scope:
        case "characters":
            if not user.characters.selected:
                await user.press("space")
            if not user.characters.are_settings_shown:
                await user.press("e")
                await user.until(lambda: user.characters.are_settings_shown, "for the settings")
                await user.press("escape")
        case "actions" if not user.actions.has_talk or not user.actions.turn.text:
            await user.press("e")
            await user.paste("Hello there")
            await user.press("escape")


async def back(user: User, scope: str) -> None:
    """Out of whatever is open, to the screen, with something begun there; what comes late is left as well."""
    for _ in range(12):
        await user.press("escape")
        await user.settle()
        if not user.is_at(ModalScreen):
            user.app.action_show(scope)
            await user.ready()
        if user.app.screen is user.app.work[scope]:
            break
    else:
        raise AssertionError(user.screen)
    await begin(user, scope)


async def agree(user: User) -> None:
    """Say yes to whatever asks."""
    await user.settle()
    for key in ("y", "enter"):
        if user.is_at(ModalScreen) and not user.is_at(Chooser):
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
    await user.at(Chooser)
    await user.paste(command.title)
    await user.press("enter")
    await agree(user)


def commands_on(scope: str) -> list[Command]:
    return [c for c in (*commands_for(scope), *commands_for("table"), *commands_for("app")) if c.id not in LAST]


WAYS: dict[str, Callable[[User, str, Command], Awaitable[None]]] = {"key": by_key, "palette": by_palette}


def test_every_command_is_walked() -> None:
    found = {command.id for scope in SCOPES for way in WAYS for command in walked(scope, way)}
    assert found | LAST == {command.id for command in COMMANDS}


def walked(scope: str, way: str) -> list[Command]:
    """By key whatever has one; the palette runs the same actions, so there it is those that change something, and
    those without a key.
    """
    every = commands_on(scope)
    return [c for c in every if c.keys] if way == "key" else [c for c in every if c.effect in CHANGING or not c.keys]


@pytest.mark.parametrize(
    ("scope", "way"),
    [
        pytest.param(scope, way, marks=() if (scope, way) in SHORT_RUN else pytest.mark.long)
        for scope in SCOPES
        for way in WAYS
    ],
)
async def test_no_command_changes_anything(scope: str, way: str) -> None:
    async with at(scope) as (user, watched):
        before = stored()
        for command in walked(scope, way):
            user.app.clear_notifications()
            await WAYS[way](user, scope, command)
            assert watched.changes == [], command.id
            # What is refused is marked in the help and in the palette; the lock itself cannot be lifted here.
            refused = any("is disabled" in toast for toast in user.toasts)
            keys = set(command.keys)  # beside another tab, a key may reach another command that shares it
            sharing = [one.effect for one in commands_on(scope) if one is command or keys & set(one.keys)]
            assert not refused or command.id == "lock" or user.app.locked.intersection(sharing), command.id
        assert all(session.read_only for session in watched.sessions)
    assert stored() == before


def places(user: User, line: int) -> list[int]:
    """Where one can click on a line: whatever does something when it is clicked, and beside it."""
    columns, column = [5], 0
    for segment in user.styles()[line]:
        if segment.style is not None and "@click" in segment.style.meta and "quit" not in segment.style.meta["@click"]:
            columns.append(column)
        column += segment.cell_length
    return columns


@pytest.mark.parametrize("scope", sampled(SCOPES, "characters"))
async def test_no_click_changes_anything(scope: str) -> None:
    async with at(scope) as (user, watched):
        before, clicked = stored(), 0
        _, lines = NARROW
        for line in (0, *range(2, lines - 1, 2), lines - 1):
            await back(user, scope)
            for column in places(user, line):
                # The keys in the last line are others where the click before has put the focus.
                if line == lines - 1 or user.app.screen is not user.app.work[scope]:
                    await back(user, scope)
                await user.pilot.click(offset=(column, line))
                await agree(user)
                clicked += 1
        assert watched.changes == []
        assert clicked > lines // 2
    assert stored() == before


# -- and without the lock ----------------------------------------------------------------------------------------------


async def answer(user: User) -> None:
    """Answer whatever asks so that something comes of it."""
    for _ in range(8):
        await user.settle()
        match user.app.screen:
            case Review() as review:
                number = len(review.plan.steps)
                await user.press(*(str(number) if review.query(TypeCount) else ""), "enter" if number > 1 else "y")
            case AskLine():
                await user.write("Zed")
                await user.press("enter")
            case Chooser():
                await user.press("enter")
            case Confirm():
                await user.press("y")
            case Report():
                await user.press("escape")
            case Waiting():
                await user.leaves(Waiting)
            case _:
                return


def changed_or_asked(user: User, watched: Watched, before: int) -> Callable[[], bool]:
    """Whether there are more changes than ``before``, or another screen than now is in front."""
    front = user.app.screen
    return lambda: len(watched.changes) > before or user.app.screen is not front


@pytest.mark.parametrize("scope", sampled(["characters", "narrative", "actions"], "characters"))
async def test_without_the_lock_each_of_them_does_change_something(scope: str) -> None:
    """So that the walks above say something of each."""
    async with at(scope, read_only=False) as (user, watched):
        changing = [command for command in commands_on(scope) if command.effect in CHANGING]
        assert len(changing) > 1
        for command in changing:
            before = len(watched.changes)
            await back(user, scope)
            await user.app.action_command(command.id)
            await answer(user)
            while len(watched.changes) <= before:  # what is asked may take a while to be made
                await user.until(changed_or_asked(user, watched, before), f"for {command.id} to change something")
                await answer(user)
