"""Services to learn from: cards nobody has seen, answers that are not additive, and time that passes by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from chartui.core.backends.base import Answer, Cache, Meta
from chartui.core.estimation.card import (
    COMPONENTS,
    FREE,
    QUANTITIES,
    TIERS,
    CardOption,
    RateCard,
    Subscription,
    rates_of,
)
from chartui.core.estimation.estimator import Estimator, payload_of_query
from chartui.core.estimation.learned.rates import Manner
from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.spec.catalogue import KINDS, Kind, options
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation

__all__ = ["FAR", "NOW", "Double", "Time", "manner", "random_card", "refusal"]

FAR = Profile(name="far", kind=ProfileKind.REMOTE, base_url="https://service.example")
NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

#: Changes the body of an estimate; gets what was asked as well.
Change = Callable[[dict[str, Any], Mapping[str, Wire]], None]


def random_card(seed: int, *, without: Mapping[Kind, set[str]] | None = None, more: bool = False) -> RateCard:
    """A card of random rates of up to nine decimals, a random version and date, and random defaults and plans.

    ``without`` names options that it lacks; with ``more`` it has some that the catalogue does not know.
    """
    random = Random(seed)
    lacking = without or {}
    chosen: dict[Kind, dict[str, CardOption]] = {}
    for kind in KINDS:
        chosen[kind] = {}
        entries = [(o.key, o.label) for o in options(kind) if o.key not in lacking.get(kind, ())]
        if more:
            entries += [(key, key.upper()) for key in (f"new_{kind}_1", f"new_live_{kind}")]
        for key, label in entries:
            span = None if key in FREE[kind] else _span(random)
            chosen[kind][key] = CardOption(key, label, {name: _rate(random) for name in rates_of(kind, key)}, span)
    return RateCard(
        version=random.randrange(1, 10**6),
        effective_date=(date(2020, 1, 1) + timedelta(random.randrange(3000))).isoformat(),
        selections={
            "llm": random.choice(sorted(chosen["llm"])),
            "memory": random.random() < 0.5,
            "knowledge": random.random() < 0.5,
            **{kind: random.choice(sorted(chosen[kind])) for kind in KINDS[1:]},
        },
        assumptions={name: random.choice((random.randrange(5000), _decimal(random, 3))) for name in QUANTITIES},
        components={
            key: CardOption(key, label, {"flat": _decimal(random, 6)}, None) for key, label in COMPONENTS.items()
        },
        options=chosen,
        subscriptions=tuple(
            Subscription(
                f"subscription-{n}",
                f"Subscription {n}",
                random.randrange(10**6),
                _decimal(random, 2),
                random.choice(TIERS),
            )
            for n in range(random.randrange(4))
        ),
    )


def _span(random: Random) -> tuple[int, int] | None:
    least = random.randrange(2000)
    return None if random.random() < 0.1 else (least, least + random.randrange(3000))


def _decimal(random: Random, places: int) -> Decimal:
    return Decimal(random.randrange(10 ** (places + 2))).scaleb(-places)


def _rate(random: Random) -> Decimal:
    places = random.randrange(10)
    return Decimal(random.randrange(1, 10 ** (places + 2))).scaleb(-places)


@dataclass
class Time:
    """Seconds that pass when somebody sleeps; ``naps`` are how long each time."""

    now: float = 0.0
    naps: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds

    def ticks(self) -> float:
        return self.now


def manner(time: Time | None = None, *, seed: int = 1, **settings: Any) -> Manner:
    """A manner in which nobody waits, and chance is the same at every run."""
    time = time or Time()
    return Manner(clock=lambda: NOW, sleep=time.sleep, ticks=time.ticks, seeds=Random(seed), **settings)


def refusal(message: str) -> ServiceError:
    return ServiceError(ErrorKind.INVALID, message, status=400)


class Double:
    """Performs the estimation rows as a service over HTTP would: bodies that went through text, errors with a status.

    ``change`` alters estimates, ``listed`` the options. ``failures`` are raised by the next calls, one each; None lets
    one through. ``asked`` holds the estimates asked for.
    """

    def __init__(self, card: RateCard, change: Change | None = None) -> None:
        self.card = card
        self.change = change
        self.listed: Callable[[dict[str, Any]], Wire] = lambda body: body
        self.failures: list[BaseException | None] = []
        self.asked: list[Mapping[str, Wire]] = []
        self.refreshed: list[bool] = []
        self.attempts = 1

    async def call(self, row: Operation, payload: Mapping[str, Wire], *, refresh: bool = False) -> Answer:
        if self.failures and (failure := self.failures.pop(0)) is not None:
            raise failure
        self.refreshed.append(refresh)
        estimator = Estimator(self.card)
        if row.name == "options":
            return self._answer(self.listed(estimator.options()))
        assert row.name == "get-estimate"
        self.asked.append(payload)
        try:
            body = estimator.estimate(payload_of_query(payload))
        except ServiceError as error:
            raise replace(error, status=400) from None
        if self.change is not None:
            self.change(body, payload)
        return self._answer(body)

    def _answer(self, body: Wire) -> Answer:
        cache = Cache.NONE if self.attempts else Cache.HIT
        return Answer(body=loads(dumps(body)), meta=Meta(status=200, attempts=self.attempts, cache=cache))
