"""The requests of the narrative operations (C 4.4 to C 4.13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chartui.core.jsontext import Wire
from chartui.core.spec.shape import ABSENT, request


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
