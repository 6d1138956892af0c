"""The part of the characters screen that shows the one under the cursor: its record, read and in panes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from textual import on
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from chartui.core.character import Reading, models_of, read_character
from chartui.core.characters.models import Models
from chartui.core.characters.record import grouped
from chartui.core.reproduce import as_json
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.characters.detail import Detail
from chartui.tui.screens.characters.selecting import SelectingScreen
from chartui.tui.screens.characters.state import Pane
from chartui.tui.widgets.border import room_on_border, write_on_border
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable

if TYPE_CHECKING:
    from chartui.tui.screens.characters.seeing import Sight

__all__ = ["LOOKED_AT", "ReadingScreen"]

#: Seconds that a character is in sight before it counts as seen: what is passed by on the way is not.
LOOKED_AT: Final = 2.0


class ReadingScreen(SelectingScreen):
    """Reads the character under the cursor and turns its panes.

    A subclass that fills a pane does so in :meth:`show_panes`; what has to be asked when a character was read, it asks
    in :meth:`settle`.
    """

    @dataclass
    class Read(Message):
        """A record with its settings was read, or could not be."""

        character_id: str
        reading: Reading | None = None
        models: Models | None = None
        error: ServiceError | None = None

    def __init__(self) -> None:
        super().__init__()
        self.detail = Detail()
        self._ask_models = True
        self._looking: Timer | None = None
        self._awaited: tuple[str, Callable[[], None]] | None = None

    def beside(self) -> Widget:
        """The panes."""
        return self.detail

    # -- reading ------------------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """What the service said of its models is remembered until somebody wants to know better."""
        self._ask_models = True

    def list_was_read(self) -> None:
        """Show the one under the cursor as it is now."""
        super().list_was_read()
        self.read_record()

    def read_record(self) -> None:
        """Read the record under the cursor, when it is in sight."""
        # Asked of the classes and not of the style, which follows them only with the next picture.
        in_sight = not self.has_class("-narrow") or self.has_class("-detail")
        if self.current is not None and in_sight:
            self._start_fetch(self.current.character_id)

    def _start_fetch(self, character_id: str) -> None:
        self.start(partial(self._fetch, character_id), group="record", title="Loading record")

    def once_read(self, do: Callable[[], None]) -> None:
        """Read the character under the cursor, in sight or not, and then ``do`` something, if it is still there."""
        if self.current is not None:
            character_id = self.current.character_id
            self._awaited = (character_id, do)
            self._start_fetch(character_id)

    async def _fetch(self, character_id: str) -> None:
        try:
            record, session = self.state.records.find(character_id), self.session
            service = self.watched_service("record")
            reading = await read_character(
                service, session.journal, session.profile.place, character_id, record
            ) or Reading({}, None, {}, {})
            models = self.state.models
            if self._ask_models and self.state.pane in (Pane.SETTINGS, Pane.COST):
                models = await models_of(service, character_id)
                self._ask_models = False
        except ServiceError as error:
            self.post_message(self.Read(character_id, error=error))
            return
        if reading.record:
            await self.sight.look(character_id, reading)
        self.post_message(self.Read(character_id, reading, models))

    def _repeated(self, character_id: str) -> str:
        """What to say of a record that gives members more than once (decision 73); empty for any other."""
        names = self.state.records.repeated(character_id)
        return f"Given more than once, the last value is shown: {single_line(', '.join(names))}." if names else ""

    @on(Read)
    def _record_read(self, message: Read) -> None:
        current = self.current
        if current is None or current.character_id != message.character_id:
            return
        note = message.error.message if message.error else ""
        same, reading = self.state.shown == message.character_id, message.reading
        groups = grouped(reading.record, reading.settings, reading.known_here) if reading is not None else ()
        told = self._repeated(message.character_id) or self.sight.text(message.character_id)
        fields = self.sight.marked(message.character_id, groups)
        self.detail.show_record(current.character_name or "", fields, note=note or told, same=same)
        self._look_at(message)
        self.state = replace(
            self.state,
            shown=message.character_id,
            record=reading.record if reading is not None else {},
            settings_read=reading.settings if reading is not None else None,
            now=reading.now if reading is not None else None,
            known_here=reading.known_here if reading is not None else {},
            note=note,
            models=message.models or self.state.models,
        )
        self.judge_models()
        self.settle()
        self._go_on(message)

    def _go_on(self, message: Read) -> None:
        """Do what waited for the character to be read; where it cannot be, say why."""
        awaited, self._awaited = self._awaited, None
        if awaited is None or awaited[0] != message.character_id:
            return
        if message.error is not None:
            self.workbench.tell_failure(message.error)
        else:
            awaited[1]()

    def show_loading(self) -> None:
        """Show what is asked about the character as well."""
        super().show_loading()
        groups = ["record", "cost"]
        if self.has_class("-narrow"):  # the list, which says it otherwise, is not in sight
            groups.append("comparison")
        write_on_border(self.detail, self.loading_text(*groups, width=room_on_border(self.detail)))

    def read_canceled(self, group: str) -> None:
        """Say in the panes that nothing was read."""
        super().read_canceled(group)
        if group == "record" and self.current is not None:
            self.post_message(self.Read(self.current.character_id, error=self.canceled_error("record")))

    # -- what was last seen -------------------------------------------------------------------------------------------

    @cached_property
    def sight(self) -> Sight:
        """What was last seen on this machine."""
        from chartui.tui.screens.characters.seeing import Sight

        return Sight(self.session, self.workbench.opening.clock, self._not_remembered)

    def _look_at(self, message: Read) -> None:
        """Let what was read count as seen, once it was in sight for a while."""
        if self._looking is not None:
            self._looking.stop()
        self._looking = self.set_timer(LOOKED_AT, partial(self._looked_at, message)) if message.reading else None

    def _looked_at(self, message: Read) -> None:
        reading, current = message.reading, self.current
        in_sight = not self.has_class("-narrow") or self.has_class("-detail")
        if not in_sight or current is None or current.character_id != message.character_id:
            return
        if reading is not None and reading.record:
            name = current.character_name or ""
            self.start(partial(self.sight.remember, message.character_id, name, reading), group="seen")

    def _not_remembered(self, error: ServiceError) -> None:
        self.workbench.tell(error.message, title="What was last seen is not known", severity="warning")

    def elsewhere(self, character_id: str) -> str:
        """What was changed of a character, but not from here, in a sentence; empty for nothing that is known."""
        told = self.sight.text(character_id, where=" elsewhere")
        return f"{told} Nobody here knows more of it." if told else ""

    # -- showing ------------------------------------------------------------------------------------------------------

    @property
    def why_nothing(self) -> str:
        """Why nothing can be shown of the character under the cursor; empty where it can, or is being read."""
        current = self.current
        return self.state.note if self.state.shown == (current.character_id if current is not None else None) else ""

    def settle(self) -> None:
        """Show what is known of the character under the cursor now, and ask for the rest."""
        self.show_panes()

    def show_panes(self) -> None:
        """Show in every pane what is known of the character under the cursor, or why that is nothing."""
        self.detail.show_tabs(self.state.pane, self.marks(), self.workbench.keymap.label)

    def marks(self) -> Mapping[Pane, str]:
        """What waits in the panes; in the record, how much of it changed since it was last seen."""
        number = self.sight.count(self.state.shown) if self.state.shown is not None else 0
        return {Pane.RECORD: f"{GLYPHS.differs}{number}"} if number else {}

    def show_nothing(self, note: str) -> None:
        """Say in every pane why no character is shown."""
        self.state = replace(self.state, shown=None, note=note)
        self.detail.show_record("", (), note=note)
        self.show_panes()

    def refresh_bars(self) -> None:
        """The lock may be another."""
        super().refresh_bars()
        self.show_panes()

    def copy_choices(self) -> Sequence[Copyable]:
        """The character under the cursor, and its record where that has been read."""
        current = self.current
        if current is None:
            return ()
        choices = [Copyable("Id", current.character_id)]
        if current.character_name:
            choices.append(Copyable("Name", current.character_name))
        if self.state.shown == current.character_id and self.state.record:
            choices.append(Copyable("The record as JSON", as_json(self.state.record), ".json"))
        return choices

    # -- what the user does -------------------------------------------------------------------------------------------

    @on(LineView.Rested, "#list")
    def _rested(self) -> None:
        self.read_record()

    @on(LineView.Chosen, "#list")
    def _chosen(self) -> None:
        self.action_open_record()

    def action_open_record(self) -> None:
        """Go to the pane of the character under the cursor that was shown last."""
        self.open_pane(self.state.pane)

    def action_open_pane(self, pane: str) -> None:
        """Go to a pane of the character under the cursor."""
        self.open_pane(Pane(pane))

    def action_turn_pane(self, step: int) -> None:
        """Show the next or the previous pane; the focus stays in the list where both are in sight."""
        panes = list(Pane)
        pane = panes[(panes.index(self.state.pane) + step) % len(panes)]
        if not self.has_class("-narrow") and not self.detail.has_focus_within:
            self._turn_to(pane)
            self.read_record()
        else:
            self.open_pane(pane)

    def open_pane(self, pane: Pane) -> None:
        """Go to a pane of the character under the cursor."""
        if self.current is None:
            return
        self._turn_to(pane)
        self.add_class("-detail")
        self.detail.pane(pane).focus()
        self.read_record()

    def _turn_to(self, pane: Pane) -> None:
        self.state = replace(self.state, pane=pane)
        self.detail.show_pane(pane)
        self.show_panes()
