"""Pictures of stories that are played."""

from __future__ import annotations

from pathlib import Path

import pytest

from chartui.core.narrative.story import decision
from chartui.tui.screens.narrative.dialogs import AskRandomWalks, KeysForm, OpenWalk
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.user import User


async def dialogue(user: User, kind: type[object]) -> None:
    await user.until(lambda: isinstance(user.app.screen, kind))


@sizes("120x40", svg="120x40")
def test_walk(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("w", "1", "down", "down", "enter", "2", "backspace", "down")

    screen(play, screen="narrative", size=size)


@sizes("80x24")
def test_by_chance(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("w", "b")
        await dialogue(user, AskRandomWalks)
        await user.press(*["backspace"] * 6, *"30, 2, triggers", "enter")
        await user.sees("30 walks")

    screen(play, screen="narrative", size=size)


def test_keys(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.press("w", "{")
        await dialogue(user, KeysForm)
        await user.press(*"Ada")

    screen(play, screen="narrative")


def test_filled_keys(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.press("w", "{")
        await dialogue(user, KeysForm)
        await user.press(*"Ada", "enter")
        await user.sees("Greet Ada")

    screen(play, screen="narrative")


def test_a_file_that_does_not_hold(screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    steps = '[{ take = "They have an hour", to = "House rules" }, { take = "They fly" }, { jump = "Archive" }]'
    Path("w.toml").write_text(f'format = "chartui-walk"\nversion = 1\nsteps = {steps}\n')

    async def play(user: User) -> None:
        await user.press("w", "o")
        await dialogue(user, OpenWalk)
        await user.press(*"w.toml", "enter")
        await user.sees("The path no longer exists")

    screen(play, screen="narrative")


def test_loop(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.press("w")
        story = user.narrative.story
        start = str(story.start)
        story = story.with_section(start, decisions=[decision("*", "pong")])
        story = story.with_section("pong", name="The other one", decisions=[decision("*", start)])
        user.narrative.tell(story)
        await user.sees("An infinite loop")

    screen(play, screen="narrative")
