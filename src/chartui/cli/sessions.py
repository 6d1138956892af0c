"""Opening the profile that a command works on."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chartui.cli.errors import UsageError
from chartui.cli.parser import Arguments

if TYPE_CHECKING:
    from chartui.core.backends.local.store import Account, Store
    from chartui.core.profiles import Profile, Profiles
    from chartui.core.session import Session

__all__ = ["ask", "chosen_profile", "configuration", "demo_data", "embedded_profile", "known_profiles"]

T = TypeVar("T")


@contextmanager
def configuration() -> Iterator[None]:
    """Turns a file or folder of the user's that cannot be used into a :class:`UsageError`."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        raise UsageError(f"{error.filename} cannot be used: {error.strerror}", code="configuration") from None
    except ValueError as error:
        from chartui.core.estimation.card import BadCard
        from chartui.core.profiles import ProfileError

        if not isinstance(error, (ProfileError, BadCard)):
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


def _opened(profile: Profile, read_only: bool, rate_card: Path | None) -> Session:
    from chartui.core.session import open_session

    if rate_card is not None and not profile.embedded:
        raise UsageError(f"profile '{profile.name}' is a remote service, which has rates of its own")
    return open_session(
        profile,
        read_only=read_only,
        rate_card=rate_card,
        fill=demo_data,
        ask=_ask_for_key if sys.stdin is not None and sys.stdin.isatty() else None,
        origin="command line",
    )


def ask(
    arguments: Arguments,
    question: Callable[[Session], Awaitable[T]],
    *,
    rate_card: Path | None = None,
    profile: Profile | None = None,
) -> T:
    """Open ``profile``, the chosen one when None, put the question to it and close it again.

    Raises :class:`UsageError` and :class:`~chartui.core.spec.errors.ServiceError`.
    """
    import asyncio

    async def asked() -> T:
        session = _opened(profile or chosen_profile(arguments), arguments.read_only, rate_card)
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


def _ask_for_key(what: str) -> str:
    """Ask on the terminal, without showing what is typed; an empty answer is no key."""
    from getpass import getpass

    try:
        return getpass(f"{what}: ")
    except EOFError:
        return ""
