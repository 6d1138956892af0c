"""Draw a narrative graph as boxes and lines in terminal cells.

A drawing stores the position of every box and the path of every line, and paints only the visible rows. Every section,
unknown ID and duplicate has one box. Every decision and override is either drawn as a line between boxes, or named in
the box where it starts. Texts that do not fit are shown in full in the legend.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.layout.block import Block, Box, Canvas, Point, Run
from chartui.core.narrative.layout.composition import Texts, composed
from chartui.core.narrative.layout.layers import Layers, Ranks, layered
from chartui.core.narrative.layout.stacks import LOOSE_MAP, Join, Stack, Stacks, collapsed
from chartui.core.narrative.layout.survey import Part, PlaceKind, Survey
from chartui.core.narrative.layout.words import ON, Inside, Role, Said, Words, Zoom
from chartui.core.narrative.nodes import GROUP_TITLES, UNKNOWN_START_TITLES, Group
from chartui.core.narrative.signs import TRIGGER
from chartui.core.text import cell_width

#: Default width of a map, in cells.
WIDTH: Final = 100
#: Spaces between two adjacent blocks.
_APART: Final = 3
#: Number of single boxes that are placed side by side if their names are long.
_ABREAST: Final = 3
#: How often a map that is too wide is drawn again for fewer cells, and the most boxes of a map that is.
_TRIES: Final = 4
_MOST_TRIED: Final = 150

_LOOSE: Final = "Triggers without a target"
_HEADINGS: Final = {Part.TRIGGERS: "Reached by triggers only", Part.DUPLICATES: "Duplicate IDs"}


class _Piece(NamedTuple):
    x: int
    block: Block


class _Band(NamedTuple):
    """A band of rows: blocks side by side, or a line of text."""

    height: int
    pieces: Sequence[_Piece]
    text: str = ""
    role: Role = Role.BLANK

    @property
    def width(self) -> int:
        return max([cell_width(self.text), *(piece.x + piece.block.width for piece in self.pieces)])


class Drawing:
    """A map of ``width`` by ``height`` cells.

    ``boxes`` contains the boxes by number, ordered from top to bottom and left to right. :meth:`path` returns the
    points on the line of an edge. ``named`` contains the numbers of edges that are named in a box instead of being
    drawn. An edge that is neither drawn nor named starts or ends outside the map. ``cut`` contains the full texts of
    shortened labels and names, each preceded by the number that is shown on the map.
    """

    def __init__(
        self, survey: Survey, zoom: Zoom, bands: Sequence[_Band], named: Iterable[int], cut: list[str]
    ) -> None:
        self.survey = survey
        self.zoom = zoom
        self.boxes: dict[int, Box] = {}
        #: The position and the block of every edge that is drawn as a line.
        self._homes: dict[int, tuple[int, int, Block]] = {}
        self.named = frozenset(named)
        self.width = max((band.width for band in bands), default=0)
        self.cut = cut
        self._bands = bands
        self._tops: list[int] = []
        self.height = 0
        for band in bands:
            self._tops.append(self.height)
            for x, block in band.pieces:
                for box in (box for layer in block.layers for box in layer.boxes):
                    self.boxes[box.place] = box._replace(x=box.x + x, y=box.y + self.height)
                self._homes.update(dict.fromkeys(block.drawn, (x, self.height, block)))
            self.height += band.height
        self.boxes = dict(sorted(self.boxes.items(), key=lambda item: (item[1].y, item[1].x)))
        self._in_order = tuple(self.boxes.values())
        self._lit = lru_cache(1)(self._lit_from)

    def path(self, way: int) -> tuple[Point, ...]:
        """Return the points where the line of an edge starts, turns and ends, or an empty tuple if no line is drawn."""
        if way not in self._homes:
            return ()
        x, y, block = self._homes[way]
        return tuple(Point(point.x + x, point.y + y) for point in block.path(way))

    @cached_property
    def sections(self) -> int:
        return sum(self.survey.places[place].kind is PlaceKind.SECTION for place in self.boxes)

    def box_of(self, section_id: str) -> Box | None:
        """Return the box for an ID, whether or not a section has this ID, or None if there is no such box."""
        place = self.survey.numbers.get(section_id)
        return None if place is None else self.boxes.get(place)

    # -- painting -----------------------------------------------------------------------------------------------------

    def row(self, y: int, left: int, width: int, current: Box | None = None) -> tuple[Run, ...]:
        """Return the text of a row, starting at column ``left``.

        The text is split where its role, and therefore its color, changes. The border of the ``current`` box and the
        lines connected to it are highlighted.
        """
        canvas = Canvas(left, width)
        if 0 <= y < self.height:
            number = bisect_right(self._tops, y) - 1
            band = self._bands[number]
            if band.text:
                canvas.write(0, band.text, band.role)
            for x, block in band.pieces:
                if x < left + width and left < x + block.width and y - self._tops[number] < block.height:
                    canvas.left = left - x
                    block.paint(y - self._tops[number], canvas, -1 if current is None else current.place)
            canvas.left = left
            if current is not None:
                for begin, end in self._lit(current.place).get(y, ()):
                    canvas.light(begin, end)
        return canvas.runs()

    def _lit_from(self, place: int) -> Mapping[int, Sequence[tuple[int, int]]]:
        rows: dict[int, list[tuple[int, int]]] = {}
        survey = self.survey
        for way in (*survey.outgoing[place], *survey.incoming[place]):
            for point, after in pairwise(self.path(way)):
                left, right = sorted((point.x, after.x))
                for y in range(min(point.y, after.y), max(point.y, after.y) + 1):
                    rows.setdefault(y, []).append((left, right))
        return rows

    def lines(self, current: Box | None = None) -> list[str]:
        """Return the map as text, with the legend and without trailing spaces."""
        picture = [
            "".join(run.text for run in self.row(y, 0, self.width, current)).rstrip() for y in range(self.height)
        ]
        return [*picture, *(("", *self.legend) if self.legend else ())]

    @cached_property
    def legend(self) -> Sequence[str]:
        """The lines of the legend.

        They contain the full text of each shortened label or, in an overview, the contents of every box.
        """
        if self.zoom is Zoom.FULL:
            return self.cut
        return tuple(self._read())

    def _read(self) -> Iterator[str]:
        words, survey = Words(self.survey, self.zoom), self.survey
        for number in self.boxes:
            place = survey.places[number]
            yield f"{words.missing} {words.called(place)}" if place.kind is PlaceKind.MISSING else words.called(place)
            yield from (f"  {TRIGGER} {trigger}" for trigger in words.triggers(place))
            yield from (
                f"  {words.criteria(way)} {ON} {words.target(way)}"
                for way in map(survey.ways.__getitem__, survey.outgoing[number])
            )

    # -- navigation ---------------------------------------------------------------------------------------------------

    def beside(self, box: Box, right: int, down: int) -> Box | None:
        """Return the nearest box in a direction, or None if there is no such box.

        Either ``right`` or ``down`` must be 0. A vertical move follows a line if possible.
        """

        def is_there(other: Box) -> bool:
            return (other.y - box.y) * down > 0 if down else (other.x - box.x) * right > 0

        boxes = self._in_order
        if down:
            near: Sequence[Box] = [self.boxes[place] for place in self._connected(box.place)]
        else:
            top = attrgetter("y")
            near = boxes[bisect_left(boxes, box.y, key=top) : bisect_right(boxes, box.y, key=top)]
        return _nearest(box, filter(is_there, near)) or _nearest(box, filter(is_there, boxes))

    def _connected(self, place: int) -> Iterator[int]:
        survey = self.survey
        for number in survey.outgoing[place]:
            target = survey.ways[number].target
            if number in self._homes and target is not None:
                yield target
        yield from (survey.ways[number].source for number in survey.incoming[place] if number in self._homes)


def _nearest(box: Box, others: Iterable[Box]) -> Box | None:
    # A cell is about twice as high as it is wide.
    return min(others, key=lambda o: abs(o.middle - box.middle) + 2 * abs(o.y - box.y), default=None)


# -- drawing ----------------------------------------------------------------------------------------------------------


def draw(survey: Survey, *, only: Collection[str] | None = None, zoom: Zoom = Zoom.FULL, width: int = WIDTH) -> Drawing:
    """Draw the map of a narrative graph, within ``width`` cells if possible.

    If ``only`` is given, only the sections with these IDs are drawn.
    """
    drawing = _Drawer(survey, only, zoom, max(1, width)).drawing()
    target = width
    for _ in range(_TRIES if len(drawing.boxes) <= _MOST_TRIED else 0):
        # Lines between the boxes need room too, which is known only once they are drawn.
        if drawing.width <= width:
            break
        target -= max(target // 12, min(drawing.width - width, target // 4))
        narrower = _Drawer(survey, only, zoom, max(1, target)).drawing()
        drawing = min(narrower, drawing, key=attrgetter("width"))
    return drawing


class _Drawer:
    def __init__(self, survey: Survey, only: Collection[str] | None, zoom: Zoom, width: int) -> None:
        self._survey = survey
        self._whole = only is None
        self._zoom = zoom
        self._width = width
        self._words = Words(survey, zoom)
        shown = (
            range(len(survey.places))
            if only is None
            else sorted({survey.numbers[i] for i in only if i in survey.numbers})
        )
        self._shown = frozenset(shown)
        self._order = sorted(shown, key=lambda place: survey.places[place].order)
        self._named: list[int] = []
        self._bands: list[_Band] = []

    def drawing(self) -> Drawing:
        survey = self._survey
        if self._whole:
            titles = GROUP_TITLES if survey.graph.start_known else UNKNOWN_START_TITLES
            headings = {**_HEADINGS, Part.UNREACHABLE: titles[Group.UNREACHABLE]}
            if survey.graph.start is None:
                self._heading(titles[Group.NO_START])
            for part in Part:
                members = [place for place in self._order if survey.places[place].part is part]
                if members and part in headings:
                    self._heading(headings[part])
                self._part(members)
            if survey.loose:
                self._heading(_LOOSE)
            for name, matter in survey.loose:
                self._bands.append(_Band(1, (), f"{TRIGGER} {self._words.clean(name)}: {matter}", Role.TRIGGER))
        else:
            self._part(self._order)
        return Drawing(survey, self._zoom, self._bands, self._named, self._words.legend)

    def _heading(self, text: str) -> None:
        if self._bands:
            self._bands.append(_Band(1, ()))
        self._bands.append(_Band(1, (), text, Role.HEADING))

    def _part(self, members: Sequence[int]) -> None:
        """Draw the connected parts. As many as fit are placed side by side, and the others below them."""
        shelf: list[_Piece] = []
        x = 0
        components = _components(self._survey, members)
        for component in components:
            # Single boxes leave room for each other.
            alone = len(component) == 1 < len(components)
            block = self._block(component, self._width // min(len(components), _ABREAST) if alone else self._width)
            if shelf and x + block.width > self._width:
                self._shelve(shelf)
                shelf, x = [], 0
            shelf.append(_Piece(x, block))
            x += block.width + _APART
        if shelf:
            self._shelve(shelf)

    def _shelve(self, pieces: Sequence[_Piece]) -> None:
        if self._bands and self._bands[-1].pieces:
            self._bands.append(_Band(1, ()))
        self._bands.append(_Band(max(piece.block.height for piece in pieces), pieces))

    def _block(self, members: Sequence[int], width: int) -> Block:
        survey, words = self._survey, self._words
        stacks = self._stacks(members)
        layers = layered(survey, stacks, self._shown, words, self._zoom, width)
        ranks = Ranks(layers.layers, layers.lines.values())
        texts = self._texts(stacks, layers, ranks, width)
        inner = {n for stack in stacks.of.values() if stack.join is Join.CHAIN for n in stack.entries}
        self._named += (n for n in stacks.entries if n not in layers.lines and n not in inner)
        self._named += (number for named in layers.named.values() for number, _ in named)
        return composed(ranks, stacks, texts, width)

    def _stacks(self, members: Sequence[int]) -> Stacks:
        if len(self._shown) <= LOOSE_MAP:
            return Stacks(members)
        widest = max(self._words.box_cells(self._survey.places[place]) for place in members)
        return collapsed(self._survey, members, self._width // widest)

    def _texts(self, stacks: Stacks, layers: Layers, ranks: Ranks, width: int) -> Texts:
        """Return the texts in the order in which they are read, each as wide as its rank has room for."""
        survey, words = self._survey, self._words
        boxes: dict[int, tuple[Said, ...]] = {}
        labels: dict[int, tuple[Said, ...]] = {}
        for rank in ranks.ranks:
            joints = [ranks.joints[number] for number in rank]
            texts = sum(joint.place >= 0 or (joint.labelled and joint.way not in stacks.entries) for joint in joints)
            room = (width - 2 * (len(joints) - texts)) // max(1, texts)
            for joint in joints:
                if joint.labelled and joint.way not in stacks.entries:
                    labels[joint.way] = words.label(survey.ways[joint.way], room)
                stack = stacks.of[joint.place] if joint.place >= 0 else Stack((), entries=())
                for place, number in zip(stack.places, stack.entries, strict=True):
                    named = [(survey.ways[n], sign) for n, sign in layers.named.get(place, ())]
                    entry = None if number is None else survey.ways[number]
                    inside = Inside(entry, stack.join is Join.SPOKES, named, self._more(place))
                    boxes[place] = words.box(survey.places[place], inside, room)
        return Texts(boxes, labels, self._zoom is Zoom.DOTS)

    def _more(self, place: int) -> tuple[int, int]:
        """Return the numbers of incoming and of outgoing edges whose other ends are not shown."""
        if self._whole:
            return 0, 0
        survey, shown = self._survey, self._shown
        before = sum(survey.ways[number].source not in shown for number in survey.incoming[place])
        targets = [survey.ways[number].target for number in survey.outgoing[place]]
        return before, sum(target is not None and target not in shown for target in targets)


def _components(survey: Survey, members: Sequence[int]) -> list[list[int]]:
    """Return groups of connected places, ordered by their first places."""
    inside, seen = set(members), set()
    found: list[list[int]] = []
    for first in members:
        if first in seen:
            continue
        seen.add(first)
        component = [first]
        for place in component:  # the list grows during the loop
            ends = [survey.ways[number].target for number in survey.outgoing[place]]
            ends += [survey.ways[number].source for number in survey.incoming[place]]
            for other in ends:
                if other is not None and other in inside and other not in seen:
                    seen.add(other)
                    component.append(other)
        found.append(sorted(component, key=lambda place: survey.places[place].order))
    return found
