"""The part of the narrative screen that brings stories to files and services, and from there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from chartui.core.narrative.nodes import section_node
from chartui.core.narrative.story import Story
from chartui.core.spec.errors import ServiceError
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import number_of
from chartui.tui.screens.narrative.walking import WalkingStory
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.screen import Copyable

if TYPE_CHECKING:
    from chartui.core.narrative.story_import import Joining
    from chartui.tui.screens.narrative.arriving import Arrival

__all__ = ["ShippingStory"]

_COPY: Final = "copy"
_WRITE: Final = "write"
#: As many sentences about what an import leaves out are told at once.
_TOLD: Final = 4


class ShippingStory(WalkingStory):
    """Writes, reads and ships the story. What is exported is the story as it is being written."""

    # -- out -----------------------------------------------------------------------------------------------------------

    def action_export_story(self) -> None:
        """Choose a form, then whether to copy the text or to write it."""
        self.start(self._export, group="ship")

    async def _export(self) -> None:
        from chartui.core.narrative.export import FORMS, Form, export

        story, character = self.state.story, self.state.character
        if story is None or character is None:
            self.workbench.tell("There is nothing to export here yet.")
            return
        forms = [Choice(form.value, facts.title, facts.suffix, facts.use) for form, facts in FORMS.items()]
        chosen = await self.app.push_screen_wait(Chooser("Export the graph", forms))
        if chosen is None:
            return
        form, ways = Form(chosen), [Choice(_COPY, "Copy it"), Choice(_WRITE, "Write it to a file")]
        way = await self.app.push_screen_wait(Chooser(FORMS[form].title, ways))
        if way is None:
            return
        title = character.character_name or character.character_id
        made = partial(export, story, form, title)
        copyable = Copyable(f"{title}: {FORMS[form].title}", made, FORMS[form].suffix)
        if way == _COPY:
            from chartui.tui.clipboard import copy_text

            copy_text(self, copyable)
        else:
            from chartui.tui.shell.files import offer_text

            offer_text(self, copyable)

    # -- in ------------------------------------------------------------------------------------------------------------

    def action_import_story(self) -> None:
        """Ask for a file, show what of it did not fit, and stage its story."""
        if not self.workbench.refuses("import") and self.state.story is not None:
            self.start(self._import, group="ship")

    async def _import(self) -> None:
        from chartui.tui.screens.narrative.arriving import ANSWERS, OpenStory, arrival_of, arriving

        path = await self.app.push_screen_wait(OpenStory())
        present = self.state.story
        if path is None or present is None:
            return
        try:
            arrival = await asyncio.to_thread(arrival_of, path)
        except ValueError as error:
            self.workbench.tell(str(error), title="Nothing was taken", severity="error")
            return
        answer = await self.app.push_screen_wait(arriving(arrival, empty=not (present.sections or present.triggers)))
        present = self.state.story
        if answer is None or present is None:
            return
        try:
            wanted, left_out = await asyncio.to_thread(self._arrived, arrival, present, ANSWERS[answer])
        except ServiceError as error:
            self.workbench.tell(error.message, title="Nothing was taken", severity="error")
            return
        if self.state.story is not present:
            self.workbench.tell("The story was read again meanwhile: import it once more.", severity="warning")
            return
        self._stage_arrival(path.name, present, wanted, left_out)

    def _stage_arrival(self, name: str, present: Story, wanted: Story, left_out: Sequence[str]) -> None:
        if wanted == present:
            self.workbench.tell("The story is as the file says: nothing is staged.", title=name)
            return
        first = next((key for key in wanted.sections if key not in present.sections), wanted.start)
        self.stage(wanted, f"Import {name}", keep=section_node(first) if first else None)
        if left_out:
            more = len(left_out) - _TOLD
            said = "\n".join([*left_out[:_TOLD], *([f"{GLYPHS.ellipsis} and {more} more"] if more > 0 else [])])
            self.workbench.tell(said, title=f"{number_of(len(left_out), 'thing')} left out", severity="warning")

    def _arrived(self, arrival: Arrival, present: Story, how: Joining) -> tuple[Story, list[str]]:
        """The story that is wanted, and in sentences what found no place in it."""
        if arrival.bundle is None:
            from chartui.core.narrative.story_import import joined, refuse_incomplete

            found = joined(present, arrival.incoming, how)
            refuse_incomplete(self.name_of_it(), present, found.story)
            return found.story, [remark.said for remark in found.remarks]
        from chartui.tui.screens.narrative.bundling import arrived

        return arrived(self, arrival.bundle, present, how)

    # -- bundles -------------------------------------------------------------------------------------------------------

    def action_ship_bundle(self) -> None:
        """Pull the character into a file, hold it against one, or push one."""
        if self.state.character is not None:
            self.start(self._ship, group="ship")

    async def _ship(self) -> None:
        from chartui.tui.screens.narrative.bundling import ship

        await ship(self)
