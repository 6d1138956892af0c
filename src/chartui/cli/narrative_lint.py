"""``chartui narrative lint``: problems of a story, and their fixes."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.lookup import read_story
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Verbs
from chartui.cli.run_plan import add_change, change
from chartui.cli.sessions import ask
from chartui.core.classes import NamedTuple
from chartui.core.clock import random_ids
from chartui.core.config import config_path, load_config
from chartui.core.lint import Severity, in_numbers, tally
from chartui.core.narrative.lint import Finding, fix_all, in_words, switched_off, where
from chartui.core.narrative.lint.findings import Place, PlaceKind
from chartui.core.narrative.story import Story
from chartui.core.plans.plan import Plan
from chartui.core.tables import Mistake, file_problems, located

if TYPE_CHECKING:
    from pathlib import Path

    from chartui.core.bundle.files import Places
    from chartui.core.jsontext import Wire
    from chartui.core.narrative.graph import Graph
    from chartui.core.plans.executor import Progress
    from chartui.core.session import Session
    from chartui.core.spec.models.characters import Character

_EPILOG: Final = """\
The exit status is 1 if there are errors; warnings and notes do not count.
To switch a rule off, give a reason with --off or in config.toml:

  [lint.off]
  ending = "All three endings are intended."

--json writes {"findings": [...], "counts": {...}, "off": {...}}. Each finding
has rule, severity, place (kind, id, position), where, message, reason, fix and
safe. With --bundle, it also has the file and the line.
After --fix, the output also lists the fixes ("fixed"), and "findings" contains
only the remaining findings.
"""


def add_lint(verbs: Verbs) -> None:
    verb = add_change(verbs, "lint", "check the graph for problems; exit 1 if there are errors", lint)
    verb.epilog = _EPILOG
    verb.option("character_id", "CHARACTER", "the character's name or ID", nargs="?")
    verb.option("--bundle", "FILE", "check the story in a file from 'chartui pull', without sending anything", type=str)
    severities = [severity.value for severity in Severity]
    verb.add_argument("--severity", choices=severities, default=severities[-1], help="lowest severity to show")
    verb.option("--rule", "RULE", "check this rule only; may be repeated", action="append", default=[])
    off = "switch off a rule and give the reason; may be repeated"
    verb.option("--off", "RULE=REASON", off, action="append", default=[], type=_reason)
    verb.option("--keys", "KEY[,KEY…]", "template keys to accept; any other key is reported as an error", type=_names)
    verb.flag("--fix", "apply every safe fix")


def _reason(text: str) -> tuple[str, str]:
    rule, _, reason = text.partition("=")
    if not rule.strip() or not reason.strip():
        raise argparse.ArgumentTypeError(f"{text!r} has no reason; write RULE=REASON")
    return rule.strip(), reason.strip()


def _names(text: str) -> list[str]:
    return [name.strip().strip("{}") for name in text.split(",") if name.strip()]


class _Asked(NamedTuple):
    """How to lint a story. ``off`` maps the rules that are switched off to their reasons."""

    arguments: Arguments
    off: Mapping[str, str]

    def findings(
        self, story: Story, record: Character | None, *, embedded: bool, declared: Collection[str] | None = None
    ) -> tuple[Finding, ...]:
        from chartui.core.narrative.lint import lint

        rules, keys = self.arguments.rule, declared if self.arguments.keys is None else self.arguments.keys
        found = lint(story, record=record, keys=keys, off=self.off, embedded=embedded)
        severities = list(Severity)
        shown = severities[: severities.index(Severity(self.arguments.severity)) + 1]
        return tuple(f for f in found if f.rule.severity in shown and (not rules or f.rule.id in rules))


def _asked(arguments: Arguments, output: Output) -> _Asked:
    """How to lint, from options and settings. Raises :class:`UsageError` for an unknown rule among the options."""
    _, unknown = switched_off({**dict.fromkeys(arguments.rule, ""), **dict(arguments.off)})
    for problem in unknown:
        raise UsageError(problem.rstrip("."))
    config = load_config()
    configured, wrong = switched_off(config.lint_off)
    output.notes(file_problems(config_path(), [f"lint.off: {problem}" for problem in wrong]))
    return _Asked(arguments, {**configured, **dict(arguments.off)})


def lint(arguments: Arguments, output: Output) -> int:
    if (arguments.character_id is None) is (arguments.bundle is None):
        raise UsageError("which story? Give either a character or --bundle FILE")
    asked = _asked(arguments, output)
    if arguments.bundle is not None:
        return _lint_file(asked, output)
    if arguments.fix:
        return _fix(asked, output)

    async def question(session: Session) -> tuple[Story, tuple[Finding, ...]]:
        record, story = await read_story(session, arguments.character_id)
        return story, asked.findings(story, record, embedded=session.service.embedded)

    story, found = ask(arguments, question)
    _write(asked, output, story.graph(), found)
    return _status(found)


def _lint_file(asked: _Asked, output: Output) -> int:
    from chartui.cli.bundles import load_named
    from chartui.core.bundle.files import Places

    if asked.arguments.fix:
        raise UsageError(
            "--fix needs a profile, not a file: push the file, run --fix on the profile, then pull the character again"
        )
    loaded = load_named(asked.arguments.bundle)
    bundle = loaded.bundle
    found = asked.findings(bundle.story, None, embedded=True, declared=bundle.keys)
    _write(asked, output, bundle.story.graph(), found, places=Places(loaded))
    return _status(found)


def _found(places: Places, place: Place) -> tuple[Path | str, int | None]:
    """The file and the line of a place in a bundle."""
    section = f"sections.{place.owner}"
    members = {
        PlaceKind.STORY: "character.start",
        PlaceKind.DECISION: f"{section}.decisions[{place.position}]",
        PlaceKind.OVERRIDE: f"{section}.overrides[{place.position}]",
        PlaceKind.TRIGGER: f"triggers.{place.owner}",
    }
    return places.find(members.get(place.kind, section))


def _status(found: Sequence[Finding]) -> int:
    return Exit.NO if any(finding.rule.severity is Severity.ERROR for finding in found) else Exit.DONE


class _Fixed(NamedTuple):
    story: Story
    done: tuple[str, ...]
    left: tuple[Finding, ...]


def _fix(asked: _Asked, output: Output) -> int:
    arguments = asked.arguments
    made: list[_Fixed] = []

    async def make(session: Session) -> Plan:
        from chartui.core.plans.story import story_steps, with_errors

        record, stored = await read_story(session, arguments.character_id)
        embedded = session.service.embedded
        again = partial(asked.findings, record=record, embedded=embedded)
        story, done = fix_all(stored, again)
        made.append(_Fixed(story, done, again(story)))
        steps = story_steps(record, stored, story, embedded=embedded).steps
        plan = Plan(id=random_ids(), title="Fix the story", steps=steps, notes=done)
        return with_errors(plan, stored, story, asked.off)

    def report(progress: Progress) -> None:
        del progress
        _write(asked, output, made[0].story.graph(), made[0].left, fixed=made[0].done)

    status = change(arguments, output, make, done=report)
    if status != Exit.DONE or arguments.dry_run:
        return status
    if not made[0].done and not output.as_json:
        _write(asked, output, made[0].story.graph(), made[0].left)
    return _status(made[0].left)


def _write(
    asked: _Asked,
    output: Output,
    graph: Graph,
    found: Sequence[Finding],
    *,
    fixed: Sequence[str] | None = None,
    places: Places | None = None,
) -> None:
    def message(finding: Finding) -> str:
        words = f"{finding.sign} {in_words(graph, finding)}".lstrip()
        if places is None:
            return words
        file, line = _found(places, finding.place)
        return located(file, [Mistake(line, words)])[0]

    if output.as_json:
        counts = {severity.value: number for severity, number in tally(f.rule for f in found).items()}
        value: dict[str, Wire] = {
            "findings": [_facts(graph, finding, places) for finding in found],
            "counts": counts,
            "off": dict(asked.off),
        }
        output.json(value if fixed is None else {"fixed": list(fixed), **value})
        return
    for words in fixed or ():
        output.sentence(f"fixed: {words}")
    if fixed and found:
        output.text()
    width = max((len(f.rule.id) for f in found), default=0)
    for number, severity in enumerate(s for s in Severity if any(f.rule.severity is s for f in found)):
        if number:
            output.text()
        output.text(f"{severity.value}s")
        for finding in found:
            if finding.rule.severity is severity:
                output.sentence(message(finding), after=f"  {finding.rule.id:<{width}}  ")
                if finding.fix is not None:
                    cure = f"--fix: {finding.fix.words}" if finding.fix.safe else f"possible fix: {finding.fix.words}"
                    output.sentence(cure, after=" " * (width + 4))
    if found:
        output.text()
    output.text(
        in_numbers(f.rule for f in found)
        or ("No problems." if graph.sections or graph.triggers else "The graph is empty.")
    )
    for rule, reason in asked.off.items():
        output.sentence(f"switched off: {rule} ({reason})")


def _facts(graph: Graph, finding: Finding, places: Places | None) -> Wire:
    kind, owner, position = finding.place
    of_file: dict[str, Wire] = {}
    if places is not None:
        file, line = _found(places, finding.place)
        of_file = {"file": str(file), "line": line}
    return {
        "rule": finding.rule.id,
        "severity": finding.rule.severity.value,
        "place": {"kind": kind.value, "id": owner or None, "position": position},
        "where": where(graph, finding.place),
        **of_file,
        "message": finding.message,
        "reason": finding.rule.why,
        "fix": finding.fix.words if finding.fix else None,
        "safe": finding.fix.safe if finding.fix else None,
    }
