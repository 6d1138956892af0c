"""The record of the character under the cursor: in groups, as JSON, and as a support card."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip

from chartui.core.character import Reading
from chartui.core.characters.card import WIDTH, Card, Origin, card_of
from chartui.core.characters.record import grouped
from chartui.core.clock import system_clock
from chartui.core.jsontext import dumps
from chartui.core.session import Session
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.screens.characters.changes_since_visit import Visits
from chartui.tui.screens.characters.state import CharactersState, Tab
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.json_view import JsonView
from chartui.tui.widgets.line_view import LaidOut
from chartui.tui.widgets.screen import Copyable

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp


class RecordTab(FieldsView):
    """Every field of the record in groups, marked if changed since the last visit."""

    def __init__(self, visits: Visits) -> None:
        super().__init__(id="record", marks=True)
        self._visits = visits
        self._of: str | None = None
        self._reading: Reading | None = None
        self._said = ""

    def show_state(self, state: CharactersState) -> None:
        """Show the latest record; it stays visible while another is read."""
        reading = state.reading
        told = self._visits.text(state.shown) if state.shown is not None else ""
        note = state.note or state.repeated or told
        if (state.shown, note) == (self._of, self._said) and reading is self._reading:
            return
        groups = grouped(reading.record, reading.settings, reading.known_here) if reading is not None else ()
        marked = self._visits.marked(state.shown or "", groups)
        same = self._of == state.shown
        self._of, self._reading, self._said = state.shown, reading, note
        self.show(marked, note=note, same=same)

    def mark(self, state: CharactersState) -> str:
        """The number of changes since the last visit."""
        number = self._visits.count(state.shown) if state.shown is not None else 0
        return f"{GLYPHS.differs}{number}" if number else ""

    def copies(self) -> Iterator[Copyable]:
        if self.has_focus and self.entry is not None and self.entry.copied is not None:
            yield Copyable(f"Value of {single_line(self.entry.label, limit=40)}", self.entry.copied)


class RawTab(JsonView):
    """The record as JSON."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for("characters.raw")

    def __init__(self) -> None:
        super().__init__(id="raw")
        self._of: str | None = None

    def show_state(self, state: CharactersState) -> None:
        if state.tab is not Tab.RAW:
            return
        there = state.is_read
        note = "" if there else state.why_nothing or "Reading the record…"
        self.show(state.record if there else None, note=note, same=self._of == state.shown)
        self._of = state.shown if there else None

    def action_step(self, step: int) -> None:
        """Unfold (1) or fold (-1) the node under the cursor."""
        if step > 0:
            self.unfold()
        else:
            self.fold()

    def copies(self) -> Iterator[Copyable]:
        if not self.has_focus or self.place is None:
            return
        value = self.value
        if isinstance(value, str):
            yield Copyable("Selected text", value)
        yield Copyable("Selected value as JSON", dumps(value, indent=2), ".json")
        if self.path:
            yield Copyable("Path", self.path)


# -- the card ----------------------------------------------------------------------------------------------------------


def card(state: CharactersState, session: Session, *, with_texts: bool = False) -> Card | None:
    """The card of the character under the cursor, if its record has been read."""
    reading = state.reading
    if not state.is_read or reading is None:
        return None
    origin = Origin(session.profile.name, session.where, system_clock())
    return card_of(reading.record, reading.settings, origin, known_here=reading.known_here, with_texts=with_texts)


class _Source(Protocol):
    def __call__(self, *, with_texts: bool = False) -> Card | None: ...


class _CardView(LaidOut[str]):
    """The lines of a card, as copied."""

    def __init__(self, lines: Callable[[], list[str]]) -> None:
        super().__init__()
        self._lines = lines

    def lay_out(self) -> None:
        """The lines of the card; they fit every terminal."""
        self.put(self._lines())

    def draw_row(self, index: int, width: int) -> Strip:
        return Line(width).gap().add(self._rows[index], self.palette.title if not index else self.palette.value).strip()


class CardDialog(Dialog[None]):
    """Shows a card; personal texts appear only on request."""

    DEFAULT_CSS = f"""
    CardDialog > Vertical {{ width: {WIDTH + 4}; max-width: 100%; max-height: 100%; }}
    CardDialog _CardView {{ height: auto; max-height: 100%; background: $surface; scrollbar-gutter: auto; }}
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy"),
        Binding("t", "texts(True)", "Show texts"),
        Binding("t", "texts(False)", "Hide texts"),
        Binding("escape,q,Y", "dismiss(None)", "Close"),
    ]

    def __init__(self, source: _Source) -> None:
        super().__init__()
        self._source = source
        self._with_texts = False
        self._card = str(source())
        self._view = _CardView(lambda: self._card.rstrip("\n").split("\n"))

    def compose(self) -> ComposeResult:
        with Vertical() as panel:
            panel.border_title = Content("Support card")
            yield self._view

    def on_mount(self) -> None:
        self._view.lay_out()
        self._view.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether ``t`` shows the texts or hides them."""
        return parameters != (self._with_texts,) if action == "texts" else super().check_action(action, parameters)

    def action_texts(self, with_texts: bool) -> None:
        self._with_texts = with_texts
        self._card = str(self._source(with_texts=with_texts))
        self._view.cursor = 0
        self._view.lay_out()
        self.refresh_bindings()

    def action_copy(self) -> None:
        title = "Support card with texts" if self._with_texts else "Support card"
        cast("ChartuiApp", self.app).copy(self._card, title)
