"""The part of the narrative screen that holds what is changed and not sent: staged, undone, kept as a draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from chartui.core.jsontext import Wire
from chartui.core.narrative.edits import (
    Conflict,
    Edits,
    Key,
    Sending,
    StoryDraft,
    difference,
    draft_from_wire,
    draft_to_wire,
)
from chartui.core.narrative.nodes import section_node
from chartui.core.narrative.story import Story
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.drafts import TURNED, Keeper, TwoDrafts, ask_which_draft, tell_not_kept, turned, what_becomes
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import number_of
from chartui.tui.screens.narrative.reading import ReadingStory
from chartui.tui.screens.narrative.state import NarrativeState, Pane
from chartui.tui.wait import refuse_typed_ahead

if TYPE_CHECKING:
    from chartui.core.plans.story import Became
    from chartui.core.service import Service

__all__ = ["PART", "StagingStory"]

#: What the drafts of stories are called.
PART = "narrative"
#: What the one step is called that is left of a history when some of it was applied.
_LEFT = "Changes left after applying"


@dataclass(slots=True)
class _Written:
    """What is being written of the story of one character.

    ``base`` is the story that the edits begin from: the one that is stored, but for what was changed elsewhere as well
    and is not decided yet. ``sending`` is how they were last sent, as long as not all that it makes is known.
    """

    edits: Edits = field(default_factory=Edits)
    base: Story | None = None
    conflicts: tuple[Conflict, ...] = ()
    sent: tuple[Sending, ...] = ()
    doubtful: frozenset[str] = frozenset()
    ours: Mapping[Key, Sequence[Wire]] = field(default_factory=dict)

    def learn(self, became: Became) -> None:
        """What has become of the plans."""
        self.sent, self.doubtful, self.ours = became.left, became.doubtful, became.ours
        self.rename(became.ids)

    def take(self, edits: Edits) -> None:
        """Stage other edits; a plan has not made what has the id of something new that was given up since."""
        begun = (edits.sections.keys() - self.edits.sections.keys()) | (
            edits.triggers.keys() - self.edits.triggers.keys()
        )
        self.sent = tuple(
            replace(one, makes={number: item for number, item in one.makes.items() if item not in begun})
            for one in self.sent
        )
        self.edits = edits

    def rename(self, ids: Mapping[str, str]) -> None:
        """What was new has other ids by now."""
        self.edits = self.edits.renamed(ids)
        self.base = self.base.renamed(ids) if self.base is not None else None


class StagingStory(ReadingStory):
    """Knows what is staged of the story of each character, and keeps it."""

    @dataclass
    class Drafted(Message):
        """What was staged before was found, and what has become of it where it was sent."""

        drafts: Mapping[str, StoryDraft]
        became: Mapping[str, Became]

    def __init__(self) -> None:
        super().__init__()
        self._written: dict[str, _Written] = {}

    def prepare(self) -> None:
        """Look for what was staged before."""
        session = self.session
        self._keeper = Keeper(
            session.drafts,
            session.profile.place,
            PART,
            write=lambda draft: None if draft.empty else draft_to_wire(draft),
            read=draft_from_wire,
            met=self._met,
            failed=self._not_kept,
        )
        super().prepare()
        self.start(self._read_drafts, group="drafts")

    def refuses(self) -> bool:
        """Whether nothing can be changed just now, which is told: under the lock, or before there is a story."""
        if self.workbench.refuses("editing the story"):
            return True
        if self.state.stored is None:
            self.workbench.tell("There is no story here yet: it was not read.")
            refuse_typed_ahead(self.workbench)
        return self.state.stored is None

    @property
    def written(self) -> _Written:
        """What is being written of the present story."""
        return self._written.setdefault(self.state.wanted or "", _Written())

    @property
    def edits(self) -> Edits:
        """What is staged of the present story."""
        return self.written.edits

    # -- staging ------------------------------------------------------------------------------------------------------

    def stage(self, story: Story, title: str, *, keep: str | None = None, field: str = "") -> None:
        """Stage ``story`` as one more step, which ``title`` names; what is typed into one ``field`` is one step.

        The cursor stays on its node, or goes to the one with the id ``keep``. Under the lock nothing is staged, and
        that is told.
        """
        written, present = self.written, self.state.story
        if self.refuses() or written.base is None or present is None:
            return
        story = story.without_references_to_unsent(present, written.base)
        if story == present:
            return
        edits = difference(written.base, story)
        written.take(edits)
        self._keeper.stage(self._draft(edits), title, field=field)
        self._show_staged(story, keep)

    def _show_staged(self, story: Story, keep: str | None = None) -> None:
        """Show a story; the stored one where nothing is staged."""
        stored = self.state.stored
        self.tell_story(stored if not self.edits and stored is not None else story, keep=keep)

    def stage_typed(self, story: Story, title: str, field: str) -> None:
        """Keep a story that is being typed, and show it only once it is staged."""
        base = self.written.base
        if base is not None and not self.locked:
            self._keeper.stage(self._draft(difference(base, story)), title, field=field)

    def keep_draft(self) -> None:
        """Keep what is staged of the present story where it is the same change over newer values."""
        if self.state.wanted is not None:
            self._keeper.keep(self._draft(self.edits))

    def _draft(self, edits: Edits) -> StoryDraft:
        wanted = self.state.wanted or ""
        return StoryDraft(character_id=wanted, name=self.name_of_it(), edits=edits, sent=self.written.sent)

    def name_of_it(self) -> str:
        """What the character is called."""
        character = self.state.character
        return (character.character_name if character is not None else None) or self.state.wanted or ""

    def put_on(self, story: Story, settled: Mapping[Key, bool] | None = None) -> Story:
        """Do what is staged over a story as it was read just now; gives the one to be shown."""
        written = self.written
        if not written.edits:
            written.base, written.conflicts = story, ()
            return story
        before = written.edits
        rebased = written.edits.on(story, settled, written.ours)
        written.base, written.conflicts = rebased.base, rebased.conflicts
        written.edits = difference(rebased.base, rebased.story)
        if written.edits != before:
            self.keep_draft()
        return rebased.story if written.edits else story

    def story_was_read(self, state: NarrativeState, story: Story) -> NarrativeState:
        """What was read with what is staged in front of it."""
        self.state = state
        return replace(state, stored=story).telling(self.put_on(story))

    # -- undo and redo ------------------------------------------------------------------------------------------------

    def action_undo_edit(self) -> None:
        """Undo the last staged edit."""
        self._turn(-1)

    def action_redo_edit(self) -> None:
        """Redo the edit that was undone last."""
        self._turn(1)

    def _turn(self, step: int) -> None:
        """Go one edit back (-1) or forth (1); one that makes no difference to what is stored by now is passed over."""
        stored, written = self.state.stored, self.written
        if self.refuses() or stored is None:
            return
        if self.under_way("send"):
            self.workbench.tell("Changes of this story are being applied. Undo and redo are available afterwards.")
            return

        def differs(draft: StoryDraft) -> bool:
            return draft.edits.on(stored, ours=written.ours).story != self.state.story

        found = self._keeper.turn(self._draft(Edits()), step, differs)
        if found is None:
            undo = self.keymap_label("undo")
            nothing = f"No staged edit to undo. {undo} undoes what was applied." if step < 0 else "Nothing to redo."
            self.workbench.tell(nothing, topic=TURNED)
            return
        title, draft = found
        rebased = draft.edits.on(stored, ours=written.ours)
        written.base, written.conflicts = rebased.base, rebased.conflicts
        written.edits = difference(rebased.base, rebased.story)
        written.sent = written.sent or draft.sent  # what a plan may have made is not made once more
        if written.edits and written.sent != draft.sent:
            self.keep_draft()
        self._show_staged(rebased.story)
        self.workbench.tell(turned(title, step), topic=TURNED)

    def drop_staged(self) -> None:
        """Go back to what is stored; that can be undone as well."""
        if self.state.stored is not None and self.edits:
            self.written.conflicts = ()
            self.written.base = self.state.stored
            self.stage(self.state.stored, "Discard all changes")

    # -- what was new and is made by now ------------------------------------------------------------------------------

    async def _read(self, wanted: str | None) -> None:
        with suppress(ServiceError):  # it is asked again before anything is sent
            await self.find_made(wanted, self.service)
        await super()._read(wanted)

    async def find_made(self, character_id: str | None, service: Service) -> None:
        """Look by ``service`` what became of what was sent: nothing is made twice. Raises :class:`ServiceError`."""
        written = self._written.get(character_id or "")
        if character_id is None or written is None or not written.sent:
            return
        from chartui.core.plans.story import what_became

        sent = written.sent
        became = await what_became(service, self.session.journal, sent)
        if written.sent is sent:
            written.learn(became)
            self._show_made(character_id, became.ids)

    def made(self, character_id: str, answers: Mapping[int, Wire]) -> None:
        """What was new has the ids that the steps of the last plan have answered."""
        from chartui.core.plans.story import made_ids

        written = self._written.get(character_id)
        if written is not None and written.sent:
            ids = made_ids(written.sent[-1], answers)
            written.rename(ids)
            self._show_made(character_id, ids)

    def _show_made(self, character_id: str, ids: Mapping[str, str]) -> None:
        if not ids:
            return
        stored, node = self.state.stored, self._tree.current
        if character_id == self.state.wanted and stored is not None:
            made = ids.get(node.section or "") if node is not None else None
            keep = section_node(made) if made is not None else None
            self.tell_story(self.put_on(stored), keep=keep)
        self.restart_history(character_id)

    def restart_history(self, character_id: str) -> None:
        """Let what is left after some of it was applied be one step.

        Steps before would bring back what was applied, under ids that the service does not know.
        """
        written = self._written.setdefault(character_id, _Written())
        kept = draft_from_wire(self._keeper.history(character_id).document)
        kept = kept or StoryDraft(character_id=character_id, name="", edits=Edits())
        self._keeper.restart(replace(kept, edits=written.edits, sent=written.sent), _LEFT)

    # -- drafts -------------------------------------------------------------------------------------------------------

    async def _read_drafts(self) -> None:
        try:
            found = dict(await self._keeper.load())
        except ServiceError as error:
            self._not_kept(error)
            return
        became = {}
        for character_id, draft in found.items():
            if draft.sent:
                from chartui.core.plans.story import what_became

                with suppress(ServiceError):  # it is asked again before anything is sent
                    became[character_id] = await what_became(self.service, self.session.journal, draft.sent)
        self.post_message(self.Drafted(found, became))

    @on(Drafted)
    def _drafted(self, message: Drafted) -> None:
        names = []
        for character_id, draft in message.drafts.items():
            written = self._written.setdefault(character_id, _Written())
            if not written.edits:
                written.edits, written.sent = draft.edits, draft.sent
                if character_id in message.became:
                    written.learn(message.became[character_id])
                    if message.became[character_id].ids:
                        self.restart_history(character_id)
                names.append(single_line(draft.name, limit=30))
        stored = self.state.stored
        if self.state.wanted in message.drafts and stored is not None:
            self.tell_story(self.put_on(stored))
        if names:
            kept = ", ".join(sorted(names))
            self.workbench.tell(f"Not sent yet, and kept: the changes of the story of {kept}.")

    def _not_kept(self, error: ServiceError) -> None:
        tell_not_kept(self.workbench, error, "sent")

    def _met(self, mine: StoryDraft, theirs: StoryDraft | None) -> None:
        """Another program has changed the draft: the user says which one counts."""
        other = theirs.edits if theirs is not None else Edits()
        if other == mine.edits:
            self._keeper.seen(mine.character_id)
            return

        def choose(keep_mine: bool) -> None:
            written, stored = self._written.setdefault(mine.character_id, _Written()), self.state.stored
            if keep_mine:
                self._keeper.keep(mine)
            else:
                written.edits = other
                self._keeper.stage(replace(mine, edits=other), "Use the other program's changes")
            if self.state.wanted == mine.character_id and stored is not None:
                self.tell_story(self.put_on(stored))

        name = single_line(mine.name, limit=30)
        staged = number_of(len(mine.edits), "change")
        there = None if theirs is None else number_of(len(other), "change")
        question = TwoDrafts(f"Another program writes the story of {name} too", staged, there)
        ask_which_draft(self.workbench, self._keeper, mine.character_id, question, choose)

    async def on_unmount(self) -> None:
        """Leave no draft unwritten."""
        await self._keeper.settled()

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_state(self, state: NarrativeState, *, keep: str | None = None) -> None:
        """Mark in the tree what is staged."""
        edits = self._written[state.wanted].edits if state.wanted in self._written else Edits()
        self._tree.staged = frozenset((*edits.sections, *edits.triggers))
        super().show_state(state, keep=keep)

    def _counts(self, state: NarrativeState) -> str:
        number = len(self._written[state.wanted].edits) if state.wanted in self._written else 0
        # The line of keys may have no room for the one that sends them.
        send = self.keymap_label("send-story")
        staged = f"{GLYPHS.staged} {number_of(number, 'change')}, {send} sends · " if number else ""
        return f"{staged}{super()._counts(state)}"

    def marks(self) -> Mapping[Pane, str]:
        """How many things are staged, and whether something of them is to be decided."""
        written = self.written
        if not written.edits:
            return super().marks()
        doubt = f" {GLYPHS.conflict}{len(written.conflicts)}" if written.conflicts else ""
        return {**super().marks(), Pane.SECTION: f"{GLYPHS.staged}{len(written.edits)}{doubt}"}

    def leaving(self) -> str:
        """What is not sent yet, for whoever is about to leave."""
        number = sum(1 for written in self._written.values() if written.edits)
        if not number:
            return ""
        kept = what_becomes(self._keeper, throwaway=self.session.throwaway)
        return f"Changes of the story of {number_of(number, 'character')} are not sent. {kept}"
