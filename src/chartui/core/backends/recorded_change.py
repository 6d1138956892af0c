"""Record a change in the journal. This module is imported only when needed, because most runs change nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from chartui.core.backends.base import Answer
from chartui.core.backends.recorder import excerpt
from chartui.core.classes import dataclass
from chartui.core.journal import Journal, Outcome, outcome_of
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.operation import Operation

_LOG: Final = logging.getLogger("chartui.journal")


@dataclass(slots=True, kw_only=True)
class RecordedChange:
    """One change in progress. It is recorded, then performed, and then its outcome is recorded."""

    journal: Journal
    operation: Operation
    intend: Callable[[], Awaitable[int]]
    perform: Callable[[], Awaitable[Answer]]
    can_be_given_up: bool
    redact: Callable[[str], str]
    given_up: bool = False
    call: asyncio.Future[Answer] | None = None

    def give_up(self) -> None:
        """Cancel the change if it has not been sent yet.

        If it has already been sent to a remote service, stop waiting for the response.
        """
        self.given_up = True
        if self.call is not None and self.can_be_given_up:
            self.call.cancel()

    async def run(self) -> Answer:
        number = await self._written_down()
        if self.given_up:
            await self._conclude(number, Outcome.REFUSED, "Canceled before the request was sent.")
            raise asyncio.CancelledError
        self.call = asyncio.ensure_future(self.perform())
        try:
            answer = await self.call
        except ServiceError as error:
            await self._conclude(number, outcome_of(error), self.redact(error.message))
            raise
        except asyncio.CancelledError:
            await self._conclude(number, Outcome.UNKNOWN, "Canceled before the response arrived.")
            raise
        except Exception as error:  # whatever the failure, the journal records an unknown outcome
            await self._conclude(number, Outcome.UNKNOWN, f"The program failed ({type(error).__name__}).")
            raise
        await self._conclude(
            number, Outcome.DONE, answer=excerpt(answer.read(self.operation), redact=self.redact).value
        )
        return answer

    async def _written_down(self) -> int:
        try:
            return await self.intend()
        except ServiceError as error:
            message = f"The change could not be recorded in the journal, so nothing was sent. {error.message}"
            raise replace(error, message=message, sent="no") from None

    async def _conclude(self, number: int, outcome: Outcome, error: str = "", answer: Wire = None) -> None:
        try:
            await self.journal.conclude(number, outcome, error=error, answer=answer)
        except ServiceError as failure:
            # This does not undo the change. Its entry stays open, and a later start reports it.
            _LOG.debug("the outcome of entry %s (%s) could not be recorded: %s", number, outcome, failure)
