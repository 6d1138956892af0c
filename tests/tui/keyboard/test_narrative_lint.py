"""What is wrong with a story: gone through, filtered, put right, and kept up with while the story changes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chartui.core.config import Config
from chartui.core.lint import Severity
from chartui.core.narrative.lint import PlaceKind, lint
from chartui.core.narrative.story import Story
from chartui.core.session import Session
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.tui.screens.narrative.dialogs import TargetChooser
from chartui.tui.screens.narrative.tabs import lint as lint_tab
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.editor import Editor
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.review import Review
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.stories import edit
from tests.tui.user import WIDE, User, opened


async def avery(session: Session) -> str:
    """The character whose graph is broken."""
    summaries = await session.service.summaries()
    return next(s.character_id for s in summaries if s.character_name == "Avery Cole")


def rules(user: User) -> list[str]:
    """The rules of the findings that are shown."""
    return [told.finding.rule.id for told in user.narrative.told]


def here(user: User) -> str:
    """The rule of the finding with the cursor."""
    told = user.narrative.findings.at_cursor
    assert told is not None
    return told.finding.rule.id


async def come_to(user: User, rule: str) -> None:
    """Move to the first finding of a rule."""
    await user.press("home", *["down"] * rules(user).index(rule))
    assert here(user) == rule


@covers("show-lint")
async def test_the_findings_are_gone_through_each_with_its_reason() -> None:
    session = demo()
    async with opened(session, screen="narrative", character=await avery(session)) as user:
        await user.sees("Lint ✗ 5")
        await user.press("l")
        await user.sees("5 errors, 11 warnings, 3 notes", "✗ “Check identity” has an unclosed <speak> tag")
        severities = [list(Severity).index(t.finding.rule.severity) for t in user.narrative.told]
        assert severities == sorted(severities)
        seen = []
        for told in user.narrative.told:
            assert user.narrative.findings.at_cursor is told
            assert f"{told.words} {told.finding.rule.why} ({told.finding.rule.id})" in user.narrative.told_text
            seen.append(told.finding.rule.id)
            await user.press("down")
        assert seen == rules(user)
        # Up again, also from below what is explained.
        await user.press("up", "up")
        assert here(user) == seen[-3]
        await user.press("home")
        assert here(user) == seen[0]


async def test_a_small_window_leaves_out_the_key_rather_than_the_number_of_hidden_findings() -> None:
    session = demo()
    async with opened(session, screen="narrative", character=await avery(session), size=(60, 20)) as user:
        await user.press("l", "f")
        await user.sees("5 errors, 11 warnings · 3 notes hidden ")


@covers("lint-severity")
async def test_the_findings_are_filtered_by_how_grave_they_are_and_by_words() -> None:
    session = demo()
    async with opened(session, screen="narrative", character=await avery(session)) as user:
        await user.press("l")
        await user.sees("5 errors, 11 warnings, 3 notes")
        await user.press("escape")  # works from the tree as well, as long as the tab is open
        await user.press("f")
        await user.sees("5 errors, 11 warnings · 3 notes hidden · f shows errors only")
        await user.press("f")
        await user.sees("5 errors · 11 warnings, 3 notes hidden · f shows all")
        await user.press("f", "l", "slash", *"TIMEOUT sess")
        await user.sees("1 warning, 1 note · 17 filtered out")
        assert rules(user) == ["similar-name", "unconnected-trigger"]
        await user.press("enter", "f")
        await user.sees("1 warning · 3 notes hidden · 15 filtered out")
        await user.press("f", "f", "down")
        assert here(user) == "unconnected-trigger"
        await user.press("slash", *"zz")
        await user.sees("No matches. Esc clears the filter.")
        await user.press("escape")
        await user.sees("5 errors, 11 warnings, 3 notes")
        assert user.narrative.findings.has_focus
        # The tree has a filter of its own.
        await user.press("escape", "slash")
        assert user.filter.has_focus


async def test_the_filter_of_severity_ends_with_the_character() -> None:
    session = demo()
    async with opened(session, screen="narrative", character=await avery(session)) as user:
        await user.press("l", "f", "f")
        await user.sees("hidden · f shows all")
        await user.press("slash", *"speak", "enter")
        await user.press("c")
        await user.at(Chooser)
        await user.press(*"Elena", "enter")
        await user.sees("3 notes · f hides notes")
        assert rules(user)
        assert "filter: section" not in user.screen
        # With nothing left to hide, the key shows everything.
        await user.press("f")
        await user.sees(" 3 notes hidden · f shows all", "No errors or warnings. f shows all findings.")
        await user.press("f")
        await user.sees("3 notes · f hides notes")


@covers("go-to-finding")
async def test_a_finding_leads_to_its_place_and_back() -> None:
    session = demo()
    async with opened(session, screen="narrative", character=await avery(session)) as user:
        await user.press("l")
        assert " ⏎ go to " in user.bottom_line
        kinds = set()
        for told in user.narrative.told:
            if told.finding.place.kind in kinds:
                await user.press("down")
                continue
            kinds.add(told.finding.place.kind)
            await user.press("enter")
            node = user.narrative.row
            assert user.app.focused is user.narrative.tree
            assert node is not None
            place = told.finding.place
            assert node.id in place.nodes
            if place.kind is PlaceKind.DECISION:
                graph = user.narrative.outline.graph
                way = (graph.sections[place.owner].decisions or ())[place.position]
                assert (node.section, node.label) == (way.next_section_id, way.criteria) or node.section == place.owner
            await user.press("l", "down")
        assert len(kinds) == 5
        await user.press("escape", "home")
        before = user.narrative.row
        await user.press("l", "v", "end", "enter")
        assert not user.narrative.fills_window()
        # However much smaller the pane is now, what there is to the finding is in sight.
        await user.sees("(unconnected-trigger)")
        await user.press("backspace")
        assert user.narrative.row == before


async def test_what_is_edited_and_removed_in_the_pane_is_what_the_finding_is_about() -> None:
    session = demo()
    async with opened(session, screen="narrative", character=await avery(session)) as user:
        await user.press("home", "l")
        row, narrative = user.narrative.row, user.narrative
        # A section: its text is edited.
        await come_to(user, "dead-end")
        section = narrative.findings.at_cursor
        assert section is not None
        await user.press("e")
        await user.at(Editor)
        name = narrative.story.sections[section.finding.place.owner].section_name or ""
        await user.sees(f"Objective of “{name}”")
        await user.press("escape")
        await user.back()
        # A decision: which part of it is asked for, not the section it leads to.
        await come_to(user, "after-star")
        after = narrative.findings.at_cursor
        assert after is not None
        holder, position = after.finding.place.owner, after.finding.place.position
        decision = (narrative.story.sections[holder].decisions or ())[position]
        await user.press("e")
        await user.at(Chooser)
        await user.sees(f"Criteria “{decision.criteria}”")
        await user.press(*"crit", "enter")
        await user.leaves(Chooser)
        assert narrative.asks_line
        await user.press(*"too", "enter")
        assert (narrative.story.sections[holder].decisions or ())[position].criteria == "too"
        assert user.app.focused is narrative.findings
        await come_to(user, "after-star")
        await user.press("d")
        await user.is_told("Staged: remove the decision")
        assert "after-star" not in rules(user)
        # An override, of a trigger that is not there.
        await come_to(user, "unknown-trigger")
        told = narrative.findings.at_cursor
        assert told is not None
        await user.press("d")
        await user.until(lambda: "unknown-trigger" not in rules(user))
        await come_to(user, "dangling-override")
        await user.press("e")
        await user.at(TargetChooser)
        await user.press("escape")
        await user.back()
        # A trigger.
        await come_to(user, "unconnected-trigger")
        told = narrative.findings.at_cursor
        assert told is not None
        trigger_id = told.finding.place.owner
        await user.press("e")
        await user.at(Editor)
        await user.press("escape")
        await user.back()
        await user.press("d")
        await user.until(lambda: trigger_id not in narrative.story.triggers)
        # All the while, the tree stays where it was.
        assert narrative.row is not None
        assert row is not None
        assert narrative.row.id == row.id
        # A walk begins at the finding, too.
        await come_to(user, "dead-end")
        await user.press("w")
        await user.sees("▶ Call an adviser")


@covers("fix-finding-in-story")
async def test_one_thing_is_put_right_from_the_pane_and_from_the_tree() -> None:
    session = demo()
    async with opened(session, screen="narrative", character=await avery(session)) as user:
        await user.press("l", "F", "F")
        await user.sees("3 errors, 11 warnings, 3 notes")
        assert "unclosed-speak" not in rules(user)
        story = user.narrative.story
        assert story is not user.narrative.stored
        # The cursor came to what took the place of what was put right.
        assert here(user) == rules(user)[0]
        endings = rules(user).count("ending")
        await come_to(user, "dead-end")
        await user.press("F")
        await user.at(Confirm)
        await user.press("y")
        await user.back()
        assert ("dead-end" in rules(user), rules(user).count("ending")) == (False, endings + 1)
        await user.press("z")
        assert "dead-end" in rules(user)
        await come_to(user, "loop")
        await user.press("F")
        await user.is_told("No safe automatic fix.")
        await come_to(user, "after-star")
        await user.press("enter")
        tree = user.narrative.tree
        assert tree.current is not None
        assert tree.current.never_runs
        await user.press("F")
        assert "after-star" not in rules(user)
        # A section is removed only after a question.
        await user.press("l")
        await come_to(user, "unreachable")
        story = user.narrative.story
        await user.press("F")
        await user.at(Confirm)
        await user.sees("“Terms of last year” is never reached.", "the section and its text")
        await user.press("escape")
        await user.back()
        assert user.narrative.story is story
        await user.press("F")
        await user.at(Confirm)
        await user.press("y")
        await user.back()
        assert "unreachable" not in rules(user)


async def test_the_footer_offers_a_fix_where_there_is_one() -> None:
    session = demo()
    async with opened(session, screen="narrative", character=await avery(session)) as user:
        assert " fix " not in user.bottom_line
        await user.press("F")
        await user.is_told("No finding selected. l lists the findings.")
        assert not user.narrative.staged
        user.app.clear_notifications()  # the footer's Esc is about it while it shows
        await user.press("l")
        assert " F fix " in user.bottom_line
        await come_to(user, "loop")
        assert " fix " not in user.bottom_line
        # From the tree as well, as long as the finding is in sight.
        await come_to(user, "dangling-decision")
        await user.press("escape")
        assert user.app.focused is user.narrative.tree
        assert " F fix " in user.bottom_line
        await user.press("home", "F")
        assert "dangling-decision" not in rules(user)


@pytest.mark.parametrize("enlarged", [False, True])
async def test_leaving_the_findings_comes_to_the_section_of_the_selected_one(enlarged: bool) -> None:
    async with opened(screen="characters") as user:
        await user.press("down", "down", "N")
        await user.sees("Lint ✗ 5")
        await user.press("l", *(["v"] if enlarged else []))
        await come_to(user, "dead-end")
        told = user.narrative.findings.at_cursor
        assert told is not None
        await user.press("escape")
        assert user.app.focused is user.narrative.tree
        assert user.narrative.here.section == told.finding.place.owner
        await user.press("escape")
        assert user.characters


@covers("fix-story-findings")
async def test_everything_safe_is_put_right_at_once() -> None:
    session = demo()
    async with opened(session, screen="narrative", character=await avery(session)) as user:
        await user.press("X")
        await user.is_told("Fixed 7 findings.")
        await user.press("l")
        assert "error" not in {t.finding.rule.severity for t in user.narrative.told}
        story = user.narrative.story
        assert len(story.sections) == 11
        await user.press("X")
        await user.is_told("No findings with a safe automatic fix.")
        assert user.narrative.story is story


async def test_under_the_lock_nothing_is_put_right() -> None:
    session = demo(read_only=True)
    async with opened(session, screen="narrative", character=await avery(session)) as user:
        await user.press("F", "l", "F", "X")
        assert " fix " not in user.bottom_line
        assert set(user.toasts) == {"Started with --read-only: editing the story is disabled."}
        assert user.narrative.story is user.narrative.stored
        assert len(rules(user)) == 19


async def test_rules_that_are_switched_off_are_told_with_their_reasons() -> None:
    off = {"no-moderation": "Nobody follows it yet.", "endin": "A rule that there is none of."}
    session = demo()
    config = Config(lint_off=off)
    character = await avery(session)
    async with opened(session, screen="narrative", character=character, config=config, size=WIDE) as user:
        await user.is_told("Unknown rule “endin”. Did you mean “ending”?")
        await user.press("l")
        assert user.narrative.count == "5 errors, 10 warnings, 3 notes · 1 rule off"
        await user.press("v", "end")
        await user.sees("Switched off: no-moderation. Nobody follows it yet.")
        assert "no-moderation" not in rules(user)


async def test_a_large_story_is_looked_over_beside_the_keyboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint_tab, "AT_ONCE", 3)
    session = demo()
    async with opened(session, screen="narrative", character=await avery(session)) as user:
        await user.press("l")
        await user.sees("5 errors, 11 warnings, 3 notes")
        await user.press("F")
        await user.sees("4 errors, 11 warnings, 3 notes")
        await user.press("X")
        screen = user.narrative
        await user.until(lambda: len(rules(user)) == 12)
        assert screen.looked_over is screen.story
        # Of another character nothing is told that was found in this story.
        screen.turn_to("nobody")
        assert rules(user) == []
        assert "✗" not in screen.title


# -- the broken demo graph, whole -------------------------------------------------------------------------------------


async def at_place(user: User, rule: str) -> None:
    """Go to the place of the first finding of a rule in the tree."""
    await user.press("l")
    await come_to(user, rule)
    await user.press("enter")


async def lead_on(user: User, criteria: str, target: str) -> None:
    """Let the section at the cursor lead to another one."""
    await user.press("a")
    await user.at(TargetChooser)
    await user.press(*target, "enter")
    await user.back()
    await user.press(*criteria, "enter")


async def put_right(user: User) -> list[str]:
    """Put right all for which there is a fix, the grave ones first; the rules that this was for.

    Not a dead end: making it an ending is easy, and may be wrong.
    """
    done = []
    while told := next(
        (told for told in user.narrative.told if told.finding.fix is not None and told.finding.rule.id != "dead-end"),
        None,
    ):
        await user.press("home", *["down"] * user.narrative.told.index(told))
        assert user.narrative.findings.at_cursor == told
        await user.press("F")
        if told.finding.fix is not None and not told.finding.fix.safe:
            await user.at(Confirm)
            await user.press("y")
            await user.back()
        assert told not in user.narrative.told, told.words
        done.append(told.finding.rule.id)
    return done


async def test_the_broken_demo_graph_is_put_right_sent_and_clean() -> None:
    session = demo()
    async with opened(session, screen="narrative", character=await avery(session), size=WIDE) as user:
        await user.press("l")
        assert await put_right(user) == [
            "unclosed-speak",
            "dangling-decision",
            "dangling-override",
            "unknown-trigger",
            "dangling-trigger",
            "no-moderation",
            "after-star",
            "same-decision",
            "unreachable",
        ]
        # What is left takes somebody who knows what is meant: edits as everywhere, from the place of each finding.
        await at_place(user, "similar-criteria")
        await edit(user, "criteria")
        await user.press(*"Both are to be compared", "enter")
        await at_place(user, "similar-name")
        await user.press("f2", *"Confirm the plus account", "enter")
        await at_place(user, "dead-end")
        await lead_on(user, "A time is set", "account opened")
        await at_place(user, "loop")
        await lead_on(user, "There is no better light", "adviser")
        await at_place(user, "empty-objective")
        await edit(user, "objective")
        await user.at(Editor)
        await user.press(*"Ask them to sign in.", "escape")
        await user.back()
        await at_place(user, "similar-name")
        await user.press("f2", *"Long silence", "enter", "l")
        # An application fills the key, the account is opened at the end, and two triggers wait to be connected.
        left = ["template-key", "ending", "unconnected-trigger", "unconnected-trigger"]
        assert rules(user) == left
        await user.press("S")
        await user.at(Review)
        await user.press("y")
        await user.back()
        await user.until(lambda: not user.narrative.staged, "for what was sent to be read again")
        assert rules(user) == left
        assert user.narrative.count == "4 notes · f hides notes"
        character, sections, triggers = await stored(session)
        found = lint(Story.of(character, sections, triggers), record=character)
        assert [finding.rule.id for finding in found] == left


async def stored(session: Session) -> tuple[Character, Sequence[Section], Sequence[Trigger]]:
    """What the store holds of the character whose graph was broken."""
    character_id = await avery(session)
    character = await session.service.character(character_id)
    assert character is not None
    return character, await session.service.sections(character_id), await session.service.triggers(character_id)
