"""Estimates and options (E; decisions 1 to 16, 54 and 55)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind
from tests.contract.case import add, case, refuses
from tests.contract.world import LOCAL, World

ORDER = ("ai_response", "prompt", "memory", "knowledge", "voice_input", "voice_output", "animation", "platform")
QUANTITIES = ("inputTokens", "outputChars", "sttSeconds", "ttsSeconds")
SILENT = {"stt": "no_stt_input", "tts": "no_tts", "animation": "no_animation", "memory": False, "knowledge": False}


async def rates(world: World, kind: str, key: str) -> Mapping[str, Decimal]:
    options = (await world.ok("options", {}))["options"]
    (entry,) = (entry for entry in options[kind] if entry["key"] == key)
    found: Mapping[str, Decimal] = entry["credits"]
    return found


def lines_of(estimate: Wire) -> dict[str, Wire]:
    return {line["key"]: line for line in estimate["lines"]}


async def ask(world: World, selections: Mapping[str, Wire], assumptions: Mapping[str, Wire] | None = None) -> Wire:
    """The estimate, asked in both ways, which must agree to the last digit."""
    posted = await world.ok("estimate", {"selections": selections, "assumptions": assumptions or {}})
    assert await world.ok("get-estimate", {**selections, **(assumptions or {})}) == posted
    return posted


def micro(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.000001"))


@case("estimate", decisions=(1, 2, 5, 6, 8, 55))
async def defaults_are_echoed_and_the_lines_add_up(world: World) -> None:
    estimate = await world.ok("estimate", {})
    assert list(estimate) == [
        "api_version",
        "rate_card",
        "selections",
        "assumptions",
        "totals",
        "lines",
        "latency_ms",
        "disclaimer",
    ]
    assert estimate["api_version"] == "1.0.0"
    assert set(estimate["rate_card"]) == {"version", "effective_date"}
    assert isinstance(estimate["rate_card"]["version"], int)
    assert set(estimate["selections"]) == {"llm", "memory", "knowledge", "stt", "tts", "animation"}
    assert estimate["assumptions"] == {"inputTokens": 4000, "outputChars": 150, "sttSeconds": 8, "ttsSeconds": 10}
    assert "reference rates" in estimate["disclaimer"]
    assert all(set(line) == {"key", "label", "credits", "detail", "latency_ms"} for line in estimate["lines"])
    keys = [line["key"] for line in estimate["lines"]]
    assert keys == [key for key in ORDER if key in keys]
    assert estimate["totals"] == {"credits": sum(line["credits"] for line in estimate["lines"])}
    assert set(estimate["latency_ms"]) == {"min", "max"}


@case("get-estimate", decisions=(8,))
async def says_the_same_as_post(world: World) -> None:
    assert await world.ok("get-estimate", {}) == await world.ok("estimate", {})
    chosen = {"llm": "mdla_4o", "memory": True, "knowledge": True, "stt": "vendorb_3_streaming", "tts": "tts_1"}
    amounts = {"inputTokens": Decimal("1234.5"), "outputChars": 7, "sttSeconds": 0, "ttsSeconds": Decimal("0.001")}
    estimate = await ask(world, {**chosen, "animation": "service_neurosync"}, amounts)
    assert estimate["selections"] == {**chosen, "animation": "service_neurosync"}
    assert estimate["assumptions"] == amounts


@case("estimate", decisions=(2, 5, 6))
async def a_text_model_is_billed_by_the_formulas(world: World) -> None:
    selections = {"llm": "mdla_4o", "stt": "vendorb_3_streaming", "tts": "tts_1", "animation": "service_neurosync"}
    amounts = {
        "inputTokens": Decimal("4321.25"),
        "outputChars": Decimal(151),
        "sttSeconds": Decimal("8.125"),
        "ttsSeconds": Decimal("9.75"),
    }
    estimate = await ask(world, {**selections, "memory": True, "knowledge": True}, amounts)
    llm = await rates(world, "llm", "mdla_4o")
    stt = await rates(world, "stt", "vendorb_3_streaming")
    tts = await rates(world, "tts", "tts_1")
    animation = await rates(world, "animation", "service_neurosync")
    expected = {
        "ai_response": amounts["outputChars"] * llm["output_per_1k"] / 4000,
        "prompt": amounts["inputTokens"] * llm["prompt_per_1k"] / 1000,
        "memory": Decimal(1),
        "knowledge": Decimal(1),
        "voice_input": amounts["sttSeconds"] * stt["per_second"],
        "voice_output": amounts["ttsSeconds"] * tts["per_second"],
        "animation": amounts["ttsSeconds"] * animation["per_second"],
    }
    found = {key: line["credits"] for key, line in lines_of(estimate).items()}
    platform = found.pop("platform")
    assert found == {key: micro(Decimal(amount)) for key, amount in expected.items()}
    assert estimate["totals"]["credits"] == sum(found.values()) + platform


@case("estimate", decisions=(3, 4))
async def a_realtime_model_is_billed_by_its_audio_whatever_voice_is_chosen(world: World) -> None:
    llm = await rates(world, "llm", "mdlc_2_5_flash_live")
    for voice in ({"stt": "included_in_realtime", "tts": "included_in_realtime"}, {"stt": "no_stt_input"}, {}):
        selections = {"llm": "mdlc_2_5_flash_live", "stt": "vendorb_3_streaming", "tts": "tts_1", **voice}
        estimate = await ask(world, selections, {"sttSeconds": 4, "ttsSeconds": 6})
        lines = lines_of(estimate)
        assert "ai_response" not in lines
        assert "prompt" in lines
        assert lines["voice_output"]["credits"] == micro(6 * llm["audio_out_per_second"])
        assert ("voice_input" in lines) == (voice.get("stt") != "no_stt_input")
        if "voice_input" in lines:
            assert lines["voice_input"]["credits"] == micro(4 * llm["audio_in_per_second"])
        if not voice:
            assert "not billed" in lines["voice_output"]["detail"]


@case("estimate", decisions=(4, 5))
async def a_voice_included_in_realtime_is_a_line_of_nothing_beside_a_text_model(world: World) -> None:
    estimate = await ask(world, {"llm": "mdla_4o", "stt": "included_in_realtime", "tts": "included_in_realtime"})
    lines = lines_of(estimate)
    for key in ("voice_input", "voice_output"):
        assert lines[key]["credits"] == 0
        assert "not billed" in lines[key]["detail"]


@case("get-estimate", decisions=(2, 6))
async def every_option_costs_the_same_on_every_path(world: World) -> None:
    """The lines of each add up, and the transcripts of the paths are compared to the last digit."""
    amounts = {
        "inputTokens": Decimal("1234.567"),
        "outputChars": Decimal("0.1"),
        "sttSeconds": Decimal("3.3333333333"),
        "ttsSeconds": Decimal("999999.000001"),
    }
    options = (await world.ok("options", {}))["options"]
    for kind in ("llm", "stt", "tts", "animation"):
        for entry in options[kind]:
            estimate = await ask(world, {kind: entry["key"]}, amounts)
            assert estimate["totals"]["credits"] == sum(line["credits"] for line in estimate["lines"])


@case("estimate", decisions=(2,))
async def what_another_provider_bills_costs_nothing_here(world: World) -> None:
    estimate = await ask(world, {**SILENT, "llm": "byo_mdla_compatible_endpoint", "tts": "external_tts_via_api_key"})
    lines = lines_of(estimate)
    for key in ("ai_response", "prompt", "voice_output"):
        assert lines[key]["credits"] == 0
        assert lines[key]["detail"] == "billed by your provider"


@case("estimate", decisions=(2, 5))
async def what_is_switched_off_has_no_line(world: World) -> None:
    estimate = await ask(world, {**SILENT, "llm": "mdla_4o"})
    assert list(lines_of(estimate)) == ["ai_response", "prompt", "platform"]
    estimate = await ask(world, {**SILENT, "llm": "mdla_4o", "animation": "service_neurosync"}, {"ttsSeconds": 3})
    rate = (await rates(world, "animation", "service_neurosync"))["per_second"]
    assert lines_of(estimate)["animation"]["credits"] == micro(3 * rate)


@case("estimate", decisions=(5,))
async def nothing_said_and_nothing_heard_are_lines_of_nothing(world: World) -> None:
    estimate = await ask(
        world, {"llm": "mdla_4o", "stt": "vendorb_3_streaming", "tts": "tts_1"}, dict.fromkeys(QUANTITIES, 0)
    )
    lines = lines_of(estimate)
    for key in ("ai_response", "prompt", "voice_input", "voice_output"):
        assert lines[key]["credits"] == 0
        assert "nothing to bill" in lines[key]["detail"]


@case("estimate", decisions=(7,))
async def latency_is_speech_in_and_model_and_the_longer_of_voice_and_face(world: World) -> None:
    estimate = await ask(
        world,
        {
            "llm": "mdla_4o",
            "stt": "vendorb_3_streaming",
            "tts": "tts_1",
            "animation": "service_neurosync",
            "memory": True,
        },
    )
    lines = lines_of(estimate)
    for end in ("min", "max"):
        voice, face = (lines[key]["latency_ms"][end] for key in ("voice_output", "animation"))
        assert estimate["latency_ms"][end] == (
            lines["voice_input"]["latency_ms"][end] + lines["ai_response"]["latency_ms"][end] + max(voice, face)
        )
    assert lines["memory"]["latency_ms"] is None


@case("estimate", decisions=(9,))
async def null_means_omitted(world: World) -> None:
    nothing = {"selections": {"llm": None, "memory": None}, "assumptions": {"ttsSeconds": None}}
    assert await world.ok("estimate", nothing) == await world.ok("estimate", {})
    assert await world.ok("estimate", {"selections": None}) == await world.ok("estimate", {})


@case("estimate", decisions=(10, 54))
async def quantities_are_echoed_in_their_shortest_form(world: World) -> None:
    for given, echoed in (("4000.0", "4000"), ("-0", "0"), ("4e3", "4000"), ("0.50", "0.5"), ("1000000000000", None)):
        estimate = await world.ok("estimate", {"assumptions": {"inputTokens": Decimal(given)}})
        assert str(estimate["assumptions"]["inputTokens"]) == (echoed or given)


@case("options", decisions=(1, 8, 13, 16, 55))
async def lists_every_option_with_label_and_rates_the_defaults_and_the_plans(world: World) -> None:
    answer = await world.ok("options", {})
    assert list(answer) == ["api_version", "rate_card", "options", "defaults", "plans"]
    counts = {kind: len(entries) for kind, entries in answer["options"].items()}
    assert counts == {"llm": 58, "stt": 5, "tts": 21, "animation": 2, "memory": 1, "knowledge": 1}
    for entries in answer["options"].values():
        for entry in entries:
            assert entry["label"]
            assert isinstance(entry["credits"], dict)
    assert answer["options"]["memory"][0]["credits"] == {"flat": 1}
    assert answer["options"]["knowledge"][0]["credits"] == {"flat": 1}
    estimate = await world.ok("estimate", {})
    assert answer["defaults"] == {name: estimate[name] for name in ("selections", "assumptions")}
    assert answer["rate_card"] == estimate["rate_card"]
    assert answer["plans"]
    for plan in answer["plans"]:
        assert {"monthly_credits", "price", "tier"} <= set(plan)
        assert plan["tier"] in ("free", "professional", "enterprise")


@case("options", decisions=(2,))
async def no_rate_has_more_than_nine_decimals(world: World) -> None:
    answer = await world.ok("options", {})
    for entries in answer["options"].values():
        for entry in entries:
            for rate in entry["credits"].values():
                assert -Decimal(rate).as_tuple().exponent <= 9  # type: ignore[operator]


# -- refusals: the same in a body and in a query ----------------------------------------------------------------------

_WRONG: tuple[tuple[str, str, Wire, tuple[str, ...], tuple[int, ...]], ...] = (
    ("an unknown model", "llm", "mdla_9", ("llm", "mdla_4o", "byo_mdla_compatible_endpoint"), (20,)),
    ("an unknown ear", "stt", "x", ("stt", "vendorc_stt_streaming", "no_stt_input"), ()),
    ("an unknown voice", "tts", "x", ("tts", "vendorf_v3", "no_tts"), ()),
    ("an unknown animation", "animation", "x", ("animation", "service_neurosync"), ()),
    ("an empty text", "llm", "", ("llm", "mdla_4o"), (9,)),
    ("a key in other case", "llm", "MDLA_4O", ("llm",), ()),
    ("text for a truth", "memory", "yes", ("memory", "true or false"), (10,)),
    ("a truth in other case", "knowledge", "True", ("knowledge", "true or false"), (10,)),
    ("less than nothing", "inputTokens", -1, ("inputTokens", "0"), (10,)),
    ("slightly less than nothing", "sttSeconds", Decimal("-0.000001"), ("sttSeconds",), (10,)),
    ("more than any quantity", "ttsSeconds", 10**12 + 1, ("ttsSeconds",), (54,)),
    ("a number beyond all range", "outputChars", 10**300, ("outputChars",), (10, 54)),
    ("words for a number", "outputChars", "many", ("outputChars", "number"), (10,)),
    ("a number with underscores", "inputTokens", "1_000", ("inputTokens", "number"), (54,)),
    ("a number with a plus", "inputTokens", "+1", ("inputTokens", "number"), (54,)),
    ("no number at all", "inputTokens", "NaN", ("inputTokens", "number"), (10,)),
    ("a hexadecimal number", "inputTokens", "0x10", ("inputTokens", "number"), (54,)),
    ("an unknown member", "inputtokens", 1, ("inputtokens", "inputTokens"), (9,)),
)

for _name, _member, _value, _words, _decisions in _WRONG:
    refuses("get-estimate", ErrorKind.INVALID, _name, {_member: _value}, *_words, decisions=_decisions)
    _part = "assumptions" if "okens" in _member or _member in QUANTITIES else "selections"
    refuses("estimate", ErrorKind.INVALID, _name, {_part: {_member: _value}}, *_words, decisions=_decisions)

_WRONG_IN_A_BODY: tuple[tuple[str, dict[str, Wire], tuple[str, ...], tuple[int, ...]], ...] = (
    ("a number as text", {"assumptions": {"inputTokens": "3"}}, ("inputTokens", "number"), (10,)),
    ("a truth for a number", {"assumptions": {"inputTokens": True}}, ("inputTokens", "number"), (10,)),
    ("a number for a truth", {"selections": {"memory": 1}}, ("memory", "true or false"), (10,)),
    ("a number for a key", {"selections": {"llm": 4}}, ("llm", "text"), (10,)),
    ("an array for an object", {"selections": []}, ("selections", "object"), ()),
    ("an unknown member at the top", {"llm": "mdla_4o"}, ("llm", "selections", "assumptions"), (9,)),
)
for _name, _payload, _words, _decisions in _WRONG_IN_A_BODY:
    refuses("estimate", ErrorKind.INVALID, _name, _payload, *_words, decisions=_decisions)

refuses("options", ErrorKind.INVALID, "a member", {"refresh": True}, "refresh", decisions=(53,), paths=LOCAL)


def _unknown_model_names_all(operation: str, payload: Mapping[str, Wire]) -> None:
    async def run(world: World) -> None:
        message = await world.refused(operation, payload, ErrorKind.INVALID)
        answer = await world.ok("options", {})
        assert all(entry["key"] in message for entry in answer["options"]["llm"])

    add("an unknown model names the valid ones", operation, run, outcome=ErrorKind.INVALID, decisions=(9,))


_unknown_model_names_all("get-estimate", {"llm": "x"})
_unknown_model_names_all("estimate", {"selections": {"llm": "x"}})
