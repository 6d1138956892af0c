"""The story as it is played."""

from __future__ import annotations

from textual.strip import Strip

from chartui.tui.widgets.laid_out import Painted

__all__ = ["WalkView"]


class WalkView(Painted[Strip]):
    """The story as it is played."""

    def lay_out(self) -> None:
        """Make the rows."""
        self.put(())
