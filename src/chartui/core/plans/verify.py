"""Determine whether a step would change anything, and whether a step with an unknown outcome was applied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

from chartui.core.characters.comparison import members
from chartui.core.classes import NamedTuple, dataclass
from chartui.core.journal import Entry, Journal, Outcome
from chartui.core.jsontext import Wire, dumps, same
from chartui.core.plans.reads import Reads
from chartui.core.plans.wording import stored, written
from chartui.core.profiles import Place
from chartui.core.seen import Seen, Since
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation, Retry


class _Listing(NamedTuple):
    """Where to find items created by an operation.

    The fields are the operation that lists them, the member that holds the list, the member with an item's ID, and the
    members that identify an item.
    """

    row: str
    member: str | None
    id: str
    known_by: tuple[str, ...]


_LISTINGS: Final[Mapping[str, _Listing]] = {
    "create-section": _Listing("list-sections", None, "section_id", ("section_name", "objective")),
    "create-trigger": _Listing("list-triggers", None, "trigger_id", ("trigger_name", "trigger_message")),
    "create-character": _Listing("summarize-characters", "characters", "character_id", ("character_name",)),
    "duplicate-character": _Listing("summarize-characters", "characters", "character_id", ("character_name",)),
}


class Ended(StrEnum):
    """The outcome of a step, as far as it can be determined."""

    DONE = "done"
    NOT_DONE = "not done"
    CHANGED = "changed"  # the current value is neither the old nor the new one
    UNCLEAR = "unclear"  # cannot be determined from readable values


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The outcome of a step, and the service's ``answer`` if it can be inferred from the current values."""

    ended: Ended
    answer: Wire = None


def makes(row: Operation) -> bool:
    return row.name in _LISTINGS


def removes(row: Operation) -> bool:
    return row.name.startswith("delete-")


def address_of(row: Operation, payload: Mapping[str, Wire]) -> str:
    """Return a string that identifies what a step changes, such as a section.

    Steps with different identifiers do not affect each other.
    """
    values = written(row.name, payload)
    address = {name: value for name, value in payload.items() if name not in values and isinstance(value, str)}
    return dumps([row.name, dict(sorted(address.items()))])


def _wanted(row: Operation, payload: Mapping[str, Wire]) -> Mapping[str, Wire]:
    return stored(row.name, written(row.name, payload))


def is_so(row: Operation, payload: Mapping[str, Wire], now: Mapping[str, Wire] | None) -> bool:
    """Return whether an operation would change nothing. The result is always False for a creation or deletion."""
    if now is None or row.retry is not Retry.ALWAYS:
        return False
    return all(name in now and same(now[name], value) for name, value in _wanted(row, payload).items())


async def lookalikes(row: Operation, payload: Mapping[str, Wire], reads: Reads) -> list[Wire]:
    """Return the IDs of existing sections or triggers that look exactly like the one that the operation creates."""
    listing = _LISTINGS[row.name]
    body = await reads.body(listing.row, _character(payload) if listing.member is None else {})
    things: Sequence[Mapping[str, Wire]] = body if listing.member is None else body[listing.member]
    known = [name for name in listing.known_by if name in payload]
    return [thing[listing.id] for thing in things if all(thing.get(name) == payload[name] for name in known)]


#: The member of an entry's ``before`` with the IDs of the lookalikes that existed before the operation was sent.
EQUAL: Final = "equal_ids"
_ALL: Final = 1_000_000


async def made_by_others(row: Operation, journal: Journal, entry: Entry) -> list[Wire] | None:
    """Return the IDs of sections or triggers that the recorded operation did not create.

    These sections or triggers either existed before the operation and look exactly like the section or trigger that it
    creates, or were created by other recorded operations. The result is None if the IDs are unknown.
    """
    equal: Any = (entry.before or {}).get(EQUAL)
    if equal is None:
        return None
    listing = _LISTINGS[row.name]
    others = await journal.entries(
        entry.place,
        character_id=None if listing.member else entry.character_id,
        outcomes=(Outcome.DONE,),
        operations=[name for name, other in _LISTINGS.items() if other.row == listing.row],
        limit=_ALL,
    )
    answers = (other.answer for other in others if other.number != entry.number)
    return [*equal, *(answer[listing.id] for answer in answers if isinstance(answer, Mapping) and listing.id in answer)]


async def how_it_ended(
    row: Operation,
    payload: Mapping[str, Wire],
    before: Mapping[str, Wire] | None,
    reads: Reads,
    *,
    others: Sequence[Wire] = (),
    again: bool = False,
) -> Found:
    """Determine the outcome of an operation.

    ``before`` contains the values read before the operation began. ``others`` contains the IDs of sections or triggers
    that the operation did not create, as returned by :func:`made_by_others`. ``again`` is passed to
    :meth:`Reads.present`. Raises :class:`ServiceError` if reading fails.
    """
    if makes(row):
        found = [thing for thing in await lookalikes(row, payload, reads) if thing not in others]
        if len(found) > 1:
            return Found(ended=Ended.UNCLEAR)
        if not found:
            return Found(ended=Ended.NOT_DONE)
        return Found(ended=Ended.DONE, answer={_LISTINGS[row.name].id: found[0]})
    try:
        now = await reads.present(row, payload, again=again)
    except ServiceError as error:
        if error.kind is not ErrorKind.NOT_FOUND:
            raise
        return Found(ended=Ended.DONE if removes(row) else Ended.NOT_DONE)
    if removes(row):
        return Found(ended=Ended.NOT_DONE if now is not None else Ended.UNCLEAR)
    if row.retry is not Retry.ALWAYS:
        return await _was_restored(row, payload, reads)
    return Found(ended=_compared(_wanted(row, payload), before or {}, now or {}))


def _compared(wanted: Mapping[str, Wire], before: Mapping[str, Wire], now: Mapping[str, Wire]) -> Ended:
    """Compare ``now`` with the wanted and the earlier values. Unreadable members are ignored."""
    readable = [name for name in wanted if name in now]
    if all(same(now[name], wanted[name]) for name in readable):
        # A member that already had the wanted value proves nothing.
        telling = [name for name in readable if name not in before or not same(before[name], wanted[name])]
        return Ended.DONE if telling else Ended.UNCLEAR
    if all(name in before and same(now[name], before[name]) for name in readable):
        return Ended.NOT_DONE
    return Ended.CHANGED


async def _was_restored(row: Operation, payload: Mapping[str, Any], reads: Reads) -> Found:
    """Return the outcome of a restore.

    A restored item keeps its ID, so the outcome is known from whether the item exists.
    """
    match row.name:
        case "restore-character":
            character_id = payload["snapshot"]["record"]["character_id"]
            question = "get-character", {"charID": character_id}
        case "restore-section":
            question = "get-section", {**_character(payload), "section_id": payload["section"]["section_id"]}
        case "restore-trigger":
            question = "get-trigger", {**_character(payload), "trigger_id": payload["trigger"]["trigger_id"]}
        case _:
            return Found(ended=Ended.UNCLEAR)
    try:
        await reads.body(*question)
    except ServiceError as error:
        if error.kind is not ErrorKind.NOT_FOUND:
            raise
        return Found(ended=Ended.NOT_DONE)
    return Found(ended=Ended.DONE, answer={"character_id": payload.get("character_id", question[1].get("charID"))})


def _character(payload: Mapping[str, Wire]) -> dict[str, Wire]:
    return {"character_id": payload["character_id"]}


_MANY: Final = 1_000
#: The name of a member in a change → its path in the character's record (decision 57).
_PATHS: Final[Mapping[str, str]] = {
    "model_group_name": "personalised_prompt_config.MODEL",
    "temperature": "personalised_prompt_config.TEMPERATURE",
    "section_id": "start_narrative_section_id",
}
#: Operations on the character itself rather than on a part of its graph.
_OF_ITSELF: Final = frozenset({"update-character", "toggle-narrative", "rename-character", "set-start-section"})
_START: Final = "start_narrative_section_id"


async def changed_elsewhere(
    seen: Seen,
    journal: Journal,
    place: Place,
    character_id: str,
    record: Mapping[str, Wire],
    settings: Mapping[str, Wire] | None,
) -> Since | None:
    """Return the changes made elsewhere to a character since it was last seen on this machine.

    Returns None if the character was never seen. Nothing is written. Raises
    :class:`~chartui.core.spec.errors.ServiceError` if the journal or the stored earlier values cannot be read.
    """
    now = members(record, settings)
    since = await seen.since(place, character_id, now)
    if since is None or not since.changed:
        return since
    done = await journal.entries(place, character_id=character_id, outcomes=(Outcome.DONE,), limit=_MANY)
    here: dict[str, Wire] = {}
    start = next((changed.before for changed in since.changed if changed.path == _START), None)
    for entry in reversed(done):  # the last written value counts
        # The journal has milliseconds, but ``since`` only has seconds. A change within the same second counts as later.
        if entry.at[:19] >= since.at[:19]:
            here.update(_left(entry, here.get(_START, start)))
    others = tuple(c for c in since.changed if c.path not in here or not same(here[c.path], now.get(c.path)))
    return Since(since.at, others)


def _left(entry: Entry, start: Wire) -> Iterator[tuple[str, Wire]]:
    """Yield the values that a change wrote to the character's record, by path.

    ``start`` is the ID of the start section before the change.
    """
    if entry.operation in _OF_ITSELF:
        from chartui.core.plans.inverse import level_after

        left = dict(stored(entry.operation, written(entry.operation, entry.payload)))
        before = entry.before or {}
        level = "reasoning_effort"
        if "model_group_name" in left and level not in left and level in before:
            left[level] = level_after(before[level], before.get("model_group_name"), left["model_group_name"])
        yield from ((_PATHS.get(member, member), value) for member, value in left.items())
    # The first section becomes the start of the story, and the deletion of the start removes it (decision 26).
    elif entry.operation == "create-section" and start is None:
        made: Any = entry.answer if isinstance(entry.answer, Mapping) else {}
        yield _START, made.get("section_id")
    elif entry.operation == "delete-section" and entry.payload.get("section_id") == start:
        yield _START, None


async def naming_own_change(
    error: ServiceError,
    journal: Journal,
    place: Place,
    row: Operation,
    payload: Mapping[str, Wire],
    present: Mapping[str, Wire],
) -> ServiceError:
    """Return ``error`` with a more specific message if this machine made the change that caused the conflict.

    Otherwise, return ``error`` unchanged. ``present`` contains the current values. Raises
    :class:`~chartui.core.spec.errors.ServiceError` if the journal cannot be read.
    """
    character_id = payload.get("charID", payload.get("character_id"))
    member = error.member
    if member is None or member not in present or not isinstance(character_id, str):
        return error
    for entry in await journal.entries(place, character_id=character_id, outcomes=(Outcome.DONE,), limit=_MANY):
        values = stored(entry.operation, written(entry.operation, entry.payload))
        if entry.operation != row.name or member not in values:
            continue
        if address_of(row, entry.payload) != address_of(row, payload):
            continue
        if not same(values[member], present[member]):
            break  # another program changed the value after that
        here = f"has changed since you read it (from this machine, #{entry.number}):"
        return replace(error, message=error.message.replace("has changed since you read it:", here))
    return error
