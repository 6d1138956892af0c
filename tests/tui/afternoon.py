"""A service that answers some questions and refuses others, and an afternoon's requests to it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from chartui.core.backends.base import Meta
from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import operation
from tests.tui.recorded import KEPT, served
from tests.tui.sessions import Double

__all__ = ["CHARACTER", "SECTION", "ask_as", "calls", "on_a_service"]

CHARACTER = "5f2a1c9e-0d7b-4a58-9f3e-6b1d2c8e7a40"
SECTION = {
    "section_id": "0c9d8e7f-1a2b-4c3d-8e4f-5a6b7c8d9e0f",
    "section_name": "At the gate",
    "objective": "Greet the visitor, ask where the journey leads, and never open before the name is known.",
    "decisions": [{"criteria": "the name is known", "next_section_id": None, "priority": 1}],
    "parents": None,
}


async def ask_as(session: Session, name: str, origin: str = "estimator", **payload: Any) -> None:
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
            "characters.example:8443 was silent for 10 s; it may still have taken effect. Check before you repeat it.",
            sent="unclear",
        ),
        "list-triggers": ServiceError(
            ErrorKind.UNREACHABLE, "characters.example:8443 cannot be reached; check that the service runs.", sent="no"
        ),
    }
    return session, double


async def calls(session: Session) -> None:
    """What an afternoon on a service looks like."""
    await ask_as(session, "options")
    for tokens in range(14):
        await ask_as(session, "estimate", assumptions={"inputTokens": tokens * 100})
    await ask_as(session, "list-characters", "characters")
    await ask_as(session, "list-models", "characters", charID=CHARACTER)
    await ask_as(session, "update-character", "characters", charID=CHARACTER, temperature=1)
    await ask_as(session, "list-triggers", "narrative", character_id=CHARACTER)
    changes = {"objective": "Ask for the name first."}
    await ask_as(
        session, "edit-section", "narrative", character_id=CHARACTER, section_id=CHARACTER, updated_data=changes
    )
    await ask_as(session, "get-response", "actions", charID=CHARACTER, userText="Fetch the key.")
    await ask_as(session, "list-sections", "narrative", character_id=CHARACTER)
