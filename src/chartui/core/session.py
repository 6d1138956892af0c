"""An open profile, with its service, files and current state.

Opening a profile is fast because stores are opened and the HTTP client is imported only when first needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import field
from functools import cached_property, partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from chartui.core.backends.base import Backend
from chartui.core.backends.layers import Compared, Confirm, ConfirmFirstWrite, Joined, Journaled, ReadOnly
from chartui.core.backends.local.backend import Estimates, LocalBackend
from chartui.core.backends.recorder import Recorder
from chartui.core.classes import dataclass
from chartui.core.clock import Clock, Ids, random_ids, system_clock
from chartui.core.credentials import Ask, Key, resolve
from chartui.core.jsontext import Wire
from chartui.core.lock import Lock, LockedBy, program_locked_by
from chartui.core.paths import data_dir, from_home, pins_path, store_file
from chartui.core.profiles import Profile, ProfileKind, check_profile
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.backends.local.store import Store
    from chartui.core.backends.remote.backend import RemoteBackend
    from chartui.core.drafts import Drafts
    from chartui.core.estimation.rates import Rates
    from chartui.core.journal import Journal
    from chartui.core.seen import Seen

#: Adds the demo characters to a store that lacks them. It can safely be called for a store that already has them.
Fill = Callable[["Store"], None]
#: Creates the backend of a remote profile, given a function that fetches its API key.
Reach = Callable[[Profile, Callable[[], "Key | None"]], "RemoteBackend"]


class RatesInUse:
    """The rates of one profile.

    They are read when first used and cached until :meth:`forget` is called. ``rate_card`` overrides the rate card of an
    embedded store.
    """

    def __init__(self, profile: Profile, rate_card: Path | None = None, clock: Clock = system_clock) -> None:
        self._profile = profile
        self._rate_card = rate_card
        self._clock = clock
        self._rates: Rates | None = None
        self._compared = False

    def get(self) -> Rates:
        """Return the rates of the profile.

        Raises :class:`ServiceError` (kind ``not_available``) if the store's own rate card cannot be used.
        """
        if self._rates is None:
            self._rates = self._read()
        return self._rates

    def forget(self) -> None:
        """Discard the rates, so that they are read again when they are next needed.

        Call this when new rates have been learned or the rate card file has changed.
        """
        self._rates = None

    async def compare(self, payload: Mapping[str, Wire], body: Wire) -> None:
        """Compare an estimate from the service with the learned rates, and record whether the rates have drifted.

        :meth:`get` returns the rates with this result. The result is also saved for other programs, if possible.
        """
        from chartui.core.estimation.rates import RateSource, keep_drift, learned_path, with_drift

        if self._rates is None and not learned_path(self._profile).exists():
            return
        rates = self.get()
        if rates.source is not RateSource.LEARNED:
            return
        from chartui.core.estimation.learned.drift import after_answer

        self._compared = True
        seen_at = self._clock().isoformat(timespec="seconds")
        mark = after_answer(rates.card.as_billed, rates.drift, payload, body, seen_at=seen_at)
        if mark == rates.drift:
            return
        import asyncio

        self._rates = with_drift(rates, mark)
        with suppress(OSError):  # the mark is then known to this program only
            await asyncio.to_thread(keep_drift, self._profile, rates.drift, mark)

    @property
    def drift_note(self) -> str:
        """A sentence about the drift of the learned rates. The result is empty if there is no drift, or if no estimate
        in this session was compared with the learned rates.
        """
        rates = self._rates
        return rates.banner if self._compared and rates is not None and rates.drift is not None else ""

    def choose_reference(self) -> None:
        """Remember that the user chose the reference rates for this service.

        Raises ``OSError`` if this cannot be saved.
        """
        from chartui.core.estimation.rates import choose_reference

        self._rates = self.get()._replace(chosen=True)
        choose_reference(self._profile)

    def _read(self) -> Rates:
        from chartui.core.estimation.card import BadCard
        from chartui.core.estimation.rates import rates_for

        try:
            return rates_for(self._profile, rate_card=self._rate_card)
        except BadCard as error:
            reason = str(error)
        except OSError as error:
            reason = f"{self._rate_card or self._profile.rate_card} cannot be read ({error.strerror})"
        raise ServiceError(ErrorKind.NOT_AVAILABLE, f"No rates are available: {reason.rstrip('.')}.")


class SharedFiles:
    """The files that all profiles share. They are in ``folder`` (default: the data folder).

    Each file is imported and opened when first used. If ``backed_up`` is true, the journal is copied once a day.
    """

    def __init__(self, folder: Path | None = None, clock: Clock = system_clock, *, backed_up: bool = False) -> None:
        self._folder = folder
        self._clock = clock
        self._backed_up = backed_up

    @cached_property
    def journal(self) -> Journal:
        """The journal of changes made from this machine."""
        from chartui.core.journal import Journal

        path = journal_path(self._folder)
        daily = None
        if self._backed_up:
            from chartui.core.backups import DailyBackup
            from chartui.core.journal.records import SCHEMA

            daily = DailyBackup(path, SCHEMA)
        return Journal(path, self._clock, before_writing=daily)

    @cached_property
    def drafts(self) -> Drafts:
        """The staged changes."""
        from chartui.core.drafts import Drafts

        return Drafts(drafts_path(self._folder), self._clock)

    @cached_property
    def seen(self) -> Seen:
        """The last known state of each character."""
        from chartui.core.seen import Seen

        return Seen(seen_path(self._folder), self._clock)

    @property
    def has_journal(self) -> bool:
        """Whether the journal file exists. The file is not opened."""
        return journal_path(self._folder).exists()

    async def aclose(self) -> None:
        """Close the files that were used."""
        used = vars(self)
        async with AsyncExitStack() as open_files:
            for name in ("seen", "drafts", "journal"):
                if name in used:
                    open_files.push_async_callback(used[name].aclose)


@dataclass(frozen=True, eq=False, kw_only=True)
class Session:
    """An open profile.

    ``rates`` are the rates for calculations on this machine. ``where`` is the host name, or "embedded store".
    ``folder`` contains the user's own files. A throwaway session has a separate folder. ``lock`` is the read-only lock,
    which an option, the environment or the profile can set. ``files`` are the files that all profiles share. ``keyed``
    is the backend that sends an API key, or None for a store. ``new_store`` is the path of a store that did not exist
    when the profile was opened. ``replaced`` is set when another file has replaced ``store_file``.
    """

    profile: Profile
    service: Service
    recorder: Recorder
    rates: RatesInUse = field(repr=False, compare=False)
    where: str
    folder: Path = field(default_factory=data_dir, repr=False, compare=False)
    lock: Lock = field(default_factory=Lock, compare=False)
    files: SharedFiles = field(default_factory=SharedFiles, repr=False, compare=False)
    keyed: RemoteBackend | None = field(default=None, repr=False, compare=False)
    leftovers: ExitStack = field(default_factory=ExitStack, repr=False, compare=False)
    new_store: Path | None = None
    store_file: Path | None = None
    replaced: Event = field(default_factory=Event, repr=False, compare=False)

    @property
    def journal(self) -> Journal:
        return self.files.journal

    @property
    def drafts(self) -> Drafts:
        return self.files.drafts

    @property
    def seen(self) -> Seen:
        return self.files.seen

    @property
    def read_only(self) -> bool:
        return self.lock.by is not None

    @property
    def throwaway(self) -> bool:
        return self.folder != data_dir()

    @property
    def pins_path(self) -> Path:
        """The path of the file with pinned prices. A throwaway session has its own file."""
        return pins_path(self.folder if self.throwaway else None)

    @property
    def locked_by(self) -> LockedBy | None:
        return self.lock.by

    def unlock(self, name: str) -> bool:
        """Unlock the profile for this session if ``name`` is its name. Return whether the profile is unlocked.

        The profile's own setting is not changed.
        """
        return name.strip() == self.profile.name and self.lock.unlock()

    def relock(self) -> None:
        self.lock.fasten()

    async def lost_store(self) -> str | None:
        """Return a warning if the store is missing but the history contains changes made to it.

        Otherwise, return None. Raises :class:`ServiceError` if the journal cannot be read.
        """
        return None if self.new_store is None else await self._lost(self.new_store)

    async def replaced_store(self) -> str | None:
        """Return a warning if the open store has been replaced with an empty one.

        Otherwise, return None. The warning is returned only once. Raises :class:`ServiceError` if the store or the
        journal cannot be read.
        """
        if self.store_file is None or not self.replaced.is_set():
            return None
        lost = None if await self.service.summaries() else await self._lost(self.store_file)
        self.replaced.clear()
        return lost

    async def _lost(self, store: Path) -> str | None:
        from chartui.core.journal import Outcome

        if not await self.journal.entries(self.profile.place, limit=1, outcomes=(Outcome.DONE,)):
            return None
        made = "A new store was created." if store.exists() else "A new store will be created on first use."
        return (
            f"{store} is missing, but the history contains changes made to it. {made} To recover the old store, put "
            "the file back or restore a backup ('chartui store backups' lists all backups)."
        )

    def set_key(self, key: Key) -> None:
        """Use the given API key from now on instead of the one from the profile's key source.

        The API key is kept only in memory. Raises :class:`ServiceError` (kind ``not_available``) for an embedded store.
        """
        self._with_key().set_key(key)

    def forget_key(self) -> None:
        """Discard the API key in use, so that it is read from its source again.

        Raises the same errors as :meth:`set_key`.
        """
        self._with_key().forget_key()

    def _with_key(self) -> RemoteBackend:
        if self.keyed is None:
            message = f"Profile '{self.profile.name}' has an embedded store and needs no API key."
            raise ServiceError(ErrorKind.NOT_AVAILABLE, message)
        return self.keyed

    async def aclose(self) -> None:
        """Close all connections and files, and remove the temporary folder of a throwaway session."""
        with self.leftovers:
            async with AsyncExitStack() as open_files:
                open_files.push_async_callback(self.files.aclose)
                await self.service.aclose()


def journal_path(folder: Path | None = None) -> Path:
    """Return the path of the journal that all profiles share. The file is in ``folder`` (default: the data folder)."""
    return (folder or data_dir()) / "journal.db"


def drafts_path(folder: Path | None = None) -> Path:
    """Return the path of the drafts file that all profiles share.

    The file is in ``folder`` (default: the data folder).
    """
    return (folder or data_dir()) / "drafts.db"


def seen_path(folder: Path | None = None) -> Path:
    """Return the path of the file that records the last known state of characters in all profiles.

    The file is in ``folder`` (default: the data folder).
    """
    return (folder or data_dir()) / "seen.db"


def store_path(profile: Profile) -> Path:
    return store_file(profile.kind.value)


def locked_by(profile: Profile, flag: bool = False, environ: Mapping[str, str] = os.environ) -> LockedBy | None:
    """Return the lock that makes the profile read-only, or None if the profile is not locked.

    If there are several locks, the result is the one that is hardest to remove.
    """
    return program_locked_by(flag, environ) or (LockedBy.PROFILE if profile.read_only else None)


def unlocking(profile: Profile) -> str:
    """Return the command that permanently removes a profile's own lock.

    The command repeats the profile's name as confirmation.
    """
    import shlex

    name = shlex.quote(profile.name)
    return f"chartui profiles set {name} --read-write --confirm {name}"


def open_session(
    profile: Profile,
    *,
    read_only: bool = False,
    throwaway: bool | Path = False,
    rate_card: Path | None = None,
    fill: Fill | None = None,
    ask: Ask | None = None,
    confirm: Confirm | None = None,
    clock: Clock = system_clock,
    ids: Ids = random_ids,
    origin: str = "library",
    reach: Reach | None = None,
    unlocked_by: Callable[[], str] | None = None,
) -> Session:
    """Open ``profile``.

    Files are read and connections are opened only when first needed. If ``throwaway`` is true, all files, including an
    embedded store, are kept in a temporary folder that is removed when the session is closed. If ``throwaway`` is a
    path, the folder at this path is used, and the caller removes it. ``rate_card`` overrides the profile's own rate
    card. ``fill`` is called once to fill the store of a demo profile. ``ask`` asks the user for the API key if the
    profile requires the user to enter it. ``confirm`` is called before the first change to a production profile. If
    ``confirm`` is None, the change is refused. ``reach`` is a function that creates the backend of a remote profile. By
    default, the backend uses the network. ``unlocked_by`` is a function that returns instructions for unlocking the
    profile. These instructions are shown when a change is refused. Raises
    :class:`~chartui.core.profiles.ProfileError` if the profile's address is unsafe.
    """
    checked = check_profile(profile)
    rates = RatesInUse(checked, rate_card, clock)
    leftovers = ExitStack()
    folder = throwaway if isinstance(throwaway, Path) else _throwaway_folder(leftovers) if throwaway else None
    redact: Callable[[str], str] = str
    backend: Backend
    remote: RemoteBackend | None = None
    path: Path | None = None
    replaced = Event()
    lock = Lock(locked_by(checked, read_only), unlocked_by or (lambda: unlocking(checked)))
    if checked.embedded:
        path = store_path(checked) if folder is None else folder / "store.db"
        estimator = partial(_estimator, rates)
        backend = LocalBackend(
            partial(_open_store, path, checked, fill, lock, backed_up=not throwaway, reopened=replaced.set),
            estimator=estimator,
            clock=clock,
            ids=ids,
        )
    else:
        fetch_key = partial(resolve, checked.key, ask, profile=checked.name)
        backend = remote = reach(checked, fetch_key) if reach else _remote_backend(checked, fetch_key, clock)
        redact = remote.redact
    recorder = Recorder(backend, clock=clock, redact=redact)
    files = SharedFiles(folder, clock, backed_up=not throwaway)
    compared = recorder if checked.embedded else Compared(recorder, rates.compare)
    journaled = Journaled(compared, lambda: files.journal, checked.place, embedded=checked.embedded, redact=redact)
    return Session(
        profile=checked,
        service=Service(_guarded(journaled, checked, lock, confirm), embedded=checked.embedded, origin=origin),
        recorder=recorder,
        rates=rates,
        folder=folder or data_dir(),
        lock=lock,
        where=checked.host or "embedded store",
        files=files,
        keyed=remote,
        leftovers=leftovers,
        new_store=None if path is None or throwaway or path.exists() else path,
        store_file=path,
        replaced=replaced,
    )


def _guarded(journaled: Backend, profile: Profile, lock: Lock, confirm: Confirm | None) -> Backend:
    guarded = ConfirmFirstWrite(journaled, confirm, name=profile.name) if profile.production else journaled
    guarded = ReadOnly(guarded, lock, allow_act=profile.allow_act)
    return guarded if profile.embedded else Joined(guarded)


def _throwaway_folder(leftovers: ExitStack) -> Path:
    from tempfile import TemporaryDirectory

    return Path(leftovers.enter_context(TemporaryDirectory(prefix="chartui-", ignore_cleanup_errors=True)))


def _open_store(
    path: Path, profile: Profile, fill: Fill | None, lock: Lock, *, backed_up: bool, reopened: Callable[[], None]
) -> Store:
    """Open the store of a profile, and create it if needed.

    Raises :class:`ServiceError` (kind ``read_only``) instead of creating a local store under a lock. The demo data is
    always created because it contains nothing of the user's.
    """
    if profile.kind is ProfileKind.LOCAL and not path.exists() and lock.by is not None:
        missing = f"{from_home(str(path))} does not exist yet, and is not created while changes are disabled."
        raise ServiceError(ErrorKind.READ_ONLY, missing)
    from chartui.core.backends.local.store import SCHEMA, Store
    from chartui.core.backups import DailyBackup

    store = Store(path, before_writing=DailyBackup(path, SCHEMA) if backed_up else None, reopened=reopened)
    if fill is not None and profile.kind is ProfileKind.DEMO:
        try:
            fill(store)
        except BaseException:  # The store must not stay open after any failure or interrupt.
            store.close()
            raise
    return store


def _estimator(rates: RatesInUse) -> Estimates:
    from chartui.core.estimation.estimator import Estimator

    return Estimator(rates.get().card.as_billed)


def _remote_backend(profile: Profile, fetch_key: Callable[[], Key | None], clock: Clock) -> RemoteBackend:
    from chartui.core.backends.remote.backend import RemoteBackend

    return RemoteBackend(profile, fetch_key, clock=clock)
