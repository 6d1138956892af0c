"""The part of the narrative screen that draws the graph as a map."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from textual import on
from textual.content import Content

from chartui.core.narrative.graph import Graph
from chartui.core.narrative.layout.survey import PlaceKind, Survey
from chartui.core.narrative.layout.words import Zoom
from chartui.core.narrative.nodes import Kind, Node, section_node
from chartui.core.text import single_line
from chartui.tui.garbage import lasting
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.narrative.editing import EditingStory
from chartui.tui.screens.narrative.map_view import MapView
from chartui.tui.screens.narrative.state import Pane
from chartui.tui.widgets.screen import Copyable

if TYPE_CHECKING:
    from chartui.core.narrative.layout.block import Box
    from chartui.core.narrative.layout.drawing import Drawing

__all__ = ["MappingStory"]

#: A map of so many sections is drawn at once, since a key may be there before its picture.
_AT_ONCE: Final = 150
_STEPS: Final = 2
_MOST_STEPS: Final = 9


@dataclass(frozen=True, slots=True)
class _Looking:
    """How the map is looked at: the whole of it at a level, or so many steps around the cursor."""

    level: int = 0
    focused: bool = False
    steps: int = _STEPS


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a drawing was asked for: of which graph, around which section, in which width.

    ``graph`` is compared as the one object that it is.
    """

    graph: Graph
    looking: _Looking
    around: str | None
    width: int


class MappingStory(EditingStory):
    """Fills the pane with the map, which follows the cursor of the tree."""

    def __init__(self) -> None:
        super().__init__()
        self._map_looking = _Looking()
        self._map_survey: Survey | None = None
        self._map_wanted: _Wanted | None = None
        #: The section that the map is drawn around, and the one that the cursor of the tree was at when last looked.
        self._map_home: str | None = None
        self._map_seen: str | None = None

    def show_panes(self) -> None:
        """Show the map while that is what is looked at."""
        super().show_panes()
        self.panes.border_subtitle = Content("")
        if self.state.pane is Pane.MAP:
            self._show_map()

    # -- drawing ------------------------------------------------------------------------------------------------------

    def _show_map(self) -> None:
        """Draw what is wanted now, unless it is there; then let the cursor of the map follow that of the tree."""
        view, outline = self.panes.map, self.state.outline
        moved = self._map_has_moved()
        if outline is None or not (outline.graph.sections or outline.graph.triggers):
            self._map_wanted = None
            view.show(None, note="There is no story to draw yet.")
            return
        around = self._map_home if self._map_looking.focused else None
        wanted = _Wanted(outline.graph, self._map_looking, around, view.room)
        if view.room > 0 and wanted != self._map_wanted:
            self._map_wanted = wanted
            if len(outline.graph.sections) <= _AT_ONCE:
                self._put_map(*_drawn(wanted, self._map_survey))
            else:
                self.start(self._draw_map_apart, group="map")
        elif moved and self._map_home is not None:
            view.follow(self._map_home)
        self._tell_map_standing()

    def _map_has_moved(self) -> bool:
        """Whether the cursor of the tree came to another section; the map is about that one then."""
        section_id = self.node.section if self.node is not None else None
        if section_id is None or section_id == self._map_seen:
            return False
        self._map_seen = self._map_home = section_id
        return True

    async def _draw_map_apart(self) -> None:
        """Draw beside the keyboard; the last map stays meanwhile, and one that comes too late is dropped."""
        wanted = self._map_wanted
        if wanted is None:
            return
        if self.panes.map.drawing is None:
            self.panes.map.show(None, note="Drawing the map…")
        with lasting():
            survey, drawing = await asyncio.to_thread(_drawn, wanted, self._map_survey)
        if wanted is self._map_wanted:
            self._put_map(survey, drawing)

    def _put_map(self, survey: Survey, drawing: Drawing) -> None:
        self._map_survey = survey
        self.panes.map.show(drawing, self._map_home)
        self._tell_map_standing()

    @on(MapView.Wanted)
    def _map_width_changed(self) -> None:
        if self.state.pane is Pane.MAP:
            self._show_map()

    # -- what is said about it ----------------------------------------------------------------------------------------

    @on(MapView.Went)
    def _map_went(self) -> None:
        if self.state.pane is Pane.MAP:
            self._tell_map_standing()

    def _tell_map_standing(self) -> None:
        view, drawing = self.panes.map, self.panes.map.drawing
        if drawing is None:
            return
        said: list[str] = []
        if view.at is not None:
            said.append(single_line(drawing.survey.places[view.at.place].name, limit=24))
        every = len(drawing.survey.graph.sections)
        shown = drawing.sections
        said.append(number_of(every, "section") if shown == every else f"{count(shown)} of {count(every)} sections")
        if self._map_looking.focused:
            said.append(f"focus {number_of(self._map_looking.steps, 'step')}")
        elif self._map_looking.level:
            said.append(("", "short", "dots")[self._map_looking.level])
        self.panes.border_subtitle = Content(" · ".join(said))

    # -- what the user does -------------------------------------------------------------------------------------------

    def open_pane(self, pane: Pane) -> None:
        """The map needs the whole of a narrow window."""
        super().open_pane(pane)
        if pane is Pane.MAP and self.has_class("-narrow"):
            self.fill_window(True)

    def action_map_focus(self) -> None:
        """Show what is around the cursor, or all."""
        view = self.panes.map
        if view.has_focus and view.at is not None and view.drawing is not None:
            self._map_home = view.drawing.survey.places[view.at.place].section
        self._look_at_map(replace(self._map_looking, focused=not self._map_looking.focused))

    def action_map_more(self, step: int) -> None:
        """More steps around the cursor; of the whole, more words."""
        looking = self._map_looking
        if looking.focused:
            self._look_at_map(replace(looking, steps=min(max(1, looking.steps + step), _MOST_STEPS)))
        else:
            self._look_at_map(replace(looking, level=min(max(0, looking.level - step), 2)))

    def _look_at_map(self, looking: _Looking) -> None:
        if self.state.pane is not Pane.MAP:
            self.open_pane(Pane.MAP)
        if looking != self._map_looking:
            self._map_looking = looking
            self._show_map()

    @on(MapView.Entered)
    def _map_entered(self, event: MapView.Entered) -> None:
        """Put the cursor of the tree on what was chosen; where it is there already, go to the tree."""
        drawing = self.panes.map.drawing
        node = self._node_of(event.box, drawing) if drawing is not None else None
        if node is None:
            return
        if node is self.node:
            self.fill_window(False)
        else:
            self._jump(node)
            self.show_panes()

    def _node_of(self, box: Box, drawing: Drawing) -> Node | None:
        """The node of the tree where a box stands."""
        outline, place = self.state.outline, drawing.survey.places[box.place]
        if outline is None:
            return None
        if place.kind is PlaceKind.SECTION:
            return outline.find(section_node(place.section))
        kind = Kind.MISSING if place.kind is PlaceKind.MISSING else Kind.DUPLICATE
        return next((node for node in outline.nodes if node.section == place.section and _shows(node, kind)), None)

    def copy_choices(self) -> Sequence[Copyable]:
        """The map as well, while it is looked at."""
        choices, drawing = super().copy_choices(), self.panes.map.drawing
        if self.state.pane is not Pane.MAP or drawing is None:
            return choices
        return [*choices, Copyable("The map as text", lambda: "".join(f"{line}\n" for line in drawing.lines()))]


def _drawn(wanted: _Wanted, survey: Survey | None) -> tuple[Survey, Drawing]:
    """What is wanted; a graph that was surveyed already is not surveyed again."""
    from chartui.core.narrative.layout.drawing import draw

    if survey is None or survey.graph is not wanted.graph:
        survey = Survey.of(wanted.graph)
    looking = wanted.looking
    only = None if wanted.around is None else survey.around(wanted.around, looking.steps)
    zoom = Zoom.FULL if looking.focused else tuple(Zoom)[looking.level]
    return survey, draw(survey, only=only, zoom=zoom, width=wanted.width)


def _shows(node: Node, kind: Kind) -> bool:
    return node.kind is kind or (kind is Kind.MISSING and node.kind is Kind.TRIGGER and node.destination is kind)
