"""What every dialogue is: one panel in the middle, over a dimmed screen."""

from __future__ import annotations

from typing import TypeVar

from textual.screen import ModalScreen

__all__ = ["Dialog"]

Result = TypeVar("Result")


class Dialog(ModalScreen[Result]):
    """A panel in the middle of the screen; a subclass says how large, and what is in it."""

    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 50%; }
    Dialog > Vertical {
        width: 72;
        max-width: 96%;
        height: auto;
        max-height: 92%;
        border: round $primary;
        border-title-color: $foreground;
        border-title-style: bold;
        border-subtitle-color: $meaning-label;
        background: $surface;
    }
    """
