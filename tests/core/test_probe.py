"""Finding out what works: what is said of a service that answers strangely."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from chartui.core.probe import Finding, State, probe
from chartui.core.profiles import BUILT_IN, Profile, ProfileKind
from chartui.core.session import open_session
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operation import Effect
from chartui.core.spec.operations import OPERATIONS
from tests.faults.client import profile_for
from tests.faults.server import FaultServer, reply

pytestmark = pytest.mark.anyio

_NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_API_KEY", "key-of-a-test")


async def _found(profile: Profile, *, read_only: bool = False) -> dict[str, Finding]:
    session = open_session(profile, read_only=read_only, throwaway=True)
    try:
        findings = [finding async for finding in probe(session, clock=lambda: _NOW)]
    finally:
        await session.aclose()
    assert len({finding.name for finding in findings}) == len(findings)
    return {finding.name: finding for finding in findings}


async def _answered(body: str, *, seconds: float = 0) -> dict[str, Finding]:
    date = format_datetime(_NOW + timedelta(seconds=seconds), usegmt=True)
    async with FaultServer(reply(200, body, Date=date)) as server:
        found = await _found(profile_for(server.base_url))
        assert {seen.target for seen in server.seen if "update" in seen.target or "toggle" in seen.target} == set()
    return found


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, None), (100, None), (-100, None), (600, "10 min ahead of"), (-7200, "120 min behind")],
)
async def test_a_clock_that_is_far_off_is_told(seconds: float, told: str | None) -> None:
    found = await _answered('{"characters": []}', seconds=seconds)
    if told is None:
        assert "clock" not in found
    else:
        assert (found["clock"].state, told in found["clock"].sentence) == (State.WARNING, True)


async def test_an_account_without_characters_leaves_nothing_to_ask_about() -> None:
    found = await _answered('{"characters": []}')
    assert (found["service"].state, found["key"].state) == (State.OK, State.OK)
    assert (found["list-sections"].state, found["list-sections"].sentence) == (
        State.NOT_TRIED,
        "No character to test with.",
    )


async def test_an_answer_that_makes_no_sense_is_no_success() -> None:
    found = await _answered("<html>hello</html>")
    assert (found["list-characters"].state, found["list-characters"].kind) == (State.REFUSED, ErrorKind.UNEXPECTED)
    assert found["tier"].state is State.NOT_TRIED


async def test_without_an_api_key_that_is_why_an_operation_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHARTUI_API_KEY")
    found = await _answered('{"characters": []}')
    unsent = [finding for finding in found.values() if finding.kind is ErrorKind.NO_KEY]
    assert {finding.name for finding in unsent} >= {"key", "list-characters"}
    assert {finding.state for finding in unsent} == {State.NOT_TRIED}
    assert (found["list-models"].state, found["list-models"].sentence) == (State.NOT_TRIED, "There is no API key.")
    assert (found["tier"].state, found["tier"].sentence) == (State.NOT_TRIED, "Unknown. There is no API key.")


async def test_every_operation_has_a_finding_and_only_reads_are_performed() -> None:
    session = open_session(BUILT_IN["local"], throwaway=True)
    found = {finding.name: finding async for finding in probe(session)}
    performed = {call.operation.effect for call in session.recorder.calls}
    entries = await session.journal.entries()
    await session.aclose()
    assert {finding.name for finding in found.values() if finding.operation} == set(OPERATIONS)
    assert (performed, entries) == ({Effect.READ}, ())
    assert "key" not in found


@pytest.mark.parametrize("allow_act", [False, True])
async def test_a_lock_is_told_with_who_set_it(allow_act: bool) -> None:
    profile = Profile(name="local", kind=ProfileKind.LOCAL, read_only=True, allow_act=allow_act)
    found = await _found(profile)
    unlocks = "Use chartui profiles set local --read-write --confirm local to unlock it."
    assert found["lock"].sentence == f"Read-only profile: every change is disabled. {unlocks}"
    assert found["update-character"].sentence == "Read-only profile: update-character is disabled."
    assert sum(unlocks in finding.sentence for finding in found.values()) == 1
    assert found["get-response"].sentence.startswith("Allowed" if allow_act else "Read-only profile:")
    assert (await _found(profile, read_only=True))[
        "update-character"
    ].sentence == "Started with --read-only: update-character is disabled."
