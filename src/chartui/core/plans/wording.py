"""Describe changes in words for the history, undo, reviews and reports of unknown outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from operator import sub
from typing import TYPE_CHECKING, Any, Final

from chartui.core.jsontext import Wire, dumps
from chartui.core.numbers import count, credits_difference, credits_text, exact, number_of
from chartui.core.plans.decisions import decision_changes, decision_texts
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.plans.plan import Change, CostEffect, Step

#: The number of equal characters shown before the first difference of two texts.
_CONTEXT: Final = 12
#: Member of a change → its label.
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
#: Operations whose changes are in a nested object.
NESTED: Final = frozenset({"edit-section", "update-trigger"})
_IDS: Final = frozenset({"charID", "character_id"})
#: The members that only identify the changed item, for the other operations that change members.
_ADDRESSES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("update-character", "toggle-narrative", "rename-character"), _IDS),
    "set-start-section": frozenset({"character_id"}),
    "set-override": frozenset({"character_id", "section_id", "trigger_id"}),
}


def written(name: str, payload: Mapping[str, Any]) -> Mapping[str, Wire]:
    """Return the fields that the operation sets, with their values. There are none for creations and deletions."""
    if name in NESTED:
        inner = payload.get("updated_data", payload.get("updated_character_data"))
        return inner if isinstance(inner, Mapping) else {}
    addresses = _ADDRESSES.get(name, payload.keys())
    return {member: value for member, value in payload.items() if member not in addresses}


def stored(name: str, values: Mapping[str, Wire]) -> Mapping[str, Wire]:
    """Return ``values`` as a service would return them after a change.

    An empty reasoning level or destination becomes None (decisions 23 and 40).
    """
    emptied = {"update-character": "reasoning_effort", "update-trigger": "destination_section"}.get(name)
    return {**values, emptied: None} if emptied is not None and values.get(emptied) == "" else values


def changes(
    name: str, payload: Mapping[str, Wire], before: Mapping[str, Wire] | None, of: Callable[[str], str] = str
) -> tuple[Change, ...]:
    """Return the changes made by an operation, in the order of its fields.

    If a field cannot be read, ``known`` is False in its change. A reasoning level that is sent with a model but keeps
    its value is left out (decision 22). ``of`` maps an ID to its name, or to itself if no name is known.
    """
    given, seen = written(name, payload), before or {}
    level = "reasoning_effort"
    with_model = {"model_group_name", level} <= given.keys() and level in seen
    level_kept = with_model and stored(name, given)[level] == seen[level]
    made = (
        member_changes(member, value, seen, lambda section_id: titled(section_id, of))
        for member, value in given.items()
        if not (level_kept and member == level)
    )
    return tuple(chain.from_iterable(made))


def member_changes(
    member: str, value: Wire, seen: Mapping[str, Wire], titled: Callable[[str], str]
) -> tuple[Change, ...]:
    """Return the changes to show if one field gets a new ``value``. ``titled`` maps a section's ID to its name."""
    from chartui.core.plans.plan import Change

    known, earlier = member in seen, seen.get(member)
    if member == "decisions" and known:
        return decision_changes(earlier, value, titled)
    if member == "decisions":
        value = decision_texts(value, titled)
    elif member in _SECTION_IDS:
        earlier, value = (titled(one) if isinstance(one, str) and one else one for one in (earlier, value))
    return (Change(label=LABELS.get(member, member), before=earlier, after=value, known=known),)


#: Members that hold a section's ID.
_SECTION_IDS: Final = frozenset({"destination_section", "section_id"})
#: Shown for a section that does not exist.
MISSING: Final = "(missing)"
#: The number of characters shown of an ID that has no known name.
_ID: Final = 12


def titled(item_id: str, of: Callable[[str], str]) -> str:
    """Return the name of a section or trigger in quotes, or its shortened ID if no name is known.

    ``of`` maps an ID to its name, which is empty for a missing item.
    """
    name = of(item_id)
    return MISSING if not name else single_line(name, limit=_ID) if name == item_id else f"“{name}”"


def short(value: Wire, limit: int = 40) -> str:
    """Return short display text for a value. The text for None is "not set"."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return single_line(value, limit=limit) or ("blank" if value else "empty")
    if isinstance(value, list | tuple):
        return number_of(len(value), "item") if value else "none"
    return single_line(dumps(value), limit=limit)


def new_value(change: Change, limit: int = 40) -> str:
    """Return short display text for the new value. An empty reasoning level becomes "not set" (decision 23)."""
    cleared = change.after == "" and change.label == LABELS["reasoning_effort"]
    return short(None if cleared else change.after, limit)


def new_values(changes: Iterable[Change]) -> str:
    """Return the new values in one line, such as ``temperature → 0.3, + decision: asks → “Hall”``."""
    return ", ".join(
        f"{label_of(change)}: {change_text(change)}" if change.sign else f"{change.label} → {new_value(change)}"
        for change in changes
    )


def label_of(change: Change, limit: int = 80) -> str:
    """Return the label of a change with its sign, such as ``temperature`` or ``+ decision``."""
    label = single_line(change.label, limit=limit)
    return f"{change.sign} {label}" if change.sign in ("+", "−") else label


def change_text(change: Change, limit: int = 40) -> str:
    """Return the old and new values in short form, such as ``0.7 → 0.3`` or ``moved from 2 to 4``."""
    if change.sign == "↕":
        return f"moved from {change.before} to {change.after}"
    if change.sign:
        return short(change.before if change.sign == "−" else change.after, limit)
    before, after = short(change.before, limit) if change.known else "unknown", new_value(change, limit)
    old, new = change.before, change.after
    if before == after and change.known and old != new and isinstance(old, str) and isinstance(new, str):
        return _difference_text(old, new, limit)
    return f"{before} → {after}"


def _difference_text(old: str, new: str, limit: int) -> str:
    """Return where two texts with the same beginning differ, or their lengths if only the spaces differ."""
    pairs = enumerate(zip(old, new, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))
    start = max(0, same - _CONTEXT)
    before, after = (f"…{short(text[start:], limit - 1)}" for text in (old, new))
    return f"{before} → {after}" if before != after else f"{count(len(old))} → {count(len(new))} characters"


def effect_text(effect: CostEffect, number: Callable[[Decimal], str] = exact) -> str:
    """Return an effect in words, such as ``0.4 → 0.55 credits (+0.15)``.

    ``number`` formats an amount. For ranges, the differences at both ends are shown. For unknown amounts, no difference
    is shown.
    """

    def span(ends: tuple[Decimal, Decimal] | None) -> str:
        return "unknown" if ends is None else " – ".join(dict.fromkeys(map(number, ends)))

    def signed(difference: Decimal) -> str:
        return f"{'+' if difference > 0 else '−' if difference < 0 else '±'}{number(abs(difference))}"

    text = f"{span(effect.before)} → {span(effect.after)} {effect.unit}"
    if effect.before is None or effect.after is None:
        return text
    least, most = map(credits_difference if number is credits_text else sub, effect.after, effect.before)
    if least == most:
        return f"{text} ({signed(least)})"
    return f"{text} (lower end {signed(least)}, upper end {signed(most)})"


#: The maximum number of errors that are named.
_MOST_ERRORS: Final = 5


def brings_text(errors: Sequence[str]) -> str:
    """Return a sentence that lists the errors caused by a plan, or an empty string if there are none."""
    if not errors:
        return ""
    more = f"; and {len(errors) - _MOST_ERRORS} more" if len(errors) > _MOST_ERRORS else ""
    return f"Causes {number_of(len(errors), 'error')}: {'; '.join(errors[:_MOST_ERRORS])}{more}."


def fixes_text(errors: int) -> str:
    """Return a sentence with the number of errors fixed by a plan, or an empty string if there are none."""
    return f"Fixes {number_of(errors, 'error')}." if errors else ""


def sentence(
    name: str,
    payload: Mapping[str, Wire],
    before: Mapping[str, Wire] | None = None,
    *,
    of: Callable[[str], str] = lambda character_id: character_id,
    back: Sequence[Change] = (),
) -> str:
    """Describe a change in one line, with the action, the changed part and the character.

    ``of`` maps an ID to its name. If ``back`` contains the changes that undo this change, the line describes those
    changes instead.
    """
    character_id = _character(payload)
    whose = single_line(subject_of(payload, before) or (of(character_id) if character_id else ""), limit=60)
    made = back or changes(name, payload, before, of)
    phrases = _phrases(name, made, _back_phrase if back else _phrase)
    part = _part(name, payload, before, of)
    # The subject may already end with the part.
    return " · ".join(one for one in (phrases, "" if part and whose.endswith(part) else part, whose) if one)


def step_sentence(step: Step) -> str:
    """Describe a step in one line, with its changes and its subject, worded as in the review."""
    return " · ".join(filter(None, (_phrases(step.operation, step.changes, _phrase), single_line(step.subject))))


def _phrases(name: str, made: Sequence[Change], phrase: Callable[[Change], str]) -> str:
    more = [f"and {len(made) - _MOST_LISTED} more"] if made[_MOST_LISTED:] else []
    listed = ", ".join([*map(phrase, made[:_MOST_LISTED]), *more])
    return listed or _PHRASES.get(name) or single_line(name, limit=40) or "a change"


def subject(name: str, payload: Mapping[str, Wire], before: Mapping[str, Wire] | None, of: Callable[[str], str]) -> str:
    """Return a phrase that names the subject of a change, such as ``Mara · section “Gate”``."""
    character_id, part = _character(payload), _part(name, payload, before, of)
    whose = subject_of(payload, before) or (of(character_id) if character_id else "")
    return " · ".join(filter(None, (whose, f"{name.rpartition('-')[2]} {part}" if part.startswith("“") else part)))


#: The maximum number of members listed in a sentence. No operation sets more, but a payload may contain anything.
_MOST_LISTED: Final = 4


def _phrase(change: Change) -> str:
    label = label_of(change, limit=30)
    if change.sign:
        return f"{label} {change_text(change)}" if change.sign == "↕" else f"{label}: {change_text(change)}"
    return f"{label} {change_text(change)}" if change.known else f"{label} → {new_value(change)}"


def _back_phrase(change: Change) -> str:
    """Return a phrase for a change that undoes another one. The phrase contains no sign or arrow."""
    label = single_line(change.label, limit=30)
    if change.sign == "↕":
        return f"{label} moved back to {change.after}"
    if change.sign:
        return f"{label} {'removed' if change.sign == '−' else 'restored'}: {change_text(change)}"
    return f"{label} back to {new_value(change)}"


_PHRASES: Final[Mapping[str, str]] = {
    "create-section": "added a section",
    "delete-section": "deleted a section",
    "restore-section": "restored a section",
    "create-trigger": "added a trigger",
    "delete-trigger": "deleted a trigger",
    "restore-trigger": "restored a trigger",
    "create-character": "created a character",
    "duplicate-character": "copied a character",
    "delete-character": "deleted a character",
    "restore-character": "restored a character",
}


def _part(name: str, payload: Mapping[str, Any], before: Mapping[str, Any] | None, of: Callable[[str], str]) -> str:
    """Return the part of a character that a change is about, or an empty string for the character itself."""
    if name == "set-override":
        return f"{_called('trigger', payload, of)} in {_called('section', payload, of)}"
    for kind in ("section", "trigger"):
        if name.endswith(f"-{kind}") and name != "set-start-section":
            for members in (before, payload.get(kind), payload):
                if isinstance(members, Mapping) and members.get(f"{kind}_name"):
                    return f"“{single_line(str(members[f'{kind}_name']), limit=40)}”"
            called = _called(kind, payload, of)
            return called.removeprefix(f"{kind} ") if "“" in called else called
    return ""


def _called(kind: str, payload: Mapping[str, Any], of: Callable[[str], str]) -> str:
    found = payload.get(f"{kind}_id")
    return f"a {kind}" if found is None else f"{kind} {single_line(titled(str(found), of), limit=40)}"


def _character(payload: Mapping[str, Any]) -> str | None:
    found = payload.get("charID", payload.get("character_id"))
    return found if isinstance(found, str) else None


def subject_of(payload: Mapping[str, Any], before: Mapping[str, Any] | None) -> str:
    """Return the name of the character that a change is about, or an empty string if the name is unknown.

    The name is looked up in ``before`` and in the payload.
    """
    for members in (before, payload.get("snapshot"), payload):
        record = (members.get("record") or members) if isinstance(members, Mapping) else None
        name = record.get("character_name") if isinstance(record, Mapping) else None
        if isinstance(name, str) and name:
            return name
    return ""
