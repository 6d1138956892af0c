"""Find the loops of a narrative graph, including closed loops, which no decision leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.graph import Graph, may_lead_on
from chartui.core.narrative.story import overrides_of
from chartui.core.text import single_line

#: Names are cut to this many characters in the text of a loop.
_NAME: Final = 40


class Components(NamedTuple):
    """The depth-first position and the strongly connected component of each node, indexed by node number."""

    order: Sequence[int]
    component: Sequence[int]


def components(ahead: Sequence[Sequence[int]], first: Iterable[int] = ()) -> Components:
    """Find the strongly connected components of a graph. The graph can be of any depth.

    ``ahead`` lists the targets of each node, by number. The search starts from the nodes in ``first`` and then
    continues with all other nodes.
    """
    count = len(ahead)
    order, low, component = [-1] * count, [0] * count, [-1] * count
    held: list[int] = []
    moment = found = 0
    for root in (*first, *range(count)):
        path = [] if order[root] >= 0 else [(root, iter(ahead[root]))]
        while path:
            place, rest = path[-1]
            if order[place] < 0:
                order[place] = low[place] = moment
                moment += 1
                held.append(place)
            for other in rest:
                if order[other] < 0:
                    path.append((other, iter(ahead[other])))
                    break
                if component[other] < 0:
                    low[place] = min(low[place], low[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[place])
                if low[place] == order[place]:
                    while component[place] < 0:
                        component[held.pop()] = found
                    found += 1
    return Components(order, component)


class Loops(NamedTuple):
    """The loops of a graph.

    ``found`` lists the loops, each as a tuple of section IDs. ``order`` maps section IDs to their positions in a
    depth-first search. The search starts at the start section, then at the targets of triggers, then at all other
    sections. Loops are listed in the order in which the search reaches them.
    """

    order: Mapping[str, int]
    found: tuple[tuple[str, ...], ...]


def loops(graph: Graph) -> Loops:
    """Find the loops of a graph. Decisions that can never be taken are ignored."""
    numbers = {section_id: number for number, section_id in enumerate(graph.sections)}
    ahead = [
        [numbers[edge.target] for edge in edges if not edge.never_runs and edge.target in numbers]
        for edges in (graph.edges[section_id] for section_id in graph.sections)
    ]
    first = (graph.start, *(trigger.destination_section for trigger in graph.triggers.values()))
    order, component = components(ahead, (numbers[section_id] for section_id in first if section_id in numbers))
    members: dict[int, list[str]] = {}
    reading = sorted(graph.sections, key=lambda section_id: order[numbers[section_id]])
    for section_id in reading:
        members.setdefault(component[numbers[section_id]], []).append(section_id)
    return Loops(
        {section_id: place for place, section_id in enumerate(reading)},
        tuple(tuple(one) for one in members.values() if len(one) > 1 or numbers[one[0]] in ahead[numbers[one[0]]]),
    )


class ClosedLoop(NamedTuple):
    """A loop that no decision leaves. ``sections`` contains the IDs of its sections in depth-first order.

    ``automatic`` is true if the sections follow one another without a choice. ``triggers_leave`` is true if a trigger
    fired in one of these sections has a target outside the loop.
    """

    sections: tuple[str, ...]
    automatic: bool
    triggers_leave: bool

    @property
    def kind(self) -> str:
        return "infinite loop" if self.automatic else "closed loop"

    @property
    def exit(self) -> str:
        """A phrase that names the only way to leave the loop, or an empty string if the loop cannot be left."""
        return "only a trigger leaves the loop" if self.triggers_leave else ""


def closed_loops(graph: Graph, among: Loops) -> Iterator[ClosedLoop]:
    """Yield the closed loops in ``among``.

    A loop is closed if the first decision of every section in it is a catch-all decision, because no other decision is
    ever taken there. Any other loop does not count as closed if it has an unreadable part that may refer to a section.
    """
    targets = [t.destination_section for t in graph.triggers.values() if t.destination_section]
    connected = [target for target in targets if graph.has_section(target) is not False]
    for loop in among.found:
        inside = frozenset(loop)
        # The first decision of every section is always taken, so its other decisions never run.
        automatic = all(graph.edges[section_id][0].immediate for section_id in loop)
        if automatic or not any(_leaves(graph, section_id, inside) for section_id in loop):
            yield ClosedLoop(loop, automatic, _triggers_leave(graph, inside, connected))


def _leaves(graph: Graph, section_id: str, inside: Collection[str]) -> bool:
    """Return whether a decision of this section leaves the loop, or may leave it."""
    return may_lead_on(graph.sections[section_id]) or any(
        edge.target not in inside and not edge.never_runs and graph.has_section(edge.target) is not False
        for edge in graph.edges[section_id]
    )


def _triggers_leave(graph: Graph, inside: Collection[str], connected: Sequence[str]) -> bool:
    """Return whether a trigger fired in one of these sections leaves the loop. Overrides take precedence.

    ``connected`` holds the targets of triggers, ignoring overrides.
    """
    by_itself = any(target not in inside for target in connected)
    for section_id in inside:
        leads = overrides_of(graph.sections[section_id])
        if not leads:
            if by_itself:
                return True
            continue
        for trigger_id, trigger in graph.triggers.items():
            target = leads.get(trigger_id) or trigger.destination_section
            if target not in inside and graph.has_section(target) is not False:
                return True
    return False


def loop_text(graph: Graph, sections: Sequence[str], most: int = 8) -> str:
    """Return the names of the sections in a loop as text, such as ``“Hall” → “Attic” → … (3 more)``.

    ``most`` is the maximum number of names.
    """
    names = [f"“{single_line(graph.section_name(one), limit=_NAME)}”" for one in sections[:most]]
    more = len(sections) - len(names)
    return " → ".join([*names, f"… ({more} more)"] if more else names)
