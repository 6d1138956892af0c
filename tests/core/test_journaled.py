"""The layer that writes every change down: before it is sent, and how it ended, whatever happens between."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path as FilePath
from typing import Any

import pytest

from chartui.core.backends.base import Answer, Context
from chartui.core.backends.layers import Journaled
from chartui.core.backends.present import present
from chartui.core.journal import Entry, Journal, Outcome, outcome_of
from chartui.core.jsontext import Wire
from chartui.core.paths import data_dir
from chartui.core.profiles import BUILT_IN, Place
from chartui.core.session import journal_path, open_session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation
from chartui.core.spec.operations import OPERATIONS
from tests import writes
from tests.contract.samples import SAMPLES
from tests.contract.seed import GATE, KEEPER
from tests.contract.world import Path, Template, make_template
from tests.core.journaling import PLACE, Journaling
from tests.faults.client import KEY, profile_for
from tests.faults.server import FaultServer, reply

pytestmark = pytest.mark.anyio

_PLACE = Place("work", "https://service.example")
_BOTH = pytest.mark.parametrize("path", [Path.LOCAL, Path.ASGI])
_TOGGLE = OPERATIONS["toggle-narrative"]
_PAYLOAD: dict[str, Wire] = {"character_id": "c1", "is_narrative_driven": True}
_ROWS = [
    pytest.param(row, path, id=f"{path}-{row.name}")
    for row in OPERATIONS.values()
    for path in (Path.LOCAL, Path.ASGI)
    if row.path is not None or path is Path.LOCAL
]
_CHANGES = [case for case in _ROWS if isinstance(row := case.values[0], Operation) and row.effect is Effect.WRITE]
_MAKING = ("create-", "duplicate-", "restore-")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return make_template(tmp_path_factory.mktemp("seed"))


@dataclass
class _Behind:
    """A backend that says what is there, and does with a change what a test says."""

    change: Callable[[], Any] = lambda: {"STATUS": "Successful"}
    read: Callable[[], Any] = lambda: False
    asked: list[str] = field(default_factory=list)

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        self.asked.append(operation.name)
        if operation.effect is Effect.WRITE:
            made = self.change()
            return Answer(body=await made if asyncio.iscoroutine(made) else made)
        record = {"character_id": "c1", "is_narrative_driven": self.read()}
        return Answer(body=record if operation.name == "get-character" else {"characters": [record]})

    async def aclose(self) -> None:
        pass


class _Meeting:
    """Where a test and a change that is on its way meet."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.going = asyncio.Event()

    async def change(self) -> Wire:
        self.begun.set()
        await self.going.wait()
        return {"STATUS": "Successful"}


@asynccontextmanager
async def _journaled(
    folder: FilePath, behind: _Behind, *, embedded: bool = False, **settings: Any
) -> AsyncIterator[tuple[Journaled, Journal]]:
    journal = Journal(folder / "journal.db")
    layer = Journaled(behind, lambda: journal, _PLACE, embedded=embedded, **settings)
    yield layer, journal
    await layer.aclose()
    await journal.aclose()


async def _only(journal: Journal) -> Entry:
    [entry] = await journal.entries()
    return entry


def _raising(error: BaseException) -> Callable[[], Any]:
    def raise_it() -> None:
        raise error

    return raise_it


# -- every row ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("row", "path"), _ROWS)
async def test_every_change_and_nothing_else_is_written_down(
    row: Operation, path: Path, template: Template, tmp_path: FilePath
) -> None:
    payload = SAMPLES[row.name]
    async with Journaling.opened(path, template, tmp_path) as journaling:
        answer = await journaling(row.name, payload, origin="test", plan_id="p1", step=3)
        if row.effect is not Effect.WRITE:
            assert not (tmp_path / "journal.db").exists()
            assert journaling.asked == [(row.name, "test")]
            return
        [entry] = await journaling.journal.entries()
    assert (entry.place, entry.operation, entry.payload) == (PLACE, row.name, payload)
    assert (entry.origin, entry.plan_id, entry.step) == ("test", "p1", 3)
    assert (entry.outcome, entry.error, entry.answer) == (Outcome.DONE, "", answer.body)
    assert entry.character_id is not None
    assert (entry.before is None) == row.name.startswith(_MAKING)
    assert journaling.asked[-1] == (row.name, "test")
    assert {origin for _, origin in journaling.asked[:-1]} <= {"journal"}


@pytest.mark.parametrize(("row", "path"), _CHANGES)
async def test_a_change_that_is_refused_is_written_down_as_that(
    row: Operation, path: Path, template: Template, tmp_path: FilePath
) -> None:
    async with Journaling.opened(path, template, tmp_path) as journaling:
        with pytest.raises(ServiceError) as refused:
            await journaling(row.name, {"nobody": "knows this"})
        entry = await journaling.last()
    assert refused.value.kind is ErrorKind.INVALID
    assert (entry.outcome, entry.error, entry.before) == (Outcome.REFUSED, refused.value.message, None)


# -- before it is sent -------------------------------------------------------------------------------------------------


async def test_the_intent_is_on_the_disk_when_the_change_is_made(tmp_path: FilePath) -> None:
    seen: list[Entry] = []

    async def change() -> Wire:
        other = Journal(tmp_path / "journal.db")  # as another program sees it
        seen.append(await _only(other))
        await other.aclose()
        return None

    async with _journaled(tmp_path, _Behind(change)) as (layer, _):
        await layer.perform(_TOGGLE, _PAYLOAD, Context())
    [entry] = seen
    assert (entry.outcome, entry.running, entry.payload) == (Outcome.OPEN, True, _PAYLOAD)
    assert entry.before == {"is_narrative_driven": False}


@pytest.mark.parametrize("embedded", [True, False])
async def test_a_change_that_cannot_be_written_down_is_not_sent(embedded: bool, tmp_path: FilePath) -> None:
    behind = _Behind()
    (tmp_path / "file").write_text("not a folder")
    async with _journaled(tmp_path / "file", behind, embedded=embedded) as (layer, _):
        with pytest.raises(ServiceError, match="The change could not be recorded in the journal") as refused:
            await layer.perform(_TOGGLE, _PAYLOAD, Context())
    assert (refused.value.kind, refused.value.sent) == (ErrorKind.BROKEN, "no")
    assert _TOGGLE.name not in behind.asked


async def test_nothing_is_sent_when_the_disk_is_full(tmp_path: FilePath) -> None:
    behind = _Behind()
    async with _journaled(tmp_path, behind) as (layer, journal):
        await layer.perform(_TOGGLE, _PAYLOAD, Context())
        await journal._thread.run(lambda file: file.connection.execute("PRAGMA max_page_count = 1"))
        with pytest.raises(ServiceError, match="disk is full") as refused:
            await layer.perform(_TOGGLE, {**_PAYLOAD, "more": "x" * 100_000}, Context())
        assert (refused.value.kind, refused.value.sent) == (ErrorKind.BROKEN, "no")
        assert behind.asked.count(_TOGGLE.name) == 1


async def test_what_json_cannot_say_is_not_sent(tmp_path: FilePath) -> None:
    behind = _Behind()
    async with _journaled(tmp_path, behind) as (layer, journal):
        with pytest.raises(ServiceError) as refused:
            await layer.perform(_TOGGLE, {"character_id": "c1", "is_narrative_driven": "\udc80"}, Context())
        assert (refused.value.kind, refused.value.sent) == (ErrorKind.INVALID, "no")
        assert await journal.entries() == ()
    assert _TOGGLE.name not in behind.asked


#: Failures that the service would have with every reading: they say nothing about the change.
_IMPOSSIBLE = {
    ErrorKind.INVALID,
    ErrorKind.NOT_AVAILABLE,
    ErrorKind.NOT_FOUND,
    ErrorKind.REFUSED,
    ErrorKind.TIER,
    ErrorKind.TOO_LARGE,
    ErrorKind.UNEXPECTED,
}


@pytest.mark.parametrize("kind", ErrorKind)
@pytest.mark.parametrize("embedded", [True, False])
async def test_a_reading_that_fails_keeps_the_change_back_unless_nothing_can_be_read(
    kind: ErrorKind, embedded: bool, tmp_path: FilePath
) -> None:
    behind = _Behind(read=_raising(ServiceError(kind, "The reading failed.")))
    async with _journaled(tmp_path, behind, embedded=embedded) as (layer, journal):
        if kind in _IMPOSSIBLE:
            await layer.perform(_TOGGLE, _PAYLOAD, Context())
            assert (await _only(journal)).before is None
            return
        with pytest.raises(ServiceError, match="The reading failed") as refused:
            await layer.perform(_TOGGLE, _PAYLOAD, Context())
        assert refused.value.kind is kind
        assert embedded or refused.value.sent == "no"
        assert _TOGGLE.name not in behind.asked
        assert await journal.entries() == ()


async def test_what_the_caller_has_just_read_is_not_read_again(tmp_path: FilePath) -> None:
    behind = _Behind()
    async with _journaled(tmp_path, behind) as (layer, journal):
        before = {"is_narrative_driven": True, "more": 1}
        await layer.perform(_TOGGLE, _PAYLOAD, Context(before=before))
        assert (await _only(journal)).before == before
    assert behind.asked == [_TOGGLE.name]


# -- expectations ------------------------------------------------------------------------------------------------------

_CONFLICTS = [
    ("toggle-narrative", SAMPLES["toggle-narrative"], {"is_narrative_driven": True}, "character"),
    ("update-character", SAMPLES["update-character"], {"temperature": Decimal("0.6")}, "character"),
    ("edit-section", SAMPLES["edit-section"], {"objective": "Else."}, "section"),
    ("delete-section", SAMPLES["delete-section"], {"section_name": "Else"}, "section"),
    ("update-trigger", SAMPLES["update-trigger"], {"trigger_message": "Else."}, "trigger"),
    ("delete-trigger", SAMPLES["delete-trigger"], {"trigger_name": "else"}, "trigger"),
]


@_BOTH
@pytest.mark.parametrize(("name", "payload", "expected", "what"), _CONFLICTS, ids=[case[0] for case in _CONFLICTS])
async def test_what_was_changed_by_somebody_else_is_not_overwritten(
    path: Path,
    name: str,
    payload: Any,
    expected: dict[str, Wire],
    what: str,
    template: Template,
    tmp_path: FilePath,
) -> None:
    async with Journaling.opened(path, template, tmp_path) as journaling:
        with pytest.raises(ServiceError, match=f"The {what} has changed since") as refused:
            await journaling(name, payload, expected=expected)
        assert (refused.value.kind, refused.value.sent) == (ErrorKind.CONFLICT, "no")
        assert refused.value.member in expected
        # Over HTTP it is seen just before sending; the store compares by itself, inside its transaction.
        sent = path is Path.LOCAL
        assert [entry.outcome for entry in await journaling.journal.entries()] == [Outcome.REFUSED] * sent
        assert (name in {operation for operation, _ in journaling.asked}) == sent
        there = await _there(journaling, name, payload, expected)
        await journaling(name, payload, expected={member: there[member] for member in expected})
        assert (await journaling.last()).outcome is Outcome.DONE


async def _there(journaling: Journaling, name: str, payload: Any, expected: dict[str, Wire]) -> Mapping[str, Wire]:
    context = Context(expected=expected)
    found = await present(journaling.world.inside()._backend, name, payload, context, embedded=True)
    assert found is not None
    return found


async def test_members_that_a_service_does_not_give_back_are_not_compared(
    template: Template, tmp_path: FilePath
) -> None:
    payload = {"charID": KEEPER, "backstory": "New."}
    expected = {"backstory": "not what is there", "reasoning_effort": "high", "temperature": Decimal("0.70")}
    async with Journaling.opened(Path.ASGI, template, tmp_path) as journaling:
        await journaling("update-character", payload, expected=expected)
        assert (await journaling.last()).before == {"temperature": Decimal("0.7")}
        settings = await journaling.inside("get-settings", {"charID": KEEPER})
    assert settings["backstory"] == "New."


async def test_an_expectation_is_compared_with_what_the_caller_has_just_read(tmp_path: FilePath) -> None:
    behind = _Behind()
    async with _journaled(tmp_path, behind) as (layer, _):
        context = Context(expected={"is_narrative_driven": True}, before={"is_narrative_driven": None})
        with pytest.raises(ServiceError, match="is_narrative_driven is now null"):
            await layer.perform(_TOGGLE, _PAYLOAD, context)
    assert behind.asked == []


# -- how it ended ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ErrorKind)
@pytest.mark.parametrize("sent", ["no", "yes", "unclear"])
async def test_a_failure_is_written_down_as_what_is_known_of_it(kind: ErrorKind, sent: Any, tmp_path: FilePath) -> None:
    error = ServiceError(kind, f"No: {kind}.", sent=sent)
    async with _journaled(tmp_path, _Behind(_raising(error))) as (layer, journal):
        with pytest.raises(ServiceError) as raised:
            await layer.perform(_TOGGLE, _PAYLOAD, Context())
        assert raised.value is error
        entry = await _only(journal)
    assert (entry.outcome, entry.error) == (outcome_of(error), f"No: {kind}.")
    assert entry.ended


async def test_a_mistake_of_the_program_leaves_the_change_unknown(tmp_path: FilePath) -> None:
    async with _journaled(tmp_path, _Behind(_raising(ZeroDivisionError("a secret")))) as (layer, journal):
        with pytest.raises(ZeroDivisionError):
            await layer.perform(_TOGGLE, _PAYLOAD, Context())
        entry = await _only(journal)
    assert (entry.outcome, entry.error) == (Outcome.UNKNOWN, "The program failed (ZeroDivisionError).")


async def test_a_change_that_was_made_is_no_failure_because_its_end_could_not_be_written(tmp_path: FilePath) -> None:
    async with _journaled(tmp_path, _Behind()) as (layer, journal):

        async def closed(*_: Any, **__: Any) -> None:
            raise ServiceError(ErrorKind.BROKEN, "the disk is full")

        journal.conclude = closed  # type: ignore[method-assign]
        answer = await layer.perform(_TOGGLE, _PAYLOAD, Context())
        assert answer.body == {"STATUS": "Successful"}
        assert (await _only(journal)).outcome is Outcome.OPEN
    assert [entry.outcome for entry in await journal.unsettled()] == [Outcome.OPEN]  # so the next start asks
    await journal.aclose()


async def _given_up(layer: Journaled, meeting: _Meeting, *, times: int = 1) -> None:
    """Begin a change, and stop waiting for it once it was sent."""
    waiting = asyncio.ensure_future(layer.perform(_TOGGLE, _PAYLOAD, Context()))
    await meeting.begun.wait()
    for _ in range(times):
        waiting.cancel()
        await asyncio.sleep(0)
    if layer._embedded:
        meeting.going.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@pytest.mark.parametrize(("embedded", "outcome"), [(False, Outcome.UNKNOWN), (True, Outcome.DONE)])
async def test_a_change_that_is_given_up_is_unknown_unless_it_can_be_found_out(
    embedded: bool, outcome: Outcome, tmp_path: FilePath
) -> None:
    meeting = _Meeting()
    async with _journaled(tmp_path, _Behind(meeting.change), embedded=embedded) as (layer, journal):
        await _given_up(layer, meeting)
        assert (await _only(journal)).outcome is outcome  # already, when the caller goes on


async def test_a_change_that_is_given_up_twice_is_still_written_down(tmp_path: FilePath) -> None:
    meeting = _Meeting()
    journal = Journal(tmp_path / "journal.db")
    layer = Journaled(_Behind(meeting.change), lambda: journal, _PLACE, embedded=True)
    await _given_up(layer, meeting, times=2)
    await layer.aclose()
    assert (await _only(journal)).outcome is Outcome.DONE
    await journal.aclose()


async def test_a_change_that_is_given_up_while_it_is_written_down_is_not_sent(tmp_path: FilePath) -> None:
    behind, meeting = _Behind(), _Meeting()
    async with _journaled(tmp_path, behind) as (layer, journal):
        write_down = journal.intend

        async def slowly(*arguments: Any, **settings: Any) -> int:
            await meeting.change()
            return await write_down(*arguments, **settings)

        journal.intend = slowly  # type: ignore[method-assign]
        waiting = asyncio.ensure_future(layer.perform(_TOGGLE, _PAYLOAD, Context()))
        await meeting.begun.wait()
        waiting.cancel()
        await asyncio.sleep(0)
        meeting.going.set()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        entry = await _only(journal)
    assert (entry.outcome, entry.error) == (Outcome.REFUSED, "Canceled before the request was sent.")
    assert _TOGGLE.name not in behind.asked


async def test_a_change_that_is_given_up_in_the_store_is_found_out(template: Template, tmp_path: FilePath) -> None:
    async with Journaling.opened(Path.LOCAL, template, tmp_path) as journaling:
        for turn in range(20):
            payload = {"charID": KEEPER, "character_name": f"Name {turn}"}
            waiting = asyncio.ensure_future(journaling("rename-character", payload))
            for _ in range(turn):
                await asyncio.sleep(0)
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting
            name = (await journaling.inside("get-character", {"charID": KEEPER}))["character_name"]
            entries = await journaling.journal.entries(outcomes=[Outcome.DONE])
            assert name == (entries[0].payload["character_name"] if entries else "Mara")
        assert await journaling.journal.entries(outcomes=[Outcome.OPEN, Outcome.UNKNOWN]) == ()


_KILLED = """
import asyncio, sys
from pathlib import Path
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.session import open_session
from tests import writes

async def main():
    profile = Profile(name="work", kind=ProfileKind.REMOTE, base_url=sys.argv[1])
    session = open_session(profile)
    await writes.create_section(session.service, "c1", "New", "Be new.")

asyncio.run(main())
"""


async def test_a_program_that_is_killed_while_it_waits_leaves_an_open_intent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_API_KEY", KEY)
    arrived = asyncio.Event()

    async def never(connection: Any) -> None:
        arrived.set()
        await connection.server.stopped.wait()

    async with FaultServer(never) as server:
        with subprocess.Popen([sys.executable, "-c", _KILLED, server.base_url], stderr=subprocess.PIPE) as process:
            await asyncio.wait_for(arrived.wait(), 60)
            process.kill()
            await asyncio.to_thread(process.wait)
    journal = Journal(journal_path())
    [entry] = await journal.unsettled(Place("work", server.base_url))
    assert (entry.operation, entry.outcome, entry.before) == ("create-section", Outcome.OPEN, None)
    await journal.aclose()
    assert not _found_in_files(KEY)


def _found_in_files(text: str) -> list[FilePath]:
    return [path for path in data_dir().rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


# -- the key -----------------------------------------------------------------------------------------------------------


async def _echoed(status: int, body: str) -> tuple[Entry, ...]:
    """What the journal holds of changes to a service that sends the key back."""
    async with FaultServer(reply(status, body)) as server:
        session = open_session(profile_for(server.base_url))
        for name in ("edit-section", "create-section"):
            with suppress(ServiceError):
                await session.service.call(OPERATIONS[name], SAMPLES[name])
        entries = await session.journal.entries()
        assert not _found_in_files(KEY)
        await session.aclose()
    assert not _found_in_files(KEY)
    return entries


async def test_a_key_that_a_service_sends_back_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_API_KEY", KEY)
    made, edited = await _echoed(200, f'{{"section_id": "{KEY}", "objective": "{KEY}"}}')
    assert (made.outcome, edited.outcome) == (Outcome.DONE, Outcome.DONE)
    assert made.answer["section_id"] not in (None, KEY)
    assert edited.before is None  # a text that was altered must not be put back
    refused, also_refused = (await _echoed(400, f'{{"ERROR": "No {KEY}."}}'))[:2]
    assert refused.error == also_refused.error != ""
    assert refused.outcome is Outcome.REFUSED


# -- sessions ----------------------------------------------------------------------------------------------------------


async def test_a_session_writes_its_changes_down_where_the_program_keeps_its_files() -> None:
    session = open_session(BUILT_IN["local"], origin="test")
    await session.service.summaries()
    assert not journal_path().exists()
    made = await writes.create_character(session.service, "Mara")
    await writes.rename_character(session.service, made, "Ori")
    assert [entry.operation for entry in await session.journal.entries(session.profile.place)] == [
        "rename-character",
        "create-character",
    ]
    assert [(call.operation.name, call.context.origin) for call in session.recorder.calls] == [
        ("summarize-characters", "test"),
        ("create-character", "test"),
        ("get-character", "journal"),
        ("rename-character", "test"),
    ]
    await session.aclose()
    journal = Journal(journal_path())
    assert [entry.before for entry in await journal.entries()] == [{"character_name": "Mara"}, None]
    await journal.aclose()


async def test_a_throw_away_session_keeps_everything_in_one_folder_and_removes_it() -> None:
    stores: list[FilePath] = []
    session = open_session(BUILT_IN["demo"], throwaway=True, fill=lambda store: stores.append(store.path))
    await writes.create_character(session.service, "Mara")
    [store] = stores
    assert {path.name for path in store.parent.iterdir() if not path.name.endswith(("-wal", "-shm"))} == {
        "store.db",
        "journal.db",
        "journal.programs",
    }
    await session.aclose()
    assert not store.parent.exists()
    assert not data_dir().exists()


async def test_under_the_lock_nothing_is_written_down() -> None:
    session = open_session(BUILT_IN["local"], read_only=True)
    with pytest.raises(ServiceError) as refused:
        await writes.set_start_section(session.service, "c1", GATE)
    assert refused.value.kind is ErrorKind.READ_ONLY
    assert session.recorder.calls == ()
    await session.aclose()
    assert not journal_path().exists()
