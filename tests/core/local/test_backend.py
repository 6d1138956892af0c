"""What the embedded backend promises beyond the contract of every path: laziness, whole changes, hostile text."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chartui.core.backends.base import Context
from chartui.core.backends.local.backend import LocalBackend
from chartui.core.backends.local.handlers import HANDLERS
from chartui.core.backends.local.settings import new_record
from chartui.core.backends.local.store import Account, Store
from chartui.core.jsontext import Wire
from chartui.core.narrative.story import overrides_of
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.operation import Tier
from chartui.core.spec.operations import OPERATIONS, operation
from chartui.core.spec.shape import build, wire_names
from tests import writes
from tests.core.local.embedded import Embedded

_ESTIMATION = {"get-estimate", "estimate", "options"}
_HOSTILE = "a\0b \x1b]0;t\x07 \u202eno\u202c [bold]x[/] [@click=app.quit]\r\n\t\u2028 \U0001f469‍\U0001f52c é ﷽ '\"\\;--"


def _refused(embedded: Embedded, kind: ErrorKind, name: str, payload: dict[str, Wire], **more: Any) -> ServiceError:
    with pytest.raises(ServiceError) as refused:
        embedded(name, payload, **more)
    assert refused.value.kind is kind, refused.value
    return refused.value


# -- the backend itself ------------------------------------------------------------------------------------------------


def test_every_row_is_performed() -> None:
    assert set(HANDLERS) | _ESTIMATION == set(OPERATIONS)
    assert not set(HANDLERS) & _ESTIMATION


def test_the_store_is_opened_when_it_is_needed_and_not_before(embedded: Embedded) -> None:
    for name in _ESTIMATION:
        assert embedded(name)["api_version"]
    assert embedded.opened == 0
    assert not embedded.path.exists()
    for _ in range(2):
        embedded("list-characters")
    assert embedded.opened == 1


def test_accounts_share_the_store_and_closing_is_final_only_until_the_next_call(embedded: Embedded) -> None:
    embedded("list-characters", account=Account("ana", Tier.FREE))
    embedded("list-characters")
    assert embedded.opened == 1
    embedded.close()
    embedded.close()
    embedded("list-characters")
    assert embedded.opened == 2


def test_a_store_that_cannot_be_opened_is_tried_again(embedded: Embedded) -> None:
    embedded.path.mkdir(parents=True)
    for _ in range(2):
        _refused(embedded, ErrorKind.BROKEN, "list-characters", {})
    embedded.path.rmdir()
    assert embedded("list-characters") == {"characters": []}


def test_calls_at_once_are_performed_one_after_another(path: Path) -> None:
    async def fill() -> int:
        service = Service(LocalBackend(lambda: Store(path)), embedded=True)
        await asyncio.gather(*(writes.create_character(service, f"{number}") for number in range(20)))
        found = await service.records()
        await service.aclose()
        return len(found)

    assert asyncio.run(fill()) == 20


def test_making_the_backend_loads_neither_the_store_nor_anything_heavy() -> None:
    code = (
        "import sys, chartui.core.backends.local.backend\n"
        "print([m for m in ('sqlite3', 'pydantic', 'asyncio', 'httpx', 'concurrent') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_typed_calls_load_no_validator(path: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from chartui.core.actions.turn import Turn\n"
        "from chartui.core.backends.local.backend import LocalBackend\n"
        "from chartui.core.backends.local.store import Store\n"
        "from chartui.core.service import Service\n"
        "from tests import writes\n"
        "async def main():\n"
        "    service = Service(LocalBackend(lambda: Store(Path(sys.argv[1]))), embedded=True)\n"
        "    made = await writes.create_character(service, 'Mira')\n"
        "    await writes.update_character(service, made, model='mdla-5.4', reasoning_effort='low')\n"
        "    await service.respond(Turn(character_id=made, text='wave', actions=('Wave',)))\n"
        "    await service.estimate()\n"
        "    assert (await service.settings(made)).reasoning_effort == 'low'\n"
        "    await service.aclose()\n"
        "asyncio.run(main())\n"
        "print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_row_is_for_its_tier_and_those_above(path: Path, tier: Tier, name: str) -> None:
    row = operation(name)
    backend = LocalBackend(lambda: Store(path)).for_account(Account("ana", tier))
    if row.tier is None or tier.rank >= row.tier.rank:
        backend.authorize(row)
        return
    with pytest.raises(ServiceError, match=f"{row.tier} tier") as refused:
        backend.authorize(row)
    assert refused.value.kind is ErrorKind.TIER
    with pytest.raises(ServiceError) as refused:
        asyncio.run(backend.perform(row, {}, Context()))
    assert refused.value.kind is ErrorKind.TIER
    assert not path.exists()


def test_another_program_that_writes_is_told_as_busy(path: Path) -> None:
    with asyncio.Runner() as runner:
        embedded = Embedded(path, runner, busy_timeout=0.05)
        other = Store(path)
        with other.writing():
            _refused(embedded, ErrorKind.BUSY, "create-character", {"character_name": "Mira"})
            assert embedded("list-characters") == {"characters": []}
        embedded.character()
        other.close()
        embedded.close()


# -- text --------------------------------------------------------------------------------------------------------------


def test_hostile_text_survives_in_every_field(embedded: Embedded) -> None:
    member = {_HOSTILE: [_HOSTILE, {_HOSTILE: None}]}
    made = embedded.character(_HOSTILE, backstory=_HOSTILE, record={**member, "description": _HOSTILE})
    ignored: dict[str, Wire] = {
        "updated_character_data": member,
        "behavior_tree_code": _HOSTILE,
        "bt_constants": _HOSTILE,
    }
    payload = {"character_id": made, "section_name": _HOSTILE, "objective": _HOSTILE, **ignored}
    section = embedded("create-section", payload)["section_id"]
    decisions = [{"criteria": _HOSTILE, "next_section_id": section}]
    embedded.edit(made, section, decisions=decisions)
    embedded.trigger(made, _HOSTILE, trigger_message=_HOSTILE)
    embedded.close()

    record = embedded("get-character", {"charID": made})
    assert record["character_name"] == record["description"] == _HOSTILE
    assert record[_HOSTILE] == member[_HOSTILE]
    assert embedded("summarize-characters")["characters"][0]["character_name"] == _HOSTILE
    assert embedded("get-settings", {"charID": made})["backstory"] == _HOSTILE
    stored = embedded("get-section", {"character_id": made, "section_id": section})
    assert stored["section_name"] == stored["objective"] == _HOSTILE
    assert stored["decisions"] == decisions
    assert {name: stored[name] for name in ignored} == ignored
    trigger = embedded("list-triggers", {"character_id": made})[0]
    assert trigger["trigger_name"] == trigger["trigger_message"] == _HOSTILE


@pytest.mark.parametrize("name", ["create-character", "get-character", "get-response"])
def test_half_a_surrogate_pair_never_reaches_the_store(embedded: Embedded, name: str) -> None:
    made = embedded.character()
    payloads: dict[str, dict[str, Wire]] = {
        "create-character": {"character_name": "\ud800"},
        "get-character": {"charID": "\udfff"},
        "get-response": {"charID": made, "userText": "\ud83d"},
    }
    for typed in (False, True):
        with pytest.raises(ServiceError) as refused:
            asyncio.run(embedded.backend.perform(operation(name), payloads[name], Context(typed=typed)))
        assert refused.value.kind is ErrorKind.INVALID
    assert len(embedded("list-characters")["characters"]) == 1


# -- characters --------------------------------------------------------------------------------------------------------


def test_a_new_character_has_every_member_of_the_record(embedded: Embedded) -> None:
    record = embedded("get-character", {"charID": embedded.character("Mira", backstory="Once.")})
    assert set(record) == set(wire_names(Character).values())
    assert record["character_name"] == "Mira"
    assert record["user_id"] == "local"
    assert record["timestamp"] == record["last_interacted_with"] == "2026-09-01T12:00:01"
    assert "backstory" not in record


def test_members_that_are_given_stand_as_they_are(embedded: Embedded) -> None:
    given: dict[str, Wire] = {
        "personalised_prompt_config": {"MODEL": "own-model-7", "USE_COMBINED_PROMPT": "true"},
        "voice_pitch": Decimal("0.10000000000000000001"),
        "embodiment": {"new": [None, []]},
        "unknown": None,
    }
    record = embedded("get-character", {"charID": embedded.character("Mira", record=given)})
    assert {name: record[name] for name in given} == given


@pytest.mark.parametrize("member", ["character_id", "user_id", "start_narrative_section_id"])
def test_nobody_chooses_the_ids_of_a_new_character(embedded: Embedded, member: str) -> None:
    payload: dict[str, Wire] = {"character_name": "Mira", "record": {member: "x"}}
    assert _refused(embedded, ErrorKind.INVALID, "create-character", payload).member == f"record.{member}"
    embedded.character("Mira", record={member: None})


def test_the_standard_record_is_made_anew_each_time() -> None:
    first, second = (new_record(character_id="c", user_id="u", name="n", moment="m") for _ in range(2))
    first["personalised_prompt_config"]["MODEL"] = "changed"
    assert second["personalised_prompt_config"]["MODEL"] != "changed"


def test_an_update_is_all_or_nothing(embedded: Embedded) -> None:
    made = embedded.character()
    before = embedded("get-settings", {"charID": made}), embedded("get-character", {"charID": made})
    valid: dict[str, Wire] = {"model_group_name": "mdla-5.4", "temperature": 0, "backstory": "New."}
    for wrong in (
        {"reasoning_effort": "minimal"},
        {"temperature": Decimal("1.01")},
        {"temperature": Decimal("-0.01")},
        {"model_group_name": "mdla-9"},
    ):
        _refused(embedded, ErrorKind.INVALID, "update-character", {"charID": made, **valid, **wrong})
        assert (embedded("get-settings", {"charID": made}), embedded("get-character", {"charID": made})) == before
    embedded("update-character", {"charID": made, **valid, "reasoning_effort": "xhigh"})
    after = embedded("get-settings", {"charID": made})
    assert after == {"character_id": made, **valid, "reasoning_effort": "xhigh"}


def test_a_record_without_a_prompt_configuration_can_be_updated(embedded: Embedded) -> None:
    made = embedded.character("Mira", record={"personalised_prompt_config": None})
    embedded("update-character", {"charID": made, "backstory": "x"})
    assert embedded("get-character", {"charID": made})["personalised_prompt_config"] is None
    embedded("update-character", {"charID": made, "temperature": Decimal("0.5")})
    config = embedded("get-character", {"charID": made})["personalised_prompt_config"]
    assert config == {"TEMPERATURE": Decimal("0.5")}
    message = _refused(
        embedded, ErrorKind.INVALID, "update-character", {"charID": made, "reasoning_effort": "low"}
    ).message
    assert "low" in message


def test_a_copy_has_ids_of_its_own_and_points_into_itself(embedded: Embedded) -> None:
    made = embedded.character("Mira", backstory="Once.", record={"personalised_prompt_config": {"MODEL": "mdla-5.4"}})
    embedded("update-character", {"charID": made, "reasoning_effort": "none"})
    hall, yard, gone = (embedded.section(made, name) for name in ("Hall", "Yard", "Gone"))
    bell = embedded.trigger(made, "bell", destination_section=yard)
    lost = embedded.trigger(made, "lost", destination_section=gone)
    embedded.edit(
        made,
        hall,
        decisions=[
            {"criteria": "leave", "next_section_id": yard, "priority": 2},
            {"criteria": "stay", "next_section_id": hall},
            {"criteria": "vanish", "next_section_id": gone},
        ],
    )
    for section, trigger, destination in ((hall, bell, hall), (hall, lost, gone)):
        payload = {"character_id": made, "section_id": section, "trigger_id": trigger}
        embedded("set-override", {**payload, "destination_section": destination})
    embedded("delete-section", {"character_id": made, "section_id": gone})
    embedded("delete-trigger", {"character_id": made, "trigger_id": lost})
    originals = [embedded(name, {"character_id": made}) for name in ("list-sections", "list-triggers")]

    copy = embedded("duplicate-character", {"charID": made})["character_id"]
    record = embedded("get-character", {"charID": copy})
    sections = embedded("list-sections", {"character_id": copy})
    triggers = embedded("list-triggers", {"character_id": copy})
    new_hall, new_yard = (section["section_id"] for section in sections)
    assert len({made, copy, hall, yard, new_hall, new_yard, triggers[0]["trigger_id"], bell}) == 8
    assert record["character_name"] == "Mira (copy)"
    assert record["start_narrative_section_id"] == new_hall
    assert record["timestamp"] != embedded("get-character", {"charID": made})["timestamp"]
    assert [decision["next_section_id"] for decision in sections[0]["decisions"]] == [new_yard, new_hall, gone]
    assert sections[0]["decisions"][0] == {"criteria": "leave", "next_section_id": new_yard, "priority": 2}
    assert sections[0]["triggers"] == [
        {"trigger_id": triggers[0]["trigger_id"], "destination_section": new_hall},
        {"trigger_id": lost, "destination_section": gone},
    ]
    assert sections[0]["parents"] == [new_hall]
    assert [(trigger["trigger_name"], trigger["destination_section"]) for trigger in triggers] == [("bell", new_yard)]
    settings = embedded("get-settings", {"charID": copy})
    assert (settings["backstory"], settings["reasoning_effort"]) == ("Once.", "none")
    # The original has not moved, and the copy goes by another name when asked to.
    assert originals == [embedded(name, {"character_id": made}) for name in ("list-sections", "list-triggers")]
    third = embedded("duplicate-character", {"charID": copy, "character_name": "Third"})["character_id"]
    assert embedded("get-character", {"charID": third})["character_name"] == "Third"


def test_deleting_a_character_takes_its_whole_graph(embedded: Embedded) -> None:
    kept, made = embedded.character("Kept"), embedded.character("Gone")
    for character in (kept, made):
        embedded.section(character)
        embedded.trigger(character)
        embedded("get-response", {"charID": character, "userText": "hello"})
    embedded("delete-character", {"charID": made})
    _refused(embedded, ErrorKind.NOT_FOUND, "list-sections", {"character_id": made})
    embedded.close()
    store = Store(embedded.path)
    for table in ("characters", "sections", "triggers", "sessions"):
        assert store._database.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)
    assert store.check() == ()
    store.close()


def test_an_account_sees_its_own_characters_only(embedded: Embedded) -> None:
    made = embedded.character()
    embedded.close()
    store = Store(embedded.path)
    other, _ = store.add_account(Tier.ENTERPRISE)
    store.close()
    assert embedded("list-characters", account=other) == {"characters": []}
    assert embedded("summarize-characters", account=other) == {"characters": []}
    for name, row in OPERATIONS.items():
        required: dict[str, dict[str, Wire]] = {
            "update-character": {"backstory": "x"},
            "toggle-narrative": {"is_narrative_driven": True},
            "get-response": {"userText": "hello"},
            "rename-character": {"character_name": "x"},
            "create-section": {"section_name": "x", "objective": "x"},
            "edit-section": {"section_id": "x", "updated_data": {"objective": "x"}},
            "create-trigger": {"trigger_name": "x", "trigger_message": "x"},
            "update-trigger": {"trigger_id": "x", "updated_data": {"trigger_name": "x"}},
            "set-start-section": {"section_id": None},
            "set-override": {"section_id": "x", "trigger_id": "x", "destination_section": None},
            "restore-section": {"section": {"section_id": "x"}},
            "restore-trigger": {"trigger": {"trigger_id": "x"}},
        }
        members = set(wire_names(row.request.load()).values())
        named = members & {"charID", "character_id"}
        if named:
            ids = dict.fromkeys(members & {"section_id", "trigger_id"}, "x")
            payload = {**ids, **required.get(name, {}), named.pop(): made}
            _refused(embedded, ErrorKind.NOT_FOUND, name, payload, account=other)
    accounts = embedded("list-accounts", account=other)["accounts"]
    assert [account["characters"] for account in accounts] == [1, 0]


# -- expectations ------------------------------------------------------------------------------------------------------


@pytest.fixture
def scene(embedded: Embedded) -> dict[str, str]:
    """A character with two sections and a trigger; their ids."""
    character = embedded.character()
    hall, yard = (embedded.section(character, name) for name in ("Hall", "Yard"))
    embedded.edit(character, hall, decisions=[{"criteria": "leave", "next_section_id": yard}])
    trigger = embedded.trigger(character, "bell", destination_section=yard)
    return {"character": character, "hall": hall, "yard": yard, "trigger": trigger}


def _changes(scene: dict[str, str]) -> dict[str, tuple[dict[str, Wire], dict[str, Wire], str]]:
    """Row → payload, everything as it is, and a member that anybody may have changed."""
    character = {"character_id": scene["character"]}
    section = {**character, "section_id": scene["yard"]}
    trigger = {**character, "trigger_id": scene["trigger"]}
    decisions: list[Wire] = [{"next_section_id": scene["yard"], "criteria": "leave"}]
    return {
        "update-character": (
            {"charID": scene["character"], "temperature": Decimal("0.2")},
            {
                "model_group_name": "mdlc-2.5-flash",
                "temperature": Decimal("0.70"),
                "reasoning_effort": None,
                "backstory": None,
            },
            "temperature",
        ),
        "toggle-narrative": (
            {**character, "is_narrative_driven": True},
            {"is_narrative_driven": False},
            "is_narrative_driven",
        ),
        "rename-character": (
            {"charID": scene["character"], "character_name": "New"},
            {"character_name": "Mira"},
            "character_name",
        ),
        "edit-section": (
            {**character, "section_id": scene["hall"], "updated_data": {"objective": "New."}},
            {"section_name": "Hall", "objective": "Greet.", "decisions": decisions, "parents": None, "triggers": None},
            "decisions",
        ),
        "delete-section": (section, {"section_name": "Yard", "parents": [scene["hall"]]}, "parents"),
        "update-trigger": (
            {**trigger, "updated_data": {"trigger_message": "New."}},
            {"trigger_name": "bell", "trigger_message": "It rings.", "destination_section": scene["yard"]},
            "destination_section",
        ),
        "delete-trigger": (trigger, {"trigger_name": "bell"}, "trigger_name"),
        "set-start-section": (section, {"section_id": scene["hall"]}, "section_id"),
        "set-override": (
            {**section, "trigger_id": scene["trigger"], "destination_section": scene["hall"]},
            {"destination_section": None},
            "destination_section",
        ),
        "delete-character": ({"charID": scene["character"]}, {"character_name": "Mira"}, "character_name"),
    }


def _everything(embedded: Embedded, character: str) -> list[Wire]:
    rows = {"charID": ("get-character", "get-settings"), "character_id": ("list-sections", "list-triggers")}
    return [embedded(name, {member: character}) for member, names in rows.items() for name in names]


@pytest.mark.parametrize("name", sorted(_changes(dict.fromkeys(("character", "hall", "yard", "trigger"), ""))))
def test_a_change_is_made_only_while_everything_is_as_expected(
    embedded: Embedded, scene: dict[str, str], name: str
) -> None:
    payload, seen, member = _changes(scene)[name]
    before = _everything(embedded, scene["character"])
    others: tuple[Wire, ...] = ("somebody's", None, 1, True, [])
    for other in others:
        if other != seen[member]:
            error = _refused(embedded, ErrorKind.CONFLICT, name, payload, expected={**seen, member: other})
            assert error.member == member
            assert member in error.message
            assert "Nothing was written" in error.message
    assert _everything(embedded, scene["character"]) == before
    embedded(name, payload, expected=seen)


def test_true_and_one_are_not_the_same(embedded: Embedded) -> None:
    made = embedded.character()
    payload: dict[str, Wire] = {"character_id": made, "is_narrative_driven": True}
    _refused(embedded, ErrorKind.CONFLICT, "toggle-narrative", payload, expected={"is_narrative_driven": 0})


# -- the graph ---------------------------------------------------------------------------------------------------------


def test_an_override_can_be_set_changed_and_taken_away(embedded: Embedded, scene: dict[str, str]) -> None:
    place = {"character_id": scene["character"], "section_id": scene["hall"]}
    payload: dict[str, Wire] = {**place, "trigger_id": scene["trigger"]}

    def overrides() -> Wire:
        return embedded("get-section", place)["triggers"]

    for destination in (scene["hall"], scene["yard"]):
        embedded("set-override", {**payload, "destination_section": destination})
        assert overrides() == [{"trigger_id": scene["trigger"], "destination_section": destination}]
    _refused(embedded, ErrorKind.INVALID, "set-override", {**payload, "destination_section": "nowhere"})
    embedded("set-override", {**payload, "destination_section": None})
    assert overrides() is None
    unknown = {**payload, "trigger_id": "nobody"}
    _refused(embedded, ErrorKind.NOT_FOUND, "set-override", {**unknown, "destination_section": scene["yard"]})
    _refused(embedded, ErrorKind.NOT_FOUND, "set-override", {**unknown, "destination_section": None})
    # What is left of a deleted trigger can be taken away.
    embedded("set-override", {**payload, "destination_section": scene["yard"]})
    embedded("delete-trigger", {"character_id": scene["character"], "trigger_id": scene["trigger"]})
    embedded("set-override", {**payload, "destination_section": None})
    assert overrides() is None


def test_of_several_overrides_of_a_trigger_the_one_that_everybody_shows_is_expected(
    embedded: Embedded, scene: dict[str, str]
) -> None:
    def override(destination: str) -> dict[str, Wire]:
        return {"trigger_id": scene["trigger"], "destination_section": destination}

    payload: dict[str, Wire] = {**override(scene["hall"]), "character_id": scene["character"]}
    payload["section_id"] = scene["yard"]
    snapshot: Any = embedded("snapshot-character", {"charID": scene["character"]})
    held: list[Wire] = [override(""), override(scene["yard"]), override(scene["hall"])]
    for section in snapshot["sections"]:
        section["triggers"] = held if section["section_id"] == scene["yard"] else []
    embedded("delete-character", {"charID": scene["character"]})
    embedded("restore-character", {"snapshot": snapshot})

    read: Any = embedded("get-section", {"character_id": scene["character"], "section_id": scene["yard"]})
    assert overrides_of(build(Section, read)) == {scene["trigger"]: scene["yard"]}
    _refused(embedded, ErrorKind.CONFLICT, "set-override", payload, expected={"destination_section": scene["hall"]})
    embedded("set-override", payload, expected={"destination_section": scene["yard"]})
    read = embedded("get-section", {"character_id": scene["character"], "section_id": scene["yard"]})
    assert read["triggers"] == [override(scene["hall"])]


def test_the_start_can_be_set_to_what_is_there_or_to_nothing(embedded: Embedded, scene: dict[str, str]) -> None:
    def start() -> Wire:
        return embedded("get-character", {"charID": scene["character"]})["start_narrative_section_id"]

    assert start() == scene["hall"]
    for section in (scene["yard"], None, scene["hall"]):
        embedded("set-start-section", {"character_id": scene["character"], "section_id": section})
        assert start() == section
    unknown: dict[str, Wire] = {"character_id": scene["character"], "section_id": "nowhere"}
    _refused(embedded, ErrorKind.NOT_FOUND, "set-start-section", unknown)
    embedded("set-start-section", {"character_id": scene["character"], "section_id": None})
    assert start() is None
    assert embedded.section(scene["character"], "Next") == start()


# -- conversations -----------------------------------------------------------------------------------------------------


def test_a_conversation_remembers_what_was_spoken_of(embedded: Embedded) -> None:
    made = embedded.character()
    turn: dict[str, Wire] = {
        "charID": made,
        "actions": ["Go To", "Open"],
        "classification": "multistep",
        "objects": [{"name": "Oak Door", "description": ""}],
    }
    first = embedded("get-response", {**turn, "userText": "Go to the oak door"})
    again = embedded("get-response", {**turn, "userText": "Open it!", "sessionID": first["sessionID"]})
    assert again["actionSequence"] == "Open Oak Door"
    fresh = embedded("get-response", {**turn, "userText": "Open it!"})
    assert fresh["actionSequence"] == ""
    # The object is not there any more.
    gone = embedded("get-response", {**turn, "objects": [], "userText": "Open it!", "sessionID": first["sessionID"]})
    assert gone["actionSequence"] == ""


def test_a_conversation_belongs_to_its_character(embedded: Embedded) -> None:
    first, second = embedded.character(), embedded.character()
    session = embedded("get-response", {"charID": first, "userText": "hello"})["sessionID"]
    payload: dict[str, Wire] = {"charID": second, "userText": "hello", "sessionID": session}
    assert _refused(embedded, ErrorKind.INVALID, "get-response", payload).member == "sessionID"


def test_a_line_break_in_a_name_makes_no_second_step(embedded: Embedded) -> None:
    turn: dict[str, Wire] = {
        "charID": embedded.character(),
        "actions": ["Open"],
        "classification": "multistep",
        "objects": [{"name": "oak\n door", "description": ""}],
        "userText": "open the oak door",
    }
    _refused(embedded, ErrorKind.INVALID, "get-response", {**turn, "actions": ["Open\nClose"]})
    assert "\n" not in embedded("get-response", turn)["actionSequence"]
