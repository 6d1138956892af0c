"""Composing a turn: the text, the lists of the scene, the switches, and the draft of all of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from textual import on
from textual.widgets import TextArea

from chartui.core.actions.turn import SCENE_PART, Turn
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.drafts import TURNED, Keeper, TwoDrafts, ask_which_draft, turned
from chartui.tui.numbers import number_of
from chartui.tui.screens.actions.panes import Panes
from chartui.tui.screens.actions.scene import SceneForm
from chartui.tui.screens.actions.state import ActionsState, Group, Place, Talk
from chartui.tui.screens.actions.text import SayBox
from chartui.tui.wait import refuse_typed_ahead
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
        #: What was written while there was nobody to say it to.
        self._unaddressed = ""
        self._drafts: Mapping[str, Turn] | None = None

    def _show(self, state: ActionsState) -> None:
        """Show a state."""
        raise NotImplementedError

    def action_pick_character(self) -> None:
        """Choose who is spoken to."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Find what was composed before."""
        session = self.workbench.session
        self._keeper = Keeper(
            session.drafts,
            session.profile.place,
            SCENE_PART,
            write=self._composed,
            read=self._read_draft,
            met=self._met,
            failed=lambda error: self._tell_once(f"Changes are not kept when the program ends: {error.message}"),
        )

    def _change(self, talk: Talk, title: str = "", *, field: str = "") -> None:
        """Show a conversation as it is now, and keep what was composed as one more step, which ``title`` names.

        What is typed into one ``field`` is one step.
        """
        before = self.state.talks[talk.turn.character_id]
        self._show(self.state.with_talk(talk))
        if before.composed != talk.composed:
            self._keeper.stage(talk.composed, title, field=field)

    def _talk(self) -> Talk | None:
        """The conversation in sight. Where there is none that is told, and keys typed ahead for it are refused."""
        if self.state.talk is None:
            reading = "The character is still being read." if self.state.loading else "No character was read."
            self.workbench.tell(self.state.note or reading, severity="warning", topic="nobody")
            refuse_typed_ahead(self.workbench)
        return self.state.talk

    # -- the text -----------------------------------------------------------------------------------------------------

    @on(TextArea.Changed, "#say")
    def _written(self) -> None:
        self._say_instead(self._say.text)

    def _say_instead(self, text: str) -> None:
        talk = self.state.talk
        if talk is None:
            self._unaddressed = text
        elif talk.turn.text != text:
            self._change(replace(talk, turn=replace(talk.turn, text=text)), "Write the text", field="text")

    def action_write_long(self) -> None:
        """Write what is said where there is room."""
        if self.state.talk is not None:
            self.start(self._write_long, group="edit")
        else:
            self._say.focus()  # it takes what is typed, for whoever is spoken to then

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
            verb, name = "Change" if item else "Add", single_line(written[0].name, limit=40)
            self._change(talk.placing(place, *written), f"{verb} “{name}”")
            self._scene.put_cursor(Place(place.group, place.position + (len(written) - 1 if item else len(written))).id)

    def action_add(self) -> None:
        """Add to the list with the cursor; to the objects when it is in none."""
        talk = self._talk()
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
        self._change(talk.removing(place), f"Remove “{name}”")
        self.workbench.tell(f"Removed “{name}”. {self.undo_key} undoes it.")

    def action_move(self, step: int) -> None:
        """Move the entry with the cursor within its list."""
        talk, place = self.state.talk, self._scene.place
        if talk is not None and place is not None:
            moved = talk.moving(place, step)
            if moved is not talk:
                name = single_line(talk.items(place.group)[place.position].name, limit=40)
                self._change(moved, f"Move “{name}”")
                self._scene.put_cursor(Place(place.group, place.position + step).id)

    @property
    def undo_key(self) -> str:
        """The key that undoes an edit, as it is written."""
        return self.workbench.keymap.label("restore-entry")

    def action_undo_edit(self) -> None:
        """Undo the last edit of the text or the scene."""
        self._turn_edit(-1)

    def action_redo_edit(self) -> None:
        """Redo the edit that was undone last."""
        self._turn_edit(1)

    def _turn_edit(self, step: int) -> None:
        talk = self.state.talk
        if talk is None:
            return
        found = self._keeper.turn(talk.start, step, lambda turn: talk.composing(turn) is not talk)
        if found is None:
            self.workbench.tell("No edit to undo." if step < 0 else "Nothing to redo.", topic=TURNED)
            return
        title, turn = found
        self._show(self.state.with_talk(talk.composing(turn)))
        place = next((place for group in Group if (place := _first_other(talk, turn, group))), None)
        if place is not None:
            self._scene.put_cursor(place.id)
        self.workbench.tell(turned(title, step), topic=TURNED)

    def action_open_scene(self) -> None:
        """Compose what a scene file holds."""
        if self._talk() is not None:
            self.start(self._open_scene, group="edit")

    async def _open_scene(self) -> None:
        from chartui.tui.screens.actions.opening import OpenScene

        turn = await self.app.push_screen_wait(OpenScene())
        talk = self.state.talk
        if turn is not None and talk is not None:
            composed = talk.composing(turn)
            same = "What is composed is as it is in the file already."
            self.workbench.tell(same if composed is talk else f"The file is composed. {self.undo_key} undoes it.")
            self._change(composed, "Open a scene file")
            self._panes.go_to(self._scene)

    def action_toggle_multistep(self) -> None:
        """Ask for actions, or for words only."""
        talk = self._talk()
        if talk is not None:
            turn = replace(talk.turn, multistep=not talk.turn.multistep)
            self._change(
                replace(talk, turn=turn), "Ask for words and actions" if turn.multistep else "Ask for words only"
            )

    def action_new_session(self) -> None:
        """Start a conversation anew, or go on with the last one after all."""
        talk = self._talk()
        if talk is None:
            return
        if talk.goes_on:
            self._change(talk.in_session(None))
        elif talk.last_session is not None:
            self._change(talk.in_session(talk.last_session))
        else:
            self.workbench.tell("The first turn starts a conversation; there is none to go on with yet.")

    # -- drafts -------------------------------------------------------------------------------------------------------

    def _composed(self, turn: Turn) -> Wire:
        """What is kept of a turn; what a character starts with needs no draft."""
        talk = self.state.talks.get(turn.character_id)
        return None if talk is not None and turn == talk.start.anew() else turn.payload()

    def _read_draft(self, document: Wire) -> Turn | None:
        try:
            return Turn.from_payload(document).anew()
        except ValueError as error:
            self._tell_once(f"What was composed earlier cannot be read: {error}")
            return None

    async def _draft(self, character_id: str) -> Turn | None:
        """What was composed for a character when the program last ran; None when there is nothing."""
        if self._drafts is None:
            try:
                self._drafts = await self._keeper.load()
            except ServiceError as error:
                self._tell_once(f"What was composed earlier cannot be read: {error}")
        draft = (self._drafts or {}).get(character_id)
        return draft and draft.anew(character_id)

    def _met(self, mine: Turn, theirs: Turn | None) -> None:
        """Another program has changed what is composed for the character: the user says which one counts."""
        character_id = mine.character_id
        if theirs == mine:
            self._keeper.seen(character_id)
            return

        def choose(keep_mine: bool) -> None:
            talk = self.state.talks.get(character_id)
            if talk is None:
                return
            if keep_mine:
                self._keeper.keep(talk.composed)
            else:
                self._change(talk.composing(theirs or talk.start), "Use the other program's scene")

        name = single_line(self.state.name_of(character_id), limit=30)
        there = None if theirs is None else _in_words(theirs)
        question = TwoDrafts(f"Another program composes for {name} too", _in_words(mine), there)
        ask_which_draft(self.workbench, self._keeper, character_id, question, choose)

    async def on_unmount(self) -> None:
        """Leave no draft unwritten."""
        await self._keeper.settled()

    def _tell_once(self, message: str) -> None:
        if self._untold:
            self._untold = False
            self.workbench.tell(message, severity="warning")


def _in_words(turn: Turn) -> str:
    """A turn in a line."""
    actions, names = number_of(len(turn.actions), "action"), number_of(len(turn.targets), "name")
    return f"“{single_line(turn.text, limit=200)}”, {actions}, {names}"


def _first_other(talk: Talk, before: Turn, group: Group) -> Place | None:
    """The first entry of a list that was another before."""
    now, then = talk.items(group), replace(talk, turn=before).items(group)
    if now == then:
        return None
    same = next((n for n, (one, other) in enumerate(zip(now, then, strict=False)) if one != other), None)
    return Place(group, min(len(now), len(then)) if same is None else same)
