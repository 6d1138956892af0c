"""Turns the names of characters on a command line into IDs before anything else is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from chartui.cli.errors import UsageError
from chartui.cli.parser import CharacterName
from chartui.core.naming import BadName, Item, UnknownName, find, is_whole_id
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.cli.parser import Arguments
    from chartui.core.session import Session


@contextmanager
def names() -> Iterator[None]:
    """Turn the error of a name into a :class:`ServiceError` (kind ``not_found``) or a :class:`UsageError`."""
    try:
        yield
    except UnknownName as error:
        raise ServiceError(ErrorKind.NOT_FOUND, str(error), sent="no") from None
    except BadName as error:
        raise UsageError(str(error), code="name") from None


def found(kind: str, given: str, items: Iterable[Item], arguments: Arguments) -> str:
    """The ID of the item named; ``--yes`` needs a whole ID or name. Raises as :func:`names`."""
    with names():
        return find(kind, given, items, whole=getattr(arguments, "yes", False)).id


async def character_called(session: Session, given: str, arguments: Arguments) -> str:
    """The ID of a character. A whole ID is returned unchanged, without a request. Raises as :func:`names`."""
    if is_whole_id(given):
        return str(given)
    service = session.service
    try:
        # Records that could not be read matter only if no character has this ID.
        summaries = await service.summaries() if service.embedded else (await service.records(about=[given])).summaries
    except ServiceError as error:
        if error.kind is not ErrorKind.UNEXPECTED:
            raise
        return str(given)  # the list cannot be read, but this may be an ID of another form
    items = (Item(one.character_id, one.character_name or "") for one in summaries)
    return found("character", str(given), items, arguments)


def unresolved(arguments: Arguments) -> bool:
    """Whether a list is needed to find a character that the command names."""
    values = (one for value in vars(arguments).values() for one in (value if isinstance(value, list) else [value]))
    return any(isinstance(one, CharacterName) and not is_whole_id(one) for one in values)


async def name_characters(session: Session, arguments: Arguments) -> None:
    for option, value in list(vars(arguments).items()):
        if isinstance(value, CharacterName):
            setattr(arguments, option, await character_called(session, value, arguments))
        elif isinstance(value, list) and any(isinstance(one, CharacterName) for one in value):
            setattr(arguments, option, [await character_called(session, one, arguments) for one in value])


def keeping_lists(session: Session) -> Session:
    """The session, with a service that reads each list only once."""
    from chartui.core.plans.reads import Reads

    return replace(session, service=Reads(session.service).service)


async def named(session: Session, arguments: Arguments) -> Session:
    """The session after names are resolved. It reuses the list that was read for this."""
    if unresolved(arguments):
        session = keeping_lists(session)
    await name_characters(session, arguments)
    return session
