"""Narrative sections and triggers (C 2.3, 2.4, 4.4 to 4.13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from chartui.core.jsontext import Wire
from chartui.core.spec.shape import ABSENT, Described, Odd, Record, answer, request

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


@request()
class CharacterRequest:
    """A request that identifies a character."""

    character_id: str


@request()
class SectionRequest:
    """A request that identifies a section of a character."""

    character_id: str
    section_id: str


@request()
class TriggerRequest:
    """A request that identifies a trigger of a character."""

    character_id: str
    trigger_id: str


@request()
class CreateSection:
    """A request to create a section. Three of its fields are accepted but have no effect (decision 41)."""

    character_id: str
    objective: str
    section_name: str
    updated_character_data: Mapping[str, Wire] | str | None = None
    behavior_tree_code: Mapping[str, Wire] | str | None = None
    bt_constants: Mapping[str, Wire] | str | None = None


@request()
class DecisionChange:
    """A decision in a request to edit a section. ``priority`` is stored if it is given (decision 35)."""

    criteria: str
    next_section_id: str
    priority: int = ABSENT


@request(least=1)
class SectionChange:
    """The fields of a section that an edit can change. New decisions replace all old ones (decision 37)."""

    section_name: str = ABSENT
    objective: str = ABSENT
    decisions: Sequence[DecisionChange] = ABSENT


@request()
class EditSection:
    """A request to edit a section. The changes can be in either of two fields (decision 31)."""

    character_id: str
    section_id: str
    updated_data: SectionChange = ABSENT
    updated_character_data: SectionChange = ABSENT


@request()
class CreateTrigger:
    """A request to create a trigger. A misspelled form of ``destination_section`` is also accepted (decision 32)."""

    character_id: str
    trigger_name: str
    trigger_message: str
    destination_section: str | None = None
    desgination_section: str | None = None


@request(least=1)
class TriggerChange:
    """The fields of a trigger that can be changed. A null or empty destination removes the target (decision 40)."""

    trigger_name: str = ABSENT
    trigger_message: str = ABSENT
    destination_section: str | None = ABSENT


@request()
class UpdateTrigger:
    """A request to change a trigger (C 4.10)."""

    character_id: str
    trigger_id: str
    updated_data: TriggerChange


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
