"""What the JSON in the columns of the embedded store holds, as far as the operations rely on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from chartui.core.damage import is_object
from chartui.core.jsontext import Wire

__all__ = ["DOCUMENTS"]


def _record(value: Wire) -> bool:
    return is_object(value) and all(isinstance(value.get(name), str) for name in ("character_id", "user_id"))


def _objects_with(*members: str) -> Callable[[Wire], bool]:
    """Whether a value is null or a list of objects that have these members."""

    def fits(value: Wire) -> bool:
        if value is None:
            return True
        return isinstance(value, list) and all(is_object(item) and item.keys() >= set(members) for item in value)

    return fits


def _anything(_: Wire) -> bool:
    return True


#: Column → whether a value is one that the store writes there.
DOCUMENTS: Final[Mapping[str, Callable[[Wire], bool]]] = MappingProxyType(
    {
        "characters.record": _record,
        "sections.decisions": _objects_with("next_section_id"),
        "sections.triggers": _objects_with("trigger_id", "destination_section"),
        "sections.updated_character_data": _anything,
        "sections.bt_constants": _anything,
        "sections.behavior_tree_code": _anything,
        "sections.node_position": _anything,
        "triggers.node_position": _anything,
        "sessions.mentioned": is_object,
    }
)
