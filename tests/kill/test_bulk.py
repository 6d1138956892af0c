"""A bulk change that is killed and gone on with, again and again: its report is exact at every stop and at the end.

There are fifty characters a kill: two hundred for the few kills of every run, and a thousand for twenty of them::

    CHARTUI_KILLS=20 script/test tests/kill/test_bulk.py
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple
from unittest import mock

import pytest

from chartui.core.characters.models import from_service
from chartui.core.journal import Outcome, PlanState
from chartui.core.jsontext import loads
from chartui.core.plans.bulk import Present, bulk_change
from chartui.core.plans.plan import Plan, to_wire
from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.main import main
from tests import writes
from tests.kill.harness import KILLS, Life, Victim

pytestmark = pytest.mark.long  # test_plans.py kills a bulk change in every run

CHARACTERS: Final = 50 * KILLS
RESUME: Final = ("tests.kill.jobs:go_on", "bulk")
WANTED: Final = {"model_group_name": "mdla-5.1", "temperature": "0.25"}
#: Models and levels of which some do not survive the change.
_BEFORE: Final = (("mdla-5.4", "xhigh"), ("mdla-5.4", "high"), ("mdla-4o", None), ("mdlb-sonnet", "max"))
#: How many characters somebody else changes, deletes, or changes to what is wanted, once the plan is made.
_EACH: Final = 2

Settings = Mapping[str, Any]


class Scene(NamedTuple):
    """Files with a plan that is kept and not begun, and what must become of each step, by its character.

    ``before`` and ``after`` hold the settings, None for a character that is not there; ``ends`` how each step ends.
    """

    files: Path
    life: Life
    order: tuple[str, ...]
    before: Mapping[str, Settings | None]
    after: Mapping[str, Settings | None]
    ends: Mapping[str, str]


async def _settings(session: Session, character_id: str) -> Settings | None:
    try:
        return (await session.service.settings(character_id)).raw
    except ServiceError as error:
        if error.kind is not ErrorKind.NOT_FOUND:
            raise
        return None


async def _all_settings(session: Session, order: tuple[str, ...]) -> dict[str, Settings | None]:
    return {character_id: await _settings(session, character_id) for character_id in order}


async def _planned(session: Session) -> Plan:
    """A plan for as many characters as are wanted; two more have the settings already, and take no step."""
    service, present = session.service, []
    for number in range(CHARACTERS + 2):
        model, level = _BEFORE[number % len(_BEFORE)] if number < CHARACTERS else (WANTED["model_group_name"], None)
        temperature = Decimal(WANTED["temperature"]) if number >= CHARACTERS else Decimal(number % 100) / 100
        character_id = await writes.create_character(service, f"Character {number}", backstory="Before.")
        await writes.update_character(
            service, character_id, model=model, temperature=temperature, reasoning_effort=level
        )
        settings = (await service.settings(character_id)).raw
        present.append(Present(character_id, f"Character {number}", settings))
    bulk = bulk_change(present, WANTED, from_service(await service.models()), ids=lambda: "bulk")
    assert [len(bulk.plan.steps), len(bulk.already), len(bulk.refused)] == [CHARACTERS, 2, 0]
    return bulk.plan


async def _disturbed(session: Session, order: tuple[str, ...], random: Random) -> dict[str, str]:
    """Somebody else changes a few of them now; gives how the step of each must end."""
    service = session.service
    ends = dict.fromkeys(order, "done")
    chosen = random.sample(order, 3 * _EACH)
    for character_id in chosen[:_EACH]:
        await writes.update_character(service, character_id, temperature=Decimal("0.111"))
    for character_id in chosen[_EACH : 2 * _EACH]:
        await writes.delete_character(service, character_id)
    for character_id in chosen[2 * _EACH :]:
        await writes.update_character(
            service, character_id, model=WANTED["model_group_name"], temperature=Decimal(WANTED["temperature"])
        )
    return {**ends, **dict.fromkeys(chosen[: 2 * _EACH], "failed"), **dict.fromkeys(chosen[2 * _EACH :], "already")}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """The plan, and what becomes of it in a copy that nobody disturbs."""
    folder = tmp_path_factory.mktemp("bulk")

    async def prepared() -> tuple[tuple[str, ...], dict[str, str], dict[str, Settings | None]]:
        async with Victim(folder / "data", "").session() as session:
            plan = await _planned(session)
            order = tuple(str(step.payload["charID"]) for step in plan.steps)
            ends = await _disturbed(session, order, Random(7))
            await session.journal.keep_plan(session.profile.place, plan.id, plan.title, to_wire(plan), len(plan.steps))
            await session.journal.end_plan(plan.id, PlanState.STOPPED)
            return order, ends, await _all_settings(session, order)

    async def looked(victim: Victim) -> dict[str, Settings | None]:
        async with victim.session() as session:
            return await _all_settings(session, order)

    order, ends, before = asyncio.run(prepared())
    clean = Victim(folder / "clean", *RESUME).copy_of(folder / "data")
    life = clean.lives()
    return Scene(folder / "data", life, order, before, asyncio.run(looked(clean)), ends)


def _report(victim: Victim, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    with mock.patch.dict(os.environ, {"CHARTUI_DATA_DIR": str(victim.data)}):
        main(["plans", *words, "--profile", "local", "--json"])
    return loads(capsys.readouterr().out)


async def _check_stop(victim: Victim, scene: Scene, report: Any) -> None:
    """Every step is reported as what really became of its character; of one at most it is not known."""
    async with victim.session() as session:
        now = await _all_settings(session, scene.order)
        entries = await session.journal.entries(plan_id="bulk", limit=1_000_000)
    outcomes = [step["outcome"] for step in report["steps"]]
    errors = [step["error"] for step in report["steps"]]
    assert report["state"] == "interrupted"
    assert report["total"] == len(outcomes) == CHARACTERS
    assert report["changed"] == outcomes.count("done")
    assert outcomes.count("open") <= 1
    for character_id, outcome, error in zip(scene.order, outcomes, errors, strict=True):
        if outcome == "done":
            assert (scene.ends[character_id], now[character_id]) == ("done", scene.after[character_id])
        elif outcome == "open":
            assert now[character_id] in (scene.before[character_id], scene.after[character_id])
        else:
            # Without an error, refused is what an earlier life had begun, and the next one found not done.
            assert now[character_id] == scene.before[character_id], outcome
            assert outcome in ("not sent", "refused")
            assert not error or scene.ends[character_id] == "failed"
    done = [entry.step for entry in entries if entry.outcome is Outcome.DONE]
    assert len(done) == len(set(done))  # nothing is done twice


def test_a_bulk_change_killed_and_gone_on_with(
    scene: Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random, victim = Random(11), Victim(tmp_path / "data", *RESUME).copy_of(scene.files)
    # Every life is shorter than what is left to do then, so that each ends with a kill.
    longest, changed = scene.life.statements // (KILLS + 1), [0]
    for _ in range(KILLS):
        victim.dies_at(random.randint(longest // 2, longest))
        report = _report(victim, capsys, "show", "bulk")
        asyncio.run(_check_stop(victim, scene, report))
        changed.append(report["changed"])
    assert changed == sorted(changed)
    assert 0 < changed[-1] < CHARACTERS

    report = _report(victim, capsys, "resume", "bulk", "--yes")
    assert [step["state"] for step in report["steps"]] == [scene.ends[character_id] for character_id in scene.order]
    assert {name: report[name] for name in ("state", "done", "failed", "unknown", "not_tried")} == {
        "state": "done",
        "done": CHARACTERS - 2 * _EACH,
        "failed": 2 * _EACH,
        "unknown": 0,
        "not_tried": 0,
    }
    kinds = sorted(step["error"]["code"] for step in report["steps"] if step["error"])
    assert kinds == sorted(["conflict", "not_found"] * _EACH)
    asyncio.run(_check_end(victim, scene))


async def _check_end(victim: Victim, scene: Scene) -> None:
    async with victim.session() as session:
        assert await _all_settings(session, scene.order) == scene.after
        entries = await session.journal.entries(plan_id="bulk", limit=1_000_000)
        assert await session.journal.unsettled() == ()
    done = sorted(entry.step or 0 for entry in entries if entry.outcome is Outcome.DONE)
    assert done == [number for number, one in enumerate(scene.order) if scene.ends[one] == "done"]


def test_the_scene_has_every_kind_of_end(scene: Scene) -> None:
    """So that the report has something to be exact about."""
    ends = list(scene.ends.values())
    assert [ends.count(end) for end in ("done", "failed", "already")] == [CHARACTERS - 3 * _EACH, 2 * _EACH, _EACH]
    for character_id, end in scene.ends.items():
        assert (scene.before[character_id] == scene.after[character_id]) is (end != "done")
    changed = [after for one, after in scene.after.items() if after is not None and scene.ends[one] == "done"]
    assert {(after["model_group_name"], after["temperature"]) for after in changed} == {("mdla-5.1", Decimal("0.25"))}
    assert not any(after["reasoning_effort"] in ("xhigh", "max") for after in changed)
