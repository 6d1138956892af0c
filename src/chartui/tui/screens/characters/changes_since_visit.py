"""Changes to the characters of a profile since you last looked at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from chartui.core.characters.record import value_text
from chartui.core.clock import Clock, age_text
from chartui.core.fields import Entry, Group
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS

if TYPE_CHECKING:
    from chartui.core.character import Reading
    from chartui.core.seen import Changed, Since
    from chartui.core.session import Session

#: Most members named in a sentence.
_NAMED: Final = 6


class Visits:
    """Changes made elsewhere since each character was last seen, while this profile is open.

    A change that was shown stays marked until the program ends, so looking away does not hide it. ``failed`` is called
    once with the reason when the memory cannot be used; everything else continues.
    """

    def __init__(self, session: Session, clock: Clock, failed: Callable[[str], None]) -> None:
        self._session = session
        self._clock = clock
        self._failed = failed
        self._failing = False
        self._told: dict[str, Since] = {}

    # -- changes ------------------------------------------------------------------------------------------------------

    def count(self, character_id: str) -> int:
        """The number of changed members of a character."""
        since = self._told.get(character_id)
        return 0 if since is None else len(since.changed)

    def text(self, character_id: str, *, where: str = "") -> str:
        """The changes of a character in a sentence, ``where`` included; empty without changes."""
        since = self._told.get(character_id)
        if since is None:
            return ""
        from chartui.core.characters.comparison import label_of
        from chartui.core.seen import UNWATCHED

        labels = [single_line(label_of(changed.path), limit=40) for changed in since.changed]
        more = f" and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
        age = age_text((self._clock() - datetime.fromisoformat(since.at)).total_seconds())
        changes = f"{', '.join(labels[:_NAMED])}{more}"
        return f"{GLYPHS.differs} Changed{where} since your last visit ({age}): {changes}. {UNWATCHED}"

    def marked(self, character_id: str, groups: Sequence[Group]) -> Sequence[Group]:
        """The groups of a record, with a remark on every changed field."""
        since = self._told.get(character_id)
        if since is None:
            return groups
        changed = {change.path: change for change in since.changed}
        return [
            replace(group, entries=tuple(_remarked(entry, changed.get(entry.path)) for entry in group.entries))
            for group in groups
        ]

    # -- the memory ---------------------------------------------------------------------------------------------------

    async def look(self, character_id: str, reading: Reading) -> None:
        """Compare a character that was just read with the last visit; earlier changes stay marked."""
        from chartui.core.plans.verify import changed_elsewhere
        from chartui.core.seen import Since

        session = self._session
        try:
            found = await changed_elsewhere(
                session.seen,
                session.journal,
                session.profile.place,
                character_id,
                reading.record,
                reading.settings,
            )
        except ServiceError as error:
            self._fail(error)
            return
        if found is not None and found.changed:
            before = self._told.get(character_id, Since(found.at, ()))
            paths = {changed.path for changed in before.changed}
            fresh = tuple(changed for changed in found.changed if changed.path not in paths)
            self._told[character_id] = before._replace(changed=before.changed + fresh)

    async def remember(self, character_id: str, name: str, reading: Reading) -> None:
        """Remember a character as seen, in the state it was read."""
        from chartui.core.characters.comparison import members

        session = self._session
        try:
            now = members(reading.record, reading.settings)
            await session.seen.remember(session.profile.place, character_id, name, now)
        except ServiceError as error:
            self._fail(error)

    def _fail(self, error: ServiceError) -> None:
        if not self._failing:
            self._failing = True
            self._failed(error.message)


def _remarked(entry: Entry, change: Changed | None) -> Entry:
    if change is None:
        return entry
    was = "" if not change.was else f", was {single_line(value_text(change.before), limit=40)}" if change.kept else ""
    new = f"{GLYPHS.differs} {'changed' if change.was else 'new'}{was}"
    return replace(entry, remark=f"{new} · {entry.remark}" if entry.remark else new, changed=True)
