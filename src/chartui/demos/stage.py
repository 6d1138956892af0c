"""The stage of a tour: its own folders, its own clock, and a service in this process.

It is isolated from the machine, and everything is removed at the end. So a tour is the same everywhere, and you can
take over its controls without risk.
"""

from __future__ import annotations

import asyncio
import os
import re
import time as system_time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import dataclass
from chartui.core.clock import Source, seeded_ids, taken_from
from chartui.core.credentials import Key
from chartui.core.paths import private_folder, write_private
from chartui.core.profiles import BUILT_IN, Profile, ProfileKind, profiles_path
from chartui.core.profiles_file import change_profiles, load_profiles
from chartui.core.session import store_path
from chartui.demos.tour import OwnProfile, Service, Tour
from chartui.demos.tour_file import HOST, BadTourFile, tour_mistakes

if TYPE_CHECKING:
    from chartui.core.backends.local.store import Account, Store
    from chartui.core.backends.remote.backend import RemoteBackend
    from chartui.demos.material import Material

#: The start time of every tour.
MOMENT: Final = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
_PROFILES: Final = f"""\
format = "chartui-profiles"
version = 1

[profiles.staging]
base_url = "https://{HOST}"
read_only = false
"""
#: Environment variables that change the program's behaviour, except those of the terminal.
_FOREIGN: Final = ("EDITOR", "VISUAL")
_FOREIGN_PREFIXES: Final = ("CHARTUI_", "XDG_")
#: The whole environment if there is no terminal.
_KEPT: Final = ("PATH",)
#: An ASGI application.
Asgi = Callable[..., Awaitable[None]]
_OWNER: Final = "7d0c1f6e-2b7a-4a52-9d0e-5c0f3e1a8b94"


@dataclass
class _Timer:
    due: float
    do: Callable[[], None]
    stopped: bool = False

    def stop(self) -> None:
        self.stopped = True


@dataclass
class Time:
    """A clock that only moves on request, with timers."""

    now: float = 1000.0
    timers: list[_Timer] = field(default_factory=list)

    def ticks(self) -> float:
        return self.now

    def later(self, seconds: float, do: Callable[[], None]) -> _Timer:
        self.timers.append(_Timer(self.now + seconds, do))
        return self.timers[-1]

    def pass_by(self, seconds: float) -> None:
        """Move the clock; timers fire when they are due."""
        end = self.now + seconds
        while due := [t for t in self.timers if not t.stopped and t.due <= end]:
            timer = min(due, key=lambda t: t.due)
            self.timers.remove(timer)
            self.now = timer.due
            timer.do()
        self.now = end


class StagedService:
    """A service over HTTP without a network: an application in this process, whose answers can be delayed or refused.

    ``behaves`` and ``latency`` (seconds per answer) may be set at any time. For an audience, ``sleep`` really waits for
    the latency; without it, only the tour's clock moves. ``account`` owns the characters in the store at ``path``.
    """

    def __init__(self, path: Path, time: Time, stack: ExitStack, fill: Callable[[Store], Account]) -> None:
        self.latency = 0.0
        self.hosts: tuple[str | None, ...] = (HOST,)
        self.sleep: Callable[[float], Awaitable[None]] | None = None
        self._path = path
        self._time = time
        self._fill = fill
        self._behaves = Service.HERE
        self._changed = asyncio.Event()
        self._open = stack
        self._app: Asgi | None = None

    @property
    def behaves(self) -> Service:
        return self._behaves

    @behaves.setter
    def behaves(self, how: Service) -> None:
        self._behaves = how
        self._changed.set()
        self._changed = asyncio.Event()

    def reach(self, profile: Profile, fetch_key: Callable[[], Key | None]) -> RemoteBackend:
        """A backend for this service; every other address is unreachable."""
        from chartui.core.backends.remote.backend import RemoteBackend
        from chartui.core.backends.remote.http import InProcess

        async def before() -> None:
            if profile.host not in self.hosts:
                raise ConnectionError("a tour cannot reach other services")
            while self._behaves is Service.SILENT:
                await self._changed.wait()
            if self._behaves is Service.AWAY:
                raise ConnectionError("the tour's service is unreachable")
            if self.latency:
                if self.sleep is not None:
                    await self.sleep(self.latency)
                self._time.pass_by(self.latency)

        async def at_once(_seconds: float) -> None:
            """Retry without waiting."""

        return RemoteBackend(
            profile, fetch_key, transport=InProcess(self._answer, before), sleep=at_once, random=lambda: 0.0
        )

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        from chartui.core.server.http import error_answer
        from chartui.core.spec.errors import ErrorShape

        if self._behaves is Service.FAILING:
            refusal = error_answer(500, ErrorShape.TEXT, "The service failed because of an internal error.")
            await refusal.send(send)
            return
        # The server accepts only host names of this machine, but the tour's service has another name.
        headers = [(name, b"127.0.0.1" if name == b"host" else value) for name, value in scope["headers"]]
        await self.app()({**scope, "headers": headers}, receive, send)

    def app(self) -> Asgi:
        """The application behind the service; its store is filled at first use."""
        if self._app is None:
            self._app = self._make_app()
        return self._app

    def _make_app(self) -> Asgi:
        from chartui.core.backends.local.backend import LocalBackend
        from chartui.core.backends.local.store import Store
        from chartui.core.server.app import make_app

        store = self._open.enter_context(closing(Store(self._path)))
        account = self._fill(store)
        backend = LocalBackend(lambda: Store(self._path))

        async def authenticate(_given: str) -> Account | None:
            return account

        return make_app(backend_for=backend.for_account, authenticate=authenticate)


@dataclass(frozen=True, slots=True)
class Stage:
    """The stage of a tour: its ``profile``, its ``time``, and the ``service`` behind the profile, if any."""

    profile: Profile
    time: Time
    service: StagedService


@contextmanager
def staged(tour: Tour, *, alone: bool) -> Iterator[Stage]:
    """Set the stage of a tour; ``alone`` hides the terminal and the environment. Call this before importing Textual.

    Raises :class:`~chartui.demos.tour_file.BadTour` if a file that the tour names cannot be used.
    """
    material = _material(tour)
    with ExitStack() as stack:
        root = Path(stack.enter_context(TemporaryDirectory(prefix="chartui-tour-", ignore_cleanup_errors=True)))
        stack.enter_context(_surroundings(root, alone=alone))
        time = Time()
        begin = MOMENT - timedelta(seconds=time.now)
        source = Source(lambda: begin + timedelta(seconds=time.now), ids=seeded_ids(7), ticks=time.ticks)
        stack.enter_context(taken_from(source))
        profile = _profile(tour)
        served = load_profiles().get("staging") if profile.embedded else profile
        service = StagedService(root / "service.db", time, stack, partial(_fill, tour, material, served))
        if isinstance(tour.profile, OwnProfile):
            service.hosts = (*service.hosts, profile.host)
            service.behaves, service.latency = tour.profile.service, tour.profile.latency
        if material is not None:
            material.put_files(root / "service.db", store_path(BUILT_IN["local"]))
        with _naming_store(tour, root):
            if profile.embedded and (tour.characters or material is not None):
                from chartui.core.backends.local.store import Store

                with closing(Store(store_path(profile))) as store:
                    _fill(tour, material, profile, store)
            elif tour.store:
                service.app()  # opened now, so that a store that cannot be used is reported
        yield Stage(profile, time, service)


def _profile(tour: Tour) -> Profile:
    own = tour.profile
    if isinstance(own, OwnProfile):
        return change_profiles(lambda profiles: profiles.adding(own.profile)).get(own.profile.name)
    return load_profiles().get(own)


def _material(tour: Tour) -> Material | None:
    if not tour.needs_files:
        return None
    from chartui.demos.material import material_of

    mistakes = tour_mistakes(tour)
    found = material_of(tour, mistakes)
    mistakes.check(BadTourFile)
    return found


def _fill(tour: Tour, material: Material | None, profile: Profile, store: Store) -> Account:
    """Fill the store of ``profile``, or of its service; returns the account that owns the characters."""
    from chartui import demos
    from chartui.core.backends.local.seed import seed
    from chartui.core.backends.local.store import BUILT_IN_ACCOUNT
    from chartui.core.spec.operation import Tier

    account = BUILT_IN_ACCOUNT
    if not profile.embedded and not tour.store:
        account, _ = store.add_account(Tier.PROFESSIONAL, user_id=_OWNER)
    if material is not None and material.characters:
        material.put_characters(store, account, profile)
    elif profile.kind is not ProfileKind.LOCAL:
        demos.fill(store, account, ids=None if profile.embedded else seeded_ids(11))
    if tour.characters:
        seed(store, account, characters=tour.characters, sections=0, seed=1, record_bytes=0)
    return account


@contextmanager
def _naming_store(tour: Tour, root: Path) -> Iterator[None]:
    """Report an unusable store of ``tour``, copied to a place below ``root``, with the line that names it."""
    from chartui.core.spec.errors import ServiceError

    try:
        yield
    except ServiceError as error:
        if not tour.store:
            raise
        mistakes = tour_mistakes(tour)
        mistakes.add(f"store: {re.sub(rf'{re.escape(str(root))}/[a-z./]+', tour.store, str(error))}", at="store")
        raise BadTourFile(mistakes.file, mistakes.found) from None


@contextmanager
def _surroundings(root: Path, *, alone: bool) -> Iterator[None]:
    before, folder = dict(os.environ), Path.cwd()
    own = {
        "HOME": str(root),
        "CHARTUI_CONFIG_DIR": str(root / "config"),
        "CHARTUI_DATA_DIR": str(root / "data"),
        "TZ": "UTC",
        # Any API key will do: the service requires one but does not check it.
        "CHARTUI_API_KEY": "the-key-of-the-tour",
    }
    if alone:
        own |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TEXTUAL_ANIMATIONS": "none"}
    kept = {
        name: value
        for name, value in before.items()
        if (name in _KEPT if alone else name not in _FOREIGN and not name.startswith(_FOREIGN_PREFIXES))
    }
    private_folder(root / "work")
    write_private(root / "config" / profiles_path().name, _PROFILES.encode())
    try:
        _become(kept | own, root / "work")
        yield
    finally:
        _become(before, folder)


def _become(environ: dict[str, str], folder: Path) -> None:
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(folder)
    system_time.tzset()
