"""Characters: the list, models, settings, both state tables (C 3, 4.1 to 4.3, 4.15; decisions 17 to 30, 57, 58)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from chartui.core.jsontext import Wire, loads
from chartui.core.spec.errors import ErrorKind
from tests.contract import seed
from tests.contract.case import add, case, refuses
from tests.contract.seed import GUIDE, KEEPER, NOWHERE, SCRIBE
from tests.contract.world import LOCAL, Account, World

# -- the list ---------------------------------------------------------------------------------------------------------


@case("list-characters", decisions=(26, 30, 56, 57))
async def gives_every_record_of_the_account_as_it_was_stored(world: World) -> None:
    body = await world.ok("list-characters", {})
    assert list(body) == ["characters"]
    assert [record["character_id"] for record in body["characters"]] == [KEEPER, GUIDE, SCRIBE]
    keeper = body["characters"][0]
    assert {name: keeper[name] for name in seed.KEEPER_RECORD} == seed.KEEPER_RECORD
    assert keeper["character_name"] == "Mara"
    assert keeper["start_narrative_section_id"] == seed.GATE
    assert keeper["is_narrative_driven"] is False
    assert keeper["timestamp"] == seed.CREATED
    assert "backstory" not in keeper
    assert "reasoning_effort" not in keeper


@case("list-characters", decisions=(30,))
async def a_record_has_every_member_of_the_document(world: World) -> None:
    guide = await world.record(GUIDE)
    assert {
        "character_name",
        "collection_name",
        "user_id",
        "character_id",
        "model_type",
        "state_names",
        "state_links",
        "listing",
        "voice_type",
        "voice_pitch",
        "blockchain",
        "contract_address",
        "mint_address",
        "owner_address",
        "timestamp",
        "character_actions",
        "character_emotions",
        "model_details",
        "language_code",
        "language_codes",
        "guard_rails",
        "metadata_filter",
        "personalised_prompt_config",
        "boosted_words",
        "guardrail_meta",
        "start_narrative_section_id",
        "is_narrative_driven",
        "character_traits",
        "memory_settings",
        "last_interacted_with",
        "pronunciation_metadata",
        "description",
        "speaking_style",
        "embodiment",
        "embodiment_data",
    } <= set(guide)


@case("list-characters", decisions=(29, 56))
async def every_account_sees_its_own(world: World) -> None:
    for account, own in ((Account.FREE, seed.PUPIL), (Account.ENTERPRISE, seed.FOREIGN)):
        body = await world.ok("list-characters", {}, account=account)
        assert [record["character_id"] for record in body["characters"]] == [own]


refuses("list-characters", ErrorKind.INVALID, "a member", {"charID": KEEPER}, "charID", decisions=(53,), paths=LOCAL)

# -- models -----------------------------------------------------------------------------------------------------------

#: Decision 21, word for word: levels from least to most, auto, default.
_FIVE = (("none", "low", "medium", "high", "xhigh"), True, "medium")
_FOUR = (("none", "low", "medium", "high"), True, "medium")
_FAMILY_B = (("none", "low", "medium", "high"), True, None)
_FAMILY_C = (("minimal", "low", "medium", "high"), True, "low")
REASONING: Final[Mapping[str, tuple[tuple[str, ...], bool, str | None]]] = {
    "mdla-5.4": _FIVE,
    "mdla-5.x": _FIVE,
    **dict.fromkeys(("mdla-5.1", "mdla-5.4-mini", "mdla-5.4-nano", "mdla-5.x-mini", "mdla-5.x-nano"), _FOUR),
    "mdla-oss-120b": (("low", "medium", "high"), False, "medium"),
    **dict.fromkeys(("mdlb-4-5-sonnet", "mdlb-4-5-haiku", "mdlb-haiku"), _FAMILY_B),
    "mdlb-sonnet": (("none", "low", "medium", "high", "max"), True, None),
    **dict.fromkeys(("mdlc-3.5-flash", "mdlc-flash", "mdlc-3.1-flash-lite", "mdlc-flash-lite"), _FAMILY_C),
    "mdle-4.3": (("low", "high"), False, None),
}


@case("list-models", decisions=(19, 21))
async def wraps_the_entries_as_text_under_status(world: World) -> None:
    body = await world.ok("list-models", {"charID": KEEPER})
    assert list(body) == ["STATUS"]
    entries = loads(body["STATUS"])
    assert len(entries) == 35
    found = {}
    for entry in entries:
        assert set(entry) - {"reasoning"} == {"model_group_name", "display_name", "is_active", "is_deprecated"}
        if (reasoning := entry.get("reasoning")) is not None:
            assert set(reasoning) <= {"levels", "supports_auto", "default"}
            found[entry["model_group_name"]] = (
                tuple(reasoning["levels"]),
                reasoning["supports_auto"],
                reasoning.get("default"),
            )
            assert reasoning.get("default", "") is not None
    assert found == REASONING


@case("list-models", decisions=(18,))
async def needs_no_character(world: World) -> None:
    assert await world.ok("list-models", {}) == await world.ok("list-models", {"charID": GUIDE})


refuses("list-models", ErrorKind.INVALID, "a character that is no text", {"charID": 7}, "charID", decisions=(53,))
refuses("list-models", ErrorKind.INVALID, "an unknown member", {"character_id": KEEPER}, "charID", decisions=(53,))
refuses("list-models", ErrorKind.NOT_FOUND, "an unknown character", {"charID": NOWHERE}, NOWHERE, decisions=(27,))
refuses("list-models", ErrorKind.TIER, "a free account", {}, "professional", decisions=(27, 29), account=Account.FREE)


@case("list-models", decisions=(29,))
async def the_enterprise_tier_may_too(world: World) -> None:
    await world.ok("list-models", {}, account=Account.ENTERPRISE)


# -- update: each setting ---------------------------------------------------------------------------------------------


@case("update-character", decisions=(57,))
async def the_model_is_changed(world: World) -> None:
    assert await world.ok("update-character", {"charID": GUIDE, "model_group_name": "mdlg3-70b"}) == {
        "STATUS": "SUCCESS"
    }
    assert (await world.record(GUIDE))["personalised_prompt_config"]["MODEL"] == "mdlg3-70b"


@case("update-character", decisions=(54, 57))
async def the_temperature_is_changed_from_end_to_end_of_its_range(world: World) -> None:
    for given, stored in ((0, "0"), (1, "1"), (Decimal("0.25"), "0.25"), (Decimal("1.0"), "1")):
        await world.ok("update-character", {"charID": KEEPER, "temperature": given})
        found = (await world.record(KEEPER))["personalised_prompt_config"]["TEMPERATURE"]
        assert found == Decimal(stored)
        assert (await world.settings(KEEPER))["temperature"] == Decimal(stored)


@case("update-character", decisions=(26,))
async def the_backstory_is_changed_to_any_text(world: World) -> None:
    for text in ("Short.", "", "two\nlines \x00 \x1b[2J [/] \u202e لام 灯", "x" * 100_000):
        await world.ok("update-character", {"charID": KEEPER, "backstory": text})
        assert (await world.settings(KEEPER))["backstory"] == text


@case("update-character", decisions=(30, 57))
async def everything_else_in_the_record_stays(world: World) -> None:
    before = await world.record(KEEPER)
    changes = {"model_group_name": "mdla-5.1", "temperature": Decimal("0.1"), "backstory": "New."}
    await world.ok("update-character", {"charID": KEEPER, **changes})
    after = await world.record(KEEPER)
    assert list(after) == list(before)
    config = {**before["personalised_prompt_config"], "MODEL": "mdla-5.1", "TEMPERATURE": Decimal("0.1")}
    assert after == {**before, "personalised_prompt_config": config}


@case("update-character", decisions=(17,))
async def several_settings_go_in_one_request(world: World) -> None:
    changes = {
        "model_group_name": "mdlb-sonnet",
        "temperature": Decimal("0.5"),
        "reasoning_effort": "max",
        "backstory": "All at once.",
    }
    await world.ok("update-character", {"charID": KEEPER, **changes})
    assert await world.settings(KEEPER) == {"character_id": KEEPER, **changes}


@case("update-character", ErrorKind.INVALID, decisions=(17, 22))
async def all_or_nothing(world: World) -> None:
    before = await world.settings(KEEPER)
    good = {"charID": KEEPER, "model_group_name": "mdle-4.3", "temperature": Decimal("0.5"), "backstory": "New."}
    for wrong in (
        {"temperature": 2},
        {"model_group_name": "mdla-9"},
        {"reasoning_effort": "medium"},
        {"backstory": None},
    ):
        await world.refused("update-character", {**good, **wrong}, ErrorKind.INVALID)
        assert await world.settings(KEEPER) == before


@case("update-character", ErrorKind.CONFLICT, decisions=(37,), paths=LOCAL)
async def an_expectation_that_no_longer_holds_is_a_conflict(world: World) -> None:
    before = await world.settings(KEEPER)
    await world.conflicts("update-character", {"charID": KEEPER, "backstory": "New."}, {"backstory": "Old."})
    assert await world.settings(KEEPER) == before
    await world.expecting(
        "update-character", {"charID": KEEPER, "backstory": "New."}, {"backstory": before["backstory"]}
    )
    assert (await world.settings(KEEPER))["backstory"] == "New."


_INVALID_UPDATES: tuple[tuple[str, dict[str, Wire], tuple[str, ...], tuple[int, ...]], ...] = (
    ("Nothing to change", {"charID": KEEPER}, (), (53,)),
    ("no character", {"temperature": 1}, ("charID",), (53,)),
    ("a character that is no text", {"charID": 1, "temperature": 1}, ("charID",), (53,)),
    ("an unknown member", {"charID": KEEPER, "temprature": 1}, ("temprature", "temperature"), (53,)),
    ("too hot", {"charID": KEEPER, "temperature": Decimal("1.0000001")}, ("temperature", "1"), (27,)),
    ("too cold", {"charID": KEEPER, "temperature": Decimal("-0.1")}, ("temperature", "0"), (27,)),
    ("a truth for a temperature", {"charID": KEEPER, "temperature": True}, ("temperature",), (27, 53)),
    ("text for a temperature", {"charID": KEEPER, "temperature": "0.5"}, ("temperature",), (27, 53)),
    ("an unknown model", {"charID": KEEPER, "model_group_name": "mdla-9"}, ("mdla-9",), (20, 27)),
    ("an estimator key for a model", {"charID": KEEPER, "model_group_name": "mdla_4o"}, ("mdla_4o",), (20,)),
    ("an empty model", {"charID": KEEPER, "model_group_name": ""}, (), (20,)),
    ("no level", {"charID": KEEPER, "reasoning_effort": None}, ("reasoning_effort",), (23,)),
    ("no model", {"charID": KEEPER, "model_group_name": None}, ("model_group_name",), (53,)),
    ("no backstory", {"charID": KEEPER, "backstory": None}, ("backstory",), (53,)),
)
for _name, _payload, _words, _decisions in _INVALID_UPDATES:
    refuses("update-character", ErrorKind.INVALID, _name, _payload, *_words, decisions=_decisions)

refuses(
    "update-character",
    ErrorKind.NOT_FOUND,
    "an unknown character",
    {"charID": NOWHERE, "temperature": 1},
    NOWHERE,
    decisions=(27,),
)
refuses(
    "update-character",
    ErrorKind.NOT_FOUND,
    "somebody else's character",
    {"charID": seed.FOREIGN, "temperature": 1},
    seed.FOREIGN,
    decisions=(27, 56),
)
refuses(
    "update-character",
    ErrorKind.TIER,
    "a free account",
    {"charID": seed.PUPIL, "temperature": 1},
    "professional",
    decisions=(27, 29),
    account=Account.FREE,
)

# -- the reasoning setting: the state table of C 3 with decision 58, whole --------------------------------------------

NOT_SET: Final = None
_INPUTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max", "auto", "", "HIGH", "nonsense")
#: One model with auto, one without, one without reasoning at all; with a character that has it, and where it can be.
_MODELS: Final[Mapping[str, tuple[str, tuple[str | None, ...]]]] = {
    "mdla-5.4": (KEEPER, (NOT_SET, "low", "xhigh", "auto")),
    "mdla-oss-120b": (SCRIBE, (NOT_SET, "low", "high")),
    "mdla-4o": (GUIDE, (NOT_SET,)),
}


def _transition(model: str, state: str | None, given: str) -> None:
    character, _ = _MODELS[model]
    levels, supports_auto, _ = REASONING.get(model, ((), False, None))
    accepted = given in levels or given == "" or (given == "auto" and supports_auto)

    async def run(world: World) -> None:
        await world.set_reasoning(character, state)
        request = {"charID": character, "reasoning_effort": given}
        if accepted:
            assert await world.ok("update-character", request) == {"STATUS": "SUCCESS"}
            assert (await world.settings(character))["reasoning_effort"] == (given or NOT_SET)
            return
        message = await world.refused("update-character", request, ErrorKind.INVALID)
        supported = ", ".join((*levels, *(["auto"] if supports_auto else [])))
        assert message.startswith(f"Invalid reasoning_effort '{given}' for model '{model}'. Supported values:")
        assert supported in message
        assert (await world.settings(character))["reasoning_effort"] == state

    name = f"{model}, {state or 'not set'} -> {given or 'cleared'}"
    outcome = None if accepted else ErrorKind.INVALID
    add(name, "update-character", run, outcome=outcome, decisions=(21, 23, 24, 58))


for _model, (_, _states) in _MODELS.items():
    for _state in _states:
        for _given in _INPUTS:
            _transition(_model, _state, _given)


# -- a change of model and the level that is set (decision 22) --------------------------------------------------------

_MODEL_CHANGES: Final[tuple[tuple[str | None, str, str | None], ...]] = (
    ("high", "mdla-5.1", "high"),  # accepted there too: kept
    ("xhigh", "mdla-5.1", "auto"),  # not accepted, auto is supported
    ("xhigh", "mdle-4.3", NOT_SET),  # not accepted, no auto
    ("low", "mdle-4.3", "low"),
    ("auto", "mdlc-flash", "auto"),
    ("auto", "mdla-oss-120b", NOT_SET),
    ("none", "mdlc-flash", "auto"),  # none and minimal are two things (decision 23)
    ("low", "mdla-4o", NOT_SET),
    ("auto", "mdlc-2.5-flash-live", NOT_SET),
    (NOT_SET, "mdla-5.1", NOT_SET),
    (NOT_SET, "mdla-4o", NOT_SET),
    ("medium", "mdla-5.4", "medium"),  # the same model again
)


def _model_change(state: str | None, model: str, after: str | None) -> None:
    async def run(world: World) -> None:
        await world.set_reasoning(KEEPER, state)
        await world.ok("update-character", {"charID": KEEPER, "model_group_name": model})
        settings = await world.settings(KEEPER)
        assert (settings["model_group_name"], settings["reasoning_effort"]) == (model, after)

    name = f"{state or 'not set'} on a change to {model} -> {after or 'not set'}"
    add(name, "update-character", run, decisions=(22, 23))


for _from, _to, _after in _MODEL_CHANGES:
    _model_change(_from, _to, _after)


@case("update-character", decisions=(22,))
async def a_level_in_the_same_request_is_judged_against_the_new_model(world: World) -> None:
    for model, level in (("mdlb-sonnet", "max"), ("mdlc-flash", "minimal"), ("mdla-5.1", "auto"), ("mdla-4o", "")):
        await world.ok("update-character", {"charID": KEEPER, "model_group_name": model, "reasoning_effort": level})
        assert (await world.settings(KEEPER))["reasoning_effort"] == (level or NOT_SET)


@case("update-character", ErrorKind.INVALID, decisions=(22, 24))
async def a_level_in_the_same_request_that_the_new_model_refuses(world: World) -> None:
    for model, level in (("mdlc-flash", "none"), ("mdle-4.3", "auto"), ("mdla-4o", "low")):
        request = {"charID": KEEPER, "model_group_name": model, "reasoning_effort": level}
        message = await world.refused("update-character", request, ErrorKind.INVALID)
        assert message.startswith(f"Invalid reasoning_effort '{level}' for model '{model}'.")
        assert (await world.settings(KEEPER))["model_group_name"] == "mdla-5.4"


# -- the narrative flag: the other state table of C 3 -----------------------------------------------------------------


def _toggle(state: bool, given: bool) -> None:
    async def run(world: World) -> None:
        for enabled in (state, given):
            request = {"character_id": KEEPER, "is_narrative_driven": enabled}
            assert await world.ok("toggle-narrative", request) == {"STATUS": "Successful"}
            assert (await world.record(KEEPER))["is_narrative_driven"] is enabled

    add(f"{state} -> {given}".lower(), "toggle-narrative", run, decisions=(51,))


for _before in (False, True):
    for _wanted in (False, True):
        _toggle(_before, _wanted)


@case("toggle-narrative", decisions=(29, 51))
async def the_free_tier_may(world: World) -> None:
    request = {"character_id": seed.PUPIL, "is_narrative_driven": True}
    await world.ok("toggle-narrative", request, account=Account.FREE)


@case("toggle-narrative", ErrorKind.CONFLICT, decisions=(37,), paths=LOCAL)
async def an_expected_flag_that_was_switched(world: World) -> None:
    request = {"character_id": KEEPER, "is_narrative_driven": True}
    await world.conflicts("toggle-narrative", request, {"is_narrative_driven": True})
    await world.expecting("toggle-narrative", request, {"is_narrative_driven": False})


_INVALID_TOGGLES: tuple[tuple[str, dict[str, Wire], str], ...] = (
    ("text for a truth", {"character_id": KEEPER, "is_narrative_driven": "true"}, "is_narrative_driven"),
    ("a number for a truth", {"character_id": KEEPER, "is_narrative_driven": 1}, "is_narrative_driven"),
    ("null", {"character_id": KEEPER, "is_narrative_driven": None}, "is_narrative_driven"),
    ("no flag", {"character_id": KEEPER}, "is_narrative_driven"),
    ("no character", {"is_narrative_driven": True}, "character_id"),
    ("the other name of a character", {"charID": KEEPER, "is_narrative_driven": True}, "charID"),
)
for _name, _payload, _word in _INVALID_TOGGLES:
    refuses("toggle-narrative", ErrorKind.INVALID, _name, _payload, _word, decisions=(53,))
for _name, _character in (("an unknown character", NOWHERE), ("somebody else's character", seed.FOREIGN)):
    refuses(
        "toggle-narrative",
        ErrorKind.NOT_FOUND,
        _name,
        {"character_id": _character, "is_narrative_driven": True},
        _character,
        decisions=(27, 56),
    )
