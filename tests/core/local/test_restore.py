"""What was deleted comes back as it was: every value, every id, in its place."""

from __future__ import annotations

from typing import Any

import pytest

from chartui.core.backends.local.store import Account
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Tier
from tests.core.local.embedded import Embedded


@pytest.fixture
def hall(embedded: Embedded) -> dict[str, str]:
    """Three characters, the second with a graph that uses everything: start, decisions, triggers, an override."""
    embedded.character("First")
    mira = embedded.character("Mira", backstory="Keeps the lamp.")
    embedded.character("Last")
    start, end = embedded.section(mira, "Start"), embedded.section(mira, "End")
    bell = embedded.trigger(mira, "bell", destination_section=end)
    embedded.edit(mira, start, decisions=[{"criteria": "*", "next_section_id": end, "priority": 1}])
    override = {"character_id": mira, "section_id": end, "trigger_id": bell, "destination_section": start}
    embedded("set-override", override)
    embedded("update-character", {"charID": mira, "model_group_name": "mdla-5.4", "reasoning_effort": "xhigh"})
    return {"character": mira, "start": start, "end": end, "bell": bell}


def _everything(embedded: Embedded, character_id: str) -> list[Any]:
    return [
        embedded("list-characters"),
        embedded("summarize-characters"),
        embedded("get-settings", {"charID": character_id}),
        embedded("list-sections", {"character_id": character_id}),
        embedded("list-triggers", {"character_id": character_id}),
    ]


def _refused(embedded: Embedded, kind: ErrorKind, name: str, payload: dict[str, Wire], **more: Any) -> str:
    with pytest.raises(ServiceError) as refused:
        embedded(name, payload, **more)
    assert refused.value.kind is kind, refused.value
    return refused.value.message


def test_a_deleted_character_comes_back_whole_and_in_its_place(embedded: Embedded, hall: dict[str, str]) -> None:
    before = _everything(embedded, hall["character"])
    snapshot = embedded("snapshot-character", {"charID": hall["character"]})
    embedded("delete-character", {"charID": hall["character"]})
    assert embedded("restore-character", {"snapshot": snapshot}) == {"character_id": hall["character"]}
    assert _everything(embedded, hall["character"]) == before


def test_a_place_that_was_taken_meanwhile_is_not_fought_for(embedded: Embedded) -> None:
    gone = embedded.character("Gone")
    snapshot = embedded("snapshot-character", {"charID": gone})
    embedded("delete-character", {"charID": gone})
    embedded.character("New")
    embedded("restore-character", {"snapshot": snapshot})
    names = [character["character_name"] for character in embedded("list-characters")["characters"]]
    assert names == ["New", "Gone"]


def test_a_section_and_a_trigger_come_back_as_they_were_answered(embedded: Embedded, hall: dict[str, str]) -> None:
    character = hall["character"]
    before = _everything(embedded, character)
    section = embedded("get-section", {"character_id": character, "section_id": hall["end"]})
    trigger = embedded("get-trigger", {"character_id": character, "trigger_id": hall["bell"]})
    embedded("delete-section", {"character_id": character, "section_id": hall["end"]})
    embedded("delete-trigger", {"character_id": character, "trigger_id": hall["bell"]})
    embedded("restore-section", {"character_id": character, "section": section})
    embedded("restore-trigger", {"character_id": character, "trigger": trigger})
    assert _everything(embedded, character) == before


def test_what_is_there_is_never_replaced(embedded: Embedded, hall: dict[str, str]) -> None:
    character = hall["character"]
    snapshot = embedded("snapshot-character", {"charID": character})
    before = _everything(embedded, character)
    assert character in _refused(embedded, ErrorKind.CONFLICT, "restore-character", {"snapshot": snapshot})
    section, trigger = snapshot["sections"][0], snapshot["triggers"][0]
    for name, payload in (
        ("restore-section", {"character_id": character, "section": section}),
        ("restore-trigger", {"character_id": character, "trigger": trigger}),
        ("restore-trigger", {"character_id": character, "trigger": {**trigger, "trigger_id": "another"}}),
    ):
        _refused(embedded, ErrorKind.CONFLICT, name, payload)
    assert _everything(embedded, character) == before


def test_nobody_takes_a_character_of_another_account(embedded: Embedded, hall: dict[str, str]) -> None:
    snapshot = embedded("snapshot-character", {"charID": hall["character"]})
    embedded.close()
    from chartui.core.backends.local.store import Store

    store = Store(embedded.path)
    other, _ = store.add_account(Tier.FREE, user_id="ana")
    store.close()
    _refused(embedded, ErrorKind.NOT_FOUND, "snapshot-character", {"charID": hall["character"]}, account=other)
    _refused(embedded, ErrorKind.CONFLICT, "restore-character", {"snapshot": snapshot}, account=other)
    embedded("delete-character", {"charID": hall["character"]})
    embedded("restore-character", {"snapshot": snapshot}, account=other)
    assert [c["user_id"] for c in embedded("list-characters", account=other)["characters"]] == ["ana"]
    assert isinstance(other, Account)


_RECORD: dict[str, Wire] = {"character_id": "x", "character_name": "X"}


@pytest.mark.parametrize(
    ("snapshot", "member"),
    [
        ({}, "snapshot.record"),
        ({"record": {}, "sections": [], "triggers": []}, "snapshot.record.character_id"),
        ({"record": _RECORD, "backstory": 1, "sections": [], "triggers": []}, "snapshot.backstory"),
        ({"record": _RECORD, "reasoning_effort": [], "sections": [], "triggers": []}, "snapshot.reasoning_effort"),
        ({"record": _RECORD, "position": 0, "sections": [], "triggers": []}, "snapshot.position"),
        ({"record": _RECORD, "position": True, "sections": [], "triggers": []}, "snapshot.position"),
        ({"record": _RECORD, "triggers": []}, "snapshot.sections"),
        ({"record": _RECORD, "sections": ["x"], "triggers": []}, "snapshot.sections"),
        ({"record": _RECORD, "sections": [{}], "triggers": []}, "snapshot.sections[0].section_id"),
        (
            {"record": _RECORD, "sections": [{"section_id": "s", "objective": 1}], "triggers": []},
            "sections[0].objective",
        ),
        (
            {"record": _RECORD, "sections": [{"section_id": "s", "decisions": 1}], "triggers": []},
            "sections[0].decisions",
        ),
        (
            {"record": _RECORD, "sections": [], "triggers": [{"trigger_id": "t", "destination_section": 1}]},
            "destination",
        ),
    ],
)
def test_a_damaged_snapshot_is_refused_by_name_and_leaves_nothing(
    embedded: Embedded, snapshot: dict[str, Wire], member: str
) -> None:
    assert member in _refused(embedded, ErrorKind.INVALID, "restore-character", {"snapshot": snapshot})
    assert embedded("list-characters") == {"characters": []}
