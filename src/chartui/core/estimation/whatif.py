"""What-if analysis.

Calculate how the credits vary with a quantity, where two configurations break even, and what share of the cost each
quantity accounts for. Credits grow linearly with every token, character and second (decision 2). If all other
quantities are constant, the cost of a configuration is therefore a straight line, and two such lines cross at most
once. The lines are exact, whereas a service rounds each of up to five amounts to six decimal places. The service's
total may therefore differ by a few millionths.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from itertools import combinations
from typing import Final, Literal, get_args

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import EXACT, rounded, spoken
from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.estimation.prices import Configuration, Pricing, as_credits, slopes
from chartui.core.sheet import Column, Sheet

Quantity = Literal["input_tokens", "output_chars", "stt_seconds", "tts_seconds"]
QUANTITY_NAMES: Final[tuple[Quantity, ...]] = get_args(Quantity)
#: The unit of each quantity, for a sentence.
WORDS: Final[dict[Quantity, str]] = {
    "input_tokens": "input tokens",
    "output_chars": "response characters",
    "stt_seconds": "seconds of user speech",
    "tts_seconds": "seconds of spoken reply",
}
_OF_LINE: Final[dict[str, Quantity]] = {
    "prompt": "input_tokens",
    "ai_response": "output_chars",
    "voice_input": "stt_seconds",
    "voice_output": "tts_seconds",
    "animation": "tts_seconds",
}
_TIMES: Final = 4
_LEAST_END: Final = Decimal(10)
_TENTH: Final = Decimal("0.1")
#: The precision of a break-even point, which may be a repeating decimal.
_DIVIDING: Final = Context(prec=40)


class Straight(NamedTuple):
    """The cost of a named configuration as a straight line, given by the credits at quantity 0 and the credits per
    unit.

    ``present`` is the price at the current quantity, rounded in the same way as a service's price.
    """

    name: str
    configuration: Configuration
    at_zero: Decimal
    slope: Decimal
    present: Decimal

    def credits(self, amount: int | Decimal) -> Decimal:
        """Return the exact credits per interaction if the quantity is ``amount``."""
        return EXACT.add(EXACT.multiply(self.slope, amount), self.at_zero)


class Crossing(NamedTuple):
    """The break-even point of two configurations.

    ``at`` is the quantity at which the lines of the two configurations cross, or None if they do not cross between 0
    and the largest possible quantity. ``within`` says whether ``at`` is in the range from 0 to ``end``. ``below`` and
    ``above`` name the configurations that are cheaper below and above ``at``. If the lines never cross, ``below`` and
    ``above`` are the same. If the two configurations always cost the same, ``below`` and ``above`` are None. If the
    lines cross at 0, only ``below`` is None.
    """

    quantity: Quantity
    first: str
    second: str
    kind: Literal["crosses", "never", "equal"]
    at: Decimal | None
    within: bool
    below: str | None
    above: str | None
    end: Decimal

    @property
    def text(self) -> str:
        """A sentence that states the break-even point."""
        counted = WORDS[self.quantity]
        if self.kind == "equal":
            return f"“{self.first}” and “{self.second}” cost the same for any number of {counted}."
        cheaper = self.above if self.at is None or self.within else self.below
        other = self.second if cheaper == self.first else self.first
        if self.at is None or not self.within:  # nothing is claimed beyond the range
            return f"“{cheaper}” costs less than “{other}” for any number of {counted} up to {spoken(self.end)}."
        about = "" if Decimal(spoken(self.at).replace(" ", "")) == self.at else "about "
        return f"Above {about}{spoken(self.at)} {counted}, “{self.above}” costs less than “{other}”."


class WhatIf(NamedTuple):
    """The costs of configurations for a quantity from 0 to ``end``, as straight lines with their crossings.

    ``present`` is the current quantity. ``lines`` and ``crossings`` (one per pair of lines) are in the order of the
    given configurations. ``unpriced`` names the configurations without a price, which are omitted.
    """

    quantity: Quantity
    present: Decimal
    end: Decimal
    lines: tuple[Straight, ...]
    crossings: tuple[Crossing, ...]
    unpriced: tuple[str, ...]


class Share(NamedTuple):
    """The share of one quantity in the total or, if ``quantity`` is None, the share of all flat charges together.

    ``share`` is from 0 to 1, or None if the total is 0. ``tenth`` is the number of additional credits if the quantity
    increases by 10%.
    """

    quantity: Quantity | None
    credits: Decimal
    share: Decimal | None
    tenth: Decimal


def what_if(
    pricing: Pricing, named: Sequence[tuple[str, Configuration]], quantity: Quantity, *, end: Decimal | None = None
) -> WhatIf:
    """Return the costs of the named configurations for a varying quantity.

    The other quantities come from ``pricing``. Raises ``ValueError`` if ``end`` is 0 or less, or exceeds the largest
    possible quantity (decision 54).
    """
    present = Decimal(getattr(pricing.quantities, quantity))
    if end is None:  # four times the current value, but at least 10
        end = min(max(_TIMES * present, _LEAST_END), Decimal(MAX_QUANTITY))
    if not (end.is_finite() and 0 < end <= MAX_QUANTITY):
        raise ValueError(f"the end of a range must be above 0 and at most {MAX_QUANTITY}")
    lines, unpriced = [], []
    for name, configuration in named:
        line = _line(pricing, name, configuration, quantity)
        if line is None:
            unpriced.append(name)
        else:
            lines.append(line)
    return WhatIf(
        quantity=quantity,
        present=present,
        end=end,
        lines=tuple(lines),
        crossings=tuple(_crossing(first, second, quantity, end) for first, second in combinations(lines, 2)),
        unpriced=tuple(unpriced),
    )


def _line(pricing: Pricing, name: str, configuration: Configuration, quantity: Quantity) -> Straight | None:
    found, present = slopes(pricing.card, configuration), pricing.credits(configuration)
    if found is None or present is None:
        return None
    at_zero = found.fixed
    for other in QUANTITY_NAMES:
        if other != quantity:
            at_zero = EXACT.add(at_zero, EXACT.multiply(getattr(found, other), getattr(pricing.quantities, other)))
    return Straight(name, configuration, at_zero, getattr(found, quantity), present)


def _crossing(first: Straight, second: Straight, quantity: Quantity, end: Decimal) -> Crossing:
    steeper, higher = EXACT.subtract(first.slope, second.slope), EXACT.subtract(first.at_zero, second.at_zero)
    if not steeper and not higher:
        return Crossing(quantity, first.name, second.name, "equal", None, False, None, None, end)
    at = _DIVIDING.divide(-higher, steeper) if steeper else None
    if at is None or not 0 <= at <= MAX_QUANTITY:
        less = (first if higher < 0 else second).name
        return Crossing(quantity, first.name, second.name, "never", None, False, less, less, end)
    below, above = (second, first) if steeper < 0 else (first, second)
    return Crossing(
        quantity, first.name, second.name, "crosses", abs(at), at <= end, below.name if at else None, above.name, end
    )


def shares(pricing: Pricing, configuration: Configuration) -> tuple[Share, ...] | None:
    """Return the shares of quantities and flat charges in the total, largest first, or None if the price is unknown.

    The credits of all shares add up exactly to the total. A quantity that is not charged has a share of 0.
    """
    total = pricing.credits(configuration)
    found = slopes(pricing.card, configuration)
    if total is None or found is None:
        return None
    parts: dict[Quantity | None, int] = dict.fromkeys((*QUANTITY_NAMES, None), 0)
    for key, micro in pricing.lines(configuration):
        parts[_OF_LINE.get(key)] += micro
    made = []
    for name, micro in parts.items():
        amount, whole = as_credits(micro), Decimal(0)
        if name is not None:
            whole = EXACT.multiply(getattr(found, name), getattr(pricing.quantities, name))
        part = _DIVIDING.divide(amount, total) if total else None
        made.append(Share(name, amount, part, rounded(EXACT.multiply(whole, _TENTH))))
    return tuple(sorted(made, key=lambda share: -share.credits))


def dominance(made: Sequence[Share]) -> str:
    """Return a sentence that names the largest share of the cost. ``made`` is the result of :func:`shares`."""
    first = made[0]
    (word, most), *_ = [(WORDS[share.quantity], share) for share in made if share.quantity is not None]
    if first.share is None or most.share is None:
        return "Nothing is charged."
    if not most.credits:
        return "All charges are flat, so usage does not change them."
    more = f"{_percent(most.share)} of the total. A 10% increase would add {spoken(most.tenth)} credits"
    if first is most:
        return f"The {word} cost the most: {more}."
    flat = f"Flat charges are the largest cost: {_percent(first.share)} of the total."
    return f"{flat} Of the other charges, the {word} cost the most: {more}."


def _percent(share: Decimal) -> str:
    return f"{(share * 100).quantize(Decimal(1))}%" if share * 100 >= 1 else "<1%"


def whatif_sheet(found: WhatIf, notes: Sequence[str] = ()) -> Sheet:
    """Return the lines as a table.

    The columns contain the credits at quantity 0, at the current quantity, at the end of the range, and per additional
    unit.
    """
    columns = (
        Column("configuration"),
        Column("at_zero", "credits"),
        Column("current", "credits"),
        Column("at_end", "credits"),
        Column("each", "credits"),
    )
    priced = [(line.name, line.at_zero, line.present, line.credits(found.end), line.slope) for line in found.lines]
    unknown = [(name, None, None, None, None) for name in found.unpriced]
    title = f"Credits by {WORDS[found.quantity]} (now {spoken(found.present)}, up to {spoken(found.end)})"
    return Sheet(title, columns, (*priced, *unknown), tuple(notes))


def crossings_sheet(found: WhatIf) -> Sheet:
    columns = (
        Column("first"),
        Column("second"),
        Column("at", WORDS[found.quantity]),
        Column("less_below"),
        Column("less_above"),
        Column("text"),
    )
    rows = tuple((c.first, c.second, c.at and rounded(c.at), c.below, c.above, c.text) for c in found.crossings)
    return Sheet("Break-even points", columns, rows)


def shares_sheet(made: Sequence[Share], name: str) -> Sheet:
    columns = (
        Column("quantity"),
        Column("credits"),
        Column("share"),
        Column("ten_percent_more", "credits", signed=True),
    )
    rows = tuple(
        (one.quantity or "flat", one.credits, one.share and rounded(one.share), one.tenth if one.quantity else None)
        for one in made
    )
    return Sheet(f"Cost breakdown of “{name}”", columns, rows)
