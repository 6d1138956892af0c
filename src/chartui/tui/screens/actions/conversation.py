"""Conversations with characters: reads the characters, and sends and replays turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from chartui.commands import DataEffect
from chartui.core.actions.replay import Replayed, recording, replay
from chartui.core.actions.turn import Turn
from chartui.core.character import backstory_of
from chartui.core.costs import turn_cost
from chartui.core.estimation.character_cost import turn_in_short
from chartui.core.profiles import ProfileKind
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.actions import ActionReply
from chartui.core.text import single_line
from chartui.tui.bindings import sign_of
from chartui.tui.drafts import TwoDrafts, ask_which_draft
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import guide, no_characters
from chartui.tui.screens.actions.editor import SceneEditor, in_words
from chartui.tui.screens.actions.state import WAITING, Repetition, Tab, Talk, start_turn
from chartui.tui.screens.estimator.character import basis_of
from chartui.tui.shell.first_character import found_character, naming_character
from chartui.tui.widgets.questions import Confirm

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.spec.records import Records
    from chartui.tui.screens.actions.screen import ActionsScreen

_GIVEN_UP: Final = (
    "You stopped waiting for the reply. The turn may still have been processed and may have cost credits, but "
    "the reply is unknown."
)


_PRESENT: Final = "present"
#: The scenes for a replay: key, name and remark.
_SCENES: Final = (
    (_PRESENT, "In this scene", "with your edits"),
    ("recorded", "As recorded", "each turn in its own scene"),
)


def _sending(character_id: str) -> str:
    return f"send {character_id}"


def _replaying(character_id: str) -> str:
    return f"replay {character_id}"


class Conversation:
    """Reads characters and sends turns for the screen, which holds the state of every conversation."""

    def __init__(self, screen: ActionsScreen) -> None:
        self._screen = screen

    @property
    def locked(self) -> str:
        """Why no turn can be sent; empty if turns can be sent."""
        return self._screen.workbench.refusal("sending a turn", DataEffect.ACT)

    @property
    def terms(self) -> str:
        """The effect of sending, shown in advance."""
        screen = self._screen
        if self.locked:
            return f"{GLYPHS.read_only} {screen.session.lock.cause}"
        cost = screen.state.talk.cost if screen.state.talk is not None else ""
        price, more = f"costs {cost} credits" if cost else "costs credits", ""
        if screen.service.embedded:
            # The last parts are left out where there is no room.
            price, more = "free", f" · {cost} on a service · local planner" if cost else " · local planner"
        to_send = f"{sign_of(screen, 'enter')} sends · {price}" if screen.enter_sends else f"{price} to send"
        return to_send + more

    @property
    def answered_by(self) -> str:
        session = self._screen.session
        planner = "the local planner (rules on this machine, no language model)"
        return planner if session.profile.embedded else session.where

    @property
    def under_way(self) -> bool:
        """Whether a turn or a replay of the visible conversation can be canceled."""
        talk = self._screen.state.talk
        return talk is not None and (talk.waiting is not None or talk.repetition.running)

    def loading_text(self, width: int) -> str:
        talk = self._screen.state.talk
        groups = (_sending(talk.turn.character_id), "read") if talk else ()
        return self._screen.loading_text(*groups, width=width)

    # -- who is spoken to ---------------------------------------------------------------------------------------------

    async def meet(self, editor: SceneEditor, records: Records | None) -> None:
        """Read the characters, unless their ``records`` were just read, and the requested one, or else the first."""
        screen = self._screen
        try:
            service = (await naming_character(screen.workbench, screen.watched_service))()
        except ServiceError as error:
            screen.call_later(self._met, screen.state.wanted, error=error)
            return
        wanted = screen.state.wanted or screen.workbench.character
        known_as = screen.workbench.work.name_known(wanted) if wanted else ""
        screen.show(replace(screen.state, wanted=wanted, loading=True, note="", known_as=known_as))
        try:
            if service.embedded:
                records, summaries = None, await service.summaries()
            else:  # which returns everything in one call
                records = records if records is not None else await service.records()
                summaries = records.summaries
            known = next((s.character_id for s in summaries if wanted in (None, s.character_id)), None)
            record = await service.character(known, among=records) if known is not None else None
        except ServiceError as error:
            screen.call_later(self._met, wanted, error=error)
            return
        talk = None
        if record is not None:
            demo = screen.session.profile.kind is ProfileKind.DEMO
            start = start_turn(record.character_id, record.raw, demo=demo)
            under_way = screen.state.talks.get(record.character_id)
            talk = under_way or await editor.begin(start)
            if under_way is None and talk.turn is not start:
                screen.workbench.tell(
                    f"Restored a draft of the scene: {in_words(talk.turn)}.", topic="draft of a scene"
                )
            backstory, session = None, screen.session
            with suppress(ServiceError):  # a failure here does not prevent showing the rest
                backstory = await backstory_of(service, session.journal, session.profile.place, record.character_id)
            talk = replace(talk, backstory=backstory, cost=await self._cost_text(talk.turn, record.raw))
        names = [(s.character_id, s.character_name or s.character_id) for s in summaries]
        screen.call_later(self._met, wanted, names, talk)

    async def _cost_text(self, turn: Turn, record: Mapping[str, Wire]) -> str:
        """The estimated credits of a turn, with the estimator's inputs; empty if they are unknown."""
        screen, found = self._screen, None
        with suppress(ServiceError):
            found = await turn_cost(screen.session, turn, record, await basis_of(screen.workbench))
        return turn_in_short(found)

    def _met(
        self,
        wanted: str | None,
        characters: Sequence[tuple[str, str]] = (),
        talk: Talk | None = None,
        error: ServiceError | None = None,
    ) -> None:
        screen, state = self._screen, self._screen.state
        state = replace(state, loading=False, characters=state.characters if error else characters)
        if wanted != state.wanted:
            if state.talk is not None:  # another known character was chosen in the meantime
                screen.show(state)
        elif error is not None:
            screen.show(replace(state, error=error))
            if state.talk is not None:
                kept = "The previous list is still shown. Your text and scene are kept."
                screen.workbench.tell_failure(error, kept=kept)
        elif talk is not None:
            screen.workbench.character = wanted = talk.turn.character_id
            known = replace(state.talks.get(wanted, talk), backstory=talk.backstory)
            found_character(screen.workbench, there=True)
            screen.show(replace(state, wanted=wanted, error=None, note="").with_talk(known))
            screen.arrive()
        elif found_character(screen.workbench, there=False):
            screen.forget()
        else:
            missing = f"This profile has no character {wanted}."
            another = guide(screen.workbench, missing, "{pick-actor} chooses another.") if wanted is not None else ""
            screen.show(replace(state, error=None, note=another))

    def speak_to(self, character_id: str) -> None:
        screen = self._screen
        screen.workbench.character = character_id
        known_as = screen.workbench.work.name_known(character_id)
        screen.show(replace(screen.state, wanted=character_id, known_as=known_as, note=""))
        if screen.state.talk is None:
            screen.load_data()

    async def pick(self) -> None:
        from chartui.tui.widgets.chooser import Choice, Chooser

        state = self._screen.state
        if not (state.characters or state.loading or state.error):
            self._screen.workbench.tell(no_characters(self._screen.workbench))
            return
        choices = [Choice(key, name) for key, name in state.characters]
        chosen = await self._screen.app.push_screen_wait(Chooser("Choose a character", choices, state.wanted))
        if chosen is not None and chosen != self._screen.state.wanted:
            self.speak_to(chosen)

    def addressed(self) -> Talk | None:
        """The visible conversation. Without one, shows a message and refuses keys typed ahead."""
        state, workbench = self._screen.state, self._screen.workbench
        if state.talk is None:
            reading = "The character is still loading." if state.loading else "No character is loaded."
            missing = reading if state.loading or state.error else no_characters(workbench)
            workbench.tell(state.note or missing, severity="warning", topic="nobody")
            workbench.refuse_typed_ahead()
        return state.talk

    def met_draft(self, mine: Turn, theirs: Turn | None) -> None:
        """Another program has changed the draft for a character: ask which draft to keep."""
        screen = self._screen

        def decide(*, keep_mine: bool, theirs: Turn | None = None) -> None:
            talk = screen.state.talks.get(mine.character_id)
            if talk is not None:
                screen.edited(screen.editor.decide(talk, mine=keep_mine, theirs=theirs))

        name = single_line(screen.state.name_of(mine.character_id), limit=30)
        there = None if theirs is None else in_words(theirs)
        question = TwoDrafts(f"Another program is editing the scene of {name}", in_words(mine), there)
        ask_which_draft(
            screen.workbench,
            screen.editor.keeper,
            mine.character_id,
            question,
            keep=lambda: decide(keep_mine=True),
            use=lambda theirs: decide(keep_mine=False, theirs=theirs),
        )

    # -- a turn -------------------------------------------------------------------------------------------------------

    def send(self) -> None:
        """Send the composed turn, unless it can't be sent."""
        screen, talk = self._screen, self.addressed()
        if talk is None or screen.workbench.refuses("sending a turn", DataEffect.ACT):
            return
        if talk.waiting is not None:
            screen.workbench.tell("The last turn is still under way. Esc cancels it.", severity="warning")
            return
        fault = talk.fault()
        if fault is None:
            talk = talk.sending()
            screen.change(talk)
        screen.see(answer=True, tab=Tab.REPLY)
        if fault is None:
            screen.start(partial(self._send, talk), group=_sending(talk.turn.character_id), title=WAITING)
        else:
            self._refuse(talk.refused(fault))

    async def _send(self, talk: Talk) -> None:
        assert talk.waiting is not None  # noqa: S101 - set just above
        answer: ActionReply | ServiceError
        try:
            answer = await self._screen.watched_service(_sending(talk.turn.character_id)).respond(talk.waiting)
        except ServiceError as error:
            answer = error
        self._screen.call_later(self._answered, talk, answer)

    def _answered(self, sent: Talk, answer: ActionReply | ServiceError) -> None:
        talk = self._screen.state.talks[sent.turn.character_id]
        if talk.waiting is None or talk.number != sent.number:
            return
        if isinstance(answer, ServiceError):
            self._refuse(talk.refused(answer))
            return
        self._screen.change(talk.answered(answer))
        say = self._screen.composer.say
        if self._screen.state.wanted == talk.turn.character_id and say.has_focus and say.text == talk.waiting.text:
            say.select_all()  # selected, so that typing replaces it; the reply still shows it

    def _refuse(self, refused: Talk) -> None:
        """Show why a turn was not answered, and move the cursor to the refused input."""
        self._screen.change(refused)
        problem = refused.problem()
        if problem is not None and self._screen.state.talk is refused:
            self._screen.composer.scene.put_cursor(problem[0])

    def give_up(self) -> bool:
        """Stop waiting for a reply, or else the replay; returns whether there was anything to stop."""
        talk = self._screen.state.talk
        if talk is None:
            return False
        if talk.waiting is not None:
            self._screen.workers.cancel_group(self._screen, _sending(talk.turn.character_id))
            self._screen.change(talk.refused(ServiceError(ErrorKind.TIMEOUT, _GIVEN_UP, sent="unclear")))
        elif talk.repetition.running:
            # The turn under way may still be processed.
            self._screen.workers.cancel_group(self._screen, _replaying(talk.turn.character_id))
            repetition = replace(talk.repetition, running=False)
            self._screen.change(replace(talk, repetition=repetition))
            done = f"Replay canceled after {len(repetition.done)} of {repetition.of} turns."
            self._screen.workbench.tell(done)
        else:
            return False
        return True

    # -- all turns again ----------------------------------------------------------------------------------------------

    def replay(self) -> None:
        """Send every turn again, in separate conversations: in the current scene, or each in its own."""
        talk, workbench = self._screen.state.talk, self._screen.workbench
        if talk is None or workbench.refuses("replay", DataEffect.ACT):
            return
        if not talk.exchanges:
            workbench.tell("No answered turns to replay yet.")
        elif talk.repetition.running:
            workbench.tell("A replay is already running. Esc cancels it.", severity="warning")
        else:
            character_id = talk.turn.character_id
            self._screen.start(partial(self._replay, character_id), group=_replaying(character_id))

    async def _replay(self, character_id: str) -> None:
        from chartui.tui.widgets.chooser import Choice, Chooser

        screen = self._screen
        turns = len(screen.state.talks[character_id].exchanges)
        chosen = await screen.app.push_screen_wait(Chooser("Replay all turns", [Choice(*each) for each in _SCENES]))
        present = chosen == _PRESENT
        if chosen is None or (not screen.service.embedded and not await self._agreed(turns, present)):
            return
        talk = screen.state.talks[character_id]
        number = talk.repetition.number + 1
        screen.change(replace(talk, repetition=Repetition(number=number, of=len(talk.exchanges), running=True)))
        screen.see(answer=True, tab=Tab.TURNS)
        scene = talk.turn if present else None
        try:
            async for one in replay(recording(talk.exchanges), character_id, screen.service.respond, scene=scene):
                screen.call_later(self._replayed, character_id, number, one)
        except ServiceError as error:
            screen.call_later(self._replayed, character_id, number, error)
        else:
            screen.call_later(self._replayed, character_id, number, None)

    async def _agreed(self, turns: int, present: bool) -> bool:
        scene = "in this scene" if present else "in its own scene"
        if turns == 1:
            message, yes = f"The turn will be sent again {scene} and billed like any other turn.", "Replay turn"
        else:
            message = f"All {turns} turns will be sent again, each {scene}, and billed like any other turn."
            yes = "Replay turns"
        agreed = await self._screen.app.push_screen_wait(Confirm("Replay", message, yes))
        return bool(agreed)

    def _replayed(self, character_id: str, number: int, outcome: Replayed | ServiceError | None) -> None:
        """A turn of replay ``number`` was answered; None at the end, an error if it failed."""
        talk = self._screen.state.talks[character_id]
        repetition = talk.repetition
        if repetition.number != number or not repetition.running:
            return
        if isinstance(outcome, Replayed):
            repetition = replace(repetition, done=(*repetition.done, outcome))
        else:
            repetition = replace(repetition, running=False)
        self._screen.change(replace(talk, repetition=repetition))
        if isinstance(outcome, ServiceError):
            said = f"{len(repetition.done)} of {repetition.of} turns were replayed."
            self._screen.workbench.tell_failure(outcome, kept=said)
        elif outcome is None:
            self._screen.workbench.tell(repetition.summary)
