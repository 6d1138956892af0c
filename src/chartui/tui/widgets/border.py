"""Notes on the border of a panel."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget


def write_on_border(panel: Widget, note: str) -> None:
    """Write ``note`` at the lower right of the border and redraw only that line.

    Setting the framework's attribute redraws the whole panel: thousands of bytes for one word.
    """
    content = Content(note)
    if content == panel._border_subtitle:
        return
    panel._border_subtitle = content
    outer, inside = panel.outer_size, panel.content_offset
    panel.refresh(Region(-inside.x, outer.height - inside.y - 1, outer.width, 1))


def room_on_border(panel: Widget) -> int:
    """Cells for a note, without corners and spaces."""
    return max(0, panel.outer_size.width - 6)
