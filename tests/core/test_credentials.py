"""Keys: where they come from, and that they are seen nowhere."""

from __future__ import annotations

import copy
import logging
import os
import pickle
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from chartui.core import credentials
from chartui.core.credentials import Key, KeySource, SourceKind, resolve
from chartui.core.spec.errors import ErrorKind, ServiceError
from tests.faults.client import KEY, call
from tests.faults.server import Fault, FaultServer, closes, cut, drip, flood, raw, reply, resets, silence, unused_port

_ENV = KeySource(SourceKind.ENV, ("WORK_KEY",))


def _refused(source: KeySource | None, environ: Mapping[str, str] | None = None, **hooks: Any) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        resolve(source, profile="work", environ=environ or {}, **hooks)
    assert caught.value.sent == "no"
    return caught.value


# -- the value --------------------------------------------------------------------------------------------------------


def test_a_key_shows_nothing() -> None:
    key = Key(f"  {KEY}\n")
    assert key.reveal() == KEY
    assert {repr(key), str(key), f"{key}", f"{key:>8}"} == {"Key(…)", "  Key(…)"}
    assert KEY not in repr([key, {"key": key}])
    assert not hasattr(key, "__dict__")


@pytest.mark.parametrize("keep", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_key_is_not_copied_out(keep: Any) -> None:
    with pytest.raises(TypeError):
        keep(Key(KEY))


def test_a_key_is_taken_out_of_a_text() -> None:
    assert Key(KEY).redact(f"bad {KEY}, {KEY}!") == "bad [key], [key]!"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        ("two words", "spaces or control characters"),
        ("line\nline", "spaces or control characters"),
        ("nul\0nul", "spaces or control characters"),
        ("clé", "non-ASCII characters"),
        ("x" * 1_000_000, "longer than 4096 characters"),
    ],
)
def test_what_no_header_can_carry_is_refused(text: str, told: str) -> None:
    with pytest.raises(ServiceError) as caught:
        Key(text)
    assert (caught.value.kind, caught.value.sent) == (ErrorKind.BAD_KEY, "no")
    assert told in str(caught.value)


@pytest.mark.parametrize("bad", ["two words", "clé", "x" * 5000])
def test_a_refused_key_is_in_no_report(bad: str, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(bad)
    path.chmod(0o600)
    command = (sys.executable, "-c", f"print(open({str(path)!r}).read())")
    sources = [KeySource(SourceKind.FILE, (str(path),)), KeySource(SourceKind.COMMAND, command)]
    for source in sources:
        report = _report(_refused(source))
        assert bad not in report
        assert bad.encode().hex() not in report


def _report(error: BaseException) -> str:
    """What a crash report with local variables would show of the program's own frames."""
    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    shown.stack = traceback.StackSummary.from_list([frame for frame in shown.stack if "tests" not in frame.filename])
    text = "".join(shown.format())
    for chained in (error.__cause__, error.__context__):
        text += _report(chained) if chained is not None else ""
    return text + repr(error) + str(error.args)


# -- the sources ------------------------------------------------------------------------------------------------------


def test_without_a_source_the_general_variable_serves() -> None:
    assert resolve(None, profile="work", environ={"CHARTUI_API_KEY": KEY}).reveal() == KEY
    error = _refused(None)
    assert error.kind is ErrorKind.NO_KEY
    assert "CHARTUI_API_KEY" in str(error)
    assert "'work'" in str(error)


def test_a_profile_with_a_source_never_takes_the_general_variable() -> None:
    assert resolve(_ENV, profile="work", environ={"WORK_KEY": KEY, "CHARTUI_API_KEY": "x"}).reveal() == KEY
    error = _refused(_ENV, {"CHARTUI_API_KEY": "x", "WORK_KEY": " "})
    assert error.kind is ErrorKind.NO_KEY
    assert "WORK_KEY" in str(error)


def test_a_private_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(KEY + "\n")
    for mode in (0o600, 0o400):
        path.chmod(mode)
        assert resolve(KeySource(SourceKind.FILE, (str(path),)), profile="work").reveal() == KEY


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o602, 0o610])
def test_a_file_that_others_can_touch_is_refused_with_the_cure(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(KEY)
    path.chmod(mode)
    error = _refused(KeySource(SourceKind.FILE, (str(path),)))
    assert error.kind is ErrorKind.UNSAFE
    assert f"chmod 600 {path}" in str(error)


def test_a_file_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "key"
    path.write_text(KEY)
    path.chmod(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    error = _refused(KeySource(SourceKind.FILE, (str(path),)))
    assert error.kind is ErrorKind.UNSAFE
    assert "belongs to another user" in str(error)


def test_links_pipes_and_folders_are_refused(tmp_path: Path) -> None:
    real, link, pipe = tmp_path / "real", tmp_path / "link", tmp_path / "pipe"
    real.write_text(KEY)
    real.chmod(0o600)
    link.symlink_to(real)
    os.mkfifo(pipe, 0o600)
    told = {"link": "symbolic link", "pipe": "not a regular file", "": "not a regular file"}
    for name, words in told.items():
        error = _refused(KeySource(SourceKind.FILE, (str(tmp_path / name),)))
        assert error.kind is ErrorKind.UNSAFE
        assert words in str(error)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    error = _refused(KeySource(SourceKind.FILE, (str(tmp_path / "none"),)))
    assert error.kind is ErrorKind.NO_KEY
    assert str(tmp_path / "none") in str(error)


def _command(code: str) -> KeySource:
    return KeySource(SourceKind.COMMAND, (sys.executable, "-c", code))


def test_a_command_writes_the_key() -> None:
    assert resolve(_command(f"print({KEY!r})"), profile="work").reveal() == KEY


def test_a_command_that_fails_is_told_without_what_it_wrote() -> None:
    error = _refused(_command(f"import sys; print({KEY!r}); sys.exit({KEY!r})"))
    assert error.kind is ErrorKind.NO_KEY
    assert "exited with status 1" in str(error)
    assert KEY not in str(error)
    error = _refused(KeySource(SourceKind.COMMAND, ("no-such-program-here",)))
    assert (error.kind, "cannot be run" in str(error)) == (ErrorKind.NO_KEY, True)


def test_a_command_that_writes_for_ever_is_stopped() -> None:
    error = _refused(_command("while True: print('x' * 1000)"))
    assert error.kind is ErrorKind.BAD_KEY


def test_a_command_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials, "COMMAND_TIMEOUT", 0.1)
    error = _refused(_command("input() if False else __import__('threading').Event().wait()"))
    assert error.kind is ErrorKind.NO_KEY


def test_a_command_cannot_read_the_terminal() -> None:
    error = _refused(_command("import sys; print(sys.stdin.read())"))
    assert (error.kind, "is empty" in str(error)) == (ErrorKind.BAD_KEY, True)


def test_the_user_is_asked() -> None:
    asked: list[str] = []

    def answer(what: str) -> str:
        asked.append(what)
        return KEY

    assert resolve(KeySource(SourceKind.ASK), answer, profile="work").reveal() == KEY
    assert asked == ["API key for profile 'work'"]
    assert _refused(KeySource(SourceKind.ASK)).kind is ErrorKind.NO_KEY
    assert _refused(KeySource(SourceKind.ASK), ask=lambda _: "").kind is ErrorKind.NO_KEY


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
    """A keyring of the test's own."""
    ring: dict[tuple[str, str], str] = {}
    module: Any = ModuleType("keyring")
    module.errors = ModuleType("keyring.errors")
    module.errors.KeyringError = type("KeyringError", (Exception,), {})

    def get_password(service: str, name: str) -> str | None:
        if (service, name) == ("chartui", "locked"):
            raise module.errors.KeyringError("no back end: " + KEY)
        return ring.get((service, name))

    module.get_password = get_password
    monkeypatch.setitem(sys.modules, "keyring", module)
    return ring


def test_the_key_ring_is_asked(keyring: dict[tuple[str, str], str]) -> None:
    keyring["chartui", "work"] = KEY
    assert resolve(KeySource(SourceKind.KEYRING), profile="work").reveal() == KEY
    for profile, told in (("other", "keyring set chartui other"), ("locked", "cannot be read (KeyringError)")):
        with pytest.raises(ServiceError) as caught:
            resolve(KeySource(SourceKind.KEYRING), profile=profile)
        assert caught.value.kind is ErrorKind.NO_KEY
        assert told in str(caught.value)
        assert KEY not in str(caught.value)


def test_without_the_package_the_key_ring_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    error = _refused(KeySource(SourceKind.KEYRING))
    assert (error.kind, "pip install keyring" in str(error)) == (ErrorKind.NO_KEY, True)


def test_sources_describe_themselves() -> None:
    sources = [
        _ENV,
        KeySource(SourceKind.COMMAND, ("pass", "show", "x")),
        KeySource(SourceKind.FILE, ("/k",)),
        KeySource(SourceKind.KEYRING),
        KeySource(SourceKind.ASK),
    ]
    assert [source.describe() for source in sources] == [
        "the environment variable WORK_KEY",
        "the command 'pass'",
        "the file /k",
        "the system's keyring",
        "a prompt at first use",
    ]


# -- a key on its way -------------------------------------------------------------------------------------------------

_FAULTS: dict[str, Fault] = {
    "silence": silence,
    "cut": cut(),
    "reset": resets,
    "closed": closes,
    "drip": drip,
    "flood": flood(1 << 26),
    "compressed": reply(200, b"x", Content_Encoding="gzip"),
    "redirect": reply(302, Location="https://other.example/"),
    "not HTTP": raw(b"SSH-2.0\r\n\r\n"),
    "not JSON": reply(200, f"{{{KEY}"),
    "misfit": reply(200, '{"characters": 1}'),
    "web page": reply(200, "<html></html>"),
    **{str(status): reply(status, f'{{"ERROR": "no: {KEY}"}}') for status in (200, 400, 401, 403, 404, 429, 500, 503)},
}
#: These answers never end; the others need no limits, which a busy machine could exceed before it connects.
_ENDLESS = ("silence", "drip", "flood")
_LIMITS: dict[str, Any] = {"read_timeout": 0.2, "deadline": 2.0, "transfer_timeout": 2.0}


@pytest.mark.anyio
@pytest.mark.parametrize("fault", _FAULTS)
async def test_no_failure_shows_the_key(fault: str, caplog: pytest.LogCaptureFixture) -> None:
    limits: dict[str, Any] = _LIMITS if fault in _ENDLESS else {}
    with caplog.at_level(logging.DEBUG):
        async with FaultServer(_FAULTS[fault]) as server:
            outcome = await call(server.base_url, "list-characters", **limits)
    assert server.seen[0].headers["service-api-key"] == KEY
    assert KEY not in _report(outcome.error)
    assert KEY not in _log(caplog)


@pytest.mark.anyio
@pytest.mark.parametrize("url", ["http://localhost:{}", "https://localhost:{}"])
async def test_no_failure_to_connect_shows_the_key(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        outcome = await call(url.format(unused_port()), "list-characters")
    assert KEY not in _report(outcome.error)
    assert KEY not in _log(caplog)


@pytest.mark.anyio
async def test_no_success_shows_the_key(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        async with FaultServer(reply(200, '{"characters": []}')) as server:
            outcome = await call(server.base_url, "list-characters")
    assert KEY not in repr(outcome)
    assert KEY not in _log(caplog)


def _log(caplog: pytest.LogCaptureFixture) -> str:
    assert any(record.name.startswith("httpcore") for record in caplog.records)
    return "".join(record.getMessage() + repr(record.args) for record in caplog.records)
