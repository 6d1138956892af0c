"""The help explains every sign in sight, and each sign has one meaning in one place."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import pytest

from chartui.commands import SCREENS
from chartui.commands.tabs import TABS
from chartui.core.text import cell_width
from chartui.tui.glyphs import Glyphs
from chartui.tui.plain import in_ascii
from chartui.tui.shell.help import Help
from chartui.tui.shell.legend import SIGNS
from chartui.tui.terminal import Terminal
from tests.long import spread
from tests.tui.user import NARROW, WIDE, User, opened

NAMES = [screen.id.removeprefix("show-") for screen in SCREENS]
#: Signs of keys, which are words in ASCII.
KEYS = {"Enter", "Backspace", "Left", "Right", "Up and down"}
#: Drawn by the framework, in frames or as large digits, besides in signs.
_FRAMES = frozenset(map(chr, range(0x2500, 0x25A0))) - {"▌", "▒"}
_BRAILLE = frozenset(map(chr, range(0x2800, 0x2900)))
_PUNCTUATION = frozenset("–—“”‘’\N{NO-BREAK SPACE}")


def signs_in(text: str) -> set[str]:
    """The characters of a picture that nobody can read without an explanation."""
    found = {c for c in text if not c.isascii() and unicodedata.category(c)[0] not in "LMN"}
    return {"⠒" if c in _BRAILLE else c for c in found - _FRAMES - _PUNCTUATION}


async def explained(user: User) -> list[tuple[str, str]]:
    """The signs that the help lists, with their names; each can be scrolled to. Leaves the help."""
    await user.press("?")
    await user.at(Help)
    listed, pages = user.listed_signs, user.screen
    while user.help_goes_on:
        await user.press("pagedown")
        pages += user.screen
    shown = in_ascii if user.app.keymap.words else str
    assert [name for sign, name in listed if not re.search(rf"{re.escape(shown(sign))} +{name} ", pages)] == []
    await user.press("escape")
    return listed


def test_every_sign_is_in_the_legend() -> None:
    drawn = {name: sign for name, sign in vars(Glyphs).items() if not name.startswith("_")}
    legend = {character for sign in SIGNS for character in sign.sign}
    assert [name for name, sign in drawn.items() if sign not in legend] == []


def test_no_sign_has_two_meanings_in_one_place() -> None:
    places = Counter((character, scope) for sign in SIGNS for character in sign.sign for scope in sign.scopes)
    assert [place for place, times in places.items() if times > 1] == []


def test_an_explanation_fits_into_a_line() -> None:
    for text, name, meaning, *_ in SIGNS:
        widths = (cell_width(text), cell_width(name), cell_width(meaning))
        assert all(width <= room for width, room in zip(widths, (11, 33, 58), strict=True)), (name, widths)
        assert meaning.endswith("."), name


@pytest.mark.parametrize(("name", "size"), spread([(name,) for name in NAMES], [NARROW, WIDE]), ids=str)
async def test_the_help_explains_what_is_in_sight(name: str, size: tuple[int, int]) -> None:
    async with opened(screen=name, size=size) as user:
        for _ in range(max(1, len(TABS[name]))):
            await user.rests()
            picture = user.screen
            listed = set("".join(sign for sign, _ in await explained(user)))
            assert signs_in(picture) - listed == set(), picture
            assert signs_in("".join(listed)) - signs_in(picture) == set(), picture
            await user.press("]")


@pytest.mark.parametrize("name", NAMES)
async def test_in_ascii_the_help_explains_the_same_signs(name: str) -> None:
    found = []
    for terminal in (Terminal(), Terminal(ascii=True)):
        async with opened(screen=name, size=WIDE, terminal=terminal) as user:
            await user.rests()
            listed = await explained(user)
            found.append({name for _, name in listed} - KEYS)
    assert found[0] == found[1]
