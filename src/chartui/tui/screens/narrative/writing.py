"""The part of the narrative screen that writes: names in a line at the foot of the pane, texts in an editor."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from textual import on
from textual.widget import Widget

from chartui.core.narrative.story import Story
from chartui.core.text import single_line
from chartui.tui.screens.narrative.detail import Aside, detail
from chartui.tui.screens.narrative.section_view import EntryLine
from chartui.tui.screens.narrative.sending import SendingStory
from chartui.tui.screens.narrative.spot import About, Spot, spot_at
from chartui.tui.screens.narrative.target_chooser import Target, TargetChooser

__all__ = ["WritingStory", "needs_name"]

#: Makes another story of one.
Change = Callable[[Story], Story]
#: Of which section or trigger a text is.
_Whose = tuple[About, str]


def needs_name(name: str) -> str:
    """Why a name is not taken; empty for one that is."""
    return "" if name else "A name is needed here."


class WritingStory(SendingStory):
    """Asks for what is to be written, and stages it."""

    _asked_from: Widget | None = None

    # -- where one is -------------------------------------------------------------------------------------------------

    @property
    def spot(self) -> Spot:
        """What a key would change: the line of the pane while keys go there, else the node of the tree."""
        story, outline = self.state.story, self.state.outline
        if story is None or outline is None:
            return Spot()
        path = self.panes.section.path or "" if self.panes.section.has_focus else None
        return spot_at(story, outline, self.node, path)

    def nothing_here(self, what: str) -> None:
        """Say that the cursor is at nothing that a key could change."""
        self.workbench.tell(f"There is {what} here.")

    def show_section(self) -> None:
        """What there is to read and to change at the cursor."""
        node, outline, written = self.node, self.state.outline, self.written
        if node is None or outline is None:
            self.panes.section.show_groups((), note="", about=None)
            return
        aside = Aside(
            stored=self.state.stored if written.edits else None,
            conflicts={conflict.key: conflict for conflict in written.conflicts},
            unread=self.state.story.unread if self.state.story is not None else frozenset(),
            writes=not self.locked,
            embedded=self.service.embedded,
        )
        groups, note = detail(outline.graph, node, aside)
        self.panes.section.show_groups(groups, note=note, about=node.trigger if node.section is None else node.section)

    # -- asking -------------------------------------------------------------------------------------------------------

    def ask(self, question: str, text: str, then: Callable[[str], object], refusal: Callable[[str], str]) -> None:
        """Ask for a line at the foot of the panes; ``refusal`` says why one is not taken."""
        if not self.panes.entry.has_focus_within:  # else one question follows another
            self._asked_from = self.app.focused
        self.panes.entry.ask(question, text, then, refusal)

    @on(EntryLine.Left)
    def _answered(self) -> None:
        inside = self.panes.entry.has_focus_within or self.app.focused is None
        if inside and not self.panes.entry.asking:
            (self._asked_from or self._tree).focus()

    def choose_section(
        self,
        question: str,
        present: str | None,
        lead: Callable[[Story, str | None], Story],
        title: str,
        *,
        nowhere: str = "",
        keep: str | None = None,
    ) -> None:
        """Ask for a section, an old or a new one, and stage what ``lead`` makes of the story with it."""
        story = self.state.story
        if story is None:
            return

        def made(name: str) -> None:
            def change(story: Story) -> Story:
                fresh = story.fresh_id()
                return lead(story.with_section(fresh, name=name), fresh)

            self.change(change, f"{title}, and make the section “{name}”", keep=keep)

        def chosen(target: Target | None) -> None:
            if target is None:
                return
            if target.new is None:
                section_id = target.section
                self.change(lambda story: lead(story, section_id), title, keep=keep)
            elif target.new:
                made(target.new)
            else:
                self.ask("Name of the new section", "", made, needs_name)

        title_of_it = single_line(question, limit=60)
        self.app.push_screen(TargetChooser(title_of_it, story, present, nowhere=nowhere), chosen)

    def change(self, change: Change, title: str, *, keep: str | None = None, field: str = "") -> None:
        """Stage what ``change`` makes of the story as it is now, which may be another one than when it was asked."""
        story = self.state.story
        if story is None:
            return
        try:
            changed = change(story)
        except LookupError:
            self.workbench.tell("What was to be changed is not there any more.", title="Nothing was changed")
            return
        self.stage(changed, title, keep=keep, field=field)

    # -- names --------------------------------------------------------------------------------------------------------

    def action_rename(self) -> None:
        """Give the section or trigger another name."""
        spot, story = self.spot, self.state.story
        if self.refuses() or story is None:
            return
        if spot.about is About.TRIGGER and spot.trigger is not None:
            trigger_id, called = spot.trigger, story.triggers[spot.trigger].trigger_name or ""
            refusal = partial(self.trigger_name_refused, trigger_id)
            self.ask("Name of the trigger", called, partial(self._name_trigger, trigger_id), refusal)
        elif spot.section is not None:
            section_id, called = spot.section, story.sections[spot.section].section_name or ""
            self.ask("Name of the section", called, partial(self._name_section, section_id), needs_name)
        else:
            self.nothing_here("no section and no trigger")

    def _name_section(self, section_id: str, name: str) -> None:
        def change(story: Story) -> Story:
            return story.with_section(story.sections[section_id].section_id, name=name)

        self.change(change, f"Rename a section to “{name}”")

    def _name_trigger(self, trigger_id: str, name: str) -> None:
        def change(story: Story) -> Story:
            return story.with_trigger(story.triggers[trigger_id].trigger_id, name=name)

        self.change(change, f"Rename a trigger to “{name}”")

    def trigger_name_refused(self, trigger_id: str, name: str) -> str:
        """Why a trigger cannot be called so (C 2.4); empty where it can."""
        triggers = self.state.story.triggers if self.state.story is not None else {}
        if any(one.trigger_name == name for key, one in triggers.items() if key != trigger_id):
            return "Another trigger has this name, and no two may have the same."
        return needs_name(name)

    # -- texts --------------------------------------------------------------------------------------------------------

    def action_write_objective(self) -> None:
        """Write the objective of the section, or the message of the trigger, in the editor."""
        found = self._text_here()
        if found is None:
            return
        from chartui.tui.widgets.editor import Editor

        what, text, whose = found
        title, field = f"Write the {what}", ":".join(whose)

        def meanwhile(now: str) -> None:
            story = self.state.story
            if story is not None:
                with suppress(LookupError):  # gone meanwhile, which is told when the editor is left
                    self.stage_typed(_with_text(story, whose, now), title, field)

        def left(now: str | None) -> None:
            if now is not None and now != text:
                self.change(lambda story: _with_text(story, whose, now), title, field=field)
            else:
                meanwhile(text)

        self.app.push_screen(Editor(f"The {what}", text, changed=meanwhile, hint="staged, not sent"), left)

    def action_objective_outside(self) -> None:
        """Write it in the user's own editor."""
        found = self._text_here()
        if found is not None:
            self.start(partial(self._write_outside, *found), group="outside")

    async def _write_outside(self, what: str, text: str, whose: _Whose) -> None:
        from chartui.tui.external_editor import edit_outside

        edited = await edit_outside(self.workbench, text, title=what)
        if edited.text is None:
            self.workbench.tell(edited.told, title=f"The {what}")
        else:
            now = edited.text
            self.change(lambda story: _with_text(story, whose, now), f"Write the {what}")

    def _text_here(self) -> tuple[str, str, _Whose] | None:
        """The text at the cursor: what it is called, how it is now, and of which section or trigger it is."""
        spot, story = self.spot, self.state.story
        if self.refuses() or story is None:
            return None
        if spot.about is About.TRIGGER and spot.trigger is not None:
            trigger = story.triggers[spot.trigger]
            name = single_line(trigger.trigger_name or spot.trigger, limit=40)
            return f"message of “{name}”", trigger.trigger_message or "", (About.TRIGGER, spot.trigger)
        if spot.section is not None:
            section = story.sections[spot.section]
            name = single_line(section.section_name or spot.section, limit=40)
            return f"objective of “{name}”", section.objective or "", (About.SECTION, spot.section)
        self.nothing_here("no section and no trigger")
        return None


def _with_text(story: Story, whose: _Whose, text: str) -> Story:
    """A story with another text for a section or trigger; raises ``LookupError`` where it is gone."""
    about, item_id = whose
    if about is About.TRIGGER:
        return story.with_trigger(story.triggers[item_id].trigger_id, message=text)
    return story.with_section(story.sections[item_id].section_id, objective=text)
