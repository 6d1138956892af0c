"""Drafts: what was begun is kept, and nobody's draft is written over unseen."""

from __future__ import annotations

import asyncio
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartui.core.drafts import Draft, Drafts
from chartui.core.edit_history import EditHistory
from chartui.core.jsontext import Wire
from chartui.core.profiles import BUILT_IN, Place
from chartui.core.session import drafts_path, open_session
from chartui.core.spec.errors import ErrorKind, ServiceError

pytestmark = pytest.mark.anyio

HERE, THERE = Place("work", "https://one.example"), Place("work", "https://two.example")
MOMENT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "drafts.db"


@pytest.fixture
async def drafts(path: Path) -> AsyncIterator[Drafts]:
    opened = Drafts(path, lambda: MOMENT)
    yield opened
    await opened.aclose()


async def test_a_draft_comes_back_as_it_was_saved(drafts: Drafts) -> None:
    document = {"changes": {"temperature": Decimal("0.70"), "backstory": "a\nb\x00\u202e静"}, "none": None}
    saved = await drafts.save(HERE, "c1", "settings", document)
    assert saved == Draft(
        place=HERE,
        character_id="c1",
        part="settings",
        history=EditHistory.of(document),
        revision=saved.revision,
        at=MOMENT.isoformat(),
    )
    assert await drafts.load(HERE, "c1", "settings") == saved


async def test_a_draft_belongs_to_one_part_of_one_character_of_one_place(drafts: Drafts) -> None:
    rows = [(HERE, "c1", "settings"), (HERE, "c1", "graph"), (HERE, "c2", "settings"), (THERE, "c1", "settings")]
    for number, (place, character_id, part) in enumerate(rows):
        await drafts.save(place, character_id, part, number)
    found = [await drafts.load(*row) for row in rows]
    assert [draft and draft.document for draft in found] == [0, 1, 2, 3]
    assert [(d.character_id, d.part) for d in await drafts.all(HERE)] == [row[1:] for row in rows[:3]]
    assert [d.document for d in await drafts.all(HERE, part="settings")] == [0, 2]
    await drafts.discard(HERE, "c1", "settings")
    assert [d.document for d in (*await drafts.all(HERE), *await drafts.all(THERE))] == [1, 2, 3]


async def test_the_next_program_finds_what_the_last_one_saved(path: Path, drafts: Drafts) -> None:
    await drafts.save(HERE, "c1", "settings", "first")
    await drafts.save(HERE, "c1", "settings", "second")
    await drafts.aclose()
    after = Drafts(path)
    found = await after.load(HERE, "c1", "settings")
    assert found is not None
    assert found.document == "second"
    await after.aclose()


async def test_asking_makes_no_file(path: Path, drafts: Drafts) -> None:
    assert await drafts.load(HERE, "c1", "settings") is None
    assert await drafts.all(HERE) == ()
    await drafts.discard(HERE, "c1", "settings")
    assert not path.parent.exists()


async def test_only_its_owner_can_read_the_file(path: Path, drafts: Drafts) -> None:
    await drafts.save(HERE, "c1", "settings", 1)
    assert [stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()] == [0o600] * len(list(path.parent.iterdir()))
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


class TestTwoPrograms:
    """Two open files on one path, as two programs have them."""

    @pytest.fixture
    async def other(self, path: Path) -> AsyncIterator[Drafts]:
        opened = Drafts(path)
        yield opened
        await opened.aclose()

    async def test_a_draft_that_another_one_saved_meanwhile_is_not_written_over(
        self, drafts: Drafts, other: Drafts
    ) -> None:
        mine = await drafts.save(HERE, "c1", "settings", "mine", revision=0)
        theirs = await other.save(HERE, "c1", "settings", "theirs", revision=mine.revision)
        with pytest.raises(ServiceError, match="Another program has changed this draft") as refused:
            await drafts.save(HERE, "c1", "settings", "mine again", revision=mine.revision)
        assert refused.value.kind is ErrorKind.CONFLICT
        with pytest.raises(ServiceError, match="Another program has changed"):
            await drafts.discard(HERE, "c1", "settings", revision=mine.revision)
        assert await drafts.load(HERE, "c1", "settings") == theirs
        kept = await drafts.save(HERE, "c1", "settings", "mine again")
        assert await other.load(HERE, "c1", "settings") == kept

    async def test_a_draft_that_another_one_dropped_is_not_brought_back_unseen(
        self, drafts: Drafts, other: Drafts
    ) -> None:
        mine = await drafts.save(HERE, "c1", "settings", "mine", revision=0)
        await other.discard(HERE, "c1", "settings", revision=mine.revision)
        with pytest.raises(ServiceError, match="applied or discarded this draft"):
            await drafts.save(HERE, "c1", "settings", "more", revision=mine.revision)
        await other.save(HERE, "c1", "settings", "begun anew", revision=0)
        with pytest.raises(ServiceError, match="changed this draft"):
            await drafts.save(HERE, "c1", "settings", "more", revision=mine.revision)

    async def test_saving_at_the_same_time_loses_nothing(self, drafts: Drafts, other: Drafts) -> None:
        saves = [
            program.save(HERE, f"c{number}", "settings", number) for number in range(40) for program in (drafts, other)
        ]
        await asyncio.gather(*saves)
        assert sorted(draft.document for draft in await drafts.all(HERE)) == list(range(40))


async def test_what_was_saved_survives_the_death_of_the_program(path: Path) -> None:
    script = (
        "import asyncio, os, signal, sys\n"
        "from pathlib import Path\n"
        "from chartui.core.drafts import Drafts\n"
        "from chartui.core.profiles import Place\n"
        "async def main():\n"
        "    drafts = Drafts(Path(sys.argv[1]))\n"
        "    for number in range(7):\n"
        "        await drafts.save(Place('work', 'https://one.example'), 'c1', 'settings', number)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    died = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", script, str(path)], check=False)
    assert died.returncode < 0
    drafts = Drafts(path)
    found = await drafts.load(HERE, "c1", "settings")
    assert found is not None
    assert found.document == 6
    await drafts.aclose()


@pytest.mark.parametrize("document", ["\ud800", Decimal("NaN"), {"deep": "\udfff"}])
async def test_what_could_not_be_read_again_is_refused(drafts: Drafts, document: Wire) -> None:
    await drafts.save(HERE, "c1", "settings", "kept")
    with pytest.raises(ServiceError, match="cannot be saved as a draft") as refused:
        await drafts.save(HERE, "c1", "settings", document)
    assert refused.value.kind is ErrorKind.INVALID
    assert [draft.document for draft in await drafts.all(HERE)] == ["kept"]


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | _TEXTS, lambda inner: st.dictionaries(_TEXTS, inner)))
def test_every_document_comes_back(tmp_path: Path, document: Wire) -> None:
    async def there_and_back() -> Draft | None:
        drafts = Drafts(tmp_path / "drafts.db")
        await drafts.save(HERE, "c1", "settings", document)
        found = await drafts.load(HERE, "c1", "settings")
        await drafts.aclose()
        return found

    found = asyncio.run(there_and_back())
    assert (found and found.document) == document  # nothing staged is no draft


async def test_a_folder_that_cannot_be_used_says_so(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file, not a folder")
    drafts = Drafts(tmp_path / "data" / "drafts.db")
    with pytest.raises(ServiceError, match="cannot be used") as refused:
        await drafts.save(HERE, "c1", "settings", 1)
    assert refused.value.kind is ErrorKind.BROKEN
    await drafts.aclose()


async def test_a_session_keeps_its_drafts_and_a_throw_away_one_throws_them_away() -> None:
    session = open_session(BUILT_IN["local"])
    await session.drafts.save(session.profile.place, "c1", "settings", 1)
    await session.aclose()
    assert drafts_path().exists()
    thrown = open_session(BUILT_IN["demo"], throwaway=True)
    await thrown.drafts.save(thrown.profile.place, "c1", "settings", 2)
    assert [draft.document for draft in await thrown.drafts.all(thrown.profile.place)] == [2]
    await thrown.aclose()
    again = open_session(BUILT_IN["demo"])
    assert await again.drafts.all(again.profile.place) == ()
    await again.aclose()
