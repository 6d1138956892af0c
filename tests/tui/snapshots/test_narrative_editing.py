"""Pictures of a story that is written: what is staged, what would be sent, and what a removal comes to."""

from __future__ import annotations

from chartui.tui.screens.narrative.dialogs import TargetChooser
from chartui.tui.widgets.chooser import Picker
from chartui.tui.widgets.editor import Editor
from chartui.tui.widgets.review import Review
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.user import User


async def a_roof(user: User) -> None:
    """A new section, and a decision that leads to it."""
    await user.press("down", "down")
    await ask_criteria(user)
    await user.press(*"They look up", "enter")
    await user.sees("2 sections, S applies")


async def ask_criteria(user: User) -> None:
    """The name of a new section is typed, and the criteria of the decision are asked for."""
    await user.press("a")
    await user.at(TargetChooser)
    await user.press(*"The roof", "enter")
    await user.back()
    await user.sees("→ “The roof” (*", "⏎ accepts")


@sizes("80x24", "120x40")
def test_asked(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("down")
        await ask_criteria(user)

    screen(play, screen="narrative", size=size)


@sizes("80x24", whole="80x24")
def test_completed(screen: Screen, size: tuple[int, int]) -> None:
    """A key whose rest is suggested."""

    async def play(user: User) -> None:
        await user.press("e")
        await user.at(Editor)
        await user.press("enter", *"<speak>Welcome, {Visi")
        await user.sees("tab complete")

    screen(play, screen="narrative", size=size)


@sizes("120x40", svg="120x40")
def test_staged(screen: Screen, size: tuple[int, int]) -> None:
    screen(a_roof, screen="narrative", size=size)


@sizes("120x40", svg="120x40")
def test_reviewed(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await a_roof(user)
        await user.press("S")
        await user.until(lambda: isinstance(user.app.screen, Review))
        await user.sees("They look up → “The roof”")

    screen(play, screen="narrative", size=size)


@sizes("80x24")
def test_removed(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("down", "delete")
        await user.until(lambda: isinstance(user.app.screen, Picker))
        await user.press("down", "enter")
        await user.sees("incoming links of “House rules”")

    screen(play, screen="narrative", size=size)
