"""``chartui narrative map``: the graph drawn in box characters."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import whole_number
from chartui.cli.lookup import add_character, existing_section, read_story
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Verbs, add_verb
from chartui.cli.sessions import ask

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.narrative.layout.drawing import Drawing

__all__ = ["configure"]

_STEPS: Final = 2
#: Where standard output is no terminal.
_WIDTH: Final = 100
_ZOOMS: Final = ("full", "short", "dots")
_EPILOG: Final = """\
What the picture has no room for stands below it; of an overview (--zoom short
or dots) that is every section with its decisions, in the order of the map.

--json writes {"width", "height", "lines", "legend", "sections", "ways"}. A
section has its box: x, y, width, height. A way has its path, an array of
[x, y] from the box where it begins to the one where it ends, or null where it
is named in its box ("shown": "named") or leads out of what is shown
("outside").
"""


def configure(verbs: Verbs) -> None:
    """Add the verb."""
    verb = add_verb(verbs, "map", "the graph as a map in box characters", draw_map)
    verb.formatter_class = argparse.RawDescriptionHelpFormatter
    verb.epilog = _EPILOG
    add_character(verb)
    add = verb.add_argument
    add("--focus", metavar="SECTION", help="only what is around the section with this id or name")
    add("--steps", metavar="N", type=whole_number, help=f"how many steps around it ({_STEPS})")
    add("--zoom", choices=_ZOOMS, default=_ZOOMS[0], help="how much is said of every section")
    add("--width", metavar="N", type=whole_number, help="the columns it should need at most (those of the terminal)")


def draw_map(arguments: Arguments, output: Output) -> int:
    """Write the map, or with ``--json`` all there is to know of it."""
    from shutil import get_terminal_size

    from chartui.core.narrative.layout.drawing import draw
    from chartui.core.narrative.layout.survey import Survey
    from chartui.core.narrative.layout.words import Zoom

    if arguments.steps is not None and arguments.focus is None:
        raise UsageError("--steps says how far around: give --focus SECTION as well")
    _, story = ask(arguments, lambda session: read_story(session, arguments.character_id))
    survey = Survey.of(story.graph())
    only, focus = None, None
    if arguments.focus is not None:
        focus = existing_section(story, arguments.focus)
        only = survey.around(focus, arguments.steps or _STEPS)
    width = arguments.width or get_terminal_size((_WIDTH, 24)).columns
    drawing = draw(survey, only=only, zoom=Zoom(arguments.zoom), width=width)
    if output.as_json:
        output.json(_as_json(drawing))
        return Exit.DONE
    for line in drawing.lines(drawing.box_of(focus) if focus is not None else None):
        output.text(line)
    return Exit.DONE


def _as_json(drawing: Drawing) -> dict[str, Wire]:
    survey = drawing.survey
    sections: list[Wire] = []
    ways: list[Wire] = []
    for number, box in drawing.boxes.items():
        place = survey.places[number]
        sections.append(
            {
                "section_id": place.section,
                "name": place.name,
                "kind": place.kind.value,
                "start": place.start,
                "triggers": list(place.triggers),
                "x": box.x,
                "y": box.y,
                "width": box.width,
                "height": box.height,
            }
        )
        ways += (_way_as_json(drawing, way) for way in survey.outgoing[number])
    picture = drawing.lines()[: drawing.height]
    return {
        "width": drawing.width,
        "height": drawing.height,
        "lines": list(picture),
        "legend": list(drawing.legend),
        "sections": sections,
        "ways": ways,
    }


def _way_as_json(drawing: Drawing, number: int) -> dict[str, Wire]:
    survey, way = drawing.survey, drawing.survey.ways[number]
    path = drawing.path(number)
    return {
        "source": survey.places[way.source].section,
        "target": None if way.target is None else survey.places[way.target].section,
        "kind": "override" if way.override else "decision",
        "label": way.label,
        "position": way.position,
        "immediate": way.immediate,
        "never_runs": way.never_runs,
        "shown": "line" if path else "named" if number in drawing.named else "outside",
        "path": [[point.x, point.y] for point in path] if path else None,
    }
