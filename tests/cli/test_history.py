"""``chartui history`` and ``chartui undo``: what was done, what stands, and what is taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from chartui.core.backends.base import Context
from chartui.core.journal import Outcome
from chartui.core.jsontext import dumps
from chartui.core.profiles import BUILT_IN
from chartui.core.session import open_session

from .conftest import Run

pytestmark = pytest.mark.usefixtures("repeatable")

DEMO = BUILT_IN["demo"]


def settings_of(run: Run, character_id: str) -> dict[str, Any]:
    found: dict[str, Any] = run("call", "get-settings", "--data", dumps({"charID": character_id})).value
    return found


@pytest.fixture
def changed(run: Run, demo_ids: dict[str, str], repeatable: None) -> dict[str, str]:
    """Three changes: a temperature, a switched graph, and a change of every character; the ids of the characters."""
    elena = demo_ids["Elena Marsh"]
    for words in (
        ["characters", "set", elena, "--temperature", "0.31"],
        ["narrative", "disable", elena],
        ["characters", "set", "--where", "memory=yes", "--temperature", "0.5"],
    ):
        assert run(*words, "--yes").status == 0
    return demo_ids


@pytest.mark.parametrize("extra", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.usefixtures("changed")
def test_the_history_is_told(run: Run, golden: Callable[[str, str], None], extra: list[str]) -> None:
    assert run("undo", "--yes").status == 0
    result = run("history", *extra)
    golden(f"history.{'json' if extra else 'txt'}", f"{result.out}[{result.status}]\n{result.err}")


@pytest.mark.parametrize("extra", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.usefixtures("changed")
def test_the_undo_of_many_is_shown_before_it_is_done(
    run: Run, golden: Callable[[str, str], None], extra: list[str]
) -> None:
    result = run("undo", "--dry-run", *extra)
    golden(f"undo-plan.{'json' if extra else 'txt'}", f"{result.out}[{result.status}]\n{result.err}")


def test_undoing_goes_back_step_by_step(run: Run, demo_ids: dict[str, str]) -> None:
    elena = demo_ids["Elena Marsh"]
    before = settings_of(run, elena)
    for temperature in ("0.1", "0.2"):
        run("characters", "set", elena, "--temperature", temperature, "--yes")
    run("undo", "--yes")
    assert str(settings_of(run, elena)["temperature"]) == "0.1"
    run("undo", "--yes")
    assert settings_of(run, elena) == before
    result = run("undo", "--yes", "--json")
    assert (result.status, result.error["code"]) == (2, "nothing_to_undo")
    assert "Nothing left to undo" in result.error["message"]


def test_a_suggested_command_names_the_profile_of_the_command(run: Run) -> None:
    made = run("characters", "create", "Mara", "--yes", "--profile", "local")
    assert made.err.endswith("'chartui --profile local undo' undoes the change\n")
    assert "to profile “demo” from this machine" in run("undo", "--yes").err
    assert run("--profile", "local", "undo", "--yes").status == 0


def test_any_change_can_be_taken_back_by_its_name(run: Run, changed: dict[str, str]) -> None:
    *_, flag, _ = run("history", "--json").value["changes"]
    assert run("undo", flag["name"], "--yes").status == 0
    record = run("characters", "show", changed["Elena Marsh"], "--json").value
    assert record["is_narrative_driven"] is True
    assert "has already been undone. To redo it, undo “Undo: " in run("undo", flag["name"], "--yes").err


def test_what_somebody_changed_since_is_not_overwritten(run: Run, changed: dict[str, str]) -> None:
    elena = changed["Elena Marsh"]
    first = run("history", "--json").value["changes"][-1]
    before = settings_of(run, elena)
    result = run("undo", first["name"], "--yes", "--json")
    assert (result.status, result.error["code"]) == (3, "conflict")
    assert settings_of(run, elena) == before


def test_the_history_of_one_character(run: Run, changed: dict[str, str]) -> None:
    items = run("history", "--character", changed["Elena Marsh"], "--json").value["changes"]
    assert len(items) == 3
    assert {change["character_id"] for item in items for change in item["entries"]} == {changed["Elena Marsh"]}
    assert run("history", "--limit", "1", "--json").value["changes"] == run("history", "--json").value["changes"][:1]


# -- what has no known end --------------------------------------------------------------------------------------------


def intended(character_id: str, temperature: float) -> str:
    """A change that was meant, and of which nothing is known since; its number."""

    async def intend() -> int:
        session = open_session(DEMO)
        payload = {"charID": character_id, "temperature": temperature}
        number = await session.journal.intend(
            DEMO.place, "update-character", payload, before={"temperature": 0.6}, context=Context()
        )
        await session.journal.conclude(number, Outcome.UNKNOWN)
        await session.aclose()
        return number

    return str(asyncio.run(intend()))


def test_a_change_without_a_known_end_is_settled_by_looking(run: Run, demo_ids: dict[str, str]) -> None:
    elena = demo_ids["Elena Marsh"]
    run("characters", "set", elena, "--temperature", "0.6", "--yes")
    made, never, otherwise = (intended(elena, value) for value in (0.25, 0.5, 0.75))
    assert [item["name"] for item in run("history", "--open", "--json").value["changes"]] == [
        f"#{otherwise}", f"#{never}", f"#{made}"
    ]  # fmt: skip
    assert "Resolve it" in run("undo", f"#{made}", "--yes").err
    assert run("history", "--resolve", never, "--json").value == {"number": int(never), "outcome": "not done"}
    run("characters", "set", elena, "--temperature", "0.25", "--yes")
    assert "the change was applied" in run("history", "--resolve", f"#{made}").err
    result = run("history", "--resolve", otherwise)
    assert (result.status, "neither" in result.err) == (1, True)
    assert "the change was not applied" in run("history", "--resolve", otherwise, "--as", "refused").err
    assert run("history", "--open", "--json").value == {"changes": []}


@pytest.mark.parametrize(
    ("number", "said"), [("x", "not the number of a change"), ("77", "no change"), ("1", "already resolved: done")]
)
@pytest.mark.usefixtures("changed")
def test_only_what_is_in_doubt_is_settled(run: Run, number: str, said: str) -> None:
    result = run("history", "--resolve", number)
    assert result.status == 2
    assert said in result.err
