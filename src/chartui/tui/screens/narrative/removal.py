"""Removing from a story: lists the incoming links first, and redirects or removes them as well."""

from __future__ import annotations

from typing import Final

from chartui.core.narrative.graph import visible_name
from chartui.core.narrative.story import Lead, LeadKind, Story
from chartui.core.text import single_line
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.narrative.dialogs import Impact, Target, TargetChooser
from chartui.tui.screens.narrative.spot import About
from chartui.tui.screens.narrative.writer import FIXED_OVERRIDES, FIXED_START, Writer
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.line_list import Column

#: Most incoming links named in a question.
_NAMED: Final = 12


class Removal:
    """Removes sections, decisions, triggers and overrides from the story."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._done = writer.change_out_of_sight

    def remove(self) -> None:
        """Remove the item at the cursor; asks if there are two candidates."""
        spot, story = self._writer.spot, self._writer.story
        if self._writer.refuses() or story is None:
            return
        if spot.about is About.TRIGGER and spot.trigger is not None:
            self._remove_trigger(story, spot.trigger)
        elif spot.about is About.SECTION and spot.section is not None:
            if spot.way is not None or spot.override is not None:
                self._ask_which(story, spot.section, spot.way, spot.override)
            else:
                self._remove_section(story, spot.section)
        elif spot.way is not None:
            self._remove_way(*spot.way)
        elif spot.override is not None:
            self._remove_override(*spot.override)
        elif spot.about is About.START:
            self._remove_start()
        else:
            self._writer.nothing_here("a section, decision, trigger or override")

    def _ask_which(
        self, story: Story, section_id: str, way: tuple[str, int] | None, override: tuple[str, str] | None
    ) -> None:
        """Ask whether to remove a section or the link above it in the tree."""
        name = single_line(story.graph().section_name(section_id), limit=40)
        led = _way_text(story, way) if way is not None else "the override with this target"
        choices = [
            Choice("way", f"Only {led}", "", "keeps the section, even if no link goes to it"),
            Choice("section", f"The section “{name}”", "", "asks what to do with the incoming links"),
        ]

        def chosen(key: str | None) -> None:
            now = self._writer.story
            if key == "section" and now is not None and section_id in now.sections:
                self._remove_section(now, section_id)
            elif key == "way" and way is not None:
                self._remove_way(*way)
            elif key == "way" and override is not None:
                self._remove_override(*override)

        self._writer.open(Chooser("What do you want to remove?", choices), chosen)

    # -- sections -----------------------------------------------------------------------------------------------------

    def _remove_section(self, story: Story, section_id: str) -> None:
        name = story.graph().section_name(section_id)
        title = f"remove the section “{name}”"
        leads = list(story.leading_to(section_id))
        if not leads:
            self._done(lambda story: self._without(story, section_id, "leave"), title)
            return
        named = _named(story, leads)
        note, sent = "", self._is_sent(section_id)
        if not sent:
            note = " This section is new, so incoming links cannot be kept."
        elif not self._writer.embedded and any(lead.kind in (LeadKind.START, LeadKind.OVERRIDE) for lead in leads):
            note = " A service cannot change the start or overrides, so they stay unchanged."
        them = "it" if len(leads) == 1 else "them"
        choices = [
            Choice("elsewhere", f"Redirect {them} to another section", "", f"{named}{note}"),
            Choice("remove", f"Remove {them} too, and leave triggers without a target", "", f"{named}{note}"),
        ]
        if sent:
            choices.append(Choice("leave", f"Keep {them} with a missing target", "", named))

        def chosen(key: str | None) -> None:
            if key == "elsewhere":
                self._lead_elsewhere(section_id, title)
            elif key is not None:
                self._done(lambda story: self._without(story, section_id, key), title)

        columns: list[Column[Choice]] = [Column("incoming links", lambda c: c.label)]
        which = f"{number_of(len(leads), 'incoming link')} of “{single_line(name, limit=30)}”"
        self._writer.open(Impact(which, choices, columns=columns), chosen)

    def _is_sent(self, section_id: str) -> bool:
        """Whether a section is stored; references to an unstored one are removed with it."""
        base = self._writer.desk.editor.base
        return base is not None and section_id in base.sections

    def _without(self, story: Story, section_id: str, key: str) -> Story:
        if not self._is_sent(section_id):
            return story.without_section(story.sections[section_id].section_id)
        if key == "remove":
            story = story.led_elsewhere(section_id, None, embedded=self._writer.embedded)
        if story.start == section_id and self._writer.embedded:
            story = story.starting_at(None)  # as the store does (decision 26)
        return story.without_section(story.sections[section_id].section_id)

    def _lead_elsewhere(self, section_id: str, title: str) -> None:
        story = self._writer.story
        if story is None:
            return

        def chosen(target: Target | None) -> None:
            if target is None:
                return

            def change(story: Story) -> Story:
                place = target.section
                if place is None:
                    place = story.fresh_id()
                    story = story.with_section(place, name=target.new or "New section")
                everywhere = self._writer.embedded or not self._is_sent(section_id)
                story = story.led_elsewhere(section_id, place, embedded=everywhere)
                return story.without_section(story.sections[section_id].section_id)

            self._done(change, title)

        self._writer.open(TargetChooser("Redirect incoming links to", story, None, without=(section_id,)), chosen)

    # -- the rest -----------------------------------------------------------------------------------------------------

    def _remove_way(self, holder: str, position: int) -> None:
        story = self._writer.story
        if story is None:
            return
        present = (story.sections[holder].decisions or ())[position]

        def change(story: Story) -> Story:
            return story.without_way(holder, present, stored=self._writer.desk.state.stored)

        self._done(change, f"remove {_way_text(story, (holder, position))}")

    def _remove_trigger(self, story: Story, trigger_id: str) -> None:
        name = story.graph().trigger_name(trigger_id)
        title = f"remove the trigger “{name}”"
        holders = [
            key
            for key, section in story.sections.items()
            if any(override.trigger_id == trigger_id for override in section.triggers or ())
        ]
        base = self._writer.desk.editor.base
        sent = base is not None and trigger_id in base.triggers
        if not holders or not self._writer.embedded or not sent:  # overrides of an unsent trigger are removed with it
            self._done(lambda story: story.without_trigger(trigger_id), title)
            return
        named = "Overridden in " + ", ".join(f"“{story.graph().section_name(key)}”" for key in holders[:_NAMED])
        choices = [
            Choice("remove", "Remove the overrides too", "", named),
            Choice("leave", "Keep the overrides; they will never fire", "", named),
        ]

        def without(story: Story) -> Story:
            for holder in holders:
                story = story.overriding(holder, trigger_id, None)
            return story.without_trigger(trigger_id)

        def chosen(key: str | None) -> None:
            if key == "remove":
                self._done(without, title)
            elif key == "leave":
                self._done(lambda story: story.without_trigger(trigger_id), title)

        columns: list[Column[Choice]] = [Column("overrides", lambda c: c.label)]
        which = f"{number_of(len(holders), 'override')} of “{single_line(name, limit=30)}”"
        self._writer.open(Impact(which, choices, columns=columns), chosen)

    def _remove_override(self, holder: str, trigger_id: str) -> None:
        story = self._writer.story
        if story is None:
            return
        if not self._writer.embedded:
            self._writer.tell(FIXED_OVERRIDES)
            return
        name = story.graph().trigger_name(trigger_id)
        self._done(lambda story: story.overriding(holder, trigger_id, None), f"remove the override of “{name}”")

    def _remove_start(self) -> None:
        """Remove a start whose section does not exist."""
        if self._writer.embedded:
            self._done(lambda story: story.starting_at(None), "remove the start")
        else:
            self._writer.tell(FIXED_START)


def _named(story: Story, leads: list[Lead]) -> str:
    """The names of incoming links."""
    graph = story.graph()

    def name(lead: Lead) -> str:
        match lead.kind:
            case LeadKind.START:
                return "the start of the story"
            case LeadKind.TRIGGER:
                return f"trigger “{graph.trigger_name(lead.trigger or '')}”"
            case LeadKind.OVERRIDE:
                where = graph.section_name(lead.section or "")
                return f"override of “{graph.trigger_name(lead.trigger or '')}” in “{where}”"
            case LeadKind.DECISION:
                return _way_text(story, (lead.section or "", lead.position or 0))

    names = [single_line(name(lead), limit=90) for lead in leads[:_NAMED]]
    more = f"; and {count(len(leads) - _NAMED)} more" if len(leads) > _NAMED else ""
    return "; ".join(names) + more + "."


def _way_text(story: Story, way: tuple[str, int]) -> str:
    holder, position = way
    section = story.sections[holder]
    criteria = single_line((section.decisions or ())[position].criteria, limit=40)
    return f"the decision “{criteria}” of “{single_line(visible_name(section.section_name, holder), limit=30)}”"
