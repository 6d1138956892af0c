"""Reads the character under the cursor, and remembers that it was seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from textual.message import Message

from chartui.core.character import Reading, models_of, read_character
from chartui.core.classes import dataclass
from chartui.core.spec.errors import ServiceError

if TYPE_CHECKING:
    from textual.timer import Timer

    from chartui.core.characters.models import Models
    from chartui.core.jsontext import Wire
    from chartui.core.spec.models.summaries import CharacterSummary
    from chartui.tui.screens.characters.changes_since_visit import Visits
    from chartui.tui.widgets.screen import WorkScreen

#: Seconds before a visible character counts as seen; those passed while scrolling do not.
LOOKED_AT: Final = 2.0


class CharacterReader:
    """Reads characters for a screen (``work``) and posts each as :class:`Read`."""

    @dataclass
    class Read(Message):
        """A record with its settings was read, or reading it failed."""

        character_id: str
        reading: Reading | None = None
        models: Models | None = None
        error: ServiceError | None = None

    def __init__(self, work: WorkScreen, visits: Visits) -> None:
        self._work = work
        self._visits = visits
        self._ask_models = True
        self._awaited: tuple[str, Callable[[], None]] | None = None
        self.looking: Timer | None = None

    def forget(self) -> None:
        """Forget the list of models, so that it is requested again."""
        self._ask_models = True

    def start(
        self,
        character_id: str,
        record: Mapping[str, Wire] | None,
        *,
        models: bool,
        do: Callable[[], None] | None = None,
    ) -> None:
        """Read a character, and then ``do`` something if it is still under the cursor.

        ``record`` is its record if that came with the list. With ``models``, the available models are read too.
        """
        if do is not None:
            self._awaited = (character_id, do)
        self._work.start(partial(self._read, character_id, record, models), group="record", title="Loading record")

    async def _read(self, character_id: str, record: Mapping[str, Wire] | None, ask_models: bool) -> None:
        session, models = self._work.session, None
        try:
            service = self._work.watched_service("record")
            reading = await read_character(service, session.journal, session.profile.place, character_id, record)
            if self._ask_models and ask_models:
                models = await models_of(service, character_id)
                self._ask_models = False
        except ServiceError as error:
            self._work.post_message(self.Read(character_id, error=error))
            return
        if reading is not None:
            await self._visits.look(character_id, reading)
        self._work.post_message(self.Read(character_id, reading or Reading({}, None, {}, {}), models))

    def finish(self, message: Read) -> None:
        """Run the actions waiting for the character, or say why it cannot be read."""
        awaited, self._awaited = self._awaited, None
        if awaited is None or awaited[0] != message.character_id:
            return
        if message.error is not None:
            self._work.workbench.tell_failure(message.error)
        else:
            awaited[1]()

    def look_at(self, message: Read, seen: Callable[[], CharacterSummary | None]) -> None:
        """Count a record as seen after it was visible for a while; ``seen`` is the record visible then."""
        if self.looking is not None:
            self.looking.stop()
        there = message.reading is not None and message.reading.record
        looked = partial(self._looked_at, message, seen)
        self.looking = self._work.set_timer(LOOKED_AT, looked) if there else None

    def _looked_at(self, message: Read, seen: Callable[[], CharacterSummary | None]) -> None:
        character, reading = seen(), message.reading
        if character is not None and character.character_id == message.character_id and reading is not None:
            remember = partial(self._visits.remember, character.character_id, character.character_name or "", reading)
            self._work.start(remember, group="seen")
