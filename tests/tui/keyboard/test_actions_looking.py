"""The actions, looked over: what is found in a scene, the form, the turns before, scenes in files, and taking back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chartui.core.actions.replay import read_replay
from chartui.core.actions.scene_file import read_scene, scene_toml
from chartui.core.actions.turn import Turn
from chartui.core.lock import Lock, LockedBy
from chartui.core.paths import write_file
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.actions import Person, Thing
from chartui.core.text import is_plain
from chartui.tui.screens.actions.composer import EntryRow
from chartui.tui.screens.actions.dialogs import EntryDialog, OpenScene
from chartui.tui.screens.actions.state import Tab
from chartui.tui.widgets.chooser import Chooser
from tests import writes
from tests.long import sampled
from tests.tui.hostile import HOSTILE, SHORT_RUN
from tests.tui.keyboard import covers
from tests.tui.scenes import SENT, answered, go_to, replay, send, speak_to
from tests.tui.sessions import demo, doubled, remote
from tests.tui.user import NARROW, SMALL, WIDE, User, opened, words

#: Something of every severity, with and without a fix.
WRONG = Turn(
    character_id="",
    text="Go.",
    actions=("Moves To", "points at", "Opens"),
    objects=(Thing(name="Lamp; lit", description="on a hook"), Thing(name="Key", description="")),
    people=(Person(name="Mr Hale", bio=""),),
)


def compose(user: User, made: Turn) -> None:
    """Have this composed, as if it had been written."""
    user.actions.compose(user.actions.talk.composing(made))


def marks(user: User) -> dict[str, str]:
    """The rows of the scene that are marked, with their severity."""
    rows = [row for row in user.actions.rows if isinstance(row, EntryRow)]
    return {row.id: row.severity.value for row in rows if row.severity}


async def open_scene(user: User, path: Path | str) -> None:
    await user.press("o")
    await user.at(OpenScene)
    await user.paste(str(path))
    await user.press("enter")


async def test_the_mistakes_of_a_file_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text('format = "chartui-scene"\nversion = 1\ntext = 5\n[[objects]]\nname = "A"\n"de\\nsc" = ""\n')
    async with opened(screen="actions", size=WIDE) as user:
        await open_scene(user, path)
        await user.sees("wrong.toml:3: text must be text.")
        await user.sees("wrong.toml:6: Unknown key “de␊sc” in objects[0]")
        assert user.is_at(OpenScene)


# -- what is found -----------------------------------------------------------------------------------------------------


@covers("show-checks")
async def test_what_is_found_is_marked_beside_the_entry_and_listed_with_its_reason() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        await user.press("l")
        await user.sees("No findings. Ready to send: e writes a line")
        compose(user, WRONG)
        await user.settle()
        assert marks(user) == {
            "actions[1]": "warning",
            "objects[0]": "error",
            "objects[1]": "warning",
            "characters[0]": "note",
        }
        listed = words(user.pane("#checks"))
        for text in (
            "✗ “Lamp; lit” contains a semicolon in the name The service separates objects with semicolons",
            "F use a comma instead",
            "▲ “points at” is not styled like the others (Picks Up)",
            "▲ “Lamp; lit” is not in the backstory",
            "▲ “Key” has no description",
            "· “Mr Hale” has no bio",
        ):
            assert text in listed
        assert listed.index("✗") < listed.index("▲") < listed.index("·")
        assert "Checks ✗ 1" in user.screen
        # The scene says it too, of the entry with the cursor.
        await user.press("escape")
        await go_to(user, "objects[0]")
        await user.sees("✗ contains a semicolon in the name (+1)")
        await go_to(user, "characters[0]")
        await user.sees("· has no bio")
        await user.press("home")
        await user.sees("✗ 1 ▲ ")


async def test_enter_leads_from_a_finding_to_its_entry() -> None:
    async with opened(screen="actions", size=NARROW) as user:
        compose(user, WRONG)
        await user.press("l", "enter")
        assert user.focus == "scene"
        assert user.actions.row.id == "objects[0]"


@covers("fix-finding", "undo-scene")
async def test_a_finding_is_put_right_and_that_is_taken_back() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        compose(user, WRONG)
        await user.press("l", "F")
        assert user.actions.turn.objects[0].name == "Lamp, lit"
        await user.press("end", "F")
        await user.is_told("No safe automatic fix.")
        await user.press("escape")
        await go_to(user, "actions[1]")
        await user.press("F")
        assert user.actions.turn.actions[1] == "Points At"
        await user.press("F")
        await user.is_told("No findings here.")
        await user.press("z", "z")
        assert user.actions.turn.objects == WRONG.objects
        assert user.actions.turn.actions == WRONG.actions


@covers("fix-all-findings")
async def test_everything_is_put_right_at_once_and_taken_back_at_once() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        await user.press("X")
        await user.is_told("No findings with a safe automatic fix.")
        compose(user, WRONG)
        await user.press("X")
        await user.is_told("Fixed 2 findings. z undoes this edit.")
        assert (user.actions.turn.actions[1], user.actions.turn.objects[0].name) == ("Points At", "Lamp, lit")
        assert user.actions.turn.text == "Go."
        await user.press("z")
        assert user.actions.turn.objects == WRONG.objects


async def test_what_the_backstory_is_on_a_service_is_said_to_be_unknown() -> None:
    session, _ = remote()
    async with opened(session, screen="actions", size=WIDE) as user:
        await user.press("l")
        await user.sees("No findings. The backstory is unknown")
        compose(user, WRONG)
        await user.settle()
        assert "is not in the backstory" not in words(user.pane("#checks"))
        assert "The backstory is unknown" in words(user.pane("#checks"))


async def test_a_backstory_written_meanwhile_is_held_against_the_scene() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        assert marks(user) == {}
        await writes.update_character(
            user.app.session.service, user.actions.turn.character_id, backstory="She moves to the bell, and waits."
        )
        await user.press("f5")
        await user.until(lambda: "actions[1]" in marks(user), "for the backstory")
        assert "actions[0]" not in marks(user)


# -- the form ----------------------------------------------------------------------------------------------------------


@covers("show-form")
async def test_the_form_shows_every_field_as_it_would_be_sent_just_now() -> None:
    session, double = doubled()
    async with opened(session, screen="actions", size=(120, 60)) as user:
        await user.press("i")
        await user.press("e", "f7", *"She waits.")
        shown = words(user.pane("#form"))
        for name, text in user.actions.turn.form().items():
            assert f"{name} {text}" in shown
        assert "POST /character/getResponse" in shown
        await user.press("escape", "t")
        assert "classification False" in words(user.pane("#form"))
        assert double.count(SENT) == 0


async def test_the_form_says_what_keeps_it_from_being_sent() -> None:
    async with opened(screen="actions", size=(120, 60)) as user:
        compose(user, WRONG)
        await user.press("i")
        await user.until(lambda: "Cannot be sent" in words(user.pane("#form")), "for the form")
        shown = words(user.pane("#form"))
        assert "✗ Cannot be sent Why The object 'Lamp; lit' has a ';' in 'objects[0].name'." in shown
        assert "actions Moves To,points at,Opens" in shown
        compose(user, replace(WRONG, actions=("a,b",), objects=()))
        await user.settle()
        assert "must not contain a comma" in words(user.pane("#form"))


# -- the turns ---------------------------------------------------------------------------------------------------------


async def three_turns(user: User) -> None:
    await send(user)
    await answered(user, 1)
    await user.press("e", "f7", *"She waits.", "enter")
    await answered(user, 2)
    await user.press("escape", "r", "e", "f7", *"Elena rings.", "enter")
    await answered(user, 3)
    await user.press("escape")


@covers("show-turns", "show-reply")
async def test_the_turns_are_looked_through() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        await user.press("h")
        await user.sees("No turns yet.")
        await three_turns(user)
        await user.press("h")
        listed = words(user.pane("#turns"))
        assert listed.index("3 Elena rings. Rings") < listed.index("2 She waits. Waits") < listed.index("1 Elena moves")
        assert listed.count("Conversation ") == 2
        await user.press("down", "down", "enter")
        await user.sees("Turn 1 of 3")
        assert user.focus == "reply"
        assert "Turn 2" not in user.pane("#reply")
        choices = {choice.title: choice.text for choice in user.actions.copy_choices()}
        assert choices["Actions"].startswith("Moves To Ship's Bell")
        await user.press("h")
        await user.app.action_command("show-reply")
        await user.sees("Turn 1 of 3")
        await user.press("h", "home", "enter")
        await user.misses("Turn 1 of 3")
        assert "Turn 3" in user.pane("#reply")


@covers("edit-turn-again")
async def test_a_turn_is_composed_again_and_that_is_taken_back() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        first = user.actions.turn
        await user.press("h", "e")
        assert user.focus == "say"  # without a turn the line is written
        await user.press("escape")
        await three_turns(user)
        compose(user, replace(user.actions.turn, actions=("Waits",)))
        await user.press("h", "end")
        await user.sees("e edit again")
        assert "e write" not in user.bottom_line
        await user.press("e")
        await user.is_told("Loaded turn 1. z undoes this edit.")
        assert (user.actions.turn.text, user.actions.turn.actions) == (first.text, first.actions)
        assert user.actions.turn.session_id == user.actions.talk.exchanges[2].reply.session_id
        assert user.actions.said == first.text
        await user.press("h", "e")
        await user.is_told("The scene already matches turn 1.")
        await user.press("home", "escape")
        await user.app.action_command("edit-turn-again")
        await user.is_told("Loaded turn 3.")
        await user.press("z")
        await user.press("z")
        assert (user.actions.turn.text, user.actions.turn.actions) == ("Elena rings.", ("Waits",))


async def test_the_turns_are_written_as_a_file_to_be_replayed(tmp_path: Path) -> None:
    async with opened(screen="actions") as user:
        await three_turns(user)
        choices = {choice.title: choice for choice in user.actions.copy_choices()}
        path = tmp_path / "replay.toml"
        write_file(path, choices["Turns to replay"].text.encode())
        made = read_replay(path)
        assert made is not None
        assert [(one.after, one.expected[-1]) for one in made.turns] == [
            (0, "Points At Great Lens (cannot be touched)"),
            (1, "Waits"),
            (0, "Rings"),
        ]
        assert made.character_id == user.actions.turn.character_id


# -- saying them again -------------------------------------------------------------------------------------------------


async def said_again(user: User) -> None:
    await user.until(
        lambda: user.actions.repetition.number and not user.actions.repetition.running, "for the last turn"
    )
    await user.settle()


@covers("replay-turns")
async def test_the_turns_are_said_again_in_conversations_of_their_own() -> None:
    session, double = doubled()
    async with opened(session, screen="actions", size=WIDE) as user:
        await user.press("b")
        await user.is_told("No answered turns to replay")
        await three_turns(user)
        before = user.actions.talk
        await replay(user, "in this")
        await said_again(user)
        await user.is_told("All action sequences are identical.")
        assert user.focus == "scene"  # what one does is not interrupted
        await user.until(lambda: user.pane("#turns").count("✓ identical actions") == 3, "for each turn to say so")
        sent: list[Any] = [payload for name, payload in double.calls if name == SENT]
        assert [payload["userText"] for payload in sent[3:]] == [payload["userText"] for payload in sent[:3]]
        sessions = [payload["sessionID"] for payload in sent[3:]]
        assert sessions[0] == sessions[2] == "-1"
        assert sessions[1] not in ("-1", sent[1]["sessionID"])
        assert user.actions.talk.exchanges == before.exchanges
        assert user.actions.turn == before.turn


async def test_what_is_another_sequence_is_told_at_the_turn() -> None:
    session, double = doubled()
    async with opened(session, screen="actions", size=WIDE) as user:
        await three_turns(user)
        double.answers[SENT] = {"response": "Well.", "sessionID": "x", "actionSequence": "waits\nDances"}
        await replay(user, "in this")
        await said_again(user)
        await user.is_told("3 of 3 action sequences differ.")
        shown = words(user.pane("#turns"))
        assert "2 She waits. Waits ▲ step 2 is new: “Dances”" in shown
        assert "3 Elena rings. Rings ▲ step 1 was “Rings”, now “waits” ▲ step 2 is new: “Dances”" in shown


async def test_on_a_service_it_is_asked_first() -> None:
    session, double = remote()
    async with opened(session, screen="actions", size=WIDE) as user:
        await user.press("e", *"Hello", "enter")
        await answered(user, 1)
        await user.press("escape", "b")
        await user.at(Chooser)
        await user.press("escape")
        await user.back()
        await replay(user, "in this")
        await user.sees("The turn will be sent again in this scene")
        await user.press("escape")
        await user.misses("The turn will be sent again")
        assert double.count(SENT) == 1
        await replay(user, "in this")
        await user.sees("Replay turn")
        await user.press("down", "enter")
        await said_again(user)
        assert double.count(SENT) == 2


async def test_saying_again_is_given_up_and_a_failure_ends_it() -> None:
    session, double = doubled()
    async with opened(session, screen="actions", size=WIDE) as user:
        await three_turns(user)
        double.hold(SENT)
        await replay(user, "in this")
        await user.until(lambda: double.waiting(SENT))
        await user.sees("Replaying turns: 0 of 3… Esc cancels")
        await user.press("b")
        await user.is_told("A replay is already running")
        await user.press("escape")
        await user.is_told("0 of 3 turns.")
        double.let_all_go()
        await user.settle()
        assert double.count(SENT) == 4
        assert user.actions.repetition.done == ()
        double.failures[SENT] = ServiceError(ErrorKind.BUSY, "Out of order.")
        await replay(user, "in this")
        await said_again(user)
        await user.is_told("Out of order. 0 of 3 turns were replayed.")


async def test_under_the_lock_nothing_is_said_again() -> None:
    locked = demo()
    session = replace(locked, lock=Lock(LockedBy.PROFILE))
    async with opened(session, screen="actions", size=WIDE) as user:
        assert session.unlock("demo")
        await send(user)
        await answered(user, 1)
        session.relock()
        await user.press("b")
        await user.is_told("replay is disabled.")
        assert user.actions.repetition.number == 0


# -- scenes in files ---------------------------------------------------------------------------------------------------


@covers("open-scene")
async def test_a_scene_comes_from_a_file_and_can_be_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "scene.toml"
    async with opened(screen="actions") as user:
        before = user.actions.turn
        path.write_text({c.title: c.text for c in user.actions.copy_choices()}["Scene file"], encoding="utf-8")
        assert replace(read_scene(path), character_id=before.character_id) == before
    async with opened(screen="actions") as user:
        path.write_text(scene_toml(WRONG), encoding="utf-8")
        await open_scene(user, path)
        await user.leaves(OpenScene)
        assert user.actions.turn == replace(WRONG, character_id=before.character_id)
        assert user.actions.said == "Go."
        await user.press("e", "end", *" On.", "escape", "z")
        assert user.actions.turn.text == "Go."
        await user.press("z")
        assert user.actions.turn == before


async def test_of_a_file_with_mistakes_nothing_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "scene.toml"
    path.write_text('format = "chartui-scene"\nversion = 1\ntext = 1\nactions = [2]', encoding="utf-8")
    async with opened(screen="actions", size=WIDE) as user:
        before = user.actions.turn
        await open_scene(user, path)
        await user.sees("Nothing was read:", "text must be text.", "actions[0] must be text.")
        await user.press("F")
        await user.sees("Default folder: ")
        await user.press("enter")
        await user.sees("no such file")
        await user.press("f7", *["backspace"] * 200, "enter")
        await user.sees("Enter a file name.")
        await user.press("escape")
        await user.leaves(OpenScene)
        assert user.actions.turn == before
        await user.press("z")
        await user.is_told("No edit to undo.")


# -- taking back and moving --------------------------------------------------------------------------------------------


@covers("move-entry-up", "move-entry-down")
async def test_entries_are_moved_within_their_list() -> None:
    async with opened(screen="actions") as user:
        before = user.actions.turn
        await user.press("<", ">")
        await go_to(user, "objects[0]")
        await user.press("<")
        assert user.actions.turn == before
        await user.press(">", ">")
        assert user.actions.turn.objects[:3] == (*before.objects[1:3], before.objects[0])
        assert user.actions.row.id == "objects[2]"
        await user.press("<")
        assert user.actions.turn.objects[1] == before.objects[0]
        await user.press("z", "z", "z")
        assert user.actions.turn == before
        await user.press("end", ">", "<")
        assert user.actions.turn == before


@covers("undo-scene")
async def test_every_change_of_the_scene_is_taken_back_one_by_one() -> None:
    async with opened(screen="actions") as user:
        before = user.actions.turn
        await user.press("a", "down", "enter")
        await user.at(EntryDialog)
        await user.press(*"Rope", "enter", "enter")
        await user.leaves(EntryDialog, Chooser)
        await go_to(user, "actions[0]")
        await user.press("d", "d", "enter")
        await user.at(EntryDialog)
        await user.press(*"x", "enter")
        await user.leaves(EntryDialog, Chooser)
        assert user.actions.turn.actions[0] == "Picks Upx"
        await user.press("e", "f7", *"Now", "escape")
        assert user.actions.turn.text == "Now"
        await user.press("z")  # what was typed is one step
        assert user.actions.turn.text == before.text
        for actions in (before.actions[2:], before.actions[1:], before.actions):
            await user.press("z")
            assert user.actions.turn.actions == actions
        assert user.actions.turn.objects != before.objects
        await user.press("z")
        assert user.actions.turn == before


# -- panes -------------------------------------------------------------------------------------------------------------


@covers("next-actions-tab", "previous-actions-tab")
@pytest.mark.parametrize("size", sampled([SMALL, NARROW, WIDE], SMALL), ids=["60x20", "80x24", "120x40"])
async def test_the_panes_are_turned(size: tuple[int, int]) -> None:
    async with opened(screen="actions", size=size) as user:
        # The first key only opens the panel that was not in sight, or moves to the one beside the scene.
        await user.press("tab" if size == WIDE else "]")
        seen = []
        for key in ("]", "]", "]", "]", "[", "["):
            await user.press(key)
            seen.append(user.actions.tab)
            assert user.focus == user.actions.tab.value
            assert user.app.screen.query_one(f"#{user.focus}").region.height > 0
        assert seen == [Tab.FORM, Tab.CHECKS, Tab.TURNS, Tab.REPLY, Tab.TURNS, Tab.CHECKS]
        await user.press("tab", "shift+tab")
        assert user.focus == "checks"
        await user.press("escape", "v")
        assert user.focus == "checks"
        await send(user)
        await answered(user, 1)
        assert user.actions.tab is Tab.REPLY
        assert user.app.screen.query_one("#reply").region.height > 0


async def test_a_pane_is_opened_with_the_mouse() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        row = next(n for n, line in enumerate(user.screen.splitlines()) if "Checks" in line and "Turns" in line)
        column = user.screen.splitlines()[row].index("Turns")
        await user.pilot.click(offset=(column + 1, row))
        await user.until(lambda: user.actions.tab is Tab.TURNS)


async def test_an_account_without_characters_has_empty_panes() -> None:
    async with opened(demo(fill_store=lambda store: None), screen="actions") as user:
        await user.press("i", "l", "h", "F", "X", "b", "o", "<", ">", "z", "e")
        assert not user.actions.has_talk


async def test_each_character_keeps_what_is_looked_at() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        await three_turns(user)
        await user.press("h", "down", "enter")
        await user.sees("Turn 2 of 3")
        await speak_to(user, "bran")
        assert user.actions.talk.shown is None
        await speak_to(user, "elena")
        await user.sees("Turn 2 of 3")


@pytest.mark.parametrize("name", sampled(HOSTILE, *SHORT_RUN))
async def test_hostile_text_does_no_harm(name: str) -> None:
    text = HOSTILE[name]
    session, double = doubled()
    double.answers[SENT] = {"response": text, "text": text, "sessionID": text, "actionSequence": text}
    made: Any = Turn(
        character_id="",
        text=f"x{text}",
        actions=(text.replace(",", ""), "Waits"),
        objects=(Thing(name=text, description=text),),
        people=(Person(name=text, bio=text),),
    )
    async with opened(session, screen="actions", size=NARROW) as user:
        compose(user, made)
        await user.press("l", "h", "X", "i", "enter")
        await user.until(lambda: user.actions.talk.exchanges or user.actions.talk.error, "for an answer")
        for key in ("h", "l", "i", "]", "]", "]"):
            await user.press(key)
            await user.settle()
            assert all(map(is_plain, user.screen.splitlines()))
