"""A change in words: what it changed from what to what, and a sentence of it, from the operation and its payload.

The history, the undo, the report of what has no known end and the reviews all say it with these words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from chartui.core.jsontext import Wire, canonical, dumps
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.plans.plan import Change, Consequence

#: Member of a change → what people call it.
LABELS: Final[Mapping[str, str]] = {
    "model_group_name": "model",
    "temperature": "temperature",
    "reasoning_effort": "reasoning level",
    "backstory": "backstory",
    "is_narrative_driven": "narrative graph",
    "character_name": "name",
    "section_name": "name",
    "objective": "objective",
    "decisions": "decisions",
    "trigger_name": "name",
    "trigger_message": "message",
    "destination_section": "destination",
    "section_id": "start",
}
#: Operations that change members → whether these stand in an object of their own.
_CHANGING: Final[Mapping[str, bool]] = {
    "update-character": False,
    "toggle-narrative": False,
    "rename-character": False,
    "set-start-section": False,
    "set-override": False,
    "edit-section": True,
    "update-trigger": True,
}
#: Members that say of what a change is; where one is itself what changes, :data:`_ADDRESSES` of its row leaves it out.
_ADDRESSES: Final[Mapping[str, frozenset[str]]] = {
    "set-start-section": frozenset({"character_id"}),
    "set-override": frozenset({"character_id", "section_id", "trigger_id"}),
}
_IDS: Final = frozenset({"charID", "character_id"})


def written(name: str, payload: Mapping[str, Any]) -> Mapping[str, Wire]:
    """The members that the operation ``name`` sets and their values; none for one that makes or removes something."""
    if name not in _CHANGING:
        return {}
    if _CHANGING[name]:
        inner = payload.get("updated_data", payload.get("updated_character_data"))
        return inner if isinstance(inner, Mapping) else {}
    addresses = _ADDRESSES.get(name, _IDS)
    return {member: value for member, value in payload.items() if member not in addresses}


def stored(name: str, values: Mapping[str, Wire]) -> Mapping[str, Wire]:
    """The members that a change sets, as they are read back: emptied is not set (decisions 23 and 40)."""
    emptied = {"update-character": "reasoning_effort", "update-trigger": "destination_section"}.get(name)
    return {**values, emptied: None} if emptied is not None and values.get(emptied) == "" else values


def changes(name: str, payload: Mapping[str, Wire], before: Mapping[str, Wire] | None) -> tuple[Change, ...]:
    """What a change changes, member by member; a member that nobody could read is not ``known``."""
    from chartui.core.plans.plan import Change

    seen = before or {}
    return tuple(
        Change(label=LABELS.get(member, member), before=seen.get(member), after=value, known=member in seen)
        for member, value in written(name, payload).items()
    )


def short(value: Wire, limit: int = 40) -> str:
    """A value in a few characters; None is what is not set."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return single_line(value, limit=limit) or ("blank" if value else "empty")
    if isinstance(value, list | tuple):
        return f"{len(value)} of them" if value else "none"
    return single_line(dumps(value), limit=limit)


def new_value(change: Change, limit: int = 40) -> str:
    """What a member is changed to, in a few characters; an emptied reasoning level is one that is not set (23)."""
    cleared = change.after == "" and change.label == LABELS["reasoning_effort"]
    return short(None if cleared else change.after, limit)


def new_values(changes: Iterable[Change]) -> str:
    """What is set, in a line: ``temperature → 0.3, model → mdla-4.1``."""
    return ", ".join(f"{change.label} → {new_value(change)}" for change in changes)


def consequence_text(consequence: Consequence, number: Callable[[Decimal], str] = canonical) -> str:
    """What follows from a step: ``0.4 → 0.55 credits (+0.15)``. What is not known is unknown, and has no difference.

    Of two ranges, how much their ends differ is said; ``number`` writes an amount.
    """

    def span(ends: tuple[Decimal, Decimal] | None) -> str:
        return "unknown" if ends is None else " – ".join(dict.fromkeys(map(number, ends)))

    def signed(difference: Decimal) -> str:
        return f"{'+' if difference > 0 else '−' if difference < 0 else '±'}{number(abs(difference))}"

    text = f"{span(consequence.before)} → {span(consequence.after)} {consequence.unit}"
    if consequence.before is None or consequence.after is None:
        return text
    least, most = (after - before for before, after in zip(consequence.before, consequence.after, strict=True))
    if least == most:
        return f"{text} ({signed(least)})"
    return f"{text} ({signed(least)} at the least, {signed(most)} at the most)"


def sentence(
    name: str,
    payload: Mapping[str, Wire],
    before: Mapping[str, Wire] | None = None,
    *,
    of: Callable[[str], str] = lambda character_id: character_id,
) -> str:
    """A change in one line: what was done, to which part, of whom; ``of`` gives the name of a character."""
    character_id = _character(payload)
    whose = subject_of(payload, before) or (of(character_id) if character_id else "")
    made = changes(name, payload, before)
    told = [*map(_deed, made[:_MOST_TOLD]), *([f"and {len(made) - _MOST_TOLD} more"] if made[_MOST_TOLD:] else ())]
    deed = ", ".join(told) or _DEEDS.get(name) or single_line(name, limit=40) or "a change"
    return " · ".join(part for part in (deed, _part(name, payload, before), single_line(whose, limit=60)) if part)


#: Members of one change that a sentence tells; no operation has more, but a payload may hold anything.
_MOST_TOLD: Final = 4


def _deed(change: Change) -> str:
    label, after = single_line(change.label, limit=30), new_value(change)
    return f"{label} {short(change.before)} → {after}" if change.known else f"{label} → {after}"


_DEEDS: Final[Mapping[str, str]] = {
    "create-section": "added a section",
    "delete-section": "deleted a section",
    "restore-section": "put a section back",
    "create-trigger": "added a trigger",
    "delete-trigger": "deleted a trigger",
    "restore-trigger": "put a trigger back",
    "create-character": "made a character",
    "duplicate-character": "copied a character",
    "delete-character": "deleted a character",
    "restore-character": "put a character back",
}


def _part(name: str, payload: Mapping[str, Any], before: Mapping[str, Any] | None) -> str:
    """The part of a character that a change is about; empty where it is the character itself."""
    if name == "set-override":
        return f"{_called('trigger', payload)} in {_called('section', payload)}"
    for kind in ("section", "trigger"):
        if name.endswith(f"-{kind}") and name != "set-start-section":
            for members in (before, payload.get(kind), payload):
                if isinstance(members, Mapping) and members.get(f"{kind}_name"):
                    return f"“{single_line(str(members[f'{kind}_name']), limit=40)}”"
            return _called(kind, payload)
    return ""


def _called(kind: str, payload: Mapping[str, Any]) -> str:
    found = payload.get(f"{kind}_id")
    return f"a {kind}" if found is None else f"{kind} {single_line(str(found), limit=40)}"


def _character(payload: Mapping[str, Any]) -> str | None:
    found = payload.get("charID", payload.get("character_id"))
    return found if isinstance(found, str) else None


def subject_of(payload: Mapping[str, Any], before: Mapping[str, Any] | None) -> str:
    """The name of the character that a change is about, where payload or journal hold it; else empty."""
    for members in (before, payload.get("snapshot"), payload):
        record = (members.get("record") or members) if isinstance(members, Mapping) else None
        name = record.get("character_name") if isinstance(record, Mapping) else None
        if isinstance(name, str) and name:
            return name
    return ""
