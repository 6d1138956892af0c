"""The characters: a list to filter, and every field of the one under the cursor."""

from __future__ import annotations

import asyncio
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

from chartui.core.characters.models import Models
from chartui.core.characters.record import grouped
from chartui.core.plans.settings import MEMBERS, Staged
from chartui.core.plans.wording import LABELS
from chartui.core.reading import Reading, models_of, read_character
from chartui.core.reproduce import as_json
from chartui.core.service import summary_of
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character, CharacterSummary
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.screens.characters.costing import CostingScreen
from chartui.tui.screens.characters.detail import Detail
from chartui.tui.screens.characters.keeping import Keeper
from chartui.tui.screens.characters.listing import columns, emptiness
from chartui.tui.screens.characters.saving import save, two_drafts
from chartui.tui.screens.characters.settings import SettingsForm
from chartui.tui.screens.characters.state import CharactersState, Pane, Shown, searched
from chartui.tui.widgets.confirm import Confirm
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.line_list import LineList
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable

__all__ = ["CharactersScreen", "CharactersState"]


class CharactersScreen(CostingScreen):
    """List and detail side by side; in a narrow window one at a time."""

    SCOPE = "characters"
    AUTO_FOCUS = "#list"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("characters")
    DEFAULT_CSS = """
    CharactersScreen #left { width: 1fr; }
    CharactersScreen #detail { display: none; width: 1fr; }
    CharactersScreen.-wide #left { width: 54; }
    CharactersScreen.-wide #detail { display: block; }
    CharactersScreen.-narrow.-detail #left { display: none; }
    CharactersScreen.-narrow.-detail #detail { display: block; }
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
        """A record with its settings was read, or could not be."""

        character_id: str
        reading: Reading | None = None
        models: Models | None = None
        error: ServiceError | None = None

    @dataclass
    class Drafted(Message):
        """What was staged before was found."""

        staged: Mapping[str, Staged]

    def __init__(self) -> None:
        super().__init__()
        self.state = CharactersState()
        self._ask_models = True
        self._listed_once, self._drafts_read = asyncio.Event(), asyncio.Event()

    def compose_work(self) -> Iterable[Widget]:
        """The panes."""
        with Horizontal():
            left = Vertical(id="left", classes="panel")
            left.border_title = Content("Characters")
            with left:
                yield FilterBox("filter: name, id, model, language", id="filter")
                yield LineList[CharacterSummary](columns(self._is_staged), key=lambda s: s.character_id, id="list")
            self.detail = Detail()
            yield self.detail

    def _is_staged(self, character_id: str) -> bool:
        return character_id in self.state.staged

    def prepare(self) -> None:
        """Find the widgets once."""
        self._list: LineList[CharacterSummary] = self.query_one(LineList)
        session = self.workbench.session
        self._keeper = Keeper(session.drafts, session.profile.place, met=self._met, failed=self._not_kept)
        self._show(self.state)
        self.start(self._read_drafts, group="drafts")

    # -- reading ------------------------------------------------------------------------------------------------------

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read the list; the cursor stays on its character."""
        # Lists are never cached; what the service said of its models is, until somebody wants to know better.
        self._ask_models = self._ask_models or refresh
        if refresh:
            self.forget_costs()
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
        self._listed_once.set()
        if message.error is not None:
            self._show(replace(self.state, loading=False, error=message.error))
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
        self._show(state, keep=self.workbench.character if first else None)
        self._read_record()

    def _read_record(self) -> None:
        """Read the record under the cursor, when it is in sight."""
        current = self._list.current
        # Asked of the classes and not of the style, which follows them only with the next picture.
        in_sight = self.has_class("-wide") or self.has_class("-detail")
        if current is not None and in_sight:
            self.start(partial(self._fetch, current.character_id), group="record")

    async def _fetch(self, character_id: str) -> None:
        try:
            known, session = self.state.records.get(character_id), self.session
            record = known.raw if known is not None else None
            reading = await read_character(
                self.service, session.journal, session.profile.place, character_id, record
            ) or Reading({}, None, {}, {})
            models = self.state.models
            if self._ask_models and self.state.pane is not Pane.RECORD:
                models = await models_of(self.service, character_id)
                self._ask_models = False
        except ServiceError as error:
            self.post_message(self.Read(character_id, error=error))
            return
        self.post_message(self.Read(character_id, reading, models))

    @on(Read)
    def _record_read(self, message: Read) -> None:
        current = self._list.current
        if current is None or current.character_id != message.character_id:
            return
        note = message.error.message if message.error else ""
        same, reading = self.state.shown == message.character_id, message.reading
        groups = grouped(reading.record, reading.settings) if reading is not None else ()
        self.detail.show_record(current.character_name or "", groups, note=note, same=same)
        self.state = replace(
            self.state,
            shown=message.character_id,
            record=reading.record if reading is not None else {},
            now=reading.now if reading is not None else None,
            known_here=reading.known_here if reading is not None else {},
            models=message.models or self.state.models,
        )
        self._settle_on_now()
        self._show_settings(note)
        self.price_again()

    def _settle_on_now(self) -> None:
        """Drop of what is staged what somebody else has written meanwhile."""
        staged = self.state.staged.get(self.state.shown or "")
        if staged is not None and self.state.now is not None and staged.on(self.state.now) != staged:
            self._stage(staged.on(self.state.now))

    async def _read_drafts(self) -> None:
        try:
            self.post_message(self.Drafted(await self._keeper.load()))
        except ServiceError as error:
            self._drafts_read.set()
            self._not_kept(error)

    @on(Drafted)
    def _drafted(self, message: Drafted) -> None:
        self._drafts_read.set()
        if not message.staged:
            return
        self._show(replace(self.state, staged={**message.staged, **self.state.staged}))
        self._settle_on_now()
        self._show_settings()
        self.price_again()
        names = ", ".join(sorted(single_line(staged.name, limit=30) for staged in message.staged.values()))
        self.workbench.tell(f"Not saved yet, and kept: the changes of {names}. {GLYPHS.staged} marks them.")

    # -- showing ------------------------------------------------------------------------------------------------------

    def _show(self, state: CharactersState, *, keep: str | None = None) -> None:
        self.state = state
        matching = state.matching()
        self._list.empty = emptiness(state)
        self._list.show(matching, keep=keep)
        of = f" of {count(len(state.summaries))}" if len(matching) != len(state.summaries) else ""
        late = f"{GLYPHS.danger} not read again · " if state.error and state.summaries else ""
        self.query_one("#left").border_subtitle = Content(f"{late}{count(len(matching))}{of}")
        if state.summaries and not matching:
            self.detail.show_record("", (), note="No character to show.")
            self.detail.show_settings(state.pane, None, note="No character to show.")
            self.detail.cost.show_cost(None, note="No character to show.")

    def _show_settings(self, note: str = "") -> None:
        """Show the settings of the character under the cursor, once they were read."""
        self.detail.show_settings(self.state.pane, self.shown, note=note or "Reading the settings…")
        self.show_cost(note)

    @property
    def current(self) -> CharacterSummary | None:
        """The character under the cursor."""
        return self._list.current

    @property
    def shown(self) -> Shown | None:
        """The settings of the character under the cursor, once they were read."""
        current = self._list.current
        if current is None or current.character_id != self.state.shown:
            return None
        name = current.character_name or current.character_id
        return self.state.settings(name, locked=self._locked, kept=not self._keeper.failing)

    @property
    def _locked(self) -> bool:
        return self.workbench.session.read_only

    def refresh_bars(self) -> None:
        """The lock may be another."""
        super().refresh_bars()
        self._show_settings()

    # -- what the user does -------------------------------------------------------------------------------------------

    def copy_choices(self) -> Sequence[Copyable]:
        """The character under the cursor, its record where that has been read, and its cost while that is shown."""
        current = self._list.current
        if current is None:
            return ()
        choices = [Copyable("Id", current.character_id)]
        if current.character_name:
            choices.append(Copyable("Name", current.character_name))
        if self.state.shown == current.character_id and self.state.record:
            choices.append(Copyable("The record as JSON", as_json(self.state.record), ".json"))
        return [*choices, *self.cost_copies()]

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
        self.remove_class("-detail")
        self.add_class("-filtering")
        self.query_one("#filter").focus()

    def action_open_record(self) -> None:
        """Go to the detail of the character under the cursor."""
        self.open_pane(self.state.pane)

    def action_edit_settings(self) -> None:
        """Go to the settings of the character under the cursor."""
        self.open_pane(Pane.SETTINGS)

    def action_turn_pane(self, step: int) -> None:
        """Show the next or the previous pane of the detail."""
        panes = list(Pane)
        self.action_pane(panes[(panes.index(self.state.pane) + step) % len(panes)])

    def action_pane(self, pane: str) -> None:
        """Show a pane of the detail; the focus stays in the list where both are in sight."""
        if self.has_class("-wide") and not self.detail.has_focus_within:
            self._turn_to(Pane(pane))
            self._read_record()
        else:
            self.open_pane(Pane(pane))

    def open_pane(self, pane: Pane) -> None:
        """Go to a pane of the character under the cursor."""
        if self._list.current is None:
            return
        self._turn_to(pane)
        self.add_class("-detail")
        self.detail.pane(pane).focus()
        self._read_record()

    def _turn_to(self, pane: Pane) -> None:
        self.state = replace(self.state, pane=pane)
        self.detail.show_pane(pane)
        self._show_settings()

    def action_open_narrative(self) -> None:
        """Go to the narrative graph of the character under the cursor."""
        if self._list.current is not None:
            self.workbench.show_narrative_of(self._list.current.character_id)

    def action_leave(self) -> None:
        """From the record to the list; in the list, out of the filter."""
        filtered = self.query_one("#filter", Input)
        if self.detail.has_focus_within or self.has_class("-detail"):
            self.remove_class("-detail")
            self._list.focus()
        elif self.has_class("-filtering"):
            filtered.value = ""
            self.remove_class("-filtering")
            self._list.focus()

    # -- changing settings --------------------------------------------------------------------------------------------

    @on(SettingsForm.Edited)
    def _edited(self, message: SettingsForm.Edited) -> None:
        self._stage(message.staged)
        self._show_settings()

    def _stage(self, staged: Staged) -> None:
        """Keep what is staged, here and on the disk."""
        self.state = self.state.staging(staged)
        self._keeper.keep(staged)
        self._list.refresh()

    def _stage_over(self, staged: Staged) -> None:
        """Stage something else than what is shown."""
        self.detail.form.stop_typing()
        self._stage(staged)
        self._settle_on_now()
        self._show_settings()
        self.price_again()

    async def give(self, character_id: str, changes: Mapping[str, str]) -> bool:
        """Stage changes of a character and show its settings with them; tells whether there was anything to change.

        To be awaited in a worker. What is staged already stays. Nothing is sent, so the lock does not concern it.
        """
        await self._listed_once.wait()
        await self._drafts_read.wait()
        session, known = self.session, self.state.records.get(character_id)
        record = known.raw if known is not None else None
        try:
            reading = await read_character(self.service, session.journal, session.profile.place, character_id, record)
        except ServiceError as error:
            self.workbench.tell_failure(error)
            return False
        if reading is None or all(s.character_id != character_id for s in self.state.summaries):
            self.workbench.tell("This character is not there any more.", title="Not done", severity="warning")
            return False
        name = str(reading.record.get("character_name") or character_id)
        fresh = Staged(character_id=character_id, name=name, base=reading.now, changes={})
        before = self.state.staged.get(character_id, fresh).on(reading.now)
        after = before
        for member, text in changes.items():
            after = after.with_change(member, text)
        self.query_one("#filter", Input).value = ""
        self.remove_class("-filtering")
        self._show(replace(self.state, query=""), keep=character_id)
        self._stage_over(after)
        self.open_pane(Pane.SETTINGS)
        if after == before:
            self.workbench.tell(f"{single_line(name, limit=40)} has these settings already, or they wait to be saved.")
        return after != before

    def action_restore(self) -> None:
        """Take the change of one member back."""
        self.detail.form.restore()

    def action_keep_mine(self) -> None:
        """Keep a change over what was written elsewhere meanwhile."""
        self.detail.form.keep_mine()

    def action_step(self, step: int) -> None:
        """A little more or less, or the next or previous choice."""
        self.detail.form.step(step)

    def _staged_here(self) -> Shown | None:
        """The settings under the cursor, when something of them is staged; else says so."""
        shown = self.shown
        if shown is None or not shown.staged.changes:
            self.workbench.tell("There is nothing to save: no setting of this character is changed.")
            return None
        return shown

    def action_drop(self) -> None:
        """Ask whether to take all changes of the character back."""
        shown = self._staged_here()
        if shown is None:
            return
        members = ", ".join(LABELS[member] for member in shown.staged.changes)

        def answered(agreed: bool | None) -> None:
            if agreed:
                self._stage_over(shown.staged.without(*MEMBERS))

        title = f"Drop the changes of {single_line(shown.name, limit=30)}"
        self.app.push_screen(Confirm(title, f"Staged: {members}.", "Drop them"), answered)

    def action_save(self) -> None:
        """Save what is staged for the character under the cursor."""
        if self._locked:
            self.workbench.tell("This profile is read-only: nothing was sent. What is staged is kept.")
        elif (shown := self._staged_here()) is not None:
            self.start(partial(self._save, shown), group="save")

    async def _save(self, shown: Shown) -> None:
        left = await save(self.workbench, shown)
        if left != shown.staged:
            if self.state.shown == left.character_id and self.state.now is not None:
                # Keys may come before it is read back, and one's own change is nobody else's.
                saved = shown.staged.saved(*(shown.staged.changes.keys() - left.changes.keys()))
                self.state = replace(self.state, now={**self.state.now, **saved})
            self._stage(left)
            self._show_settings()

    # -- keeping what is staged ---------------------------------------------------------------------------------------

    def _not_kept(self, error: ServiceError) -> None:
        self.workbench.tell(
            f"{error.message} What is staged is on the screen only, until it is saved.",
            title="No draft is kept",
            severity="error",
        )
        self._show_settings()

    def _met(self, mine: Staged, theirs: Staged | None) -> None:
        """Another program has changed the draft: the user says which one counts."""
        if (theirs.changes if theirs is not None else {}) == mine.changes:
            self._keeper.seen(mine.character_id)
            return

        def chosen(key: str | None) -> None:
            if key is None:
                return
            self._keeper.seen(mine.character_id)
            other = theirs if theirs is not None else mine.without(*MEMBERS)
            self._stage_over(mine if key == "mine" else other)

        self.app.push_screen(two_drafts(mine, theirs), chosen)

    def leaving(self) -> str:
        """What is not saved yet, for whoever is about to leave."""
        number = len(self.state.staged)
        if not number:
            return ""
        whose = "1 character" if number == 1 else f"{number} characters"
        return f"Changes of {whose} are not saved. They are kept, and here again next time."

    async def on_unmount(self) -> None:
        """Leave no draft unwritten."""
        await self._keeper.settled()
