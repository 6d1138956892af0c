"""The part of the characters screen that shows a record: in groups, as the JSON that it is, and on a card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual import on
from textual.widgets import Input

from chartui.core.characters.card import Card, Origin, card_of
from chartui.core.characters.record import Search
from chartui.core.clock import system_clock
from chartui.core.jsontext import dumps
from chartui.core.text import single_line
from chartui.tui.screens.characters.reading import ReadingScreen
from chartui.tui.screens.characters.state import Pane
from chartui.tui.widgets.find import FindBox, Searched
from chartui.tui.widgets.screen import Copyable

__all__ = ["RecordingScreen"]


class RecordingScreen(ReadingScreen):
    """Looks for something in a record, folds it, and gives parts of it to be taken along."""

    def __init__(self) -> None:
        super().__init__()
        self._raw_of: str | None = None
        self._sought: Searched[object] | None = None

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_panes(self) -> None:
        """Show the record as JSON while that is what is looked at."""
        super().show_panes()
        if self._sought is not None and self._sought is not self.detail.pane(self.state.pane):
            self._stop_looking()
        if self.state.pane is Pane.RAW:
            there = self._is_read
            self.detail.raw.show(
                self.state.record if there else None,
                note="" if there else self.why_nothing or "Reading the record…",
                same=self._raw_of == self.state.shown,
            )
            self._raw_of = self.state.shown if there else None

    @property
    def _is_read(self) -> bool:
        """Whether the record of the character under the cursor is there."""
        return self.current is not None and self.current.character_id == self.state.shown and bool(self.state.record)

    # -- looking for something ----------------------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Look for something in the record while keys go there; else in the list."""
        pane = self.detail.pane(self.state.pane)
        if self.detail.has_focus_within and isinstance(pane, Searched):
            self._sought = pane
            self.detail.add_class("-finding")
            self.detail.find.focus()
            self._look()
        else:
            super().action_filter()

    def _look(self) -> None:
        if self._sought is not None:
            self._sought.look_for(Search(self.detail.find.value))

    def _stop_looking(self) -> None:
        sought, self._sought = self._sought, None
        self.detail.remove_class("-finding")
        if sought is not None:
            sought.look_for(Search(""))

    @on(Input.Changed, "#find")
    def _typed(self) -> None:
        self._look()

    @on(Input.Submitted, "#find")
    def _wanted(self) -> None:
        if self._sought is not None:
            self._sought.next_hit(1)

    @on(FindBox.Go)
    def _went(self, message: FindBox.Go) -> None:
        if self._sought is not None:
            self._sought.next_hit(message.step)

    def action_leave(self) -> None:
        """End looking for something; else from the record to the list, or out of the filter."""
        if self._sought is None or not self.detail.has_focus_within:
            super().action_leave()
            return
        self._sought.focus()
        self._stop_looking()

    # -- folding ------------------------------------------------------------------------------------------------------

    def action_step(self, step: int) -> None:
        """Unfold or fold the node under the cursor, while the record is shown as JSON."""
        if self.state.pane is Pane.RAW:
            if step > 0:
                self.detail.raw.unfold()
            else:
                self.detail.raw.fold()

    def action_fold_all(self) -> None:
        """Fold the whole record."""
        self.open_pane(Pane.RAW)
        self.detail.raw.fold_all()

    def action_unfold_all(self) -> None:
        """Unfold the whole record."""
        self.open_pane(Pane.RAW)
        self.detail.raw.unfold_all()

    # -- taking along -------------------------------------------------------------------------------------------------

    def card(self, *, with_texts: bool = False) -> Card | None:
        """The card of the character under the cursor, where its record has been read."""
        if not self._is_read:
            return None
        state, session = self.state, self.session
        origin = Origin(session.profile.name, session.where, system_clock())
        return card_of(state.record, state.settings_read, origin, known_here=state.known_here, with_texts=with_texts)

    def action_show_card(self) -> None:
        """Show the card of the character under the cursor, reading its record first where that was not done."""
        if self._is_read:
            self._open_card()
        else:
            self.once_read(self._open_card)

    def _open_card(self) -> None:
        from chartui.tui.screens.characters.card import CardDialog

        if self._is_read:
            self.app.push_screen(CardDialog(self.card))
        else:
            self.workbench.tell("This character is not there any more.", severity="warning")

    def copy_choices(self) -> Sequence[Copyable]:
        """What is under the cursor of the pane that keys go to, and the card, besides the rest."""
        card, whole = self.card(), self.card(with_texts=True)
        cards = [
            *([Copyable("Card for a ticket", str(card))] if card else []),
            *([Copyable("Card with its texts", str(whole))] if whole else []),
        ]
        return [*self._under_the_cursor(), *super().copy_choices(), *cards]

    def _under_the_cursor(self) -> Iterator[Copyable]:
        record, raw = self.detail.record, self.detail.raw
        if record.has_focus and record.entry is not None and record.entry.copied is not None:
            yield Copyable(f"Value of {single_line(record.entry.label, limit=40)}", record.entry.copied)
        elif raw.has_focus and raw.place is not None:
            value = raw.value
            if isinstance(value, str):
                yield Copyable("The text under the cursor", value)
            yield Copyable("What is under the cursor, as JSON", dumps(value, indent=2), ".json")
            if raw.path:
                yield Copyable("Its path", raw.path)
