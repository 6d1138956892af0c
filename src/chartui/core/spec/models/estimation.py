"""Requests to the estimation service and its responses (E 2)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Final

from chartui.core.jsontext import Wire
from chartui.core.spec.shape import Described, Number, Odd, Record, answer, request

QUANTITIES = {
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
    """The selected options (E 2.1).

    If a field is missing or null, the service uses its default (decisions 8 and 9).
    """

    llm: Llm | None = None
    memory: bool | None = None
    knowledge: bool | None = None
    stt: Stt | None = None
    tts: Tts | None = None
    animation: Animation | None = None


@request(QUANTITIES)
class Assumptions:
    """The quantities of one interaction (E 2.2), in tokens, characters of text and seconds. Fractions are allowed."""

    input_tokens: Quantity | None = None
    output_chars: Quantity | None = None
    stt_seconds: Quantity | None = None
    tts_seconds: Quantity | None = None


@answer()
class RateCardNote(Record):
    """The version and effective date of the rate card used for an estimate (E 2.6)."""

    version: Number | None = None
    effective_date: str | None = None


#: The remark on a latency whose minimum is above its maximum.
BACKWARDS: Final = "The service reports a minimum latency above the maximum. Both are shown unchanged."


@answer()
class LatencyRange(Record):
    """A range of latencies, in milliseconds."""

    min: Number
    max: Number

    @property
    def backwards(self) -> bool:
        """Whether the minimum is above the maximum.

        Such a range is an error in the service's response, but is shown unchanged.
        """
        return self.min > self.max


@answer(odd=Odd(element="line"))
class Line(Record):
    """One component of an estimate, with its credits and its latency (E 2.6)."""

    key: str
    credits: Number
    label: str = ""
    detail: str = ""
    latency_ms: Number | LatencyRange | None = None

    @property
    def latency(self) -> LatencyRange | None:
        """The latency as a range, or None if the component has no latency."""
        if self.latency_ms is None or isinstance(self.latency_ms, LatencyRange):
            return self.latency_ms
        return LatencyRange(min=self.latency_ms, max=self.latency_ms)


@answer()
class Totals(Record):
    """The total of an estimate, in credits per interaction."""

    credits: Number


@answer()
class EchoedSelections(Record):
    """The configuration that the service used for an estimate (decision 8)."""

    llm: str | None = None
    memory: bool | None = None
    knowledge: bool | None = None
    stt: str | None = None
    tts: str | None = None
    animation: str | None = None


@answer(QUANTITIES)
class EchoedAssumptions(Record):
    """The quantities that the service used for an estimate."""

    input_tokens: Number | None = None
    output_chars: Number | None = None
    stt_seconds: Number | None = None
    tts_seconds: Number | None = None


@answer(odd=Odd(either=("totals", "lines")))
class Estimate(Record):
    """The credits and the latency of one interaction, in total and for each component (E 2.6)."""

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
        """The total in credits per interaction, or None if it is unknown."""
        return self.totals.credits if self.totals is not None else None

    @property
    def doubt(self) -> str:
        """A sentence about an implausible latency, or an empty string if the latency is plausible."""
        ranges = (self.latency_ms, *(line.latency for line in self.lines))
        return BACKWARDS if any(one is not None and one.backwards for one in ranges) else ""

    @property
    def known_credits(self) -> Decimal:
        """The total in credits per interaction. Raises ``ValueError`` if it is unknown."""
        if self.totals is None:
            raise ValueError("The total of this estimate is unknown.")
        return self.totals.credits

    def share(self, line: Line) -> Decimal | None:
        """Return a component's share of the total credits, from 0 to 1, or None if the total is 0 or unknown."""
        return line.credits / self.credits if self.credits else None


@answer(odd=Odd(alone="options"))
class Options(Record):
    """The response to a discovery request (E 4.3), which :mod:`chartui.core.estimation.discovery` interprets."""

    api_version: str = ""
    rate_card: RateCardNote | None = None
    options: Annotated[Wire, _OBJECT] = None
    defaults: Annotated[Wire, _OBJECT] = None
    plans: Annotated[Wire, _LIST] = None
