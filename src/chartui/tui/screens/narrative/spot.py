"""The target of an edit: the section, decision, trigger or override at the cursor of the tree or a tab."""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from typing import Final

from chartui.core.classes import dataclass
from chartui.core.narrative.lint.findings import Place, PlaceKind
from chartui.core.narrative.nodes import Kind, Link, Node
from chartui.core.narrative.outline import Outline
from chartui.core.narrative.story import Story


class About(StrEnum):
    """The kind of a place."""

    NOTHING = "nothing"
    START = "start"
    SECTION = "section"
    DECISION = "decision"
    TRIGGER = "trigger"
    OVERRIDE = "override"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where the cursor is.

    ``section`` and ``trigger`` are those shown there, or None. ``way`` is the decision of the line, or the one that
    goes there: the section that holds it, and its index in the stored array. ``override`` is the section that holds
    an override, and the id of its trigger.
    """

    about: About = About.NOTHING
    section: str | None = None
    trigger: str | None = None
    way: tuple[str, int] | None = None
    override: tuple[str, str] | None = None


_NOWHERE: Final = Spot()
#: Paths of lines of the section tab about the decision or override under the cursor of the tree.
_WAY: Final = "way."
_PLACE: Final = re.compile(r"(decisions|triggers)\[([0-9]+)\]")


def spot_at(story: Story, outline: Outline, node: Node | None, path: str | None = None) -> Spot:
    """The place of a tree node, or of the line ``path`` of the section tab; empty for items gone in the meantime."""
    if node is None:
        return _NOWHERE
    spot = _of_node(story, outline, outline.origin(node) or node)
    return spot if path is None else _of_line(story, spot, path)


def spot_of(story: Story, place: Place) -> Spot:
    """The place of a finding in this story; empty for records that share an id, which cannot be changed one by one."""
    kind, owner, position = place
    if kind is PlaceKind.STORY:
        return _NOWHERE if owner else Spot(about=About.START)
    if kind is PlaceKind.TRIGGER:
        return Spot(about=About.TRIGGER, trigger=owner)
    path = {PlaceKind.SECTION: "", PlaceKind.DECISION: "decisions", PlaceKind.OVERRIDE: "triggers"}.get(kind)
    return _NOWHERE if path is None else _of_line(story, Spot(section=owner), f"{path}[{position}]")


def _of_node(story: Story, outline: Outline, node: Node) -> Spot:
    if node.kind is Kind.DUPLICATE or node.kind is Kind.GROUP:
        return _NOWHERE
    if node.kind is Kind.TRIGGER:
        shown = node.section if node.section in story.sections else None
        known = node.trigger in story.triggers
        return Spot(about=About.TRIGGER, trigger=node.trigger, section=shown) if known else _NOWHERE
    section = node.section if node.section in story.sections else None
    expanded = node.kind is Kind.SECTION and section is not None
    parent = outline.nodes[node.parent] if node.parent >= 0 else None
    holder = parent.section if parent is not None and parent.kind is Kind.SECTION else None
    spot = Spot(about=About.SECTION if section is not None else About.NOTHING, section=section)
    if holder not in story.sections or holder is None:
        return replace(spot, about=About.START) if node.link is Link.START and section is None else spot
    if node.link is Link.DECISION and node.position is not None:
        there = node.position < len(story.sections[holder].decisions or ())
        about = About.SECTION if expanded else About.DECISION
        return replace(spot, about=about, way=(holder, node.position)) if there else spot
    if node.link is Link.OVERRIDE and node.trigger is not None:
        about = About.SECTION if expanded else About.OVERRIDE
        return replace(spot, about=about, override=(holder, node.trigger))
    return spot


def _of_line(story: Story, spot: Spot, path: str) -> Spot:
    """The place of a line of the section tab."""
    if path in ("trigger_name", "trigger_message", "destination_section", "trigger_id"):
        return Spot(about=About.TRIGGER, trigger=spot.trigger)
    if path.startswith(_WAY):
        return replace(spot, about=About.DECISION if spot.way is not None else About.OVERRIDE)
    if spot.section is None:
        return spot
    here = Spot(about=About.SECTION, section=spot.section)
    found = _PLACE.fullmatch(path)
    if found is None:
        return here
    section, position = story.sections[spot.section], int(found[2])
    if found[1] == "decisions" and position < len(section.decisions or ()):
        return replace(here, about=About.DECISION, way=(spot.section, position))
    overrides = section.triggers or ()
    if found[1] == "triggers" and position < len(overrides):
        return replace(here, about=About.OVERRIDE, override=(spot.section, overrides[position].trigger_id))
    return here
