"""Make a large map smaller by drawing chains and hubs of sections as stacks of boxes.

In a chain, each section leads only to the next one. A hub has many spokes: sections that can be reached only from the
hub, and that return to it or end. The spokes of a hub are drawn as a few stacks side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.layout.survey import Survey

#: Maximum number of sections on a map that is drawn without stacks.
LOOSE_MAP: Final = 40
#: Minimum number of spokes of a hub, and preferred number in a stack.
_SPOKES: Final = 4
_SPOKES_IN_STACK: Final = 3


class Join(Enum):
    """The reason why boxes are drawn as one stack."""

    NONE = auto()  # a single box
    CHAIN = auto()
    SPOKES = auto()


class Stack(NamedTuple):
    """A stack of boxes, listed by number from top to bottom.

    ``entries`` contains, for each box, the incoming edge whose criteria are shown in the box, or None if there is none.
    """

    places: tuple[int, ...]
    join: Join = Join.NONE
    entries: tuple[int | None, ...] = (None,)


class Stacks:
    """The stacks of boxes on a map.

    ``heads`` maps the number of every box to the number of the top box in its stack, and ``of`` maps the number of a
    top box to its stack. ``entries`` maps the number of each edge that enters a stack to the number of the
    box that shows the edge's criteria.
    """

    def __init__(self, members: Sequence[int], made: Sequence[Stack] = ()) -> None:
        stack_of = {place: stack for stack in made for place in stack.places}
        found = [stack_of.get(place) or Stack((place,)) for place in members]
        self.of: dict[int, Stack] = {stack.places[0]: stack for stack in found}
        self.heads: dict[int, int] = {place: stack.places[0] for place, stack in zip(members, found, strict=True)}
        self.entries: dict[int, int] = {
            number: place
            for stack in made
            for place, number in zip(stack.places, stack.entries, strict=True)
            if number is not None
        }

    def begins(self, place: int, *, rising: bool) -> bool:
        """Return whether a line can end at the top of a box or, if ``rising`` is true, begin there."""
        stack = self.of[self.heads[place]]
        return stack.places[0] == place and not (rising and stack.join is Join.SPOKES)

    def ends(self, place: int) -> bool:
        """Return whether a line can begin or end at the bottom of a box."""
        stack = self.of[self.heads[place]]
        return stack.places[-1] == place and stack.join is not Join.SPOKES


def collapsed(survey: Survey, members: Sequence[int], room: int) -> Stacks:
    """Return the stacks for a connected part of a map.

    ``members`` contains the numbers of the boxes in that part, and ``room`` is the number of boxes that fit side by
    side.
    """
    finder = _Finder(survey, members)
    spokes = [stack for place in members for stack in finder.spokes(place, room)]
    taken = {place for stack in spokes for place in stack.places}
    return Stacks(members, [*spokes, *finder.chains(taken)])


class _Finder:
    def __init__(self, survey: Survey, members: Sequence[int]) -> None:
        self._survey = survey
        self._members = members
        inside = set(members)
        #: The forward edges of every place to and from other members.
        self._out: dict[int, list[int]] = {place: [] for place in members}
        self._in: dict[int, list[int]] = {place: [] for place in members}
        for place in members:
            for number in survey.outgoing[place]:
                way = survey.ways[number]
                if way.target is not None and way.target in inside and survey.leads_on(way):
                    self._out[place].append(number)
                    self._in[way.target].append(number)

    def _plain(self, number: int) -> bool:
        way = self._survey.ways[number]
        return not way.override and not way.never_runs

    def _entry(self, place: int) -> int | None:
        """Return the only forward edge to a place, or None."""
        return self._in[place][0] if len(self._in[place]) == 1 and self._plain(self._in[place][0]) else None

    def chains(self, taken: set[int]) -> Iterator[Stack]:
        following = dict(self._links(taken))
        followers = {target for _, target in following.values()}
        for place in self._members:
            if place in following and place not in followers:
                places, entries = [place], list[int | None]([None])
                while places[-1] in following:
                    number, target = following[places[-1]]
                    places.append(target)
                    entries.append(number)
                yield Stack(tuple(places), Join.CHAIN, tuple(entries))

    def _links(self, taken: set[int]) -> Iterator[tuple[int, tuple[int, int]]]:
        """Yield every place that only goes on to one place, with the edge and its target."""
        for place in self._members:
            if len(self._out[place]) != 1:
                continue
            number = self._out[place][0]
            target = self._survey.ways[number].target
            if target is not None and target not in taken and self._entry(target) == number:
                yield place, (number, target)

    def spokes(self, hub: int, room: int) -> Iterator[Stack]:
        found = [(number, target) for number in self._out[hub] if (target := self._spoke(hub, number)) is not None]
        if len(found) < _SPOKES:
            return
        # One box beside the stacks is left for the way on.
        stacks = max(1, min(room - 1, -(-len(found) // _SPOKES_IN_STACK)))
        size = -(-len(found) // stacks)
        for begin in range(0, len(found), size):
            part = found[begin : begin + size]
            yield Stack(tuple(place for _, place in part), Join.SPOKES, tuple(number for number, _ in part))

    def _spoke(self, hub: int, number: int) -> int | None:
        survey = self._survey
        target = survey.ways[number].target
        if target is None or self._entry(target) != number or self._out[target]:
            return None
        if any(survey.ways[n].source not in (hub, target) for n in survey.incoming[target]):
            return None
        back = all(survey.ways[n].target in (hub, target, None) for n in survey.outgoing[target])
        return target if back else None
