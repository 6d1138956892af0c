"""What every kind of looking over has in common: how grave a finding is, and the rule that it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rule(NamedTuple):
    """What is looked for: its id, and why it matters, in a sentence."""

    id: str
    severity: Severity
    why: str


def tally(rules: Iterable[Rule]) -> dict[Severity, int]:
    """How many findings there are of each severity, by the rules that they come from; the gravest first."""
    counts = dict.fromkeys(Severity, 0)
    for rule in rules:
        counts[rule.severity] += 1
    return counts


def in_numbers(rules: Iterable[Rule]) -> str:
    """How many findings there are, in words: ``1 error, 3 warnings``; empty for none."""
    counts = tally(rules).items()
    return ", ".join(f"{number} {severity}{'' if number == 1 else 's'}" for severity, number in counts if number)
