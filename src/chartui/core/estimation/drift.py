"""Keep notes on a profile's rates: whether the learned card has drifted and whether the user chose the reference rates.

The learned card has drifted if a response from the service differs from the card's result for the same configuration.
Every response is compared, and no additional call is made. The drift is recorded in a separate file, which is changed
under a lock. A recorded drift applies only to the card that the response was compared with, so it no longer applies
once the rates have been learned again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.file_lock import rewrite
from chartui.core.files import read_own
from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.numbers import credits_difference, credits_text, number_of, percent_text, signed_text
from chartui.core.text import single_line

FORMAT: Final = "chartui-rate-notes"
VERSION: Final = 1
_MAX_BYTES: Final = 1 << 16
#: The smallest percentage.
_SMALLEST: Final = Decimal("0.000001")
#: Larger percentages are more than any amount can show.
_LARGEST: Final = Decimal(10**9)


class LineDrift(NamedTuple):
    """A line of the breakdown that differs between a service and its learned card.

    The fields are the key of the line (empty for the total), its name in words, and both amounts in credits.
    """

    line: str
    name: str
    service: Decimal
    card: Decimal

    @property
    def words(self) -> str:
        return f"{single_line(self.name, limit=60)} {signed_text(credits_difference(self.service, self.card))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftMark:
    """A difference between a service's response and the learned card.

    ``learned_at`` identifies the card, and ``seen_at`` is the time of the response (both ISO 8601). ``service`` and
    ``card`` are the totals in credits for the same ``configuration``, which is described in words. ``request`` holds
    the same configuration in the fields of E 2.1 and E 2.2, so that the estimate can be requested again. ``lines``
    contains the lines that differ. ``version`` describes the service's rate card if its version or date differs from
    that of the learned card, and is empty otherwise. ``latency`` says how the latency differs, and is empty if it does
    not differ.
    """

    learned_at: str
    seen_at: str
    configuration: str
    request: Mapping[str, Wire]
    service: Decimal
    card: Decimal
    lines: tuple[LineDrift, ...] = ()
    version: str = ""
    latency: str = ""

    @property
    def difference(self) -> Decimal:
        """The service's total minus the card's total, in credits."""
        return self.service - self.card

    @property
    def percent(self) -> Decimal | None:
        """The difference as a percentage of the card's total, to six decimal places, or None if that total is 0."""
        if not self.card:
            return None
        share = min(max(self.difference * 100 / self.card, -_LARGEST), _LARGEST)
        return share.quantize(_SMALLEST)

    @property
    def text(self) -> str:
        """A phrase that describes the difference, including the lines that differ most."""
        if not self.lines:
            return self.latency or f"the service now uses rate card {self.version}"
        share = "" if self.percent is None else f", {percent_text(self.percent)}"
        largest = sorted(self.lines, key=lambda one: -abs(one.service - one.card))
        more = f" and {number_of(len(largest) - 2, 'more line')}" if len(largest) > 2 else ""
        amounts = f"{credits_text(self.service)} credits instead of {credits_text(self.card)}"
        difference = signed_text(credits_difference(self.service, self.card))
        return f"{amounts} ({difference}{share}; {', '.join(one.words for one in largest[:2])}{more})"

    @property
    def wire(self) -> dict[str, Wire]:
        """The difference as JSON data, in the format of the notes file and of command output."""
        return {
            "learned_at": self.learned_at,
            "seen_at": self.seen_at,
            "configuration": self.configuration,
            "request": dict(self.request),
            "service_credits": self.service,
            "card_credits": self.card,
            "difference": self.difference,
            "percent": self.percent,
            "lines": [one._asdict() for one in self.lines],
            "rate_card": self.version or None,
            "latency": self.latency or None,
        }

    def replaces(self, earlier: DriftMark | None) -> bool:
        """Return whether this difference should replace an earlier one.

        The earlier difference is replaced if this one is larger, concerns another rate card, or gives other values for
        the same configuration. The notes file is therefore rarely written.
        """
        if earlier is None or (earlier.learned_at, earlier.version) != (self.learned_at, self.version):
            return True
        if earlier.configuration == self.configuration:
            return replace(earlier, seen_at=self.seen_at) != self
        return self._size > earlier._size

    @property
    def _size(self) -> tuple[bool, Decimal]:
        """Marks without a difference in credits come last, and those of a free configuration first."""
        percent = self.percent
        return bool(self.lines), _LARGEST if percent is None and self.lines else abs(percent or Decimal(0))


class RateNotes(NamedTuple):
    """Notes on the rates of a profile.

    ``base_url`` is the address of the service that the notes apply to. ``reference`` says whether the user chose the
    reference rates for this service.
    """

    base_url: str
    reference: bool = False
    drift: DriftMark | None = None


def load_notes(path: Path, base_url: str) -> RateNotes:
    """Return the notes in a file.

    The result is empty if the file is missing, damaged, or written for another address.
    """
    empty = RateNotes(base_url)
    try:
        notes = _notes(loads(read_own(path, _MAX_BYTES)))
    except (OSError, NotJson, KeyError, TypeError, ValueError):  # notes are only remarks: without them, nothing fails
        return empty
    return notes if notes.base_url == base_url else empty


def change_notes(path: Path, base_url: str, change: Callable[[RateNotes], RateNotes]) -> RateNotes:
    """Apply a change to the notes in a file, and return the new notes.

    Raises ``OSError`` if the file cannot be written.
    """
    changed = RateNotes(base_url)

    def content() -> bytes | None:
        nonlocal changed
        now = load_notes(path, base_url)
        changed = change(now)
        return None if changed == now else dumps(_document(changed)).encode() + b"\n"

    rewrite(path, content)
    return changed


def _document(notes: RateNotes) -> dict[str, Wire]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "base_url": notes.base_url,
        "reference": notes.reference,
        "drift": notes.drift.wire if notes.drift is not None else None,
    }


def _notes(document: Any) -> RateNotes:
    if (document["format"], document["version"]) != (FORMAT, VERSION):
        raise ValueError("another format")
    drift = document["drift"]
    return RateNotes(str(document["base_url"]), document["reference"] is True, None if drift is None else _mark(drift))


def _mark(given: Mapping[str, Any]) -> DriftMark:
    lines = (
        LineDrift(str(one["line"]), str(one["name"]), _amount(one["service"]), _amount(one["card"]))
        for one in given["lines"]
    )
    return DriftMark(
        **{name: str(given[name]) for name in ("learned_at", "seen_at", "configuration")},
        request=dict(given["request"]),
        service=_amount(given["service_credits"]),
        card=_amount(given["card_credits"]),
        lines=tuple(lines),
        version=str(given["rate_card"] or ""),
        latency=str(given["latency"] or ""),
    )


def _amount(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise TypeError("not a number")
    return Decimal(value)
