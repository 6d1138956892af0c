"""Opening the profile that a command works on."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chartui.cli.asking import asked, can_ask, secret
from chartui.cli.errors import UsageError, is_of_the_disk
from chartui.cli.parser import Arguments
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.backends.layers import Confirm
    from chartui.core.backends.local.store import Account, Store
    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Profile, Profiles
    from chartui.core.session import Session
    from chartui.core.spec.operation import Operation

__all__ = ["ask", "chosen_profile", "configuration", "demo_data", "embedded_profile", "known_profiles"]

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
        raise UsageError(str(error), code="configuration") from None


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
    return open_session(
        profile,
        read_only=arguments.read_only,
        rate_card=rate_card,
        fill=demo_data if filled else None,
        ask=secret if sys.stdin is not None and sys.stdin.isatty() else None,
        confirm=_confirming(profile.name, arguments),
        origin="command line",
    )


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
        try:
            return await question(session)
        finally:
            await session.aclose()

    with configuration():
        return asyncio.run(asked())


def demo_data(store: Store, account: Account | None = None) -> None:
    """Give an account of a store, the built-in one when None, its demo characters."""
    from chartui.demos import fill

    fill(store, account)


def _confirming(name: str, arguments: Arguments) -> Confirm:
    """What lets the first change of a production profile through: its name, given beforehand or typed now."""

    async def confirm(operation: Operation, payload: Mapping[str, Wire]) -> bool:
        del payload
        if arguments.confirm is not None:
            if arguments.confirm != name:
                raise _unconfirmed(f"--confirm names '{arguments.confirm}', and this is production profile '{name}'")
            return True
        if arguments.json or not can_ask():
            raise _unconfirmed(f"'{name}' is a production profile, whose changes need --confirm {name}")
        typed = asked(f"'{name}' is a production profile. {operation.summary}: type its name to go on: ").strip()
        if typed != name:
            raise _unconfirmed("that is not its name")
        return True

    return confirm


def _unconfirmed(why: str) -> ServiceError:
    return ServiceError(ErrorKind.UNCONFIRMED, f"Not confirmed: {why}. Nothing was sent, and nothing was changed.")
