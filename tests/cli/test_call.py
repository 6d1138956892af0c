"""``chartui call``: any row, and the locks in front of it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from chartui.core.spec.operation import Effect
from chartui.core.spec.operations import OPERATIONS

from .conftest import Run

CHANGING = [row.name for row in OPERATIONS.values() if row.effect is not Effect.READ]
LOCAL = [row.name for row in OPERATIONS.values() if row.path is None]


@pytest.fixture
def remote_profile(own_folders: Path) -> str:
    """A profile whose service does not exist: only what is refused before sending is refused otherwise."""
    (own_folders / "config").mkdir()
    (own_folders / "config" / "profiles.toml").write_text(
        'format = "chartui-profiles"\nversion = 1\n'
        '[profiles.far]\nbase_url = "http://127.0.0.1:9"\nkey = { env = "FAR_KEY" }\nread_only = false\n'
        "[profiles.locked]\nbase_url = 'http://127.0.0.1:9'\n"
    )
    return "far"


@pytest.mark.parametrize("operation", CHANGING)
@pytest.mark.parametrize("where", ["before", "after", "environment"])
def test_read_only_refuses_everything_that_changes(
    operation: str, where: str, run: Run, own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["call", operation, "--json"]
    if where == "environment":
        monkeypatch.setenv("CHARTUI_READ_ONLY", "1")
    else:
        words.insert(0 if where == "before" else len(words), "--read-only")
    result = run("--profile", "local", *words)
    assert (result.status, result.out, result.error["code"]) == (2, "", "read_only")
    assert not (own_folders / "data").exists()


@pytest.mark.parametrize("operation", CHANGING)
def test_a_profile_is_read_only_until_it_says_otherwise(operation: str, run: Run, remote_profile: str) -> None:
    result = run("--profile", "locked", "call", operation, "--json")
    assert (result.status, result.error["code"]) == (2, "read_only")


def test_read_only_lets_reads_through(run: Run) -> None:
    assert run("--read-only", "call", "list-characters").value["characters"]


@pytest.mark.parametrize("operation", LOCAL)
def test_what_only_a_store_can_do_is_not_sent(operation: str, run: Run, remote_profile: str) -> None:
    result = run("--profile", remote_profile, "call", operation, "--json")
    assert (result.status, result.out, result.error["code"]) == (2, "", "not_available")


def test_a_change_and_its_reading(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The payload as a word, from standard input and from a file."""
    made = run("--profile", "local", "call", "create-character", "--yes", "--data", '{"character_name": "Ada"}')
    character = made.value["character_id"]
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(f'{{"charID": "{character}", "character_name": "Ádá"}}'.encode()))
    )
    assert run("--profile", "local", "call", "rename-character", "--yes", "--data", "-").status == 0
    payload = tmp_path / "payload.json"
    payload.write_text(f'{{"charID": "{character}"}}')
    record = run("--profile", "local", "call", "get-character", "--data", f"@{payload}").value
    assert record["character_name"] == "Ádá"


def test_a_part_of_an_answer_is_written_and_only_of_what_reads(run: Run) -> None:
    first, *others = run("call", "list-characters").value["characters"]
    assert run("call", "list-characters", "--at", "/characters/0").value == first
    gone = ("delete-character", "--yes", "--data", f'{{"charID": "{first["character_id"]}"}}')
    result = run("call", *gone, "--at", "/STATUS", "--json")
    assert (result.status, result.out, result.error["code"]) == (2, "", "usage")
    assert (
        "--at cannot be used with delete-character, because this operation does not read data"
        in result.error["message"]
    )
    assert run("call", "list-characters").value["characters"] == [first, *others]


def test_an_unknown_operation_is_told_with_the_nearest(run: Run) -> None:
    result = run("call", "list-character")
    assert (result.status, result.out) == (2, "")
    assert "Did you mean “list-characters”?" in result.err
    assert "'chartui call --help' lists all operations" in result.err


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{", "not JSON"),
        ("[]", "must be a JSON object"),
        ("null", "must be a JSON object"),
        ('{"a": NaN}', "not JSON"),
        ("@/nowhere/x.json", "/nowhere/x.json cannot be read"),
    ],
)
def test_a_payload_that_is_none_is_refused(data: str, said: str, run: Run) -> None:
    result = run("call", "estimate", "--data", data)
    assert (result.status, result.out) == (2, "")
    assert said in result.err


def test_a_payload_of_the_wrong_shape_is_refused_by_the_service(run: Run) -> None:
    result = run("call", "estimate", "--data", '{"selection": {}}', "--json")
    assert (result.status, result.error["code"]) == (3, "invalid")
    assert "selections" in result.error["message"]


def test_the_help_lists_the_operations(run: Run) -> None:
    help_text = run("call", "--help").out
    assert all(name in help_text for name in OPERATIONS)
