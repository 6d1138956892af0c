"""``chartui narrative walk`` for many walks: saved ones, random ones, and those that cover a story."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import write_text, writing_to
from chartui.cli.lookup import existing_section
from chartui.cli.output import Output
from chartui.cli.parser import Arguments
from chartui.cli.walks import WalkStory, coverage_facts, only_story, random_facts, replayed_facts, stories, target
from chartui.core.junit import junit
from chartui.core.narrative.loops import loop_text
from chartui.core.narrative.walk.coverage import Coverage, walks_coverage
from chartui.core.narrative.walk.path import Walk
from chartui.core.narrative.walk.random_walks import Ended, RandomCoverage, RandomWalks, random_walks
from chartui.core.narrative.walk.replay import BadWalk, Script, read_walk, replay, script_of, walk_toml
from chartui.core.narrative.walk.suite import Result, SuiteResult, file_name, junit_cases, walk_files
from chartui.core.numbers import count, number_of
from chartui.core.paths import private_folder
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire

_LIMIT: Final = 100


# -- saved walks ------------------------------------------------------------------------------------------------------


def replay_files(arguments: Arguments, output: Output) -> int:
    paths = list(paths_of(arguments.files))
    scripts = [read_script(path) for path in paths]
    suites = _replayed(arguments, paths, scripts)
    if arguments.junit is not None:
        least: Decimal | None = arguments.fail_under
        cases = [case for story, suite in suites for case in junit_cases(story.label, suite, least)]
        reports = {story.label: _coverage_text(suite.coverage) for story, suite in suites}
        write_text(arguments.junit, f"{junit(cases, 'walks', reports)}\n", replace=True)
        output.note(f"results written to {arguments.junit}")
    if output.as_json:
        _json_results(suites, output)
    else:
        for story, suite in suites:
            for one in suite.results:
                _write_result(one, output)
            _write_suite(story, suite, arguments, output, several=len(suites) > 1)
    failed = any(suite.failed or below(suite.coverage, arguments) for _, suite in suites)
    return Exit.NO if failed else Exit.DONE


def paths_of(given: Sequence[Path]) -> Iterator[Path]:
    """The saved walks in files and folders; raises :class:`UsageError` for a folder without any."""
    for path in given:
        if not path.is_dir():
            yield path
            continue
        with writing_to(path):
            found = walk_files(path)
        if not found:
            raise UsageError(f"{path}: no saved walks in this folder")
        yield from found


def read_script(path: Path) -> Script:
    """Read a saved walk; raises :class:`UsageError`."""
    if not path.exists():
        raise UsageError(f"{path}: no such file. To walk through the story of a character, use --character NAME.")
    try:
        return read_walk(path)
    except BadWalk as error:
        raise UsageError.of(error, code="usage") from None


def _replayed(
    arguments: Arguments, paths: Sequence[Path], scripts: Sequence[Script]
) -> list[tuple[WalkStory, SuiteResult]]:
    ids = [arguments.character_id or script.character_id for script in scripts]
    for path, character_id in zip(paths, ids, strict=True):
        if not character_id and arguments.bundle is None:
            raise UsageError(f"{path} does not name a character: give --character NAME")
    found = stories(arguments, ids)
    results: dict[str, tuple[WalkStory, list[Result]]] = {}
    for path, script, character_id in zip(paths, scripts, ids, strict=True):
        story = found[character_id]
        keys = {**story.keys, **script.keys, **dict(arguments.keys)}
        result = Result(str(path), replay(script, story.graph, keys))
        results.setdefault(story.character_id, (story, []))[1].append(result)
    return [(story, SuiteResult.of(story.graph, each)) for story, each in results.values()]


def _json_results(suites: Sequence[tuple[WalkStory, SuiteResult]], output: Output) -> None:
    walks: list[Wire] = [
        replayed_facts(one.name, story.character_id, one.replayed) for story, suite in suites for one in suite.results
    ]
    coverage: list[Wire] = [
        {"character_id": story.character_id or None, **coverage_facts(suite.coverage, triggers=True)}
        for story, suite in suites
    ]
    output.json({"walks": walks, "coverage": coverage})


def _write_result(one: Result, output: Output) -> None:
    retraced = one.replayed.retraced
    if one.replayed.holds:
        here = single_line(retraced.walk.graph.section_name(retraced.walk.here or ""), limit=_LIMIT)
        output.sentence(f"{one.name}: passed, {number_of(len(one.replayed.script.choices), 'step')} to “{here}”")
    elif retraced.broken is not None:
        output.sentence(f"{one.name}: the story no longer allows this walk")
    else:
        output.sentence(f"{one.name}: the walk works, but an expectation is not met")
    for line in (*one.failures, *map(str, retraced.remarks)):
        output.text(f"  {line}")
    if retraced.broken is not None and retraced.walk.here is not None:
        output.text(
            "  To continue the recording from the last section reached, add --take, --fire or --jump, and "
            f"--save {one.name} --force."
        )


def _write_suite(story: WalkStory, suite: SuiteResult, arguments: Arguments, output: Output, *, several: bool) -> None:
    passed = f"{len(suite.results) - suite.failed} of {number_of(len(suite.results), 'walk')} passed"
    output.text()
    output.sentence(f"{story.label}: {passed}" if several else passed)
    output.fields(_totals(suite.coverage, triggers=bool(suite.coverage.graph.triggers)))
    if arguments.untested or below(suite.coverage, arguments):
        _write_rows(list(_missed(suite.coverage, triggers=True)), output)


def below(coverage: Coverage, arguments: Arguments) -> bool:
    return arguments.fail_under is not None and coverage.percent < arguments.fail_under


# -- coverage ---------------------------------------------------------------------------------------------------------


def _totals(coverage: Coverage, *, triggers: bool) -> list[tuple[str, str]]:
    graph, sections = coverage.graph, len(coverage.visits)
    taken = f"{count(len(coverage.taken))} of {count(coverage.decisions)} taken, {coverage.percent_taken}%"
    return [
        ("sections", f"{count(sections)} of {count(len(graph.sections))} visited, {coverage.percent}%"),
        ("decisions", taken),
        *([("triggers", f"{len(coverage.fired)} of {len(graph.triggers)} fired")] if triggers else []),
    ]


def _missed(coverage: Coverage, *, triggers: bool) -> Iterator[list[str]]:
    graph = coverage.graph
    for one, why in coverage.reasons.items():
        yield ["never visited", graph.section_name(one), why.value]
    for edge in coverage.untaken:
        never = " (never runs)" if edge.never_runs else ""
        yield ["never taken", graph.section_name(edge.source), f"{edge.criteria} {target(graph, edge.target)}{never}"]
    for one in coverage.unfired if triggers else ():
        yield ["never fired", graph.trigger_name(one), ""]


def _coverage_text(coverage: Coverage) -> str:
    totals = [": ".join(one) for one in _totals(coverage, triggers=bool(coverage.graph.triggers))]
    missed = [f"{what}: {', '.join(filter(None, named))}" for what, *named in _missed(coverage, triggers=True)]
    return "\n".join([*totals, *(single_line(line) for line in missed)])


def _write_rows(rows: Sequence[Sequence[str]], output: Output) -> None:
    if rows:
        output.text()
        output.table(rows)


def walk_at_random(arguments: Arguments, output: Output) -> int:
    story = only_story(arguments)
    asked = RandomWalks(
        arguments.seed, arguments.walks, arguments.steps, _start(story, arguments), arguments.fire_triggers
    )
    try:
        found = random_walks(story.graph, asked)
    except ValueError as error:
        raise UsageError.of(error, code="usage") from None
    if output.as_json:
        output.json(random_facts(story.character_id, found))
    else:
        _write_random(found, output)
    return Exit.NO if below(found.coverage, arguments) else Exit.DONE


def _start(story: WalkStory, arguments: Arguments) -> str | None:
    return None if arguments.start is None else existing_section(story.graph, arguments.start, arguments)


def _write_random(found: RandomCoverage, output: Output) -> None:
    graph, asked = found.coverage.graph, found.asked
    output.sentence(f"{number_of(asked.walks, 'walk')} of up to {number_of(asked.steps, 'step')}, seed {asked.seed}")
    ended = ", ".join(f"{count(found.ended[how])} {how.words}" for how in Ended if found.ended[how])
    totals = _totals(found.coverage, triggers=asked.fire)
    output.fields([*totals, ("ended", ended), ("longest", number_of(found.longest, "step"))])
    rows = [
        *_missed(found.coverage, triggers=asked.fire),
        *(
            [how.value, graph.section_name(one), number_of(walks, "walk")]
            for how in (Ended.ENDING, Ended.DEAD_END, Ended.UNREADABLE)
            for one, walks in found.stopped(how)
        ),
        *(
            [loop.kind, loop_text(graph, loop.sections), "; ".join(filter(None, (number_of(walks, "walk"), loop.exit)))]
            for loop, walks in found.stuck
        ),
    ]
    _write_rows(rows, output)


# -- walks that cover a story -----------------------------------------------------------------------------------------


def cover(arguments: Arguments, output: Output) -> None:
    from chartui.core.narrative.walk.cover import covering_walks

    story = only_story(arguments)
    keys = {**story.keys, **dict(arguments.keys)}
    try:
        walks = tuple(covering_walks(story.graph, _start(story, arguments)))
        texts = {file_name(number, one): _toml(one, story, keys) for number, one in enumerate(walks, 1)}
    except ValueError as error:
        raise UsageError(f"the walks cannot be written: {error}") from None
    folder: Path = arguments.cover
    with writing_to(folder):
        private_folder(folder)
    if not arguments.force and (existing := next((name for name in texts if (folder / name).exists()), None)):
        raise UsageError(f"{folder / existing} already exists; --force overwrites it")
    for name, text in texts.items():
        write_text(folder / name, text, replace=arguments.force)
    coverage = walks_coverage(story.graph, walks)
    if output.as_json:
        files: list[Wire] = [str(folder / name) for name in texts]
        facts = coverage_facts(coverage, triggers=True)
        output.json({"character_id": story.character_id or None, "files": files, **facts})
    else:
        output.sentence(f"{number_of(len(texts), 'walk')} written to {folder}")
        output.fields(_totals(coverage, triggers=bool(story.graph.triggers)))
        _write_rows(list(_missed(coverage, triggers=True)), output)


def _toml(walk: Walk, story: WalkStory, keys: dict[str, str]) -> str:
    return walk_toml(script_of(walk, keys, character_id=story.character_id, character_name=story.name))
