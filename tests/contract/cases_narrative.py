"""Sections and triggers (C 2.3, 2.4, 4.4 to 4.13; decisions 26, 27, 31 to 41, 53, 56 and 59)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind
from tests.contract import seed
from tests.contract.case import case, refuses
from tests.contract.seed import ALARM, BELL, END, GATE, GONE, GUIDE, HALL, KEEPER, NOWHERE, SCRIBE
from tests.contract.world import LOCAL, Account, World

#: What a section has beside its text when no more was given (decision 71).
_PLAIN: Final[dict[str, Wire]] = {
    "updated_character_data": {},
    "bt_constants": "",
    "behavior_tree_code": "",
    "node_position": [],
}
_GATE: Final[dict[str, Wire]] = {
    "character_id": KEEPER,
    "section_id": GATE,
    "section_name": "The gate",
    "objective": seed.SPOKEN,
    "decisions": seed.GATE_DECISIONS,
    "parents": [GATE],
    "triggers": None,
    **_PLAIN,
}
_HALL: Final[dict[str, Wire]] = {
    "character_id": KEEPER,
    "section_id": HALL,
    "section_name": "The hall",
    "objective": "Show the lamp.",
    "decisions": seed.HALL_DECISIONS,
    "parents": [GATE],
    "triggers": [{"trigger_id": ALARM, "destination_section": GATE}],
    **_PLAIN,
}
_END: Final[dict[str, Wire]] = {
    "character_id": KEEPER,
    "section_id": END,
    "section_name": "The end",
    "objective": "Say farewell.",
    "decisions": None,
    "parents": None,
    "triggers": None,
    **_PLAIN,
}
_ALARM: Final[dict[str, Wire]] = {
    "character_id": KEEPER,
    "trigger_id": ALARM,
    "trigger_name": "alarm",
    "trigger_message": "The bell rings.",
    "destination_section": END,
    "node_position": [],
}
_BELL: Final[dict[str, Wire]] = {
    "character_id": KEEPER,
    "trigger_id": BELL,
    "trigger_name": "bell",
    "trigger_message": "",
    "destination_section": None,
    "node_position": [],
}


def at(section: str, character: str = KEEPER) -> dict[str, Wire]:
    return {"character_id": character, "section_id": section}


def on(trigger: str, character: str = KEEPER) -> dict[str, Wire]:
    return {"character_id": character, "trigger_id": trigger}


async def section(world: World, section_id: str, character: str = KEEPER) -> dict[str, Wire]:
    found: dict[str, Wire] = await world.ok("get-section", at(section_id, character))
    return found


async def trigger(world: World, trigger_id: str, character: str = KEEPER) -> dict[str, Wire]:
    found: dict[str, Wire] = await world.ok("get-trigger", on(trigger_id, character))
    return found


async def edit(world: World, section_id: str, **changes: Wire) -> Wire:
    return await world.ok("edit-section", {**at(section_id), "updated_data": changes})


# -- reading ----------------------------------------------------------------------------------------------------------


@case("list-sections", decisions=(33, 34, 35, 36, 39, 59))
async def gives_every_section_oldest_first(world: World) -> None:
    assert await world.ok("list-sections", {"character_id": KEEPER}) == [_GATE, _HALL, _END]


@case("list-sections")
async def without_sections_it_is_an_empty_array(world: World) -> None:
    assert await world.ok("list-sections", {"character_id": GUIDE}) == []


@case("get-section", decisions=(33, 34, 35, 36, 59))
async def gives_the_same_section_as_the_list(world: World) -> None:
    for expected in (_GATE, _HALL, _END):
        assert await section(world, expected["section_id"]) == expected


@case("list-triggers", decisions=(34, 40))
async def gives_every_trigger_oldest_first(world: World) -> None:
    assert await world.ok("list-triggers", {"character_id": KEEPER}) == [_ALARM, _BELL]
    assert await world.ok("list-triggers", {"character_id": GUIDE}) == []


@case("get-trigger", decisions=(34,))
async def gives_the_same_trigger_as_the_list(world: World) -> None:
    assert await trigger(world, ALARM) == _ALARM
    assert await trigger(world, BELL) == _BELL


@case("get-section", decisions=(29,))
async def the_free_tier_may_read_its_own(world: World) -> None:
    found = await world.ok("get-section", at(seed.PUPIL_SECTION, seed.PUPIL), account=Account.FREE)
    assert found["section_id"] == seed.PUPIL_SECTION


@case("list-sections", decisions=(33, 59))
async def parents_follow_from_the_decisions(world: World) -> None:
    await edit(world, END, decisions=[{"criteria": "again", "next_section_id": GATE}])
    await edit(world, GATE, decisions=[])
    parents = {s["section_id"]: s["parents"] for s in await world.ok("list-sections", {"character_id": KEEPER})}
    assert parents == {GATE: [END], HALL: None, END: None}


# -- creating a section -----------------------------------------------------------------------------------------------


@case("create-section", decisions=(26,))
async def answers_with_the_new_id_and_keeps_what_was_given(world: World) -> None:
    given = {"character_id": KEEPER, "section_name": "", "objective": "a\nb \x00 [/] \u202e لام"}
    body = await world.ok("create-section", given)
    assert list(body) == ["section_id"]
    found = await section(world, body["section_id"])
    assert found == {**_END, **given, "section_id": body["section_id"]}
    assert (await world.record(KEEPER))["start_narrative_section_id"] == GATE


@case("create-section", decisions=(26,))
async def the_first_section_becomes_the_start(world: World) -> None:
    made = await world.ok("create-section", {"character_id": GUIDE, "section_name": "One", "objective": "-"})
    assert (await world.record(GUIDE))["start_narrative_section_id"] == made["section_id"]
    await world.ok("create-section", {"character_id": GUIDE, "section_name": "Two", "objective": "-"})
    assert (await world.record(GUIDE))["start_narrative_section_id"] == made["section_id"]


@case("create-section", decisions=(41, 71))
async def three_members_are_kept_raw_and_have_no_effect(world: World) -> None:
    ignored = ("updated_character_data", "behavior_tree_code", "bt_constants")
    for value in ({"character_name": "Nobody", "deep": [None]}, "text", None):
        given = {"character_id": KEEPER, "section_name": "S", "objective": "O", **dict.fromkeys(ignored, value)}
        made = await world.ok("create-section", given)
        found = await section(world, made["section_id"])
        assert {name: found[name] for name in ignored} == dict.fromkeys(ignored, value)
    assert (await world.record(KEEPER))["character_name"] == "Mara"


_SECTION: Final[dict[str, Wire]] = {"character_id": KEEPER, "section_name": "S", "objective": "O"}


def _without(payload: Mapping[str, Wire], name: str) -> dict[str, Wire]:
    return {member: value for member, value in payload.items() if member != name}


for _member in _SECTION:
    refuses(
        "create-section",
        ErrorKind.INVALID,
        f"without {_member}",
        _without(_SECTION, _member),
        _member,
        decisions=(53,),
    )
    refuses(
        "create-section",
        ErrorKind.INVALID,
        f"{_member} null",
        {**_SECTION, _member: None},
        _member,
        decisions=(53,),
    )
refuses(
    "create-section",
    ErrorKind.INVALID,
    "an unknown member",
    {**_SECTION, "decisions": []},
    "decisions",
    decisions=(53,),
)
refuses(
    "create-section",
    ErrorKind.INVALID,
    "a number where text or an object is taken",
    {**_SECTION, "bt_constants": 7},
    "bt_constants",
    decisions=(41,),
)

# -- editing a section ------------------------------------------------------------------------------------------------


@case("edit-section", decisions=(31, 35, 36))
async def echoes_and_keeps_what_changed(world: World) -> None:
    changes = {
        "section_name": "The old gate",
        "objective": "Ask {Name}.",
        "decisions": [{"criteria": "*", "next_section_id": END, "priority": -1}],
    }
    assert await edit(world, GATE, **changes) == {
        "status": "success",
        "section_id": GATE,
        "updated_data": changes,
    }
    assert await section(world, GATE) == {**_GATE, **changes, "parents": None}


@case("edit-section")
async def what_is_not_named_stays(world: World) -> None:
    body = await edit(world, HALL, objective="Only this.")
    assert body["updated_data"] == {"objective": "Only this."}
    assert await section(world, HALL) == {**_HALL, "objective": "Only this."}


@case("edit-section", decisions=(31,))
async def the_changes_go_by_either_name(world: World) -> None:
    for value in ("One", "Two"):
        for name in ("updated_data", "updated_character_data"):
            await world.ok("edit-section", {**at(END), name: {"section_name": f"{value} {name}"}})
            assert (await section(world, END))["section_name"] == f"{value} {name}"
    both = {name: {"section_name": "Same"} for name in ("updated_data", "updated_character_data")}
    await world.ok("edit-section", {**at(END), **both})
    assert (await section(world, END))["section_name"] == "Same"


@case("edit-section", decisions=(37,))
async def decisions_are_replaced_whole_and_the_last_write_wins(world: World) -> None:
    first = [{"criteria": "a", "next_section_id": END}]
    second = [{"criteria": "b", "next_section_id": HALL}, {"criteria": "b", "next_section_id": HALL}]
    await edit(world, GATE, decisions=first)
    await edit(world, GATE, decisions=second)
    assert (await section(world, GATE))["decisions"] == second
    await edit(world, GATE, decisions=[])
    assert (await section(world, GATE))["decisions"] == []


@case("edit-section", decisions=(38, 39))
async def a_dangling_reference_that_is_stored_may_be_sent_back(world: World) -> None:
    changed = [{**seed.HALL_DECISIONS[0], "criteria": "goes away"}, {"criteria": "stays", "next_section_id": HALL}]
    await edit(world, HALL, decisions=changed)
    assert (await section(world, HALL))["decisions"] == changed


@case("edit-section", ErrorKind.INVALID, decisions=(38, 59))
async def a_reference_to_no_section_is_refused_by_name(world: World) -> None:
    for unknown in (NOWHERE, "", seed.SCRIBE_SECTION, GONE):
        decisions = [{"criteria": "x", "next_section_id": HALL}, {"criteria": "y", "next_section_id": unknown}]
        request = {**at(GATE), "updated_data": {"section_name": "Changed", "decisions": decisions}}
        message = await world.refused("edit-section", request, ErrorKind.INVALID, "next_section_id")
        assert not unknown or unknown in message
    assert await section(world, GATE) == _GATE


@case("edit-section", decisions=(38,))
async def a_section_may_lead_to_itself(world: World) -> None:
    await edit(world, END, decisions=[{"criteria": "again", "next_section_id": END}])
    assert (await section(world, END))["parents"] == [END]


@case("edit-section", ErrorKind.CONFLICT, decisions=(37,), paths=LOCAL)
async def an_expected_section_that_was_edited(world: World) -> None:
    request = {**at(GATE), "updated_data": {"objective": "Mine."}}
    await world.conflicts("edit-section", request, {"objective": "Theirs."})
    assert await section(world, GATE) == _GATE
    await world.expecting("edit-section", request, {"objective": seed.SPOKEN, "decisions": seed.GATE_DECISIONS})
    assert (await section(world, GATE))["objective"] == "Mine."


_ONE: Final[dict[str, Wire]] = {"criteria": "x", "next_section_id": HALL}
_INVALID_EDITS: tuple[tuple[str, dict[str, Wire], tuple[str, ...], tuple[int, ...]], ...] = (
    ("no changes by either name", {}, ("updated_data",), (31,)),
    ("an empty object of changes", {"updated_data": {}}, ("updated_data",), (53,)),
    ("null for changes", {"updated_data": None}, ("updated_data",), (53,)),
    ("text for changes", {"updated_data": "section_name"}, ("updated_data", "object"), (53,)),
    (
        "two different objects of changes",
        {"updated_data": {"objective": "a"}, "updated_character_data": {"objective": "b"}},
        ("updated_data", "updated_character_data"),
        (31,),
    ),
    ("an unknown key", {"updated_data": {"triggers": []}}, ("triggers", "section_name", "decisions"), (53, 59)),
    ("a null name", {"updated_data": {"section_name": None}}, ("section_name",), (53,)),
    ("null decisions", {"updated_data": {"decisions": None}}, ("decisions",), (53,)),
    ("one decision for an array", {"updated_data": {"decisions": _ONE}}, ("decisions", "array"), (53,)),
    ("a decision without criteria", {"updated_data": {"decisions": [{"next_section_id": HALL}]}}, ("criteria",), (53,)),
    ("a decision to nowhere", {"updated_data": {"decisions": [{"criteria": "x"}]}}, ("next_section_id",), (53,)),
    (
        "a priority that is no whole number",
        {"updated_data": {"decisions": [{**_ONE, "priority": "1"}]}},
        ("priority",),
        (35, 53),
    ),
    (
        "a decision with an unknown key",
        {"updated_data": {"decisions": [{**_ONE, "weight": 1}]}},
        ("weight", "criteria"),
        (53,),
    ),
)
for _name, _changes, _words, _decisions in _INVALID_EDITS:
    refuses("edit-section", ErrorKind.INVALID, _name, {**at(GATE), **_changes}, *_words, decisions=_decisions)

# -- deleting a section -----------------------------------------------------------------------------------------------


@case("delete-section", decisions=(39,))
async def what_led_there_is_left_dangling(world: World) -> None:
    assert await world.ok("delete-section", at(HALL)) == {"STATUS": "Successful"}
    assert await world.ok("list-sections", {"character_id": KEEPER}) == [_GATE, _END]
    await world.ok("delete-section", at(END))
    assert await trigger(world, ALARM) == _ALARM


@case("delete-section", decisions=(26,))
async def without_its_start_the_story_starts_nowhere(world: World) -> None:
    await world.ok("delete-section", at(END))
    assert (await world.record(KEEPER))["start_narrative_section_id"] == GATE
    await world.ok("delete-section", at(GATE))
    assert (await world.record(KEEPER))["start_narrative_section_id"] is None
    made = await world.ok("create-section", _SECTION)
    assert (await world.record(KEEPER))["start_narrative_section_id"] == made["section_id"]


@case("delete-section", ErrorKind.NOT_FOUND, decisions=(27,))
async def a_second_time_there_is_nothing(world: World) -> None:
    await world.ok("delete-section", at(END))
    await world.refused("delete-section", at(END), ErrorKind.NOT_FOUND, END)
    await world.refused("get-section", at(END), ErrorKind.NOT_FOUND, END)


@case("delete-section", ErrorKind.CONFLICT, decisions=(37,), paths=LOCAL)
async def an_expected_section_is_not_deleted_once_edited(world: World) -> None:
    await world.conflicts("delete-section", at(END), {"objective": "Another."})
    assert await section(world, END) == _END
    await world.expecting("delete-section", at(END), {"objective": "Say farewell."})


# -- triggers ---------------------------------------------------------------------------------------------------------

_TRIGGER: Final[dict[str, Wire]] = {"character_id": KEEPER, "trigger_name": "knock", "trigger_message": "Knock!"}


@case("create-trigger", decisions=(32, 34, 40))
async def answers_with_the_whole_trigger(world: World) -> None:
    destinations: tuple[tuple[dict[str, Wire], str | None], ...] = (
        ({}, None),
        ({"destination_section": HALL}, HALL),
        ({"destination_section": None}, None),
        ({"destination_section": ""}, None),
        ({"desgination_section": HALL}, HALL),
        ({"desgination_section": HALL, "destination_section": HALL}, HALL),
    )
    for number, (given, stored) in enumerate(destinations):
        name = f"knock {number}"
        body = await world.ok("create-trigger", {**_TRIGGER, "trigger_name": name, **given})
        assert body == {
            "character_id": KEEPER,
            "trigger_id": body["trigger_id"],
            "trigger_name": name,
            "trigger_message": "Knock!",
            "destination_section": stored,
            "node_position": [],
        }
        assert await trigger(world, body["trigger_id"]) == body


@case("create-trigger", decisions=(40,))
async def names_that_differ_in_case_or_blanks_are_two_names(world: World) -> None:
    for name in ("Alarm", "alarm ", " alarm", "ALARM", "аlarm"):
        await world.ok("create-trigger", {**_TRIGGER, "trigger_name": name})
    assert len(await world.ok("list-triggers", {"character_id": KEEPER})) == 7


@case("create-trigger", decisions=(40,))
async def another_character_may_use_the_same_name(world: World) -> None:
    await world.ok("create-trigger", {**_TRIGGER, "character_id": GUIDE, "trigger_name": "alarm"})


refuses(
    "create-trigger",
    ErrorKind.CONFLICT,
    "a name that is taken",
    {**_TRIGGER, "trigger_name": "alarm"},
    "alarm",
    decisions=(27, 40),
)
_INVALID_TRIGGERS: tuple[tuple[str, dict[str, Wire], tuple[str, ...], tuple[int, ...]], ...] = (
    ("without a name", _without(_TRIGGER, "trigger_name"), ("trigger_name",), (53,)),
    ("without a message", _without(_TRIGGER, "trigger_message"), ("trigger_message",), (53,)),
    ("without a character", _without(_TRIGGER, "character_id"), ("character_id",), (53,)),
    ("a name that is no text", {**_TRIGGER, "trigger_name": 1}, ("trigger_name",), (53,)),
    ("an unknown member", {**_TRIGGER, "node_position": []}, ("node_position",), (53,)),
    ("a destination nowhere", {**_TRIGGER, "destination_section": NOWHERE}, ("destination_section", NOWHERE), (38, 59)),
    (
        "a destination of another character",
        {**_TRIGGER, "destination_section": seed.SCRIBE_SECTION},
        ("destination_section",),
        (38,),
    ),
    ("a destination nowhere by the other name", {**_TRIGGER, "desgination_section": NOWHERE}, (NOWHERE,), (32, 38)),
    (
        "two different destinations",
        {**_TRIGGER, "destination_section": HALL, "desgination_section": END},
        ("destination_section", "desgination_section"),
        (32,),
    ),
    ("a destination that is no text", {**_TRIGGER, "destination_section": []}, ("destination_section",), (53,)),
)
for _name, _payload, _words, _decisions in _INVALID_TRIGGERS:
    refuses("create-trigger", ErrorKind.INVALID, _name, _payload, *_words, decisions=_decisions)


@case("update-trigger", decisions=(38, 40))
async def changes_what_is_named(world: World) -> None:
    for changes, stored in (
        ({"trigger_message": ""}, {"trigger_message": ""}),
        ({"trigger_name": "siren"}, {"trigger_name": "siren"}),
        ({"destination_section": HALL}, {"destination_section": HALL}),
        ({"destination_section": None}, {"destination_section": None}),
        ({"destination_section": GATE}, {"destination_section": GATE}),
        ({"destination_section": ""}, {"destination_section": None}),
        ({"trigger_name": "alarm", "destination_section": END}, {"trigger_name": "alarm", "destination_section": END}),
    ):
        before = await trigger(world, ALARM)
        body = await world.ok("update-trigger", {**on(ALARM), "updated_data": changes})
        assert body == {"STATUS": "Successful", "message": "trigger updated"}
        assert await trigger(world, ALARM) == {**before, **stored}


@case("update-trigger", decisions=(38,))
async def a_dangling_destination_may_be_sent_back(world: World) -> None:
    await world.ok("delete-section", at(END))
    changes = {"trigger_message": "Still ringing.", "destination_section": END}
    await world.ok("update-trigger", {**on(ALARM), "updated_data": changes})
    assert await trigger(world, ALARM) == {**_ALARM, **changes}


@case("update-trigger", decisions=(40,))
async def its_own_name_is_not_taken(world: World) -> None:
    await world.ok("update-trigger", {**on(ALARM), "updated_data": {"trigger_name": "alarm"}})


refuses(
    "update-trigger",
    ErrorKind.CONFLICT,
    "a name that is taken",
    {**on(BELL), "updated_data": {"trigger_name": "alarm"}},
    "alarm",
    decisions=(27, 40),
)


@case("update-trigger", ErrorKind.CONFLICT, decisions=(37,), paths=LOCAL)
async def an_expected_trigger_that_was_changed(world: World) -> None:
    request = {**on(ALARM), "updated_data": {"trigger_message": "Mine."}}
    await world.conflicts("update-trigger", request, {"trigger_message": "Theirs."})
    assert await trigger(world, ALARM) == _ALARM
    await world.expecting("update-trigger", request, {"trigger_message": "The bell rings."})


_INVALID_UPDATES: tuple[tuple[str, dict[str, Wire], tuple[str, ...], tuple[int, ...]], ...] = (
    ("without changes", {}, ("updated_data",), (53,)),
    ("an empty object of changes", {"updated_data": {}}, ("updated_data",), (53,)),
    ("an unknown key", {"updated_data": {"name": "x"}}, ("name", "trigger_name"), (53,)),
    ("the misspelt destination", {"updated_data": {"desgination_section": HALL}}, ("desgination_section",), (32, 53)),
    ("a null name", {"updated_data": {"trigger_name": None}}, ("trigger_name",), (53,)),
    ("a number for a message", {"updated_data": {"trigger_message": 1}}, ("trigger_message",), (53,)),
    ("a destination nowhere", {"updated_data": {"destination_section": NOWHERE}}, (NOWHERE,), (38, 59)),
)
for _name, _changes, _words, _decisions in _INVALID_UPDATES:
    refuses("update-trigger", ErrorKind.INVALID, _name, {**on(ALARM), **_changes}, *_words, decisions=_decisions)


@case("delete-trigger")
async def it_is_gone_and_its_name_is_free(world: World) -> None:
    body = await world.ok("delete-trigger", on(ALARM))
    assert body["STATUS"] == "Successful"
    assert isinstance(body["message"], str)
    assert set(body) == {"STATUS", "message"}
    assert await world.ok("list-triggers", {"character_id": KEEPER}) == [_BELL]
    assert (await section(world, HALL))["triggers"] == _HALL["triggers"]
    await world.ok("create-trigger", {**_TRIGGER, "trigger_name": "alarm"})


@case("delete-trigger", ErrorKind.CONFLICT, decisions=(37,), paths=LOCAL)
async def an_expected_trigger_is_not_deleted_once_changed(world: World) -> None:
    await world.conflicts("delete-trigger", on(BELL), {"trigger_message": "Another."})
    assert await trigger(world, BELL) == _BELL
    await world.expecting("delete-trigger", on(BELL), {"destination_section": None})


# -- what is addressed must be there, and one's own -------------------------------------------------------------------

_BY_CHARACTER: Final[Mapping[str, dict[str, Wire]]] = {
    "list-sections": {},
    "list-triggers": {},
    "create-section": _without(_SECTION, "character_id"),
    "create-trigger": _without(_TRIGGER, "character_id"),
}
_BY_SECTION: Final[Mapping[str, dict[str, Wire]]] = {
    "get-section": {},
    "edit-section": {"updated_data": {"objective": "x"}},
    "delete-section": {},
}
_BY_TRIGGER: Final[Mapping[str, dict[str, Wire]]] = {
    "get-trigger": {},
    "update-trigger": {"updated_data": {"trigger_message": "x"}},
    "delete-trigger": {},
}


def _not_found(operation: str, name: str, address: Mapping[str, Wire], rest: Mapping[str, Wire], named: str) -> None:
    refuses(operation, ErrorKind.NOT_FOUND, name, {**address, **rest}, named, decisions=(27, 56, 59))


for _operation, _rest in {**_BY_CHARACTER, **_BY_SECTION, **_BY_TRIGGER}.items():
    _item: dict[str, Wire] = {}
    if _operation in _BY_SECTION:
        _item = {"section_id": GATE}
    if _operation in _BY_TRIGGER:
        _item = {"trigger_id": ALARM}
    for _name, _who in (("an unknown character", NOWHERE), ("somebody else's character", seed.FOREIGN), ("nobody", "")):
        _not_found(_operation, _name, {"character_id": _who, **_item}, _rest, _who)
    refuses(
        _operation,
        ErrorKind.INVALID,
        "a character that is no text",
        {"character_id": 7, **_item, **_rest},
        "character_id",
        decisions=(53,),
    )
    refuses(
        _operation,
        ErrorKind.INVALID,
        "a member of another operation",
        {"character_id": KEEPER, **_item, **_rest, "charID": KEEPER},
        "charID",
        decisions=(53,),
    )
for _operation, _rest in _BY_SECTION.items():
    for _name, _which in (("an unknown section", NOWHERE), ("a section of another character", seed.SCRIBE_SECTION)):
        _not_found(_operation, _name, at(_which), _rest, _which)
    refuses(
        _operation, ErrorKind.INVALID, "no section", {"character_id": KEEPER, **_rest}, "section_id", decisions=(53,)
    )
for _operation, _rest in _BY_TRIGGER.items():
    for _name, _which in (("an unknown trigger", NOWHERE), ("a trigger of another character", seed.SCRIBE_TRIGGER)):
        _not_found(_operation, _name, on(_which), _rest, _which)
    refuses(
        _operation, ErrorKind.INVALID, "no trigger", {"character_id": KEEPER, **_rest}, "trigger_id", decisions=(53,)
    )

_not_found("get-section", "a section of somebody else", at(seed.FOREIGN_SECTION, SCRIBE), {}, seed.FOREIGN_SECTION)
