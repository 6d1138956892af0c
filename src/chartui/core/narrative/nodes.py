"""The nodes of a narrative outline: what they show, and what they are called."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

__all__ = [
    "GROUP_TITLES",
    "MAY_BE_REACHED",
    "UNKNOWN_START_TITLES",
    "Group",
    "Kind",
    "Link",
    "Node",
    "decision_node",
    "override_node",
    "section_node",
    "trigger_node",
]


class Kind(StrEnum):
    """What a node shows."""

    GROUP = "group"  # a heading
    SECTION = "section"  # a section, expanded here and nowhere else
    REFERENCE = "reference"  # a section that is expanded at another place
    MISSING = "missing"  # an id that no section has
    NOWHERE = "nowhere"  # an override without a destination
    TRIGGER = "trigger"  # a trigger; ``Node.destination`` tells what it leads to
    DUPLICATE = "duplicate"  # a section or trigger sharing its id with an earlier one
    DANGLING = "dangling"  # one more mention of a reference to an unknown id


class Link(StrEnum):
    """How the parent leads to a node."""

    NONE = "none"  # a member of a heading, or the top
    START = "start"  # the story starts here
    DECISION = "decision"
    OVERRIDE = "override"  # a trigger that leads elsewhere while the parent runs
    TRIGGER = "trigger"  # the trigger of the parent node


class Group(StrEnum):
    """The headings. ``NO_START`` stands in for the start section where none is set."""

    NO_START = "no-start"
    TRIGGERS = "triggers"
    UNCONNECTED = "unconnected"
    UNREACHABLE = "unreachable"
    DANGLING = "dangling"
    DUPLICATES = "duplicates"


GROUP_TITLES: Final = {
    Group.NO_START: "No start section is set",
    Group.TRIGGERS: "Triggers",
    Group.UNCONNECTED: "Unconnected triggers",
    Group.UNREACHABLE: "Unreachable",
    Group.DANGLING: "Dangling references",
    Group.DUPLICATES: "Duplicate ids",
}


#: The same while it is not known where the story starts.
UNKNOWN_START_TITLES: Final = {
    **GROUP_TITLES,
    Group.NO_START: "Start section unknown",
    Group.UNREACHABLE: "No trigger leads here",
}


#: Said of sections that nothing leads to while something that may lead to them could not be read (decision 69).
MAY_BE_REACHED: Final = "Not reached by the readable part"


class Node(NamedTuple):
    """One line of the outline.

    ``id`` depends on what the node stands for and not on where it is: the id of a section, or the place of a decision
    among those of its section; it survives a refresh and may be kept as cursor or fold state. ``label`` says how the
    parent leads here (the criteria of a decision, the name of a trigger), ``title`` what is here (the name of a
    section, a missing id, a heading), both as stored: clean them where they are shown. ``section`` and ``trigger`` are
    ids, ``position`` the place of the decision or override in its stored array. ``never_runs`` marks a decision behind
    an immediate one, and an override of an unknown trigger. ``destination`` is what a trigger leads to.

    Nodes are in reading order: ``place`` is a node's own place, ``parent`` that of its parent (-1 at the top), and its
    descendants are the nodes from ``place + 1`` up to, not including, ``end``. ``last`` is true for the last child,
    ``ways`` is the number of children.
    """

    id: str
    kind: Kind
    link: Link
    label: str
    title: str
    section: str | None
    trigger: str | None
    position: int | None
    never_runs: bool
    destination: Kind | None
    place: int
    end: int
    parent: int
    depth: int
    last: bool
    ways: int

    @property
    def foldable(self) -> bool:
        """True when there is something below."""
        return self.ways > 0

    @property
    def size(self) -> int:
        """How many nodes there are below, at any depth."""
        return self.end - self.place - 1


def section_node(section_id: str) -> str:
    """The id of the node where a section is expanded."""
    return f"section/{section_id}"


def trigger_node(trigger_id: str) -> str:
    """The id of the node of a trigger."""
    return f"trigger/{trigger_id}"


def decision_node(position: int, owner: str) -> str:
    """The id of the node of a decision that is no section's; ``owner`` is the node it stands below."""
    return f"decision/{position}/{owner}"


def override_node(position: int, owner: str) -> str:
    """The id of the node of an override that is no section's."""
    return f"override/{position}/{owner}"
