"""Check that a service stored the values sent by a plan.

After the plan has ended, each list with changed items is read once. Embedded stores are not checked, because they
compare values inside their transactions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from typing import Any, Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.jsontext import Wire, same
from chartui.core.plans.executor import Progress, StepState
from chartui.core.plans.plan import BadPlan, resolved
from chartui.core.plans.reads import Reads
from chartui.core.plans.wording import LABELS, short, stored, written
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.records import Records, settings_in


class Confirmation(NamedTuple):
    """The values that a plan sent for one item, such as a section, grouped by how the service stored them.

    ``as_sent`` lists the fields that were stored as sent, and ``unseen`` lists the fields that cannot be read back
    (decision 25). ``other`` contains the fields that were stored with a different value, each paired with that value.
    """

    as_sent: tuple[str, ...]
    unseen: tuple[str, ...]
    other: tuple[tuple[str, str], ...]

    @property
    def sentence(self) -> str:
        """Sentences about values that were not stored as sent, or could not be confirmed.

        The result is empty if all values were confirmed as sent.
        """
        sentences = []
        if self.other:
            values = ", ".join(f"{LABELS.get(member, member)} is {there}" for member, there in self.other)
            sentences.append(f"Stored differently from what was sent: {values}.")
        if self.unseen:
            if self.as_sent:
                sentences.append(f"Confirmed as sent: {_listed(self.as_sent)}.")
            sentences.append(f"Not reported by the service, so not confirmed: {_listed(self.unseen)}.")
        return " ".join(sentences)


def _listed(members: tuple[str, ...]) -> str:
    return ", ".join(LABELS.get(member, member) for member in members)


#: Represents the whole item where a member is expected.
_ITSELF: Final = "it"
#: Operations that create a part of a graph → the operation that changes its members.
_MAKING: Final[Mapping[str, str]] = {"create-section": "edit-section", "create-trigger": "update-trigger"}
#: Each operation → the kind of item that it changes.
_KINDS: Final[Mapping[str, str]] = {
    "update-character": "character",
    "toggle-narrative": "character",
    "edit-section": "section",
    "update-trigger": "trigger",
}


class _Thing(NamedTuple):
    kind: str
    character_id: str
    item_id: str = ""


@dataclass(slots=True)
class _Sent:
    """The values that a plan sent to one item and expects to read back, or None for a deleted item."""

    subject: str
    members: dict[str, Wire] | None = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack:
    """The comparison of sent and stored values for each item that a plan changed.

    ``failure`` is the error that interrupted reading, if any.
    """

    found: tuple[tuple[str, Confirmation], ...] = ()
    failure: ServiceError | None = None

    @property
    def differs(self) -> bool:
        return any(confirmation.other for _, confirmation in self.found)

    @property
    def remarks(self) -> tuple[tuple[str, str, bool], ...]:
        """The results to report.

        Each result contains the affected items, a sentence, and a flag that is true if a stored value differs from the
        value sent. Items with the same result are combined.
        """
        subjects: dict[tuple[str, bool], list[str]] = {}
        for subject, confirmation in self.found:
            if confirmation.sentence:
                subjects.setdefault((confirmation.sentence, bool(confirmation.other)), []).append(subject)
        return tuple((_called(names), sentence, differs) for (sentence, differs), names in subjects.items())

    @property
    def failed(self) -> str:
        """A sentence saying that the values could not be read back, or an empty string if they could be."""
        if self.failure is None:
            return ""
        return f"The changes were sent, but could not be read back: {self.failure.message}"

    @property
    def sentences(self) -> tuple[str, ...]:
        return (*(f"{subject}: {sentence}" for subject, sentence, _ in self.remarks), *filter(None, (self.failed,)))


def _called(names: list[str]) -> str:
    return names[0] if len(set(names)) == 1 else f"{names[0]} and {len(names) - 1} more"


async def read_back(reads: Reads, progress: Progress, *, earlier: Collection[int] = ()) -> ReadBack:
    """Compare the values sent by a plan with those that the service stores now.

    ``progress`` is the progress of the finished plan, and ``reads`` must be created after the plan has ended. Steps
    whose numbers are in ``earlier`` are left out. If the service cannot be read, no error is raised, because the
    changes have already been made.
    """
    if reads.embedded:
        return ReadBack()
    found = []
    try:
        for thing, sent in _sent(progress, earlier).items():
            found.append((sent.subject, _compared(sent, await _stored(reads, thing))))
    except ServiceError as error:
        return ReadBack(found=tuple(found), failure=error)
    return ReadBack(found=tuple(found))


def _sent(progress: Progress, earlier: Collection[int]) -> dict[_Thing, _Sent]:
    sent: dict[_Thing, _Sent] = {}
    for number, step in enumerate(progress.plan.steps):
        if progress.states[number] is not StepState.DONE or number in earlier:
            continue
        try:
            payload: Any = resolved(step.payload, progress.answers)
        # The plan was resumed by another program. Its answers are in the journal, and its steps count as earlier.
        except BadPlan:
            continue
        for thing, members in _members(step.operation, payload, progress.answers.get(number)):
            known = sent.setdefault(thing, _Sent(step.subject or thing.item_id or thing.character_id))
            known.members = None if members is None or known.members is None else known.members | members
    return sent


def _members(name: str, payload: Mapping[str, Any], answer: Any) -> Iterator[tuple[_Thing, dict[str, Wire] | None]]:
    """Yield the items that a step changes, with their new values.

    Operations that only an embedded store has yield nothing.
    """
    character_id = str(payload.get("charID", payload.get("character_id")))
    if name in ("delete-section", "delete-trigger"):
        kind = name.removeprefix("delete-")
        yield _Thing(kind, character_id, str(payload[f"{kind}_id"])), None
        return
    changing = _MAKING.get(name, name)
    kind = _KINDS.get(changing, "")
    if not kind:
        return
    values = written(name, payload)
    item_id = payload.get(f"{kind}_id", "")
    if name in _MAKING:
        if not isinstance(answer, Mapping) or not isinstance(answer.get(f"{kind}_id"), str):
            return
        item_id = answer[f"{kind}_id"]
        members = ("section_name", "objective", "trigger_name", "trigger_message", "destination_section")
        values = {member: payload[member] for member in members if member in payload}
    yield _Thing(kind, character_id, str(item_id)), dict(stored(changing, values))


async def _stored(reads: Reads, thing: _Thing) -> Mapping[str, Any] | None:
    """Return the members of an item as the service returns them, or None if the item does not exist."""
    if thing.kind == "character":
        record = Records.of((await reads.body("list-characters", {}))["characters"]).find(thing.character_id)
        return None if record is None else {**record, **settings_in(record)}
    items = await reads.body(f"list-{thing.kind}s", {"character_id": thing.character_id})
    return next((one for one in items if one.get(f"{thing.kind}_id") == thing.item_id), None)


def _compared(sent: _Sent, now: Mapping[str, Any] | None) -> Confirmation:
    if sent.members is None:
        return Confirmation((), (), () if now is None else ((_ITSELF, "still stored"),))
    if now is None:
        return Confirmation((), (), ((_ITSELF, "missing"),))
    as_sent = tuple(m for m, value in sent.members.items() if m in now and _equal(value, now[m]))
    unseen = tuple(m for m in sent.members if m not in now)
    other = tuple((m, short(now[m])) for m in sent.members if m in now and m not in as_sent)
    return Confirmation(as_sent, unseen, other)


def _equal(sent: Wire, now: Any) -> bool:
    """Return whether a value is stored as sent.

    An empty list may be stored as null, and objects may have more members.
    """
    if isinstance(sent, list | tuple):
        items = now or []
        return isinstance(items, list | tuple) and len(items) == len(sent) and all(map(_equal, sent, items))
    if isinstance(sent, Mapping) and isinstance(now, Mapping):
        return all(name in now and _equal(value, now[name]) for name, value in sent.items())
    return same(sent, now)
