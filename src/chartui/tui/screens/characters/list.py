"""The list of characters: read, filtered, sorted, and with those that are selected."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, cast

from rich.cells import cell_len
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.characters.finder import Column as By
from chartui.core.characters.finder import Finder, Sorting, Traits, traits_in, traits_told
from chartui.core.characters.models import Models, from_catalogue
from chartui.core.clock import age_text
from chartui.core.service import Service
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.core.spec.records import Records
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.numbers import count
from chartui.tui.screens.characters.state import Listing
from chartui.tui.theme import Palette
from chartui.tui.wait import Stoppable
from chartui.tui.widgets.border import room_on_border, write_on_border
from chartui.tui.widgets.filter import FilterCursor, ListFilter
from chartui.tui.widgets.line_list import Column, LineList
from chartui.tui.widgets.screen import WorkScreen

#: Seconds after which the age of a list is told again: each until it is sixty of them old.
_AGE_STEPS: Final = (60.0, 3600.0, 86400.0)
#: What is sorted by in words, where the column's own name is too short for that.
_WORDS: Final = {By.GONE: "model gone", By.USED: "last use", By.CREATED: "creation"}


def columns(
    sorting: Sorting, *, is_staged: Callable[[str], bool], is_gone: Callable[[CharacterSummary], bool], sure: bool
) -> tuple[Column[CharacterSummary], ...]:
    """The columns; the one that is sorted by is marked, and there however narrow the list is.

    ``is_staged`` tells whether something of a character is not saved, ``is_gone`` whether its model is in no list.
    ``sure`` tells whether that list is the service's own.
    """
    shown: dict[By, Column[CharacterSummary]] = {
        By.NAME: Column("Name", lambda s: s.character_name or "(no name)", least=24),
        By.MODEL: Column("Model", lambda s: s.model or "–", 19, role="label", rank=1, least=12),
        By.GONE: _flag("Gone" if sure else "Gone?", GLYPHS.gone, is_gone, "warning"),
        By.LANGUAGE: Column("Lang", lambda s: s.language_code or "–", 6, role="label", rank=3),
    }
    if sorting.column is By.ID:
        shown[By.ID] = Column("Id", lambda s: s.character_id, 13, role="label", least=9)
    else:
        shown[By.CREATED] = Column("Created", lambda s: _day(s.timestamp), 10, role="label", rank=5)
        shown[By.USED] = Column("Used", lambda s: _day(s.last_interacted_with), 10, role="label", rank=4)
    shown |= {
        By.NARRATIVE: _flag("Graph", GLYPHS.narrative, lambda s: bool(s.is_narrative_driven)),
        By.MEMORY: _flag("Mem", GLYPHS.memory, lambda s: bool(s.memory_enabled)),
    }
    if sorting.column is not None:
        shown[sorting.column] = _sorted(shown[sorting.column], sorting)
    return (*shown.values(), _flag("", GLYPHS.staged, lambda s: is_staged(s.character_id), "staged", rank=0))


def _flag(
    title: str, sign: str, holds: Callable[[CharacterSummary], bool], role: str = "latency", *, rank: int = 2
) -> Column[CharacterSummary]:
    return Column(title, lambda s: sign if holds(s) else "", max(1, len(title)), role=role, rank=rank)


def _sorted(column: Column[CharacterSummary], sorting: Sorting) -> Column[CharacterSummary]:
    arrow = GLYPHS.descending if sorting.descending else GLYPHS.ascending
    title = f"{column.title}{arrow}"
    return replace(
        column, title=title, width=column.width and max(column.width, len(title)), rank=0, title_role="accent"
    )


def _day(moment: str | None) -> str:
    """The date of a time, as it is given (decision 30)."""
    return moment[:10] if moment else "–"


def _sorting_text(sorting: Sorting) -> str:
    """The order in words; empty for that of the service."""
    if sorting.column is None:
        return "last one first" if sorting.descending else ""
    return f"by {_WORDS.get(sorting.column, sorting.column.value)}{', descending' if sorting.descending else ''}"


class CharacterList(Vertical):
    """The panel with the list. It filters, sorts and selects.

    The selection stays whatever is filtered and however often the list is read.
    """

    @dataclass
    class Listed(Message):
        """The list was read, or could not be."""

        finder: Finder = field(default_factory=Finder)
        records: Records = field(default_factory=Records.none)
        error: ServiceError | None = None

    @dataclass
    class Prepared(Message):
        """The list can be looked into, its traits included, in the way that was asked for."""

        finder: Finder
        fuzzy: bool

    @dataclass
    class Changed(Message):
        """The list shows something else; ``matches`` tells whether that is any character at all."""

        matches: bool

    BINDINGS: ClassVar[list[BindingType]] = bindings_for("characters.list")
    DEFAULT_CSS = """
    CharacterList #filter-line { height: auto; background: $panel; }
    CharacterList #filter { width: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__(id="left", classes="panel")
        self.border_title = Content("Characters")
        self.listing = Listing()
        #: What the border says in place of how old the list is.
        self.note = ""
        self._filter_cursor: FilterCursor[str] = FilterCursor()
        self._staged: frozenset[str] = frozenset()
        self._going_to = ""
        self._fuzzy = False
        self._length = ""
        self._models: Models | None = None
        self._ageing: Stoppable | None = None
        self._mode = _Mode()
        self._box = ListFilter("name, id, traits, model:flash, openness>3", id="filter")
        self.view: LineList[CharacterSummary] = LineList(
            self._columns(), key=lambda s: s.character_id, marked=self._is_selected, id="list"
        )

    def compose(self) -> ComposeResult:
        """The filter and the list."""
        with Horizontal(id="filter-line"):
            yield self._mode
            yield self._box
        yield self.view

    def _columns(self) -> tuple[Column[CharacterSummary], ...]:
        return columns(
            self.listing.sorting,
            is_staged=lambda c: c in self._staged,
            is_gone=lambda s: self.listing.finder.is_gone(s),
            sure=self._models is not None and self._models.sure,
        )

    def _is_selected(self, summary: CharacterSummary) -> bool:
        return summary.character_id in self.listing.selected

    @property
    def _work(self) -> WorkScreen:
        return cast("WorkScreen", self.screen)

    @property
    def current(self) -> CharacterSummary | None:
        """The character under the cursor."""
        return self.view.current

    @property
    def current_id(self) -> str | None:
        """The id of the character under the cursor."""
        return self.current.character_id if self.current is not None else None

    @property
    def filled(self) -> bool:
        """Whether there is a list from before."""
        return self.listing.read_at is not None

    def name_of(self, character_id: str) -> str:
        """What the list calls a character; empty where it does not."""
        names = (s.character_name for s in self.listing.summaries if s.character_id == character_id)
        return next(names, None) or ""

    # -- reading ------------------------------------------------------------------------------------------------------

    async def read(self, service: Service) -> Listed:
        """Read the list, and get it ready for the present filter. Raises nothing."""
        try:
            if service.embedded:
                return self.Listed(await self._found(await service.summaries()))
            records = await service.records()
            return self.Listed(await self._found(records.summaries), records)
        except ServiceError as error:
            return self.Listed(error=error)

    async def _found(self, summaries: Sequence[CharacterSummary]) -> Finder:
        finder = Finder(summaries, self._known_models(), self.listing.finder.traits)
        if self.listing.query:
            await asyncio.to_thread(finder.prepare, fuzzy=self.listing.fuzzy)
        return finder

    def begin_reading(self) -> None:
        """Say that the list is being read, where there is none from before."""
        self.show(replace(self.listing, loading=True, canceled=""))

    def take(self, message: Listed) -> None:
        """Show a list that was read; the cursor stays on its character."""
        app = self._work.workbench
        if message.error is not None:
            self.show(replace(self.listing, loading=False, error=message.error))
            if self.listing.summaries:
                app.tell_failure(message.error, kept="The list is the last one that was read.")
            return
        first, selected = not self.listing.summaries, self.listing.selected
        there = selected & {s.character_id for s in message.finder.summaries} if selected else selected
        if gone := len(selected) - len(there):
            whose = "1 character is" if gone == 1 else f"{count(gone)} characters are"
            app.tell(f"{whose} not there any more, and no longer selected.")
        listing = replace(
            self.listing,
            finder=message.finder,
            described=False,
            read_at=app.connection.ticks(),
            records=message.records,
            loading=False,
            error=None,
            selected=there,
        )
        if first and listing.narrowed:
            self._filter_cursor = FilterCursor(app.character)
            self._show_filtered(listing)
        else:
            self.show(listing, keep=app.character if first else None)
        self._grow_old()

    def give_up(self, canceled: str) -> None:
        """Say in place of the list that reading it was canceled, where there is none from before."""
        self.show(replace(self.listing, loading=False, canceled="" if self.filled else canceled))

    def _known_models(self) -> frozenset[str]:
        """The models there are, as the service said, or else as the catalogue does."""
        return frozenset(model.code for model in (self._models or from_catalogue()).all)

    def judge(self, models: Models | None) -> None:
        """Mark whose model is gone, by these models."""
        self._models = models
        known, finder = self._known_models(), self.listing.finder
        self.view.show_columns(self._columns())
        if known != finder.known:
            self.show(replace(self.listing, finder=finder.judged_by(known)))

    # -- showing ------------------------------------------------------------------------------------------------------

    def show(self, listing: Listing, *, keep: str | None = None) -> None:
        """Show another list; the cursor stays on its character, or goes to the one whose id is ``keep``."""
        self.listing = listing
        if self._going_to and any(summary.character_id == self._going_to for summary in listing.summaries):
            keep, self._going_to = self._going_to, ""
        matching = listing.matching()
        self.view.empty = self._emptiness()
        self.view.awaiting = listing.loading and not listing.summaries
        self.view.show(matching, keep=keep)
        of = f" of {count(len(listing.summaries))}" if len(matching) != len(listing.summaries) else ""
        self._length = f"{count(len(matching))}{of}"
        self._mode.show(fuzzy=listing.fuzzy)
        self._show_notes()
        self.post_message(self.Changed(bool(matching) or not listing.summaries))

    def _emptiness(self) -> str:
        """What the list says when there is nothing in it."""
        listing, loading = self.listing, self._work.loading_text("read", width=self.view.size.width - 3)
        if listing.loading and loading:
            return loading
        if listing.error is not None:
            return f"{GLYPHS.danger} {listing.error.message} F5 asks again."
        if listing.loading:
            return ""
        if listing.canceled:
            return listing.canceled
        if listing.summaries:
            return "No character matches. Escape clears the filter."
        return "This account has no characters yet."

    def show_loading(self) -> None:
        """Show what is under way in place of the list, or below the one from before."""
        if not self.filled:
            self.view.show_empty(self._emptiness())
        self._show_notes()

    def mark_staged(self, staged: frozenset[str]) -> None:
        """Mark those whose settings are staged."""
        if staged != self._staged:
            self._staged = staged
            self.view.refresh()

    def show_note(self, note: str) -> None:
        """Say something on the border, in place of how old the list is."""
        self.note = note
        self._show_notes()

    def _show_notes(self) -> None:
        """Say on the border how the list is sorted, how old and how long it is, and how many are selected."""
        listing = self.listing
        order = "best first" if listing.fuzzy and listing.narrowed else _sorting_text(listing.sorting)
        room = room_on_border(self) - cell_len(self._length) - 3
        if not self.filled:
            notes = [self._length] if listing.query else []
        elif loading := self._work.loading_text("read", "comparison", width=room):
            notes = [loading, self._length]
        elif self.note:
            notes = [order, self.note, self._length]
        else:
            late = f"{GLYPHS.danger} not read again" if listing.error else ""
            age = "just read" if self._age() < _AGE_STEPS[0] else f"read {age_text(self._age())}"
            notes = [order, late, age, self.standing(), self._length]
        write_on_border(self, " · ".join(filter(None, notes)))

    def _age(self) -> float:
        return self._work.workbench.connection.ticks() - (self.listing.read_at or 0.0)

    def _grow_old(self) -> None:
        """Say how old the list is, now and when that is another word."""
        self.on_unmount()
        self._show_notes()
        step = next(step for step in _AGE_STEPS if self._age() < step * 60 or step is _AGE_STEPS[-1])
        self._ageing = self._work.workbench.connection.later(step - self._age() % step, self._grow_old)

    def on_unmount(self) -> None:
        """How old the list is does not matter any more."""
        if self._ageing is not None:
            self._ageing.stop()

    # -- filtering and sorting ----------------------------------------------------------------------------------------

    def search(self, query: str) -> None:
        """List only what matches."""
        if query != self.listing.query:  # a box that is emptied by the program says so later
            self._show_filtered(replace(self.listing, query=query))

    def accept_match(self) -> None:
        """Count the character with the cursor as chosen: clearing the filter no longer leaves it."""
        self._filter_cursor = FilterCursor()

    def _show_filtered(self, listing: Listing) -> None:
        """Show the list after its filter changed, the cursor on the first match; without a filter where it was."""
        first = next((summary.character_id for summary in listing.matching()), None)
        self._filter_cursor = self._filter_cursor.turned(self.current_id, first, narrowed=listing.narrowed)
        self.show(listing, keep=self._filter_cursor.wanted)

    def go_to(self, character_id: str) -> None:
        """Put the cursor on a character, now or as soon as the list has it; out of a filter that would hide it."""
        self._going_to = character_id
        self._box.value = ""
        self.show(replace(self.listing, query=""))

    def turn_fuzzy(self) -> None:
        """Look for words with slips in them, or exactly again."""
        self._fuzzy = not self._fuzzy
        self.prepare()

    def prepare(self) -> None:
        """Read the traits, which the list does not show, and prepare for the first key."""
        self._work.start(self._read_traits, group="traits")

    async def _read_traits(self) -> None:
        listing, fuzzy = self.listing, self._fuzzy
        finder = listing.finder
        try:
            if not listing.described and listing.summaries:
                finder = Finder(finder.summaries, finder.known, await self._traits(listing.records))
        except ServiceError as error:
            self._work.workbench.tell_failure(error, kept="The filter looks into everything but the traits.")
        self.post_message(self.Prepared(await asyncio.to_thread(finder.prepare, fuzzy=fuzzy), fuzzy))

    async def _traits(self, records: Records) -> Mapping[str, Traits]:
        """The traits of everybody. Raises :class:`ServiceError`."""
        service = self._work.service
        if service.embedded:
            return traits_told(await service.descriptions())
        return await asyncio.to_thread(traits_in, records)

    @on(Prepared)
    def _prepared(self, message: Prepared) -> None:
        before = self.listing
        listing = replace(before, fuzzy=message.fuzzy)
        if message.finder.summaries is listing.summaries:
            # Which models there are may have been found out meanwhile.
            finder = message.finder.judged_by(self._known_models())
            listing = replace(listing, finder=finder, described=bool(finder.traits))
        if message.fuzzy is not before.fuzzy or self.current_id == self._filter_cursor.match:
            self._show_filtered(listing)
        else:
            self.show(listing)

    def action_sort(self) -> None:
        """Sort by the next column; behind the last one comes the order of the service."""
        every: tuple[By | None, ...] = (None, *By)
        column = every[(every.index(self.listing.sorting.column) + 1) % len(every)]
        self._sort(self.listing.sorting._replace(column=column))

    def action_turn_sort(self) -> None:
        """Sort the other way round."""
        self._sort(self.listing.sorting._replace(descending=not self.listing.sorting.descending))

    def _sort(self, sorting: Sorting) -> None:
        self.listing = replace(self.listing, sorting=sorting)
        self.view.show_columns(self._columns())
        self.show(self.listing)

    def action_open_record(self) -> None:
        """Open the character under the cursor."""
        self.view.action_choose()

    # -- who is selected ----------------------------------------------------------------------------------------------

    @property
    def selected(self) -> Sequence[CharacterSummary]:
        """Those who are selected, in the order in which the service lists them."""
        return [s for s in self.listing.summaries if s.character_id in self.listing.selected]

    def standing(self) -> str:
        """How many are selected; empty for none."""
        number = len(self.listing.selected)
        return f"{GLYPHS.done} {count(number)} selected" if number else ""

    def _select(self, selected: frozenset[str]) -> None:
        self.show(replace(self.listing, selected=selected))

    def action_select(self) -> None:
        """Select the character under the cursor, or no longer."""
        if self.current_id is not None:
            self._select(self.listing.selected ^ {self.current_id})

    def action_select_matching(self) -> None:
        """Select all that the list shows."""
        self._select(self.listing.selected | {summary.character_id for summary in self.view.items})

    def action_select_none(self) -> None:
        """Select nobody."""
        self._select(frozenset())


class _Mode(Widget):
    """Before the box of the filter: whether words are looked for exactly; a click looks for them the other way."""

    DEFAULT_CSS = "_Mode { width: 7; height: 1; background: $panel; display: none; }"

    def __init__(self) -> None:
        super().__init__(id="mode")
        self._fuzzy = False

    def show(self, *, fuzzy: bool) -> None:
        """Say the other way."""
        if fuzzy is not self._fuzzy:
            self._fuzzy = fuzzy
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        """The one line."""
        click = Style(meta={"@click": "app.command('fuzzy-filter')"})
        line = Line(self.size.width).gap()
        return line.add("fuzzy" if self._fuzzy else "exact", Palette.of(self.app.theme_variables).accent + click).strip(
            self.rich_style
        )
