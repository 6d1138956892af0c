"""A service to learn from on the screen: it answers at once, no time passes, and learning halts where a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from chartui.core.backends.base import Answer, Backend, Context
from chartui.core.backends.layers import Compared
from chartui.core.estimation.card import RateCard
from chartui.core.estimation.estimator import Estimator, payload_of_query
from chartui.core.estimation.learned.rates import Manner
from chartui.core.jsontext import Wire
from chartui.core.session import RatesInUse, Session
from chartui.core.spec.operation import Operation
from tests.core.estimation.services import Change
from tests.tui.sessions import REMOTE, Double, clock, remote

__all__ = ["Charging", "Halting", "service_with"]


class Halting:
    """The sleep between calls: at once, but for the one numbered ``at``, which lasts until :meth:`go_on`."""

    def __init__(self, at: int | None = None) -> None:
        self.at = at
        self.naps = 0
        self._going: asyncio.Event | None = None

    async def __call__(self, seconds: float) -> None:
        self.naps += 1
        if self.naps == self.at:
            self._going = asyncio.Event()
            await self._going.wait()

    @property
    def halted(self) -> bool:
        """Whether learning waits for the test."""
        return self._going is not None and not self._going.is_set()

    def go_on(self) -> None:
        """Let the wait end."""
        assert self._going is not None
        self._going.set()


class Charging:
    """A backend around another that estimates by ``card``, altered by ``change``."""

    def __init__(self, backend: Backend, card: RateCard, change: Change | None = None) -> None:
        self._backend = backend
        self.card = card
        self.change = change

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform, with another card than the store's."""
        estimator = Estimator(self.card)
        if operation.name == "options":
            return Answer(body=estimator.options())
        if operation.name not in ("estimate", "get-estimate"):
            return await self._backend.perform(operation, payload, context)
        asked = payload if operation.name == "get-estimate" else {}
        body = estimator.estimate(payload_of_query(payload) if operation.name == "get-estimate" else payload)
        if self.change is not None:
            self.change(body, asked)
        return Answer(body=body)

    async def aclose(self) -> None:
        """Close the other backend."""
        await self._backend.aclose()


def service_with(
    card: RateCard, monkeypatch: pytest.MonkeyPatch, *, change: Change | None = None, sleep: Halting | None = None
) -> tuple[Session, Double]:
    """A session on a service with this card, and learning for which nobody waits."""
    session, double = remote()
    double.backend = Charging(double.backend, card, change)
    manner = Manner(clock=clock, sleep=sleep or Halting(), ticks=lambda: 0.0, seeds=Random(1))
    monkeypatch.setattr("chartui.tui.screens.estimator.rates.manner", lambda: manner)
    rates = RatesInUse(REMOTE)
    service = session.service.through(lambda backend: Compared(backend, rates.compare))
    return replace(session, rates=rates, service=service), double
