"""Drafts of a program that is killed while somebody edits: what was kept is there, whole, and the newest of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Final

import pytest

from chartui.core.plans.settings import Staged, staged_from_wire, staged_to_wire
from chartui.core.session import Session, drafts_path
from tests.kill.harness import SEEDS, Life, Victim

EDITS: Final = 60
CHARACTERS: Final = ("c1", "c2", "c3")


def edit(number: int) -> Staged:
    """The ``number``-th edit: texts of every length, of one character after the other."""
    name = CHARACTERS[number % len(CHARACTERS)]
    changes = {"temperature": f"0.{number:03}", "backstory": f"Edit {number}. " * (number * 7 % 400)}
    return Staged(character_id=name, name=name, base={}, changes=changes)


async def staging(session: Session) -> None:
    """Stage one edit after the other, and write down outside of SQLite which of them are known to be kept."""
    for number in range(EDITS):
        staged = edit(number)
        await session.drafts.save(session.profile.place, staged.character_id, "settings", staged_to_wire(staged))
        with drafts_path().with_name("kept.txt").open("a") as log:
            log.write(f"{number}\n")


@pytest.fixture(scope="session")
def life(tmp_path_factory: pytest.TempPathFactory) -> Life:
    """How long it takes when nobody disturbs."""
    return Victim(tmp_path_factory.mktemp("drafts") / "data", "tests.kill.test_drafts:staging").lives()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_edit_that_was_kept_is_lost(seed: int, life: Life, tmp_path: Path) -> None:
    victim = Victim(tmp_path / "data", "tests.kill.test_drafts:staging")
    victim.dies_somehow(Random(seed), life)
    log = victim.data / "kept.txt"
    kept = [int(line) for line in log.read_text().splitlines()] if log.exists() else []
    newest = {edit(number).character_id: number for number in kept}

    async def found() -> dict[str, Staged]:
        async with victim.session() as session:
            drafts = await session.drafts.all(session.profile.place)
            return {draft.character_id: staged_from_wire(draft.document) for draft in drafts}

    drafts = asyncio.run(found())
    # The one edit that was under way may have been kept as well, before anybody was told.
    last = len(kept)
    under_way = edit(last) if last < EDITS else None
    for character_id, number in newest.items():
        assert drafts[character_id] in (edit(number), under_way)
    others = drafts.keys() - newest.keys()
    assert all(drafts[character_id] == under_way for character_id in others)
