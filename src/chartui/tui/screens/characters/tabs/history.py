"""The history of the character under the cursor: changes from here, newest first, each opened to its values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, cast

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from chartui.core.plans.wording import changes, short
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.screens.characters.changes_since_visit import Visits
from chartui.tui.screens.characters.state import CharactersState, Tab
from chartui.tui.shell.changes import moment, state_of
from chartui.tui.widgets.line_view import LineView, Stops
from chartui.tui.widgets.screen import WorkScreen
from chartui.tui.widgets.text import Piece, PieceRow, difference_rows, put, told

if TYPE_CHECKING:
    from chartui.core.journal import Entry
    from chartui.core.plans.history import Deed
    from chartui.core.plans.plan import Change

_DATE_WIDTH: Final = 16
_LABEL_WIDTH: Final = 16
#: Changes of one deed that are shown: a plan may have changed one character many times.
_MOST: Final = 50
#: Changes of one character that are listed; the history of the profile has them all.
_LISTED: Final = 200


class _Past(NamedTuple):
    """The history of a character; ``elsewhere`` says what was changed elsewhere, ``error`` why it is unknown."""

    character_id: str
    name: str
    deeds: tuple[Deed, ...] = ()
    elsewhere: str = ""
    error: str = ""


class HistoryTab(Stops[PieceRow, "Deed"]):
    """Reads the journal while it is looked at. The changes, a line each; Enter opens the one under the cursor.

    ``visits`` knows what was changed elsewhere.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # Under the name of the application's command, so that it is on the same key: here it is about the change.
        Binding("u", "undo_deed", show=False, id="undo"),
    ]

    @dataclass
    class Recalled(Message):
        """The journal was read, or could not be."""

        past: _Past

    def __init__(self, visits: Visits) -> None:
        super().__init__(id="past")
        self._visits = visits
        self._state = CharactersState()
        self._read: _Past | None = None
        self._past: _Past | None = None
        self._note = ""
        self._open: set[str] = set()

    @property
    def _work(self) -> WorkScreen:
        return cast("WorkScreen", self.screen)

    @property
    def beside(self) -> bool:
        """Whether the history stands beside another tab: in a wide window."""
        return self.screen.has_class("-wide")

    def on_show(self) -> None:
        """Fill the third column of a window that became wide."""
        if self.beside:
            self.show_state(self._state)
            self.read()

    def read(self) -> None:
        """Read the journal: something may have been changed since."""
        if self._state.current is not None:
            past = _Past(self._state.current.character_id, self._state.name)
            self._work.start(partial(self._recall, past), group="past")

    async def _recall(self, past: _Past) -> None:
        from chartui.core.plans.history import deeds

        session = self._work.session
        told = self._visits.text(past.character_id, where=" elsewhere")
        past = past._replace(elsewhere=f"{told} Nobody here knows more of it." if told else "")
        try:
            found = await deeds(
                session.journal,
                session.profile.place,
                limit=_LISTED,
                character_id=past.character_id,
                of=lambda _: past.name,
            )
            self.post_message(self.Recalled(past._replace(deeds=found)))
        except ServiceError as error:
            self.post_message(self.Recalled(past._replace(error=error.message)))

    def on_history_tab_recalled(self, message: Recalled) -> None:
        """Show what was read."""
        message.stop()
        self._read = message.past
        self.show_state(self._state)

    def show_state(self, state: CharactersState) -> None:
        """Show the history, as far as it was read."""
        self._state = state
        if state.tab is not Tab.HISTORY and not self.beside:
            return
        past, note = self._read, state.why_nothing
        if past is not None and past.character_id != state.current_id:
            past = None
        if past is None:
            self._show_past(None, note=note or "Reading the history…")
        elif past.error:
            self._show_past(None, note=f"{GLYPHS.danger} {past.error}")
        else:
            keymap = self._work.workbench.keymap
            enter, key = keymap.sign("enter"), keymap.label("undo")
            keys = f"{enter} shows what was changed{f', {key} takes it back' if key else ''}."
            self._show_past(past, note=note or (keys if past.deeds else ""))

    def _show_past(self, past: _Past | None, *, note: str = "") -> None:
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
        """Undo the change under the cursor, after asking."""
        from chartui.tui.shell.history import take_back

        if (deed := self.at_cursor) is not None:
            name = single_line(self._state.name)
            self._work.workbench.start(partial(take_back, target=deed.name, of=lambda _: name))


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
