"""What changed since one looked, and not from here: nothing of one's own is told as somebody else's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from chartui.core.characters.comparison import members
from chartui.core.jsontext import Wire
from chartui.core.plans.verify import changed_elsewhere
from chartui.core.profiles import BUILT_IN
from chartui.core.seen import Since
from chartui.core.service import Service
from chartui.core.session import Session, open_session
from chartui.core.spec.operations import operation
from chartui.demos import fill

pytestmark = pytest.mark.anyio

CONFIG = "personalised_prompt_config."


class Desk:
    """A profile, its first character, and two ways to change it: from here, and past the journal."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.place = session.profile.place
        self.elsewhere = Service(session.recorder, embedded=True)
        self.character_id = ""
        self.now = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    async def change(self, name: str, *, here: bool, **payload: Wire) -> Wire:
        service = self.session.service if here else self.elsewhere
        address = "charID" if name in ("update-character", "rename-character") else "character_id"
        return (await service.call(operation(name), {address: self.character_id, **payload})).body

    async def read(self) -> tuple[dict[str, Wire], dict[str, Wire]]:
        record = (await self.elsewhere.call(operation("get-character"), {"charID": self.character_id})).body
        return record, dict((await self.elsewhere.settings(self.character_id)).raw)

    async def look(self) -> None:
        await self.session.seen.remember(self.place, self.character_id, "", members(*await self.read()))

    async def told(self) -> set[str]:
        session = self.session
        found = await changed_elsewhere(
            session.seen, session.journal, self.place, self.character_id, *await self.read()
        )
        assert found is not None
        return {changed.path for changed in found.changed}


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    holder: list[Desk] = []
    session = open_session(BUILT_IN["demo"], throwaway=True, fill=fill, clock=lambda: holder[0].clock())
    holder.append(Desk(session))
    [first, *_] = await session.service.summaries()
    holder[0].character_id = first.character_id
    yield holder[0]
    await session.aclose()


async def test_a_character_that_was_never_seen(desk: Desk) -> None:
    session = desk.session
    read = await desk.read()
    assert await changed_elsewhere(session.seen, session.journal, desk.place, desk.character_id, *read) is None


async def test_nothing_changed(desk: Desk) -> None:
    await desk.change("update-character", here=False, temperature=1)
    await desk.look()
    session, read = desk.session, await desk.read()
    found = await changed_elsewhere(session.seen, session.journal, desk.place, desk.character_id, *read)
    assert isinstance(found, Since)
    assert found.changed == ()


async def test_what_was_written_from_here_is_nobody_elses(desk: Desk) -> None:
    await desk.look()
    await desk.change("update-character", here=True, temperature=1, backstory="Another.", reasoning_effort="")
    await desk.change("update-character", here=True, model_group_name="mdlc-3.5-flash")
    await desk.change("rename-character", here=True, character_name="Somebody")
    await desk.change("toggle-narrative", here=True, is_narrative_driven=False)
    assert await desk.told() == set()


async def test_what_somebody_else_wrote_is_told(desk: Desk) -> None:
    await desk.look()
    await desk.change("update-character", here=False, model_group_name="mdlc-3.5-flash", reasoning_effort="minimal")
    await desk.change("update-character", here=False, backstory="Another.")
    assert await desk.told() == {f"{CONFIG}MODEL", "reasoning_effort", "backstory"}


async def test_a_level_that_followed_the_model_from_here_is_nobody_elses(desk: Desk) -> None:
    await desk.change("update-character", here=False, model_group_name="mdlc-3.5-flash", reasoning_effort="minimal")
    await desk.look()
    await desk.change("update-character", here=True, model_group_name="mdla-4.1")
    assert (await desk.read())[1]["reasoning_effort"] is None
    assert await desk.told() == set()


async def test_over_what_was_written_from_here_somebody_else_wrote(desk: Desk) -> None:
    await desk.look()
    await desk.change("update-character", here=True, temperature=1)
    await desk.change("update-character", here=False, temperature=0)
    assert await desk.told() == {f"{CONFIG}TEMPERATURE"}


async def test_what_was_written_from_here_before_the_look_explains_nothing(desk: Desk) -> None:
    await desk.change("update-character", here=True, temperature=1)
    await desk.change("update-character", here=False, temperature=0)
    await desk.look()
    await desk.change("update-character", here=False, temperature=1)
    assert await desk.told() == {f"{CONFIG}TEMPERATURE"}


async def test_the_start_of_a_story_that_follows_its_sections(desk: Desk) -> None:
    sections = await desk.elsewhere.sections(desk.character_id)
    await desk.look()
    for section in sections:
        await desk.change("delete-section", here=True, section_id=section.section_id)
    assert await desk.told() == set()
    await desk.change("create-section", here=True, section_name="New", objective="Begin.")
    assert await desk.told() == set()
    await desk.change("create-section", here=False, section_name="Other", objective="Begin.")
    assert await desk.told() == set()


async def test_only_the_first_section_from_here_becomes_the_start(desk: Desk) -> None:
    for section in await desk.elsewhere.sections(desk.character_id):
        await desk.change("delete-section", here=False, section_id=section.section_id)
    await desk.look()
    made = [
        await desk.change("create-section", here=True, section_name=name, objective="Go on.")
        for name in ("First", "Second", "Third")
    ]
    assert await desk.told() == set()
    last: dict[str, Wire] = dict(made[-1])
    await desk.change("delete-section", here=True, section_id=last["section_id"])
    assert await desk.told() == set()
    second: dict[str, Wire] = dict(made[1])
    await desk.change("set-start-section", here=False, section_id=second["section_id"])
    assert await desk.told() == {"start_narrative_section_id"}
