"""The bodies and queries of requests to the estimation service (E 4).

Only requests from outside the program are checked against these classes.
"""

from __future__ import annotations

from chartui.core.spec.models.estimation import (
    QUANTITIES,
    Animation,
    Assumptions,
    Llm,
    Quantity,
    Selections,
    Stt,
    Tts,
)
from chartui.core.spec.shape import request


@request()
class EstimateRequest:
    """The body of POST /estimate (E 4.2). The body and both of its fields are optional."""

    selections: Selections | None = None
    assumptions: Assumptions | None = None


@request(QUANTITIES)
class EstimateForm:
    """The query of GET /estimate (E 4.1), which contains both the selections and the assumptions."""

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
