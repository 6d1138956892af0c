"""Plans of a program that is killed: nothing half done, nothing forgotten, nothing done twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from chartui.core.journal import Outcome, PlanState
from chartui.core.jsontext import Wire
from chartui.core.session import Session
from tests import writes
from tests.kill.harness import SEEDS, Victim, everything_in, normal
from tests.kill.jobs import MODEL, bulk, bulk_plan, graph, resumed, save

CHARACTERS: Final = 200


async def _filled(victim: Victim, characters: int) -> None:
    async with victim.session() as session:
        for number in range(characters):
            character_id = await writes.create_character(session.service, f"Character {number}", backstory="Before.")
            if number == 0:
                await writes.create_section(session.service, character_id, "Gate", "Greet.")


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("few") / "data"
    asyncio.run(_filled(Victim(folder, ""), 3))
    return folder


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many") / "data"
    asyncio.run(_filled(Victim(folder, ""), CHARACTERS))
    return folder


class Clean:
    """How a job ends that nobody disturbs, and how long it is."""

    def __init__(self, start: Path, folder: Path, job: str) -> None:
        victim = Victim(folder, f"tests.kill.jobs:{job}").copy_of(start)
        self.job, self.start = job, start
        self.life = victim.lives()
        self.before = asyncio.run(_looked(Victim(folder.with_name(f"{job}-before"), "").copy_of(start)))
        self.after = asyncio.run(_looked(victim))


async def _looked(victim: Victim) -> dict[str, Any]:
    async with victim.session() as session:
        return await everything_in(session)


def _clean(job: str, start: str) -> Callable[[pytest.FixtureRequest, pytest.TempPathFactory], Clean]:
    @pytest.fixture(scope="session", name=f"clean_{job}")
    def clean(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Clean:
        return Clean(request.getfixturevalue(start), tmp_path_factory.mktemp(job) / "data", job)

    return clean


clean_bulk = _clean("bulk", "many")
clean_save = _clean("save", "few")
clean_graph = _clean("graph", "few")


async def _settled(victim: Victim, clean: Clean, whole: Callable[[Any, Any, Any], bool]) -> None:
    """What the killed program left is whole, is reported, and ends where a clean run ends."""
    async with victim.session() as session:
        await _check_what_is_left(session, clean, whole)
        if await session.journal.plan(clean.job) is None:
            # Killed before it had begun: whoever asks for it again gets all of it.
            await {"bulk": bulk, "save": save, "graph": graph}[clean.job](session)
        else:
            progress = await resumed(session, clean.job)
            assert progress.ok, progress.errors
        assert await session.journal.unsettled() == ()
        kept = await session.journal.plan(clean.job)
        assert kept is not None
        assert kept.state is PlanState.DONE
        done = await session.journal.entries(plan_id=clean.job, limit=10_000, outcomes=(Outcome.DONE,))
        assert sorted(entry.step or 0 for entry in done) == list(range(kept.total))
        assert normal(await everything_in(session)) == normal(clean.after)


async def _check_what_is_left(session: Session, clean: Clean, whole: Callable[[Any, Any, Any], bool]) -> None:
    everything = await everything_in(session)
    entries = await session.journal.entries(plan_id=clean.job, limit=10_000)
    unsettled = await session.journal.unsettled()
    # One thing at a time, so at most one is in doubt, and that one is reported.
    assert [entry.outcome for entry in unsettled] == [Outcome.OPEN] * len(unsettled)
    assert len(unsettled) <= 1
    # Refused is what an earlier resumption found not done; unknown is nothing on the embedded store.
    assert Outcome.UNKNOWN not in {entry.outcome for entry in entries}
    assert list(unsettled) == [entry for entry in entries if entry.outcome is Outcome.OPEN]
    kept = await session.journal.plan(clean.job)
    assert kept is None or (not kept.alive and kept.state in (PlanState.INTERRUPTED, PlanState.DONE))
    written = {entry.character_id: entry for entry in entries}
    for character_id, now in everything.items():
        before, after = clean.before.get(character_id), clean.after.get(character_id)
        assert whole(before, now, after), character_id
        if now != before and character_id in clean.before:
            assert character_id in written  # no change without its entry
    for entry in entries:
        if entry.outcome is Outcome.DONE and clean.job != "graph":
            assert everything[str(entry.character_id)] == clean.after[str(entry.character_id)]


def _all_or_nothing(before: Wire, now: Wire, after: Wire) -> bool:
    return now in (before, after)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_save(seed: int, clean_save: Clean, tmp_path: Path) -> None:
    """Four settings in one request: all of them or none."""
    victim = Victim(tmp_path / "data", "tests.kill.jobs:save").copy_of(clean_save.start)
    victim.dies_somehow(Random(seed), clean_save.life)
    asyncio.run(_settled(victim, clean_save, _all_or_nothing))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bulk_change(seed: int, clean_bulk: Clean, tmp_path: Path) -> None:
    """Two hundred characters; every other time the program that goes on is killed as well."""
    random = Random(seed)
    victim = Victim(tmp_path / "data", "tests.kill.jobs:bulk").copy_of(clean_bulk.start)
    victim.dies_somehow(random, clean_bulk.life)
    if seed % 2 and asyncio.run(_kept(victim, "bulk")):
        victim.doing("tests.kill.jobs:resume", "bulk").dies_after(random.uniform(0.0, 0.3))
    asyncio.run(_settled(victim, clean_bulk, _all_or_nothing))


async def _kept(victim: Victim, plan_id: str) -> bool:
    async with victim.session() as session:
        return await session.journal.plan(plan_id) is not None


@pytest.mark.parametrize("seed", SEEDS)
def test_steps_that_need_one_another(seed: int, clean_graph: Clean, tmp_path: Path) -> None:
    """What is made is made once, and what is made with it finds it."""
    victim = Victim(tmp_path / "data", "tests.kill.jobs:graph").copy_of(clean_graph.start)
    victim.dies_at(Random(seed).randint(1, clean_graph.life.statements))
    asyncio.run(_settled(victim, clean_graph, lambda before, now, after: True))


def test_a_clean_run_changes_what_it_should(clean_bulk: Clean) -> None:
    """So that the others compare with something."""
    assert len(clean_bulk.after) == CHARACTERS
    assert {s["record"]["personalised_prompt_config"]["MODEL"] for s in clean_bulk.after.values()} == {MODEL}
    assert clean_bulk.before.keys() == clean_bulk.after.keys()
    assert all(clean_bulk.before[key] != clean_bulk.after[key] for key in clean_bulk.after)
    assert len(bulk_plan(list(clean_bulk.before)).steps) == CHARACTERS
