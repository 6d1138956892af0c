"""``estimate --character``: the price of a character, a range of prices, or that it is unknown."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from chartui.core.estimation.pins import change_pins
from chartui.core.jsontext import Wire, canonical
from chartui.core.paths import pins_path
from chartui.core.spec.errors import ErrorKind, ServiceError

from .conftest import Run, Scripted

Golden = Callable[[str, str], None]

CASES = {
    "exact": "Elena Marsh",
    "alias": "Camille Rousseau",
    "pinned": "Camille Rousseau",
    "unknown": "Nova Adeyemi",
    "live": "Marcus Reed",
}


@pytest.mark.parametrize("form", ["txt", "json"])
@pytest.mark.parametrize("name", CASES)
def test_what_is_written(name: str, form: str, run: Run, golden: Golden, demo_ids: dict[str, str]) -> None:
    if name == "pinned":
        change_pins(
            lambda pins: pins.with_model("mdlb-sonnet", "mdlb_5_sonnet_low").with_voice(
                "French FR, lively, female 2", "tts_1"
            )
        )
    result = run("estimate", "--character", demo_ids[CASES[name]], *(["--json"] if form == "json" else []))
    assert result.status == 0
    golden(f"estimate-character-{name}.{form}", result.out)


def test_the_estimate_is_the_services_own(run: Run, demo_ids: dict[str, str]) -> None:
    found = run("estimate", "--character", demo_ids["Elena Marsh"], "--json").value
    tokens = str(found["input_tokens"]["number"])
    asked = run("estimate", "--llm", "mdla_5_1_medium", "--memory", "--input-tokens", tokens, "--json").value
    assert found["estimates"] == [asked]
    assert (found["range"], found["unknown_reason"]) == (None, None)
    assert found["character"]["id"] == demo_ids["Elena Marsh"]


def test_a_range_holds_every_candidate(run: Run, demo_ids: dict[str, str]) -> None:
    found = run("estimate", "--character", demo_ids["Camille Rousseau"], "--json").value
    amounts = [estimate["totals"]["credits"] for estimate in found["estimates"]]
    assert found["range"]["credits"] == {"min": min(amounts), "max": max(amounts)}
    assert [e["selections"]["llm"] for e in found["estimates"]] == found["mapping"][0]["candidates"]


def test_a_range_of_quantities_gives_the_least_and_the_most(run: Run, demo_ids: dict[str, str]) -> None:
    asked = ["estimate", "--character", demo_ids["Elena Marsh"], "--json", "--output-chars"]
    ends = run(*asked, "60-150-400").value["credits"]
    each = [run(*asked, chars).value["estimates"][0]["totals"]["credits"] for chars in ("60", "150", "400")]
    assert ends == {name: {"min": x, "max": x} for name, x in zip(("least", "typical", "most"), each, strict=True)}
    assert each[0] < each[1] < each[2]


def test_options_go_before_the_record_and_a_preset_after_it(run: Run, demo_ids: dict[str, str]) -> None:
    assert run("presets", "save", "calm", "--no-memory", "--knowledge", "--input-tokens", "10").status == 0
    words = ("estimate", "--character", demo_ids["Elena Marsh"], "--preset", "calm", "--tts", "no_tts", "--json")
    found = run(*words).value
    assert found["estimates"][0]["selections"] == run("estimate", "--json").value["selections"] | {
        "llm": "mdla_5_1_medium",
        "memory": True,
        "knowledge": True,
        "tts": "no_tts",
    }
    assert found["estimates"][0]["assumptions"]["inputTokens"] == 10
    sources = {part["member"]: part["source"] for part in found["mapping"]}
    assert (sources["memory"], sources["knowledge"], sources["tts"]) == ("record", "preset", "given")


def test_a_model_that_is_given_has_a_price_whatever_the_record_says(run: Run, demo_ids: dict[str, str]) -> None:
    found = run("estimate", "--character", demo_ids["Nova Adeyemi"], "--llm", "mdla_4o", "--json").value
    assert found["unknown_reason"] is None
    assert found["character"]["model"] == "crew-trainer-8b"


@pytest.mark.parametrize("form", ["--csv", "--markdown"])
def test_the_mapping_as_a_table(form: str, run: Run, golden: Golden, demo_ids: dict[str, str]) -> None:
    result = run("estimate", "--character", demo_ids["Elena Marsh"], form)
    assert result.status == 0
    golden(f"estimate-character{form[1:]}.txt", result.out)


@pytest.mark.parametrize("other", [["--compare", "a"], ["--save-preset", "a"]])
def test_two_questions_at_once(other: list[str], run: Run, demo_ids: dict[str, str]) -> None:
    result = run("estimate", "--character", demo_ids["Elena Marsh"], *other)
    assert (result.status, result.out) == (2, "")
    assert "cannot be combined with --character" in result.err


def test_nobody_of_that_id(run: Run, demo_ids: dict[str, str]) -> None:
    result = run("estimate", "--character", "nobody")
    assert (result.status, result.out) == (3, "")
    assert "nobody" in result.err


def test_a_quantity_that_is_none_is_refused(run: Run, demo_ids: dict[str, str]) -> None:
    result = run("estimate", "--character", demo_ids["Elena Marsh"], "--input-tokens", "-1")
    assert (result.status, result.out) == (2, "")
    assert "--input-tokens must be from 0" in result.err


def test_what_is_wrong_with_the_table_is_told(run: Run, demo_ids: dict[str, str]) -> None:
    pins_path().parent.mkdir(parents=True)
    pins_path().write_text('format = "chartui-pins"\nversion = 1\n[modells]\n')
    result = run("estimate", "--character", demo_ids["Elena Marsh"])
    assert result.status == 0
    assert "Unknown key “modells”" in result.err


# -- a service ---------------------------------------------------------------------------------------------------------

RECORD: dict[str, Wire] = {
    "character_id": "a",
    "character_name": "Ada",
    "personalised_prompt_config": {"MODEL": "mdla-5.1"},
    "memory_settings": None,
}
ESTIMATE: dict[str, Wire] = {"totals": {"credits": 3}, "lines": []}
TIER = ServiceError(ErrorKind.TIER, "A professional account is needed.", status=403)


def service(scripted: Callable[..., Scripted], **answers: Wire | BaseException) -> Scripted:
    usual: dict[str, Wire | BaseException] = {
        "list_characters": {"characters": [RECORD]},
        "list_models": TIER,
        "estimate": ESTIMATE,
    }
    return scripted(embedded=False, **{**usual, **answers})


@pytest.mark.parametrize("levels", [(), ("--llm", "mdla_5_1_low")], ids=["a range", "exact"])
def test_a_latency_whose_minimum_is_above_its_maximum_has_a_note(
    levels: tuple[str, ...], run: Run, scripted: Callable[..., Scripted]
) -> None:
    service(scripted, estimate={**ESTIMATE, "latency_ms": {"min": 900, "max": 600}})
    shown = run("estimate", "--character", "a", *levels).out
    assert "900–600 ms (!)" in shown
    assert "(!) The service reports a minimum latency above the maximum. Both are shown unchanged.\n" in shown


def test_a_level_that_cannot_be_read_is_a_range(run: Run, scripted: Callable[..., Scripted]) -> None:
    backend = service(scripted)
    found = run("estimate", "--character", "a", "--json").value
    assert found["character"] == {
        "id": "a",
        "name": "Ada",
        "model": "mdla-5.1",
        "reasoning_effort": None,
        "reasoning_known": False,
    }
    assert found["range"] == {
        "credits": {"min": Decimal(3), "max": Decimal(3)},
        "latency_ms": None,
        "depends_on": "the reasoning level, which this service does not report",
        "unpriced": [],
    }
    asked = [payload["selections"]["llm"] for name, payload in backend.calls if name == "estimate"]
    assert asked == ["mdla_5_1_none", "mdla_5_1_low", "mdla_5_1_medium", "mdla_5_1_high"]


@pytest.mark.parametrize("kind", [ErrorKind.BAD_KEY, ErrorKind.TIER])
def test_a_service_that_tells_no_characters(kind: ErrorKind, run: Run, scripted: Callable[..., Scripted]) -> None:
    backend = service(scripted, list_characters=ServiceError(kind, "Not for you.", status=403))
    result = run("estimate", "--character", "a", "--json")
    assert (result.status, result.out, result.error["message"]) == (4, "", "Not for you.")
    assert [name for name, _ in backend.calls] == ["list-characters"]


def test_options_that_are_refused_have_no_price(run: Run, scripted: Callable[..., Scripted]) -> None:
    service(scripted, estimate=ServiceError(ErrorKind.INVALID, "No such model.", status=400))
    result = run("estimate", "--character", "a")
    assert result.status == 0
    assert "Unknown: No such model." in result.out


def test_a_service_without_estimates_is_a_failure(run: Run, scripted: Callable[..., Scripted]) -> None:
    service(scripted, estimate=ServiceError(ErrorKind.UNREACHABLE, "No answer."))
    assert run("estimate", "--character", "a").status == 3


def test_a_price_of_credits_shows_the_range_in_money(run: Run, demo_ids: dict[str, str]) -> None:
    words = ("estimate", "--character", demo_ids["Camille Rousseau"], "--price", "2 EUR")
    found = run(*words, "--json").value
    assert found["money"] == {end: amount / 500 for end, amount in found["range"]["credits"].items()}
    assert "EUR to " in run(*words).out
    rows = dict(line.split(",")[:2] for line in run(*words, "--csv").out.splitlines())
    ends = [*found["range"]["credits"].values(), *found["money"].values()]
    assert [rows[name] for name in ("credits_min", "credits_max", "money_min", "money_max")] == list(
        map(canonical, ends)
    )
    assert "- Price of an interaction: 0.0177 EUR to 0.0271 EUR, at 2 EUR per 1 000 credits.\n" in (
        run(*words, "--markdown").out
    )


def test_an_unknown_cost_has_no_price(run: Run, demo_ids: dict[str, str]) -> None:
    words = ("estimate", "--character", demo_ids["Nova Adeyemi"], "--price", "2 EUR")
    assert "Price of an interaction" not in run(*words).out
    written = run(*words, "--csv").out
    unknown = [line for line in written.splitlines() if line.startswith(("credits_", "money_"))]
    assert len(unknown) == 4
    assert all(line.split(",")[1:4] == ["", "", "false"] and "not in the catalogue" in line for line in unknown)


def test_money_is_a_lower_limit_if_texts_cannot_be_read(run: Run, scripted: Callable[..., Scripted]) -> None:
    record = {**RECORD, "personalised_prompt_config": {"MODEL": "mdla-4o", "PROMPT": "Be kind."}}
    service(scripted, list_characters={"characters": [record]})
    assert "interaction: at least 0.00600 EUR, at" in run("estimate", "--character", "a", "--price", "2 EUR").out
