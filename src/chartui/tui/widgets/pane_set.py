"""Several panes in one panel, of which one is shown."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Generic, TypeVar

from textual.containers import Vertical
from textual.widget import Widget

__all__ = ["PaneSet"]

P = TypeVar("P", bound=StrEnum)


class PaneSet(Vertical, Generic[P]):
    """The panel around the panes; the others are not laid out. A subclass composes them and names them."""

    DEFAULT_CSS = """
    PaneSet > .pane { display: none; height: 1fr; }
    PaneSet > .pane.-present { display: block; }
    """

    def __init__(self, panes: Mapping[P, Widget], present: P, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id, classes="panel")
        self.panes = panes
        for pane, widget in panes.items():
            widget.add_class("pane")
            widget.set_class(pane is present, "-present")

    def pane(self, pane: P) -> Widget:
        return self.panes[pane]

    def show_pane(self, pane: P) -> None:
        """Show one of the panes; the focus follows when it was in another."""
        inside = self.has_focus_within
        for other, widget in self.panes.items():
            widget.set_class(other is pane, "-present")
        if inside:
            self.pane(pane).focus()
