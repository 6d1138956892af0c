"""What is wrong with the story: a line for each finding, and below the one with the cursor what there is to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.strip import Strip

from chartui.core.narrative.lint import Finding, FindingKey
from chartui.tui.lines import Line, fit, wrap
from chartui.tui.severity import SIGNS
from chartui.tui.widgets.line_view import LineView, Stops

__all__ = ["LintView", "Told"]

#: Cells before a sentence: the sign, and a blank on either side.
_INDENT = 3
#: A place is never cut shorter than this.
_LEAST = 20


class Told(NamedTuple):
    """A finding, and the words for its place."""

    finding: Finding
    where: str

    @property
    def words(self) -> str:
        """The sentence that tells it."""
        return f"{self.where} {self.finding.message}"


class LintView(Stops[Strip | None, Told]):
    """The findings, those that matter most first; the one with the cursor says why it matters, and what would help.

    A finding is painted when it is seen, so that ten thousand cost what ten do.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._told: Sequence[Told] = ()
        self._notes: Sequence[str] = ()
        self._fix_key = ""
        self._open = 0
        #: How many rows there are below the finding that is open, which are about it.
        self._explanation = 0

    def show(self, told: Sequence[Told], notes: Sequence[str], fix_key: str, *, keep: FindingKey | None = None) -> None:
        """Show these findings, and sentences below them; ``fix_key`` is the key that puts a thing right.

        The cursor stays on its finding, or goes to the one that takes its place; with ``keep`` to that finding.
        """
        if self._rows and keep is None and (told, notes, fix_key) == (self._told, self._notes, self._fix_key):
            return
        held = keep or (self.at_cursor.finding.key if self.at_cursor is not None else None)
        self._told, self._notes, self._fix_key = told, notes, fix_key
        if held is not None:
            self._open = next((number for number, one in enumerate(told) if one.finding.key == held), self._open)
        self._open = max(0, min(self._open, len(told) - 1))
        self.lay_out()

    @property
    def at_cursor(self) -> Told | None:
        """The finding with the cursor, whether or not it was painted yet."""
        return self._told[self._open] if self._open < len(self._told) else None

    def lay_out(self) -> None:
        """A row for each finding, and more for the one with the cursor."""
        width = self.room
        if width <= 0:
            return
        rows: list[tuple[Strip | None, Told | None]] = [(None, one) for one in self._told]
        if self._told:
            one = self._told[self._open]
            first, *more = self._explained(one, width)
            rows[self._open : self._open + 1] = [(first, one), *((strip, None) for strip in more)]
            self._explanation = len(more)
        rows += [(Line(width).strip(), None)] if rows and self._notes else []
        for note in self._notes:
            rows += [(Line(width).gap().add(line, self.palette.label).strip(), None) for line in wrap(note, width - 2)]
        # Rows above the finding that is open are findings as well: its row is its number.
        self.set_reactive(LineView.cursor, self._open)
        self.put(rows)
        self.scroll_to_row(self._open)

    def scroll_to_row(self, index: int) -> None:
        """Scroll as little as needed to have a row in sight; with the finding that is open, what there is to it."""
        if index == self._open:
            # With the last one the notes below it as well, since no cursor leads there.
            last = self._open == len(self._told) - 1
            super().scroll_to_row(self.row_count - 1 if last else self._open + self._explanation)
        super().scroll_to_row(index)

    def _explained(self, told: Told, width: int) -> list[Strip]:
        """A finding whole: its sentence, why it matters, and what would help."""
        palette, room = self.palette, width - _INDENT - 1
        first, *more = wrap(told.words, room)
        why = f"{told.finding.rule.why} ({told.finding.rule.id})"
        rows = [self._begun(told, width).add(first, palette.value)]
        rows += [Line(width).gap(_INDENT).add(line, palette.value) for line in more]
        rows += [Line(width).gap(_INDENT).add(line, palette.label) for line in wrap(why, room)]
        if told.finding.fix is not None:
            line = Line(width).gap(_INDENT).add(self._fix_key, palette.key).gap()
            rows.append(line.add(told.finding.fix.words, palette.quiet))
        return [line.strip() for line in rows]

    def _begun(self, told: Told, width: int) -> Line:
        """The beginning of a finding's row: its sign."""
        sign, role = SIGNS[told.finding.rule.severity]
        return Line(width).gap().add(sign, getattr(self.palette, role)).gap()

    def draw_row(self, index: int, width: int) -> Strip:
        """A finding, or a row that was painted before."""
        painted, told = self._rows[index]
        if painted is not None:
            return painted.adjust_cell_length(width)
        assert told is not None  # noqa: S101 - what is about nothing was painted
        line = self._begun(told, width)
        # What is wrong is read to its end as long as that leaves room for something of the place.
        room = line.left - cell_len(told.finding.message) - 1
        if room < min(cell_len(told.where), _LEAST):
            words = _cut(told.words, line.left)
        else:
            words = f"{_cut(told.where, room)} {told.finding.message}"
        return line.add(words, self.palette.value).strip()

    def watch_cursor(self, old: int, new: int) -> None:
        """Explain the finding that the cursor came to; what was explained before closes, and the rows move up."""
        told = self._rows[new][1] if new < len(self._rows) else None
        if told is not None:
            self._open = new if new <= self._open else new - self._explanation
            self.lay_out()
            new = self._open
        super().watch_cursor(old, new)


def _cut(text: str, cells: int) -> str:
    return text if cell_len(text) <= cells else fit(text, cells)
