"""The editor of scenes, without a terminal: edits, undo and redo, drafts, and what another program does to them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from chartui.core.actions.turn import SCENE_PART, Turn
from chartui.core.drafts import Drafts
from chartui.core.profiles import BUILT_IN
from chartui.core.spec.models.actions import ActionReply, Person, Thing
from chartui.tui.screens.actions.editor import Edit, SceneEditor, in_words
from chartui.tui.screens.actions.state import Group, Item, Place, Talk

OWNER = BUILT_IN["demo"].place
START = Turn(
    character_id="c1",
    text="She waits.",
    actions=("Waits", "Opens"),
    objects=(Thing(name="Key", description="of brass"), Thing(name="Lamp", description="on a hook")),
)


class Desk:
    """An editor on a file of drafts, what it told, and what it met."""

    def __init__(self, folder: Path) -> None:
        self.told: list[str] = []
        self.met: list[tuple[Turn, Turn | None]] = []
        self.drafts = Drafts(folder / "drafts.db")
        self.editor = SceneEditor(
            self.drafts, OWNER, met=lambda mine, theirs: self.met.append((mine, theirs)), failed=self.told.append
        )

    async def documents(self) -> list[object]:
        """What is in the file."""
        await self.editor.keeper.settled()
        return [draft.document for draft in await self.drafts.all(OWNER, part=SCENE_PART)]


@asynccontextmanager
async def begun(folder: Path) -> AsyncIterator[tuple[Desk, SceneEditor, Talk]]:
    desk = Desk(folder)
    talk = await desk.editor.begin(START)
    try:
        yield desk, desk.editor, talk
    finally:
        await desk.editor.keeper.settled()


def undone(editor: SceneEditor, edit: Edit) -> Talk:
    return editor.turn_edit(edit.talk, -1).talk


async def test_entries_are_put_removed_and_moved_and_each_edit_is_undone(tmp_path: Path) -> None:
    async with begun(tmp_path) as (_, editor, talk):
        added = editor.put(talk, Place(Group.OBJECTS, 2), [Item("Rope", "long")])
        assert [thing.name for thing in added.talk.turn.objects] == ["Key", "Lamp", "Rope"]
        assert added.place == Place(Group.OBJECTS, 3)
        several = editor.put(added.talk, Place(Group.ACTIONS, 0), [Item("Sits"), Item("Hums")])
        assert several.talk.turn.actions == ("Sits", "Hums", "Opens")
        assert several.place == Place(Group.ACTIONS, 1)
        moved = editor.move(several.talk, Place(Group.OBJECTS, 0), 1)
        assert [thing.name for thing in moved.talk.turn.objects] == ["Lamp", "Key", "Rope"]
        assert moved.place == Place(Group.OBJECTS, 1)
        removed = editor.remove(moved.talk, Place(Group.OBJECTS, 1))
        assert (removed.told, removed.undoes) == ("Removed “Key”.", True)
        talks = [moved.talk, several.talk, added.talk, talk]
        here = removed
        for before in talks:
            here = editor.turn_edit(here.talk, -1)
            assert here.talk.turn == before.turn
        assert here.told == "Undone: Add “Rope”"
        assert here.place == Place(Group.OBJECTS, 2)
        assert editor.turn_edit(here.talk, -1).told == "No edit to undo."
        assert editor.turn_edit(here.talk, 1).talk.turn == added.talk.turn


@pytest.mark.parametrize("place", [Place(Group.OBJECTS, 2), Place(Group.CHARACTERS, 0)])
async def test_behind_the_last_entry_nothing_is_removed_or_moved(tmp_path: Path, place: Place) -> None:
    async with begun(tmp_path) as (desk, editor, talk):
        assert editor.remove(talk, place) == Edit(talk)
        assert editor.move(talk, place, -1) == Edit(talk)
        assert editor.move(talk, Place(Group.OBJECTS, 0), -1) == Edit(talk)
        assert await desk.documents() == []


async def test_what_is_typed_is_one_step_and_what_is_as_it_began_is_no_draft(tmp_path: Path) -> None:
    async with begun(tmp_path) as (desk, editor, talk):
        edit = editor.write(talk, "She s")
        edit = editor.write(edit.talk, "She sits.")
        assert await desk.documents() == [replace(START, text="She sits.").payload()]
        assert undone(editor, edit).turn == START
        assert await desk.documents() == []


async def test_drafts_and_their_history_outlive_the_editor(tmp_path: Path) -> None:
    async with begun(tmp_path) as (_, editor, talk):
        edit = editor.toggle_multistep(editor.write(talk, "She sits.").talk)
        assert not edit.talk.turn.multistep
    async with begun(tmp_path) as (_, editor, talk):
        assert (talk.turn, talk.start) == (edit.talk.turn, START)
        back = editor.turn_edit(talk, -1)
        assert back.told == "Undone: Switch actions off"
        assert undone(editor, back).turn == START


async def test_a_conversation_goes_on_or_starts_anew_without_a_step(tmp_path: Path) -> None:
    async with begun(tmp_path) as (desk, editor, talk):
        assert (
            editor.toggle_session(talk).told == "No conversation to resume yet. The first turn starts a conversation."
        )
        reply = ActionReply(response="Well.", session_id="s1")
        answered = talk.sending().answered(reply)
        assert answered.turn.session_id == "s1"
        new = editor.toggle_session(answered).talk
        assert not new.goes_on
        assert editor.toggle_session(new).talk.turn.session_id == "s1"
        assert await desk.documents() == []


async def test_a_turn_is_taken_up_again(tmp_path: Path) -> None:
    async with begun(tmp_path) as (_, editor, talk):
        reply = ActionReply(session_id="s1")
        answered = talk.sending().answered(reply)
        assert editor.take_up(answered, 1) == Edit(answered, "The scene already matches turn 1.")
        written = editor.write(answered, "She sits.").talk
        taken = editor.take_up(written, 1)
        assert (taken.talk.turn.text, taken.talk.turn.session_id) == ("She waits.", "s1")
        assert taken.undoes


async def test_findings_are_fixed_one_or_all_and_the_text_stays(tmp_path: Path) -> None:
    async with begun(tmp_path) as (_, editor, talk):
        wrong = replace(START, actions=("Waits", "opens up"), objects=(Thing(name="Lamp; lit", description="x"),))
        talk = editor.compose(talk, wrong, "Compose")
        first = editor.fix(talk, talk.findings_at(Place(Group.OBJECTS, 0)))
        assert first.talk.turn.objects[0].name == "Lamp, lit"
        assert editor.fix(talk, ()).told == "No findings here."
        every = editor.fix_all(talk)
        assert every.told.startswith("Fixed ")
        assert every.talk.turn.objects[0].name == "Lamp, lit"
        assert every.talk.turn.text == "She waits."
        assert "No findings with a safe" in editor.fix_all(every.talk).told


async def test_a_scene_file_is_composed_for_the_character_in_sight(tmp_path: Path) -> None:
    async with begun(tmp_path) as (_, editor, talk):
        held = Turn(character_id="", text="Go.", people=(Person(name="Mr Hale", bio=""),))
        opened = editor.open(talk, held)
        assert opened.talk.turn == replace(held, character_id="c1")
        assert opened.undoes
        assert editor.open(opened.talk, held) == Edit(opened.talk, "The scene already matches the file.")


async def test_a_draft_that_cannot_be_read_is_told_once_and_the_start_counts(tmp_path: Path) -> None:
    await Drafts(tmp_path / "drafts.db").save(OWNER, "c1", SCENE_PART, {"nonsense": 1})
    async with begun(tmp_path) as (desk, _, talk):
        assert talk == Talk(start=START, turn=START)
        assert [message.partition(":")[0] for message in desk.told] == ["Your earlier draft cannot be read"]


async def test_a_draft_that_another_program_changed_is_met_and_either_can_be_used(tmp_path: Path) -> None:
    async with begun(tmp_path) as (desk, editor, talk):
        edit = editor.write(talk, "Mine.")
        await desk.documents()
        [draft] = await desk.drafts.all(OWNER, part=SCENE_PART)
        theirs = replace(START, text="Theirs.")
        await desk.drafts.save(OWNER, "c1", SCENE_PART, theirs.payload(), revision=draft.revision)
        edit = editor.write(edit.talk, "Mine again.")
        await editor.keeper.settled()
        assert desk.met == [(edit.talk.turn.anew(), theirs)]
        editor.keeper.seen("c1")
        used = editor.decide(edit.talk, mine=False, theirs=theirs)
        assert used.talk.turn.text == "Theirs."
        assert editor.decide(used.talk, mine=True, theirs=theirs).talk is used.talk
        assert editor.turn_edit(used.talk, -1).told == "Undone: Use the other program's scene"


def test_a_turn_in_words() -> None:
    assert in_words(START) == "“She waits.”, 2 actions and 2 names"
