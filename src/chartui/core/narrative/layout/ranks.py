"""The ranks of a drawing: rows of boxes, and between two of them rows of the lines that lead from one to the other.

Rank ``2 n`` holds the boxes of layer ``n`` and the lines that pass it, rank ``2 n + 1`` the lines below it, with their
labels. Every way goes from rank to rank, and so has a column of its own between any two layers. Within a rank, what is
connected is brought close together, since lines cross less then (the barycentre method).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from chartui.core.narrative.layout.layers import Line

__all__ = ["Joint", "Link", "Ranks"]

#: Sweeps for the best order: of a small drawing until none makes it better, of a large one a few.
_SWEEPS: Final = 12
_FEW_SWEEPS: Final = 2
_LARGE: Final = 1500


class Joint(NamedTuple):
    """What has a column in a rank: the box of a ``place``, or a piece of the line of a ``way``; the other is -1.

    ``labelled`` is true for the piece with the label, the one above the lower end.
    """

    place: int
    way: int
    labelled: bool


class Link(NamedTuple):
    """What leads from a joint to one in the next rank, by their numbers; ``rising`` where the way leads upwards."""

    upper: int
    lower: int
    rising: bool


class Ranks:
    """Joints in their ranks, and the links between them.

    ``above`` and ``below`` are the links of every joint, by number, ``chains`` those of every way, from top to bottom.
    """

    def __init__(self, layers: Sequence[Sequence[int]], lines: Iterable[Line]) -> None:
        self.joints: list[Joint] = []
        self.links: list[Link] = []
        self.above: list[list[int]] = []
        self.below: list[list[int]] = []
        self.ranks: list[list[int]] = [[] for _ in range(2 * len(layers) - 1)]
        self.chains: dict[int, list[int]] = {}
        boxes = {
            place: self._add(2 * number, Joint(place, -1, False))
            for number, layer in enumerate(layers)
            for place in layer
        }
        for line in lines:
            self._lead(line, boxes[line.upper], boxes[line.lower])
        self._begin()
        self._sweep()

    def _add(self, rank: int, joint: Joint) -> int:
        self.joints.append(joint)
        self.above.append([])
        self.below.append([])
        self.ranks[rank].append(len(self.joints) - 1)
        return len(self.joints) - 1

    def _lead(self, line: Line, upper: int, lower: int) -> None:
        chain: list[int] = []
        last = upper
        end = 2 * line.bottom
        for rank in range(2 * line.top + 1, end + 1):
            joint = lower if rank == end else self._add(rank, Joint(-1, line.way, rank == end - 1))
            chain.append(len(self.links))
            self.below[last].append(len(self.links))
            self.above[joint].append(len(self.links))
            self.links.append(Link(last, joint, line.rising))
            last = joint
        self.chains[line.way] = chain

    # -- the order within the ranks -----------------------------------------------------------------------------------

    def _begin(self) -> None:
        """An order in which a tree has no crossing: below each other what belongs together, as it is tried."""
        for rank, below in zip(self.ranks, self.ranks[1:], strict=False):
            led_to = dict.fromkeys(self.links[n].lower for joint in rank for n in self.below[joint])
            below[:] = [*led_to, *(joint for joint in below if joint not in led_to)]

    def _sweep(self) -> None:
        """Bring close together what is connected, downwards and upwards in turn."""
        large = len(self.joints) > _LARGE
        best, fewest = [list(rank) for rank in self.ranks], 0 if large else self.crossings()
        without_success = 0
        for sweep in range(_FEW_SWEEPS if large else _SWEEPS):
            if not large and (fewest == 0 or without_success > 3):
                break
            self._bring_together(down=sweep % 2 == 0)
            if large:
                best = [list(rank) for rank in self.ranks]
                continue
            crossings = self.crossings()
            without_success += 1
            if crossings < fewest:
                best, fewest, without_success = [list(rank) for rank in self.ranks], crossings, 0
        self.ranks = best

    def _bring_together(self, *, down: bool) -> None:
        links, ranks = self.links, self.ranks if down else self.ranks[::-1]
        place = [0.0] * len(self.joints)
        for number, joint in enumerate(ranks[0]):
            place[joint] = number
        for rank in ranks[1:]:
            wish: dict[int, float] = {}
            for number, joint in enumerate(rank):
                above, below = self.above[joint], self.below[joint]
                beside = [links[n].upper for n in above] if down else [links[n].lower for n in below]
                wish[joint] = sum(place[other] for other in beside) / len(beside) if beside else number
            rank.sort(key=wish.__getitem__)
            for number, joint in enumerate(rank):
                place[joint] = number

    def crossings(self) -> int:
        """How often lines cross."""
        total = 0
        for rank, below in zip(self.ranks, self.ranks[1:], strict=False):
            place = {joint: number for number, joint in enumerate(below)}
            seen: list[int] = []
            for joint in rank:
                ends = sorted(place[self.links[n].lower] for n in self.below[joint])
                total += sum(len(seen) - bisect_right(seen, end) for end in ends)
                for end in ends:
                    insort(seen, end)
        return total
