"""The program as a process of its own: pipes, signals, what it imports, and the terminal it asks for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from chartui.cli.parser import SCREENS
from chartui.core.bookmark import View
from chartui.core.jsontext import loads
from tests.served import PROGRAM, serving

from .conftest import Run

#: Prints the modules that are there at the end, after the command's own output.
WATCHED = """
import sys
from chartui.main import main
status = main(sys.argv[1:])
print("\\n" + " ".join(sys.modules))
sys.exit(status)
"""
FORBIDDEN = {"textual", "rich", "httpx", "pydantic", "uvicorn", "sqlite3"}


def finished(*words: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *words], capture_output=True, text=True, timeout=60, check=False, **settings)


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        ["estimate"],
        ["estimate", "--json", "--llm", "mdla_4o"],
        ["estimate", "--help"],
        ["options"],
        ["profiles", "list"],
    ],
    ids=" ".join,
)
def test_a_command_imports_only_what_it_needs(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    modules = set(done.stdout.splitlines()[-1].split())
    assert "chartui.main" in modules
    assert modules & FORBIDDEN == set()


@pytest.mark.parametrize("words", [["options"], ["--help"], ["completion", "bash"], ["options", "--json"]])
def test_a_closed_pipe_ends_the_program_quietly(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*PROGRAM, *words], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_pipe_through_head(tmp_path: Path) -> None:
    line = f'"{sys.executable}" -c "import sys; from chartui.main import main; sys.exit(main())" options | head -1'
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("Models\n", "")


@pytest.mark.parametrize(
    ("closed", "written"), [("<&-", True), ("2>&-", True), (">&-", False), ("<&- >&- 2>&-", False)]
)
def test_closed_streams_are_no_crash(closed: str, written: bool) -> None:
    line = f'"{sys.executable}" -c "import sys; from chartui.main import main; sys.exit(main())" estimate {closed}'
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert ("credits per interaction" in done.stdout) is written


def test_a_full_disk_is_told() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*PROGRAM, "options"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 5
    assert done.stderr == "chartui: writing to standard output failed: No space left on device\n"


@pytest.mark.parametrize("words", [[], ["demo"]])
def test_without_a_terminal_the_framework_is_not_even_imported(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *words], input="", capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "textual" not in done.stdout
    assert done.stderr.count("\n") == 1


def pretend_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


def test_the_terminal_ui_gets_what_was_asked_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_a_terminal(monkeypatch)
    seen: dict[str, Any] = {}

    def run_tui(**settings: Any) -> int:
        seen.update(settings, fps=os.environ["TEXTUAL_FPS"], animations=os.environ["TEXTUAL_ANIMATIONS"])
        return 7

    module = ModuleType("chartui.tui.run")
    vars(module).update(run_tui=run_tui)
    monkeypatch.setitem(sys.modules, "chartui.tui.run", module)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "full")
    monkeypatch.setenv("TEXTUAL_FPS", "0")  # so that what the program sets is undone after the test
    monkeypatch.delenv("TEXTUAL_FPS")
    words = "--profile local --read-only demo --theme lantern --screen narrative --character c1"
    words += " --section Hall --tab lint --fresh --ascii --plain --finding dead-end"
    words += " --filter x --fuzzy --sort name --reverse"
    assert run(*words.split()).status == 7
    assert seen == {
        "profile": "local",
        "read_only": True,
        "theme": "lantern",
        "view": View(
            screen="narrative",
            tab="lint",
            character="c1",
            section="Hall",
            finding="dead-end",
            filter="x",
            fuzzy=True,
            sort="name",
            reverse=True,
        ),
        "fresh": True,
        "demo": True,
        "ascii": True,
        "plain": True,
        "fps": "240",
        "animations": "full",
    }


@pytest.mark.parametrize("words", ["--theme nothing-like-it", "--profile nobody"])
def test_the_terminal_ui_refuses_what_is_not_there(words: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_a_terminal(monkeypatch)
    for name in ("TEXTUAL_FPS", "TEXTUAL_ANIMATIONS"):
        monkeypatch.setenv(name, "0")
    result = run(*words.split())
    assert (result.status, result.out) == (2, "")
    assert words.split()[1] in result.err


def test_the_screens_are_those_that_there_are() -> None:
    from chartui.commands import SCREENS as COMMANDS

    assert [command.id.removeprefix("show-") for command in COMMANDS] == list(SCREENS)


# -- serve ------------------------------------------------------------------------------------------------------------


def asked(base_url: str, path: str, key: str | None = None, body: dict[str, Any] | None = None) -> tuple[int, Any]:
    headers = {"SERVICE-API-KEY": key} if key else {}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base_url + path, headers=headers, data=data)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=120) as response:
            return response.status, loads(response.read())
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, loads(text) if text.startswith(b"{") else text.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_says_where_it_is_and_stops_at_a_signal(number: signal.Signals) -> None:
    with serving("--demo") as (process, start):
        assert [account["tier"] for account in start["accounts"]] == ["free", "professional", "enterprise"]
        own: list[set[str]] = []
        for account in start["accounts"]:
            status, answer = asked(start["base_url"], "/character/list", account["key"], {})
            assert status == 200
            own.append({character["character_id"] for character in answer["characters"]})
        assert len(own[0]) >= 12
        assert not own[0] & own[1]
        assert not own[1] & own[2]
        process.send_signal(number)
        _, narration = process.communicate(timeout=120)
        assert process.returncode == 128 + number
        assert "POST /character/list 200" in narration
        assert all(account["key"] not in narration for account in start["accounts"])


def test_what_is_served_is_what_the_command_line_says() -> None:
    with serving("--demo") as (_, start):
        served = asked(start["base_url"], "/api/v1/estimate?llm=mdla_4o")[1]
        assert served == loads(finished("estimate", "--llm", "mdla_4o", "--json").stdout)


def test_a_locked_server_reads_only() -> None:
    with serving("--demo", "--read-only") as (_, start):
        key = start["accounts"][2]["key"]
        status, answer = asked(start["base_url"], "/character/list", key, {})
        character = answer["characters"][0]
        assert status == 200
        toggle = {"character_id": character["character_id"], "is_narrative_driven": False}
        status, refusal = asked(start["base_url"], "/character/toggle-is-narrative-driven", key, toggle)
        assert (status, refusal) == (403, {"ERROR": "This server is read-only; nothing was changed."})
        assert asked(start["base_url"], "/character/list", key, {})[1] == answer


def test_ones_own_store_is_served_without_showing_keys() -> None:
    key = loads(finished("store", "accounts", "--add", "professional", "--json").stdout)["key"]
    with serving("--key-header", "X-Own-Key") as (_, start):
        assert [set(account) for account in start["accounts"]] == [{"tier", "user_id"}]
        assert asked(start["base_url"], "/character/list", key, {}) == (200, {"characters": []})
        assert asked(start["base_url"], "/character/list", "wrong", {}) == (401, "The API key is not valid.")


def test_a_store_without_accounts_is_not_served() -> None:
    done = finished("serve", "--port", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "chartui store accounts --new-key local" in done.stderr


def test_a_port_that_is_taken_is_told() -> None:
    with serving("--demo") as (_, start):
        done = finished("serve", "--demo", "--port", start["base_url"].rpartition(":")[2])
        assert (done.returncode, done.stdout) == (2, "")
        assert "Address already in use" in done.stderr


def test_a_rate_card_that_is_none_is_told_before_listening(tmp_path: Path) -> None:
    (tmp_path / "card.toml").write_text("no = 'card'")
    done = finished("serve", "--demo", "--port", "0", "--rate-card", str(tmp_path / "card.toml"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "card.toml" in done.stderr


def test_an_interrupt_during_the_first_imports_leaves_no_traceback() -> None:
    code = """if True:
        import sys
        class Interrupted:
            def find_spec(self, name, path=None, target=None):
                if name == "chartui.cli.parser":
                    raise KeyboardInterrupt
        sys.meta_path.insert(0, Interrupted())
        import chartui.main
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (130, "")
