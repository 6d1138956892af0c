"""``chartui scenarios``, and the commands that take a scenario or a range."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chartui.core.presets import Preset, Presets
from chartui.core.spec.models.estimation import Assumptions, Selections

from .conftest import Run

MUSEUM = """
format = "chartui-scenario"
version = 1
name = "Museum"

[usage]
users = 30000
interactions = 12
per = "month"

[assumptions]
inputTokens = 1500
outputChars = { low = 60, typical = 150, high = 400 }

[[kinds]]
name = "Greeting"
weight = 3
outputChars = 60

[[kinds]]
name = "Question"
inputTokens = 2500
"""


@pytest.fixture
def museum(tmp_path: Path) -> str:
    path = tmp_path / "museum.toml"
    path.write_text(MUSEUM, encoding="utf-8")
    return str(path)


def credits_of(run: Run, *words: str) -> Decimal:
    found: Decimal = run("estimate", *words, "--json").value["totals"]["credits"]
    return found


def test_the_mix_is_the_mean_of_its_kinds(run: Run, museum: str) -> None:
    found = run("estimate", "--scenario", museum, "--json").value
    greeting = credits_of(run, "--input-tokens", "1500", "--output-chars", "60")
    question = [credits_of(run, "--input-tokens", "2500", "--output-chars", n) for n in ("60", "150", "400")]
    assert [kind["credits"]["typical"] for kind in found["kinds"]] == [greeting, question[1]]
    means = [(3 * greeting + each) / 4 for each in question]
    assert [found["credits"][end] for end in ("least", "typical", "most")] == [round(mean, 6) for mean in means]
    text = run("estimate", "--scenario", museum).out
    least, most = found["credits"]["least"], found["credits"]["most"]
    assert f"From {least} credits with the lowest quantities to {most} with the highest." in text
    rows = list(csv.DictReader(io.StringIO(run("estimate", "--scenario", museum, "--csv").out)))
    assert [row["kind"] for row in rows] == ["Greeting", "Question", "mix"]
    assert Decimal(rows[2]["typical"]) == found["credits"]["typical"]


def test_options_override_the_scenario_and_the_scenario_overrides_the_preset(run: Run, museum: str) -> None:
    Presets().save(Preset(name="Long", assumptions=Assumptions(input_tokens=Decimal(9000), stt_seconds=Decimal(3))))
    found = run("estimate", "--preset", "Long", "--scenario", museum, "--output-chars", "80", "--json").value
    assert [kind["assumptions"] for kind in found["kinds"]] == [
        {"inputTokens": tokens, "sttSeconds": 3, "outputChars": 80} for tokens in (1500, 2500)
    ]


def test_a_comparison_uses_the_scenario_for_every_preset(run: Run, museum: str) -> None:
    lite = Selections(llm="mdlc_2_5_flash_lite")
    Presets().save(Preset(name="Kiosk", selections=lite, assumptions=Assumptions(input_tokens=Decimal(9))))
    found = run("estimate", "--scenario", museum, "--compare", "Kiosk", "--json").value
    alone = run("estimate", "--scenario", museum, "--llm", "mdlc_2_5_flash_lite", "--json").value["credits"]
    assert {name: found[row][1]["amount"] for name, row in (("least", "least"), ("typical", "total"))} == {
        name: alone[name] for name in ("least", "typical")
    }
    assert found["most"][1]["amount"] == alone["most"]


def test_subscriptions_take_users_and_interactions_from_the_scenario(run: Run, museum: str) -> None:
    found = run("subscriptions", "--scenario", museum, "--json").value
    usage = {"users": 30000, "interactions": 12, "minutes": None, "days": 30, "per": "month", "sessions": 10}
    assert found["usage"] == usage | {"growth": 0}
    (month,) = found["configurations"]
    kinds = run("estimate", "--scenario", museum, "--json").value["kinds"]
    exact = sum(kind["weight"] * kind["credits"]["typical"] for kind in kinds) / 4
    assert month["credits"] == exact * 360_000
    assert any("credits a month at the lowest quantities" in note for note in found["notes"])
    grown = run("subscriptions", "--scenario", museum, "--minutes", "5", "--growth", "5", "--json").value
    assert (grown["usage"]["interactions"], grown["usage"]["minutes"]) == (None, 5)
    assert any(note.startswith("At 5% growth a month:") for note in grown["notes"])


def test_a_character_is_priced_with_the_scenario(run: Run, museum: str) -> None:
    who = ("estimate", "--character", "Elena Marsh", "--json")
    greeting, question = ("--input-tokens=1500", "--output-chars=60"), ("--input-tokens=2500", "--output-chars=150")
    mixed, first, second = (
        run(*who, *words).value["estimates"][0]["totals"]["credits"]
        for words in (("--scenario", museum), greeting, question)
    )
    assert mixed == round((3 * first + second) / 4, 6)


def test_a_range_is_priced_from_end_to_end(run: Run) -> None:
    found = run("estimate", "--output-chars", "100-300", "--json").value["credits"]
    assert [found[end] for end in ("least", "typical", "most")] == [
        credits_of(run, "--output-chars", number) for number in ("100", "200", "300")
    ]


def conversation_of(run: Run, *words: str) -> dict[str, Any]:
    (found,) = run("estimate", *words, "--turns", "3", "--json").value["configurations"]
    return {name: found[name] for name in ("least", "credits", "most") if name in found}


def test_a_conversation_is_priced_with_both_ends_of_a_range(run: Run) -> None:
    found = conversation_of(run, "--output-chars", "100-300", "--stt-seconds", "4-8")
    ends = (("100", "4"), ("200", "6"), ("300", "8"))
    alone = [conversation_of(run, "--output-chars", long, "--stt-seconds", spoken) for long, spoken in ends]
    assert [{"credits": amount} for amount in found.values()] == alone
    words = ("estimate", "--output-chars", "100-300", "--stt-seconds", "4-8", "--turns", "3")
    said = f"From {found['least']} credits with the lowest quantities to {found['most']} with the highest."
    assert said in run(*words).out
    last = list(csv.DictReader(io.StringIO(run(*words, "--csv").out)))[-1]
    assert [Decimal(last[name]) for name in ("least", "total", "most")] == list(found.values())
    assert run(*words, "--fail-above", str(found["credits"])).status == 1  # the highest total counts
    assert run(*words, "--fail-above", str(found["most"])).status == 0


def test_a_conversation_takes_the_averages_of_a_scenario(run: Run, museum: str) -> None:
    found = conversation_of(run, "--scenario", museum)
    averages = [conversation_of(run, "--input-tokens", "1750", "--output-chars", n) for n in ("60", "82.5", "145")]
    assert [{"credits": amount} for amount in found.values()] == averages
    note = "Credits are averages across the kinds, calculated for typical quantities."
    about = f"Scenario Museum, 2 kinds of interaction. {note}"
    words = ("estimate", "--scenario", museum, "--turns", "3")
    assert about in run(*words).out
    assert about in run(*words, "--markdown").out
    assert run(*words, "--json").value["scenario"] == "Museum"
    Presets().save(Preset(name="Own", assumptions=Assumptions(input_tokens=Decimal(9))))
    assert len({one["credits"] for one in run(*words, "--compare", "Own", "--json").value["configurations"]}) == 1
    _, saved = run("estimate", "--input-tokens", "1-3", "--turns", "3", "--compare", "Own", "--json").value[
        "configurations"
    ]
    assert {"credits": saved["credits"]} == conversation_of(run, "--preset", "Own")


def test_a_what_if_takes_a_scenario_or_a_range(run: Run, museum: str) -> None:
    for words in (("--scenario", museum), ("--output-chars", "100-300")):
        found = run("whatif", *words, "--json").value
        typical = run("estimate", *words, "--json").value["credits"]["typical"]
        assert found["configurations"][0]["current"] == typical
        assert "for typical quantities." in run("whatif", *words).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("estimate", "--output-chars", "300-100"), "300-100 is not a range; write the lower number first"),
        (("estimate", "--output-chars", "1-2-3-4"), "write LOW-HIGH or LOW-TYPICAL-HIGH"),
        (("presets", "save", "Long", "--output-chars", "100-300"), "'100-300' is not a number"),
        (("estimate", "--input-tokens", "1-1000000000000", "--turns", "2"), "The last prompt would have more than"),
        (("estimate", "--scenario", "nothing"), "Unknown scenario “nothing”. No scenarios are saved yet."),
        (("estimate", "--scenario", "./nothing.toml"), "no such file."),
    ],
)
def test_what_cannot_be_used_is_refused(run: Run, words: tuple[str, ...], said: str) -> None:
    result = run(*words)
    assert (result.status, result.out) == (2, "")
    assert said in result.err


def test_a_file_with_mistakes_names_lines_and_what_is_allowed(run: Run, museum: str) -> None:
    Path(museum).write_text(MUSEUM.replace("inputTokens = 2500", "inputToken = 2500"), encoding="utf-8")
    result = run("estimate", "--scenario", museum)
    assert (result.status, result.out) == (2, "")
    assert f"{museum}:22: Unknown key “inputToken” in 'kinds[1]'. Did you mean “inputTokens”?" in result.err


def test_a_scenario_is_saved_shown_renamed_and_removed(run: Run, museum: str) -> None:
    words = ("--scenario", museum, "--input-tokens", "900-1200", "--growth", "4")
    assert run("scenarios", "save", "Kiosk", *words).status == 0
    shown = run("scenarios", "show", "kiosk", "--json").value
    assert shown["assumptions"]["inputTokens"] == {"low": 900, "typical": 1050, "high": 1200}
    assert [kind["name"] for kind in shown["kinds"]] == ["Greeting", "Question"]
    assert (shown["usage"]["users"], shown["usage"]["growth"]) == (30000, 4)
    again = run("scenarios", "save", "Kiosk", "--users", "3")
    assert (again.status, "already exists with different inputs: usage." in again.err) == (2, True)
    assert run("scenarios", "rename", "Kiosk", "Hall").status == 0
    assert run("scenarios", "list").out.splitlines()[1].split() == ["Hall", "Greeting,", "Question"]
    assert run("scenarios", "remove", "Hall").status == 2
    assert run("scenarios", "remove", "Hall", "--yes").status == 0
    assert run("scenarios", "list", "--json").value == []


def test_a_ranking_takes_a_scenario_in_every_form(run: Run, museum: str) -> None:
    found = run("rank", "--scenario", museum, "--memory", "--json").value
    assert found["scenario"] == "Museum"
    for option in found["options"][:3]:
        asked = run("estimate", "--scenario", museum, "--memory", "--llm", option["key"], "--json").value["credits"]
        assert [option["least"], option["credits"], option["most"]] == [asked[n] for n in ("least", "typical", "most")]
    rows = list(csv.DictReader(io.StringIO(run("rank", "--scenario", museum, "--csv").out)))
    assert [(row["key"], Decimal(row["most"])) for row in rows[:2]] == [
        (option["key"], option["most"]) for option in found["options"][:2]
    ]
    note = "Credits are averages across the kinds, calculated for typical quantities."
    about = f"Scenario Museum, 2 kinds of interaction. {note}"
    for form in ((), ("--markdown",)):
        assert about in run("rank", "--scenario", museum, *form).out
    header, first, *_ = run("rank", "--scenario", museum).out.splitlines()
    assert header.split()[:4] == ["KEY", "CREDITS", "LEAST", "MOST"]
    assert str(found["options"][0]["most"]) in first


def test_a_search_takes_a_scenario_in_every_form(run: Run, museum: str) -> None:
    found = run("explore", "--scenario", museum, "--limit", "2", "--json").value
    assert found["scenario"] == "Museum"
    for point in found["pareto_front"]:
        chosen = [part for kind in ("llm", "stt", "tts") for part in (f"--{kind}", point["selections"][kind])]
        off = [f"--{'' if point['selections'][name] else 'no-'}{name}" for name in ("memory", "knowledge")]
        asked = run("estimate", "--scenario", museum, *chosen, *off, "--json").value["credits"]
        assert [point["least"], point["credits"], point["most"]] == [asked[n] for n in ("least", "typical", "most")]
    rows = list(csv.DictReader(io.StringIO(run("explore", "--scenario", museum, "--csv").out)))
    assert Decimal(rows[0]["least"]) == found["pareto_front"][0]["least"]
    for form in ((), ("--markdown",)):
        assert "Scenario Museum, 2 kinds of interaction." in run("explore", "--scenario", museum, *form).out


def test_quantities_without_a_range_need_no_further_columns(run: Run) -> None:
    assert "least" not in run("rank", "--csv").out
    ranges = run("rank", "--output-chars", "60-400").out
    assert "Ranges of --output-chars. Credits are for typical quantities." in ranges
    assert run("rank", "--json").value["scenario"] is None
