"""``chartui estimate`` with presets: begun with one, compared with others, kept as one, written as tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chartui.core.config import config_path
from chartui.core.jsontext import Wire
from chartui.core.presets import Preset, Presets, as_toml
from chartui.core.profiles_file import change_profiles
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Assumptions, Selections
from tests.tui.serving import serving

from .conftest import Result, Run, Scripted

Golden = Callable[[str, str], None]

QUICK = Preset(
    name="Quick & cheap",
    selections=Selections(llm="mdlc_2_5_flash_lite", memory=False),
    assumptions=Assumptions(input_tokens=Decimal(1500)),
)
LIVE = Preset(
    name="Live",
    selections=Selections(llm="mdla_realtime_mini", stt="included_in_realtime", tts="included_in_realtime"),
)


@pytest.fixture
def presets() -> Presets:
    presets = Presets()
    presets.save(QUICK)
    presets.save(LIVE)
    return presets


def estimated(run: Run, *words: str) -> Any:
    result = run("estimate", *words, "--json")
    assert (result.status, result.err) == (0, "")
    return result.value


# -- beginning with a preset ------------------------------------------------------------------------------------------


def test_a_preset_is_what_its_options_are(run: Run, presets: Presets) -> None:
    words = ("--llm", "mdlc_2_5_flash_lite", "--no-memory", "--input-tokens", "1500")
    assert run("estimate", "--preset", "Quick & cheap").out == run("estimate", *words).out
    assert estimated(run, "--preset", "Quick & cheap") == estimated(run, *words)


def test_what_is_given_goes_before_it(run: Run, presets: Presets) -> None:
    selections = estimated(run, "--preset", "Quick & cheap", "--memory", "--llm", "mdla_4o")["selections"]
    assert (selections["llm"], selections["memory"]) == ("mdla_4o", True)


def test_a_preset_from_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "given.toml"
    path.write_text(as_toml(QUICK), encoding="utf-8")
    assert estimated(run, "--preset", str(path))["assumptions"]["inputTokens"] == 1500


def test_a_preset_that_cannot_be_used(run: Run, presets: Presets, scripted: Callable[..., Scripted]) -> None:
    backend = scripted()
    for words in (["--preset", "Quick"], ["--compare", "Quick"], ["--compare", "./none.toml"]):
        result = run("estimate", *words)
        assert (result.status, result.out) == (2, "")
        assert result.err.startswith(("chartui: Unknown preset “Quick”", "none.toml: no such"))
    assert backend.calls == []


# -- keeping ----------------------------------------------------------------------------------------------------------


def test_what_was_estimated_is_kept(run: Run, presets: Presets) -> None:
    words = ("estimate", "--preset", "Quick & cheap", "--tts", "no_tts", "--save-preset", "Quiet")
    result = run(*words)
    assert (result.status, result.err) == (0, f"preset 'Quiet' was saved to {presets.folder / 'quiet.toml'}\n")
    quiet = presets.get("Quiet")
    assert quiet == Preset(
        name="Quiet",
        selections=Selections(llm="mdlc_2_5_flash_lite", memory=False, tts="no_tts"),
        assumptions=QUICK.assumptions,
    )
    again = run(*words, "--memory")
    assert (again.status, again.out, presets.get("Quiet")) == (2, "", quiet)
    assert run(*words, "--memory", "--replace").status == 0
    assert presets.get("Quiet").selections.memory is True


def test_what_the_service_refuses_is_not_kept(run: Run) -> None:
    result = run("estimate", "--llm", "nothing_like_it", "--save-preset", "odd")
    assert (result.status, Presets().all()) == (2, ())


@pytest.mark.parametrize("words", [["--baseline", "Live"], ["--replace"]])
def test_options_that_need_another(run: Run, words: list[str]) -> None:
    assert run("estimate", *words).status == 2


# -- comparing --------------------------------------------------------------------------------------------------------


def test_side_by_side(run: Run, presets: Presets, golden: Golden) -> None:
    result = run("estimate", "--llm", "mdla_4o", "--compare", "Quick & cheap", "Live")
    assert (result.status, result.err) == (0, "")
    golden("estimate-compare.txt", result.out)


@pytest.mark.parametrize(("form", "name"), [("csv", "csv"), ("markdown", "md"), ("json", "json")])
def test_in_other_forms(run: Run, presets: Presets, golden: Golden, form: str, name: str) -> None:
    result = run("estimate", "--llm", "mdla_4o", "--compare", "Quick & cheap", "Live", f"--{form}")
    assert (result.status, result.err) == (0, "")
    golden(f"estimate-compare.{name}", result.out)


def test_every_figure_is_that_of_the_estimate(run: Run, presets: Presets) -> None:
    single = {
        "current": estimated(run, "--llm", "mdla_4o"),
        "Live": estimated(run, "--preset", "Live"),
        "Quick & cheap": estimated(run, "--preset", "Quick & cheap"),
    }
    beside = estimated(run, "--llm", "mdla_4o", "--compare", "Live", "--compare", "Quick & cheap")
    assert [one["name"] for one in beside["configurations"]] == list(single)
    for position, (one, answer) in enumerate(zip(beside["configurations"], single.values(), strict=True)):
        assert one["credits"] == beside["total"][position]["amount"] == answer["totals"]["credits"]
        assert one["latency_ms"] == answer["latency_ms"]
        assert one["inputs"] == answer["selections"] | answer["assumptions"]
        amounts = {line["key"]: line["credits"][position]["amount"] for line in beside["lines"]}
        assert {k: v for k, v in amounts.items() if v is not None} == {
            line["key"]: line["credits"] for line in answer["lines"]
        }
        difference = answer["totals"]["credits"] - single["current"]["totals"]["credits"]
        assert beside["total"][position]["difference"] == difference
    assert beside["rate_card"] == single["current"]["rate_card"]


def test_another_baseline(run: Run, presets: Presets) -> None:
    rows = table(run("estimate", "--compare", "Live", "Quick & cheap", "--baseline", "Live", "--csv"))
    others = [[name, f"{name}: difference", f"{name}: percent"] for name in ("current", "Quick & cheap")]
    assert rows[0][3:] == [*others[0], "Live", *others[1]]
    refused = run("estimate", "--compare", "Live", "--baseline", "Life")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == "chartui: Unknown preset “Life” for --baseline. Did you mean “Live”?\n"


def test_a_name_twice(run: Run, presets: Presets, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(as_toml(LIVE), encoding="utf-8")
    beside = estimated(run, "--compare", "Live", str(other))
    assert [one["name"] for one in beside["configurations"]] == ["current", "Live", "Live (other.toml)"]


def test_a_refusal_says_whose_it_is(run: Run, presets: Presets) -> None:
    presets.save(Preset(name="odd", selections=Selections(stt="nothing_like_it")))
    result = run("estimate", "--compare", "Live", "odd")
    assert (result.status, result.out) == (3, "")
    assert result.err.startswith("chartui: 'odd': 'nothing_like_it' is not a valid stt.")


def test_a_service_is_asked_once_for_each(run: Run, presets: Presets, scripted: Callable[..., Scripted]) -> None:
    """With what was chosen and nothing else; what it does not say is unknown."""
    body: Wire = {"totals": {"credits": 2}, "lines": [{"key": "prompt", "credits": 2}]}
    backend = scripted(estimate=body, embedded=False)
    result = run("estimate", "--compare", "Quick & cheap", "--csv")
    assert [payload for _, payload in backend.calls] == [
        {"selections": {}, "assumptions": {}},
        {"selections": {"llm": "mdlc_2_5_flash_lite", "memory": False}, "assumptions": {"inputTokens": 1500}},
    ]
    assert table(result)[1:] == [
        ["line", "prompt", "credits", "2", "2", "0", "0"],
        ["total", "total", "credits", "2", "2", "0", "0"],
        ["latency", "latency_min", "ms", "", "", "", ""],
        ["latency", "latency_max", "ms", "", "", "", ""],
    ]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_service_says_what_the_store_says(run: Run, presets: Presets, tmp_path: Path, form: str) -> None:
    """Over a socket to the last character, with the same rates behind both."""
    words = ("estimate", "--llm", "mdla_4o", "--compare", "Quick & cheap", "Live", f"--{form}")
    with serving(tmp_path) as service:
        change_profiles(lambda known: known.adding(service.profile("far")))
        far = run(*words, "--profile", "far")
    assert (far.status, far.err) == (0, "")
    assert far.out == run(*words).out


def test_a_service_that_is_away(run: Run, presets: Presets, scripted: Callable[..., Scripted]) -> None:
    scripted(estimate=ServiceError(ErrorKind.UNREACHABLE, "No answer."))
    result = run("estimate", "--compare", "Live")
    assert (result.status, result.out, result.err) == (3, "", "chartui: No answer.\n")


# -- tables -----------------------------------------------------------------------------------------------------------


def table(result: Result) -> list[list[str]]:
    assert (result.status, result.err) == (0, "")
    return list(csv.reader(io.StringIO(result.out)))


def test_one_estimate_as_a_table(run: Run) -> None:
    head, *rows = table(run("estimate", "--csv"))
    answer = estimated(run)
    found = [(row["key"], Decimal(row["credits"])) for row in (dict(zip(head, r, strict=True)) for r in rows)]
    lines = [(line["key"], line["credits"]) for line in answer["lines"]]
    assert found == [*lines, ("total", answer["totals"]["credits"])]
    markdown = run("estimate", "--markdown").out
    assert markdown.startswith("## Estimate\n\n| key ")
    assert answer["disclaimer"] in markdown


@pytest.mark.parametrize("form", ["--csv", "--markdown"])
@pytest.mark.parametrize("words", [[], ["--compare", "Live"]], ids=["one", "several"])
def test_one_form_at_a_time(run: Run, presets: Presets, form: str, words: list[str]) -> None:
    result = run("estimate", *words, form, "--json")
    assert (result.status, result.out, result.error["code"]) == (2, "", "usage")


_BACKWARDS: dict[str, Wire] = {
    "totals": {"credits": 10},
    "lines": [{"key": "llm", "credits": 10, "latency_ms": {"min": 700, "max": 500}}],
    "latency_ms": {"min": 900, "max": 600},
}


def test_a_latency_whose_minimum_is_above_its_maximum_is_marked(
    run: Run, presets: Presets, scripted: Callable[..., Scripted]
) -> None:
    """It stays as it came: whether it was swapped, or wrong, only the service knows."""
    scripted(embedded=False, estimate=_BACKWARDS)
    shown = run("estimate").out
    assert "900–600 ms (!)" in shown
    assert "700–500 ms (!)" in shown
    assert "(!) The service reports a minimum latency above the maximum. Both are shown unchanged.\n" in shown
    assert run("estimate", "--json").value["latency_ms"] == {"min": 900, "max": 600}
    beside = run("estimate", "--compare", "Quick & cheap").out
    assert "'Quick & cheap': The service reports a minimum latency above the maximum." in beside


# -- conversations ----------------------------------------------------------------------------------------------------


def test_a_conversation_costs_what_its_turns_cost_as_single_estimates(run: Run) -> None:
    words = ("--turns", "4", "--user-tokens", "25", "--reply-tokens", "50", "--history", "2")
    found = estimated(run, *words)
    (cost,) = found["configurations"]
    assert found["assumptions"]["outputChars"] == 200
    assert [turn["input_tokens"] for turn in cost["turns"]] == [4000, 4075, 4150, 4150]
    singles = [
        estimated(run, "--output-chars", "200", "--input-tokens", str(turn["input_tokens"]))["totals"]["credits"]
        for turn in cost["turns"]
    ]
    assert [turn["credits"] for turn in cost["turns"]] == singles
    assert (cost["credits"], cost["turns"][-1]["total"]) == (sum(singles), sum(singles))
    assert any("Every prompt repeats at most 2 earlier turns." in note for note in found["notes"])


def test_conversations_are_compared_and_written_as_tables(run: Run, presets: Presets) -> None:
    words = ("--turns", "3", "--compare", "Quick & cheap")
    text = run("estimate", *words).out
    assert "“Quick & cheap” costs less than “current” for any length up to 3 turns." in text
    assert "Configurations after the first have their own quantities." in text
    rows = list(csv.DictReader(io.StringIO(run("estimate", *words, "--csv").out)))
    assert [(row["configuration"], row["turn"]) for row in rows] == [
        *(("current", "1"), ("current", "2"), ("current", "3")),
        *(("Quick & cheap", "1"), ("Quick & cheap", "2"), ("Quick & cheap", "3")),
    ]
    markdown = run("estimate", *words, "--baseline", "Quick & cheap", "--markdown").out
    assert "| Quick \\& cheap |    1 |" in markdown
    assert "- Turn 1 has 1 500 input tokens" in markdown
    found = estimated(run, *words)
    assert [one["less_from"] for one in found["break_even"]] == ["Quick & cheap"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--history", "2"], "--history needs --turns"),
        (["--turns", "2", "--reply-tokens", "9", "--output-chars", "9"], "--reply-tokens and --output-chars cannot"),
        (["--turns", "0"], "The number of turns must be from 1 to 1 000, not 0."),
        (["--turns", "2", "--character", "x"], "--turns cannot be combined with --character"),
    ],
)
def test_a_conversation_that_cannot_be_is_refused(run: Run, words: list[str], said: str) -> None:
    result = run("estimate", *words)
    assert (result.status, result.out) == (2, "")
    assert said in result.err


def test_money_stands_beside_credits_only_with_a_price(run: Run) -> None:
    bare, priced = run("estimate", "--json").value, run("estimate", "--price", "$0.50", "--json").value
    assert priced == bare | {
        "price": {"per_1000_credits": Decimal("0.50"), "currency": "$"},
        "money": bare["totals"]["credits"] / 2000,
    }
    assert "credits per interaction ($0.00515), " in run("estimate", "--price", "$0.50").out
    config_path().parent.mkdir(parents=True, exist_ok=True)
    config_path().write_text('format = "chartui-config"\nversion = 1\nprice = "2 EUR"\n')
    assert "(0.0206 EUR)" in run("estimate").out
    assert ",money," in run("estimate", "--csv").out.splitlines()[0]
    assert "EUR" in run("rank", "--limit", "1").out
    assert "EUR" in run("explore", "--limit", "1").out
    assert " credits (0.104 EUR) for 5 turns" in run("estimate", "--turns", "5").out
    refused = run("estimate", "--price", "cheap")
    assert (refused.status, "such as 0.50 EUR" in refused.err) == (2, True)
