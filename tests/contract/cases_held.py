"""What a character has had can be written back, whatever catalogue and graph say by now (decision 68)."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operations import operation
from tests.contract import seed
from tests.contract.case import case
from tests.contract.seed import ALARM, BELL, GATE, GONE, GUIDE, HALL, HALL_DECISIONS, KEEPER, NOWHERE
from tests.contract.world import Account, World

#: A code that an account registered itself, and that the catalogue does not have.
OWN: Final = "own-model-8b"


async def _restored(world: World, character_id: str, *, level: str | None = None, temperature: Wire = 0) -> None:
    """Put a character into the store as another store held it: with a model, level or temperature that none offers."""
    snapshot: dict[str, Wire] = {
        "record": {
            "character_id": character_id,
            "character_name": "Nova",
            "personalised_prompt_config": {"MODEL": OWN, "TEMPERATURE": temperature},
        },
        "reasoning_effort": level,
        "sections": [],
        "triggers": [],
    }
    await world.inside().call(operation("restore-character"), {"snapshot": snapshot})


async def _set(world: World, character_id: str, **settings: Wire) -> dict[str, Wire]:
    await world.ok("update-character", {"charID": character_id, **settings})
    return await world.settings(character_id)


@case("update-character", decisions=(20, 68))
async def the_present_code_again_changes_nothing(world: World) -> None:
    await _restored(world, NOWHERE, level="deep")
    settings = await _set(world, NOWHERE, model_group_name=OWN)
    assert (settings["model_group_name"], settings["reasoning_effort"]) == (OWN, "deep")


@case("update-character", decisions=(68,))
async def a_code_level_and_temperature_that_it_had(world: World) -> None:
    await _restored(world, NOWHERE, level="deep", temperature=Decimal("1.5"))
    changed = await _set(world, NOWHERE, model_group_name="mdla-4o", temperature=Decimal("0.5"))
    assert (changed["model_group_name"], changed["reasoning_effort"]) == ("mdla-4o", None)
    settings = await _set(
        world, NOWHERE, model_group_name=OWN, reasoning_effort="deep", temperature=Decimal("1.5"), backstory=""
    )
    assert (settings["model_group_name"], settings["reasoning_effort"]) == (OWN, "deep")
    assert settings["temperature"] == Decimal("1.5")


@case("update-character", decisions=(68,))
async def a_code_that_another_character_of_the_account_had(world: World) -> None:
    await _restored(world, NOWHERE)
    await world.inside().call(operation("delete-character"), {"charID": NOWHERE})
    assert (await _set(world, GUIDE, model_group_name=OWN))["model_group_name"] == OWN


@case("update-character", decisions=(68,))
async def a_code_of_a_copy(world: World) -> None:
    await _restored(world, NOWHERE)
    answer = await world.inside().call(operation("duplicate-character"), {"charID": NOWHERE})
    copy = answer.body["character_id"]
    await _set(world, copy, model_group_name="mdla-4o")
    assert (await _set(world, copy, model_group_name=OWN))["model_group_name"] == OWN


@case("update-character", ErrorKind.INVALID, decisions=(20, 56, 68))
async def a_code_that_only_another_account_had(world: World) -> None:
    record = {"personalised_prompt_config": {"MODEL": OWN}}
    made = {"character_name": "Kit", "record": record}
    await world.inside(Account.ENTERPRISE).call(operation("create-character"), made)
    await world.refused("update-character", {"charID": GUIDE, "model_group_name": OWN}, ErrorKind.INVALID, OWN)


@case("update-character", ErrorKind.INVALID, decisions=(24, 68))
async def a_level_that_it_had_under_another_model(world: World) -> None:
    await _restored(world, NOWHERE, level="deep")
    request: dict[str, Wire] = {"charID": NOWHERE, "model_group_name": "mdla-5.4", "reasoning_effort": "deep"}
    await world.refused("update-character", request, ErrorKind.INVALID, "deep", "mdla-5.4")


def _edit(section_id: str, decisions: Wire) -> dict[str, Wire]:
    return {"character_id": KEEPER, "section_id": section_id, "updated_data": {"decisions": decisions}}


@case("edit-section", decisions=(38, 59, 68))
async def a_decision_that_led_nowhere_comes_back(world: World) -> None:
    await world.ok("edit-section", _edit(HALL, []))
    await world.ok("edit-section", _edit(HALL, HALL_DECISIONS))
    section = await world.ok("get-section", {"character_id": KEEPER, "section_id": HALL})
    assert section["decisions"] == HALL_DECISIONS


@case("edit-section", ErrorKind.INVALID, decisions=(38, 59, 68))
async def a_section_that_is_gone_and_to_which_only_another_led(world: World) -> None:
    await world.ok("edit-section", _edit(HALL, []))
    await world.refused("edit-section", _edit(GATE, HALL_DECISIONS), ErrorKind.INVALID, GONE)


@case("update-trigger", decisions=(38, 59, 68))
async def a_destination_that_is_gone_comes_back(world: World) -> None:
    address = {"character_id": KEEPER, "trigger_id": BELL}
    for destination in (HALL, None, HALL):
        if destination is None:
            await world.ok("delete-section", {"character_id": KEEPER, "section_id": HALL})
        await world.ok("update-trigger", {**address, "updated_data": {"destination_section": destination}})
    assert (await world.ok("get-trigger", address))["destination_section"] == HALL


@case("set-override", decisions=(59, 68))
async def an_override_of_a_trigger_that_is_gone_comes_back(world: World) -> None:
    inside = world.inside()
    await inside.call(operation("delete-trigger"), {"character_id": KEEPER, "trigger_id": ALARM})
    override = {"character_id": KEEPER, "section_id": HALL, "trigger_id": ALARM}
    for destination in (None, seed.GATE):
        await inside.call(operation("set-override"), {**override, "destination_section": destination})
    section = await world.ok("get-section", {"character_id": KEEPER, "section_id": HALL})
    assert section["triggers"] == [{"trigger_id": ALARM, "destination_section": GATE}]
