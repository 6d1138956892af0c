"""What the screens have in common for a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from textual.geometry import Region
from textual.widget import Widget

from chartui.tui.widgets.screen import Copyable, WorkScreen

if TYPE_CHECKING:
    pass


__all__ = ["Reader"]

S = TypeVar("S", bound=WorkScreen)
W = TypeVar("W", bound=Widget)


class Reader(Generic[S]):
    """What the screens have in common."""

    def __init__(self, screen: S) -> None:
        self._screen = screen

    @property
    def is_attached(self) -> bool:
        """Whether the screen is still part of the program."""
        return self._screen.is_attached

    def find(self, kind: type[W]) -> W:
        """The one widget of a kind, whatever lies over the screen."""
        return self._screen.query_one(kind)

    def region_before_layout(self, widget: Widget) -> Region:
        """The region of a widget by its new style, asked for before the layout, as can happen after scrolling."""
        assert isinstance(widget.parent, Widget)
        widget.parent._clear_arrangement_cache()
        self._screen._compositor._full_map_invalidated = True
        return self._screen._compositor.full_map[widget].region

    def copy_choices(self) -> Sequence[Copyable]:
        """What can be copied at the cursor."""
        return self._screen.copy_choices()
