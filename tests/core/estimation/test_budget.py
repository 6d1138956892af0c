"""A month of use: what it costs, how long every subscription lasts, and what is said when something is not known."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.estimation.budget import (
    Budget,
    Period,
    Usage,
    monthly_budget,
    subscriptions_of,
    subscriptions_sheet,
    volume_sheet,
)
from chartui.core.estimation.card import load_card
from chartui.core.estimation.discovery import OfferedSubscription, discover
from chartui.core.estimation.prices import Quantities
from chartui.core.estimation.rates import Rates, RateSource
from chartui.core.sheet import as_markdown, as_records
from tests.long import examples

USUAL = Quantities(4000, 150, 8, 12)  # twenty seconds
SMALL = OfferedSubscription("Small", 1000, 10, "free")
MIDDLE = OfferedSubscription("Middle", 6000, 25, "professional")
LARGE = OfferedSubscription("Large", 10_000, 40, "professional")
SUBSCRIPTIONS = (SMALL, MIDDLE, LARGE)


def figures(*values: object) -> tuple[object, ...]:
    return values


def month(
    credits_each: str | None = "2",
    usage: Usage | None = None,
    subscriptions: tuple[OfferedSubscription, ...] = SUBSCRIPTIONS,
    quantities: Quantities = USUAL,
) -> Budget:
    """Ten users with ten interactions a day, unless said otherwise: 3000 interactions a month."""
    usage = usage or Usage(Decimal(10), Decimal(10))
    return monthly_budget(None if credits_each is None else Decimal(credits_each), quantities, usage, subscriptions)


def test_a_month_is_users_times_interactions_times_days() -> None:
    budget = month()
    assert figures(budget.interactions, budget.credits, budget.per_hour) == (3000, 6000, 360)
    fewer = month(usage=Usage(Decimal(10), Decimal(10), days=Decimal(22)))
    assert figures(fewer.interactions, fewer.credits) == (2200, 4400)


def test_minutes_are_as_many_interactions_as_their_seconds_fill() -> None:
    budget = month(usage=Usage(Decimal(10), minutes=Decimal(5)))
    assert budget.interactions == 10 * 5 * 60 // 20 * 30
    third = month(quantities=USUAL._replace(stt_seconds=18), usage=Usage(Decimal(1), minutes=Decimal(1)))
    assert figures(third.interactions, third.credits) == (60, 120)  # two a day, exactly
    assert month("0.1", Usage(Decimal(1), minutes=Decimal(1)), quantities=Quantities(0, 0, 3, 4)).interactions == (
        Decimal("257.142857")
    )


def test_every_plan_says_how_far_it_goes() -> None:
    small, middle, large = month().subscriptions
    assert figures(small.fits, small.share, small.left, small.runs_out) == (False, 6, -5000, 5)
    assert figures(middle.fits, middle.share, middle.left, middle.runs_out) == (True, 1, 0, 30)
    assert figures(large.fits, large.share, large.left, large.runs_out) == (True, Decimal("0.6"), 4000, None)
    assert [fit.per_thousand for fit in (small, middle, large)] == [None, Decimal("8.333333"), Decimal("13.333333")]


def test_the_cheapest_that_fits_is_named_and_so_is_what_lacks() -> None:
    budget = month()
    assert budget.cheapest is not None
    assert budget.cheapest.subscription is MIDDLE
    assert budget.verdict == "Cheapest subscription: Middle, at 25 a month."
    much = month("200")
    assert much.cheapest is None
    assert much.verdict == (
        "No subscription covers this volume: even Large is 590 000 credits a month short. "
        "60 × Large would cost 2 400 a month."
    )
    same_price = month(subscriptions=(MIDDLE, replace_one(LARGE, price=25)))
    assert same_price.cheapest is not None
    assert same_price.cheapest.subscription.label == "Large"


def replace_one(one: OfferedSubscription, **changed: object) -> OfferedSubscription:
    return one._replace(**changed)  # type: ignore[arg-type]


def test_what_is_unknown_stays_so_and_is_said() -> None:
    unknown = month(None)
    assert (unknown.credits, unknown.per_hour, unknown.cheapest) == (None, None, None)
    assert unknown.interactions == 3000
    assert all(fit.fits is None and fit.share is None for fit in unknown.subscriptions)
    assert unknown.verdict == "Can't recommend a subscription: the credits per month are unknown."
    assert "The price of an interaction is unknown." in unknown.notes
    assert month(subscriptions=()).verdict == "The service lists no subscriptions."
    no_credits, no_price = replace_one(SMALL, monthly_credits=None), replace_one(LARGE, price=None)
    part = month(subscriptions=(no_credits, no_price, MIDDLE))
    assert part.verdict == (
        "Cheapest subscription: Middle, at 25 a month. Some subscriptions have no price or no credits."
    )
    assert (
        month(subscriptions=(no_price,)).verdict
        == "The prices of the subscriptions that cover this volume are unknown."
    )
    assert month(subscriptions=(no_credits,)).verdict == "The credits of the subscriptions are unknown."
    assert month(subscriptions=(no_price,)).subscriptions[0].per_thousand is None
    assert month(subscriptions=(replace_one(SMALL, monthly_credits=-5),)).subscriptions[0].fits is None


def test_nothing_is_divided_by_nothing() -> None:
    quiet = USUAL._replace(stt_seconds=0, tts_seconds=0)
    budget = month(quantities=quiet)
    assert figures(budget.credits, budget.per_hour) == (6000, None)
    assert any("the price per hour is unknown" in note for note in budget.notes)
    minutes = month(quantities=quiet, usage=Usage(Decimal(10), minutes=Decimal(5)))
    assert (minutes.interactions, minutes.credits) == (None, None)
    assert any("cannot be counted in minutes" in note for note in minutes.notes)
    free = month("0")
    assert [figures(fit.fits, fit.share, fit.runs_out) for fit in free.subscriptions] == [(True, 0, None)] * 3
    idle = month(usage=Usage(Decimal(0), Decimal(10)))
    assert [figures(fit.fits, fit.share, fit.per_thousand) for fit in idle.subscriptions] == [(True, 0, None)] * 3
    empty = replace_one(SMALL, monthly_credits=0)
    assert [figures(f.fits, f.share, f.runs_out) for f in month(subscriptions=(empty,)).subscriptions] == [
        (False, None, 1)
    ]
    assert [figures(f.fits, f.share, f.runs_out) for f in month("0", subscriptions=(empty,)).subscriptions] == [
        (True, None, None)
    ]


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (Usage(Decimal(1)), "Give either interactions or minutes"),
        (Usage(Decimal(1), Decimal(1), Decimal(1)), "Give either interactions or minutes"),
        (Usage(Decimal(-1), Decimal(1)), "The users must be"),
        (
            Usage(Decimal(1), Decimal(10**12 + 1)),
            "The interactions must be from 0 to 1 000 000 000 000, not 1 000 000 000 001.",
        ),
        (Usage(Decimal(1), minutes=Decimal(1441)), "The minutes must be from 0 to 1 440, not 1 441."),
        (Usage(Decimal(1), Decimal(1), days=Decimal(0)), "The days must be"),
        (Usage(Decimal("NaN"), Decimal(1)), "The users must be"),
    ],
)
def test_a_use_that_cannot_be_is_refused(usage: Usage, said: str) -> None:
    problem = usage.problem()
    assert problem is not None
    assert problem.text.startswith(said)
    assert problem.member in Usage._fields
    with pytest.raises(ValueError, match=said.replace(".", r"\.")):
        month(usage=usage)


amounts = st.decimals(0, 10**6, places=2)
offers = st.lists(
    st.builds(
        OfferedSubscription,
        label=st.text(max_size=5),
        monthly_credits=st.none() | st.integers(0, 10**7),
        price=st.none() | st.integers(0, 1000),
        tier=st.none(),
    ),
    max_size=5,
).map(tuple)


@settings(deadline=None, max_examples=examples(200))
@given(st.decimals(0, 1000, places=6), amounts, amounts, st.integers(1, 31), offers)
def test_credits_last_until_the_day_that_is_said(
    each: Decimal, users: Decimal, interactions: Decimal, days: int, offered: tuple[OfferedSubscription, ...]
) -> None:
    budget = monthly_budget(each, USUAL, Usage(users, interactions, days=Decimal(days)), offered)
    a_day = Fraction(users) * Fraction(interactions) * Fraction(each)
    for fit in budget.subscriptions:
        held = fit.subscription.monthly_credits
        if held is None:
            assert fit.fits is None
            continue
        assert fit.fits is (a_day * days <= held)
        if fit.runs_out is not None:
            assert 1 <= fit.runs_out <= days
            assert a_day * fit.runs_out >= held
            assert a_day * (fit.runs_out - 1) < held or fit.runs_out == 1
        else:
            assert a_day * days < held or not a_day
    best = budget.cheapest
    assert (best is None) is not any(fit.fits and fit.subscription.price is not None for fit in budget.subscriptions)
    assert as_markdown(subscriptions_sheet(budget))


def test_plans_are_those_that_the_service_tells_and_never_those_of_the_reference_card() -> None:
    card = load_card()
    told = discover({"plans": [{"name": "Gold", "credits": 7, "price": 1}]})
    silent = discover(None)
    for standing in RateSource:
        assert [one.label for one in subscriptions_of(told, Rates(card, standing))] == ["Gold"]
    assert [one.label for one in subscriptions_of(silent, Rates(card, RateSource.STORE))] == [
        one.label for one in card.subscriptions
    ]
    assert subscriptions_of(silent, Rates(card, RateSource.REFERENCE)) == ()
    none = card._replace(subscriptions=())
    assert subscriptions_of(silent, Rates(none, RateSource.LEARNED)) == ()


def test_the_table_says_for_which_use_it_holds() -> None:
    sheet = subscriptions_sheet(month(usage=Usage(Decimal(10), minutes=Decimal(5))))
    assert sheet.notes[0] == "10 users, 5 minutes per user per day, 30 days a month."
    assert (
        "An interaction counts as 20 seconds of conversation: 8 of user speech and 12 of spoken reply." in sheet.notes
    )
    rows = as_records(subscriptions_sheet(month()))
    assert rows[0]["runs_out"] == 5
    assert rows[2]["left"] == 4000


@pytest.mark.parametrize(
    ("per", "interactions", "note"),
    [
        ("day", 3000, "10 users, 10 interactions per user per day, 30 days a month."),
        ("month", 100, "10 users, 10 interactions per user per month."),
        ("session", 400, "10 users, 10 interactions per user per session, 4 sessions per user per month."),
    ],
)
def test_interactions_are_counted_per_day_month_or_session(per: Period, interactions: int, note: str) -> None:
    budget = month(usage=Usage(Decimal(10), Decimal(10), per=per, sessions=Decimal(4)))
    assert figures(budget.interactions, budget.credits) == (interactions, interactions * 2)
    assert subscriptions_sheet(budget).notes[0] == note
    minutes = month(usage=Usage(Decimal(10), minutes=Decimal(5), per=per, sessions=Decimal(4)))
    assert minutes.interactions == interactions * Decimal("1.5")  # fifteen interactions of twenty seconds


def test_several_of_the_largest_cover_what_no_single_one_covers() -> None:
    much = month("200")  # 600 000 credits
    assert much.offer == ("60 × Large", Decimal(2400))
    assert month().offer == ("Middle", Decimal(25))
    free = replace_one(LARGE, price=0)
    assert month("200", subscriptions=(free,)).offer is None
    unknown = replace_one(MIDDLE, monthly_credits=None)
    assert month("200", subscriptions=(unknown, LARGE)).offer is None  # the other one might cover it
    assert month(None).offer is None


def test_configurations_stand_side_by_side_with_their_difference_from_the_first() -> None:
    rows = as_records(volume_sheet([("now", month()), ("small", month("1")), ("unknown", month(None))]))
    assert [row["difference"] for row in rows] == [None, -3000, None]
    assert [row["credits"] for row in rows] == [6000, 3000, None]
    assert [(row["subscription"], row["price"]) for row in rows] == [("Middle", 25), ("Middle", 25), (None, None)]


def test_a_subscription_covers_as_many_users_as_their_month_goes_into_it() -> None:
    def covered(each: str | None, held: int | None) -> int | None:
        budget = month(each, Usage(Decimal(100), Decimal(1), per="month"))
        return budget.users_of(SMALL._replace(monthly_credits=held))

    assert [covered("2.5", 1000), covered("3", 1000), covered("3", 2)] == [400, 333, 0]
    assert [covered("0", 1000), covered("3", None), covered(None, 1000)] == [None, None, None]
