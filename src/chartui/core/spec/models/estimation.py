"""Requests and answers of the estimation service (E 2)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Final

from chartui.core.jsontext import Wire
from chartui.core.spec.shape import Described, Number, Odd, Record, answer, request

_QUANTITIES = {
    "input_tokens": "inputTokens",
    "output_chars": "outputChars",
    "stt_seconds": "sttSeconds",
    "tts_seconds": "ttsSeconds",
}


def _keys(selection: Any) -> Described:
    def listed() -> dict[str, Any]:
        from chartui.core.spec.catalogue import options

        return {"enum": [option.key for option in options(selection)]}

    return Described(listed)


Llm = Annotated[str, _keys("llm")]
Stt = Annotated[str, _keys("stt")]
Tts = Annotated[str, _keys("tts")]
Animation = Annotated[str, _keys("animation")]
#: The upper bound is set by decision 54.
Quantity = Annotated[Number, Described({"minimum": 0, "maximum": 10**12})]

_OBJECT = Described({"anyOf": [{"additionalProperties": True, "type": "object"}, {"type": "null"}]})
_LIST = Described({"anyOf": [{"items": {}, "type": "array"}, {"type": "null"}]})


@request()
class Selections:
    """A configuration (E 2.1). For a missing or null member, the service uses its default (decisions 8 and 9)."""

    llm: Llm | None = None
    memory: bool | None = None
    knowledge: bool | None = None
    stt: Stt | None = None
    tts: Tts | None = None
    animation: Animation | None = None


@request(_QUANTITIES)
class Assumptions:
    """Quantities per interaction (E 2.2): tokens, characters, seconds. Each is 0 or more and may be fractional."""

    input_tokens: Quantity | None = None
    output_chars: Quantity | None = None
    stt_seconds: Quantity | None = None
    tts_seconds: Quantity | None = None


@request()
class EstimateRequest:
    """The body of POST /estimate (E 4.2). Both members are optional, as is the body."""

    selections: Selections | None = None
    assumptions: Assumptions | None = None


@request(_QUANTITIES)
class EstimateForm:
    """The query of GET /estimate (E 4.1), with selections and assumptions side by side."""

    llm: Llm | None = None
    memory: bool | None = None
    knowledge: bool | None = None
    stt: Stt | None = None
    tts: Tts | None = None
    animation: Animation | None = None
    input_tokens: Quantity | None = None
    output_chars: Quantity | None = None
    stt_seconds: Quantity | None = None
    tts_seconds: Quantity | None = None


@answer()
class RateCardNote(Record):
    """The rate card used for an estimate (E 2.6): its version and effective date."""

    version: Number | None = None
    effective_date: str | None = None


#: The remark on a latency whose minimum is above its maximum.
BACKWARDS: Final = "The service reports a latency whose minimum is above its maximum. It is shown unchanged."


@answer()
class LatencyRange(Record):
    """Minimum and maximum milliseconds."""

    min: Number
    max: Number

    @property
    def backwards(self) -> bool:
        """Whether the minimum is above the maximum.

        Such a range is a mistake by the service, and is shown unchanged.
        """
        return self.min > self.max


@answer(odd=Odd(element="line"))
class Line(Record):
    """One component of an estimate (E 2.6): credits, and milliseconds as a number, a range or null."""

    key: str
    credits: Number
    label: str = ""
    detail: str = ""
    latency_ms: Number | LatencyRange | None = None

    @property
    def latency(self) -> LatencyRange | None:
        """The latency as a range, or None if the line has none."""
        if self.latency_ms is None or isinstance(self.latency_ms, LatencyRange):
            return self.latency_ms
        return LatencyRange(min=self.latency_ms, max=self.latency_ms)


@answer()
class Totals(Record):
    """The total, in credits per interaction."""

    credits: Number


@answer()
class EchoedSelections(Record):
    """The configuration of an estimate, as the service understood it (decision 8)."""

    llm: str | None = None
    memory: bool | None = None
    knowledge: bool | None = None
    stt: str | None = None
    tts: str | None = None
    animation: str | None = None


@answer(_QUANTITIES)
class EchoedAssumptions(Record):
    """The quantities of an estimate, as the service understood them."""

    input_tokens: Number | None = None
    output_chars: Number | None = None
    stt_seconds: Number | None = None
    tts_seconds: Number | None = None


@answer(odd=Odd(either=("totals", "lines")))
class Estimate(Record):
    """Credits for one interaction, line by line, with its latency (E 2.6)."""

    # A service may omit either value. A missing value is unknown and is not computed.

    totals: Totals | None = None
    lines: Sequence[Line] = ()
    api_version: str = ""
    rate_card: RateCardNote | None = None
    selections: EchoedSelections | None = None
    assumptions: EchoedAssumptions | None = None
    latency_ms: LatencyRange | None = None
    disclaimer: str = ""

    @property
    def credits(self) -> Decimal | None:
        """The total credits per interaction, or None if unknown."""
        return self.totals.credits if self.totals is not None else None

    @property
    def doubt(self) -> str:
        """A sentence about implausible latencies, or an empty string if there are none."""
        ranges = (self.latency_ms, *(line.latency for line in self.lines))
        return BACKWARDS if any(one is not None and one.backwards for one in ranges) else ""

    @property
    def known_credits(self) -> Decimal:
        """The total credits per interaction. Raises ``ValueError`` if it is unknown."""
        if self.totals is None:
            raise ValueError("The total of this estimate is unknown.")
        return self.totals.credits

    def share(self, line: Line) -> Decimal | None:
        """Return the share of a component in the total, from 0 to 1, or None if the total is 0 or unknown."""
        return line.credits / self.credits if self.credits else None


@answer(odd=Odd(alone="options"))
class Options(Record):
    """The discovery answer (E 4.3), in any form. :mod:`chartui.core.estimation.discovery` interprets it."""

    api_version: str = ""
    rate_card: RateCardNote | None = None
    options: Annotated[Wire, _OBJECT] = None
    defaults: Annotated[Wire, _OBJECT] = None
    plans: Annotated[Wire, _LIST] = None
