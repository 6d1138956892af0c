"""Changes that stand in the history."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from chartui.core.backends.base import Context
from chartui.core.clock import seeded_ids
from chartui.core.journal import Outcome
from chartui.core.plans.executor import Executor
from chartui.core.plans.plan import Change, Plan, Step
from chartui.core.session import Session
from tests import writes

Ids = dict[str, str]


async def ids_of(session: Session) -> Ids:
    """The ids of the demo characters, by name."""
    return {s.character_name or "": s.character_id for s in await session.service.summaries()}


async def temperature(session: Session, character_id: str) -> Any:
    return (await session.service.settings(character_id)).temperature


async def warm(session: Session, name: str, value: str) -> str:
    """Change a temperature; the id of whose."""
    character_id = (await ids_of(session))[name]
    await writes.update_character(session.service, character_id, temperature=Decimal(value))
    return character_id


async def bulk(session: Session, *names: str) -> None:
    """Change the temperature of many, as a plan."""
    ids = await ids_of(session)
    steps = tuple(
        Step(
            operation="update-character",
            payload={"charID": ids[name], "temperature": Decimal("0.9")},
            subject=name,
            changes=(Change(label="temperature", before=None, after=Decimal("0.9")),),
        )
        for name in names
    )
    plan = Plan(id=seeded_ids(3)(), title="Warm everybody", steps=steps, independent=True)
    async for _ in Executor(session.service, session.journal, session.profile.place).run(plan):
        pass


async def doubt(session: Session, name: str, value: str) -> int:
    """A change that was sent and of which nobody knows the end."""
    character_id = (await ids_of(session))[name]
    before = {"temperature": await temperature(session, character_id)}
    payload = {"charID": character_id, "temperature": Decimal(value)}
    number = await session.journal.intend(
        session.profile.place, "update-character", payload, before=before, context=Context()
    )
    await session.journal.conclude(number, Outcome.UNKNOWN, error="No answer came.")
    return number
