"""The history of the character under the cursor: changes from here, newest first; each opens to its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from chartui.core.characters.record import Search
from chartui.core.classes import NamedTuple, dataclass
from chartui.core.plans.wording import change_text, changes, label_of, short
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import ELSEWHERE, guide
from chartui.tui.numbers import number_of
from chartui.tui.screens.characters.changes_since_visit import Visits
from chartui.tui.screens.characters.state import CharactersState, Tab
from chartui.tui.shell.changes import moment, state_of
from chartui.tui.widgets.find import found_header, next_of
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import WorkScreen
from chartui.tui.widgets.text import Piece, PieceRow, PieceRows, Role, difference_rows, told

if TYPE_CHECKING:
    from chartui.core.journal import Entry
    from chartui.core.plans.history import PastChange
    from chartui.core.plans.plan import Change

_DATE_WIDTH: Final = 16
_LABEL_WIDTH: Final = 16
#: From this width, a change takes one line.
_ONE_LINE: Final = 50
#: Most entries shown of one change: a plan may have changed a character many times.
_MOST: Final = 50
#: Most changes listed of one character; the history of the profile has all of them.
_LISTED: Final = 200


class _Past(NamedTuple):
    """The history of a character; ``elsewhere`` describes changes made elsewhere, ``error`` why it is unknown.

    ``of`` names items by id.
    """

    character_id: str
    name: str
    used: str | None
    created: str | None
    changes: tuple[PastChange, ...] = ()
    elsewhere: str = ""
    error: str = ""
    of: Callable[[str], str] = str


class HistoryTab(PieceRows["PastChange"]):
    """Reads the journal while it is in sight and lists the changes; Enter opens the selected one.

    ``visits`` knows the changes made elsewhere.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Values", tooltip="Shows or hides the values of the change."),
        # Named like the application's command to share its shortcut; here it applies to the change.
        Binding("u", "undo_verb", show=False, id="undo"),
    ]

    @dataclass
    class Recalled(Message):
        """The journal was read, or reading it failed."""

        past: _Past

    def __init__(self, visits: Visits) -> None:
        super().__init__(id="past")
        self._visits = visits
        self._state = CharactersState()
        self._read: _Past | None = None
        self._past: _Past | None = None
        self._note = ""
        self._nothing = ""
        self._open: set[str] = set()
        self._search = Search("")

    @property
    def _work(self) -> WorkScreen:
        return cast("WorkScreen", self.screen)

    @property
    def beside(self) -> bool:
        return self.screen.has_class("-wide")

    def on_show(self) -> None:
        """Read the journal when a wide window shows the third column."""
        if self.beside:
            self.show_state(self._state)
            self.read()

    def read(self) -> None:
        """Read the journal again for new changes."""
        if (current := self._state.current) is not None:
            past = _Past(current.character_id, self._state.name, current.last_interacted_with, current.timestamp)
            self._work.start(partial(self._recall, past), group="past")

    async def _recall(self, past: _Past) -> None:
        from chartui.core.plans.history import known_names, past_changes

        session = self._work.session
        told = self._visits.text(past.character_id, where=" elsewhere")
        record = f"{self._work.workbench.keymap.name('show-record')} shows the changed fields in the record."
        past = past._replace(elsewhere=f"{told} {record}" if told else "")
        journal, place = session.journal, session.profile.place
        try:
            known = await known_names(session.service, journal, place)

            def of(item_id: str) -> str:
                return past.name if item_id == past.character_id else known(item_id)

            found = await past_changes(journal, place, limit=_LISTED, character_id=past.character_id, of=of)
            self.post_message(self.Recalled(past._replace(changes=found, of=of)))
        except ServiceError as error:
            self.post_message(self.Recalled(past._replace(error=error.message)))

    def on_history_tab_recalled(self, message: Recalled) -> None:
        message.stop()
        self._read = message.past
        self.show_state(self._state)

    def show_state(self, state: CharactersState) -> None:
        self._state = state
        if state.tab is not Tab.HISTORY and not self.beside:
            return
        past, note = self._read, state.why_nothing
        if past is not None and past.character_id != state.current_id:
            past = None
        if past is None:
            self._show_past(None, note=note or ("" if state.current_id is None else "Reading the history…"))
        elif past.error:
            self._show_past(None, note=f"{GLYPHS.danger} {past.error}")
        else:
            keymap = self._work.workbench.keymap
            enter, key = keymap.sign("enter"), keymap.label("undo")
            undoes = "undoes or redoes" if any(change.redoes for change in past.changes) else "undoes"
            keys = f"{enter} shows the values{f' and {key} {undoes} the change' if key else ''}."
            self._show_past(past, note=note or (keys if past.changes else ""))

    def _show_past(self, past: _Past | None, *, note: str = "") -> None:
        """Show the changes, or a sentence in their place.

        The cursor stays on the change it was moved to. If it was on the newest, it moves to the new newest, so that
        undo does not affect an older one.
        """
        nothing = self._emptiness()  # depends on the lock
        if (past, note, nothing) == (self._past, self._note, self._nothing):
            return
        same = past is not None and self._past is not None and past.character_id == self._past.character_id
        here = self.at_cursor.name if same and self.at_cursor is not None else None
        if same and self._past is not None and self._past.changes and here == self._past.changes[0].name:
            here = None
        self._past, self._note, self._nothing = past, note, nothing
        if not same:
            self._open.clear()
        self.lay_out()
        wanted = (i for i, (_, change) in enumerate(self._rows) if change is not None and here in (None, change.name))
        self.move_to(next(wanted, 0))
        self.refresh_bindings()

    def lay_out(self) -> None:
        width = max(24, self._width - 3)
        if self._width <= 0:
            return
        rows: list[tuple[PieceRow, PastChange | None]] = [(row, None) for row in told(self._note, width, "label")]
        past = self._past
        if past is not None:
            rows += [(row, None) for row in told(past.elsewhere, width, "warning")]
            rows += [((), None)] if past.elsewhere else []
            found = [
                change for change in past.changes if not self._search or self._search.holds(_text(change, past.of))
            ]
            if not found:
                note = "No matches. Esc ends the search." if past.changes else self._nothing
                rows += [(row, None) for row in told(note, width, "label")]
            for change in found:
                rows += [(row, change) for row in _lines(change, past.name, width)]
                if change.name in self._open:
                    rows += [(row, change) for row in _opened(change.entries, width, past.of)]
            rows += [*((row, None) for row in told(ELSEWHERE, width, "quiet") if past.changes), ((), None)]
            for at, what in ((past.used, "last used"), (past.created, "created")):
                rows += [((Piece(f"  {moment(at)[:_DATE_WIDTH]}  {what}", "quiet"),), None)] if at else []
        self.put(rows)

    def _emptiness(self) -> str:
        text = f"{ELSEWHERE} There are none for this character yet."
        keys = "{edit-settings} edits the settings and {apply-settings} applies the changes."
        return guide(self._work.workbench, text, keys, action="changing settings")

    def look_for(self, search: Search) -> None:
        """List only the changes that match ``search``."""
        self._search = search
        self.lay_out()
        self.refresh()

    # -- the changes that match ---------------------------------------------------------------------------------------

    @property
    def _hits(self) -> Sequence[int]:
        """The first line of each change."""
        return [
            n for n, (_, change) in enumerate(self._rows) if change is not None and change is not self._rows[n - 1][1]
        ]

    def next_hit(self, step: int) -> None:
        """Go to the next change or, with -1, to the previous one; after the last comes the first."""
        if hits := self._hits:
            self.move_to(next_of(hits, self.cursor, step))

    @property
    def header_lines(self) -> int:
        return 1 if self._search else 0

    def draw_header(self, line: int, width: int) -> Strip:  # noqa: ARG002
        return found_header(self._hits, self.cursor, width, self.palette)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self.refresh_bindings()  # undoing an undo has another word
        if self._search:
            self.refresh(Region(0, 0, self.size.width, 1))

    @property
    def shows_cursor(self) -> bool:
        return (self.has_focus or bool(self._search)) and self.can_stop_at(self.cursor)

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Open or close the selected change; the cursor stays on its line."""
        change = self.at_cursor
        event.stop()
        if change is None:
            return
        self._open ^= {change.name}
        self.lay_out()
        self.move_to(next(i for i, (_, of) in enumerate(self._rows) if of is change))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter needs a change under the cursor."""
        return super().check_action(action, parameters) if action != "choose" else self.at_cursor is not None

    @property
    def undo_word(self) -> str:
        """The footer's word for undoing the selected change; empty if none is selected."""
        change = self.at_cursor if self.has_focus else None
        return "" if change is None else "redo" if change.redoes else "undo"

    def action_undo_verb(self) -> None:
        from chartui.tui.shell.history import undo_change

        if (change := self.at_cursor) is not None and self._past is not None:
            self._work.workbench.start(partial(undo_change, target=change.name, of=self._past.of))


def _text(change: PastChange, of: Callable[[str], str]) -> str:
    """The searchable text of a change, opened or not."""
    found = (c for e in change.entries[:_MOST] for c in changes(e.operation, e.payload, e.before, of))
    values = (f"{c.label} {c.before} {c.after}" for c in found)
    return "\n".join((moment(change.at), state_of(change).word, change.title, *values))


def _lines(change: PastChange, name: str, width: int) -> Iterator[PieceRow]:
    """A change on two lines, without the character's name; its state is shown unless it is simply done."""
    state = state_of(change)
    role: Role = "quiet" if change.undone else "value"
    date = (Piece(f"{state.glyph} ", state.role), Piece(f"{moment(change.at)[:_DATE_WIDTH]}  ", "label"))
    words = "" if state.word == "done" else f"{state.word} · "
    title = change.title.removesuffix(f" · {single_line(name, limit=60)}")
    if width < _ONE_LINE:
        yield (*date, Piece(state.word if words else "", state.role))
        yield from told(single_line(title), width, role, indent=2)
        return
    room = width - _DATE_WIDTH - 4 - len(words)
    yield (*date, Piece(words, state.role), Piece(single_line(title, limit=room), role))


def _opened(entries: Sequence[Entry], width: int, of: Callable[[str], str]) -> Iterator[PieceRow]:
    """The values of a change, and its outcome."""
    for entry in entries[:_MOST]:
        for change in changes(entry.operation, entry.payload, entry.before, of):
            yield from _changed(change, width - 2)
        ended = f"{entry.outcome.value}, {moment(entry.ended)} UTC" if entry.ended else "outcome unknown"
        yield (Piece(f"  #{entry.number}, by {single_line(entry.origin, limit=20)}: {ended}", "quiet"),)
        yield from told(entry.error, width, "danger", GLYPHS.danger, 2)
    if len(entries) > _MOST:
        yield (Piece(f"  {number_of(len(entries) - _MOST, 'more change')} not shown", "quiet"),)
    yield ()


def _changed(change: Change, width: int) -> Iterator[PieceRow]:
    """A member with its old and new value; long texts by their differences."""
    if change.sign:
        text = f"{label_of(change)} {change_text(change, 2000)}"
        yield from told(text, width, "danger" if change.sign == "−" else "staged", indent=2)
        return
    label = f"  {single_line(change.label, limit=_LABEL_WIDTH - 1):<{_LABEL_WIDTH}}"
    texts = [value for value in (change.before, change.after) if isinstance(value, str)]
    before = short(change.before, 200) if change.known else "unknown"
    after = short(change.after, 200)
    arrow = f" {GLYPHS.to} "
    if cell_len(label + before + arrow + after) <= width and not any("\n" in text for text in texts):
        old = Piece(before, "value" if change.known else "warning")
        yield (Piece(label, "label"), old, Piece(f"{arrow}{after}", "staged"))
        return
    yield (Piece(label.rstrip(), "label"), Piece("" if change.known else "  previous value unknown", "warning"))
    old_text, new_text = (value if isinstance(value, str) else "" for value in (change.before, change.after))
    if texts:
        yield from ((Piece("  ", "label"), *row) for row in difference_rows(old_text, new_text, width - 2))
    else:
        yield from told(f"{before}{arrow}{after}", width, "staged", indent=4)
