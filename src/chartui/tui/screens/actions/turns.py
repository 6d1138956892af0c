"""The turns of a conversation, to look through and to take up again."""

from __future__ import annotations

from textual.strip import Strip

from chartui.core.text import single_line
from chartui.core.unreadable import sentence
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, wrap
from chartui.tui.screens.actions.report import steps_in_words
from chartui.tui.screens.actions.state import Exchange, Repetition, Talk
from chartui.tui.widgets.line_view import Painted

__all__ = ["TurnsView"]

#: Cells before a text: the number of the turn, and a blank on either side.
_INDENT = 5
#: As much of a session's id as tells two apart.
_SHORT = 8


class TurnsView(Painted[int]):
    """Every turn that was answered, the last one first: what was said, what was done on it, and what is done now."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._exchanges: tuple[Exchange, ...] = ()
        self._repetition = Repetition()

    def show(self, talk: Talk | None) -> None:
        """Show the turns of a conversation; the cursor stays on its turn."""
        here, before = self.at_cursor, len(self._exchanges)
        self._exchanges = talk.exchanges if talk else ()
        self._repetition = talk.repetition if talk else Repetition()
        self.lay_out()
        if here is not None and len(self._exchanges) != before:
            self.put_cursor(here)

    def put_cursor(self, number: int) -> None:
        """Put the cursor on a turn."""
        for index, (_, turn) in enumerate(self._rows):
            if turn == number:
                self.cursor = index

    def lay_out(self) -> None:
        """A turn in a few rows; a line between those of different conversations."""
        width = self.room
        if width <= 0:
            return
        rows: list[tuple[Strip, int | None]] = []
        session = None
        for number, exchange in reversed(list(enumerate(self._exchanges, 1))):
            if exchange.reply.session_id != session:
                session = exchange.reply.session_id
                title = f"Conversation {single_line(session[:_SHORT])}" if session else "Without a session"
                rows += [(Line(width).strip(), None)] if rows else []
                rows.append((Line(width).gap().add(title, self.palette.accent).strip(), None))
            rows += [(row, None if n else number) for n, row in enumerate(self._turn(number, exchange, width))]
        if not rows:
            note = "No turn was answered yet. Those that are stand here, to be looked at and to be taken up again."
            rows = [(Line(width).gap().add(line, self.palette.label).strip(), None) for line in wrap(note, width - 2)]
        self.put(rows)
        if not self.can_stop_at(self.cursor):
            self.move_to(self.cursor)

    def _turn(self, number: int, exchange: Exchange, width: int) -> list[Strip]:
        palette, room = self.palette, width - _INDENT - 1
        first = Line(width).add(str(number), palette.label, width=_INDENT - 2, align="right").gap(2)
        said = wrap(single_line(exchange.turn.text, limit=room * 2), room)
        rows = [first.add(said[0], palette.value).strip()]
        rows += [Line(width).gap(_INDENT).add(line, palette.value).strip() for line in said[1:]]
        steps = wrap(steps_in_words(exchange) or "no actions", room)
        rows += [Line(width).gap(_INDENT).add(line, palette.label).strip() for line in steps]
        unread = sentence(exchange.reply.unreadable)
        for line in wrap(f"{GLYPHS.warning} {single_line(unread)}", room) if unread else ():
            rows.append(Line(width).gap(_INDENT).add(line, palette.warning).strip())
        again = self._repetition.of_turn(number)
        if again is None:
            return rows
        told = [(f"{GLYPHS.warning} {change}", palette.warning) for change in again.changes]
        told += [(f"{GLYPHS.warning} the new sequence could not be read", palette.warning)] if again.unread else []
        told = told or [(f"{GLYPHS.done} the same again", palette.label)]
        told += [(f"{GLYPHS.warning} scene {change}", palette.warning) for change in again.scene_changes]
        for text, style in told:
            rows += [Line(width).gap(_INDENT).add(line, style).strip() for line in wrap(single_line(text), room)]
        return rows
