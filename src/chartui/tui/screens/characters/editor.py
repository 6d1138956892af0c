"""Edits of characters' settings before they are applied: staged, undone and redone, kept as drafts, made into a plan.

This module does not depend on the terminal framework.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from chartui.core.plans.settings import (
    MEMBERS,
    REASONING,
    BadDraft,
    Conflict,
    Staged,
    conflicts,
    settled,
    staged_from_wire,
    staged_to_wire,
)
from chartui.core.plans.wording import LABELS, short

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.tui.drafts import Keeper


class SettingsEditor:
    """Staged changes to the settings, by character, each with a history.

    ``keeper`` holds the histories and writes the drafts.
    """

    def __init__(self, keeper: Keeper[Staged]) -> None:
        self._keeper = keeper
        self.staged: Mapping[str, Staged] = {}

    # -- staging ------------------------------------------------------------------------------------------------------

    def of(self, character_id: str, name: str, now: Mapping[str, Wire]) -> Staged:
        """The staged changes of a character, based on the stored values ``now``; may be empty."""
        fresh = Staged(character_id=character_id, name=name, base=now, changes={})
        return self.staged.get(character_id, fresh).on(now)

    def stage(self, staged: Staged, *, field: str = "") -> None:
        """Stage new changes as one more step of the history; typing into one ``field`` is a single step."""
        before = self.staged.get(staged.character_id, staged.without(*MEMBERS))
        self._show(staged)
        self._keeper.stage(staged, _step_title(before, staged), field=field)

    def rebase(self, character_id: str, now: Mapping[str, Wire]) -> None:
        """Rebase the staged changes on the stored values ``now``; drop members that are equal to them."""
        staged = self.staged.get(character_id)
        if staged is not None and (rebased := staged.on(now)) != staged:
            self.keep(rebased)

    def keep(self, staged: Staged) -> None:
        """Replace the changes without adding a step to the history."""
        self._show(staged)
        self._keeper.keep(staged)

    def saved(self, left: Staged) -> None:
        """Start the history again with the changes ``left`` after the others were applied."""
        self._show(left)
        self._keeper.restart(left, "Changes not yet applied")

    def turn(self, present: Staged, now: Mapping[str, Wire], step: int) -> str | None:
        """Undo (-1) or redo (1) the edit that changes ``present``; its title, or None without such an edit."""

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

    # -- conflicts ---------------------------------------------------------------------------------------

    def conflicts(self, character_id: str, now: Mapping[str, Wire]) -> Mapping[str, Conflict]:
        """The members changed both here and elsewhere."""
        staged = self.staged.get(character_id)
        return {} if staged is None else conflicts(staged, now)

    def resolve(self, character_id: str, now: Mapping[str, Wire], mine: Collection[str]) -> None:
        """Resolve every conflict: keep your value for the members ``mine``, use the stored value for the others."""
        staged = self.staged.get(character_id)
        if staged is not None:
            self.keep(settled(staged, now, mine))

    # -- the drafts ---------------------------------------------------------------------------------------------------

    @property
    def failing(self) -> bool:
        """Whether no draft can be written."""
        return self._keeper.failing

    async def load(self) -> Mapping[str, Staged]:
        """Load and return the drafts of earlier sessions; changes staged already stay. Raises :class:`ServiceError`."""
        found = await self._keeper.load()
        self.staged = {**found, **self.staged}
        return found


def write_staged(staged: Staged) -> Wire:
    """The draft of a character's settings; None without staged changes."""
    return staged_to_wire(staged) if staged.changes else None


def read_staged(document: Wire) -> Staged | None:
    """The staged settings of a draft; None for a draft that cannot be read."""
    try:
        return staged_from_wire(document)
    except BadDraft:
        return None


def what_is_staged(staged: Staged) -> str:
    """The staged changes of one character, in a line."""
    # An empty reasoning level is none (decision 23).
    values = {member: None if member == REASONING and not text else text for member, text in staged.changes.items()}
    return ", ".join(f"{LABELS[member]} {short(value, 20)}" for member, value in values.items()) or "nothing"


def _step_title(before: Staged, after: Staged) -> str:
    members = [member for member in MEMBERS if before.changes.get(member) != after.changes.get(member)]
    if not members:
        return "Keep mine"
    verb = "Change" if after.changes.keys() & set(members) else "Revert"
    return f"{verb} {', '.join(LABELS[member] for member in members)}"
