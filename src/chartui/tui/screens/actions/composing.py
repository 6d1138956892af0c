"""Composing a turn: the text, the lists of the scene, the switches, and the draft of all of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual import on
from textual.widgets import TextArea

from chartui.core.actions.turn import SCENE_PART, Turn
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.screens.actions.panes import Panes
from chartui.tui.screens.actions.scene import SceneForm
from chartui.tui.screens.actions.state import ActionsState, Group, Place, Talk
from chartui.tui.screens.actions.text import SayBox
from chartui.tui.widgets.form import FormView
from chartui.tui.widgets.screen import WorkScreen

__all__ = ["SCENE_PART", "ComposingScreen"]


class ComposingScreen(WorkScreen):
    """What one does to a turn before it is sent. The screen that sends it shows the state, and makes the widgets."""

    state: ActionsState
    _say: SayBox
    _scene: SceneForm
    _panes: Panes

    def __init__(self) -> None:
        super().__init__()
        self._untold = True

    def _show(self, state: ActionsState) -> None:
        """Show a state."""
        raise NotImplementedError

    def action_pick_character(self) -> None:
        """Choose who is spoken to."""
        raise NotImplementedError

    def _change(self, talk: Talk) -> None:
        """Show a conversation as it is now, and keep what was composed."""
        character_id = talk.turn.character_id
        before = self.state.talks[character_id]
        self._show(self.state.with_talk(talk))
        if before.composed != talk.composed:
            self.start(partial(self._keep, talk), group=f"draft {character_id}")

    # -- the text -----------------------------------------------------------------------------------------------------

    @on(TextArea.Changed, "#say")
    def _written(self) -> None:
        self._say_instead(self._say.text)

    def _say_instead(self, text: str) -> None:
        talk = self.state.talk
        if talk is not None and talk.turn.text != text:
            self._change(replace(talk, turn=replace(talk.turn, text=text)))

    def action_write_long(self) -> None:
        """Write what is said where there is room."""
        if self.state.talk is not None:
            self.start(self._write_long, group="edit")

    async def _write_long(self) -> None:
        from chartui.tui.widgets.editor import Editor

        assert self.state.talk is not None  # noqa: S101 - it was looked for before
        title, text = f"Say to {self.state.name}", self.state.talk.turn.text
        editor = Editor(title, text, changed=self._say_instead, hint="kept as it is; nothing is sent")
        self._say_instead(await self.app.push_screen_wait(editor))

    # -- the scene ----------------------------------------------------------------------------------------------------

    @on(FormView.Activated)
    def _activated(self, message: FormView.Activated) -> None:
        match message.field:
            case "character":
                self.action_pick_character()
            case "multistep":
                self.action_toggle_multistep()
            case "session":
                self.action_new_session()
            case _:
                if self._scene.place is not None:
                    self.start(partial(self._edit, self._scene.place), group="edit")

    async def _edit(self, place: Place) -> None:
        from chartui.tui.screens.actions.entry import EntryDialog

        talk = self.state.talk
        if talk is None:
            return
        items = talk.items(place.group)
        item = items[place.position] if place.position < len(items) else None
        written = await self.app.push_screen_wait(EntryDialog(place.group, item, [i.name for i in items]))
        talk = self.state.talk
        if written and talk is not None:
            self._change(talk.placing(place, *written))
            self._scene.put_cursor(Place(place.group, place.position + (len(written) - 1 if item else len(written))).id)

    def action_add(self) -> None:
        """Add to the list with the cursor; to the objects when it is in none."""
        talk = self.state.talk
        if talk is not None:
            group = self._scene.place.group if self._scene.place else Group.OBJECTS
            self._panes.go_to(self._scene)
            self.start(partial(self._edit, Place(group, len(talk.items(group)))), group="edit")

    def action_remove(self) -> None:
        """Take the entry with the cursor out of its list."""
        talk, place = self.state.talk, self._scene.place
        if talk is None or place is None or place.position >= len(talk.items(place.group)):
            return
        name = single_line(talk.items(place.group)[place.position].name, limit=40)
        self._change(talk.removing(place))
        self.workbench.tell(f"“{name}” is removed; r puts it back.")

    def action_move(self, step: int) -> None:
        """Move the entry with the cursor within its list."""
        talk, place = self.state.talk, self._scene.place
        if talk is not None and place is not None:
            moved = talk.moving(place, step)
            if moved is not talk:
                self._change(moved)
                self._scene.put_cursor(Place(place.group, place.position + step).id)

    def action_restore(self) -> None:
        """Take the last change of the scene back."""
        talk = self.state.talk
        if talk is None:
            return
        if not talk.changes:
            self.workbench.tell("The scene is as it was; there is no change to take back.")
            return
        before = talk.changes[-1][0]
        self._change(talk.taking_back())
        place = next((place for group in Group if (place := _first_other(talk, before, group))), None)
        if place is not None:
            self._scene.put_cursor(place.id)

    def action_open_scene(self) -> None:
        """Compose what a scene file holds."""
        if self.state.talk is not None:
            self.start(self._open_scene, group="edit")

    async def _open_scene(self) -> None:
        from chartui.tui.screens.actions.opening import OpenScene

        turn = await self.app.push_screen_wait(OpenScene())
        talk = self.state.talk
        if turn is not None and talk is not None:
            composed = talk.composing(turn)
            same = "What is composed is as it is in the file already."
            self.workbench.tell(same if composed is talk else "The file is composed; r takes that back.")
            self._change(composed)
            self._panes.go_to(self._scene)

    def action_toggle_multistep(self) -> None:
        """Ask for actions, or for words only."""
        talk = self.state.talk
        if talk is not None:
            self._change(replace(talk, turn=replace(talk.turn, multistep=not talk.turn.multistep)))

    def action_new_session(self) -> None:
        """Start a conversation anew, or go on with the last one after all."""
        talk = self.state.talk
        if talk is None:
            return
        if talk.goes_on:
            self._change(talk.in_session(None))
        elif talk.last_session is not None:
            self._change(talk.in_session(talk.last_session))
        else:
            self.workbench.tell("The first turn starts a conversation; there is none to go on with yet.")

    # -- drafts -------------------------------------------------------------------------------------------------------

    async def _keep(self, talk: Talk) -> None:
        """Write a draft; what a character starts with needs none."""
        session, character_id = self.workbench.session, talk.turn.character_id
        try:
            if talk.composed == talk.start:
                await session.drafts.discard(session.profile.place, character_id, SCENE_PART)
            else:
                await session.drafts.save(session.profile.place, character_id, SCENE_PART, talk.composed.payload())
        except ServiceError as error:
            self._tell_once(f"What you compose is not kept when the program ends: {error.message}")

    async def _draft(self, character_id: str) -> Turn | None:
        """What was composed for a character when the program last ran; None when there is nothing."""
        session = self.workbench.session
        try:
            draft = await session.drafts.load(session.profile.place, character_id, SCENE_PART)
            return Turn.from_payload(draft.document).anew(character_id) if draft else None
        except (ServiceError, ValueError) as error:
            self._tell_once(f"What was composed earlier cannot be read: {error}")
            return None

    def _tell_once(self, message: str) -> None:
        if self._untold:
            self._untold = False
            self.workbench.tell(message, severity="warning")


def _first_other(talk: Talk, before: Turn, group: Group) -> Place | None:
    """The first entry of a list that was another before."""
    now, then = talk.items(group), replace(talk, turn=before).items(group)
    if now == then:
        return None
    same = next((n for n, (one, other) in enumerate(zip(now, then, strict=False)) if one != other), None)
    return Place(group, min(len(now), len(then)) if same is None else same)
