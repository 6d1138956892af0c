"""Learning by way of the HTTP client: what the two of them do when a service is busy, and what a cache saves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from chartui.core.estimation.card import load_card
from chartui.core.estimation.learned.questions import Phase, Progress
from chartui.core.estimation.learned.rates import check, learn
from chartui.core.spec.errors import ServiceError
from tests.core.estimation.served import PROFILE, Served
from tests.core.estimation.services import manner, random_card


@pytest.mark.parametrize("seed", range(3))
def test_a_card_is_learned_over_http(tmp_path: Path, seed: int) -> None:
    card = random_card(seed, more=True)
    served = Served(card, tmp_path)
    report = served.learned()
    assert report.card is not None
    assert load_card(report.path)._replace(origin=None) == card
    assert served.paths.count("/api/v1/estimate") == report.calls <= 100
    assert served.paths.count("/api/v1/options") == 1


def test_a_short_wait_is_the_clients_and_a_long_one_is_told(tmp_path: Path) -> None:
    served, told = Served(random_card(1), tmp_path), list[Progress]()
    served.busy = {10: (429, {"retry-after": "3"}), 20: (429, {"retry-after": "45"}), 30: (503, {})}
    report = served.learned(told.append)
    assert report.card is not None
    assert [(p.seconds, p.phase) for p in told if p.phase is Phase.WAITING] == [(45.0, Phase.WAITING)]
    waits = [nap for nap in served.time.naps if nap > 0.21]
    assert waits == [3.0, 45.0, 0.25]  # each waited for once, by one of the two
    assert len(served.paths) == 80 + 3


def test_a_service_that_stays_away_is_given_up_within_bounds(tmp_path: Path) -> None:
    served = Served(random_card(1), tmp_path)
    served.busy = {number: (503, {}) for number in range(10, 1000)}
    with pytest.raises(ServiceError, match="9 responses are kept"):
        served.learned()
    assert len(served.paths) < 60
    assert served.time.now < 330
    served.busy = {}
    report = served.learned()
    assert (report.calls, report.made) == (79, 70)


def test_a_check_goes_past_the_cache(tmp_path: Path) -> None:
    served = Served(random_card(1), tmp_path)

    async def work() -> list[int]:
        async with served.service() as service:
            report = await learn(service, PROFILE, manner=manner(served.time))
            assert report.card is not None
            counts = [len(served.paths)]
            for _ in range(2):
                drift = await check(service, report.card, manner=manner(served.time))
                assert drift.differences == ()
                counts.append(len(served.paths))
            return counts

    assert asyncio.run(work()) == [80, 85, 90]
