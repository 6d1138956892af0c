"""The terminal UI from the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["covers"]

F = TypeVar("F", bound=Callable[..., object])


def covers(*commands: str) -> Callable[[F], F]:
    """Says which commands, by id, a test performs with their keys; ``test_commands`` counts them."""

    def mark(function: F) -> F:
        function.covers = commands  # type: ignore[attr-defined]
        return function

    return mark
