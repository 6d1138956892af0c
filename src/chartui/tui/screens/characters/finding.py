"""The part of the characters screen that finds some of them, and puts them in order."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from textual import on
from textual.message import Message

from chartui.core.characters.finder import Finder, Sorting, Traits, traits_in, traits_told
from chartui.core.spec.errors import ServiceError
from chartui.tui.screens.characters.browsing import BrowsingScreen
from chartui.tui.screens.characters.listing import next_column

__all__ = ["FindingScreen"]


class FindingScreen(BrowsingScreen):
    """Filters the list, exactly or fuzzily, and sorts it."""

    @dataclass
    class Prepared(Message):
        """The list can be looked into, its traits included, in the way that was asked for."""

        finder: Finder
        fuzzy: bool

    def __init__(self) -> None:
        super().__init__()
        self._fuzzy = False

    def list_was_read(self) -> None:
        """Prepare it for what is typed next, while somebody types."""
        super().list_was_read()
        if self.has_class("-filtering"):
            self._prepare()

    def search(self, query: str) -> None:
        """List only what matches."""
        if query != self.state.query:  # a box that is emptied by the program says so later
            self.show_filtered(replace(self.state, query=query))

    def _prepare(self) -> None:
        """Read the traits, which the list does not show, and prepare for the first key."""
        self.start(self._read_traits, group="traits")

    async def _read_traits(self) -> None:
        state, fuzzy = self.state, self._fuzzy
        finder = state.finder
        try:
            if not state.described and state.summaries:
                finder = Finder(finder.summaries, finder.known, await self._traits())
        except ServiceError as error:
            self.workbench.tell_failure(error, kept="The filter looks into everything but the traits.")
        self.post_message(self.Prepared(await asyncio.to_thread(finder.prepare, fuzzy=fuzzy), fuzzy))

    async def _traits(self) -> Mapping[str, Traits]:
        """The traits of everybody. Raises :class:`ServiceError`."""
        if self.service.embedded:
            return traits_told(await self.service.descriptions())
        return await asyncio.to_thread(traits_in, self.state.records)

    @on(Prepared)
    def _prepared(self, message: Prepared) -> None:
        state = replace(self.state, fuzzy=message.fuzzy)
        if message.finder.summaries is state.summaries:
            # Which models there are may have been found out meanwhile.
            finder = message.finder.judged_by(self._known_models())
            state = replace(state, finder=finder, described=bool(finder.traits))
        if message.fuzzy is not self.state.fuzzy or self.current_id == self.filter_cursor.match:
            self.show_filtered(state)
        else:
            self.show_state(state)

    def action_filter(self) -> None:
        """Type to filter."""
        super().action_filter()
        self._prepare()

    def action_fuzzy_filter(self) -> None:
        """Look for words with slips in them, or exactly again; who was not looking for any begins to."""
        self.remove_class("-detail")
        if not self.has_class("-filtering"):
            self.open_filter()
        self._fuzzy = not self._fuzzy
        self._prepare()

    def action_sort(self) -> None:
        """Sort by the next column."""
        self._sort(self.state.sorting._replace(column=next_column(self.state.sorting.column)))

    def action_turn_sort(self) -> None:
        """Sort the other way round."""
        self._sort(self.state.sorting._replace(descending=not self.state.sorting.descending))

    def _sort(self, sorting: Sorting) -> None:
        self._list.show_columns(self._columns(sorting))
        self.show_state(replace(self.state, sorting=sorting))
