"""A service in this process, on a real socket: stopped and started again, its keys renewed, its tiers changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from time import monotonic

from chartui.core.backends.local.backend import LocalBackend
from chartui.core.backends.local.store import Account, Store
from chartui.core.clock import seeded_ids
from chartui.core.credentials import KeySource, SourceKind
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.server.app import make_app
from chartui.core.server.http import ASGIApp, Receive, Scope, Send
from chartui.core.spec.operation import Tier
from chartui.demos import fill, stage
from tests.served import running_server
from tests.tui.sessions import clock

__all__ = ["VARIABLE", "Service", "Time", "serving"]

#: Where the program looks for the key.
VARIABLE = "CHARTUI_TEST_KEY"


@dataclass
class Time(stage.Time):
    """A clock that can replace the machine's in a running program: it continues from there, so ages stay true."""

    now: float = field(default_factory=lambda: float(ceil(monotonic())))


class Service:
    """A served store with one account, whose demo characters are the same at every run.

    ``key`` is the one that works; ``tier`` may be set at any time. ``asked`` counts requests by their path, each before
    it is answered; ``on_request`` is called with the path of each.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with closing(Store(path)) as store:
            self.account, self.key = store.add_account(Tier.PROFESSIONAL)
            fill(store, self.account, ids=seeded_ids(7), clock=clock)
        self.tier = Tier.PROFESSIONAL
        self.url = ""
        self.asked: Counter[str] = Counter()
        self.on_request: Callable[[str], object] = lambda _: None
        self._backend = LocalBackend(lambda: Store(path))
        self._running = ExitStack()

    def start(self) -> None:
        """Answer, on the same port as before."""
        port = int(self.url.rpartition(":")[2]) if self.url else 0
        self.url = self._running.enter_context(running_server(self.app(), port=port))

    def app(self) -> ASGIApp:
        """What answers, without a socket."""
        answering = make_app(backend_for=self._backend.for_account, authenticate=self._authenticate)

        async def counting(scope: Scope, receive: Receive, send: Send) -> None:
            self.asked[scope["path"]] += 1
            self.on_request(scope["path"])
            await answering(scope, receive, send)

        return counting

    def stop(self) -> None:
        """Answer no more."""
        self._running.close()

    def renew_key(self) -> str:
        """Revoke the key and make another."""
        with closing(Store(self.path)) as store:
            _, self.key = store.new_key(self.account.user_id)
        return self.key

    async def _authenticate(self, key: str) -> Account | None:
        with closing(Store(self.path)) as store:
            found = store.authenticate(key)
        return found and replace(found, tier=self.tier)

    def profile(self, name: str = "far", *, variable: str = VARIABLE) -> Profile:
        """A profile of this service that may change things, with its key in an environment variable."""
        source = KeySource(SourceKind.ENV, (variable,))
        return Profile(name=name, kind=ProfileKind.REMOTE, base_url=self.url, key=source, read_only=False)


@contextmanager
def serving(folder: Path) -> Iterator[Service]:
    """A service that runs."""
    service = Service(folder / "served.db")
    service.start()
    try:
        yield service
    finally:
        service.stop()
