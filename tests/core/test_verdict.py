"""The verdict of a test: what counts as the service, and what as a stranger."""

from __future__ import annotations

from pathlib import Path

import pytest

from chartui.core.probe import Finding, State, Verdict, probe, verdict
from chartui.core.profiles import BUILT_IN, Profile
from chartui.core.session import open_session
from tests.faults.client import profile_for
from tests.faults.server import FaultServer, closes, reply, unused_port
from tests.faults.stranger import stranger

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_API_KEY", "key-of-a-test")


async def _findings(profile: Profile) -> list[Finding]:
    session = open_session(profile, throwaway=True)
    try:
        return [finding async for finding in probe(session)]
    finally:
        await session.aclose()


async def test_a_web_server_is_a_stranger(tmp_path: Path) -> None:
    with stranger(tmp_path) as url:
        findings = await _findings(profile_for(url))
    assert verdict(findings) is Verdict.STRANGER
    service = findings[0]
    assert (service.name, service.state) == ("service", State.REFUSED)
    assert service.sentence.startswith("The server does not behave like the service.")
    assert all("try again" not in finding.sentence for finding in findings)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (200, "{}", Verdict.STRANGER),
        (200, "[]", Verdict.STRANGER),
        (200, "<html>welcome</html>", Verdict.STRANGER),
        (200, "", Verdict.STRANGER),
        (302, "", Verdict.STRANGER),
        (400, '{"error": "no"}', Verdict.STRANGER),
        (403, '{"message": "Forbidden"}', Verdict.STRANGER),
        (404, '{"error": "no such page"}', Verdict.STRANGER),
        (405, "", Verdict.STRANGER),
        (501, "", Verdict.STRANGER),
        (401, '{"API_ERROR": "wrong key"}', Verdict.KEY),
        (500, "", Verdict.DOWN),
        (503, "", Verdict.DOWN),
    ],
)
async def test_the_same_answer_to_everything(status: int, body: str, expected: Verdict) -> None:
    async with FaultServer(reply(status, body)) as server:
        findings = await _findings(profile_for(server.base_url))
    assert verdict(findings) is expected
    assert findings[0].state is not State.OK
    assert ("does not behave like the service" in findings[0].sentence) is (expected is Verdict.STRANGER)


async def test_nothing_that_answers_is_down() -> None:
    assert verdict(await _findings(profile_for(f"http://127.0.0.1:{unused_port()}"))) is Verdict.DOWN
    async with FaultServer(closes) as server:
        assert verdict(await _findings(profile_for(server.base_url))) is Verdict.DOWN


async def test_no_key_is_about_the_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CHARTUI_API_KEY")
    with stranger(tmp_path) as url:
        assert verdict(await _findings(profile_for(url))) is Verdict.STRANGER


async def test_a_store_works() -> None:
    assert verdict(await _findings(BUILT_IN["local"])) is Verdict.WORKS
