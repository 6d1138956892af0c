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

from chartui.core.profiles import ProfileKind
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.actions import ActionReply
from chartui.core.spec.models.characters import Character
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.actions.notice import Notice
from chartui.tui.screens.actions.report import report, steps_of
from chartui.tui.screens.actions.scene import SceneForm, rows_of
from chartui.tui.screens.actions.state import ActionsState, Group, Place, Talk, start_turn
from chartui.tui.screens.actions.text import SayBox
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.form import FormView
from chartui.tui.widgets.screen import WorkScreen

__all__ = ["ActionsScreen"]

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
        self.post_message(self.Read(wanted, names, character))

    @on(Read)
    def _was_read(self, message: Read) -> None:
        if message.wanted != self.state.wanted:
            return
        state = replace(self.state, loading=False, error=message.error)
        if message.error is None:
            state = replace(state, characters=message.characters, note="")
            character = message.character
            if character is not None:
                state = self._meeting(replace(state, wanted=character.character_id), character)
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

    def _meeting(self, state: ActionsState, character: Character) -> ActionsState:
        """With a conversation for a character, the one there is or a new one."""
        if character.character_id in state.talks:
            return state
        demo = self.workbench.session.profile.kind is ProfileKind.DEMO
        return state.with_talk(Talk(turn=start_turn(character, demo=demo)))

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
        session = self.workbench.session
        return session.read_only and not session.profile.allow_act

    def _show_reply(self, state: ActionsState) -> None:
        talk = state.talk
        groups = report(talk, answers=self._who_answers()) if talk else ()
        self._reply.show(groups, note=self._note(state))
        waiting = talk is not None and talk.waiting is not None
        turns = f"{len(talk.exchanges)} turns" if talk and len(talk.exchanges) > 1 else ""
        self._reply.border_subtitle = Content(f"{GLYPHS.busy} waiting · esc gives up" if waiting else turns)

    def _who_answers(self) -> str:
        session = self.workbench.session
        if session.profile.embedded:
            return "the local planner: rules on this machine, no language model"
        return session.where

    def _note(self, state: ActionsState) -> str:
        """The sentence above what is known, or instead of it."""
        talk = state.talk
        if talk is None:
            if state.error is not None:
                return f"{GLYPHS.danger} {state.error.message} F5 asks again."
            return "Reading the characters…" if state.loading else state.note
        if talk.waiting is not None:
            return f"Waiting for the answer to “{single_line(talk.waiting.text, limit=60)}”."
        if talk.exchanges or talk.error is not None:
            return ""
        if self._locked:
            return (
                "This profile is read-only, and an act may cost credits: nothing is sent. "
                "allow_act = true in the profile lets acts through, and nothing else."
            )
        return (
            "Here comes what the character answers, and what it does step by step. "
            "t writes what is said, Enter sends it; the scene says what the character can do, with what and whom."
        )

    # -- composing ----------------------------------------------------------------------------------------------------

    def _change(self, talk: Talk) -> None:
        """Show a conversation as it is now."""
        self._show(self.state.with_talk(talk))

    @on(TextArea.Changed, "#say")
    def _written(self) -> None:
        talk = self.state.talk
        if talk is not None and talk.turn.text != self._say.text:
            self._change(replace(talk, turn=replace(talk.turn, text=self._say.text)))

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
            self._reveal(self._scene)
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
            self._show_pane(self._reply)
            self._refuse(talk, fault)
            return
        self._change(talk.sending())
        self._show_pane(self._reply)
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
            self._reveal(self._scene)

    # -- moving -------------------------------------------------------------------------------------------------------

    def action_write(self) -> None:
        """Write what is said."""
        self._say.focus()

    def action_read_deprecation(self) -> None:
        """Show the notice whole."""
        self._notice.focus()

    def action_other_pane(self) -> None:
        """From the scene to the reply, and back."""
        at_reply = self.focused is self._reply or (self.has_class("-narrow") and self.has_class("-reply"))
        self._reveal(self._scene if at_reply else self._reply)

    def _show_pane(self, pane: Widget) -> None:
        """Have scene or reply in sight; the focus leaves what is hidden."""
        hidden = self._scene if pane is self._reply else self._reply
        self.set_class(pane is self._reply, "-reply")
        if self.focused is hidden and self.has_class("-narrow"):
            pane.focus()

    def _reveal(self, pane: Widget) -> None:
        """Have a pane in sight and the keys go there."""
        self._show_pane(pane)
        pane.focus()

    def focus_next(self, selector: str | type[Widget] = "*") -> Widget | None:
        """The next part, whether or not it is in sight yet."""
        del selector
        return self._go(1)

    def focus_previous(self, selector: str | type[Widget] = "*") -> Widget | None:
        """The part before."""
        del selector
        return self._go(-1)

    def _go(self, step: int) -> Widget:
        parts: tuple[Widget, ...] = (self._say, self._scene, self._reply, self._notice)
        here = next((place for place, part in enumerate(parts) if part is self.focused), -1)
        there = parts[(here + step) % len(parts)]
        if there in (self._scene, self._reply):
            self._reveal(there)
        else:
            there.focus()
        return there

    # -- copying ------------------------------------------------------------------------------------------------------

    def copy_choices(self) -> Sequence[tuple[str, str]]:
        """The parts of the last exchange."""
        talk = self.state.talk
        if talk is None or not talk.exchanges:
            return ()
        last = talk.exchanges[-1]
        choices = [
            ("Reply", last.reply.response or last.reply.text),
            ("Actions", "\n".join(step.line for step in steps_of(last))),
            ("Session", last.reply.session_id),
        ]
        return [(what, text) for what, text in choices if text]


def _sending(talk: Talk) -> str:
    """The group of the workers that send turns to one character."""
    return f"send {talk.turn.character_id}"
