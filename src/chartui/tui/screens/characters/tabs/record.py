"""The record of the character under the cursor: in groups, as the JSON that it is, and on a card to be copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip

from chartui.commands import command
from chartui.core.character import Reading
from chartui.core.characters.card import WIDTH, Card, Origin, card_of
from chartui.core.characters.record import grouped
from chartui.core.clock import system_clock
from chartui.core.jsontext import dumps
from chartui.core.session import Session
from chartui.core.text import single_line
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
    """Every field of the record, in groups, with what changed since the last visit."""

    def __init__(self, visits: Visits) -> None:
        super().__init__(id="record", marks=True)
        self._visits = visits
        self._of: str | None = None
        self._reading: Reading | None = None
        self._said = ""

    def show_state(self, state: CharactersState) -> None:
        """Show the record that was read last; while another one is read, it stays."""
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
        """How much of it changed since the last visit."""
        number = self._visits.count(state.shown) if state.shown is not None else 0
        return f"{GLYPHS.differs}{number}" if number else ""

    def copies(self) -> Iterator[Copyable]:
        """The value under the cursor, while keys go here."""
        if self.has_focus and self.entry is not None and self.entry.copied is not None:
            yield Copyable(f"Value of {single_line(self.entry.label, limit=40)}", self.entry.copied)


class RawTab(JsonView):
    """The record as JSON. The keys of the settings that increase and decrease unfold and fold the node here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(known.keys), known.action, known.title, show=False, id=known.id)
        for known in map(command, ("more", "less"))
    ]

    def __init__(self) -> None:
        super().__init__(id="raw")
        self._of: str | None = None

    def show_state(self, state: CharactersState) -> None:
        """Show the record while that is what is looked at."""
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
        """The node under the cursor, while keys go here."""
        if not self.has_focus or self.place is None:
            return
        value = self.value
        if isinstance(value, str):
            yield Copyable("The text under the cursor", value)
        yield Copyable("What is under the cursor, as JSON", dumps(value, indent=2), ".json")
        if self.path:
            yield Copyable("Its path", self.path)


# -- the card ----------------------------------------------------------------------------------------------------------


def card(state: CharactersState, session: Session, *, with_texts: bool = False) -> Card | None:
    """The card of the character under the cursor, where its record has been read."""
    reading = state.reading
    if not state.is_read or reading is None:
        return None
    origin = Origin(session.profile.name, session.where, system_clock())
    return card_of(reading.record, reading.settings, origin, known_here=reading.known_here, with_texts=with_texts)


class _Source(Protocol):
    def __call__(self, *, with_texts: bool = False) -> Card | None: ...


class _CardView(LaidOut[str]):
    """The lines of a card, as they are copied."""

    def __init__(self, lines: Callable[[], list[str]]) -> None:
        super().__init__()
        self._lines = lines

    def lay_out(self) -> None:
        """The lines; they are made for the width of every terminal."""
        self.put(self._lines())

    def draw_row(self, index: int, width: int) -> Strip:
        """One line."""
        return Line(width).gap().add(self._rows[index], self.palette.title if not index else self.palette.value).strip()


class CardDialog(Dialog[None]):
    """Shows a card; the texts that are personal come only when they are asked for."""

    DEFAULT_CSS = f"""
    CardDialog > Vertical {{ width: {WIDTH + 4}; max-width: 100%; max-height: 100%; }}
    CardDialog _CardView {{ height: auto; max-height: 100%; background: $surface; scrollbar-gutter: auto; }}
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy"),
        Binding("t", "texts(True)", "With its texts"),
        Binding("t", "texts(False)", "Without its texts"),
        Binding("escape,q,I", "dismiss(None)", "Close"),
    ]

    def __init__(self, source: _Source) -> None:
        super().__init__()
        self._source = source
        self._with_texts = False
        self._card = str(source())
        self._view = _CardView(lambda: self._card.rstrip("\n").split("\n"))

    def compose(self) -> ComposeResult:
        """The card."""
        with Vertical() as panel:
            panel.border_title = Content("Card for a support ticket")
            yield self._view

    def on_mount(self) -> None:
        """Keys go to the card."""
        self._view.lay_out()
        self._view.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether ``t`` shows the texts or hides them."""
        return parameters != (self._with_texts,) if action == "texts" else super().check_action(action, parameters)

    def action_texts(self, with_texts: bool) -> None:
        """With what was written about the character, or without."""
        self._with_texts = with_texts
        self._card = str(self._source(with_texts=with_texts))
        self._view.cursor = 0
        self._view.lay_out()
        self.refresh_bindings()

    def action_copy(self) -> None:
        """Copy the card as it is shown."""
        title = "Card with its texts" if self._with_texts else "Card for a ticket"
        cast("ChartuiApp", self.app).copy(self._card, title)
