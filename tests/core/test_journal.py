"""The journal: what it keeps, for how long, and what is left over when a program dies."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chartui.core.backends.base import Context
from chartui.core.journal import Entry, Journal, Outcome, PlanState, Written, outcome_of
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, Sent, ServiceError

pytestmark = pytest.mark.anyio

_HERE, _THERE = Place("local", "embedded"), Place("work", "https://service.example")
_PAYLOAD = {"charID": "c1", "temperature": Decimal("0.40")}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "journal.db"


class _Clock:
    """A clock that a test puts forward."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
async def journal(path: Path, clock: _Clock) -> AsyncIterator[Journal]:
    opened = Journal(path, clock)
    yield opened
    await opened.aclose()


async def _meant(
    journal: Journal,
    operation: str = "update-character",
    payload: Mapping[str, Any] = _PAYLOAD,
    *,
    place: Place = _HERE,
    before: Mapping[str, Any] | None = None,
    **context: Any,
) -> int:
    return await journal.intend(place, operation, payload, before=before, context=Context(**context))


async def _done(journal: Journal, *arguments: Any, **context: Any) -> int:
    number = await _meant(journal, *arguments, **context)
    await journal.conclude(number, Outcome.DONE, answer={"STATUS": "SUCCESS"})
    return number


def _numbers(entries: tuple[Entry, ...]) -> list[int]:
    return [entry.number for entry in entries]


# -- changes -----------------------------------------------------------------------------------------------------------


async def test_reading_a_journal_that_is_not_there_makes_no_file(journal: Journal, path: Path) -> None:
    assert (await journal.entries(), await journal.unsettled(), await journal.plans()) == ((), (), ())
    assert (await journal.entry(1), await journal.plan("p")) == (None, None)
    assert await journal.last_written(_HERE, "c1") == {}
    assert await journal.written_settings(_HERE) == {}
    assert not path.parent.exists()


async def test_an_intent_and_its_outcome_are_read_as_they_were_written(journal: Journal) -> None:
    before = {"temperature": Decimal("0.1234567890123456789012345678901234567890"), "backstory": "\0\x1b[31m\u202e"}
    number = await _meant(journal, before=before, origin="command line", plan_id="p1", step=2)
    meant = Entry(
        number=number,
        at="2026-11-21T09:30:00.002+00:00",
        place=_HERE,
        operation="update-character",
        character_id="c1",
        payload=_PAYLOAD,
        before=before,
        origin="command line",
        plan_id="p1",
        step=2,
        outcome=Outcome.OPEN,
        error="",
        answer=None,
        ended=None,
        running=True,
    )
    assert await journal.entry(number) == meant
    await journal.conclude(number, Outcome.REFUSED, error="No \ud800 such model.", answer={"ERROR": Decimal("1.50")})
    assert await journal.entry(number) == replace(
        meant,
        outcome=Outcome.REFUSED,
        error="No ? such model.",
        answer={"ERROR": Decimal("1.5")},
        ended="2026-11-21T09:30:00.003+00:00",
        running=False,
    )


async def test_times_are_in_one_zone_whatever_the_clocks(path: Path) -> None:
    local = datetime(2026, 11, 21, 23, 30, tzinfo=timezone(timedelta(hours=14)))
    journal = Journal(path, lambda: local)
    await _meant(journal)
    assert [entry.at for entry in await journal.entries()] == ["2026-11-21T09:30:00.000+00:00"]
    await journal.aclose()


async def test_entries_are_found_by_place_plan_character_and_outcome_newest_first(journal: Journal) -> None:
    first = await _done(journal)
    second = await _done(journal, "edit-section", {"character_id": "c2", "section_id": "s1"}, plan_id="p1", step=0)
    third = await _meant(journal, place=_THERE)
    fourth = await _meant(journal, "create-character", {"character_name": "New"})
    await journal.conclude(fourth, Outcome.DONE, answer={"character_id": "c9"})
    other_address = await _done(journal, place=Place("work", "https://other.example"))

    assert _numbers(await journal.entries()) == [other_address, fourth, third, second, first]
    assert _numbers(await journal.entries(limit=2)) == [other_address, fourth]
    assert _numbers(await journal.entries(_HERE)) == [fourth, second, first]
    assert _numbers(await journal.entries(_THERE)) == [third]
    assert _numbers(await journal.entries(plan_id="p1")) == [second]
    assert _numbers(await journal.entries(_HERE, character_id="c1")) == [first]
    assert _numbers(await journal.entries(character_id="c9")) == [fourth]  # known since it was made
    assert _numbers(await journal.entries(outcomes=[Outcome.OPEN])) == [third]
    assert _numbers(await journal.entries(outcomes=[])) == []


@pytest.mark.parametrize("wrong", ["\ud800", float("nan"), object(), Decimal("Infinity")])
async def test_what_could_not_be_read_again_is_refused(journal: Journal, wrong: Any) -> None:
    for refused in (
        _meant(journal, payload={"charID": wrong}),
        _meant(journal, before={"backstory": wrong}),
        journal.keep_plan(_HERE, "p1", "t", {"steps": [wrong]}, 1),
    ):
        with pytest.raises(ServiceError) as caught:
            await refused
        assert (caught.value.kind, caught.value.sent) == (ErrorKind.INVALID, "no")
    await _done(journal)
    assert len(await journal.entries()) == 1
    assert await journal.plans() == ()


async def test_only_what_is_unsettled_can_be_settled(journal: Journal) -> None:
    meant, unknown, done = await _meant(journal), await _meant(journal), await _done(journal)
    await journal.conclude(unknown, Outcome.UNKNOWN, error="No answer.")
    ended = (await journal.entries())[1].ended
    for number in (meant, unknown, done, 99):
        await journal.resolve(number, Outcome.REFUSED)
    entries = {entry.number: entry for entry in await journal.entries()}
    assert {number: entry.outcome for number, entry in entries.items()} == {
        meant: Outcome.REFUSED,
        unknown: Outcome.REFUSED,
        done: Outcome.DONE,
    }
    assert entries[meant].ended
    assert entries[unknown].ended == ended
    assert await journal.unsettled() == ()


async def test_the_last_written_value_of_each_setting(journal: Journal) -> None:
    async def write(place: Place = _HERE, outcome: Outcome = Outcome.DONE, **settings: Any) -> str:
        number = await _meant(journal, payload={"charID": "c1", **settings}, place=place)
        await journal.conclude(number, outcome)
        found = await journal.entry(number)
        assert found is not None
        return found.at

    await write(backstory="first", temperature=0)
    backstory = await write(backstory="second")
    cleared = await write(reasoning_effort="")
    await write(backstory="refused", outcome=Outcome.REFUSED)
    await write(backstory="unknown", outcome=Outcome.UNKNOWN)
    await write(backstory="elsewhere", place=_THERE)
    temperature = await write(temperature=Decimal("0.7"))
    await _done(journal, "rename-character", {"charID": "c1", "character_name": "x", "backstory": "not a setting here"})
    assert await journal.last_written(_HERE, "c1") == {
        "temperature": Written(Decimal("0.7"), temperature),
        "reasoning_effort": Written("", cleared),
        "backstory": Written("second", backstory),
    }
    assert await journal.last_written(_HERE, "c2") == {}
    settings = {"temperature": Decimal("0.7"), "reasoning_effort": "", "backstory": "second"}
    assert await journal.written_settings(_HERE) == {"c1": settings}
    assert await journal.written_settings(_THERE) == {"c1": {"backstory": "elsewhere"}}


# -- the file ----------------------------------------------------------------------------------------------------------


async def test_only_the_owner_can_read_any_of_it(journal: Journal, path: Path) -> None:
    await _done(journal)
    modes = {entry.name: entry.stat().st_mode & 0o777 for entry in path.parent.iterdir()}
    assert modes == {"journal.db": 0o600, "journal.db-wal": 0o600, "journal.db-shm": 0o600, "journal.programs": 0o700}
    assert path.parent.stat().st_mode & 0o777 == 0o700
    await journal.aclose()
    await journal.aclose()
    assert list((path.parent / "journal.programs").iterdir()) == []


async def test_a_journal_that_cannot_be_made_or_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "letter.db").write_text("Dear reader, " * 100)
    (tmp_path / "taken.programs").write_text("not a folder either")
    for path in (tmp_path / "file" / "journal.db", tmp_path / "letter.db", tmp_path / "taken.db"):
        journal = Journal(path)
        with pytest.raises(ServiceError) as caught:
            await _meant(journal)
        assert caught.value.kind is ErrorKind.BROKEN
        assert str(path) in caught.value.message or str(path.parent) in caught.value.message
        await journal.aclose()


async def test_a_journal_that_another_program_keeps_is_waited_for_and_then_told(path: Path) -> None:
    journal = Journal(path, busy_timeout=0.05)
    number = await _meant(journal)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for refused in (_meant(journal), journal.conclude(number, Outcome.DONE)):
            with pytest.raises(ServiceError) as caught:
                await refused
            assert caught.value.kind is ErrorKind.BUSY
        assert _numbers(await journal.entries()) == [number]  # readers never wait
    await journal.conclude(number, Outcome.DONE)
    await journal.aclose()


async def test_a_damaged_record_is_told(journal: Journal, path: Path) -> None:
    await _done(journal)
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE entries SET payload = '{'")
    with pytest.raises(ServiceError, match="damaged record") as caught:
        await journal.entries()
    assert caught.value.kind is ErrorKind.BROKEN


async def test_what_is_both_old_and_far_back_goes_but_never_what_is_unsettled(
    path: Path, clock: _Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chartui.core.journal.records.KEPT_ENTRIES", 3)
    journal = Journal(path, clock)
    await journal.keep_plan(_HERE, "old", "Old", {}, 1)
    await journal.end_plan("old", PlanState.DONE)
    await journal.keep_plan(_HERE, "going", "Going", {}, 1)
    unknown = await _meant(journal)
    await journal.conclude(unknown, Outcome.UNKNOWN)
    for _ in range(5):
        await _done(journal, plan_id="old")
    last_old = await _done(journal)
    await journal.aclose()

    clock.now += timedelta(days=91)
    assert len(await journal.entries()) == 4  # the last three stay, however old
    await _done(journal)
    await journal.aclose()
    assert _numbers(await journal.entries()) == [8, last_old, 6, unknown]
    assert {plan.id for plan in await journal.plans()} == {"old", "going"}  # one of its entries is there
    for _ in range(5):
        await _done(journal)
    await journal.aclose()
    assert _numbers(await journal.entries()) == [13, 12, 11, 10, 9, 8, unknown]  # the young ones stay, however many
    assert {plan.id for plan in await journal.plans()} == {"going"}
    await journal.aclose()


# -- programs ----------------------------------------------------------------------------------------------------------

_PROGRAM = """
import asyncio, sys
from pathlib import Path
from chartui.core.backends.base import Context
from chartui.core.journal import Journal, Outcome
from chartui.core.profiles import Place

async def main():
    journal = Journal(Path(sys.argv[1]))
    for number in range(int(sys.argv[2])):
        payload = {"charID": f"{sys.argv[3]}-{number}"}
        entry = await journal.intend(Place("local", "embedded"), "toggle", payload, before=None, context=Context())
        await journal.conclude(entry, Outcome.DONE)
        print(entry, flush=True)
    await journal.keep_plan(Place("local", "embedded"), f"plan {sys.argv[3]}", "Plan", {}, 1)
    last = await journal.intend(Place("local", "embedded"), "toggle", {}, before=None, context=Context())
    print("meant", last, flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await journal.conclude(last, Outcome.DONE)
    await journal.aclose()

asyncio.run(main())
"""


def _program(path: Path, count: int = 0, name: str = "a") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _PROGRAM, str(path), str(count), name]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


async def test_an_intent_is_left_over_only_once_its_program_has_died(path: Path) -> None:
    journal = Journal(path)
    with _program(path) as process:
        assert process.stdout is not None
        number = int(process.stdout.readline().split()[1])
        assert await journal.unsettled() == ()
        [meant] = await journal.entries()
        assert (meant.outcome, meant.running) == (Outcome.OPEN, True)
        [plan] = await journal.plans(_HERE, states=[PlanState.RUNNING])
        assert plan.alive
        process.kill()
        process.wait()
        [left] = await journal.unsettled(_HERE)
        assert (left.number, left.outcome, left.running) == (number, Outcome.OPEN, False)
        assert await journal.unsettled(_THERE) == ()
        [plan] = await journal.plans()
        assert (plan.state, plan.alive) == (PlanState.INTERRUPTED, False)
    await journal.resolve(number, Outcome.DONE)
    assert await journal.unsettled() == ()
    await journal.aclose()


async def test_a_program_that_ends_well_leaves_nothing_over(path: Path) -> None:
    with _program(path) as process:
        process.communicate("\n", timeout=60)
    journal = Journal(path)
    assert [entry.outcome for entry in await journal.entries()] == [Outcome.DONE]
    assert await journal.unsettled() == ()
    await journal.aclose()


async def test_ones_own_open_intents_are_left_over_once_the_journal_was_closed(journal: Journal) -> None:
    number = await _meant(journal)
    assert await journal.unsettled() == ()
    await journal.aclose()
    assert _numbers(await journal.unsettled()) == [number]


async def test_programs_write_at_once_and_each_entry_is_there_once(path: Path) -> None:
    programs = [_program(path, 100, name) for name in ("a", "b")]
    told: set[int] = set()
    for program in programs:
        output, _ = program.communicate("\n", timeout=60)
        assert program.returncode == 0
        told.update(int(line.split()[-1]) for line in output.splitlines())
    assert len(told) == 202
    journal = Journal(path)
    entries = await journal.entries(limit=1000)
    assert set(_numbers(entries)) == told
    written = {entry.character_id for entry in entries} - {None}
    assert written == {f"{name}-{number}" for name in ("a", "b") for number in range(100)}
    assert {entry.outcome for entry in entries} == {Outcome.DONE}
    await journal.aclose()


async def test_what_was_written_down_survives_a_kill(path: Path) -> None:
    with _program(path, 100_000) as process:
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(30)]
        process.kill()
        told += [int(line) for line in process.stdout if line.endswith("\n")]
    journal = Journal(path)
    entries = {entry.number: entry for entry in await journal.entries(limit=100_000)}
    assert all(entries[number].outcome is Outcome.DONE for number in told)
    assert len(entries) - len(told) <= 1  # at most the one whose end was never told
    assert all(entry.outcome is Outcome.OPEN for entry in await journal.unsettled())
    await journal.aclose()


# -- plans -------------------------------------------------------------------------------------------------------------


async def test_a_plan_is_kept_goes_on_and_ends(path: Path, clock: _Clock) -> None:
    journal, other = Journal(path, clock), Journal(path, clock)
    document = {"steps": [{"payload": {"temperature": Decimal("0.5")}}]}
    await journal.keep_plan(_HERE, "p1", "Warm up", document, 1)
    await other.keep_plan(_THERE, "p2", "Cool down", {}, 2)
    kept = await journal.plan("p1")
    assert kept is not None
    assert (kept.title, kept.place, kept.state, kept.plan, kept.total, kept.alive) == (
        "Warm up",
        _HERE,
        PlanState.RUNNING,
        document,
        1,
        True,
    )
    with pytest.raises(ServiceError, match="running") as caught:
        await other.keep_plan(_HERE, "p1", "Warm up", document, 1)
    assert caught.value.kind is ErrorKind.BUSY

    await journal.end_plan("p1", PlanState.STOPPED)
    assert [plan.id for plan in await journal.plans()] == ["p2", "p1"]
    assert [plan.id for plan in await journal.plans(_HERE)] == ["p1"]
    assert [plan.id for plan in await journal.plans(states=[PlanState.RUNNING])] == ["p2"]
    assert [plan.id for plan in await journal.plans(states=[PlanState.STOPPED, PlanState.CANCELLED])] == ["p1"]
    await other.keep_plan(_HERE, "p1", "Warm up", document, 1)
    again = await journal.plan("p1")
    assert again is not None
    assert (again.at, again.state, again.alive) == (kept.at, PlanState.RUNNING, True)
    await other.aclose()
    left = await journal.plan("p1")
    assert left is not None
    assert (left.state, left.alive) == (PlanState.INTERRUPTED, False)
    await journal.abandon_plan("p1")
    assert await journal.plan("p1") is None
    await journal.aclose()


# -- outcomes ----------------------------------------------------------------------------------------------------------


@example(kind=ErrorKind.INVALID, sent="yes", status=500)
@example(kind=ErrorKind.INVALID, sent="yes", status=499)
@given(
    kind=st.sampled_from(ErrorKind),
    sent=st.sampled_from(get_args(Sent)),
    status=st.none() | st.integers(400, 599),
)
def test_a_change_is_refused_only_when_surely_nothing_changed(kind: ErrorKind, sent: Sent, status: int | None) -> None:
    error = ServiceError(kind, "x", status=status, sent=sent)
    outcome = outcome_of(error)
    doubtful = {ErrorKind.INTERNAL, ErrorKind.UNEXPECTED, ErrorKind.TIMEOUT, ErrorKind.UNREACHABLE}
    if error.sent == "no":
        assert outcome is Outcome.REFUSED
    elif error.sent == "unclear" or kind in doubtful or (status is not None and status >= 500):
        assert outcome is Outcome.UNKNOWN
    else:
        assert outcome is Outcome.REFUSED


def test_every_kind_that_a_service_refuses_with_leaves_no_doubt() -> None:
    clear = {kind for kind in ErrorKind if outcome_of(ServiceError(kind, "x")) is Outcome.REFUSED}
    assert set(ErrorKind) - clear == {
        ErrorKind.INTERNAL,
        ErrorKind.UNEXPECTED,
        ErrorKind.TIMEOUT,
        ErrorKind.UNREACHABLE,
    }


async def test_several_callers_at_once_each_get_their_own_number(journal: Journal) -> None:
    numbers = await asyncio.gather(*(_meant(journal, payload={"charID": f"c{i}"}) for i in range(20)))
    found = {entry.number: entry.character_id for entry in await journal.entries()}
    assert found == {number: f"c{i}" for i, number in enumerate(numbers)}
    assert sorted(numbers) == list(range(1, 21))
