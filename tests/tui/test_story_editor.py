"""The editor of a story, without a terminal: staged, undone, put over newer values, made a plan, found again."""

from __future__ import annotations

from typing import Any

import pytest

from chartui.core.narrative.edits import StoryDraft, draft_from_wire, draft_to_wire
from chartui.core.narrative.story import Story, decision
from chartui.core.plans.story_editor import CannotApply, StoryEditor
from chartui.core.session import Session
from chartui.core.spec.models.characters import Character
from chartui.core.spec.shape import build
from chartui.tui.drafts import Keeper
from tests.tui.sessions import demo

ELENA = "elena"
RECORD = build(Character, {"character_id": ELENA, "character_name": "Elena"})


def stored() -> Story:
    story = Story(sections={}, triggers={}).with_section("door", name="Door", objective="Greet.")
    return story.with_section("hall", name="Hall", decisions=[decision("on", "door")]).starting_at("door")


def keeper(session: Session) -> Keeper[StoryDraft]:
    def fail(*reasons: Any) -> None:
        raise AssertionError(reasons)

    return Keeper(
        session.drafts,
        session.profile.place,
        "narrative",
        write=lambda draft: None if draft.empty else draft_to_wire(draft),
        read=draft_from_wire,
        met=fail,
        failed=fail,
    )


@pytest.fixture
def session() -> Session:
    return demo()


@pytest.fixture
def drafts(session: Session) -> Keeper[StoryDraft]:
    return keeper(session)


@pytest.fixture
def editor(drafts: Keeper[StoryDraft]) -> StoryEditor:
    found = StoryEditor(ELENA, drafts, embedded=True, ids=iter(("plan-1", "plan-2")).__next__)
    found.read(stored())
    return found


def named(editor: StoryEditor, name: str) -> Story:
    assert editor.story is not None
    return editor.story.with_section("door", name=name)


def names(editor: StoryEditor) -> list[str | None]:
    assert editor.story is not None
    return [section.section_name for section in editor.story.sections.values()]


async def test_what_is_staged_is_undone_and_redone_step_by_step(editor: StoryEditor) -> None:
    assert editor.undo() is None
    assert editor.stage(named(editor, "Gate"), "first")
    assert editor.stage(named(editor, "Portal"), "second")
    assert not editor.stage(named(editor, "Portal"), "the same again")
    assert (names(editor)[0], len(editor.edits)) == ("Portal", 1)
    assert (editor.undo(), names(editor)[0]) == ("second", "Gate")
    assert (editor.undo(), editor.edits, editor.story) == ("first", type(editor.edits)(), editor.stored)
    assert editor.undo() is None
    assert (editor.redo(), editor.redo(), editor.redo()) == ("first", "second", None)
    assert names(editor)[0] == "Portal"


async def test_what_is_typed_into_one_field_is_one_step(editor: StoryEditor) -> None:
    for text in ("P", "Po", "Porch"):
        editor.type(named(editor, text), "write", "name:door")
    assert names(editor)[0] == "Door"
    assert editor.stage(named(editor, "Porch"), "write", field="name:door")
    assert (editor.undo(), editor.undo()) == ("write", None)


async def test_discarding_is_a_step_as_well(editor: StoryEditor) -> None:
    editor.stage(named(editor, "Gate"), "first")
    editor.discard()
    assert editor.story is editor.stored
    assert (editor.undo(), names(editor)[0]) == ("Discard all changes", "Gate")


async def test_edits_are_put_over_newer_values_and_a_conflict_is_decided(editor: StoryEditor) -> None:
    editor.stage(named(editor, "Gate"), "rename")
    editor.read(stored().with_section("hall", name="Great hall"))
    assert (names(editor), editor.conflicts) == (["Gate", "Great hall"], ())
    theirs = stored().with_section("door", name="Entrance")
    editor.read(theirs)
    (conflict,) = editor.conflicts
    assert (conflict.before, conflict.now, conflict.mine) == ("Door", "Entrance", "Gate")
    assert names(editor)[0] == "Gate"
    editor.read(theirs, {conflict.key: False})
    assert (names(editor)[0], len(editor.edits), editor.conflicts) == ("Entrance", 0, ())


async def test_a_conflict_in_which_mine_counts_stays_staged(editor: StoryEditor) -> None:
    editor.stage(named(editor, "Gate"), "rename")
    editor.read(stored().with_section("door", name="Entrance"))
    (conflict,) = editor.conflicts
    editor.read(stored().with_section("door", name="Entrance"), {conflict.key: True})
    assert (names(editor)[0], len(editor.edits), editor.conflicts) == ("Gate", 1, ())


async def test_a_plan_is_kept_with_the_draft_and_what_it_makes_gets_its_id(editor: StoryEditor) -> None:
    assert editor.story is not None
    fresh = editor.story.fresh_id()
    editor.stage(editor.story.with_section(fresh, name="Attic"), "add")
    assert editor.is_new(fresh)
    plan = editor.plan(RECORD)
    assert plan.id == "plan-1"
    assert [(sending.plan, set(sending.makes.values())) for sending in editor.draft().sent] == [("plan-1", {fresh})]
    number = next(iter(editor.draft().sent[0].makes))
    assert editor.applied({number: {"section_id": "made"}}, whole=True) == {fresh: "made"}
    assert editor.story is not None
    assert editor.story.sections["made"].section_name == "Attic"
    assert (len(editor.edits), editor.stored, editor.undo()) == (0, editor.story, None)


async def test_what_is_left_after_half_a_plan_is_one_step(editor: StoryEditor) -> None:
    assert editor.story is not None
    fresh = editor.story.fresh_id()
    editor.stage(editor.story.with_section(fresh, name="Attic"), "add")
    editor.stage(named(editor, "Gate"), "rename")
    editor.plan(RECORD)
    number = next(iter(editor.draft().sent[0].makes))
    editor.made({number: {"section_id": "made"}})
    editor.restart()
    assert set(editor.edits.sections) == {"door", "made"}
    assert (editor.undo(), editor.undo()) == ("Changes not yet applied", None)


async def test_two_triggers_of_one_name_make_no_plan(editor: StoryEditor) -> None:
    assert editor.story is not None
    editor.stage(editor.story.with_trigger("a", name="Bell").with_trigger("b", name="Bell"), "add")
    with pytest.raises(CannotApply, match="Two triggers are named “Bell”"):
        editor.plan(RECORD)
    assert editor.draft().sent == ()


async def test_the_next_program_goes_on_with_the_draft(
    editor: StoryEditor, drafts: Keeper[StoryDraft], session: Session
) -> None:
    editor.name = "Elena"
    editor.stage(named(editor, "Gate"), "first")
    editor.stage(named(editor, "Portal"), "second")
    await drafts.settled()
    next_program = keeper(session)
    found = await next_program.load()
    later = StoryEditor(ELENA, next_program, embedded=True)
    later.read(stored())
    assert later.resume(found[ELENA], None)
    assert (later.name, names(later)[0]) == ("Elena", "Portal")
    assert (later.undo(), names(later)[0]) == ("second", "Gate")
    assert not later.resume(found[ELENA], None)  # what is staged here meanwhile counts
