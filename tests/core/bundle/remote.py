"""A service over HTTP without a network, as a session that pushes go to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

import httpx

from chartui.core.backends.layers import Journaled
from chartui.core.backends.local.backend import LocalBackend
from chartui.core.backends.local.store import Account, Store
from chartui.core.backends.remote.backend import RemoteBackend
from chartui.core.credentials import Key
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.server.app import make_app
from chartui.core.service import Service
from chartui.core.session import Session, open_session
from chartui.core.spec.operation import Tier
from tests import writes

__all__ = ["remote_session"]

_PROFILE = Profile(name="work", kind=ProfileKind.REMOTE, base_url="http://127.0.0.1:8465")


@asynccontextmanager
async def remote_session(
    folder: Path, *, tier: Tier = Tier.PROFESSIONAL
) -> AsyncIterator[tuple[Session, Callable[[], Awaitable[str]]]]:
    """A session on a service, and what makes another empty character there and gives its id."""
    path = folder / "served.db"
    with closing(Store(path)) as store:
        account, key = store.add_account(tier)
    local = LocalBackend(lambda: Store(path))
    embedded = Service(local.for_account(replace(account, tier=Tier.PROFESSIONAL)), embedded=True)

    async def another() -> str:
        return await writes.create_character(embedded, "Empty")

    async def authenticate(given: str) -> Account | None:
        return account if given == key else None

    transport = httpx.ASGITransport(make_app(backend_for=local.for_account, authenticate=authenticate))
    session = open_session(_PROFILE)
    remote = RemoteBackend(_PROFILE, lambda: Key(key), transport=transport)
    layered = Journaled(remote, lambda: session.journal, _PROFILE.place, embedded=False)
    try:
        yield replace(session, service=Service(layered, embedded=False)), another
    finally:
        await remote.aclose()
        await session.aclose()
        await local.aclose()
