"""Decisions that cannot be read are sent back as they came when the list that holds them is replaced (decision 69)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from chartui.main import main
from tests.faults.rows import Played, Row
from tests.faults.server import Connection, Fault, reply

ODD: Final[tuple[Any, ...]] = (5, {"to": "s1"}, ["a"], {"criteria": {"x": 1}, "next_section_id": "s1"})
GATE: Final = {"criteria": "They ask", "next_section_id": "s1", "more": [None]}
COURT: Final = {"criteria": None, "next_section_id": "s1"}


def service_with(decisions: Any, dump: Callable[[Any], str] = json.dumps) -> Fault:
    """A service with one section, which takes the decisions that it is sent."""
    section: dict[str, Any] = {"section_id": "s1", "section_name": "The gate", "objective": "Greet"}
    section["decisions"] = decisions

    async def play(connection: Connection) -> None:
        seen = connection.server.seen[-1]
        name = seen.target.rpartition("/")[2]
        if name == "edit-section":
            section.update(json.loads(seen.body)["updated_data"])
        answers = {
            "list": {"characters": [{"character_id": "c1", "character_name": "Mara"}]},
            "list-sections": [section],
            "get-section": section,
            "list-triggers": [],
            "edit-section": {"status": "success"},
        }
        await reply(200, dump(answers[name]))(connection)

    return play


def sent(service: Played) -> list[Any]:
    assert service.server is not None
    edits = [seen for seen in service.server.seen if seen.target.endswith("edit-section")]
    return [json.loads(seen.body)["updated_data"] for seen in edits]


def edit(*words: str) -> int:
    return main(("narrative", "sections", "edit", "c1", "s1", *words, "--yes"))


def _row(decisions: Any, dump: Callable[[Any], str] = json.dumps) -> Row:
    return Row(name="P3", fault=service_with(decisions, dump))


@pytest.mark.parametrize(("row", "odd"), [(_row([odd, GATE, odd, COURT, odd]), odd) for odd in ODD])
def test_an_edit_sends_what_could_not_be_read_where_it_stood(
    row: Row, odd: Any, service: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    assert edit("--criteria", "1", "They knock", "--dry-run") == 0
    assert "3 decisions that could not be read are sent back unchanged." in capsys.readouterr().out
    assert edit("--criteria", "1", "They knock") == 0, capsys.readouterr().err
    knocks = {**GATE, "criteria": "They knock"}
    assert sent(service) == [{"decisions": [odd, knocks, odd, COURT, odd]}]
    # What was sent is what is stored now, so the next edit meets no conflict.
    assert edit("--remove", "2") == 0, capsys.readouterr().err
    assert sent(service)[1] == {"decisions": [odd, knocks, odd, odd]}
    assert edit("--decisions", "[]") == 0, capsys.readouterr().err
    assert sent(service)[2] == {"decisions": [odd, odd, odd]}


@pytest.mark.parametrize("row", [_row([GATE, 5])], ids=["another member"])
def test_an_edit_of_another_member_leaves_the_decisions_alone(row: Row, service: Played) -> None:
    assert edit("--objective", "Welcome") == 0
    assert sent(service) == [{"objective": "Welcome"}]


@pytest.mark.parametrize(
    "row",
    [
        _row(7),
        _row("see the other list"),
        _row(
            [GATE, {"criteria": "x", "next_section_id": "s1", "priority": "@"}],
            lambda value: json.dumps(value).replace('"@"', "NaN"),
        ),
    ],
    ids=["number", "text", "NaN"],
)
def test_what_cannot_be_sent_back_refuses_the_edit(
    row: Row, service: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    assert edit("--decision", "They knock => The gate") == 2
    assert "that a change would destroy" in " ".join(capsys.readouterr().err.split())
    assert sent(service) == []
    assert edit("--objective", "Welcome") == 0


@pytest.mark.parametrize(
    "row",
    [_row(json.dumps([GATE])), _row({"a": GATE}), _row([{**GATE, "priority": "2"}]), _row([COURT, GATE])],
    ids=["text", "map", "priority", "null"],
)
def test_values_that_were_turned_meet_no_conflict_with_themselves(
    row: Row, service: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    assert edit("--insert", "1", "They knock => The gate") == 0, capsys.readouterr().err
    [changes] = sent(service)
    assert changes["decisions"][0]["criteria"] == "They knock"
    assert len(changes["decisions"]) > 1
    assert "Stored differently" not in capsys.readouterr().err


ABSENT: Final = {"criteria": "They leave"}


@pytest.mark.parametrize("row", [_row([COURT, ABSENT])], ids=["null and absent"])
def test_a_null_or_absent_member_is_sent_back_so_until_it_is_changed(row: Row, service: Played) -> None:
    knock = {"criteria": "They knock", "next_section_id": "s1"}
    assert edit("--decision", "They knock => The gate") == 0
    assert sent(service)[0] == {"decisions": [COURT, ABSENT, knock]}
    assert edit("--criteria", "2", "They go") == 0
    assert sent(service)[1] == {"decisions": [COURT, {"criteria": "They go"}, knock]}
    assert edit("--criteria", "1", "They wait", "--target", "2", "The gate") == 0
    waits, go = {**COURT, "criteria": "They wait"}, {"criteria": "They go", "next_section_id": "s1"}
    assert sent(service)[2] == {"decisions": [waits, go, knock]}


@pytest.mark.parametrize("row", [_row([COURT, ABSENT, GATE])], ids=["null and absent"])
def test_a_push_sends_what_the_file_leaves_as_it_is_back_as_it_came(
    row: Row, service: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mara.toml"
    assert main(("pull", "c1", str(file))) == 0, capsys.readouterr().err
    file.write_text(file.read_text().replace("They ask", "They knock"))
    assert main(("push", str(file), "c1", "--yes")) == 0, capsys.readouterr().err
    [changes] = sent(service)
    assert changes["decisions"][:2] == [COURT, ABSENT]
    assert changes["decisions"][2]["criteria"] == "They knock"
