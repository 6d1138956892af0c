"""Which of the things that changed since one looked were changed from here, as the journal tells.

The rest came from elsewhere: another program, another person, the service itself. Nobody can say more of it than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from chartui.core.characters.comparison import members
from chartui.core.journal import Outcome
from chartui.core.jsontext import Wire, same
from chartui.core.plans.looking import address_of
from chartui.core.plans.wording import stored, written
from chartui.core.seen import Since

if TYPE_CHECKING:
    from chartui.core.journal import Entry, Journal
    from chartui.core.profiles import Place
    from chartui.core.seen import Seen
    from chartui.core.spec.errors import ServiceError
    from chartui.core.spec.operation import Operation

__all__ = ["changed_elsewhere", "said_from_here"]

_MANY: Final = 1_000
#: What a change calls a member → where it stands in the record (decision 57).
_PATHS: Final[Mapping[str, str]] = {
    "model_group_name": "personalised_prompt_config.MODEL",
    "temperature": "personalised_prompt_config.TEMPERATURE",
    "section_id": "start_narrative_section_id",
}
#: The changes that are about the character itself and not about a part of its graph.
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
    """What changed of a character since it was last seen on this machine, but for what was changed from here.

    None where it was never seen. Nothing is written. Raises :class:`~chartui.core.spec.errors.ServiceError`.
    """
    now = members(record, settings)
    since = await seen.since(place, character_id, now)
    if since is None or not since.changed:
        return since
    done = await journal.entries(place, character_id=character_id, outcomes=(Outcome.DONE,), limit=_MANY)
    here: dict[str, Wire] = {}
    for entry in reversed(done):  # what was written last counts
        # The journal counts milliseconds and what was seen does not: a change in the second of the look came after it.
        if entry.at[:19] >= since.at[:19]:
            here.update(_left(entry))
    others = tuple(c for c in since.changed if c.path not in here or not same(here[c.path], now.get(c.path)))
    return Since(since.at, others)


def _left(entry: Entry) -> Iterator[tuple[str, Wire]]:
    """What a change left in the record, by path."""
    if entry.operation in _OF_ITSELF:
        from chartui.core.plans.inverse import level_after

        left = dict(stored(entry.operation, written(entry.operation, entry.payload)))
        before = entry.before or {}
        level = "reasoning_effort"
        if "model_group_name" in left and level not in left and level in before:
            left[level] = level_after(before[level], before.get("model_group_name"), left["model_group_name"])
        yield from ((_PATHS.get(member, member), value) for member, value in left.items())
    elif entry.operation in ("create-section", "delete-section"):
        # The first section becomes the start of the story, and its deletion takes that away (decision 26).
        made: Any = entry.answer if isinstance(entry.answer, Mapping) else {}
        yield _START, made.get("section_id") if entry.operation == "create-section" else None


async def said_from_here(
    error: ServiceError,
    journal: Journal,
    place: Place,
    row: Operation,
    payload: Mapping[str, Wire],
    present: Mapping[str, Wire],
) -> ServiceError:
    """The conflict that ``row`` with ``payload`` met, which names the later change where that was made from here.

    ``present`` holds the present values. Raises :class:`~chartui.core.spec.errors.ServiceError`.
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
            break  # another program has changed it after that
        here = f"was changed since (from here, #{entry.number}):"
        return replace(error, message=error.message.replace("was changed since:", here))
    return error
