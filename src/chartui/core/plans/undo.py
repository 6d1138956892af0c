"""Taking a change back: the journal's entries turned round, as a plan like any other.

Every step expects what the change wrote: it is only done while nobody has changed the same thing since. What was
deleted on the embedded store comes back under its own ids; a section that a service makes anew has another id, and the
plan then re-points what led to the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from chartui.core.journal import Entry, Outcome
from chartui.core.jsontext import Wire
from chartui.core.plans.history import deed_of, name_of, undone_names
from chartui.core.plans.plan import Plan, Step, result_of
from chartui.core.plans.wording import changes, stored, subject_of, written

if TYPE_CHECKING:
    from chartui.core.clock import Ids
    from chartui.core.journal import Journal
    from chartui.core.profiles import Place
    from chartui.core.service import Service
    from chartui.core.spec.models.narrative import Section

__all__ = ["NothingToUndo", "undo_plan"]


_MANY: Final = 1_000_000


class NothingToUndo(ValueError):
    """A change cannot be taken back; the message is one sentence that says why and what can be done."""


async def undo_plan(
    service: Service,
    journal: Journal,
    place: Place,
    target: str | None,
    *,
    ids: Ids,
    of: Callable[[str], str] = lambda character_id: character_id,
) -> Plan:
    """The plan that takes back ``target``: a plan's id, ``#`` and an entry's number, or the last change when None.

    Nothing is changed by making it. ``of`` gives the name of a character. Raises :class:`NothingToUndo`, and
    :class:`~chartui.core.spec.errors.ServiceError` when journal or service cannot be read.
    """
    name, entries = await _target(journal, place, target)
    done = _refuse_doubt([entry for entry in entries if entry.outcome is not Outcome.REFUSED])
    await _refuse_undone(journal, place, name)
    turning = _Turning(service, of)
    steps: list[Step] = []
    for entry in sorted(done, key=lambda entry: entry.number, reverse=True):
        steps += await turning.back(entry, first=len(steps))
    if not steps:
        raise NothingToUndo("There is nothing to take back: it changed nothing.")
    done = sorted(done, key=lambda entry: entry.number)
    title = _title(deed_of(name, tuple(done), await journal.plan(name), of).title)
    return Plan(id=ids(), title=title, steps=tuple(steps), independent=turning.independent, undoes=name)


async def _target(journal: Journal, place: Place, target: str | None) -> tuple[str, Sequence[Entry]]:
    """How a plan names what it takes back, and the journal's entries of it."""
    if target is None:
        # Undoing again and again goes further back, not to and fro.
        undoing, undone = dict(await journal.undoings(place)), await undone_names(journal, place)
        for entry in await journal.entries(place, limit=_MANY, outcomes=(Outcome.DONE,)):
            if name_of(entry) not in undone and name_of(entry) not in undoing:
                return await _target(journal, place, name_of(entry))
        raise NothingToUndo("There is nothing to take back: nothing was changed from here yet.")
    if target.startswith("#"):
        number = target[1:]
        found = await journal.entry(int(number)) if number.isascii() and number.isdigit() else None
        if found is None or found.place != place:
            raise NothingToUndo(f"The history of this profile has no change {target}; 'chartui history' lists them.")
        return target, [found]
    entries = await journal.entries(place, plan_id=target, limit=_MANY)
    if not entries:
        raise NothingToUndo(f"The history of this profile has no plan '{target}'; 'chartui history' lists them.")
    return target, entries


async def _refuse_undone(journal: Journal, place: Place, name: str) -> None:
    if name in await undone_names(journal, place):
        raise NothingToUndo("This was taken back already; undo the undoing to have it again.")


def _refuse_doubt(entries: Sequence[Entry]) -> Sequence[Entry]:
    if not entries:
        raise NothingToUndo("There is nothing to take back: it was refused, so it changed nothing.")
    doubtful = next((entry for entry in entries if entry.outcome is not Outcome.DONE), None)
    if doubtful is not None:
        raise NothingToUndo(
            f"Nobody knows yet whether change #{doubtful.number} was made; settle it in the history first."
        )
    return entries


def _title(done: str) -> str:
    """What taking a deed back is called; taking back an undo is doing it again."""
    if done.startswith(_UNDO):
        return f"{_REDO}{done.removeprefix(_UNDO)}"
    return f"{_UNDO}{done.removeprefix(_REDO)}"


_UNDO: Final = "Undo: "
_REDO: Final = "Redo: "

#: Rows that make something → the row that takes it away, and where its id is found in the answer or the payload.
_MADE: Final[Mapping[str, tuple[str, str]]] = {
    "create-section": ("delete-section", "section_id"),
    "restore-section": ("delete-section", "section_id"),
    "create-trigger": ("delete-trigger", "trigger_id"),
    "restore-trigger": ("delete-trigger", "trigger_id"),
    "create-character": ("delete-character", "character_id"),
    "duplicate-character": ("delete-character", "character_id"),
    "restore-character": ("delete-character", "character_id"),
}


@dataclass
class _Turning:
    """Turns entries round; knows whether the steps made so far need one another."""

    service: Service
    of: Callable[[str], str]
    independent: bool = True

    async def back(self, entry: Entry, *, first: int) -> list[Step]:
        """The steps that take ``entry`` back; the first of them will have the number ``first`` in its plan."""
        whose = self.of(entry.character_id) if entry.character_id else ""
        return [replace(step, subject=step.subject or whose) for step in await self._back(entry, first)]

    async def _back(self, entry: Entry, first: int) -> list[Step]:
        name = entry.operation
        if written(name, entry.payload):
            step = _change_back(entry)
            return [] if step is None else [step]
        self.independent = False
        if name in _MADE:
            return [_take_away(entry)]
        if name == "delete-character":
            return [_step(entry, "restore-character", {"snapshot": _found(entry)})]
        if name == "delete-trigger":
            return [_trigger_back(entry, embedded=self.service.embedded)]
        if name == "delete-section":
            return await self._section_back(entry, first)
        raise NothingToUndo(f"A change of the kind {name} cannot be taken back.")

    async def _section_back(self, entry: Entry, first: int) -> list[Step]:
        section: Mapping[str, Any] = _found(entry)
        character = {"character_id": entry.payload["character_id"]}
        old = str(entry.payload["section_id"])
        if self.service.embedded:
            steps = [_step(entry, "restore-section", {**character, "section": section})]
            if section.get("start"):
                steps.append(_step(entry, "set-start-section", {**character, "section_id": old}))
            return steps
        made = {"section_name": section.get("section_name") or "", "objective": section.get("objective") or ""}
        steps = [_step(entry, "create-section", {**character, **made})]
        new = result_of(first, "section_id")
        others = await self.service.sections(str(character["character_id"]))
        # A decision that led nowhere already cannot be made again: a service takes known sections only (decision 38).
        known = {old, *(other.section_id for other in others)}
        decisions: Any = section.get("decisions") or ()
        kept = [decision for decision in decisions if decision.get("next_section_id") in known]
        if kept:
            lost = f", but for {len(decisions) - len(kept)} that led nowhere" if len(kept) < len(decisions) else ""
            payload = {**character, "section_id": new, "updated_data": _repointed(kept, old, new)}
            steps.append(_step(entry, "edit-section", payload, f"its decisions{lost}"))
        return steps + await self._references(entry, others, old, new)

    async def _references(
        self, entry: Entry, sections: Sequence[Section], old: str, new: Mapping[str, Wire]
    ) -> list[Step]:
        """Edits that lead what still points to the section's old id to its new one (decision 39)."""
        character_id = str(entry.payload["character_id"])
        steps = []
        for section in sections:
            decisions: Any = section.raw.get("decisions") or ()
            if any(decision.get("next_section_id") == old for decision in decisions):
                payload = {"character_id": character_id, "section_id": section.section_id}
                change = {**payload, "updated_data": _repointed(decisions, old, new)}
                step = _step(entry, "edit-section", change, "its decisions lead to the section's new id")
                steps.append(replace(step, expected={"decisions": list(decisions)}))
        for trigger in await self.service.triggers(character_id):
            if trigger.destination_section == old:
                payload = {"character_id": character_id, "trigger_id": trigger.trigger_id}
                change = {**payload, "updated_data": {"destination_section": new}}
                step = _step(entry, "update-trigger", change, "it leads to the section's new id")
                steps.append(replace(step, expected={"destination_section": old}))
        return steps


def _repointed(decisions: Any, old: str, new: Mapping[str, Wire]) -> dict[str, Wire]:
    return {
        "decisions": [
            {**decision, "next_section_id": new} if decision.get("next_section_id") == old else dict(decision)
            for decision in decisions
        ]
    }


def _step(entry: Entry, name: str, payload: Mapping[str, Wire], reason: str = "") -> Step:
    number = f"takes back #{entry.number}"
    return Step(
        operation=name,
        payload=payload,
        subject=subject_of(entry.payload, entry.before),
        reason=f"{number}: {reason}" if reason else number,
        changes=changes(name, payload, None),
    )


def _found(entry: Entry) -> Mapping[str, Wire]:
    if not entry.before:
        raise NothingToUndo(f"Change #{entry.number} cannot be taken back: what was there before could not be read.")
    return entry.before


def _change_back(entry: Entry) -> Step | None:
    """A change of members with their earlier values; raises when one of them could not be read then."""
    name, before = entry.operation, entry.before or {}
    now = {**written(name, entry.payload)}
    unreadable = [member for member in now if member not in before]
    if unreadable:
        members = ", ".join(change.label for change in changes(name, entry.payload, before) if not change.known)
        raise NothingToUndo(
            f"Change #{entry.number} cannot be taken back: the service does not say what there was before ({members})."
        )
    earlier = {member: before[member] for member in now}
    if name == "update-character":
        earlier = _settings_back(entry, now, before)
    if not earlier:
        return None
    nested = "updated_data" in entry.payload or "updated_character_data" in entry.payload
    addresses = {m: v for m, v in entry.payload.items() if m not in now and not m.startswith("updated_")}
    payload: dict[str, Wire] = {**addresses, "updated_data": earlier} if nested else {**addresses, **earlier}
    step = _step(entry, name, payload)
    return replace(step, expected=stored(name, now), changes=changes(name, payload, stored(name, now)))


def _settings_back(entry: Entry, now: Mapping[str, Wire], before: Mapping[str, Wire]) -> dict[str, Wire]:
    """Earlier settings as an update takes them: nothing set is empty text, and a model brings its level along (22)."""
    earlier = {member: before[member] for member in now}
    if "model_group_name" in now and "reasoning_effort" in before:
        earlier["reasoning_effort"] = before["reasoning_effort"]
    for member in ("reasoning_effort", "backstory"):
        if member in earlier and earlier[member] is None:
            earlier[member] = ""
    if None in earlier.values():
        raise NothingToUndo(
            f"Change #{entry.number} cannot be taken back: the record named no model or temperature before."
        )
    return earlier


def _take_away(entry: Entry) -> Step:
    """The deletion of what an entry made."""
    name, member = _MADE[entry.operation]
    sources: tuple[Any, ...] = (entry.answer, entry.payload.get(member.removesuffix("_id")), entry.payload)
    made = next((s[member] for s in sources if isinstance(s, Mapping) and s.get(member)), None)
    if made is None:
        raise NothingToUndo(f"Change #{entry.number} cannot be taken back: its answer named nothing that was made.")
    if name == "delete-character":
        return _step(entry, name, {"charID": made})
    return _step(entry, name, {"character_id": entry.payload["character_id"], member: made})


def _trigger_back(entry: Entry, *, embedded: bool) -> Step:
    trigger: Mapping[str, Any] = _found(entry)
    character_id = entry.payload["character_id"]
    if embedded:
        return _step(entry, "restore-trigger", {"character_id": character_id, "trigger": trigger})
    payload = {
        "character_id": character_id,
        "trigger_name": trigger.get("trigger_name") or "",
        "trigger_message": trigger.get("trigger_message") or "",
    }
    if trigger.get("destination_section"):
        payload["destination_section"] = trigger["destination_section"]
    return _step(entry, "create-trigger", payload, "under a new id; an override of the old one is lost")
