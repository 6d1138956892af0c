"""Actions: something is said to a character, and it answers in words and in actions (C 4.14)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Final

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import TextArea

from chartui.commands import DataEffect
from chartui.core.actions.turn import Turn
from chartui.core.profiles import ProfileKind
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.actions import ActionReply
from chartui.core.spec.models.characters import Character
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.actions.notice import Notice
from chartui.tui.screens.actions.panes import Panes
from chartui.tui.screens.actions.report import copies, note, report
from chartui.tui.screens.actions.scene import SceneForm, rows_of
from chartui.tui.screens.actions.state import ActionsState, Group, Place, Talk, start_turn
from chartui.tui.screens.actions.text import SayBox
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.form import FormView
from chartui.tui.widgets.screen import WorkScreen

__all__ = ["ActionsScreen"]

#: The part of a character that a draft of this screen is of.
_PART: Final = "action"
_GIVEN_UP: Final = (
    "You stopped waiting for the answer. The turn may have been carried out, and may have cost credits; "
    "no reply of it is known."
)


class ActionsScreen(WorkScreen):
    """Text and scene on the left, the reply on the right; a narrow window shows scene or reply below the text."""

    SCOPE = "actions"
    AUTO_FOCUS = "#scene"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("actions")
    DEFAULT_CSS = """
    ActionsScreen #panes { layout: vertical; height: 1fr; }
    ActionsScreen #compose { height: 1fr; }
    ActionsScreen #say { height: 4; }
    ActionsScreen #scene { height: 1fr; }
    ActionsScreen #reply { display: none; height: 1fr; }
    ActionsScreen.-narrow.-reply #compose, ActionsScreen.-narrow.-nobody #compose { height: auto; }
    ActionsScreen.-narrow.-reply #scene, ActionsScreen.-narrow.-nobody #scene { display: none; }
    ActionsScreen.-narrow.-reply #reply, ActionsScreen.-narrow.-nobody #reply { display: block; }
    ActionsScreen.-wide #panes { layout: horizontal; }
    ActionsScreen.-wide #compose { width: 52; }
    ActionsScreen.-wide #say { height: 6; }
    ActionsScreen.-wide #reply { display: block; width: 1fr; }
    """

    @dataclass
    class Read(Message):
        """The characters were read, and the one to speak to; or they could not be."""

        wanted: str | None
        characters: Sequence[tuple[str, str]] = ()
        character: Character | None = None
        draft: Turn | None = None
        error: ServiceError | None = None

    @dataclass
    class Answered(Message):
        """Turn ``number`` with a character was answered, or refused."""

        character_id: str
        number: int
        answer: ActionReply | ServiceError

    def __init__(self) -> None:
        super().__init__()
        self.state = ActionsState()
        self._seen: object = None
        self._untold = True

    def compose_work(self) -> Iterable[Widget]:
        """The panes, and the notice below them."""
        with Horizontal(id="panes"):
            with Vertical(id="compose"):
                say = SayBox(id="say")
                say.add_class("panel")
                yield say
                scene = SceneForm(id="scene")
                scene.add_class("panel")
                scene.border_title = Content("Scene")
                yield scene
            reply = FieldsView(id="reply")
            reply.add_class("panel")
            reply.border_title = Content("Reply")
            yield reply
        yield Notice(id="notice")

    def prepare(self) -> None:
        """Find the widgets once."""
        self._say = self.query_one(SayBox)
        self._scene = self.query_one(SceneForm)
        self._reply = self.query_one(FieldsView)
        self._notice = self.query_one(Notice)
        self._panes = Panes(self, self._say, self._scene, self._reply, self._notice)
        self._show(self.state)

    def on_screen_resume(self) -> None:
        """Speak to the character that was chosen elsewhere."""
        super().on_screen_resume()
        wanted = self.workbench.character
        if not self.state.loading and wanted is not None and wanted != self.state.wanted:
            self._turn_to(wanted)

    # -- reading ------------------------------------------------------------------------------------------------------

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read who there is; what was composed stays."""
        del refresh  # characters are never cached
        wanted = self.state.wanted or self.workbench.character
        self._show(replace(self.state, wanted=wanted, loading=True))
        try:
            if self.service.embedded:
                summaries = await self.service.summaries()
                names = [(s.character_id, s.character_name or s.character_id) for s in summaries]
                chosen = wanted or (names[0][0] if names else None)
                character = await self.service.character(chosen) if chosen else None
            else:
                records = await self.service.characters()
                names = [(r.character_id, r.character_name or r.character_id) for r in records]
                chosen = wanted or (names[0][0] if names else None)
                character = next((r for r in records if r.character_id == chosen), None)
        except ServiceError as error:
            self.post_message(self.Read(wanted, error=error))
            return
        met = character is None or character.character_id in self.state.talks
        draft = None if character is None or met else await self._draft(character.character_id)
        self.post_message(self.Read(wanted, names, character, draft))

    @on(Read)
    def _was_read(self, message: Read) -> None:
        if message.wanted != self.state.wanted:
            return
        state = replace(self.state, loading=False, error=message.error)
        if message.error is None:
            state = replace(state, characters=message.characters, note="")
            character = message.character
            if character is not None:
                state = self._meeting(replace(state, wanted=character.character_id), character, message.draft)
                self.workbench.character = character.character_id
            elif message.wanted is not None:
                state = replace(state, note=f"This account has no character {message.wanted}. c chooses another.")
            else:
                state = replace(state, note="This account has no characters yet.")
        self._show(state)
        if message.error is not None and state.talk is not None:
            self.workbench.tell_failure(
                message.error, kept="The list is the last one that was read; what you composed is kept."
            )

    def _meeting(self, state: ActionsState, character: Character, draft: Turn | None) -> ActionsState:
        """With a conversation for a character: the one there is, or a new one on what was composed earlier."""
        if character.character_id in state.talks:
            return state
        start = start_turn(character, demo=self.workbench.session.profile.kind is ProfileKind.DEMO)
        return state.with_talk(Talk(start=start, turn=draft or start))

    def _turn_to(self, character_id: str) -> None:
        """Speak to another character."""
        self.workbench.character = character_id
        self._show(replace(self.state, wanted=character_id, note=""))
        if self.state.talk is None:
            self.refresh_data()

    # -- showing ------------------------------------------------------------------------------------------------------

    def _show(self, state: ActionsState) -> None:
        self.state = state
        talk = state.talk
        self._scene.show(rows_of(state))
        nobody = talk is None and not state.loading
        if self.has_class("-nobody") and not nobody and self.focused is None:
            self._scene.focus()
        self.set_class(nobody, "-nobody")
        self._say.disabled = talk is None
        text = talk.turn.text if talk else ""
        if self._say.text != text:
            with self._say.prevent(TextArea.Changed):
                self._say.load_text(text)
                self._say.move_cursor(self._say.document.end)
        name = single_line(state.name, limit=40)
        self._say.border_title = Content(f"Say to {name}" if name else "Say")
        self._say.border_subtitle = Content(self._terms())
        self._show_reply(state)

    def _terms(self) -> str:
        """What sending does, before it is done."""
        if self._locked:
            return f"{GLYPHS.read_only} read-only: nothing is sent"
        return "⏎ sends · local planner, no credits" if self.service.embedded else "⏎ sends · costs credits"

    @property
    def _locked(self) -> bool:
        return DataEffect.ACT in self.workbench.locked

    def _show_reply(self, state: ActionsState) -> None:
        """What there is to read; typing leaves it alone, wherever one has scrolled to."""
        talk, said = state.talk, note(state, locked=self._locked)
        seen = (state.wanted, said, talk and (talk.exchanges, talk.waiting, talk.error))
        if seen == self._seen:
            return
        self._seen = seen
        session = self.workbench.session
        planner = "the local planner: rules on this machine, no language model"
        groups = report(talk, answers=planner if session.profile.embedded else session.where) if talk else ()
        self._reply.show(groups, note=said)
        waiting = talk is not None and talk.waiting is not None
        turns = f"{len(talk.exchanges)} turns" if talk and len(talk.exchanges) > 1 else ""
        self._reply.border_subtitle = Content(f"{GLYPHS.busy} waiting · esc gives up" if waiting else turns)

    def refresh_bars(self) -> None:
        """The lock may be another: it is said here as well."""
        super().refresh_bars()
        if self._seen is not None:
            self._show(self.state)

    # -- composing ----------------------------------------------------------------------------------------------------

    def _change(self, talk: Talk) -> None:
        """Show a conversation as it is now, and keep what was composed."""
        character_id = talk.turn.character_id
        before = self.state.talks[character_id]
        self._show(self.state.with_talk(talk))
        if before.composed != talk.composed:
            self.start(partial(self._keep, talk), group=f"draft {character_id}")

    async def _keep(self, talk: Talk) -> None:
        """Write a draft; what a character starts with needs none."""
        session, character_id = self.workbench.session, talk.turn.character_id
        try:
            if talk.composed == talk.start:
                await session.drafts.discard(session.profile.place, character_id, _PART)
            else:
                await session.drafts.save(session.profile.place, character_id, _PART, talk.composed.payload())
        except ServiceError as error:
            self._tell_once(f"What you compose is not kept when the program ends: {error.message}")

    async def _draft(self, character_id: str) -> Turn | None:
        """What was composed for a character when the program last ran; None when there is nothing."""
        session = self.workbench.session
        try:
            draft = await session.drafts.load(session.profile.place, character_id, _PART)
            return Turn.from_payload(draft.document).anew(character_id) if draft else None
        except (ServiceError, ValueError) as error:
            self._tell_once(f"What was composed earlier cannot be read: {error}")
            return None

    def _tell_once(self, message: str) -> None:
        if self._untold:
            self._untold = False
            self.workbench.tell(message, severity="warning")

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

    def action_restore(self) -> None:
        """Put the entry that was removed last where it was."""
        talk = self.state.talk
        if talk is not None and talk.removed is not None:
            place, _ = talk.removed
            self._change(talk.restoring())
            self._scene.put_cursor(place.id)

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

    def action_pick_character(self) -> None:
        """Choose who is spoken to."""
        self.start(self._pick, group="pick")

    async def _pick(self) -> None:
        from chartui.tui.widgets.chooser import Choice, Chooser

        choices = [Choice(key, name) for key, name in self.state.characters]
        chosen = await self.app.push_screen_wait(Chooser("Speak to whom?", choices, self.state.wanted))
        if chosen is not None and chosen != self.state.wanted:
            self._turn_to(chosen)

    # -- sending ------------------------------------------------------------------------------------------------------

    def action_send(self) -> None:
        """Send the turn, unless something speaks against it."""
        talk = self.state.talk
        if talk is None:
            return
        if self._locked:
            self.workbench.tell("This profile is read-only: nothing was sent.", severity="warning")
            return
        if talk.waiting is not None:
            self.workbench.tell("The last turn is still on its way; Escape gives it up.", severity="warning")
            return
        fault = talk.fault()
        if fault is not None:
            self._panes.show(self._reply)
            self._refuse(talk, fault)
            return
        self._change(talk.sending())
        self._panes.show(self._reply)
        self.start(partial(self._send, self.state.talks[talk.turn.character_id]), group=_sending(talk))

    async def _send(self, talk: Talk) -> None:
        assert talk.waiting is not None  # noqa: S101 - it was just made so
        answer: ActionReply | ServiceError
        try:
            answer = await self.service.respond(talk.waiting)
        except ServiceError as error:
            answer = error
        self.post_message(self.Answered(talk.turn.character_id, talk.number, answer))

    @on(Answered)
    def _answered(self, message: Answered) -> None:
        talk = self.state.talks[message.character_id]
        if talk.waiting is None or talk.number != message.number:
            return
        if isinstance(message.answer, ServiceError):
            self._refuse(talk, message.answer)
            return
        sent = talk.waiting.text
        self._change(talk.answered(message.answer))
        if message.character_id == self.state.wanted and self._say.has_focus and self._say.text == sent:
            self._say.select_all()  # what is typed now replaces it; what was said stands in the reply

    def _refuse(self, talk: Talk, error: ServiceError) -> None:
        """Show why a turn was not answered, with the cursor on the input it is about."""
        refused = talk.refused(error)
        self._change(refused)
        problem = refused.problem()
        if problem is not None and self.state.talk is refused:
            self._scene.put_cursor(problem[0])

    def action_give_up(self) -> None:
        """Stop waiting; else leave the text, or the notice."""
        talk = self.state.talk
        if talk is not None and talk.waiting is not None:
            self.workers.cancel_group(self, _sending(talk))
            self._change(talk.refused(ServiceError(ErrorKind.TIMEOUT, _GIVEN_UP, sent="unclear")))
        elif self.focused is not self._scene:
            self._panes.go_to(self._scene)

    # -- moving -------------------------------------------------------------------------------------------------------

    def action_write(self) -> None:
        """Write what is said."""
        self._say.focus()

    def action_read_deprecation(self) -> None:
        """Show the notice whole."""
        self._notice.focus()

    def action_other_pane(self) -> None:
        """From the scene to the reply, and back."""
        self._panes.go_to(self._scene if self._panes.at_reply else self._reply)

    def focus_next(self, selector: str | type[Widget] = "*") -> Widget | None:
        """The next part, whether or not it is in sight yet."""
        del selector
        return self._panes.step(1)

    def focus_previous(self, selector: str | type[Widget] = "*") -> Widget | None:
        """The part before."""
        del selector
        return self._panes.step(-1)

    # -- copying ------------------------------------------------------------------------------------------------------

    def copy_choices(self) -> Sequence[tuple[str, str]]:
        """The parts of the last exchange, and the turn as a request."""
        return copies(self.state.talk, self.workbench.session.profile)


def _sending(talk: Talk) -> str:
    """The group of the workers that send turns to one character."""
    return f"send {talk.turn.character_id}"
