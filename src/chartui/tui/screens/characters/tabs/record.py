"""The record of the character under the cursor: in groups, as JSON, and as a support card."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip

from chartui.core.character import Reading, start_of
from chartui.core.characters.card import WIDTH, Card, Origin, card_of
from chartui.core.characters.record import grouped
from chartui.core.clock import system_clock
from chartui.core.jsontext import dumps
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import GONE
from chartui.tui.lines import Line
from chartui.tui.screens.characters.changes_since_visit import Visits
from chartui.tui.screens.characters.state import CharactersState, Tab
from chartui.tui.shell.files import offer_text
from chartui.tui.wait import waiting
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.json_view import JsonView
from chartui.tui.widgets.laid_out import LaidOut
from chartui.tui.widgets.screen import Copyable, WorkScreen

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

    def show_card(self) -> None:
        """Show the support card."""
        work = cast("WorkScreen", self.screen)
        if self._reading is not None and self._reading.record:
            work.start(partial(_show_card, work, self._reading), group="card")
        else:
            work.workbench.tell(GONE, severity="warning")

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


async def cards(app: ChartuiApp, reading: Reading) -> Mapping[bool, Card]:
    """The cards of a character without and with texts; reads the name of its start section and its price."""
    from chartui.core.change_costs import price_told
    from chartui.tui.screens.estimator.character import basis_of

    session, service = app.session, app.session.service.asking_as("characters")
    basis = await basis_of(app)
    start, cost = await gather(start_of(service, reading.record), price_told(service, reading, basis))
    origin = Origin.of(session.profile, session.where, system_clock(), start, cost)
    record, settings, known_here = reading.record, reading.settings, reading.known_here
    return {
        texts: card_of(record, settings, origin, known_here=known_here, with_texts=texts) for texts in (False, True)
    }


async def _show_card(work: WorkScreen, reading: Reading) -> None:
    """Show the card of a character. Await it in a worker."""
    async with waiting(work.workbench, "Support card"):
        await work.app.push_screen_wait(CardDialog(work, await cards(work.workbench, reading)))


def copied_cards(app: ChartuiApp, reading: Reading) -> Iterator[Copyable]:
    """Both cards, read when chosen."""

    async def text(with_texts: bool) -> str:
        return str((await cards(app, reading))[with_texts])

    for with_texts, title in _CARDS.items():
        yield Copyable(title, partial(text, with_texts))


_CARDS: Final = {False: "Support card", True: "Support card with personal content"}


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
        Binding("W", "write", "Write to a file"),
        Binding("t", "texts(True)", "Show content"),
        Binding("t", "texts(False)", "Hide content"),
        Binding("escape,q,Y", "dismiss(None)", "Close"),
    ]

    def __init__(self, work: WorkScreen, found: Mapping[bool, Card]) -> None:
        super().__init__()
        self._work = work
        self._cards = found
        self._with_texts = False
        self._view = _CardView(lambda: str(found[self._with_texts]).rstrip("\n").split("\n"))

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
        self._view.cursor = 0
        self._view.lay_out()
        self.refresh_bindings()

    @property
    def _shown(self) -> Copyable:
        return Copyable(_CARDS[self._with_texts], str(self._cards[self._with_texts]))

    def action_copy(self) -> None:
        self._work.workbench.copy(self._shown.text, self._shown.title)

    def action_write(self) -> None:
        offer_text(self._work, self._shown)
