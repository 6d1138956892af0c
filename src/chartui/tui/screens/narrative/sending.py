"""The part of the narrative screen that sends what is staged: over what is there by then, in few operations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from chartui.core.clock import random_ids
from chartui.core.jsontext import Wire
from chartui.core.narrative.edits import WHOLE, Conflict, Key, Sending
from chartui.core.narrative.story import Story
from chartui.core.plans.wording import LABELS
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.text import single_line
from chartui.tui.numbers import number_of
from chartui.tui.run_plan import reads_for
from chartui.tui.screens.narrative.staging import StagingStory
from chartui.tui.wait import waiting
from chartui.tui.widgets.conflicts import Clash, Conflicts
from chartui.tui.widgets.questions import Confirm

if TYPE_CHECKING:
    from chartui.core.plans.executor import Progress
    from chartui.core.plans.reads import Reads

__all__ = ["SendingStory"]


class SendingStory(StagingStory):
    """Reads again what is there, asks about what was changed elsewhere too, and sends the rest as a plan."""

    def action_drop_story(self) -> None:
        """Ask whether to take all staged changes back."""
        number = len(self.edits)
        if self.refuses():
            return
        if not number:
            self.workbench.tell("There is nothing to drop: nothing of this story is changed.")
            return

        def answered(agreed: bool | None) -> None:
            if agreed:
                self.drop_staged()

        undo = self.keymap_label("undo-edit")
        name = single_line(self.name_of_it(), limit=30)
        message = f"Staged: {number_of(number, 'change')}. What was dropped comes back with {undo}."
        self.app.push_screen(Confirm(f"Drop the changes of the story of {name}", message, "Drop them"), answered)

    def action_send_story(self) -> None:
        """Send what is staged."""
        if self.workbench.refuses("applying staged changes") or self.refuses():
            return
        if not self.edits:
            self.workbench.tell("There is nothing to send: nothing of this story is changed.")
        else:
            self.start(self._send, group="send")

    async def _send(self) -> None:
        wanted = self.state.wanted
        if wanted is None:
            return
        async with waiting(self.workbench, f"Apply the changes of {self.name_of_it()}"):
            await self._send_until_settled(wanted)

    async def _send_until_settled(self, wanted: str) -> None:
        """Send over what is there; as often as the service refuses that since the story was changed meanwhile."""
        before: Story | None = None
        while True:
            reads = reads_for(self.workbench, self.service)
            found = await self._over_what_is_there(wanted, reads)
            if found is None:
                return
            character, now = found
            if wanted != self.state.wanted or now == before:  # refused, and not since somebody else was quicker
                return
            error, before = await self._send_over(character, now, reads), now
            if error is None or error.kind is not ErrorKind.CONFLICT:
                return

    async def _over_what_is_there(self, wanted: str, reads: Reads) -> tuple[Character, Story] | None:
        """The story by ``reads``, with what is staged put on it; None where that is not to be sent, which is told."""
        try:
            await self.find_made(wanted, reads.service)
            character = await reads.service.character(wanted)
            sections, triggers = await reads.service.sections(wanted), await reads.service.triggers(wanted)
        except ServiceError as error:
            self.workbench.tell_failure(error, kept="Nothing was sent, and what is staged is kept.")
            return None
        if character is None:
            message = "This character is not there any more. Nothing was sent; what is staged is kept."
            self.workbench.tell(message, title=self.name_of_it(), severity="warning")
            return None
        now = Story.of(character, sections, triggers)
        self._show_over(character, now)
        if conflicts := self.written.conflicts:
            clashes = {conflict.key: _clash(conflict, now, self.state.story or now) for conflict in conflicts}
            settled = await self.app.push_screen_wait(Conflicts(self.name_of_it(), clashes, what="thing"))
            if settled is None or wanted != self.state.wanted:
                return None
            self._show_over(character, now, settled)
        return character, now

    def _show_over(self, character: Character, now: Story, settled: Mapping[Key, bool] | None = None) -> None:
        """Show the story as it is now, with what is staged put on it."""
        story = self.put_on(now, settled)
        self.state = replace(self.state, character=character, stored=now)
        self.tell_story(story)

    async def _send_over(self, character: Character, stored: Story, reads: Reads) -> ServiceError | None:
        """Review and carry out; why it was refused, where it was."""
        from chartui.core.plans.narrative import BadReference
        from chartui.core.plans.plan import Plan
        from chartui.core.plans.story import story_steps

        written, story = self.written, self.state.story
        if not written.edits or story is None:
            self.workbench.tell("What is there now counts: nothing is left to be sent.", title=self.name_of_it())
            return None
        if doubtful := _first_doubtful(story, written.doubtful):
            history = self.keymap_label("history")
            message = (
                f"Nobody knows whether {doubtful} was made when this was last sent. Say it in the history ({history})."
            )
            self.workbench.tell(message, title="Not sent", severity="warning")
            return None
        if twice := _named_twice(story):
            self.workbench.tell(f"Two triggers are called “{twice}”: a service takes a name once.", title="Not sent")
            return None
        try:
            made = story_steps(character, stored, story, embedded=self.service.embedded)
        except BadReference as error:
            self.workbench.tell(str(error), title="Not sent", severity="warning")
            return None
        if not made.steps and made.left_out:
            self.workbench.tell(" ".join(made.left_out), title="Nothing can be sent", severity="warning")
            return None
        title = f"Change the story of {single_line(self.name_of_it(), limit=40)}"
        plan = Plan(id=random_ids(), title=title, steps=made.steps, notes=made.left_out)
        # On the disk before it is begun: whoever finds the draft after a kill looks for what was made.
        written.sent = (*written.sent, Sending(plan=plan.id, makes=made.makes))
        self.keep_draft()
        await self._keeper.settled()
        sent = partial(self._sent, character, whole=not made.left_out)
        progress = await self.workbench.carry_out(plan, deed="Send", done=sent, reads=reads)
        if progress is None:
            return None
        if not progress.ok:
            self.made(character.character_id, progress.answers)
            if progress.done:
                self.restart_history(character.character_id)
        return progress.first_error

    def _sent(self, character: Character, progress: Progress, *, whole: bool) -> None:
        """The story was sent: what is shown is stored by now, unless a part cannot be sent to a service."""
        if not self.is_attached:  # another profile was opened while it was sent
            return
        self.made(character.character_id, progress.answers)
        if whole and self.state.wanted == character.character_id and self.state.story is not None:
            self._show_over(character, self.state.story)
        self.restart_history(character.character_id)


def _first_doubtful(story: Story, doubtful: Collection[str]) -> str:
    """The first of the new things that may have been made already, in words; nothing where there is none."""
    sections = (f"section “{one.section_name}”" for key, one in story.sections.items() if key in doubtful)
    triggers = (f"trigger “{one.trigger_name}”" for key, one in story.triggers.items() if key in doubtful)
    return single_line(next(chain(sections, triggers), ""), limit=60)


def _named_twice(story: Story) -> str | None:
    """A name that several triggers have; None where each has its own (C 2.4)."""
    seen: set[str | None] = set()
    for trigger in story.triggers.values():
        if trigger.trigger_name in seen:
            return trigger.trigger_name
        seen.add(trigger.trigger_name)
    return None


#: What members are called where they are no members of an operation.
_LABELS: Final = {**LABELS, "triggers": "overrides", "enabled": "narrative graph"}


def _clash(conflict: Conflict, now: Story, mine: Story) -> Clash:
    """A conflict in words."""
    words = _Words(now, mine)
    part, item_id, member = conflict.key
    name = {"section": words.section, "trigger": words.trigger}.get(part, str)(item_id)
    what = f"{part} “{name}”" if name else "the story"
    label = what if member == WHOLE else f"{_LABELS.get(member, member)} of {what}"
    return Clash(label, *(words.of(member, value) for value in (conflict.before, conflict.now, conflict.mine)))


class _Words:
    """Values of members as people read them: sections and triggers by their names, wherever these are."""

    def __init__(self, now: Story, mine: Story) -> None:
        self._stories = (now, mine)

    def section(self, section_id: str) -> str:
        found = (story.sections[section_id].section_name for story in self._stories if section_id in story.sections)
        return next(filter(None, found), section_id)

    def trigger(self, trigger_id: str) -> str:
        found = (story.triggers[trigger_id].trigger_name for story in self._stories if trigger_id in story.triggers)
        return next(filter(None, found), trigger_id)

    def of(self, member: str, value: Wire) -> str:
        """A value; of a whole section or trigger all that it says."""
        match member, value:
            case "", None:
                return "removed"
            case "", _:
                return "\n".join(text for inner, one in value.items() if (text := self.of(inner, one)))
            case _, None:
                return ""
            case "decisions", [] | ():
                return "none: the story ends here"
            case "decisions", list() | tuple():
                ways = (way for way in value if isinstance(way, Mapping))
                return "\n".join(f"{w.get('criteria')} => {self.section(str(w.get('next_section_id')))}" for w in ways)
            case "triggers", _:
                return "\n".join(f"{self.trigger(one)} => {self.section(target)}" for one, target in value.items())
            case (("destination_section" | "start"), _):
                return self.section(str(value))
            case _, bool():
                return "on" if value else "off"
            case _:
                return str(value)
