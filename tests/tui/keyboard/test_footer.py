"""The line of keys: what it shows works where the focus is, on every screen, in every tab and dialog."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import pytest
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from chartui.commands import SCREENS, Command, key_label
from chartui.commands.tabs import TABS
from chartui.tui import bindings
from chartui.tui.bindings import Active, active, along, in_part, performed
from chartui.tui.screens.welcome.screen import Welcome
from chartui.tui.shell.help import Help
from chartui.tui.wait import Waiting, Work, waiting
from chartui.tui.widgets.bars import FooterBar
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.messages import MessageBar
from chartui.tui.widgets.questions import AskLine, Hint, TypeName
from chartui.tui.widgets.tabs import TabName, TabPanel
from tests.tui.dialogs import ABSTRACT, MADE, OPENED, dialog_classes
from tests.tui.sessions import storyless
from tests.tui.user import NARROW, SMALL, WIDE, User, opened
from tests.tui.welcome import first

NAMES = [screen.id.removeprefix("show-") for screen in SCREENS]
#: More than any tab has parts.
PARTS = 5
#: Where something is typed: the screen, and the keys that begin it.
TYPING = {
    "number": ("estimator", (*["down"] * 7, "4")),
    "filter of a table": ("estimator", ("k", "/", "a")),
    "filter of characters": ("characters", ("/", "a")),
    "filter of a story": ("narrative", ("/", "a")),
    "filter of requests": ("requests", ("/", "a")),
    "name of a character": ("characters", ("f2",)),
    "text of a turn": ("actions", ("e", "a")),
}


def shown(user: User) -> list[Active]:
    """The commands in the footer; nothing else is there but how old the data are."""
    line, found = user.bottom_line, []
    bar = user.app.screen.query_one(FooterBar)
    assert bar.region.bottom == user.app.size.height
    for each in active(user.app.screen):
        entry = f" {user.app.keymap.sign(each.keys[0])} {bar.word(each)} "
        if bar.word(each) and entry in f"{line} ":
            found.append(each)
            line = f"{line} ".replace(entry, "", 1)
    assert found
    assert not line.strip() or line.strip().startswith("loaded "), user.screen
    return found


def _writes(user: User) -> bool:
    """Whether letters type text here."""
    return user.app.focused is not None and user.app.focused.check_consume_key("a", "a")


@contextmanager
def noted(user: User) -> Iterator[list[tuple[str, DOMNode]]]:
    """Note what keys would do, and keep them from doing it."""
    done: list[tuple[str, DOMNode]] = []
    run = user.app.run_action

    async def run_action(action: str, default_namespace: DOMNode) -> bool:
        if action.startswith("scroll_"):  # a list without anything to scroll hands the key on
            return await run(action, default_namespace)
        if user.app._check_action_state(action, default_namespace) is not True:
            return False
        done.append((action, default_namespace))
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user.app, "run_action", run_action)
        yield done


async def assert_works(user: User) -> set[str]:
    """Press every key in the footer: what it names is done by whom it names. The ids of its commands."""
    focused, entries = user.app.focused, shown(user)
    with noted(user) as done:
        for found in entries:
            target, name, _ = user.app._parse_action(found.action, found.node)
            assert getattr(target, f"action_{name}", None) or getattr(target, f"_action_{name}", None), found
            done.clear()
            await user.press(found.keys[0])
            expected = [(found.action, found.node)]
            if found.keys[0] == "enter" and found.node is not focused:  # what has the focus may only report it
                assert done in (expected, [("choose", focused)], [("submit", focused)]), (found, done)
                assert found.action != "enter" or done != expected, found
            else:
                assert done == expected, found
    return {found.command.id for found in entries}


@pytest.mark.parametrize("name", NAMES)
async def test_every_key_in_the_footer_works_in_every_tab(name: str) -> None:
    async with opened(screen=name, size=NARROW) as user:
        seen = set()
        for _ in range(max(1, len(TABS[name]))):
            for _ in range(PARTS):
                if (place := (user.app.focused, user.bottom_line)) not in seen:
                    seen.add(place)
                    works = await assert_works(user)
                    assert _writes(user) or {"help", "palette", "quit"} <= works, user.screen
                await user.press("tab")
            for key, kind in (("?", Help), (":", Chooser)):
                await user.press(key)
                await user.at(kind)
                await user.press("escape")
            # The first key only opens a panel that is not in sight.
            await user.press("right_square_bracket", "escape", "right_square_bracket")


@pytest.mark.parametrize("name", TYPING)
async def test_every_key_in_the_footer_works_while_something_is_typed(name: str) -> None:
    screen, keys = TYPING[name]
    async with opened(screen=screen, size=NARROW) as user:
        before = user.bottom_line
        await user.press(*keys)
        await user.settle()
        assert user.bottom_line != before
        await assert_works(user)
        assert "esc " in user.bottom_line


def test_every_dialog_has_a_case() -> None:
    assert {*MADE, *OPENED, Welcome} == {*dialog_classes()} - ABSTRACT


async def assert_dialog_works(user: User, kind: type[Dialog[Any]]) -> None:
    await user.at(kind)
    await user.settle()
    if kind is not Waiting:  # it keeps the keys, and its line comes when it takes long
        await assert_works(user)
        assert "esc " in user.bottom_line, user.screen


async def test_every_key_in_the_footer_of_a_dialog_works() -> None:
    async with opened(size=NARROW) as user:
        for kind, make in MADE.items():
            dialog = make(user)
            user.app.push_screen(dialog)
            await assert_dialog_works(user, kind)
            dialog.dismiss()
            await user.back()


@pytest.mark.parametrize("kind", OPENED, ids=lambda kind: kind.__name__)
async def test_every_key_in_the_footer_of_a_dialog_that_is_opened_works(kind: type[Dialog[Any]]) -> None:
    screen, keys = OPENED[kind]
    async with opened(screen=screen, size=NARROW) as user:
        for key in keys:
            await user.press(key)
            await user.settle()
        await assert_dialog_works(user, kind)


@pytest.mark.parametrize("size", [SMALL, NARROW], ids=["60x20", "80x24"])
async def test_every_key_in_the_footer_of_the_first_screen_works(size: tuple[int, int]) -> None:
    async with first(size) as user:
        assert {"help", "quit"} <= await assert_works(user)
        assert "esc " in user.bottom_line


async def test_while_work_is_under_way_only_a_way_out_is_named() -> None:
    given_up: list[str] = []
    async with opened(size=NARROW) as user, waiting(user.app, Work("Import", "Reading")):
        dialog = await user.at(Waiting)
        await user.sees("Reading")
        assert dialog.has_class("-slow")
        assert user.screen.splitlines()[23:] == []
        async with waiting(user.app, Work("Import", "Writing", lambda: given_up.append("import"), "stops")):
            await user.sees("esc cancel")
            await user.press("escape")
            assert given_up == ["import"]


@pytest.mark.parametrize("name", NAMES)
async def test_help_commands_and_quit_are_in_the_smallest_window(name: str) -> None:
    async with opened(screen=name, size=SMALL) as user:
        assert all(words in user.bottom_line for words in ("? help", ": commands", "q quit"))
        await user.press("tab", "tab")
        assert all(words in user.bottom_line for words in ("? help", ": commands", "q quit"))


@pytest.mark.parametrize("name", [name for name in NAMES if TABS[name]])
@pytest.mark.parametrize("size", [SMALL, NARROW], ids=["60x20", "80x24"])
async def test_the_key_of_the_tabs_is_in_a_narrow_window(name: str, size: tuple[int, int]) -> None:
    async with opened(screen=name, size=size) as user:
        for _ in range(len(TABS[name])):
            for _ in range(PARTS):
                if any(found.command.footer == "tabs" for found in active(user.app.screen)):
                    assert " ] tabs " in user.bottom_line, user.screen
                await user.press("tab")
            await user.press("right_square_bracket")


def _printable(key: str) -> bool:
    return len(key_label(key)) == 1 and key_label(key) not in "⏎←→↑↓⌫"


@pytest.mark.parametrize(
    ("name", "keys"), [("characters", "/"), ("narrative", "/"), ("requests", "/"), ("actions", "e")]
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
    [lambda: AskLine("Name", "What is it called?", lambda _: Hint(), verb="Make it"), lambda: TypeName("A", "B", "c")],
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


@pytest.mark.parametrize("screen", ["characters", "narrative", "requests"])
async def test_escape_clears_the_filter_of_a_list_and_is_called_so(screen: str) -> None:
    async with opened(screen=screen, size=NARROW) as user:
        await user.press("slash")
        await user.sees("esc clear filter")
        await user.press("e", "enter")
        await user.sees("esc clear filter")
        await user.press("escape")
        await user.misses("esc clear filter", "esc back")


async def test_escape_clears_the_filter_of_the_help_and_then_closes_it() -> None:
    async with opened(size=NARROW) as user:
        await user.press("question_mark")
        await user.sees("esc close")
        await user.press("slash", *"pin")
        await user.sees("esc clear filter")
        await user.press("escape")
        await user.sees("esc close")
        await user.press("escape")
        await user.leaves(Help)


async def test_the_help_of_a_dialog_lists_its_keys() -> None:
    async with opened(size=(120, 40)) as user:
        await user.press("P", "?")
        await user.at(Help)
        await user.sees("In this dialog", "Remove", "Reset demo")


@pytest.mark.parametrize("size", [SMALL, NARROW], ids=["60x20", "80x24"])
async def test_the_keys_that_work_everywhere_keep_their_place(size: tuple[int, int]) -> None:
    async with opened(screen="characters", size=size) as user:
        end = "? help  : commands  q quit "
        places = set()
        for keys in (["right_square_bracket"], ["enter"], ["escape", "N"], ["right_square_bracket"], ["A"], ["E"]):
            await user.press(*keys)
            await user.settle()
            places.add((f"{user.bottom_line:{size[0]}}".index(end), user.bottom_line))
        assert {place for place, _ in places} == {size[0] - len(end)}, places
        assert len(places) > 2, "the other keys depend on the focus"


async def test_a_click_in_the_footer_runs_the_key_of_a_dialog() -> None:
    async with opened(size=NARROW) as user:
        await user.press("P")
        await user.sees("Profiles")
        await user.app.action_command("leave Close")
        await user.misses("Where  ")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [SMALL, NARROW], ids=["60x20", "80x24"])
async def test_a_message_lies_above_the_footer_and_covers_nothing(name: str, size: tuple[int, int]) -> None:
    async with opened(screen=name, size=size) as user:
        *_, counts, _ = before = user.screen.splitlines()
        user.app.tell(
            "Something happened, and there is more to say of it than one line of the window can hold.", title="News"
        )
        await user.is_told("Something happened")
        told = len(user.app.screen.query_one(MessageBar).told)
        assert told > 1
        assert user.screen.splitlines()[-2 - told] == counts
        assert user.screen.splitlines()[:2] == before[:2]
        user.app.clear_notifications()
        await user.settle()
        assert user.screen.splitlines() == before


class _Part(Widget, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("F", "fix_finding", "Fix", show=False, id="fix-finding-in-story")]

    def __init__(self) -> None:
        super().__init__(id="lint")
        self.fixed = 0

    def action_fix_finding(self) -> None:
        self.fixed += 1


class _Plain(Widget, can_focus=True):
    pass


class _Tabs(TabPanel):
    TABS = (TabName("walk", "Walk", "show-walk"), TabName("lint", "Lint", "show-lint"))


class _Parts(Screen[None]):
    """A screen with two tabs, one of which performs a command."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("l", "turn('lint')", "Lint", show=False, id="show-lint")]

    def __init__(self) -> None:
        super().__init__()
        self.part = _Part()
        self.panel = _Tabs({"walk": _Plain(id="walk"), "lint": self.part}, id="panel")

    def compose(self) -> list[Widget]:
        return [self.panel, MessageBar()]

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
        assert [found.command.id for found in active(screen) if found.node is not user.app] == ["show-lint"]
        assert performed(screen, "fix-finding-in-story") is None
        elsewhere = in_part(screen, "fix-finding-in-story")
        assert elsewhere is not None
        assert elsewhere.node is screen.part
        screen.panel.turn_to("lint")
        screen.part.focus()
        await user.settle()
        inner = [(found.command.id, found.node) for found in active(screen) if found.node is not user.app]
        assert inner == [("fix-finding-in-story", screen.part), ("show-lint", screen)]
        assert [found.command.id for found in along(screen)][:2] == ["fix-finding-in-story", "show-lint"]

    await _on_parts(do)


class _Sharing(Widget, can_focus=True):
    """A part of which two commands share a key and one has none."""

    DEFAULT_CSS = "_Sharing { height: 1; }"
    COMMANDS = (
        Command("once", "x", "once", "part", "Do it once", "Works first.", footer="once"),
        Command("again", "x", "again", "part", "Do it again", "Works afterwards.", footer="again"),
        Command("rarely", "", "rarely", "part", "Do it rarely", "Has no key.", footer="rarely"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(each.bound(each.keys), each.action, each.title, show=False, id=each.id) for each in COMMANDS
    ]

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action == "rarely" or (action == "once") is not bool(self.done)

    def action_once(self) -> None:
        self.done.append("once")
        self.refresh_bindings()

    def action_again(self) -> None:
        self.done.append("again")

    def action_rarely(self) -> None:
        self.done.append("rarely")


async def test_of_two_commands_with_one_key_the_one_that_works_is_done_and_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One without a key is in the help as well, and never in the footer."""
    table = {**bindings._TABLE, **{each.id: (n, each) for n, each in enumerate(_Sharing.COMMANDS)}}
    monkeypatch.setattr(bindings, "_TABLE", table)
    async with opened(size=(120, 40)) as user:
        part = _Sharing()
        await user.app.work.start.mount(part, before="FooterBar")
        part.focus()
        for word, title in (("once", "Do it once"), ("again", "Do it again")):
            await user.settle()
            assert f" x {word} " in user.bottom_line
            assert "rarely" not in user.bottom_line
            await user.press("question_mark")
            await user.at(Help)
            assert f" x           {title} " in user.screen
            assert user.screen.count(" Do it ") == 2
            assert " –           Do it rarely " in user.screen
            await user.press("end")
            assert "Press : and type the command's name." in user.screen
            await user.press("escape", "x")
        assert part.done == ["once", "again"]


async def test_a_command_of_another_part_turns_to_it_first() -> None:
    async def do(user: User, screen: _Parts) -> None:
        await user.app.action_command("fix-finding-in-story")
        await user.settle()
        assert (screen.panel.present, screen.part.has_focus, screen.part.fixed) == ("lint", True, 1)

    await _on_parts(do)


async def test_a_command_that_nothing_here_performs_says_so() -> None:
    async def do(user: User, screen: _Parts) -> None:
        await user.app.action_command("restart-walk")
        await user.is_told("“Restart the walk” is not available on this screen.")

    await _on_parts(do)


async def test_an_empty_graph_offers_only_what_works_without_a_section() -> None:
    async with opened(storyless(), screen="narrative", size=WIDE) as user:
        for key in ("i", "M", "l", "w"):
            await user.press(key)
            assert " a add " in user.bottom_line
            without = (" edit ", " fold ", " filter ", " severity ", " nearby/all ", " restart ", " new walk ")
            assert not [word for word in without if word in user.bottom_line]
