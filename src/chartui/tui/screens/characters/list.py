"""The list of characters: loaded, filtered, sorted, and selected from."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from chartui.core.bookmark import ScreenPlace, text_in
from chartui.core.character import read_texts, read_traits
from chartui.core.characters.finder import Column as By
from chartui.core.characters.finder import Finder, Sorting, parse
from chartui.core.characters.models import Models, from_catalogue
from chartui.core.classes import dataclass
from chartui.core.service import Service
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.core.spec.records import Records
from chartui.tui.bindings import bindings_for
from chartui.tui.garbage import lasting
from chartui.tui.loading import Stoppable
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.characters.columns import as_wire, chosen_in
from chartui.tui.screens.characters.list_notes import border_notes, empty_note, next_age_note
from chartui.tui.screens.characters.state import Chosen, Listing
from chartui.tui.screens.characters.table import CharacterTable
from chartui.tui.shell.first_character import found_character, name_character
from chartui.tui.widgets.border import room_on_border, write_on_border
from chartui.tui.widgets.filter import FilterCursor, RecallingFilter
from chartui.tui.widgets.screen import Copyable, WorkScreen
from chartui.tui.widgets.text import Words

if TYPE_CHECKING:
    from chartui.tui.screens.characters.prices import ListCosts


class CharacterList(Vertical):
    """The panel with the list: filtering, sorting, selecting. Filters and refreshes keep the selection."""

    DEFAULT_CSS = """
    CharacterList > Words { display: none; }
    CharacterList.-remark > Words { display: block; }
    """

    @dataclass
    class Listed(Message):
        """The list was read, or reading it failed."""

        finder: Finder = field(default_factory=Finder)
        records: Records = field(default_factory=Records.none)
        error: ServiceError | None = None

    @dataclass
    class Prepared(Message):
        """The list is ready to be searched, traits included, in the chosen way."""

        finder: Finder
        fuzzy: bool

    @dataclass
    class Costed(Message):
        """The costs were computed for the list of ``before``."""

        before: Finder
        costs: ListCosts

    @dataclass
    class Changed(Message):
        """The list shows other characters; ``matches`` says whether it shows any."""

        matches: bool

    BINDINGS: ClassVar[list[BindingType]] = bindings_for("characters.list")

    def __init__(self) -> None:
        super().__init__(id="left", classes="panel")
        self.border_title = Content("Characters")
        self.listing = Listing()
        #: Set once the list was read, or reading it failed.
        self.listed = asyncio.Event()
        #: The note on the border in place of the list's age.
        self.note = ""
        #: The name of the scenario that the costs are for; empty without one.
        self._scenario = ""
        self._filter_cursor: FilterCursor[str] = FilterCursor()
        self._going_to = ""
        self._returning = False
        self._fuzzy = False
        self._awaited: frozenset[str] = frozenset()
        self._length = ""
        self._models: Models | None = None
        self._ageing: Stoppable | None = None
        self.box = RecallingFilter("name, ID, model:flash, openness>3", id="filter")
        self._remark = Words("")
        self.view = CharacterTable()

    def compose(self) -> ComposeResult:
        """The filter, what limits its search, and the list."""
        yield self.box
        yield self._remark
        yield self.view

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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Sort, open and select need characters."""
        return not self.listing.unfilled and super().check_action(action, parameters)

    @property
    def filled(self) -> bool:
        """Whether an earlier list is shown."""
        return self.listing.read_at is not None

    def name_of(self, character_id: str) -> str:
        """The name of a character in the list; empty if it is not listed."""
        if self.current is not None and self.current.character_id == character_id:
            return self.current.character_name or ""  # asked for at every frame
        names = (s.character_name for s in self.listing.summaries if s.character_id == character_id)
        return next(names, None) or ""

    # -- reading ------------------------------------------------------------------------------------------------------

    async def read(self, service: Service) -> Listed:
        """Read the list and prepare it for the current filter. Does not raise."""
        try:
            if service.embedded:
                return self.Listed(await self._found(await service.summaries()))
            records = await service.records()
            return self.Listed(await self._found(records.summaries), records)
        except ServiceError as error:
            return self.Listed(error=error)

    async def _found(self, summaries: Sequence[CharacterSummary]) -> Finder:
        before = self.listing.finder
        finder = Finder(summaries, self._known_models(), before.traits, before.texts, before.staged, before.costs)
        if self.listing.query:
            await asyncio.to_thread(finder.prepare, fuzzy=self.listing.fuzzy)
        return finder

    def start_at(self, place: ScreenPlace) -> None:
        """Restore the filter, the earlier filters and the order of the list."""
        sort, query = text_in(place, "sort"), text_in(place, "filter")
        sorting = Sorting(By(sort) if sort in tuple(By) else None, place.get("descending") is True)
        self._fuzzy, self._returning = place.get("fuzzy") is True, bool(query)
        self.box.value = query
        used = place.get("used_filters")
        self.box.used = tuple(text for text in used if isinstance(text, str)) if isinstance(used, list) else ()
        shown = chosen_in(place.get("columns"))
        self.listing = replace(self.listing, query=query, sorting=sorting, fuzzy=self._fuzzy, columns=shown)
        self._show_columns()
        self.show(self.listing)

    def place(self) -> ScreenPlace:
        listing = self.listing
        return {
            "filter": listing.query,
            "used_filters": list(self.box.used),
            "fuzzy": listing.fuzzy,
            "sort": listing.sorting.column,
            "descending": listing.sorting.descending,
            "columns": as_wire(listing.columns),
        }

    def begin_reading(self) -> None:
        """Show that the list is being read, unless an earlier list is shown."""
        self.show(replace(self.listing, loading=True, canceled=""))

    def take(self, message: Listed) -> None:
        """Show a new list; the cursor stays on its character."""
        self.listed.set()
        app = self._work.workbench
        if message.error is not None:
            self.show(replace(self.listing, loading=False, error=message.error))
            if self.listing.summaries:
                app.tell_failure(message.error, kept="The previous list is still shown.")
            return
        name_character(app, message.finder.summaries)
        before = {s.character_id: s for s in self.view.items} if app.connection.unasked else {}
        ids = {summary.character_id for summary in message.finder.summaries}
        found_character(app, there=app.character in ids)
        first, selected = not self.listing.summaries, self.listing.selected
        there = selected & ids
        if gone := len(selected) - len(there):
            whose = f"{number_of(gone, 'character')} that no longer {'exists' if gone == 1 else 'exist'}"
            app.tell(f"Deselected {whose}.")
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
        if first and listing.narrowed and not self._returning:
            self._filter_cursor = FilterCursor(app.character)
            self._show_filtered(listing)
        else:
            self.show(listing, keep=app.character if first or self._returning else None)
        self.view.mark_changes(before, app.connection.later)
        self._grow_old()
        self.read_costs()

    def give_up(self, canceled: str) -> None:
        """Show that reading was canceled, unless an earlier list is shown."""
        self.show(replace(self.listing, loading=False, canceled="" if self.filled else canceled))

    def _known_models(self) -> frozenset[str]:
        """The models listed by the service, or else by the catalogue."""
        return frozenset(model.code for model in (self._models or from_catalogue()).all)

    def judge(self, models: Models | None) -> None:
        """Mark the characters whose model is not among these."""
        self._models = models
        known, finder = self._known_models(), self.listing.finder
        if known != finder.known:
            self.show(replace(self.listing, finder=finder.judged_by(known)))

    # -- showing ------------------------------------------------------------------------------------------------------

    def show(self, listing: Listing, *, keep: str | None = None) -> None:
        """Show another list; the cursor stays on its character, or goes to the one whose id is ``keep``."""
        shown, self.listing = self.view.listing, listing
        self.view.listing = listing
        if self._going_to and any(summary.character_id == self._going_to for summary in listing.summaries):
            keep, self._going_to = self._going_to, ""
        matching = listing.matching()
        self.view.empty = self._empty_note()
        self.view.awaiting = listing.loading and not listing.summaries
        alike = shown.finder is listing.finder and shown.selected == listing.selected
        self.view.show(matching, keep=keep, alike=alike)
        self._show_remark()
        of = f" of {count(len(listing.summaries))}" if len(matching) != len(listing.summaries) else ""
        self._length = f"{count(len(matching))}{of}"
        self._show_notes()
        self.post_message(self.Changed(bool(matching) or not listing.summaries))

    def _show_remark(self) -> None:
        """Show what limits the search below the filter."""
        remark = self.listing.finder.remark(self.listing.query)
        self._remark.show(remark, role="warning")
        self.set_class(bool(remark), "-remark")

    def _empty_note(self) -> str:
        width = self.view.size.width - 3
        return empty_note(self._work, self.listing, width=width, awaits_texts=bool(self._awaited))

    def show_loading(self) -> None:
        """Show the progress of reading in place of the list, or below the earlier list."""
        if not self.filled:
            self.view.show_empty(self._empty_note())
        self._show_notes()

    def mark_staged(self, staged: frozenset[str]) -> None:
        """Mark the characters with staged changes."""
        if (finder := self.listing.finder.with_staged(staged)) is not self.listing.finder:
            self.show(replace(self.listing, finder=finder))

    @property
    def note_width(self) -> int:
        """Cells for a note on the border."""
        return room_on_border(self) - cell_len(self._length) - 3

    def show_note(self, note: str) -> None:
        """Show a note on the border in place of the list's age."""
        self.note = note
        self._show_notes()

    def _show_notes(self) -> None:
        """Show the order, age, length and selection on the border."""
        loading = self._work.loading_text("read", "comparison", width=self.note_width) if self.filled else ""
        priced = self._scenario if self.listing.finder.costs and self.view.shows_costs else ""
        notes = border_notes(self.listing, self._length, self.age, note=loading or self.note, scenario=priced)
        write_on_border(self, " · ".join(filter(None, notes)))

    @property
    def age(self) -> float:
        """Seconds since the list was read."""
        return self._work.workbench.connection.ticks() - (self.listing.read_at or 0.0)

    def _grow_old(self) -> None:
        """Show the age of the list, and update it when its wording changes."""
        self.on_unmount()
        self._show_notes()
        self._ageing = self._work.workbench.connection.later(next_age_note(self.age), self._grow_old)

    def on_unmount(self) -> None:
        if self._ageing is not None:
            self._ageing.stop()

    # -- filtering and sorting ----------------------------------------------------------------------------------------

    def search(self, query: str) -> None:
        """List only what matches."""
        if query != self.listing.query:  # a box cleared by the program reports it later
            self.listing = replace(self.listing, query=query)
            self._await_texts()
            self._show_filtered(self.listing)

    def _await_texts(self) -> None:
        """Read the texts that the filter asks for, unless they are being read."""
        if unread := self.listing.finder.unread(self.listing.query) - self._awaited:
            self._awaited |= unread
            self.prepare()

    def accept_match(self) -> None:
        """Treat the character under the cursor as chosen: clearing the filter keeps the cursor on it."""
        if self.current is not None:
            self.box.remember()
        self._filter_cursor = self._filter_cursor.accepted(self.current_id)

    def _show_filtered(self, listing: Listing) -> None:
        """Show the list for a new filter: the cursor on the first match, or back in place without a filter."""
        first = next((summary.character_id for summary in listing.matching()), None)
        self._filter_cursor = self._filter_cursor.turned(self.current_id, first, narrowed=listing.narrowed)
        self.show(listing, keep=self._filter_cursor.wanted)

    def go_to(self, character_id: str) -> None:
        """Move the cursor to a character, now or once it is listed; clears a filter that would hide it."""
        self._going_to = character_id
        self.box.value = ""
        self.show(replace(self.listing, query=""))

    def turn_fuzzy(self) -> None:
        """Switch between fuzzy and exact filtering."""
        self._fuzzy = not self._fuzzy
        self.prepare()

    def prepare(self) -> None:
        """Read the traits and the requested texts, which are not in the list, and prepare for the first key."""
        self._work.start(self._read_traits, group="traits")

    async def _read_traits(self) -> None:
        listing, fuzzy, work = self.listing, self._fuzzy, self._work
        finder, wanted = listing.finder, self._awaited | parse(listing.query).texts
        journal, place = work.session.journal, work.session.profile.place
        with lasting():
            try:
                if not listing.described and listing.summaries:
                    finder = Finder(finder.summaries, finder.known, await read_traits(work.service, listing.records))
                if (unread := wanted - finder.texts.keys()) and listing.summaries:
                    finder = finder.with_texts(await read_texts(work.service, journal, place, unread, listing.records))
            except ServiceError as error:
                work.workbench.tell_failure(error, kept="The filter searches only the columns of the list.")
            finder = await asyncio.to_thread(finder.prepare, fuzzy=fuzzy)
        self.post_message(self.Prepared(finder, fuzzy))

    @on(Prepared)
    def _prepared(self, message: Prepared) -> None:
        before, self._awaited = self.listing, frozenset()
        listing = replace(before, fuzzy=message.fuzzy)
        if message.finder.summaries is listing.summaries:
            # The models may have been read in the meantime.
            finder = message.finder.judged_by(self._known_models()).with_staged(before.finder.staged)
            finder = finder.with_costs(before.finder.costs)
            listing = replace(listing, finder=finder, described=bool(finder.traits))
        if self._returning:  # the first list may not have known the traits that the filter asks for
            self._returning = False
            self.show(listing, keep=self._work.workbench.character)
        elif message.fuzzy is not before.fuzzy or self.current_id == self._filter_cursor.match:
            self._show_filtered(listing)
        elif not listing.query and listing.finder.known == before.finder.known:
            self.listing = self.view.listing = listing  # traits alone change nothing in the list
        else:
            self.show(listing)

    def action_sort(self) -> None:
        """Sort by the next column; after the last, use the order of the service."""
        every: tuple[By | None, ...] = (None, *By)
        column = every[(every.index(self.listing.sorting.column) + 1) % len(every)]
        self._sort(self.listing.sorting._replace(column=column))

    def action_turn_sort(self) -> None:
        """Reverse the sort order."""
        self._sort(self.listing.sorting._replace(descending=not self.listing.sorting.descending))

    def _sort(self, sorting: Sorting) -> None:
        self.listing = replace(self.listing, sorting=sorting)
        self._show_columns()
        self.show(self.listing)

    def action_columns(self) -> None:
        """Choose, order and size the columns; the list shows each change."""
        from chartui.tui.screens.characters.columns_dialog import ColumnsDialog

        before = self.listing.columns

        def answered(kept: bool | None) -> None:
            if not kept:
                self.show_columns(before)

        self.app.push_screen(ColumnsDialog(before, self.show_columns), answered)

    def show_columns(self, chosen: Chosen) -> Mapping[By, int]:
        """Show these columns, or without any those that suit the window; returns the cells that each one lacks."""
        self.listing = replace(self.listing, columns=chosen)
        self._show_columns()
        return self.view.lacks

    def _show_columns(self) -> None:
        self.view.fit_to(self.listing)
        if not self.listing.finder.costs:
            self.read_costs()

    # -- costs --------------------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """A wider list may show the costs."""
        if not self.listing.finder.costs:
            self.call_after_refresh(self.read_costs)

    def read_costs(self) -> None:
        """Compute the costs in the background if the list shows them."""
        if self.listing.summaries and self.view.shows_costs:
            self._work.start(self._read_costs, group="list-costs")

    async def _read_costs(self) -> None:
        from chartui.tui.screens.characters.tabs.cost import load

        listing, work = self.listing, self._work
        await asyncio.to_thread(load, work.session)
        from chartui.tui.screens.characters.prices import costs_of_list

        with lasting():
            try:
                costs = await costs_of_list(work, listing, self._models)
            except ServiceError as error:
                work.workbench.tell_failure(error, kept="The costs in the list were not updated.")
                return
        self.post_message(self.Costed(listing.finder, costs))

    @on(Costed)
    def _costed(self, message: Costed) -> None:
        finder, costs = self.listing.finder, message.costs
        if finder.summaries is message.before.summaries:
            self._scenario = costs.scenario
            costed = costs.finder if finder is message.before else finder.with_costs(costs.finder.costs)
            listing = replace(self.listing, finder=costed)
            self.view.fit_to(listing, longest_cost=costs.longest)
            self.show(listing)

    def copies(self) -> Sequence[Copyable]:
        """The characters in the list as a table, with every column."""
        from chartui.core.characters.list_sheet import list_sheet
        from chartui.tui.clipboard import forms_to_make

        listing = self.listing
        places = listing.finder.places(listing.query, fuzzy=listing.fuzzy, sorting=listing.sorting)
        title = f"List of {number_of(len(places), 'character')}"
        return forms_to_make(title, partial(list_sheet, listing.finder, places))

    def action_open_record(self) -> None:
        """Open the character under the cursor."""
        self.view.action_choose()

    # -- the selection -----------------------------------------------------------------------------------------------

    def _select(self, selected: frozenset[str]) -> None:
        self.show(replace(self.listing, selected=selected))

    def action_select(self) -> None:
        """Select or deselect the character under the cursor."""
        if self.current_id is not None:
            self._select(self.listing.selected ^ {self.current_id})

    def action_select_matching(self) -> None:
        """Select every character in the list."""
        self._select(self.listing.selected | {summary.character_id for summary in self.view.items})

    def action_select_none(self) -> None:
        """Deselect every character."""
        self._select(frozenset())
