"""The part of the narrative screen that changes where a story goes: decisions and their order, triggers, the start."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from chartui.core.narrative.graph import IMMEDIATE, edges_of
from chartui.core.narrative.nodes import Link, section_node, trigger_node
from chartui.core.narrative.story import Story, decision, overrides_of
from chartui.core.spec.models.narrative import Decision
from chartui.core.text import single_line
from chartui.tui.screens.narrative.spot import About
from chartui.tui.screens.narrative.writing import WritingStory, needs_name
from chartui.tui.widgets.chooser import Choice, Chooser

__all__ = ["LeadingStory"]

_WHEN = f"When? The criteria; {IMMEDIATE} is at once"
_NO_CALL = "A service has no call for it; in an embedded store it can be done."


def _needs_criteria(text: str) -> str:
    return "" if text else f"Criteria are needed here; {IMMEDIATE} is at once."


class LeadingStory(WritingStory):
    """Adds sections, triggers, decisions and overrides, and leads them elsewhere."""

    # -- adding -------------------------------------------------------------------------------------------------------

    def action_add_section(self) -> None:
        """Ask for the name of a new section, and when the one at the cursor leads there."""
        spot = self.spot
        if self.refuses():
            return
        holder = spot.section if spot.about is not About.TRIGGER else None
        trigger_id = spot.trigger if spot.about is About.TRIGGER else None

        def named(name: str) -> None:
            if holder is None or self.state.story is None:
                self._add_section(name, None, "", trigger_id)
                return
            from_it = single_line(self.state.story.graph().section_name(holder), limit=40)
            question = f"When does “{from_it}” lead there? Empty: never"
            self.ask(question, "", lambda criteria: self._add_section(name, holder, criteria, None), lambda _: "")

        self.ask("Name of the new section", "", named, needs_name)

    def _add_section(self, name: str, holder: str | None, criteria: str, trigger_id: str | None) -> None:
        present = self.state.story
        if present is None:
            return
        fresh = present.fresh_id()

        def change(story: Story) -> Story:
            story = story.with_section(fresh, name=name)
            if holder is not None and criteria:
                story = story.with_ways(holder, (*story.ways(holder), decision(criteria, fresh)))
            if trigger_id is not None and not story.triggers[trigger_id].destination_section:
                story = story.with_trigger(trigger_id, destination=fresh)
            # A story that starts nowhere starts at its first new section, whatever is sent (decision 26).
            return story if story.start is not None else story.starting_at(fresh)

        self.change(change, f"add the section “{name}”", keep=section_node(fresh))

    def action_add_trigger(self) -> None:
        """Ask for name, message and destination of a new trigger."""
        if self.refuses():
            return

        def named(name: str) -> None:
            self.ask("Message: the event that it stands for", "", partial(said, name), lambda _: "")

        def said(name: str, message: str) -> None:
            if self.state.story is None:
                return
            fresh = self.state.story.fresh_id("trigger")

            def lead(story: Story, target: str | None) -> Story:
                return story.with_trigger(fresh, name=name, message=message, destination=target)

            nowhere, title = "nowhere: it is not connected", f"add the trigger “{name}”"
            self.choose_section(f"“{name}” leads to", None, lead, title, nowhere=nowhere, keep=trigger_node(fresh))

        self.ask("Name of the new trigger", "", named, partial(self.trigger_name_refused, ""))

    def action_add_decision(self) -> None:
        """Ask for criteria and target of another decision of the section."""
        holder = self.spot.section
        if self.refuses():
            return
        if holder is None:
            self.nothing_here("no section that a decision could be added to")
            return

        def asked(criteria: str) -> None:
            def lead(story: Story, target: str | None) -> Story:
                ways = story.ways(holder)
                return story.with_ways(holder, (*ways, decision(criteria, target or "")))

            self.choose_section(f"“{criteria}” leads to", None, lead, f"add the decision “{criteria}”")

        self.ask(_WHEN, "", asked, _needs_criteria)

    def add_override(self) -> None:
        """Ask which trigger is to lead elsewhere while the section runs, and where."""
        holder, story = self.spot.section, self.state.story
        if self.refuses() or holder is None or story is None:
            return
        graph = story.graph()
        choices = [
            Choice(key, single_line(trigger.trigger_name or key, limit=60), self._leads_to(story, key))
            for key, trigger in story.triggers.items()
        ]

        def chosen(trigger_id: str | None) -> None:
            if trigger_id is not None:
                self._choose_override(holder, trigger_id)

        title = f"Which trigger leads elsewhere from “{single_line(graph.section_name(holder), limit=30)}”?"
        self.app.push_screen(Chooser(title, choices), chosen)

    def _leads_to(self, story: Story, trigger_id: str) -> str:
        target = story.triggers[trigger_id].destination_section
        return single_line(story.graph().section_name(target), limit=24) if target else "nowhere"

    # -- leading elsewhere --------------------------------------------------------------------------------------------

    def action_write_criteria(self) -> None:
        """Ask for other criteria of the decision."""
        found = self._way_here()
        if found is None:
            return
        holder, position, present = found

        def written(criteria: str) -> None:
            self.change(
                _changing_way(
                    holder,
                    position,
                    lambda way: decision(criteria, way.next_section_id, priority=way.priority, like=way),
                ),
                f"write the criteria “{criteria}”",
            )

        self.ask(_WHEN, present.criteria, written, _needs_criteria)

    def action_choose_target(self) -> None:
        """Choose where a decision, a trigger or an override leads."""
        spot, story = self.spot, self.state.story
        if spot.about is About.TRIGGER and spot.trigger is not None and story is not None and not self.refuses():
            trigger_id, trigger = spot.trigger, story.triggers[spot.trigger]
            name = trigger.trigger_name or trigger_id

            def lead(story: Story, target: str | None) -> Story:
                return story.with_trigger(story.triggers[trigger_id].trigger_id, destination=target)

            title, nowhere = f"lead the trigger “{name}” elsewhere", "nowhere: it is not connected"
            self.choose_section(f"“{name}” leads to", trigger.destination_section, lead, title, nowhere=nowhere)
        elif spot.override is not None and not self.refuses():
            self._choose_override(*spot.override)
        elif (found := self._way_here()) is not None:
            self._lead_way(*found)

    def _lead_way(self, holder: str, position: int, present: Decision) -> None:
        def lead(story: Story, target: str | None) -> Story:
            return _changing_way(
                holder, position, lambda way: decision(way.criteria, target or "", priority=way.priority, like=way)
            )(story)

        title = f"lead the decision “{present.criteria}” elsewhere"
        self.choose_section(f"“{present.criteria}” leads to", present.next_section_id, lead, title)

    def _choose_override(self, holder: str, trigger_id: str) -> None:
        story = self.state.story
        if story is None:
            return
        if not self.service.embedded:
            self.workbench.tell(f"Overrides are only shown here. {_NO_CALL}")
            return
        present = overrides_of(story.sections[holder]).get(trigger_id)
        name = story.graph().trigger_name(trigger_id)

        def lead(story: Story, target: str | None) -> Story:
            return story.overriding(holder, trigger_id, target)

        title, nowhere = f"let “{name}” lead elsewhere from here", "where it leads anyway: no override"
        self.choose_section(f"From here, “{name}” leads to", present, lead, title, nowhere=nowhere)

    def action_move_decision(self, step: int) -> None:
        """Let the decision be tried earlier or later."""
        found, story = self._way_here(), self.state.story
        if found is None or story is None:
            return
        holder, position, present = found
        ways = list(story.ways(holder))
        here = [edge.position for edge in edges_of(story.sections[holder])].index(position)
        there = here + step
        if not 0 <= there < len(ways):
            self.workbench.tell(f"It is tried {'first' if step < 0 else 'last'} already.")
            return
        ways.insert(there, ways.pop(here))
        from_pane = self.panes.section.has_focus
        word = "earlier" if step < 0 else "later"
        self.stage(story.with_ways(holder, ways), f"try the decision “{present.criteria}” {word}")
        if from_pane:
            self.panes.section.go_to(f"decisions[{there}]")
        else:
            self._go_to_way(holder, there)

    def _go_to_way(self, holder: str, position: int) -> None:
        """Put the cursor on a decision, wherever its line is by now."""
        outline = self.state.outline
        above = outline.find(section_node(holder)) if outline is not None and not self.state.pending else None
        for node in outline.children(above) if outline is not None and above is not None else ():
            if node.link is Link.DECISION and node.position == position:
                self.go_to(node)

    def _way_here(self) -> tuple[str, int, Decision] | None:
        """The decision at the cursor: who holds it, its place in the stored array, and how it is."""
        spot, story = self.spot, self.state.story
        if self.refuses() or story is None:
            return None
        if spot.way is None:
            self.nothing_here("no decision")
            return None
        holder, position = spot.way
        return holder, position, (story.sections[holder].decisions or ())[position]

    # -- the start and the end ----------------------------------------------------------------------------------------

    def action_start_here(self) -> None:
        """Let the story start at the section."""
        section_id, story = self.spot.section, self.state.story
        if self.refuses() or story is None:
            return
        if section_id is None:
            self.nothing_here("no section that the story could start at")
        elif not self.service.embedded:
            self.workbench.tell(f"Where the story starts is only shown here. {_NO_CALL}")
        elif story.start == section_id:
            self.workbench.tell("The story starts here already.")
        else:
            name = story.graph().section_name(section_id)
            self.stage(story.starting_at(section_id), f"start at “{name}”", keep=section_node(section_id))

    def action_end_here(self) -> None:
        """Say that the story ends in the section, or no longer that it does."""
        section_id, story, stored = self.spot.section, self.state.story, self.state.stored
        if self.refuses() or story is None or stored is None:
            return
        if section_id is None:
            self.nothing_here("no section that the story could end with")
            return
        name, section = story.graph().section_name(section_id), story.sections[section_id]
        before = stored.sections.get(section_id)
        if section.decisions:
            self.workbench.tell("It leads on: the story can end here once its decisions are removed.")
        elif section.decisions is None:
            self.stage(story.ending(section_id), f"end with “{name}”")
        elif before is not None and before.decisions is not None:
            self.workbench.tell("It is an ending where it is stored, and no call takes that back: a decision leads on.")
        else:
            self.stage(story.ending(section_id, ends=False), f"leave open what comes after “{name}”")


def _changing_way(holder: str, position: int, other: Callable[[Decision], Decision]) -> Callable[[Story], Story]:
    """Exchanges one decision of a section; raises ``LookupError`` where it is gone."""

    def change(story: Story) -> Story:
        ways = list(story.sections[holder].decisions or ())
        ways[position] = other(ways[position])
        return story.with_section(holder, decisions=ways)

    return change
