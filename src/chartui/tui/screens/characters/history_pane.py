"""What was changed of one character from here: newest first, each opened to what it changed from what to what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from chartui.core.plans.wording import changes, short
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.shell.changes import moment, state_of
from chartui.tui.widgets.line_view import LineView, Stops
from chartui.tui.widgets.text import Piece, PieceRow, difference_rows, put, told

if TYPE_CHECKING:
    from chartui.core.journal import Entry
    from chartui.core.plans.history import Deed
    from chartui.core.plans.plan import Change

__all__ = ["Past", "PastView"]

_DATE_WIDTH: Final = 16
_LABEL_WIDTH: Final = 16
#: Changes of one deed that are shown: a plan may have changed one character many times.
_MOST: Final = 50


class Past(NamedTuple):
    """What is known of the past of a character; ``elsewhere`` says what was changed, but not from here, ``error`` why
    nothing is known.
    """

    character_id: str
    name: str
    deeds: tuple[Deed, ...] = ()
    elsewhere: str = ""
    error: str = ""


class PastView(Stops[PieceRow, "Deed"]):
    """The deeds, a line each; Enter opens the one under the cursor, and closes it again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Under the name of the application's command, so that it is on the same key: here it is about the deed.
        Binding("u", "undo_deed", show=False, id="undo"),
    ]

    @dataclass
    class UndoWanted(Message):
        """A deed is to be taken back."""

        deed: Deed

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._past: Past | None = None
        self._note = ""
        self._open: set[str] = set()

    def show_past(self, past: Past | None, *, note: str = "") -> None:
        """Show what was changed; without it, a sentence.

        The cursor stays on the change that it was moved to; on the newest it stays on whichever is the newest, so that
        the undo does not concern an older one.
        """
        if (past, note) == (self._past, self._note):
            return
        same = past is not None and self._past is not None and past.character_id == self._past.character_id
        here = self.at_cursor.name if same and self.at_cursor is not None else None
        if same and self._past is not None and self._past.deeds and here == self._past.deeds[0].name:
            here = None
        self._past, self._note = past, note
        if not same:
            self._open.clear()
        self.lay_out()
        wanted = (i for i, (_, deed) in enumerate(self._rows) if deed is not None and here in (None, deed.name))
        self.move_to(next(wanted, 0))

    def lay_out(self) -> None:
        """What came from elsewhere, and the deeds."""
        width = max(24, self._width - 3)
        if self._width <= 0:
            return
        rows: list[tuple[PieceRow, Deed | None]] = [(row, None) for row in told(self._note, width, "label")]
        past = self._past
        if past is not None:
            rows += [(row, None) for row in told(past.elsewhere, width, "warning")]
            rows += [((), None)] if past.elsewhere else []
            if not past.deeds:
                empty = "Nothing of this character was changed from here yet. What you save is listed here."
                rows += [(row, None) for row in told(empty, width, "label")]
            for deed in past.deeds:
                rows.append((_line(deed, past.name, width), deed))
                if deed.name in self._open:
                    rows += [(row, deed) for row in _opened(deed.entries, width)]
        self.put(rows)
        if not self.can_stop_at(self.cursor):
            self.move_to(self.cursor)

    def draw_row(self, index: int, width: int) -> Strip:
        """One line."""
        return put(Line(width).gap(), self._rows[index][0], self.palette).strip()

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Open the deed, or close it; the cursor stays on its line."""
        deed = self.at_cursor
        event.stop()
        if deed is None:
            return
        self._open ^= {deed.name}
        self.lay_out()
        self.move_to(next(i for i, (_, of) in enumerate(self._rows) if of is deed))

    def action_undo_deed(self) -> None:
        """Ask for the deed under the cursor to be taken back."""
        if self.at_cursor is not None:
            self.post_message(self.UndoWanted(self.at_cursor))


def _line(deed: Deed, name: str, width: int) -> PieceRow:
    """A deed in a line, without whose it is; how it stands is said in words unless it is simply done."""
    state = state_of(deed)
    plain = state.word == "done"
    words = "" if plain else f"{state.word} · "
    room = width - _DATE_WIDTH - 4 - len(words)
    title = single_line(deed.title.removesuffix(f" · {single_line(name, limit=60)}"), limit=max(8, room))
    return (
        Piece(f"{state.glyph} ", state.role),
        Piece(f"{moment(deed.at)[:_DATE_WIDTH]}  ", "label"),
        Piece(words, state.role),
        Piece(title, "quiet" if deed.undone else "value"),
    )


def _opened(entries: Sequence[Entry], width: int) -> Iterator[PieceRow]:
    """What the changes of a deed changed, and how they ended."""
    for entry in entries[:_MOST]:
        for change in changes(entry.operation, entry.payload, entry.before):
            yield from _changed(change, width - 2)
        ended = f"{entry.outcome.value}, {moment(entry.ended)} UTC" if entry.ended else "end not known"
        yield (Piece(f"  #{entry.number}, asked by {single_line(entry.origin, limit=20)}: {ended}", "quiet"),)
        yield from told(entry.error, width, "danger", GLYPHS.danger, 2)
    if len(entries) > _MOST:
        yield (Piece(f"  {len(entries) - _MOST} more changes are not shown", "quiet"),)
    yield ()


def _changed(change: Change, width: int) -> Iterator[PieceRow]:
    """A member from what to what; long texts by what differs in them."""
    label = f"  {single_line(change.label, limit=_LABEL_WIDTH - 1):<{_LABEL_WIDTH}}"
    texts = [value for value in (change.before, change.after) if isinstance(value, str)]
    before = short(change.before, 200) if change.known else "unknown"
    after = short(change.after, 200)
    arrow = f" {GLYPHS.to} "
    if cell_len(label + before + arrow + after) <= width and not any("\n" in text for text in texts):
        old = Piece(before, "value" if change.known else "warning")
        yield (Piece(label, "label"), old, Piece(f"{arrow}{after}", "staged"))
        return
    yield (Piece(label.rstrip(), "label"), Piece("" if change.known else "  it was unknown", "warning"))
    old_text, new_text = (value if isinstance(value, str) else "" for value in (change.before, change.after))
    if texts:
        yield from ((Piece("  ", "label"), *row) for row in difference_rows(old_text, new_text, width - 2))
    else:
        yield from told(f"{before}{arrow}{after}", width, "staged", indent=4)
