"""Sessions on a store of one's own, and pushes carried out in them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chartui.core.bundle.model import Bundle
from chartui.core.bundle.push import Pushed, PushPlan, pushed, watched
from chartui.core.plans.executor import Executor, Progress
from chartui.core.profiles import BUILT_IN
from chartui.core.session import Session, open_session

__all__ = ["carried_out", "local_session", "stopped"]


@asynccontextmanager
async def local_session() -> AsyncIterator[Session]:
    session = open_session(BUILT_IN["local"])
    try:
        yield session
    finally:
        await session.aclose()


async def _run(session: Session, push: PushPlan, kept: list[Bundle], steps: int | None = None) -> Progress | None:
    progress: Progress | None = None
    cancel = asyncio.Event()
    if steps == 0:
        cancel.set()
    executor = Executor(session.service, session.journal, session.profile.place)
    async for told in watched(push, session, executor.run(push.plan, cancel=cancel), kept.append):
        progress = told
        if steps is not None and told.done >= steps:
            cancel.set()
    return progress


async def carried_out(session: Session, push: PushPlan) -> Pushed:
    progress = await _run(session, push, []) if push.plan.steps else None
    assert progress is None or progress.ok, progress.errors
    return await pushed(push, session, progress)


async def stopped(session: Session, push: PushPlan, steps: int) -> list[Bundle]:
    """Stop a push after so many steps; gives what was written down of it."""
    kept: list[Bundle] = []
    progress = await _run(session, push, kept, steps)
    assert progress is not None
    assert progress.done == min(steps, len(push.plan.steps))
    return kept
