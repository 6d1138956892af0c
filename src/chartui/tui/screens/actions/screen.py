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
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.actions import ActionReply
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for, sign_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.actions.answer import Answer
from chartui.tui.screens.actions.meeting import MeetingScreen
from chartui.tui.screens.actions.notice import Notice
from chartui.tui.screens.actions.panes import Panes
from chartui.tui.screens.actions.report import copies, note, report
from chartui.tui.screens.actions.scene import SceneForm, remark_on, rows_of
from chartui.tui.screens.actions.state import ActionsState, Pane, Talk
from chartui.tui.screens.actions.text import SayBox
from chartui.tui.widgets.border import room_on_border, write_on_border
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable

__all__ = ["ActionsScreen"]

_GIVEN_UP: Final = (
    "You stopped waiting for the answer. The turn may have been carried out, and may have cost credits; "
    "no reply of it is known."
)


class ActionsScreen(MeetingScreen):
    """Text and scene on the left, the reply on the right; a narrow window shows scene or reply below the text."""

    SCOPE = "actions"
    AUTO_FOCUS = "#scene"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("actions")
    DEFAULT_CSS = """
    ActionsScreen #panes { layout: vertical; height: 1fr; }
    ActionsScreen #compose { height: 1fr; }
    ActionsScreen #say { height: 4; }
    ActionsScreen #scene { height: 1fr; }
    ActionsScreen #answer { display: none; height: 1fr; }
    ActionsScreen.-narrow.-reply #compose, ActionsScreen.-narrow.-nobody #compose { height: auto; }
    ActionsScreen.-narrow.-reply #scene, ActionsScreen.-narrow.-nobody #scene { display: none; }
    ActionsScreen.-narrow.-reply #answer, ActionsScreen.-narrow.-nobody #answer { display: block; }
    ActionsScreen.-normal #panes, ActionsScreen.-wide #panes { layout: horizontal; }
    ActionsScreen.-normal #compose, ActionsScreen.-wide #compose { width: 52; }
    ActionsScreen.-normal #say, ActionsScreen.-wide #say { height: 6; }
    ActionsScreen.-normal #answer, ActionsScreen.-wide #answer { display: block; width: 1fr; }
    """

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
            yield Answer()
        yield Notice(id="notice")

    def prepare(self) -> None:
        """Find the widgets once."""
        super().prepare()
        self._say = self.query_one(SayBox)
        self._scene = self.query_one(SceneForm)
        self._answer = self.query_one(Answer)
        self._reply = self._answer.reply
        self._notice = self.query_one(Notice)
        self._panes = Panes(self, self._say, self._scene, lambda: self._answer.pane(self.state.pane), self._notice)
        self._show(self.state)

    # -- showing ------------------------------------------------------------------------------------------------------

    def _show(self, state: ActionsState) -> None:
        self.state = state
        talk = state.talk
        self._scene.show(rows_of(state))
        self._remark()
        self._arrange()
        # It takes text while there is nobody to say it to: what is typed would be commands of the screen otherwise.
        text = talk.turn.text if talk else self._unaddressed
        if self._say.text != text:
            with self._say.prevent(TextArea.Changed):
                self._say.load_text(text)
                self._say.move_cursor(self._say.document.end)
        name = single_line(state.name, limit=40)
        self._say.border_title = Content(f"Say to {name}" if name else "Say")
        self._say.border_subtitle = Content(self._terms())
        self._show_reply(state)
        self._show_panes(state)
        self.show_loading()
        if talk is not None and self._unaddressed:
            written, self._unaddressed = self._unaddressed, ""
            self._say_instead(f"{text} {written}".lstrip())

    @property
    def _nobody(self) -> bool:
        """Whether there is only a sentence to show: why there is nobody to speak to."""
        return self.state.talk is None and (not self.state.loading or bool(self.loading_text("read")))

    def _arrange(self) -> None:
        """Show the sentence in place of the scene in a narrow window, and the scene again."""
        nobody = self._nobody
        if nobody and self._scene.has_focus:
            self.set_focus(None)  # or the keys would go to the text when the scene is hidden
        elif self.has_class("-nobody") and not nobody and self.focused is None:
            self._scene.focus()
        self.set_class(nobody, "-nobody")

    def show_loading(self) -> None:
        """Show it where the reply will be, or on its border."""
        talk = self.state.talk
        self._arrange()
        self._show_reply(self.state)
        width = room_on_border(self._answer)
        loading = self.loading_text(*([_sending(talk)] if talk else []), "read", width=width) if talk else ""
        write_on_border(self._answer, loading or (_under_way(talk) if talk else ""))

    @on(LineView.Moved, "#scene")
    def _remark(self) -> None:
        """What was found in the entry with the cursor."""
        talk = self.state.talk
        self._scene.border_subtitle = Content(single_line(remark_on(talk, self._scene.place)) if talk else "")

    def _terms(self) -> str:
        """What sending does, before it is done."""
        if self._locked:
            return f"{GLYPHS.read_only} {self.session.lock.cause}"
        cost = "local planner, no credits" if self.service.embedded else "costs credits"
        return f"{sign_of(self, 'enter')} sends · {cost}"

    def _show_reply(self, state: ActionsState) -> None:
        """What there is to read; typing leaves it alone, wherever one has scrolled to."""
        talk, said = state.talk, note(state, locked=self._locked, loading=self.loading_text("read"))
        seen = (state.wanted, said, talk and (talk.exchanges, talk.waiting, talk.error, talk.shown))
        if seen == self._seen:
            return
        self._seen = seen
        session = self.workbench.session
        planner = "the local planner: rules on this machine, no language model"
        groups = report(talk, answers=planner if session.profile.embedded else session.where) if talk else ()
        self._reply.show(groups, note=said)

    def refresh_bars(self) -> None:
        """The lock may be another: it is said here as well."""
        super().refresh_bars()
        if self._seen is not None:
            self._show(self.state)

    # -- sending ------------------------------------------------------------------------------------------------------

    def action_send(self) -> None:
        """Send the turn, unless something speaks against it."""
        talk = self._talk()
        if talk is None:
            return
        if self.workbench.refuses("sending a turn", DataEffect.ACT):
            return
        if talk.waiting is not None:
            self.workbench.tell("The last turn is still on its way; Escape gives it up.", severity="warning")
            return
        fault = talk.fault()
        if fault is not None:
            self._show_replies()
            self._refuse(talk, fault)
            return
        self._change(talk.sending())
        self._show_replies()
        self.start(
            partial(self._send, self.state.talks[talk.turn.character_id]),
            group=_sending(talk),
            title="Waiting for the reply",
        )

    def _show_replies(self) -> None:
        """Have the reply in sight, or the place where it will be."""
        self._show(replace(self.state, pane=Pane.REPLY))
        self._panes.show(self._reply)

    async def _send(self, talk: Talk) -> None:
        assert talk.waiting is not None  # noqa: S101 - it was just made so
        answer: ActionReply | ServiceError
        try:
            answer = await self.watched_service(_sending(talk)).respond(talk.waiting)
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
        elif talk is not None and talk.repetition.running:
            self._stop_repeating(talk)
        elif self.cancel_read():
            pass
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
        self._panes.go_to(self._scene if self._panes.at_reply else self._panes.reply)

    def focus_next(self, selector: str | type[Widget] = "*") -> Widget | None:
        """The next part, whether or not it is in sight yet."""
        del selector
        return self._panes.step(1)

    def focus_previous(self, selector: str | type[Widget] = "*") -> Widget | None:
        """The part before."""
        del selector
        return self._panes.step(-1)

    # -- copying ------------------------------------------------------------------------------------------------------

    def copy_choices(self) -> Sequence[Copyable]:
        """The parts of the last exchange, and the turn as a request."""
        return copies(self.state.talk, self.workbench.session.profile)


def _under_way(talk: Talk) -> str:
    """What one waits for, else how many turns there are."""
    if talk.waiting is not None:
        return f"{GLYPHS.busy} waiting · esc gives up"
    if talk.repetition.running:
        return f"{GLYPHS.busy} said again: {len(talk.repetition.done)} of {talk.repetition.of} · esc gives up"
    return f"{len(talk.exchanges)} turns" if len(talk.exchanges) > 1 else ""


def _sending(talk: Talk) -> str:
    """The group of the workers that send turns to one character."""
    return f"send {talk.turn.character_id}"
