"""Exit statuses, and what is said when something fails."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from chartui.core.spec.errors import ErrorKind, ServiceError

from .conftest import Run, Scripted

CANARY = "canary-key-3141592653"

STATUSES = {
    ErrorKind.NO_KEY: 4,
    ErrorKind.BAD_KEY: 4,
    ErrorKind.TIER: 4,
    ErrorKind.INVALID: 3,
    ErrorKind.NOT_FOUND: 3,
    ErrorKind.CONFLICT: 3,
    ErrorKind.TOO_LARGE: 3,
    ErrorKind.INTERNAL: 3,
    ErrorKind.RATE_LIMITED: 3,
    ErrorKind.REFUSED: 3,
    ErrorKind.UNREACHABLE: 3,
    ErrorKind.TIMEOUT: 3,
    ErrorKind.UNEXPECTED: 3,
    ErrorKind.READ_ONLY: 2,
    ErrorKind.UNCONFIRMED: 2,
    ErrorKind.NOT_AVAILABLE: 2,
    ErrorKind.UNSAFE: 2,
    ErrorKind.BUSY: 5,
    ErrorKind.BROKEN: 5,
}


@pytest.mark.parametrize("kind", ErrorKind)
def test_every_kind_of_failure_has_its_status(kind: ErrorKind, run: Run, scripted: Callable[..., Scripted]) -> None:
    scripted(options=ServiceError(kind, "Because\x1b[2J."))
    result = run("options")
    assert (result.status, result.out) == (STATUSES[kind], "")
    assert result.err == "chartui: Because␛[2J.\n"


@pytest.mark.parametrize("kind", ErrorKind)
def test_a_failure_as_json_is_one_object_on_standard_error(
    kind: ErrorKind, run: Run, scripted: Callable[..., Scripted]
) -> None:
    scripted(options=ServiceError(kind, "Because\x9b2J.", status=418))
    result = run("--json", "options")
    assert (result.status, result.out) == (STATUSES[kind], "")
    assert result.error == {
        "code": kind.value,
        "message": "Because\x9b2J.",
        "status": 418,
        "retryable": kind in {ErrorKind.UNREACHABLE, ErrorKind.TIMEOUT, ErrorKind.RATE_LIMITED, ErrorKind.BUSY},
    }
    assert "\x9b" not in result.err


def test_what_may_have_been_done_is_not_called_retryable(run: Run, scripted: Callable[..., Scripted]) -> None:
    scripted(create_section=ServiceError(ErrorKind.TIMEOUT, "No answer.", sent="unclear"))
    assert run("call", "create-section", "--yes", "--json").error["retryable"] is False


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["estimat"], "Unknown command “estimat”. Did you mean “estimate”?"),
        (["profiles", "set", "work", "--read-timeout", "abc"], "abc is not a number (seconds, such as 10 or 2.5)"),
        (["profiles", "set", "work", "--deadline", "1,5"], "1,5 is not a number; use a decimal point, not a comma"),
        (["estimate", "--nonsense"], "Unknown option “--nonsense”."),
        (["estimate", "--input-tokens", "1_000"], "1_000 is not a number (a number such as 8 or 2.5, or a range"),
        (["estimate", "--input-tokens", "NaN"], "NaN is not a number (a number such as 8"),
        (["estimate", "--mem"], "Unknown option “--mem”. Did you mean “--memory”?"),
        (["characters"], "required: COMMAND"),
        (["characters", "show"], "required: CHARACTER"),
        (["call"], "required: OPERATION"),
        (["--theme", "x", "estimate"], "--theme works only in the terminal UI"),
        (["--screen", "estimator", "estimate"], "--screen works only in the terminal UI"),
        (["--json"], "--json needs a command"),
        (["--json", "demo"], "--json needs a command"),
        (["--profile", "nobody", "estimate"], "Unknown profile “nobody”"),
        (["estimate", "--rate-card", "/nowhere/card.toml"], "/nowhere/card.toml cannot be read"),
        (["estimate", "\x1b]0;title\x07"], "␛]0;title␇"),
    ],
)
def test_a_mistake_in_the_command_is_told(words: list[str], said: str, run: Run) -> None:
    result = run(*words)
    assert (result.status, result.out) == (2, "")
    assert said in (result.error["message"] if "--json" in words else result.err)
    assert result.err.count("\n") == 1


def test_a_broken_profile_file_is_told(run: Run, own_folders: Path) -> None:
    (own_folders / "config").mkdir()
    (own_folders / "config" / "profiles.toml").write_text("default = 1")
    result = run("--json", "profiles", "list")
    assert (result.status, result.error["code"]) == (2, "configuration")


@pytest.mark.parametrize("words", [[], ["demo"], ["--theme", "lantern"], ["--profile", "local"]])
def test_the_terminal_ui_needs_a_terminal(words: list[str], run: Run) -> None:
    result = run(*words)
    assert (result.status, result.out) == (2, "")
    assert "needs a terminal" in result.err
    named = "--profile local " if "--profile" in words else ""
    assert f"'chartui {named}characters list'" in result.err


def test_a_crash_is_short_and_its_report_private(
    run: Run, scripted: Callable[..., Scripted], own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHARTUI_API_KEY", CANARY)
    scripted(options=RuntimeError(f"header {CANARY} is not allowed"))
    result = run("options")
    assert (result.status, result.out) == (70, "")
    assert result.err.startswith("chartui: internal error (RuntimeError); report written to ")
    [report] = (own_folders / "data" / "logs").iterdir()
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    text = report.read_text()
    assert "RuntimeError: header [key] is not allowed" in text
    assert "raise answer" in text


def test_a_crash_without_a_place_for_its_report_is_told(
    run: Run, scripted: Callable[..., Scripted], own_folders: Path
) -> None:
    (own_folders / "data").write_text("in the way")
    scripted(options=RuntimeError("x"))
    result = run("options", "--json")
    assert (result.status, result.error["code"]) == (70, "crash")
    assert "no report could be written" in result.error["message"]


def test_an_interrupt_ends_with_its_signal(run: Run, scripted: Callable[..., Scripted]) -> None:
    scripted(options=KeyboardInterrupt())
    result = run("options")
    assert (result.status, result.out, result.err) == (130, "", "")


@pytest.mark.parametrize("command", ["options", "estimate", "doctor", "call list-characters", "characters list"])
def test_the_key_is_nowhere(command: str, run: Run, own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile whose service cannot be reached: every failure on the way is told without the key."""
    (own_folders / "config").mkdir()
    (own_folders / "config" / "profiles.toml").write_text(
        'format = "chartui-profiles"\nversion = 1\n'
        '[profiles.work]\nbase_url = "http://127.0.0.1:9"\nkey = { env = "WORK_KEY" }\nread_only = false\n'
    )
    monkeypatch.setenv("WORK_KEY", CANARY)
    for words in (command.split(), [*command.split(), "--json"]):
        result = run("--profile", "work", *words)
        assert result.status == (1 if command == "doctor" else 3)
        assert CANARY not in result.out + result.err
    assert not any(CANARY in path.read_text() for path in own_folders.rglob("*") if path.is_file())
