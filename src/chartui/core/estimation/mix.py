"""Calculate the cost of a mix of several kinds of interaction.

Each kind has a weight, and its quantities may be ranges. The cost of a mix is the weighted mean of the costs of its
kinds. Each kind is estimated separately.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final, Literal, get_args

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import EXACT, rounded
from chartui.core.estimation.card import RateCard
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.jsontext import Wire
from chartui.core.sheet import Column, Sheet
from chartui.core.spec.models.estimation import Assumptions, EchoedAssumptions, Estimate, LatencyRange, Line, Totals
from chartui.core.spec.shape import payload_of
from chartui.core.typed_numbers import Range

End = Literal["low", "typical", "high"]
ENDS: Final[tuple[End, ...]] = get_args(End)
#: The ends of a range.
BOTH: Final[tuple[End, End]] = ("low", "high")


class Case(NamedTuple):
    """A kind of interaction, with its name, its weight (above 0), and the ranges of its quantities.

    The service's defaults are used for quantities that are not given.
    """

    name: str
    weight: Decimal
    ranges: Mapping[str, Range]

    def assumptions(self, end: End = "typical") -> Assumptions:
        return Assumptions(**{name: getattr(found, end) for name, found in self.ranges.items()})

    def quantities(self, default: Quantities, end: End = "typical") -> Quantities:
        return default._replace(**{name: getattr(found, end) for name, found in self.ranges.items()})


def varies(cases: Sequence[Case]) -> bool:
    """Return whether any kind of interaction has a quantity that is a range."""
    return any(found.varies for case in cases for found in case.ranges.values())


def at_end(cases: Sequence[Case], end: End) -> tuple[Case, ...]:
    """Return copies of the kinds of interaction.

    Each range is replaced by its lowest, typical or highest value, as selected by ``end``.
    """
    return tuple(
        case._replace(ranges={name: Range.of(getattr(found, end)) for name, found in case.ranges.items()})
        for case in cases
    )


def mean(parts: Iterable[tuple[Decimal, int | Decimal | None]]) -> Decimal | None:
    """Return the weighted mean of amounts without rounding. Return None if any amount is unknown."""
    total = weights = Decimal(0)
    for weight, amount in parts:
        if amount is None:
            return None
        total = EXACT.add(total, EXACT.multiply(weight, amount))
        weights = EXACT.add(weights, weight)
    return EXACT.divide(total, weights)


def _known_mean(parts: Iterable[tuple[Decimal, int | Decimal]]) -> Decimal:
    return rounded(mean(parts) or Decimal(0))


def mixed_estimate(parts: Sequence[tuple[Decimal, Estimate]]) -> Estimate:
    """Return the weighted mean of estimates, rounded to six decimal places.

    A single estimate is returned unchanged. The total is unknown if any estimate has no total. The latency is a range
    from the lowest minimum to the highest maximum.
    """
    first = parts[0][1]
    if len(parts) == 1:
        return first
    total = mean((weight, one.credits) for weight, one in parts)
    echoed = [(weight, one.assumptions) for weight, one in parts if one.assumptions is not None]
    mixed = replace(
        first,
        totals=None if total is None else Totals(credits=rounded(total)),
        lines=tuple(_mixed_lines(parts)),
        assumptions=_mixed_assumptions(echoed) if len(echoed) == len(parts) else None,
        latency_ms=_widest([one.latency_ms for _, one in parts]),
    )
    # What the service sent is about one kind: the figures in it are replaced by the means.
    object.__setattr__(mixed, "raw", {**first.raw, **_wire(mixed)})
    return mixed


def _wire(estimate: Estimate) -> dict[str, Wire]:
    latency = estimate.latency_ms
    return {
        "assumptions": None if estimate.assumptions is None else payload_of(estimate.assumptions),
        "lines": [
            {
                "key": line.key,
                "label": line.label,
                "credits": line.credits,
                "latency_ms": None if line.latency is None else payload_of(line.latency),
            }
            for line in estimate.lines
        ],
        "totals": {"credits": estimate.credits},
        "latency_ms": None if latency is None else payload_of(latency),
    }


def _mixed_lines(parts: Sequence[tuple[Decimal, Estimate]]) -> Iterator[Line]:
    lines = [(weight, {line.key: line for line in one.lines}) for weight, one in parts]
    for key, line in {key: line for _, known in lines for key, line in known.items()}.items():
        amount = _known_mean((weight, known[key].credits if key in known else 0) for weight, known in lines)
        latency = _widest([known[key].latency for _, known in lines if key in known])
        yield Line(key=key, credits=amount, label=line.label, latency_ms=latency)


def _mixed_assumptions(echoed: Sequence[tuple[Decimal, EchoedAssumptions]]) -> EchoedAssumptions:
    names = Quantities._fields
    means = {name: mean((weight, getattr(one, name)) for weight, one in echoed) for name in names}
    return EchoedAssumptions(**{name: None if found is None else rounded(found) for name, found in means.items()})


def _widest(spans: Sequence[LatencyRange | None]) -> LatencyRange | None:
    known = [span for span in spans if span is not None]
    if len(known) < len(spans) or not known:
        return None
    return LatencyRange(min=min(span.min for span in known), max=max(span.max for span in known))


class MixEstimate(NamedTuple):
    """The estimates for all kinds of interaction.

    Each kind has three estimates: for its lowest, typical and highest quantities.
    """

    cases: tuple[Case, ...]
    low: tuple[Estimate, ...]
    typical: tuple[Estimate, ...]
    high: tuple[Estimate, ...]

    def mixed(self, end: End = "typical") -> Estimate:
        return mixed_estimate([(case.weight, one) for case, one in zip(self.cases, getattr(self, end), strict=True)])

    @property
    def ends(self) -> tuple[Decimal | None, Decimal | None] | None:
        """The minimum and maximum credits per interaction, or None if no quantity varies."""
        return (self.mixed("low").credits, self.mixed("high").credits) if varies(self.cases) else None


def mix_sheet(found: MixEstimate, title: str, notes: Sequence[str] = ()) -> Sheet:
    """Return a table with one row for each kind of interaction and one row for the mix.

    The columns contain the weight and the minimum, typical and maximum credits.
    """
    columns = (
        Column("kind"),
        Column("weight"),
        Column("least", "credits"),
        Column("typical", "credits"),
        Column("most", "credits"),
    )
    kinds = [
        (case.name, case.weight, *(getattr(found, end)[at].credits for end in ENDS))
        for at, case in enumerate(found.cases)
        if case.name
    ]
    total = ("mix", "", *(found.mixed(end).credits for end in ENDS))
    return Sheet(title, columns, (*kinds, total), tuple(notes))


class MixedPricing(Pricing):
    """The prices of options for a mix of quantities.

    The credits and lines of a configuration are weighted means, rounded to six decimal places. ``parts`` contains the
    prices for each kind of interaction, with the weights. Rankings add up the prices of individual options, which are
    calculated for the mean quantities. Their sum may differ from the weighted mean by a few millionths.
    """

    def __init__(self, card: RateCard, quantities: Sequence[tuple[Decimal, Quantities]]) -> None:
        means = (_known_mean((weight, getattr(one, name)) for weight, one in quantities) for name in Quantities._fields)
        super().__init__(card, Quantities(*means))
        self.parts = tuple((weight, Pricing(card, one)) for weight, one in quantities)

    def lines(self, configuration: Configuration) -> Iterator[tuple[str, int]]:
        for group in zip(*(part.lines(configuration) for _, part in self.parts), strict=True):
            weighted = ((weight, micro) for (weight, _), (_, micro) in zip(self.parts, group, strict=True))
            yield group[0][0], int((mean(weighted) or Decimal(0)).to_integral_value())

    def credits(self, configuration: Configuration) -> Decimal | None:
        found = exact_credits(self, configuration)
        return None if found is None else rounded(found)


def exact_credits(pricing: Pricing, configuration: Configuration) -> Decimal | None:
    """Return the credits per interaction.

    For a mix, they are not rounded, so that they can be multiplied without error.
    """
    if isinstance(pricing, MixedPricing):
        return mean((weight, part.credits(configuration)) for weight, part in pricing.parts)
    return pricing.credits(configuration)


def pricing_of(card: RateCard, quantities: Sequence[tuple[Decimal, Quantities]]) -> Pricing:
    """Return the prices of options for a weighted mix of quantities."""
    if len(quantities) == 1:
        return Pricing(card, quantities[0][1])
    return MixedPricing(card, quantities)


class Ends(NamedTuple):
    """The prices for the lowest and highest quantities.

    No rate is negative, so the price for the typical quantities always lies between them.
    """

    low: Pricing
    high: Pricing

    @property
    def quantities(self) -> tuple[Quantities, Quantities]:
        return self.low.quantities, self.high.quantities

    def credits(self, configuration: Configuration) -> tuple[Decimal, Decimal] | None:
        """Return the minimum and maximum credits of a configuration, or None if they are unknown."""
        low, high = self.low.credits(configuration), self.high.credits(configuration)
        return None if low is None or high is None else (low, high)


def with_ends(sheet: Sheet, ends: Ends | None, configurations: Iterable[Configuration]) -> Sheet:
    """Return the table with added columns for the minimum and maximum credits of each row's configuration.

    If no quantity varies, the table is returned unchanged.
    """
    if ends is None:
        return sheet
    amounts = (ends.credits(one) or (None, None) for one in configurations)
    return sheet._replace(
        columns=(*sheet.columns, Column("least", "credits"), Column("most", "credits")),
        rows=tuple((*row, *each) for row, each in zip(sheet.rows, amounts, strict=True)),
    )


def ends_of(card: RateCard, cases: Sequence[Case], default: Quantities) -> Ends | None:
    """Return the prices for the lowest and highest quantities, or None if no quantity varies."""
    if not varies(cases):
        return None
    return Ends(*(pricing_of(card, [(one.weight, one.quantities(default, end)) for one in cases]) for end in BOTH))
