"""The part of the characters screen that changes settings: staged first, and saved when that is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from textual import on
from textual.widgets import Input

from chartui.core.character import read_character
from chartui.core.jsontext import Wire
from chartui.core.plans.settings import BACKSTORY, MEMBERS, Staged
from chartui.core.plans.wording import LABELS
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.screens.characters.drafting import DraftingScreen
from chartui.tui.screens.characters.saving import save
from chartui.tui.screens.characters.settings import SettingsForm
from chartui.tui.screens.characters.state import Pane, Shown
from chartui.tui.widgets.questions import Confirm

__all__ = ["EditingScreen"]


class EditingScreen(DraftingScreen):
    """Shows the settings, stages what is changed of them, and saves it."""

    # -- showing ------------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Look for the scene that the backstory shown is held against."""
        super().settle()
        if self.state.shown is not None and self.state.pane is Pane.SETTINGS:
            self.start(partial(self._read_scene, self.state.shown, self.state.record), group="scene")

    async def _read_scene(self, character_id: str, record: Mapping[str, Wire]) -> None:
        from chartui.tui.screens.characters.writing import declared_for

        declared = {**self.state.declared, character_id: await declared_for(self.workbench, character_id, record)}
        if declared != self.state.declared:
            self.state = replace(self.state, declared=declared)
            self.show_panes()

    def show_panes(self) -> None:
        """Show the settings, once they were read."""
        super().show_panes()
        self.detail.form.show_settings(self.shown, whose=self.current_id, note=self.why_nothing)

    # -- changing settings --------------------------------------------------------------------------------------------

    @on(SettingsForm.Edited)
    def _edited(self, message: SettingsForm.Edited) -> None:
        self._stage(message.staged, field=message.field)
        if message.staged is self.detail.form.staged:  # else more was typed, and is on its way here
            self.show_panes()

    @on(SettingsForm.ModelWanted)
    def _choose_model(self, message: SettingsForm.ModelWanted) -> None:
        from chartui.tui.screens.characters.model_chooser import OTHER_MODEL, choose_model

        def chosen(code: str | None) -> None:
            if code == OTHER_MODEL:
                self.detail.form.type_model()
            elif code is not None:
                self.detail.form.take_model(code)

        self.app.push_screen(choose_model(self.workbench, message.shown, self.state.record), chosen)

    async def give(self, character_id: str, changes: Mapping[str, str]) -> bool:
        """Stage changes of a character and show its settings with them; tells whether there was anything to change.

        To be awaited in a worker. What is staged already stays. Nothing is sent, so the lock does not concern it.
        """
        await self._listed_once.wait()
        await self._drafts_read.wait()
        session, record = self.session, self.state.records.find(character_id)
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
        self.show_state(replace(self.state, query=""), keep=character_id)
        self._stage_over(after)
        self.open_pane(Pane.SETTINGS)
        if after == before:
            self.workbench.tell(f"{single_line(name, limit=40)} has these settings already, or they wait to be saved.")
        return after != before

    def action_backstory_outside(self) -> None:
        """Hand the backstory to the user's own editor."""
        if self.workbench.refuses("editing the backstory"):
            return
        if self.shown is not None:
            self._begin_outside()
        else:
            self.open_pane(Pane.SETTINGS)
            self.once_read(self._begin_outside)

    def _begin_outside(self) -> None:
        if self.shown is not None:
            self.start(partial(self._write_outside, self.shown), group="outside")

    async def _write_outside(self, shown: Shown) -> None:
        from chartui.tui.screens.characters.writing import write_outside

        text = await write_outside(self.workbench, shown)
        if text is not None:
            staged = self.state.staged.get(shown.character_id, shown.staged)
            self._stage_over(staged.with_change(BACKSTORY, text))
            self.open_pane(Pane.SETTINGS)

    def action_restore(self) -> None:
        """Take the change of one member back."""
        self.detail.form.restore()

    def action_keep_mine(self) -> None:
        """Keep a change over what was written elsewhere meanwhile."""
        self.detail.form.keep_mine()

    def action_step(self, step: int) -> None:
        """A little more or less, or the next or previous choice."""
        if self.state.pane is Pane.SETTINGS:
            self.detail.form.step(step)
        else:
            super().action_step(step)

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
        back = f"{self.workbench.keymap.label('undo-setting')} brings them back."
        self.app.push_screen(Confirm(title, f"Staged: {members}. {back}", "Drop them"), answered)

    def action_save(self) -> None:
        """Save what is staged for the character under the cursor."""
        if not self.workbench.refuses("applying staged changes") and (shown := self._staged_here()) is not None:
            self.start(partial(self._save, shown), group="save")

    async def _save(self, shown: Shown) -> None:
        await save(self.workbench, shown, self.state.record, partial(self._keep, shown))

    def _keep(self, shown: Shown, after: Shown, saved: bool) -> None:
        if not self.is_attached:  # another profile was opened while it was saved
            return
        if self.state.shown == after.character_id and self.state.now is not None:
            # Keys may come before it is read back, and one's own change is nobody else's.
            self.state = replace(self.state, now=after.now, known_here=after.known_here)
        if after.staged != shown.staged:
            self.detail.form.stop_typing()
            self._show_staged(after.staged)
            if saved:
                self._keeper.restart(after.staged, "Changes left after saving")
            else:
                self._keeper.keep(after.staged)
        self.show_panes()
