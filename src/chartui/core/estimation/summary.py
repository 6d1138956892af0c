"""Describe an estimate: a table for export, its inputs in words, and its stages over time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import EXACT
from chartui.core.jsontext import Wire, canonical
from chartui.core.numbers import exact
from chartui.core.spec.catalogue import KINDS, option
from chartui.core.spec.models.estimation import Estimate, LatencyRange
from chartui.core.spec.shape import payload_of

if TYPE_CHECKING:
    from chartui.core.sheet import Sheet


def echoed_inputs(estimate: Estimate) -> dict[str, Wire]:
    """Return the inputs that the service returned with an estimate, selections first (decision 8)."""
    echoed = (estimate.selections, estimate.assumptions)
    return {member: value for part in echoed if part is not None for member, value in payload_of(part).items()}


#: What members are called if not by their own words, as in the form.
_NAMES: Final = {
    "llm": "model",
    "stt": "speech input",
    "tts": "speech output",
    "outputChars": "response",
    "sttSeconds": "user speech",
    "ttsSeconds": "spoken reply",
}
#: The units of numbers whose names do not say them.
_UNITS: Final = {"outputChars": " characters", "sttSeconds": " s", "ttsSeconds": " s"}


def inputs_in_words(inputs: Mapping[str, Wire]) -> str:
    """Describe selections and assumptions in one line, such as ``model MDLA 4o, memory off, input tokens 1 500``."""
    return ", ".join(_in_words(member, value) for member, value in inputs.items())


def _in_words(member: str, value: Wire) -> str:
    name, said = _name(member), _value(member, value)
    return f"no {name}" if said == "none" and member in KINDS else f"{name} {said}"


def changes_in_words(before: Mapping[str, Wire], after: Mapping[str, Wire]) -> str:
    """Describe the inputs that have changed, such as ``model MDLA 4o → MDLA 5, input tokens 1 500 → default``."""
    members = [member for member in {**before, **after} if before.get(member) != after.get(member)]
    return ", ".join(
        f"{_name(member)} {_value(member, before.get(member))} → {_value(member, after.get(member))}"
        for member in members
    )


def _name(member: str) -> str:
    return _NAMES.get(member) or re.sub("[A-Z]", lambda capital: f" {capital[0].lower()}", member)


def _value(member: str, value: Wire) -> str:
    """The label of an option, ``none`` for one that is off, or ``default`` for an input that is not set."""
    known = option(member, value) if member in KINDS and isinstance(value, str) else None
    if known is None:
        return "default" if value is None else f"{value_in_words(value)}{_UNITS.get(member, '')}"
    return "none" if known.label == f"No {_name(member)}" else known.label


def value_in_words(value: Wire) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else exact(Decimal(value))


def estimate_sheet(estimate: Estimate) -> Sheet:
    """Return the lines and the total of an estimate as a table.

    The columns include credits, percent of the total (unless the total is 0), and milliseconds.
    """
    from chartui.core.sheet import Column, Sheet

    columns = (
        Column("key"),
        Column("label"),
        Column("credits"),
        Column("share", "%"),
        Column("latency_min", "ms"),
        Column("latency_max", "ms"),
        Column("detail"),
    )
    rows: list[tuple[Wire, ...]] = [
        (line.key, line.label, line.credits, _percent(estimate.share(line)), *_span(line.latency), line.detail)
        for line in estimate.lines
    ]
    whole = Decimal(100) if estimate.credits else None
    rows.append(("total", "Total", estimate.credits, whole, *_span(estimate.latency_ms), ""))
    return Sheet("Estimate", columns, tuple(rows), tuple(_notes(estimate)))


def _percent(share: Decimal | None) -> Decimal | None:
    return None if share is None else hundredths(EXACT.multiply(share, Decimal(100)))


def _span(latency: LatencyRange | None) -> tuple[Wire, Wire]:
    return (None, None) if latency is None else (whole_or_not(latency.min), whole_or_not(latency.max))


def hundredths(percent: Decimal) -> Decimal:
    """Return a percentage rounded to two decimal places (half to even)."""
    return percent.quantize(Decimal("0.01"), context=EXACT)


def whole_or_not(number: Decimal) -> int | Decimal:
    """Return a whole number as an ``int``, so that tables show no decimal places. Return other numbers unchanged."""
    text = canonical(number)
    return number if "." in text else int(text)


def _notes(estimate: Estimate) -> list[str]:
    notes = []
    if inputs := echoed_inputs(estimate):
        notes.append(f"For {inputs_in_words(inputs)}.")
    card = estimate.rate_card
    if card is not None and card.version is not None:
        notes.append(f"Rate card {canonical(card.version)}, effective {card.effective_date or '–'}.")
    return [*notes, estimate.disclaimer] if estimate.disclaimer else notes


_HEARING = "voice_input"
_TOGETHER = ("voice_output", "animation")
_MODEL = ("ai_response", "prompt")


class Stage(NamedTuple):
    """A stage of an interaction, with its line in the estimate.

    ``begins`` is the latest start of the stage, and ``takes`` is its duration, both in milliseconds. ``model`` is true
    if the line is ``ai_response`` or ``prompt``, because the model works in these stages.
    """

    key: str
    label: str
    begins: Decimal
    takes: LatencyRange
    model: bool = False


def stages(estimate: Estimate) -> Sequence[Stage]:
    """Return the stages of an estimate in order. Stages without a duration are omitted."""
    timed = [(line, line.latency) for line in estimate.lines]
    given = [(line, takes) for line, takes in timed if takes is not None and takes.max > 0]
    first = [pair for pair in given if pair[0].key == _HEARING]
    last = [pair for pair in given if pair[0].key in _TOGETHER]
    between = [pair for pair in given if pair[0].key != _HEARING and pair[0].key not in _TOGETHER]
    found: list[Stage] = []
    begins = Decimal(0)
    for line, takes in (*first, *between):
        found.append(Stage(line.key, line.label or line.key, begins, takes, model=line.key in _MODEL))
        begins += takes.max
    return (*found, *(Stage(line.key, line.label or line.key, begins, takes) for line, takes in last))
