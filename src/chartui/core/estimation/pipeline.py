"""An interaction as it goes by: what happens after what, from the end of the user's speech to the answer (decision 7).

Speech is recognised, then the model thinks, then speaking and the face begin together.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from chartui.core.spec.models.estimation import Estimate, LatencyRange

__all__ = ["Stage", "stages"]

_HEARING = "voice_input"
_TOGETHER = ("voice_output", "animation")
_MODEL = ("ai_response", "prompt")


class Stage(NamedTuple):
    """One stage: the line it belongs to, when it begins at the latest, and how long it takes, in milliseconds.

    ``model`` marks the model's own, whichever line it stands on.
    """

    key: str
    label: str
    begins: Decimal
    takes: LatencyRange
    model: bool = False


def stages(estimate: Estimate) -> Sequence[Stage]:
    """The stages of an estimate in their order, without those that take no time; empty when no line gives any."""
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
