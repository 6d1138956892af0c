"""What was last seen: told when it is another, kept without what people wrote, and never more than there is room."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core import seen as module
from chartui.core.characters.comparison import members
from chartui.core.database import Database
from chartui.core.jsontext import Wire
from chartui.core.profiles import BUILT_IN, Place
from chartui.core.seen import REST, Changed, Seen, SeenOnce, Since
from chartui.core.session import open_session, seen_path
from chartui.core.spec.errors import ErrorKind, ServiceError

pytestmark = pytest.mark.anyio

HERE, THERE = Place("work", "https://one.example"), Place("work", "https://two.example")
MOMENT = datetime(2026, 11, 21, 10, 30, tzinfo=timezone(timedelta(hours=1)))
AT = "2026-11-21T09:30:00+00:00"
MODEL, PROMPT = "personalised_prompt_config.MODEL", "personalised_prompt_config.PROMPT"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "seen.db"


@pytest.fixture
async def seen(path: Path) -> AsyncIterator[Seen]:
    opened = Seen(path, lambda: MOMENT)
    yield opened
    await opened.aclose()


def record(**config: Wire) -> dict[str, Wire]:
    given = {"MODEL": "mdla-5.1", "PROMPT": "You are Elena Marsh.", **config}
    return members({"character_name": "Elena", "personalised_prompt_config": given, "state_names": []})


async def test_what_was_never_seen_has_not_changed(seen: Seen, path: Path) -> None:
    assert await seen.since(HERE, "c1", record()) is None
    assert await seen.all(HERE) == ()
    assert await seen.forget(HERE) == 0
    assert not path.exists()


async def test_what_changed_is_told_with_what_it_was(seen: Seen) -> None:
    await seen.remember(HERE, "c1", "Elena", record(TEMPERATURE=Decimal("0.5")))
    found = await seen.since(HERE, "c1", record(MODEL="mdla-4.1", PROMPT="Another.", SPEAKER="new"))
    assert found is not None
    assert found.at == AT
    assert sorted(found.changed) == sorted(
        [
            Changed(MODEL, "mdla-5.1", kept=True, was=True, there=True),
            Changed(PROMPT, None, kept=False, was=True, there=True),
            Changed("personalised_prompt_config.SPEAKER", None, kept=False, was=False, there=True),
            Changed("personalised_prompt_config.TEMPERATURE", Decimal("0.5"), kept=True, was=True, there=False),
        ]
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [(Decimal("0.50"), Decimal("0.5")), (1, Decimal("1.0")), ({"a": 1, "b": [2]}, {"b": [2], "a": Decimal(1)})],
)
@pytest.mark.parametrize("name", ["TEMPERATURE", "UNKNOWN"])
async def test_what_says_the_same_has_not_changed(before: Wire, after: Wire, name: str, seen: Seen) -> None:
    await seen.remember(HERE, "c1", "Elena", record(**{name: before}))
    assert await seen.since(HERE, "c1", record(**{name: after})) == Since(AT, ())


@pytest.mark.parametrize(("before", "after"), [(None, ""), (None, []), (True, 1), ("0.5", Decimal("0.5")), ({}, None)])
@pytest.mark.parametrize("name", ["VERBOSITY", "UNKNOWN"])
async def test_what_only_looks_alike_has(before: Wire, after: Wire, name: str, seen: Seen) -> None:
    await seen.remember(HERE, "c1", "Elena", record(**{name: before}))
    found = await seen.since(HERE, "c1", record(**{name: after}))
    assert found is not None
    assert [changed.path for changed in found.changed] == [f"personalised_prompt_config.{name}"]


async def test_looking_at_a_change_does_not_take_it_for_seen(seen: Seen) -> None:
    await seen.remember(HERE, "c1", "Elena", record())
    for _ in range(2):
        found = await seen.since(HERE, "c1", record(MODEL="other"))
        assert found is not None
        assert len(found.changed) == 1
    await seen.remember(HERE, "c1", "Elena", record(MODEL="other"))
    assert await seen.since(HERE, "c1", record(MODEL="other")) == Since(AT, ())


async def test_being_spoken_to_is_no_change(seen: Seen) -> None:
    await seen.remember(HERE, "c1", "Elena", {"last_interacted_with": "2026-01-01T00:00:00"})
    assert await seen.since(HERE, "c1", {"last_interacted_with": "2026-02-02T00:00:00"}) == Since(AT, ())


async def test_nothing_that_somebody_wrote_is_in_the_file(seen: Seen, path: Path) -> None:
    texts = {
        "personalised_prompt_config": {"PROMPT": "secret-one", "MODEL": "secret-two-" * 10, "SPEAKER": "secret-three"},
        "description": "secret-four",
        "user_id": "secret-five",
        "character_traits": {"catch_phrases": ["secret-six"], "speaking_style": "secret-seven"},
        "anything": "secret-eight",
    }
    await seen.remember(HERE, "c1", "Elena", members(texts, {"backstory": "secret-nine"}))
    await seen.aclose()
    kept = b"".join(file.read_bytes() for file in path.parent.iterdir() if file.is_file())
    assert b"Elena" in kept
    assert b"secret-" not in kept


async def test_two_machines_keep_different_digests(tmp_path: Path) -> None:
    kept = []
    for name in ("one", "two"):
        memory = Seen(tmp_path / name / "seen.db", lambda: MOMENT)
        await memory.remember(HERE, "c1", "", {"description": "the same text"})
        kept.append(await memory._thread.run(_members))
        await memory.aclose()
    assert kept[0] != kept[1]


def _members(file: Database) -> str:
    with file.reading() as connection:
        (text,) = connection.execute("SELECT members FROM seen").fetchone()
        assert isinstance(text, str)
        return text


async def test_each_place_has_a_memory_of_its_own(seen: Seen) -> None:
    for place, name in ((HERE, "c1"), (THERE, "c1"), (HERE, "c2")):
        await seen.remember(place, name, f"called {name}", record())
    assert await seen.all(HERE) == (SeenOnce("c2", "called c2", AT), SeenOnce("c1", "called c1", AT))
    assert await seen.forget(HERE, ["c1", "nobody"]) == 1
    assert await seen.since(HERE, "c1", record()) is None
    assert await seen.since(THERE, "c1", record()) is not None
    assert await seen.forget(HERE) == 1
    assert [one.character_id for one in await seen.all(THERE)] == ["c1"]


async def test_what_was_not_looked_at_for_longest_goes_first(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    for name in ("c1", "c2", "c3", "c1", "c4"):
        await seen.remember(HERE, name, "", record())
    assert [one.character_id for one in await seen.all(HERE)] == ["c4", "c1", "c3"]


async def test_a_record_of_very_many_members_takes_no_more_room(seen: Seen) -> None:
    many: dict[str, Wire] = {f"member{number:05}": number for number in range(5_000)}
    await seen.remember(HERE, "c1", "", many)
    assert len(await seen._thread.run(_members)) < 50_000
    found = await seen.since(HERE, "c1", {**many, "member00001": "other", "member04999": "other"})
    assert found is not None
    assert {changed.path for changed in found.changed} == {"member00001", REST}


async def test_the_file_is_private_and_the_next_program_reads_it(seen: Seen, path: Path) -> None:
    await seen.remember(HERE, "c1", "Elena", record())
    await seen.aclose()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    after = Seen(path)
    assert await after.since(HERE, "c1", record()) == Since(AT, ())
    await after.aclose()


async def test_two_programs_may_look_at_once(seen: Seen, path: Path) -> None:
    other = Seen(path)
    await asyncio.gather(*(memory.remember(HERE, f"c{n}", "", record()) for n in range(10) for memory in (seen, other)))
    assert len(await seen.all(HERE)) == 10
    await other.aclose()


async def test_a_file_of_another_kind_is_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no database " * 100)
    memory = Seen(path)
    with pytest.raises(ServiceError) as raised:
        await memory.since(HERE, "c1", {})
    assert raised.value.kind is ErrorKind.BROKEN
    assert path.read_bytes() == b"no database " * 100
    await memory.aclose()


async def test_a_profile_that_is_thrown_away_takes_along_what_was_seen() -> None:
    session = open_session(BUILT_IN["demo"], throwaway=True)
    await session.seen.remember(session.profile.place, "c1", "Elena", record())
    folder = session.folder
    assert seen_path(folder).exists()
    assert not seen_path().exists()
    await session.aclose()
    assert not folder.exists()


def test_the_moment_is_in_utc() -> None:
    assert datetime.fromisoformat(AT) == MOMENT.astimezone(UTC)
