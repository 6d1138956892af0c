"""What the victims do."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from chartui.core.bundle.files import load, remember
from chartui.core.bundle.model import Bundle
from chartui.core.bundle.push import push_plan, pushed, watched
from chartui.core.paths import data_dir
from chartui.core.plans.executor import Executor, Progress
from chartui.core.plans.plan import Plan, Step, result_of
from chartui.core.plans.undo import undo_plan
from chartui.core.session import Session

__all__ = [
    "bulk",
    "bulk_plan",
    "carried_out",
    "go_on",
    "graph",
    "graph_plan",
    "push",
    "resume",
    "resumed",
    "save",
    "save_plan",
    "undo",
]

MODEL: Final = "mdla-5.1"


def bulk_plan(character_ids: Sequence[str]) -> Plan:
    changes = {"model_group_name": MODEL, "temperature": Decimal("0.25")}
    steps = (
        Step(operation="update-character", payload={"charID": character_id, **changes})
        for character_id in character_ids
    )
    return Plan(id="bulk", title="Bulk", steps=tuple(steps), independent=True)


def save_plan(character_id: str) -> Plan:
    payload = {
        "charID": character_id,
        "model_group_name": MODEL,
        "temperature": Decimal("0.75"),
        "reasoning_effort": "high",
        "backstory": "She kept the lighthouse.\n" * 40,
    }
    return Plan(id="save", title="Save", steps=(Step(operation="update-character", payload=payload),))


def graph_plan(character_id: str) -> Plan:
    """Steps that need one another: what is made twice or not at all shows."""

    def step(operation: str, **payload: object) -> Step:
        return Step(operation=operation, payload={"character_id": character_id, **payload})

    decisions = [{"criteria": "goes on", "next_section_id": result_of(1, "section_id")}]
    return Plan(
        id="graph",
        title="Graph",
        steps=(
            # One of the kind is there already: what was made must not be taken for it, nor it for what was made.
            step("create-section", section_name="Gate", objective="Greet."),
            step("create-section", section_name="Hall", objective="Show."),
            step("edit-section", section_id=result_of(0, "section_id"), updated_data={"decisions": decisions}),
            step(
                "create-trigger",
                trigger_name="bell",
                trigger_message="It rings.",
                destination_section=result_of(1, "section_id"),
            ),
            step("toggle-narrative", is_narrative_driven=True),
            step("create-section", section_name="Gate", objective="Greet."),
            step("delete-section", section_id=result_of(0, "section_id")),
            Step(operation="duplicate-character", payload={"charID": character_id}),
            Step(
                operation="rename-character",
                payload={"charID": result_of(7, "character_id"), "character_name": "The copy"},
            ),
        ),
    )


async def carried_out(session: Session, plan: Plan) -> Progress:
    executor = Executor(session.service, session.journal, session.profile.place)
    return [progress async for progress in executor.run(plan)][-1]


async def resumed(session: Session, plan_id: str) -> Progress:
    executor = Executor(session.service, session.journal, session.profile.place)
    return [progress async for progress in executor.resume(plan_id)][-1]


async def bulk(session: Session) -> None:
    plan = bulk_plan([character.character_id for character in await session.service.summaries()])
    assert (await carried_out(session, plan)).ok


async def undo(session: Session) -> None:
    plan = await undo_plan(session.service, session.journal, session.profile.place, "bulk", ids=lambda: "undo")
    assert (await carried_out(session, plan)).ok


async def save(session: Session) -> None:
    first = (await session.service.summaries())[0]
    assert (await carried_out(session, save_plan(first.character_id))).ok


async def graph(session: Session) -> None:
    first = (await session.service.summaries())[0]
    assert (await carried_out(session, graph_plan(first.character_id))).ok


async def push(session: Session, name: str = "") -> None:
    """Push the bundle that lies beside the store: onto the character of that name, or onto one that is made."""
    path = data_dir().parent / "bundle.toml"
    bundle = load(path).bundle
    known = [one.character_id for one in await session.service.summaries() if one.character_name == name]
    plan = await push_plan(
        session, bundle, known[0] if name else next(iter(bundle.known_as("local")), None), prune=True
    )
    progress: Progress | None = None
    if plan.plan.steps:
        executor = Executor(session.service, session.journal, session.profile.place)

        def keep(known: Bundle) -> None:
            remember(path, known.ids)

        progress = [told async for told in watched(plan, session, executor.run(plan.plan), keep)][-1]
        assert progress.ok, progress.errors
    done = await pushed(plan, session, progress)
    assert done.different == ()
    remember(path, done.bundle.ids)


async def resume(session: Session, plan_id: str) -> None:
    assert (await resumed(session, plan_id)).ok


async def go_on(session: Session, plan_id: str) -> None:
    assert (await resumed(session, plan_id)).finished
