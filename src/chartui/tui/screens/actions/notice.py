"""The deprecation notice of the actions screen, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from textual.strip import Strip

from chartui.core.actions.turn import DEPRECATION, DEPRECATION_LINES
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, wrap
from chartui.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Cells before the words: a space, the sign, a space.
_INDENT: Final = 3


class Notice(LineView):
    """A quiet line, shortened to fit its room, and shown in full while focused."""

    DEFAULT_CSS = """
    Notice { height: 1; scrollbar-size-vertical: 0; background: $background; }
    """

    _lines: Sequence[str] = (DEPRECATION,)

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.width_changed()

    def width_changed(self) -> None:
        room = self.size.width - _INDENT
        if room <= 0:
            return
        self._lines = wrap(DEPRECATION, room) if self.has_focus else [self._line(room)]
        self.styles.height = len(self._lines)
        self.rows_changed()

    def _line(self, room: int) -> str:
        """The longest sentence that fits; a shortened one ends with the shortcut of the palette if there is room."""
        key = cast("ChartuiApp", self.app).keymap.label("palette")
        more = f" To learn more, type {key} deprecation." if key else ""
        lines = (f"{line}{end}" for line in DEPRECATION_LINES for end in ((more, "") if line != DEPRECATION else ("",)))
        return next((line for line in lines if len(line) <= room), DEPRECATION_LINES[-1])

    @property
    def row_count(self) -> int:
        return len(self._lines)

    @property
    def shows_cursor(self) -> bool:
        return False

    def draw_row(self, index: int, width: int) -> Strip:
        line = Line(width).gap().add(f"{GLYPHS.warning} " if index == 0 else "  ", self.palette.warning)
        return line.add(self._lines[index], self.palette.value if self.has_focus else self.palette.quiet).strip()
