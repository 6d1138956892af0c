"""What is read before a change: by the change's own names, and only where it can be read."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path as FilePath
from typing import Any

import pytest

from chartui.core.backends.base import Answer, Context
from chartui.core.backends.present import READERS, present
from chartui.core.jsontext import Wire
from chartui.core.spec.operation import Effect, Operation
from chartui.core.spec.operations import OPERATIONS
from tests.contract.samples import SAMPLES
from tests.contract.seed import ALARM, BACKSTORY, BELL, END, GATE, HALL, HALL_DECISIONS, KEEPER, NOWHERE, SPOKEN
from tests.contract.world import Path, Template, make_template
from tests.core.journaling import Journaling

pytestmark = pytest.mark.anyio

_BOTH = pytest.mark.parametrize("path", [Path.LOCAL, Path.ASGI])
_CHANGES = [row for row in OPERATIONS.values() if row.effect is Effect.WRITE]
_MAKING = {row.name for row in _CHANGES if row.name.startswith(("create-", "duplicate-", "restore-"))}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return make_template(tmp_path_factory.mktemp("seed"))


async def _present(
    path: Path, template: Template, folder: FilePath, name: str, payload: Mapping[str, Wire], **context: Any
) -> Any:
    async with Journaling.opened(path, template, folder) as journaling:
        embedded = path is Path.LOCAL
        return await present(journaling.layer, name, payload, Context(**context), embedded=embedded)


def test_every_change_has_its_reading_and_what_makes_something_new_has_none() -> None:
    assert READERS.keys() == {row.name for row in _CHANGES}
    assert {name for name, reader in READERS.items() if reader is None} == _MAKING


@_BOTH
@pytest.mark.parametrize(
    ("name", "payload", "expected"),
    [
        ("update-character", {"charID": KEEPER, "temperature": 1}, {"temperature": Decimal("0.7")}),
        (
            "toggle-narrative",
            {"character_id": KEEPER, "is_narrative_driven": True},
            {"is_narrative_driven": False},
        ),
        (
            "edit-section",
            {"character_id": KEEPER, "section_id": HALL, "updated_data": {"decisions": [], "section_name": "x"}},
            {"decisions": HALL_DECISIONS, "section_name": "The hall"},
        ),
        (
            "edit-section",  # by the other name of the changes (decision 31)
            {"character_id": KEEPER, "section_id": GATE, "updated_character_data": {"objective": ""}},
            {"objective": SPOKEN, "section_name": "The gate"},
        ),
        (
            "update-trigger",
            {"character_id": KEEPER, "trigger_id": ALARM, "updated_data": {"destination_section": None}},
            {"destination_section": END, "trigger_name": "alarm"},
        ),
    ],
)
async def test_the_members_that_a_change_names(
    path: Path, template: Template, tmp_path: FilePath, name: str, payload: dict[str, Wire], expected: Any
) -> None:
    assert await _present(path, template, tmp_path, name, payload) == expected


@pytest.mark.parametrize(
    ("name", "payload", "expected"),
    [
        ("rename-character", {"charID": KEEPER, "character_name": "x"}, {"character_name": "Mara"}),
        ("set-start-section", {"character_id": KEEPER, "section_id": None}, {"section_id": GATE}),
        (
            "set-override",
            {"character_id": KEEPER, "section_id": HALL, "trigger_id": ALARM, "destination_section": None},
            {"destination_section": GATE},
        ),
        (
            "set-override",
            {"character_id": KEEPER, "section_id": HALL, "trigger_id": BELL, "destination_section": GATE},
            {"destination_section": None},
        ),
    ],
)
async def test_the_members_that_only_the_store_can_change(
    template: Template, tmp_path: FilePath, name: str, payload: dict[str, Wire], expected: Any
) -> None:
    assert await _present(Path.LOCAL, template, tmp_path, name, payload) == expected


async def test_all_settings_can_be_read_in_the_store_and_two_of_them_elsewhere(
    template: Template, tmp_path: FilePath
) -> None:
    payload = {"charID": KEEPER, "model_group_name": "mdla-4o", "temperature": 0, "backstory": "x"}
    readable = {"model_group_name": "mdla-5.4", "temperature": Decimal("0.7")}
    found = await _present(Path.LOCAL, template, tmp_path, "update-character", payload)
    # The reasoning level is no member of the request, but another model may take it away.
    assert found == {**readable, "backstory": BACKSTORY, "reasoning_effort": None}
    assert await _present(Path.ASGI, template, tmp_path, "update-character", payload) == readable


@_BOTH
async def test_what_is_expected_is_read_as_well(path: Path, template: Template, tmp_path: FilePath) -> None:
    expected = {"model_group_name": "mdla-4o"}
    found = await _present(path, template, tmp_path, "update-character", SAMPLES["update-character"], expected=expected)
    assert found == {"temperature": Decimal("0.7"), "model_group_name": "mdla-5.4"}


@_BOTH
@pytest.mark.parametrize("name", ["delete-section", "delete-trigger"])
async def test_all_of_what_is_deleted(path: Path, template: Template, tmp_path: FilePath, name: str) -> None:
    payload = SAMPLES[name]
    async with Journaling.opened(path, template, tmp_path) as journaling:
        whole = await journaling.inside(name.replace("delete", "get"), payload)
        found = await present(journaling.layer, name, payload, Context(), embedded=path is Path.LOCAL)
    assert found is not None
    assert {member: found[member] for member in whole} == whole


async def test_a_character_that_is_deleted_is_read_with_its_graph(template: Template, tmp_path: FilePath) -> None:
    found = await _present(Path.LOCAL, template, tmp_path, "delete-character", {"charID": KEEPER})
    assert found["record"]["character_name"] == "Mara"
    assert found["backstory"] == BACKSTORY
    assert [section["section_id"] for section in found["sections"]] == [GATE, HALL, END]
    assert [trigger["trigger_id"] for trigger in found["triggers"]] == [ALARM, BELL]


@_BOTH
@pytest.mark.parametrize("row", _CHANGES, ids=lambda row: row.name)
async def test_a_payload_that_names_nothing_is_nobodys_failure(
    path: Path, row: Any, template: Template, tmp_path: FilePath
) -> None:
    payloads: tuple[dict[str, Wire], ...] = (
        {},
        {"charID": 5, "character_id": None, "section_id": [], "trigger_id": {}},
    )
    for payload in payloads:
        assert await _present(path, template, tmp_path, row.name, payload) is None


async def test_a_character_that_is_not_in_the_list_has_nothing_there(template: Template, tmp_path: FilePath) -> None:
    payload = {"charID": NOWHERE, "temperature": 1}
    assert await _present(Path.ASGI, template, tmp_path, "update-character", payload) is None


@pytest.mark.parametrize("config", [None, [], "MODEL", {}])
async def test_a_record_that_does_not_say_its_settings_is_not_asked_for_more(config: Wire) -> None:
    class Odd:
        async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
            record = {"character_id": KEEPER, "personalised_prompt_config": config}
            return Answer(body={"characters": [{"character_id": "other"}, record]})

        async def aclose(self) -> None:
            pass

    payload = SAMPLES["update-character"]
    assert await present(Odd(), "update-character", payload, Context(), embedded=False) == {}
