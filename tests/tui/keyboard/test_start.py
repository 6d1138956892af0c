"""Somebody follows the page for newcomers key by key, in the smallest window that it promises to work in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from chartui.commands.keys import CHARACTER_KEYS, key_label
from chartui.tui.screens.narrative.state import Tab
from tests.tui.characters import sees_tab
from tests.tui.sessions import demo
from tests.tui.user import NARROW, User, opened

PAGE = (Path(__file__).parents[3] / "docs" / "start.md").read_text(encoding="utf-8")
_NAMED = ("enter", "escape", "left", "right", "up", "down")
#: How a key is written on the page → what the framework calls it, or the character that it types.
KEYS = {key_label(name): name for name in _NAMED} | {character: character for character in CHARACTER_KEYS.values()}


def steps(heading: str) -> Iterator[list[str]]:
    """The keys of each numbered step below a heading; a text to be typed is one key after the other."""
    _, found, after = PAGE.partition(f"\n## {heading}\n")
    assert found
    for step in re.split(r"^\d\. ", after.partition("\n## ")[0].partition("\n[More")[0], flags=re.MULTILINE)[1:]:
        keys: list[str] = []
        for key, text in re.findall(r"<kbd>(.+?)</kbd>|`(.+?)`", step):
            keys += [KEYS[key]] if key else text
        yield keys


def cursor_line(user: User) -> str:
    return next((line for line in user.screen.splitlines() if "▌" in line), "")


async def follow(user: User, keys: list[str]) -> None:
    """Press the keys of a step, and wait for what the last one brings."""
    await user.press(*keys)
    await user.ready()


async def test_the_steps_lead_where_the_page_says() -> None:
    async with opened(demo(), size=NARROW) as user:
        first, chosen, pinned, views = steps("What does an interaction cost?")
        before = user.line("credits per interaction")
        await follow(user, first)
        assert user.line("credits per interaction") != before
        await follow(user, chosen)
        await user.sees("MDLA 4o ")
        await follow(user, pinned)
        await user.sees("vs. “MDLA 4o")
        turned, *back = views
        await follow(user, [turned])
        await user.sees("Different inputs")
        await follow(user, back)
        await user.sees("vs. “MDLA 4o")

        found, opening, staged, saved, undone = steps("Who is that character?")
        await follow(user, found)
        await user.sees("1 of 12")
        await follow(user, opening[:1])
        await sees_tab(user, "Record")
        await follow(user, opening[1:])
        await sees_tab(user, "Cost")
        await follow(user, staged)
        await user.sees("Settings Δ1", "was 0.6")
        await follow(user, saved[:1])
        await user.sees("0.6 → 0.65")
        await follow(user, saved[1:2])
        await user.is_told("Applied: temperature 0.6 → 0.65 · Elena Marsh")
        await user.misses("Settings Δ1")
        await follow(user, saved[2:])
        await sees_tab(user, "History", "temperature 0.6 → 0.65")
        await follow(user, undone[:1])
        await user.sees("0.65 → 0.6")
        await follow(user, undone[1:])
        await user.is_told("Undone: temperature back to 0.6 · Elena Marsh")

        tree, walk, panes = steps("How does a story work?")
        opened_tree, down, *there_and_back = tree
        await follow(user, [opened_tree])
        await user.sees("Elena Marsh", "Welcome at the door")
        for _ in range(40):
            if "→ ↩ The twenty-minute tour" in cursor_line(user):
                break
            await follow(user, [down])
        for key, footer in zip(there_and_back, (True, False), strict=True):
            await user.rests()
            assert ("⏎ follow" in user.bottom_line) is footer
            await follow(user, [key])
        assert "→ ↩ The twenty-minute tour" in cursor_line(user)
        await follow(user, walk[:2])
        await user.until(lambda: user.narrative.pane is Tab.WALK, "for the walk")
        await follow(user, walk[2:])
        await user.sees("▶ The twenty-minute tour")
        await follow(user, panes[:1])
        await user.until(lambda: user.narrative.pane is Tab.MAP, "for the map")
        await follow(user, panes[1:])
        await user.until(lambda: user.narrative.pane is Tab.LINT, "for the findings")
