"""The part of the characters screen that lists them: read, filtered, sorted, and what the list says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from rich.cells import cell_len
from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from chartui.core.characters.finder import Finder, Sorting
from chartui.core.characters.models import from_catalogue
from chartui.core.clock import age_text
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.core.spec.records import Records
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.screens.characters.listing import Legend, Mode, columns, emptiness, sorting_text
from chartui.tui.screens.characters.state import CharactersState
from chartui.tui.wait import Stoppable
from chartui.tui.widgets.border import room_on_border, write_on_border
from chartui.tui.widgets.filter import FilterBox, FilterCursor
from chartui.tui.widgets.line_list import Column, LineList
from chartui.tui.widgets.list_screen import ListScreen

__all__ = ["BrowsingScreen"]

#: Seconds after which the age of a list is told anew: each until it is sixty of them old.
AGE_STEPS: Final = (60.0, 3600.0, 86400.0)


class BrowsingScreen(ListScreen):
    """The list of characters; a subclass shows the one under the cursor."""

    @dataclass
    class Listed(Message):
        """The list was read, or could not be."""

        finder: Finder = field(default_factory=Finder)
        records: Records = field(default_factory=Records.none)
        error: ServiceError | None = None

    DEFAULT_CSS = """
    BrowsingScreen #filter-line { height: auto; background: $panel; }
    BrowsingScreen #filter { width: 1fr; }
    BrowsingScreen.-filtering #mode { display: block; }
    """

    DATA = "characters"
    READS = frozenset({"read", "record", "cost", "comparison"})

    def __init__(self) -> None:
        super().__init__()
        self.state = CharactersState()
        self._listed_once = asyncio.Event()
        self._ageing: Stoppable | None = None
        self._length = ""
        self._nobody = False

    def compose_list(self) -> Iterable[Widget]:
        """The panel with the list."""
        left = Vertical(id="left", classes="panel")
        left.border_title = Content("Characters")
        with left:
            with Horizontal(id="filter-line"):
                self._mode = Mode()
                yield self._mode
                yield FilterBox("name, id, traits, model:flash, openness>3", id="filter")
            self._list: LineList[CharacterSummary] = LineList(
                self._columns(self.state.sorting),
                key=lambda s: s.character_id,
                marked=lambda s: self.is_selected(s.character_id),
                id="list",
            )
            yield self._list
            self._legend = Legend()
            yield self._legend

    def _columns(self, sorting: Sorting) -> tuple[Column[CharacterSummary], ...]:
        return columns(sorting, is_staged=self.is_staged, is_gone=lambda s: self.state.finder.is_gone(s))

    def is_staged(self, character_id: str) -> bool:
        """Whether something of a character is not saved."""
        return character_id in self.state.staged

    def is_selected(self, character_id: str) -> bool:
        """Whether a character is one of several that are to be changed together."""
        raise NotImplementedError

    @property
    def current(self) -> CharacterSummary | None:
        """The character under the cursor."""
        return self._list.current

    @property
    def current_id(self) -> str | None:
        """The id of the character under the cursor."""
        return self.current.character_id if self.current is not None else None

    # -- reading ------------------------------------------------------------------------------------------------------

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read the list; the cursor stays on its character."""
        if refresh:
            self.forget()
        self.show_state(replace(self.state, loading=True, canceled=""))
        service = self.watched_service()
        try:
            if self.service.embedded:
                message = self.Listed(await self._found(await service.summaries()))
            else:
                records = await service.records()
                message = self.Listed(await self._found(records.summaries), records)
        except ServiceError as error:
            message = self.Listed(error=error)
        self.post_message(message)

    @property
    def filled(self) -> bool:
        """Whether there is a list from before."""
        return self.state.read_at is not None

    def show_loading(self) -> None:
        """Show it in place of the list, or below the one from before."""
        if not self.filled:
            self._list.show_empty(self._emptiness(self.state))
        self._show_notes()

    def read_canceled(self, group: str) -> None:
        """Say so in place of the list, where there is none from before."""
        super().read_canceled(group)
        if group == "read":
            self.show_state(replace(self.state, loading=False, canceled="" if self.filled else self.canceled()))

    async def _found(self, summaries: Sequence[CharacterSummary]) -> Finder:
        """A list, ready to be looked into for what is looked for at present; with the traits known so far."""
        before = self.state.finder
        finder = Finder(summaries, self._known_models(), before.traits)
        if self.state.query:
            await asyncio.to_thread(finder.prepare, fuzzy=self.state.fuzzy)
        return finder

    def _known_models(self) -> frozenset[str]:
        """The models there are, as the service said, or else as the catalogue does."""
        return frozenset(model.code for model in (self.state.models or from_catalogue()).all)

    def judge_models(self) -> None:
        """Mark whose model is gone anew, where it was found out now which models there are."""
        known, finder = self._known_models(), self.state.finder
        self._legend.show(sure=self.state.models is not None and self.state.models.sure)
        if known != finder.known:
            self.show_state(replace(self.state, finder=finder.judged_by(known)))

    def forget(self) -> None:
        """Ask anew for what is remembered otherwise; lists are never cached."""
        raise NotImplementedError

    @on(Listed)
    def _listed(self, message: Listed) -> None:
        self._listed_once.set()
        if message.error is not None:
            self.show_state(replace(self.state, loading=False, error=message.error))
            if self.state.summaries:
                self.workbench.tell_failure(message.error, kept="The list is the last one that was read.")
            return
        first = not self.state.summaries
        state = replace(
            self.state,
            finder=message.finder,
            described=False,
            read_at=self.workbench.connection.ticks(),
            records=message.records,
            loading=False,
            error=None,
        )
        if first and state.query.strip():
            self.filter_cursor = FilterCursor(self.workbench.character)
            self.show_filtered(state)
        else:
            self.show_state(state, keep=self.workbench.character if first else None)
        self._grow_old()
        self.list_was_read()

    def list_was_read(self) -> None:
        """What is to be done with a list that was just read."""

    # -- how old it is ------------------------------------------------------------------------------------------------

    def name_known(self, character_id: str) -> str:
        """What the list says."""
        names = (s.character_name for s in self.state.summaries if s.character_id == character_id)
        return next(names, None) or ""

    def _age(self) -> float:
        """Seconds since the list was read."""
        return self.workbench.connection.ticks() - (self.state.read_at or 0.0)

    def _grow_old(self) -> None:
        """Say how old the list is, now and when that is another word."""
        if self._ageing is not None:
            self._ageing.stop()
        self._show_notes()
        step = next(step for step in AGE_STEPS if self._age() < step * 60 or step is AGE_STEPS[-1])
        self._ageing = self.workbench.connection.later(step - self._age() % step, self._grow_old)

    async def on_unmount(self) -> None:
        """Nobody wants to know any more."""
        if self._ageing is not None:
            self._ageing.stop()

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_filtered(self, state: CharactersState) -> None:
        """Show the list after its filter changed, the cursor on the first match; without a filter where it was."""
        first = next((summary.character_id for summary in state.matching()), None)
        narrowed = bool(state.query.strip())
        self.filter_cursor = self.filter_cursor.turned(self.current_id, first, narrowed=narrowed)
        self.show_state(state, keep=self.filter_cursor.wanted)

    def show_state(self, state: CharactersState, *, keep: str | None = None) -> None:
        """Show another list; the cursor stays on its character, or goes to the one whose id is ``keep``."""
        self.state = state
        matching = state.matching()
        self._list.empty = self._emptiness(state)
        self._list.awaiting = state.loading and not state.summaries
        self._list.show(matching, keep=keep)
        of = f" of {count(len(state.summaries))}" if len(matching) != len(state.summaries) else ""
        self._length = f"{count(len(matching))}{of}"
        self._mode.show(fuzzy=state.fuzzy)
        self._show_notes()
        if state.summaries and not matching:
            self._nobody = True
            self.show_nothing("No character to show.")
        elif self._nobody and matching:  # somebody is under the cursor again, which has not moved
            self._nobody = False
            self._list.rest()

    def _emptiness(self, state: CharactersState) -> str:
        return emptiness(state, self.loading_text("read", width=self._list.size.width - 3))

    def _show_notes(self) -> None:
        order = "best first" if self.state.fuzzy and self.state.query.strip() else sorting_text(self.state.sorting)
        panel = self.query_one("#left")
        if not self.filled:
            notes = [self._length] if self.state.query else []
        elif loading := self.loading_text(
            "read", "comparison", width=room_on_border(panel) - cell_len(self._length) - 3
        ):
            notes = [loading, self._length]
        else:
            notes = [order, *self.list_notes(), self._length]
        write_on_border(panel, " · ".join(filter(None, notes)))

    def list_notes(self) -> Sequence[str]:
        """What is to be known of the list besides how long it is."""
        if self.state.read_at is None:
            return []
        late = [f"{GLYPHS.danger} not read again"] if self.state.error else []
        return [*late, "just read" if self._age() < AGE_STEPS[0] else f"read {age_text(self._age())}"]

    def show_nothing(self, note: str) -> None:
        """Say why no character is shown beside the list."""
        raise NotImplementedError

    def action_open_narrative(self) -> None:
        """Go to the narrative graph of the character under the cursor."""
        if self.current is not None:
            self.workbench.show_narrative_of(self.current.character_id)
