"""The part of the characters screen that tells what was changed of the one under the cursor, and takes it back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from textual import on
from textual.message import Message

from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.characters.costing import CostingScreen
from chartui.tui.screens.characters.history_pane import Past, PastView
from chartui.tui.screens.characters.state import Pane

__all__ = ["RecallingScreen"]

#: Deeds of one character that are listed; the history of the profile has them all.
_LISTED = 200


class RecallingScreen(CostingScreen):
    """Reads the journal for the character under the cursor, while its history is looked at."""

    @dataclass
    class Recalled(Message):
        """The journal was read, or could not be."""

        past: Past

    def settle(self) -> None:
        """Something may have been changed since."""
        super().settle()
        current = self.current
        if self.state.pane is Pane.HISTORY and current is not None:
            name = current.character_name or current.character_id
            self.start(partial(self._recall, current.character_id, name), group="past")

    async def _recall(self, character_id: str, name: str) -> None:
        from chartui.core.plans.history import deeds

        journal, place = self.session.journal, self.session.profile.place
        past = Past(character_id, name, elsewhere=self.elsewhere(character_id))
        try:
            found = await deeds(journal, place, limit=_LISTED, character_id=character_id, of=lambda _: name)
            self.post_message(self.Recalled(past._replace(deeds=found)))
        except ServiceError as error:
            self.post_message(self.Recalled(past._replace(error=error.message)))

    @on(Recalled)
    def _recalled(self, message: Recalled) -> None:
        self.state = replace(self.state, past=message.past)
        self._show_past()

    def show_panes(self) -> None:
        """Show what was changed, as far as that was read."""
        super().show_panes()
        self._show_past()

    def _show_past(self) -> None:
        note, past, current = self.why_nothing, self.state.past, self.current
        if past is not None and (current is None or past.character_id != current.character_id):
            past = None
        if past is None:
            self.detail.past.show_past(None, note=note or "Reading the history…")
        elif past.error:
            self.detail.past.show_past(None, note=f"{GLYPHS.danger} {past.error}")
        else:
            keymap = self.workbench.keymap
            enter, key = keymap.sign("enter"), keymap.label("undo")
            keys = f"{enter} shows what was changed{f', {key} takes it back' if key else ''}."
            self.detail.past.show_past(past, note=note or (keys if past.deeds else ""))

    @on(PastView.UndoWanted)
    def _take_back(self, message: PastView.UndoWanted) -> None:
        from chartui.tui.shell.history import take_back

        current = self.current
        name = single_line(current.character_name or current.character_id) if current is not None else ""
        self.workbench.start(partial(take_back, target=message.deed.name, of=lambda _: name))
