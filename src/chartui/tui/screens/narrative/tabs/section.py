"""The section tab: a line for each readable or editable part of a section or trigger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Literal

from chartui.core.characters.record import value_text
from chartui.core.classes import dataclass
from chartui.core.fields import Entry, Group
from chartui.core.jsontext import Wire, same
from chartui.core.narrative.edits import WHOLE, Conflict, Key
from chartui.core.narrative.graph import IMMEDIATE, Edge, Graph, visible_name
from chartui.core.narrative.nodes import Node
from chartui.core.narrative.outline import render
from chartui.core.narrative.story import Story, differing_members, overrides_of
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.screens.narrative.spot import Spot, spot_at
from chartui.tui.screens.narrative.state import Desk, NarrativeState
from chartui.tui.screens.narrative.tabs.tab import StoryTab
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.screen import Copyable

#: Paths of the lines that add an item; other paths name members of a section or trigger.
ADD_DECISION = "decisions[+]"
ADD_OVERRIDE = "triggers[+]"
#: Paths of the lines of the decision or override under the cursor of the tree.
CRITERIA, TARGET = "way.criteria", "way.target"
#: Most decisions and parents shown per section: laying out ten thousand would block the keys for seconds.
_MOST = 200


class SectionView(FieldsView):
    """The lines; those with content are stops."""

    _about: object = None

    def show_groups(self, groups: Sequence[Group], *, note: str, about: object) -> None:
        """Show these groups; if their subject is unchanged, the cursor stays on its line."""
        path = self.path if about == self._about else None
        self._about = about
        self.show(groups, note=note, same=path is not None)
        if path is not None:
            self.go_to(path)
        elif not self.can_stop_at(self.cursor):
            self.move_to(self.cursor)

    def can_stop_at(self, index: int) -> bool:
        """Lines of entries, and every line of a note."""
        return super().can_stop_at(index) and (self._rows[index].entry is not None or not self._groups)

    @property
    def path(self) -> str | None:
        """The path of the selected line, in wire names; None without one."""
        return self.entry.path if self.entry is not None else None

    def go_to(self, path: str) -> None:
        """Move the cursor to the first line with this path, unless it is already on one."""
        if self.path == path:
            return
        found = (i for i, row in enumerate(self._rows) if row.entry is not None and row.entry.path == path)
        first = next(found, None)
        if first is not None:
            self.move_to(first)
        elif not self.can_stop_at(self.cursor):
            self.move_to(self.cursor, step=-1)


class SectionTab(StoryTab):
    """The readable and editable parts of the selected tree node."""

    def __init__(self, desk: Desk) -> None:
        self.view = SectionView(id="detail")
        super().__init__(desk, self.view, id="section-tab")

    def show(self, state: NarrativeState) -> None:
        node, editor = self._desk.node, self._desk.editor
        if node is None or state.outline is None:
            # The tree shows its own loading and filter states.
            empty = state.story is None or not (state.story.sections or state.story.triggers)
            note = self.emptiness("Edit sections, decisions and triggers here.") if empty else ""
            self.view.show_groups((), note=note, about=None)
            return
        aside = _Aside(
            stored=state.stored if editor.edits else None,
            conflicts={conflict.key: conflict for conflict in editor.conflicts},
            unread=state.story.unread if state.story is not None else frozenset(),
            writes=not self._desk.session.read_only,
            embedded=self._desk.service.embedded,
        )
        spot = spot_at(state.story, state.outline, node) if state.story is not None else Spot()
        groups, note = _detail(state.outline.graph, node, spot, aside)
        about = (spot.way, spot.override, node.trigger if node.section is None else node.section)
        self.view.show_groups(groups, note=note, about=about)

    @property
    def mark(self) -> str:
        """The number of staged changes and of conflicts."""
        editor = self._desk.editor
        doubt = f" {GLYPHS.conflict}{len(editor.conflicts)}" if editor.conflicts else ""
        return f"{GLYPHS.staged}{len(editor.edits)}{doubt}" if editor.edits else ""

    def copy_choices(self) -> Sequence[Copyable]:
        """The selected line of the focused tab, the selected tree node, and the whole graph as text."""
        node, drawn, editor = self._desk.at_hand, self._desk.state.outline, self._desk.editor
        if node is None or drawn is None:
            return ()
        section = drawn.graph.sections.get(node.section) if node.section is not None else None
        trigger = drawn.graph.triggers.get(node.trigger) if node.trigger is not None else None
        entry = self.view.entry if self.view.has_focus else None
        choices = [Copyable("Selected line", entry.text)] if entry is not None and entry.said else []
        if node.section is not None and not editor.is_new(node.section):
            choices.append(Copyable("ID of the section", node.section))
        if section is not None and section.objective:
            choices.append(Copyable("Objective of the section", section.objective))
        if node.trigger is not None and not editor.is_new(node.trigger):
            choices.append(Copyable("ID of the trigger", node.trigger))
        if trigger is not None and trigger.trigger_message:
            choices.append(Copyable("Message of the trigger", trigger.trigger_message))
        return [*choices, Copyable("Graph as text", partial(render, drawn))]


# -- the lines --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Aside:
    """Context shown beside a story with staged changes.

    ``stored`` is the service's version, None if nothing is staged. ``conflicts`` are the members also changed
    elsewhere, by key; ``unread`` are ids of items that can't be read now and are shown as last read. ``writes`` says
    whether changes are allowed, ``embedded`` whether overrides can be changed too.
    """

    stored: Story | None = None
    conflicts: Mapping[Key, Conflict] = field(default_factory=dict)
    unread: Collection[str] = ()
    writes: bool = False
    embedded: bool = False


def _detail(graph: Graph, node: Node, spot: Spot, aside: _Aside) -> tuple[tuple[Group, ...], str]:
    """The groups about a node, and a sentence if there are none: first the decision or override at the cursor."""
    about = _About(graph, aside)
    way = about.decision(*spot.way) if spot.way else about.override(*spot.override) if spot.override else None
    trigger = graph.triggers.get(node.trigger) if node.trigger is not None else None
    section = graph.sections.get(node.section) if node.section is not None else None
    groups = [*([way] if way else ()), *([about.trigger(trigger)] if trigger and spot.override is None else ())]
    if section is not None or (groups and node.section is None):
        return (*groups, *(about.section(section) if section is not None else ())), ""
    if node.section is None:
        return (), "Select a section or a trigger to read and edit it here."
    if graph.has_section(node.section) is None:
        return tuple(groups), f"No readable section has the ID {node.section}. It {graph.absence(node.section)}."
    gone = "The reference is dangling because the section was removed or never created."
    return tuple(groups), f"No section has the ID {node.section}. {gone}"


class _About:
    def __init__(self, graph: Graph, aside: _Aside) -> None:
        self._graph = graph
        self._aside = aside

    # -- the link at the cursor ---------------------------------------------------------------------------------------

    def decision(self, holder: str, position: int) -> Group | None:
        """The decision of a section, in full."""
        edges = self._graph.edges.get(holder, ())
        number = next((n for n, edge in enumerate(edges, 1) if edge.position == position), None)
        if number is None:
            return None
        edge = edges[number - 1]
        before = self._stored(holder)
        mark = f"{GLYPHS.staged} " if before is not None and self._is_new(edge, _decisions_of(before)) else ""
        entries = [
            Entry("Criteria", CRITERIA, _criteria(edge)),
            Entry("Target", TARGET, self._place(edge.target)),
        ]
        if edge.never_runs:
            entries.append(
                Entry(
                    GLYPHS.warning, CRITERIA, f"is never taken because an earlier decision is a catch-all ({IMMEDIATE})"
                )
            )
        if edge.priority is not None:
            entries.append(Entry("Priority", CRITERIA, str(edge.priority)))
        name = single_line(self._graph.section_name(holder), limit=60)
        return Group(f"{mark}Decision {number} of {len(edges)} in “{name}”", tuple(entries))

    def override(self, holder: str, trigger_id: str) -> Group | None:
        """The override of a section, in full."""
        if holder not in self._graph.sections:
            return None
        there = overrides_of(self._graph.sections[holder])
        where = there.get(trigger_id)
        before = self._stored(holder)
        new = before is not None and overrides_of(before).get(trigger_id) != where
        entries = (
            Entry("Trigger", TARGET, self._graph.trigger_name(trigger_id)),
            Entry("Override target", TARGET, self._place(where) if where else "no target", said=bool(where)),
        )
        name = single_line(self._graph.section_name(holder), limit=60)
        return Group(f"{f'{GLYPHS.staged} ' if new else ''}Override in “{name}”", entries)

    def _stored(self, section_id: str) -> Section | None:
        """The stored version of a section if anything is staged."""
        return self._aside.stored.sections.get(section_id) if self._aside.stored is not None else None

    def _is_new(self, edge: Edge, before: Mapping[str, Sequence[Mapping[str, Wire]]]) -> bool:
        """Whether a decision differs from all of the section ``before`` with this target."""
        now = (self._graph.sections[edge.source].decisions or ())[edge.position].raw
        return not any(same(now, old) for old in before.get(edge.target, ()))

    # -- sections -----------------------------------------------------------------------------------------------------

    def section(self, section: Section) -> list[Group]:
        section_id, stored = section.section_id, self._aside.stored
        before = stored.sections.get(section_id) if stored is not None else None
        changed = differing_members(before, section) if before is not None else ()
        name, objective = section.raw.get("section_name"), section.raw.get("objective")
        entries = (
            Entry("Name", "section_name", visible_name(str(name or ""), "no name"), said=bool(name)),
            Entry("Objective", "objective", str(objective or "empty"), said=bool(objective)),
        )
        groups = [self._group("section", section_id, entries, before, changed)]
        decisions = self._heading("Decisions, in order", ("section", section_id, "decisions"), "decisions" in changed)
        overrides = self._heading("Overrides", ("section", section_id, "triggers"), "triggers" in changed)
        parts: dict[str, tuple[Entry, ...]] = {
            decisions: tuple(self._decisions(section, before)),
            overrides: tuple(self._overrides(section, before)),
            "Incoming links": tuple(self._parents(section_id)),
            "Other fields": (*_others(section), self._id("section", section_id, before)),
        }
        return [*groups, *(Group(title, entries) for title, entries in parts.items() if entries)]

    def _decisions(self, section: Section, before: Section | None) -> Iterator[Entry]:
        there = _decisions_of(before)
        staged, edges = before is not None, self._graph.edges[section.section_id]
        for number, edge in enumerate(edges[:_MOST], 1):
            never = f"  {GLYPHS.warning} never runs" if edge.never_runs else ""
            order = "" if edge.priority is None else f"  (priority {edge.priority})"
            text = f"{_criteria(edge)} {GLYPHS.to} {self._place(edge.target)}{order}{never}"
            mark = f"{GLYPHS.staged} " if staged and self._is_new(edge, there) else ""
            yield Entry(f"{mark}{number}", f"decisions[{edge.position}]", text)
        yield from _more(len(edges))
        if not edges and section.decisions is not None:
            known = before is None or before.decisions is not None
            yield Entry(GLYPHS.ending if known else GLYPHS.staged, "decisions", "none: the story ends here")
        if self._aside.writes:
            yield Entry("+", ADD_DECISION, "add a decision", said=False)

    def _overrides(self, section: Section, before: Section | None) -> Iterator[Entry]:
        there, staged = overrides_of(before), before is not None
        for position, override in enumerate(section.triggers or ()):
            where = self._place(override.destination_section) if override.destination_section else "no target"
            name = self._graph.trigger_name(override.trigger_id)
            new = staged and there.get(override.trigger_id) != override.destination_section
            mark = f"{GLYPHS.staged} " if new else ""
            yield Entry(f"{mark}{GLYPHS.trigger}", f"triggers[{position}]", f"{name} {GLYPHS.to} {where}")
        if self._aside.writes and self._aside.embedded and self._graph.triggers:
            yield Entry("+", ADD_OVERRIDE, "override a trigger in this section", said=False)

    def _parents(self, section_id: str) -> Iterator[Entry]:
        graph = self._graph
        if section_id == graph.start:
            yield Entry(GLYPHS.start, "", "the start of the story")
        elif graph.is_unreachable(section_id):
            yield Entry(GLYPHS.unreachable, "", "unreachable from the start and from all triggers")
        links = [
            (number, edge)
            for number, parent in enumerate(graph.parents.get(section_id, ()))
            for edge in graph.edges[parent]
            if edge.target == section_id
        ]
        for number, edge in links[:_MOST]:
            name, never = graph.section_name(edge.source), f"  {GLYPHS.warning} never runs" if edge.never_runs else ""
            yield Entry(GLYPHS.back, f"parents[{number}]", f"{name}: {_criteria(edge)}{never}")
        yield from _more(len(links))
        for holder, section in graph.sections.items():
            for override in section.triggers or ():
                if override.destination_section == section_id:
                    name = graph.trigger_name(override.trigger_id)
                    yield Entry(GLYPHS.trigger, "", f"{graph.section_name(holder)}: override of {name}")
        for trigger in graph.triggers.values():
            if trigger.destination_section == section_id:
                yield Entry(GLYPHS.trigger, "", f"trigger {graph.trigger_name(trigger.trigger_id)}")

    # -- triggers -----------------------------------------------------------------------------------------------------

    def trigger(self, trigger: Trigger) -> Group:
        trigger_id, stored = trigger.trigger_id, self._aside.stored
        before = stored.triggers.get(trigger_id) if stored is not None else None
        name, message, target = trigger.trigger_name, trigger.trigger_message, trigger.destination_section
        entries = (
            Entry("Name", "trigger_name", visible_name(name, "no name"), said=bool(name)),
            Entry("Message", "trigger_message", message or "empty", said=bool(message)),
            Entry("Target", "destination_section", self._place(target) if target else "no target", said=bool(target)),
        )
        changed = differing_members(before, trigger) if before is not None else ()
        group = self._group("trigger", trigger_id, entries, before, changed)
        return Group(group.title, (*group.entries, self._id("trigger", trigger_id, before)))

    def _group(
        self,
        part: Literal["section", "trigger"],
        item_id: str,
        entries: Sequence[Entry],
        before: Section | Trigger | None,
        changed: Collection[str],
    ) -> Group:
        """The texts of a section or trigger, with staged members marked."""
        new = self._aside.stored is not None and before is None
        made = [
            self._marked(entry, (part, item_id, entry.path), before.raw.get(entry.path))
            if before is not None and entry.path in changed
            else entry
            for entry in entries
        ]
        return Group(self._title(part, item_id, new=new), tuple(made))

    def _id(self, part: Literal["section", "trigger"], item_id: str, before: Section | Trigger | None) -> Entry:
        new = self._aside.stored is not None and before is None
        return Entry("ID", f"{part}_id", "assigned when applied" if new else item_id)

    # -- words --------------------------------------------------------------------------------------------------------

    def _place(self, section_id: str) -> str:
        known = self._graph.has_section(section_id)
        if known:
            return self._graph.section_name(section_id)
        sign = GLYPHS.unknown if known is None else GLYPHS.missing
        return f"{sign} {section_id} {self._graph.absence(section_id)}"

    def _title(self, part: Literal["section", "trigger"], item_id: str, *, new: bool) -> str:
        """The title: a section or trigger, marked if new, staged, unreadable, or removed or changed elsewhere."""
        conflict = self._aside.conflicts.get((part, item_id, WHOLE))
        if conflict is not None and conflict.now is None:
            return f"{part.capitalize()}  {GLYPHS.conflict} removed elsewhere"
        if item_id in self._aside.unread:
            return f"{part.capitalize()}  {GLYPHS.warning} currently unreadable"
        if new:
            return f"{GLYPHS.staged} New {part}, not applied"
        return f"{part.capitalize()}{self._doubt((part, item_id, WHOLE))}"

    def _doubt(self, key: Key) -> str:
        return f"  {GLYPHS.conflict} conflict" if key in self._aside.conflicts else ""

    def _heading(self, title: str, key: Key, changed: bool) -> str:
        return f"{f'{GLYPHS.staged} ' if changed else ''}{title}{self._doubt(key)}"

    def _marked(self, entry: Entry, key: Key, was: Wire) -> Entry:
        """A staged member with its mark and its stored value; in a conflict, the earlier value too."""
        conflict = self._aside.conflicts.get(key)
        if conflict is None:
            remark = f"was {self._quoted(key, was)}"
        else:
            now, before = self._quoted(key, conflict.now), self._quoted(key, conflict.before)
            remark = f"{GLYPHS.conflict} Conflict: changed from {before} to {now}."
        return replace(entry, label=f"{GLYPHS.staged} {entry.label}", remark=remark, changed=conflict is not None)

    def _quoted(self, key: Key, value: Wire) -> str:
        if not value:
            return "empty"
        text = self._place(str(value)) if key[2] == "destination_section" else str(value)
        return f"“{single_line(text, limit=60)}”"


_SHOWN = frozenset({"section_id", "section_name", "objective", "decisions", "parents", "triggers", "character_id"})


def _criteria(edge: Edge) -> str:
    return f"{IMMEDIATE} always" if edge.immediate else edge.criteria or "no criteria"


def _decisions_of(section: Section | None) -> Mapping[str, Sequence[Mapping[str, Wire]]]:
    """The records of a section's decisions, by target."""
    found: defaultdict[str, list[Mapping[str, Wire]]] = defaultdict(list)
    for way in (section.decisions if section is not None else None) or ():
        found[way.next_section_id].append(way.raw)
    return found


def _more(there_are: int) -> Iterator[Entry]:
    """A note on items not shown."""
    if there_are > _MOST:
        yield Entry(GLYPHS.ellipsis, "", f"{count(there_are - _MOST)} more in the tree", said=False)


def _others(section: Section) -> Iterator[Entry]:
    raw: Mapping[str, Wire] = section.raw
    for member, value in raw.items():
        if member not in _SHOWN and value not in (None, "", [], {}):
            yield Entry(member, member, value_text(value))
