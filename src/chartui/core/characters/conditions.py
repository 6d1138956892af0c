"""Select characters by the contents of their records.

Conditions have the form ``field=value``, ``field!=value`` or ``field~part``. A field is a path into the record, such as
``personalised_prompt_config.MODEL``, or one of the short names in :data:`SHORT`. The two fields in
:data:`SETTINGS_ONLY` are not part of the record. Only an embedded store returns them (decision 25).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from chartui.core.characters.record import NAMED_PATHS, SETTINGS_ONLY
from chartui.core.classes import dataclass
from chartui.core.jsontext import Wire, canonical, dumps
from chartui.core.naming import nearest, unknown
from chartui.core.text import fold

__all__ = ["SETTINGS_ONLY", "SHORT", "BadCondition", "Condition", "Relation", "check_fields", "matches", "parse"]

#: Short names of the fields most often selected by.
SHORT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "id": "character_id",
        "name": "character_name",
        "model": "personalised_prompt_config.MODEL",
        "temperature": "personalised_prompt_config.TEMPERATURE",
        "memory": "memory_settings.enabled",
        "narrative": "is_narrative_driven",
        "language": "language_code",
        "voice": "voice_type",
        "reasoning": "reasoning_effort",
    }
)
_CONDITION: Final = re.compile(r"\s*([^\s=!~][^=!~]*?)\s*(!=|=|~)(.*)", re.DOTALL)
_WORDS: Final[Mapping[str, bool]] = MappingProxyType({"yes": True, "true": True, "no": False, "false": False})
_ABSENT: Final = object()


class BadCondition(ValueError):
    """Raised if a condition is invalid. The message is one sentence."""


class Relation(StrEnum):
    IS = "="
    IS_NOT = "!="
    HOLDS = "~"  # contains the value, ignoring case and accents


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a field.

    ``text`` is the condition as typed by the user, and ``path`` is the full path of the field.
    """

    text: str
    path: str
    relation: Relation
    value: str


def parse(text: str) -> Condition:
    """Parse a condition without checking whether its field exists.

    Raises :class:`BadCondition` if ``text`` does not have the form of a condition.
    """
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise BadCondition(f"'{text}' is not a condition; write FIELD=VALUE, FIELD!=VALUE or FIELD~PART.")
    field, relation, value = found.groups()
    return Condition(text, SHORT.get(field, field), Relation(relation), value.strip())


def check_fields(conditions: Iterable[Condition], records: Iterable[Mapping[str, Wire]]) -> None:
    """Check that the field of a condition exists.

    Raises :class:`BadCondition` for a field that is neither documented nor in any record. The message suggests the
    field with the most similar name.
    """
    unknown = [condition for condition in conditions if condition.path not in NAMED_PATHS | SETTINGS_ONLY]
    if not unknown:
        return
    there = {path for record in records for path in _paths(record, "")}
    for condition in unknown:
        if condition.path not in there:
            raise BadCondition(_unknown(condition.path, there))


def matches(conditions: Sequence[Condition], record: Mapping[str, Wire]) -> bool:
    """Return whether ``record`` meets all conditions.

    Strings are compared exactly, and numbers are compared by value. The words yes and no also match ``true`` and
    ``false``. An empty value matches empty, null and missing fields. A value matches a list if it matches one of the
    items.
    """
    return all(_holds(condition, _at(record, condition.path)) for condition in conditions)


def _holds(condition: Condition, present: Any) -> bool:
    if condition.relation is Relation.HOLDS:
        wanted = fold(condition.value)
        return any(wanted in fold(text) for text in _texts(present))
    alternatives = present if isinstance(present, list | tuple) and present else (present,)
    equal = any(_equal(one, condition.value) for one in alternatives)
    return equal is (condition.relation is Relation.IS)


def _equal(present: Any, value: str) -> bool:
    if not value:
        return present is _ABSENT or present is None or present in ("", [], {})
    if isinstance(present, bool):
        return _WORDS.get(value.lower()) is present
    if isinstance(present, int | Decimal):
        try:
            return Decimal(value) == present
        except InvalidOperation:
            return False
    return any(value == text for text in _texts(present))


def _texts(present: Any) -> Iterator[str]:
    """Yield the texts that match the value ``present``. A missing value yields nothing."""
    if present is _ABSENT or present is None:
        return
    if isinstance(present, str):
        yield present
    elif isinstance(present, bool):
        yield "yes" if present else "no"
    elif isinstance(present, int | Decimal):
        yield canonical(Decimal(present))
    elif isinstance(present, list | tuple):
        for item in present:
            yield from _texts(item)
    else:
        yield dumps(present)


def _at(record: Mapping[str, Wire], path: str) -> Any:
    # A member name may contain a dot, so the whole name is tried first.
    if path in record:
        return record[path]
    first, dot, rest = path.partition(".")
    inner = record.get(first, _ABSENT)
    if not dot:
        return inner
    return _at(inner, rest) if isinstance(inner, Mapping) else _ABSENT


def _paths(value: Mapping[str, Wire], prefix: str) -> Iterator[str]:
    for name, inner in value.items():
        yield f"{prefix}{name}"
        if isinstance(inner, Mapping):
            yield from _paths(inner, f"{prefix}{name}.")


def _unknown(path: str, there: Iterable[str]) -> str:
    known = sorted({*SHORT, *NAMED_PATHS, *SETTINGS_ONLY, *there})
    return unknown("field", path, known if nearest(path, known) else SHORT)
