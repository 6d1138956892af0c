"""An editor for one character's story.

It stages, undoes and redoes changes, rebases them on newer values, and builds a plan. The editor does not depend on the
terminal. :class:`Drafts` saves the staged changes with their history, and outlives the editor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol

from chartui.core.clock import Ids, random_ids
from chartui.core.jsontext import Wire
from chartui.core.narrative.edits import Conflict, Edits, Key, Sending, StoryDraft, difference
from chartui.core.narrative.story import Story
from chartui.core.spec.models.characters import Character
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.journal import Journal
    from chartui.core.plans.plan import Plan
    from chartui.core.plans.story import SentOutcomes
    from chartui.core.service import Service

#: The title of the one remaining step of the edit history after only some of the changes were applied.
_LEFT: Final = "Changes not yet applied"


class Drafts(Protocol):
    """Saves the staged changes of each character, with their history."""

    def stage(self, staged: StoryDraft, title: str, *, field: str = "") -> None:
        """Save the changes as a new step. All text typed into the same ``field`` counts as one step."""

    def keep(self, staged: StoryDraft) -> None:
        """Save the changes after they were rebased on newer values, without adding a step."""

    def restart(self, staged: StoryDraft, title: str) -> None:
        """Save the changes as a single step that replaces all earlier steps."""

    def turn(
        self, nothing: StoryDraft, step: int, differs: Callable[[StoryDraft], bool]
    ) -> tuple[str, StoryDraft] | None:
        """Move to an earlier or later step.

        ``step`` is -1 to go back or 1 to go forward. Steps for which ``differs`` returns False are skipped. Returns the
        title and the staged changes of the step, or None if there is no such step.
        """


class CannotApply(Exception):
    """Raised if the staged changes cannot be applied.

    The message gives the reason, and ``title`` is a short summary.
    """

    def __init__(self, message: str, title: str = "Not sent") -> None:
        super().__init__(message)
        self.title = title


class Doubtful(CannotApply):
    """Raised if an earlier plan may already have created a new section or trigger.

    Resolve the plan's unknown outcome in the history first.
    """


class StoryEditor:
    """Edits the story of one character.

    ``stored`` is the story as read, and ``story`` is the story with the staged changes. If nothing is staged, they are
    the same object. ``base`` is the story to which the staged ``edits`` apply. It differs from ``stored`` only if there
    are unresolved ``conflicts``.
    """

    def __init__(self, character_id: str, drafts: Drafts, *, embedded: bool, ids: Ids = random_ids) -> None:
        self.character_id = character_id
        self.name = character_id
        self.stored: Story | None = None
        self.story: Story | None = None
        self.base: Story | None = None
        self.edits = Edits()
        self.conflicts: tuple[Conflict, ...] = ()
        self._drafts = drafts
        self._embedded = embedded
        self._ids = ids
        #: The last plan that sent the edits, until the outcome of all its creations is known.
        self._sent: tuple[Sending, ...] = ()
        self._doubtful: Collection[str] = ()
        self._ours: Mapping[Key, Sequence[Wire]] = {}

    def read(self, stored: Story, settled: Mapping[Key, bool] | None = None) -> None:
        """Rebase the staged changes on the story that was just read.

        For each resolved conflict, ``settled`` is True to keep the staged change, or False to use the stored value.
        """
        before, self.stored = self.edits, stored
        self._put_over(stored, before, settled)
        if self.edits != before:
            self.keep()

    def _put_over(self, stored: Story, edits: Edits, settled: Mapping[Key, bool] | None = None) -> None:
        if edits:
            rebased = edits.on(stored, settled, self._ours)
            self.base, self.conflicts, self.story = rebased.base, rebased.conflicts, rebased.story
            self.edits = difference(rebased.base, rebased.story)
        else:
            self.base, self.conflicts, self.edits = stored, (), edits
        if not self.edits:
            self.story = stored

    def is_new(self, item_id: str) -> bool:
        """Return whether a section or trigger still has to be created. If so, its ID is valid only on this machine."""
        story, stored = self.story, self.stored
        if story is None or stored is None:
            return False
        return item_id in {*story.sections, *story.triggers} and item_id not in {*stored.sections, *stored.triggers}

    def stage(self, story: Story, title: str, *, field: str = "") -> bool:
        """Stage ``story`` as a new step called ``title``.

        Returns whether ``story`` differs from the current story.

        All text typed into the same ``field`` counts as one step. If a new section or trigger was discarded, references
        to it are removed from ``story`` first.
        """
        if self.base is None or self.story is None or self.stored is None:
            return False
        story = story.without_references_to_unsent(self.story, self.base)
        if story == self.story:
            return False
        edits = difference(self.base, story)
        # A plan cannot have created a discarded new item under its local ID.
        begun = {*edits.sections} - {*self.edits.sections} | {*edits.triggers} - {*self.edits.triggers}
        self._sent = tuple(
            replace(one, makes={number: item for number, item in one.makes.items() if item not in begun})
            for one in self._sent
        )
        self.edits, self.story = edits, story if edits else self.stored
        self._drafts.stage(self.draft(), title, field=field)
        return True

    def type(self, story: Story, title: str, field: str) -> None:
        """Save ``story`` as a draft while text is typed into ``field``.

        The current story does not change until :meth:`stage` is called.
        """
        if self.base is not None:
            self._drafts.stage(self.draft(difference(self.base, story)), title, field=field)

    def discard(self) -> None:
        if self.stored is not None and self.edits:
            self.base, self.conflicts = self.stored, ()
            self.stage(self.stored, "Discard all changes")

    def undo(self) -> str | None:
        """Undo the last step that has an effect. Returns its title, or None if there is nothing to undo."""
        return self._turn(-1)

    def redo(self) -> str | None:
        return self._turn(1)

    def _turn(self, step: int) -> str | None:
        stored = self.stored
        if stored is None:
            return None

        def differs(draft: StoryDraft) -> bool:
            return draft.edits.on(stored, ours=self._ours).story != self.story

        found = self._drafts.turn(self.draft(Edits()), step, differs)
        if found is None:
            return None
        title, draft = found
        self._put_over(stored, draft.edits)
        self._sent = self._sent or draft.sent  # An item that a plan may already have created must not be created again.
        if self.edits and self._sent != draft.sent:
            self.keep()
        return title

    def draft(self, edits: Edits | None = None) -> StoryDraft:
        """Return the staged changes as a draft. Pass ``edits`` to use other changes instead."""
        edits = self.edits if edits is None else edits
        return StoryDraft(character_id=self.character_id, name=self.name, edits=edits, sent=self._sent)

    def keep(self) -> None:
        """Save the staged changes after rebasing them on newer values."""
        self._drafts.keep(self.draft())

    def resume(self, draft: StoryDraft, became: SentOutcomes | None) -> bool:
        """Restore an earlier draft, unless changes have been staged since.

        Returns whether the draft was restored.

        ``became`` is the outcome of the plans that sent the draft, or None if the outcome is unknown.
        """
        if self.edits:
            return False
        self.name, self.edits, self._sent = draft.name, draft.edits, draft.sent
        if became is not None:
            self._learn(became)
        if self.stored is not None:
            self.read(self.stored)
        return True

    def use(self, edits: Edits) -> None:
        self.edits = edits
        self._drafts.stage(self.draft(), "Use the other program's changes")
        if self.stored is not None:
            self.read(self.stored)

    def plan(self, character: Character) -> Plan:
        """Build the plan that applies the staged changes, and record it in the draft.

        Changes that the service does not support are left out and listed in the plan's notes. Raises
        :class:`CannotApply` if the staged changes cannot be applied.
        """
        from chartui.core.plans.narrative import BadReference
        from chartui.core.plans.plan import Plan
        from chartui.core.plans.story import story_steps

        stored, story = self.stored, self.story
        if stored is None or story is None:
            raise CannotApply("The story has not been read.")
        if doubtful := _first_of(story, self._doubtful):
            message = (
                f"{doubtful} may have been created by an earlier attempt. Resolve that attempt's outcome in the history"
            )
            raise Doubtful(message)
        if twice := _named_twice(story):
            raise CannotApply(f"Two triggers are named “{twice}”. Trigger names must be unique.")
        try:
            made = story_steps(character, stored, story, embedded=self._embedded)
        except BadReference as error:
            raise CannotApply(str(error)) from error
        if not made.steps and made.left_out:
            raise CannotApply(" ".join(made.left_out), "Cannot be applied")
        title = f"Change the story of {single_line(self.name, limit=40)}"
        plan = Plan(id=self._ids(), title=title, steps=made.steps, notes=made.left_out)
        # This is saved before the plan begins: restoring the draft after a kill checks which items were created.
        self._sent = (*self._sent, Sending(plan=plan.id, makes=made.makes))
        self.keep()
        return plan

    def applied(self, answers: Mapping[int, Wire], *, whole: bool) -> Mapping[str, str]:
        """Record that the plan was applied, either completely (if ``whole`` is true) or in part.

        Returns a mapping from the local IDs of new sections and triggers to their assigned IDs.
        """
        ids = self.made(answers)
        if whole and self.story is not None:
            self.read(self.story)
        self.restart()
        return ids

    def made(self, answers: Mapping[int, Wire]) -> Mapping[str, str]:
        """Replace the local IDs of new sections and triggers with the IDs returned by the steps of the last plan.

        Returns a mapping from old IDs to new IDs.
        """
        from chartui.core.plans.story import made_ids

        ids = made_ids(self._sent[-1], answers) if self._sent else {}
        self._rename(ids)
        return ids

    def restart(self) -> None:
        """After a plan was partly applied, merge the remaining changes into one step.

        Earlier steps are removed, because undoing them would restore IDs that the service does not know.
        """
        self._drafts.restart(self.draft(), _LEFT)

    async def look_for_made(self, service: Service, journal: Journal) -> Mapping[str, str]:
        """Determine which sections and triggers earlier plans have created, so that none is created twice.

        Returns a mapping from old IDs to new IDs. Raises :class:`~chartui.core.spec.errors.ServiceError`.
        """
        if not self._sent:
            return {}
        from chartui.core.plans.story import outcomes_of

        sent = self._sent
        became = await outcomes_of(service, journal, sent)
        return self._learn(became) if self._sent is sent else {}

    def _learn(self, became: SentOutcomes) -> Mapping[str, str]:
        self._sent, self._doubtful, self._ours = became.left, became.doubtful, became.ours
        self._rename(became.ids)
        return became.ids

    def _rename(self, ids: Mapping[str, str]) -> None:
        if not ids:
            return
        self.edits = self.edits.renamed(ids)
        self.base = self.base.renamed(ids) if self.base is not None else None
        if self.stored is not None:
            self.read(self.stored)
        self.restart()


def _first_of(story: Story, doubtful: Collection[str]) -> str:
    sections = (f"section “{one.section_name}”" for key, one in story.sections.items() if key in doubtful)
    triggers = (f"trigger “{one.trigger_name}”" for key, one in story.triggers.items() if key in doubtful)
    return single_line(next(chain(sections, triggers), ""), limit=60)


def _named_twice(story: Story) -> str | None:
    """Return a name shared by several triggers, or None if all names are unique (C 2.4)."""
    seen: set[str | None] = set()
    for trigger in story.triggers.values():
        if trigger.trigger_name in seen:
            return trigger.trigger_name
        seen.add(trigger.trigger_name)
    return None
