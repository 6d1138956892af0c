"""Narrative sections and triggers (C 2.3, 2.4, 4.4 to 4.13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from chartui.core.jsontext import Wire
from chartui.core.spec.shape import Described, Odd, Record, answer

#: The type of members that are kept unchanged (decision 34).
_POSITION = Described({"anyOf": [{"items": {}, "type": "array"}, {"type": "null"}]})


@answer(odd=Odd(element="decision", sent_back=True, either=("criteria", "next_section_id"), empty=True))
class Decision(Record):
    """A decision of a section. If ``criteria`` is met, the story moves to the decision's target."""

    criteria: str
    next_section_id: str
    priority: int | None = None


@answer(odd=Odd(element="override", alone="trigger_id"))
class Override(Record):
    """A section's own target for a trigger, used while the section is running (decision 33)."""

    trigger_id: str
    destination_section: str | None = None


@answer(odd=Odd(element="section", alone="section_id"))
class Section(Record):
    """A section of a narrative graph (C 2.3)."""

    section_id: str
    character_id: str | None = None
    section_name: str | None = None
    objective: str | None = None
    decisions: Sequence[Decision] | None = None
    parents: Sequence[str] | None = None
    triggers: Sequence[Override] | None = None
    updated_character_data: Wire = None
    bt_constants: Wire = None
    behavior_tree_code: Wire = None
    node_position: Annotated[Wire, _POSITION] = None


@answer(odd=Odd(element="trigger", alone="trigger_id"))
class Trigger(Record):
    """A named event that can move the story to a section when it fires (C 2.4)."""

    trigger_id: str
    character_id: str | None = None
    trigger_name: str | None = None
    trigger_message: str | None = None
    destination_section: str | None = None
    node_position: Annotated[Wire, _POSITION] = None


@answer()
class SectionCreated(Record):
    """The ID of a new section (C 4.4)."""

    section_id: str


@answer()
class SectionEdited(Record):
    """The response to a request to edit a section. It contains the section's ID and the changes (C 4.5)."""

    status: str | None = None
    section_id: str | None = None
    updated_data: Mapping[str, Wire] | None = None


def counting(overrides: Iterable[tuple[str, str | None]]) -> dict[str, int]:
    """Return a mapping from trigger IDs to the position of the override that takes effect.

    ``overrides`` contains a trigger ID and a destination for every override of a section. If there are several
    overrides for a trigger, the first one with a destination takes effect (decision 33).
    """
    # The specification does not define which override is effective. The rule is the same as for decisions and for
    # records that share an ID.
    found: dict[str, int] = {}
    for position, (trigger_id, destination) in enumerate(overrides):
        if destination:
            found.setdefault(trigger_id, position)
    return found
