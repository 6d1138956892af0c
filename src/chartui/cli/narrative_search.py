"""``chartui narrative path|reach|replace``: ways through a story, and a text replaced throughout it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import walk_file, write_text
from chartui.cli.lookup import add_character, existing_section, read_story, story_plan
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Verbs, add_verb
from chartui.cli.run_plan import add_change, change
from chartui.cli.sessions import ask
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.narrative.story import Story
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session

_PATH: Final = """\
Triggers are fired only if decisions alone do not lead to the section. The exit
status is 1 if there is no path. --save saves the path as a walk, which you can
replay with 'chartui narrative walk FILE':

  chartui narrative path 'Elena Marsh' 'The case'
  chartui narrative path 'Elena Marsh' 'House rules' 'The case' --save case.toml

--json writes the walk as 'chartui narrative walk --json' does, or null if
there is no path.
"""
_REACH: Final = """\
Sections are sorted by the number of triggers on the shortest path to them, then
by the number of steps. --json writes an array of {"section_id", "section_name",
"steps", "triggers"}.
"""
_REPLACE: Final = """\
OLD is replaced in the names and objectives of sections, in criteria, and in the
names and messages of triggers. Catch-all decisions stay as they are. The exit
status is 1 if OLD does not occur. The review names the longer words that
contain OLD, such as "o'clock" for "lock". --whole-words leaves them unchanged.

  chartui narrative replace 'Elena Marsh' 'lamp room' 'lamp house' --dry-run
"""


def add_search(verbs: Verbs) -> None:
    verb = add_verb(verbs, "path", "show the shortest path to a section; exit 1 if there is none", path, add_character)
    verb.epilog = _PATH
    verb.option(
        "origin", "FROM", "ID or name of the section where the path starts (default: the start of the story)", nargs="?"
    )
    verb.option("section_id", "TO", "ID or name of the section where the path ends")
    verb.option("--save", "FILE", "save the path as a walk that can be replayed", type=walk_file)
    verb.flag("--force", "let --save overwrite an existing file")
    verb = add_verb(verbs, "reach", "list the sections that can be reached from a section", reach, add_character)
    verb.epilog = _REACH
    verb.option("origin", "SECTION", "the section's ID or name (default: the start of the story)", nargs="?")
    verb = add_change(verbs, "replace", "replace text throughout the story", replace, add_character)
    verb.epilog = _REPLACE
    verb.option("old_text", "OLD", "text to replace")
    verb.option("new_text", "NEW", "new text; may be empty")
    verb.flag("--ignore-case", "ignore case when searching for OLD")
    verb.flag("--whole-words", "leave OLD unchanged inside longer words")


def _origin(story: Story, arguments: Arguments) -> str:
    if arguments.origin is not None:
        return existing_section(story, arguments.origin, arguments)
    if story.start is None or story.start not in story.sections:
        raise UsageError("the story has no start section: name the section to start from")
    return story.start


def path(arguments: Arguments, output: Output) -> int:
    from chartui.core.narrative.walk.path import passed_ending_text, steps_text
    from chartui.core.narrative.walk.reach import shortest_walk
    from chartui.core.narrative.walk.replay import Retraced, script_of, walk_toml

    character, story = ask(arguments, lambda session: read_story(session, arguments.character_id))
    graph, origin = story.graph(), _origin(story, arguments)
    goal = existing_section(story, arguments.section_id, arguments)
    walk = shortest_walk(graph, origin, goal)
    if walk is None:
        names = (single_line(graph.section_name(one), limit=60) for one in (origin, goal))
        output.report(None, "no path from “{}” to “{}”".format(*names))
        return Exit.NO
    if output.as_json:
        from chartui.cli.walks import walk_facts

        output.json(walk_facts(arguments.character_id, Retraced(walk), {}))
    else:
        output.text(steps_text(walk).rstrip("\n"))
    if passed := passed_ending_text(walk):
        output.note(passed)
    if arguments.save is not None:
        name = character.character_name or ""
        script = script_of(walk, {}, character_id=arguments.character_id, character_name=name)
        write_text(arguments.save, walk_toml(script), replace=arguments.force, folders=True)
        output.note(f"walk saved to {arguments.save}")
    return Exit.DONE


def reach(arguments: Arguments, output: Output) -> None:
    from chartui.core.narrative.walk.reach import distances, distances_sheet
    from chartui.core.sheet import as_texts

    _, story = ask(arguments, lambda session: read_story(session, arguments.character_id))
    graph, origin = story.graph(), _origin(story, arguments)
    found = distances(graph, origin)
    if output.as_json:
        output.json(
            [
                {
                    "section_id": one.section,
                    "section_name": graph.section_name(one.section),
                    "steps": one.steps,
                    "triggers": one.triggers,
                }
                for one in found
            ]
        )
        return
    if found:
        texts = as_texts(distances_sheet(graph, "Reachable sections", found))
        output.table(texts.rows, header=texts.header, right={1, 2})
    output.note(f"{len(found)} of {len(graph.sections) - 1} other sections can be reached")


def replace(arguments: Arguments, output: Output) -> int:
    from chartui.core.narrative.replacement import BadReplacement, occurrences_of, replaced

    old, new = arguments.old_text, arguments.new_text
    if not old:
        raise UsageError("OLD is empty; give the text to replace")
    whole_words, ignore_case = arguments.whole_words, arguments.ignore_case
    occurs = True

    async def make(session: Session) -> Plan:
        nonlocal occurs
        character, stored = await read_story(session, arguments.character_id)
        found = occurrences_of(stored, old, ignore_case=ignore_case)
        try:
            made = replaced(stored, old, new, ignore_case=ignore_case, whole_words=whole_words)
        except BadReplacement as error:
            raise UsageError(str(error)) from None
        occurs = bool(made.changes)
        absent = (
            f"“{single_line(old, limit=60)}” does not occur{' as a whole word' if whole_words else ''} in the story"
        )
        output.note(made.counted if occurs else absent)
        if whole_words and found.inside:
            output.note(f"{found.counted_inside} left unchanged: {found.named}")
        title = f"Replace “{single_line(old, limit=40)}” with “{single_line(new, limit=40)}”"
        plan = story_plan(session, character, stored, made.story, title)
        if not occurs or whole_words or not found.inside:
            return plan
        it = "it" if found.inside == 1 else "them"
        remark = f"Replaces {found.counted_inside}: {found.named}. --whole-words leaves {it} unchanged."
        return dataclasses.replace(plan, notes=(*plan.notes, remark))

    return change(arguments, output, make) or (Exit.DONE if occurs else Exit.NO)
