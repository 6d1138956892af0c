"""The part of the characters screen that lists them: read, filtered, and what the list says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from chartui.core.service import summary_of
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character, CharacterSummary
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.screens.characters.listing import columns, emptiness
from chartui.tui.screens.characters.state import CharactersState, searched
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.line_list import LineList
from chartui.tui.widgets.list_screen import ListScreen

__all__ = ["BrowsingScreen"]


class BrowsingScreen(ListScreen):
    """The list of characters; a subclass shows the one under the cursor."""

    @dataclass
    class Listed(Message):
        """The list was read, or could not be."""

        summaries: Sequence[CharacterSummary] = ()
        records: Mapping[str, Character] = field(default_factory=dict)
        error: ServiceError | None = None

    def __init__(self) -> None:
        super().__init__()
        self.state = CharactersState()
        self._listed_once = asyncio.Event()

    def compose_list(self) -> Iterable[Widget]:
        """The panel with the list."""
        left = Vertical(id="left", classes="panel")
        left.border_title = Content("Characters")
        with left:
            yield FilterBox("filter: name, id, model, language", id="filter")
            self._list: LineList[CharacterSummary] = LineList(
                columns(self.is_staged),
                key=lambda s: s.character_id,
                marked=lambda s: self.is_selected(s.character_id),
                id="list",
            )
            yield self._list

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

    # -- reading ------------------------------------------------------------------------------------------------------

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read the list; the cursor stays on its character."""
        if refresh:
            self.forget()
        self.show_state(replace(self.state, loading=True))
        try:
            if self.service.embedded:
                message = self.Listed(await self.service.summaries())
            else:
                records = await self.service.characters()
                summaries = [summary_of(r) for r in records]
                message = self.Listed(summaries, {r.character_id: r for r in records})
        except ServiceError as error:
            message = self.Listed(error=error)
        self.post_message(message)

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
            summaries=message.summaries,
            texts=[searched(s) for s in message.summaries],
            records=message.records,
            loading=False,
            error=None,
        )
        self.show_state(state, keep=self.workbench.character if first else None)
        self.read_record()

    def read_record(self) -> None:
        """Read what is shown of the character under the cursor, when that is in sight."""
        raise NotImplementedError

    # -- showing ------------------------------------------------------------------------------------------------------

    def search(self, query: str) -> None:
        """List only what matches."""
        self.show_state(replace(self.state, query=query))

    def show_state(self, state: CharactersState, *, keep: str | None = None) -> None:
        """Show another list; the cursor stays on its character, or goes to the one whose id is ``keep``."""
        self.state = state
        matching = state.matching()
        self._list.empty = emptiness(state)
        self._list.show(matching, keep=keep)
        of = f" of {count(len(state.summaries))}" if len(matching) != len(state.summaries) else ""
        notes = [*self.list_notes(), f"{count(len(matching))}{of}"]
        self.query_one("#left").border_subtitle = Content(" · ".join(notes))
        if state.summaries and not matching:
            self.show_nothing("No character to show.")

    def list_notes(self) -> Sequence[str]:
        """What is to be known of the list besides how long it is."""
        return [f"{GLYPHS.danger} not read again"] if self.state.error and self.state.summaries else []

    def show_nothing(self, note: str) -> None:
        """Say why no character is shown beside the list."""
        raise NotImplementedError

    def action_open_narrative(self) -> None:
        """Go to the narrative graph of the character under the cursor."""
        if self.current is not None:
            self.workbench.show_narrative_of(self.current.character_id)
