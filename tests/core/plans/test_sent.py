"""What became of a story that was sent: nothing is made twice, and no plan goes on that another one stands in for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from chartui.core.backends.base import Answer, Backend, Context
from chartui.core.backends.layers import Journaled
from chartui.core.journal import Outcome, PlanState
from chartui.core.jsontext import Wire
from chartui.core.narrative.edits import Sending
from chartui.core.plans.executor import Executor
from chartui.core.plans.plan import Plan, Step
from chartui.core.plans.story import outcomes_of
from chartui.core.profiles import BUILT_IN
from chartui.core.service import Service
from chartui.core.session import Session, open_session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation
from tests import writes


class _Lossy:
    """A backend that does what it is told, and whose answer to ``lost`` does not arrive; it is not done if ``deaf``."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.lost = ""
        self.deaf = False

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        lost = operation.name == self.lost
        if lost and self.deaf:
            raise ServiceError(ErrorKind.TIMEOUT, "No answer came.", sent="unclear")
        answer = await self.backend.perform(operation, payload, context)
        if lost:
            raise ServiceError(ErrorKind.TIMEOUT, "No answer came.", sent="unclear")
        return answer

    async def aclose(self) -> None:
        await self.backend.aclose()


class _Desk:
    def __init__(self, session: Session, lossy: _Lossy, character_id: str) -> None:
        self.session = session
        self.lossy = lossy
        self.character_id = character_id

    async def send(self, plan_id: str, *names: str) -> Sending:
        """Send a plan that makes a section of each of these names, which is called new-… before."""
        payloads = ({"character_id": self.character_id, "section_name": name, "objective": ""} for name in names)
        steps = tuple(Step(operation="create-section", payload=payload) for payload in payloads)
        executor = Executor(self.session.service, self.session.journal, self.session.profile.place)
        async for _ in executor.run(Plan(id=plan_id, title="Send", steps=steps)):
            pass
        return Sending(plan=plan_id, makes={number: f"new-{name}" for number, name in enumerate(names)})

    async def ids(self) -> dict[str | None, str]:
        return {one.section_name: one.section_id for one in await self.session.service.sections(self.character_id)}


@asynccontextmanager
async def _desk() -> AsyncIterator[_Desk]:
    opened = open_session(BUILT_IN["local"])
    lossy = _Lossy(opened.recorder)
    layered = Journaled(lossy, lambda: opened.journal, opened.profile.place, embedded=True)
    session = replace(opened, service=Service(layered, embedded=True))
    try:
        yield _Desk(session, lossy, await writes.create_character(session.service, "Mira", backstory=""))
    finally:
        await session.aclose()


pytestmark = pytest.mark.anyio


async def test_what_was_made_is_known_by_its_id_though_no_answer_came() -> None:
    async with _desk() as desk:
        desk.lossy.lost = "create-section"
        sending = await desk.send("p", "Gate", "Hall")  # stops at the first
        became = await outcomes_of(desk.session.service, desk.session.journal, [sending])
        assert became.ids == {"new-Gate": (await desk.ids())["Gate"]}
        assert became.doubtful == frozenset()
        assert became.left == (Sending(plan="p", makes={1: "new-Hall"}),)
        [entry] = await desk.session.journal.entries(plan_id="p")
        assert entry.outcome is Outcome.DONE


async def test_what_was_not_made_is_not_in_doubt_any_more() -> None:
    async with _desk() as desk:
        desk.lossy.lost, desk.lossy.deaf = "create-section", True
        sending = await desk.send("p", "Gate")
        became = await outcomes_of(desk.session.service, desk.session.journal, [sending])
        assert (became.ids, became.doubtful, became.left) == ({}, frozenset(), (sending,))
        [entry] = await desk.session.journal.entries(plan_id="p")
        assert entry.outcome is Outcome.REFUSED


async def test_of_two_that_look_alike_it_stays_in_doubt_which_one_was_made() -> None:
    async with _desk() as desk:
        desk.lossy.lost = "create-section"
        sending = await desk.send("p", "Gate")
        desk.lossy.lost = ""
        await writes.create_section(Service(desk.lossy, embedded=True), desk.character_id, "Gate", "")  # not recorded
        became = await outcomes_of(desk.session.service, desk.session.journal, [sending])
        assert became.doubtful == frozenset({"new-Gate"})
        assert (became.ids, became.left) == ({}, (sending,))


async def test_a_plan_is_forgotten_once_another_one_was_begun_in_its_place() -> None:
    async with _desk() as desk:
        journal = desk.session.journal
        desk.lossy.lost, desk.lossy.deaf = "create-section", True
        first = await desk.send("first", "Gate", "Hall")
        declined = Sending(plan="declined", makes={0: "new-Gate"})
        became = await outcomes_of(desk.session.service, desk.session.journal, [first, declined])
        assert became.left == (first,)
        kept = await journal.plan("first")
        assert kept is not None
        assert kept.state is PlanState.STOPPED
        desk.lossy.lost = ""
        second = await desk.send("second", "Gate", "Hall")
        became = await outcomes_of(desk.session.service, desk.session.journal, [first, second])
        found = await desk.ids()
        assert became.ids == {"new-Gate": found["Gate"], "new-Hall": found["Hall"]}
        assert became.left == ()
        assert await journal.plan("first") is None
        assert await journal.plan("second") is not None  # it is told, and taken back, as one


async def test_what_a_plan_puts_there_on_its_way_is_its_own() -> None:
    async with _desk() as desk:
        bell = (await writes.create_trigger(desk.session.service, desk.character_id, "bell", "")).trigger_id
        address: Mapping[str, Wire] = {"character_id": desk.character_id, "trigger_id": bell}
        steps = (Step(operation="update-trigger", payload={**address, "updated_data": {"trigger_name": "aside"}}),)
        executor = Executor(desk.session.service, desk.session.journal, desk.session.profile.place)
        async for _ in executor.run(Plan(id="p", title="Send", steps=steps)):
            pass
        sending = await desk.send("q", "Gate")
        became = await outcomes_of(desk.session.service, desk.session.journal, [Sending(plan="p", makes={}), sending])
        assert became.ours == {
            ("trigger", bell, "trigger_name"): ["aside"],
            ("story", "", "start"): [(await desk.ids())["Gate"]],
        }
