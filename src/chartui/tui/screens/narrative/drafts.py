"""The story editors, one per character, and their drafts on disk."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from textual.message import Message

from chartui.core.classes import dataclass
from chartui.core.drafts import STORY_PART
from chartui.core.narrative.edits import Edits, StoryDraft, draft_from_wire, draft_to_wire
from chartui.core.plans.story_editor import StoryEditor
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.drafts import Keeper, TwoDrafts, ask_which_draft, leaving, named, tell_not_kept
from chartui.tui.screens.narrative.state import Desk

if TYPE_CHECKING:
    from chartui.core.plans.story import SentOutcomes


class StoryDrafts:
    """Holds the staged changes of each character's story, and stores them as drafts."""

    @dataclass
    class Found(Message):
        """Drafts of earlier sessions were found, with the outcome of those that were sent."""

        drafts: Mapping[str, StoryDraft]
        became: Mapping[str, SentOutcomes]

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        #: Whether the drafts of earlier sessions are in the editors.
        self.resumed = False
        self._editors: dict[str, StoryEditor] = {}
        self._keeper = Keeper(
            desk.session.drafts,
            desk.session.profile.place,
            STORY_PART,
            write=lambda draft: None if draft.empty else draft_to_wire(draft),
            read=draft_from_wire,
            met=self._met,
            failed=self._not_kept,
        )

    def editor(self, character_id: str) -> StoryEditor:
        """The editor of a character's story."""
        if character_id not in self._editors:
            embedded = self._desk.service.embedded
            self._editors[character_id] = StoryEditor(character_id, self._keeper, embedded=embedded)
        return self._editors[character_id]

    async def settled(self) -> None:
        await self._keeper.settled()

    def leaving(self) -> str:
        """The warning about unapplied changes before leaving."""
        names = [editor.name for editor in self._editors.values() if editor.edits]
        return leaving(self._desk.workbench, self._keeper, names, of="the story of ")

    async def find(self) -> Found:
        """Look for drafts of earlier sessions; none, after a message, if they can't be read."""
        try:
            found = dict(await self._keeper.load())
        except ServiceError as error:
            self._not_kept(error)
            found = {}
        became = {}
        for character_id, draft in found.items():
            if draft.sent:
                from chartui.core.plans.story import outcomes_of

                with suppress(ServiceError):  # looked up again before anything is sent
                    journal = self._desk.session.journal
                    became[character_id] = await outcomes_of(self._desk.service, journal, draft.sent)
        return self.Found(found, became)

    def resume(self, found: Found) -> None:
        """Resume the drafts that were found."""
        self.resumed = True
        resumed = [
            draft
            for character_id, draft in found.drafts.items()
            if self.editor(character_id).resume(draft, found.became.get(character_id))
        ]
        if self._desk.state.wanted in found.drafts and self._desk.state.stored is not None:
            self._desk.show_story()
        if resumed:
            held = f": {resumed[0].edits.counted}" if len(resumed) == 1 else ""
            message = f"Restored staged changes to the story of {named(draft.name for draft in resumed)}{held}."
            self._desk.workbench.tell(message, topic="drafts of stories")

    def _not_kept(self, error: ServiceError) -> None:
        tell_not_kept(self._desk.workbench, error)

    def _met(self, mine: StoryDraft, theirs: StoryDraft | None) -> None:
        """Another program has changed the draft: ask which draft to keep."""
        other = theirs.edits if theirs is not None else Edits()
        if other == mine.edits:
            self._keeper.seen(mine.character_id)
            return

        def use(theirs: StoryDraft | None) -> None:
            self.editor(mine.character_id).use(theirs.edits if theirs is not None else Edits())
            if self._desk.state.wanted == mine.character_id and self._desk.state.stored is not None:
                self._desk.show_story()

        name = single_line(mine.name, limit=30)
        there = None if theirs is None else other.counted
        question = TwoDrafts(f"Another program is editing the story of {name}", mine.edits.counted, there)
        ask_which_draft(
            self._desk.workbench,
            self._keeper,
            mine.character_id,
            question,
            keep=lambda: self._keeper.keep(mine),
            use=use,
        )
