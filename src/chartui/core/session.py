"""A profile, opened: the service behind its layers, and what is known about it.

Opening costs nothing: an embedded store is opened, and the HTTP client imported, when the first operation is performed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.core.backends.base import Answer, Backend, Context
from chartui.core.backends.layers import ReadOnly, Recorder
from chartui.core.clock import Clock, Ids, random_ids, system_clock
from chartui.core.credentials import Ask, resolve
from chartui.core.jsontext import Wire
from chartui.core.paths import data_dir
from chartui.core.profiles import Profile, ProfileKind, check_profile
from chartui.core.service import Service
from chartui.core.spec.operations import Operation

if TYPE_CHECKING:
    from chartui.core.backends.local.store import Store
    from chartui.core.estimation.estimator import Estimator

__all__ = ["READ_ONLY_VARIABLE", "Deferred", "Fill", "Session", "open_session", "read_only_from", "store_path"]

#: Sets the lock for every profile.
READ_ONLY_VARIABLE: Final = "CHARTUI_READ_ONLY"
_OFF: Final = frozenset({"", "0", "false", "no", "off"})

#: Puts the demo characters into a store that lacks them; may be called on one that has them.
Fill = Callable[["Store"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """An open profile.

    ``where`` says in a word what answers: a host, or the embedded store. ``read_only`` is the lock in force, from the
    flag, the environment or the profile, whichever sets it.
    """

    profile: Profile
    service: Service
    recorder: Recorder
    read_only: bool
    where: str

    async def aclose(self) -> None:
        """Let go of connections and files."""
        await self.service.aclose()


def store_path(profile: Profile) -> Path:
    """The store of an embedded profile."""
    return data_dir() / f"{profile.kind.value}.db"


def read_only_from(profile: Profile, flag: bool = False, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the lock is in force; any word in the variable but an explicit no sets it."""
    return flag or profile.read_only or environ.get(READ_ONLY_VARIABLE, "").strip().lower() not in _OFF


def open_session(
    profile: Profile,
    *,
    read_only: bool = False,
    throwaway: bool = False,
    rate_card: Path | None = None,
    fill: Fill | None = None,
    ask: Ask | None = None,
    clock: Clock = system_clock,
    ids: Ids = random_ids,
    origin: str = "library",
) -> Session:
    """Open ``profile``; nothing is read, imported or connected before the first operation.

    ``throwaway`` puts the store of an embedded profile into a folder that is removed when the session is closed;
    ``rate_card`` goes before the profile's own; ``fill`` is called once on the store of a demo profile; ``ask`` fetches
    the key of a profile that asks for it. Raises :class:`~chartui.core.profiles.ProfileError` for an unsafe address.
    """
    checked = check_profile(profile)

    def embedded(leftovers: ExitStack) -> Backend:
        path = _throwaway_path(leftovers) if throwaway else store_path(checked)
        filled = fill if checked.kind is ProfileKind.DEMO else None
        return _local_backend(path, rate_card or checked.rate_card, filled, clock, ids)

    def remote(_: ExitStack) -> Backend:
        from chartui.core.backends.remote.backend import RemoteBackend

        return RemoteBackend(checked, lambda: resolve(checked.key, ask, profile=checked.name), clock=clock)

    locked = read_only_from(checked, read_only)
    recorder = Recorder(Deferred(embedded if checked.embedded else remote), clock=clock)
    layered = ReadOnly(recorder, allow_act=checked.allow_act) if locked else recorder
    return Session(
        profile=checked,
        service=Service(layered, embedded=checked.embedded, origin=origin),
        recorder=recorder,
        read_only=locked,
        where=checked.host or "embedded store",
    )


def _throwaway_path(leftovers: ExitStack) -> Path:
    from tempfile import TemporaryDirectory

    return Path(leftovers.enter_context(TemporaryDirectory(prefix="chartui-"))) / "store.db"


def _local_backend(path: Path, rate_card: Path | None, fill: Fill | None, clock: Clock, ids: Ids) -> Backend:
    from chartui.core.backends.local.backend import LocalBackend

    def opener() -> Store:
        from chartui.core.backends.local.store import Store

        store = Store(path)
        try:
            if fill is not None:
                fill(store)
        except BaseException:
            store.close()
            raise
        return store

    def estimator() -> Estimator:
        from chartui.core.estimation.card import load_card
        from chartui.core.estimation.estimator import Estimator

        return Estimator(load_card(rate_card))

    return LocalBackend(opener, estimator=estimator, clock=clock, ids=ids)


class Deferred:
    """A backend that is made when the first operation is performed.

    ``make`` runs once, outside the event loop; what it puts on the stack is undone after the backend was closed.
    """

    def __init__(self, make: Callable[[ExitStack], Backend]) -> None:
        self._make = make
        self._leftovers = ExitStack()
        self._backend: Backend | None = None
        self._making = asyncio.Lock()

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform ``operation``; raises what making the backend raises, and then tries again at the next call."""
        if self._backend is None:
            async with self._making:
                if self._backend is None:
                    self._backend = await asyncio.to_thread(self._make, self._leftovers)
        return await self._backend.perform(operation, payload, context)

    async def aclose(self) -> None:
        """Close the backend, if it was made."""
        backend, self._backend = self._backend, None
        try:
            if backend is not None:
                await backend.aclose()
        finally:
            self._leftovers.close()
