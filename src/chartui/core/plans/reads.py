"""Read and cache the values that a plan needs.

The only way to read a character's record is to fetch the whole list of characters, which can be as large as 30 MB.
Therefore, each list is read only once before a plan and once after it. The values read before the plan are shown in the
review, used to detect conflicts, and recorded in the journal as the earlier values. The values read after the plan show
whether the sent values were stored, and are used to refresh the screen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chartui.core.backends.base import Answer, Backend, Context
from chartui.core.backends.layers import Shared
from chartui.core.backends.present import present
from chartui.core.classes import dataclass
from chartui.core.clock import Clock, Monotonic, monotonic, system_clock
from chartui.core.jsontext import Wire, dumps
from chartui.core.service import Service
from chartui.core.spec.elements import Decoded
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import operation

#: The maximum age, in seconds, of values when a plan is applied. Older values are read again.
FRESH: Final = 30.0
#: Operations whose answers are cached. The answers contain the values that a change overwrites, and items that resemble
#: a new one.
_KEPT: Final = frozenset({"list-characters", "list-sections", "list-triggers", "summarize-characters"})
#: Operations that can also be answered from a service's list → that list, and the member with the item's ID.
_IN_LISTS: Final[Mapping[str, tuple[str, str]]] = {
    "get-section": ("list-sections", "section_id"),
    "get-trigger": ("list-triggers", "trigger_id"),
}


@dataclass(slots=True)
class _Kept:
    call: Shared[Answer]
    since: float | None = None


class Reads:
    """Caches the lists that are read from a service, and passes all other calls on to the service.

    Make all calls through :attr:`service`. Create one instance for reading before a plan, and another for reading after
    it. Lists are cached until :meth:`renew` drops them, and concurrent reads of a list share one response. For a remote
    service, a single section or trigger is taken from the cached list. Raises
    :class:`~chartui.core.spec.errors.ServiceError` if reading fails.
    """

    def __init__(self, service: Service, *, ticks: Monotonic = monotonic, clock: Clock = system_clock) -> None:
        self.embedded = service.embedded
        self.service = service.through(self._around)
        self._ticks = ticks
        self._clock = clock
        self._kept: dict[str, _Kept] = {}
        #: When the first cached list was requested (ISO 8601, UTC, to the second). None if no list is cached.
        self.read_at: str | None = None

    def _around(self, backend: Backend) -> Reads:
        self._backend = backend
        return self

    @property
    def caveat(self) -> str:
        """A warning that later changes by others will go unnoticed, or an empty string if they will be detected."""
        if self.embedded or self.read_at is None:
            return ""
        return (
            f"The values were read at {self.read_at[11:19]} UTC. Changes that others have made since then may go "
            "unnoticed."
        )

    @property
    def age(self) -> float:
        """The number of seconds since the oldest cached list was received, or 0 if no list is cached."""
        arrived = [kept.since for kept in self._kept.values() if kept.since is not None]
        return self._ticks() - min(arrived) if arrived else 0.0

    def renew(self) -> str:
        """Drop the cached values if they are too old to be used for applying a plan.

        Call this method when a review is confirmed. Returns a sentence saying that the values will be read again, or an
        empty string if the cached values are recent enough.
        """
        age = self.age
        if age <= FRESH:
            return ""
        self._kept.clear()
        self.read_at = None
        return f"The values were read again because the review was open for {age:.0f} s."

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Return the cached response to an operation, or perform the operation if no response is cached."""
        if operation.name in _IN_LISTS and not self.embedded:
            return await self._from_list(operation, payload, context)
        if operation.name not in _KEPT:
            return await self._backend.perform(operation, payload, context)
        return await self._once(operation, payload, context)

    async def _once(self, row: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        question = dumps([row.name, payload])
        kept = self._kept.get(question)
        if kept is None:
            self.read_at = self.read_at or self._clock().isoformat(timespec="seconds")
            kept = self._kept[question] = _Kept(Shared(self._backend.perform(row, payload, context)))
        try:
            answer = await kept.call.wait()
        # This includes a cancellation. Once the last waiting caller has canceled, the next call reads again.
        except BaseException:  # the answer that failed must not be kept
            if kept.call.over and self._kept.get(question) is kept:
                del self._kept[question]
            raise
        kept.since = self._ticks() if kept.since is None else kept.since
        return answer

    async def _from_list(self, row: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        name, member = _IN_LISTS[row.name]
        listing = operation(name)
        answer = await self._once(listing, {"character_id": payload["character_id"]}, context)
        items: Any = answer.read(listing)
        for item in items if isinstance(items, Sequence) else ():
            if isinstance(item, Mapping) and item.get(member) == payload.get(member):
                return Answer(body=item, meta=answer.meta, decoded=Decoded(item))
        # The item was created after the list was read, or it is missing. The service's own error says which.
        return await self._backend.perform(row, payload, context)

    async def aclose(self) -> None:
        """Leave the service open, because it belongs to the caller."""

    async def body(self, name: str, payload: Mapping[str, Wire]) -> Any:
        row = operation(name)
        return (await self.service.call(row, payload, refresh=True)).read(row)

    async def present(
        self,
        row: Operation,
        payload: Mapping[str, Wire],
        expected: Mapping[str, Wire] | None = None,
        *,
        again: bool = False,
    ) -> Mapping[str, Wire] | None:
        """Return the current values of the fields that an operation changes, and of the ``expected`` fields.

        Returns None if the values cannot be read. If ``again`` is set, cached responses are ignored.
        """
        backend = self._backend if again else self
        return await present(backend, row.name, payload, Context(expected=expected), embedded=self.embedded)
