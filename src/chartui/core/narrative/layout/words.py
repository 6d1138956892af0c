"""The texts on a map, shortened to fit. Every shortened text gets a number and appears in full in the legend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.layout.survey import Place, PlaceKind, Survey, Way
from chartui.core.narrative.signs import DANGLING, TRIGGER, UNKNOWN, UNREACHABLE, UNTESTED, section_signs
from chartui.core.text import cell_width, cut, single_line, wrapped

BACK: Final = "↩"
ON: Final = "→"
ENTRY: Final = "↳"
DOT: Final = "●"
_SHARED: Final = "▲ duplicate ID"

#: Maximum lines of a name and of a label beside its line.
NAME_LINES: Final = 2
LABEL_LINES: Final = 4
#: Maximum lines of an edge named in the box, equal to those of a name, and the number of triggers named there.
NAMED_LINES: Final = 3
MOST_TRIGGERS: Final = 3
#: Texts are cut to this many characters before they are fitted into the map.
_LONGEST: Final = 4000


class Zoom(StrEnum):
    FULL = "full"  # names, criteria beside the lines
    SHORT = "short"  # names in boxes
    DOTS = "dots"  # a dot and a name in one row


#: Maximum cells of a name, in a rank without room and in a rank with room.
_NAME_WIDTHS: Final = {Zoom.FULL: (22, 44), Zoom.SHORT: (12, 30), Zoom.DOTS: (12, 30)}
#: Cells around a name: its sign or border, and the space between it and the next box. The same for a label.
_FRAMES: Final = {Zoom.FULL: 6, Zoom.SHORT: 6, Zoom.DOTS: 4}
_LABEL_FRAME: Final = 4
#: Maximum cells of a label in a rank without room, when lines are chosen, and in a rank with room.
_LEAST_LABEL: Final = 12
_LABEL_WIDTH: Final = 18
_MOST_LABEL: Final = 32


class Role(StrEnum):
    """The role of a piece of text on the map, which determines its color."""

    BLANK = "blank"
    LINE = "line"
    LIT = "lit"  # a line to or from the current box
    BORDER = "border"
    CURRENT = "current"  # the border of the current box
    NAME = "name"
    START = "start"
    MISSING = "missing"
    TRIGGER = "trigger"
    LABEL = "label"
    AT_ONCE = "at-once"
    WARNING = "warning"
    NAMED = "named"  # an edge that is not drawn
    MORE = "more"  # the number of edges that leave the visible part
    HEADING = "heading"
    NOTE = "note"


class Inside(NamedTuple):
    """The contents of a box besides the name of its section.

    ``entry`` is the incoming edge whose criteria are shown in the box, if any. ``spoke`` is true if this edge comes
    from a hub. ``named`` contains the edges that are named in the box instead of being drawn, each with a symbol for
    its direction. ``more`` says how many incoming and how many outgoing edges have their other end outside the map.
    """

    entry: Way | None
    spoke: bool
    named: Sequence[tuple[Way, str]]
    more: tuple[int, int]


class Said(NamedTuple):
    """A line of text in a box of the map or beside one of the map's lines."""

    text: str
    role: Role

    @property
    def cells(self) -> int:
        return cell_width(self.text)


class Words:
    """The texts for the boxes and edges on a map. ``legend`` contains the texts that did not fit, in order of use."""

    def __init__(self, survey: Survey, zoom: Zoom) -> None:
        self._survey = survey
        self._zoom = zoom
        self._cleaned: dict[str, str] = {}
        self.legend: list[str] = []
        #: The mark of a missing ID that may belong to an unreadable section.
        self.missing = UNKNOWN if survey.graph.missed.sections else DANGLING
        self._missing_role = Role.WARNING if self.missing is UNKNOWN else Role.MISSING

    def clean(self, text: str) -> str:
        cleaned = self._cleaned.get(text)
        if cleaned is None:
            cleaned = self._cleaned[text] = single_line(text, limit=_LONGEST)
        return cleaned

    def triggers(self, place: Place) -> list[str]:
        return [self.clean(trigger) for trigger in place.triggers]

    def called(self, place: Place) -> str:
        return self.clean(place.name) or "no name"

    def criteria(self, way: Way) -> str:
        text = self.clean(way.label)
        if way.override:
            text = f"{TRIGGER} {text}"
        elif way.immediate:
            text = f"{text} always"
        elif not text:
            text = "no criteria"
        if self._survey.is_untested(way):
            text = f"{UNTESTED} {text}"
        return f"{text} (never runs)" if way.never_runs else text

    def target(self, way: Way) -> str:
        if way.target is None:
            return "nowhere"
        if way.target == way.source:
            return "itself"
        place = self._survey.places[way.target]
        return f"{self.missing} {self.called(place)}" if place.kind is PlaceKind.MISSING else self.called(place)

    def whole(self, way: Way) -> str:
        source = self.called(self._survey.places[way.source])
        return f"{source} {ON} {self.target(way)}: {self.criteria(way)}"

    def label(self, way: Way, room: int) -> tuple[Said, ...]:
        """Return the label to show beside the line of an edge.

        ``room`` is the available width in cells, including the line and a gap.
        """
        if self._zoom is not Zoom.FULL:
            return ()
        width = min(max(room - _LABEL_FRAME, _LEAST_LABEL), _MOST_LABEL)
        return tuple(self._criteria(way, self.criteria(way), width))

    def _criteria(self, way: Way, text: str, width: int) -> list[Said]:
        role = Role.WARNING if way.never_runs else Role.AT_ONCE if way.immediate else Role.LABEL
        return [Said(line, role) for line in self._fitted(text, width, LABEL_LINES, lambda: self.whole(way))]

    def label_cells(self, way: Way) -> int:
        """Return the maximum width of an edge's label in cells, including its line and a gap."""
        if self._zoom is not Zoom.FULL:
            return 2
        return min(_LABEL_WIDTH, cell_width(self.criteria(way))) + _LABEL_FRAME

    def box_cells(self, place: Place) -> int:
        least, _ = _NAME_WIDTHS[self._zoom]
        return min(least, cell_width(place.name) + 2) + _FRAMES[self._zoom]

    def box(self, place: Place, inside: Inside, room: int) -> tuple[Said, ...]:
        """Return the text in a box. ``room`` is the available width in cells, including the border and a gap."""
        least, most = _NAME_WIDTHS[self._zoom]
        width = min(max(room - _FRAMES[self._zoom], least), most)
        match self._zoom:
            case Zoom.DOTS:
                return self._dot(place, inside, width)
            case Zoom.SHORT:
                return self._short(place, inside, width)
        before, after = inside.more
        lines = [Said(f"← +{before}", Role.MORE)] if before else []
        if inside.entry is not None:
            lines += self._criteria(inside.entry, f"{ENTRY} {self.criteria(inside.entry)}", width)
        lines += self._triggers(place, width)
        lines += self._name(place, width)
        if place.kind is PlaceKind.DUPLICATE:
            lines.append(Said(_SHARED, Role.WARNING))
        for way, sign in inside.named:
            # The hub of a spoke is right above it, so its name would only be repeated.
            to_hub = inside.spoke and inside.entry is not None and way.target == inside.entry.source
            lines += self._named(way, sign if to_hub else f"{sign} {self.target(way)}:", width)
        return (*lines, *((Said(f"{ON} +{after}", Role.MORE),) if after else ()))

    def _dot(self, place: Place, inside: Inside, width: int) -> tuple[Said, ...]:
        sign, role = self._sign(place)
        plain = DOT if inside.entry is None else BACK if inside.spoke else ENTRY
        return Said(sign[:1] or plain, role), Said(cut(self.called(place), width), role)

    def _short(self, place: Place, inside: Inside, width: int) -> tuple[Said, ...]:
        sign, role = self._sign(place)
        lines = list(wrapped(f"{sign}{self.called(place)}", width))
        name = [*lines[: NAME_LINES - 1], cut(" ".join(lines[NAME_LINES - 1 :]), width)]
        out = len(inside.named) + inside.more[1]
        marks = f"{TRIGGER if place.triggers else ''}{f'+{out}' if out else ''}"
        return (*(Said(line, role) for line in name if line), *((Said(marks, Role.MORE),) if marks else ()))

    def _name(self, place: Place, width: int) -> list[Said]:
        sign, role = self._sign(place)
        name = self.called(place)
        lines = 1 if place.kind is PlaceKind.MISSING else NAME_LINES  # the beginning of an ID is enough
        return [Said(line, role) for line in self._fitted(f"{sign}{name}", width, lines, lambda: name)]

    def _triggers(self, place: Place, width: int) -> list[Said]:
        name = self.called(place)
        triggers = self.triggers(place)
        shown, rest = triggers[:MOST_TRIGGERS], triggers[MOST_TRIGGERS:]
        lines: list[Said] = []
        for trigger in shown:
            text = f"{TRIGGER} {trigger}"
            fitted = self._fitted(text, width, NAME_LINES, partial("{} {} {}".format, text, ON, name))
            lines += [Said(line, Role.TRIGGER) for line in fitted]
        if rest:
            text = f"{TRIGGER} {', '.join(rest)}"
            number = self._number(f"{text} {ON} {name}")
            lines.append(Said(f"{number} {TRIGGER} +{len(rest)}", Role.TRIGGER))
        return lines

    def _named(self, way: Way, goal: str, width: int) -> list[Said]:
        role = Role.NAMED
        if way.never_runs or way.target is None:
            role = Role.WARNING
        elif self._survey.places[way.target].kind is PlaceKind.MISSING:
            role = self._missing_role
        text = f"{goal} {self.criteria(way)}"
        return [Said(line, role) for line in self._fitted(text, width, NAMED_LINES, lambda: self.whole(way))]

    def _sign(self, place: Place) -> tuple[str, Role]:
        if place.kind is PlaceKind.MISSING:
            return f"{self.missing} ", self._missing_role
        signs = section_signs(self._survey.graph, place.section) if place.kind is PlaceKind.SECTION else ()
        if place.section in self._survey.untested.sections:
            signs = (*signs, UNTESTED)
        role = Role.START if place.start else Role.WARNING if UNREACHABLE in signs else Role.NAME
        return "".join(f"{sign} " for sign in signs), role

    def _fitted(self, text: str, width: int, lines: int, whole: Callable[[], str]) -> list[str]:
        """Fit ``text`` into at most ``lines`` lines of ``width`` cells. Longer text is cut and numbered."""
        fitting = [text] if cell_width(text) <= width else list(wrapped(text, width))
        if len(fitting) <= lines:
            return fitting
        fitting = list(wrapped(f"{self._number(whole())} {text}", width))
        return [*fitting[: lines - 1], cut(" ".join(fitting[lines - 1 :]), width)]

    def _number(self, whole: str) -> str:
        count = len(self.legend) + 1
        number = chr(0x2460 + count - 1) if count <= 20 else f"({count})"
        self.legend.append(f"{number} {whole}")
        return number
