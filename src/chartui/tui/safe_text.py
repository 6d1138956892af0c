"""The last thing every line passes on its way to the terminal."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from chartui.core.text import display_text, is_plain

__all__ = ["SafeText"]


class SafeText(LineFilter):
    """The net below every widget: no control character reaches the terminal, whoever forgot to clean a text."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Make visible what a terminal would obey."""
        if all(s.control or is_plain(s.text) for s in segments):
            return segments
        return [s if s.control else Segment(display_text(s.text), s.style) for s in segments]
