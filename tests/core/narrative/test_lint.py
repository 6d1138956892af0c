"""Looking over a story: every rule finds what it is for, and what it puts right is right afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given

from chartui.core.lint import Severity
from chartui.core.narrative.graph import Edge
from chartui.core.narrative.lint import RULES, Finding, fix_all, in_words, lint, switched_off, where
from chartui.core.narrative.lint.findings import Place, PlaceKind
from chartui.core.narrative.nodes import Kind
from chartui.core.narrative.outline import outline
from chartui.core.narrative.story import Story
from chartui.core.spec.elements import Unreadable
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.shape import build
from chartui.core.text import is_plain
from tests.core.narrative import graphs


def section(section_id: str, *ways: Any, **members: Any) -> Section:
    """A section without a fault; a way is (criteria, target[, priority]), ``decisions=None`` says that there are none.

    ``overrides`` are (trigger, destination).
    """
    raw: dict[str, Any] = {
        "section_id": section_id,
        "section_name": section_id.title(),
        "objective": f"What {section_id} is for.",
        "decisions": [
            {"criteria": criteria, "next_section_id": target, **({"priority": rest[0]} if rest else {})}
            for criteria, target, *rest in ways
        ],
    }
    overrides = members.pop("overrides", ())
    raw["triggers"] = [{"trigger_id": t, "destination_section": to} for t, to in overrides] or None
    return build(Section, {**raw, **members})


def trigger(trigger_id: str, to: str | None = None, **members: Any) -> Trigger:
    raw = {"trigger_id": trigger_id, "trigger_name": trigger_id.title(), "trigger_message": f"{trigger_id} happens."}
    return build(Trigger, {**raw, "destination_section": to, **members})


def character(*, start: str | None = "hall", on: bool | None = True, moderated: bool | None = True) -> Character:
    record = {
        "character_id": "c",
        "start_narrative_section_id": start,
        "is_narrative_driven": on,
        "personalised_prompt_config": {"MODERATION_ENABLED": moderated},
    }
    return build(Character, record)


def story(*records: Section | Trigger, start: str | None = "hall", on: bool | None = True) -> Story:
    sections = [record for record in records if isinstance(record, Section)]
    triggers = [record for record in records if isinstance(record, Trigger)]
    return Story.of(character(start=start, on=on), sections, triggers)


HALL = section("hall", ("asks", "vault"), ("leaves", "exit"))
VAULT = section("vault", ("has seen it", "hall"))
EXIT = section("exit")
FIRE = trigger("fire", "exit")
CLEAN = story(HALL, VAULT, EXIT, FIRE)


def found(over: Story, **options: Any) -> list[tuple[str, str]]:
    graph = over.graph()
    return [(f.rule.id, where(graph, f.place)) for f in lint(over, **options)]


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    assert found(CLEAN) == [("ending", "“Exit”")]


#: What a rule finds, and where.
CASES: Sequence[tuple[Story, str, str]] = [
    (story(HALL, VAULT, EXIT, start=None), "no-start", "The story"),
    (story(start=None), "no-start", "The story"),
    (story(HALL, VAULT, EXIT, start="gone"), "dangling-start", "The story"),
    (story(section("hall", ("asks", "gone"), ("goes", "hall"))), "dangling-decision", "“Hall”, decision 1 “asks”"),
    (story(section("hall", ("asks", "gone"), ("*", "hall", 0))), "dangling-decision", "“Hall”, decision 2 “asks”"),
    (story(EXIT, trigger("fire", "gone"), start="exit"), "dangling-trigger", "Trigger “Fire”"),
    (
        story(section("hall", overrides=[("fire", "gone")]), EXIT, FIRE),
        "dangling-override",
        "“Hall”, override of “Fire”",
    ),
    (
        story(section("hall", overrides=[("ghost", "exit")]), EXIT, FIRE),
        "unknown-trigger",
        "“Hall”, override of ghost",
    ),
    (story(section("hall", ("*", "vault")), section("vault", ("*", "hall"))), "automatic-loop", "“Hall”"),
    (story(section("hall", ("*", "vault")), section("vault", ("*", "vault"))), "automatic-loop", "“Vault”"),
    (story(section("hall", objective="<speak>Hello")), "unclosed-speak", "“Hall”"),
    (story(section("hall", objective="Hello</speak>")), "unclosed-speak", "“Hall”"),
    (
        story(EXIT, trigger("fire", "exit", trigger_message="<speak>Out!"), start="exit"),
        "unclosed-speak",
        "Trigger “Fire”",
    ),
    (story(HALL, VAULT, EXIT, FIRE, trigger("f2", trigger_name="Fire")), "same-trigger-name", "Trigger “Fire”"),
    (story(HALL, VAULT, EXIT, section("hall", section_name="Another")), "duplicate-id", "Section “Another”"),
    (story(HALL, VAULT, EXIT, FIRE, trigger("fire")), "duplicate-id", "Trigger “Fire”"),
    (story(HALL, VAULT, EXIT, section("attic", ("down", "hall"))), "unreachable", "“Attic”"),
    (story(section("hall", ("goes", "vault")), section("vault", ("back", "hall"))), "loop", "“Hall”"),
    (story(section("hall", ("goes", "vault")), section("vault", ("stays", "vault"))), "loop", "“Vault”"),
    (story(section("hall", decisions=None)), "dead-end", "“Hall”"),
    (story(section("hall", ("*", "exit"), ("asks", "exit")), EXIT), "after-star", "“Hall”, decision 2 “asks”"),
    (story(section("hall", ("*", "exit"), ("*", "vault")), EXIT, VAULT), "after-star", "“Hall”, decision 2 “*”"),
    (story(section("hall", ("asks", "exit"), ("asks", "exit")), EXIT), "same-decision", "“Hall”, decision 2 “asks”"),
    (story(section("hall", ("asks", "exit"), ("asks", "hall")), EXIT), "same-criteria", "“Hall”, decision 2 “asks”"),
    (
        story(section("hall", ("asks", "exit"), ("Asks!", "exit")), EXIT),
        "similar-criteria",
        "“Hall”, decision 2 “Asks!”",
    ),
    (story(section("hall", (" ", "exit")), EXIT), "no-criteria", "“Hall”, decision 1"),
    (story(HALL, EXIT, section("vault", ("on", "exit"), section_name="Hall")), "same-section-name", "“Hall”"),
    (story(HALL, EXIT, section("vault", ("on", "exit"), section_name="hall.")), "similar-name", "“hall.”"),
    (story(HALL, VAULT, EXIT, FIRE, trigger("f2", trigger_name="FIRE ")), "similar-name", "Trigger “FIRE”"),
    (story(section("hall", section_name="")), "no-name", "“hall”"),
    (story(HALL, VAULT, EXIT, trigger("fire", "exit", trigger_name=None)), "no-name", "Trigger “fire”"),
    (story(section("hall", objective=" \n")), "empty-objective", "“Hall”"),
    (story(section("hall", ("goes", "hall")), EXIT, FIRE), "trigger-only", "“Hall”"),
    (
        story(section("hall", ("goes", "hall"), overrides=[("fire", "exit")]), EXIT, trigger("fire")),
        "trigger-only",
        "“Hall”",
    ),
    (story(HALL, VAULT, EXIT, trigger("fire")), "unconnected-trigger", "Trigger “Fire”"),
    (story(HALL, VAULT, EXIT, trigger("fire", "exit", trigger_message="")), "empty-message", "Trigger “Fire”"),
    (
        replace(
            story(section("hall", ("on", "lost"))),
            unreadable=(Unreadable(kind="section", where="/1", reason="section_id: missing", raw={}),),
        ),
        "unreadable-target",
        "“Hall”, decision 1 “on”",
    ),
    (story(section("hall", objective="Greet {PlayerName}.")), "template-key", "“Hall”"),
    (story(section("hall", ("asks {PlayerName}", "exit")), EXIT), "template-key", "“Hall”"),
    (story(HALL, VAULT, section("exit", parents=["vault", "hall"])), "stored-parents", "“Exit”"),
    (
        story(HALL, section("vault", ("on", "exit"), parents=["exit"]), section("exit", parents=None)),
        "stored-parents",
        "“Vault”",
    ),
]


@pytest.mark.parametrize(("over", "rule", "place"), CASES, ids=[f"{n}-{case[1]}" for n, case in enumerate(CASES)])
def test_what_a_rule_finds(over: Story, rule: str, place: str) -> None:
    assert (rule, place) in found(over)
    assert rule not in {other for other, _ in found(CLEAN)}
    outlined = outline(over.graph())
    finding = next(f for f in lint(over) if (f.rule.id, where(over.graph(), f.place)) == (rule, place))
    assert any(outlined.find(node) is not None for node in finding.place.nodes)


def test_every_rule_is_found_by_some_test() -> None:
    elsewhere = {"undeclared-key", "no-moderation", "ending"}
    assert {rule for _, rule, _ in CASES} | elsewhere == set(RULES)
    assert all(rule.why.endswith(".") for rule in RULES.values())
    severities = [list(Severity).index(rule.severity) for rule in RULES.values()]
    assert severities == sorted(severities)


@pytest.mark.parametrize(
    ("over", "rule"),
    [
        (story(HALL, VAULT, EXIT, start=None, on=False), "no-start"),
        (story(HALL, VAULT, EXIT, start=None, on=None), "no-start"),
        # Out of a circle: by a decision that runs, however late it is tried.
        (story(section("hall", ("stays", "hall"), ("goes", "exit")), EXIT), "loop"),
        (story(section("hall", ("asks", "exit"), ("*", "hall")), EXIT), "automatic-loop"),
        (story(HALL, VAULT, EXIT, trigger("fire")), "unreachable"),
        (story(section("hall", overrides=[("fire", "exit")]), EXIT, trigger("fire")), "unconnected-trigger"),
        (story(section("hall", parents=None), start="hall"), "stored-parents"),
        (story(section("hall", ("goes", "hall"), parents=["hall"])), "stored-parents"),
        (story(section("hall", objective="<speak>Hello</speak> a < b")), "unclosed-speak"),
        (story(section("hall", ("*", "exit"), ("*", "exit")), EXIT), "after-star"),  # which is told as a twin
        (story(section("hall", objective="Say {}, { this } and {\n}.")), "template-key"),
    ],
)
def test_what_no_rule_is_about(over: Story, rule: str) -> None:
    assert rule not in {other for other, _ in found(over)}


def test_a_trigger_that_is_kept_inside_leads_nobody_out_of_a_circle() -> None:
    hall = section("hall", ("waits", "vault"), overrides=[("fire", "vault")])
    inside = section("vault", ("back", "hall"), overrides=[("fire", "hall")])
    assert ("loop", "“Hall”") in found(story(hall, inside, EXIT, FIRE))
    assert ("trigger-only", "“Hall”") in found(story(hall, VAULT, EXIT, FIRE))


def test_a_key_is_told_once_unless_the_keys_are_declared() -> None:
    over = story(
        section("hall", ("{Name} asks", "exit"), objective="Greet {Name}, {Title}."),
        section("exit", objective="Thank {name}."),
        trigger("fire", "exit", trigger_message="{Name} lit it."),
    )
    graph = over.graph()
    assert [in_words(graph, f) for f in lint(over) if f.rule.id == "template-key"] == [
        "“Hall” uses {Name} (also in 1 other place)",
        "“Hall” uses {Title}",
        "“Exit” uses {name}",
    ]
    assert "template-key" not in {rule for rule, _ in found(over, keys=())}
    undeclared = [f for f in lint(over, keys=["Name"]) if f.rule.id == "undeclared-key"]
    assert [(f.place.owner, f.fix.words if f.fix else None) for f in undeclared] == [
        ("hall", None),
        ("exit", "change the key to {Name}"),
    ]
    fixed = fix_all(over, partial(lint, keys=["Name"]))[0]
    assert fixed.sections["exit"].objective == "Thank {Name}."


def test_moderation_matters_while_the_graph_is_followed() -> None:
    [finding] = [f for f in lint(CLEAN, record=character(moderated=False)) if f.rule.id == "no-moderation"]
    assert finding.fix is not None
    assert any(outline(CLEAN.graph()).find(node) is not None for node in finding.place.nodes)
    assert not finding.fix.safe
    switched = finding.fix.apply(CLEAN)
    assert switched.enabled is False
    assert ("no-moderation", "The story") not in found(switched, record=character(moderated=False))
    for record in (None, character(moderated=None), character()):
        assert ("no-moderation", "The story") not in found(CLEAN, record=record)


def test_parents_of_a_story_that_is_being_written_are_not_held_against_it() -> None:
    stored = story(HALL, VAULT, section("exit", parents=["hall"]))
    written = stored.with_section("vault", decisions=HALL.decisions)
    assert [rule for rule, _ in found(written) if rule == "stored-parents"] == ["stored-parents"]
    assert "stored-parents" not in {rule for rule, _ in found(written, stored=stored)}


# -- order, and what is left out --------------------------------------------------------------------------------------


def test_errors_come_first_and_each_as_one_reads() -> None:
    over = story(
        section("exit", ("on", "gone"), objective=""),
        section("vault", ("back", "hall"), ("out", "gone"), objective=""),
        section("hall", ("in", "vault"), ("out", "gone"), ("out", "exit")),
    )
    assert found(over) == [
        ("dangling-decision", "“Hall”, decision 2 “out”"),
        ("dangling-decision", "“Vault”, decision 2 “out”"),
        ("dangling-decision", "“Exit”, decision 1 “on”"),
        ("same-criteria", "“Hall”, decision 3 “out”"),
        ("empty-objective", "“Vault”"),
        ("empty-objective", "“Exit”"),
    ]


def test_a_rule_can_be_switched_off() -> None:
    off, problems = switched_off({"ending": "It ends here.", "dangling-stat": "x"})
    assert (off, len(problems)) == ({"ending": "It ends here."}, 1)
    assert problems[0].startswith("Unknown rule “dangling-stat”. Did you mean “dangling-start”?")
    assert lint(CLEAN, off=off) == ()


# -- putting right ----------------------------------------------------------------------------------------------------


def fixed_by(over: Story, rule: str, **options: Any) -> Story:
    """The story after the first fix of a rule; the rule has nothing to say about that place any more."""
    finding = next(f for f in lint(over, **options) if f.rule.id == rule and f.fix is not None)
    assert finding.fix is not None
    after = finding.fix.apply(over)
    assert after != over
    assert (finding.rule, finding.place) not in [(f.rule, f.place) for f in lint(after, **options)]
    # What was put right is not put right again.
    assert finding.fix.apply(after) is after
    return after


def decisions(over: Story, section_id: str) -> list[tuple[str, str]]:
    return [(way.criteria, way.next_section_id) for way in over.sections[section_id].decisions or ()]


@pytest.mark.parametrize("start", [None, "gone"])
def test_a_story_is_started_with_its_first_section(start: str | None) -> None:
    over = story(HALL, VAULT, EXIT, start=start)
    assert fixed_by(over, "dangling-start" if start else "no-start").start == "hall"
    assert all(f.fix is None for f in lint(over, embedded=False) if f.rule.severity is Severity.ERROR)


def test_what_leads_nowhere_is_said_to_be_an_ending() -> None:
    over = story(section("hall", decisions=None))
    after = fixed_by(over, "dead-end")
    assert after.sections["hall"].decisions == ()
    assert found(after) == [("ending", "“Hall”")]
    # Nobody says that for the author.
    assert fix_all(over, lint) == (over, ())


def test_a_decision_that_leads_to_nothing_is_removed() -> None:
    over = story(section("hall", ("b", "exit"), ("a", "gone")), EXIT)
    assert decisions(fixed_by(over, "dangling-decision"), "hall") == [("b", "exit")]
    twins = story(section("hall", ("a", "gone"), ("b", "exit"), ("a", "gone")), EXIT)
    for broken in (over, twins):
        assert decisions(fix_all(broken, lint)[0], "hall") == [("b", "exit")]


def test_a_trigger_that_leads_to_nothing_is_disconnected() -> None:
    assert (
        fixed_by(story(EXIT, trigger("fire", "gone"), start="exit"), "dangling-trigger")
        .triggers["fire"]
        .destination_section
        is None
    )


@pytest.mark.parametrize(
    ("overrides", "left"),
    [
        ([("fire", "gone")], []),
        ([("fire", "gone"), ("rain", "exit")], [("rain", "exit")]),
        ([("fire", "gone"), ("fire", "exit")], [("fire", "exit")]),
        ([("ghost", "exit"), ("rain", "exit")], [("rain", "exit")]),
        ([("ghost", "gone")], []),
    ],
)
def test_an_override_without_effect_is_removed(overrides: list[tuple[str, str]], left: list[tuple[str, str]]) -> None:
    over = story(section("hall", overrides=overrides), EXIT, FIRE, trigger("rain", "exit"))
    after = fix_all(over, lint)[0]
    assert [(o.trigger_id, o.destination_section) for o in after.sections["hall"].triggers or ()] == left
    assert fix_all(over, partial(lint, embedded=False))[0] == over


@pytest.mark.parametrize(
    ("ways", "ordered"),
    [
        ([("*", "exit"), ("asks", "vault")], ["asks", "*"]),
        ([("a", "exit", 5), ("*", "exit", 1), ("b", "vault", 3), ("c", "hall")], ["b", "a", "c", "*"]),
    ],
)
def test_what_is_always_met_is_tried_last(ways: list[Any], ordered: list[str]) -> None:
    over = story(section("hall", *ways), VAULT, EXIT)
    after = fixed_by(over, "after-star")
    assert [edge.criteria for edge in after.graph().edges["hall"]] == ordered
    assert not any(edge.never_runs for edge in after.graph().edges["hall"])


def test_twins_are_removed_but_for_the_one_that_is_tried_first() -> None:
    over = story(section("hall", ("a", "exit"), ("b", "exit"), ("a", "exit"), ("a", "exit")), EXIT)
    assert decisions(fix_all(over, lint)[0], "hall") == [("a", "exit"), ("b", "exit")]


def test_what_is_said_word_for_word_is_closed() -> None:
    over = story(section("hall", objective="<speak>Hello", decisions=None))
    assert fixed_by(over, "unclosed-speak").sections["hall"].objective == "<speak>Hello</speak>"
    twice = story(section("hall", objective="<speak>Hello <speak>you"))
    assert [f.fix for f in lint(twice) if f.rule.id == "unclosed-speak"] == [None]


def test_a_section_is_deleted_only_when_it_is_asked_for_and_leaves_nothing_dangling() -> None:
    over = story(
        section("hall", ("*", "exit"), ("late", "attic"), overrides=[("ghost", "attic")]),
        EXIT,
        section("attic"),
        section("roof", ("down", "attic"), ("out", "exit")),
    )
    assert "attic" in fix_all(over, partial(lint, off=["after-star"]))[0].sections
    after = fixed_by(over, "unreachable")
    assert list(after.sections) == ["hall", "exit", "roof"]
    assert after.graph().dangling == ()
    assert decisions(after, "roof") == [("out", "exit")]


def test_what_a_story_says_cannot_speak_to_the_terminal() -> None:
    bad = "a\x1b]0;x\x07\u202e[/b]\n" * 40
    over = story(
        section(bad, (bad, bad), (bad, "gone\x1b"), section_name=bad, objective=f"{{{bad}}}", overrides=[(bad, bad)]),
        trigger("fire", bad, trigger_name=bad),
        trigger("rain", bad, trigger_name=bad.upper(), trigger_message="<speak>"),
        start=bad + "x",
    )
    told = [in_words(over.graph(), finding) for finding in lint(over)]
    assert len(told) > 5
    assert [words for words in told if not is_plain(words) or len(words) > 250] == []


# -- any story at all -------------------------------------------------------------------------------------------------


def as_story(over: graphs.Story) -> Story:
    return Story.of(character(start=over.start), over.sections, over.triggers)


def graver(findings: Sequence[Finding]) -> int:
    return sum(finding.rule.severity is Severity.ERROR for finding in findings)


@given(graphs.stories(largest=60))
def test_any_story_is_looked_over_and_put_right(given_story: graphs.Story) -> None:
    over = as_story(given_story)
    findings = lint(over)
    graph = over.graph()
    outlined = outline(graph)
    for finding in findings:
        assert in_words(graph, finding)
        assert any(outlined.find(node) is not None for node in finding.place.nodes), finding
    # The tree marks the same triggers as not connected.
    idle = {node.trigger for node in outlined.nodes if (node.kind, node.destination) == (Kind.TRIGGER, Kind.NO_TARGET)}
    assert {f.place.owner for f in findings if f.rule.id == "unconnected-trigger"} == idle
    assert len({(f.rule.id, f.place) for f in findings if f.rule.id != "template-key"}) == len(
        [f for f in findings if f.rule.id != "template-key"]
    )
    fixed, done = fix_all(over, lint)
    assert (fixed is over) == (not done)
    again = lint(fixed)
    assert [f for f in again if f.fix is not None and f.fix.safe] == []
    # Every target exists, but for the start of a story without a section.
    assert fixed.graph().dangling == () or not fixed.sections
    assert {f.rule.id for f in again if f.rule.severity is Severity.ERROR} <= {
        "duplicate-id",
        "automatic-loop",
        "no-start",
        *(() if fixed.sections else ("dangling-start",)),
    }


@given(graphs.stories(largest=12))
def test_no_fix_makes_an_error(given_story: graphs.Story) -> None:
    over = as_story(given_story)
    before, twins = lint(over), {section.section_id for section in over.other_sections}
    for finding in before:
        # What never ran may lead round in haste, and what hid behind a record of the same id comes to light.
        if finding.fix is not None and finding.rule.id != "after-star" and finding.place.owner not in twins:
            assert graver(lint(finding.fix.apply(over))) <= graver(before), finding


class Counted(tuple[Edge, ...]):
    """Counts how often an edge of it is looked at."""

    looks = 0

    def __getitem__(self, index: Any) -> Any:
        Counted.looks += 1
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Edge]:
        for index in range(len(self)):
            yield self[index]


def test_naming_every_decision_of_a_large_section_takes_a_look_or_two_each() -> None:
    graph = story(section("hall", *((f"asks for {n}", "hall") for n in range(1000)))).graph()
    counted = replace(graph, edges={"hall": Counted(graph.edges["hall"])})
    places = [Place(PlaceKind.DECISION, "hall", n) for n in range(1000)]
    assert [where(counted, place) for place in places][::333] == [
        f"“Hall”, decision {n + 1} “asks for {n}”" for n in range(0, 1000, 333)
    ]
    assert Counted.looks <= 3 * len(places)


def test_a_decision_is_named_by_the_order_in_which_it_is_tried() -> None:
    graph = story(section("hall", ("last", "hall"), ("first", "hall", 1), ("second", "hall", 2))).graph()
    named = [where(graph, Place(PlaceKind.DECISION, "hall", n)) for n in range(4)]
    assert named == [
        "“Hall”, decision 3 “last”",
        "“Hall”, decision 1 “first”",
        "“Hall”, decision 2 “second”",
        "“Hall”, a decision",
    ]
