"""``chartui narrative walk``: play a story by hand, at random, or from saved walks."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import walk_file, whole_number, write_text
from chartui.cli.lookup import existing_section, existing_trigger
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Options, Parser, Verbs, add_verb
from chartui.cli.walks import add_story, stories, target
from chartui.core.narrative.signs import TRIGGER
from chartui.core.narrative.walk.path import Choice, End, How, Place, Walk, ending_text, transcript
from chartui.core.narrative.walk.replay import Retraced, Script, go_on, replay, retrace, script_of, walk_toml

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph


_EPILOG: Final = """\
Saved walks are replayed in their characters' stories, and their coverage is
reported. FILE may be a folder of walks. The exit status is 1 if a story no
longer allows a walk. With a single FILE, choices continue the recording from
where its walk ends or breaks. Without FILE, the story of --character is played
once, with the choices in the order given:

  chartui narrative walk walks --fail-under 90 --junit walks.xml
  chartui narrative walk smoke.toml --bundle elena.toml
  chartui narrative walk smoke.toml --take 2 --save smoke.toml --force
  chartui narrative walk --character 'Elena Marsh' --take 'They have an hour or more'
  chartui narrative walk --character ID --fire 'Fire alarm' --save night.toml
  chartui narrative walk --character ID --random --seed 7 --fail-under 95
  chartui narrative walk --character ID --cover walks
"""


def add_walk(verbs: Verbs) -> None:
    verb = add_verb(
        verbs, "walk", "play the story by hand, at random, or from saved walks; exit 1 if a walk fails", walk
    )
    verb.epilog = _EPILOG
    verb.option("files", "FILE", "a saved walk, or a folder of saved walks", nargs="*")
    add_story(verb, default=" (default: the character named in the file)")
    verb.option(
        "--key",
        "NAME=VALUE",
        "value of the template key {NAME}; may be repeated",
        dest="keys",
        action="append",
        default=[],
        type=_pair,
    )
    _add_choices(verb)
    _add_coverage(verb)
    _add_chance(verb)


def _add_choices(verb: Parser) -> None:
    group = verb.add_argument_group("choices, made in the order given")
    group.option("--from", "SECTION", "name or ID of the start section (default: the start of the story)", dest="start")
    moves: dict[str, Any] = {"dest": "moves", "action": "append", "default": []}
    group.option(
        "--take", "CRITERIA|N", "take the decision with these criteria or this number", type=_move("take"), **moves
    )
    group.option("--fire", "TRIGGER", "fire the trigger with this name or ID", type=_move("fire"), **moves)
    group.option("--jump", "SECTION", "jump to another section", type=_move("jump"), **moves)
    group.option("--save", "FILE", "save the walk to a file that can be replayed", type=walk_file)
    group.flag("--force", "let --save and --cover overwrite existing files")


def _add_coverage(verb: Parser) -> None:
    group = verb.add_argument_group("coverage")
    group.option(
        "--cover",
        "DIR",
        "generate walks that together cover everything that can be reached, and write them to this folder",
    )
    group.flag("--untested", "list the sections, decisions and triggers that no saved walk reaches")
    group.option("--junit", "FILE", "write the results of saved walks to this JUnit XML file; overwrites the file")
    group.option(
        "--fail-under",
        "PERCENT",
        "exit 1 if saved or random walks cover less than PERCENT of the sections",
        type=_percent,
    )


def _add_chance(verb: Parser) -> None:
    group = verb.add_argument_group("random walks")
    group.flag("--random", "run random walks and report coverage")
    group.flag("--fire-triggers", "fire triggers at random")
    add_random(group)


def add_random(group: Options) -> None:
    group.option("--seed", "N", "random seed; the same seed gives the same walks (default: 1)", type=_seed, default=1)
    group.option("--walks", "N", "number of walks (default: 200)", type=whole_number, default=200)
    group.option("--steps", "N", "maximum number of steps per walk (default: 200)", type=whole_number, default=200)


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not name.strip() or not sign:
        raise argparse.ArgumentTypeError(f"{text!r} does not set a template key; write NAME=VALUE")
    return name.strip(), value


def _move(verb: str) -> Any:
    return lambda text: (verb, text)


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _percent(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal(-1)
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 100")
    return number


def walk(arguments: Arguments, output: Output) -> int:
    from chartui.cli.narrative_suite import cover, replay_files, walk_at_random

    _check(arguments)
    if arguments.cover is not None:
        cover(arguments, output)
        return Exit.DONE
    if arguments.random:
        return walk_at_random(arguments, output)
    if arguments.files and not _chosen(arguments):
        return replay_files(arguments, output)
    return _by_choice(arguments, output)


def _chosen(arguments: Arguments) -> bool:
    return bool(arguments.moves or arguments.save is not None)


def _check(arguments: Arguments) -> None:
    """Refuse options that exclude each other; raises :class:`UsageError`."""
    chosen, files = _chosen(arguments), arguments.files
    replays = bool(files) and not chosen
    if files and (arguments.start is not None or arguments.random or arguments.cover is not None):
        raise UsageError("saved walks cannot be combined with --from, --random or --cover")
    if files and chosen and (len(files) > 1 or files[0].is_dir()):
        raise UsageError("only one walk can be continued: give a single file with --take, --fire, --jump or --save")
    if arguments.random and arguments.cover is not None:
        raise UsageError("--random and --cover cannot be combined")
    if chosen and (arguments.random or arguments.cover is not None):
        option = "--random" if arguments.random else "--cover"
        raise UsageError(f"{option} chooses the decisions itself: omit --take, --fire, --jump and --save")
    if arguments.fail_under is not None and not (replays or arguments.random):
        raise UsageError("--fail-under applies to saved walks and random walks: give files, or add --random")
    if (arguments.junit is not None or arguments.untested) and not replays:
        raise UsageError("--junit and --untested apply to saved walks: give files or a folder")
    if not files and not arguments.character_id and arguments.bundle is None:
        raise UsageError("which story? Give --character NAME, --bundle FILE, or a saved walk")


def _by_choice(arguments: Arguments, output: Output) -> int:
    from chartui.cli.narrative_suite import read_script

    script = read_script(arguments.files[0]) if arguments.files else Script()
    character_id = arguments.character_id or script.character_id
    if not character_id and arguments.bundle is None:
        raise UsageError(f"{arguments.files[0]} does not name a character: give --character NAME")
    story = stories(arguments, [character_id])[character_id]
    keys = {**story.keys, **script.keys, **dict(arguments.keys)}
    begun = replay(script, story.graph, keys).retraced if arguments.files else None
    played = _played(story.graph, begun, arguments)
    if begun is not None and begun.broken is not None:
        output.note(f"continuing the recording from the last step that still fits the story ({begun.broken})")
    if output.as_json:
        from chartui.cli.walks import walk_facts

        output.json(walk_facts(story.character_id, played, keys))
    else:
        _write_walk(played.walk, keys, output)
        if played.broken is not None:
            output.text()
            output.sentence(f"stopped: {played.broken}")
    if played.broken is not None:
        return Exit.NO
    if arguments.save is not None:
        saved = script_of(played.walk, keys, character_id=story.character_id, character_name=story.name)
        try:
            text = walk_toml(replace(saved, said=script.said))
        except ValueError as error:
            raise UsageError(f"the walk cannot be saved: {error}") from None
        write_text(arguments.save, text, replace=arguments.force, folders=True)
        output.note(f"walk saved to {arguments.save}")
    return Exit.DONE


def _played(graph: Graph, begun: Retraced | None, arguments: Arguments) -> Retraced:
    """Make the choices, from the start or from the end of a walk that was ``begun``."""
    start = None if arguments.start is None else existing_section(graph, arguments.start, arguments)
    finders = {"fire": existing_trigger, "jump": existing_section}
    moves = [
        (verb, finders[verb](graph, text, arguments) if verb in finders else text) for verb, text in arguments.moves
    ]
    played = begun or retrace(graph, None if start is None else Place(start, start), ())
    if begun is not None and begun.walk.steps:
        played = begun._replace(broken=None)
    remarks = played.remarks
    for number, (verb, text) in enumerate(moves, 1):
        if played.broken is not None:
            break
        played = go_on(played.walk, [_choice(played.walk, verb, text)])
        remarks = (*remarks, *(remark._replace(step=number) for remark in played.remarks))
        if played.broken is not None:
            played = played._replace(broken=played.broken._replace(step=number))
    return played._replace(remarks=remarks)


def _choice(played: Walk, verb: str, text: str) -> Choice:
    if verb == "fire":
        return Choice(how=How.TRIGGER, words=text, id=text)
    if verb == "jump":
        return Choice(how=How.JUMP, to=Place(text, text))
    by_number = {str(way.number): way for way in played.ways}
    if text in by_number and all(way.edge.criteria != text for way in played.ways):
        edge = by_number[text].edge
        to: Place = played.place(edge.target)
        return Choice(how=How.DECISION, words=edge.criteria, to=to)
    return Choice(how=How.DECISION, words=text)


def _write_walk(played: Walk, keys: Mapping[str, str], output: Output) -> None:
    graph = played.graph
    output.text(transcript(played, keys).rstrip("\n"))
    if played.end is End.NO_START:
        return
    output.text()
    rows = [
        [str(way.number), "otherwise" if way.edge.immediate else way.edge.criteria, target(graph, way.edge.target)]
        for way in played.ways
    ]
    rows += [[TRIGGER, event.name + played.where_fired(event), target(graph, event.target)] for event in played.events]
    output.table(rows, right={0})
    if ending := ending_text(played):
        output.sentence(ending)
