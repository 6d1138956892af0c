"""The home of each section, which is the place in the outline where the section is expanded.

A section can have many incoming links, but it is expanded below only one of them, its *home*. The home is on a shortest
path from the start of the story, so that no section is deeper in the outline than necessary. While a story is edited,
its sections keep their homes as long as the corresponding links exist. A section gets a new home only if the old one no
longer exists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.nodes import Link


class Home(NamedTuple):
    """The link below which a section is shown in the outline.

    ``owner`` is the ID of the section or trigger that contains the link. ``owner`` is empty for the start section, and
    for a section without an incoming link, which is shown with the unreachable sections.
    """

    link: Link
    owner: str = ""


#: The homes that a section has had, earliest first.
Past = Mapping[str, Sequence[Home]]

_START: Final = Home(Link.START)
_ALONE: Final = Home(Link.NONE)
#: Looking up enum members is slow.
_DECISION: Final = Link.DECISION


def homes_of(graph: Graph, past: Past | None = None) -> dict[str, Home]:
    """Return a mapping from section IDs to homes, in the order in which the sections were found.

    Sections are found by a breadth-first search. It begins at the start and follows the decisions that can be taken,
    then continues with the targets of triggers, and then with the targets of overrides. Unreachable sections come last.
    Of these, sections without an incoming decision come first, followed by one section of every cycle. ``past``
    maps sections to their earlier homes. A section stays in the first of its earlier homes that still exists.
    """
    return _Finder(graph, past or {}).homes()


def same_links(graph: Graph, other: Graph) -> bool:
    """Return whether two graphs have the same sections and links. If so, homes found in one also apply to the other."""
    if graph.start != other.start or [*graph.sections] != [*other.sections]:
        return False
    targets, others = ([(key, one.destination_section) for key, one in g.triggers.items()] for g in (graph, other))
    changed = [key for key, section in graph.sections.items() if section is not other.sections[key]]
    return targets == others and all(_links(graph, key) == _links(other, key) for key in changed)


def _links(graph: Graph, key: str) -> tuple[list[tuple[str, bool]], list[tuple[str, str | None]]]:
    """Return the targets of a section's decisions and of its overrides."""
    decided = [(edge.target, edge.never_runs) for edge in graph.edges[key]]
    return decided, [(each.trigger_id, each.destination_section) for each in graph.overrides(key)]


class _Finder:
    def __init__(self, graph: Graph, past: Past) -> None:
        self._graph = graph
        self._homes: dict[str, Home] = {}
        self._past = past
        self._kept: dict[str, Home] = {}
        self._children: dict[str, list[str]] = {}
        if past:
            self._keep()

    def _keep(self) -> None:
        """Find the sections that can stay in one of their earlier homes."""
        edges = self._graph.edges
        live = {(edge.source, edge.target) for ways in edges.values() for edge in ways if not edge.never_runs}
        for key, homes in self._past.items():
            for home in homes if key in self._graph.sections else ():
                decided = home.link is _DECISION
                if (home.owner, key) in live if decided else self._exists(key, home):
                    self._kept[key] = home
                    if home.link is not Link.TRIGGER:
                        self._children.setdefault(home.owner, []).append(key)
                    break

    def _exists(self, key: str, home: Home) -> bool:
        """Return whether a home other than a decision still exists."""
        graph = self._graph
        if home.link is Link.OVERRIDE:
            return home.owner in graph.sections and key in self._overridden(home.owner)
        # Without a link, the place is always found again.
        trigger = graph.triggers.get(home.owner) if home.link is Link.TRIGGER else None
        return trigger is not None and trigger.destination_section == key

    def _overridden(self, key: str) -> Iterator[str]:
        """Yield the targets of a section's overrides that can fire."""
        for override in self._graph.overrides(key):
            target = override.destination_section
            if target and target in self._graph.sections and override.trigger_id in self._graph.triggers:
                yield target

    def homes(self) -> dict[str, Home]:
        graph, homes = self._graph, self._homes
        if graph.start and graph.start in graph.sections:
            homes[graph.start] = _START
        homes.update((key, home) for key, home in self._kept.items() if home.link is Link.TRIGGER and key not in homes)
        order = [*homes]
        self._settle(order)
        if self._kept:  # then most sections are placed, and only those that lead to the others are examined again
            leading = {parent for key in graph.sections if key not in homes for parent in graph.parents[key]}
            order = [key for key in order if key in leading]
        self._spread(order)
        targets: list[str] = []
        for key, trigger in graph.triggers.items():
            target = trigger.destination_section
            if target and target in graph.sections and target not in homes:
                homes[target] = Home(Link.TRIGGER, key)
                targets.append(target)
        self._spread(targets)
        while found := self._from_overrides():
            self._spread(found)
        self._place_unreachable()
        return homes

    def _from_overrides(self) -> list[str]:
        """Place the sections that overrides of placed sections reach, one step further."""
        homes, sections = self._homes, self._graph.sections
        found: dict[str, Home] = {}
        for owner in homes:
            for key in self._overridden(owner) if sections[owner].triggers else ():
                if key not in homes:
                    found.setdefault(key, Home(Link.OVERRIDE, owner))
        homes.update(found)
        return [*found]

    def _place_unreachable(self) -> None:
        rest = [key for key in self._graph.sections if key not in self._homes]
        if not rest:
            return
        edges = self._graph.edges
        led_to = {e.target for key in rest for e in edges[key] if not e.never_runs and e.target != key}
        tops = [key for key in rest if key not in led_to]
        self._homes.update(dict.fromkeys(tops, _ALONE))
        self._spread(tops)
        # Of a cycle, the section that was at its top stays there.
        for key in sorted(rest, key=lambda key: _ALONE not in self._past.get(key, ())):
            if key not in self._homes:
                self._homes[key] = _ALONE
                self._spread([key])

    def _spread(self, order: list[str]) -> None:
        """Place what these sections lead to, breadth first: first what stays, then the tops of what has moved."""
        if self._kept:
            self._settle(order)
            self._walk(order, lambda key: key not in self._kept)
        self._walk(order, None)

    def _settle(self, order: list[str]) -> None:
        """Extend ``order`` with the sections whose home is below it."""
        homes, kept, children = self._homes, self._kept, self._children
        for key in order:
            for child in children.get(key, ()):
                if child not in homes:
                    homes[child] = kept[child]
                    order.append(child)

    def _walk(self, order: list[str], may_move: Callable[[str], bool] | None) -> None:
        """Extend ``order`` with the sections that ``may_move`` below it, and with those whose home is there."""
        homes, edges, sections, children = self._homes, self._graph.edges, self._graph.sections, self._children
        for key in order:
            if key in children:
                for child in children[key]:
                    if child not in homes:
                        homes[child] = self._kept[child]
                        order.append(child)
            home = None
            for edge in edges[key]:
                target = edge.target
                if target in homes or edge.never_runs or target not in sections:
                    continue
                if may_move is None or may_move(target):
                    homes[target] = home = home or Home(_DECISION, key)
                    order.append(target)
