"""Plain mode: what the screens say, one fact a line, and nothing that only a picture needs."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from chartui.core.config import Config
from chartui.core.text import is_plain
from chartui.tui.plain import in_ascii
from chartui.tui.speech import _plain
from chartui.tui.terminal import Terminal
from tests.long import sampled
from tests.tui.sessions import demo
from tests.tui.user import User, opened
from tests.tui.walk import walk

#: The size of the layout in plain mode.
SIZE = (159, 33)
#: Frames, bars and dots.
DRAWN = re.compile("[\u2500-\u259f\u2800-\u28ff]")


class Listener:
    """Hears what the program says to ``user``."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.heard = user.app.heard

    async def hears(self, *lines: str) -> None:
        """Wait until these lines were said, in this order, since the last key."""
        await self.user.until(lambda: self._has(lines), f"to hear {lines}, only heard {self.heard}")

    def _has(self, lines: Sequence[str]) -> bool:
        rest = iter(self.heard)
        return all(line in rest for line in lines)

    async def press(self, *keys: str) -> None:
        self.heard.clear()
        await self.user.press(*keys)


@asynccontextmanager
async def listening(*, ascii: bool = False, **options: Any) -> AsyncIterator[Listener]:  # noqa: A002
    async with opened(terminal=Terminal(ascii=ascii, differences=False, plain=True), size=SIZE, **options) as user:
        yield Listener(user)


async def test_a_model_is_chosen_and_the_estimate_heard() -> None:
    async with listening() as listener:
        await listener.press("enter")
        await listener.hears("Dialog: Model", "option: MDLC 2.5 Flash", "type to filter, field")
        await listener.press("l", "i")
        await listener.hears("option: MDLC 2.5 Flash Live", "Typed: li")
        await listener.press("down")
        await listener.hears("option: MDLC 2.5 Flash Lite", "credits: 8.452")
        await listener.press("enter")
        await listener.hears("Screen: Estimator", "Model: MDLC 2.5 Flash Lite", "8.452 credits per interaction")


async def test_a_change_is_reviewed_and_applied() -> None:
    async with listening(screen="characters") as listener:
        await listener.press("e", "down")
        await listener.hears("Tab: Settings", "Settings, form", "Temperature: 0.6")
        await listener.press("plus")
        await listener.hears("Temperature: 0.65", "Staged")
        assert "Settings, form" not in listener.heard, "only what is new is said"
        await listener.press("S")
        await listener.hears("temperature, 0.6 to 0.65", "selected: Cancel esc, Apply y")
        await listener.press("right")
        await listener.hears("Cancel esc, selected: Apply y")
        await listener.press("enter")
        await listener.hears("Screen: Characters", "Applied: temperature 0.6 to 0.65, Elena Marsh")


async def test_a_row_says_all_its_columns_with_their_titles() -> None:
    async with listening(screen="characters") as listener:
        await listener.press("down")
        await listener.hears("Name: Bran Alder", "Model: mdlc-3.5-flash", "Lang: en-US")
        await listener.press("space")
        await listener.hears("yes 1 selected", "yes")
        assert "Name: Bran Alder" not in listener.heard


async def test_a_story_is_read_with_its_levels() -> None:
    async with listening(screen="narrative") as listener:
        await listener.press("down")
        await listener.hears("They have an hour or more to House rules", "Level 2")
        await listener.user.rests()
        await listener.press("ctrl+l")
        await listener.hears("Screen: Narrative", "start Welcome at the door", "Level 1", "Name, House rules")


async def test_the_whole_dialog_is_read_on_request() -> None:
    async with listening() as listener:
        await listener.press("question_mark")
        await listener.hears("Dialog: Keys and symbols")
        await listener.press("ctrl+l")
        await listener.hears("home end, g G, The first or last row")
        await listener.hears("up down, j k, One row up or down")
        await listener.hears("Everywhere", "q ctrl+q, Quit, Quits the program. Asks first if you have staged changes.")


async def test_a_finding_is_said_whole() -> None:
    async with listening(screen="narrative") as listener:
        await listener.press("l")
        await listener.hears("Tab: Lint", "Lint, text")
        await listener.press("down")
        why = "The section is marked as an ending. Check that the story should end here. (ending)"
        await listener.hears("note ending “Farewell at the gift shop” is an ending", why)


async def test_a_wrapped_paragraph_is_one_line() -> None:
    async with listening(screen="characters") as listener:
        await listener.press("dollar_sign")
        await listener.hears("Tab: Cost")
        await listener.user.rests()
        await listener.press("ctrl+l")
        await listener.user.until(
            lambda: any("8 s of user speech, 10 s of spoken reply" in line for line in listener.heard)
        )


async def test_signs_are_words_only_where_they_are_needed() -> None:
    wanted = {
        "Elena Marsh  … › The gallery › Statements": "Elena Marsh, The gallery, Statements",
        "State: ✓ done": "State: done",
        "State: ✓": "State: yes",
        "▲ Depends on a model": "warning Depends on a model",
        "They go back → ↩ The gallery": "They go back to The gallery, already shown",
        "* always → The case": "always to The case",
        "·Temperature  0.6": "Temperature, 0.6",
        "five rooms,": "five rooms,",
        "five rooms · three witnesses": "five rooms, three witnesses",
    }
    async with listening(screen="narrative") as listener:
        tree = listener.user.app.screen.query_one("#left")
        assert {drawn: list(_plain(drawn, tree)) for drawn in wanted} == {
            drawn: [said] for drawn, said in wanted.items()
        }


async def test_the_match_of_a_search_is_said() -> None:
    async with listening(screen="characters") as listener:
        await listener.press("slash")
        await listener.press("b", "r", "a")
        await listener.hears("Typed: bra", "Name: Bran Alder", "Characters: 1 of 12")


async def test_the_first_keys_are_said_once() -> None:
    async with listening() as listener:
        keys = "Press ? for a list of keys or ctrl+l to read the screen."
        await listener.hears("Screen: Estimator", keys)
        await listener.press("C")
        await listener.hears("Screen: Characters")
        assert keys not in listener.heard


async def test_the_jump_says_the_letter_of_each_part() -> None:
    async with listening(screen="characters") as listener:
        await listener.press("semicolon")
        await listener.hears("A: Characters")


async def test_locks_and_refusals_are_said() -> None:
    async with listening(session=demo(read_only=True), screen="characters") as listener:
        await listener.press("ctrl+l")
        await listener.hears("Profile: demo", "Temporary: deleted when you quit", "Read-only")
        await listener.press("d")
        await listener.user.until(lambda: any(line.startswith("Warning: ") for line in listener.heard))


@pytest.mark.parametrize("ascii", sampled([False, True], False), ids=["signs", "ascii"])
async def test_no_screen_or_dialog_says_what_only_a_picture_needs(ascii: bool) -> None:  # noqa: A002
    async with listening(ascii=ascii) as listener:
        speech = listener.user.app.speech
        assert speech is not None
        said: list[str] = []
        speech.say = said.extend
        shown = listener.user.app._display

        def display(*arguments: Any) -> None:
            shown(*arguments)
            if listener.user.app.screen.is_mounted:
                speech.look()
                speech.read_all()

        listener.user.app._display = display  # type: ignore[method-assign,assignment]
        await walk(listener.user)
    assert len(said) > 1000
    assert [line for line in said if DRAWN.search(line) or not is_plain(line) or not line.strip()] == []
    assert [line for line in said if not in_ascii(line).isascii()] == []
    assert not ascii or all(line.isascii() for line in said)


async def test_what_is_copied_goes_to_a_file() -> None:
    async with listening(screen="narrative", config=Config(clipboard="terminal")) as listener:
        listener.user.app.copy("a text", "Text")
        await listener.user.until(lambda: any("Copied “Text” (6 characters) to" in line for line in listener.heard))
        assert not any("clipboard (" in line for line in listener.heard)
