"""What a rule finds: where, what, and how it can be put right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from chartui.core.lint import Rule
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph
    from chartui.core.narrative.story import Story

__all__ = ["SHORT_ID", "Finding", "FindingKey", "Fix", "Place", "PlaceKind", "in_words", "quoted", "where"]

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
        """What makes it the same finding in a story that was looked over again."""
        return self.rule.id, self.place, self.message


def quoted(text: str) -> str:
    """A name or criteria as a sentence mentions it."""
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
