"""The texts of a map, cut to fit. Every text that is cut gets a number and appears in full in the legend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import Final, NamedTuple

from chartui.core.narrative.layout.survey import Place, PlaceKind, Survey, Way
from chartui.core.narrative.signs import DANGLING, UNREACHABLE, UNTESTED, section_signs
from chartui.core.text import cell_width, cut, single_line, wrapped

UNKNOWN: Final = "?"
TRIGGER: Final = "ϟ"
BACK: Final = "↩"
ON: Final = "→"
_SHARED: Final = "▲ duplicate ID"

#: Maximum cells and lines of a name, and of a label beside its line.
NAME_WIDTH: Final = 22
NAME_LINES: Final = 2
LABEL_WIDTH: Final = 18
LABEL_LINES: Final = 3
#: Maximum lines of an edge named in the box, equal to those of a name, and the number of triggers named there.
NAMED_LINES: Final = 3
MOST_TRIGGERS: Final = 3
#: Maximum cells and lines of a name in an overview.
SHORT_WIDTH: Final = 10
#: Texts are cut to this many characters before they are fitted into the map.
_LONGEST: Final = 4000


class Zoom(StrEnum):
    FULL = "full"  # names, criteria beside the lines
    SHORT = "short"  # the beginnings of names
    DOTS = "dots"  # presence only


class Role(StrEnum):
    """The role of a piece of the map, which determines its colour."""

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


class Said(NamedTuple):
    """A line of text in a box or beside a line."""

    text: str
    role: Role

    @property
    def cells(self) -> int:
        return cell_width(self.text)


class Words:
    """The names of places and edges on a map. ``legend`` contains the texts that did not fit, in order of use."""

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

    # -- cutting ----------------------------------------------------------------------------------------------------

    def label(self, way: Way) -> tuple[Said, ...]:
        if self._zoom is not Zoom.FULL:
            return ()
        role = Role.WARNING if way.never_runs else Role.AT_ONCE if way.immediate else Role.LABEL
        lines = self._fitted(self.criteria(way), LABEL_WIDTH, LABEL_LINES, lambda: self.whole(way))
        return tuple(Said(line, role) for line in lines)

    def label_cells(self, way: Way) -> int:
        """Return the maximum width of an edge's label, including its line and a gap."""
        if self._zoom is not Zoom.FULL:
            return 2
        return min(LABEL_WIDTH, cell_width(self.criteria(way))) + 4

    def box_cells(self, place: Place) -> int:
        if self._zoom is Zoom.DOTS:
            return 3
        most = NAME_WIDTH if self._zoom is Zoom.FULL else SHORT_WIDTH
        return min(most, cell_width(place.name) + 2) + 6  # its border, and the spaces between it and the next box

    def box(self, place: Place, named: Sequence[tuple[Way, str]], more: tuple[int, int]) -> tuple[Said, ...]:
        """Return the text in the box of a place.

        ``named`` contains the edges that are not drawn, each with a sign for its direction. ``more`` contains two
        counts: the incoming and the outgoing edges whose other ends are not on the map.
        """
        if self._zoom is Zoom.DOTS:
            sign, role = self._sign(place)
            return (Said(sign[:1] or "●", role),)
        if self._zoom is Zoom.SHORT:
            return self._short(place, len(named), more)
        before, after = more
        lines = [Said(f"← +{before}", Role.MORE)] if before else []
        lines += self._triggers(place)
        lines += self._name(place)
        if place.kind is PlaceKind.DUPLICATE:
            lines.append(Said(_SHARED, Role.WARNING))
        for way, sign in named:
            lines += self._named(way, sign)
        return (*lines, *((Said(f"{ON} +{after}", Role.MORE),) if after else ()))

    def _short(self, place: Place, named: int, more: tuple[int, int]) -> tuple[Said, ...]:
        sign, role = self._sign(place)
        lines = list(wrapped(f"{sign}{self.called(place)}", SHORT_WIDTH))
        name = [*lines[: NAME_LINES - 1], cut(" ".join(lines[NAME_LINES - 1 :]), SHORT_WIDTH)]
        out = named + more[1]
        marks = f"{TRIGGER if place.triggers else ''}{f'+{out}' if out else ''}"
        return (*(Said(line, role) for line in name if line), *((Said(marks, Role.MORE),) if marks else ()))

    def _name(self, place: Place) -> list[Said]:
        sign, role = self._sign(place)
        name = self.called(place)
        lines = 1 if place.kind is PlaceKind.MISSING else NAME_LINES  # the beginning of an ID is enough
        return [Said(line, role) for line in self._fitted(f"{sign}{name}", NAME_WIDTH, lines, lambda: name)]

    def _triggers(self, place: Place) -> list[Said]:
        name = self.called(place)
        triggers = self.triggers(place)
        shown, rest = triggers[:MOST_TRIGGERS], triggers[MOST_TRIGGERS:]
        lines: list[Said] = []
        for trigger in shown:
            text = f"{TRIGGER} {trigger}"
            fitted = self._fitted(text, NAME_WIDTH, NAME_LINES, partial("{} {} {}".format, text, ON, name))
            lines += [Said(line, Role.TRIGGER) for line in fitted]
        if rest:
            text = f"{TRIGGER} {', '.join(rest)}"
            number = self._number(f"{text} {ON} {name}")
            lines.append(Said(f"{number} {TRIGGER} +{len(rest)}", Role.TRIGGER))
        return lines

    def _named(self, way: Way, sign: str) -> list[Said]:
        role = Role.NAMED
        if way.never_runs or way.target is None:
            role = Role.WARNING
        elif self._survey.places[way.target].kind is PlaceKind.MISSING:
            role = self._missing_role
        text = f"{sign} {self.target(way)}: {self.criteria(way)}"
        return [Said(line, role) for line in self._fitted(text, NAME_WIDTH, NAMED_LINES, lambda: self.whole(way))]

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
