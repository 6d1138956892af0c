"""What is looked for in a narrative graph, and what is found: where, what, and how it can be fixed.

Errors are what leads to nothing, cannot work, or is said wrongly; warnings what is hardly meant so; notes what may well
be meant, and is worth a look (decisions 36, 39, 40 and 65).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from chartui.core.lint import Rule, Severity
from chartui.core.tables import nearest
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Circles, Edge, Graph
    from chartui.core.narrative.story import Story
    from chartui.core.spec.models.characters import Character

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_RULES: Final = (
    Rule("no-start", _E, "The character follows its graph, and nobody said where that begins."),
    Rule("dangling-start", _E, "The section that the story starts with was removed, or never made."),
    Rule("dangling-decision", _E, "A decision that leads to no section leaves the story where it is, or breaks it."),
    Rule("dangling-trigger", _E, "A trigger that leads to no section does nothing when it is fired."),
    Rule("dangling-override", _E, "While this section runs, the trigger leads to a section that is not there."),
    Rule("unknown-trigger", _E, "An override of a trigger that is not there never has any effect."),
    Rule("endless-haste", _E, "Each of these sections moves on at once, so that nobody ever gets a word in."),
    Rule("unclosed-speak", _E, "What is to be said word for word has no end, or an end without a beginning."),
    Rule("undeclared-key", _E, "The application fills only the keys that are declared; this one is said as it stands."),
    Rule("same-trigger-name", _E, "Applications fire triggers by their names, so that each must have one of its own."),
    Rule("duplicate-id", _E, "Of records that share an id only the first can be reached, changed or removed."),
    Rule("unreachable", _W, "No decision, trigger or override leads here from anything that is ever reached."),
    Rule("loop", _W, "Whoever comes here goes round for ever: no decision and no trigger leads out."),
    Rule("dead-end", _W, "It has no list of decisions at all: nobody has decided what comes next."),
    Rule("after-star", _W, "The criteria * are always met, so that decisions behind them are never looked at."),
    Rule("same-decision", _W, "The same decision stands there already; one of the two is enough."),
    Rule("same-criteria", _W, "Two decisions wait for the same and lead elsewhere: only the first is ever taken."),
    Rule(
        "similar-criteria", _W, "Criteria that differ in case, blanks and punctuation only are met by the same words."
    ),
    Rule("no-criteria", _W, "Without criteria nobody can tell when the decision is to be taken."),
    Rule(
        "same-section-name", _W, "Sections of one name are mistaken for one another, and files cannot tell them apart."
    ),
    Rule("similar-name", _W, "Names that differ in case, blanks and punctuation only are mistaken easily."),
    Rule("no-name", _W, "What has no name can be told from others by its id alone."),
    Rule("empty-objective", _W, "Without an objective the character does not know what the section is for."),
    Rule("no-moderation", _W, "A character that follows a graph is meant to be moderated; this one is not."),
    Rule("trigger-only", _N, "No decision leads out of this loop; whoever is in it has to wait for a trigger."),
    Rule("ending", _N, "It has an empty list of decisions: the story ends here."),
    Rule(
        "unreadable-target",
        _N,
        "The target was not found, but may be in the part of the answer that could not be read.",
    ),
    Rule("unconnected-trigger", _N, "Neither the trigger itself nor an override of it leads anywhere."),
    Rule("empty-message", _N, "The message usually tells the character what has happened."),
    Rule("template-key", _N, "The application that the character talks in must fill it, or it is said as it stands."),
    Rule("stored-parents", _N, "The service says otherwise who leads here than the decisions do; the decisions count."),
)
#: Every rule by its id, the gravest first.
RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.id: rule for rule in _RULES})


def switched_off(asked: Mapping[str, str]) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """The rules that are not to be looked at, with the reason for each; and what is wrong with what was asked.

    Each of the latter is a sentence that names the rule and what may have been meant.
    """
    unknown = tuple(f"there is no rule '{name}'{nearest(name, RULES)}." for name in asked if name not in RULES)
    return {name: why for name, why in asked.items() if name in RULES}, unknown


# -- what is found ----------------------------------------------------------------------------------------------------


#: Names and criteria are cut to this many characters in a sentence.
_SHORT: Final = 40
#: As much of an id as tells it from others.
SHORT_ID: Final = 9


class PlaceKind(StrEnum):
    """What a finding is about."""

    STORY = "story"  # where it starts, and whether it is followed
    SECTION = "section"
    DECISION = "decision"
    OVERRIDE = "override"
    TRIGGER = "trigger"
    SAME_SECTION = "same-section"  # a section that shares its id with an earlier one
    SAME_TRIGGER = "same-trigger"


class Place(NamedTuple):
    """Where something was found: ``owner`` is the id of the section or trigger; of the story that of its start, if any.

    ``position`` is the place of a decision or override in the stored array, or of a record among those that share their
    id with an earlier one, counted from 0; 0 for all others.
    """

    kind: PlaceKind
    owner: str = ""
    position: int = 0

    @property
    def nodes(self) -> tuple[str, ...]:
        """Ids of nodes of the outline that show it, the closest first; not all of them need be there.

        What a decision or an override leads to may be expanded in its place; its section is the next best then.
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


#: What makes a finding the same one in a story that was checked again: its rule, its place, its message.
FindingKey: TypeAlias = tuple[str, Place, str]


class Fix(NamedTuple):
    """How a thing is put right, in words, and as a change of the story.

    ``apply`` may be given a story that has changed since, and leaves it as it is where there is nothing left to put
    right. Only what is ``safe`` is done without being asked for by itself: nothing that somebody wrote is lost, and
    nobody else would do it otherwise.
    """

    words: str
    apply: Callable[[Story], Story]
    safe: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule found. ``message`` goes on where :func:`where` ends: ``“Welcome”`` · ``has no objective``."""

    rule: Rule
    place: Place
    message: str
    fix: Fix | None = None

    @property
    def key(self) -> FindingKey:
        return self.rule.id, self.place, self.message


def quoted(text: str) -> str:
    return f"“{single_line(text, limit=_SHORT)}”"


def where(graph: Graph, place: Place) -> str:
    """A place in words, by the names that people know it by."""
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
    """A decision by its number in the order they are tried, as people count, and by its criteria."""
    for number, edge in enumerate(graph.edges.get(place.owner, ()), 1):
        if edge.position == place.position:
            return f"decision {number} {quoted(edge.criteria)}" if edge.criteria.strip() else f"decision {number}"
    return "a decision"


def in_words(graph: Graph, finding: Finding) -> str:
    """A finding as a sentence that names its place; ``graph`` is that of the story it was found in."""
    return f"{where(graph, finding.place)} {finding.message}"


# -- looking ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A story as the rules see it. ``stored`` is the story as it was read, which alone is held against its parents.

    ``keys`` are the template keys that are declared, None where nobody declares any. ``embedded`` tells whether the
    start and overrides can be set (decisions 26 and 59).
    """

    story: Story
    stored: Story
    graph: Graph
    circles: Circles
    record: Character | None
    keys: Collection[str] | None
    embedded: bool

    def open_edges(self, section_id: str) -> Iterator[Edge]:
        """The decisions of a section that run and lead to a section that is, or may be, there."""
        there = self.graph.has_section
        return (
            edge for edge in self.graph.edges[section_id] if not edge.never_runs and there(edge.target) is not False
        )


#: One way to look at a story; it may find what several rules are about.
Look = Callable[[Seen], Iterator[Finding]]


def found(rule_id: str, place: Place, message: str, fix: Fix | None = None) -> Finding:
    return Finding(rule=RULES[rule_id], place=place, message=message, fix=fix)
