"""The part of the characters screen that keeps what is staged: as drafts, whatever becomes of the program."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from textual import on
from textual.message import Message

from chartui.core.plans.settings import MEMBERS, Staged
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.drafts import TURNED, Keeper, TwoDrafts, ask_which_draft, tell_not_kept, turned, what_becomes
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import number_of
from chartui.tui.screens.characters.keeping import PART, read_staged, write_staged
from chartui.tui.screens.characters.recording import RecordingScreen
from chartui.tui.screens.characters.saving import what_changed, what_is_staged
from chartui.tui.screens.characters.state import Pane, Shown

__all__ = ["DraftingScreen"]


class DraftingScreen(RecordingScreen):
    """Knows what is staged for each character, keeps it, and asks where another program keeps something else."""

    @dataclass
    class Drafted(Message):
        """What was staged before was found."""

        staged: Mapping[str, Staged]

    def __init__(self) -> None:
        super().__init__()
        self._drafts_read = asyncio.Event()

    def prepare(self) -> None:
        """Look for what was staged before."""
        session = self.workbench.session
        self._keeper = Keeper(
            session.drafts,
            session.profile.place,
            PART,
            write=write_staged,
            read=read_staged,
            met=self._met,
            failed=self._not_kept,
        )
        self.show_state(self.state)
        self.start(self._read_drafts, group="drafts")

    @property
    def shown(self) -> Shown | None:
        """The settings of the character under the cursor, once they were read."""
        current = self.current
        if current is None or current.character_id != self.state.shown:
            return None
        name = current.character_name or current.character_id
        return self.state.settings(
            name, locked=self.workbench.refusal("editing settings"), kept=not self._keeper.failing
        )

    def settle(self) -> None:
        """Drop of what is staged what somebody else has written meanwhile."""
        staged = self.state.staged.get(self.state.shown or "")
        if staged is not None and self.state.now is not None and staged.on(self.state.now) != staged:
            self._show_staged(staged.on(self.state.now))
            self._keeper.keep(staged.on(self.state.now))
        super().settle()

    def marks(self) -> Mapping[Pane, str]:
        """How many settings are staged."""
        shown = self.shown
        changes = len(shown.staged.changes) if shown is not None else 0
        return {**super().marks(), **({Pane.SETTINGS: f"{GLYPHS.staged}{changes}"} if changes else {})}

    def _show_staged(self, staged: Staged) -> None:
        marked = staged.character_id in self.state.staged
        self.state = self.state.staging(staged)
        if marked is not (staged.character_id in self.state.staged):
            self._list.refresh()

    def _stage(self, staged: Staged, *, field: str = "") -> None:
        """Stage other changes as one more step; what is typed into one ``field`` is one step."""
        before = self.state.staged.get(staged.character_id, staged.without(*MEMBERS))
        self._show_staged(staged)
        self._keeper.stage(staged, what_changed(before, staged), field=field)

    def _stage_over(self, staged: Staged) -> None:
        """Stage something else than what is shown."""
        self.detail.form.stop_typing()
        self._stage(staged)
        self.settle()

    # -- undo and redo ------------------------------------------------------------------------------------------------

    def action_undo_edit(self) -> None:
        """Undo the last staged edit of the character's settings."""
        self._turn_edit(-1)

    def action_redo_edit(self) -> None:
        """Redo the edit that was undone last."""
        self._turn_edit(1)

    def _turn_edit(self, step: int) -> None:
        if self.workbench.refuses("undoing and redoing edits"):
            return
        if self.under_way("save"):
            message = "Changes of these settings are being applied. Undo and redo are available afterwards."
            self.workbench.tell(message)
        elif self.shown is not None:
            self._turn_shown(step)
        else:
            self.open_pane(Pane.SETTINGS)
            self.once_read(partial(self._turn_shown, step))

    def _turn_shown(self, step: int) -> None:
        """Go one edit back (-1) or forth (1); one that makes no difference to what is stored by now is passed over."""
        shown = self.shown
        if shown is None:
            return

        def differs(staged: Staged) -> bool:
            over = staged.on(shown.now)
            return (over.changes, over.base) != (shown.staged.changes, shown.staged.base)

        found = self._keeper.turn(shown.staged.without(*MEMBERS), step, differs)
        if found is None:
            undo = self.workbench.keymap.label("undo")
            nothing = f"No staged edit to undo. {undo} undoes what was applied." if step < 0 else "Nothing to redo."
            self.workbench.tell(nothing, topic=TURNED)
            return
        title, staged = found
        self.detail.form.stop_typing()
        self._show_staged(staged.on(shown.now))
        self.settle()
        self.workbench.tell(turned(title, step), topic=TURNED)

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
        self.show_state(replace(self.state, staged={**message.staged, **self.state.staged}))
        self.settle()
        names = ", ".join(sorted(single_line(staged.name, limit=30) for staged in message.staged.values()))
        self.workbench.tell(f"Not saved yet, and kept: the changes of {names}. {GLYPHS.staged} marks them.")

    def _not_kept(self, error: ServiceError) -> None:
        tell_not_kept(self.workbench, error, "saved")
        self.show_panes()

    def _met(self, mine: Staged, theirs: Staged | None) -> None:
        """Another program has changed the draft: the user says which one counts."""
        if (theirs.changes if theirs is not None else {}) == mine.changes:
            self._keeper.seen(mine.character_id)
            return

        nothing = mine.without(*MEMBERS)

        def choose(keep_mine: bool) -> None:
            if keep_mine:
                self._keeper.keep(self.state.staged.get(mine.character_id, nothing))
            else:
                self._stage_over(theirs if theirs is not None else nothing)

        there = what_is_staged(theirs) if theirs is not None else None
        question = TwoDrafts(f"Another program changes {mine.name} too", what_is_staged(mine), there)
        ask_which_draft(self.workbench, self._keeper, mine.character_id, question, choose)

    def leaving(self) -> str:
        """What is not saved yet, for whoever is about to leave."""
        number = len(self.state.staged)
        if not number:
            return ""
        kept = what_becomes(self._keeper, throwaway=self.session.throwaway)
        return f"Changes of {number_of(number, 'character')} are not saved. {kept}"

    async def on_unmount(self) -> None:
        """Leave no draft unwritten."""
        await self._keeper.settled()
