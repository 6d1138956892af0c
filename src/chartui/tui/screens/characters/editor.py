"""Edits of characters' settings before they are applied: staged, undone and redone, kept as drafts, made into a plan.

Nothing here knows the terminal framework.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from chartui.core.clock import Ids, random_ids
from chartui.core.plans.settings import (
    MEMBERS,
    BadDraft,
    Conflict,
    Staged,
    conflicts,
    plan,
    settled,
    staged_from_wire,
    staged_to_wire,
)
from chartui.core.plans.wording import LABELS, short

if TYPE_CHECKING:
    from chartui.core.characters.models import Models
    from chartui.core.jsontext import Wire
    from chartui.core.plans.plan import Consequence, Plan
    from chartui.tui.drafts import Keeper

#: The name of the drafts of settings.
PART: Final = "settings"


class SettingsEditor:
    """What is staged for the settings of characters, by character, with a history each.

    ``keeper`` holds the histories and writes the drafts; ``ids`` names the plans.
    """

    def __init__(self, keeper: Keeper[Staged], *, ids: Ids = random_ids) -> None:
        self._keeper = keeper
        self._ids = ids
        self.staged: Mapping[str, Staged] = {}

    # -- staging ------------------------------------------------------------------------------------------------------

    def of(self, character_id: str, name: str, now: Mapping[str, Wire]) -> Staged:
        """What is staged for a character over what is stored ``now``; without changes where nothing is."""
        fresh = Staged(character_id=character_id, name=name, base=now, changes={})
        return self.staged.get(character_id, fresh).on(now)

    def stage(self, staged: Staged, *, field: str = "") -> None:
        """Stage other changes as one more step; what is typed into one ``field`` is one step."""
        before = self.staged.get(staged.character_id, staged.without(*MEMBERS))
        self._show(staged)
        self._keeper.stage(staged, _step_title(before, staged), field=field)

    def rebase(self, character_id: str, now: Mapping[str, Wire]) -> None:
        """Put what is staged over what is stored ``now``: what was written elsewhere meanwhile is no change."""
        staged = self.staged.get(character_id)
        if staged is not None and (rebased := staged.on(now)) != staged:
            self.keep(rebased)

    def keep(self, staged: Staged) -> None:
        """Take over other changes, which is no step."""
        self._show(staged)
        self._keeper.keep(staged)

    def saved(self, left: Staged) -> None:
        """Some of it was applied: the history begins with what is ``left``."""
        self._show(left)
        self._keeper.restart(left, "Changes left after saving")

    def undo(self, present: Staged, now: Mapping[str, Wire]) -> str | None:
        """Undo the last edit that makes a difference to ``present``; its title, None where there is none."""
        return self._turn(present, now, -1)

    def redo(self, present: Staged, now: Mapping[str, Wire]) -> str | None:
        """Redo the edit that was undone last; its title, None where there is none."""
        return self._turn(present, now, 1)

    def _turn(self, present: Staged, now: Mapping[str, Wire], step: int) -> str | None:
        def differs(staged: Staged) -> bool:
            over = staged.on(now)
            return (over.changes, over.base) != (present.changes, present.base)

        found = self._keeper.turn(present.without(*MEMBERS), step, differs)
        if found is None:
            return None
        title, staged = found
        self._show(staged.on(now))
        return title

    def _show(self, staged: Staged) -> None:
        others = {key: value for key, value in self.staged.items() if key != staged.character_id}
        self.staged = {**others, staged.character_id: staged} if staged.changes else others

    # -- conflicts and the plan ---------------------------------------------------------------------------------------

    def conflicts(self, character_id: str, now: Mapping[str, Wire]) -> Mapping[str, Conflict]:
        """The members that are changed here and were changed elsewhere."""
        staged = self.staged.get(character_id)
        return {} if staged is None else conflicts(staged, now)

    def resolve(self, character_id: str, now: Mapping[str, Wire], mine: Collection[str]) -> None:
        """End every conflict: with yours for the members ``mine``, else with the stored value."""
        staged = self.staged.get(character_id)
        if staged is not None:
            self.keep(settled(staged, now, mine))

    def plan(
        self,
        staged: Staged,
        models: Models,
        *,
        written: Mapping[str, Wire],
        unnamed: Sequence[str] = (),
        consequences: Sequence[Consequence] = (),
    ) -> Plan:
        """The plan that applies what is staged; ``written`` is what was last written to what cannot be read back."""
        return plan(staged, models, new_id=self._ids, known_here=written, unnamed=unnamed, consequences=consequences)

    # -- the drafts ---------------------------------------------------------------------------------------------------

    @property
    def failing(self) -> bool:
        """Whether no draft can be written."""
        return self._keeper.failing

    async def load(self) -> Mapping[str, Staged]:
        """Find what was staged before, and tell it; what is staged already stays. Raises :class:`ServiceError`."""
        found = await self._keeper.load()
        self.staged = {**found, **self.staged}
        return found


def write_staged(staged: Staged) -> Wire:
    """What is kept of the settings of a character; None where nothing of them is staged."""
    return staged_to_wire(staged) if staged.changes else None


def read_staged(document: Wire) -> Staged | None:
    """The settings that were kept; None for a draft that cannot be read."""
    try:
        return staged_from_wire(document)
    except BadDraft:
        return None


def what_is_staged(staged: Staged) -> str:
    """What is staged of one character, in a line."""
    return ", ".join(f"{LABELS[member]} {short(text, 20)}" for member, text in staged.changes.items()) or "nothing"


def _step_title(before: Staged, after: Staged) -> str:
    members = [member for member in MEMBERS if before.changes.get(member) != after.changes.get(member)]
    if not members:
        return "Keep mine"
    verb = "Change" if after.changes.keys() & set(members) else "Revert"
    return f"{verb} {', '.join(LABELS[member] for member in members)}"
