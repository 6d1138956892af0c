"""A profile, opened: the service behind its layers, and what is known about it.

Opening costs nothing: a store is opened, and the HTTP client imported, when the first operation that needs it is
performed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.core.backends.layers import ReadOnly, Recorder
from chartui.core.backends.local.backend import LocalBackend
from chartui.core.clock import Clock, Ids, random_ids, system_clock
from chartui.core.credentials import Ask, resolve
from chartui.core.paths import data_dir
from chartui.core.profiles import Profile, ProfileKind, check_profile
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.backends.local.backend import Estimates
    from chartui.core.backends.local.store import Store
    from chartui.core.backends.remote.backend import RemoteBackend

__all__ = ["READ_ONLY_VARIABLE", "Fill", "Session", "open_session", "read_only_from", "store_path"]

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
    leftovers: ExitStack = field(default_factory=ExitStack, repr=False, compare=False)

    async def aclose(self) -> None:
        """Let go of connections and files; a throw-away store is removed."""
        with self.leftovers:
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
    leftovers = ExitStack()
    if checked.embedded:
        opener = _opener(checked, throwaway, fill, leftovers)
        backend = LocalBackend(
            opener, estimator=lambda: _estimator(rate_card or checked.rate_card), clock=clock, ids=ids
        )
        recorder = Recorder(backend, clock=clock)
    else:
        remote = _remote_backend(checked, ask, clock)
        recorder = Recorder(remote, clock=clock, redact=remote.redact)
    locked = read_only_from(checked, read_only)
    layered = ReadOnly(recorder, allow_act=checked.allow_act) if locked else recorder
    return Session(
        profile=checked,
        service=Service(layered, embedded=checked.embedded, origin=origin),
        recorder=recorder,
        read_only=locked,
        where=checked.host or "embedded store",
        leftovers=leftovers,
    )


def _opener(profile: Profile, throwaway: bool, fill: Fill | None, leftovers: ExitStack) -> Callable[[], Store]:
    def open_store() -> Store:
        from chartui.core.backends.local.store import Store

        store = Store(_throwaway_path(leftovers) if throwaway else store_path(profile))
        if fill is not None and profile.kind is ProfileKind.DEMO:
            try:
                fill(store)
            except BaseException:
                store.close()
                raise
        return store

    return open_store


def _throwaway_path(leftovers: ExitStack) -> Path:
    from tempfile import TemporaryDirectory

    return Path(leftovers.enter_context(TemporaryDirectory(prefix="chartui-"))) / "store.db"


def _estimator(rate_card: Path | None) -> Estimates:
    from chartui.core.estimation.card import BadCard, load_card
    from chartui.core.estimation.estimator import Estimator

    try:
        return Estimator(load_card(rate_card))
    except BadCard as error:
        reason = str(error)
    except OSError as error:
        reason = f"{rate_card} cannot be read ({error.strerror})"
    raise ServiceError(ErrorKind.NOT_AVAILABLE, f"There are no rates to compute with: {reason.rstrip('.')}.")


def _remote_backend(profile: Profile, ask: Ask | None, clock: Clock) -> RemoteBackend:
    from chartui.core.backends.remote.backend import RemoteBackend

    return RemoteBackend(profile, lambda: resolve(profile.key, ask, profile=profile.name), clock=clock)
