"""The last thing every line passes on its way to the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from chartui.core.text import display_text, is_plain

if TYPE_CHECKING:
    from chartui.tui.terminal import Terminal

__all__ = ["SafeText", "filters_for"]


class SafeText(LineFilter):
    """The net below every widget: no control character reaches the terminal, whoever forgot to clean a text."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Make visible what a terminal would obey."""
        if all(s.control or is_plain(s.text) for s in segments):
            return segments
        return [s if s.control else Segment(display_text(s.text), s.style) for s in segments]


def filters_for(terminal: Terminal) -> Iterator[LineFilter]:
    """What every line passes on its way to the terminal."""
    yield SafeText()
    if terminal.ascii or terminal.colorless:
        from chartui.tui.plain import AsciiText, Colorless

        if terminal.ascii:
            yield AsciiText()
        if terminal.colorless:
            yield Colorless()
