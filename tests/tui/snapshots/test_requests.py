"""Pictures of the requests."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from chartui.core.backends.base import Meta
from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import operation
from tests.tui.conftest import Screen
from tests.tui.hostile import HOSTILE
from tests.tui.pictures import sizes
from tests.tui.recorded import KEPT, recorded, served
from tests.tui.sessions import Double
from tests.tui.user import User

CHARACTER = "5f2a1c9e-0d7b-4a58-9f3e-6b1d2c8e7a40"
SECTION = {
    "section_id": "0c9d8e7f-1a2b-4c3d-8e4f-5a6b7c8d9e0f",
    "section_name": "At the gate",
    "objective": "Greet the visitor, ask where the journey leads, and never open before the name is known.",
    "decisions": [{"criteria": "the name is known", "next_section_id": None, "priority": 1}],
    "parents": None,
}


async def ask(session: Session, name: str, origin: str = "estimator", **payload: Any) -> None:
    with suppress(ServiceError):
        await session.service.asking_as(origin).call(operation(name), payload)


def on_a_service() -> tuple[Session, Double]:
    """A service that answers some questions and refuses others."""
    session, double = served(options=KEPT, list_models=Meta(status=200, bytes=18_204, attempts=3))
    double.answers["list-sections"] = [SECTION]
    double.answers["update-character"] = {"STATUS": "SUCCESS"}
    double.failures = {
        "edit-section": ServiceError(
            ErrorKind.NOT_FOUND, f"There is no section with the id '{CHARACTER}'.", status=404, sent="yes"
        ),
        "get-response": ServiceError(
            ErrorKind.TIMEOUT,
            "characters.example:8443 was silent for 10 s; it may have been done all the same, so check before "
            "repeating it.",
            sent="unclear",
        ),
        "list-triggers": ServiceError(
            ErrorKind.UNREACHABLE, "characters.example:8443 cannot be reached; check that the service runs.", sent="no"
        ),
    }
    return session, double


async def calls(session: Session) -> None:
    """What an afternoon on a service looks like."""
    await ask(session, "options")
    for tokens in range(14):
        await ask(session, "estimate", assumptions={"inputTokens": tokens * 100})
    await ask(session, "list-characters", "characters")
    await ask(session, "list-models", "characters", charID=CHARACTER)
    await ask(session, "update-character", "characters", charID=CHARACTER, temperature=1)
    await ask(session, "list-triggers", "narrative", character_id=CHARACTER)
    changes = {"objective": "Ask for the name first."}
    await ask(session, "edit-section", "narrative", character_id=CHARACTER, section_id=CHARACTER, updated_data=changes)
    await ask(session, "get-response", "actions", charID=CHARACTER, userText="Fetch the key.")
    await ask(session, "list-sections", "narrative", character_id=CHARACTER)


async def seen(user: User, name: str) -> None:
    await user.sees(name)
    await user.rests()


@sizes("60x20", "80x24", "120x40", svg="80x24 120x40", whole="80x24")
def test_list(screen: Screen, size: tuple[int, int]) -> None:
    session, _ = on_a_service()

    async def play(user: User) -> None:
        await calls(session)
        await seen(user, "list-sections")

    screen(play, session=session, screen="requests", size=size)


@sizes("120x40", svg="120x40")
def test_one_request(screen: Screen, size: tuple[int, int]) -> None:
    session, _ = on_a_service()

    async def play(user: User) -> None:
        await calls(session)
        await seen(user, "list-sections")
        await user.press("enter")
        await seen(user, "All sections of a character")
        await user.press(*["down"] * 3)

    screen(play, session=session, screen="requests", size=size)


@sizes("80x24")
def test_a_failure(screen: Screen, size: tuple[int, int]) -> None:
    session, _ = on_a_service()

    async def play(user: User) -> None:
        await calls(session)
        await seen(user, "list-sections")
        await user.press("f", "home", "enter")
        await seen(user, "Let a character act on a text")
        await user.press("pagedown")

    screen(play, session=session, screen="requests", size=size)


@sizes("120x40")
def test_held_on_an_older_one(screen: Screen, size: tuple[int, int]) -> None:
    session, _ = on_a_service()

    async def play(user: User) -> None:
        await calls(session)
        await seen(user, "list-sections")
        await user.press("down", "down")
        await user.rests()
        await ask(session, "list-sections", "narrative", character_id=CHARACTER)
        await seen(user, "3 newer")

    screen(play, session=session, screen="requests", size=size)


@sizes("80x24")
def test_what_to_copy(screen: Screen, size: tuple[int, int]) -> None:
    session, _ = on_a_service()

    async def play(user: User) -> None:
        await calls(session)
        await seen(user, "list-sections")
        await user.press("y")
        await user.sees("─ Copy ─")

    screen(play, session=session, screen="requests", size=size)


@sizes("120x40")
def test_hostile_text(screen: Screen, size: tuple[int, int]) -> None:
    session, double = recorded()
    double.answers["list-triggers"] = {
        name: HOSTILE[name] for name in ("markup", "escape sequences", "bidi", "combining", "wide", "right to left")
    }

    async def play(user: User) -> None:
        await ask(session, "list-triggers", character_id=HOSTILE["markup"])
        await seen(user, "list-triggers")
        await user.press("enter")
        await seen(user, "All triggers of a character")
        await user.press("pagedown")

    screen(play, session=session, screen="requests", size=size)
