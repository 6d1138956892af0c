"""Find the differences between two rate cards, rate by rate."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from chartui.core.classes import NamedTuple
from chartui.core.estimation.card import CardOption, RateCard
from chartui.core.estimation.summary import hundredths
from chartui.core.jsontext import Wire
from chartui.core.sheet import Column, Sheet

#: The place of a value on a card: its table, the key in it, and the name of the value.
Place = tuple[str, str, str]


class RateChange(NamedTuple):
    """A value that differs between two rate cards.

    It is a rate in credits, a latency in milliseconds, a default, or a detail of a subscription. If the value is
    missing from one of the cards, it is None for that card.
    """

    place: Place
    old: Wire
    new: Wire

    @property
    def difference(self) -> Decimal | None:
        """The new number minus the old number, or None if either value is not a number."""
        if isinstance(self.old, bool | str | None) or isinstance(self.new, bool | str | None):
            return None
        return Decimal(self.new) - Decimal(self.old)

    @property
    def percent(self) -> Decimal | None:
        """The difference as a percentage of the old number, to two decimal places, or None if it is unknown."""
        return hundredths(self.difference * 100 / Decimal(self.old)) if self.difference and self.old else None


def card_changes(old: RateCard, new: RateCard) -> tuple[RateChange, ...]:
    """Return the differences between two rate cards, in the order of the entries on the cards.

    Labels and origins are not compared, because prices do not depend on them.
    """
    before, after = dict(_values(old)), dict(_values(new))
    places = dict.fromkeys((*before, *after))
    order = {table: number for number, table in enumerate(dict.fromkeys(place[0] for place in places))}
    found = ((place, before.get(place), after.get(place)) for place in sorted(places, key=lambda p: order[p[0]]))
    return tuple(RateChange(*one) for one in found if one[1] != one[2])


def card_sheet(changes: tuple[RateChange, ...]) -> Sheet:
    """Return the differences between two rate cards as a table."""
    columns = (
        *map(Column, ("table", "key", "rate", "old", "new")),
        Column("difference", signed=True),
        Column("percent", signed=True),
    )
    rows = tuple((*one.place, one.old, one.new, one.difference, one.percent) for one in changes)
    return Sheet("Rates that differ", columns, rows)


def _values(card: RateCard) -> Iterator[tuple[Place, Wire]]:
    yield ("card", "version", ""), card.version
    yield ("card", "effective_date", ""), card.effective_date
    for table, values in (("selections", card.selections), ("assumptions", card.assumptions)):
        yield from ((("defaults", table, name), value) for name, value in values.items())
    for table, options in (("components", card.components), *card.options.items()):
        for key, option in options.items():
            yield from _of_option(table, key, option)
    for one in card.subscriptions:
        for name in ("monthly_credits", "price", "tier"):
            yield ("subscriptions", one.key, name), getattr(one, name)


def _of_option(table: str, key: str, option: CardOption) -> Iterator[tuple[Place, Wire]]:
    if not option.rates:  # free or billed by its provider
        yield (table, key, "offered"), True
    for name, rate in option.rates.items():
        yield (table, key, name), rate
    for name, milliseconds in zip(("latency min", "latency max"), option.latency or (), strict=False):
        yield (table, key, name), milliseconds
