"""``chartui rates``: in this process on a service without a network, and as processes against ``chartui serve``."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from chartui.core.estimation.card import RateCard, load_card, write_card
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.learned.answers import kept_path
from chartui.core.estimation.rates import learned_path
from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.profiles_file import change_profiles, load_profiles
from chartui.core.spec.catalogue import KINDS
from tests.core.estimation.served import Served
from tests.core.estimation.services import Change, random_card
from tests.served import serving

from .conftest import Run

QUICK = ("--pace", "1000")
Serve = Callable[..., Served]


def far(base_url: str = "http://127.0.0.1") -> Profile:
    """The profile of the service, which is read-only as every new one is."""
    profile = Profile(name="far", kind=ProfileKind.REMOTE, base_url=base_url, read_only=True)
    change_profiles(lambda known: known.adding(profile).using("far"))
    return load_profiles().get("far")


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Puts a card behind the profile ``far``, which is the current one."""
    far()

    def install(card: RateCard, change: Change | None = None) -> Served:
        served = Served(card, tmp_path, change)
        monkeypatch.setattr("chartui.core.session._remote_backend", lambda profile, *_: served.remote(profile))
        return served

    return install


def a_fee(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
    body["totals"]["credits"] += Decimal("0.1")


def late(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
    body["latency_ms"]["max"] += 1000


# -- learn -------------------------------------------------------------------------------------------------------------


def test_learning_says_how_well_the_card_fits(serve: Serve, run: Run) -> None:
    card = random_card(1)
    serve(card)
    result = run("rates", "learn", *QUICK)
    assert result.status == 0
    lines = dict(line.split("  ", 1) for line in result.out.splitlines())
    assert {label: text.strip() for label, text in lines.items()} == {
        "fits": "yes",
        "calls": "79, 79 of them new",
        "tried": "20 random configurations",
        "largest error": "0 credits",
        "rate card": f"{card.version}, effective {card.effective_date}",
        "latencies": "yes",
    }
    assert result.err.endswith(f"Rate card written to {learned_path(far())}. Estimates now use it.\n")
    assert load_card(learned_path(far()))._replace(origin=None) == card


def test_learning_as_json(serve: Serve, run: Run) -> None:
    card = random_card(1, without={"tts": {"tts_1"}})
    serve(card)
    result = run("rates", "learn", *QUICK, "--json")
    assert (result.status, result.err) == (0, "")
    found = result.value
    assert found["fits"] is True
    assert (found["calls"], found["new_calls"], found["tests"], found["worst_error"]) == (79, 79, 20, 0)
    assert found["missing"] == {"tts": ["tts_1"]}
    assert found["file"] == str(learned_path(far()))
    assert found["rate_card"] == {"version": card.version, "effective_date": card.effective_date}
    assert (found["misfits"], found["problem"], found["refused"]) == ([], None, [])


def test_a_service_that_is_not_additive_is_told(serve: Serve, run: Run) -> None:
    serve(random_card(1), a_fee)
    result = run("rates", "learn", *QUICK)
    assert result.status == 1
    assert result.out.startswith("fits           no\n")
    assert "differences    the total: the service says " in result.out
    assert "more amounts" in result.out
    assert result.err.endswith("cannot describe what this service charges. Nothing was written.\n")
    assert not learned_path(far()).exists()
    result = run("rates", "learn", *QUICK, "--json")
    assert (result.status, result.err) == (1, "")
    assert (result.value["fits"], result.value["file"]) == (False, None)
    assert result.value["misfits"][0]["error"] == Decimal("0.1")
    assert result.value["misfits"][0]["configuration"]


def test_what_is_tolerated_can_be_said(serve: Serve, run: Run) -> None:
    serve(random_card(1), a_fee)
    result = run("rates", "learn", *QUICK, "--tolerance", "0.1", "--json")
    assert result.status == 0
    assert (result.value["worst_error"], result.value["tolerance"]) == (Decimal("0.1"), Decimal("0.1"))
    assert result.value["worst_error_at"]
    assert run("rates", "check", *QUICK).status == 0  # as far off as it was then


def test_latencies_that_are_no_sum_are_left_out_and_told(serve: Serve, run: Run) -> None:
    serve(random_card(1), late)
    result = run("rates", "learn", *QUICK)
    assert result.status == 0
    assert "latencies      omitted: the service says " in result.out
    shown = run("rates", "show")
    assert "latencies      unknown" in shown.out
    assert shown.err == f"{banner()}\n"
    estimated = run("estimate", "--profile", "demo", "--rate-card", str(learned_path(far())))
    assert "latency unknown" in estimated.out


def banner() -> str:
    origin = load_card(learned_path(far())).origin
    assert origin is not None
    return f"Rates learned on {origin.learned_at[:10]}, without latencies."


def test_the_card_can_be_written_elsewhere_and_computed_with(serve: Serve, run: Run, tmp_path: Path) -> None:
    card, path = random_card(1), tmp_path / "mine.toml"
    serve(card)
    result = run("rates", "learn", *QUICK, "--output", str(path))
    assert result.status == 0
    assert str(path) in result.err
    assert not learned_path(far()).exists()
    estimated = run("estimate", "--profile", "demo", "--rate-card", str(path), "--json")
    assert estimated.value == loads(dumps(Estimator(card).estimate({})))


def test_a_service_that_fails_keeps_what_was_measured(serve: Serve, run: Run) -> None:
    served = serve(random_card(1))
    served.busy = {30: (401, {})}
    result = run("rates", "learn", *QUICK)
    assert result.status == 4
    assert result.out == ""
    assert "29 responses are kept, so the next run can resume." in result.err
    again = run("rates", "learn", *QUICK)
    assert again.status == 0
    assert again.err.startswith("resuming with 29 stored responses, the first from ")
    assert "79, 50 of them new" in again.out


def test_fresh_begins_anew(serve: Serve, run: Run) -> None:
    served = serve(random_card(1))
    served.busy = {30: (401, {})}
    run("rates", "learn", *QUICK)
    result = run("rates", "learn", *QUICK, "--restart")
    assert "79, 79 of them new" in result.out
    assert "going on" not in result.err


def test_a_card_that_changed_meanwhile_begins_anew_and_says_so(
    serve: Serve, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve(random_card(1))
    served.busy = {30: (401, {})}
    run("rates", "learn", *QUICK)
    serve(random_card(2))
    result = run("rates", "learn", *QUICK)
    assert result.status == 0
    assert "starting over: the service's rate card was " in result.err
    assert "79, 79 of them new" in result.out


def test_how_far_it_is_is_told(serve: Serve, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chartui.cli.rates._REPORT_EVERY", 0.0)
    served = serve(random_card(1))
    served.busy = {10: (429, {"retry-after": "0"})}
    result = run("rates", "learn", *QUICK)
    told = result.err.splitlines()
    assert sum(" of 79" in line for line in told) >= 78
    assert any(line.startswith("70 of 79, largest error 0 credits: ") for line in told)


@pytest.mark.parametrize("verb", ["learn", "check"])
def test_a_store_has_nothing_to_learn(verb: str, run: Run) -> None:
    result = run("rates", verb, "--profile", "demo")
    assert (result.status, result.out) == (2, "")
    assert "'demo' uses an embedded store with an exact rate card, so there is nothing to learn" in result.err


@pytest.mark.parametrize(
    "words",
    [
        ("--pace", "0.009"),
        ("--pace", "1000.1"),
        ("--pace", "x"),
        ("--tolerance", "-0.1"),
        ("--tolerance", "1000.1"),
        ("--tolerance", "1_0"),
    ],
)
def test_numbers_out_of_bounds_are_refused(words: tuple[str, str], run: Run) -> None:
    result = run("rates", "learn", *words)
    assert (result.status, result.out) == (2, "")
    assert words[1] in result.err


# -- show --------------------------------------------------------------------------------------------------------------


def test_the_rates_of_a_store_are_its_own(run: Run, tmp_path: Path) -> None:
    result = run("rates", "show", "--profile", "demo")
    assert (result.status, result.err) == (0, "")
    assert "rates          the store's own rates\n" in result.out
    assert "58 models, 5 speech input, 21 speech output, 2 animation" in result.out
    assert "price unknown" not in result.out
    found = run("rates", "show", "--profile", "demo", "--json").value
    assert (found["source"], found["file"], found["origin"], found["notice"]) == ("store", None, None, "")


def test_without_a_learned_card_there_are_the_reference_rates(serve: Serve, run: Run) -> None:
    serve(random_card(1))
    result = run("rates", "show")
    assert result.err == "Reference rates, not this service's: no rates have been learned from this service.\n"
    assert run("rates", "show", "--json").value["source"] == "reference"


def test_a_learned_card_is_shown_with_where_it_comes_from(serve: Serve, run: Run) -> None:
    card = random_card(1, without={"llm": {"mdla_4o"}, "tts": {"tts_1", "vendore_3"}})
    serve(card)
    run("rates", "learn", *QUICK)
    result = run("rates", "show")
    assert "learned from   http://127.0.0.1 (profile 'far')\n" in result.out
    assert "UTC, from " in result.out
    assert "largest error  0 credits in 20 tested configurations\n" in result.out
    assert "price unknown  models: mdla_4o\n               speech output: tts_1, vendore_3\n" in result.out
    found = run("rates", "show", "--json").value
    assert (found["source"], found["file"]) == ("learned", str(learned_path(far())))
    assert found["origin"]["base_url"] == "http://127.0.0.1"
    assert found["options"] == {"llm": 57, "stt": 5, "tts": 19, "animation": 2}
    assert found["missing"] == {"llm": ["mdla_4o"], "tts": ["tts_1", "vendore_3"]}
    assert found["subscriptions"] == len(card.subscriptions)


# -- check -------------------------------------------------------------------------------------------------------------


def test_rates_that_hold(serve: Serve, run: Run) -> None:
    serve(random_card(1))
    run("rates", "learn", *QUICK)
    result = run("rates", "check", *QUICK)
    assert (result.status, result.err) == (0, "")
    assert result.out == "No drift found in 5 configurations. Largest error: 0 credits.\n"
    found = run("rates", "check", *QUICK, "--json")
    assert (found.status, found.value["drifted"], found.value["differences"]) == (0, False, [])


def test_rates_that_have_drifted(serve: Serve, run: Run) -> None:
    card = random_card(1)
    serve(card)
    run("rates", "learn", *QUICK)
    dearer = {
        key: option._replace(rates={name: rate * 2 for name, rate in option.rates.items()})
        for key, option in card.options["llm"].items()
    }
    serve(card._replace(version=card.version + 1, options={**card.options, "llm": dearer}))
    result = run("rates", "check", *QUICK)
    assert result.status == 1
    assert (
        f"The service's rate card is version {card.version + 1}; the learned rate card is version {card.version}."
        in result.out
    )
    assert "The prompt: " in result.out
    assert result.err.endswith("Run 'chartui rates learn' to learn them again.\n")
    found = run("rates", "check", *QUICK, "--json")
    assert (found.status, found.err, found.value["drifted"]) == (1, "", True)
    assert found.value["worst_error"] > 0


def test_there_is_nothing_to_check_before_something_was_learned(serve: Serve, run: Run) -> None:
    serve(random_card(1))
    result = run("rates", "check")
    assert (result.status, result.out) == (2, "")
    assert "'chartui rates learn' learns the rates of a service" in result.err


# -- as processes ------------------------------------------------------------------------------------------------------


def served_card(tmp_path: Path, seed: int) -> tuple[RateCard, Path]:
    card, path = random_card(seed, more=True), tmp_path / "their-card.toml"
    write_card(card, path)
    return card, path


#: The program, which says how many answers lie on the disk whenever another one does.
TELLING = """
import sys
from chartui.core.estimation.learned.answers import Kept
from chartui.main import main

keep = Kept.keep
def keep_and_tell(self, *what):
    keep(self, *what)
    print(self.count, file=sys.stderr, flush=True)
Kept.keep = keep_and_tell
sys.exit(main())
"""


def learning(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", TELLING, "rates", "learn", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until_kept(answers: int, process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    lines = iter(process.stderr.readline, "")
    assert f"{answers}\n" in lines, process.communicate()


def test_a_served_card_is_learned_however_often_that_is_interrupted(tmp_path: Path, run: Run) -> None:
    card, path = served_card(tmp_path, 31)
    with serving("--demo", "--rate-card", str(path)) as (_, start):
        profile = far(start["base_url"])
        with learning("--pace", "40") as first:
            until_kept(10, first)
            first.send_signal(signal.SIGINT)
            out, err = first.communicate(timeout=120)
        assert (first.returncode, out) == (130, "")
        kept = kept_path(profile).read_bytes().count(b"\n") - 1
        assert err.endswith(f"stopped with {kept} responses stored; run the same command to resume\n")
        with learning("--pace", "40") as second:
            until_kept(40, second)
            second.kill()
            second.communicate(timeout=120)
        kept = kept_path(profile).read_bytes().count(b"\n") - 1
        assert kept >= 40
        result = run("rates", "learn", "--pace", "1000", "--json")
        assert result.status == 0
        found = result.value
        assert found["calls"] - found["tests"] <= 80
        assert (found["tests"], found["new_calls"]) == (20, found["calls"] - kept)
        assert found["worst_error"] == 0
        assert run("rates", "check", "--pace", "1000").status == 0
    learned = load_card(learned_path(profile))
    assert learned._replace(origin=None) == card
    assert not kept_path(profile).exists()
    off = worst_error(learned, card, 500)
    assert off == 0


def worst_error(learned: RateCard, real: RateCard, number: int) -> Decimal:
    """By how many credits the totals differ at most, in configurations of the test's own."""
    random, worst = Random(5), Decimal(0)
    ours, theirs = Estimator(learned), Estimator(real)
    for _ in range(number):
        selections: dict[str, Wire] = {kind: random.choice(list(real.options[kind])) for kind in KINDS}
        selections |= {"memory": random.random() < 0.5, "knowledge": random.random() < 0.5}
        names = ("inputTokens", "outputChars", "sttSeconds", "ttsSeconds")
        assumptions = {name: Decimal(random.randrange(10**9)).scaleb(-random.randrange(7)) for name in names}
        payload = {"selections": selections, "assumptions": assumptions}
        totals = [estimator.estimate(payload)["totals"]["credits"] for estimator in (ours, theirs)]
        worst = max(worst, abs(totals[0] - totals[1]))
    return worst
