"""What can be changed about an open profile: its lock, its key, and the word that production needs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from chartui.core.backends.base import Answer, Context
from chartui.core.backends.layers import ConfirmFirstWrite
from chartui.core.credentials import Key, KeySource, SourceKind, keep_key, key_path, resolve
from chartui.core.jsontext import Wire
from chartui.core.lock import Lock, LockedBy
from chartui.core.profiles import BUILT_IN, Profile, ProfileKind
from chartui.core.session import Session, open_session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation
from chartui.core.spec.operations import OPERATIONS
from tests import writes
from tests.faults.client import KEY, profile_for
from tests.faults.server import Connection, FaultServer, reply

pytestmark = pytest.mark.anyio

_WRITE, _ACT, _READ = (OPERATIONS[name] for name in ("toggle-narrative", "get-response", "list-sections"))


# -- the lock ---------------------------------------------------------------------------------------------------------


def _local(**settings: bool) -> Profile:
    return Profile(name="local", kind=ProfileKind.LOCAL, **settings)  # type: ignore[arg-type]


async def _can_write(session: Session) -> bool:
    try:
        await writes.create_character(session.service, "x")
    except ServiceError as error:
        return error.kind is not ErrorKind.READ_ONLY
    return True


async def test_a_profile_s_own_lock_is_lifted_with_its_name_and_put_on_again() -> None:
    session = open_session(_local(read_only=True))
    assert (session.locked_by, session.read_only) == (LockedBy.PROFILE, True)
    assert not session.unlock("demo")
    assert not await _can_write(session)
    assert session.unlock(" local ")
    assert (session.locked_by, session.read_only) == (None, False)
    assert await _can_write(session)
    session.relock()
    assert not await _can_write(session)
    assert session.unlock("local")
    await session.aclose()


@pytest.mark.parametrize("by", [LockedBy.FLAG, LockedBy.ENVIRONMENT])
async def test_another_lock_cannot_be_lifted(by: LockedBy, monkeypatch: pytest.MonkeyPatch) -> None:
    if by is LockedBy.ENVIRONMENT:
        monkeypatch.setenv("CHARTUI_READ_ONLY", "1")
    session = open_session(_local(read_only=True), read_only=by is LockedBy.FLAG)
    assert session.locked_by is by
    assert not session.unlock("local")
    session.relock()
    assert session.locked_by is by
    assert not await _can_write(session)
    await session.aclose()


async def test_a_session_that_may_write_can_be_locked() -> None:
    session = open_session(_local())
    session.relock()
    assert (session.locked_by, await _can_write(session)) == (LockedBy.PROFILE, False)
    assert session.unlock("local")
    assert await _can_write(session)
    await session.aclose()


def test_a_lock_says_who_set_it() -> None:
    assert (repr(Lock()), repr(Lock(LockedBy.FLAG))) == ("Lock(None)", "Lock(flag)")


# -- production -------------------------------------------------------------------------------------------------------


_REFUSED = "unconfirmed, sent: no"


class _Behind:
    def __init__(self) -> None:
        self.performed: list[str] = []

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        self.performed.append(operation.name)
        self.context = context
        return Answer(body="done")

    async def aclose(self) -> None:
        self.performed.append("closed")


class _Person:
    """Answers as told, once it is let."""

    def __init__(self, *answers: bool) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()

    async def __call__(self, operation: Operation, payload: Mapping[str, Wire]) -> bool:
        self.asked.append(operation.name)
        await self.may_answer.wait()
        return self.answers.pop(0)


async def _tried(layer: ConfirmFirstWrite, row: Operation) -> str:
    try:
        await layer.perform(row, {}, Context())
    except ServiceError as error:
        return f"{error.kind}, sent: {error.sent}"
    return "done"


@pytest.mark.parametrize(
    "row", [row for row in OPERATIONS.values() if row.effect is not Effect.READ], ids=lambda row: row.name
)
async def test_nobody_to_ask_means_no_change(row: Operation) -> None:
    behind = _Behind()
    layer = ConfirmFirstWrite(behind, None, name="live")
    assert await _tried(layer, row) == _REFUSED
    assert await _tried(layer, _READ) == "done"
    assert behind.performed == [_READ.name]


async def test_what_was_read_before_a_question_is_read_again_after_it() -> None:
    behind, person = _Behind(), _Person(True)
    person.may_answer.set()
    layer = ConfirmFirstWrite(behind, person, name="live")
    context = Context(expected={"temperature": 1}, before={"temperature": 1})
    await layer.perform(_WRITE, {}, context)
    assert behind.context == Context(expected={"temperature": 1})
    await layer.perform(_WRITE, {}, context)
    assert behind.context == context


async def test_one_question_is_for_every_call_that_waits() -> None:
    behind, person = _Behind(), _Person(True)
    layer = ConfirmFirstWrite(behind, person, name="live")
    calls = [asyncio.ensure_future(_tried(layer, row)) for row in (_WRITE, _ACT, _WRITE)]
    assert await _tried(layer, _READ) == "done"
    person.may_answer.set()
    assert await asyncio.gather(*calls) == ["done"] * 3
    assert await _tried(layer, _ACT) == "done"
    assert person.asked == [_WRITE.name]


async def test_a_refusal_is_for_all_that_wait_and_the_next_call_asks_anew() -> None:
    behind, person = _Behind(), _Person(False, True)
    layer = ConfirmFirstWrite(behind, person, name="live")
    person.may_answer.set()
    refused = await asyncio.gather(_tried(layer, _WRITE), _tried(layer, _ACT))
    assert list(refused) == [_REFUSED, _REFUSED]
    assert behind.performed == []
    assert await _tried(layer, _WRITE) == "done"
    assert len(person.asked) == 2


async def test_who_gives_up_does_not_take_the_question_from_the_others() -> None:
    behind, person = _Behind(), _Person(True)
    layer = ConfirmFirstWrite(behind, person, name="live")
    first, second = (asyncio.ensure_future(_tried(layer, row)) for row in (_WRITE, _ACT))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    person.may_answer.set()
    assert (first.cancelled(), await second) == (True, "done")
    assert behind.performed == [_ACT.name]


async def test_a_question_that_nobody_waits_for_is_taken_back() -> None:
    behind, person = _Behind(), _Person(True)
    layer = ConfirmFirstWrite(behind, person, name="live")
    only = asyncio.ensure_future(_tried(layer, _WRITE))
    while not person.asked:
        await asyncio.sleep(0)
    only.cancel()
    await asyncio.wait([only])
    person.may_answer.set()
    assert await _tried(layer, _WRITE) == "done"
    assert (len(person.asked), behind.performed) == (2, [_WRITE.name])


async def test_a_question_that_fails_is_told_to_who_asked() -> None:
    async def broken(operation: Operation, payload: Mapping[str, Wire]) -> bool:
        raise ServiceError(ErrorKind.UNCONFIRMED, f"{operation.name}: no screen")

    layer = ConfirmFirstWrite(_Behind(), broken, name="live")
    for _ in range(2):
        assert await _tried(layer, _WRITE) == _REFUSED


async def test_nothing_is_written_down_before_production_is_confirmed() -> None:
    answers = [False, True]

    async def confirm(operation: Operation, payload: Mapping[str, Wire]) -> bool:
        return answers.pop(0)

    session = open_session(_local(production=True), confirm=confirm)
    with pytest.raises(ServiceError) as caught:
        await writes.create_character(session.service, "x")
    assert caught.value.kind is ErrorKind.UNCONFIRMED
    assert await session.journal.entries() == ()
    await writes.create_character(session.service, "x")
    await writes.create_character(session.service, "y")
    assert len(await session.journal.entries()) == 2
    await session.aclose()


async def test_the_lock_goes_before_the_question() -> None:
    session = open_session(_local(production=True, read_only=True), confirm=_Person())
    assert not await _can_write(session)
    await session.aclose()


# -- the key ----------------------------------------------------------------------------------------------------------


def _sent(server: FaultServer) -> list[str]:
    return [seen.headers["service-api-key"] for seen in server.seen]


async def test_a_key_is_entered_while_the_program_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_API_KEY", KEY)
    async with FaultServer(reply(200, "[]")) as server:
        session = open_session(profile_for(server.base_url))
        await session.service.sections("c")
        session.set_key(Key("change-api-key"))
        await session.service.sections("c")
        session.forget_key()
        await session.service.sections("c")
        await session.aclose()
    assert _sent(server) == [KEY, "change-api-key", KEY]


async def test_a_store_takes_no_key() -> None:
    session = open_session(BUILT_IN["demo"])
    with pytest.raises(ServiceError) as caught:
        session.set_key(Key(KEY))
    assert caught.value.kind is ErrorKind.NOT_AVAILABLE
    await session.aclose()


async def test_who_enters_no_key_is_not_asked_at_every_call() -> None:
    answers = ["", f" {KEY} "]
    asked: list[str] = []

    def ask(what: str) -> str:
        asked.append(what)
        return answers.pop(0)

    async with FaultServer(reply(200, "[]")) as server:
        session = open_session(profile_for(server.base_url, key=KeySource(SourceKind.ASK)), ask=ask)
        for _ in range(3):
            with pytest.raises(ServiceError, match="none was entered") as caught:
                await session.service.sections("c")
            assert caught.value.kind is ErrorKind.NO_KEY
        assert len(asked) == 1
        session.forget_key()
        await session.service.sections("c")
        assert len(asked) == 2
        await session.aclose()
    assert _sent(server) == [KEY]


async def test_a_refusal_of_the_key_before_does_not_take_the_new_one_away() -> None:
    asked, release = asyncio.Event(), asyncio.Event()

    async def late(connection: Connection) -> None:
        asked.set()
        await release.wait()
        await reply(401, '{"API_ERROR": "no"}')(connection)

    async with FaultServer(late, reply(200, "[]")) as server:
        session = open_session(profile_for(server.base_url, key=KeySource(SourceKind.ASK)), ask=lambda _: "first-key")
        call = asyncio.ensure_future(session.service.sections("c"))
        await asked.wait()
        session.set_key(Key("second-key"))
        release.set()
        with pytest.raises(ServiceError) as caught:
            await call
        assert caught.value.kind is ErrorKind.BAD_KEY
        assert await session.service.sections("c") == ()
        await session.aclose()
    assert _sent(server) == ["first-key", "second-key"]


def test_a_key_is_kept_where_its_source_finds_it(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "work"
    path.parent.mkdir()
    path.write_text("old")
    path.chmod(0o644)
    source = KeySource(SourceKind.FILE, (str(path),))
    keep_key(Key(KEY), source, profile="work")
    assert resolve(source, profile="work").reveal() == KEY
    assert path.stat().st_mode & 0o777 == 0o600
    assert key_path("work").name == "work"


@pytest.mark.parametrize("kind", [SourceKind.ASK, SourceKind.ENV, SourceKind.COMMAND])
def test_other_sources_keep_nothing(kind: SourceKind) -> None:
    with pytest.raises(ServiceError, match="cannot be stored in") as caught:
        keep_key(Key(KEY), KeySource(kind, ("x",)), profile="work")
    assert KEY not in str(caught.value)
