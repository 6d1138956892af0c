"""What is wrong with the story."""

from __future__ import annotations

from textual.strip import Strip

from chartui.tui.widgets.laid_out import Painted

__all__ = ["LintView"]


class LintView(Painted[Strip]):
    """What is wrong with the story."""

    def lay_out(self) -> None:
        """Make the rows."""
        self.put(())
