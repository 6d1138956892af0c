"""Replaying the turns of a conversation: has anything changed since they were answered?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from textual import on
from textual.message import Message

from chartui.commands import DataEffect
from chartui.core.actions.replay import Replayed, recording, replay
from chartui.core.spec.errors import ServiceError
from chartui.tui.screens.actions.looking import LookingScreen
from chartui.tui.screens.actions.state import Pane, Repetition, Talk

__all__ = ["RepeatingScreen"]


class RepeatingScreen(LookingScreen):
    """The turns go to the service once more, in conversations of their own; what was answered before stays."""

    @dataclass
    class Repeated(Message):
        """A turn of repetition ``number`` was answered again; None at the end, an error where it came to one."""

        character_id: str
        number: int
        outcome: Replayed | ServiceError | None

    @property
    def _locked(self) -> str:
        """Why no turn can be sent; empty where one can."""
        return self.workbench.refusal("sending a turn", DataEffect.ACT)

    def action_say_again(self) -> None:
        """Replay every turn of the conversation in the present scene."""
        self._start_replay(present=True)

    def action_say_again_recorded(self) -> None:
        """Replay every turn of the conversation in the scene it was sent with."""
        self._start_replay(present=False)

    def _start_replay(self, *, present: bool) -> None:
        talk = self.state.talk
        if talk is None:
            return
        if self.workbench.refuses("replay", DataEffect.ACT):
            return
        if not talk.exchanges:
            self.workbench.tell("No turn was answered yet; there is nothing to say again.")
        elif talk.repetition.running:
            self.workbench.tell("The turns are being said again already; Escape gives that up.", severity="warning")
        else:
            self.start(partial(self._say_again, talk.turn.character_id, present), group=_repeating(talk))

    async def _say_again(self, character_id: str, present: bool) -> None:
        turns = len(self.state.talks[character_id].exchanges)
        if not self.service.embedded and not await self._agreed(turns, present):
            return
        talk = self.state.talks[character_id]
        scene = talk.turn if present else None
        number = talk.repetition.number + 1
        self._change(replace(talk, repetition=Repetition(number=number, of=len(talk.exchanges), running=True)))
        self._show(replace(self.state, pane=Pane.TURNS))
        self._panes.show(self._panes.reply)
        made = recording(talk.exchanges)
        try:
            async for one in replay(made, character_id, self.service.respond, scene=scene):
                self.post_message(self.Repeated(character_id, number, one))
        except ServiceError as error:
            self.post_message(self.Repeated(character_id, number, error))
        else:
            self.post_message(self.Repeated(character_id, number, None))

    async def _agreed(self, turns: int, present: bool) -> bool:
        from chartui.tui.widgets.questions import Confirm

        scene = "in the present scene" if present else "in its own scene"
        if turns == 1:
            question = Confirm(
                "Replay", f"The turn is sent once more, {scene}. It is billed like any other turn.", "Replay it"
            )
        else:
            message = f"All {turns} turns are sent once more, each {scene}. They are billed like any other turns."
            question = Confirm("Replay", message, "Replay them")
        agreed = await self.app.push_screen_wait(question)
        return bool(agreed)

    @on(Repeated)
    def _was_repeated(self, message: Repeated) -> None:
        talk = self.state.talks[message.character_id]
        repetition = talk.repetition
        if repetition.number != message.number or not repetition.running:
            return
        if isinstance(message.outcome, Replayed):
            repetition = replace(repetition, done=(*repetition.done, message.outcome))
        else:
            repetition = replace(repetition, running=False)
        self._change(replace(talk, repetition=repetition))
        if isinstance(message.outcome, ServiceError):
            self.workbench.tell_failure(message.outcome, kept=f"{len(repetition.done)} of {repetition.of} were said.")
        elif message.outcome is None:
            self.workbench.tell(repetition.summary)

    def _stop_repeating(self, talk: Talk) -> None:
        """Say no more of the turns; the one that is on its way may be carried out."""
        self.workers.cancel_group(self, _repeating(talk))
        repetition = replace(talk.repetition, running=False)
        self._change(replace(talk, repetition=repetition))
        self.workbench.tell(f"{len(repetition.done)} of {repetition.of} turns were said again; no more are.")


def _repeating(talk: Talk) -> str:
    """The group of the workers that say the turns of one character again."""
    return f"say again {talk.turn.character_id}"
