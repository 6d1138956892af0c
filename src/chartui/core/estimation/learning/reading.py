"""An answer of the estimation service as learning needs it: credits and latencies by component, and the echo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

from chartui.core.estimation.card import MAX_QUANTITY, QUANTITIES
from chartui.core.jsontext import Wire, canonical
from chartui.core.spec.catalogue import KINDS
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Estimate, LatencyRange
from chartui.core.spec.operations import operation
from chartui.core.spec.shape import build

__all__ = ["FLAGS", "SELECTIONS", "Asked", "Reading", "Stretch", "in_words", "read"]

#: What is asked: members of E 2.1 and E 2.2 side by side; what is left out takes the service's default.
Asked = Mapping[str, Wire]
#: Milliseconds, at the least and at the most, as a service told them.
Stretch = tuple[Decimal, Decimal]

FLAGS: Final = ("memory", "knowledge")
#: The selections in the order of E 2.1.
SELECTIONS: Final = ("llm", "memory", "knowledge", "stt", "tts", "animation")


class Reading(NamedTuple):
    """One answer.

    ``selections`` and ``assumptions`` are what the service understood, where it says so, else what was asked: its echo
    is trusted (decision 8). ``credits``, ``latencies`` and ``labels`` are by the key of a line; of two lines with one
    key the sum. ``version`` and ``date`` are its rate card's, as they came.
    """

    asked: Asked
    selections: Mapping[str, str | bool]
    assumptions: Mapping[str, int | Decimal]
    credits: Mapping[str, Decimal]
    latencies: Mapping[str, Stretch]
    labels: Mapping[str, str]
    total: Decimal
    latency: Stretch | None
    version: Decimal | None
    date: str | None

    @property
    def card(self) -> str:
        """Which rate card answered, in words."""
        version = "without a version" if self.version is None else canonical(self.version)
        return f"{version}, effective {self.date}" if self.date else version


def read(asked: Asked, body: Wire) -> Reading:
    """Read the body of an estimate, which has to be complete: rates are learned from whole bills only.

    Raises :class:`~chartui.core.spec.errors.ServiceError` for what is none.
    """
    from chartui.core.spec.tolerance import read_answer

    row = operation("get-estimate")
    decoded = read_answer(row.response.load(), body)
    estimate: Estimate = build(row.response.load(), decoded.body)
    unread = [note.reason for note in decoded.unreadable if note.where.startswith(("/lines", "/totals"))]
    if estimate.credits is None or "lines" not in estimate.raw or unread:
        reason = "; ".join(unread) or "the total or the lines are missing"
        raise ServiceError(ErrorKind.UNEXPECTED, f"The estimate is incomplete ({reason}).")
    amounts: dict[str, Decimal] = {}
    latencies: dict[str, Stretch] = {}
    labels: dict[str, str] = {}
    for line in estimate.lines:
        amounts[line.key] = amounts.get(line.key, Decimal(0)) + line.credits
        if line.label:
            labels.setdefault(line.key, line.label)
        if (span := _stretch(line.latency)) is not None:
            before = latencies.get(line.key, (Decimal(0), Decimal(0)))
            latencies[line.key] = (before[0] + span[0], before[1] + span[1])
    note = estimate.rate_card
    return Reading(
        asked=asked,
        selections=_members(SELECTIONS, asked, estimate.raw.get("selections")),
        assumptions=_members(QUANTITIES, asked, estimate.raw.get("assumptions")),
        credits=amounts,
        latencies=latencies,
        labels=labels,
        total=estimate.known_credits,
        latency=_stretch(estimate.latency_ms),
        version=note.version if note else None,
        date=note.effective_date if note else None,
    )


def _stretch(latency: LatencyRange | None) -> Stretch | None:
    return None if latency is None else (latency.min, latency.max)


def _members(names: tuple[str, ...], asked: Asked, echo: Wire) -> dict[str, Any]:
    """What was understood: the echo's members where they are of the form of E 2, else those that were asked."""
    said = echo if isinstance(echo, Mapping) else {}
    given = ((name, value) for name in names for value in (said.get(name), asked.get(name)) if _fits(name, value))
    found: dict[str, Any] = {}
    for name, value in given:
        found.setdefault(name, value)
    return found


def _fits(name: str, value: Wire) -> bool:
    if name in FLAGS:
        return isinstance(value, bool)
    if name in KINDS:
        return isinstance(value, str) and bool(value)
    return isinstance(value, int | Decimal) and not isinstance(value, bool) and 0 <= value <= MAX_QUANTITY


def in_words(selections: Mapping[str, Wire], assumptions: Mapping[str, Wire]) -> str:
    """A configuration in one line: ``mdla_4o, memory, tts_1; 4000 tokens, 150 characters, …``."""
    return "; ".join(filter(None, (", ".join(_chosen(selections)), ", ".join(_amounts(assumptions)))))


def _chosen(selections: Mapping[str, Wire]) -> Iterator[str]:
    for name in SELECTIONS:
        value = selections.get(name)
        if isinstance(value, bool):
            if value:
                yield name
        elif value is not None:
            yield str(value)


def _amounts(assumptions: Mapping[str, Wire]) -> Iterator[str]:
    units = ("tokens", "characters", "s heard", "s spoken")
    for name, unit in zip(QUANTITIES, units, strict=True):
        if name in assumptions:
            yield f"{canonical(Decimal(assumptions[name]))} {unit}"
