"""``chartui explore`` equals asking the service for every configuration, and says what it was asked."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from chartui.core.backends.local.backend import LocalBackend
from chartui.core.backends.local.store import Store
from chartui.core.estimation import card as card_module
from chartui.core.estimation.card import Origin, load_card, write_card
from chartui.core.estimation.constraints import DEFAULTS, FEATURES, Constraints, Need, default_constraints
from chartui.core.estimation.prices import Configuration
from chartui.core.estimation.rates import learned_path
from chartui.core.jsontext import canonical
from chartui.core.numbers import number_of
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.profiles_file import change_profiles
from chartui.core.service import Service
from chartui.core.spec.catalogue import KINDS
from chartui.core.spec.operations import OPERATIONS
from tests.core.estimation.brute import Fact, best, constraints, every_configuration, fact
from tests.long import examples

from .conftest import Run, Scripted

PACKAGED = Path(card_module.__file__).with_name("data") / "rate-card.toml"


@pytest.fixture(scope="module")
def everything() -> list[Fact]:
    """The service's own answer for each of the configurations."""

    def no_store() -> Store:
        raise AssertionError("an estimate needs no store")

    async def ask_for_all() -> list[Fact]:
        service, found = Service(LocalBackend(no_store), embedded=True), []
        for configuration in every_configuration(load_card().options):
            answer = await service.call(OPERATIONS["estimate"], {"selections": configuration._asdict()})
            found.append(fact(configuration, (answer.body["totals"]["credits"], answer.body["latency_ms"]["max"])))
        return found

    return asyncio.run(ask_for_all())


#: What the defaults exclude.
EXCLUDED = "no option billed by its provider, no unusual inputs."


def words(asked: Constraints) -> list[str]:
    """The constraints as options."""
    said = []
    for option, need in (("--require", Need.MUST), ("--forbid", Need.MUST_NOT), ("--allow", Need.ANY)):
        named = [name.replace("_", "-") for name in FEATURES if getattr(asked, name) is need]
        if named:
            said += [option, ",".join(named)]
    said += [word for name in sorted(asked.families) for word in ("--family", name.lower())]
    for option, names in (("in", asked.speech_in_vendors), ("out", asked.speech_out_vendors)):
        said += [word for name in sorted(names) for word in (f"--speech-{option}-vendor", name.replace(" ", "-"))]
    for name in ("max_credits", "interactions"):
        if (number := getattr(asked, name)) is not None:
            said += [f"--{name.replace('_', '-')}", canonical(number)]
    if asked.interactions is not None and asked.max_monthly_credits is not None:
        said += ["--max-monthly-credits", canonical(asked.max_monthly_credits)]
    if asked.max_latency is not None:
        said += ["--max-latency", str(asked.max_latency)]
    return said


def hold(value: Any, facts: list[Fact], asked: Constraints) -> None:
    """Holds an answer to what the service said of all."""
    expected = best(facts, asked)
    front = [
        (point["credits"], point["latency_ms"], point["configurations"], Configuration(**point["selections"]))
        for point in value["pareto_front"]
    ]
    assert (value["matching"], front) == (expected.number, expected.front)
    assert value["total"] == len(facts) == 48_720
    assert value["cheapest"] == (value["pareto_front"] or [None])[0]
    assert value["fastest"] == (value["pareto_front"] or [None])[-1]


def test_it_equals_asking_the_service_for_every_configuration(run: Run, everything: list[Fact]) -> None:
    @settings(deadline=None, max_examples=examples(30), database=None)
    @given(constraints(everything))
    def explore(asked: Constraints) -> None:
        result = run("explore", *words(asked), "--json")
        hold(result.value, everything, asked)
        assert (result.status, result.err) == (0 if result.value["matching"] else 1, "")

    explore()


def test_speech_within_a_limit(run: Run, everything: list[Fact]) -> None:
    result = run(*["explore", "--max-latency", "1200", "--json"])
    asked = replace(DEFAULTS, speech_in=Need.MUST, speech_out=Need.MUST, max_latency=1200)
    hold(result.value, everything, asked)
    assert result.value["constraints"] == {
        "require": ["speech-in", "speech-out"],
        "forbid": ["billed-elsewhere", "unusual-inputs"],
        "families": [],
        "speech_in_vendors": [],
        "speech_out_vendors": [],
        "max_latency_ms": 1200,
        "max_credits": None,
        "max_monthly_credits": None,
        "max_monthly_price": None,
        "interactions": None,
    }


def test_the_defaults_are_those_of_the_explore_tab(run: Run, everything: list[Fact]) -> None:
    hold(run("explore", "--json").value, everything, default_constraints(Configuration.default(load_card())))
    lines = run("explore").out.splitlines()
    assert lines[0] == "Constraints: with speech input, with speech output, " + EXCLUDED
    assert (
        lines[1]
        == "Default constraints: speech-in, speech-out, no billed-elsewhere, no unusual-inputs (--allow lifts them)."
    )


@pytest.mark.parametrize(("option", "left"), [("--allow", ""), ("--forbid", "without speech output, ")])
def test_each_default_can_be_lifted_or_reversed(option: str, left: str, run: Run) -> None:
    lines = run("explore", option, "speech-out").out.splitlines()
    assert lines[0] == f"Constraints: with speech input, {left}{EXCLUDED}"
    assert lines[1] == "Default constraints: speech-in, no billed-elsewhere, no unusual-inputs (--allow lifts them)."


def test_unusual_inputs_and_provider_billing_are_marked(run: Run) -> None:
    for words, marks in (
        (
            ("--require", "billed-elsewhere", "--allow", "unusual-inputs,speech-out"),
            "billed by its provider, unusual inputs",
        ),
        (("--allow", "billed-elsewhere,unusual-inputs,speech-out"), "unusual inputs"),  # at a price that nobody knows
    ):
        out = run("explore", *words).out
        (cheapest,) = (line for line in out.splitlines() if line.startswith("cheapest"))
        assert cheapest.endswith(f", {marks}")
        assert ("billed" in cheapest) is ("billed" in marks)
    assert "more configurations is unknown" in out


def test_every_point_is_what_an_estimate_of_it_says(run: Run) -> None:
    amounts = ["--input-tokens", "12345.5", "--output-chars", "77", "--stt-seconds", "3.3", "--tts-seconds", "0"]
    value = run("explore", "--require", "realtime,animation", "--allow", "unusual-inputs", *amounts, "--json").value
    assert value["assumptions"] == {
        "inputTokens": Decimal("12345.5"),
        "outputChars": 77,
        "sttSeconds": Decimal("3.3"),
        "ttsSeconds": 0,
    }
    assert value["pareto_front"]
    for point in value["pareto_front"]:
        options = [
            f"--{'' if value is True else 'no-'}{name}" if isinstance(value, bool) else f"--{name}={value}"
            for name, value in point["selections"].items()
        ]
        body = run("estimate", *options, *amounts, "--json").value
        assert (body["totals"]["credits"], body["latency_ms"]["max"]) == (point["credits"], point["latency_ms"])


# -- what it is asked -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--require", "memory,speach-in"], "Unknown feature “speach-in”. Did you mean “speech-in”?"),
        (["--forbid", ""], "Unknown feature “”"),
        (["--require", "unusual-inputs", "--require", "memory", "--forbid", "memory"], "contradict each other: memory"),
        (["--allow", "memory", "--forbid", "memory"], "--forbid and --allow contradict each other: memory"),
        (["--family", "Famly A"], "Unknown name “Famly A” for --family. Did you mean “Family A”?"),
        (["--speech-out-vendor", "Off"], "Unknown name “Off” for --speech-out-vendor"),
        (["--max-monthly-credits", "9"], "--max-monthly-credits needs --interactions"),
        (["--max-credits=-1"], "--max-credits must be 0 or more"),
        (["--max-credits", "many"], "'many' is not a number"),
        (["--max-latency", "1.5"], "1.5 is not a whole number of milliseconds"),
        (["--max-latency=-1"], "-1 is not a whole number of milliseconds"),
        (["--limit", "0"], "'0' is not a whole number"),
        (["--input-tokens", "1e13"], "--input-tokens must be from 0 to 1000000000000"),
        (["--csv", "--json"], "--json and --csv cannot be combined"),
    ],
)
def test_what_cannot_be_asked_is_refused(options: list[str], said: str, run: Run) -> None:
    result = run("explore", *options)
    assert (result.status, result.out) == (2, "")
    assert said in result.err


def test_nothing_found_is_a_no(run: Run) -> None:
    result = run("explore", "--max-credits", "0.1", "--json")
    found = {name: result.value[name] for name in ("matching", "cheapest", "fastest", "pareto_front")}
    assert (result.status, found) == (1, {"matching": 0, "cheapest": None, "fastest": None, "pareto_front": []})
    in_words = run("explore", "--max-credits", "0.1")
    assert in_words.status == 1
    assert "at most 0.1 credits.\n" in in_words.out
    assert "\n0 of 48 720 configurations match.\n" in in_words.out


def test_nothing_found_says_what_to_give_up(run: Run) -> None:
    asked = ["explore", "--require", "speech-out", "--forbid", "unusual-inputs", "--max-latency", "0"]
    way = run(*asked[:-2], "--json").value
    matching = number_of(way["matching"], "configuration")
    told = f"If 'at most 0 ms' is removed: {matching}, such as {way['cheapest']['credits']} credits, "
    (line,) = (line for line in run(*asked).out.splitlines() if line.startswith("If "))
    assert line.startswith(told)
    stuck = run(*asked, "--max-credits", "0.1")
    assert (stuck.status, "No configuration matches. Removing a single constraint is not enough.\n" in stuck.out) == (
        1,
        True,
    )


def test_as_many_points_as_are_asked_for(run: Run) -> None:
    whole = run("explore", "--json").value
    short = run("explore", "--limit", "2", "--json").value
    assert short["pareto_front"] == whole["pareto_front"][:2]
    assert {**short, "pareto_front": whole["pareto_front"]} == whole
    rest = len(whole["pareto_front"]) - 2
    assert f"… and {rest} more that are faster but cost more\n" in run("explore", "--limit", "2").out
    assert len(run("explore", "--limit", "2", "--csv").out.splitlines()) == 3


# -- whose rates ------------------------------------------------------------------------------------------------------


def test_a_service_is_not_asked_and_whose_rates_they_are_is_said(run: Run, scripted: Any) -> None:
    far = Profile(name="far", kind=ProfileKind.REMOTE, base_url="https://service.example")
    change_profiles(lambda known: known.adding(far))
    backend: Scripted = scripted()
    banner = "Reference rates, not this service's: no rates have been learned from this service."
    asked = ["explore", "--profile", "far", "--reference-rates"]
    result = run(*asked)
    assert (result.status, result.err) == (0, f"{banner}\n")
    value = run(*asked, "--json").value
    assert value["rates"] == {"source": "reference", "notice": banner, "drift": None}
    assert f"- {banner}\n" in run(*asked, "--markdown").out
    assert backend.calls == []
    refused = run("explore", "--profile", "far", "--rate-card", str(PACKAGED))
    assert (refused.status, refused.out) == (2, "")
    assert "is a remote service with its own rates" in refused.err


def test_learned_rates_are_used_and_latencies_that_they_lack_are_not_made_up(run: Run) -> None:
    far = Profile(name="far", kind=ProfileKind.REMOTE, base_url="https://service.example")
    change_profiles(lambda known: known.adding(far))
    card = load_card()
    untimed = {k: {key: o._replace(latency=None) for key, o in card.options[k].items()} for k in KINDS}
    origin = Origin("far", "https://service.example", "2026-11-02T03:04:05Z", 64, 20, Decimal(0))
    write_card(card._replace(version=77, options=untimed, origin=origin, timed=False), learned_path(far))
    asked = ["explore", "--profile", "far"]
    value = run(*asked, "--json").value
    notice = "Rates learned on 2026-11-02, without latencies."
    assert value["rates"] == {"source": "learned", "notice": notice, "drift": None}
    assert value["rate_card"]["version"] == 77
    (point,) = value["pareto_front"]
    assert (value["cheapest"], value["fastest"], point["latency_ms"]) == (point, None, None)
    in_words = run(*asked)
    assert "fastest   unknown: the rate card has no latencies\n" in in_words.out
    for verb in ("explore", "rank"):
        refused = run(verb, *asked[1:], "--max-latency", "900")
        assert (refused.status, refused.out) == (2, "")
        assert "has no latencies" in refused.err


def test_what_a_card_lacks_is_not_passed_over_in_silence(run: Run, tmp_path: Path) -> None:
    lines = PACKAGED.read_text("utf-8").splitlines(keepends=True)
    own = tmp_path / "card.toml"
    own.write_text("".join(line for line in lines if not line.startswith("mdla_4o =")), "utf-8")
    asked = ["explore", "--rate-card", str(own), *words(Constraints())]
    value = run(*asked, "--json").value
    assert (value["total"], value["matching"], value["unpriced"]) == (47_880, 44_920, 840 + 2_960)
    assert (
        "44 920 of 47 880 configurations match; the price of 3 800 more configurations is unknown.\n" in run(*asked).out
    )
    assert "- The price of 3 800 more configurations is unknown.\n" in run(*asked, "--markdown").out


def test_a_ranking_in_which_nothing_fits_ends_with_status_1(run: Run) -> None:
    result = run("rank", "--max-latency", "100ms")
    assert (result.status, "no option meets all constraints" in result.err) == (1, True)
    assert run("rank", "--max-latency", "2s").status == 0
