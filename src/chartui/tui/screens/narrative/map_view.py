"""The graph as a map."""

from __future__ import annotations

from textual.strip import Strip

from chartui.tui.widgets.laid_out import Painted

__all__ = ["MapView"]


class MapView(Painted[Strip]):
    """The graph as a map."""

    def lay_out(self) -> None:
        """Make the rows."""
        self.put(())
