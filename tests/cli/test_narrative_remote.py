"""Section and trigger commands on a service: they read the graph of one character, and not the records of all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.conftest import C1, Run, Scripted

SECTIONS = [
    {"section_id": "s1", "section_name": "Start", "objective": "Greet", "decisions": []},
    {"section_id": "s2", "section_name": "End", "objective": "Leave", "decisions": None},
]
TRIGGERS = [{"trigger_id": "t1", "trigger_name": "Bell", "trigger_message": "It rings", "destination_section": "s2"}]


@pytest.fixture
def service(scripted: Callable[..., Scripted]) -> Scripted:
    return scripted(
        embedded=False,
        list_sections=SECTIONS,
        list_triggers=TRIGGERS,
        list_characters={"characters": [{"character_id": C1, "start_narrative_section_id": "s1"}]},
    )


@pytest.mark.parametrize(
    "words",
    [
        ("sections", "list", C1),
        ("sections", "show", C1, "Start"),
        ("sections", "create", C1, "New", "Talk", "--dry-run"),
        ("sections", "edit", C1, "s1", "--name", "Other", "--dry-run"),
        ("triggers", "list", C1),
        ("triggers", "show", C1, "Bell"),
        ("triggers", "create", C1, "Gong", "Loud", "--dry-run"),
        ("triggers", "edit", C1, "t1", "--name", "Horn", "--dry-run"),
        ("triggers", "delete", C1, "t1", "--dry-run"),
    ],
)
def test_no_list_of_characters_is_read(words: tuple[str, ...], run: Run, service: Scripted) -> None:
    for form in ((), ("--json",)):
        service.calls.clear()
        assert run("narrative", *words, *form).status == 0
        assert {name for name, _ in service.calls} == {"list-sections", "list-triggers"}


def test_a_start_that_was_not_read_is_unknown(run: Run, service: Scripted) -> None:
    result = run("narrative", "sections", "list", C1)
    assert [line.split()[:3] for line in result.out.splitlines()[1:]] == [["s1", "Start", "?"], ["s2", "End", "?"]]
    assert "The start section is unknown" in result.err


def test_what_shows_the_start_reads_the_record(run: Run, service: Scripted) -> None:
    assert run("narrative", "show", C1, "--json").status == 0
    assert "list-characters" not in {name for name, _ in service.calls}
    assert run("narrative", "show", C1).status == 0
    assert [name for name, _ in service.calls].count("list-characters") == 1
    service.calls.clear()
    assert run("narrative", "sections", "delete", C1, "s1", "--dry-run").status == 0  # would leave the start dangling
    assert [name for name, _ in service.calls].count("list-characters") == 1
