"""Meeting a character: who there is, the one to speak to, and what there was with it before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual import on
from textual.message import Message

from chartui.core.actions.turn import Turn
from chartui.core.character import backstory_of
from chartui.core.profiles import ProfileKind
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character
from chartui.tui.screens.actions.repeating import RepeatingScreen
from chartui.tui.screens.actions.state import ActionsState, Talk, start_turn

__all__ = ["MeetingScreen"]


class MeetingScreen(RepeatingScreen):
    """Reads the characters, and turns to one of them."""

    @dataclass
    class Read(Message):
        """The characters were read, and the one to speak to; or they could not be."""

        wanted: str | None
        characters: Sequence[tuple[str, str]] = ()
        character: Character | None = None
        draft: Turn | None = None
        backstory: str | None = None
        error: ServiceError | None = None

    DATA = "characters"

    @property
    def filled(self) -> bool:
        """Whether somebody is there to be spoken to."""
        return self.state.talk is not None

    def read_canceled(self, group: str) -> None:
        """Say so where the reply would be, where no character was read before."""
        super().read_canceled(group)
        if group == "read":
            self._show(replace(self.state, loading=False, note="" if self.filled else self.canceled()))

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
        known_as = self.workbench.work.name_known(wanted) if wanted else ""
        self._show(replace(self.state, wanted=wanted, loading=True, note="", known_as=known_as))
        try:
            names, character = await self._read(wanted)
        except ServiceError as error:
            self.post_message(self.Read(wanted, error=error))
            return
        met = character is None or character.character_id in self.state.talks
        draft = None if character is None or met else await self._draft(character.character_id)
        backstory = None if character is None else await self._backstory(character.character_id)
        self.post_message(self.Read(wanted, names, character, draft, backstory))

    async def _backstory(self, character_id: str) -> str | None:
        """What the scene is held against; None where it is not known, which keeps nothing else from being shown."""
        session = self.workbench.session
        try:
            return await backstory_of(self.watched_service(), session.journal, session.profile.place, character_id)
        except ServiceError:
            return None

    async def _read(self, wanted: str | None) -> tuple[Sequence[tuple[str, str]], Character | None]:
        """The ids and names of all characters, and the record of the one that is wanted, else the first."""
        if not self.service.embedded:  # which can only be asked for everything at once
            records = await self.watched_service().records()
            summaries = records.summaries
        else:
            records, summaries = None, await self.watched_service().summaries()
        known = next((s.character_id for s in summaries if wanted in (None, s.character_id)), None)
        names = [(s.character_id, s.character_name or s.character_id) for s in summaries]
        if known is None:
            return names, None
        return names, await self.watched_service().character(known, among=records)

    @on(Read)
    def _was_read(self, message: Read) -> None:
        if message.wanted != self.state.wanted:
            if self.state.talk is not None:  # somebody else is spoken to meanwhile, who was known
                characters = message.characters or self.state.characters
                self._show(replace(self.state, loading=False, characters=characters))
            return
        state = replace(self.state, loading=False, error=message.error)
        if message.error is None:
            state = replace(state, characters=message.characters, note="")
            character = message.character
            if character is not None:
                state = self._meeting(replace(state, wanted=character.character_id), character, message)
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

    def _meeting(self, state: ActionsState, character: Character, read: Read) -> ActionsState:
        """With a conversation for a character: the one there is, or a new one on what was composed earlier."""
        talk = state.talks.get(character.character_id)
        if talk is None:
            demo = self.workbench.session.profile.kind is ProfileKind.DEMO
            start = start_turn(character.character_id, character.raw, demo=demo)
            talk = Talk(start=start, turn=read.draft or start)
        return state.with_talk(replace(talk, backstory=read.backstory))

    def _turn_to(self, character_id: str) -> None:
        """Speak to another character."""
        self.workbench.character = character_id
        self._show(replace(self.state, wanted=character_id, note=""))
        if self.state.talk is None:
            self.refresh_data()

    # -- who is spoken to ---------------------------------------------------------------------------------------------

    def action_pick_character(self) -> None:
        """Choose who is spoken to."""
        self.start(self._pick, group="pick")

    async def _pick(self) -> None:
        from chartui.tui.widgets.chooser import Choice, Chooser

        choices = [Choice(key, name) for key, name in self.state.characters]
        chosen = await self.app.push_screen_wait(Chooser("Speak to whom?", choices, self.state.wanted))
        if chosen is not None and chosen != self.state.wanted:
            self._turn_to(chosen)
