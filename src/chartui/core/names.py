"""Names that people would take for one another (decisions 40 and 65)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable
from typing import Final

__all__ = ["alike", "bare", "lookalike", "numbered"]

_PASSED_OVER: Final = re.compile(r"[\W_]+")
#: The same of plain ASCII, which is what most names are; tens of thousands of them are compared at once.
_PLAIN: Final = {code: None for code in range(128) if not chr(code).isalnum()}


def alike(name: str, other: str) -> bool:
    """Whether two names differ in nothing but case, spaces, punctuation and ways to write the same letter."""
    return bare(name) == bare(other)


def lookalike(name: str, others: Iterable[str | None]) -> str | None:
    """The first of ``others`` that could be taken for ``name`` and is another; None when there is none."""
    return next((other for other in others if other is not None and other != name and alike(name, other)), None)


def bare(name: str) -> str:
    """What is left of a name without case, spaces, punctuation and ways to write the same letter."""
    if name.isascii():
        folded = name.lower()
        return folded.translate(_PLAIN) or folded
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    # A name of nothing but punctuation is itself.
    return _PASSED_OVER.sub("", folded) or folded


def numbered(name: str, taken: Container[str | None]) -> str:
    """``name``, with the first number behind it that makes it another where it is taken."""
    number, one = 1, name
    while one in taken:
        number += 1
        one = f"{name} ({number})"
    return one
