"""Repeated measurements and how they are shown: medians, their spread, and the goal beside each."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

__all__ = ["BARE", "CHARTUI", "Row", "alternate", "late", "of", "ratios", "show"]

T = TypeVar("T")

#: The installed program, beside the interpreter that runs the benchmarks.
CHARTUI: Final = str(Path(sys.executable).with_name("chartui"))
#: The reference program.
BARE: Final = (sys.executable, str(Path(__file__).with_name("bare.py")))


class Row(NamedTuple):
    """A line of a table: what was measured, the values, their unit, the goal, and how many decimals make sense."""

    what: str
    values: Sequence[float]
    unit: str
    goal: str = ""
    decimals: int = 1

    @property
    def figure(self) -> str:
        """Median, least and most."""
        if not self.values:
            return "–"
        texts = [
            f"{v:,.{self.decimals}f}" for v in (statistics.median(self.values), min(self.values), max(self.values))
        ]
        return f"{texts[0]} ({texts[1]}–{texts[2]})"


def alternate(rounds: int, cases: Mapping[str, Callable[[], T]]) -> dict[str, list[T]]:
    """Run the cases in turn, ``rounds`` times each after a warm-up: what disturbs a round disturbs all of them."""
    for case in cases.values():
        case()
    found: dict[str, list[T]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, case in cases.items():
            found[name].append(case())
    return found


def of(results: Iterable[object], attribute: str, per: float = 1.0) -> list[float]:
    """One attribute of every result, divided by ``per``; results without it are left out."""
    values = (getattr(result, attribute) for result in results)
    return [value / per for value in values if value is not None]


def late(values: Sequence[float]) -> float:
    """What 95 of 100 values stay below."""
    return statistics.quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else max(values, default=0.0)


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """One ratio for each round."""
    return [our / their for our, their in zip(ours, theirs, strict=True)]


def show(title: str, rows: Sequence[Row]) -> None:
    """Write a table: median (least–most), unit, goal."""
    print(f"\n{title}")
    names, figures = max(len(row.what) for row in rows), max(len(row.figure) for row in rows)
    for row in rows:
        goal = f"goal {row.goal}" if row.goal else ""
        print(f"  {row.what:<{names}}  {row.figure:>{figures}}  {row.unit:<6}  {goal}".rstrip())
