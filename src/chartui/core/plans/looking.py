"""What a step would change, what is there now, and how a step ended of which only the intent is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from chartui.core.jsontext import Wire, dumps, same
from chartui.core.plans.reads import Reads
from chartui.core.plans.wording import stored, written
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation, Retry

__all__ = ["Ended", "Found", "address_of", "how_it_ended", "is_so", "lookalikes", "makes", "removes"]


class _Listing(NamedTuple):
    """Where what an operation makes can be found: by which row, under which member, its id, and what it is known by."""

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
    """What looking has shown of a step."""

    DONE = "done"
    NOT_DONE = "not done"
    CHANGED = "changed"  # what is there now is neither what was there nor what was wanted
    UNCLEAR = "unclear"  # it cannot be told from what can be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """How a step ended; ``answer`` is what it must have answered, where that can be told."""

    ended: Ended
    answer: Wire = None


def makes(row: Operation) -> bool:
    """Whether the operation makes something whose id the service chooses."""
    return row.name in _LISTINGS


def removes(row: Operation) -> bool:
    """Whether the operation removes something."""
    return row.name.startswith("delete-")


def address_of(row: Operation, payload: Mapping[str, Wire]) -> str:
    """What a step changes, as a text to compare: steps with different ones do not get into each other's way."""
    values = written(row.name, payload)
    address = {name: value for name, value in payload.items() if name not in values and isinstance(value, str)}
    return dumps([row.name, dict(sorted(address.items()))])


def _wanted(row: Operation, payload: Mapping[str, Wire]) -> Mapping[str, Wire]:
    """The members as they will be read back once the operation is done."""
    return stored(row.name, written(row.name, payload))


def is_so(row: Operation, payload: Mapping[str, Wire], now: Mapping[str, Wire] | None) -> bool:
    """Whether everything is already as the operation would make it; never for what makes or removes something."""
    if now is None or row.retry is not Retry.ALWAYS:
        return False
    return all(name in now and same(now[name], value) for name, value in _wanted(row, payload).items())


async def lookalikes(row: Operation, payload: Mapping[str, Wire], reads: Reads) -> list[Wire]:
    """The ids of what looks like the thing that the operation makes, of which there may be some already."""
    listing = _LISTINGS[row.name]
    body = await reads.body(listing.row, _character(payload) if listing.member is None else {})
    things: Sequence[Mapping[str, Wire]] = body if listing.member is None else body[listing.member]
    known = [name for name in listing.known_by if name in payload]
    return [thing[listing.id] for thing in things if all(thing.get(name) == payload[name] for name in known)]


async def how_it_ended(
    row: Operation,
    payload: Mapping[str, Wire],
    before: Mapping[str, Wire] | None,
    reads: Reads,
    *,
    others: Sequence[Wire] = (),
    again: bool = False,
) -> Found:
    """Look how an operation ended that was begun with ``before`` in place.

    ``others`` are the ids of what looks the same and was there already, or was made since by somebody known. ``again``
    is that of :meth:`Reads.present`.
    Raises :class:`ServiceError` when looking itself fails.
    """
    if makes(row):
        return await _was_made(row, payload, reads, others)
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
    """Which of the two ``now`` is; what cannot be read has no say."""
    readable = [name for name in wanted if name in now]
    if all(same(now[name], wanted[name]) for name in readable):
        # What was already so when it began tells nothing.
        telling = [name for name in readable if name not in before or not same(before[name], wanted[name])]
        return Ended.DONE if telling else Ended.UNCLEAR
    if all(name in before and same(now[name], before[name]) for name in readable):
        return Ended.NOT_DONE
    return Ended.CHANGED


async def _was_made(row: Operation, payload: Mapping[str, Wire], reads: Reads, others: Sequence[Wire]) -> Found:
    found = [thing for thing in await lookalikes(row, payload, reads) if thing not in others]
    if len(found) > 1:
        return Found(ended=Ended.UNCLEAR)
    if not found:
        return Found(ended=Ended.NOT_DONE)
    return Found(ended=Ended.DONE, answer={_LISTINGS[row.name].id: found[0]})


async def _was_restored(row: Operation, payload: Mapping[str, Any], reads: Reads) -> Found:
    """What is put back has its own id, so it is there or not."""
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
