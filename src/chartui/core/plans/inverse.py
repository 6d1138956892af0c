"""Find the inverse of a change: the steps that undo it.

The steps are derived from the journal. This module has no side effects. Undo is offered only for changes with an
inverse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from types import UnionType
from typing import TYPE_CHECKING, Any, Final

from chartui.core.plans.plan import Step
from chartui.core.plans.wording import LABELS, changes, stored, subject, written

if TYPE_CHECKING:
    from chartui.core.journal import Entry
    from chartui.core.jsontext import Wire


class NothingToUndo(ValueError):
    """Raised if a change cannot be undone. The message gives the reason."""


#: Operations that create an item → the operation that removes it, and where to find its ID: in the answer or in the
#: payload.
_MADE: Final[Mapping[str, tuple[str, str]]] = {
    **dict.fromkeys(("create-section", "restore-section"), ("delete-section", "section_id")),
    **dict.fromkeys(("create-trigger", "restore-trigger"), ("delete-trigger", "trigger_id")),
    **dict.fromkeys(
        ("create-character", "duplicate-character", "restore-character"), ("delete-character", "character_id")
    ),
}
#: Settings → the types of the values that a request can set.
_SENT_AS: Final[Mapping[str, type | UnionType]] = {
    "model_group_name": str,
    "temperature": int | Decimal,
    "reasoning_effort": str,
    "backstory": str,
}
#: Operations whose deletions the embedded store can restore.
_RESTORED: Final = frozenset({"delete-character", "delete-section", "delete-trigger"})


def undo_refusal(entries: Iterable[Entry]) -> str:
    """Return a sentence saying why the changes can never be undone, or an empty string if undo may be possible."""
    try:
        for entry in entries:
            inverse(entry, embedded=True)
    except NothingToUndo as refusal:
        return str(refusal)
    return ""


def inverse(entry: Entry, *, embedded: bool, of: Callable[[str], str] = str) -> tuple[Step, ...]:
    """Return the steps that undo ``entry``.

    ``of`` maps an ID to a name. If a section or trigger was deleted on a service, no steps are returned, because it can
    only be recreated under a new ID, and the references to its old ID must be read first. Raises
    :class:`NothingToUndo` if the change cannot be undone.
    """
    name = entry.operation
    if written(name, entry.payload):
        return (_change_back(entry, embedded=embedded, of=of),)
    if name in _MADE:
        return (_take_away(entry, of),)
    if name not in _RESTORED:
        raise NothingToUndo(f"Operation {name} cannot be undone.")
    before = before_of(entry)
    if not embedded:
        return ()
    if name == "delete-character":
        return (step_back(entry, "restore-character", {"snapshot": before}, of=of),)
    character = {"character_id": entry.payload["character_id"]}
    kind = name.removeprefix("delete-")
    restored = step_back(entry, f"restore-{kind}", {**character, kind: before}, of=of)
    if not before.get("start"):
        return (restored,)
    address = {**character, "section_id": entry.payload["section_id"]}
    start = step_back(entry, "set-start-section", address, seen={"section_id": None}, of=of)
    return (restored, start)


def step_back(
    entry: Entry,
    name: str,
    payload: Mapping[str, Wire],
    reason: str = "",
    *,
    seen: Mapping[str, Wire] | None = None,
    of: Callable[[str], str] = str,
) -> Step:
    """Build a step that undoes ``entry``, or a part of it.

    ``seen`` contains the current values to show in the review.
    """
    number = f"reverses change #{entry.number}"
    return Step(
        operation=name,
        payload=payload,
        subject=subject(name, {**entry.payload, **payload}, entry.before, of),
        reason=f"{number}: {reason}" if reason else number,
        changes=changes(name, payload, seen, of),
    )


def before_of(entry: Entry) -> Mapping[str, Wire]:
    """Return the values that a change overwrote or removed.

    Raises :class:`NothingToUndo` if they could not be read.
    """
    if not entry.before:
        raise NothingToUndo(f"Change #{entry.number} cannot be undone: the earlier value could not be read.")
    return entry.before


def _change_back(entry: Entry, *, embedded: bool, of: Callable[[str], str]) -> Step:
    """Build the step that restores the earlier values of members.

    Raises :class:`NothingToUndo` if none of them could be read.
    """
    name, before = entry.operation, entry.before or {}
    given = written(name, entry.payload)
    now = {member: value for member, value in given.items() if member in before}
    lost = ", ".join(change.label for change in changes(name, entry.payload, before) if not change.known)
    if not now:
        raise NothingToUndo(f"Change #{entry.number} cannot be undone: the service does not report the earlier {lost}.")
    earlier = {member: before[member] for member in now}
    left = {**stored(name, now)}
    if "decisions" in earlier:
        # A section without decisions is read as null, which a request cannot send.
        earlier["decisions"] = earlier["decisions"] or []
    if name == "update-character":
        earlier, left = _settings_back(entry, earlier, left, before)
    nested = "updated_data" in entry.payload or "updated_character_data" in entry.payload
    addresses = {m: v for m, v in entry.payload.items() if m not in given and not m.startswith("updated_")}
    payload: dict[str, Wire] = {**addresses, "updated_data": earlier} if nested else {**addresses, **earlier}
    shown = changes(name, payload, left, of)
    if name == "update-character" and "model_group_name" in now:
        note = _model_note(before, embedded=embedded)
        shown = tuple(replace(c, note=note) if c.label == LABELS["model_group_name"] else c for c in shown)
    reason = f"Cannot restore {lost}: the service does not report the earlier value." if lost else ""
    return replace(step_back(entry, name, payload, reason, of=of), expected=left, changes=shown)


def _model_note(before: Mapping[str, Wire], *, embedded: bool) -> str:
    """Return a warning that a service may refuse the earlier model, or an empty string if it certainly accepts it."""
    from chartui.core.spec.catalogue import model_code

    notes = []
    if not embedded and model_code(str(before["model_group_name"])) is None:
        notes.append("The earlier model is not in the catalogue, so the service may refuse it.")
    if "reasoning_effort" not in before:
        notes.append("The reasoning level may have changed with the model. It cannot be read, so it is left unchanged.")
    return " ".join(notes)


def _settings_back(
    entry: Entry, earlier: dict[str, Wire], left: dict[str, Wire], before: Mapping[str, Wire]
) -> tuple[dict[str, Wire], dict[str, Wire]]:
    """Return an update that restores the earlier settings, and the values that the settings had after the change.

    A change of the model also changes the reasoning level (decision 22).
    """
    level = "reasoning_effort"
    if "model_group_name" in earlier and level in before:
        earlier[level] = before[level]
        left.setdefault(level, level_after(before[level], before["model_group_name"], left["model_group_name"]))
    for member in (level, "backstory"):
        if member in earlier and earlier[member] is None:
            earlier[member] = ""
    unsendable = [member for member, value in earlier.items() if not isinstance(value, _SENT_AS[member])]
    if unsendable:
        raise NothingToUndo(
            f"Change #{entry.number} cannot be undone: a request cannot set the earlier {LABELS[unsendable[0]]}."
        )
    return earlier, left


def level_after(level: Wire, was: Wire, model: Wire) -> Wire:
    """Return the reasoning level after the model has changed from ``was`` to ``model`` (decision 22).

    The result is known only for embedded stores, because a service does not report the level.
    """
    from chartui.core.characters.reasoning import after_model_change
    from chartui.core.spec.catalogue import model_code

    if model == was:
        return level
    known = model_code(str(model))
    return after_model_change(None if level is None else str(level), known.reasoning if known else None)


def _take_away(entry: Entry, of: Callable[[str], str]) -> Step:
    """Build the step that deletes an item created by ``entry``, provided that the item is unchanged."""
    name, member = _MADE[entry.operation]
    given: Any = entry.payload.get(member.removesuffix("_id"))  # the entry restored the item
    snapshot: Any = entry.payload.get("snapshot") or {}
    sources: tuple[Any, ...] = (entry.answer, given, snapshot.get("record"), entry.payload)
    made = next((s[member] for s in sources if isinstance(s, Mapping) and s.get(member)), None)
    if made is None or (name == "delete-character" and made == entry.payload.get("charID")):
        raise NothingToUndo(
            f"Change #{entry.number} cannot be undone: the response did not contain the ID of the new item."
        )
    source = {**snapshot, **(snapshot.get("record") or {})} if snapshot else given or entry.payload
    expected = {member: source[member] for member in _TELLING[name] if member in source}
    if expected.get("destination_section") == "":
        expected["destination_section"] = None
    address = {"charID": made} if name == "delete-character" else {"character_id": entry.payload["character_id"]}
    payload = address if name == "delete-character" else {**address, member: made}
    return replace(step_back(entry, name, payload, of=of), expected=expected or None)


#: Operations that delete an item → the members that were set when the item was created and must still be unchanged.
_TELLING: Final[Mapping[str, tuple[str, ...]]] = {
    "delete-section": ("section_name", "objective", "decisions"),
    "delete-trigger": ("trigger_name", "trigger_message", "destination_section"),
    "delete-character": ("character_name", "backstory", "reasoning_effort"),
}
