"""Compare the responses of a service with its learned card, to detect drift."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from chartui.core.estimation.card import RateCard
from chartui.core.estimation.drift import DriftMark, LineDrift
from chartui.core.estimation.learned.answers import Asked, Reading, read
from chartui.core.estimation.learned.fit import TOLERANCE, Fit, compare, span_in_words
from chartui.core.estimation.learned.solution import version_told
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ServiceError


def tolerance_of(card: RateCard) -> Decimal:
    """Return the largest error in credits that does not count as drift.

    An error that was known when the card was learned is not drift.
    """
    return max(TOLERANCE, card.origin.worst_error if card.origin else Decimal(0))


def after_answer(
    card: RateCard, earlier: DriftMark | None, payload: Mapping[str, Wire], body: Wire, *, seen_at: str
) -> DriftMark | None:
    """Return the drift of a learned card after a new response to ``estimate`` or ``get-estimate``.

    The drift is unchanged if the response is incomplete or contains an option that is not on the card. A response that
    agrees with the card clears the drift in two cases: the drift was recorded for the same configuration, or only the
    version or date of the service's rate card differed.
    """
    try:
        reading = read(_asked(payload), body)
    except ServiceError:
        return earlier
    fit = compare(card, reading, tolerance_of(card))
    return earlier if fit is None else after_reading(card, earlier, reading, fit, seen_at=seen_at)


def after_reading(
    card: RateCard, earlier: DriftMark | None, reading: Reading, fit: Fit, *, seen_at: str
) -> DriftMark | None:
    """Return the drift after a response that was already compared with the card. See :func:`after_answer`."""
    mark = _mark_of(card, reading, fit, seen_at=seen_at)
    if mark is not None:
        return mark if mark.replaces(earlier) else earlier
    if earlier is None or earlier.configuration == fit.configuration:
        return None
    # A service may change an amount without a new version, so the earlier version does not disprove other amounts.
    return earlier if earlier.lines or earlier.latency else None


def _mark_of(card: RateCard, reading: Reading, fit: Fit, *, seen_at: str) -> DriftMark | None:
    """Return the difference between a response and a learned card, or None if they agree."""
    (version, effective), _ = version_told(reading, date.fromisoformat(card.effective_date))
    other = (reading.version is not None and version != card.version) or effective != card.effective_date
    latency = ""
    if fit.latency_problem:
        service, ours = ("unknown" if one is None else span_in_words(one) for one in (reading.latency, fit.latency))
        latency = f"a latency of {service} instead of {ours}"
    if not (fit.misfits or latency or other):
        return None
    return DriftMark(
        learned_at=card.origin.learned_at if card.origin else "",
        seen_at=seen_at,
        configuration=fit.configuration,
        request={**reading.selections, **reading.assumptions},
        service=reading.total,
        card=fit.total,
        lines=tuple(LineDrift(one.line, one.what, one.told, one.computed) for one in fit.misfits),
        version=reading.card if other else "",
        latency=latency,
    )


def _asked(payload: Mapping[str, Wire]) -> Asked:
    """Return the request as one level of members, for both operations."""
    parts: Any = [payload.get(name) for name in ("selections", "assumptions")]
    if not any(isinstance(part, Mapping) for part in parts):
        return payload
    return {name: value for part in parts if isinstance(part, Mapping) for name, value in part.items()}
