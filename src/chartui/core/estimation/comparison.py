"""Compare configurations with a baseline, line by line.

The estimates may come from a service or from a rate card. Both kinds are converted to :class:`Named`. Unknown values
stay unknown, and no difference is calculated for them. If an amount in the baseline is missing or zero, the difference
has no percentage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Context, Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import EXACT
from chartui.core.estimation.card import QUANTITIES
from chartui.core.estimation.prices import LINES, Configuration, Pricing, as_credits
from chartui.core.estimation.summary import echoed_inputs, hundredths, inputs_in_words, whole_or_not
from chartui.core.jsontext import Wire
from chartui.core.sheet import Column, Sheet
from chartui.core.spec.models.estimation import BACKWARDS, Estimate

if TYPE_CHECKING:
    from chartui.core.money import Price

#: The number of decimal places of a percentage: enough to tell percentages apart, and few enough to read.
_PERCENT: Final = Context(prec=6)
_MEMBERS: Final = (*Configuration._fields, *QUANTITIES)
_UNITS: Final = {"inputTokens": "tokens", "outputChars": "characters", "sttSeconds": "s", "ttsSeconds": "s"}


class Named(NamedTuple):
    """A named configuration and its estimate.

    ``lines`` contains the credits of each line of the estimate (E 2.6), and ``credits`` is their total. Both are None
    if the price is unknown. ``latency`` is the minimum and maximum end-to-end latency in milliseconds, or None if
    unknown. ``inputs`` contains the known selections and assumptions, keyed by field (E 2.1 and 2.2). ``labels``
    contains the service's own labels for the lines. If a quantity is a range, ``ends`` contains the credits for the
    lowest and highest quantities. Otherwise, ``ends`` is None.
    """

    name: str
    credits: Decimal | None
    lines: Mapping[str, Decimal] | None
    latency: tuple[int | Decimal, int | Decimal] | None
    inputs: Mapping[str, Wire]
    labels: Mapping[str, str] = MappingProxyType({})
    ends: tuple[Decimal | None, Decimal | None] | None = None

    @property
    def backwards(self) -> bool:
        """Whether the minimum latency exceeds the maximum. A service may report such a latency by mistake."""
        return self.latency is not None and self.latency[0] > self.latency[1]


class Change(StrEnum):
    """The result of comparing an amount with the corresponding amount of the baseline."""

    EQUAL = "equal"
    CHANGED = "changed"
    ADDED = "added"  # the baseline has no such line
    REMOVED = "removed"  # only the baseline has the line
    ABSENT = "absent"  # neither has the line
    UNKNOWN = "unknown"


class Held(NamedTuple):
    """An amount in credits or milliseconds, and its difference from the baseline's amount.

    If a line of the baseline is missing from an estimate, ``amount`` is None, and ``difference`` is calculated as if
    the amount were 0. ``percent`` is the difference in percent, rounded to six decimal places. It is None if the
    baseline's amount is 0, missing or unknown.
    """

    amount: Decimal | None
    difference: Decimal | None
    percent: Decimal | None
    change: Change


class Row(NamedTuple):
    """A row of a comparison, with the value of each configuration in credits or milliseconds."""

    key: str
    label: str
    cells: tuple[Held, ...]


class Differing(NamedTuple):
    """An input that differs between configurations. Unknown values are None."""

    member: str
    values: tuple[Wire, ...]


class Comparison(NamedTuple):
    """A comparison of configurations.

    ``baseline`` is the position of the baseline among the configurations. ``lines`` contains the lines of all estimates
    in the order of E 2.6. Lines that E 2.6 does not list come last. ``latency`` consists of two rows, one for the
    minimum and one for the maximum. ``ends`` consists of two rows with the minimum and maximum credits, or is empty if
    no quantity is a range. ``money`` contains the totals in a currency, or is None if the price for credits is unknown.
    ``differing`` contains the inputs that differ, and ``shared`` contains the inputs that are the same for all
    configurations.
    """

    named: tuple[Named, ...]
    baseline: int
    lines: tuple[Row, ...]
    total: Row
    latency: tuple[Row, Row]
    differing: tuple[Differing, ...]
    shared: Mapping[str, Wire]
    ends: tuple[Row, ...] = ()
    money: Row | None = None
    price: Price | None = None


# -- the two sources --------------------------------------------------------------------------------------------------


def named_estimate(name: str, estimate: Estimate, ends: tuple[Decimal | None, Decimal | None] | None = None) -> Named:
    """Return a service's estimate as a named configuration.

    Its inputs are those stated in the service's response (decision 8).
    """
    lines: dict[str, Decimal] = {}
    for line in estimate.lines:
        lines[line.key] = EXACT.add(lines.get(line.key, Decimal(0)), line.credits)
    latency = estimate.latency_ms
    return Named(
        name=name,
        credits=estimate.credits,
        lines=lines,
        latency=None if latency is None else (latency.min, latency.max),
        inputs=echoed_inputs(estimate),
        labels={line.key: line.label for line in estimate.lines if line.label},
        ends=ends,
    )


def named_pricing(
    name: str,
    pricing: Pricing,
    configuration: Configuration,
    ends: tuple[Decimal | None, Decimal | None] | None = None,
) -> Named:
    """Return an estimate computed from a rate card as a named configuration.

    The price is unknown if one of the options is not on the card.
    """
    amount = pricing.credits(configuration)
    return Named(
        name=name,
        credits=amount,
        lines=None if amount is None else {key: as_credits(micro) for key, micro in pricing.lines(configuration)},
        latency=pricing.latency(configuration),
        inputs=configuration._asdict() | dict(zip(QUANTITIES, pricing.quantities, strict=True)),
        ends=ends,
    )


# -- comparing --------------------------------------------------------------------------------------------------------


def compare(named: Sequence[Named], baseline: int = 0, price: Price | None = None) -> Comparison:
    """Compare every configuration with the configuration at position ``baseline``.

    ``price`` is the price for 1 000 credits. Raises ``IndexError`` if the position does not exist.
    """
    base = named[baseline]
    members = {member: tuple(one.inputs.get(member) for one in named) for member in _MEMBERS}
    differing = [Differing(member, values) for member, values in members.items() if not _all_same(values)]
    return Comparison(
        named=tuple(named),
        baseline=baseline % len(named),
        lines=tuple(
            Row(key, _label(key, named), tuple(_line(one.lines, base.lines, key) for one in named))
            for key in _keys(named)
        ),
        total=_row("total", "Total", named, base, lambda one: one.credits),
        latency=(
            _row("latency_min", "Latency, minimum", named, base, lambda one: one.latency and one.latency[0]),
            _row("latency_max", "Latency, maximum", named, base, lambda one: one.latency and one.latency[1]),
        ),
        differing=tuple(differing),
        shared={m: v[0] for m, v in members.items() if _all_same(v) and v[0] is not None},
        ends=tuple(_ends(named, base)),
        money=None if price is None else _row("money", "Cost", named, base, lambda one: price.of(one.credits)),
        price=price,
    )


def _ends(named: Sequence[Named], base: Named) -> Iterator[Row]:
    """The least and the most credits. For a configuration whose quantities do not vary, both are its total."""
    if any(one.ends is not None for one in named):
        yield _row("least", "Least", named, base, lambda one: (one.ends or (one.credits,))[0])
        yield _row("most", "Most", named, base, lambda one: (one.ends or (one.credits,))[-1])


def _all_same(values: Sequence[Wire]) -> bool:
    return all(value == values[0] for value in values)


def _keys(named: Sequence[Named]) -> list[str]:
    found = dict.fromkeys(key for one in named for key in one.lines or ())
    return [*(key for key in LINES if key in found), *(key for key in found if key not in LINES)]


def _label(key: str, named: Sequence[Named]) -> str:
    return next((one.labels[key] for one in named if key in one.labels), LINES.get(key, key))


def _row(key: str, label: str, named: Sequence[Named], base: Named, of: Callable[[Named], Any]) -> Row:
    return Row(key, label, tuple(_held(_decimal(of(one)), _decimal(of(base))) for one in named))


def _decimal(number: int | Decimal | None) -> Decimal | None:
    return None if number is None else Decimal(number)


def _line(own: Mapping[str, Decimal] | None, base: Mapping[str, Decimal] | None, key: str) -> Held:
    if own is None or base is None or (key in own and key in base):
        return _held((own or {}).get(key), (base or {}).get(key))
    if key in own:
        return Held(own[key], own[key], None, Change.ADDED)
    if key in base:
        return _held(Decimal(0), base[key])._replace(amount=None, change=Change.REMOVED)
    return Held(None, None, None, Change.ABSENT)


def _held(amount: Decimal | None, base: Decimal | None) -> Held:
    if amount is None or base is None:
        return Held(amount, None, None, Change.UNKNOWN)
    more = EXACT.subtract(amount, base)
    percent = _PERCENT.divide(EXACT.multiply(more, Decimal(100)), base) if base else None
    return Held(amount, more, percent, Change.CHANGED if more else Change.EQUAL)


# -- export -----------------------------------------------------------------------------------------------------------


def comparison_sheet(comparison: Comparison, notes: Sequence[str] = ()) -> Sheet:
    """Return the comparison as a table of differing inputs, lines, totals and latencies.

    Each configuration has a column. All configurations except the baseline have two more columns, one for the
    difference and one for the percentage. A cell is empty if it does not apply, and None if its value is unknown.
    ``notes`` are placed before the notes about the comparison itself.
    """
    columns = [Column("part"), Column("name"), Column("unit")]
    for position, one in enumerate(comparison.named):
        columns.append(Column(one.name))
        if position != comparison.baseline:
            columns += [Column(f"{one.name}: difference", signed=True), Column(f"{one.name}: percent", signed=True)]
    rows = [
        ("input", differing.member, _UNITS.get(differing.member, ""), *_inputs(comparison, differing))
        for differing in comparison.differing
    ]
    rows += [("line", row.key, "credits", *_figures(comparison, row)) for row in comparison.lines]
    rows.append(("total", "total", "credits", *_figures(comparison, comparison.total)))
    rows += [("total", row.key, "credits", *_figures(comparison, row)) for row in comparison.ends]
    if comparison.money is not None and comparison.price is not None:
        rows.append(("total", "money", comparison.price.currency, *_figures(comparison, comparison.money)))
    rows += [("latency", row.key, "ms", *_figures(comparison, row, whole_or_not)) for row in comparison.latency]
    return Sheet("Comparison", tuple(columns), tuple(rows), (*notes, *_notes(comparison)))


def _inputs(comparison: Comparison, differing: Differing) -> list[Wire]:
    cells: list[Wire] = []
    for position, value in enumerate(differing.values):
        cells.append(whole_or_not(value) if isinstance(value, Decimal) else value)
        if position != comparison.baseline:
            cells += ["", ""]
    return cells


def _figures(comparison: Comparison, row: Row, write: Callable[[Decimal], Wire] = lambda amount: amount) -> list[Wire]:
    cells: list[Wire] = []
    for position, held in enumerate(row.cells):
        nothing = "" if held.change in (Change.REMOVED, Change.ABSENT) else None
        cells.append(nothing if held.amount is None else write(held.amount))
        if position != comparison.baseline:
            nothing = "" if held.change is Change.ABSENT else None
            cells.append(nothing if held.difference is None else write(held.difference))
            cells.append(nothing if held.percent is None else hundredths(held.percent))
    return cells


def comparison_wire(comparison: Comparison) -> dict[str, Wire]:
    """Return the comparison as JSON data. Unknown values are null."""

    def cells(row: Row) -> list[Wire]:
        return [{**held._asdict(), "change": held.change.value} for held in row.cells]

    return {
        "baseline": comparison.baseline,
        "configurations": [
            {
                "name": one.name,
                "credits": one.credits,
                "latency_ms": None if one.latency is None else {"min": one.latency[0], "max": one.latency[1]},
                "inputs": dict(one.inputs),
            }
            for one in comparison.named
        ],
        "lines": [{"key": row.key, "label": row.label, "credits": cells(row)} for row in comparison.lines],
        "total": cells(comparison.total),
        **{row.key: cells(row) for row in comparison.ends},
        **({} if comparison.price is None else {"price": comparison.price.wire}),
        **({} if comparison.money is None else {"money": cells(comparison.money)}),
        "latency_ms": dict(zip(("min", "max"), map(cells, comparison.latency), strict=True)),
        "differing": {differing.member: list(differing.values) for differing in comparison.differing},
    }


def _notes(comparison: Comparison) -> list[str]:
    base = comparison.named[comparison.baseline]
    notes = [f"Differences and percentages are relative to '{base.name}'."] if len(comparison.named) > 1 else []
    notes += [f"'{one.name}': {BACKWARDS}" for one in comparison.named if one.backwards]
    unknown = [f"'{one.name}'" for one in comparison.named if one.credits is None]
    if unknown:
        notes.append(f"No price is known for {', '.join(unknown)}.")
    if comparison.shared:
        notes.append(f"Same for all configurations: {inputs_in_words(comparison.shared)}.")
    return notes
