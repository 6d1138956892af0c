"""Axes of plots: their range, their round ticks and the texts beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

from chartui.core.classes import NamedTuple

#: An axis of positive values is logarithmic when the largest is more than this many times the smallest.
WIDE_RANGE: Final = 50
#: Values beyond any real amount are not drawn, nor, on a logarithmic axis, values too close to 0.
LARGEST: Final = 1e24
SMALLEST: Final = 1e-24
#: Numbers from the first on, and below the second, are written with a power of ten.
_LONG: Final = 10**7
_SHORT: Final = 1e-4
_SUPERSCRIPTS: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class Axis(NamedTuple):
    """Title with unit, and where the axis begins and ends; None takes it from the values.

    ``auto`` is logarithmic for positive values over a wide range; a logarithmic axis says so beside its title.
    """

    title: str
    low: float | None = None
    high: float | None = None
    scale: Literal["auto", "linear", "log"] = "auto"


class Scale(NamedTuple):
    """Maps a value to a place between 0 and 1; ``start`` and ``end`` are powers of ten on a logarithmic scale."""

    start: float
    end: float
    log: bool

    def place(self, value: float) -> float | None:
        """The place of ``value``: outside 0 to 1 if beyond the ends, None if not on the scale."""
        if not -LARGEST < value < LARGEST or (self.log and value <= SMALLEST):
            return None
        return ((math.log10(value) if self.log else value) - self.start) / (self.end - self.start)

    def value(self, place: float) -> float:
        """The value at ``place``."""
        at = self.start + place * (self.end - self.start)
        return float(10**at) if self.log else at


def scale_of(axis: Axis, values: Sequence[float]) -> Scale:
    """The scale of an axis: its own start and end, else round numbers around the values."""
    given = [end for end in (axis.low, axis.high) if end is not None]
    values = [v for v in (*values, *given) if -LARGEST < v < LARGEST] or [0.0, 1.0]
    log = axis.scale == "log" or (axis.scale == "auto" and min(values) > 0 and max(values) > WIDE_RANGE * min(values))
    low, high = (end if end is not None and -LARGEST < end < LARGEST else None for end in (axis.low, axis.high))
    if log:
        values = [math.log10(v) for v in values if v > SMALLEST] or [0.0, 1.0]
        low, high = (math.log10(end) if end is not None and end > SMALLEST else None for end in (low, high))
    least, most = min(values), max(values)
    around = 0.5 if log else max(abs(least), abs(most)) / 2 or 1.0
    if most - least <= around * 1e-9:  # a single value goes in the middle
        least, most = least - around, most + around
    room = (most - least) * 0.04
    start = low if low is not None else least - room if log or least < 0 or least > room else 0.0
    end = high if high is not None else most + room
    return Scale(start, end if end - start > around * 1e-9 else start + around, log)


def ticks(scale: Scale, most: int) -> list[tuple[float, str]]:
    """About ``most`` round values between the ends, each with its text."""
    if not scale.log:
        return _round_ticks(scale.start, scale.end, most)
    first, last = math.ceil(scale.start - 1e-9), math.floor(scale.end + 1e-9)
    for parts in ((1, 2, 5), (1, 3), (1,)):
        found = [part * 10.0**power for power in range(first - 1, last + 1) for part in parts]
        found = [value for value in found if -1e-9 <= (scale.place(value) or 0.0) <= 1 + 1e-9]
        if 2 <= len(found) <= most:
            return [(value, _tick_text(value, _decimals(value))) for value in found]
    if last - first >= 1:
        every = -(-(last - first + 1) // max(1, most))
        return [(10.0**power, _tick_text(10.0**power, -power)) for power in range(first, last + 1, every)]
    return _round_ticks(10**scale.start, 10**scale.end, most)


def _round_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """About ``most`` multiples of a step that is 1, 2 or 5 times a power of ten, but at least two."""
    raw = (high - low) / max(1, most)
    power = math.floor(math.log10(raw))
    # Shorten the step until there are two: a single tick says nothing about a scale.
    steps = [(times, power + more) for more in (1, 0, -1) for times in (5, 2, 1)]
    steps = steps[max(i for i, (times, tens) in enumerate(steps) if times * 10.0**tens >= raw * (1 - 1e-9)) :]
    for times, tens in steps:
        step = times * 10.0**tens
        numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
        if len(numbers) > 1:
            break
    return [(n * step, _tick_text(n * step, -tens)) for n in numbers]


def _decimals(value: float) -> int:
    return -math.floor(math.log10(value) + 1e-9)


def _tick_text(value: float, decimals: int) -> str:
    """A number with this many decimals (negative: rounded to tens, hundreds), grouped by thousands; powers if very
    large.
    """
    if abs(value) < 10.0**-decimals / 2:
        return "0"
    if _SHORT <= abs(value) < _LONG:
        return f"{value:,.{max(0, decimals)}f}".replace(",", " ")
    power = math.floor(math.log10(abs(value)) + 1e-9)
    factor = f"{value / 10.0**power:.{max(0, power + decimals)}f}"
    exponent = f"10{str(power).translate(_SUPERSCRIPTS)}"
    return exponent if float(factor) == 1 else f"{factor}·{exponent}"
