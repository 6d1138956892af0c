"""Staged edits are undone and redone step by step, also by the next program; what was applied is not among them."""

from __future__ import annotations

from chartui.core.actions.turn import SCENE_PART
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.run_plan import Report
from chartui.tui.widgets.editor import Editor
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.review import Review
from tests import writes
from tests.tui.characters import edit, kept, stage_temperature
from tests.tui.keyboard import covers
from tests.tui.sessions import demo, doubled
from tests.tui.user import WIDE, User, opened


async def turn(user: User, key: str, message: str) -> None:
    """Press a key and wait for its message."""
    user.app.clear_notifications()
    await user.press(key)
    await user.is_told(message)


def temperature(user: User) -> str | None:
    shown = user.characters.settings
    assert shown is not None
    return shown.value("temperature")


def objective(user: User) -> str:
    """The objective at the cursor."""
    story, spot = user.narrative.story, user.narrative.spot
    assert spot.section is not None
    return story.sections[spot.section].objective or ""


def name(user: User) -> str:
    """The name of the section at the cursor."""
    story, spot = user.narrative.story, user.narrative.spot
    assert spot.section is not None
    return story.sections[spot.section].section_name or ""


@covers("undo-setting", "redo-setting", "discard-settings")
async def test_settings_are_undone_and_redone_in_the_next_program() -> None:
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user, "0.95")  # four keys, and one step
        await user.press("plus", "down", "plus")
        await user.sees("2 changes staged")
        await user.press("D")
        await user.at(Confirm)
        await user.reads("Options", "Discards changes: temperature, reasoning level. z restores them.")
        await user.press("y")
        await user.sees("Changes are staged here")
        await user.characters.kept()
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await edit(user)
        await turn(user, "z", "Undone: Revert temperature, reasoning level")
        await user.sees("2 changes staged")
        await turn(user, "z", "Undone: Change reasoning level")
        assert temperature(user) == "1"
        await turn(user, "z", "Undone: Change temperature")
        assert temperature(user) == "0.95"
        await user.characters.kept()
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await user.is_told("Restored staged changes to Elena Marsh")
        await turn(user, "z", "Undone: Change temperature")
        assert (temperature(user), user.characters.staged) == ("0.6", {})
        await turn(user, "z", "No staged edit to undo.")
        await user.characters.kept()
    async with opened(kept(), screen="characters", size=WIDE) as user:
        for message in ("Change temperature", "Change temperature", "Change reasoning level", "Revert temperature"):
            await turn(user, "Z", f"Redone: {message}")
        assert user.characters.staged == {}
        await turn(user, "Z", "Nothing to redo.")


async def test_settings_are_undone_while_something_else_is_read() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        double.hold("estimate")
        await user.press("$")
        await user.sees("Estimating the cost…")
        await turn(user, "z", "Undone: Change temperature")
        assert user.characters.staged == {}


@covers("undo-edit", "redo-edit")
async def test_a_story_is_undone_and_redone_in_the_next_program() -> None:
    async with opened(kept(), screen="narrative", size=WIDE) as user:
        first = objective(user)
        await user.press("f2", *"Hall", "enter", "e")
        await user.at(Editor)
        await user.press(*" More.", "escape")
        await user.until(lambda: objective(user).endswith(" More."), "for the text")
        await user.narrative.kept()
    async with opened(kept(), screen="narrative", size=WIDE) as user:
        await user.is_told("Restored staged changes to the story of Elena Marsh")
        await turn(user, "z", "Undone: Edit the objective of “Hall”")
        assert (name(user), objective(user)) == ("Hall", first)
        await turn(user, "z", "Undone: Rename the section to “Hall”")
        await user.misses("Δ")
        await turn(user, "z", "No staged edit to undo. u undoes applied changes.")
        await user.narrative.kept()
    async with opened(kept(), screen="narrative", size=WIDE) as user:
        await user.ready()
        await user.misses("Δ")
        await turn(user, "Z", "Redone: Rename the section to “Hall”")
        await turn(user, "Z", "Redone: Edit the objective of “Hall”")
        await user.sees("Δ 1 section")
        assert (name(user), objective(user)) == ("Hall", f"{first} More.")
        await turn(user, "Z", "Nothing to redo.")


async def test_a_text_that_was_being_written_when_the_program_was_killed_is_undone_in_the_next() -> None:
    async with opened(kept(), screen="narrative", size=WIDE) as user:
        first = objective(user)
        await user.press("f2", *"Hall", "enter", "e")
        await user.at(Editor)
        await user.press(*" More.")
        await user.narrative.kept()
    async with opened(kept(), screen="narrative", size=WIDE) as user:
        await user.is_told("Restored staged changes")
        assert objective(user) == f"{first} More."
        await turn(user, "z", "Undone: Edit the objective")
        assert (name(user), objective(user)) == ("Hall", first)


async def test_a_text_that_is_written_and_left_as_it_was_is_no_edit() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await user.press("f2", *"Hall", "enter", "e")
        await user.at(Editor)
        await user.press("x", "backspace", "escape")
        await user.leaves(Editor)
        await turn(user, "z", "Undone: Rename the section to “Hall”")


@covers("undo-scene", "redo-scene")
async def test_a_scene_is_undone_and_redone_in_the_next_program() -> None:
    async with opened(kept(), screen="actions", size=WIDE) as user:
        first = user.actions.turn.text
        await user.press("e", "f7", *"Sit.", "escape", "t")
        await user.actions.kept()
    async with opened(kept(), screen="actions", size=WIDE) as user:
        await user.until(lambda: user.actions.turn.text == "Sit.", "for what was composed")
        await turn(user, "z", "Undone: Switch actions off")
        await turn(user, "z", "Undone: Edit the text")
        assert user.actions.turn.text == first
        await turn(user, "z", "No edit to undo.")
        await user.actions.kept()
    async with opened(kept(), screen="actions", size=WIDE) as user:
        assert user.actions.turn.text == first
        await turn(user, "Z", "Redone: Edit the text")
        await turn(user, "Z", "Redone: Switch actions off")
        assert user.actions.turn.text == "Sit."
        talk = user.actions.talk
        assert not talk.turn.multistep
        await turn(user, "Z", "Nothing to redo.")


async def test_two_programs_that_compose_one_scene_are_asked() -> None:
    other = kept()
    async with opened(kept(), screen="actions", size=WIDE) as user:
        await user.press("t")
        await user.actions.kept()
        place = other.profile.place
        [draft] = await other.drafts.all(place, part=SCENE_PART)
        document = {**draft.document, "userText": "Theirs."}
        await other.drafts.save(place, draft.character_id, SCENE_PART, document, revision=draft.revision)
        await user.press("t")
        await user.sees("Another program is editing the scene of Elena Marsh", "“Theirs.”")
        await user.press("down", "down", "enter")
        await user.until(lambda: user.actions.turn.text == "Theirs.", "for the other scene")
        await turn(user, "z", "Undone: Use the other program's scene")
        assert user.actions.turn.text != "Theirs."
    await other.aclose()


async def test_after_applying_the_history_is_gone() -> None:
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.press("S")
        await user.at(Review)
        await user.press("y")
        await user.sees("Changes are staged here")
        await turn(user, "z", "No staged edit to undo. u undoes applied changes.")
        await user.characters.kept()
        assert await user.app.session.drafts.all(user.app.session.profile.place, undone=True) == ()


async def test_nothing_is_undone_while_changes_are_prepared() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        double.hold("get-character")
        await user.press("S")
        await user.until(lambda: double.waiting("get-character"), "for it to begin")
        await user.press("z")
        double.let_all_go()
        await user.at(Review)
        await user.press("escape")
        assert temperature(user) == "0.9"
    session, double = doubled()
    async with opened(session, screen="narrative", size=WIDE) as user:
        await user.press("f2", *"Hall", "enter")
        double.hold("list-sections")
        await user.press("S")
        await user.until(lambda: double.waiting("list-sections"), "for it to begin")
        await user.press("z")
        double.let_all_go()
        await user.at(Review)
        await user.press("escape")
        assert name(user) == "Hall"


async def test_what_is_left_after_applying_is_one_step_and_nothing_is_made_twice() -> None:
    session, double = doubled()
    async with opened(session, screen="narrative", size=WIDE) as user:
        await user.press("f2", *"Hall", "enter")
        await user.press("a", "enter", *"Attic", "enter", *"climbs", "enter")
        await user.sees("Δ 2 sections")
        double.failures["edit-section"] = ServiceError(ErrorKind.INVALID, "Not now.")
        await user.press("S")
        await user.at(Review)
        await user.press("y")
        await user.at(Report)
        await user.press("escape")
        await user.until(lambda: user.at_work, "for it to close")
        double.failures.clear()
        await user.ready()
        await user.until(lambda: "new-section" not in str(user.narrative.edits), "for the id of the new section")
        await turn(user, "z", "Undone: Changes not yet applied")
        await user.misses("Δ")
        await turn(user, "z", "No staged edit to undo.")
        await turn(user, "Z", "Redone: Changes not yet applied")
        await user.sees("Δ 1 section")
        await user.press("S")
        await user.at(Review)
        await user.press("y")
        await user.until(lambda: user.at_work and not user.narrative.staged, "for everything to be sent")
        assert double.count("create-section") == 1
        await turn(user, "z", "No staged edit to undo.")


async def test_after_a_refresh_edits_are_undone_over_what_others_wrote() -> None:
    other = kept()
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.press("down", "plus")
        await user.sees("2 changes staged")
        elena = user.characters.shown_id or ""
        await writes.update_character(other.service, elena, backstory="Theirs.")
        await user.press("f5")
        await user.until(lambda: "Theirs." in str(user.characters.now), "for the other version")
        await turn(user, "z", "Undone: Change reasoning level")
        assert temperature(user) == "0.9"
        await turn(user, "z", "Undone: Change temperature")
        assert user.characters.staged == {}
        await turn(user, "Z", "Redone: Change temperature")
        await turn(user, "Z", "Redone: Change reasoning level")
        shown = user.characters.settings
        assert shown is not None
        assert (shown.conflicts, shown.staged.base["backstory"]) == ({}, "Theirs.")
    async with opened(kept(), screen="narrative", size=WIDE) as user:
        story = user.narrative.stored
        first, second = list(story.sections)[:2]
        await user.press("f2", *"Hall", "enter", "down", "f2", *"Rules", "enter")
        await writes.edit_section(other.service, elena, first, objective="Theirs.")
        await user.press("f5")
        await user.until(lambda: "Theirs." in str(user.narrative.stored), "for the other version")

        def now() -> tuple[str | None, ...]:
            story = user.narrative.story
            return (
                story.sections[first].section_name,
                story.sections[first].objective,
                story.sections[second].section_name,
            )

        await turn(user, "z", "Undone: Rename the section to “Rules”")
        assert now() == ("Hall", "Theirs.", story.sections[second].section_name)
        await turn(user, "z", "Undone: Rename the section to “Hall”")
        assert now() == (story.sections[first].section_name, "Theirs.", story.sections[second].section_name)
        await turn(user, "Z", "Redone: Rename the section to “Hall”")
        await turn(user, "Z", "Redone: Rename the section to “Rules”")
        assert now() == ("Hall", "Theirs.", "Rules")
        assert user.narrative.conflicts == ()
    await other.aclose()
