"""A story as a value: changed, and changed elsewhere meanwhile, put together again, and kept as a draft."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.jsontext import dumps, loads
from chartui.core.narrative.edits import (
    STORY,
    WHOLE,
    Edits,
    Key,
    Rebased,
    Sending,
    StoryDraft,
    difference,
    draft_from_wire,
    draft_to_wire,
)
from chartui.core.narrative.story import LeadKind, Story, decision, overrides_of
from chartui.core.plans.story import story_steps
from chartui.core.spec.elements import Unreadable
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.shape import build
from tests.core.narrative.graphs import section, stories, trigger


def told(*sections: Section, triggers: tuple[Trigger, ...] = (), start: str | None = "a") -> Story:
    return Story(
        sections={one.section_id: one for one in sections},
        triggers={one.trigger_id: one for one in triggers},
        start=start,
    )


BASE = told(
    section("a", ("on", "b"), ("off", "c"), overrides={"t": "b"}),
    section("b", ("*", "c")),
    section("c"),
    triggers=(trigger("t", "c"),),
)


# -- endings -----------------------------------------------------------------------------------------------------------


def test_an_ending_is_kept_apart_from_what_nobody_has_decided() -> None:
    stored = told(section("a", ("on", "b")), build(Section, {"section_id": "b", "decisions": None}))
    ends = stored.ending("b")
    edits = difference(stored, ends)
    assert set(edits.sections) == {"b"}
    draft = StoryDraft(character_id="c", name="C", edits=edits)
    kept = draft_from_wire(loads(dumps(draft_to_wire(draft))))
    assert kept is not None
    assert kept.edits.on(stored).story.sections["b"].decisions == ()
    assert ends.ending("b", ends=False) == stored

    # Meanwhile somebody else led it on: that is to be decided.
    elsewhere = stored.with_section("b", decisions=[decision("x", "a")])
    [conflict] = edits.on(elsewhere).conflicts
    assert (conflict.before, conflict.mine) == (None, [])


def test_whoever_removes_what_was_only_written_here_has_made_no_ending() -> None:
    stored = told(section("a", ("on", "b")), build(Section, {"section_id": "b", "decisions": None}))
    way = decision("on", "a")
    written = stored.with_ways("b", [way])
    assert written.without_way("b", way, stored=stored) == stored
    [held] = stored.ways("a")
    assert stored.without_way("a", held, stored=stored).sections["a"].decisions == ()
    with pytest.raises(LookupError):
        stored.without_way("a", way, stored=stored)


def with_unsent(stored: Story) -> Story:
    """A story with a section and a trigger that were never sent, and every kind of reference to them."""
    written = stored.with_section("new", name="Attic", decisions=[decision("*", "new")])
    written = written.with_trigger("bell", name="Bell", destination="new")
    written = written.overriding("a", "t", "new").overriding("b", "bell", "c")
    written = written.with_ways("b", [*written.ways("b"), decision("climbs", "new")])
    return written.with_ways("d", [decision("climbs", "new")]).starting_at("new")


def test_references_to_what_was_never_sent_go_with_it() -> None:
    stored = replace(BASE, sections={**BASE.sections, "d": build(Section, {"section_id": "d", "decisions": None})})
    written = with_unsent(stored)
    removed = written.without_section("new").without_references_to_unsent(written, stored)
    assert "new" not in removed.mentioned()
    assert removed.triggers["bell"].destination_section is None
    assert removed.start == stored.start
    assert removed.sections["d"].decisions is None
    left = removed.without_trigger("bell").without_references_to_unsent(removed, stored)
    assert "bell" not in left.mentioned()
    # Only the override that led to the new section instead is gone as well.
    assert not difference(stored.overriding("a", "t", None), left)


def test_references_to_what_is_stored_stay_when_it_is_removed() -> None:
    removed = BASE.without_section("c").without_trigger("t")
    assert removed.without_references_to_unsent(BASE, BASE) is removed


def test_of_several_overrides_of_a_trigger_the_first_that_leads_anywhere_counts() -> None:
    held = [("t", None), ("t", "b"), ("u", ""), ("t", "c")]
    raw = [{"trigger_id": one, "destination_section": to} for one, to in held]
    assert overrides_of(build(Section, {"section_id": "a", "triggers": raw})) == {"t": "b"}


# -- decisions in order ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "order", "after"),
    [
        ([None, None, None], "cab", [None, None, None]),
        ([1, 2, None], "bac", [1, 2, None]),  # they change places, and the priorities stay
        ([5, None, None], "bac", [5, None, None]),
        ([3, 3, 1], "cab", [1, 3, 3]),
        ([None, 1, 0], "abc", [0, 1, None]),
        ([-1, None], "ab", [-1, None]),
        ([], "", []),
    ],
)
def test_decisions_are_tried_in_the_order_they_are_put_in(
    before: list[int | None], order: str, after: list[int | None]
) -> None:
    ways = {letter: decision(letter, "x", priority=p) for letter, p in zip("abc", before, strict=False)}
    story = told(section("s")).with_ways("s", [ways[letter] for letter in order])
    assert [way.criteria for way in story.ways("s")] == list(order)
    assert [way.priority for way in story.ways("s")] == after


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        ("", "n", "n"),
        ("ab", "n", "abn"),
        ("a*", "n", "an*"),
        ("*b", "n", "n*b"),
        ("a*", "*", "a**"),
        ("ab", "*", "ab*"),
    ],
)
@pytest.mark.parametrize("priority", [None, 1])
def test_a_new_decision_is_tried_last_but_before_a_catch_all(
    before: str, new: str, after: str, priority: int | None
) -> None:
    story = told(section("s", *((letter, "x", priority) for letter in before)))
    story = story.with_way_added("s", decision(new, "y"))
    assert "".join(way.criteria for way in story.ways("s")) == after


@given(st.lists(st.sampled_from([None, None, 0, 1, 2, -1]), max_size=8), st.randoms(use_true_random=False))
def test_any_order_of_decisions_can_be_had(priorities: list[int | None], random: Random) -> None:
    story = told(section("s", *((str(n), "x", p) for n, p in enumerate(priorities))))
    wanted = list(story.ways("s"))
    random.shuffle(wanted)
    moved = story.with_ways("s", wanted)
    assert [way.criteria for way in moved.ways("s")] == [way.criteria for way in wanted]
    assert sorted(map(str, priorities)) == sorted(str(way.priority) for way in moved.ways("s"))
    assert moved.with_ways("s", moved.ways("s")) == moved


def test_members_that_nobody_knows_stay_with_a_decision() -> None:
    raw = {"criteria": "a", "next_section_id": "b", "x": 1}
    story = told(build(Section, {"section_id": "s", "decisions": [raw]}))
    changed = decision("new", "c", priority=3, like=story.ways("s")[0])
    assert changed.raw == {"criteria": "new", "next_section_id": "c", "x": 1, "priority": 3}


# -- what leads to a section -------------------------------------------------------------------------------------------


def test_everything_that_leads_to_a_section_is_found_and_led_elsewhere() -> None:
    story = BASE.overriding("b", "t", "c").starting_at("c")
    kinds = [lead.kind for lead in story.leading_to("c")]
    assert kinds == [LeadKind.START, LeadKind.DECISION, LeadKind.DECISION, LeadKind.TRIGGER, LeadKind.OVERRIDE]
    led = story.led_elsewhere("c", "a", embedded=True)
    assert not list(led.leading_to("c"))
    assert (led.start, led.triggers["t"].destination_section) == ("a", "a")
    assert [way.next_section_id for way in led.ways("b")] == ["a"]
    none = story.led_elsewhere("c", None, embedded=True)
    assert (none.start, none.triggers["t"].destination_section, none.ways("b")) == (None, None, ())
    assert overrides_of(none.sections["b"]) == {}
    # What services have no operation for stays as it is.
    remote = story.led_elsewhere("c", None, embedded=False)
    assert [lead.kind for lead in remote.leading_to("c")] == [LeadKind.START, LeadKind.OVERRIDE]


@given(stories(largest=20))
def test_whatever_is_removed_with_what_leads_there_is_mentioned_no_more(given_one: Any) -> None:
    story = Story.of(None, given_one.sections, given_one.triggers).starting_at(given_one.start)
    for section_id in list(story.sections)[:3]:
        gone = story.led_elsewhere(section_id, None, embedded=True).without_section(section_id)
        mentioned = {way.next_section_id for one in gone.sections.values() for way in one.decisions or ()}
        mentioned |= {one.destination_section or "" for one in gone.triggers.values()} | {gone.start or ""}
        assert section_id not in mentioned


# -- over what was changed elsewhere -----------------------------------------------------------------------------------


def test_what_was_changed_on_one_side_only_is_put_together() -> None:
    mine = (
        BASE.with_section("a", name="Mine")
        .with_section("n", name="New", decisions=[decision("x", "b")])
        .without_section("c")
        .starting_at("b")
    )
    theirs = (
        BASE.with_section("a", objective="Theirs")
        .with_section("z", name="Also new")
        .with_trigger("t", name="Bell", destination=None)
        .without_section("b")
    )
    rebased = difference(BASE, mine).on(theirs)
    assert rebased.conflicts == ()
    story = rebased.story
    assert list(story.sections) == ["a", "z", "n"]
    assert (story.sections["a"].section_name, story.sections["a"].objective) == ("Mine", "Theirs")
    assert (story.start, story.triggers["t"].trigger_name) == ("b", "Bell")
    assert rebased.base == theirs
    assert len(difference(rebased.base, story)) == 4


def test_the_same_on_both_sides_is_no_change_any_more() -> None:
    mine = BASE.with_section("a", name="Same").without_section("c").overriding("b", "t", "a").starting_at(None)
    rebased = difference(BASE, mine).on(mine)
    assert rebased == Rebased(mine, mine, ())
    assert not difference(rebased.base, rebased.story)


CONFLICTS: dict[str, tuple[Story, Story, Key]] = {
    "a name": (BASE.with_section("a", name="M"), BASE.with_section("a", name="T"), ("section", "a", "section_name")),
    "decisions": (
        BASE.with_section("a", decisions=[]),
        BASE.with_section("a", decisions=[decision("x", "a")]),
        ("section", "a", "decisions"),
    ),
    "overrides": (BASE.overriding("a", "t", None), BASE.overriding("a", "t", "c"), ("section", "a", "triggers")),
    "removed here": (BASE.without_section("b"), BASE.with_section("b", objective="T"), ("section", "b", WHOLE)),
    "removed there": (BASE.with_section("b", objective="M"), BASE.without_section("b"), ("section", "b", WHOLE)),
    "a message": (
        BASE.with_trigger("t", message="M"),
        BASE.with_trigger("t", message="T"),
        ("trigger", "t", "trigger_message"),
    ),
    "a trigger": (BASE.without_trigger("t"), BASE.with_trigger("t", name="U"), ("trigger", "t", WHOLE)),
    "the start": (BASE.starting_at("b"), BASE.starting_at("c"), ("story", STORY, "start")),
    "the switch": (BASE.switched(True), BASE.switched(False), ("story", STORY, "enabled")),
}


@pytest.mark.parametrize("name", list(CONFLICTS))
def test_what_was_changed_on_both_sides_is_told_until_it_is_decided(name: str) -> None:
    mine, theirs, key = CONFLICTS[name]
    edits = difference(BASE, mine)
    rebased = edits.on(theirs)
    assert [conflict.key for conflict in rebased.conflicts] == [key]
    assert not difference(rebased.story, mine)  # what is wanted here stays in front
    # Read again and again it stays a conflict: it is not forgotten what was there when one began.
    left = difference(rebased.base, rebased.story)
    assert left.on(theirs).conflicts == rebased.conflicts
    # Decided, it is none any more.
    kept = edits.on(theirs, {key: True})
    assert (kept.conflicts, kept.base) == ((), theirs)
    assert not difference(kept.story, mine)
    given_up = edits.on(theirs, {key: False})
    assert given_up == Rebased(theirs, theirs, ())
    # What went back to what it was is none either.
    assert edits.on(BASE) == Rebased(mine, BASE, ())


@pytest.mark.parametrize(
    ("mine", "key"),
    [
        (BASE.with_section("b", objective="Mine"), "b"),
        (BASE.without_section("b"), "b"),
        (BASE.with_trigger("t", message="Mine"), "t"),
        (BASE.without_trigger("t"), "t"),
    ],
    ids=["edited section", "removed section", "edited trigger", "removed trigger"],
)
def test_what_has_become_unreadable_is_neither_removed_nor_a_conflict(mine: Story, key: str) -> None:
    kind = "section" if key == "b" else "trigger"
    odd = Unreadable(kind=kind, where="/1", reason=f"{kind}_id: missing", raw={})
    theirs = replace(BASE.without_section(key) if key == "b" else BASE.without_trigger(key), unreadable=(odd,))
    mine = mine.with_section("a", name="Mine too")
    edits = difference(BASE, mine)
    rebased = edits.on(theirs)
    assert rebased.conflicts == ()
    assert rebased.story.unread == {key}
    assert difference(rebased.base, rebased.story) == edits
    assert (rebased.story.sections.get(key), rebased.story.triggers.get(key)) == (
        mine.sections.get(key),
        mine.triggers.get(key),
    )
    # Only the other change is sent.
    character = build(Character, {"character_id": "c"})
    made = story_steps(character, theirs, rebased.story, embedded=False)
    assert [step.operation for step in made.steps] == ["edit-section"]
    assert made.steps[0].payload["section_id"] == "a"
    assert len(made.left_out) == 1
    assert "can no longer be read" in made.left_out[0]
    # As soon as it can be read again, it is as it was.
    again = difference(rebased.base, rebased.story).on(BASE)
    assert (again.conflicts, again.story.unread, difference(again.story, mine)) == ((), frozenset(), Edits())


def test_overrides_of_different_triggers_do_not_get_into_each_others_way() -> None:
    base = BASE.overriding("c", "t", "a").overriding("c", "u", "a")
    mine = base.overriding("c", "t", None).overriding("c", "v", "b")
    theirs = base.overriding("c", "u", "b").overriding("c", "t", None)
    rebased = difference(base, mine).on(theirs)
    assert rebased.conflicts == ()
    assert rebased.base == theirs
    assert overrides_of(rebased.story.sections["c"]) == {"u": "b", "v": "b"}
    # Of those that do, it is said once which side counts; the others are put together all the same.
    theirs = base.overriding("c", "u", "b").overriding("c", "t", "c")
    edits = difference(base, mine)
    assert [one.key for one in edits.on(theirs).conflicts] == [("section", "c", "triggers")]
    for counts, found in ((True, {"u": "b", "v": "b"}), (False, {"t": "c", "u": "b", "v": "b"})):
        decided = edits.on(theirs, {("section", "c", "triggers"): counts})
        assert (overrides_of(decided.story.sections["c"]), decided.conflicts) == (found, ())


def test_what_sending_has_put_there_on_its_way_was_not_changed_elsewhere() -> None:
    mine = BASE.with_trigger("t", name="Bell").starting_at("b")
    half = BASE.with_trigger("t", name="aside").starting_at("c")
    edits = difference(BASE, mine)
    assert len(edits.on(half).conflicts) == 2
    rebased = edits.on(half, ours={("trigger", "t", "trigger_name"): ["aside"], ("story", STORY, "start"): ["c"]})
    assert (rebased.conflicts, rebased.base) == ((), half)
    assert not difference(rebased.story, mine)


@given(stories(largest=8), stories(largest=8), stories(largest=8))
def test_any_edits_find_their_place_in_any_story(base: Any, mine: Any, theirs: Any) -> None:
    first, second, third = (
        Story.of(None, one.sections, one.triggers).starting_at(one.start) for one in (base, mine, theirs)
    )
    edits = difference(first, second)
    same = edits.on(first)
    assert not difference(same.story, second)
    assert same.conflicts == ()
    rebased = edits.on(third)
    again = difference(rebased.base, rebased.story).on(third)
    assert not difference(again.story, rebased.story)
    # What both sides removed is no longer among what was there before.
    assert [(one.key, one.now, one.mine) for one in again.conflicts] == [
        (one.key, one.now, one.mine) for one in rebased.conflicts
    ]
    decided = edits.on(third, {conflict.key: False for conflict in rebased.conflicts})
    assert decided.conflicts == ()
    assert decided.base == third


# -- other ids, and drafts ---------------------------------------------------------------------------------------------


def test_what_was_new_goes_on_under_the_id_that_it_was_given() -> None:
    fresh = BASE.fresh_id()
    mine = BASE.with_section(fresh, name="New").with_section("a", decisions=[decision("to it", fresh)])
    mine = mine.starting_at(fresh).with_trigger("t", destination=fresh).overriding("b", "t", fresh)
    edits = difference(BASE, mine).renamed({fresh: "made"})
    made = BASE.with_section("made", name="New")
    story = edits.on(made).story
    assert not difference(story, mine.renamed({fresh: "made"}))
    assert fresh not in story.mentioned()
    assert "made" not in difference(made, story).sections  # it is there


@given(stories(largest=8), stories(largest=8))
def test_a_draft_is_read_as_it_was_written(base: Any, mine: Any) -> None:
    first, second = (Story.of(None, one.sections, one.triggers).starting_at(one.start) for one in (base, mine))
    edits = difference(first, second.switched(True))
    draft = StoryDraft(character_id="c", name="N", edits=edits, sent=(Sending(plan="p", makes={3: "new-section-1"}),))
    found = draft_from_wire(loads(dumps(draft_to_wire(draft))))
    assert found == draft
    assert found is not None
    assert found.edits.on(first).story == edits.on(first).story


DAMAGE: list[Any] = [None, [], {}, {"format": "chartui-story-draft", "version": 2}, "sections", "start", "sent"]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_draft_that_is_none_is_not_read(damage: Any) -> None:
    whole = draft_to_wire(StoryDraft(character_id="c", name="N", edits=Edits()))
    assert draft_from_wire(whole) is not None
    document = {**whole, damage: {"x": 1}} if isinstance(damage, str) else damage
    assert draft_from_wire(document) is None
