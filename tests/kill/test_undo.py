"""Taking a bulk change back by a program that is killed: every character changed or taken back, and no doubt left."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from chartui.core.journal import Outcome, PlanState
from chartui.core.jsontext import dumps
from chartui.core.plans.history import PastChange, past_changes
from chartui.core.session import Session
from tests import writes
from tests.kill.harness import SEEDS, Life, Victim, everything_in
from tests.kill.jobs import bulk, resumed, undo

CHARACTERS: Final = 60
#: Models and levels of which some do not survive the change to the model of the bulk change.
_BEFORE: Final = (("mdla-5.4", "xhigh"), ("mdla-5.4", "high"), ("mdla-4o", None), ("mdla-5.1", "low"))


class Scene(NamedTuple):
    """Files in which a bulk change was made, and how long taking it back is; everything as text, by character."""

    files: Path
    before: dict[str, str]
    changed: dict[str, str]
    life: Life


async def _texts(session: Session) -> dict[str, str]:
    return {character_id: dumps(snapshot) for character_id, snapshot in (await everything_in(session)).items()}


async def _made(victim: Victim) -> tuple[dict[str, str], dict[str, str]]:
    async with victim.session() as session:
        for number in range(CHARACTERS):
            model, level = _BEFORE[number % len(_BEFORE)]
            character_id = await writes.create_character(session.service, f"Character {number}", backstory="Before.")
            temperature = Decimal(number) / 100
            await writes.update_character(
                session.service, character_id, model=model, temperature=temperature, reasoning_effort=level
            )
        before = await _texts(session)
        await bulk(session)
        return before, await _texts(session)


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """The bulk change made, and taken back once in a copy that nobody disturbs."""
    folder = tmp_path_factory.mktemp("undo")
    before, changed = asyncio.run(_made(Victim(folder / "data", "")))
    clean = Victim(folder / "clean", "tests.kill.jobs:undo").copy_of(folder / "data")
    life = clean.lives()
    assert asyncio.run(_everything(clean)) == before
    return Scene(folder / "data", before, changed, life)


async def _everything(victim: Victim) -> dict[str, str]:
    async with victim.session() as session:
        return await _texts(session)


async def _item(session: Session, name: str, **filters: Any) -> PastChange | None:
    found = await past_changes(session.journal, session.profile.place, limit=10_000, **filters)
    return next((item for item in found if item.name == name), None)


async def _check_what_is_left(session: Session, scene: Scene) -> None:
    """No character half taken back, none without its entry, and what is in doubt is reported."""
    now = await _texts(session)
    entries = await session.journal.entries(plan_id="undo", limit=10_000)
    tried = {entry.character_id for entry in entries}
    done = {entry.character_id for entry in entries if entry.outcome is Outcome.DONE}
    assert now.keys() == scene.before.keys()
    for character_id, text in now.items():
        assert text in (scene.before[character_id], scene.changed[character_id])
        if text != scene.changed[character_id]:
            assert character_id in tried
        if character_id in done:
            assert text == scene.before[character_id]
    unsettled = await session.journal.unsettled()
    assert list(unsettled) == [entry for entry in entries if entry.outcome is Outcome.OPEN]
    assert len(unsettled) <= 1  # one thing at a time
    await _check_what_is_told(session, begun=bool(entries), undone=bool(done), doubtful=bool(unsettled))


async def _check_what_is_told(session: Session, *, begun: bool, undone: bool, doubtful: bool) -> None:
    kept = await session.journal.plan("undo")
    taken_back, item = await _item(session, "bulk"), await _item(session, "undo", open_only=True)
    assert taken_back is not None
    assert taken_back.undone is undone
    if kept is None:
        assert not begun
        assert item is None
    elif kept.state is PlanState.DONE:  # killed after its end
        assert undone
        assert not doubtful
        assert item is None
    else:
        assert item is not None
        assert (item.plan, item.alive, item.resumable) == (PlanState.INTERRUPTED, False, True)
        assert (item.undoes, item.total) == ("bulk", CHARACTERS)
        assert (item.outcome is Outcome.OPEN) is doubtful


async def _goes_on(victim: Victim, scene: Scene) -> None:
    """The next start tells what was left, and ends where a clean undo ends."""
    async with victim.session() as session:
        await _check_what_is_left(session, scene)
        if await session.journal.plan("undo") is None:
            await undo(session)  # killed before it had begun: whoever asks again gets all of it
        else:
            progress = await resumed(session, "undo")
            assert progress.ok, progress.errors
        assert await _texts(session) == scene.before
        assert await session.journal.unsettled() == ()
        done = await session.journal.entries(plan_id="undo", limit=10_000, outcomes=(Outcome.DONE,))
        assert sorted(entry.step or 0 for entry in done) == list(range(CHARACTERS))
        undone, bulk_change = await _item(session, "undo"), await _item(session, "bulk")
        assert undone is not None
        assert bulk_change is not None
        assert (undone.plan, undone.undoable, bulk_change.undone) == (PlanState.DONE, True, True)
        assert await past_changes(session.journal, session.profile.place, open_only=True) == ()


async def _begun(victim: Victim) -> bool:
    async with victim.session() as session:
        return await session.journal.plan("undo") is not None


@pytest.mark.parametrize("seed", SEEDS)
def test_taking_back_a_bulk_change(seed: int, scene: Scene, tmp_path: Path) -> None:
    """Every other time the program that goes on is killed as well."""
    random = Random(seed)
    victim = Victim(tmp_path / "data", "tests.kill.jobs:undo").copy_of(scene.files)
    victim.dies_somehow(random, scene.life)
    if seed % 2 and asyncio.run(_begun(victim)):
        victim.doing("tests.kill.jobs:resume", "undo").dies_after(random.uniform(0.0, 0.3))
    asyncio.run(_goes_on(victim, scene))


def test_a_clean_undo_has_something_to_do(scene: Scene) -> None:
    """So that the others compare with something: settings, and the levels that followed the model."""
    assert len(scene.before) == CHARACTERS
    assert all(scene.before[character_id] != scene.changed[character_id] for character_id in scene.before)
    assert sum('"xhigh"' in text for text in scene.before.values()) == CHARACTERS // len(_BEFORE)
    assert not any('"xhigh"' in text for text in scene.changed.values())
