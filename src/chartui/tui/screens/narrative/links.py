"""Editing the links of a story: decisions, triggers, overrides, start, endings and incoming links."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from chartui.core.narrative.graph import IMMEDIATE, edges_of, visible_name
from chartui.core.narrative.nodes import Link, section_node, trigger_node
from chartui.core.narrative.outline import links_sheet
from chartui.core.narrative.story import Story, decision, overrides_of
from chartui.core.spec.models.narrative import Decision
from chartui.core.text import single_line
from chartui.tui.guides import guide
from chartui.tui.screens.narrative.spot import About
from chartui.tui.screens.narrative.state import Desk
from chartui.tui.screens.narrative.texts import trigger_name_refused
from chartui.tui.screens.narrative.writer import FIXED_OVERRIDES, FIXED_START, Writer, needs_name
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.table_dialog import TableDialog

_ALWAYS: Final = f"{IMMEDIATE} to always take it"


def _needs_criteria(text: str) -> str:
    return "" if text else f"Enter criteria, or {IMMEDIATE} to always take the decision."


def _criteria_from(story: Story, holder: str, target: str, empty: str = "") -> str:
    """The question for criteria. Names both sections, so that the criteria read as part of a sentence."""
    source = single_line(story.graph().section_name(holder), limit=60)
    return f"Criteria for “{source}” → “{single_line(target, limit=60)}” ({empty}{_ALWAYS})"


class Links:
    """Adds sections, triggers, decisions and overrides, and changes their targets."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    # -- adding -------------------------------------------------------------------------------------------------------

    @property
    def holder(self) -> str | None:
        """The section that gets a new decision: that of the selected decision, or else the one at the cursor."""
        spot = self._writer.spot
        return spot.way[0] if spot.about is About.DECISION and spot.way is not None else spot.section

    def add_section(self) -> None:
        """Ask for the name of a new section, and for the criteria of a decision from the one at the cursor."""
        spot = self._writer.spot
        if self._writer.refuses():
            return
        holder = spot.section if spot.about is not About.TRIGGER else None
        trigger_id = spot.trigger if spot.about is About.TRIGGER else None

        def named(name: str) -> None:
            if holder is None or self._writer.story is None:
                self._add_section(name, None, "", trigger_id)
                return
            question = _criteria_from(self._writer.story, holder, name, "empty for no decision, ")
            self._writer.ask(
                question, "", lambda criteria: self._add_section(name, holder, criteria, None), lambda _: ""
            )

        first = self._writer.story is not None and not self._writer.story.sections
        self._writer.ask(f"Name of the {'first' if first else 'new'} section", "", named, needs_name)

    def _add_section(self, name: str, holder: str | None, criteria: str, trigger_id: str | None) -> None:
        present = self._writer.story
        if present is None:
            return
        fresh = present.fresh_id()

        def change(story: Story) -> Story:
            story = story.with_section(fresh, name=name)
            if holder is not None and criteria:
                story = story.with_way_added(holder, decision(criteria, fresh))
            if trigger_id is not None and not story.triggers[trigger_id].destination_section:
                story = story.with_trigger(trigger_id, destination=fresh)
            # Without a start, the first new section becomes the start, in stores and services alike (decision 26).
            return story if story.start is not None else story.starting_at(fresh)

        self._writer.change(change, f"add the section “{name}”", keep=section_node(fresh))

    def add_trigger(self, name: str = "") -> None:
        """Ask for the name, message and target of a new trigger; ``name`` is one that was already typed."""
        if self._writer.refuses():
            return

        def named(name: str) -> None:
            self._writer.ask("Message that describes the event", "", partial(said, name), lambda _: "")

        def said(name: str, message: str) -> None:
            if self._writer.story is None:
                return
            fresh = self._writer.story.fresh_id("trigger")

            def lead(story: Story, target: str | None) -> Story:
                return story.with_trigger(fresh, name=name, message=message, destination=target)

            nowhere, title = "no target (not connected)", f"add the trigger “{name}”"
            self._writer.choose_section(
                f"Target of “{name}”", None, lead, title, nowhere=nowhere, keep=trigger_node(fresh)
            )

        refusal = partial(trigger_name_refused, self._writer, "")
        if name and not refusal(name):
            named(name)
        else:
            self._writer.ask("Name of the new trigger", name, named, refusal)

    def add_decision(self, *, or_others: bool = False) -> None:
        """Ask for the target and criteria of a new decision, in the order of :meth:`add_section`.

        A new target needs its name first, and criteria are easier to word once both ends are known. The cursor stays,
        so that the next decision of the section can be added. ``or_others`` offers a trigger and an override as well.
        """
        holder = self.holder
        if self._writer.refuses():
            return
        if holder is None:
            self._writer.nothing_here("a section")
            return

        def chosen(target: str | None, new: str) -> None:
            def asked(criteria: str) -> None:
                def lead(story: Story, section_id: str | None) -> Story:
                    return story.with_way_added(holder, decision(criteria, section_id or ""))

                self._writer.lead(target, new, lead, f"add the decision “{criteria}”")

            if (story := self._writer.story) is not None and holder in story.sections:
                question = _criteria_from(story, holder, new or story.graph().section_name(target or ""))
                suggestion = "" if story.sections[holder].decisions else IMMEDIATE
                self._writer.ask(question, suggestion, asked, _needs_criteria)

        name = self._writer.story.graph().section_name(holder) if self._writer.story is not None else ""
        question = f"Target of the new decision in “{single_line(name)}”"
        others: dict[str, Callable[[str], object]] = {}
        if or_others:
            others["new trigger instead"] = self.add_trigger
            if self._writer.embedded and self._writer.story is not None and self._writer.story.triggers:
                others["trigger override instead"] = partial(self.add_override, holder)
        self._writer.choose_target(question, None, chosen, others=others)

    @property
    def open_end(self) -> str | None:
        """The section at the cursor if its decisions are still to be written."""
        spot, story = self._writer.spot, self._writer.story
        undecided = story is not None and spot.section is not None and story.sections[spot.section].decisions is None
        return spot.section if undecided and spot.about is About.SECTION else None

    def continue_story(self) -> None:
        """Ask for the next section of a chain, and go there. A catch-all decision goes to it."""
        holder, story = self.open_end, self._writer.story
        if self._writer.refuses() or holder is None or story is None:
            return

        def lead(story: Story, target: str | None) -> Story:
            return story.with_way_added(holder, decision(IMMEDIATE, target or ""))

        name = story.graph().section_name(holder)
        question = f"Section after “{single_line(name, limit=30)}” (via catch-all {IMMEDIATE})"
        self._writer.choose_section(question, None, lead, f"continue “{name}”", along=True)

    def add_override(self, holder: str | None, name: str = "") -> None:
        """Ask for a trigger to override in a section, unless ``name`` is that of one, and for its target there."""
        story = self._writer.story
        if self._writer.refuses() or holder is None or story is None:
            return
        if known := [key for key, one in story.triggers.items() if one.trigger_name == name and name]:
            self._choose_override(holder, known[0])
            return
        graph = story.graph()
        choices = [
            Choice(key, single_line(visible_name(trigger.trigger_name, key), limit=60), _target_name(story, key))
            for key, trigger in story.triggers.items()
        ]

        def chosen(trigger_id: str | None) -> None:
            if trigger_id is not None:
                self._choose_override(holder, trigger_id)

        title = f"Override a trigger in “{single_line(graph.section_name(holder))}”"
        self._writer.open(Chooser(title, choices), chosen)

    # -- changing targets ---------------------------------------------------------------------------------------------

    def write_criteria(self) -> None:
        """Edit the criteria of the decision."""
        found = self._way_here()
        if found is None:
            return
        holder, position, present = found

        def written(criteria: str) -> None:
            change = partial(_with_way, holder=holder, position=position, criteria=criteria)
            self._writer.change(change, f"change the criteria to “{criteria}”")

        if (story := self._writer.story) is not None:
            question = _criteria_from(story, holder, story.graph().section_name(present.next_section_id))
            self._writer.ask(question, present.criteria, written, _needs_criteria)

    def choose_target(self) -> None:
        """Choose the target of a decision, a trigger or an override."""
        spot, story = self._writer.spot, self._writer.story
        if (
            spot.about is About.TRIGGER
            and spot.trigger is not None
            and story is not None
            and not self._writer.refuses()
        ):
            trigger_id, trigger = spot.trigger, story.triggers[spot.trigger]
            name = visible_name(trigger.trigger_name, trigger_id)

            def lead(story: Story, target: str | None) -> Story:
                return story.with_trigger(story.triggers[trigger_id].trigger_id, destination=target)

            title, nowhere = f"change the target of trigger “{name}”", "no target (not connected)"
            self._writer.choose_section(
                f"Target of “{name}”", trigger.destination_section, lead, title, nowhere=nowhere
            )
        elif spot.override is not None and not self._writer.refuses():
            self._choose_override(*spot.override)
        elif (found := self._way_here()) is not None:
            self._lead_way(*found)

    def _lead_way(self, holder: str, position: int, present: Decision) -> None:
        def lead(story: Story, target: str | None) -> Story:
            return _with_way(story, holder, position, target=target or "")

        title = f"change the target of “{present.criteria}”"
        source = self._writer.story.graph().section_name(holder) if self._writer.story is not None else ""
        question = f"Target of “{single_line(present.criteria, limit=24)}” in “{single_line(source, limit=20)}”"
        self._writer.choose_section(question, present.next_section_id, lead, title)

    def _choose_override(self, holder: str, trigger_id: str) -> None:
        story = self._writer.story
        if story is None:
            return
        if not self._writer.embedded:
            self._writer.tell(FIXED_OVERRIDES)
            return
        present = overrides_of(story.sections[holder]).get(trigger_id)
        name = story.graph().trigger_name(trigger_id)

        def lead(story: Story, target: str | None) -> Story:
            return story.overriding(holder, trigger_id, target)

        title, nowhere = f"override “{name}” here", "no override (the trigger's own target)"
        self._writer.choose_section(f"Target of “{name}” in this section", present, lead, title, nowhere=nowhere)

    def move_decision(self, step: int) -> None:
        """Move the decision up or down in its section's order."""
        found, story = self._way_here(), self._writer.story
        if found is None or story is None:
            return
        holder, position, present = found
        ways = list(story.ways(holder))
        here = [edge.position for edge in edges_of(story.sections[holder])].index(position)
        there = here + step
        if not 0 <= there < len(ways):
            self._writer.tell(f"This decision is already {'first' if step < 0 else 'last'}.")
            return
        ways.insert(there, ways.pop(here))
        from_pane = self._writer.section.has_focus
        word = "up" if step < 0 else "down"
        self._writer.stage(story.with_ways(holder, ways), f"move the decision “{present.criteria}” {word}")
        if from_pane:
            self._writer.section.go_to(f"decisions[{there}]")
        else:
            self._go_to_way(holder, there)

    def go_to_parent(self, number: int) -> None:
        """Go to one of the sections with a link to the one at the cursor."""
        outline, section_id = self._writer.desk.state.outline, self._writer.spot.section
        parents = outline.graph.parents.get(section_id or "", ()) if outline is not None else ()
        self._writer.desk.go_to(*map(section_node, parents[number : number + 1]))

    def _go_to_way(self, holder: str, position: int) -> None:
        """Move the cursor to a decision at its current line."""
        outline = self._writer.desk.state.outline
        above = (
            outline.find(section_node(holder)) if outline is not None and not self._writer.desk.state.pending else None
        )
        for node in outline.children(above) if outline is not None and above is not None else ():
            if node.link is Link.DECISION and node.position == position:
                self._writer.desk.go_to(node.id, jump=False)

    def _way_here(self) -> tuple[str, int, Decision] | None:
        """The decision at the cursor: its section, its index in the stored array, and the decision itself."""
        spot, story = self._writer.spot, self._writer.story
        if self._writer.refuses() or story is None:
            return None
        if spot.way is None:
            self._writer.nothing_here("a decision")
            return None
        holder, position = spot.way
        return holder, position, (story.sections[holder].decisions or ())[position]

    # -- the start and the end ----------------------------------------------------------------------------------------

    def start_here(self) -> None:
        """Make the section the start of the story."""
        section_id, story = self._writer.spot.section, self._writer.story
        if self._writer.refuses() or story is None:
            return
        if section_id is None:
            self._writer.nothing_here("a section")
        elif not self._writer.embedded:
            self._writer.tell(FIXED_START)
        elif story.start == section_id:
            self._writer.tell("The story already starts here.")
        else:
            title = f"set “{story.graph().section_name(section_id)}” as the start"
            self._writer.change_out_of_sight(
                lambda story: story.starting_at(section_id), title, keep=section_node(section_id)
            )

    def end_here(self) -> None:
        """Mark the section as an ending, or remove the mark."""
        section_id, story, stored = self._writer.spot.section, self._writer.story, self._writer.desk.state.stored
        if self._writer.refuses() or story is None or stored is None:
            return
        if section_id is None:
            self._writer.nothing_here("a section")
            return
        name, section = story.graph().section_name(section_id), story.sections[section_id]
        before = stored.sections.get(section_id)
        if section.decisions:
            self._writer.tell("Remove this section's decisions to make the section an ending.")
        elif section.decisions is None:
            self._writer.stage(story.ending(section_id), f"mark “{name}” as an ending")
        elif before is not None and before.decisions is not None:
            self._writer.tell("The ending mark of a stored section cannot be removed. Add a decision instead.")
        else:
            self._writer.stage(story.ending(section_id, ends=False), f"remove the ending mark of “{name}”")


async def show_incoming_links(desk: Desk) -> None:
    """Ask for an incoming link, and go to its source."""
    node, drawn = desk.at_hand, desk.state.outline
    if node is None or drawn is None:
        return
    ways = drawn.leading_to(node)
    if not ways:
        text = "No decision or trigger goes to this section."
        keys = "Select another section and press {add-decision} to add a decision that goes here."
        desk.workbench.tell(guide(desk.workbench, text, keys, action="adding a decision"))
        return
    dialog = TableDialog(links_sheet(drawn, ways), table="links", enter="Go to section", keep=node.id)
    chosen = await desk.workbench.push_screen_wait(dialog)
    if chosen is not None and drawn is desk.state.outline:
        way = next(way for way in ways if way.id == chosen[1])
        desk.go_to(drawn.nodes[way.parent].id if way.id == node.id and way.parent >= 0 else way.id)


async def show_reachable(desk: Desk) -> None:
    """List the sections that can be reached from the one at the cursor, and go to the chosen one."""
    from chartui.core.narrative.walk.reach import distances, distances_sheet

    node, drawn = desk.at_hand, desk.state.outline
    if node is None or drawn is None or node.section not in drawn.graph.sections or node.section is None:
        desk.workbench.tell("Select a section first.")
        return
    name = single_line(drawn.graph.section_name(node.section), limit=40)
    found = distances(drawn.graph, node.section)
    if not found:
        desk.workbench.tell(f"No other section can be reached from “{name}”.")
        return
    sheet = distances_sheet(drawn.graph, f"Reachable from “{name}”", found)
    chosen = await desk.workbench.push_screen_wait(TableDialog(sheet, table="reachable", enter="Go to section"))
    if chosen is not None:
        desk.go_to(section_node(chosen[1]))


def _target_name(story: Story, trigger_id: str) -> str:
    target = story.triggers[trigger_id].destination_section
    return single_line(story.graph().section_name(target), limit=24) if target else "no target"


def _with_way(
    story: Story, holder: str, position: int, *, criteria: str | None = None, target: str | None = None
) -> Story:
    """Change one decision of a section. Raises ``LookupError`` if it is gone."""
    ways = list(story.sections[holder].decisions or ())
    way = ways[position]
    criteria = way.criteria if criteria is None else criteria
    target = way.next_section_id if target is None else target
    ways[position] = decision(criteria, target, priority=way.priority, like=way)
    return story.with_section(holder, decisions=ways)
