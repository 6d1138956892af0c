"""The characters: a list to filter, and every field of the one under the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from chartui.core.characters.record import grouped
from chartui.core.fields import Group
from chartui.core.jsontext import Wire
from chartui.core.reproduce import as_json
from chartui.core.service import summary_of
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character, CharacterSettings, CharacterSummary
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.line_list import Column, LineList
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import WorkScreen

__all__ = ["CharactersScreen", "CharactersState"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CharactersState:
    """What was read, what is filtered for, and which record is shown.

    ``texts`` holds the searched text of each summary, in the same order. ``records`` is filled where the list came
    with whole records (a remote service). ``record`` is the one of the character ``shown``, as it came.
    """

    summaries: Sequence[CharacterSummary] = ()
    texts: Sequence[str] = ()
    records: Mapping[str, Character] = field(default_factory=dict)
    query: str = ""
    loading: bool = True
    error: ServiceError | None = None
    shown: str | None = None
    record: Mapping[str, Wire] = field(default_factory=dict)

    def matching(self) -> Sequence[CharacterSummary]:
        """The summaries in which every word of the query occurs."""
        words = self.query.casefold().split()
        if not words:
            return self.summaries
        pairs = zip(self.summaries, self.texts, strict=True)
        return [summary for summary, text in pairs if all(word in text for word in words)]


def _searched(summary: CharacterSummary) -> str:
    parts = (summary.character_name, summary.character_id, summary.model, summary.language_code)
    return "\n".join(part for part in parts if part).casefold()


def _marks(summary: CharacterSummary) -> str:
    narrative = GLYPHS.narrative if summary.is_narrative_driven else " "
    memory = GLYPHS.memory if summary.memory_enabled else " "
    return f"{narrative} {memory}"


_COLUMNS: tuple[Column[CharacterSummary], ...] = (
    Column("Name", lambda s: s.character_name or "(no name)"),
    Column("Model", lambda s: s.model or "–", 22, role="label", rank=1),
    Column("Lang", lambda s: s.language_code or "–", 6, role="label"),
    Column(f"{GLYPHS.narrative} {GLYPHS.memory}", _marks, 3, role="latency"),
)


class CharactersScreen(WorkScreen):
    """List and record side by side; in a narrow window one at a time."""

    SCOPE = "characters"
    AUTO_FOCUS = "#list"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("characters")
    DEFAULT_CSS = """
    CharactersScreen #left { width: 1fr; }
    CharactersScreen #record { display: none; width: 1fr; }
    CharactersScreen.-wide #left { width: 54; }
    CharactersScreen.-wide #record { display: block; }
    CharactersScreen.-narrow.-record #left { display: none; }
    CharactersScreen.-narrow.-record #record { display: block; }
    CharactersScreen #filter { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    CharactersScreen.-filtering #filter { display: block; }
    CharactersScreen #list { height: 1fr; }
    """

    @dataclass
    class Listed(Message):
        """The list was read, or could not be."""

        summaries: Sequence[CharacterSummary] = ()
        records: Mapping[str, Character] = field(default_factory=dict)
        error: ServiceError | None = None

    @dataclass
    class Read(Message):
        """A record was read, or could not be."""

        character_id: str
        groups: Sequence[Group] = ()
        record: Mapping[str, Wire] = field(default_factory=dict)
        error: ServiceError | None = None

    def __init__(self) -> None:
        super().__init__()
        self.state = CharactersState()

    def compose_work(self) -> Iterable[Widget]:
        """The panes."""
        with Horizontal():
            left = Vertical(id="left", classes="panel")
            left.border_title = Content("Characters")
            with left:
                yield FilterBox("filter: name, id, model, language", id="filter")
                yield LineList[CharacterSummary](_COLUMNS, key=lambda s: s.character_id, id="list")
            record = FieldsView(id="record")
            record.add_class("panel")
            record.border_title = Content("Record")
            yield record

    def prepare(self) -> None:
        """Find the widgets once."""
        self._list: LineList[CharacterSummary] = self.query_one(LineList)
        self._record = self.query_one(FieldsView)
        self._show(self.state)

    # -- reading ------------------------------------------------------------------------------------------------------

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read the list; the cursor stays on its character."""
        del refresh  # lists are never cached
        self._show(replace(self.state, loading=True))
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

    @on(Listed)
    def _listed(self, message: Listed) -> None:
        if message.error is not None:
            self._show(replace(self.state, loading=False, error=message.error))
            if self.state.summaries:
                self.workbench.tell_failure(message.error, kept="The list is the last one that was read.")
            return
        first = not self.state.summaries
        state = replace(
            self.state,
            summaries=message.summaries,
            texts=[_searched(s) for s in message.summaries],
            records=message.records,
            loading=False,
            error=None,
        )
        self._show(state, keep=self.workbench.character if first else None)
        self._read_record()

    def _read_record(self) -> None:
        """Read the record under the cursor, when it is in sight."""
        current = self._list.current
        # Asked of the classes and not of the style, which follows them only with the next picture.
        in_sight = self.has_class("-wide") or self.has_class("-record")
        if current is not None and in_sight:
            self.start(partial(self._fetch, current.character_id), group="record")

    async def _fetch(self, character_id: str) -> None:
        try:
            known = self.state.records.get(character_id)
            settings: CharacterSettings | None = None
            if known is None:
                known = await self.service.character(character_id)
                settings = await self.service.settings(character_id)
        except ServiceError as error:
            self.post_message(self.Read(character_id, error=error))
            return
        raw = known.raw if known is not None else {}
        self.post_message(self.Read(character_id, grouped(raw, settings.raw if settings else None), raw))

    @on(Read)
    def _record_read(self, message: Read) -> None:
        current = self._list.current
        if current is None or current.character_id != message.character_id:
            return
        note = message.error.message if message.error else ""
        self._record.show(message.groups, note=note, same=self.state.shown == message.character_id)
        self._record.border_title = Content(single_line(current.character_name or "Record", limit=60))
        self.state = replace(self.state, shown=message.character_id, record=message.record)

    # -- showing ------------------------------------------------------------------------------------------------------

    def _show(self, state: CharactersState, *, keep: str | None = None) -> None:
        self.state = state
        matching = state.matching()
        self._list.empty = self._emptiness(state)
        self._list.show(matching, keep=keep)
        of = f" of {count(len(state.summaries))}" if len(matching) != len(state.summaries) else ""
        late = f"{GLYPHS.danger} not read again · " if state.error and state.summaries else ""
        self.query_one("#left").border_subtitle = Content(f"{late}{count(len(matching))}{of}")
        if state.summaries and not matching:
            self._record.show((), note="No character to show.")

    def _emptiness(self, state: CharactersState) -> str:
        """What the list says when it is empty."""
        if state.error is not None:
            return f"{GLYPHS.danger} {state.error.message} F5 asks again."
        if state.loading:
            return "Reading the characters…"
        if state.summaries:
            return "No character matches. Escape clears the filter."
        return "This account has no characters yet."

    # -- what the user does -------------------------------------------------------------------------------------------

    def copy_choices(self) -> Sequence[tuple[str, str]]:
        """The character under the cursor, and its record where that has been read."""
        current = self._list.current
        if current is None:
            return ()
        choices = [("Id", current.character_id)]
        if current.character_name:
            choices.append(("Name", current.character_name))
        if self.state.shown == current.character_id and self.state.record:
            choices.append(("The record as JSON", as_json(self.state.record)))
        return choices

    @on(LineView.Rested, "#list")
    def _rested(self) -> None:
        self._read_record()

    @on(LineView.Chosen, "#list")
    def _chosen(self) -> None:
        self.action_open_record()

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        self._show(replace(self.state, query=event.value))

    @on(Input.Submitted, "#filter")
    def _submitted(self) -> None:
        self._list.focus()

    def action_filter(self) -> None:
        """Type to filter."""
        self.remove_class("-record")
        self.add_class("-filtering")
        self.query_one("#filter").focus()

    def action_open_record(self) -> None:
        """Go to the record of the character under the cursor."""
        if self._list.current is None:
            return
        self.add_class("-record")
        self._record.focus()
        self._read_record()

    def action_open_narrative(self) -> None:
        """Go to the narrative graph of the character under the cursor."""
        if self._list.current is not None:
            self.workbench.show_narrative_of(self._list.current.character_id)

    def action_leave(self) -> None:
        """From the record to the list; in the list, out of the filter."""
        filtered = self.query_one("#filter", Input)
        if self.focused is self._record or self.has_class("-record"):
            self.remove_class("-record")
            self._list.focus()
        elif self.has_class("-filtering"):
            filtered.value = ""
            self.remove_class("-filtering")
            self._list.focus()
