"""The box one types into to look for something."""

from __future__ import annotations

from textual.widgets import Input

__all__ = ["FilterBox"]


class FilterBox(Input):
    """One line of text to look for. Its caret stands still: one that blinks writes to the terminal without end."""

    def __init__(self, hint: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(placeholder=hint, id=id, select_on_focus=False, compact=True)
        self.cursor_blink = False
