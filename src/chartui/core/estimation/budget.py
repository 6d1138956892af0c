"""From an interaction to a month: what people's use costs, how long a plan lasts, and which plan pays for it (E 4.3).

Use is even: every day of the month costs the same. A conversation is nothing but the seconds heard and the seconds
spoken of its interactions; waiting for a reply is not counted, since how long it takes is only known as a range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple

from chartui.core.estimation.amounts import EXACT, rounded, spoken
from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.estimation.discovery import Discovery, OfferedPlan
from chartui.core.estimation.prices import Quantities
from chartui.core.estimation.rates import Rates, Standing
from chartui.core.sheet import Column, Kind, Sheet

#: Days of a month, where nobody says otherwise.
DAYS: Final = Decimal(30)
_MOST_DAYS: Final = 366
_MOST_MINUTES: Final = 24 * 60
_MINUTE: Final = 60
_HOUR: Final = 3600
_THOUSANDTH: Final = Decimal("0.001")


class Problem(NamedTuple):
    """A member of a usage that cannot be so, and why, in a sentence."""

    member: str
    text: str


class Usage(NamedTuple):
    """How much the characters are used: users, and how many interactions each of them has a day.

    With ``minutes`` (of conversation, per user and day) the interactions follow from their seconds. ``days`` is how
    many days of a month it is so.
    """

    users: Decimal
    interactions: Decimal | None = None
    minutes: Decimal | None = None
    days: Decimal = DAYS

    def problem(self) -> Problem | None:
        """The first number that cannot be, and why; None when all can."""
        if (self.interactions is None) == (self.minutes is None):
            return Problem("interactions", "Either interactions or minutes are needed, and not both.")
        limits = (
            ("users", 0, MAX_QUANTITY),
            ("interactions", 0, MAX_QUANTITY),
            ("minutes", 0, _MOST_MINUTES),
            ("days", 1, _MOST_DAYS),
        )
        for name, least, most in limits:
            amount: Decimal | None = getattr(self, name)
            if amount is not None and not (amount.is_finite() and least <= amount <= most):
                given = spoken(amount) if amount.is_finite() else amount
                return Problem(name, f"The {name} must be from {least} to {spoken(most)}, not {given}.")
        return None


class PlanFit(NamedTuple):
    """What a plan is to the use of a month; whatever is not known is None.

    ``share`` is the part of its credits that is used, more than 1 when they do not last; ``left`` are the credits over
    at the end, below 0 the ones missing. ``runs_out`` is the day of use, from 1, on which the last credit goes; None
    also when some are left at the end of the month. ``per_thousand`` is its price for a thousand of the interactions
    that it pays for.
    """

    plan: OfferedPlan
    fits: bool | None
    share: Decimal | None
    left: Decimal | None
    runs_out: int | None
    per_thousand: Decimal | None


class Budget(NamedTuple):
    """A month of use. ``per_interaction``, ``credits`` (a month) and ``per_hour`` (of conversation) are credits to six
    places, ``interactions`` is their number a month, rounded so too; whatever is not known is None.

    ``notes`` say why something is not known, and what was assumed.
    """

    usage: Usage
    per_interaction: Decimal | None
    seconds: Decimal
    interactions: Decimal | None
    credits: Decimal | None
    per_hour: Decimal | None
    plans: tuple[PlanFit, ...]
    notes: tuple[str, ...]

    @property
    def cheapest(self) -> PlanFit | None:
        """The plan of the lowest price that fits, of several the one that leaves most; None when none does for sure."""
        fitting = [fit for fit in self.plans if fit.fits and fit.plan.price is not None]
        return min(fitting, key=lambda fit: (fit.plan.price or 0, -(fit.left or 0)), default=None)

    @property
    def verdict(self) -> str:
        """Which plan to take, in a sentence."""
        if self.credits is None:
            return "Which plan fits is unknown."
        if not self.plans:
            return "The service names no plans."
        best = self.cheapest
        unsure = any(fit.fits is None or (fit.fits and fit.plan.price is None) for fit in self.plans)
        doubt = " Of some plans too little is known." if unsure else ""
        if best is not None:
            return (
                f"{best.plan.label} is the cheapest plan that fits, at {spoken(best.plan.price or 0)} a month.{doubt}"
            )
        if any(fit.fits for fit in self.plans):
            return "What the plans that fit cost is unknown."
        largest = max((fit for fit in self.plans if fit.left is not None), key=lambda fit: fit.left or 0, default=None)
        if largest is None or largest.left is None:
            return "What the plans hold is unknown."
        return f"None fits: even {largest.plan.label} lacks {spoken(-largest.left)} credits a month.{doubt}"


def plans_of(discovery: Discovery, rates: Rates) -> tuple[OfferedPlan, ...]:
    """The plans that a service tells; else those of its own card, but never those of the reference card."""
    if discovery.plans or rates.standing is Standing.REFERENCE:
        return discovery.plans
    return tuple(OfferedPlan(plan.label, plan.monthly_credits, plan.price, plan.tier) for plan in rates.card.plans)


def plan_month(
    credits_each: Decimal | None, quantities: Quantities, usage: Usage, plans: Sequence[OfferedPlan]
) -> Budget:
    """What a month costs and which plans pay for it, an interaction being ``credits_each`` credits (None: unknown).

    Raises ``ValueError`` for a usage that has a problem.
    """
    if problem := usage.problem():
        raise ValueError(problem.text)
    seconds = EXACT.add(Decimal(quantities.stt_seconds), Decimal(quantities.tts_seconds))
    per_day = _interactions_a_day(usage, seconds)
    each = None if credits_each is None else Fraction(credits_each)
    a_day = None if per_day is None or each is None else per_day * each
    days = Fraction(usage.days)
    return Budget(
        usage=usage,
        per_interaction=credits_each,
        seconds=seconds,
        interactions=None if per_day is None else _decimal(per_day * days),
        credits=None if a_day is None else _decimal(a_day * days),
        per_hour=_decimal(each * _HOUR / Fraction(seconds)) if each is not None and seconds else None,
        plans=tuple(_fit(plan, a_day, per_day, days) for plan in plans),
        notes=tuple(_notes(credits_each, quantities, seconds, usage)),
    )


def _interactions_a_day(usage: Usage, seconds: Decimal) -> Fraction | None:
    """Of all users together; None when conversations cannot be counted, since interactions take no time."""
    if usage.interactions is not None:
        return Fraction(usage.users) * Fraction(usage.interactions)
    minutes = usage.minutes or Decimal(0)
    if not minutes:
        return Fraction(0)
    return Fraction(usage.users) * Fraction(minutes) * _MINUTE / Fraction(seconds) if seconds else None


def _notes(credits_each: Decimal | None, quantities: Quantities, seconds: Decimal, usage: Usage) -> Iterator[str]:
    if credits_each is None:
        yield "The price of an interaction is unknown."
    if seconds:
        heard, said = spoken(quantities.stt_seconds), spoken(quantities.tts_seconds)
        yield f"An interaction counts as {spoken(seconds)} seconds of conversation: {heard} heard and {said} spoken."
    elif usage.minutes:
        yield "An interaction without any seconds heard or spoken takes no time: minutes cannot be counted in them."
    else:
        yield "An interaction without any seconds heard or spoken takes no time: what an hour costs is unknown."


def _fit(plan: OfferedPlan, a_day: Fraction | None, per_day: Fraction | None, days: Fraction) -> PlanFit:
    held = plan.monthly_credits
    if held is None or held < 0 or a_day is None:
        return PlanFit(plan, None, None, None, None, None)
    has, needed = Fraction(held), a_day * days
    paid = (per_day or Fraction(0)) * days
    if needed > has:
        paid = paid * has / needed
    return PlanFit(
        plan=plan,
        fits=needed <= has,
        share=_decimal(needed / has) if has else None,
        left=_decimal(has - needed),
        runs_out=max(1, -(-has // a_day)) if needed >= has and needed else None,
        per_thousand=_decimal(Fraction(plan.price) * 1000 / paid) if plan.price is not None and paid else None,
    )


def _decimal(amount: Fraction) -> Decimal:
    return rounded(EXACT.divide(Decimal(amount.numerator), Decimal(amount.denominator)))


def plans_sheet(budget: Budget, signs: Sequence[str] = ()) -> Sheet:
    """The plans as a table, under what a month costs; ``signs`` say before the names whether they fit."""
    columns = (
        Column("sign", kind=Kind.MARK, priority=1, written=False),
        Column("plan", title="Plan", kind=Kind.TEXT, least=8, best=24),
        Column("bar", kind=Kind.BAR, least=4, best=40, priority=4, written=False),
        Column("tier", title="tier", kind=Kind.TEXT, best=16, priority=8),
        Column("monthly_credits", "credits", title="credits", kind=Kind.COUNT, priority=7),
        Column("price", title="price", kind=Kind.COUNT, priority=2),
        Column("fits"),
        Column("used", title="used", kind=Kind.SHARE, priority=1),
        Column("left", "credits", signed=True),
        Column("whole_left", title="left", kind=Kind.DIFFERENCE, priority=5, written=False),
        Column("runs_out", "day", title="ends", kind=Kind.DAY, priority=3),
        Column("price_per_1000_interactions"),
        Column("per_thousand", title="per 1 000", kind=Kind.COUNT, priority=6, written=False),
    )
    return Sheet(
        "Plans",
        columns,
        tuple(_rows(budget, signs or [""] * len(budget.plans))),
        (*_summary(budget), budget.verdict, *budget.notes),
        keys=tuple(map(str, range(len(budget.plans)))),
        marks=tuple("›" if fit is budget.cheapest else "" for fit in budget.plans),
    )


def _rows(budget: Budget, signs: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for fit, sign in zip(budget.plans, signs, strict=True):
        plan, left, each = fit.plan, fit.left, fit.per_thousand
        yield (
            sign,
            plan.label,
            fit.share,
            plan.tier,
            plan.monthly_credits,
            plan.price,
            fit.fits,
            fit.share,
            left,
            round(left) if left is not None and abs(left) >= 1 else left,
            fit.runs_out,
            each,
            each if each is None or 0 < each < _THOUSANDTH else EXACT.quantize(each, _THOUSANDTH),
        )


def _summary(budget: Budget) -> Iterator[str]:
    usage = budget.usage
    each, unit = (usage.interactions, "interactions") if usage.minutes is None else (usage.minutes, "minutes")
    yield f"{spoken(usage.users)} users, {spoken(each or 0)} {unit} each a day, {spoken(usage.days)} days a month."
    if budget.interactions is not None:
        yield f"{spoken(budget.interactions)} interactions a month."
    if budget.credits is not None:
        yield f"{spoken(budget.credits)} credits a month."
    if budget.per_hour is not None:
        yield f"{spoken(budget.per_hour)} credits for an hour of conversation."
