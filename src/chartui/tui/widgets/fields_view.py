"""Labelled values in groups, wrapped to the pane: a record, a section, whatever is read and not changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.strip import Strip

from chartui.core.fields import Access, Entry, Group
from chartui.tui.painting import Line, bar, wrap
from chartui.tui.widgets.laid_out import LaidOut

__all__ = ["FieldsView"]

LABEL_WIDTH = 18
NARROW_LABEL_WIDTH = 11
#: Below this many cells the labels give way to the values.
NARROW = 52
BAR_WIDTH = 10


@dataclass(frozen=True, slots=True)
class _Row:
    """A painted row's parts: a heading, or one line of a value, with its label on the first."""

    heading: str = ""
    label: str = ""
    text: str = ""
    entry: Entry | None = None


class FieldsView(LaidOut[_Row]):
    """Draws groups of entries; long values are wrapped. ``note`` is a sentence above them, or instead of them."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._groups: Sequence[Group] = ()
        self._note = ""
        self._label_width = LABEL_WIDTH

    def show(self, groups: Sequence[Group], *, note: str = "", same: bool = False) -> None:
        """Show these groups; from the top unless it is the ``same`` thing again."""
        self._groups = groups
        self._note = note
        self.lay_out()
        if not same:
            self.cursor = 0
            self.scroll_to(y=0, animate=False)

    def lay_out(self) -> None:
        """The note, and the groups."""
        width = self.room
        if width <= 0:
            return
        self._label_width = LABEL_WIDTH if width >= NARROW else NARROW_LABEL_WIDTH
        room = max(8, width - self._label_width - 3)
        rows: list[_Row] = [_Row(text=line) for line in wrap(self._note, width - 2)] if self._note else []
        for group in self._groups:
            rows += [_Row()] if rows else []
            rows.append(_Row(heading=group.title))
            for entry in group.entries:
                # A name that is too long for its column has a line of its own rather than an end cut off.
                long = cell_len(entry.label) > self._label_width
                rows += [_Row(text=entry.label)] if long else []
                for number, line in enumerate(wrap(entry.text, room)):
                    rows.append(_Row(label="" if number or long else entry.label, text=line, entry=entry))
        self.put(rows)

    def draw_row(self, index: int, width: int) -> Strip:
        """One line."""
        row, palette = self._rows[index], self.palette
        line = Line(width).gap()
        if row.heading:
            return line.add(row.heading, palette.accent).strip()
        entry = row.entry
        if entry is None:
            return line.add(row.text, palette.label).strip()
        line.add(row.label, palette.label, width=self._label_width).gap()
        if entry.scale is not None:
            line.add(bar(entry.scale, BAR_WIDTH), palette.credits).gap()
        value = palette.warning if entry.access is Access.WRITE_ONLY else palette.value if entry.said else palette.quiet
        return line.add(row.text, value).strip()
