"""Whatever is empty says what belongs there and which keys fill it, unshortened, and those keys work there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

from chartui.commands import command
from chartui.core.config import Config
from chartui.core.session import Session
from chartui.demos.sample import Sample
from chartui.tui.bindings import active
from tests.long import spread
from tests.tui.sessions import demo, filled_with, storyless
from tests.tui.user import NARROW, SMALL, WIDE, User, opened, words


def empty(*, read_only: bool = False) -> Session:
    """A store without characters."""
    return demo(fill_store=lambda _: None, read_only=read_only)


def lone(*, read_only: bool = False) -> Session:
    """The demo data, each story cut down to its first section."""

    def change(sample: Sample) -> Sample:
        record = {**sample.record, "start_narrative_section_id": None}
        return sample._replace(record=record, sections=sample.sections[:1], triggers=[])

    return demo(fill_store=filled_with(change), read_only=read_only)


class Place(NamedTuple):
    """Something empty: the way there, as ids of commands and keys, and the text in its ``part`` or in a message.

    After " | " follows the text for less room.
    """

    session: Callable[[], Session]
    screen: str
    way: tuple[str, ...]
    part: str
    text: str


def locked(session: Callable[..., Session]) -> Callable[[], Session]:
    return lambda: session(read_only=True)


LOCKED = "Started with --read-only: {} is disabled."
GRAPH = "This graph is empty."
FILL = f"{GRAPH} Press {{add-to-story}} to add the first section or {{import-story}} to import a story."
SHUT = f"{GRAPH} {LOCKED.format('editing')}"
NOBODY = "This profile has no characters yet. {show-characters} opens the list, where you can create a character."
LIST = "No characters yet."
TURN = "Press {write-text} to write a line, then {send-turn} to send it."
STAGED = "Edits are staged here until you apply them."
FILTER = "No matches. Esc clears the filter."
NOTHING = tuple("zzzz")

PLACES = {
    "list": Place(empty, "characters", (), "#list", f"{LIST} Press {{create-character}} to create a character."),
    "locked list": Place(locked(empty), "characters", (), "#list", f"{LIST} {LOCKED.format('creating a character')}"),
    "filtered list": Place(demo, "characters", ("/", *NOTHING), "#list", FILTER),
    "changes of a character": Place(
        demo,
        "characters",
        ("show-character-history",),
        "#past",
        "Only changes made with chartui on this machine are listed. There are none for this character yet. "
        "{edit-settings} edits the settings and {apply-settings} applies the changes.",
    ),
    "locked changes of a character": Place(
        locked(demo),
        "characters",
        ("show-character-history",),
        "#past",
        "Only changes made with chartui on this machine are listed. There are none for this character yet. "
        + LOCKED.format("changing settings"),
    ),
    "staged settings": Place(
        demo,
        "characters",
        ("apply-settings",),
        "",
        f"No staged changes for this character. {STAGED} {{edit-settings}} edits the settings.",
    ),
    "graph without characters": Place(empty, "narrative", (), "#tree", NOBODY),
    "edit without characters": Place(empty, "narrative", ("add-to-story",), "", NOBODY),
    "graphs to choose": Place(empty, "narrative", ("pick-character",), "", NOBODY),
    "section without characters": Place(
        empty, "narrative", ("show-section",), "#tabs", f"{NOBODY} Edit sections, decisions and triggers here."
    ),
    "map without characters": Place(
        empty, "narrative", ("show-map",), "#tabs", f"{NOBODY} The map shows sections as boxes."
    ),
    "incoming links": Place(
        lone,
        "narrative",
        ("down", "incoming-links"),
        "",
        "No decision or trigger goes to this section. Select another section and press "
        "{add-decision} to add a decision that goes here.",
    ),
    "locked incoming links": Place(
        locked(lone),
        "narrative",
        ("down", "incoming-links"),
        "",
        f"No decision or trigger goes to this section. {LOCKED.format('adding a decision')}",
    ),
    "severity": Place(
        demo,
        "narrative",
        ("show-lint", "lint-severity"),
        "#tabs",
        "No errors or warnings. {lint-severity} shows all findings.",
    ),
    "graph": Place(storyless, "narrative", (), "#tree", FILL),
    "locked graph": Place(locked(storyless), "narrative", (), "#tree", SHUT),
    "section": Place(
        storyless, "narrative", ("show-section",), "#tabs", f"{FILL} Edit sections, decisions and triggers here."
    ),
    "map": Place(storyless, "narrative", ("show-map",), "#tabs", f"{FILL} The map shows sections as boxes."),
    "lint": Place(storyless, "narrative", ("show-lint",), "#tabs", f"{FILL} Problems in the story are listed here."),
    "walk": Place(storyless, "narrative", ("show-walk",), "#tabs", f"{FILL} Play the story here, section by section."),
    "locked walk": Place(
        locked(storyless), "narrative", ("show-walk",), "#tabs", f"{SHUT} Play the story here, section by section."
    ),
    "filtered graph": Place(demo, "narrative", ("/", *NOTHING), "#tree", FILTER),
    "staged story": Place(
        demo,
        "narrative",
        ("apply-story",),
        "",
        f"No staged changes. {STAGED} {{edit-text}} edits the selected section.",
    ),
    "reply without characters": Place(empty, "actions", ("show-reply",), "#reply", NOBODY),
    "characters to speak to": Place(empty, "actions", ("pick-actor",), "", NOBODY),
    "checks": Place(
        demo,
        "actions",
        ("show-checks",),
        "#checks",
        "No findings. Ready to send: {write-text} writes a line and {send-turn} sends it.",
    ),
    "reply": Place(
        demo,
        "actions",
        ("show-reply",),
        "#reply",
        f"No reply yet. {TURN} The reply and its actions appear here. The scene defines what the character can do, "
        "and with whom or what.",
    ),
    "turns": Place(
        demo,
        "actions",
        ("show-turns",),
        "#turns",
        f"No turns yet. Answered turns appear here, where you can view, edit or replay them. {TURN}",
    ),
    "checks without characters": Place(
        empty,
        "actions",
        ("show-checks",),
        "#checks",
        "Problems in the scene and in your line are listed here once a character is loaded.",
    ),
    "form without characters": Place(
        empty,
        "actions",
        ("show-form",),
        "#form",
        "The request is shown here field by field once a character is loaded.",
    ),
    "requests": Place(
        demo,
        "requests",
        (),
        "#list",
        "No requests yet. Calls to the service or store are listed here. {show-characters} loads the characters.",
    ),
    "filtered requests": Place(demo, "characters", ("show-requests", "/", *NOTHING), "#list", FILTER),
    "failures": Place(
        demo,
        "characters",
        (
            "show-requests",
            "only-failures",
        ),
        "#list",
        "No failures. {only-failures} shows all requests again.",
    ),
    "changes": Place(
        demo,
        "characters",
        (
            "show-requests",
            "only-changes",
        ),
        "#list",
        "No changes. {only-changes} shows all requests again.",
    ),
    "failed changes": Place(
        demo,
        "characters",
        ("show-requests", "only-failures", "only-changes"),
        "#list",
        "No failed changes. Press {only-failures} and {only-changes} to show all requests again.",
    ),
    "pins": Place(
        demo,
        "estimator",
        ("view-compare",),
        "#compare-about",
        "No pins yet {pin} pins the current inputs for comparison | No pins yet {pin} pins these inputs",
    ),
    "unpin": Place(
        demo,
        "estimator",
        ("view-compare", "compare-unpin"),
        "",
        "No pins yet. {pin} pins the current inputs for comparison.",
    ),
    "presets": Place(
        demo,
        "estimator",
        ("open-preset",),
        "",
        "No presets yet. Inputs that you save as a preset are listed here. {save-preset} saves the current inputs.",
    ),
    "characters to load": Place(empty, "estimator", ("load-character",), "", NOBODY),
    "filtered ranking": Place(demo, "estimator", ("view-rank", "filter-options", *NOTHING), "#ranking", FILTER),
    "history": Place(
        demo,
        "characters",
        ("history",),
        "SheetView",
        "Only changes made with chartui on this machine are listed. There are none in this profile yet.",
    ),
    "unreadable": Place(
        demo,
        "characters",
        ("show-unreadable",),
        "",
        "This screen has no unreadable elements.",
    ),
}


async def go(user: User, way: tuple[str, ...]) -> None:
    """Press the keys of commands by their ids, and other keys by their names."""
    for step in way:
        if "-" in step or step == "history":
            keys = user.app.keymap.keys(command(step))
            await (user.press(keys[0]) if keys else user.app.action_command(step))
        else:
            await user.press(step)


def named(text: str) -> list[str]:
    """The commands whose keys a text names."""
    return re.findall(r"{([a-z-]+)}", text)


def spelled(user: User, text: str) -> str:
    return re.sub(r"{([a-z-]+)}", lambda found: user.app.keymap.label(found[1]) or f"“{command(found[1]).title}”", text)


@pytest.mark.parametrize(("name", "size"), spread([(name,) for name in PLACES], [SMALL, NARROW]), ids=str)
async def test_what_is_empty_says_how_it_is_filled(name: str, size: tuple[int, int]) -> None:
    place = PLACES[name]
    async with opened(place.session(), screen=place.screen, size=size) as user:
        await user.rests()
        await go(user, place.way)
        await user.settle()
        text = spelled(user, place.text)
        if place.part:
            assert any(one in words(user.pane(place.part)) for one in text.split(" | ")), user.screen
        else:
            await user.is_told(text)
        works = {found.command.id for found in active(user.app.screen)}
        assert [each for each in named(place.text) if each not in works and user.app.keymap.label(each)] == []


@pytest.mark.parametrize("name", ["graph", "list", "reply", "presets"])
async def test_other_keys_are_named_once_they_are_set(name: str) -> None:
    place = PLACES[name]
    first, *others = named(place.text)
    config = Config(keys={first: ("f9",), **dict.fromkeys(others, ())})
    async with opened(place.session(), screen=place.screen, size=NARROW, config=config) as user:
        await user.rests()
        await go(user, place.way)
        await user.settle()
        text = spelled(user, place.text)
        assert "f9" in text
        assert text.count("“") == len(others)
        if place.part:
            assert text in words(user.pane(place.part)), user.screen
        else:
            await user.is_told(text)


async def test_without_characters_the_footer_offers_no_keys_of_a_story() -> None:
    async with opened(empty(), screen="narrative", size=WIDE) as user:
        await user.sees("This profile has no characters yet.")
        assert "character" in user.bottom_line
        assert not {"edit", "add", "fold", "filter"} & set(user.bottom_line.split())
