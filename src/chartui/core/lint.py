"""Severities and rules shared by all linters."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from chartui.core.classes import NamedTuple


class Severity(StrEnum):
    """The severity of a finding."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rule(NamedTuple):
    """A lint rule, with its ID, its severity, and a sentence that says why the rule matters."""

    id: str
    severity: Severity
    why: str


def tally(rules: Iterable[Rule]) -> dict[Severity, int]:
    """Return the number of findings of each severity, errors first."""
    counts = dict.fromkeys(Severity, 0)
    for rule in rules:
        counts[rule.severity] += 1
    return counts


def in_numbers(rules: Iterable[Rule]) -> str:
    """Return a summary of the findings, such as ``1 error, 3 warnings``, or an empty string if there are none."""
    counts = tally(rules).items()
    return ", ".join(f"{number} {severity}{'' if number == 1 else 's'}" for severity, number in counts if number)
