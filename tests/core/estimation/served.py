"""Services to learn from by way of the HTTP client, without a network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from chartui.core.backends.local.backend import LocalBackend
from chartui.core.backends.local.store import Store
from chartui.core.backends.remote.backend import RemoteBackend
from chartui.core.estimation.card import RateCard
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.learned.questions import Progress
from chartui.core.estimation.learned.rates import Report, learn
from chartui.core.jsontext import Wire
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.server.app import make_app
from chartui.core.server.http import Receive, Scope, Send
from chartui.core.service import Service
from tests.core.estimation.services import Change, Time, manner

__all__ = ["PROFILE", "Served"]

#: What a service answers in place of an estimate: a status and headers.
Busy = tuple[int, Mapping[str, str]]

PROFILE = Profile(name="far", kind=ProfileKind.REMOTE, base_url="http://127.0.0.1")


class _Estimates(Estimator):
    """Estimates that a test may have altered."""

    def __init__(self, card: RateCard, change: Change | None) -> None:
        super().__init__(card)
        self._change = change

    def estimate(self, payload: Mapping[str, Wire]) -> dict[str, Wire]:
        body = super().estimate(payload)
        if self._change is not None:
            given = {**(payload.get("selections") or {}), **(payload.get("assumptions") or {})}
            self._change(body, given)
        return body


class Served:
    """A card over HTTP, without a network, its estimates altered by ``change``; the requests that ``busy`` numbers are
    answered otherwise.
    """

    def __init__(self, card: RateCard, folder: Path, change: Change | None = None) -> None:
        self._backend = LocalBackend(lambda: Store(folder / "store.db"), estimator=lambda: _Estimates(card, change))
        self._app = make_app(backend_for=self._backend.for_account, authenticate=self._nobody)
        self.busy: dict[int, Busy] = {}
        self.paths: list[str] = []
        self.time = Time()

    async def _nobody(self, key: str) -> None:
        return None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        number = len(self.paths)
        self.paths.append(scope["path"])
        if number in self.busy:
            status, headers = self.busy[number]
            found = [(name.encode(), value.encode()) for name, value in headers.items()]
            await send({"type": "http.response.start", "status": status, "headers": found})
            await send({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, send)

    def remote(self, profile: Profile = PROFILE) -> RemoteBackend:
        """The client of the service; time passes by itself."""
        return RemoteBackend(
            profile,
            lambda: None,
            transport=httpx.ASGITransport(self),
            sleep=self.time.sleep,
            random=lambda: 1.0,
            ticks=self.time.ticks,
        )

    @asynccontextmanager
    async def service(self) -> AsyncIterator[Service]:
        remote = self.remote()
        try:
            yield Service(remote, embedded=False)
        finally:
            await remote.aclose()
            await self._backend.aclose()

    def learned(self, told: Callable[[Progress], None] = lambda progress: None) -> Report:
        async def work() -> Report:
            async with self.service() as service:
                return await learn(service, PROFILE, manner=manner(self.time), told=told)

        return asyncio.run(work())
