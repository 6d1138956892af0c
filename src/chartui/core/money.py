"""Convert credits to money, at the price that the user set for 1 000 credits, such as ``0.50 EUR`` or ``$0.50``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import Wire
from chartui.core.numbers import count, money_text
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.text import cell_width, is_plain

#: The precision suffices for the product of any two amounts.
_EXACT: Final = Context(prec=1000, rounding=ROUND_HALF_EVEN)
#: An amount with a currency before or after it. The currency has no digits and no characters of a number.
_PRICE: Final = re.compile(r"([^\d.,+−-]*?)\s*(\d+(?:\.\d+)?)\s*([^\d.,+−-]*)", re.ASCII)
#: The largest amount, its most decimals, and the longest currency in cells.
_MOST: Final = 10**6
_DECIMALS: Final = 9
_LONGEST: Final = 12


class Price(NamedTuple):
    """The price for 1 000 credits, as an exact amount in a currency.

    If ``leads`` is true, the currency is shown before the amount.
    """

    amount: Decimal
    currency: str
    leads: bool = False

    def of(self, amount: Decimal | None) -> Decimal | None:
        """Return the exact price for an amount of credits, or None if the amount is unknown."""
        return None if amount is None else _EXACT.multiply(amount, self.amount).scaleb(-3, _EXACT).normalize(_EXACT)

    def text(self, amount: Decimal | None) -> str:
        """Format the price for an amount of credits, such as ``0.00617 EUR``, or ``unknown`` if the amount is None."""
        return "unknown" if amount is None else self._text(self.cell(amount))

    def cell(self, amount: Decimal | None) -> str:
        """Format the price for an amount of credits without the currency, for use in a table cell."""
        cost = self.of(amount)
        return "unknown" if cost is None else money_text(cost)

    @property
    def rate_text(self) -> str:
        """The price in words, such as ``0.5 EUR per 1 000 credits``."""
        return f"{self._text(count(self.amount))} per 1 000 credits"

    def units(self, time: str) -> tuple[str, ...]:
        """Return labels for an amount of money per period, longest first.

        An example is ``EUR a month at 0.5 EUR per …``.
        """
        return f"{self.currency} {time} at {self.rate_text}", f"{self.currency} {time}", self.currency

    def _text(self, amount: str) -> str:
        if not self.leads:
            return f"{amount} {self.currency}"
        return f"{self.currency}{' ' * self.currency[-1].isalpha()}{amount}"

    @property
    def wire(self) -> Wire:
        return {"per_1000_credits": self.amount, "currency": self.currency}


def read_price(text: str) -> Price:
    """Parse the price for 1 000 credits. Raises ``ValueError`` with a phrase to show after the name of the setting."""
    found = _PRICE.fullmatch(text.strip())
    before, amount, after = found.groups() if found else ("", "0", "")
    currency = before or after
    if not currency or (before and after) or cell_width(currency) > _LONGEST or not is_plain(currency):
        raise ValueError("must be an amount and a currency for 1 000 credits, such as 0.50 EUR or $0.50")
    number = Decimal(amount)
    if not 0 < number <= _MOST or len(amount.partition(".")[2]) > _DECIMALS:
        raise ValueError(f"must be above 0 and at most {_MOST}, with at most {_DECIMALS} decimal places")
    return Price(number, currency, leads=bool(before))


def with_money(sheet: Sheet, price: Price | None, names: Iterable[str] = ("credits",)) -> Sheet:
    """Return the table with a money column after each credit column in ``names``.

    Without a price, the table is returned unchanged. The money column for ``credits`` is called ``money``. For any
    other column, it is called ``NAME_money``.
    """
    if price is None:
        return sheet
    wanted, columns, rows = set(names), list[Column](), [list[Wire]() for _ in sheet.rows]
    for place, column in enumerate(sheet.columns):
        columns.append(column)
        for row, cells in zip(rows, sheet.rows, strict=True):
            row.append(cells[place])
        if column.name not in wanted:
            continue
        shown = column.kind is Kind.CREDITS
        columns.append(
            Column(
                "money" if column.name == "credits" else f"{column.name}_money",
                price.currency,
                signed=column.signed,
                title=price.currency if shown else "",
                kind=Kind.MONEY if shown else None,
                priority=2,
            )
        )
        for row, cells in zip(rows, sheet.rows, strict=True):
            amount = cells[place]
            row.append(price.of(amount) if isinstance(amount, Decimal) else None)
    return sheet._replace(columns=tuple(columns), rows=tuple(map(tuple, rows)))
