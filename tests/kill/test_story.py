"""A staged story that is sent from its screen by a program that is killed: draft and store fit together.

Whoever goes on, by sending again what is staged or with the plan that was interrupted, ends where a clean run ends.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import pytest

from chartui.core.drafts import STORY_PART
from chartui.core.journal import Outcome, PlanState
from chartui.core.narrative.edits import StoryDraft, difference, draft_to_wire
from chartui.core.narrative.story import Story, decision
from chartui.core.plans.history import past_changes
from chartui.core.session import Session
from chartui.tui.tour.app import RestingLoop
from chartui.tui.widgets.review import Review
from tests import writes
from tests.kill.harness import SEEDS, Life, Victim, everything_in, normal
from tests.kill.jobs import resumed
from tests.tui.user import User, opened, run_app

NAME: Final = "Mira"
#: What the victim runs on.
LOOP: Final = RestingLoop


async def _stored(session: Session) -> Story:
    service = session.service
    [character_id] = [one.character_id for one in await service.summaries() if one.character_name == NAME]
    character = await service.character(character_id)
    assert character is not None
    return Story.of(character, await service.sections(character_id), await service.triggers(character_id))


def _written(now: Story) -> Story:
    """Everything that can be staged: two new sections that are alike, as one is that is there already."""
    gate, hall, cellar = now.sections
    bell, gong, horn = now.triggers
    story = now.with_section("new-1", name="Gate", objective="Greet.").with_section("new-2", name="Gate")
    story = story.with_section("new-2", objective="Greet.", decisions=[decision("down", "new-3")])
    story = story.with_section("new-3", name="Tower", objective="", decisions=[decision("back", gate)])
    ways = [decision("up", "new-3"), decision("in", "new-1"), decision("*", hall)]
    story = story.with_ways(gate, ways).with_section(hall, name="The hall", decisions=[])
    story = story.with_trigger("new-4", name="horn", message="It sounds.", destination="new-2")
    # Two of them change names, which goes by way of another one.
    story = story.with_trigger(bell, name="gong", destination="new-1").with_trigger(gong, name="bell")
    story = story.without_trigger(horn)
    story = story.overriding(hall, bell, "new-3").overriding(hall, horn, None).overriding(gate, "new-4", hall)
    return story.without_section(cellar).starting_at("new-2").switched(True)


async def _prepared(victim: Victim) -> None:
    """A character whose story is staged, and one beside it that is left alone."""
    async with victim.session() as session:
        service = session.service
        for name in ("Ada", NAME):
            character_id = await writes.create_character(service, name, backstory="Before.")
            gate = await writes.create_section(service, character_id, "Gate", "Greet.")
            hall = await writes.create_section(service, character_id, "Hall", "Show.")
            cellar = await writes.create_section(service, character_id, "Cellar", "Dark.")
            await writes.edit_section(
                service, character_id, gate, decisions=[decision("down", cellar), decision("*", hall)]
            )
            await writes.create_trigger(service, character_id, "bell", "It rings.", cellar)
            await writes.create_trigger(service, character_id, "gong", "It booms.", gate)
            horn = await writes.create_trigger(service, character_id, "horn", "It sounds.")
            await writes.set_override(service, character_id, hall, horn.trigger_id, cellar)
        now = await _stored(session)
        draft = StoryDraft(character_id=character_id, name=NAME, edits=difference(now, _written(now)))
        await session.drafts.save(session.profile.place, character_id, STORY_PART, draft_to_wire(draft))


async def _send(user: User) -> None:
    if user.narrative.staged:
        await user.press("S")
        await user.at(Review)
        await user.press("y")
        await user.until(lambda: user.at_work and not user.narrative.staged, "for it to be sent")
    await user.ready()


async def send(session: Session) -> None:
    """What the victim does: open the screen of the story, and send what is staged."""
    [character] = [one for one in await session.service.summaries() if one.character_name == NAME]
    async with opened(session, screen="narrative", character=character.character_id) as user:
        await user.until(lambda: not user.narrative.reads_drafts, "for the drafts")
        await user.settle()
        await _send(user)


class Clean(NamedTuple):
    """How it begins and ends when nobody disturbs, and how long that is."""

    start: Path
    life: Life
    after: str


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Clean:
    folder = tmp_path_factory.mktemp("story")
    asyncio.run(_prepared(Victim(folder / "start", "")))
    victim = Victim(folder / "clean", "tests.kill.test_story:send").copy_of(folder / "start")
    life = victim.lives()
    return Clean(folder / "start", life, asyncio.run(_everything(victim)))


async def _everything(victim: Victim) -> str:
    async with victim.session() as session:
        return normal(await everything_in(session))


async def _goes_on(victim: Victim, clean: Clean, *, resuming: bool) -> None:
    """The next program goes on, and everything is told, made and made once."""
    async with victim.session() as session:
        entries = await session.journal.unsettled()
        assert len(entries) <= 1  # one thing at a time
        assert {entry.outcome for entry in entries} <= {Outcome.OPEN}
        plans = [plan for plan in await session.journal.plans() if plan.state is not PlanState.DONE]
        if resuming and plans:
            assert (await resumed(session, plans[0].id)).ok
        await send(session)
    async with victim.session() as session:
        assert normal(await everything_in(session)) == clean.after
        assert await session.drafts.all(session.profile.place) == ()
        # Nothing is left that could be gone on with: it would make once more what is there.
        assert await past_changes(session.journal, session.profile.place, open_only=True) == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_story_is_sent(seed: int, clean: Clean, tmp_path: Path) -> None:
    """Every other time it is the plan that goes on; sometimes the program that goes on is killed as well."""
    random = Random(seed)
    victim = Victim(tmp_path / "data", "tests.kill.test_story:send").copy_of(clean.start)
    victim.dies_at(random.randint(1, clean.life.statements))
    if seed % 4 == 2:
        victim.dies_at(random.randint(1, clean.life.statements), surely=False)
    run_app(_goes_on(victim, clean, resuming=seed % 2 == 1))


def test_a_clean_run_changes_what_it_should(clean: Clean) -> None:
    """So that the others compare with something."""
    assert clean.after.count('"Gate"') == 4  # one of them of the other character
    assert [clean.after.count(name) for name in ('"Cellar"', '"Tower"', '"The hall"')] == [1, 1, 1]
