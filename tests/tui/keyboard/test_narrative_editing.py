"""A story is written in place: every change is staged, marked, undone and kept, and sent in the fewest operations."""

from __future__ import annotations

from pathlib import Path

from chartui.core.drafts import STORY_PART
from chartui.core.narrative.lint import lint
from chartui.core.narrative.nodes import Kind
from chartui.core.narrative.story import overrides_of
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.run_plan import Report
from chartui.tui.screens.narrative.dialogs import Impact, TargetChooser
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.conflicts import Conflicts
from chartui.tui.widgets.editor import Editor
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.review import Review
from tests import writes
from tests.tui.characters import kept
from tests.tui.keyboard import covers
from tests.tui.sessions import demo, doubled, remote
from tests.tui.stories import START, add_section, add_trigger, edit, go_to, named, ways
from tests.tui.user import WIDE, User, opened


async def to_line(user: User, path: str) -> None:
    """Put the cursor of the pane on the line of a member."""
    view = user.narrative.section
    await user.press("home")
    for _ in range(60):
        if view.path == path:
            return
        await user.press("down")
    raise AssertionError(f"no line {path}\n{user.screen}")


async def agree(user: User) -> None:
    """Send what is staged, and wait until it is read again."""
    await user.press("S")
    await user.at(Review)
    await user.press("y")
    await user.until(lambda: user.at_work and not user.narrative.staged, "for everything to be sent")


@covers("rename-section", "add-to-story", "add-decision", "apply-story", "undo-edit")
async def test_a_story_is_written_sent_and_taken_back() -> None:
    session, double = doubled()
    async with opened(session, screen="narrative") as user:
        before = user.narrative.story
        await user.press("f2", *"Hall", "enter", "down")
        await user.press("a")
        await user.at(TargetChooser)
        await user.press(*"Cellar", "enter")
        await user.back()
        await user.sees("Criteria for “House rules” → “Cellar” (* to always take it)")
        await user.press(*"asks", "enter")
        assert ways(user, "House rules") == [("asks", "Cellar"), ("*", "The case")]  # behind a catch-all it never runs
        await user.sees("Δ 3 sections", "Δ ▶ Hall", "41 sections")
        await user.press("S")
        await user.at(Review)
        await user.sees(
            "section “Cellar”", "Welcome at the door → Hall", "+ decision: asks → “Cellar” (position 1 of 2)", "3 steps"
        )
        await user.misses("not set → empty")  # the new section has no objective yet
        assert not [name for name, _ in double.calls if "section" in name and not name.startswith("list")]
        await user.press("y")
        await user.until(lambda: user.at_work and not user.narrative.staged, "for everything to be sent")
        await user.is_told(
            "Changed the story of Elena Marsh (section “Cellar”, section “Welcome at the door”, ",
            "3 steps done.",
        )
        sent = [name for name, _ in double.calls if name.startswith(("create", "edit"))]
        assert sent == ["create-section", "edit-section", "edit-section"]
        assert ways(user, "House rules") == [("asks", "Cellar"), ("*", "The case")]  # behind a catch-all it never runs
        assert "new-section" not in named(user.narrative.story, "Cellar")
        await user.press("z")
        await user.is_told("No staged edit to undo. u undoes applied changes.")
        assert user.narrative.story == user.narrative.stored != before


async def test_a_section_that_the_filter_would_hide_is_shown() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await user.press("slash", *"House rules", "enter")
        await user.misses("Farewell")
        await user.press("a")
        await user.at(TargetChooser)
        await user.press(*"Cellar", "enter")
        await user.back()
        await user.press(*"asks", "enter")
        await user.is_told("All rows are shown because the filter would hide what you added. f shows matches only.")
        await user.sees("Cellar", "Farewell", " found · all rows")
        await user.press("f")
        await user.misses("Farewell", "found · all rows")
        assert not user.toasts


async def test_the_next_filter_hides_again_what_was_shown_for_an_addition() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await user.press("slash", *"House rules", "enter", "a")
        await user.at(TargetChooser)
        await user.press(*"Cellar", "enter")
        await user.back()
        await user.press(*"asks", "enter")
        await user.is_told("All rows are shown")
        await user.press("slash", *"Cellar", "enter")
        await user.misses("Farewell")
        assert not user.toasts
        await user.press("escape")
        await user.misses("found")
        await user.press("slash", *"House rules", "enter")
        await user.misses("Farewell")
        # What you have chosen yourself stays.
        await user.press("f")
        await user.sees("Farewell", " found · all rows")
        await user.press("escape", "slash", *"Cellar", "enter")
        await user.sees("Farewell", " found · all rows")


async def test_a_new_section_is_led_to_before_a_catch_all() -> None:
    async with opened(demo(), screen="narrative", size=(100, 30)) as user:
        await user.press("down", "a")
        await user.at(TargetChooser)
        await user.press(*"Attic", "enter")
        # The question is read whole in a narrow panel.
        asked = "Criteria for “House rules” → “Attic” (* to always take it) · ⏎ accepts · esc goes back"
        await user.until(lambda: set(asked.split()) <= set(user.screen.split()), "for the question to be read")
        assert "⏎ accept" in user.bottom_line
        assert "esc back" in user.bottom_line
        await user.press(*"climbs", "enter")
        assert ways(user, "House rules") == [("climbs", "Attic"), ("*", "The case")]
        rules = {finding.rule.id for finding in lint(user.narrative.story)}
        assert not rules & {"after-star", "unreachable"}


async def test_what_was_sent_is_taken_back_from_the_journal() -> None:
    async with opened(demo(), screen="narrative") as user:
        before = user.narrative.story
        await add_section(user, "Attic", "climbs")
        assert user.narrative.here.title == "Attic"
        await user.press("delete")  # with the decision that leads there at the cursor as well
        await user.at(Chooser)
        await user.sees("Only the decision “climbs” of “Welcome at the door”", "The section “Attic”")
        await user.press("escape")
        await user.back()
        await agree(user)
        assert ways(user, START)[-1] == ("climbs", "Attic")
        await user.press("u")
        await user.at(Review)
        await user.sees(
            "section “Welcome at the door”", "− decision: climbs → “Attic”", "Elena Marsh · section “Attic”"
        )
        await user.press("y")
        await user.until(lambda: user.at_work and "Attic" not in user.screen, "for it to be taken back")
        await user.ready()
        assert user.narrative.story == before


@covers("edit-text", "edit-text-outside", "undo-edit", "redo-edit", "discard-story")
async def test_texts_are_written_undone_done_again_and_dropped(aside: Path) -> None:
    async with opened(demo(), screen="narrative") as user:
        await user.press("e")
        await user.at(Editor)
        await user.sees("staged as you type; not applied yet")
        await user.press(*" More.", "escape")
        await user.back()
        await user.sees("Δ 1 section", "Δ Objective", "they have. More.", "was “Greet {VisitorName}")
        aside.write_text("import sys; open(sys.argv[1], 'a').write(' Outside.')")
        await user.press("x")
        await user.until(
            lambda: "More. Outside." in str(user.narrative.story.sections[named(user.narrative.story, START)].objective)
        )
        await user.press("z")
        await user.is_told("Undone: Edit the objective of “Welcome at the door”")
        await user.misses("Outside.")
        await user.press("z")
        await user.until(lambda: "Δ" not in user.screen)
        await user.press("Z")
        await user.is_told("Redone: Edit the objective")
        await user.uncovers("they have. More.", "Δ 1 section")
        await user.press("D")
        await user.at(Confirm)
        await user.press("enter")  # Cancel has the cursor
        await user.back()
        await user.sees("Δ 1 section")
        await user.press("D", "y")
        await user.back()
        await user.is_told("Discarded changes: 1 section. z restores them.")
        await user.misses("Δ")
        await user.press("z")
        await user.sees("they have. More.")


@covers("edit-text", "choose-target", "move-decision-earlier", "move-decision-later")
async def test_decisions_are_changed_in_their_lines_and_change_places() -> None:
    async with opened(demo(), screen="narrative") as user:
        first, second, third = ways(user, START)
        await user.press("i", "v")
        assert user.narrative.section.has_focus
        await user.sees("Decisions, in order", "Incoming links")
        await to_line(user, "decisions[0]")
        await user.press("greater_than_sign")
        assert ways(user, START) == [second, first, third]
        assert user.narrative.section.path == "decisions[1]"
        await user.press("greater_than_sign", "greater_than_sign")
        await user.is_told("This decision is already last.")
        await user.press("less_than_sign")
        assert ways(user, START) == [second, first, third]
        await user.press("enter", "enter", *"They wait", "enter")
        assert ways(user, START)[1] == ("They wait", first[1])
        await edit(user, "criteria")
        await user.press("enter")  # unchanged
        await edit(user, "target")
        await user.at(TargetChooser)
        await user.press(*"case", "enter")
        await user.back()
        assert ways(user, START)[1] == ("They wait", "The case")
        await user.press("d")
        await user.is_told("Staged: remove the decision “They wait” of “Welcome at the door”. z reverts it.")
        assert ways(user, START) == [second, third]
        await to_line(user, "section_name")
        await user.press("enter", "backspace", "enter")
        await user.sees("Enter a name.")
        await user.press("escape", "escape")
        assert user.narrative.tree.has_focus
        # In the tree the cursor stays with the decision that changes its place.
        moved = await go_to(user, Kind.SECTION, third[1])
        await user.press("less_than_sign")
        assert (user.narrative.here.label, user.narrative.here.position) == (moved.label, 0)
        assert ways(user, START) == [third, second]


async def applied(user: User) -> None:
    await user.press("S")
    await user.at(Review)
    await user.press("y")
    await user.until(lambda: user.at_work and not user.narrative.staged, "for it to be applied")
    await user.ready()


async def test_the_cursor_stays_where_it_is_when_changes_are_applied() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        # A shorter way moves a section deep down in the tree up to here, so the row stops being a reference.
        await go_to(user, Kind.SECTION, "Welcome at the door")
        await user.press("a")
        await user.at(TargetChooser)
        await user.press(*"an open case", "enter")
        await user.back()
        await user.press(*"They peek", "enter")
        await go_to(user, Kind.REFERENCE, "They peek")
        await applied(user)
        assert (user.narrative.here.kind, user.narrative.here.label) == (Kind.SECTION, "They peek")
        # A new section gets its real ID, and with it the rows below it.
        await add_section(user, "Attic", "They climb")
        await user.press("a")
        await user.at(TargetChooser)
        await user.press(*"the gallery", "enter")
        await user.back()
        await user.press(*"They look down", "enter")
        await go_to(user, Kind.REFERENCE, "They look down")
        await applied(user)
        assert (user.narrative.here.kind, user.narrative.here.label) == (Kind.REFERENCE, "They look down")


@covers("end-here")
async def test_the_story_is_said_to_end_and_that_is_taken_back() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await user.press("full_stop")
        await user.is_told("Remove this section's decisions to make the section an ending.")
        await go_to(user, Kind.SECTION, "Farewell at the gift shop")
        await user.sees("none: the story ends here")
        await user.press("full_stop")
        await user.is_told("cannot be removed.")
        assert not user.narrative.staged

        await add_section(user, "Epilogue", "They stay")
        await user.press("full_stop")
        epilogue = named(user.narrative.story, "Epilogue")
        assert user.narrative.story.sections[epilogue].decisions == ()
        await user.press("full_stop")
        assert user.narrative.story.sections[epilogue].decisions is None
        await user.press("z")
        assert user.narrative.story.sections[epilogue].decisions == ()
        await user.sees("2 sections, S applies")
        await agree(user)
        kept_section = user.narrative.story.sections[named(user.narrative.story, "Epilogue")]
        assert kept_section.raw["decisions"] == []
        # What only leads on as long as it is not sent is as undecided as before.
        await add_section(user, "Later", "They go")
        later = named(user.narrative.story, "Later")
        await user.press("a")
        await user.at(TargetChooser)
        await user.press(*"gallery", "enter")
        await user.back()
        await user.press(*"Back", "enter")
        await user.press("i")
        await to_line(user, "decisions[0]")
        await user.press("delete")
        assert user.narrative.story.sections[later].decisions is None


@covers("add-section", "remove-section", "start-here")
async def test_removing_a_section_says_what_leads_there_and_puts_it_right() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        gallery = named(user.narrative.story, "The gallery")
        leads = len(list(user.narrative.story.leading_to(gallery)))
        user.narrative.go_to_section(gallery)
        await user.press("delete", "down", "enter")
        await user.sees(
            f"{leads} incoming links of “The gallery”", "decision “Everybody has a pencil” of “Notebooks and"
        )
        await user.press("enter")  # to another section
        await user.at(TargetChooser)
        await user.press(*"A new hall", "enter")
        await user.back()
        now = user.narrative.story
        assert gallery not in now.sections
        assert len(list(now.leading_to(named(now, "A new hall")))) == leads
        await user.press("z")
        assert gallery in user.narrative.story.sections
        user.narrative.go_to_section(gallery)
        await user.press("delete", "down", "enter", "down", "enter")  # what leads there goes too
        await user.back()
        assert gallery not in user.narrative.story.mentioned()
        user.narrative.go_to_section(named(user.narrative.story, "The case"))
        await user.press("comma")
        await user.is_told("Staged: set “The case” as the start. z reverts it.")
        await user.sees("▶ The case")
        await user.press("home", "delete")
        await user.sees("the start of the story")
        await user.press("down", "down", "enter")  # left as it is
        await user.back()
        await agree(user)
        assert user.narrative.stored.start is None


async def test_the_review_names_the_errors_that_the_changes_bring() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        user.narrative.go_to_section(named(user.narrative.story, "House rules"))
        await user.press("delete", "down", "enter", "down", "down", "enter")  # what leads there is left
        await user.is_told("Staged: remove the section")
        await user.press("S")
        await user.at(Review)
        await user.sees("Causes 4 errors: “Welcome at the door”, decision 1", "goes to a missing section")
        await user.press("escape")
        await user.back()


@covers("add-trigger", "rename-section", "choose-target", "remove-section")
async def test_triggers_and_overrides_are_written() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await add_trigger(user)
        await user.press(*"Fire alarm", "enter")
        await user.sees("Another trigger already has this name")
        await user.press(*" 2", "enter", *"It rings.", "enter")
        await user.at(TargetChooser)
        await user.press(*"case", "enter")
        await user.back()
        assert user.narrative.here.kind is Kind.TRIGGER
        trigger_id = user.narrative.here.trigger or ""
        await user.press("f2", *"Bell", "enter", "i")
        await to_line(user, "destination_section")
        await user.press("e")
        await user.at(TargetChooser)
        await user.press(*"no target", "enter")
        await user.back()
        assert user.narrative.story.triggers[trigger_id].trigger_name == "Bell"
        assert user.narrative.story.triggers[trigger_id].destination_section is None
        user.narrative.go_to_section(named(user.narrative.story, "House rules"))
        await user.press("i")
        await to_line(user, "triggers[+]")
        await user.press("enter")
        await user.at(Chooser)
        await user.press(*"Bell", "enter")
        await user.at(TargetChooser)
        await user.press(*"case", "enter")
        await user.back()
        rules = named(user.narrative.story, "House rules")
        assert overrides_of(user.narrative.story.sections[rules]) == {
            trigger_id: named(user.narrative.story, "The case")
        }
        await agree(user)
        stored = user.narrative.stored
        assert list(overrides_of(stored.sections[rules]).values()) == [named(stored, "The case")]
        await to_line(user, "triggers[0]")
        await user.press("delete")
        await user.is_told("remove the override of “Bell”")
        assert not overrides_of(user.narrative.story.sections[rules])


@covers("apply-story")
async def test_what_was_changed_elsewhere_too_is_decided_first() -> None:
    session = demo()
    async with opened(session, screen="narrative", size=WIDE) as user:
        elena, welcome = user.narrative.wanted, named(user.narrative.story, START)
        await user.press("f2", *"Mine", "enter")
        await writes.edit_section(session.service, elena, welcome, name="Theirs", objective="Other.")
        await user.press("S")
        await user.at(Conflicts)
        await user.sees("name of section “Theirs”", "1 undecided", START)
        await user.press("escape")
        await user.back()
        await user.sees("Mine", "Other.", "⇄1")
        shown = " ".join(user.pane("#detail").replace("│", " ").split())
        assert f"Conflict: changed from “{START}” to “Theirs”." in shown
        await user.press("S")
        await user.at(Conflicts)
        await user.press("m", "enter")
        await user.at(Review)
        await user.sees("Theirs → Mine", "1 change")
        await user.press("y")
        await user.until(lambda: user.at_work and not user.narrative.staged, "for it to be sent")
        stored = await session.service.section(elena, welcome)
        assert (stored.section_name, stored.objective) == ("Mine", "Other.")
        await user.press("f2", *"Again", "enter")
        await writes.edit_section(session.service, elena, welcome, name="Theirs")
        await user.press("S")
        await user.at(Conflicts)
        await user.press("t", "enter")
        await user.is_told("Kept the stored values. Nothing left to apply.")
        await user.until(lambda: not user.narrative.staged, "for nothing to be staged")


async def test_what_could_not_be_sent_stays_staged_and_is_not_made_twice() -> None:
    session, double = doubled()
    async with opened(session, screen="narrative") as user:
        await add_section(user, "Attic", "climbs")
        double.failures["edit-section"] = ServiceError(ErrorKind.TIER, "Not for this account.")
        await user.press("S")
        await user.at(Review)
        await user.press("y")
        await user.at(Report)
        await user.press("escape")
        await user.back()
        await user.until(lambda: "new-section" not in named(user.narrative.story, "Attic"), "for its id")
        await user.ready()
        await user.sees("Δ 1 section", "41 sections")
        double.failures.clear()
        await agree(user)
        assert double.count("create-section") == 1
        assert ways(user, START)[-1] == ("climbs", "Attic")


@covers("quit")
async def test_what_is_staged_comes_back_in_the_next_program_and_is_asked_about() -> None:
    async with opened(kept(), screen="narrative", size=WIDE) as user:
        await add_section(user, "Attic", "climbs")
        await user.press("q")
        await user.at(Confirm)
        await user.reads(
            "Options",
            "Staged changes to the story of Elena Marsh are not applied yet. "
            "The draft is saved and will be restored when you reopen this profile.",
        )
        await user.press("escape")
        await user.narrative.kept()
    other = kept()
    async with opened(kept(), screen="narrative", size=WIDE) as user:
        await user.is_told("Restored staged changes to the story of Elena Marsh")
        await user.sees("Δ 2 sections", "Attic")
        assert ways(user, START)[-1] == ("climbs", "Attic")
        [draft] = await other.drafts.all(other.profile.place, part=STORY_PART)
        document = {**draft.document, "sections": {}, "start": [user.narrative.story.start, None]}
        await other.drafts.save(other.profile.place, draft.character_id, STORY_PART, document, revision=draft.revision)
        await user.press("f2", *"Hall", "enter")
        await user.sees("Another program is editing the story of Elena Marsh", "Yours: 2 sections", "Theirs: start")
        await user.press("down", "down", "enter")
        await user.back()
        assert (user.narrative.story.start, "Attic" in user.screen) == (None, False)
    await other.aclose()


async def test_a_service_takes_neither_start_nor_overrides_and_a_locked_profile_nothing() -> None:
    session, double = remote()
    async with opened(session, screen="narrative", size=WIDE) as user:
        await user.press("down", "comma")
        await user.is_told("The start can't be changed on a service. Use an embedded")
        await user.press("i")
        assert "override a trigger" not in user.pane("#detail")
        await user.press("escape", "f2", *"Rules", "enter")
        await agree(user)
        assert [name for name, _ in double.calls if name.startswith("edit")] == ["edit-section"]
    session, double = remote(read_only=True)
    async with opened(session, screen="narrative", size=WIDE) as user:
        for key in (
            "f2",
            "e",
            "x",
            "a",
            "less_than_sign",
            "d",
            "delete",
            "comma",
            "full_stop",
            "D",
            "z",
            "Z",
        ):
            await user.press(key)
            assert user.at_work, key
            assert not user.narrative.asks_line, key
        await user.is_told("editing the story is disabled.")
        await user.press("i")
        assert "add a decision" not in user.pane("#detail")
        await user.press("S")
        await user.is_told("applying staged changes is disabled.")
        assert not user.narrative.staged


async def test_removing_the_last_decision_says_that_the_section_is_an_ending() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await go_to(user, Kind.REFERENCE, "The gallery")  # the only decision of “Notebooks and pencils”
        holder = named(user.narrative.story, "Notebooks and pencils")
        assert len(user.narrative.story.sections[holder].decisions or ()) == 1
        await user.press("d")
        await user.is_told("“Notebooks and pencils” has no decisions left and is now an ending. z reverts it.")
        await user.sees("∎ Notebooks and pencils")
        await user.press("z")
        await user.until(lambda: not user.narrative.staged, "for the decision")
        # So does a section that takes the decisions to it along.
        await go_to(user, Kind.SECTION, "Farewell at the gift shop")
        await user.press("d")
        await user.at(Chooser)
        await user.press(*"The section", "enter")
        await user.at(Impact)
        await user.press(*"Remove", "enter")
        await user.is_told("have no decisions left and are now endings.")
