"""``chartui profiles``: adding, changing, choosing, removing and testing them."""

from __future__ import annotations

import io
import stat
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chartui.cli.sessions import can_ask
from chartui.core.credentials import KeySource, SourceKind, key_path
from chartui.core.probe import Finding, State
from chartui.core.profiles import Mark, Profile, ProfileKind, profiles_path
from chartui.core.profiles_file import change_profiles, load_profiles
from chartui.core.session import store_path
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operation import Tier
from tests.faults.stranger import stranger
from tests.tui.serving import Service, serving

from .conftest import Run

_KEY = "sk-canary-0123456789"
_URL = "https://service.example"


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A service on a real socket, with its key in the variable that its profile names."""
    with serving(tmp_path) as service:
        monkeypatch.setenv("CHARTUI_TEST_KEY", service.key)
        change_profiles(lambda known: known.adding(service.profile("far")))
        yield service


def _stdin(monkeypatch: pytest.MonkeyPatch, text: str, *, terminal: bool = False) -> None:
    stream = io.StringIO(text)
    stream.isatty = lambda: terminal  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", stream)


# -- adding and changing ----------------------------------------------------------------------------------------------


def test_a_service_is_added_and_stays_read_only(run: Run) -> None:
    result = run("profiles", "add", "work", "--url", f"{_URL}/", "--key-env", "WORK_KEY")
    assert result.status == 0
    assert "'chartui profiles test work' tests the profile" in result.err
    assert load_profiles().get("work") == Profile(
        name="work",
        kind=ProfileKind.REMOTE,
        base_url=_URL,
        read_only=True,
        key=KeySource(SourceKind.ENV, ("WORK_KEY",)),
    )


def test_everything_can_be_said(run: Run, tmp_path: Path) -> None:
    words = (
        "--read-write --production --allow-act --color violet --theme lantern --screen requests --key-header X-Key "
        "--send-key-to-estimation --deadline 30 --connect-timeout 1.5 --read-timeout 4 --proxy http://proxy.example:1 "
        "--transfer-timeout 60 --answer-limit-mib 128 "
        f"--ca-file {tmp_path}/ca.pem --rate-card {tmp_path}/card.toml"
    )
    result = run("profiles", "add", "work", "--json", "--url", _URL, "--key-command", "pass show 'a b'", *words.split())
    assert result.status == 0
    profile = load_profiles().get("work")
    assert profile.key == KeySource(SourceKind.COMMAND, ("pass", "show", "a b"))
    assert (profile.read_only, profile.production, profile.allow_act, profile.color) == (False, True, True, Mark.VIOLET)
    assert (profile.theme, profile.screen, profile.deadline) == ("lantern", "requests", 30)
    assert (profile.transfer_timeout, profile.answer_limit_mib) == (60, 128)
    assert result.value["ca_file"] == str(tmp_path / "ca.pem")
    assert run("profiles", "show", "work", "--json").value == result.value
    shown = run("profiles", "show", "work").out
    assert "the command 'pass'" in shown
    assert "a b" not in shown


def test_a_dry_run_writes_nothing_and_asks_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    result = run("profiles", "add", "work", "--url", _URL, "--store-key", "--dry-run", "--json")
    assert (result.status, result.value["base_url"]) == (0, _URL)
    assert not profiles_path().exists()


@pytest.mark.parametrize("terminal", [False, True])
def test_a_key_is_put_into_a_private_file(terminal: bool, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _stdin(monkeypatch, f"{_KEY}\n", terminal=terminal)
    monkeypatch.setattr("getpass.getpass", lambda _: _KEY)
    result = run("profiles", "add", "work", "--url", _URL, "--store-key")
    assert result.status == 0
    path = key_path("work")
    assert path.read_text() == f"{_KEY}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert _KEY not in result.out + result.err + profiles_path().read_text()
    assert load_profiles().get("work").key == KeySource(SourceKind.FILE, (str(path),))

    gone = run("profiles", "remove", "work", "--dry-run")
    assert ("would be removed" in gone.err, path.exists()) == (True, True)
    assert run("profiles", "remove", "work", "--confirm", "work").status == 0
    assert not path.exists()
    assert "work" not in load_profiles().by_name


def test_no_key_means_no_profile(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _stdin(monkeypatch, "\n")
    result = run("profiles", "add", "work", "--url", _URL, "--store-key", "--json")
    assert (result.status, result.error["code"]) == (4, "no_key")
    assert not profiles_path().exists()


def test_a_key_that_others_keep_is_not_removed_with_the_profile(run: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text(_KEY)
    run("profiles", "add", "work", "--url", _URL, "--key-file", str(mine))
    assert run("profiles", "remove", "work", "--confirm", "work").status == 0
    assert mine.exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("add work", "required: --url"),
        ("add work --url service.example", "must start with https://"),
        (f"add demo --url {_URL}", "profile 'demo' already exists"),
        (f"add demo --url {_URL} --replace", "'demo' is built in"),
        (f"add work --url {_URL} --key-env A --key-ask", "not allowed with"),
        (f"add work --url {_URL} --key-env A --store-key", "--store-key works only with"),
        (f"add work --url {_URL} --key-env A-B", "needs a valid environment variable name"),
        (f"add work --url {_URL} --key-command 'x", "unclosed quotation mark"),
        (f"add work --url {_URL} --color pink", "Unknown value “pink”"),
        (f"add work --url {_URL} --theme ../x", "theme"),
        (f"add work --url {_URL} --deadline 0", "deadline"),
        ("set local --key-ask", "uses an embedded store"),
        ("set local --url https://x.example", "uses an embedded store"),
        ("set wrok --production", "Unknown profile “wrok”"),
        ("use wrok", "Unknown profile “wrok”"),
        ("remove demo", "built in and cannot be removed"),
        ("test wrok", "Unknown profile “wrok”"),
    ],
)
def test_what_cannot_be_is_told_and_changes_nothing(words: str, told: str, run: Run) -> None:
    result = run("profiles", *words.split())
    assert (result.status, result.out) == (2, "")
    assert told in result.err
    assert not profiles_path().exists()


def test_part_of_a_profile_is_changed(run: Run) -> None:
    run("profiles", "add", "work", "--url", _URL, "--key-ask", "--production")
    assert run("profiles", "set", "work", "--read-write", "--color", "blue", "--confirm", "work").status == 0
    assert run("profiles", "set", "local", "--no-read-write", "--screen", "characters").status == 0
    work, local = load_profiles().get("work"), load_profiles().get("local")
    assert (work.read_only, work.color, work.production, work.key) == (False, "blue", True, KeySource(SourceKind.ASK))
    assert (local.read_only, local.screen) == (True, "characters")
    listed = run("profiles", "list").out
    assert [line.split()[-1] for line in listed.splitlines()[1:]] == ["needed", "needed", "use"]
    assert "asks first" in listed


def test_a_profile_is_used_from_now_on(run: Run) -> None:
    assert run("profiles", "use", "local", "--json").value == {"default": "local"}
    assert [fact["name"] for fact in run("profiles", "list", "--json").value if fact["in_use"]] == ["local"]


# -- production -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("confirm", "status"), [(("--confirm", "local"), 0), ((), 2), (("--confirm", "demo"), 2)], ids=["", "none", "other"]
)
def test_production_needs_its_name(confirm: tuple[str, ...], status: int, run: Run) -> None:
    run("profiles", "set", "local", "--production")
    words = ("--profile", "local", "call", "create-character", "--data", '{"character_name": "x"}', "--yes", *confirm)
    result = run(*words, "--json")
    assert result.status == status
    if status:
        assert result.error["code"] == "unconfirmed"
        assert "Nothing was sent" in result.error["message"]
    listed = run("--profile", "local", "characters", "list", "--json").value
    assert len(listed["characters"] if isinstance(listed, dict) else listed) == (0 if status else 1)


@pytest.mark.parametrize(("typed", "status"), [("local\n", 0), ("locla\n", 2), ("", 2)])
def test_at_a_terminal_the_name_is_asked_for(
    typed: str, status: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("profiles", "set", "local", "--production")
    _stdin(monkeypatch, typed, terminal=True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert can_ask()
    result = run("--profile", "local", "call", "create-character", "--data", '{"character_name": "x"}', "--yes")
    assert result.status == status
    assert "type the profile's name to confirm" in result.err


# -- testing ----------------------------------------------------------------------------------------------------------


def _states(found: Any) -> dict[str, str]:
    return {entry["name"]: entry["state"] for entry in found["findings"]}


def test_what_works_is_found_out_without_a_change(run: Run, service: Service) -> None:
    before = service.path.read_bytes()
    result = run("profiles", "test", "far", "--json")
    states = _states(result.value)
    assert (result.status, result.err) == (0, "")
    assert {states[name] for name in ("service", "key", "tier", "estimation", "list-sections", "get-trigger")} == {"ok"}
    assert {states[name] for name in ("update-character", "delete-section", "get-response")} == {"not tried"}
    assert service.path.read_bytes() == before


def test_a_low_tier_is_told_and_is_no_failure(run: Run, service: Service) -> None:
    service.tier = Tier.FREE
    result = run("profiles", "test", "far", "--json")
    found = {entry["name"]: entry for entry in result.value["findings"]}
    assert (result.status, found["list-models"]["error"]) == (0, "tier")
    assert found["tier"]["message"].startswith("Free")
    assert "Needs the professional tier" in found["update-character"]["message"]


def test_a_refused_key_has_its_status(run: Run, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_TEST_KEY", _KEY)
    result = run("profiles", "test", "far")
    assert result.status == 4
    assert "rejected the API key" in result.out
    assert _KEY not in result.out + result.err
    monkeypatch.delenv("CHARTUI_TEST_KEY")
    missing = run("profiles", "test", "far", "--json")
    assert (missing.status, _states(missing.value)["key"]) == (4, "not tried")


def test_a_service_that_is_gone_has_its_status(run: Run, service: Service) -> None:
    service.stop()
    result = run("profiles", "test", "far", "--json")
    states = _states(result.value)
    assert (result.status, states["service"], states["key"]) == (3, "unreachable", "not tried")


def test_a_web_server_is_not_taken_for_the_service(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_TEST_KEY", _KEY)
    with stranger(tmp_path) as url:
        run("profiles", "add", "far", "--url", url, "--key-env", "CHARTUI_TEST_KEY")
        result = run("profiles", "test", "far", "--json")
    found = {entry["name"]: entry for entry in result.value["findings"]}
    assert (result.status, found["service"]["error"]) == (3, "unexpected")
    assert found["service"]["message"].startswith("The server does not behave like the service.")
    assert "try again" not in result.out


def test_a_store_is_tested_too(run: Run) -> None:
    result = run("profiles", "test", "demo")
    assert (result.status, "The embedded store answers." in result.out) == (0, True)
    assert run("profiles", "test", "--read-only", "--json").value["profile"] == "demo"


def test_a_broken_store_has_its_status(run: Run) -> None:
    run("--profile", "local", "characters", "list")
    path = store_path(load_profiles().get("local"))
    with closing(path.open("r+b")) as file:
        file.write(b"nonsense" * 512)
    assert run("profiles", "test", "local").status == 5


# -- as it is written -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("extra", [(), ("--json",)], ids=["text", "json"])
def test_a_profile_as_it_is_written(extra: tuple[str, ...], run: Run, golden: Callable[[str, str], None]) -> None:
    words = ("--url", _URL, "--key-env", "WORK_KEY", "--production", "--read-write", "--dry-run")
    result = run("profiles", "add", "work", *words, *extra)
    assert (result.status, result.err) == (0, "" if extra else "nothing was written\n")
    golden(f"profiles-add.{'json' if extra else 'txt'}", result.out)


@pytest.mark.parametrize("extra", [(), ("--json",)], ids=["text", "json"])
def test_findings_as_they_are_written(
    extra: tuple[str, ...], run: Run, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def probe(session: object) -> AsyncIterator[Finding]:
        yield Finding(name="service", state=State.OK, sentence="It answers.", milliseconds=12.34)
        yield Finding(name="key", state=State.REFUSED, sentence="No\x1b[2J.", kind=ErrorKind.BAD_KEY)
        yield Finding(name="options", state=State.OK, sentence="Every option", milliseconds=120.06, operation=True)
        yield Finding(name="get-response", state=State.NOT_TRIED, sentence="It costs credits.", operation=True)

    monkeypatch.setattr("chartui.core.probe.probe", probe)
    result = run("profiles", "test", *extra)
    assert (result.status, result.err) == (4, "")
    golden(f"profiles-test.{'json' if extra else 'txt'}", result.out)


def test_read_only_after_a_profile_makes_it_read_only(run: Run) -> None:
    run("profiles", "add", "work", "--url", _URL, "--read-write")
    run("profiles", "set", "work", "--read-only")
    run("profiles", "set", "local", "--read-only", "--color", "blue")
    for name in ("work", "local"):
        assert run("profiles", "show", name, "--json").value["read_only"] is True
