"""Drift of a service from its learned rates, the reference rates, and rate cards as files."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core.config import FORMAT, VERSION, config_path
from chartui.core.estimation.card import Origin, RateCard, load_card, write_card
from chartui.core.estimation.learned.answers import kept_path
from chartui.core.estimation.rates import keep_drift, learned_path, notes_path, rates_for
from chartui.core.jsontext import loads
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.profiles_file import change_profiles, load_profiles
from chartui.core.spec.catalogue import is_realtime_key
from tests.core.estimation.served import Served
from tests.core.estimation.services import random_card

from .conftest import Run

QUICK = ("--pace", "1000")
LEARNED_AT = "2026-11-02T03:04:05+00:00"
Serve = Callable[[RateCard], Served]


@pytest.fixture
def far() -> Profile:
    """The current profile: a service."""
    profile = Profile(name="far", kind=ProfileKind.REMOTE, base_url="http://127.0.0.1", read_only=True)
    change_profiles(lambda known: known.adding(profile).using("far"))
    return load_profiles().get("far")


@pytest.fixture
def serve(far: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Puts a card behind the profile."""

    def install(card: RateCard) -> Served:
        served = Served(card, tmp_path)
        monkeypatch.setattr("chartui.core.session._remote_backend", lambda profile, *_: served.remote(profile))
        return served

    return install


@pytest.fixture
def learned(far: Profile) -> RateCard:
    """The learned card of the profile, as if its rates had been learned."""
    origin = Origin("far", far.base_url or "", LEARNED_AT, 79, 20, Decimal(0))
    card = random_card(1)._replace(origin=origin)
    write_card(card, learned_path(far))
    return card


def dearer(card: RateCard, more: str) -> RateCard:
    """A card with a higher charge for the platform, which is part of every estimate."""
    platform = card.components["platform"]
    rates = {"flat": platform.rates["flat"] + Decimal(more)}
    return card._replace(components={**card.components, "platform": platform._replace(rates=rates)})


def dearer_model(card: RateCard, key: str) -> RateCard:
    """A card with the double price for the prompt of one model."""
    model = card.options["llm"][key]
    model = model._replace(rates={**model.rates, "prompt_per_1k": model.rates["prompt_per_1k"] * 2})
    return card._replace(options={**card.options, "llm": {**card.options["llm"], key: model}})


def estimates(served: Served) -> int:
    return sum(path.endswith("/estimate") for path in served.paths)


def test_your_own_prices_are_no_drift(serve: Serve, run: Run, learned: RateCard, tmp_path: Path) -> None:
    key = "external_tts_via_api_key"
    config_path().parent.mkdir(parents=True, exist_ok=True)
    head = f'format = "{FORMAT}"\nversion = {VERSION}\n'
    config_path().write_text(f"{head}[prices.{key}]\nper_second = 5\n", encoding="utf-8")
    serve(learned)
    assert "your own price" in run("estimate", "--tts", key).out
    assert run("rates", "check", *QUICK).status == 0
    assert run("rates", "diff", "current", "learned").out == "No differences between the rate cards.\n"
    assert "drifted" not in run("rank").err


# -- drift ------------------------------------------------------------------------------------------------------------


def test_an_answer_that_differs_marks_the_rates_everywhere(serve: Serve, run: Run, learned: RateCard) -> None:
    second = serve(dearer(learned, "1"))
    assert "drifted" not in run("rank").err
    total = run("estimate", "--json").value["totals"]["credits"]
    for words in (["estimate"], ["estimate", "--csv"]):
        assert "have drifted" in (said := run(*words).err), words
        assert "'chartui rates learn' learns them again." in said
    second.paths.clear()
    run("estimate", "--json")
    assert estimates(second) == 1
    for words in (["rank"], ["explore"], ["rates", "show"], ["subscriptions"], ["estimate", "--turns", "3"]):
        result = run(*words)
        assert (result.status, "Rates learned on 2026-11-02 have drifted: " in result.err) == (0, True), words
        assert "the platform +1" in result.err
        assert "'chartui rates learn' learns them again." in result.err
        assert "drifted" in result.out or words == ["rates", "show"]
        assert f"{total:.3f}" in result.err.replace(" ", "")
    for words in (["rank", "--json"], ["explore", "--json"]):
        drift = run(*words).value["rates"]["drift"]
        assert (drift["difference"], drift["lines"][0]["line"]) == (1, "platform")
        assert (drift["service_credits"], drift["card_credits"]) == (total, total - 1)
        assert drift["percent"] == (100 / (total - 1)).quantize(Decimal("0.000001"))
    assert run("rates", "show", "--json").value["drift"]["lines"][0]["line"] == "platform"
    assert all(line.endswith(",drifted") for line in run("rank", "--csv").out.splitlines()[1:])
    found = run("doctor")
    assert (found.status, "the platform +1" in found.out, "chartui rates learn" in found.out) == (1, True, True)
    assert "the platform +1" in run("doctor", "--json").value["rates"]["drift"]
    assert estimates(second) == 1  # nothing was asked to find out


def test_another_card_replaces_the_mark_and_the_earlier_one_removes_it(
    serve: Serve, run: Run, learned: RateCard
) -> None:
    def difference() -> Decimal | None:
        drift = run("rates", "show", "--json").value["drift"]
        return None if drift is None else drift["difference"]

    serve(dearer(learned, "1"))
    run("estimate")
    assert difference() == 1
    serve(dearer(learned, "0.25"))
    run("estimate")
    assert difference() == Decimal("0.25")
    run("estimate", "--input-tokens", "123456")  # a smaller share, of a larger total
    assert difference() == Decimal("0.25")
    serve(learned._replace(origin=None))
    run("estimate")
    assert difference() is None
    serve(learned._replace(version=learned.version + 1))
    run("estimate")
    assert f"now uses rate card {learned.version + 1}" in run("rank").err


def test_learning_again_removes_the_mark_and_says_what_changes(serve: Serve, run: Run, learned: RateCard) -> None:
    run("presets", "save", "plain", "--profile", "demo")
    serve(dearer(learned, "1"))
    run("estimate")
    result = run("rates", "learn", *QUICK)
    assert result.status == 0
    said = " ".join(result.out.split())
    assert "changed 1 value in the rate card" in said
    assert "presets The cost changes for 1 of 1. Together: " in said
    assert "(+1.000). Largest changes: “plain” " in said
    assert "characters Unknown: " in said  # the profile has no API key to read them with
    assert run("rates", "show", "--json").value["drift"] is None
    again = run("rates", "learn", *QUICK, "--json").value
    assert again["changes"]["rates"] == 0
    presets, characters = again["changes"]["effects"]
    assert (presets["what"], presets["changed"], presets["number"]) == ("presets", [], 1)
    assert "API key" in characters["problem"]
    assert run("rates", "diff", "previous", "learned").status == 0


def test_a_check_sets_and_removes_the_mark(serve: Serve, run: Run, learned: RateCard) -> None:
    serve(dearer(learned, "1"))
    assert run("rates", "check", *QUICK).status == 1
    assert "have drifted" in run("rank").err
    serve(learned._replace(origin=None))
    assert run("rates", "check", *QUICK).status == 0
    assert "have drifted" not in run("rank").err


def test_a_check_asks_for_the_configuration_of_the_mark_again(serve: Serve, run: Run, learned: RateCard) -> None:
    model = "mdlc_2_5_flash_lite"
    second = serve(dearer_model(learned, model))
    run("estimate", "--llm", model, "--input-tokens", "5000")
    before = run("rates", "show", "--json").value["drift"]
    assert before["request"]["llm"] == model
    assert run("rates", "check", *QUICK).status == 1
    assert estimates(second) == 1 + 6
    after = run("rates", "show", "--json").value["drift"]
    assert after["percent"] >= before["percent"]
    served = serve(learned._replace(origin=None))
    result = run("rates", "check", *QUICK)
    assert (result.status, estimates(served)) == (0, 6)
    assert (
        f"The drift mark was removed, because the rates are correct again for {after['configuration']}." in result.err
    )
    assert run("rates", "show", "--json").value["drift"] is None
    assert run("rates", "check", *QUICK).err == ""
    assert estimates(served) == 11


def test_a_lenient_check_keeps_the_mark_of_a_smaller_difference(serve: Serve, run: Run, learned: RateCard) -> None:
    serve(dearer(learned, "1"))
    run("estimate")
    result = run("rates", "check", *QUICK, "--tolerance", "2")
    assert (result.status, "The drift mark was kept for " in result.err) == (0, True)
    assert "have drifted" in run("rank").err


def test_learning_does_not_resume_with_responses_from_before_the_drift(
    serve: Serve, run: Run, learned: RateCard, far: Profile
) -> None:
    earlier = serve(learned._replace(origin=None))
    earlier.busy = {79: (401, {})}
    assert run("rates", "learn", *QUICK).status == 4
    *_, last = (loads(line) for line in kept_path(far).read_bytes().splitlines())
    tried = {loads(line)["asked"].get("llm") for line in kept_path(far).read_bytes().splitlines()[-19:]}
    assert last["asked"]["llm"] in tried
    model = next(key for key in learned.options["llm"] if key not in tried and not is_realtime_key(key))
    serve(dearer_model(learned, model))
    run("estimate", "--llm", model)
    assert run("rates", "show", "--json").value["drift"] is not None
    result = run("rates", "learn", *QUICK)
    assert (result.status, "earlier responses do not match the current ones" in result.err) == (0, True)
    found = load_card(learned_path(far)).options["llm"][model].rates
    assert found["prompt_per_1k"] == 2 * learned.options["llm"][model].rates["prompt_per_1k"]


def test_a_mark_of_another_program_is_kept(serve: Serve, run: Run, learned: RateCard, far: Profile) -> None:
    serve(dearer(learned, "0.25"))
    run("estimate")
    small = rates_for(far).drift
    serve(dearer(learned, "1"))
    run("estimate")
    large = rates_for(far).drift
    keep_drift(far, small, None)
    assert rates_for(far).drift == large
    keep_drift(far, None, small)
    assert rates_for(far).drift == small  # the newer amounts of the same configuration
    keep_drift(far, small, None)
    assert rates_for(far).drift is None


def test_an_earlier_version_does_not_disprove_other_amounts(serve: Serve, run: Run, learned: RateCard) -> None:
    model = "mdlc_2_5_flash_lite"
    dear = dearer_model(learned, model)
    serve(dear._replace(version=learned.version + 1))
    run("estimate", "--llm", model)
    serve(dear)
    run("estimate", "--llm", "mdla_4o")
    assert "have drifted" in run("rank").err
    serve(learned._replace(origin=None))
    run("estimate", "--llm", model)
    assert "have drifted" not in run("rank").err


def test_a_damaged_mark_is_ignored(serve: Serve, run: Run, learned: RateCard, far: Profile) -> None:
    serve(dearer(learned, "1"))
    run("estimate")
    for damaged in (b"", b"{}", b"[1]", notes_path(far).read_bytes().replace(b'"lines"', b'"line"')):
        notes_path(far).write_bytes(damaged)
        assert run("rank").err == "Rates learned on 2026-11-02.\n"
    run("estimate")
    assert "have drifted" in run("rank").err


# -- the reference rates ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["rank"], ["explore"], ["subscriptions"], ["estimate", "--turns", "3"]])
def test_unknown_rates_are_refused_unless_the_reference_rates_are_allowed(
    words: list[str], serve: Serve, run: Run
) -> None:
    served = serve(random_card(1))
    refused = run(*words)
    assert (refused.status, refused.out) == (2, "")
    assert "'chartui rates learn' learns them from about 80 estimates and takes about 20 s" in refused.err
    assert "--reference-rates" in refused.err
    assert served.paths == []
    allowed = run(*words, "--reference-rates")
    assert (allowed.status, "Reference rates, not this service's" in allowed.err) == (0, True)
    rows = run(*words, "--reference-rates", "--csv").out.splitlines()
    assert (rows[0].split(",")[-1], {row.split(",")[-1] for row in rows[1:]}) == ("rates", {"reference"})
    assert run(*words, "--profile", "demo", "--reference-rates").err == ""


# -- cards as files ---------------------------------------------------------------------------------------------------


def test_the_difference_between_two_cards(run: Run, tmp_path: Path) -> None:
    card, other = load_card(), tmp_path / "other.toml"
    model = next(iter(card.options["llm"]))
    fewer = {key: one for key, one in card.options["llm"].items() if key != model}
    write_card(dearer(card, "0.5")._replace(options={**card.options, "llm": fewer}), other)
    result = run("rates", "diff", "reference", str(other), "--json")
    assert result.status == 1
    rows = {(row["table"], row["key"], row["rate"]): row for row in result.value["changes"]}
    flat = card.components["platform"].rates["flat"]
    found = rows.pop(("components", "platform", "flat"))
    assert (found["old"], found["new"], found["difference"]) == (flat, flat + Decimal("0.5"), Decimal("0.5"))
    assert found["percent"] == (50 / flat).quantize(Decimal("0.01"))
    assert {(table, key) for table, key, _ in rows} == {("llm", model)}
    assert {row["new"] for row in rows.values()} == {None}
    assert run("rates", "diff", "reference", "reference").out == "No differences between the rate cards.\n"
    missing = run("rates", "diff", "learned", "reference")
    assert (missing.status, "profile 'demo' has no learned rate card" in missing.err) == (2, True)
    assert "Did you mean “reference”?" in run("rates", "diff", "refrence", "learned").err


def test_the_effect_of_another_card_on_characters(run: Run, tmp_path: Path, demo_ids: dict[str, str]) -> None:
    other = tmp_path / "other.toml"
    write_card(dearer(load_card(), "0.5"), other)
    result = run("rates", "diff", "current", str(other), "--characters", "--json")
    (effect,) = result.value["effects"]
    number = len(demo_ids)
    # One of them has a model whose price is unknown.
    assert (effect["what"], effect["number"], effect["unknown"]) == ("characters", number, 1)
    assert len(effect["changed"]) == number - 1
    assert effect["total_after"]["max"] - effect["total_before"]["max"] == Decimal("0.5") * (number - 1)


def test_the_card_in_use_is_exported(run: Run, tmp_path: Path, learned: RateCard) -> None:
    path = tmp_path / "card.toml"
    said = f"Use it with 'chartui estimate --profile {{}} --rate-card {path}'."
    assert said.format("local") in run("rates", "export", str(path)).err
    assert load_card(path) == learned
    assert run("rank", "--profile", "demo", "--rate-card", str(path)).status == 0
    again = run("rates", "export", str(path))
    assert (again.status, "already exists" in again.err) == (2, True)
    assert said.format("demo") in run("rates", "export", str(path), "--force", "--profile", "demo").err
    assert load_card(path) == load_card()
