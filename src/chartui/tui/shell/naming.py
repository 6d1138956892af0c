"""A question that is answered by typing a name: for what must not be done by a slip."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from chartui.core.text import single_line
from chartui.tui.bindings import sign_of
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.words import Words

__all__ = ["TypeName"]


class TypeName(Dialog[bool]):
    """Says what would be done, and does it only for somebody who types ``name``."""

    DEFAULT_CSS = """
    TypeName > Vertical {
        width: 64;
        border: round $warning;
        border-title-color: $warning;
        padding: 1 1 1 1;
    }
    TypeName Words { background: $surface; }
    TypeName Input { padding: 0 1 !important; background: $panel; margin: 1 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(False)", show=False)]
    UNFORESEEN = True
    CONCLUSIVE = True

    def __init__(self, title: str, message: str, name: str) -> None:
        super().__init__()
        self._title = title
        self._message = message
        self._wanted = name
        self._said = Words("")

    def compose(self) -> ComposeResult:
        """The question, the box, and what is wrong with what was typed."""
        with Vertical() as panel:
            panel.border_title = Content(single_line(self._title, limit=60))
            panel.border_subtitle = Content(f"{sign_of(self, 'enter')} agrees · esc leaves it as it is")
            yield Words(self._message)
            yield FilterBox(f"type {single_line(self._wanted)} to agree")
            yield self._said

    def on_mount(self) -> None:
        """Keys go to the box."""
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Agree, if it is the name."""
        event.stop()
        if event.value.strip() == self._wanted:
            self.dismiss(True)
        else:
            self._said.show(f"That is not its name: type {self._wanted}, or press escape.", role="danger")
