"""Build a plan that undoes a change recorded in the journal.

A step is refused if the values written by the original change have changed since. The embedded store restores deleted
sections and triggers with their original IDs. A service gives a recreated section a new ID, so the plan updates the
references to the section.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import dataclass
from chartui.core.journal import Entry, Journal, Outcome
from chartui.core.jsontext import Wire
from chartui.core.plans.history import UNDO, entry_title, item_of, name_of, part_names, undone_names
from chartui.core.plans.inverse import NothingToUndo, before_of, inverse, step_back
from chartui.core.plans.plan import Plan, Step, result_of
from chartui.core.plans.wording import written
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.clock import Ids
    from chartui.core.profiles import Place
    from chartui.core.service import Service
    from chartui.core.spec.models.narrative import Section

__all__ = ["NothingToUndo", "undo_plan"]

_MANY: Final = 1_000_000


async def undo_plan(
    service: Service,
    journal: Journal,
    place: Place,
    target: str | None,
    *,
    ids: Ids,
    of: Callable[[str], str] = lambda character_id: character_id,
) -> Plan:
    """Build the plan that undoes a change.

    Nothing is changed yet.

    ``target`` is a plan's ID, ``#`` followed by the number of a journal entry, or None for the last change. ``of`` maps
    a character's ID to its name. Raises :class:`NothingToUndo` if the change cannot be undone, or
    :class:`~chartui.core.spec.errors.ServiceError` if the journal or the service cannot be read.
    """
    name, entries = await _target(journal, place, target)
    kept = await journal.plan(name)
    if kept is not None and kept.alive:
        raise NothingToUndo("This change is still being applied. Undo it once it has finished.")
    done = _refuse_doubt([entry for entry in entries if entry.outcome is not Outcome.REFUSED])
    await _refuse_undone(journal, place, name)
    done = sorted(done, key=lambda entry: entry.number)
    parts = await part_names(service, done[::-1])
    turning = _Turning(service, lambda item_id: parts[item_id] if item_id in parts else of(item_id))
    await turning.back(done[::-1])
    if not turning.steps:
        raise NothingToUndo("Nothing to undo: this plan changed nothing.")
    title = _title(item_of(name, tuple(done), kept, of).title)
    back = turning.steps[0].changes
    if back and len(done) == len(turning.steps) == 1 and (kept is None or kept.total == 1):
        # The steps as read name sections and triggers.
        title = f"{title.partition(': ')[0]}: {entry_title(done[0], kept, turning.of, back=back)}"
    return Plan(id=ids(), title=title, steps=tuple(turning.steps), independent=turning.independent, undoes=name)


async def _target(journal: Journal, place: Place, target: str | None) -> tuple[str, Sequence[Entry]]:
    if target is None:
        # Repeated undo goes further back instead of alternating between undo and redo.
        undoing, undone = dict(await journal.undoings(place)), await undone_names(journal, place)
        done = await journal.entries(place, limit=_MANY, outcomes=(Outcome.DONE,))
        for entry in done:
            if name_of(entry) not in undone and name_of(entry) not in undoing:
                return await _target(journal, place, name_of(entry))
        if done:
            raise NothingToUndo("Nothing left to undo. To redo a change, press H, select its undo entry and press u.")
        raise NothingToUndo(
            f"Nothing to undo: no changes have been made to profile “{place.profile}” from this machine."
        )
    if target.startswith("#"):
        number = target[1:]
        found = await journal.entry(int(number)) if number.isascii() and number.isdigit() else None
        if found is None or found.place != place:
            raise NothingToUndo(
                f"The history of this profile does not contain change {target}. 'chartui history' lists all changes."
            )
        return target, [found]
    entries = await journal.entries(place, plan_id=target, limit=_MANY)
    if not entries:
        raise NothingToUndo(
            f"The history of this profile does not contain plan '{target}'. 'chartui history' lists all plans."
        )
    return target, entries


async def _refuse_undone(journal: Journal, place: Place, name: str) -> None:
    if name in await undone_names(journal, place):
        by = next(plan_id for plan_id, undoes in await journal.undoings(place) if undoes == name)
        kept = await journal.plan(by)
        called = single_line(kept.title, limit=80) if kept is not None else by
        raise NothingToUndo(f"This change has already been undone. To redo it, undo “{called}”.")


def _refuse_doubt(entries: Sequence[Entry]) -> Sequence[Entry]:
    if not entries:
        raise NothingToUndo("Nothing to undo: this change was refused, so nothing changed.")
    doubtful = next((entry for entry in entries if entry.outcome is not Outcome.DONE), None)
    if doubtful is not None:
        raise NothingToUndo(f"The outcome of change #{doubtful.number} is unknown. Resolve it in the history first.")
    return entries


def _title(done: str) -> str:
    if done.startswith(UNDO):
        return f"{_REDO}{done.removeprefix(UNDO)}"
    return f"{UNDO}{done.removeprefix(_REDO)}"


def done_title(plan: Plan) -> str:
    """Return the title of a completed plan, such as ``Changed the story of Elena``, or ``Undone: …`` for an undo."""
    for prefix, done in ((UNDO, "Undone: "), (_REDO, "Redone: ")):
        if plan.undoes and plan.title.startswith(prefix):
            return done + plan.title.removeprefix(prefix)
    verb, _, what = plan.title.partition(" ")
    return f"{_DONE[verb]} {what}" if verb in _DONE else f"Applied: {plan.title}"


#: The first word of the title of a plan, after it is completed.
_DONE: Final = {"Apply": "Applied", "Change": "Changed"}
_REDO: Final = "Redo: "


@dataclass
class _Turning:
    """Builds the steps that reverse entries, last entry first, and tracks whether they depend on each other.

    ``recreated`` maps the IDs of recreated items to the placeholders for their new IDs.
    """

    service: Service
    of: Callable[[str], str]
    independent: bool = True
    steps: list[Step] = field(default_factory=list)
    recreated: dict[str, Mapping[str, Wire]] = field(default_factory=dict)

    async def back(self, entries: Sequence[Entry]) -> None:
        if not self.service.embedded:
            await self._recreate_sections([entry for entry in entries if entry.operation == "delete-section"])
        for entry in entries:
            self.independent &= bool(written(entry.operation, entry.payload))
            for step in inverse(entry, embedded=self.service.embedded, of=self.of):
                self._add(step)
            if entry.operation == "delete-trigger" and not self.service.embedded:
                await self._trigger_again(entry)

    def _add(self, step: Step) -> None:
        payload, expected = self._renewed(step.payload), self._renewed(step.expected)
        self.steps.append(replace(step, payload=payload, expected=expected))

    def _renewed(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.recreated.get(value, value)
        if isinstance(value, Mapping):
            return {member: self._renewed(inner) for member, inner in value.items()}
        return [self._renewed(inner) for inner in value] if isinstance(value, list | tuple) else value

    async def _trigger_again(self, entry: Entry) -> None:
        trigger: Mapping[str, Any] = before_of(entry)
        character = {"character_id": entry.payload["character_id"]}
        payload = {**character, **{member: trigger.get(member) or "" for member in ("trigger_name", "trigger_message")}}
        reason = "Recreated under a new ID. Any override of the old trigger is lost"
        if destination := trigger.get("destination_section"):
            # As with decisions, a service does not accept a dangling reference (decision 38).
            others = await self.service.sections(str(character["character_id"]))
            if destination in self.recreated or any(other.section_id == destination for other in others):
                payload["destination_section"] = destination
            else:
                reason += ", and so is the trigger's target, which no longer exists"
        reason += "."
        self._add(step_back(entry, "create-trigger", payload, reason, of=self.of))
        self.recreated[str(entry.payload["trigger_id"])] = result_of(len(self.steps) - 1, "trigger_id")

    async def _recreate_sections(self, entries: Sequence[Entry]) -> None:
        """Recreate all sections, then restore the references from and to them.

        The sections come first because they may refer to each other.
        """
        for entry in entries:
            self.independent = False
            section = before_of(entry)
            made = {member: section.get(member) or "" for member in ("section_name", "objective")}
            payload = {"character_id": entry.payload["character_id"], **made}
            self._add(step_back(entry, "create-section", payload, of=self.of))
            self.recreated[str(entry.payload["section_id"])] = result_of(len(self.steps) - 1, "section_id")
        last: dict[str, Entry] = {}
        for entry in entries:
            last.setdefault(str(entry.payload["character_id"]), entry)
        others = {character_id: await self.service.sections(character_id) for character_id in last}
        for entry in entries:
            self._decisions_back(entry, others[str(entry.payload["character_id"])])
        for character_id, entry in last.items():
            await self._redirect_references(entry, character_id, others[character_id])

    def _decisions_back(self, entry: Entry, others: Sequence[Section]) -> None:
        # A decision whose target was already missing cannot be recreated: a service accepts only known sections
        # (decision 38).
        known = {*self.recreated, *(other.section_id for other in others)}
        stored: Any = before_of(entry).get("decisions")
        decisions = stored if isinstance(stored, list) else []
        # Unreadable decisions are sent back unchanged (decision 69).
        kept = [one for one in decisions if not isinstance(one, Mapping) or one.get("next_section_id") in known]
        if kept:
            lost = f", except {len(decisions) - len(kept)} with a missing target" if len(kept) < len(decisions) else ""
            address = {member: entry.payload[member] for member in ("character_id", "section_id")}
            payload = {**address, "updated_data": {"decisions": kept}}
            reason = f"Restores the section's decisions{lost}."
            self._add(step_back(entry, "edit-section", payload, reason, seen={"decisions": None}, of=self.of))

    async def _redirect_references(self, entry: Entry, character_id: str, sections: Sequence[Section]) -> None:
        """Add edits that redirect references from old IDs to new ones (decision 39)."""
        for section in sections:
            if any(decision.next_section_id in self.recreated for decision in section.decisions or ()):
                address = {"character_id": character_id, "section_id": section.section_id}
                seen: dict[str, Wire] = {"decisions": section.raw["decisions"]}
                self._lead(entry, "edit-section", address, seen, "Points decisions to the section's new ID.")
        for trigger in await self.service.triggers(character_id):
            if trigger.destination_section in self.recreated:
                address = {"character_id": character_id, "trigger_id": trigger.trigger_id}
                seen = {"destination_section": trigger.destination_section}
                self._lead(entry, "update-trigger", address, seen, "Points the trigger to the section's new ID.")

    def _lead(
        self, entry: Entry, name: str, address: Mapping[str, Wire], seen: Mapping[str, Wire], reason: str
    ) -> None:
        self._add(step_back(entry, name, {**address, "updated_data": seen}, reason, seen=seen, of=self.of))
        # The current values still hold the old IDs.
        self.steps[-1] = replace(self.steps[-1], expected=seen)
