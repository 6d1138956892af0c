"""``chartui check``: the rules of a policy file, on presets, characters and bundles."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from chartui.core.estimation.card import load_card, write_card
from chartui.core.numbers import exact
from chartui.core.presets import Preset, Presets, as_toml
from chartui.core.spec.models.estimation import Selections

from .conftest import Run

HEAD: Final = 'format = "chartui-policy"\nversion = 1\n'
KIOSK: Final = Preset(name="Kiosk", selections=Selections(llm="mdlc_2_5_flash_lite", memory=False))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, demo_ids: dict[str, str]) -> Path:
    """A folder that is not the current one, with a preset and a bundle."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    folder = tmp_path / "costs"
    (folder / "cast").mkdir(parents=True)
    (folder / "plain.toml").write_text('format = "chartui-scenario"\nversion = 1\nname = "Plain"\n')
    (folder / "night.toml").write_text(as_toml(Preset(name="Night", selections=Selections(llm="mdla_4o"))))
    assert run("pull", demo_ids["Bran Alder"], str(folder / "cast" / "bran.toml")).status == 0
    return folder


def policy(folder: Path, text: str) -> str:
    path = folder / "policy.toml"
    path.write_text(f"{HEAD}{text}", encoding="utf-8")
    return str(path)


def test_each_limit_is_checked_on_each_subject(run: Run, folder: Path, golden: Callable[[str, str], None]) -> None:
    Presets().save(KIOSK)
    file = policy(
        folder,
        """
[[rules]]
name = "Shop"
presets = ["Kiosk", "night.toml"]
characters = ["Elena Marsh", "bran alder"]
bundles = ["cast/*.toml"]
max_credits = 10
max_latency = "4.7s"
[[rules]]
presets = ["*"]
forbid = ["mdlc_2_5_flash_lite", "memory", "beta"]
""",
    )
    result = run("check", file)
    assert (result.status, result.err) == (1, "3 of 6 checks failed\n")
    assert [line.split()[0] for line in result.out.splitlines()[1:7]] == [
        *("passed", "failed", "failed", "passed", "passed"),
        "failed",
    ]
    assert result.out.endswith(
        "“Night” costs 29.3675 credits per interaction. The max_credits limit is 10.\n"
        "“Elena Marsh” costs 10.485875 credits per interaction. The max_credits limit is 10.\n"
        "“Kiosk” uses mdlc_2_5_flash_lite, which is forbidden.\n"
        "1 of 6 costs is a lower bound, because these texts cannot be read: prompt.\n"
    )
    found = run("check", file, "--json")
    assert (found.status, found.err, found.value["passed"]) == (1, "", False)
    costs = {(one["rule"], one["kind"], one["name"]): one for one in found.value["checks"]}
    elena = costs["Shop", "character", "Elena Marsh"]
    [shown] = run("estimate", "--character", "Elena Marsh", "--json").value["estimates"]
    assert (elena["credits"], elena["latency_ms"]) == (shown["totals"]["credits"], shown["latency_ms"]["max"])
    # A bundle does not contain the prompt, which is part of the character.
    bundle, bran = costs["Shop", "bundle", "cast/bran.toml"], costs["Shop", "character", "Bran Alder"]
    assert (bundle["at_least"], bran["at_least"]) == (True, False)
    assert bundle["credits"] < bran["credits"]
    assert [each["limit"] for each in costs["rule 2", "preset", "Kiosk"]["failures"]] == ["forbid"]
    rows = list(csv.DictReader(io.StringIO(run("check", file, "--csv").out)))
    assert [(row["name"], row["result"]) for row in rows] == [
        (one["name"], "passed" if one["passed"] else "failed") for one in found.value["checks"]
    ]
    assert "- “Kiosk” uses mdlc_2_5_flash_lite, which is forbidden." in run("check", file, "--markdown").out
    golden("check.txt", result.out)
    golden("check.json", found.out)


def test_junit_has_a_case_for_each_check_and_a_reason_for_each_failure(run: Run, folder: Path) -> None:
    Presets().save(Preset(name='<Late & "slow">', selections=Selections(llm="mdla_4o")))
    file = policy(
        folder, '[[rules]]\nname = "R"\npresets = ["*", "night.toml"]\nmax_credits = 25\nmax_latency = 1400\n'
    )
    result = run("check", file, "--junit")
    assert result.status == 1
    root = ET.fromstring(result.out)
    assert (root.get("tests"), root.get("failures")) == ("2", "2")
    [suite] = root
    assert (suite.get("name"), [case.get("name") for case in suite]) == ("R", ['<Late & "slow">', "Night"])
    failure = suite[0][0]
    assert (failure.tag, failure.get("type")) == ("failure", "max_credits max_latency")
    assert str(failure.get("message")).startswith('“<Late & "slow">” costs 29.3675 credits per interaction.')
    refused = run("check", file, "--junit", "--json")
    assert (refused.status, refused.out) == (2, "")
    assert run("check", file, "--junit", "--csv").status == 2


def test_patterns_name_presets_files_and_characters(run: Run, folder: Path) -> None:
    for name in ("kiosk-day", "Kiosk-Evening", "kiosk", "kiosk-[old]"):
        Presets().save(replace(KIOSK, name=name))

    def named(*words: str, kind: str = "presets") -> list[str]:
        text = f"[[rules]]\n{kind} = [{', '.join(repr(word) for word in words)}]\nmax_credits = 99\n"
        return [one["name"] for one in run("check", policy(folder, text), "--json").value["checks"]]

    assert sorted(named("kiosk-*")) == ["Kiosk-Evening", "kiosk-[old]", "kiosk-day"]
    assert named("kiosk-???") == ["kiosk-day"]
    assert named("kiosk-[old]") == ["kiosk-[old]"]  # its name, and not a pattern
    assert named("./n*.toml", "kiosk") == ["Night", "kiosk"]
    assert sorted(named("*MARSH", "bran alder", kind="characters")) == ["Bran Alder", "Elena Marsh"]
    for kind in ("presets", "characters"):
        refused = run("check", policy(folder, f'[[rules]]\n{kind} = ["x-*"]\nmax_credits = 99\n'))
        assert (refused.status, f"no {kind} match 'x-*'." in refused.err) == (2, True)


def test_growth_is_relative_to_the_stored_baseline(run: Run, folder: Path) -> None:
    text = 'baseline = "base.toml"\n[[rules]]\npresets = ["*"]\nbundles = ["cast/*.toml"]\nmax_growth = "5%"\n'
    file, base = policy(folder, text), folder / "base.toml"
    Presets().save(KIOSK)
    missing = run("check", file)
    assert (missing.status, "base.toml: no such file; use --update-baseline to write it" in missing.err) == (2, True)
    assert run("check", file, "--update-baseline").status == 0
    assert base.read_text().splitlines()[3:] == [
        "[presets]",
        "Kiosk = 7.4515",
        "",
        "[bundles]",
        '"cast/bran.toml" = 8.14175',
    ]
    again = run("check", file, "--json").value
    assert (again["passed"], {one["growth_percent"] for one in again["checks"]}) == (True, {0})

    Presets().save(Preset(name="Kiosk", selections=Selections(llm="mdlc_2_5_flash")), replace=True)
    Presets().save(Preset(name="New"))
    grown = run("check", file)
    assert grown.status == 1
    assert grown.out.endswith(
        "“Kiosk” costs 10.296875 credits per interaction, 38.19% more than in base.toml (7.4515 credits). "
        "The max_growth limit is 5%.\n"
        "The cost increase of “New” is unknown, because base.toml contains no matching entry.\n"
        "1 of 3 costs is a lower bound, because these texts cannot be read: prompt.\n"
    )
    # An update removes what the policy no longer names, and still checks the other limits.
    Presets().remove("Kiosk")
    file = policy(folder, f"{text}max_credits = 8\n")
    updated = run("check", file, "--update-baseline")
    assert (updated.status, "“cast/bran.toml” costs at least 8.14175" in updated.out) == (1, True)
    assert base.read_text().splitlines()[3:5] == ["[presets]", "New = 10.296875"]


MUSEUM: Final = """
format = "chartui-scenario"
version = 1
name = "Museum"
[usage]
users = 300
interactions = 12
per = "month"
[assumptions]
outputChars = { low = 60, typical = 150, high = 400 }
[[kinds]]
name = "Greeting"
weight = 3
inputTokens = 1500
[[kinds]]
name = "Question"
inputTokens = 2500
"""


def test_a_scenario_is_checked_at_its_highest_quantities(run: Run, folder: Path) -> None:
    Presets().save(KIOSK)
    (folder / "museum.toml").write_text(MUSEUM)
    rule = """
[[rules]]
presets = ["Kiosk"]
characters = ["Bran Alder"]
bundles = ["cast/*.toml"]
scenario = "museum.toml"
max_credits = 1
max_monthly_credits = 10000
"""
    found = run("check", policy(folder, rule), "--json").value["checks"]
    assert [one["name"] for one in found] == ["Kiosk (Museum)", "Bran Alder (Museum)", "cast/bran.toml (Museum)"]

    def alone(tokens: int, *words: str) -> Decimal:
        quantities = ("--input-tokens", str(tokens), "--output-chars", "400")
        credits_: Decimal = run("estimate", *quantities, *words, "--json").value["totals"]["credits"]
        return credits_

    kiosk = ("--llm", "mdlc_2_5_flash_lite", "--no-memory")
    mean = (3 * alone(1500, *kiosk) + alone(2500, *kiosk)) / 4
    assert found[0]["credits"] == round(mean, 6)
    assert found[0]["monthly_credits"] == round(300 * 12 * round(mean, 6), 6)
    # A bundle is the character without what it does not contain.
    assert found[1]["credits"] == found[2]["credits"] > found[0]["credits"]
    assert [[each["limit"] for each in one["failures"]] for one in found] == [
        ["max_credits", "max_monthly_credits"]
    ] * 3
    # The report gives the typical credits too, which are those of an estimate.
    priced = run("estimate", "--scenario", str(folder / "museum.toml"), *kiosk, "--json").value["credits"]
    assert (found[0]["credits"], found[0]["typical_credits"]) == (priced["most"], priced["typical"])
    assert found[0]["typical_monthly_credits"] == 300 * 12 * priced["typical"]
    told = run("check", str(folder / "policy.toml"))
    assert "NAME CREDITS TYPICAL BASELINE" in " ".join(told.out.split())
    assert "Credits and latency are for the highest quantities." in told.out
    each, month = (exact(found[0][f"typical_{name}credits"]) for name in ("", "monthly_"))
    assert f"“Kiosk (Museum)” costs at most {exact(mean)} credits per interaction (typically {each})." in told.out
    assert f" credits a month (typically {month}). The max_monthly_credits limit is 10 000." in told.out


def test_a_usage_in_minutes_is_checked_with_the_dearer_of_the_lengths(run: Run, folder: Path) -> None:
    """Longer interactions are fewer, so that those with typical quantities can cost more a month."""
    Presets().save(KIOSK)
    text = MUSEUM.replace("interactions = 12", "minutes = 12").replace(
        "outputChars = { low = 60, typical = 150, high = 400", "sttSeconds = { typical = 5, high = 60"
    )
    (folder / "museum.toml").write_text(text)
    rule = '[[rules]]\npresets = ["Kiosk"]\nscenario = "museum.toml"\nmax_monthly_credits = 1\n'
    (one,) = run("check", policy(folder, rule), "--json").value["checks"]
    assert one["typical_credits"] < one["credits"]
    assert one["monthly_credits"] == one["typical_monthly_credits"]


def test_what_is_unknown_never_passes(run: Run, folder: Path) -> None:
    nova = '[[rules]]\ncharacters = ["Nova Adeyemi"]\n'
    for limit, said in {
        "max_credits = 1000": "The cost of “Nova Adeyemi” is unknown: ",
        "max_latency = 99000": "“Nova Adeyemi” has an unknown latency. The max_latency limit is 99 000 ms.",
        'forbid = ["beta"]': "The options of “Nova Adeyemi” are unknown: ",
    }.items():
        result = run("check", policy(folder, nova + limit))
        assert (result.status, said in result.out) == (1, True), result.out
    refused = Preset(name="Odd", selections=Selections(llm="none_of_these"))
    (folder / "odd.toml").write_text(as_toml(refused))
    result = run("check", policy(folder, '[[rules]]\npresets = ["odd.toml"]\nmax_credits = 1000\n'))
    assert (result.status, "The cost of “Odd” is unknown: " in result.out) == (1, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "policy.toml: rules is missing; add a [[rules]] table."),
        ("[[rules]]\nmax_credits = 1\n", "policy.toml:3: rules[0] needs presets, characters or bundles"),
        ('[[rules]]\npresets = ["*"]\n', "policy.toml:3: rules[0] needs a limit: one of max_credits"),
        ("[[rules]]\npresets = []\nmax_credits = 1\n", "policy.toml:3: rules[0] needs presets, characters or bundles"),
        ('[[rules]]\npresets = ["*"]\nforbid = []\n', "policy.toml:3: rules[0] needs a limit: one of max_credits"),
        (
            '[[rules]]\npresets = ["*"]\nmax_credit = 1\n',
            "policy.toml:5: Unknown key “max_credit” in 'rules[0]'. Did you",
        ),
        (
            '[[rules]]\npresets = ["*"]\nmax_credits = -1\n',
            "policy.toml:5: rules[0].max_credits must be a number of cred",
        ),
        (
            '[[rules]]\npresets = ["*"]\nmax_latency = "soon"\n',
            "policy.toml:5: rules[0].max_latency must be a number of",
        ),
        ('[[rules]]\npresets = ["*"]\nmax_growth = "5%"\n', "policy.toml:5: rules[0].max_growth needs a baseline"),
        ('[[rules]]\npresets = ["*"]\nmax_credits = 1\n', "policy.toml:4: rules[0].presets[0]: no presets match '*'."),
        (
            '[[rules]]\npresets = [\n"Kosk"]\nmax_credits = 1\n',
            "policy.toml:5: rules[0].presets[0]: Unknown preset “Kosk”",
        ),
        ('[[rules]]\ncharacters = ["Elena Mrsh"]\nmax_credits = 1\n', "policy.toml:4: rules[0].characters[0]: "),
        (
            '[[rules]]\nbundles = ["cast/none*"]\nmax_credits = 1\n',
            "policy.toml:4: rules[0].bundles[0]: no bundles match 'cast/none*'.",
        ),
        ('[[rules]]\nbundles = ["night.toml"]\nmax_credits = 1\n', "policy.toml:4: rules[0].bundles[0]: "),
        (
            '[[rules]]\npresets = ["night.toml"]\nmax_monthly_credits = 1\n',
            "policy.toml:5: rules[0].max_monthly_credits needs a scenario that sets",
        ),
        (
            '[[rules]]\npresets = ["night.toml"]\nscenario = "Musem"\nmax_credits = 1\n',
            "policy.toml:5: rules[0].scenario: Unknown scenario “Musem”",
        ),
        (
            '[[rules]]\npresets = ["night.toml"]\nscenario = "plain.toml"\nmax_monthly_credits = 1\n',
            "policy.toml:6: rules[0].max_monthly_credits needs a scenario with a [usage] table.",
        ),
    ],
)
def test_a_policy_that_cannot_be_used_says_where_and_why(text: str, said: str, run: Run, folder: Path) -> None:
    refused = run("check", policy(folder, text))
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err
    assert run("check", str(folder / "none.toml")).status == 2
    assert run("check", policy(folder, text), "--update-baseline").status == 2


@pytest.mark.parametrize("form", [(), ("--json",), ("--junit",), ("--update-baseline",)])
def test_a_misspelled_forbidden_word_is_refused(form: tuple[str, ...], run: Run, folder: Path) -> None:
    rule = '[[rules]]\npresets = ["night.toml"]\nforbid = ["Memory", "mdla_4o", "mdla_4p",\n"betas"]\n'
    file = policy(folder, f'baseline = "base.toml"\n{rule}')
    result = run("check", file, *form)
    assert (result.status, "“Night”" in result.out, (folder / "base.toml").exists()) == (2, False, False)
    assert "rules[0].forbid[0]: Unknown feature or option “Memory”. Did you mean “memory”?" in result.err
    assert "rules[0].forbid[2]: Unknown feature or option “mdla_4p”. Did you mean “mdla_4o”" in result.err
    assert "policy.toml:7: rules[0].forbid[3]: Unknown feature or option “betas”. Did you mean “beta”?" in result.err


def test_an_option_that_only_the_service_offers_can_be_forbidden(run: Run, folder: Path) -> None:
    card = load_card()
    model = card.options["llm"]["mdla_4o"]._replace(key="mdla_9")
    write_card(card._replace(options={**card.options, "llm": {**card.options["llm"], "mdla_9": model}}), folder / "c")
    (folder / "new.toml").write_text(as_toml(Preset(name="New", selections=Selections(llm="mdla_9"))))
    file = policy(folder, '[[rules]]\npresets = ["night.toml", "new.toml"]\nforbid = ["mdla_9"]\n')
    assert run("check", file).status == 2
    result = run("check", file, "--rate-card", str(folder / "c"))
    assert (result.status, "“New” uses mdla_9, which is forbidden." in result.out) == (1, True)
    assert "“Night” uses" not in result.out
    passed = run("check", policy(folder, '[[rules]]\npresets = ["night.toml"]\nforbid = ["mdlb_4_5_sonnet"]\n'))
    assert (passed.status, passed.err) == (0, "the check passed\n")
