"""Notes on the border of a panel."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget


def write_on_border(panel: Widget, note: str) -> None:
    """Write ``note`` at the lower right of the border, and draw that line alone.

    Setting the framework's attribute draws the whole panel again with everything in it: thousands of bytes for a word.
    """
    content = Content(note)
    if content == panel._border_subtitle:
        return
    panel._border_subtitle = content
    outer, inside = panel.outer_size, panel.content_offset
    panel.refresh(Region(-inside.x, outer.height - inside.y - 1, outer.width, 1))


def room_on_border(panel: Widget) -> int:
    """Cells for a note: corners and spaces take the others."""
    return max(0, panel.outer_size.width - 6)
