"""``chartui narrative``: show a narrative graph, switch it on or off, export and import it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final

from chartui.cli import narrative_lint, narrative_parts, narrative_search, narrative_stats, narrative_walk
from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import whole_number, write_text
from chartui.cli.lookup import add_character, existing_section, read_graph, read_story, section_called, story_plan
from chartui.cli.output import Output, members
from chartui.cli.parser import Arguments, Parser, Verbs, add_noun, add_verb, add_verbs
from chartui.cli.run_plan import add_change, carry_out, change, embedded_only, planning
from chartui.cli.sessions import ask
from chartui.core.narrative.outline import MAX_LEVELS, links_sheet, outline, render
from chartui.core.narrative.story import Story
from chartui.core.numbers import number_of
from chartui.core.plans.plan import Plan, to_wire
from chartui.core.sheet import as_texts
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.narrative.export import Form
    from chartui.core.narrative.layout.drawing import Drawing
    from chartui.core.narrative.nodes import Node
    from chartui.core.narrative.story_import import Incoming, Joining, Remark
    from chartui.core.plans.executor import Progress
    from chartui.core.plans.reads import Reads
    from chartui.core.session import Session
    from chartui.core.spec.models.characters import Character
    from chartui.core.spec.models.narrative import Section, Trigger


def configure_narrative(parser: Parser) -> None:
    verbs = add_verbs(parser)
    verb = add_verb(verbs, "show", "show the sections, decisions and triggers as an outline", show, add_character)
    parts = verb.add_mutually_exclusive_group()
    parts.option("--filter", "WORDS", "show only lines with all of these words, and their parent lines")
    parts.option("--incoming", "SECTION", "show only the incoming links of this section (ID or name)")
    add_map(verbs)
    narrative_lint.add_lint(verbs)
    narrative_walk.add_walk(verbs)
    narrative_stats.add_stats(verbs)
    narrative_search.add_search(verbs)
    add_change(verbs, "enable", "switch the narrative graph on", partial(_toggle, enabled=True), add_character)
    add_change(verbs, "disable", "switch the narrative graph off", partial(_toggle, enabled=False), add_character)
    verb = add_change(verbs, "start", "set the start section (embedded store only)", start, add_character)
    verb.option("section_id", "SECTION", "the section's ID or name", nargs="?")
    verb.flag("--none", "remove the start section")
    add_files(verbs)
    narrative_parts.add_sections(add_noun(verbs, "sections", "list and edit the sections of the graph"))
    narrative_parts.add_triggers(add_noun(verbs, "triggers", "list and edit the triggers of the graph"))


def show(arguments: Arguments, output: Output) -> int:
    # The outline shows the start section, which is only in the record.
    record = not output.as_json or arguments.filter is not None or arguments.incoming is not None

    async def question(session: Session) -> tuple[Character, Sequence[Section], Sequence[Trigger], ServiceError | None]:
        try:
            return *await read_graph(session, arguments.character_id, record=record), None
        except ServiceError as error:
            # An unreadable list of records does not affect the sections.
            if session.service.embedded or not record or error.kind is not ErrorKind.UNEXPECTED:
                raise
            return *await read_graph(session, arguments.character_id, record=False), error

    character, sections, triggers, without_record = ask(arguments, question)

    story = Story.of(character, sections, triggers)
    if without_record is not None:
        story = replace(story, start_known=False)
        output.warn(f"The start section is unknown, because the record could not be read. {without_record}")
    if arguments.filter is not None or arguments.incoming is not None:
        return _show_some(arguments, output, story)
    if output.as_json:
        output.json({"sections": [s.raw for s in sections], "triggers": [t.raw for t in triggers]})
        return Exit.DONE

    state = {True: "on", False: "off", None: "unknown"}[character.is_narrative_driven]
    output.sentence(f"{character.character_name or character.character_id}: narrative graph {state}")
    output.text(f"{number_of(len(sections), 'section')}, {number_of(len(triggers), 'trigger')}")
    output.text()
    output.text(render(outline(story.graph())).rstrip("\n"))
    return Exit.DONE


def _show_some(arguments: Arguments, output: Output, story: Story) -> int:
    drawn = outline(story.graph())
    if arguments.filter is not None:
        found = drawn.matching(arguments.filter)
    else:
        found = drawn.leading_to_section(section_called(story, arguments.incoming, arguments))
    if output.as_json:
        output.json({"nodes": [_as_json(node) for node in found]})
    elif arguments.filter is not None:
        output.texts(render(drawn, drawn.rows_to((node.place for node in found), levels=MAX_LEVELS)).splitlines())
    elif found:
        texts = as_texts(links_sheet(drawn, found))
        output.table(texts.rows, header=texts.header)
    return Exit.DONE if found else Exit.NO


def _as_json(node: Node) -> dict[str, Wire]:
    """A node as data: ``label`` names the link, ``title`` names the node, ``position`` is its index in the array."""
    return {
        **members(node, "kind", "link", "label", "title"),
        "section_id": node.section,
        "trigger_id": node.trigger,
        "position": node.position,
        "never_runs": node.never_runs,
    }


def _toggle(arguments: Arguments, output: Output, *, enabled: bool) -> int:
    async def make(session: Session) -> Plan:
        character, stored = await read_story(session, arguments.character_id)
        title = f"Switch the narrative graph {'on' if enabled else 'off'}"
        return story_plan(session, character, stored, stored.switched(enabled), title)

    return change(arguments, output, make)


def start(arguments: Arguments, output: Output) -> int:
    if (arguments.section_id is None) is not arguments.none:
        raise UsageError("give either a start SECTION or --none")

    async def make(session: Session) -> Plan:
        embedded_only(session, "Setting the start of a story")
        character, stored = await read_story(session, arguments.character_id)
        section_id = None if arguments.none else existing_section(stored, arguments.section_id, arguments)
        return story_plan(session, character, stored, stored.starting_at(section_id), "Set the start of the story")

    return change(arguments, output, make)


# -- map --------------------------------------------------------------------------------------------------------------


_STEPS: Final = 2
#: Width in columns if standard output is not a terminal.
_WIDTH: Final = 100
_ZOOMS: Final = ("full", "short", "dots")
_MAP: Final = """\
The legend below the map lists everything that does not fit on the map. With
--zoom short or dots, it lists every section with its decisions, in map order.
On a map with more than 40 sections, chains of sections are drawn as stacks, and
so are sections that only go back to their hub.

--json writes {"width", "height", "lines", "legend", "sections", "links"}. A
section has a box: x, y, width, height. A link (a decision or an override) has a
path, an array of [x, y] points from the box where it starts to the box where it
ends. The path is null if the link is only named in a box ("shown": "named") or
leaves the visible area ("outside").
"""


def add_map(verbs: Verbs) -> None:
    verb = add_verb(verbs, "map", "draw the graph as a map with box-drawing characters", draw_map)
    verb.epilog = _MAP
    add_character(verb)
    verb.option("--focus", "SECTION", "show only this section (ID or name) and the sections around it")
    verb.option(
        "--steps", "N", f"number of steps around the section given with --focus (default: {_STEPS})", type=whole_number
    )
    verb.add_argument("--zoom", choices=_ZOOMS, default=_ZOOMS[0], help="level of detail")
    verb.option(
        "--width",
        "N",
        "width in columns, exceeded only if the content needs more (default: the width of the terminal)",
        type=whole_number,
    )


def draw_map(arguments: Arguments, output: Output) -> None:
    from chartui.core.narrative.layout.drawing import draw
    from chartui.core.narrative.layout.survey import Survey
    from chartui.core.narrative.layout.words import Zoom

    if arguments.steps is not None and arguments.focus is None:
        raise UsageError("--steps needs --focus SECTION")
    _, story = ask(arguments, lambda session: read_story(session, arguments.character_id))
    survey = Survey.of(story.graph())
    only, focus = None, None
    if arguments.focus is not None:
        focus = existing_section(story, arguments.focus, arguments)
        only = survey.around(focus, arguments.steps or _STEPS)
    width = arguments.width or get_terminal_size((_WIDTH, 24)).columns
    drawing = draw(survey, only=only, zoom=Zoom(arguments.zoom), width=width)
    if output.as_json:
        output.json(_drawing_facts(drawing))
        return
    output.texts(drawing.lines(drawing.box_of(focus) if focus is not None else None))


def _drawing_facts(drawing: Drawing) -> dict[str, Wire]:
    survey = drawing.survey
    sections: list[Wire] = []
    links: list[Wire] = []
    for number, box in drawing.boxes.items():
        place = survey.places[number]
        sections.append(
            {
                "section_id": place.section,
                **members(place, "name", "kind", "start", "triggers"),
                **members(box, "x", "y", "width", "height"),
            }
        )
        links += (_link_facts(drawing, way) for way in survey.outgoing[number])
    return {
        **members(drawing, "width", "height"),
        "lines": list(drawing.lines()[: drawing.height]),
        "legend": list(drawing.legend),
        "sections": sections,
        "links": links,
    }


def _link_facts(drawing: Drawing, number: int) -> dict[str, Wire]:
    survey, way = drawing.survey, drawing.survey.ways[number]
    path = drawing.path(number)
    return {
        "source": survey.places[way.source].section,
        "target": None if way.target is None else survey.places[way.target].section,
        "kind": "override" if way.override else "decision",
        **members(way, "label", "position"),
        "catch_all": way.immediate,
        "never_runs": way.never_runs,
        "shown": "line" if path else "named" if number in drawing.named else "outside",
        "path": [[point.x, point.y] for point in path] if path else None,
    }


# -- files ------------------------------------------------------------------------------------------------------------


#: The values of ``--format``; the first is the default.
_FORMS: Final = ("mermaid", "dot", "json", "markdown", "twee", "twine", "texts")
_EXPORT: Final = """\
Without --format, the extension of FILE sets the format: .mmd, .dot, .json, .md,
.twee, .html (Twine) or .csv (texts). Without FILE, the format is Mermaid, or
JSON with --json. All formats except 'texts' contain every section, decision and
trigger, including broken ones. Twee and Twine cannot represent overrides.
"""
_IMPORT: Final = """\
FILE is a Twee 3 file (.twee, .tw), a folder of such files that form one story,
a Twine story or archive (.html), or a graph exported as .json. Anything
that does not fit a narrative graph is reported on standard error with line
numbers, or as a list with --json. To import a bundle (.toml), use
'chartui push'.

A .csv file from 'export --format texts' changes only the texts of the graph. IDs
missing from the graph or from the file are reported; the exit status is 1 if any
are missing from the graph. --json writes {"changed", "unknown", "missing",
"empty", "plan"} or, after the import, "plan_id" and "done" in place of "plan".

--replace matches by name: a section with the same name keeps its ID and its
incoming links. Sections that are not in the file are deleted.
"""


def add_files(verbs: Verbs) -> None:
    verb = add_verb(verbs, "export", "export the graph as a diagram, as data, or as a document", export_graph)
    verb.epilog = _EXPORT
    add_character(verb)
    verb.option("to", "FILE", "output file (default: standard output)", nargs="?")
    verb.add_argument("--format", choices=_FORMS, help="output format")
    verb.flag("--force", "overwrite FILE")
    verb = add_change(verbs, "import", "import a story from a file into the graph", import_story)
    verb.epilog = _IMPORT
    add_character(verb)
    verb.option("story_file", "FILE", "story file, folder of Twee files, or .csv file of texts")
    verb.option("--story", "TITLE", "title of the story to import from a Twine archive with several stories")
    how = verb.add_mutually_exclusive_group()
    how.flag("--add", "add to the existing sections")
    how.flag("--replace", "replace the existing sections")


def export_graph(arguments: Arguments, output: Output) -> None:
    form = _form(arguments, output)
    character, story = ask(arguments, lambda session: read_story(session, arguments.character_id))

    from chartui.core.narrative.export import export

    text = export(story, form, character.character_name or arguments.character_id)
    if arguments.to is None:
        output.text(text.removesuffix("\n"))
        return
    write_text(arguments.to, text, replace=arguments.force)
    facts = {"file": str(arguments.to), "format": form.value, **_counts(story)}
    output.report(facts, f"wrote {arguments.to}: {_amount(story)}")


def _form(arguments: Arguments, output: Output) -> Form:
    from chartui.core.narrative.export import FORMS, Form

    if arguments.format is not None:
        if output.as_json and arguments.to is None and arguments.format != Form.JSON:
            raise UsageError(f"--json and --format {arguments.format} contradict each other; choose one")
        return Form(arguments.format)
    if arguments.to is None:
        return Form.JSON if output.as_json else Form.MERMAID
    suffix = arguments.to.suffix.lower()
    found = next((form for form, facts in FORMS.items() if facts.suffix == suffix), None)
    if found is None:
        endings = ", ".join(facts.suffix for facts in FORMS.values())
        raise UsageError(f"which format? Give --format, or a file name that ends in one of {endings}")
    return found


def _counts(story: Story) -> dict[str, Wire]:
    return {"sections": len(story.sections), "triggers": len(story.triggers)}


def _amount(story: Story) -> str:
    return f"{number_of(len(story.sections), 'section')} and {number_of(len(story.triggers), 'trigger')}"


def import_story(arguments: Arguments, output: Output) -> int:
    if arguments.story_file.suffix.lower() == ".csv":
        return _import_texts(arguments, output)
    incoming = _read(arguments.story_file, arguments.story)

    async def bring(session: Session) -> int:
        planned, reads = await planning(arguments, session)
        plan, remarks = await _planned(planned, arguments, incoming)
        _write_remarks(incoming, remarks, output)
        return await _bring(arguments, output, session, plan, reads, _facts(incoming, remarks))

    return ask(arguments, bring, resolve=False)


async def _bring(
    arguments: Arguments, output: Output, session: Session, plan: Plan, reads: Reads, facts: dict[str, Wire]
) -> int:
    """Apply the plan of an import; with ``--json``, add ``facts`` to its result."""
    if output.as_json and (arguments.dry_run or not plan.steps):
        output.json({**facts, "plan": to_wire(plan)})
        return Exit.DONE

    def done(progress: Progress) -> None:
        output.json({**facts, "plan_id": progress.plan.id, "done": progress.done})

    return await carry_out(arguments, output, session, plan, reads, done=done if output.as_json else None)


def _import_texts(arguments: Arguments, output: Output) -> int:
    from chartui.core.narrative.story_import import IncomingError, refuse_incomplete
    from chartui.core.narrative.texts import read_texts, reworded, summary

    if arguments.add or arguments.replace or arguments.story is not None:
        raise UsageError("--add, --replace and --story do not apply to a file of texts")
    try:
        read = read_texts(arguments.story_file)
    except IncomingError as error:
        raise UsageError.of(error, code="usage") from None

    async def bring(session: Session) -> int:
        planned, reads = await planning(arguments, session)
        character, stored = await read_story(planned, arguments.character_id)
        made = reworded(stored, read)
        refuse_incomplete(character.character_name or character.character_id, stored, made.story)
        plan = story_plan(planned, character, stored, made.story, f"Import {arguments.story_file.name}")
        output.note(f"read {summary(read, made)}")
        output.notes(f"  {note}" for note in made.notes())
        facts: dict[str, Wire] = {
            "changed": made.changed,
            "unknown": [item_id for _, item_id in made.unknown],
            "missing": list(made.missing),
            "empty": list(made.empty),
        }
        status = await _bring(arguments, output, session, plan, reads, facts)
        return status or (Exit.NO if made.unknown else Exit.DONE)

    return ask(arguments, bring, resolve=False)


def _read(path: Path, title: str | None) -> Incoming:
    from chartui.core.narrative.story_import import IncomingError, SeveralIncoming, read_incoming

    if path.suffix.lower() == ".toml":
        raise UsageError(f"{path} looks like a bundle; use 'chartui push'")
    try:
        return read_incoming(path, title)
    except SeveralIncoming as error:
        raise UsageError(f"{error} Choose one with --story TITLE.") from None
    except IncomingError as error:
        raise UsageError.of(error, code="usage") from None


async def _planned(session: Session, arguments: Arguments, incoming: Incoming) -> tuple[Plan, tuple[Remark, ...]]:
    from chartui.core.narrative.story_import import joined, refuse_incomplete

    character, stored = await read_story(session, arguments.character_id)
    wanted, more = joined(stored, incoming, _how(arguments, stored))
    refuse_incomplete(character.character_name or character.character_id, stored, wanted)
    plan = story_plan(session, character, stored, wanted, f"Import {arguments.story_file.name}")
    return plan, (*incoming.remarks, *more)


def _how(arguments: Arguments, stored: Story) -> Joining:
    from chartui.core.narrative.story_import import Joining

    if arguments.replace:
        return Joining.REPLACE
    if not arguments.add and (stored.sections or stored.triggers):
        raise UsageError(
            f"the graph already has {_amount(stored)}: use --add to keep them or --replace to replace them"
        )
    return Joining.ADD


def _write_remarks(incoming: Incoming, remarks: Sequence[Remark], output: Output) -> None:
    title = f"“{incoming.title}”: " if incoming.title else ""
    output.note(
        f"{title}read {_amount(incoming.story)}; {number_of(len(remarks), 'remark') if remarks else 'no remarks'}"
    )
    for remark in remarks:
        lines = f"line{'' if len(remark.lines) == 1 else 's'} {_listed(remark.lines)}" if remark.lines else ""
        where = ", ".join(filter(None, (remark.file, lines, remark.place)))
        output.note(f"  {single_line(f'{where}: {remark.said}' if where else remark.said)}")


def _listed(lines: Sequence[int], most: int = 8) -> str:
    more = [f"and {len(lines) - most} more"] if len(lines) > most else []
    return ", ".join([*map(str, lines[:most]), *more])


def _facts(incoming: Incoming, remarks: Sequence[Remark]) -> dict[str, Wire]:
    return {
        "title": incoming.title,
        **_counts(incoming.story),
        "remarks": [
            {
                "kind": remark.misfit.value,
                "file": remark.file or None,
                "place": remark.place,
                "lines": list(remark.lines),
                "message": remark.said,
                "lost": remark.lost,
            }
            for remark in remarks
        ],
    }
