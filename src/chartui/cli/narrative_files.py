"""Bringing a narrative graph to files that other programs read, and stories from such files into a graph."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.cli.carrying import carry_out, planning
from chartui.cli.changes import add_change, plan_of
from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import add_force, write_text
from chartui.cli.graphs import add_character, read_graph
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Verbs, add_verb
from chartui.cli.sessions import ask
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.narrative.export import Form
    from chartui.core.narrative.story import Story
    from chartui.core.narrative.story_import import Incoming, Joining, Remark
    from chartui.core.plans.executor import Progress
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session

__all__ = ["configure"]

#: What people write of a form, and the form; the first is what is written without a choice.
_FORMS: Final = ("mermaid", "dot", "json", "markdown", "twee")
_EXPORT: Final = """\
Without --format the ending of FILE says which: .mmd .dot .json .md .twee;
without a FILE it is Mermaid, with --json JSON. Every section, decision,
trigger and override is in each form, what is broken as well.
"""
_IMPORT: Final = """\
FILE is Twee 3 (.twee, .tw), a folder of such files, which are one story, or
a graph that was exported as .json. What has no place in a narrative graph is
told on standard error, with its lines, and with --json as a list. A bundle
(.toml) is brought there by 'chartui push'.

--replace matches by name: a section that is called the same keeps its id
and what leads to it. Sections that the file does not have are deleted.
"""


def configure(verbs: Verbs) -> None:
    """Add the verbs."""
    verb = add_verb(verbs, "export", "the graph as a drawing, as data, or as a document", export_graph)
    verb.formatter_class, verb.epilog = argparse.RawDescriptionHelpFormatter, _EXPORT
    add_character(verb)
    verb.add_argument("to", metavar="FILE", nargs="?", type=Path, help="where to (without: standard output)")
    verb.add_argument("--format", choices=_FORMS, help="which form")
    add_force(verb, "overwrite FILE")
    verb = add_change(verbs, "import", "bring the story of a file into the graph", import_story)
    verb.formatter_class, verb.epilog = argparse.RawDescriptionHelpFormatter, _IMPORT
    add_character(verb)
    verb.add_argument("story_file", metavar="FILE", type=Path, help="the file to read, or a folder of Twee")
    how = verb.add_mutually_exclusive_group()
    how.add_argument("--add", action="store_true", help="beside the sections that are there")
    how.add_argument("--replace", action="store_true", help="in place of the sections that are there")


# -- out --------------------------------------------------------------------------------------------------------------


def export_graph(arguments: Arguments, output: Output) -> int:
    """Write the graph in the form that is asked for, to a file or to standard output."""
    form = _form(arguments, output)
    name, story = ask(arguments, lambda session: _story(session, arguments.character_id))

    from chartui.core.narrative.export import export

    text = export(story, form, name)
    if arguments.to is None:
        output.text(text.removesuffix("\n"))
        return Exit.DONE
    write_text(arguments.to, text, replace=arguments.force)
    output.note(f"{arguments.to} holds {_amount(story)}")
    if output.as_json:
        output.json({"file": str(arguments.to), "format": form.value, **_counts(story)})
    return Exit.DONE


def _form(arguments: Arguments, output: Output) -> Form:
    """The form that the words ask for; raises :class:`UsageError`."""
    from chartui.core.narrative.export import FORMS, Form

    if arguments.format is not None:
        if output.as_json and arguments.to is None and arguments.format != Form.JSON:
            raise UsageError(f"--json and --format {arguments.format} are two forms of one answer; choose one")
        return Form(arguments.format)
    if arguments.to is None:
        return Form.JSON if output.as_json else Form.MERMAID
    suffix = arguments.to.suffix.lower()
    found = next((form for form, facts in FORMS.items() if facts.suffix == suffix), None)
    if found is None:
        endings = ", ".join(facts.suffix for facts in FORMS.values())
        raise UsageError(f"which form? Give --format, or the file one of the endings {endings}")
    return found


async def _story(session: Session, character_id: str) -> tuple[str, Story]:
    """What a character is called, and its story."""
    from chartui.core.narrative.story import Story

    character, sections, triggers = await read_graph(session, character_id)
    return character.character_name or character_id, Story.of(character, sections, triggers)


def _counts(story: Story) -> dict[str, Wire]:
    return {"sections": len(story.sections), "triggers": len(story.triggers)}


def _amount(story: Story) -> str:
    return ", ".join(
        f"{number} {what.removesuffix('s') if number == 1 else what}" for what, number in _counts(story).items()
    )


# -- in ---------------------------------------------------------------------------------------------------------------


def import_story(arguments: Arguments, output: Output) -> int:
    """Read a file, say what did not fit, and change the graph into what was read, as any change is made."""
    incoming = _read(arguments.story_file)

    async def bring(session: Session) -> int:
        planned, reads = planning(arguments, session)
        plan, remarks = await _planned(planned, arguments, incoming)
        _tell(incoming, remarks, output)
        facts = _facts(incoming, remarks)
        if output.as_json and (arguments.dry_run or not plan.steps):
            from chartui.core.plans.plan import to_wire

            output.json({**facts, "plan": to_wire(plan)})
            return Exit.DONE

        def done(progress: Progress) -> None:
            output.json({**facts, "plan": progress.plan.id, "done": progress.done})

        return await carry_out(arguments, output, session, plan, reads, done=done if output.as_json else None)

    return ask(arguments, bring)


def _read(path: Path) -> Incoming:
    from chartui.core.narrative.story_import import IncomingError, read_incoming

    if path.suffix.lower() == ".toml":
        raise UsageError(f"{path} looks like a bundle, which 'chartui push' brings to a character")
    try:
        return read_incoming(path)
    except IncomingError as error:
        raise UsageError.of(error, code="usage") from None


async def _planned(session: Session, arguments: Arguments, incoming: Incoming) -> tuple[Plan, tuple[Remark, ...]]:
    """The plan, and all that did not fit."""
    from chartui.core.narrative.story import Story
    from chartui.core.narrative.story_import import joined, refuse_incomplete
    from chartui.core.plans.story import story_steps

    character, sections, triggers = await read_graph(session, arguments.character_id)
    stored = Story.of(character, sections, triggers)
    wanted, more = joined(stored, incoming, _how(arguments, stored))
    refuse_incomplete(character.character_name or character.character_id, stored, wanted)
    found = story_steps(character, stored, wanted, embedded=session.service.embedded)
    plan = plan_of(f"Import {arguments.story_file.name}", found.steps)
    return replace(plan, notes=found.left_out), (*incoming.remarks, *more)


def _how(arguments: Arguments, stored: Story) -> Joining:
    from chartui.core.narrative.story_import import Joining

    if arguments.replace:
        return Joining.REPLACE
    if not arguments.add and (stored.sections or stored.triggers):
        raise UsageError(
            f"the graph holds {_amount(stored)} already: --add puts the story beside them, --replace in their place"
        )
    return Joining.ADD


def _tell(incoming: Incoming, remarks: Sequence[Remark], output: Output) -> None:
    title = f"“{incoming.title}”: " if incoming.title else ""
    output.note(
        f"{title}{_amount(incoming.story)} read, {len(remarks) or 'no'} remark{'' if len(remarks) == 1 else 's'}"
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
