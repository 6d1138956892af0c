"""A profile, opened: what it costs, which lock is in force, and what is left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chartui.core.actions.turn import Turn
from chartui.core.backends.base import Received
from chartui.core.paths import data_dir
from chartui.core.profiles import BUILT_IN, Profile, ProfileError, ProfileKind
from chartui.core.session import locked_by, open_session, store_path
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import operation
from tests import writes
from tests.faults.client import KEY, profile_for
from tests.faults.server import FaultServer, reply

pytestmark = pytest.mark.anyio

_DEMO, _LOCAL = BUILT_IN["demo"], BUILT_IN["local"]


@pytest.mark.parametrize("profile", ["demo", "local", "remote"])
def test_opening_loads_nothing_heavy(profile: str, tmp_path: Path) -> None:
    code = f"""
import sys
from chartui.core.profiles import BUILT_IN, Profile, ProfileKind
from chartui.core.session import open_session
remote = Profile(name="r", kind=ProfileKind.REMOTE, base_url="https://service.example")
open_session({{**BUILT_IN, "remote": remote}}[{profile!r}])
print(*sorted({{"httpx", "pydantic", "sqlite3", "uvicorn", "textual", "rich"}} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert (run.stdout.strip(), run.stderr) == ("", "")


async def test_opening_makes_no_file() -> None:
    session = open_session(_LOCAL)
    assert (session.where, session.service.embedded) == ("embedded store", True)
    await session.service.estimate()
    await session.aclose()
    assert not data_dir().exists()


async def test_each_embedded_profile_has_a_store_of_its_own() -> None:
    for profile in (_LOCAL, _DEMO):
        session = open_session(profile)
        await writes.create_character(session.service, profile.name)
        await session.aclose()
    assert store_path(_LOCAL) == data_dir() / "local.db"
    session = open_session(_DEMO)
    assert [summary.character_name for summary in await session.service.summaries()] == ["demo"]
    await session.aclose()


async def test_a_throw_away_store_is_removed() -> None:
    seen: list[Path] = []
    session = open_session(_DEMO, throwaway=True, fill=lambda store: seen.append(store.path))
    await writes.create_character(session.service, "gone")
    [path] = seen
    assert path.exists()
    await session.aclose()
    assert not path.parent.exists()
    assert not data_dir().exists()


async def test_only_demo_profiles_are_filled_and_only_once_a_session() -> None:
    filled: list[Path] = []
    for profile in (_DEMO, _LOCAL):
        session = open_session(profile, fill=lambda store: filled.append(store.path))
        for _ in range(2):
            await session.service.summaries()
        await session.aclose()
    assert filled == [store_path(_DEMO)]


@pytest.mark.parametrize(
    ("profile", "flag", "variable", "locked"),
    [
        (False, False, None, False),
        (True, False, None, True),
        (False, True, None, True),
        (False, False, "1", True),
        (False, False, "true", True),
        (False, False, "anything", True),
        (False, False, "0", False),
        (False, False, " No ", False),
        (False, False, "", False),
        (True, False, "0", True),
        (False, True, "off", True),
    ],
)
def test_any_of_three_sets_the_lock(profile: bool, flag: bool, variable: str | None, locked: bool) -> None:
    environ = {} if variable is None else {"CHARTUI_READ_ONLY": variable}
    settings = Profile(name="local", kind=ProfileKind.LOCAL, read_only=profile)
    assert (locked_by(settings, flag, environ) is not None) is locked


@pytest.mark.parametrize("how", ["flag", "variable", "profile"])
async def test_a_locked_session_writes_nothing(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "variable":
        monkeypatch.setenv("CHARTUI_READ_ONLY", "1")
    profile = Profile(name="local", kind=ProfileKind.LOCAL, read_only=how == "profile")
    session = open_session(profile, read_only=how == "flag")
    assert session.read_only
    with pytest.raises(ServiceError) as caught:
        await session.service.call(operation("create-character"), {"character_name": "x"})
    assert caught.value.kind is ErrorKind.READ_ONLY
    assert session.recorder.calls == ()
    await session.aclose()


async def test_a_local_store_is_created_only_without_a_lock() -> None:
    profile = Profile(name="local", kind=ProfileKind.LOCAL, read_only=True)
    session = open_session(profile)
    with pytest.raises(ServiceError, match="does not exist yet") as caught:
        await session.service.summaries()
    assert caught.value.kind is ErrorKind.READ_ONLY
    assert not store_path(profile).exists()
    session.unlock("local")
    assert await session.service.summaries() == ()
    session.relock()
    assert await session.service.summaries() == ()
    await session.aclose()


async def test_a_remote_session_takes_its_key_from_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_API_KEY", KEY)
    async with FaultServer(reply(200, "[]")) as server:
        session = open_session(profile_for(server.base_url, allow_act=True, read_only=True))
        assert await session.service.sections("c1") == ()
        with pytest.raises(ServiceError):
            await writes.toggle_narrative(session.service, "c1", True)
        answer = await session.service.respond(Turn(character_id="c1", text="go"))
        await session.aclose()
    assert answer.unreadable  # a turn that may have been billed is shown as far as it can be read
    assert [seen.headers["service-api-key"] for seen in server.seen] == [KEY, KEY]
    assert [call.operation.name for call in session.recorder.calls] == ["list-sections", "get-response"]
    assert (session.where, session.service.embedded) == (server.base_url[7:], False)


async def test_a_remote_session_without_a_key_says_how_to_give_one() -> None:
    session = open_session(profile_for("https://service.example"))
    with pytest.raises(ServiceError, match="set the environment variable CHARTUI_API_KEY") as caught:
        await session.service.sections("c1")
    assert caught.value.kind is ErrorKind.NO_KEY
    await session.aclose()


def test_an_unsafe_address_is_refused_when_opening() -> None:
    with pytest.raises(ProfileError, match="unencrypted"):
        open_session(profile_for("http://service.example"))


@pytest.mark.parametrize("content", [None, "nonsense = 1"])
async def test_an_unusable_rate_card_is_told(content: str | None, tmp_path: Path) -> None:
    card = tmp_path / "card.toml"
    if content is not None:
        card.write_text(content)
    session = open_session(_LOCAL, rate_card=card)
    with pytest.raises(ServiceError, match="No rates are available") as caught:
        await session.service.estimate()
    assert caught.value.kind is ErrorKind.NOT_AVAILABLE
    assert str(card) in str(caught.value)
    await session.aclose()


async def test_a_failure_to_fill_is_told_and_tried_again() -> None:
    stores: list[Any] = []

    def fill(store: Any) -> None:
        stores.append(store)
        raise ServiceError(ErrorKind.BUSY, "busy")

    session = open_session(_DEMO, fill=fill)
    for _ in range(2):
        with pytest.raises(ServiceError, match="busy"):
            await session.service.summaries()
    await session.aclose()
    assert len(stores) == 2


async def test_progress_reaches_a_service_through_every_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_API_KEY", KEY)
    records = '{"characters": [{"character_id": "c1", "is_narrative_driven": false}]}'
    seen: list[Received] = []
    async with FaultServer(reply(200, records), reply(200, '{"STATUS": "Successful"}')) as server:
        session = open_session(profile_for(server.base_url), throwaway=True)
        try:
            await writes.toggle_narrative(session.service.reporting_to(seen.append), "c1", True)
        finally:
            await session.aclose()
    # What was there before is read first, for the journal; on a service that is the whole list.
    assert [(one.bytes, one.total) for one in seen[::2]] == [(len(records), len(records)), (24, 24)]
