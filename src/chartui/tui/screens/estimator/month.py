"""The text of a month: its figures, the configurations beside it, and the details of a subscription."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from rich.cells import cell_len
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.estimation.amounts import spoken
from chartui.core.estimation.budget import Budget, SubscriptionFit
from chartui.core.money import Price
from chartui.core.sheet import squeezed_apart
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, wrap, wrap_numbers
from chartui.tui.numbers import count, credits_text, money_text, number_of, signed_text
from chartui.tui.theme import Palette

#: Fewest cells for the names of configurations beside the subscriptions.
LEAST_NAME: Final = 12


class Told(Widget):
    """A text as high as its lines."""

    DEFAULT_CSS = "Told { height: auto; padding-right: 1; }"

    def __init__(self, draw: Callable[[Palette, int], Iterable[Strip]], *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._draw = draw
        self._strips: list[Strip] = []
        self._drawn_for: tuple[Palette, int] | None = None

    def draw(self) -> None:
        """Update the text; lays out again only if the number of lines changed."""
        before, self._drawn_for = len(self._strips), None
        self.refresh(layout=before != len(self._lines(self.size.width)))

    def _lines(self, width: int) -> list[Strip]:
        wanted = Palette.of(self.app.theme_variables), width
        if wanted != self._drawn_for:
            self._drawn_for, self._strips = wanted, list(self._draw(*wanted))
        return self._strips

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self._lines(width))

    def render_line(self, y: int) -> Strip:
        lines = self._lines(self.size.width)
        return lines[y] if y < len(lines) else Line(self.size.width).strip()


def month_lines(
    budget: Budget,
    problem: str,
    listed: Sequence[tuple[str, Budget]],
    price: Price | None,
    palette: Palette,
    width: int,
    *,
    base: int,
    most: int,
    tight: bool,
    brief: bool,
) -> Iterator[Strip]:
    for line in wrap(f"{GLYPHS.danger} {problem}", max(1, width - 2)) if problem else ():
        yield Line(width).gap().add(line, palette.danger).strip()
    money = [] if price is None else [(price.of(budget.credits), price.units("a month"), palette.credits, money_text)]
    figures = (
        (budget.credits, ("credits a month", "a month"), palette.credits, _amount),
        *money,
        (budget.interactions, ("interactions a month", "interactions"), palette.value, spoken),
        (
            budget.per_hour,
            ("credits an hour of conversation", "credits an hour", "an hour"),
            palette.credits,
            _amount,
        ),
    )
    texts = ["unknown" if amount is None else write(amount) for amount, _, _, write in figures]
    room = max(len(text) for text in texts)
    for text, (amount, units, style, _) in zip(texts, figures, strict=True):
        look = palette.warning if amount is None else style
        unit = next((unit for unit in units if room + 2 + cell_len(unit) <= width), units[-1])
        cells = max(len(text), min(room, width - 2 - cell_len(unit)))  # a long unit takes the room before its figure
        yield Line(width).gap().add(text, look, width=cells, align="right").gap().add(unit, palette.label).strip()
    if listed:
        if not tight:
            yield Line(width).strip()
        yield from _candidates(listed, base, most, price, palette, width)
    if brief and listed:  # the row of the current configuration names its offer
        return
    if not tight:
        yield Line(width).strip()
    yield from sentences([budget.verdict], palette.value, width)


def _amount(amount: Decimal) -> str:
    """Credits; a whole number without decimals."""
    return count(int(amount)) if amount == int(amount) else credits_text(amount)


def _candidates(
    listed: Sequence[tuple[str, Budget]], base: int, most: int, price: Price | None, palette: Palette, width: int
) -> Iterator[Strip]:
    """A row per configuration: credits a month, money, the difference from the baseline, and the cheapest offer."""
    paid = "" if price is None else f", {price.currency}"
    yield from sentences(
        [f"Credits a month{paid}, difference vs. baseline, cheapest subscription"], palette.quiet, width
    )
    there = listed[base][1].credits
    rows = []
    for number, (name, budget) in enumerate(listed[:most]):
        apart = None if number == base or there is None or budget.credits is None else round(budget.credits - there)
        offer = "" if budget.offer is None else f"{budget.offer[0]}, {spoken(budget.offer[1])}"
        amount = "unknown" if budget.credits is None else count(round(budget.credits))
        money = "" if price is None else price.cell(budget.credits)
        rows.append((name, amount, money, "" if apart is None else signed_text(apart), offer))
    amounts, moneys, aparts, offers = (max(len(row[at]) for row in rows) for at in (1, 2, 3, 4))
    moneys += bool(moneys)  # with the space before them
    if width - amounts - moneys - aparts - offers - 6 < LEAST_NAME:
        offers = 0
    names = min(max(cell_len(row[0]) for row in rows), max(4, width - amounts - moneys - aparts - offers - 6))
    shown = squeezed_apart([row[0] for row in rows], [names] * len(rows))
    for name, (_, amount, money, difference, offer) in zip(shown, rows, strict=True):
        line = Line(width).gap().add(name, palette.value, width=names).gap()
        line.add(amount, palette.credits, width=amounts, align="right")
        line.add(money, palette.credits, width=moneys, align="right").gap()
        line.add(difference, palette.label, width=aparts, align="right")
        yield (line.gap(2).add(offer, palette.value) if offers else line).strip()
    if len(listed) > most:
        more = number_of(len(listed) - most, "more configuration")
        yield from sentences([f"The copied table includes {more}."], palette.quiet, width)


def sentences(texts: Iterable[str], style: Style, width: int) -> Iterator[Strip]:
    for text in texts:
        for part in wrap_numbers(text, max(10, width - 2)):
            yield Line(width).gap().add(part, style).strip()


def height_of(texts: Iterable[str], width: int) -> int:
    return sum(len(wrap_numbers(text, max(10, width - 2))) for text in texts)


def details_of(fit: SubscriptionFit, budget: Budget) -> Iterator[str]:
    """The number of users, and the columns hidden in a narrow window, as sentences."""
    plan = fit.subscription
    held = "–" if plan.monthly_credits is None else count(plan.monthly_credits)
    tier = f", tier {plan.tier}" if plan.tier else ""
    yield f"{plan.label}: {held} credits a month{tier}."
    users = budget.users_of(plan)
    if users is not None:
        yield f"Covers up to {number_of(users, 'user')}."
    if fit.left is not None:
        yield f"{spoken(abs(fit.left))} credits {'short' if fit.left < 0 else 'left'} each month."
    if fit.per_thousand is not None:
        yield f"Price per 1 000 interactions: {spoken(fit.per_thousand)}."
