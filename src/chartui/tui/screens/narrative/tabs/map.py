"""The map tab: the graph as boxes and lines. Its cursor and the tree's move together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from rich.style import Style
from textual import events, on
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from chartui.core.classes import dataclass
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.layout.words import Role, Zoom
from chartui.core.narrative.nodes import Kind, Node, section_node
from chartui.core.narrative.outline import Outline
from chartui.core.narrative.signs import Untested
from chartui.core.text import single_line
from chartui.tui.garbage import lasting
from chartui.tui.lines import Line, wrap
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.narrative.state import UNTIL_NEXT_KEY, Desk, NarrativeState, Tab
from chartui.tui.screens.narrative.tabs.tab import StoryTab
from chartui.tui.theme import Palette
from chartui.tui.widgets.laid_out import LaidOut
from chartui.tui.widgets.screen import Copyable

if TYPE_CHECKING:
    from chartui.core.narrative.layout.block import Box
    from chartui.core.narrative.layout.drawing import Drawing
    from chartui.core.narrative.layout.survey import Survey

#: Up to this many sections, a map is drawn immediately, since the next key may come before a background result.
_AT_ONCE: Final = 150
_STEPS: Final = 2
_MOST_STEPS: Final = 9
#: Cells kept visible around the selected box, if there is room.
_AROUND: Final = 2
#: Cells of a sideways scroll.
_SIDEWAYS: Final = 8


def _styles(palette: Palette) -> dict[Role, Style]:
    return {
        Role.BLANK: palette.value,
        Role.LINE: palette.quiet,
        Role.LIT: palette.accent,
        Role.BORDER: palette.label,
        Role.CURRENT: palette.accent,
        Role.NAME: palette.title,
        Role.START: palette.local + Style(bold=True),
        Role.MISSING: palette.danger,
        Role.TRIGGER: palette.staged,
        Role.LABEL: palette.label,
        Role.AT_ONCE: palette.latency,
        Role.WARNING: palette.warning,
        Role.NAMED: palette.latency,
        Role.MORE: palette.quiet,
        Role.HEADING: palette.accent,
        Role.NOTE: palette.label,
    }


class MapView(LaidOut[str]):
    """Shows a drawing, with a cursor that moves from box to box, and a legend of the parts that did not fit."""

    DEFAULT_CSS = """
    MapView { overflow-x: auto; scrollbar-size-horizontal: 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "go(-1, 0)", show=False),
        Binding("right", "go(1, 0)", show=False),
        Binding("shift+up", "scroll(0, -1)", show=False),
        Binding("shift+down", "scroll(0, 1)", show=False),
        Binding("shift+left", "scroll(-1, 0)", show=False),
        Binding("shift+right", "scroll(1, 0)", show=False),
    ]

    @dataclass
    class Resized(Message):
        """The width to draw in has changed."""

    class Entered(Message):
        """The selected box was chosen, with Enter or a click."""

    drawing: Drawing | None = None
    #: The selected box. Watchers hear of moves in the map only, and before the next key.
    at: reactive[Box | None] = reactive(None)
    _note = ""
    #: Boxes have the width of the screen.
    is_plain = False

    def show(self, drawing: Drawing | None, home: str | None = None, note: str = "") -> None:
        """Show a drawing, or a sentence instead.

        The cursor stays on its box; if that is gone, it moves to the section ``home``, or to the first box.
        """
        before, held = self.drawing, self.at
        self.drawing, self._note, at = drawing, note, None
        if drawing is not None and before is not None and held is not None:
            same = drawing.survey is before.survey
            section_id = before.survey.places[held.place].section
            at = drawing.boxes.get(held.place) if same else drawing.box_of(section_id)
        if drawing is not None and at is None:
            at = drawing.box_of(home or "") or next(iter(drawing.boxes.values()), None)
        self.set_reactive(MapView.at, at)
        self.lay_out()
        self.bring_in_sight()

    @property
    def section(self) -> str | None:
        """The section ID of the selected box; None without a box."""
        return self.drawing.survey.places[self.at.place].section if self.drawing and self.at else None

    def follow(self, section_id: str | None) -> None:
        """Select the box of a section, unless the selected one has the same section ID."""
        box = self.drawing.box_of(section_id or "") if self.drawing is not None else None
        if box is not None and section_id != self.section:
            self.set_reactive(MapView.at, box)
            self.refresh()
            self.bring_in_sight()

    def lay_out(self) -> None:
        rows: list[str] = wrap(self._note, max(1, self.room - 1)) if self.drawing is None and self.room > 0 else []
        if self.drawing is not None and self.room > 0:
            cut = self.drawing.cut
            rows = [""] * self.drawing.height
            rows += ["", *(line for text in cut for line in wrap(text, max(1, self.room - 1)))] if cut else []
        self._rows = rows
        self.rows_changed()

    def rows_changed(self) -> None:
        width = self.drawing.width if self.drawing is not None else 0
        size = Size(width, self.row_count)
        if size != self.virtual_size:
            self.set_reactive(MapView.virtual_size, size)
            self._scroll_update(size)
        self.refresh()

    def width_changed(self) -> None:
        super().width_changed()
        self.post_message(self.Resized())

    @property
    def row_count(self) -> int:
        """The rows of the map and of the legend, or of the note in place of a map."""
        return len(self._rows)

    def draw_row(self, index: int, width: int) -> Strip:
        line = Line(width)
        drawing = self.drawing
        if drawing is None:
            return line.gap().add(self._rows[index], self.palette.label).strip()
        if index >= drawing.height:
            return line.gap().add(self._rows[index], self.palette.label).strip()
        styles = _styles(self.palette)
        for run in drawing.row(index, self.scroll_offset.x, width, self.at):
            line.add(run.text, styles[run.role], width=run.cells)
        return line.strip()

    @property
    def shows_cursor(self) -> bool:
        """False, because the cursor is on a box and not on a row."""
        return False

    # -- moving about -------------------------------------------------------------------------------------------------

    def _put_on(self, box: Box) -> None:
        self.at = box
        self.bring_in_sight()

    def scroll_to_row(self, index: int) -> None:  # noqa: ARG002
        self.bring_in_sight()

    def bring_in_sight(self) -> None:
        """Scroll to the selected box: as little as needed, or to the middle if it is far away."""
        area = self.scrollable_content_region
        if self.at is None or not area.width or not area.height:
            return
        x, y = self.scroll_offset
        left = _moved(x, area.width, self.at.x, self.at.width)
        top = _moved(y, area.height, self.at.y, self.at.height)
        if (left, top) != (x, y):
            self.scroll_to(left, top, animate=False, force=True)

    def action_move(self, step: int) -> None:
        """Move to the next box above or below, along a line if there is one."""
        self.action_go(0, step)

    def action_go(self, right: int, down: int) -> None:
        box = self.drawing.beside(self.at, right, down) if self.drawing is not None and self.at is not None else None
        if box is not None:
            self._put_on(box)
        else:
            self.action_scroll(right, down)

    def action_scroll(self, right: int, down: int) -> None:
        """Scroll; the cursor stays."""
        self.scroll_relative(right * _SIDEWAYS, down, animate=False, force=True)

    def action_page(self, step: int) -> None:
        """Scroll a page; the cursor stays."""
        self.scroll_relative(y=step * max(1, self.size.height - 1), animate=False, force=True)

    def action_top(self) -> None:
        if self.drawing is not None and self.drawing.boxes:
            self._put_on(next(iter(self.drawing.boxes.values())))
        self.scroll_to(y=0, animate=False, force=True)

    def action_bottom(self) -> None:
        """Go to the last box, and the end of the legend."""
        if self.drawing is not None and self.drawing.boxes:
            self._put_on(next(reversed(self.drawing.boxes.values())))
        self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def action_choose(self) -> None:
        if self.at is not None:
            self.post_message(self.Entered())

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or self.drawing is None:
            return
        x, y = offset + self.scroll_offset
        found = (
            box
            for box in self.drawing.boxes.values()
            if box.x <= x < box.x + box.width and box.y <= y < box.y + box.height
        )
        box = next(found, None)
        if box is not None and box == self.at:
            self.action_choose()
        elif box is not None:
            self._put_on(box)


def _moved(now: int, room: int, begin: int, length: int) -> int:
    """The scroll offset that shows ``length`` cells from ``begin`` in ``room`` cells."""
    around = min(_AROUND, max(0, room - length) // 2)
    if now <= begin and begin + length <= now + room:
        return now
    if begin + length < now - room or begin > now + 2 * room:
        return max(0, begin + length // 2 - room // 2)
    if begin < now or length > room:
        return max(0, begin - around)
    return begin + length + around - room


# -- the tab ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Looking:
    """The view of the map: all of it at a level, or so many steps around the cursor."""

    level: int = 0
    focused: bool = False
    steps: int = _STEPS


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The inputs of a drawing. ``graph`` is compared by identity."""

    graph: Graph
    untested: Untested
    looking: _Looking
    around: str | None
    width: int


class MapTab(StoryTab):
    """The map: all of it, or the surroundings of a section."""

    def __init__(self, desk: Desk) -> None:
        self.view = MapView(id="map")
        super().__init__(desk, self.view, id="map-tab")
        self._looking = _Looking()
        self._survey: Survey | None = None
        self._wanted: _Wanted | None = None
        #: The section that the map is drawn around.
        self._home: str | None = None
        #: The node of the tree from which the cursor of the map began to move.
        self._came_from: str | None = None

    def on_mount(self) -> None:
        self.watch(self.view, "at", self._lead, init=False)

    # -- drawing ------------------------------------------------------------------------------------------------------

    @property
    def beside(self) -> bool:
        """Whether the map is beside the section, as in a wide window."""
        return self._desk.state.tab is Tab.SECTION and self.screen.has_class("-wide")

    def show(self, state: NarrativeState) -> None:
        """Draw the map if it is out of date, then move its cursor to follow the tree's."""
        outline = state.outline
        if not self.view.has_focus:
            self._came_from = None
        if self._in_tree not in (None, self.view.section):
            self._home = self._in_tree
        if outline is None or not (outline.graph.sections or outline.graph.triggers):
            self._wanted = None
            self.view.show(None, note=self.emptiness("The map shows sections as boxes."))
            self.say("")
            return
        around = self._home if self._looking.focused else None
        untested = state.untested.of(outline.graph)
        wanted = _Wanted(outline.graph, untested, self._looking, around, self.view.room)
        if self.view.room > 0 and wanted != self._wanted:
            self._wanted = wanted
            if len(outline.graph.sections) <= _AT_ONCE:
                self._put(*_drawn(wanted, self._survey))
            else:
                self._desk.start(self._draw_apart, group="map")
        else:
            self.view.follow(self._in_tree)
        self._say_standing()

    @property
    def _in_tree(self) -> str | None:
        """The section ID at the tree's cursor."""
        node = self._desk.node
        return node.section if node is not None else None

    @property
    def _selected(self) -> Node | None:
        """The node of the selected box."""
        drawing, at, outline = self.view.drawing, self.view.at, self._desk.state.outline
        return _node_of(at, drawing, outline) if drawing and at and outline else None

    def _lead(self) -> None:
        """Move the tree's cursor to the selected box, since that is where keys act."""
        if (node := self._selected) is not None:
            if self._came_from is None and self._desk.node is not None:
                self._came_from = self._desk.node.id
            self._desk.go_to(node.id, jump=False)
        self._say_standing()

    async def _draw_apart(self) -> None:
        """Draw in the background; the last map stays until then, and an outdated result is dropped."""
        wanted = self._wanted
        if wanted is None:
            return
        if self.view.drawing is None:
            self.view.show(None, note="Drawing the map…")
        with lasting():
            survey, drawing = await asyncio.to_thread(_drawn, wanted, self._survey)
        if wanted is self._wanted:
            self._put(survey, drawing)

    def _put(self, survey: Survey, drawing: Drawing) -> None:
        self._survey = survey
        self.view.show(drawing, self._home)
        self.view.follow(self._in_tree)
        self._say_standing()

    @on(MapView.Resized)
    def _width_changed(self) -> None:
        if self._desk.state.tab is Tab.MAP or self.beside:
            self.show(self._desk.state)

    def _say_standing(self) -> None:
        drawing, at = self.view.drawing, self.view.at
        if drawing is None:
            return
        said = [single_line(drawing.survey.places[at.place].name, limit=24)] if at is not None else []
        every, shown = len(drawing.survey.graph.sections), drawing.sections
        said.append(number_of(every, "section") if shown == every else f"{count(shown)} of {count(every)} sections")
        if self._looking.focused:
            said[-1] += f" within {number_of(self._looking.steps, 'step')}"
        elif self._looking.level:
            said.append(("", "short", "dots")[self._looking.level])
        self.say(" · ".join(said))

    # -- what the user does -------------------------------------------------------------------------------------------

    def turn_focus(self) -> None:
        """Switch between the surroundings of the cursor and the whole map."""
        self._home = self.view.section or self._home
        self._look(replace(self._looking, focused=not self._looking.focused))

    def show_more(self, step: int) -> None:
        looking = self._looking
        if looking.focused:
            wanted = replace(looking, steps=min(max(1, looking.steps + step), _MOST_STEPS))
        else:
            wanted = replace(looking, level=min(max(0, looking.level - step), 2))
        if wanted == looking:
            self._desk.workbench.tell(
                f"The map already shows as {'much' if step > 0 else 'little'} as possible.", topic=UNTIL_NEXT_KEY
            )
        self._look(wanted)

    def _look(self, looking: _Looking) -> None:
        if looking != self._looking:
            self._looking = looking
            self.show(self._desk.state)

    @on(MapView.Entered)
    def _entered(self) -> None:
        """Focus the tree at the selected box: a jump from the place where the cursor was before."""
        if (node := self._selected) is not None:
            if self._came_from is not None:
                self._desk.go_to(self._came_from, jump=False)
            self._desk.go_to(node.id)
            self._desk.fill_window(False)

    def copy_choices(self) -> Sequence[Copyable]:
        drawing = self.view.drawing
        if drawing is None:
            return ()
        return (Copyable("Map as text", lambda: "".join(f"{line}\n" for line in drawing.lines())),)


def _node_of(box: Box, drawing: Drawing, outline: Outline) -> Node | None:
    from chartui.core.narrative.layout.survey import PlaceKind

    place = drawing.survey.places[box.place]
    if place.kind is PlaceKind.SECTION:
        return outline.find(section_node(place.section))
    kind = Kind.MISSING if place.kind is PlaceKind.MISSING else Kind.DUPLICATE
    return next((n for n in outline.nodes if n.section == place.section and kind in (n.kind, n.destination)), None)


def _drawn(wanted: _Wanted, survey: Survey | None) -> tuple[Survey, Drawing]:
    """The drawing; reuses an earlier survey of the same graph."""
    from chartui.core.narrative.layout.drawing import draw
    from chartui.core.narrative.layout.survey import Survey

    if survey is None or survey.graph is not wanted.graph or survey.untested != wanted.untested:
        survey = Survey.of(wanted.graph, wanted.untested)
    looking = wanted.looking
    only = None if wanted.around is None else survey.around(wanted.around, looking.steps)
    zoom = Zoom.FULL if looking.focused else tuple(Zoom)[looking.level]
    return survey, draw(survey, only=only, zoom=zoom, width=wanted.width)
