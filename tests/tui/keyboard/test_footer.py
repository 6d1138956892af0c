"""The line of keys: what it shows works where the focus is, on every screen, in every tab and dialog."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

import pytest
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget

from chartui.commands import SCREENS, key_label
from chartui.tui.bindings import active, along, in_part, performed
from chartui.tui.shell.help import Help
from chartui.tui.widgets.bars import FooterBar
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.questions import AskLine, Hint, TypeName
from chartui.tui.widgets.tabs import TabName, TabPanel
from tests.tui.user import NARROW, SMALL, User, opened

NAMES = [screen.id.removeprefix("show-") for screen in SCREENS]
#: More than any screen has tabs, and parts in one of them.
TABS, PARTS = 7, 5

OPENS: dict[str, tuple[str, tuple[str, ...]]] = {
    "help": ("estimator", ("?",)),
    "commands": ("characters", (":",)),
    "history": ("characters", ("H",)),
    "profiles": ("estimator", ("P",)),
    "another profile": ("estimator", ("P", "a")),
    "themes": ("requests", ("@",)),
    "file": ("characters", ("W", "enter")),
    "pin": ("estimator", ("p",)),
    "constraints": ("estimator", ("x", "f")),
    "rename": ("characters", ("f2",)),
    "editor": ("narrative", ("o",)),
    "removal": ("narrative", ("delete",)),
}


def assert_works(user: User) -> None:
    """Every key in the footer has somebody who performs it, now."""
    screen = user.app.screen
    line = user.bottom_line
    for found in active(screen):
        if not found.command.footer:
            continue
        target, name, parameters = user.app._parse_action(found.action, found.node)
        assert getattr(target, f"action_{name}", None) or getattr(target, f"_action_{name}", None), found
        assert target.check_action(name, parameters) is not False, found
    shown = screen.query_one(FooterBar)
    assert shown.region.bottom == user.app.size.height
    assert line.strip(), user.screen


@pytest.mark.parametrize("name", NAMES)
async def test_every_key_in_the_footer_works_in_every_tab(name: str) -> None:
    async with opened(screen=name, size=NARROW) as user:
        for _ in range(TABS):
            for _ in range(PARTS):
                assert_works(user)
                await user.press("tab")
            await user.press("escape", "right_square_bracket")


@pytest.mark.parametrize("name", OPENS)
async def test_every_key_in_the_footer_works_in_a_dialog(name: str) -> None:
    screen, keys = OPENS[name]
    async with opened(screen=screen, size=NARROW) as user:
        for key in keys:
            await user.press(key)
        await user.settle()
        assert isinstance(user.app.screen, Dialog), user.screen
        assert_works(user)
        assert "esc " in user.bottom_line


@pytest.mark.parametrize("name", NAMES)
async def test_help_commands_and_quit_are_in_the_smallest_window(name: str) -> None:
    async with opened(screen=name, size=SMALL) as user:
        assert all(words in user.bottom_line for words in ("? help", ": commands", "q quit"))
        await user.press("tab", "tab")
        assert all(words in user.bottom_line for words in ("? help", ": commands", "q quit"))


def _printable(key: str) -> bool:
    return len(key_label(key)) == 1 and key_label(key) not in "⏎←→↑↓⌫"


@pytest.mark.parametrize(
    ("name", "keys"), [("characters", "/"), ("narrative", "/"), ("requests", "/"), ("actions", "t")]
)
async def test_letters_are_no_commands_while_text_is_typed(name: str, keys: str) -> None:
    async with opened(screen=name, size=NARROW) as user:
        assert any(_printable(found.keys[0]) for found in active(user.app.screen))
        await user.press(keys)
        assert [found for found in active(user.app.screen) if _printable(found.keys[0])] == []
        assert "? help" not in user.bottom_line
        assert "ctrl+q quit" in user.bottom_line
        await user.press("escape")
        assert "? help" in user.bottom_line


@pytest.mark.parametrize(
    "question",
    [lambda: AskLine("Name", "What is it called?", lambda _: Hint(), deed="Make it"), lambda: TypeName("A", "B", "c")],
)
async def test_a_dialog_with_a_text_field_says_what_enter_does(question: Callable[[], Dialog[object]]) -> None:
    async with opened(size=NARROW) as user:
        user.app.push_screen(question())
        await user.settle()
        assert [key for found in active(user.app.screen) for key in found.keys if _printable(key)] == []
        assert "⏎ " in user.bottom_line
        assert "esc cancel" in user.bottom_line


async def test_escape_is_shown_where_it_leads_back() -> None:
    async with opened(screen="characters", size=NARROW) as user:
        assert "esc" not in user.bottom_line
        await user.press("enter")
        assert "esc back" in user.bottom_line
        await user.press("escape")
        assert "esc" not in user.bottom_line


async def test_the_help_of_a_dialog_lists_its_keys() -> None:
    async with opened(size=(120, 40)) as user:
        await user.press("P", "?")
        await user.at(Help)
        await user.sees("In this dialog", "Remove", "Reset demo")


async def test_a_click_in_the_footer_runs_the_key_of_a_dialog() -> None:
    async with opened(size=NARROW) as user:
        await user.press("P")
        await user.sees("Profiles")
        await user.app.action_command("leave Close")
        await user.misses("Where  ")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [SMALL, NARROW], ids=["60x20", "80x24"])
async def test_a_message_lies_above_the_footer_and_the_counts(name: str, size: tuple[int, int]) -> None:
    async with opened(screen=name, size=size) as user:
        *_, counts, keys = user.screen.splitlines()
        user.app.tell("Something happened, and there is more to say of it than one line holds.", title="News")
        await user.is_told("Something happened")
        assert user.screen.splitlines()[-2:] == [counts, keys]


class _Part(Widget, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("F", "fix_finding", "Fix", show=False, id="fix-story-finding")]

    def __init__(self) -> None:
        super().__init__(id="lint")
        self.fixed = 0

    def action_fix_finding(self) -> None:
        self.fixed += 1


class _Plain(Widget, can_focus=True):
    pass


class _Tabs(TabPanel):
    TABS = (TabName("walk", "Walk", "walk-story"), TabName("lint", "Lint", "show-findings"))


class _Parts(Screen[None]):
    """A screen with two tabs, one of which performs a command."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("l", "turn('lint')", "Lint", show=False, id="show-findings")]

    def __init__(self) -> None:
        super().__init__()
        self.part = _Part()
        self.panel = _Tabs({"walk": _Plain(id="walk"), "lint": self.part}, id="panel")

    def compose(self) -> list[Widget]:
        return [self.panel]

    def action_turn(self, name: str) -> None:
        self.panel.turn_to(name)


async def _on_parts(do: Callable[[User, _Parts], Awaitable[None]]) -> None:
    async with opened() as user:
        screen = _Parts()
        await user.app.push_screen(screen)
        screen.query_one("#walk").focus()
        await user.settle()
        await do(user, screen)


async def test_a_command_is_active_only_where_its_part_has_the_focus() -> None:
    async def do(user: User, screen: _Parts) -> None:
        assert [found.command.id for found in active(screen) if found.node is not user.app] == ["show-findings"]
        assert performed(screen, "fix-story-finding") is None
        elsewhere = in_part(screen, "fix-story-finding")
        assert elsewhere is not None
        assert elsewhere.node is screen.part
        screen.panel.turn_to("lint")
        screen.part.focus()
        await user.settle()
        inner = [(found.command.id, found.node) for found in active(screen) if found.node is not user.app]
        assert inner == [("fix-story-finding", screen.part), ("show-findings", screen)]
        assert [found.command.id for found in along(screen)][:2] == ["fix-story-finding", "show-findings"]

    await _on_parts(do)


async def test_a_command_of_another_part_turns_to_it_first() -> None:
    async def do(user: User, screen: _Parts) -> None:
        await user.app.action_command("fix-story-finding")
        await user.settle()
        assert (screen.panel.present, screen.part.has_focus, screen.part.fixed) == ("lint", True, 1)

    await _on_parts(do)


async def test_a_command_that_nothing_here_performs_names_where_it_belongs() -> None:
    async def do(user: User, screen: _Parts) -> None:
        await user.app.action_command("walk-again")
        await user.is_told("belongs to another screen: narrative")

    await _on_parts(do)
