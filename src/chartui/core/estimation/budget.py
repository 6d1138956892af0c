"""Calculate the cost of a month of usage, and how much of it each subscription covers (E 4.3).

Every day with usage costs the same. The length of a conversation is the time during which the user or the character
speaks. The time spent waiting for replies is not included, because only its minimum and maximum are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal, get_args

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import EXACT, rounded, spoken
from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.estimation.discovery import Discovery, OfferedSubscription
from chartui.core.estimation.prices import Quantities
from chartui.core.estimation.rates import Rates, RateSource
from chartui.core.money import Price, with_money
from chartui.core.numbers import noun, number_of
from chartui.core.sheet import Column, Kind, Sheet

Period = Literal["day", "month", "session"]
PERIODS: Final[tuple[Period, ...]] = get_args(Period)
#: Defaults of a usage.
USERS: Final = Decimal(100)
INTERACTIONS: Final = Decimal(10)
DAYS: Final = Decimal(30)
SESSIONS: Final = Decimal(10)
_MOST_DAYS: Final = 366
_MOST_MINUTES: Final = 24 * 60
_MOST_GROWTH: Final = 1000
#: Months of growth that are computed.
_MONTHS: Final = 12
_MINUTE: Final = 60
_HOUR: Final = 3600
_HUNDRED: Final = Decimal(100)
_THOUSANDTH: Final = Decimal("0.001")


class Problem(NamedTuple):
    """An invalid value in a :class:`Usage`: the name of the field and a sentence that gives the reason."""

    member: str
    text: str


class Usage(NamedTuple):
    """The expected usage, given by the number of users and the number of interactions per user per period (``per``).

    If ``minutes`` of conversation per user per period are given instead, the number of interactions is derived from the
    length of an interaction. ``days`` is the number of days with usage in a month, and ``sessions`` is the number of
    sessions per user per month. ``growth`` is the monthly increase in the number of users, in percent.
    """

    users: Decimal
    interactions: Decimal | None = None
    minutes: Decimal | None = None
    days: Decimal = DAYS
    per: Period = "day"
    sessions: Decimal = SESSIONS
    growth: Decimal = Decimal(0)

    @property
    def times(self) -> Decimal:
        """The number of periods in a month, for one user."""
        return {"day": self.days, "month": Decimal(1), "session": self.sessions}[self.per]

    def problem(self) -> Problem | None:
        """Return the first invalid value and the reason, or None if all values are valid."""
        if (self.interactions is None) == (self.minutes is None):
            return Problem("interactions", "Give either interactions or minutes, not both.")
        limits = (
            ("users", 0, MAX_QUANTITY),
            ("interactions", 0, MAX_QUANTITY),
            ("minutes", 0, _MOST_MINUTES if self.per == "day" else _MOST_MINUTES * _MOST_DAYS),
            ("days", 1, _MOST_DAYS),
            ("sessions", 0, MAX_QUANTITY),
            ("growth", -99, _MOST_GROWTH),
        )
        for name, least, most in limits:
            amount: Decimal | None = getattr(self, name)
            if amount is not None and not (amount.is_finite() and least <= amount <= most):
                given = spoken(amount) if amount.is_finite() else amount
                return Problem(name, f"The {name} must be from {least} to {spoken(most)}, not {given}.")
        return None


class SubscriptionFit(NamedTuple):
    """How far a subscription covers a month of usage.

    Unknown values are None. ``share`` is the fraction of the subscription's credits that is used. It is above 1 if the
    credits are insufficient. ``left`` is the number of credits left. It is negative if the credits are insufficient.
    ``runs_out`` is the day of usage, counted from 1, on which the credits run out. It is None if they are sufficient.
    ``per_thousand`` is the price of a thousand interactions. It is None if the subscription does not cover the month.
    """

    subscription: OfferedSubscription
    fits: bool | None
    share: Decimal | None
    left: Decimal | None
    runs_out: int | None
    per_thousand: Decimal | None


class Budget(NamedTuple):
    """The cost of a month of usage. Unknown values are None.

    ``per_interaction``, ``credits`` (per month) and ``per_hour`` (of conversation) are in credits. ``interactions`` is
    the number of interactions per month. These four amounts are rounded to six decimal places. ``notes`` explains
    unknown values and assumptions. If the usage grows, ``year`` contains the budgets of 12 months, beginning with this
    month.
    """

    usage: Usage
    per_interaction: Decimal | None
    seconds: Decimal
    interactions: Decimal | None
    credits: Decimal | None
    per_hour: Decimal | None
    subscriptions: tuple[SubscriptionFit, ...]
    notes: tuple[str, ...]
    year: tuple[Budget, ...] = ()

    def users_of(self, subscription: OfferedSubscription) -> int | None:
        """Return the number of users whose month a subscription covers, or None if it is unknown or unlimited."""
        if subscription.monthly_credits is None or not self.credits:
            return None
        return int(self.usage.users * subscription.monthly_credits // self.credits)

    @property
    def cheapest(self) -> SubscriptionFit | None:
        """The cheapest subscription that is certain to cover the month, or None if there is none.

        If several subscriptions cost the same, the one with the most credits left is chosen.
        """
        fitting = [fit for fit in self.subscriptions if fit.fits and fit.subscription.price is not None]
        return min(fitting, key=lambda fit: (fit.subscription.price or 0, -(fit.left or 0)), default=None)

    @property
    def several(self) -> tuple[SubscriptionFit, int, Decimal] | None:
        """The largest subscription, how many such subscriptions are needed to cover the month, and their total price.

        The value is None if a single subscription covers the month.
        """
        known = [fit for fit in self.subscriptions if fit.left is not None and fit.subscription.price]
        if self.credits is None or not known or any(fit.fits is not False for fit in self.subscriptions):
            return None
        largest = max(known, key=lambda fit: fit.subscription.monthly_credits or 0)
        held = Fraction(largest.subscription.monthly_credits or 0)
        if not held:
            return None
        needed = -(-Fraction(self.credits) // held)
        return largest, needed, EXACT.multiply(Decimal(largest.subscription.price or 0), needed)

    @property
    def offer(self) -> tuple[str, Decimal] | None:
        """The cheapest offer that covers the month, with its monthly price, or None if there is none.

        An offer is a single subscription or, if none covers the month, several units of the largest one.
        """
        if (best := self.cheapest) is not None:
            return best.subscription.label, Decimal(best.subscription.price or 0)
        if (several := self.several) is not None:
            return f"{spoken(several[1])} × {several[0].subscription.label}", several[2]
        return None

    @property
    def verdict(self) -> str:
        """A sentence that recommends a subscription, or says why none can be recommended."""
        if self.credits is None:
            return "Can't recommend a subscription: the credits per month are unknown."
        if not self.subscriptions:
            return "The service lists no subscriptions."
        best = self.cheapest
        unsure = any(fit.fits is None or (fit.fits and fit.subscription.price is None) for fit in self.subscriptions)
        doubt = " Some subscriptions have no price or no credits." if unsure else ""
        if best is not None:
            label, price = best.subscription.label, spoken(best.subscription.price or 0)
            return f"Cheapest subscription: {label}, at {price} a month.{self._lasting(best)}{doubt}"
        if any(fit.fits for fit in self.subscriptions):
            return "The prices of the subscriptions that cover this volume are unknown."
        largest = max(
            (fit for fit in self.subscriptions if fit.left is not None), key=lambda fit: fit.left or 0, default=None
        )
        if largest is None or largest.left is None:
            return "The credits of the subscriptions are unknown."
        label, lacking = largest.subscription.label, spoken(-largest.left)
        offer = self.offer and f"{self.offer[0]} would cost {spoken(self.offer[1])} a month."
        short = f"No subscription covers this volume: even {label} is {lacking} credits a month short."
        return " ".join(filter(None, (short, offer))) + doubt

    def between(self, ends: tuple[Decimal, Decimal] | None) -> Budget:
        """Return the budget with a note about the lowest and highest monthly credits, if they are known."""
        if ends is None or self.interactions is None:
            return self
        least, most = (spoken(EXACT.multiply(one, self.interactions)) for one in ends)
        note = f"The cost is {least} credits a month at the lowest quantities and {most} at the highest."
        return self._replace(notes=(note, *self.notes))

    def _lasting(self, best: SubscriptionFit) -> str:
        """How long a subscription covers a growing volume; empty if the volume does not grow."""
        at = self.subscriptions.index(best)
        short = next((month for month, later in enumerate(self.year, 1) if not later.subscriptions[at].fits), None)
        if short is not None:
            return f" With this growth, the subscription covers the volume through month {short - 1}."
        months = number_of(len(self.year), "month")
        return f" The subscription also covers the growth over {months}." if self.year else ""


def subscriptions_of(discovery: Discovery, rates: Rates) -> tuple[OfferedSubscription, ...]:
    """Return the subscriptions that a service lists.

    If it lists none, return the subscriptions on the service's own rate card. Subscriptions on the reference rate card
    are never returned.
    """
    if discovery.subscriptions or rates.source is RateSource.REFERENCE:
        return discovery.subscriptions
    return tuple(
        OfferedSubscription(one.label, one.monthly_credits, one.price, one.tier) for one in rates.card.subscriptions
    )


def monthly_budget(
    credits_each: Decimal | None, quantities: Quantities, usage: Usage, subscriptions: Sequence[OfferedSubscription]
) -> Budget:
    """Return the cost of a month of usage, and how much of it each subscription covers.

    ``credits_each`` is the cost of an interaction, which need not be rounded, or None if unknown. Raises ``ValueError``
    if ``usage`` is invalid.
    """
    if problem := usage.problem():
        raise ValueError(problem.text)
    factor = EXACT.add(1, EXACT.divide(usage.growth, _HUNDRED))
    users = [EXACT.multiply(usage.users, EXACT.power(factor, month)) for month in range(_MONTHS if usage.growth else 0)]
    months = [usage._replace(users=number, growth=Decimal(0)) for number in users]
    year = tuple(_budget(credits_each, quantities, month, subscriptions) for month in months)
    found = _budget(credits_each, quantities, usage, subscriptions)
    return found._replace(year=year, notes=(*_growth_notes(usage, year), *found.notes))


def _growth_notes(usage: Usage, year: Sequence[Budget]) -> Iterator[str]:
    known = [month.credits for month in year if month.credits is not None]
    if known and len(known) == len(year):
        total = sum(known, Decimal(0))
        yield (
            f"At {spoken(usage.growth)}% growth a month: {spoken(known[-1])} credits in month {_MONTHS}, "
            f"and {spoken(total)} in the first {_MONTHS} months."
        )


def _budget(
    credits_each: Decimal | None, quantities: Quantities, usage: Usage, subscriptions: Sequence[OfferedSubscription]
) -> Budget:
    seconds = EXACT.add(Decimal(quantities.stt_seconds), Decimal(quantities.tts_seconds))
    month = _interactions_a_month(usage, seconds)
    each = None if credits_each is None else Fraction(credits_each)
    needed = None if month is None or each is None else month * each
    return Budget(
        usage=usage,
        per_interaction=None if credits_each is None else rounded(credits_each),
        seconds=seconds,
        interactions=None if month is None else _decimal(month),
        credits=None if needed is None else _decimal(needed),
        per_hour=_decimal(each * _HOUR / Fraction(seconds)) if each is not None and seconds else None,
        subscriptions=tuple(_fit(one, needed, month, Fraction(usage.days)) for one in subscriptions),
        notes=tuple(_notes(credits_each, quantities, seconds, usage)),
    )


def _interactions_a_month(usage: Usage, seconds: Decimal) -> Fraction | None:
    """Return the number of interactions a month of all users, or None if they cannot be derived from minutes."""
    periods = Fraction(usage.users) * Fraction(usage.times)
    if usage.interactions is not None:
        return periods * Fraction(usage.interactions)
    minutes = usage.minutes or Decimal(0)
    if not minutes:
        return Fraction(0)
    return periods * Fraction(minutes) * _MINUTE / Fraction(seconds) if seconds else None


def _notes(credits_each: Decimal | None, quantities: Quantities, seconds: Decimal, usage: Usage) -> Iterator[str]:
    if credits_each is None:
        yield "The price of an interaction is unknown."
    if seconds:
        speech = f"{spoken(quantities.stt_seconds)} of user speech and {spoken(quantities.tts_seconds)} of spoken reply"
        yield f"An interaction counts as {spoken(seconds)} {noun('second', seconds)} of conversation: {speech}."
    elif usage.minutes:
        yield "Interactions without user speech or a spoken reply take no time, so they cannot be counted in minutes."
    else:
        yield "Interactions without user speech or a spoken reply take no time, so the price per hour is unknown."


def _fit(
    one: OfferedSubscription, needed: Fraction | None, interactions: Fraction | None, days: Fraction
) -> SubscriptionFit:
    held = one.monthly_credits
    if held is None or held < 0 or needed is None:
        return SubscriptionFit(one, None, None, None, None, None)
    has, fits = Fraction(held), needed <= held
    return SubscriptionFit(
        subscription=one,
        fits=fits,
        share=_decimal(needed / has) if has else None,
        left=_decimal(has - needed),
        runs_out=max(1, -(-has * days // needed)) if needed >= has and needed else None,
        per_thousand=_decimal(Fraction(one.price) * 1000 / interactions)
        if fits and one.price is not None and interactions
        else None,
    )


def _decimal(amount: Fraction) -> Decimal:
    return rounded(EXACT.divide(Decimal(amount.numerator), Decimal(amount.denominator)))


def subscriptions_sheet(budget: Budget, signs: Sequence[str] = (), price: Price | None = None) -> Sheet:
    """Return the subscriptions as a table.

    The notes give the cost of a month and, if ``price`` is given, the same cost in its currency. ``signs`` contains the
    symbols shown before the names of subscriptions, to mark those that cover the month.
    """
    columns = (
        Column("sign", kind=Kind.MARK, priority=1, written=False),
        Column("subscription", title="Name", kind=Kind.TEXT, least=8, best=24),
        Column("bar", kind=Kind.BAR, least=4, best=40, priority=4, written=False),
        Column("tier", title="tier", kind=Kind.TEXT, best=16, priority=8),
        Column("monthly_credits", "credits", title="credits", kind=Kind.COUNT, priority=7),
        Column("price", title="price", kind=Kind.COUNT, priority=2),
        Column("fits"),
        Column("used", title="used", kind=Kind.SHARE, priority=1),
        Column("left", "credits", signed=True),
        Column("whole_left", title="left", kind=Kind.DIFFERENCE, priority=5, written=False),
        Column("runs_out", "day", title="runs out", kind=Kind.DAY, priority=3),
        Column("price_per_1000_interactions"),
        Column("per_thousand", title="price/1 000", kind=Kind.COUNT, priority=6, written=False),
    )
    return Sheet(
        "Subscriptions",
        columns,
        tuple(_rows(budget, signs or [""] * len(budget.subscriptions))),
        (*summary(budget, price), budget.verdict, *budget.notes, "Prices are per month, in the service's currency."),
        keys=tuple(map(str, range(len(budget.subscriptions)))),
        marks=tuple("›" if fit is budget.cheapest else "" for fit in budget.subscriptions),
    )


def _rows(budget: Budget, signs: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for fit, sign in zip(budget.subscriptions, signs, strict=True):
        one, left, each = fit.subscription, fit.left, fit.per_thousand
        yield (
            sign,
            one.label,
            fit.share,
            one.tier,
            one.monthly_credits,
            one.price,
            fit.fits,
            fit.share,
            left,
            round(left) if left is not None and abs(left) >= 1 else left,
            fit.runs_out,
            each,
            each if each is None or 0 < each < _THOUSANDTH else EXACT.quantize(each, _THOUSANDTH),
        )


def summary(budget: Budget, price: Price | None = None) -> Iterator[str]:
    """Yield sentences that describe the usage and its cost. ``price`` is the price for 1 000 credits."""
    usage = budget.usage
    each, unit = (usage.interactions, "interaction") if usage.minutes is None else (usage.minutes, "minute")
    users = f"{spoken(usage.users)} {noun('user', usage.users)}"
    volume = f"{users}, {spoken(each or 0)} {noun(unit, each or 0)} per user per {usage.per}"
    times = {
        "day": f", {spoken(usage.days)} {noun('day', usage.days)} a month",
        "month": "",
        "session": f", {spoken(usage.sessions)} {noun('session', usage.sessions)} per user per month",
    }
    yield f"{volume}{times[usage.per]}."
    if budget.interactions is not None:
        yield f"{spoken(budget.interactions)} {noun('interaction', budget.interactions)} a month."
    if budget.credits is not None:
        money = "" if price is None else f", {price.text(budget.credits)} at {price.rate_text}"
        yield f"{spoken(budget.credits)} credits a month{money}."
    if budget.per_hour is not None:
        yield f"{spoken(budget.per_hour)} credits for an hour of conversation."


def volume_sheet(
    named: Sequence[tuple[str, Budget]], notes: Sequence[str] = (), price: Price | None = None, *, base: int = 0
) -> Sheet:
    """Return a table of the monthly cost of each configuration.

    The columns include the credits per month, the difference from the configuration at the index ``base``, and the
    cheapest offer. If ``price`` is given, the amounts are also shown in its currency.
    """
    columns = (
        Column("configuration"),
        Column("credits_each", "credits"),
        Column("interactions"),
        Column("credits", "credits"),
        Column("difference", "credits", signed=True),
        Column("subscription"),
        Column("price"),
    )
    there = named[base][1].credits
    rows = tuple(
        (
            name,
            one.per_interaction,
            one.interactions,
            one.credits,
            None
            if one is named[base][1] or one.credits is None or there is None
            else EXACT.subtract(one.credits, there),
            *(one.offer or (None, None)),
        )
        for name, one in named
    )
    sheet = Sheet("Volume", columns, rows, tuple(notes))
    return with_money(sheet, price, ("credits_each", "credits", "difference"))
