"""Applying the staged changes of a story to its current version, in few operations."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from chartui.core.jsontext import Wire
from chartui.core.narrative.edits import WHOLE, Conflict
from chartui.core.narrative.lint import switched_off
from chartui.core.narrative.story import Story
from chartui.core.plans.story import with_errors
from chartui.core.plans.story_editor import CannotApply, Doubtful
from chartui.core.plans.wording import LABELS
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import Character
from chartui.tui.guides import GONE, NOT_SENT, NOTHING_LEFT, with_keys
from chartui.tui.run_plan import carry_out, reads_for
from chartui.tui.screens.narrative.drafts import StoryDrafts
from chartui.tui.screens.narrative.state import AT_ONCE, Desk
from chartui.tui.wait import waiting
from chartui.tui.widgets.conflicts import Clash, Conflicts

if TYPE_CHECKING:
    from chartui.core.plans.executor import Progress
    from chartui.core.plans.plan import Plan
    from chartui.core.plans.reads import Reads


async def apply_story(desk: Desk, drafts: StoryDrafts) -> None:
    """Read the current version, ask about conflicts, then review and apply the rest.

    Starts over when the service refuses because the story changed in the meantime.
    """
    wanted = desk.state.wanted
    if wanted is None:
        return
    async with waiting(desk.workbench, f"Apply changes to {desk.state.name}"):
        before: Story | None = None
        while True:
            reads = reads_for(desk.workbench, desk.service)
            character = await _put_over_present(desk, wanted, reads)
            now = desk.state.stored
            if character is None or wanted != desk.state.wanted or now == before:
                return  # refused for a reason other than a change made elsewhere
            error, before = await _carry_out(desk, drafts, character, reads), now
            if error is None or error.kind is not ErrorKind.CONFLICT:
                return


async def _put_over_present(desk: Desk, wanted: str, reads: Reads) -> Character | None:
    """Rebase the staged changes on the story read by ``reads``; None, after a message, if they can't be applied."""
    editor, workbench = desk.editor, desk.workbench
    try:
        desk.show_made(await editor.look_for_made(reads.service, desk.session.journal))
        character = await reads.service.character(wanted)
        sections, triggers = await reads.service.sections(wanted), await reads.service.triggers(wanted)
    except ServiceError as error:
        workbench.tell_failure(error, kept=NOT_SENT)
        return None
    if character is None:
        workbench.tell(f"{GONE} {NOT_SENT}", title=desk.state.name, severity="warning")
        return None
    now = Story.of(character, sections, triggers)
    editor.read(now)
    desk.show_story(character)
    if editor.conflicts:
        clashes = {one.key: _clash(one, now, editor.story or now) for one in editor.conflicts}
        settled = await workbench.push_screen_wait(Conflicts(desk.state.name, clashes, what="thing"))
        if settled is None or wanted != desk.state.wanted:
            return None
        editor.read(now, settled)
        desk.show_story(character)
    return character


async def _carry_out(desk: Desk, drafts: StoryDrafts, character: Character, reads: Reads) -> ServiceError | None:
    """Review and apply; returns the refusal, if any."""
    editor, workbench = desk.editor, desk.workbench
    if not editor.edits:
        workbench.tell(NOTHING_LEFT, title=desk.state.name)
        return None
    try:
        plan = await _with_errors(desk, editor.plan(character))
    except Doubtful as error:
        workbench.tell(f"{error} ({desk.label('history')}).", title=error.title, severity="warning")
        return None
    except CannotApply as error:
        workbench.tell(str(error), title=error.title, severity="warning")
        return None
    await drafts.settled()
    empty = desk.state.stored is None or not desk.state.stored.sections

    def done(progress: Progress) -> None:
        if not desk.is_attached:  # another profile was opened while sending
            return
        desk.show_made(editor.applied(progress.answers, whole=not plan.notes))
        if desk.state.wanted == character.character_id:
            desk.show_story(character)

    progress = await carry_out(workbench, plan, done=done, reads=reads)
    if progress is None:
        return None
    if not progress.ok:
        desk.show_made(editor.made(progress.answers))
        if progress.done:
            editor.restart()
    elif empty and character.is_narrative_driven is False:
        workbench.tell(with_keys(workbench, _OFF), title=desk.state.name)
    return progress.first_error


async def _with_errors(desk: Desk, plan: Plan) -> Plan:
    """The plan with the errors that it causes and fixes, found in the background for a large story."""
    stored, story = desk.state.stored, desk.state.story
    if stored is None or story is None:
        return plan
    off, _ = switched_off(desk.workbench.config.lint_off)
    if len(story.sections) <= AT_ONCE:
        return with_errors(plan, stored, story, off)
    return await asyncio.to_thread(with_errors, plan, stored, story, off)


#: After the first sections of a character were applied.
_OFF: Final = "The graph is off, so the character doesn't follow it yet. {toggle-narrative} switches it on."
#: Labels of members that no operation has.
_LABELS: Final = {**LABELS, "triggers": "overrides", "enabled": "narrative graph"}


def _clash(conflict: Conflict, now: Story, mine: Story) -> Clash:
    """The description of a conflict."""
    words = _Words(now, mine)
    part, item_id, member = conflict.key
    name = {"section": words.section, "trigger": words.trigger}.get(part, str)(item_id)
    what = f"{part} “{name}”" if name else "the story"
    label = what if member == WHOLE else f"{_LABELS.get(member, member)} of {what}"
    return Clash(label, *(words.of(member, value) for value in (conflict.before, conflict.now, conflict.mine)))


class _Words:
    """Member values as shown to the user, with sections and triggers by name."""

    def __init__(self, now: Story, mine: Story) -> None:
        self._stories = (now, mine)

    def section(self, section_id: str) -> str:
        found = (story.sections[section_id].section_name for story in self._stories if section_id in story.sections)
        return next(filter(None, found), section_id)

    def trigger(self, trigger_id: str) -> str:
        found = (story.triggers[trigger_id].trigger_name for story in self._stories if trigger_id in story.triggers)
        return next(filter(None, found), trigger_id)

    def of(self, member: str, value: Wire) -> str:
        """The text of a value; of all members for a whole section or trigger."""
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
