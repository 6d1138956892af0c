"""What the specification says about the end of the string-based actions (C 9, decision 49). No clock is asked."""

from __future__ import annotations

from datetime import date
from typing import Final

from chartui.core.spec.operations import operation

__all__ = ["LINES", "SUCCESSORS", "WHOLE"]


def _day(text: str) -> str:
    day = date.fromisoformat(text)
    return f"{day.day} {day:%B %Y}"


_ISO: Final = operation("get-response").deprecated or ""
_DAY: Final = _day(_ISO)
#: What new integrations are pointed to.
SUCCESSORS: Final = ("structured agentic actions", "the live connection API")
#: Everything there is to say.
WHOLE: Final = (
    f"Actions as text are deprecated for new integrations from {_DAY}. "
    f"New ones are pointed to {' and '.join(SUCCESSORS)}; clients that exist keep working while they move."
)
#: The same in one line, the longest first; whoever has little room takes the first that fits.
LINES: Final = (
    WHOLE,
    f"Deprecated for new integrations from {_DAY}; use {' or '.join(SUCCESSORS)}.",
    f"Deprecated {_ISO}: use {' or '.join(SUCCESSORS).replace('the ', '')}.",
    f"Deprecated for new integrations from {_DAY}.",
)
