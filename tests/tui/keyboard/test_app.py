"""What is the same on every screen: bars, help, palette, the way between screens, the size of the window."""

from __future__ import annotations

import asyncio
import operator
from functools import partial
from typing import Any

import pytest
from textual.widgets import Input

from chartui.commands import COMMANDS, SCREENS, command, commands_at, commands_for, key_label
from chartui.tui.app import ChartuiApp
from chartui.tui.bindings import along, reachable
from chartui.tui.screens.actions.screen import ActionsScreen
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.screens.narrative.import_export import OpenStory
from chartui.tui.screens.narrative.screen import NarrativeScreen
from chartui.tui.screens.requests.screen import RequestsScreen
from chartui.tui.shell.help import Help
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.line_list import LineList
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.questions import AskLine, Confirm, Hint
from chartui.tui.widgets.review import Review
from tests.long import every, sampled
from tests.tui.keyboard import covers
from tests.tui.sessions import demo, remote
from tests.tui.user import NARROW, WIDE, opened, words

NAMES = ("estimator", "characters", "narrative", "actions", "requests")
CLASSES = {
    "estimator": EstimatorScreen,
    "characters": CharactersScreen,
    "narrative": NarrativeScreen,
    "actions": ActionsScreen,
    "requests": RequestsScreen,
}
TALL = (120, 110)


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that are asked for, by their actions; only the palette is really opened."""
    actions: list[str] = []
    original = ChartuiApp.run_action
    others = {command.action for command in COMMANDS} - {command("palette").action}

    async def run_action(self: ChartuiApp, action: Any, *args: Any, **kwargs: Any) -> bool:
        if action in others:
            actions.append(action)
            return True
        return await original(self, action, *args, **kwargs)

    monkeypatch.setattr(ChartuiApp, "run_action", run_action)
    return actions


# -- between screens ---------------------------------------------------------------------------------------------------


@covers("show-estimator", "show-characters", "show-narrative", "show-actions", "show-requests")
@pytest.mark.parametrize("start", NAMES)
async def test_every_screen_is_a_key_away_from_every_other(start: str) -> None:
    async with opened(screen=start) as user:
        for name in (*NAMES, *reversed(NAMES), *NAMES):
            await user.press(command(f"show-{name}").keys[0])
            assert isinstance(user.app.screen, CLASSES[name])
            await user.ready()
            assert len(user.app.screen_stack) <= 2


async def test_screens_keep_what_one_did_on_them() -> None:
    async with opened() as user:
        await user.press("right", "down", "enter", *["down"] * 5, *"123", "enter", "C")
        await user.ready()
        await user.press("slash", *"mdla", "enter", "down", "down", "E", "N")
        await user.ready()
        await user.press("down", "space", "E")
        assert user.estimator.now.typed == {"input_tokens": "123"}
        assert set(user.estimator.now.chosen) == {"llm", "memory"}
        await user.press("C")
        assert user.characters.query == "mdla"
        assert user.characters.view.cursor == 2
        await user.press("E", "N")
        assert len(user.narrative.folded) == 1
        assert user.narrative.tree.cursor == 1


async def test_keys_typed_ahead_reach_the_screen_they_were_meant_for() -> None:
    async with opened() as user:
        await user.press("C", "down", "slash", *"nova", "enter", "E", *["down"] * 6, *"42", "enter", "C")
        assert user.characters.query == "nova"
        await user.press("E")
        assert user.estimator.now.typed == {"input_tokens": "42"}


# -- leaving -----------------------------------------------------------------------------------------------------------


@covers("quit")
@pytest.mark.parametrize("key", ["q", "ctrl+q"])
@pytest.mark.parametrize("screen", NAMES)
async def test_quitting(screen: str, key: str) -> None:
    async with opened(screen=screen) as user:
        user.app.post_message(_pressed(key))
        await user.until(lambda: user.app.return_code == 0, "for the end")


@covers("quit")
async def test_quitting_asks_if_a_name_typed_into_the_question_before_would_be_lost() -> None:
    async with opened(screen="characters", size=NARROW) as user:
        await user.press("a", *"Otto", "enter")
        await user.at(Review)
        await user.press("ctrl+q")
        await user.at(Confirm)
        await user.sees("Unsaved text will be lost:", "“Otto”.")
        await user.press("escape")
        await user.at(Review)
        await user.press("escape")
        await user.back()
        user.app.post_message(_pressed("ctrl+q"))
        await user.until(lambda: user.app.return_code == 0, "for the end")


@covers("quit")
async def test_a_name_that_was_used_is_not_lost() -> None:
    async with opened(screen="characters", size=NARROW) as user:
        await user.press("a", *"Otto", "enter")
        await user.at(Review)
        await user.press("y")
        await user.sees("Otto")
        await user.back()
        user.app.post_message(_pressed("ctrl+q"))
        await user.until(lambda: user.app.return_code == 0, "for the end")


@covers("quit")
async def test_quitting_from_a_dialog_asks_only_if_typed_text_would_be_lost() -> None:
    async with opened(screen="narrative") as user:
        await user.press("c", *"el")
        await user.at(Chooser)
        user.app.post_message(_pressed("ctrl+q"))
        await user.until(lambda: user.app.return_code == 0, "for the end")
    async with opened(screen="narrative") as user:
        await user.press("I", *"qq", "ctrl+q")
        await user.at(Confirm)
        await user.sees("The text typed into “Import a story” will be lost.")
        await user.press("ctrl+q", "escape")  # the question comes once
        await user.at(OpenStory)
        await user.sees("qq")
        await user.press("ctrl+q")
        await user.at(Confirm)
        user.app.post_message(_pressed("y"))
        await user.until(lambda: user.app.return_code == 0, "for the end")


@pytest.mark.parametrize("name", NAMES)
async def test_leaving_while_a_screen_is_built_is_no_fault(name: str, request: pytest.FixtureRequest) -> None:
    """At every moment in a long run; in a normal one at every third, the next screen at others."""
    first, step = (0, 1) if request.config.getoption("long") else (list(NAMES).index(name) % 3, 3)
    for turns in range(first, 10, step):
        async with opened(screen="estimator" if name != "estimator" else "narrative") as user:
            user.app.action_show(name)
            for _ in range(turns):
                await asyncio.sleep(0)
            user.app.hang_up()
        assert user.app.crash is None
        assert user.app.return_code == 129


async def test_a_terminal_that_is_lost_while_one_leaves_changes_nothing() -> None:
    async with opened() as user:
        user.app.exit(return_code=3)
        user.app.hang_up()
    assert user.app.return_code == 3


def _pressed(key: str) -> Any:
    from textual.events import Key

    return Key(key, key if len(key) == 1 else None)


async def test_ctrl_c_does_not_end_the_program() -> None:
    async with opened() as user:
        await user.press("ctrl+c", "ctrl+c")
        await user.settle()
        assert user.app.return_code is None
        await user.is_told("Press q to quit. The demo data will be deleted.")
        await user.press("down")
        assert "▌Memory" in user.screen


async def test_ctrl_c_names_a_key_that_quits_where_text_is_typed() -> None:
    async with opened(screen="characters") as user:
        await user.press("slash", "m", "ctrl+c")
        await user.is_told("Press ctrl+q to quit.")


@covers("suspend")
async def test_without_a_shell_there_is_nothing_to_suspend_to() -> None:
    async with opened() as user:
        await user.press("ctrl+z")
        await user.is_told("Cannot suspend because chartui was not started from a shell.")


# -- help and palette --------------------------------------------------------------------------------------------------


async def test_every_page_of_the_help_shows_something_new() -> None:
    async with opened(size=NARROW) as user:
        await user.press("?")
        pages = [user.screen]
        for _ in range(2):
            await user.press("pagedown")
            pages.append(user.screen)
        await user.press("pageup", "pageup")
        tops = [page.replace("▌", " ").splitlines()[2:4] for page in (*pages, user.screen)]
        assert tops[0] != tops[1] != tops[2]
        assert tops[3] == tops[0]


@covers("help")
@pytest.mark.parametrize("screen", NAMES)
async def test_the_help_lists_every_command_of_the_screen_and_no_other(screen: str) -> None:
    async with opened(screen=screen, size=TALL) as user:
        here = {found.command: found.keys for found in reachable(along(user.app.screen))}
        missing = {*commands_at(screen), *commands_at("app")} - here.keys()
        assert not [one for one in missing if not {*one.keys} & {key for keys in here.values() for key in keys}]
        await user.press("?")
        assert user.is_at(Help)
        shown = user.screen
        for command, keys in here.items():
            # A panel beside the help may be called as a command is.
            (line,) = [line for line in shown.splitlines() if f" {command.title} " in line and command.help in line]
            idle = command.id == "send-turn"  # Enter belongs to the scene, which has the focus
            assert ("–" if idle else " ".join(map(key_label, keys)) or "–") in line
        titles = {c.title for c in COMMANDS if c not in here} - {c.title for c in here}
        # With the blanks behind it: another command may be called the same and more.
        assert [title for title in titles if f" {title}  " in shown] == []


@pytest.mark.parametrize("columns", [80, 100, 120])
async def test_the_help_cuts_no_line(columns: int) -> None:
    async with opened(screen="characters", size=(columns, 24)) as user:
        await user.press("?", "end")
        await user.at(Help)
        keys = user.app.screen.query_one(LineView)
        shown = words(user.screen)
        while keys.scroll_offset.y > 0:
            await user.press("pageup")
            shown = f"{words(user.screen)} {shown}"
        assert [one.id for one in commands_at("characters") if one.help not in shown] == []


async def test_end_shows_the_signs_of_the_help_and_then_the_last_one() -> None:
    async with opened(screen="characters", size=(80, 20)) as user:
        await user.press("?", "end")
        first, last = user.listed_signs[0][1], user.listed_signs[-1][1]
        await user.sees("Visible symbols", f"▌ ●           {first}", "The profile is a store on this machine.")
        assert last not in user.screen
        await user.press("end")
        await user.sees(f"▌ ■           {last}", "The character remembers its users.")


@pytest.mark.parametrize("key", ["escape", "q", "?"])
async def test_the_help_is_closed_with_the_keys_one_would_try(key: str) -> None:
    async with opened() as user:
        await user.press("?", "down", "end", "pageup", key)
        assert user.is_at(EstimatorScreen)
        assert user.app.return_code is None


@pytest.mark.parametrize(("typed", "title"), [("jump", "Jump to a panel or tab"), ("hotkyes", "Show help")])
async def test_the_help_is_filtered_and_keeps_its_groups(typed: str, title: str) -> None:
    async with opened(size=TALL) as user:
        await user.press("?", "/")
        await user.paste(typed)
        await user.sees("Everywhere", title)
        assert "▌" in user.line(title)
        assert "On this screen" not in user.screen
        assert "Increase" not in user.screen
        await user.press("escape")
        await user.sees("On this screen", "Increase")
        await user.press("escape")
        await user.at(EstimatorScreen)


async def test_enter_runs_the_command_under_the_cursor_of_the_help() -> None:
    async with opened() as user:
        await user.press("?", "/")
        await user.paste("characters")
        await user.press("enter")
        await user.at(CharactersScreen)
        await user.press("?", "/")
        await user.paste("new character")
        await user.press("enter")
        await user.at(AskLine)
        await user.press("escape", "?", "end", "enter")
        assert user.is_at(Help)  # a sign only informs


async def test_enter_in_the_help_of_a_dialog_runs_its_key() -> None:
    async with opened() as user:
        await user.press("P", "?", "/")
        await user.paste("close")
        await user.press("enter")
        await user.at(EstimatorScreen)


async def test_the_help_names_the_part_with_the_focus() -> None:
    async with opened(screen="characters", size=TALL) as user:
        await user.press("i", "?")
        await user.sees("In “Record”", "On this screen", "Everywhere")


async def test_the_help_says_what_is_locked() -> None:
    async with opened(demo(read_only=True), screen="narrative", size=TALL) as user:
        await user.press("?")
        # What stages is refused like what writes.
        for title in ("Switch the graph on or off", "Mark as ending", "Undo edit"):
            assert "⊘ Started with --read-only" in user.line(title)
        await user.press("escape", "C", "?", "slash", *"pin a price")
        await user.sees("Cost: pin a price…", "⊘ Started with --read-only")


async def test_keys_wait_for_a_dialogue_that_is_being_built() -> None:
    async with opened(screen="characters") as user:
        user.app.push_screen(AskLine("New", "What is it called?", lambda _: Hint()))
        for letter in "bran":
            user.app.post_message(_pressed(letter))
        await user.until(lambda: [box.value for box in user.app.screen.query(Input)] == ["bran"], "for all letters")


@covers("palette")
@pytest.mark.parametrize("key", [":", "ctrl+p"])
async def test_the_palette_lists_every_command_before_anything_is_typed(key: str) -> None:
    async with opened(size=(80, 90)) as user:
        await user.press(key)
        await user.at(Chooser)
        await user.sees(*(c.title for c in (*commands_for("estimator"), *commands_for("app"))))
        await user.press("escape")
        await user.at(EstimatorScreen)


#: Commands that the palette lists only where there is something for them to do.
IDLE = {
    "continue-story", "edit-turn-again", "follow", "go-back", "go-to-finding", "keep-setting", "matches-in-place",
    "move-entry-down", "move-entry-up", "open-request", "remove-entry",
}  # fmt: skip


@pytest.mark.parametrize("scope", sampled(NAMES, "characters"))
async def test_the_palette_finds_and_runs_every_command(scope: str, asked_for: list[str]) -> None:
    found = commands_for(scope) if scope != NAMES[0] else (*commands_for(scope), *commands_for("app"))
    for row in [each for each in found if each.id not in IDLE][:: every(4)]:
        async with opened(screen=scope) as user:
            # A tab whose action is caught gets the keys and is never laid out: no key has to wait for that.
            user.app.typeahead.patience = 0.05
            await user.press(":")
            await user.at(Chooser)
            await user.paste(row.title)
            await user.sees(f" {row.title}", *map(key_label, row.keys[:1]))
            if row.id != "palette":
                asked_for.clear()
                await user.press("enter")
                await user.until(partial(operator.contains, asked_for, row.action), f"for {row.action}")
                # A command of another tab turns to it first.
                assert asked_for[:-1] in ([], *([c.action] for c in commands_for(scope)))


async def test_what_arrives_while_the_palette_closes_is_ignored() -> None:
    async with opened() as user:
        await user.press(":")
        await user.at(Chooser)
        palette = user.app.screen
        for part in (FilterBox, LineList):
            await palette.query(part).remove()
            await user.press("home", "end", "enter")
            await user.resize(100, 30)
        assert user.app.screen is palette


async def test_the_palette_says_what_is_locked() -> None:
    async with opened(demo(read_only=True), screen="narrative", size=TALL) as user:
        await user.press(":")
        await user.at(Chooser)
        await user.press(*"switch the")
        assert "⊘ Started with --read-only" in user.line("Switch the graph on or off")


# -- the bars ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW))
async def test_the_top_line_says_what_one_works_on(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        assert "● demo" in user.top_line
        assert "read-only" not in user.top_line
    async with opened(demo(read_only=True), size=size) as user:
        assert "● demo" in user.top_line
        assert "⊘ read-only" in user.top_line
    session, _ = remote()
    async with opened(session, size=size) as user:
        assert "↗ staging" in user.top_line
        assert "characters.example:8443" in user.top_line


async def test_the_bars_are_clicked() -> None:
    async with opened() as user:
        for command in (*reversed(SCREENS), *SCREENS):
            await user.pilot.click(offset=(user.top_line.index(command.name), 0))
            await user.settle()
            assert isinstance(user.app.screen, CLASSES[command.name.lower()])
        await user.press("E")
        await user.pilot.click(offset=(user.bottom_line.index("help"), 23))
        await user.settle()
        assert user.is_at(Help)


# -- messages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["[bold]x[/bold] [/nope] [$p] [@click=app.quit]end[/]", "a\x1b[2Jb\x9b1m", "[type=x, v={'a[0]'}]", "[foo"]
)
async def test_messages_are_shown_as_they_are(text: str) -> None:
    async with opened() as user:
        user.app.tell(text, title=text)
        await user.is_told(text.replace("\x1b", "␛").replace("\x9b", "⟨U+009B⟩"))


# -- the size of the window --------------------------------------------------------------------------------------------


SIZES = ((120, 40), (80, 24), (60, 20), (20, 5), (1, 1), (3, 2), (300, 100), (99, 24), (100, 24), (120, 40))


#: What is open in front of the user, and the keys that open it.
OPEN = [
    ("estimator", []),
    ("estimator", ["tab", "end"]),
    ("estimator", ["enter", "p", "down"]),
    ("characters", ["end"]),
    ("characters", ["enter"]),
    ("characters", ["slash", "m", "d"]),
    ("narrative", ["end"]),
    ("narrative", ["tab", "end"]),
    ("narrative", ["T"]),
    ("actions", []),
    ("actions", ["i", "enter", "v"]),
    ("actions", ["e", "x"]),
    ("actions", ["shift+tab", "shift+tab"]),
    ("actions", ["a", "x"]),
    ("estimator", ["?"]),
    ("characters", [":"]),
]


@pytest.mark.parametrize("opening", sampled(OPEN, *OPEN[1::2]), ids=str)
async def test_a_window_of_any_size_keeps_everything(opening: tuple[str, list[str]]) -> None:
    screen, keys = opening
    async with opened(screen=screen, size=SIZES[0]) as user:
        await user.press(*keys)
        await user.settle()
        before = (user.app.screen, user.work_state, user.app.focused)
        for size in SIZES[1:]:
            await user.resize(*size)
            await user.press("up", "down")
        await user.ready()
        assert (user.app.screen, user.app.focused) == (before[0], before[2])
        if screen != "characters":
            assert user.work_state == before[1]


async def test_it_starts_in_a_window_of_one_cell() -> None:
    async with opened(size=(1, 1)) as user:
        await user.press("C", "N", "T", "escape", "E", "enter", "escape", "?", "escape")
        await user.resize(*NARROW)
        await user.sees("10.297 credits")


async def test_a_question_stays_readable_in_a_small_window() -> None:
    async with opened(screen="narrative", size=(60, 20)) as user:
        await user.press("T")
        await user.at(Review)
        await user.sees("Cancel", "Elena Marsh")
