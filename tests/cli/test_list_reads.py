"""A command that changes a service reads each list once before and once after; one that the lock refuses reads none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from chartui.core.profiles import profiles_path
from chartui.core.spec.operation import Tier
from chartui.core.spec.operations import KEY_HEADER
from tests.cli.conftest import Run
from tests.tui.serving import Service, serving

CHARACTERS = "/character/list"
SECTIONS = "/character/narrative/list-sections"
TRIGGERS = "/character/narrative/list-triggers"
UPDATE = "/character/update"
SET = ("characters", "set", "--all", "--temperature", "0.17", "--yes")


@pytest.fixture
def service(own_folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with serving(tmp_path) as running:
        monkeypatch.setenv("FAR_KEY", running.key)
        profiles_path().parent.mkdir(parents=True, exist_ok=True)
        profiles_path().write_text(
            'format = "chartui-profiles"\nversion = 1\ndefault = "far"\n'
            f'[profiles.far]\nbase_url = "{running.url}"\nkey = {{ env = "FAR_KEY" }}\nread_only = false\n'
        )
        yield running


@pytest.fixture
def reads(service: Service, run: Run) -> Callable[..., Counter[str]]:
    """Runs a command, which must succeed, and gives what it read, by path."""

    def reads(*words: str, status: int = 0) -> Counter[str]:
        before = Counter(service.asked)
        result = run(*words)
        assert result.status == status, result.err
        asked = service.asked - before
        return Counter(
            {path: asked[path] for path in asked if path == CHARACTERS or "list-" in path or "/get-" in path}
        )

    return reads


@pytest.fixture
def elena(service: Service, run: Run) -> str:
    records = run("characters", "list", "--json").value
    return next(str(one["character_id"]) for one in records["characters"] if one["character_name"] == "Elena Marsh")


def test_settings_and_their_undo(reads: Callable[..., Counter[str]], elena: str) -> None:
    assert reads("characters", "set", elena, "--temperature", "0.15", "--yes") == {CHARACTERS: 2}
    assert reads(*SET) == {CHARACTERS: 2}
    assert reads("undo", "--yes") == {CHARACTERS: 2}


def test_a_graph_switched_off(reads: Callable[..., Counter[str]], elena: str) -> None:
    assert reads("narrative", "disable", elena, "--yes")[CHARACTERS] == 2


def test_a_push_of_many_sections_asks_for_none_by_itself(
    reads: Callable[..., Counter[str]], elena: str, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "elena.toml"
    text = re.sub(r'objective = ("""\n|")', r"objective = \1Now: ", run("pull", elena).out)
    path.write_text(text.replace("= 0.6", "= 0.33"))
    each = {CHARACTERS: 2, SECTIONS: 2, TRIGGERS: 2}
    assert reads("push", str(path), elena, "--yes") == each
    assert reads("push", str(path), elena, "--yes") == dict.fromkeys(each, 1)  # nothing to send: what was read holds


def test_a_plan_that_goes_on_reads_anew(service: Service, run: Run, reads: Callable[..., Counter[str]]) -> None:
    def refuse(path: str) -> None:
        service.tier = Tier.FREE if path == UPDATE and service.asked[UPDATE] == 3 else Tier.PROFESSIONAL

    service.on_request = refuse
    stopped = run(*SET, "--json")
    assert stopped.status == 4
    assert reads("plans", "resume", stopped.value["plan_id"], "--yes") == {CHARACTERS: 2}


def test_an_answer_that_took_long_is_followed_by_another_read(
    run: Run, elena: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another program changed while the question stood open is a conflict, and not written over."""
    now = [0.0]

    def asked(question: str) -> str:
        now[0] += 45
        change = {"charID": elena, "temperature": 0.2}
        httpx.post(service.url + UPDATE, json=change, headers={KEY_HEADER: service.key}).raise_for_status()
        return "y" if "Apply 1 step" in question else ""

    monkeypatch.setattr("chartui.cli.run_plan.monotonic", lambda: now[0])
    monkeypatch.setattr("chartui.cli.run_plan.can_ask", lambda: True)
    monkeypatch.setattr("chartui.cli.run_plan.asked", asked)
    result = run("characters", "set", elena, "--temperature", "0.9")
    assert result.status == 3
    assert "The values were read again because the review was open for 45 s." in result.err
    assert "temperature is now 0.2" in result.err


@pytest.mark.parametrize("lock", ["flag", "environment", "profile"])
@pytest.mark.parametrize(
    "words", ["characters set --all --temperature 0.4", "undo", "narrative disable {elena}", "push {file} {elena}"]
)
def test_what_the_lock_refuses_reads_nothing(
    lock: str, words: str, service: Service, run: Run, elena: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "elena.toml"
    path.write_text(run("pull", elena).out)
    run("characters", "set", elena, "--temperature", "0.15", "--yes")
    if lock == "environment":
        monkeypatch.setenv("CHARTUI_READ_ONLY", "1")
    if lock == "profile":
        text = profiles_path().read_text()
        profiles_path().write_text(text.replace("read_only = false", "read_only = true"))
    before = Counter(service.asked)
    flag = ("--read-only",) if lock == "flag" else ()
    result = run(*flag, *words.format(elena=elena, file=path).split(), "--yes", "--json")
    assert (result.status, result.error["code"]) == (2, "read_only")
    assert service.asked == before
