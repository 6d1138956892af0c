"""How a service is asked while it is learned: paced, waited for, never twice the same, and gone on after any end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chartui.core.estimation.card import load_card
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.learned.answers import Kept, KeptAnswer, kept_path
from chartui.core.estimation.learned.questions import Phase, Progress
from chartui.core.estimation.learned.rates import Report, learn
from chartui.core.estimation.rates import learned_path
from chartui.core.jsontext import Wire, loads
from chartui.core.spec.errors import ErrorKind, ServiceError
from tests.core.estimation.services import FAR, Double, Time, manner, random_card, refusal

AWAY = ServiceError(ErrorKind.UNREACHABLE, "service.example cannot be reached; try again.", sent="no")


class Stop(BaseException):
    """Ends the program in the middle, as an interruption does."""


def learned(
    service: Double, time: Time | None = None, *, told: list[Progress] | None = None, **settings: Any
) -> Report:
    fresh = settings.pop("fresh", False)
    said = told if told is not None else []
    return asyncio.run(
        learn(service, FAR, fresh=fresh, manner=manner(time, **settings), told=lambda progress: said.append(progress))
    )


def stopped_after(service: Double, calls: int, **settings: Any) -> None:
    service.failures = [None] * calls + [Stop()]
    with pytest.raises(Stop):
        learned(service, **settings)


# -- the pace ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", [5.0, 2.0, 50.0])
def test_calls_are_spread_over_time(pace: float) -> None:
    time = Time()
    learned(Double(random_card(1)), time, pace=pace)
    assert time.now == pytest.approx(79 / pace)  # 80 calls, the first at once
    assert max(time.naps) <= 1 / pace + 1e-9


def test_an_answer_that_the_client_had_kept_takes_no_pause() -> None:
    time, service = Time(), Double(random_card(1))
    service.attempts = 0
    learned(service, time)
    assert time.naps == []


def test_caches_are_used_the_first_time() -> None:
    service = Double(random_card(1))
    learned(service)
    assert not any(service.refreshed)


# -- a service that is busy or away ------------------------------------------------------------------------------------


def test_a_busy_service_is_given_the_time_it_asks_for() -> None:
    busy = ServiceError(ErrorKind.RATE_LIMITED, "service.example has received too many requests.", status=429)
    service, time, told = Double(random_card(1)), Time(), list[Progress]()
    service.failures = [*[None] * 10, replace(busy, retry_after=45.0), *[None] * 10, busy]
    report = learned(service, time, told=told)
    assert report.card is not None
    waits = [(progress.seconds, progress.subject) for progress in told if progress.phase is Phase.WAITING]
    assert waits == [(45.0, busy.message), (2.0, busy.message)]
    assert 45.0 in time.naps
    assert report.calls == len(service.asked) == 79  # nothing was asked for twice


def test_a_service_that_goes_away_is_waited_for() -> None:
    service, time, told = Double(random_card(1)), Time(), list[Progress]()
    gateway = ServiceError(ErrorKind.INTERNAL, "service.example failed with 503.", status=503)
    timeout = ServiceError(ErrorKind.TIMEOUT, "service.example was silent for 10 s.")
    service.failures = [None] * 30 + [AWAY, gateway, timeout, AWAY, AWAY, AWAY]
    assert learned(service, time, told=told).card is not None
    assert [p.seconds for p in told if p.phase is Phase.WAITING] == [2.0, 4.0, 8.0, 15.0, 30.0, 30.0]


def test_it_is_given_up_after_a_while_with_everything_kept() -> None:
    service, time = Double(random_card(1)), Time()
    service.failures = [None] * 31 + [AWAY] * 100
    with pytest.raises(ServiceError) as caught:
        learned(service, time, pace=1000.0)
    assert caught.value.kind is ErrorKind.UNREACHABLE
    assert caught.value.message == (
        "service.example cannot be reached; try again. 30 responses are kept, so the next run can resume."
    )
    assert 250 < time.now <= 301
    assert Kept(kept_path(FAR)).count == 30
    assert not learned_path(FAR).exists()
    service.failures = []
    report = learned(service)
    assert (report.calls, report.made) == (79, 49)
    assert len(service.asked) == 79


def test_a_wait_that_is_too_long_is_not_begun() -> None:
    service, time = Double(random_card(1)), Time()
    service.failures = [None, ServiceError(ErrorKind.RATE_LIMITED, "Too many.", status=429, retry_after=3600.0)]
    with pytest.raises(ServiceError, match="Too many"):
        learned(service, time)
    assert time.now < 2


@pytest.mark.parametrize(
    "error",
    [
        ServiceError(ErrorKind.BAD_KEY, "The key is refused.", status=401),
        ServiceError(ErrorKind.INTERNAL, "It failed.", status=500),
        ServiceError(ErrorKind.UNEXPECTED, "That makes no sense."),
        ServiceError(ErrorKind.REFUSED, "It redirects.", status=301),
    ],
    ids=lambda error: error.kind,
)
def test_what_does_not_pass_by_itself_is_not_waited_for(error: ServiceError) -> None:
    service, time = Double(random_card(1)), Time()
    service.failures = [None] * 5 + [error]
    with pytest.raises(ServiceError) as caught:
        learned(service, time)
    assert caught.value.kind is error.kind
    assert time.now < 2
    assert Kept(kept_path(FAR)).count == 4


def test_a_service_that_makes_no_estimates_says_so() -> None:
    service = Double(random_card(1))
    service.failures = [None, refusal("Not today.")]
    with pytest.raises(ServiceError, match="rejects requests for estimates: Not today"):
        learned(service)


# -- going on ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("calls", [1, 2, 30, 60, 70, 79])
def test_an_interrupted_try_goes_on_where_it_was(calls: int) -> None:
    card = random_card(7)
    whole, service = Double(card), Double(card)
    learned(whole)
    learned_path(FAR).unlink()
    stopped_after(service, calls)
    assert Kept(kept_path(FAR)).count == calls - 1  # the options are not counted
    service.failures = []
    report = learned(service, seed=12345)  # chance goes on from where it was, too
    assert (report.calls, report.made) == (79, 80 - calls)
    assert service.asked == whole.asked
    assert load_card(report.path)._replace(origin=None) == card
    assert not kept_path(FAR).exists()


def test_what_is_kept_is_for_its_owner_alone() -> None:
    stopped_after(Double(random_card(7)), 20)
    path = kept_path(FAR)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    lines = [loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["format"] == "chartui-rate-measurements"
    assert len(lines) == 20


def test_each_profile_and_address_has_its_own() -> None:
    stopped_after(Double(random_card(7)), 20)
    for other in (replace(FAR, name="near"), replace(FAR, base_url="https://other.example")):
        assert kept_path(other) != kept_path(FAR)
        assert not Kept(kept_path(other)).begun


def test_fresh_asks_everything_again() -> None:
    service = Double(random_card(7))
    stopped_after(service, 20)
    service.asked.clear()
    report = learned(service, fresh=True)
    assert (report.calls, report.made, len(service.asked)) == (79, 79, 79)


@pytest.mark.parametrize("cut", range(1, 400, 37))
def test_a_line_that_was_torn_is_dropped(cut: int) -> None:
    service = Double(random_card(7))
    stopped_after(service, 20)
    path = kept_path(FAR)
    path.write_bytes(path.read_bytes()[:-cut])
    service.failures, service.asked = [], []
    report = learned(service)
    assert report.card is not None
    assert (report.calls, report.made) == (79, 79 - 18)
    assert len(service.asked) == 61


def test_what_comes_behind_a_torn_line_is_kept_as_well() -> None:
    service = Double(random_card(7))
    stopped_after(service, 20)
    path = kept_path(FAR)
    path.write_bytes(path.read_bytes()[:-40])
    stopped_after(service, 10)  # goes on from 18, and is stopped again
    assert Kept(path).count == 28
    service.failures = []
    assert learned(service).made == 79 - 28


@pytest.mark.parametrize("content", [b"", b"\n", b"{", b"[]\n", b'{"format": "other"}\n{}\n', b"\xff\xfe\n", b"3\n4\n"])
def test_a_file_of_another_form_counts_as_none(content: bytes) -> None:
    path = kept_path(FAR)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    report = learned(Double(random_card(7)))
    assert report.made == 79
    assert not path.exists()


def test_refusals_are_kept_as_well() -> None:
    service, listed = Double(random_card(2, without={"tts": {"tts_1"}})), Estimator(random_card(2))
    service.listed = lambda body: listed.options()
    stopped_after(service, 60)
    assert sum('"refused"' in line for line in kept_path(FAR).read_text().splitlines()) > 0
    service.failures = []
    report = learned(service)
    assert ("tts", "tts_1") in report.refused
    assert len(service.asked) == report.calls


# -- a service that changes meanwhile ----------------------------------------------------------------------------------


def test_another_rate_card_begins_anew() -> None:
    service, told = Double(random_card(7)), list[Progress]()
    stopped_after(service, 40)
    changed = random_card(8)._replace(version=service.card.version + 1)
    service.card, service.failures, service.asked = changed, [], []
    report = learned(service, told=told)
    assert [p.subject for p in told if p.phase is Phase.ANEW] == [
        f"the service's rate card was {random_card(7).version}, effective {random_card(7).effective_date} "
        f"and is now {changed.version}, effective {changed.effective_date}"
    ]
    assert (report.calls, report.made) == (79, 79)
    assert all(service.refreshed[-79:])  # no answer of the card before out of a cache
    assert load_card(report.path)._replace(origin=None) == changed


def test_a_change_in_the_middle_is_noticed() -> None:
    first, second = random_card(7), random_card(8)._replace(effective_date="2031-01-01")
    service = Double(first)

    def change(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
        if len(service.asked) == 50:
            service.card = second

    service.change = change
    report = learned(service)
    assert load_card(report.path)._replace(origin=None) == second


def test_other_rates_under_the_same_version_begin_anew() -> None:
    service, told = Double(random_card(7)), list[Progress]()
    stopped_after(service, 40)
    first = service.card
    service.card = random_card(8)._replace(version=first.version, effective_date=first.effective_date)
    service.failures, service.asked = [], []
    report = learned(service, told=told)
    assert [p.subject for p in told if p.phase is Phase.ANEW] == ["earlier responses do not match the current ones"]
    assert (report.calls, report.made) == (79, 79)
    assert load_card(report.path)._replace(origin=None) == service.card


def test_a_service_of_two_minds_is_given_up() -> None:
    service = Double(random_card(7))

    def change(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
        body["rate_card"]["version"] = len(service.asked) % 2

    service.change = change
    with pytest.raises(ServiceError, match="keeps changing its rate card"):
        learned(service)
    assert not learned_path(FAR).exists()


# -- what is told ------------------------------------------------------------------------------------------------------


def test_how_far_it_is_is_told_before_every_question() -> None:
    told = list[Progress]()
    learned(Double(random_card(7)), told=told)
    measuring = [p for p in told if p.phase is Phase.MEASURING and p.total]
    assert [p.done for p in measuring] == list(range(1, 59))
    assert {p.total for p in measuring} == {79}
    assert all(p.subject for p in measuring)
    trying = [p for p in told if p.phase is Phase.TRYING]
    assert [p.done for p in trying] == [*range(59, 79), 79]
    assert {p.total for p in trying} == {79}
    assert (trying[0].worst, trying[-1].worst) == (None, Decimal(0))


def test_the_worst_error_so_far_never_gets_better() -> None:
    def a_fee_for_one(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
        body["totals"]["credits"] += 3 if len(service.asked) == 65 else 0

    service, told = Double(random_card(7), a_fee_for_one), list[Progress]()
    report = learned(service, told=told)
    assert [m.error for m in report.misfits] == [3]
    errors = [p.worst for p in told if p.phase is Phase.TRYING and p.worst is not None]
    assert errors == sorted(errors)
    assert errors[0] == 0
    assert errors[-1] == report.worst_error == 3


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    path = learned_path(FAR).parent
    path.parent.mkdir(parents=True)
    path.write_text("a file where the folder should be")
    with pytest.raises(OSError, match="rates"):
        learned(Double(random_card(7)))


def test_answers_can_be_kept_in_memory_only() -> None:
    kept = Kept()
    kept.begin(seed=1, options=None, begun_at="")
    kept.keep({"llm": "a", "memory": True}, KeptAnswer({"x": 1}))
    assert kept.find({"memory": True, "llm": "a"}) == KeptAnswer({"x": 1})
    kept.remove()
    assert kept.find({"llm": "a", "memory": True}) is None
