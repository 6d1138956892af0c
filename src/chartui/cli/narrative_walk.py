"""``chartui narrative walk``: play a story by hand, at random, or from saved walks."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import add_force, whole_number, write_text
from chartui.cli.lookup import existing_section, existing_trigger, read_story
from chartui.cli.naming import CharacterName
from chartui.cli.output import Output, members
from chartui.cli.parser import Arguments, Parser, Verbs, add_verb
from chartui.cli.sessions import ask
from chartui.core.narrative.loops import loop_text
from chartui.core.narrative.walk.coverage import Coverage, Ended, RandomWalks, random_walks
from chartui.core.narrative.walk.path import Choice, End, Event, How, Place, Walk, transcript
from chartui.core.narrative.walk.replay import (
    BadWalk,
    Broken,
    Replayed,
    Retraced,
    Script,
    go_on,
    read_walk,
    replay,
    retrace,
    script_of,
    walk_toml,
)
from chartui.core.numbers import count, number_of
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.narrative.graph import Graph
    from chartui.core.session import Session


_EPILOG: Final = """\
A saved walk is replayed in the story of its character; the exit status is 1 if
the story no longer allows the walk. Without a saved walk, the story of
--character is played once, with the choices in the order given:

  chartui narrative walk smoke.toml night.toml
  chartui narrative walk smoke.toml --bundle elena.toml
  chartui narrative walk --character 'Elena Marsh' --take 'They have an hour or more'
  chartui narrative walk --character ID --fire 'Fire alarm' --save night.toml
  chartui narrative walk --character ID --random --seed 7 --fail-under 95
"""
_LIMIT: Final = 100


def add_walk(verbs: Verbs) -> None:
    verb = add_verb(
        verbs, "walk", "play the story by hand, at random, or from saved walks; exit 1 if a walk fails", walk
    )
    verb.epilog = _EPILOG
    verb.add_argument("files", metavar="FILE", nargs="*", type=Path, help="a saved walk")
    whose = verb.add_mutually_exclusive_group()
    whose.add_argument(
        "--character",
        metavar="CHARACTER",
        dest="character_id",
        type=CharacterName,
        help="the character's name or ID (default: the one named in the file)",
    )
    whose.add_argument("--bundle", metavar="FILE", help="play the story in a file from 'chartui pull'; sends nothing")
    verb.add_argument(
        "--key",
        metavar="NAME=VALUE",
        dest="keys",
        action="append",
        default=[],
        type=_pair,
        help="value of the template key {NAME}; may be repeated",
    )
    _add_choices(verb)
    _add_chance(verb)


def _add_choices(verb: Parser) -> None:
    group = verb.add_argument_group("choices, in the order given")
    add = group.add_argument
    add(
        "--from",
        metavar="SECTION",
        dest="start",
        help="start section, by name or ID (default: the start of the story)",
    )
    moves: dict[str, Any] = {"dest": "moves", "action": "append", "default": []}
    add(
        "--take",
        metavar="CRITERIA|N",
        type=_move("take"),
        help="take a decision, by its criteria or its number",
        **moves,
    )
    add("--fire", metavar="TRIGGER", type=_move("fire"), help="fire a trigger, by its name or ID", **moves)
    add("--jump", metavar="SECTION", type=_move("jump"), help="jump to another section", **moves)
    add("--save", metavar="FILE", type=Path, help="save the walk to a file, for replay")
    add_force(group, "let --save overwrite an existing file")


def _add_chance(verb: Parser) -> None:
    group = verb.add_argument_group("random walks")
    add = group.add_argument
    add("--random", action="store_true", help="run random walks and report coverage")
    add(
        "--seed",
        metavar="N",
        type=_seed,
        default=1,
        help="random seed; the same seed gives the same walks (default: 1)",
    )
    add("--walks", metavar="N", type=whole_number, default=200, help="number of walks (default: 200)")
    add("--steps", metavar="N", type=whole_number, default=200, help="maximum number of steps per walk (default: 200)")
    add("--fire-triggers", action="store_true", help="fire triggers at random")
    add(
        "--fail-under",
        metavar="PERCENT",
        type=_percent,
        help="exit 1 if coverage of sections is below PERCENT",
    )


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not name.strip() or not sign:
        raise argparse.ArgumentTypeError(f"{text!r} does not set a key; write NAME=VALUE")
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
    chosen = bool(arguments.moves or arguments.start is not None or arguments.save is not None)
    if arguments.files and (chosen or arguments.random):
        raise UsageError("files contain their own choices: give either files, choices or --random")
    if arguments.random and (arguments.moves or arguments.save is not None):
        raise UsageError("--random makes its own choices: omit --take, --fire, --jump and --save")
    if arguments.fail_under is not None and not arguments.random:
        raise UsageError("--fail-under applies to random walks: add --random")
    if arguments.files:
        return _replay(arguments, output)
    if not arguments.character_id and arguments.bundle is None:
        raise UsageError("which story? Give --character NAME, --bundle FILE, or a saved walk")
    return _by_chance(arguments, output) if arguments.random else _by_choice(arguments, output)


class _Source(NamedTuple):
    """A story, its character and its template values. The id is empty for a story from a file."""

    character_id: str
    name: str
    graph: Graph
    keys: Mapping[str, str]


def _sources(arguments: Arguments, ids: Sequence[str]) -> Mapping[str, _Source]:
    if arguments.bundle is not None:
        from chartui.cli.bundles import read_file

        bundle, _ = read_file(arguments.bundle)
        return dict.fromkeys(ids, _Source("", bundle.name or "", bundle.story.graph(), bundle.keys or {}))

    async def question(session: Session) -> dict[str, _Source]:
        read = {}
        for given in dict.fromkeys(ids):
            # The name has been replaced by an ID since.
            character_id = arguments.character_id or given
            character, story = await read_story(session, character_id)
            read[given] = _Source(character_id, character.character_name or "", story.graph(), {})
        return read

    return ask(arguments, question)


def _only_source(arguments: Arguments) -> _Source:
    character_id = arguments.character_id or ""
    return _sources(arguments, [character_id])[character_id]


# -- saved walks ------------------------------------------------------------------------------------------------------


def _replay(arguments: Arguments, output: Output) -> int:
    scripts = [(path, _read(path)) for path in arguments.files]
    ids = [arguments.character_id or script.character_id for _, script in scripts]
    for path, character_id in zip(arguments.files, ids, strict=True):
        if not character_id and arguments.bundle is None:
            raise UsageError(f"{path} does not name a character: give --character NAME")
    stories = _sources(arguments, ids)
    done = []
    for (path, script), character_id in zip(scripts, ids, strict=True):
        source = stories[character_id]
        keys = {**source.keys, **script.keys, **dict(arguments.keys)}
        done.append((path, source, replay(script, source.graph, keys)))
    if output.as_json:
        output.json({"walks": [replayed_facts(path, source.character_id, one) for path, source, one in done]})
    else:
        for path, _, one in done:
            _write_replayed(path, one, output)
    return Exit.DONE if all(one.holds for *_, one in done) else Exit.NO


def _read(path: Path) -> Script:
    if not path.exists():
        raise UsageError(f"{path}: no such file. To walk the story of a character, use --character NAME.")
    try:
        return read_walk(path)
    except BadWalk as error:
        raise UsageError.of(error, code="usage") from None


def _write_replayed(path: Path, one: Replayed, output: Output) -> None:
    retraced = one.retraced
    total = len(one.script.choices)
    if one.holds:
        output.text(f"{path}: passed, {number_of(total, 'step')} to {_name(retraced.walk)}")
    elif retraced.broken is not None:
        output.text(f"{path}: the story no longer allows this walk")
        output.text(f"  {retraced.broken}")
    else:
        output.text(f"{path}: the walk works, but an expectation is not met")
    for line in (*one.unmet, *map(str, retraced.remarks)):
        output.text(f"  {line}")


def _name(one: Walk) -> str:
    return f"“{single_line(one.graph.section_name(one.here or ''), limit=_LIMIT)}”"


def _by_choice(arguments: Arguments, output: Output) -> int:
    source = _only_source(arguments)
    keys = {**source.keys, **dict(arguments.keys)}
    played = _played(source.graph, arguments)
    if output.as_json:
        output.json(walk_facts(source.character_id, played, keys))
    else:
        _write_walk(played.walk, keys, output)
        if played.broken is not None:
            output.text()
            output.text(f"stopped: {played.broken}")
    if played.broken is not None:
        return Exit.NO
    if arguments.save is not None:
        script = script_of(played.walk, keys, character_id=source.character_id, character_name=source.name)
        try:
            text = walk_toml(script)
        except ValueError as error:
            raise UsageError(f"the walk cannot be saved: {error}") from None
        write_text(arguments.save, text, replace=arguments.force)
        output.note(f"walk saved to {arguments.save}")
    return Exit.DONE


def _played(graph: Graph, arguments: Arguments) -> Retraced:
    start = None if arguments.start is None else existing_section(graph, arguments.start, arguments)
    finders = {"fire": existing_trigger, "jump": existing_section}
    moves = [
        (verb, finders[verb](graph, text, arguments) if verb in finders else text) for verb, text in arguments.moves
    ]
    played = retrace(graph, None if start is None else Place(start, start), ())
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
        [
            str(way.number),
            "otherwise" if way.edge.immediate else way.edge.criteria,
            _target(graph, way.edge.target),
        ]
        for way in played.ways
    ]
    rows += [["⚡", event.name, _event(played, event)] for event in played.events]
    output.table(rows, right={0})
    endings = {
        End.ENDING: "the story ends here",
        End.NO_DECISIONS: "a dead end: no decisions, but not marked as an ending",
        End.BROKEN: "a dead end: no decision goes to an existing section",
        End.UNREADABLE: "the next section could not be read",
        End.LOOP: f"an infinite loop of {number_of(len(played.loop), 'step')}",
    }
    if played.end is not None:
        output.text(endings[played.end])


def _event(played: Walk, event: Event) -> str:
    while_at = "" if event.within == played.here else f", while at {played.graph.section_name(event.within)}"
    return f"{_target(played.graph, event.target)}{while_at}"


def _target(graph: Graph, section_id: str | None) -> str:
    if section_id is None:
        return "→ nowhere"
    if section_id in graph.sections:
        return f"→ {graph.section_name(section_id)}"
    sign = "?" if graph.has_section(section_id) is None else "∅"
    return f"→ {sign} {section_id} ({graph.absence(section_id, 'missing')})"


def _by_chance(arguments: Arguments, output: Output) -> int:
    source = _only_source(arguments)
    graph = source.graph
    start = None
    if arguments.start is not None:
        start = existing_section(graph, arguments.start, arguments)
    asked = RandomWalks(arguments.seed, arguments.walks, arguments.steps, start, arguments.fire_triggers)
    try:
        coverage = random_walks(graph, asked)
    except ValueError as error:
        raise UsageError.of(error, code="usage") from None
    if output.as_json:
        output.json(coverage_facts(source.character_id, coverage))
    else:
        _write_coverage(coverage, output)
    return Exit.NO if arguments.fail_under is not None and coverage.percent < arguments.fail_under else Exit.DONE


def _write_coverage(coverage: Coverage, output: Output) -> None:
    graph, asked = coverage.graph, coverage.asked
    output.text(f"{number_of(asked.walks, 'walk')} of up to {number_of(asked.steps, 'step')}, seed {asked.seed}")
    totals = [
        ("sections", f"{count(len(coverage.visits))} of {count(len(graph.sections))} visited, {coverage.percent} %"),
        ("decisions", f"{count(len(coverage.taken))} of {count(coverage.decisions)} taken"),
        *([("triggers", f"{len(coverage.fired)} of {len(graph.triggers)} fired")] if asked.fire else []),
        ("ended", ", ".join(f"{count(coverage.ended[how])} {how.words}" for how in Ended if coverage.ended[how])),
        ("longest", number_of(coverage.longest, "step")),
    ]
    output.fields(totals)
    rows = [
        *(["never visited", graph.section_name(one), why.value] for one, why in coverage.reasons.items()),
        *(
            [
                "never taken",
                graph.section_name(edge.source),
                f"{edge.criteria} {_target(graph, edge.target)}{' (never runs)' if edge.never_runs else ''}",
            ]
            for edge in coverage.untaken
        ),
        *(["never fired", graph.trigger_name(one), ""] for one in (coverage.unfired if asked.fire else ())),
        *(
            [how.value, graph.section_name(one), number_of(walks, "walk")]
            for how in (Ended.ENDING, Ended.DEAD_END, Ended.UNREADABLE)
            for one, walks in coverage.stopped(how)
        ),
        *(
            [loop.kind, loop_text(graph, loop.sections), "; ".join(filter(None, (number_of(walks, "walk"), loop.exit)))]
            for loop, walks in coverage.stuck
        ),
    ]
    if rows:
        output.text()
        output.table(rows)


# -- as JSON; docs/walks.md describes it ------------------------------------------------------------------------------


def replayed_facts(path: Path, character_id: str, one: Replayed) -> Wire:
    retraced = one.retraced
    here = retraced.walk.here
    return {
        "file": str(path),
        "character_id": character_id or None,
        "passed": one.holds,
        "steps": len(one.script.choices),
        "steps_done": len(one.script.choices) if retraced.broken is None else max(0, retraced.broken.step - 1),
        "end_section": None if here is None else _section_facts(retraced.walk.graph, here),
        "stopped_at": _broken_facts(retraced.broken),
        "unmet_expectations": list(one.unmet),
        "remarks": [{"step": remark.step, "text": remark.text} for remark in retraced.remarks],
    }


def walk_facts(character_id: str, played: Retraced, keys: Mapping[str, str]) -> Wire:
    one = played.walk
    graph = one.graph
    return {
        "character_id": character_id or None,
        "steps": [
            {
                "how": spoken.step.how.value,
                **_section_facts(graph, spoken.step.section),
                "choice": spoken.step.words,
                "trigger_id": spoken.step.trigger or None,
                "stayed": spoken.step.stays,
                "texts": [
                    {"spoken": passage.exactly, "text": passage.text}
                    for speech in (spoken.message, spoken.objective)
                    for passage in (speech.passages if speech is not None else ())
                ],
            }
            for spoken in one.said(one.steps, keys)
        ],
        "decisions": [
            {"number": number, "criteria": edge.criteria, "next_section_id": edge.target}
            | {"exists": graph.has_section(edge.target)}
            for number, edge in ((way.number, way.edge) for way in one.ways)
        ],
        "triggers": [
            {
                "trigger_id": event.trigger,
                "trigger_name": event.name,
                "destination_section": event.target,
                "exists": event.exists or graph.has_section(event.target),
                "overridden": event.overridden,
                "section_id": event.within,
            }
            for event in one.events
        ],
        "end": one.end.value if one.end is not None else None,
        "loop": list(one.loop),
        "stopped_at": _broken_facts(played.broken),
    }


def coverage_facts(character_id: str, coverage: Coverage) -> Wire:
    graph, asked = coverage.graph, coverage.asked
    never_fired: list[Wire] = [{"trigger_id": one, "trigger_name": graph.trigger_name(one)} for one in coverage.unfired]
    return {
        "character_id": character_id or None,
        **members(asked, "seed", "walks", "steps"),
        "start": asked.start or graph.start,
        "sections": {
            "total": len(graph.sections),
            "visited": len(coverage.visits),
            "percent": coverage.percent,
            "never_visited": [
                {**_section_facts(graph, one), "reason": why.value} for one, why in coverage.reasons.items()
            ],
        },
        "decisions": {
            "total": coverage.decisions,
            "taken": len(coverage.taken),
            "never_taken": [
                {"section_id": e.source}
                | members(e, "position", "criteria")
                | {"next_section_id": e.target, "never_runs": e.never_runs}
                for e in coverage.untaken
            ],
        },
        "triggers": {"total": len(graph.triggers), "fired": len(coverage.fired), "never_fired": never_fired}
        if asked.fire
        else None,
        "endings": _stop_facts(coverage, Ended.ENDING),
        "dead_ends": _stop_facts(coverage, Ended.DEAD_END),
        "unreadable": _stop_facts(coverage, Ended.UNREADABLE),
        "loops": [
            {"sections": [_section_facts(graph, one) for one in loop.sections], "walks": walks}
            | members(loop, "automatic", "triggers_leave")
            for loop, walks in coverage.stuck
        ],
        "ended_by": {how.value: number for how, number in sorted(coverage.ended.items())},
        "longest_walk": coverage.longest,
    }


def _stop_facts(coverage: Coverage, how: Ended) -> list[Wire]:
    return [{**_section_facts(coverage.graph, one), "walks": walks} for one, walks in coverage.stopped(how)]


def _section_facts(graph: Graph, section_id: str) -> dict[str, Wire]:
    return {"section_id": section_id, "section_name": graph.section_name(section_id)}


def _broken_facts(broken: Broken | None) -> Wire:
    if broken is None:
        return None
    return {
        "step": broken.step,
        "section_id": broken.section or None,
        "expected": broken.expected,
        "available": list(broken.there),
    }
