"""What became of a staged story that was sent, by plans that may not be through: nothing of it is made twice.

The draft of a story names the plans (:class:`~chartui.core.narrative.edits.Sending`), the journal knows their steps.
Of a step of which nobody knows how it ended – the program was killed, or the answer was lost – that is looked at first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from chartui.core.journal import Outcome, PlanState
from chartui.core.narrative.edits import STORY, Key, Sending
from chartui.core.plans.history import look_at
from chartui.core.plans.kept import last_tries
from chartui.core.plans.reads import Reads

if TYPE_CHECKING:
    from chartui.core.journal import Entry, Journal
    from chartui.core.jsontext import Wire
    from chartui.core.service import Service

__all__ = ["Became", "made_ids", "what_became"]

_IN_DOUBT: Final = (Outcome.OPEN, Outcome.UNKNOWN)
#: Of a plan in one of these states every step was tried.
_THROUGH: Final = (PlanState.DONE, PlanState.PARTLY_DONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Became:
    """``ids`` are those that have been given to what was new; ``doubtful`` is what is new and may have been made.

    ``ours`` are values that a plan has put there on its way to others, by what they are values of. ``left`` are the
    plans of which something is to be known or done yet.
    """

    ids: Mapping[str, str]
    doubtful: frozenset[str]
    ours: Mapping[Key, Sequence[Wire]]
    left: tuple[Sending, ...]


async def what_became(service: Service, journal: Journal, sent: Sequence[Sending]) -> Became:
    """Look what became of plans, the oldest first; what is found out is written down in the journal.

    A plan in whose place a later one was begun is forgotten, so that nobody goes on with it: it would make once more
    what that one has made. Raises :class:`~chartui.core.spec.errors.ServiceError`.
    """
    ids: dict[str, str] = {}
    doubtful: set[str] = set()
    ours: dict[Key, list[Wire]] = {}
    left: list[Sending] = []
    for sending in sent:
        kept = await journal.plan(sending.plan)
        tries = await last_tries(journal, sending.plan)
        if kept is None and not tries:  # never begun
            continue
        alive = kept is not None and kept.alive
        if not alive and await _looked(service, journal, tries.values()):
            tries = await last_tries(journal, sending.plan)
        found = made_ids(sending, {number: entry.answer for number, entry in tries.items()})
        ids |= found
        in_doubt = {number for number, entry in tries.items() if entry.outcome in _IN_DOUBT}
        doubtful |= {item for number, item in sending.makes.items() if number in in_doubt and item not in found}
        for key, value in _on_the_way(tries.values()):
            ours.setdefault(key, []).append(value)
        for earlier in left:
            await journal.forget_plan(earlier.plan)
        makes = {number: item for number, item in sending.makes.items() if item not in found}
        through = not in_doubt and (kept is None or kept.state in _THROUGH)
        left = [] if through else [replace(sending, makes=makes)]
    return Became(ids=ids, doubtful=frozenset(doubtful - ids.keys()), ours=ours, left=tuple(left))


async def _looked(service: Service, journal: Journal, entries: Iterable[Entry]) -> bool:
    """Look how the steps ended of which nobody knows; tells whether there were any."""
    doubtful = [entry for entry in entries if entry.outcome in _IN_DOUBT and not entry.running]
    reads = Reads(service)
    for entry in doubtful:
        await look_at(reads, journal, entry)
    return bool(doubtful)


def made_ids(sending: Sending, answers: Mapping[int, Wire]) -> dict[str, str]:
    """The ids that what was new has by now, by those that it had in the story; ``answers`` are those of the steps."""
    ids = {}
    for number, item in sending.makes.items():
        answer = answers.get(number)
        made = (answer.get("trigger_id") or answer.get("section_id")) if isinstance(answer, Mapping) else None
        if isinstance(made, str):
            ids[item] = made
    return ids


def _on_the_way(entries: Iterable[Entry]) -> Iterable[tuple[Key, Wire]]:
    """What steps have written that the plan itself was to change again: names that were in the way of others, and the
    start that a story takes by itself (decision 26).
    """
    for entry in entries:
        if entry.outcome is not Outcome.DONE:
            continue
        written = entry.payload.get("updated_data")
        if entry.operation == "update-trigger" and isinstance(written, Mapping) and "trigger_name" in written:
            yield ("trigger", str(entry.payload["trigger_id"]), "trigger_name"), written["trigger_name"]
        if entry.operation == "create-section" and isinstance(entry.answer, Mapping):
            yield ("story", STORY, "start"), entry.answer.get("section_id")
