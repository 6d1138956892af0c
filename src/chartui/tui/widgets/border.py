"""The title and the note on the border of a panel.

Setting the framework's attributes redraws the whole panel, even if the text is the same; these redraw one line if it
differs.
"""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget

from chartui.tui.lines import fit

_SEPARATOR: Final = " · "


class Title(Content):
    """The title of a panel, which keeps the closing quote of a name where it is cut."""

    def truncate(self, max_width: int, *, ellipsis: bool = False, pad: bool = False) -> Content:
        if ellipsis and self.cell_length > max_width:
            return Content(fit(self.plain, max_width))
        return super().truncate(max_width, ellipsis=ellipsis, pad=pad)


def write_on_border(panel: Widget, note: str | Content) -> None:
    """Write ``note`` at the lower right of the border.

    Parts of a text are separated by dots. If there is no room for all of them, the last ones are left out.
    """
    if isinstance(note, str):
        note = _fitting(note, room_on_border(panel))
    if (content := _changed(panel._border_subtitle, note)) is not None:
        panel._border_subtitle = content
        _redraw(panel, panel.outer_size.height - 1)


def _fitting(note: str, room: int) -> str:
    while 0 < room < cell_len(note) and _SEPARATOR in note:
        note = note.rpartition(_SEPARATOR)[0]
    return note


def entitle(panel: Widget, title: str | Content) -> None:
    """Write ``title`` at the top of the border."""
    if (content := _changed(panel._border_title, title)) is not None:
        panel._border_title = content
        _redraw(panel, 0)


def _changed(before: Content | None, text: str | Content) -> Content | None:
    content = Content(text) if isinstance(text, str) else text
    return None if before is not None and content.is_same(before) else content


def _redraw(panel: Widget, line: int) -> None:
    inside = panel.content_offset
    panel.refresh(Region(-inside.x, line - inside.y, panel.outer_size.width, 1))


def room_on_border(panel: Widget) -> int:
    """Cells for a note, without corners and spaces."""
    return max(0, panel.outer_size.width - 6)
