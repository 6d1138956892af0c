"""What every command writes, compared with files: ``UPDATE_GOLDEN=1`` writes them anew, for reading."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core.estimation import card
from chartui.core.saved_filters import change_filters, filters_path

from .conftest import Run, Scripted

Golden = Callable[[str, str], None]


TEXT = {
    "estimate": "estimate",
    "estimate-realtime": "estimate --llm mdla_realtime_mini --stt included_in_realtime --tts included_in_realtime",
    "estimate-nothing": "estimate --no-memory --input-tokens 0 --output-chars 0 --stt no_stt_input --tts no_tts",
    "estimate-conversation": "estimate --turns 6 --history 3 --input-tokens 900",
    "subscriptions": "subscriptions --users 30000 --interactions 12 --per month",
    "whatif": "whatif output-chars --to 2000 --input-tokens 900",
    "options": "options",
    "rank": "rank --llm mdla_4o --limit 12",
    "rank-voices": "rank speech-out --llm mdla_realtime_mini --sort latency --animation service_neurosync",
    "explore": "explore --require speech-in,speech-out --forbid unusual-inputs --max-latency 1200",
    "explore-groups": (
        "explore --family familyc --speech-in-vendor vendor-b --speech-out-vendor cloud --max-credits 9.5 --limit 3"
    ),
    "characters-list": "characters list",
    "characters-filter": "characters list --filter MARSH",
    "characters-sorted": "characters list --sort used --reverse --filter openness>=3",
    "characters-show": "characters show {Elena Marsh}",
    "narrative-show": "narrative show {Elena Marsh}",
    "narrative-none": "narrative show {Camille Rousseau}",
    "profiles-list": "profiles list",
}
JSON = (
    "estimate",
    "estimate-realtime",
    "estimate-nothing",
    "estimate-conversation",
    "subscriptions",
    "whatif",
    "rank",
    "explore-groups",
    "characters-show",
    "narrative-none",
    "profiles-list",
)


@pytest.mark.parametrize("name", TEXT)
def test_text(name: str, run: Run, golden: Golden, demo_ids: dict[str, str]) -> None:
    result = run(*_words(name, demo_ids))
    assert (result.status, _notes(result.err)) == (0, True)
    golden(f"{name}.txt", result.out)


@pytest.mark.parametrize("name", JSON)
def test_json(name: str, run: Run, golden: Golden, demo_ids: dict[str, str]) -> None:
    result = run(*_words(name, demo_ids), "--json")
    assert (result.status, result.err) == (0, "")
    golden(f"{name}.json", result.out)


def _words(name: str, ids: dict[str, str]) -> list[str]:
    before, _, rest = TEXT[name].partition("{")
    character, _, after = rest.partition("}")
    return [*before.split(), *([ids[character]] if character else []), *after.split()]


def _notes(narration: str) -> bool:
    return narration == "" or narration.endswith(" characters\n")


@pytest.mark.parametrize("operation", ["summarize-characters", "list-accounts"])
def test_call(operation: str, run: Run, golden: Golden, demo_ids: dict[str, str]) -> None:
    result = run("call", operation)
    assert (result.status, result.err) == (0, "")
    golden(f"call-{operation}.json", result.out)


def test_json_is_what_the_service_said(run: Run, demo_ids: dict[str, str]) -> None:
    """To the last character: the same objects, whether a command or ``call`` asks for them."""
    elena = demo_ids["Elena Marsh"]
    assert run("options", "--json").out == run("call", "options").out
    assert run("characters", "list", "--json").out == run("call", "list-characters").out
    record = run("call", "get-character", "--data", f'{{"charID": "{elena}"}}').out
    assert run("characters", "show", elena, "--json").out == record
    payload = f'{{"character_id": "{elena}"}}'
    graph = run("narrative", "show", elena, "--json").value
    assert graph["sections"] == run("call", "list-sections", "--data", payload).value
    assert graph["triggers"] == run("call", "list-triggers", "--data", payload).value


def test_a_filter_picks_whole_records(run: Run, demo_ids: dict[str, str]) -> None:
    everything = run("characters", "list", "--json").value["characters"]
    found = run("characters", "list", "--json", "--filter", "mArSh")
    assert found.value["characters"] == [record for record in everything if "Marsh" in record["character_name"]]
    nothing = run("characters", "list", "--json", "--filter", "nobody has this")
    assert (nothing.status, nothing.value) == (1, {"characters": []})
    assert run("characters", "list", "--filter", "nobody has this").out == ""


def listed(run: Run, *words: str) -> list[str]:
    text = run("characters", "list", *words)
    names = [record["character_name"] for record in run("characters", "list", *words, "--json").value["characters"]]
    shown = text.out.splitlines()[1:]
    assert len(shown) == len(names)
    assert all(name in line for name, line in zip(names, shown, strict=True))
    return names


def test_a_list_is_filtered_and_sorted_alike_in_text_and_json(run: Run) -> None:
    assert listed(run, "--filter", "gone:yes") == ["Nova Adeyemi"]
    assert listed(run, "--filter", "elnea mrsh", "--fuzzy") == ["Elena Marsh"]
    assert listed(run, "--filter", "elnea mrsh") == []
    assert listed(run, "--filter", '"marsh"', "--fuzzy") == ["Elena Marsh"]
    by_name = listed(run, "--sort", "name")
    assert by_name == sorted(by_name, key=str.casefold)
    assert listed(run, "--sort", "name", "--reverse") == by_name[::-1]
    assert listed(run, "--reverse") == listed(run)[::-1]
    assert run("characters", "list", "--sort", "size").status == 2


def test_traits_are_filtered_by_wherever_they_come_from(run: Run) -> None:
    """The text asks the store for them, the JSON has the whole records."""
    some = listed(run, "--filter", "openness>3")
    everybody = run("characters", "list", "--json").value["characters"]
    assert some == [
        record["character_name"]
        for record in everybody
        if record["character_traits"]["personality_traits"]["openness"] > 3
    ]
    assert 0 < len(some) < len(everybody)
    phrase = everybody[0]["character_traits"]["catch_phrases"][0]
    assert everybody[0]["character_name"] in listed(run, "--filter", f'trait:"{phrase}"')


def test_texts_are_filtered_by_wherever_they_come_from(run: Run, elena: str) -> None:
    assert listed(run, "--filter", "text:harbour description:guide") == ["Elena Marsh"]
    everybody = run("characters", "list", "--json").value["characters"]
    prompt = everybody[0]["personalised_prompt_config"]["PROMPT"].partition('"')[0]
    assert everybody[0]["character_name"] in listed(run, "--filter", f'prompt:"{prompt}"')
    backstory = run("call", "get-settings", "--data", f'{{"charID": "{elena}"}}').value["backstory"].split("\n")[0]
    assert listed(run, "--filter", f'backstory:"{backstory}"') == ["Elena Marsh"]
    assert listed(run, "--filter", f'text:"{backstory}"', "--fuzzy") == ["Elena Marsh"]


def test_an_unknown_field_is_refused_and_the_others_are_named(run: Run) -> None:
    for extra in ([], ["--json"]):
        refused = run("characters", "list", "--filter", "promt:calm", *extra)
        assert refused.status == 2
        assert "Unknown field “promt”. Did you mean “prompt”? Fields: name, model," in refused.err
    assert run("characters", "list", "--filter", '"promt:calm"').status == 1


def test_a_saved_filter_is_given_by_its_name(run: Run) -> None:
    change_filters(filters_path("demo"), lambda _: {"Elena & co": "marsh"})
    assert listed(run, "--filter", "@elena & CO") == ["Elena Marsh"]
    unknown = run("characters", "list", "--filter", "@elna")
    assert unknown.status == 2
    assert "No saved filter named “elna”. Did you mean Elena & co?" in unknown.err
    assert run("characters", "list", "--filter", '"@elna"').status == 1


def test_backstories_that_a_service_does_not_return_are_counted(run: Run, scripted: Callable[..., Scripted]) -> None:
    records = [{"character_id": "c1", "backstory": "Born at sea."}, {"character_id": "c2"}]
    backend = scripted(embedded=False, list_characters={"characters": records})
    found = run("characters", "list", "--filter", "backstory:sea")
    assert found.out.splitlines()[1].startswith("c1 ")
    assert "Only 1 of 2 backstories can be searched, namely those applied from this machine." in found.err
    assert {name for name, *_ in backend.calls} == {"list-characters"}


def test_an_estimate_is_the_same_in_text_json_and_call(run: Run) -> None:
    as_json = run("estimate", "--llm", "mdla_4o", "--json").value
    called = run("call", "estimate", "--data", '{"selections": {"llm": "mdla_4o"}}').value
    query = run("call", "get-estimate", "--data", '{"llm": "mdla_4o"}').value
    assert as_json == called == query
    assert run("estimate", "--llm", "mdla_4o").out.startswith(f"{as_json['totals']['credits']} credits")


def test_every_option_of_an_estimate_is_sent(run: Run) -> None:
    words = (
        "--llm mdla_4o --no-memory --knowledge --stt no_stt_input --tts tts_1 --animation service_neurosync "
        "--input-tokens 1000 --output-chars 0.5 --stt-seconds 1e1 --tts-seconds 2.25"
    )
    found = run("estimate", "--json", *words.split()).value
    assert found["selections"] == {
        "llm": "mdla_4o",
        "memory": False,
        "knowledge": True,
        "stt": "no_stt_input",
        "tts": "tts_1",
        "animation": "service_neurosync",
    }
    assert found["assumptions"] == {
        "inputTokens": 1000,
        "outputChars": Decimal("0.5"),
        "sttSeconds": 10,
        "ttsSeconds": Decimal("2.25"),
    }


def test_a_rate_card_of_ones_own_is_used(run: Run, tmp_path: Path) -> None:
    packaged = Path(card.__file__).with_name("data") / "rate-card.toml"
    own = tmp_path / "card.toml"
    own.write_text(packaged.read_text().replace("platform = { flat = 0.5 }", "platform = { flat = 77 }"))
    lines = run("estimate", "--rate-card", str(own), "--json").value["lines"]
    assert [line["credits"] for line in lines if line["key"] == "platform"] == [77]
