"""Opening the profile of a command, and reporting progress and unreadable parts of its answers."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final, TextIO, TypeVar

from chartui.cli.errors import UsageError, is_of_the_disk
from chartui.cli.naming import named, unresolved
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.core.jsontext import Wire, dumps
from chartui.core.numbers import number_of
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation
from chartui.core.unreadable import Missed, by_reason, sentence

if TYPE_CHECKING:
    from chartui.core.backends.base import Answer, Backend, Context, Received
    from chartui.core.backends.layers import Confirm
    from chartui.core.backends.local.store import Account, Store
    from chartui.core.profiles import Profile, Profiles
    from chartui.core.session import Session
    from chartui.core.spec.elements import Unreadable


T = TypeVar("T")


@contextmanager
def configuration() -> Iterator[None]:
    """Turn the error of an unusable configuration file or folder into a :class:`UsageError`."""
    try:
        yield
    except OSError as error:
        if error.filename is None or is_of_the_disk(error):
            raise
        raise UsageError(f"{error.filename} cannot be used: {error.strerror}", code="configuration") from None
    except ValueError as error:
        from chartui.core.estimation.card import BadCard
        from chartui.core.estimation.scenario import ScenarioError
        from chartui.core.presets import PresetError
        from chartui.core.profiles import ProfileError

        if not isinstance(error, (ProfileError, BadCard, PresetError, ScenarioError)):
            raise
        raise UsageError.of(error) from None


def known_profiles() -> Profiles:
    from chartui.core.profiles_file import load_profiles

    with configuration():
        return load_profiles()


def chosen_profile(arguments: Arguments, *, otherwise: str = "demo") -> Profile:
    """The profile named by flag, environment or file (default: ``otherwise``). Raises :class:`UsageError`."""
    with configuration():
        profiles = known_profiles()
        return profiles.choose(arguments.profile) or profiles.get(otherwise)


def profile_called(name: str | None, arguments: Arguments) -> Profile:
    if name is None:
        return chosen_profile(arguments)
    with configuration():
        return known_profiles().get(name)


def embedded_profile(arguments: Arguments) -> Profile:
    """The chosen profile (default: ``local``). Raises :class:`UsageError` for a remote service."""
    profile = chosen_profile(arguments, otherwise="local")
    if not profile.embedded:
        raise UsageError(
            f"profile '{profile.name}' is a remote service; this command needs an embedded store, "
            "such as --profile local"
        )
    return profile


def check_rate_card(profile: Profile, rate_card: Path | None) -> None:
    """Raise :class:`UsageError` for a rate card given to a remote service."""
    if rate_card is not None and not profile.embedded:
        raise UsageError(f"profile '{profile.name}' is a remote service with its own rates; omit --rate-card")


def add_reference_rates(parser: Parser) -> None:
    parser.flag("--reference-rates", "use the reference rates if no rates have been learned")


def _opened(profile: Profile, arguments: Arguments, rate_card: Path | None, *, filled: bool) -> Session:
    from chartui.core.session import open_session

    check_rate_card(profile, rate_card)
    session = open_session(
        profile,
        read_only=arguments.read_only,
        rate_card=rate_card,
        fill=demo_data if filled else None,
        ask=secret if sys.stdin is not None and sys.stdin.isatty() else None,
        confirm=_confirming(profile.name, arguments),
        origin="command line",
    )
    if profile.embedded or arguments.json or sys.stderr is None or not sys.stderr.isatty():
        return session

    return replace(session, service=session.service.through(partial(Receiving, terminal=sys.stderr)))


def ask(
    arguments: Arguments,
    question: Callable[[Session], Awaitable[T]],
    *,
    rate_card: Path | None = None,
    profile: Profile | None = None,
    filled: bool = True,
    resolve: bool = True,
) -> T:
    """Open ``profile`` (default: the chosen one), return the result of ``question`` and close the profile again.

    If ``filled`` is set, the store of the demo profile is first filled with its characters. The names of characters are
    resolved first, unless ``resolve`` is False: the question then does it after checking the lock.

    Raises :class:`UsageError` and :class:`~chartui.core.spec.errors.ServiceError`.
    """
    import asyncio

    async def asked() -> T:
        session = _opened(profile or chosen_profile(arguments), arguments, rate_card, filled=filled)
        unreadable = Report(session.profile, read_only=session.read_only)
        session = replace(session, service=session.service.noting_unreadable(unreadable.note))
        lost = None
        with suppress(ServiceError):  # of the journal; commands that need it report this
            lost = await session.lost_store()  # before the command makes its own changes
        try:
            return await question(await named(session, arguments) if resolve else session)
        finally:
            notes = Output(None, sys.stderr, as_json=arguments.json, profile=arguments.profile)
            unreadable.write(notes)
            if session.rates.drift_note:
                notes.note(session.rates.drift_note)
            if lost is not None and session.new_store is not None and session.new_store.exists():
                _warn(await session.lost_store(), arguments)
            await session.aclose()

    with configuration():
        return asyncio.run(asked())


def resolve_names(arguments: Arguments) -> None:
    """Resolve the names of characters now, for a command that needs the IDs before it opens its session."""

    async def nothing(session: Session) -> None:
        del session

    if unresolved(arguments):
        ask(arguments, nothing)


def lost_store(profile: Profile, arguments: Arguments) -> str | None:
    """A warning if the store is missing although the journal lists changes to it, or None."""
    import asyncio

    session = _opened(profile, arguments, None, filled=False)

    async def lost() -> str | None:
        try:
            return await session.lost_store()
        except ServiceError:  # of the journal; commands that need it report this
            return None
        finally:
            await session.aclose()

    return asyncio.run(lost())


def warn_of_lost_store(profile: Profile, arguments: Arguments) -> None:
    """Warn, before a command creates a store, if the journal lists changes to one that is missing."""
    _warn(lost_store(profile, arguments), arguments)


def _warn(warning: str | None, arguments: Arguments) -> None:
    if warning is not None:
        Output(None, sys.stderr, as_json=arguments.json, profile=arguments.profile).note(f"warning: {warning}")


def demo_data(store: Store, account: Account | None = None) -> None:
    from chartui.demos import fill

    fill(store, account)


def _confirming(name: str, arguments: Arguments) -> Confirm:
    """A confirmation of the first change to a production profile: its name, given with ``--confirm`` or typed now."""

    async def confirm(operation: Operation, payload: Mapping[str, Wire]) -> bool:
        del payload
        agree_by_name(
            name,
            arguments,
            what=f"production profile '{name}'",
            why=f"changes to production profile '{name}' need --confirm {name}",
            question=f"'{name}' is a production profile. {operation.summary}: type the profile's name to confirm: ",
            kept="Nothing was sent.",
        )
        return True

    return confirm


def agree_by_name(name: str, arguments: Arguments, *, what: str, why: str, question: str, kept: str) -> None:
    """Ask for the name of a profile, or take it from ``--confirm``.

    Raises :class:`ServiceError` (kind ``unconfirmed``): ``what`` names the profile, ``why`` is the reason if
    the name cannot be asked for, ``kept`` says what was not done.
    """
    if arguments.confirm is not None:
        if arguments.confirm == name:
            return
        problem = f"--confirm names '{arguments.confirm}', but this is {what}"
    elif arguments.json or not can_ask():
        problem = why
    elif asked(question).strip() == name:
        return
    else:
        problem = "the name does not match"
    raise ServiceError(ErrorKind.UNCONFIRMED, f"Not confirmed: {problem}. {kept}")


#: Maximum number of reasons with a line of their own.
_LINES: Final = 5


class Report:
    """Collects the unreadable parts of a command's answers; for repeated calls, the last answer counts."""

    def __init__(self, profile: Profile, *, read_only: bool) -> None:
        self._profile = profile
        self._read_only = read_only
        self._missed: dict[str, Missed] = {}

    def note(self, missed: Missed) -> None:
        self._missed[f"{missed.operation.name} {dumps(missed.payload)}"] = missed

    def write(self, output: Output) -> None:
        reasons = [(missed, group) for missed in self._missed.values() for group in by_reason(missed.unreadable)]
        for missed, group in reasons[:_LINES]:
            output.warn(f"{sentence(group)}.{self._command(missed, group)}")
        if rest := reasons[_LINES:]:
            more = number_of(len(rest), "more reason")
            output.warn(f"… and {more}.{self._command(rest[0][0], ())}")

    def _command(self, missed: Missed, group: Sequence[Unreadable]) -> str:
        """The command that shows the first of these elements or, if there are none, the whole answer."""
        # Sending a turn again to see its answer would be billed again.
        if missed.operation.effect is not Effect.READ:
            return ""
        from chartui.core.reproduce import as_command

        command = as_command(missed.operation, missed.payload, self._profile, read_only=self._read_only)
        if not group:
            return f" See the full response: {command}"
        first = group[0]
        missing = first.kind == "member" and first.reason.endswith(": missing")
        pointer = first.where.rpartition("/")[0] if missing else first.where
        at = f" --at {quote(pointer)}" if pointer else ""
        return f" See {'this element' if len(group) == 1 else 'the first element'}: {command}{at}"


#: Shorter calls get no line. Seconds.
PATIENCE: Final = 1.0
#: Fewer bytes would be shown as 0.0 MB.
_WORTH: Final = 50_000


class Receiving:
    """A layer around ``backend`` that shows the progress of a call on ``terminal``."""

    def __init__(self, backend: Backend, terminal: TextIO) -> None:
        self._backend = backend
        self._terminal = terminal
        self._shown = 0

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        try:
            return await self._backend.perform(operation, payload, context._replace(progress=self._show))
        finally:
            self._rewrite("")

    async def aclose(self) -> None:
        await self._backend.aclose()

    def _show(self, received: Received) -> None:
        if received.seconds < PATIENCE:
            return
        unicode = (self._terminal.encoding or "").lower().startswith("utf")
        of = "" if received.total is None else f" of {received.total / 1e6:.1f}"
        amount = f"{received.bytes / 1e6:.1f}{of} MB, {received.seconds:.0f} s"
        dots = "…" if unicode else "..."
        if max(received.bytes, received.total or 0) < _WORTH:
            self._rewrite(f"Waiting{dots} {received.seconds:.0f} s. Ctrl+C cancels.")
            return
        self._rewrite(f"Receiving{dots} {amount}. Ctrl+C cancels.")

    def _rewrite(self, line: str) -> None:
        if not line and not self._shown:
            return
        with suppress(OSError, ValueError):  # the terminal may be gone
            width = os.get_terminal_size(self._terminal.fileno()).columns - 1
            line = line[:width]
            # Terminals show Ctrl+C as two characters after the line.
            covered = line.ljust(min(width, self._shown + 2) if not line else self._shown)
            print(f"\r{covered}", end="" if line else "\r", file=self._terminal, flush=True)
        self._shown = len(line)


# -- questions at the terminal ----------------------------------------------------------------------------------------


def can_ask() -> bool:
    """Whether questions can be asked: on standard error, with the answer from standard input."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def asked(question: str) -> str:
    """A line from the terminal; empty at the end of input. Ctrl+C ends the program immediately."""
    # The handler of the event loop would only record the signal, and reading would continue.
    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        print(question, end="", file=sys.stderr, flush=True)
        return sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, earlier)


def secret(what: str) -> str:
    """A line typed without being shown; empty without an answer."""
    from getpass import getpass

    try:
        return getpass(f"{what}: ")
    except EOFError:
        return ""
