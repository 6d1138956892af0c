"""Opening the profile that a command works on."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chartui.cli.errors import UsageError, is_of_the_disk
from chartui.cli.output import Output
from chartui.cli.parser import Arguments
from chartui.cli.prompts import asked, can_ask, secret
from chartui.cli.sessions import Report
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.backends.layers import Confirm
    from chartui.core.backends.local.store import Account, Store
    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Profile, Profiles
    from chartui.core.session import Session
    from chartui.core.spec.operation import Operation

__all__ = [
    "agree_by_name",
    "ask",
    "chosen_profile",
    "configuration",
    "demo_data",
    "embedded_profile",
    "known_profiles",
    "lost_store",
    "warn_of_lost_store",
]

T = TypeVar("T")


@contextmanager
def configuration() -> Iterator[None]:
    """Turns a file or folder of the user's that cannot be used into a :class:`UsageError`."""
    try:
        yield
    except OSError as error:
        if error.filename is None or is_of_the_disk(error):
            raise
        raise UsageError(f"{error.filename} cannot be used: {error.strerror}", code="configuration") from None
    except ValueError as error:
        from chartui.core.estimation.card import BadCard
        from chartui.core.presets import PresetError
        from chartui.core.profiles import ProfileError

        if not isinstance(error, (ProfileError, BadCard, PresetError)):
            raise
        raise UsageError.of(error) from None


def known_profiles() -> Profiles:
    """Every profile; raises :class:`UsageError` for a file that cannot be used."""
    from chartui.core.profiles import load_profiles

    with configuration():
        return load_profiles()


def chosen_profile(arguments: Arguments, *, otherwise: str = "demo") -> Profile:
    """The profile that flag, environment or file name, else ``otherwise``; raises :class:`UsageError`."""
    with configuration():
        profiles = known_profiles()
        return profiles.choose(arguments.profile) or profiles.get(otherwise)


def embedded_profile(arguments: Arguments) -> Profile:
    """The chosen profile, else the user's own store; raises :class:`UsageError` for a remote service."""
    profile = chosen_profile(arguments, otherwise="local")
    if not profile.embedded:
        raise UsageError(
            f"profile '{profile.name}' is a remote service; this command works on an embedded store, "
            "such as --profile local"
        )
    return profile


def _opened(profile: Profile, arguments: Arguments, rate_card: Path | None, *, filled: bool) -> Session:
    from chartui.core.session import open_session

    if rate_card is not None and not profile.embedded:
        raise UsageError(f"profile '{profile.name}' is a remote service, which has rates of its own")
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
    from functools import partial

    from chartui.cli.sessions import Receiving

    return replace(session, service=session.service.through(partial(Receiving, terminal=sys.stderr)))


def ask(
    arguments: Arguments,
    question: Callable[[Session], Awaitable[T]],
    *,
    rate_card: Path | None = None,
    profile: Profile | None = None,
    filled: bool = True,
) -> T:
    """Open ``profile``, the chosen one when None, put the question to it and close it again.

    ``filled`` lets the demo profile's store have its characters first.

    Raises :class:`UsageError` and :class:`~chartui.core.spec.errors.ServiceError`.
    """
    import asyncio

    async def asked() -> T:
        session = _opened(profile or chosen_profile(arguments), arguments, rate_card, filled=filled)
        unreadable = Report(session.profile, read_only=session.read_only)
        session = replace(session, service=session.service.noting_unreadable(unreadable.note))
        try:
            return await question(session)
        finally:
            unreadable.write(Output(None, sys.stderr, as_json=arguments.json))
            if session.new_store is not None and session.new_store.exists():
                with suppress(ServiceError):  # of the journal, which says so itself where it is needed
                    _warn(await session.lost_store(), arguments)
            await session.aclose()

    with configuration():
        return asyncio.run(asked())


def lost_store(profile: Profile, arguments: Arguments) -> str | None:
    """What to say of a missing store of which the journal holds changes; None where none is missing."""
    import asyncio

    session = _opened(profile, arguments, None, filled=False)

    async def lost() -> str | None:
        try:
            return await session.lost_store()
        except ServiceError:  # of the journal, which says so itself where it is needed
            return None
        finally:
            await session.aclose()

    return asyncio.run(lost())


def warn_of_lost_store(profile: Profile, arguments: Arguments) -> None:
    """Say so, before a command makes a new store, where the journal holds changes of one that is missing."""
    _warn(lost_store(profile, arguments), arguments)


def _warn(warning: str | None, arguments: Arguments) -> None:
    if warning is not None:
        Output(None, sys.stderr, as_json=arguments.json).note(f"warning: {warning}")


def demo_data(store: Store, account: Account | None = None) -> None:
    """Give an account of a store, the built-in one when None, its demo characters."""
    from chartui.demos import fill

    fill(store, account)


def _confirming(name: str, arguments: Arguments) -> Confirm:
    """What lets the first change of a production profile through: its name, given beforehand or typed now."""

    async def confirm(operation: Operation, payload: Mapping[str, Wire]) -> bool:
        del payload
        agree_by_name(
            name,
            arguments,
            what=f"production profile '{name}'",
            why=f"'{name}' is a production profile, whose changes need --confirm {name}",
            question=f"'{name}' is a production profile. {operation.summary}: type its name to go on: ",
            kept="Nothing was sent, and nothing was changed.",
        )
        return True

    return confirm


def agree_by_name(name: str, arguments: Arguments, *, what: str, why: str, question: str, kept: str) -> None:
    """Have the name of a profile typed, or take it from ``--confirm``.

    Raises :class:`ServiceError` (kind ``unconfirmed``): ``what`` says which profile it is about, ``why`` the name is
    needed if it cannot be asked for, ``kept`` what was not done.
    """
    if arguments.confirm is not None:
        if arguments.confirm == name:
            return
        problem = f"--confirm names '{arguments.confirm}', and this is {what}"
    elif arguments.json or not can_ask():
        problem = why
    elif asked(question).strip() == name:
        return
    else:
        problem = "that is not its name"
    raise ServiceError(ErrorKind.UNCONFIRMED, f"Not confirmed: {problem}. {kept}")
