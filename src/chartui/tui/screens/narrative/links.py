"""Where a story goes: decisions and their order, triggers, overrides, the start and the end, and what leads here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from chartui.core.narrative.graph import IMMEDIATE, edges_of
from chartui.core.narrative.nodes import Kind, Link, Node, section_node, trigger_node
from chartui.core.narrative.outline import way_text
from chartui.core.narrative.story import Story, decision, overrides_of
from chartui.core.spec.models.narrative import Decision
from chartui.core.text import single_line
from chartui.tui.screens.narrative.spot import About
from chartui.tui.screens.narrative.state import Desk
from chartui.tui.screens.narrative.texts import trigger_name_refused
from chartui.tui.screens.narrative.writer import Writer, needs_name
from chartui.tui.widgets.chooser import Choice, Chooser

_WHEN: Final = f"When? The criteria; {IMMEDIATE} is at once"
_NO_CALL: Final = "A service has no call for it; in an embedded store it can be done."


def _needs_criteria(text: str) -> str:
    return "" if text else f"Criteria are needed here; {IMMEDIATE} is at once."


class Links:
    """Adds sections, triggers, decisions and overrides, and leads them elsewhere."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    # -- adding -------------------------------------------------------------------------------------------------------

    def add_section(self) -> None:
        """Ask for the name of a new section, and when the one at the cursor leads there."""
        spot = self._writer.spot
        if self._writer.refuses():
            return
        holder = spot.section if spot.about is not About.TRIGGER else None
        trigger_id = spot.trigger if spot.about is About.TRIGGER else None

        def named(name: str) -> None:
            if holder is None or self._writer.story is None:
                self._add_section(name, None, "", trigger_id)
                return
            from_it = single_line(self._writer.story.graph().section_name(holder), limit=40)
            question = f"When does “{from_it}” lead there? Empty: never"
            self._writer.ask(
                question, "", lambda criteria: self._add_section(name, holder, criteria, None), lambda _: ""
            )

        self._writer.ask("Name of the new section", "", named, needs_name)

    def _add_section(self, name: str, holder: str | None, criteria: str, trigger_id: str | None) -> None:
        present = self._writer.story
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

        self._writer.change(change, f"add the section “{name}”", keep=section_node(fresh))

    def add_trigger(self) -> None:
        """Ask for name, message and destination of a new trigger."""
        if self._writer.refuses():
            return

        def named(name: str) -> None:
            self._writer.ask("Message: the event that it stands for", "", partial(said, name), lambda _: "")

        def said(name: str, message: str) -> None:
            if self._writer.story is None:
                return
            fresh = self._writer.story.fresh_id("trigger")

            def lead(story: Story, target: str | None) -> Story:
                return story.with_trigger(fresh, name=name, message=message, destination=target)

            nowhere, title = "nowhere: it is not connected", f"add the trigger “{name}”"
            self._writer.choose_section(
                f"“{name}” leads to", None, lead, title, nowhere=nowhere, keep=trigger_node(fresh)
            )

        self._writer.ask("Name of the new trigger", "", named, partial(trigger_name_refused, self._writer, ""))

    def add_decision(self) -> None:
        """Ask for criteria and target of another decision of the section."""
        holder = self._writer.spot.section
        if self._writer.refuses():
            return
        if holder is None:
            self._writer.nothing_here("no section that a decision could be added to")
            return

        def asked(criteria: str) -> None:
            def lead(story: Story, target: str | None) -> Story:
                ways = story.ways(holder)
                return story.with_ways(holder, (*ways, decision(criteria, target or "")))

            self._writer.choose_section(f"“{criteria}” leads to", None, lead, f"add the decision “{criteria}”")

        self._writer.ask(_WHEN, "", asked, _needs_criteria)

    def add_override(self) -> None:
        """Ask which trigger is to lead elsewhere while the section runs, and where."""
        holder, story = self._writer.spot.section, self._writer.story
        if self._writer.refuses() or holder is None or story is None:
            return
        graph = story.graph()
        choices = [
            Choice(key, single_line(trigger.trigger_name or key, limit=60), _target_name(story, key))
            for key, trigger in story.triggers.items()
        ]

        def chosen(trigger_id: str | None) -> None:
            if trigger_id is not None:
                self._choose_override(holder, trigger_id)

        title = f"Which trigger leads elsewhere from “{single_line(graph.section_name(holder), limit=30)}”?"
        self._writer.open(Chooser(title, choices), chosen)

    # -- leading elsewhere --------------------------------------------------------------------------------------------

    def write_criteria(self) -> None:
        """Ask for other criteria of the decision."""
        found = self._way_here()
        if found is None:
            return
        holder, position, present = found

        def written(criteria: str) -> None:
            self._writer.change(
                _changing_way(
                    holder,
                    position,
                    lambda way: decision(criteria, way.next_section_id, priority=way.priority, like=way),
                ),
                f"write the criteria “{criteria}”",
            )

        self._writer.ask(_WHEN, present.criteria, written, _needs_criteria)

    def choose_target(self) -> None:
        """Choose where a decision, a trigger or an override leads."""
        spot, story = self._writer.spot, self._writer.story
        if (
            spot.about is About.TRIGGER
            and spot.trigger is not None
            and story is not None
            and not self._writer.refuses()
        ):
            trigger_id, trigger = spot.trigger, story.triggers[spot.trigger]
            name = trigger.trigger_name or trigger_id

            def lead(story: Story, target: str | None) -> Story:
                return story.with_trigger(story.triggers[trigger_id].trigger_id, destination=target)

            title, nowhere = f"lead the trigger “{name}” elsewhere", "nowhere: it is not connected"
            self._writer.choose_section(f"“{name}” leads to", trigger.destination_section, lead, title, nowhere=nowhere)
        elif spot.override is not None and not self._writer.refuses():
            self._choose_override(*spot.override)
        elif (found := self._way_here()) is not None:
            self._lead_way(*found)

    def _lead_way(self, holder: str, position: int, present: Decision) -> None:
        def lead(story: Story, target: str | None) -> Story:
            return _changing_way(
                holder, position, lambda way: decision(way.criteria, target or "", priority=way.priority, like=way)
            )(story)

        title = f"lead the decision “{present.criteria}” elsewhere"
        self._writer.choose_section(f"“{present.criteria}” leads to", present.next_section_id, lead, title)

    def _choose_override(self, holder: str, trigger_id: str) -> None:
        story = self._writer.story
        if story is None:
            return
        if not self._writer.embedded:
            self._writer.tell(f"Overrides are only shown here. {_NO_CALL}")
            return
        present = overrides_of(story.sections[holder]).get(trigger_id)
        name = story.graph().trigger_name(trigger_id)

        def lead(story: Story, target: str | None) -> Story:
            return story.overriding(holder, trigger_id, target)

        title, nowhere = f"let “{name}” lead elsewhere from here", "where it leads anyway: no override"
        self._writer.choose_section(f"From here, “{name}” leads to", present, lead, title, nowhere=nowhere)

    def move_decision(self, step: int) -> None:
        """Let the decision be tried earlier or later."""
        found, story = self._way_here(), self._writer.story
        if found is None or story is None:
            return
        holder, position, present = found
        ways = list(story.ways(holder))
        here = [edge.position for edge in edges_of(story.sections[holder])].index(position)
        there = here + step
        if not 0 <= there < len(ways):
            self._writer.tell(f"It is tried {'first' if step < 0 else 'last'} already.")
            return
        ways.insert(there, ways.pop(here))
        from_pane = self._writer.section.has_focus
        word = "earlier" if step < 0 else "later"
        self._writer.stage(story.with_ways(holder, ways), f"try the decision “{present.criteria}” {word}")
        if from_pane:
            self._writer.section.go_to(f"decisions[{there}]")
        else:
            self._go_to_way(holder, there)

    def go_to_parent(self, number: int) -> None:
        """Go to one of the sections that lead to the one at the cursor."""
        outline, section_id = self._writer.desk.state.outline, self._writer.spot.section
        parents = outline.graph.parents.get(section_id, ()) if outline is not None and section_id is not None else ()
        node = outline.find(section_node(parents[number])) if outline is not None and number < len(parents) else None
        if node is not None:
            self._writer.desk.go_to(node)

    def _go_to_way(self, holder: str, position: int) -> None:
        """Put the cursor on a decision, wherever its line is by now."""
        outline = self._writer.desk.state.outline
        above = (
            outline.find(section_node(holder)) if outline is not None and not self._writer.desk.state.pending else None
        )
        for node in outline.children(above) if outline is not None and above is not None else ():
            if node.link is Link.DECISION and node.position == position:
                self._writer.desk.go_to(node, jump=False)

    def _way_here(self) -> tuple[str, int, Decision] | None:
        """The decision at the cursor: who holds it, its place in the stored array, and how it is."""
        spot, story = self._writer.spot, self._writer.story
        if self._writer.refuses() or story is None:
            return None
        if spot.way is None:
            self._writer.nothing_here("no decision")
            return None
        holder, position = spot.way
        return holder, position, (story.sections[holder].decisions or ())[position]

    # -- the start and the end ----------------------------------------------------------------------------------------

    def start_here(self) -> None:
        """Let the story start at the section."""
        section_id, story = self._writer.spot.section, self._writer.story
        if self._writer.refuses() or story is None:
            return
        if section_id is None:
            self._writer.nothing_here("no section that the story could start at")
        elif not self._writer.embedded:
            self._writer.tell(f"Where the story starts is only shown here. {_NO_CALL}")
        elif story.start == section_id:
            self._writer.tell("The story starts here already.")
        else:
            name = story.graph().section_name(section_id)
            self._writer.stage(story.starting_at(section_id), f"start at “{name}”", keep=section_node(section_id))

    def end_here(self) -> None:
        """Say that the story ends in the section, or no longer that it does."""
        section_id, story, stored = self._writer.spot.section, self._writer.story, self._writer.desk.state.stored
        if self._writer.refuses() or story is None or stored is None:
            return
        if section_id is None:
            self._writer.nothing_here("no section that the story could end with")
            return
        name, section = story.graph().section_name(section_id), story.sections[section_id]
        before = stored.sections.get(section_id)
        if section.decisions:
            self._writer.tell("It leads on: the story can end here once its decisions are removed.")
        elif section.decisions is None:
            self._writer.stage(story.ending(section_id), f"end with “{name}”")
        elif before is not None and before.decisions is not None:
            self._writer.tell("It is an ending where it is stored, and no call takes that back: a decision leads on.")
        else:
            self._writer.stage(story.ending(section_id, ends=False), f"leave open what comes after “{name}”")


async def ask_what_leads_here(desk: Desk) -> None:
    """Ask along which of the links that lead here you want to go back."""
    node, drawn = desk.node, desk.state.outline
    if node is None or drawn is None:
        return
    ways = {way.id: way for way in drawn.leading_to(node)}
    if not ways:
        desk.workbench.tell("Nothing leads here.")
        return
    choices = [Choice(way.id, way_text(drawn, way), _sort_of(way)) for way in ways.values()]
    chosen = await desk.workbench.push_screen_wait(Chooser("What leads here", choices, node.id))
    if chosen is not None and drawn is desk.state.outline:
        way = ways[chosen]
        desk.go_to(drawn.nodes[way.parent] if way.id == node.id and way.parent >= 0 else way)


def _sort_of(way: Node) -> str:
    if way.never_runs:
        return "never runs"
    if way.kind is Kind.TRIGGER:
        return "trigger"
    return {Link.START: "start", Link.OVERRIDE: "override"}.get(way.link, "decision")


def _target_name(story: Story, trigger_id: str) -> str:
    target = story.triggers[trigger_id].destination_section
    return single_line(story.graph().section_name(target), limit=24) if target else "nowhere"


def _changing_way(holder: str, position: int, other: Callable[[Decision], Decision]) -> Callable[[Story], Story]:
    """Exchanges one decision of a section; raises ``LookupError`` where it is gone."""

    def change(story: Story) -> Story:
        ways = list(story.sections[holder].decisions or ())
        ways[position] = other(ways[position])
        return story.with_section(holder, decisions=ways)

    return change
