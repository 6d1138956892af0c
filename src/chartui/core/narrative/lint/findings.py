"""The lint rules for narrative graphs, and the findings that they report.

Errors break the story. Warnings point to probable mistakes. Notes point to things that may be intentional (decisions
36, 39, 40 and 65).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from enum import StrEnum
from itertools import chain
from types import MappingProxyType
from typing import Final, TypeAlias

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.lint import Rule, Severity
from chartui.core.naming import unknown as unknown_name
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.loops import Loops
from chartui.core.narrative.signs import DANGLING, ENDING, START, UNREACHABLE
from chartui.core.narrative.story import Story
from chartui.core.spec.models.characters import Character
from chartui.core.text import single_line

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_RULES: Final = (
    Rule("no-start", _E, "The character follows its graph, but the graph has no start."),
    Rule("dangling-start", _E, "The section set as the start does not exist."),
    Rule("dangling-decision", _E, "Taking this decision stops or breaks the story."),
    Rule("dangling-trigger", _E, "A trigger whose target is missing does nothing when it fires."),
    Rule("dangling-override", _E, "In this section, the trigger does nothing when it fires."),
    Rule("unknown-trigger", _E, "An override of a missing trigger has no effect."),
    Rule("automatic-loop", _E, "The sections of this loop follow one another automatically, without end."),
    Rule("unclosed-speak", _E, "Without matching tags, it is unclear which words are spoken."),
    Rule("undeclared-key", _E, "The application fills in declared keys only. Other keys are spoken literally."),
    Rule("same-trigger-name", _E, "Applications fire triggers by name, so each name must be unique."),
    Rule("duplicate-id", _E, "If sections or triggers share an ID, only the first can be reached or changed."),
    Rule("unreachable", _W, "No reachable decision, trigger or override goes to this section."),
    Rule("loop", _W, "No decision or trigger leaves the loop, so the story never ends."),
    Rule("dead-end", _W, "The section has no decisions and is not marked as an ending."),
    Rule("after-star", _W, "The catch-all * always applies, so decisions after it are never taken."),
    Rule("same-decision", _W, "An identical second decision has no effect."),
    Rule("same-criteria", _W, "Of two decisions with the same criteria, only the first is ever taken."),
    Rule("similar-criteria", _W, "Criteria that differ only in case, spaces or punctuation match the same words."),
    Rule("no-criteria", _W, "Without criteria, it is unclear when to take the decision."),
    Rule("same-section-name", _W, "Sections with the same name are easily confused, for example in imports and walks."),
    Rule("similar-name", _W, "Names that differ only in case, spaces or punctuation are easily confused."),
    Rule("no-name", _W, "Without a name, a section or trigger is identified only by its ID."),
    Rule("empty-objective", _W, "Without an objective, the character has nothing to say or do in the section."),
    Rule("no-moderation", _W, "Moderation should be on for a character that follows a graph."),
    Rule("trigger-only", _N, "Only a trigger leaves the loop; no decision does."),
    Rule("ending", _N, "The section is marked as an ending. Check that the story should end here."),
    Rule("unreadable-target", _N, "The target may be in a part of the response that could not be read."),
    Rule("unconnected-trigger", _N, "Neither the trigger nor any of its overrides has a target."),
    Rule("empty-message", _N, "Without a message, the character does not learn what has happened."),
    Rule("template-key", _N, "Your application must fill in this placeholder. Otherwise, it is spoken literally."),
    Rule(
        "stored-parents",
        _N,
        "The parents returned by the service do not match the decisions. chartui uses the decisions.",
    ),
)
#: Every rule by its ID, errors first.
RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.id: rule for rule in _RULES})
#: The signs of rules about a state that the tree and the map mark too.
_SIGNS: Final = {
    "no-start": START,
    **dict.fromkeys(("dangling-start", "dangling-decision", "dangling-trigger", "dangling-override"), DANGLING),
    "unknown-trigger": DANGLING,
    "unreachable": UNREACHABLE,
    "ending": ENDING,
}


def switched_off(asked: Mapping[str, str]) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Return the disabled rules with the reasons, and an error message for each unknown rule.

    ``asked`` contains the rules to disable. An error message suggests the rule with the most similar name.
    """
    unknown = tuple(unknown_name("rule", name, RULES) for name in asked if name not in RULES)
    return {name: why for name, why in asked.items() if name in RULES}, unknown


#: Names and criteria are cut to this many characters in a sentence.
_SHORT: Final = 40
#: Characters of an ID that are enough to distinguish it.
SHORT_ID: Final = 9


class PlaceKind(StrEnum):
    STORY = "story"  # its start, and whether the character follows it
    SECTION = "section"
    DECISION = "decision"
    OVERRIDE = "override"
    TRIGGER = "trigger"
    SAME_SECTION = "same-section"  # a section that shares its ID with an earlier one
    SAME_TRIGGER = "same-trigger"


class Place(NamedTuple):
    """The place in the story that a finding is about.

    ``owner`` is the ID of the section or trigger. If the finding is about the story itself, ``owner`` is the ID of the
    start section, if any.

    ``position`` is the index of a decision or override in the stored array, or the index of a duplicate section or
    trigger among all duplicates. Otherwise, it is 0.
    """

    kind: PlaceKind
    owner: str = ""
    position: int = 0

    @property
    def nodes(self) -> tuple[str, ...]:
        """The IDs of outline nodes that can show the place of a finding, most specific first.

        Some of these nodes may not exist. For example, a decision or override has no node of its own if the outline
        shows the target section in its place. Therefore, the node of the section that contains the decision or override
        is listed too.
        """
        section = f"section/{self.owner}"
        match self.kind:
            case PlaceKind.STORY:
                return "start", section, "group/no-start"
            case PlaceKind.SECTION:
                return (section,)
            case PlaceKind.DECISION | PlaceKind.OVERRIDE:
                return f"{self.kind}/{self.position}/{section}", section
            case PlaceKind.TRIGGER:
                return (f"trigger/{self.owner}",)
            case PlaceKind.SAME_SECTION:
                return f"duplicate-section/{self.position}/{self.owner}", section
            case PlaceKind.SAME_TRIGGER:
                return f"duplicate-trigger/{self.position}/{self.owner}", f"trigger/{self.owner}"


#: The rule, place and message of a finding. Together, they identify it across checks.
FindingKey: TypeAlias = tuple[str, Place, str]


class Fix(NamedTuple):
    """A fix, with its description and the function that applies it to a story.

    ``apply`` also accepts a later version of the story, and returns the story unchanged if there is nothing left to
    fix. Only ``safe`` fixes are applied by :func:`fix_all`. A safe fix removes nothing that an author wrote, and is the
    only sensible fix for the problem.
    """

    words: str
    apply: Callable[[Story], Story]
    safe: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A problem in a story.

    ``message`` continues the phrase that :func:`where` returns. For example, ``“Welcome”`` is followed by ``has no
    objective``.
    """

    rule: Rule
    place: Place
    message: str
    fix: Fix | None = None

    @property
    def key(self) -> FindingKey:
        return self.rule.id, self.place, self.message

    @property
    def sign(self) -> str:
        """The symbol that marks this problem in the outline and on the map, or an empty string if it has no symbol."""
        return _SIGNS.get(self.rule.id, "")


def quoted(text: str) -> str:
    return f"“{single_line(text, limit=_SHORT)}”"


def where(graph: Graph, place: Place) -> str:
    """Return a phrase that names a place in the story, such as ``“Hall”, decision 2 “asks”``, for use in messages."""
    match place.kind:
        case PlaceKind.STORY:
            return "The story"
        case PlaceKind.SECTION:
            return quoted(graph.section_name(place.owner))
        case PlaceKind.DECISION:
            return f"{quoted(graph.section_name(place.owner))}, {_decision(graph, place)}"
        case PlaceKind.OVERRIDE:
            overrides = graph.overrides(place.owner) if place.owner in graph.sections else ()
            trigger = overrides[place.position].trigger_id if place.position < len(overrides) else ""
            known = trigger in graph.triggers
            of = quoted(graph.trigger_name(trigger)) if known else single_line(trigger, limit=SHORT_ID)
            return f"{quoted(graph.section_name(place.owner))}, override of {of}"
        case PlaceKind.TRIGGER:
            return f"Trigger {quoted(graph.trigger_name(place.owner))}"
        case PlaceKind.SAME_SECTION:
            record = graph.duplicate_sections[place.position]
            return f"Section {quoted(record.section_name or record.section_id)}"
        case PlaceKind.SAME_TRIGGER:
            other = graph.duplicate_triggers[place.position]
            return f"Trigger {quoted(other.trigger_name or other.trigger_id)}"


def _decision(graph: Graph, place: Place) -> str:
    """Describe a decision by its criteria and its number, counted from 1 in the order in which decisions are tried."""
    edges = graph.edges.get(place.owner, ())
    # Without priorities, decisions are tried in stored order, so the first guess is right.
    guess = range(place.position, min(place.position + 1, len(edges)))
    for index in chain(guess, range(len(edges))):
        if edges[index].position == place.position:
            criteria = edges[index].criteria
            return f"decision {index + 1} {quoted(criteria)}" if criteria.strip() else f"decision {index + 1}"
    return "a decision"


def in_words(graph: Graph, finding: Finding) -> str:
    return f"{where(graph, finding.place)} {finding.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The data that the lint rules check.

    ``stored`` is the story before any edits. It is used only to look up incoming decisions.
    """

    story: Story
    stored: Story
    graph: Graph
    loops: Loops
    record: Character | None
    keys: Collection[str] | None
    embedded: bool


#: A check of a story, which may report findings of several rules.
Check = Callable[[Seen], Iterator[Finding]]


def found(rule_id: str, place: Place, message: str, fix: Fix | None = None) -> Finding:
    return Finding(rule=RULES[rule_id], place=place, message=message, fix=fix)
