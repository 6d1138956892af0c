"""Labelled values in groups, wrapped to the pane: a record, a section, and other read-only values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.cells import cell_len
from textual.strip import Strip

from chartui.core.classes import dataclass
from chartui.core.fields import Access, Entry, Group
from chartui.core.text import display_text
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, bar, fit, wrap
from chartui.tui.widgets.find import Searched, hit_at

LABEL_WIDTH = 18
NARROW_LABEL_WIDTH = 11
#: The same for a record, whose names are longer; its IDs should fit on one line beside the list.
MARKED_LABEL_WIDTH = 13
MARKED_NARROW = 60
#: In fewer cells, labels are narrower, as they are if all of them fit.
NARROW = 52
BAR_WIDTH = 10
#: How a value is known → its mark.
ACCESS_MARKS: Final = {
    Access.READABLE: GLYPHS.readable,
    Access.WRITE_ONLY: GLYPHS.write_only,
    Access.KNOWN_HERE: GLYPHS.known_here,
    Access.NO_CALL: GLYPHS.no_call,
}
_INDENT: Final = re.compile("^ +", re.MULTILINE)
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
_BLANK_START: Final = re.compile(r"(?:[^\S\n]*\n)+")


@dataclass(frozen=True, slots=True)
class _Row:
    """A painted row: a heading, or one line of a value with its label on the first.

    ``remark`` follows the value if there is room; ``first`` marks the first line of the field, ``scaled`` draws a bar
    before its value.
    """

    heading: str = ""
    label: str = ""
    text: str = ""
    entry: Entry | None = None
    remark: str = ""
    first: bool = False
    scaled: bool = False


class FieldsView(Searched[_Row]):
    """Draws groups of entries; long values are wrapped.

    ``note`` is a sentence above or instead of them. With ``marks``, each field has a mark for how its value is known,
    and the top line explains the marks or, while the view has the focus, says where the current field is in the answer.
    """

    def __init__(self, *, id: str | None = None, marks: bool = False) -> None:  # noqa: A002
        super().__init__(id=id, headed=marks)
        self._groups: Sequence[Group] = ()
        self._note = ""
        self._label_width = LABEL_WIDTH
        self._marks = marks
        self._hits: Sequence[int] = ()

    def show(self, groups: Sequence[Group], *, note: str = "", same: bool = False) -> None:
        """Show these groups, from the top unless they are of the ``same`` thing."""
        if not same or (groups, note) != (self._groups, self._note):
            self._groups, self._note = groups, note
            self.lay_out()
        if not same:
            self.cursor = 0
            self.scroll_to(y=0, animate=False)

    @property
    def entry(self) -> Entry | None:
        return self._rows[self.cursor].entry if self.cursor < len(self._rows) else None

    def go_to(self, path: str) -> None:
        """Move the cursor to the value of this name on the wire, if it is shown."""
        rows = (place for place, row in enumerate(self._rows) if row.entry is not None and row.entry.path == path)
        self.move_to(next(rows, self.cursor))

    def lay_out(self) -> None:
        width = self.room
        if width <= 0:
            return
        least, narrow = (MARKED_NARROW, MARKED_LABEL_WIDTH) if self._marks else (NARROW, NARROW_LABEL_WIDTH)
        longest = max((cell_len(entry.label) for group in self._groups for entry in group.entries), default=0)
        self._label_width = LABEL_WIDTH if width >= least and longest > narrow else narrow
        room = max(8, width - self._label_width - 3)
        rows: list[_Row] = [_Row(text=line) for line in wrap(self._note, width - 2)] if self._note else []
        for group in self._groups:
            rows += [_Row()] if rows else []
            rows.append(_Row(heading=group.title))
            for entry in group.entries:
                rows += self._rows_of(entry, room)
        self.put(rows)
        self.find()

    def _rows_of(self, entry: Entry, room: int) -> Iterator[_Row]:
        # A name too long for its column gets a line of its own instead of being cut.
        long = cell_len(entry.label) > self._label_width
        if long:
            yield _Row(label=entry.label, entry=entry, first=True)
        lines, remark = _lines(entry, room), entry.remark
        beside = len(lines) == 1 and cell_len(lines[0]) + cell_len(display_text(remark)) + 2 <= room
        for number, line in enumerate(lines):
            first = not (number or long)
            label = entry.label if first else ""
            yield _Row(
                label=label,
                text=line,
                entry=entry,
                remark=remark if beside else "",
                first=first,
                scaled=not number and entry.scale is not None,
            )
        for line in wrap(remark, room) if remark and not beside else ():
            yield _Row(entry=entry, remark=line)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def draw_row(self, index: int, width: int) -> Strip:
        row, palette = self._rows[index], self.palette
        line, entry = Line(width), row.entry
        if entry is None:
            line.gap()
            text, style = (row.heading, palette.accent) if row.heading else (row.text, palette.label)
            return line.add(text, style).strip()
        warns = entry.access is Access.WRITE_ONLY
        # The line at the top has the mark of the field under the cursor, whose sign takes its place.
        marked = self._marks and row.first and not (index == self.cursor and self.shows_cursor)
        mark = ACCESS_MARKS[entry.access] if marked else " "
        line.add(mark, palette.warning if warns else palette.quiet)
        if cell_len(row.label) > self._label_width:
            self.add_found(line, display_text(row.label), palette.label)
            return line.strip()
        self.add_found(line, fit(display_text(row.label), self._label_width), palette.label)
        line.gap()
        if row.scaled:
            line.add(bar(entry.scale or 0, BAR_WIDTH), palette.credits).gap()
        dim = not entry.said or entry.path.endswith(("_id", "ID"))
        value = palette.warning if warns else palette.quiet if dim else palette.value
        self.add_found(line, row.text, value)
        if row.remark:
            remark = palette.warning if row.entry is not None and row.entry.changed else palette.quiet
            self.add_found(line.gap(2 if row.text else 0), display_text(row.remark), remark)
        return line.strip()

    def said_head(self) -> Iterable[str]:
        """The path of the current field, and how its value is known."""
        entry = self.entry
        return filter(None, (entry.access.words, entry.path)) if entry is not None else ()

    # -- looking for something ----------------------------------------------------------------------------------------

    @property
    def hits(self) -> int:
        return len(self._hits)

    @property
    def hit(self) -> int:
        """The number of the current hit, from 1; 0 for none."""
        return self._hits.index(self.cursor) + 1 if self.cursor in self._hits else 0

    def where(self) -> str:
        """The path of the current field and how its value is known; without the focus, the meaning of the marks."""
        entry = self.entry
        if entry is None or not (self.has_focus or self.search):
            seen = {entry.access for group in self._groups for entry in group.entries}
            return "   ".join(f"{mark} {a.words or 'editable'}" for a, mark in ACCESS_MARKS.items() if a in seen)
        return "  ".join((f"{ACCESS_MARKS[entry.access]} {entry.access.words}".rstrip(), entry.path))

    def go_to_hit(self) -> None:
        self.move_to(self._hits[hit_at(self._hits, self.cursor)])

    def next_hit(self, step: int) -> None:
        if not self._hits:
            return
        here = hit_at(self._hits, self.cursor)
        on_it = self._hits[here] == self.cursor
        self.move_to(self._hits[(here + (step if on_it or step < 0 else 0)) % len(self._hits)])

    def find(self) -> None:
        """The lines with a match; a field that matches only across lines or unseen counts as its first line."""
        hits: list[int] = []
        rows = enumerate(self._rows) if self.search else ()
        for _, lines in groupby(rows, key=lambda numbered: id(numbered[1].entry)):
            (number, row), *_ = of_field = list(lines)
            if row.entry is not None and self.search.finds(row.entry):
                hits += [n for n, row in of_field if self._marked(row)] or [number]
        self._hits = hits

    def _marked(self, row: _Row) -> bool:
        return any(self.search.spans(display_text(text)) for text in (row.label, row.text, row.remark))


def _lines(entry: Entry, room: int) -> list[str]:
    """A value in lines: a list that does not fit on one has a line for each item.

    Empty lines at the start become marks in front of the text, because the field would look empty otherwise.
    """
    if entry.scale is not None:
        return wrap(entry.text, max(8, room - BAR_WIDTH - 1))
    if len(entry.items) < 2 or cell_len(display_text(entry.text)) <= room:
        text, blank = entry.text, _BLANK_START.match(entry.text)
        if blank:
            text = display_text("\n" * blank[0].count("\n")) + text[blank.end() :]
        # Indentation is part of the line; wrapping would drop leading spaces.
        text = _INDENT.sub(lambda found: _NO_BREAK * len(found[0]), text)
        return [line.replace(_NO_BREAK, " ") for line in wrap(text, room)]
    lines = []
    for item in entry.items:
        first, *rest = wrap(item, max(6, room - 2))
        lines += [f"{GLYPHS.note} {first}", *(f"  {line}" for line in rest)]
    return lines
