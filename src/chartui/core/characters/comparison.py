"""Compare two characters, or one character on two profiles, field by field.

:func:`members` splits a record into fields, for comparisons and for storing the last known state. The comparison
includes all fields. Fields without a group come last, under their own names. A service does not return everything that
it accepts (decision 25). Values that cannot be read count as neither equal nor different.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from itertools import count
from typing import TYPE_CHECKING, Final

from chartui.core.characters.record import GROUPS, LABELS, SETTINGS_ONLY, leaves, value_text
from chartui.core.classes import NamedTuple, dataclass
from chartui.core.jsontext import Wire, same
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.sheet import Sheet

#: Members that identify a character or account and are not part of its setup.
_BY_NATURE: Final = frozenset({"character_id", "user_id", "timestamp", "last_interacted_with"})
#: Members that hold the ID of a section of the character's own graph. Any two IDs count as equal, but an ID differs
#: from a missing ID.
_START: Final = "start_narrative_section_id"
_REST: Final = "Other fields"
#: For two characters with the same name: the maximum length of the name to show, and the minimum length of the end of
#: the ID.
_NAME: Final = 20
_ID_END: Final = 6


class Verdict(StrEnum):
    """The result of comparing one field of two characters."""

    SAME = "same"
    DIFFERENT = "different"
    APART = "apart"  # always different, like an ID; not counted as a difference
    UNKNOWN = "unknown"  # unknown for one side


class Side(NamedTuple):
    """One of the two characters in a comparison.

    ``settings`` holds the settings that only an embedded store returns, and is None for a remote service. ``costs``
    contains amounts for one interaction, such as credits, if they were requested.
    """

    name: str
    record: Mapping[str, Wire]
    settings: Mapping[str, Wire] | None = None
    costs: tuple[Figure, ...] = ()


class Held(NamedTuple):
    """The value of one field of a character in a comparison.

    ``text`` is the value in words, and is not sanitized. ``known`` is False if the service does not return the field,
    and ``there`` is False if the field is missing from the record.
    """

    text: str
    value: Wire = None
    there: bool = True
    known: bool = True


class Figure(NamedTuple):
    """An amount, such as credits, for one interaction with one of the two characters."""

    label: str
    path: str
    held: Held


class Compared(NamedTuple):
    label: str
    path: str
    left: Held
    right: Held
    verdict: Verdict


class Part(NamedTuple):
    title: str
    members: tuple[Compared, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two characters.

    ``costs`` is derived from the other parts, so a different cost does not count as a difference.
    """

    left: Side
    right: Side
    parts: tuple[Part, ...]
    costs: tuple[Part, ...] = ()

    def count(self, verdict: Verdict) -> int:
        return sum(member.verdict is verdict for part in self.parts for member in part.members)

    @property
    def alike(self) -> bool:
        return not self.count(Verdict.DIFFERENT)

    def shown(self, *, everything: bool) -> tuple[Part, ...]:
        """Return the costs and the groups of fields.

        The groups contain either all fields, or only those that differ or are unknown.
        """
        if everything:
            return (*self.costs, *self.parts)
        costs = tuple(part for part in self.costs if any(m.verdict is not Verdict.SAME for m in part.members))
        wanted = (Verdict.DIFFERENT, Verdict.UNKNOWN)
        left = (Part(part.title, tuple(m for m in part.members if m.verdict in wanted)) for part in self.parts)
        return (*costs, *(part for part in left if part.members))


def members(record: Mapping[str, Wire], settings: Mapping[str, Wire] | None = None) -> dict[str, Wire]:
    """Return the fields of a record, keyed by path.

    If ``settings`` is given, its fields are included. The paths have the form described in
    :func:`~chartui.core.characters.record.leaves`.
    """
    found = dict(leaves(record))
    found.update((name, settings[name]) for name in sorted(SETTINGS_ONLY) if settings is not None and name in settings)
    return found


def label_of(path: str) -> str:
    """Return the display name of a field, or its path if the field belongs to no group."""
    return LABELS.get(path, path)


def compare(left: Side, right: Side) -> Comparison:
    """Compare two characters field by field. If they have the same name, the end of the ID is added to each name."""
    left, right = _told_apart(left, right)
    of_left, of_right = members(left.record, left.settings), members(right.record, right.settings)

    def compared(path: str) -> Compared:
        one, other = _held(left, of_left, path), _held(right, of_right, path)
        return Compared(label_of(path), path, one, other, _verdict(path, one, other))

    parts = [Part(title, tuple(map(compared, paths))) for title, paths in GROUPS.items()]
    rest = [path for path in {**of_left, **of_right} if path not in LABELS]
    if rest:
        parts.append(Part(_REST, tuple(map(compared, rest))))
    return Comparison(left, right, tuple(parts), _costs(left, right))


def _costs(left: Side, right: Side) -> tuple[Part, ...]:
    if not (left.costs and right.costs):
        return ()
    found = []
    for one, other in zip(left.costs, right.costs, strict=True):
        verdict = Verdict.SAME if one.held == other.held and one.held.known else Verdict.APART
        found.append(Compared(one.label, one.path, one.held, other.held, verdict))
    return (Part("Cost", tuple(found)),)


def _told_apart(left: Side, right: Side) -> tuple[Side, Side]:
    ids = [str(side.record.get("character_id") or "") for side in (left, right)]
    if left.name != right.name or ids[0] == ids[1]:
        return left, right
    # The end, because consecutively created IDs often share their beginning.
    size = next(size for size in count(_ID_END) if ids[0][-size:] != ids[1][-size:])
    one, other = (
        side._replace(name=f"{single_line(side.name, limit=_NAME)} …{id_[-size:]}")
        for side, id_ in zip((left, right), ids, strict=True)
    )
    return one, other


def _held(side: Side, found: Mapping[str, Wire], path: str) -> Held:
    if side.settings is None and path in SETTINGS_ONLY and path not in found:
        return Held("not returned by this service", there=False, known=False)
    if path not in found:
        return Held("not in the record", there=False)
    value = found[path]
    unset = value is None and path == "reasoning_effort"  # null means "not set" here (decision 23)
    return Held("not set" if unset else value_text(value), value)


def _verdict(path: str, left: Held, right: Held) -> Verdict:
    if not (left.known and right.known):
        return Verdict.UNKNOWN
    if left.there == right.there and same(left.value, right.value):
        return Verdict.SAME
    by_nature = path in _BY_NATURE or (path == _START and bool(left.value) and bool(right.value))
    return Verdict.APART if by_nature else Verdict.DIFFERENT


def comparison_sheet(comparison: Comparison, *, everything: bool = False) -> Sheet:
    """Return the comparison as a table with one row per field. Both values are given in words."""
    from chartui.core.sheet import Column, Sheet

    columns = ("group", "field", "path", comparison.left.name, comparison.right.name, "verdict")
    rows = [
        (part.title, member.label, member.path, member.left.text, member.right.text, member.verdict.value)
        for part in comparison.shown(everything=everything)
        for member in part.members
    ]
    title = f"{comparison.left.name} and {comparison.right.name}"
    return Sheet(title, tuple(Column(name) for name in columns), tuple(rows))


def comparison_wire(comparison: Comparison, *, everything: bool = False) -> list[dict[str, Wire]]:
    """Return the comparison as JSON data. ``left`` and ``right`` are the original values.

    Missing values are omitted.
    """
    return [
        {
            "group": part.title,
            "path": member.path,
            "verdict": member.verdict.value,
            **({"left": member.left.value} if member.left.there else {}),
            **({"right": member.right.value} if member.right.there else {}),
        }
        for part in comparison.shown(everything=everything)
        for member in part.members
    ]
