"""A push that is killed and done again: what is there at the end is what one clean run leaves, and nothing twice."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from chartui.core.bundle.files import load
from chartui.core.bundle.push import push_plan
from chartui.core.session import Session
from tests import writes
from tests.kill.harness import SEEDS, Life, Victim, everything_in, normal
from tests.kill.jobs import push

#: Two sections of one name, triggers that change their names with one another, what goes and what comes.
FILE: Final = """\
format = "chartui-bundle"
version = 1

[character]
name = "Mira"
model = "mdla-5.1"
temperature = 0.25
reasoning_effort = "high"
backstory = "She keeps the gate.\\nAnd the key."
narrative = true
start = "new-gate"

[sections.hall]
name = "Hall"
objective = "Show it."
decisions = [{ when = "goes on", to = "new-gate" }, { when = "*", to = "gate-2" }]

[sections.gate-2]
name = "Gate"
objective = "Greet."
decisions = [{ when = "back", to = "hall" }]
overrides = [{ trigger = "bell", to = "hall" }, { trigger = "smoke", to = "hall" }]

[sections.new-gate]
name = "Gate"
objective = "Greet."
decisions = [{ when = "in", to = "hall" }]

[sections.yard]
name = "Yard"
objective = ""

[triggers.bell]
name = "horn"
message = "It rings."
to = "hall"

[triggers.horn]
name = "bell"
message = "It sounds."
to = "yard"

[triggers.smoke]
name = "smoke"
message = "It burns."
"""


class Clean(NamedTuple):
    """How a push begins and ends that nobody disturbs, and how long it is."""

    start: Path
    life: Life
    after: str
    file: str


async def _prepared(victim: Victim) -> None:
    """A character that the file finds otherwise, and knows already; beside it one that is left alone."""
    async with victim.session() as session:
        service = session.service
        for name in ("Ada", "Mira"):
            character_id = await writes.create_character(service, name, backstory="Before.")
            hall = await writes.create_section(service, character_id, "Hall", "Show.")
            old = await writes.create_section(service, character_id, "Cellar", "Dark.")
            bell = await writes.create_trigger(service, character_id, "bell", "It rings.", old)
            horn = await writes.create_trigger(service, character_id, "horn", "It sounds.")
            await writes.set_override(service, character_id, hall, horn.trigger_id, old)
    ids = f"""
[ids."local/{character_id}".sections]
hall = {{ id = "{hall}" }}

[ids."local/{character_id}".triggers]
bell = {{ id = "{bell.trigger_id}" }}
horn = {{ id = "{horn.trigger_id}" }}
"""
    (victim.folder / "bundle.toml").write_text(FILE + ids, encoding="utf-8")


async def _everything(victim: Victim) -> str:
    async with victim.session() as session:
        return normal(await everything_in(session))


def _without_ids(folder: Path) -> str:
    return (folder / "bundle.toml").read_text(encoding="utf-8")


def _clean(folder: Path, *words: str) -> Clean:
    victim = Victim(folder / "clean", "tests.kill.jobs:push", *words).copy_of(folder / "start")
    life = victim.lives()
    return Clean(folder / "start", life, asyncio.run(_everything(victim)), _without_ids(victim.folder))


@pytest.fixture(scope="session")
def onto(tmp_path_factory: pytest.TempPathFactory) -> Clean:
    folder = tmp_path_factory.mktemp("onto")
    asyncio.run(_prepared(Victim(folder / "start", "")))
    return _clean(folder, "Mira")


@pytest.fixture(scope="session")
def making(tmp_path_factory: pytest.TempPathFactory) -> Clean:
    folder = tmp_path_factory.mktemp("making")
    (folder / "start").mkdir()
    (folder / "start" / "bundle.toml").write_text(FILE, encoding="utf-8")
    return _clean(folder)


async def _done_again(victim: Victim, clean: Clean) -> None:
    async with victim.session() as session:
        await push(session, *victim.words)
        assert await session.journal.unsettled() == ()
        assert [plan for plan in await session.journal.plans() if plan.state.value != "done"] == []
        assert normal(await everything_in(session)) == clean.after
        assert _without_ids(victim.folder) == clean.file
        assert await _left_to_do(session, victim) == ()


async def _left_to_do(session: Session, victim: Victim) -> Any:
    bundle = load(victim.folder / "bundle.toml").bundle
    [character_id] = bundle.known_as("local")
    return (await push_plan(session, bundle, character_id, prune=True)).plan.steps


@pytest.mark.parametrize("seed", SEEDS)
def test_a_push(seed: int, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Onto a character that is there, or one that is made; sometimes the push that is done again is killed as well."""
    job = ("onto", "making")[seed % 2]
    clean: Clean = request.getfixturevalue(job)
    random = Random(seed)
    victim = Victim(tmp_path / "data", "tests.kill.jobs:push", *(["Mira"] if job == "onto" else [])).copy_of(
        clean.start
    )
    victim.dies_somehow(random, clean.life)
    if seed % 4 >= 2:
        victim.dies_after(random.uniform(0.0, clean.life.seconds))
    asyncio.run(_done_again(victim, clean))


def test_a_clean_push_changes_what_it_should(onto: Clean, making: Clean) -> None:
    """So that the others compare with something."""
    assert onto.after.count('"Cellar"') == 1  # that of the other character
    assert onto.after.count('"Gate"') == making.after.count('"Gate"') == 2
    assert making.life.statements > 100
