"""The actions: composed, sent, answered, refused, waited for and given up, with the keyboard alone."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Region
from textual.widgets import Input

from chartui.core.drafts import Draft
from chartui.core.lock import Lock, LockedBy
from chartui.core.session import Session, SharedFiles
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.demos.sample import Sample
from chartui.tui.screens.actions.dialogs import EntryDialog
from chartui.tui.screens.actions.screen import ActionsScreen
from chartui.tui.tour.player import messages
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.editor import Editor
from chartui.tui.widgets.form import FieldRow
from tests.long import sampled
from tests.tui.keyboard import covers
from tests.tui.scenes import SENT, answered, go_to, send, speak_to
from tests.tui.sessions import demo, doubled, filled_with, remote
from tests.tui.user import NARROW, WIDE, User, opened, words

# -- the start ---------------------------------------------------------------------------------------------------------


async def test_a_demo_character_starts_with_its_scene() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        await user.sees("─ Say to Elena Marsh ─", "rings it", "Moves To", "Great Lens", "Tom Sorrell")
        assert "free to send · about 10.827 on a service" in user.screen  # at every size
        await speak_to(user, "bran")
        await user.sees("─ Say to Bran Alder ─", "Walks To", "Captain Osric")


async def test_elsewhere_it_starts_with_the_actions_of_the_record() -> None:
    session, _ = remote()
    async with opened(session, screen="actions", size=WIDE) as user:
        assert user.actions.turn.text == ""
        assert user.actions.turn.actions[:2] == ("Moves To", "Points At")
        assert (user.actions.turn.objects, user.actions.turn.people) == ((), ())
        # The service does not return the level, the backstory and the objectives.
        assert "costs at least 8.470–11.620 credits" in user.screen


async def test_a_range_of_quantities_gives_the_lowest_and_the_highest_cost() -> None:
    async with opened(size=WIDE) as user:
        await user.press(*["down"] * 7, *"100-150-900", "enter", "A")
        await user.sees("free to send · 10.092 to 21.852 on a service")
        await user.press("N", "$")
        await user.sees("random, expected", "Lowest and highest: credits")
        await user.sees("lowest 29.095 · highest 64.375")


async def test_an_unknown_cost_of_a_turn_is_not_shown_as_free() -> None:
    session, _ = remote(fill_store=filled_with(of_an_unknown_model))
    async with opened(session, screen="actions", size=WIDE) as user:
        await user.sees("costs credits")


def of_an_unknown_model(sample: Sample) -> Sample:
    return sample._replace(record={**sample.record, "personalised_prompt_config": {"MODEL": "our-own-13b"}})


async def test_it_speaks_to_the_character_of_the_other_screens_and_they_follow() -> None:
    async with opened(screen="actions") as user:
        await speak_to(user, "nova")
        await user.press("N")
        await user.ready()
        await user.sees("─ Nova Adeyemi ─")
        await user.press("C", "home", "down")
        await user.press("N")
        await user.ready()
        await user.press("A")
        await user.ready()
        await user.sees("─ Say to Bran Alder ─")


async def test_an_account_without_characters_says_so() -> None:
    async with opened(demo(fill_store=lambda store: None), screen="actions", size=WIDE) as user:
        await user.sees("This profile has no characters yet.")
        await user.press("i", "enter", "e", "F", "escape", "a", "d", "z", "t", "r", "b", "v", "y")
        assert not user.actions.has_talk


@pytest.mark.parametrize("open_session", [demo, lambda: remote()[0]])
async def test_a_character_that_is_not_there_is_told_and_another_can_be_chosen(open_session: Any) -> None:
    session: Session = open_session()
    async with opened(session, screen="actions", character="gone", size=WIDE) as user:
        await user.sees("has no character gone")
        await speak_to(user, "avery")
        await user.sees("─ Say to Avery Cole ─")


# -- sending -----------------------------------------------------------------------------------------------------------


@covers("send-turn", "write-text")
async def test_enter_in_the_text_sends_it() -> None:
    session, double = doubled()
    async with opened(session, screen="actions") as user:
        await user.press("e", "f7")
        await user.write("Elena waits; she opens Keeper's Log?")
        await user.press("enter")
        await answered(user, 1)
        await user.reads("#reply", "Local planner:", "Opens → Keeper's Log", "the local planner (rules on this machine")
        payload: Any = double.calls[-1][1]
        assert payload == replace(user.actions.turn, session_id="-1").payload()
        assert payload["userText"] == "Elena waits; she opens Keeper's Log?"
        # The text has the focus still, and what is typed now takes its place.
        await user.write("Next")
        assert user.actions.turn.text == "Next"


@covers("send-turn")
async def test_enter_sends_from_the_form_and_not_from_the_scene_or_the_reply() -> None:
    session, double = doubled()
    async with opened(session, screen="actions") as user:
        await go_to(user, "actions[0]")
        assert "⏎ send" not in user.screen
        assert "─ free to send · " in user.screen
        await user.press("enter")
        await user.at(EntryDialog)
        await user.press("escape")
        await user.back()
        await user.press("i")
        assert "⏎ send" in user.bottom_line
        assert "─ ⏎ sends · free · " in user.screen
        await user.press("enter")
        await answered(user, 1)
        await user.reads("#reply", "Moves To → Ship's Bell", "Points At → Great Lens")
        assert user.app.focused is user.actions.reply
        assert "⏎ send" not in user.screen
        await user.press("enter")
        assert double.count(SENT) == 1


async def test_typing_replaces_the_sample_text_and_nothing_you_wrote() -> None:
    async with opened(screen="actions") as user:
        await user.press("e", *"Hello")
        assert user.actions.turn.text == "Hello"
        await user.press("escape", "e", *" you")
        assert user.actions.turn.text == "Hello you"


async def test_what_is_pasted_keeps_its_lines() -> None:
    async with opened(screen="actions") as user:
        await user.press("e", "f7")
        await user.paste("Elena waits.\nElena rings.")
        await user.press("enter")
        await answered(user, 1)
        assert user.actions.talk.exchanges[0].turn.text == "Elena waits.\nElena rings."
        assert user.actions.talk.exchanges[0].reply.action_sequence == "Waits\nRings"


@covers("write-long-text")
async def test_a_text_of_many_lines_is_written_in_a_large_editor() -> None:
    async with opened(screen="actions") as user:
        await user.app.action_command("write-long-text")
        await user.at(Editor)
        await user.press("f7", *"Elena waits", "enter", *"Elena rings")
        await user.press("escape")
        await user.leaves(Editor)
        assert user.actions.turn.text == user.actions.said == "Elena waits\nElena rings"
        await send(user)
        await answered(user, 1)
        assert user.actions.talk.exchanges[0].reply.action_sequence == "Waits\nRings"


@covers("write-text-outside")
async def test_a_text_is_written_in_ones_own_editor(aside: Path) -> None:
    aside.write_text("import sys; file = open(sys.argv[1], 'a'); file.write('\\nShe sits down.')")
    async with opened(screen="actions") as user:
        before = user.actions.turn.text
        await user.press("x")
        await user.until(lambda: user.actions.said == f"{before}\nShe sits down.", "for the text")
        assert user.actions.turn.text == user.actions.said
        aside.write_text("raise SystemExit(7)")
        await user.press("x")
        await user.is_told("exited with status 7. The text was not changed.")
        await user.press("z")
        assert user.actions.turn.text == before


async def test_the_reply_shows_what_was_sent_and_the_turns_before() -> None:
    async with opened(screen="actions", size=(120, 90)) as user:
        await send(user)
        await answered(user, 1)
        await user.press("e", "f7", *"She waits.", "enter")
        await answered(user, 2)
        await user.reads("#reply", "Turn 2 You She waits.", "Turn 1 You Elena moves", "Actions Moves To →")
        session_id = user.actions.turn.session_id
        await user.reads(
            "#reply", "As received actionSequence Waits", f"sessionID {session_id}", "classification multistep"
        )
        await user.reads("#reply", '"name": "Keeper\'s Log"', "voiceResponse false", "actions Moves To,Points At,")


async def test_words_that_were_not_declared_are_shown_with_the_nearest() -> None:
    session, double = doubled()
    double.answers[SENT] = {
        "response": "Well.",
        "text": "Very well.",
        "sessionID": "s1",
        "actionSequence": "Ring Ship's Bell\nOpens Keeper Log\nDances",
    }
    async with opened(session, screen="actions", size=WIDE) as user:
        await send(user)
        await answered(user, 1)
        await user.reads("#reply", "Reply Well.", "Text Very well.")
        await user.reads("#reply", "1 ▲ Ring Ship's Bell (no declared action; nearest: Rings)")
        await user.reads(
            "#reply", "2 ▲ Opens → Keeper Log (not declared; nearest: Keeper's Log)", "3 ▲ Dances (no declared action"
        )


async def test_a_service_over_the_network_is_named_as_who_answers() -> None:
    session, _ = remote()
    async with opened(session, screen="actions", size=WIDE) as user:
        await user.press("e", *"Hello", "enter")
        await answered(user, 1)
        await user.reads("#reply", "Answered by characters.example:8443")


# -- conversations -----------------------------------------------------------------------------------------------------


@covers("new-session")
async def test_a_conversation_goes_on_until_a_new_one_is_asked_for() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        await user.press("r")
        await user.is_told("No conversation to resume yet")
        await user.press("e", "f7", *"Look at the keeper's log.", "enter")
        await answered(user, 1)
        first = user.actions.turn.session_id
        assert first != "-1"
        assert f"continues {first[:8]}" in user.screen
        await user.press("f7", *"Elena opens it.", "enter")
        await answered(user, 2)
        assert user.actions.talk.exchanges[1].reply.action_sequence == "Opens Keeper's Log"
        await user.press("escape", "r")
        await user.sees("new (last session not resumed)")
        await user.press("r", "r")
        await send(user)
        await answered(user, 3)
        assert user.actions.talk.exchanges[2].reply.action_sequence == ""
        assert user.actions.turn.session_id != first
        await user.reads("#reply", "Turn 1, in another session")


@covers("pick-actor")
async def test_each_character_has_a_text_a_scene_and_a_conversation_of_its_own() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        await send(user)
        await answered(user, 1)
        elena = user.actions.talk
        await speak_to(user, "bran")
        assert user.actions.in_hand == user.actions.talk.turn.character_id != elena.turn.character_id
        assert user.actions.talk.exchanges == ()
        await user.press("e", "f7", *"Bran waits", "escape")
        await speak_to(user, "elena")
        assert user.actions.talk == elena
        await user.reads("#reply", "Turn 1", "Points At → Great Lens")
        await speak_to(user, "bran")
        assert user.actions.said == "Bran waits"
        await user.press("c")
        await user.at(Chooser)
        await user.press(*"avery", "escape")
        await user.back()
        assert (user.actions.has_talk, user.actions.said) == (True, "Bran waits")


async def test_what_was_composed_is_there_when_one_comes_back() -> None:
    async with opened(screen="actions") as user:
        await user.press("e", "f7", *"Half a sen", "escape", "t", "E")
        await user.ready()
        await user.press("A")
        await user.ready()
        await user.press("f5")
        await user.ready()
        assert user.actions.said == "Half a sen"
        assert user.actions.turn.text == "Half a sen"
        assert not user.actions.turn.multistep


async def test_turning_to_somebody_known_while_the_list_is_read() -> None:
    session, double = doubled()
    async with opened(session, screen="actions", size=WIDE) as user:
        elena = user.actions.wanted
        await speak_to(user, "bran")
        double.hold("summarize-characters")
        await user.press("f5")
        await user.until(lambda: double.waiting("summarize-characters"))
        user.actions.turn_to(elena)
        double.let_all_go()
        await user.ready()
        await user.sees("─ Say to Elena Marsh ─")


# -- composing ---------------------------------------------------------------------------------------------------------


@covers("toggle-multistep")
async def test_words_only() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        await user.press("t")
        await user.sees("□ words only")
        await send(user)
        await answered(user, 1)
        await user.reads("#reply", "none (the turn requested only words)")
        await user.press("escape", "down", "enter")
        await user.sees("■ words and actions")


@covers("add-entry")
async def test_actions_are_added_several_at_once() -> None:
    async with opened(screen="actions") as user:
        await go_to(user, "actions[2]")
        await user.press("a")
        await user.at(EntryDialog)
        await user.press(*" Sings,Hums ,,", "enter")
        await user.leaves(EntryDialog, Chooser)
        assert user.actions.turn.actions[-3:] == ("Waits", "Sings", "Hums")
        # The cursor stands where the next would be added.
        await user.press("enter")
        await user.at(EntryDialog)
        await user.press(*"Nods", "enter")
        await user.leaves(EntryDialog, Chooser)
        assert user.actions.turn.actions[-1] == "Nods"


@covers("add-entry")
async def test_typing_on_where_no_list_has_the_cursor_adds_nothing() -> None:
    async with opened(screen="actions") as user:
        before = user.actions.turn
        await user.press("a", *"Signs", "enter")
        await user.at(Chooser)
        await user.press("escape")
        await user.back()
        assert user.actions.turn == before


@covers("add-entry")
async def test_an_object_and_a_character_are_added() -> None:
    async with opened(screen="actions") as user:
        await user.press("a")
        await user.at(Chooser)
        await user.sees("Add to the scene", "An action", "An object", "A character")
        await user.press("down", "enter")
        await user.at(EntryDialog)
        await user.sees("Add an object", "⏎ next field")
        await user.press(*"Key 1", "enter")
        await user.sees("⏎ keep")
        await user.write("Small; brass")
        await user.sees("Objects must not contain ';'.")
        await user.press("enter")
        assert user.is_at(EntryDialog)
        await user.press(*["backspace"] * 7, *", of brass", "enter")
        await user.leaves(EntryDialog, Chooser)
        assert (user.actions.turn.objects[-1].name, user.actions.turn.objects[-1].description) == (
            "Key 1",
            "Small, of brass",
        )
        await go_to(user, "characters[0]")
        await user.press("a")
        await user.at(EntryDialog)
        await user.press(*"mr. hale")
        await user.sees("“Mr Hale” is already listed.")
        await user.press("backspace", "down", "enter")
        await user.leaves(EntryDialog, Chooser)
        assert (user.actions.turn.people[-1].name, user.actions.turn.people[-1].bio) == ("mr. hal", "")


async def test_an_entry_is_changed_in_its_place() -> None:
    async with opened(screen="actions") as user:
        before = user.actions.turn
        await go_to(user, "objects[1]")
        await user.press("enter")
        await user.at(EntryDialog)
        assert user.app.screen.query_one("#name", Input).value == "Chart Table 2"
        await user.press("end", *"0", "enter", "end", *" Oak.", "enter")
        await user.leaves(EntryDialog, Chooser)
        changed = user.actions.turn.objects[1]
        assert (changed.name, changed.description) == ("Chart Table 20", before.objects[1].description + " Oak.")
        assert user.actions.turn.objects[2:] == before.objects[2:]
        assert user.actions.row.id == "objects[1]"
        await user.press("enter")
        await user.at(EntryDialog)
        await user.press(*"xxx", "escape")
        await user.leaves(EntryDialog, Chooser)
        assert user.actions.turn.objects[1] == changed


async def test_lines_that_are_pasted_into_a_name_are_joined() -> None:
    async with opened(screen="actions") as user:
        await go_to(user, "objects[0]")
        await user.press("a")
        await user.at(EntryDialog)
        await user.paste("Old\r\nkey")
        await user.press("enter", "enter")
        await user.leaves(EntryDialog, Chooser)
        assert user.actions.turn.objects[-1].name == "Old key"


@covers("remove-entry", "undo-scene")
@pytest.mark.parametrize("key", ["d", "delete"])
async def test_what_is_removed_can_be_put_back(key: str) -> None:
    async with opened(screen="actions") as user:
        before = user.actions.turn
        await user.press(key, "z")
        assert user.actions.turn == before
        await go_to(user, "actions[1]")
        await user.press(key)
        await user.is_told("Removed “Points At”. z undoes this edit.")
        assert user.actions.turn.actions == (before.actions[0], *before.actions[2:])
        await user.press("end", key, "z")
        assert user.actions.turn == before


# -- what goes wrong ---------------------------------------------------------------------------------------------------


async def test_nothing_is_sent_without_a_text() -> None:
    session, double = doubled()
    async with opened(session, screen="actions") as user:
        await user.press("e", "f7", "backspace", *"  ", "enter")
        await user.reads("#reply", "✗ Not sent Why The text is empty.", "are unchanged")
        assert double.count(SENT) == 0
        await user.press(*"Hello", "enter")
        await answered(user, 1)
        assert "✗" not in user.pane("#reply")


@pytest.mark.parametrize(
    ("error", "row"),
    [
        (ServiceError(ErrorKind.INVALID, "That one.", member="objects[2].name"), "objects[2]"),
        (ServiceError(ErrorKind.INVALID, "'characters[1].bio' is odd."), "characters[1]"),
        (ServiceError(ErrorKind.INVALID, "There is no session 'x' here.", member="sessionID"), "session"),
        (ServiceError(ErrorKind.INVALID, "Unknown charID."), "character"),
    ],
)
async def test_a_refusal_marks_the_input_it_is_about_and_keeps_everything(error: ServiceError, row: str) -> None:
    session, double = doubled()
    async with opened(session, screen="actions", size=WIDE) as user:
        await send(user)
        await answered(user, 1)
        before = user.actions.talk
        double.failures[SENT] = error
        await send(user)
        await user.reads("#reply", f"✗ Refused Why {error.message}", "Turn 1 (last answered)")
        assert user.actions.turn == before.turn
        marked = [r.id for r in user.actions.rows if isinstance(r, FieldRow) and r.problem]
        assert marked == [row]
        double.failures.clear()
        await send(user)
        await answered(user, 2)
        assert "✗" not in user.screen


async def test_an_input_says_why_it_was_refused_until_it_changes() -> None:
    session, double = doubled()
    double.failures[SENT] = ServiceError(ErrorKind.INVALID, "No.", member="objects[0].description")
    async with opened(session, screen="actions", size=WIDE) as user:
        await send(user)
        await user.reads("#reply", "✗ Refused")
        assert "✗" in user.line("Chart Table 1", "#scene")
        await user.reads("#scene", "✗ No.")  # on the border: the cursor stands on it already
        await user.press("escape", "enter")
        await user.at(EntryDialog)
        await user.press("end", *"9", "enter", "enter")
        await user.leaves(EntryDialog, Chooser)
        assert "✗" not in user.pane("#scene")


@covers("cancel-turn")
async def test_waiting_is_given_up_and_the_late_answer_is_not_taken() -> None:
    session, double = doubled()
    async with opened(session, screen="actions", size=WIDE) as user:
        await send(user)
        await answered(user, 1)
        double.hold(SENT)
        await user.press("e", "f7", *"She waits.", "enter")
        await user.until(lambda: double.waiting(SENT))
        await user.reads("#reply", "Waiting for the reply to “She waits.”", "Turn 1 (last answered)")
        assert "Waiting for the reply… Esc cancels" in user.screen
        await user.press("enter")
        await user.is_told("The last turn is still under way")
        assert double.count(SENT) == 2
        await user.press("escape")
        await user.reads("#reply", "✗ No reply", "processed and may have cost credits")
        double.let_all_go()
        await user.settle()
        assert len(user.actions.talk.exchanges) == 1
        assert user.actions.turn.text == "She waits."


async def test_the_footer_says_what_escape_does_as_soon_as_that_changes() -> None:
    session, double = doubled()
    double.hold(SENT)
    async with opened(session, screen="actions", size=WIDE) as user:
        await send(user)
        await user.sees("esc cancel ")
        double.let_all_go()
        await answered(user, 1)
        await user.sees("esc back ")


async def test_the_footer_offers_to_remove_an_entry_and_nothing_else() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        assert "d remove" not in user.bottom_line
        await go_to(user, "objects[0]")
        await user.sees("d remove")
        await go_to(user, "objects[5]")
        await user.misses("d remove")


async def test_an_answer_comes_to_the_character_it_was_for() -> None:
    session, double = doubled()
    double.hold(SENT)
    async with opened(session, screen="actions", size=WIDE) as user:
        await send(user)
        elena = user.actions.wanted
        await user.until(lambda: double.waiting(SENT))
        await speak_to(user, "bran")
        await send(user)
        await user.until(lambda: double.waiting(SENT) == 2)
        await user.press("E")
        double.let_all_go()
        await user.until(lambda: all(t.exchanges for t in user.actions_behind.talks.values()), "for both answers")
        await user.press("A")
        await user.reads("#reply", "Bran picks up the hammer", "Strikes → Sword 1")
        assert "Ship's Bell" in user.actions.talks[elena].exchanges[0].reply.response


@pytest.mark.parametrize("open_session", [lambda: demo(read_only=True), lambda: remote(read_only=True)[0]])
async def test_read_only_sends_nothing_and_says_so_before(open_session: Any) -> None:
    session: Session = open_session()
    async with opened(session, screen="actions", size=WIDE) as user:
        await user.sees("⊘ Started with --read-only")
        await user.press("e", *"Hello")
        await user.sees("⊘ ⏎ send")
        await user.press("enter")
        await user.is_told("Started with --read-only: sending a turn is disabled.")
        await user.press("escape", ":")
        await user.at(Chooser)
        assert "⊘ Started with --read-only" in user.line("Send the turn")
        assert all(call.operation.name != SENT for call in session.recorder.calls)


async def test_a_lock_that_is_lifted_is_said_at_once() -> None:
    locked = demo()
    session = replace(locked, lock=Lock(LockedBy.PROFILE))
    async with opened(session, screen="actions", size=WIDE) as user:
        await user.sees("⊘ Read-only profile", "allow_act")
        assert session.unlock("demo")
        user.app.work.refresh_bars()
        await user.sees("free to send", "No reply yet. Press e to write a line, then ⏎ to send it.")
        session.relock()
        user.app.work.refresh_bars()
        await user.press("e")
        await user.sees("⊘ Read-only profile", "⊘ ⏎ send")


async def test_acts_may_be_allowed_under_read_only() -> None:
    locked = demo(read_only=True)
    session = replace(locked, profile=replace(locked.profile, allow_act=True), service=demo().service)
    async with opened(session, screen="actions", size=WIDE) as user:
        await user.press("e")
        assert "⊘ ⏎ send" not in user.screen
        await user.press("escape")
        await send(user)
        await answered(user, 1)


async def test_a_later_reading_that_fails_keeps_what_was_composed() -> None:
    session, double = doubled()
    async with opened(session, screen="actions", size=WIDE) as user:
        double.failures["summarize-characters"] = ServiceError(ErrorKind.BUSY, "Out of order.")
        await user.press("f5")
        await user.is_told("Out of order.", "Your text and scene are kept.")
        assert user.actions.turn.actions


# -- moving ------------------------------------------------------------------------------------------------------------


@covers("switch-side", "cancel-turn")
async def test_a_narrow_window_shows_scene_or_reply() -> None:
    async with opened(screen="actions", size=NARROW) as user:
        assert "─ Scene ─" in user.screen
        await user.press("v")
        assert "─ Reply │ Form │" in user.screen
        assert "─ Scene ─" not in user.screen
        assert user.focus == "reply"
        await user.press("v")
        assert "─ Scene ─" in user.screen
        await user.press("v", "escape")
        assert user.focus == "scene"
        assert "─ Scene ─" in user.screen


async def test_a_wide_window_shows_the_text_above_its_scene_and_leaves_no_hole() -> None:
    def regions(user: User) -> list[Region]:
        say, scene, answer = (user.top.query_one(f"#{name}").region for name in ("say", "scene", "answer"))
        assert (say.bottom, say.x, say.width) == (scene.y, scene.x, scene.width)
        assert (say.y, scene.bottom, scene.right) == (answer.y, answer.bottom, answer.x)
        return [say, scene, answer]

    async with opened(screen="actions", size=(200, 55)) as user:
        begun = regions(user)
        assert begun[2].right == 200
        await user.resize(240, 55)
        assert [region.width for region in regions(user)] == [102, 102, 122]  # no text is wider than a hundred columns
        await user.resize(*WIDE)
        regions(user)
        await user.resize(200, 55)
        assert regions(user) == begun


@pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW), ids=["80x24", "120x40"])
async def test_tab_goes_through_every_part(size: tuple[int, int]) -> None:
    async with opened(screen="actions", size=size) as user:
        parts = user.actions.parts
        assert user.app.focused is parts[0]
        for part in (*parts[1:], *parts):
            await user.press("tab")
            assert user.app.focused is part
            assert part.region.height > 0
        for part in (*reversed(parts[:3]), parts[3]):
            await user.press("shift+tab")
            assert user.app.focused is part


@covers("read-deprecation")
@pytest.mark.parametrize("size", sampled([(60, 20), NARROW, WIDE], (60, 20)), ids=["60x20", "80x24", "120x40"])
async def test_the_deprecation_is_always_there_and_whole_on_focus(size: tuple[int, int]) -> None:
    async with opened(screen="actions", size=size) as user:
        assert words(user.pane("#notice")).endswith(".")  # a whole sentence
        assert ("type : deprecation." in user.pane("#notice")) is (size == WIDE)
        assert words(user.pane("#notice")).startswith("▲ Plain-text actions are deprecated for new integrations")
        await user.app.action_command("read-deprecation")
        await user.settle()
        whole = words(user.pane("#notice"))
        for text in ("26 August 2026", "structured agentic actions", "the live connection API", "keep working"):
            assert text in whole
        await user.press("escape")
        assert len(user.pane("#notice").splitlines()) == 1


# -- drafts ------------------------------------------------------------------------------------------------------------


def on_the_same_drafts(folder: Path) -> Session:
    """The demo data, with the drafts of other sessions in the same folder."""
    return replace(demo(), files=SharedFiles(folder))


async def kept(session: Session, user: User, holds: bool = True) -> None:
    """The file holds what is composed, or no draft, once everything that was to be written is."""
    await user.settle()
    await user.actions.kept()
    drafts = await session.drafts.all(session.profile.place, part="action")
    assert [draft.document for draft in drafts] == ([user.actions.talk.turn.anew().payload()] if holds else [])


async def test_what_was_composed_outlives_the_program(tmp_path: Path) -> None:
    session = on_the_same_drafts(tmp_path)
    async with opened(session, screen="actions") as user:
        await kept(session, user, holds=False)
        await send(user)
        await answered(user, 1)
        await kept(session, user, holds=False)
        await user.press("e", "f7", *"Elena hums, ", "escape", "t", "a", "down", "enter")
        await user.at(EntryDialog)
        await user.press(*"Whistle", "enter", *"of tin", "enter")
        await user.leaves(EntryDialog, Chooser)
        await kept(session, user)
        composed = user.actions.talk.turn.anew()
        assert composed.session_id == "-1"
    again = on_the_same_drafts(tmp_path)
    async with opened(again, screen="actions") as user:
        assert user.actions.turn == composed
        assert user.actions.said == "Elena hums, "
        await user.is_told("Restored a draft of the scene: “Elena hums,", "actions and")
        assert user.actions.talk.start.text.startswith("Elena moves")


async def test_leaving_waits_until_the_draft_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, saved, free = on_the_same_drafts(tmp_path), asyncio.Event(), asyncio.Event()
    save = session.drafts.save_history

    async def save_slowly(*row: Any, **options: Any) -> Draft:
        await free.wait()
        draft = await save(*row, **options)
        saved.set()
        return draft

    monkeypatch.setattr(session.drafts, "save_history", save_slowly)
    async with opened(session, screen="actions") as user:
        await user.press("t")
        leaving = asyncio.ensure_future(user.app.work.remake("requests", {}))
        await user.settle()
        assert not leaving.done()
        free.set()
        await leaving
        assert saved.is_set()


async def test_nothing_is_kept_of_what_is_as_it_started(tmp_path: Path) -> None:
    session = on_the_same_drafts(tmp_path)
    async with opened(session, screen="actions") as user:
        await user.press("t")
        await kept(session, user)
        await user.press("t")
        await kept(session, user, holds=False)


async def test_a_draft_that_cannot_be_read_is_told_and_the_start_is_shown(tmp_path: Path) -> None:
    session = on_the_same_drafts(tmp_path)
    first = (await session.service.summaries())[0].character_id
    await session.drafts.save(session.profile.place, first, "action", {"nonsense": 1})
    async with opened(session, screen="actions") as user:
        await user.is_told("Your earlier draft cannot be read")
        assert user.actions.turn.text.startswith("Elena moves")


async def test_a_file_of_drafts_that_cannot_be_used_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "drafts.db").write_bytes(b"no database, but long enough to be taken for one" * 100)
    async with opened(on_the_same_drafts(tmp_path), screen="actions") as user:
        await user.is_told("Your earlier draft cannot be read")
        await user.press("t", "t")
        await send(user)
        await answered(user, 1)
        assert len(messages(user.app)) == 1


# -- copying and reading ----------------------------------------------------------------------------------------------


async def test_the_reply_and_the_turn_can_be_copied() -> None:
    async with opened(screen="actions") as user:
        assert [choice.title for choice in user.actions.copy_choices()] == ["Scene file", "Turn as curl"]
        await send(user)
        await answered(user, 1)
        choices = {choice.title: choice.text for choice in user.actions.copy_choices()}
        assert list(choices) == ["Reply", "Actions", "Session", "Turn as curl", "Scene file", "Turns to replay"]
        assert choices["Actions"].splitlines()[1] == "Rings Ship's Bell (cannot be picked up)"
        assert choices["Session"] == user.actions.turn.session_id
        assert "userText=Elena+moves" in choices["Turn as curl"]


async def test_typing_leaves_the_reply_where_one_has_scrolled_to() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        await send(user)
        await answered(user, 1)
        await user.press("end")
        scrolled = user.pane("#reply")
        assert user.actions.reply.scroll_offset.y > 0
        await user.press("e", *"abc")
        assert words(user.pane("#reply"))[10:] == words(scrolled)[10:]


# -- nobody to speak to ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["write-text", "write-long-text"])
async def test_a_text_for_nobody_is_no_command_and_waits_for_who_is_chosen(command: str) -> None:
    session, double = doubled()
    async with opened(session, screen="actions", character="nobody-has-this", size=WIDE) as user:
        await user.reads("#reply", "This profile has no character nobody-has-this.")
        await user.app.action_command(command)
        await user.settle()
        await user.press(*"RXq:?h")
        assert user.focus == "say"
        assert "RXq:?h" in user.pane("#say")
        assert user.is_at(ActionsScreen)
        await user.press("enter")
        await user.is_told("This profile has no character nobody-has-this.")
        assert double.count(SENT) == 0
        await user.press("escape", "c")
        await user.at(Chooser)
        await user.press("enter")
        await user.until(lambda: user.actions.has_talk, "for a character")
        assert user.actions.turn.text.endswith("RXq:?h")


@pytest.mark.parametrize("key", ["a", "o", "x"])
async def test_a_key_that_would_open_a_text_for_nobody_is_refused_in_words(key: str) -> None:
    async with opened(screen="actions", character="nobody-has-this", size=WIDE) as user:
        await user.reads("#reply", "This profile has no character nobody-has-this.")
        await user.press(key)
        await user.is_told("This profile has no character nobody-has-this.")


async def test_a_name_that_another_screen_has_read_is_shown_while_the_character_is_loading() -> None:
    session, double = remote()
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.press("down")
        await user.sees("Bran Alder")
        double.hold("list-characters")
        current = user.characters.current
        assert current is not None
        bran = user.app.character = current.character_id
        await user.press("A")
        await user.sees("Say to Bran Alder")
        assert bran not in user.screen
        double.let_all_go()
        await user.ready()
        await user.sees("Say to Bran Alder")


async def test_a_character_that_no_screen_has_read_has_no_name_while_it_is_loading() -> None:
    session, double = remote()
    elena = (await session.service.records()).summaries[0].character_id
    double.hold("list-characters")
    async with opened(session, screen="actions", character=elena, ready=False) as user:
        await user.sees("Say to …")
        assert elena not in user.screen
        double.let_all_go()
        await user.sees("Say to Elena Marsh")


async def test_the_help_names_sending_only_where_enter_sends() -> None:
    async with opened(screen="actions", size=(120, 70)) as user:
        for keys, sends in (((), False), (("l",), False), (("h",), False), (("i",), True)):
            await user.press(*keys, "?")
            await user.sees("Choose a character…")
            assert ("⏎           Send the turn" in user.screen) is sends
            assert ("–           Send the turn" in user.screen) is not sends
            await user.press("escape")
            await user.back()


async def test_every_tab_names_the_turn_that_was_sent_last() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        await user.press("e", *"Hello there", "enter")
        await user.sees("Turn 1")
        await user.misses("last sent")
        await user.press("escape")
        for _ in range(3):
            await user.press("right_square_bracket")
            await user.sees("last sent “Hello there”")
