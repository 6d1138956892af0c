"""Looking over a scene: every rule finds what it is for, and what it puts right is right afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.actions.lint import RULES, Finding, fix_all, in_words, lint
from chartui.core.actions.turn import Turn, faults
from chartui.core.lint import Severity
from chartui.core.spec.models.actions import Person, Thing

CLEAN = Turn(
    character_id="c1",
    text="Mira picks up the key.",
    actions=("Picks Up", "Opens", "Waits"),
    objects=(Thing(name="Key 1", description="small"), Thing(name="Key 2", description="large")),
    people=(Person(name="Mira", bio="an apprentice"),),
)
STORY = "Mira picks up key 1 or key 2, opens what they fit, and waits."


def things(*names: str) -> tuple[Thing, ...]:
    return tuple(Thing(name=name, description=f"number {n}") for n, name in enumerate(names))


def people(*names: str) -> tuple[Person, ...]:
    return tuple(Person(name=name, bio=f"number {n}") for n, name in enumerate(names))


def found(turn: Turn, backstory: str | None = None) -> list[tuple[str, str]]:
    return [(finding.rule.id, finding.place) for finding in lint(turn, backstory=backstory)]


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    assert lint(CLEAN, backstory=STORY) == ()
    assert lint(CLEAN) == ()


@pytest.mark.parametrize(
    ("changed", "rule", "place"),
    [
        ({"objects": things("Key;1")}, "semicolon", "objects[0].name"),
        ({"objects": (Thing(name="Key", description="small;brass"),)}, "semicolon", "objects[0].description"),
        ({"actions": ("Opens", "Picks Up, Waits")}, "comma", "actions[1]"),
        ({"actions": ("Opens", "Picks\nUp")}, "line-break", "actions[1]"),
        ({"actions": ("Opens", "Picks\rUp")}, "line-break", "actions[1]"),
        ({"actions": ()}, "no-actions", "actions"),
        ({"actions": (" ",)}, "no-actions", "actions"),
        ({"actions": ("Opens", "")}, "no-name", "actions[1]"),
        ({"objects": things("Key", " ")}, "no-name", "objects[1].name"),
        ({"people": people("")}, "no-name", "characters[0].name"),
        ({"actions": ("Opens", " Picks  Up")}, "blanks", "actions[1]"),
        ({"objects": things("Key\n")}, "blanks", "objects[0].name"),
        ({"people": people("Mira  K")}, "blanks", "characters[0].name"),
        ({"actions": ("Opens", "Waits", "Opens")}, "twice", "actions[2]"),
        ({"objects": (*CLEAN.objects, CLEAN.objects[0])}, "twice", "objects[2].name"),
        ({"people": (*CLEAN.people, *CLEAN.people)}, "twice", "characters[1].name"),
        ({"actions": ("Picks Up", "Picks-Up")}, "look-alike", "actions[1]"),
        ({"objects": things("Key 1", "key1")}, "look-alike", "objects[1].name"),
        ({"objects": things("Ｋｅｙ", "Key")}, "look-alike", "objects[1].name"),
        ({"people": people("Mira", "Mira")}, "look-alike", "characters[1].name"),
        ({"people": people("Key 1")}, "look-alike", "characters[0].name"),
        ({"actions": ("Opens", "Picked Up", "Picks Up")}, "same-action", "actions[2]"),
        ({"actions": ("Opens", "Open")}, "same-action", "actions[1]"),
        ({"actions": ("Opens", "Light"), "objects": things("light")}, "two-meanings", "actions[1]"),
        ({"actions": ("Opens", "Mira")}, "two-meanings", "actions[1]"),
        ({"actions": ("Picks Up", "Opens", "waits")}, "casing", "actions[2]"),
        ({"actions": ("moves to", "picks_up", "lies down")}, "casing", "actions[1]"),
        ({"actions": ("Moves To", "Picks up", "Lies Down")}, "casing", "actions[1]"),
        ({"objects": things("Key", "Key 2")}, "numbering", "objects[0].name"),
        ({"objects": things("Door (oak)", "Door 1 (cannot be opened)")}, "numbering", "objects[0].name"),
        ({"objects": things("Key 1", "The Key 1")}, "numbering", "objects[1].name"),
        ({"actions": ("Opens", "Opens Key")}, "not-general", "actions[1]"),
        ({"objects": (Thing(name="Key", description=" "),)}, "no-description", "objects[0].description"),
        ({"actions": ("Opens", "Wait;s")}, "mark", "actions[1]"),
        ({"people": people("Mira; K")}, "mark", "characters[0].name"),
        ({"actions": ("Opens", "Looks At The Ground")}, "long-action", "actions[1]"),
        ({"people": (Person(name="Mira", bio=""),)}, "no-bio", "characters[0].bio"),
        ({"multistep": False}, "words-only", "actions"),
    ],
)
def test_what_a_rule_finds(changed: dict[str, object], rule: str, place: str) -> None:
    turn = replace(CLEAN, **changed)  # type: ignore[arg-type]
    assert (rule, place) in found(turn)
    assert rule not in {other for other, _ in found(CLEAN, STORY)}


def test_every_rule_is_found_by_some_test() -> None:
    [table] = [mark for mark in test_what_a_rule_finds.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined]
    tested = {rule for _, rule, _ in table.args[1]} | {"no-backstory", "not-in-backstory"}
    assert tested == set(RULES)
    assert all(rule.why.endswith(".") for rule in RULES.values())


def test_what_the_backstory_does_not_name() -> None:
    story = "Mira waits beside the keys: key 2 opens the yard."
    assert found(CLEAN, story) == [("not-in-backstory", "actions[0]"), ("not-in-backstory", "objects[0].name")]
    assert found(CLEAN, " \n") == [("no-backstory", "")]
    assert found(replace(CLEAN, actions=(), objects=(), people=(), multistep=False), "") == []


def test_names_in_scripts_that_join_words_are_found_in_the_backstory() -> None:
    turn = replace(CLEAN, actions=("取る",), objects=things("茶碗一"), people=people("الضيف"))
    assert found(turn, "物：茶碗一。動作：取る、待つ。الشخصيات: ياسمين، والضيف.") == []
    assert ("not-in-backstory", "objects[0].name") in found(turn, "取る")


@pytest.mark.parametrize(
    "names",
    [
        ("Key 1", "Key 2", "Key 3"),
        ("Key", "Lamp", "Keyhole"),
        ("Key 1", "KEY 1"),  # a spelling, which is told as that and not as a number
        ("Door 1 (oak)", "Door 2 (cannot be opened)"),
        ("1", "2"),
    ],
)
def test_what_is_numbered_or_not_similar_needs_no_number(names: Sequence[str]) -> None:
    assert "numbering" not in {rule for rule, _ in found(replace(CLEAN, objects=things(*names)))}


@pytest.mark.parametrize(
    "words",
    [
        ("Picks Up", "Waits"),
        ("Picks up", "Waits"),
        ("picks up", "waits"),
        ("PICKS UP", "WAITS"),
        ("PicksUp", "Waits"),
        ("picksUp", "waits"),
        ("picks_up", "waits"),
        ("Calls NPC", "Waits"),
        ("取る", "差し出す"),
        ("उठाती है", "रखती है"),
        ("waits",),
    ],
)
def test_words_that_are_written_alike_are_left_alone(words: tuple[str, ...]) -> None:
    assert "casing" not in {rule for rule, _ in found(replace(CLEAN, actions=words))}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"objects": things("Key;1")}, {"objects": things("Key,1")}),
        ({"actions": ("Opens", "Picks Up, Waits ,")}, {"actions": ("Opens", "Picks Up", "Waits")}),
        ({"actions": ("Picks \r\n Up",)}, {"actions": ("Picks Up",)}),
        ({"actions": ("Opens", "", "Waits", "Opens")}, {"actions": ("Opens", "Waits")}),
        ({"people": people(" Mira  K ")}, {"people": people("Mira K")}),
        ({"actions": ("Picks Up", "Walks To", "lies_down")}, {"actions": ("Picks Up", "Walks To", "Lies Down")}),
        ({"actions": ("picks up", "walks to", "LiesDown")}, {"actions": ("picks up", "walks to", "lies down")}),
        ({"objects": things("Key", "Key", "Key 2")}, {"objects": things("Key 1", "Key 3", "Key 2")}),
        (
            {"objects": things("Door (oak)", "Door that cannot be opened")},
            {"objects": things("Door 1 (oak)", "Door 2 that cannot be opened")},
        ),
        ({"multistep": False}, {"multistep": True}),
    ],
)
def test_what_is_put_right(before: dict[str, object], after: dict[str, object]) -> None:
    turn, done = fix_all(replace(CLEAN, **before), lint)  # type: ignore[arg-type]
    assert turn == replace(CLEAN, **after)  # type: ignore[arg-type]
    assert done
    assert [finding.fix for finding in lint(turn) if finding.fix] == []


def test_what_is_known_about_something_without_a_name_is_kept() -> None:
    turn = replace(CLEAN, objects=(Thing(name="", description="of brass"),))
    assert fix_all(turn, lint) == (turn, [])


def test_errors_are_what_the_service_refuses_and_come_first() -> None:
    turn = replace(
        CLEAN,
        actions=("a,b", "c\nd", "Fine", "e;f"),
        objects=(Thing(name="Key;", description="x;y"), Thing(name="Lamp", description="")),
        people=people("Mi;ra"),
    )
    findings = lint(turn)
    places = [finding.place for finding in findings if finding.rule.severity is Severity.ERROR]
    assert places == ["actions[0]", "actions[1]", "objects[0].name", "objects[0].description"]
    assert set(places) == {place for place, _ in faults(turn.actions, turn.payload()["objects"])}
    severities = [finding.rule.severity for finding in findings]
    assert severities == sorted(severities, key=list(Severity).index)
    fixed, _ = fix_all(turn, partial(lint, backstory=None))
    assert not list(faults(fixed.actions, fixed.payload()["objects"]))


def test_a_large_scene_is_looked_over_without_a_wait() -> None:
    many = range(2000)
    turn = replace(
        CLEAN,
        actions=tuple(f"Does {n}" for n in many),
        objects=things(*(f"Thing {n}" for n in many)),
        people=people(*(f"Person {n}" for n in many)),
    )
    findings: tuple[Finding, ...] = lint(turn, backstory=" ".join(f"Does {n}, thing {n}, person {n}." for n in many))
    assert findings == ()


#: What names are made of where things go wrong, beside anything at all.
_PIECES = st.sampled_from(
    ["Key", "key", "KEY", " ", "1", "2", ";", ",", "\n", "(", "cannot be", "can", "_", "İ", "ß", "２", "鍵"]
)
_NAMES = st.one_of(st.lists(_PIECES, max_size=4).map("".join), st.text(max_size=6))
_TURNS = st.builds(
    Turn,
    character_id=st.just("c1"),
    actions=st.lists(_NAMES, max_size=5).map(tuple),
    objects=st.lists(st.builds(Thing, name=_NAMES, description=_NAMES), max_size=5).map(tuple),
    people=st.lists(st.builds(Person, name=_NAMES, bio=_NAMES), max_size=3).map(tuple),
    multistep=st.booleans(),
)


@given(_TURNS, st.one_of(st.none(), _NAMES))
def test_what_can_be_put_right_is_right_afterwards_whatever_it_was(turn: Turn, backstory: str | None) -> None:
    again = partial(lint, backstory=backstory)
    fixed, _ = fix_all(turn, again)
    assert [finding.fix for finding in again(fixed) if finding.fix] == []
    assert not list(faults(fixed.actions, fixed.payload()["objects"]))
    assert all(in_words(turn, finding) for finding in again(turn))
