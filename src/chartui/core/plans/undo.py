"""Taking a change back: the journal's entries turned round, as a plan like any other.

Every step expects what the change wrote: it is only done while nobody has changed the same thing since. What was
deleted on the embedded store comes back under its own ids; a section that a service makes anew has another id, and the
plan then re-points what led to the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from chartui.core.journal import Entry, Outcome
from chartui.core.jsontext import Wire
from chartui.core.plans.history import deed_of, name_of, undone_names
from chartui.core.plans.plan import Plan, Step, result_of
from chartui.core.plans.wording import LABELS, changes, stored, subject_of, written

if TYPE_CHECKING:
    from chartui.core.clock import Ids
    from chartui.core.journal import Journal
    from chartui.core.profiles import Place
    from chartui.core.service import Service
    from chartui.core.spec.models.narrative import Section

__all__ = ["NothingToUndo", "level_after", "undo_plan"]


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
    kept = await journal.plan(name)
    if kept is not None and kept.alive:
        raise NothingToUndo("This is being carried out just now; it can be taken back once it has ended.")
    done = _refuse_doubt([entry for entry in entries if entry.outcome is not Outcome.REFUSED])
    await _refuse_undone(journal, place, name)
    done = sorted(done, key=lambda entry: entry.number)
    turning = _Turning(service, of)
    await turning.back(done[::-1])
    if not turning.steps:
        raise NothingToUndo("There is nothing to take back: it changed nothing.")
    title = _title(deed_of(name, tuple(done), kept, of).title)
    return Plan(id=ids(), title=title, steps=tuple(turning.steps), independent=turning.independent, undoes=name)


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
    """Turns entries round, the last one first; knows whether the steps made so far need one another.

    ``anew`` leads from the id of what a service makes anew to where its new id will be found.
    """

    service: Service
    of: Callable[[str], str]
    independent: bool = True
    steps: list[Step] = field(default_factory=list)
    anew: dict[str, Mapping[str, Wire]] = field(default_factory=dict)

    async def back(self, entries: Sequence[Entry]) -> None:
        """Add the steps that take ``entries`` back."""
        if not self.service.embedded:
            await self._sections_anew([entry for entry in entries if entry.operation == "delete-section"])
        for entry in entries:
            await self._back(entry)

    def _add(self, entry: Entry, step: Step) -> None:
        """Add a step, which leads to the new ids of what there was under others."""
        whose = step.subject or (self.of(entry.character_id) if entry.character_id else "")
        payload, expected = self._renewed(step.payload), self._renewed(step.expected)
        self.steps.append(replace(step, subject=whose, payload=payload, expected=expected))

    def _renewed(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.anew.get(value, value)
        if isinstance(value, Mapping):
            return {member: self._renewed(inner) for member, inner in value.items()}
        return [self._renewed(inner) for inner in value] if isinstance(value, list | tuple) else value

    async def _back(self, entry: Entry) -> None:
        name = entry.operation
        if written(name, entry.payload):
            self._add(entry, _change_back(entry))
            return
        self.independent = False
        if name in _MADE:
            self._add(entry, _take_away(entry))
        elif name == "delete-character":
            self._add(entry, _step(entry, "restore-character", {"snapshot": _found(entry)}))
        elif name == "delete-trigger":
            await self._trigger_back(entry)
        elif name != "delete-section":
            raise NothingToUndo(f"A change of the kind {name} cannot be taken back.")
        elif self.service.embedded:
            self._section_back(entry)

    def _section_back(self, entry: Entry) -> None:
        section = _found(entry)
        character = {"character_id": entry.payload["character_id"]}
        self._add(entry, _step(entry, "restore-section", {**character, "section": section}))
        if section.get("start"):
            payload = {**character, "section_id": entry.payload["section_id"]}
            self._add(entry, _step(entry, "set-start-section", payload))

    async def _trigger_back(self, entry: Entry) -> None:
        trigger: Mapping[str, Any] = _found(entry)
        character = {"character_id": entry.payload["character_id"]}
        if self.service.embedded:
            self._add(entry, _step(entry, "restore-trigger", {**character, "trigger": trigger}))
            return
        payload = {**character, **{member: trigger.get(member) or "" for member in ("trigger_name", "trigger_message")}}
        reason = "under a new id; an override of the old one is lost"
        if destination := trigger.get("destination_section"):
            # As with decisions: what led nowhere already cannot be made again (38).
            others = await self.service.sections(str(character["character_id"]))
            if destination in self.anew or any(other.section_id == destination for other in others):
                payload["destination_section"] = destination
            else:
                reason += ", as is its destination, which led nowhere"
        self._add(entry, _step(entry, "create-trigger", payload, reason))
        self.anew[str(entry.payload["trigger_id"])] = result_of(len(self.steps) - 1, "trigger_id")

    # -- sections that a service makes anew ---------------------------------------------------------------------------

    async def _sections_anew(self, entries: Sequence[Entry]) -> None:
        """All of them first, since they may lead to one another; then what they lead to, and what led to them."""
        for entry in entries:
            self.independent = False
            section = _found(entry)
            made = {member: section.get(member) or "" for member in ("section_name", "objective")}
            payload = {"character_id": entry.payload["character_id"], **made}
            self._add(entry, _step(entry, "create-section", payload))
            self.anew[str(entry.payload["section_id"])] = result_of(len(self.steps) - 1, "section_id")
        last: dict[str, Entry] = {}
        for entry in entries:
            last.setdefault(str(entry.payload["character_id"]), entry)
        others = {character_id: await self.service.sections(character_id) for character_id in last}
        for entry in entries:
            self._decisions_back(entry, others[str(entry.payload["character_id"])])
        for character_id, entry in last.items():
            await self._lead_there(entry, character_id, others[character_id])

    def _decisions_back(self, entry: Entry, others: Sequence[Section]) -> None:
        # A decision that led nowhere already cannot be made again: a service takes known sections only (decision 38).
        known = {*self.anew, *(other.section_id for other in others)}
        decisions: Any = _found(entry).get("decisions") or ()
        kept = [dict(decision) for decision in decisions if decision.get("next_section_id") in known]
        if kept:
            lost = f", but for {len(decisions) - len(kept)} that led nowhere" if len(kept) < len(decisions) else ""
            address = {member: entry.payload[member] for member in ("character_id", "section_id")}
            payload = {**address, "updated_data": {"decisions": kept}}
            self._add(entry, _step(entry, "edit-section", payload, f"its decisions{lost}"))

    async def _lead_there(self, entry: Entry, character_id: str, sections: Sequence[Section]) -> None:
        """Edits that lead what still points to old ids to the new ones (decision 39)."""
        for section in sections:
            decisions: Any = section.raw.get("decisions") or ()
            if any(decision.get("next_section_id") in self.anew for decision in decisions):
                address = {"character_id": character_id, "section_id": section.section_id}
                seen: dict[str, Wire] = {"decisions": [dict(decision) for decision in decisions]}
                self._lead(entry, "edit-section", address, seen, "its decisions lead to the section's new id")
        for trigger in await self.service.triggers(character_id):
            if trigger.destination_section in self.anew:
                address = {"character_id": character_id, "trigger_id": trigger.trigger_id}
                seen = {"destination_section": trigger.destination_section}
                self._lead(entry, "update-trigger", address, seen, "it leads to the section's new id")

    def _lead(
        self, entry: Entry, name: str, address: Mapping[str, Wire], seen: Mapping[str, Wire], reason: str
    ) -> None:
        self._add(entry, _step(entry, name, {**address, "updated_data": seen}, reason))
        # What is there now still holds the old ids.
        self.steps[-1] = replace(self.steps[-1], expected=seen)


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


def _change_back(entry: Entry) -> Step:
    """A change of members with their earlier values, those that could be read then; raises when none could."""
    name, before = entry.operation, entry.before or {}
    given = written(name, entry.payload)
    now = {member: value for member, value in given.items() if member in before}
    lost = ", ".join(change.label for change in changes(name, entry.payload, before) if not change.known)
    if not now:
        raise NothingToUndo(
            f"Change #{entry.number} cannot be taken back: the service does not say what there was before ({lost})."
        )
    earlier = {member: before[member] for member in now}
    left = {**stored(name, now)}
    if "decisions" in earlier:
        earlier["decisions"] = earlier["decisions"] or []  # none yet is read as null, and not taken as that
    if name == "update-character":
        earlier, left = _settings_back(entry, earlier, left, before)
    nested = "updated_data" in entry.payload or "updated_character_data" in entry.payload
    addresses = {m: v for m, v in entry.payload.items() if m not in given and not m.startswith("updated_")}
    payload: dict[str, Wire] = {**addresses, "updated_data": earlier} if nested else {**addresses, **earlier}
    shown = changes(name, payload, left)
    if name == "update-character" and "model_group_name" in now and "reasoning_effort" not in before:
        note = "Whether the reasoning level changed with the model cannot be read; it is left as it is."
        shown = tuple(replace(c, note=note) if c.label == LABELS["model_group_name"] else c for c in shown)
    reason = f"but {lost}, of which the service does not say what there was before" if lost else ""
    return replace(_step(entry, name, payload, reason), expected=left, changes=shown)


def _settings_back(
    entry: Entry, earlier: dict[str, Wire], left: dict[str, Wire], before: Mapping[str, Wire]
) -> tuple[dict[str, Wire], dict[str, Wire]]:
    """Earlier settings as an update takes them, and what the change left: a model brings its level along (22)."""
    level = "reasoning_effort"
    if "model_group_name" in earlier and level in before:
        earlier[level] = before[level]
        left.setdefault(level, level_after(before[level], left["model_group_name"]))
    for member in (level, "backstory"):
        if member in earlier and earlier[member] is None:
            earlier[member] = ""
    if None in earlier.values():
        raise NothingToUndo(
            f"Change #{entry.number} cannot be taken back: the record named no model or temperature before."
        )
    return earlier, left


def level_after(level: Wire, model: Wire) -> Wire:
    """What became of a level with the change to ``model``; only the embedded store tells levels, and it has these."""
    from chartui.core.characters.reasoning import after_model_change
    from chartui.core.spec.catalogue import model_code

    known = model_code(str(model))
    return after_model_change(None if level is None else str(level), known.reasoning if known else None)


def _take_away(entry: Entry) -> Step:
    """The deletion of what an entry made, as long as it is what was made."""
    name, member = _MADE[entry.operation]
    given: Any = entry.payload.get(member.removesuffix("_id"))  # of what was put back
    snapshot: Any = entry.payload.get("snapshot") or {}
    sources: tuple[Any, ...] = (entry.answer, given, snapshot.get("record"), entry.payload)
    made = next((s[member] for s in sources if isinstance(s, Mapping) and s.get(member)), None)
    if made is None or (name == "delete-character" and made == entry.payload.get("charID")):
        raise NothingToUndo(f"Change #{entry.number} cannot be taken back: its answer named nothing that was made.")
    source = {**snapshot, **(snapshot.get("record") or {})} if snapshot else given or entry.payload
    expected = {member: source[member] for member in _TELLING[name] if member in source}
    if expected.get("destination_section") == "":
        expected["destination_section"] = None
    address = {"charID": made} if name == "delete-character" else {"character_id": entry.payload["character_id"]}
    payload = address if name == "delete-character" else {**address, member: made}
    return replace(_step(entry, name, payload), expected=expected or None)


#: Rows that take something away → what it was made with, and is expected to have still.
_TELLING: Final[Mapping[str, tuple[str, ...]]] = {
    "delete-section": ("section_name", "objective", "decisions"),
    "delete-trigger": ("trigger_name", "trigger_message", "destination_section"),
    "delete-character": ("character_name", "backstory", "reasoning_effort"),
}
