"""Where in a rank everything stands: as near as possible to where its lines come from and go to.

A rank is settled at once: of all places that keep the order and the distances, those with the least sum of ways to the
wished ones (isotonic regression in the absolute norm, by pooling adjacent violators). The last pass goes upwards, so
that what has one line below it stands straight above it, and what has several above their middle.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from typing import Final

from chartui.core.narrative.layout.ranks import Ranks

__all__ = ["Ports", "columns", "settled"]

#: Cells from the left end of a joint to where its lines are: (in from above, out to above, out below, in from below).
Ports = tuple[int, int, int, int]

_PASSES: Final = 4
_FEW_PASSES: Final = 2
_LARGE: Final = 1500


def columns(
    ranks: Ranks, widths: Sequence[int], ports: Sequence[Ports], gap: Callable[[int, int], int], most: int
) -> list[int]:
    """The column of every joint, from 0; ``gap`` gives the cells between two neighbours.

    No rank becomes wider than ``most`` cells, or than the widest must be.
    """
    x = [0] * len(widths)
    starts = [_starts(rank, widths, gap) for rank in ranks.ranks]
    ends = [start[-1] + widths[rank[-1]] if rank else 0 for rank, start in zip(ranks.ranks, starts, strict=True)]
    room = [max(most, *ends) - end for end in ends]
    for rank, start in zip(ranks.ranks, starts, strict=True):
        for joint, column in zip(rank, start, strict=True):
            x[joint] = column
    links, above, below = ranks.links, ranks.above, ranks.below

    def from_above(joint: int) -> list[int]:
        own = ports[joint]
        return [
            x[link.upper] + ports[link.upper][2 + link.rising] - own[link.rising]
            for link in (links[n] for n in above[joint])
        ]

    def from_below(joint: int) -> list[int]:
        own = ports[joint]
        return [
            x[link.lower] + ports[link.lower][link.rising] - own[2 + link.rising]
            for link in (links[n] for n in below[joint])
        ]

    passes = _PASSES if len(widths) <= _LARGE else _FEW_PASSES
    for number in range(passes):
        down = number % 2 == 0
        order = range(1, len(starts)) if down else range(len(starts) - 2, -1, -1)
        wishes = from_above if down else from_below
        for r in order:
            rank = ranks.ranks[r]
            # What has no line there would rather stay, and gives way to what has.
            wanted = [(_middle(found), 2) if (found := wishes(joint)) else (x[joint], 1) for joint in rank]
            for joint, column in zip(rank, settled(wanted, starts[r], room[r]), strict=True):
                x[joint] = column
    for rank in ranks.ranks:
        _slide(rank, x, widths, gap, lambda joint: [] if below[joint] else from_above(joint))
    left = min(x, default=0)
    return [column - left for column in x]


def _starts(rank: Sequence[int], widths: Sequence[int], gap: Callable[[int, int], int]) -> list[int]:
    """The columns of a rank that is pushed together to the left."""
    starts = [0] * len(rank)
    for number in range(1, len(rank)):
        before, joint = rank[number - 1], rank[number]
        starts[number] = starts[number - 1] + widths[before] + gap(before, joint)
    return starts


def _slide(
    rank: Sequence[int],
    x: list[int],
    widths: Sequence[int],
    gap: Callable[[int, int], int],
    wishes: Callable[[int], list[int]],
) -> None:
    """Move what has a wish as near to it as its neighbours let it."""
    for number, joint in enumerate(rank):
        wanted = wishes(joint)
        if not wanted:
            continue
        column = _middle(wanted)
        if number > 0:
            before = rank[number - 1]
            column = max(column, x[before] + widths[before] + gap(before, joint))
        if number + 1 < len(rank):
            after = rank[number + 1]
            column = min(column, x[after] - gap(joint, after) - widths[joint])
        x[joint] = column


def _middle(places: list[int]) -> int:
    places.sort()
    return (places[(len(places) - 1) // 2] + places[len(places) // 2]) // 2


def settled(wanted: Sequence[tuple[int, int]], starts: Sequence[int], room: int) -> list[int]:
    """Columns as near as possible to those that are ``wanted``, each with its weight.

    They are at ``starts`` or up to ``room`` further to the right, and none is nearer to its neighbour than there.
    """
    blocks: list[tuple[int, int, list[int]]] = []  # its place less its start, how many it holds, and their wishes
    for (want, weight), start in zip(wanted, starts, strict=True):
        place, size, members = want - start, 1, [want - start] * weight
        while blocks and blocks[-1][0] > place:
            _, more, before = blocks.pop()
            size += more
            if len(before) < len(members):
                before, members = members, before
            for member in members:
                insort(before, member)
            members = before
            place = (members[(len(members) - 1) // 2] + members[len(members) // 2]) // 2
        blocks.append((place, size, members))
    places = [min(max(place, 0), room) for place, size, _ in blocks for _ in range(size)]
    return [place + start for place, start in zip(places, starts, strict=True)]
