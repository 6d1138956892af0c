"""Find errors and probable mistakes in a narrative graph, and offer fixes.

The checks change nothing and accept any graph, whatever it contains. A fix is a change to the story that can be staged
or sent like any other change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from chartui.core.lint import Severity
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.lint.findings import (
    RULES,
    Finding,
    FindingKey,
    Fix,
    PlaceKind,
    Seen,
    in_words,
    switched_off,
    where,
)
from chartui.core.narrative.lint.records import RECORDS
from chartui.core.narrative.lint.targets import TARGETS
from chartui.core.narrative.loops import loops
from chartui.core.narrative.story import Story
from chartui.core.spec.models.characters import Character

__all__ = ["RULES", "Finding", "FindingKey", "Fix", "PlaceKind", "fix_all", "in_words", "lint", "switched_off", "where"]

_CHECKS: Final = (*TARGETS, *RECORDS)
#: Maximum rounds of fixes. Every fix removes a problem, so this limit only prevents an infinite loop.
_MOST_ROUNDS: Final = 100
#: The kinds of places in reading order. Those of a section are together.
_KINDS: Final = {PlaceKind.STORY: 0, PlaceKind.TRIGGER: 2, PlaceKind.SAME_SECTION: 3, PlaceKind.SAME_TRIGGER: 4}


def lint(
    story: Story,
    *,
    graph: Graph | None = None,
    stored: Story | None = None,
    record: Character | None = None,
    keys: Collection[str] | None = None,
    off: Collection[str] = (),
    embedded: bool = True,
) -> tuple[Finding, ...]:
    """Return all findings in a story: errors first, then warnings and notes, each in reading order.

    ``graph`` is the graph of the story, if it has already been built. ``stored`` is the story before any edits.
    ``record`` is the character's record. ``keys`` contains the declared template keys, and ``off`` contains the IDs of
    disabled rules. ``embedded`` is true for an embedded store, where the start and the overrides can be changed.
    """
    if graph is None:
        graph = story.graph()
    seen = Seen(
        story=story,
        stored=stored or story,
        graph=graph,
        loops=loops(graph),
        record=record,
        keys=None if keys is None else frozenset(keys),
        embedded=embedded,
    )
    order = seen.loops.order
    triggers = {trigger_id: number for number, trigger_id in enumerate(graph.triggers)}
    rules = {rule_id: number for number, rule_id in enumerate(RULES)}
    severities = {severity: number for number, severity in enumerate(Severity)}

    def reading(finding: Finding) -> tuple[int, ...]:
        kind, owner, position = finding.place
        at = triggers.get(owner, 0) if kind is PlaceKind.TRIGGER else order.get(owner, 0)
        # A section comes before its decisions.
        inside = 0 if kind is PlaceKind.SECTION else 1 if kind is PlaceKind.DECISION else 2
        return severities[finding.rule.severity], _KINDS.get(kind, 1), at, inside, position, rules[finding.rule.id]

    found = (finding for check in _CHECKS for finding in check(seen) if finding.rule.id not in off)
    return tuple(sorted(found, key=reading))


def fix_all(story: Story, again: Callable[[Story], Sequence[Finding]]) -> tuple[Story, tuple[str, ...]]:
    """Return the story with every safe fix applied, and a description of each fix.

    Problems caused by a fix are also fixed, if possible. ``again`` is the function that checks a story and returns its
    findings.
    """
    done: list[str] = []
    for _ in range(_MOST_ROUNDS):
        before, graph = story, story.graph()
        for finding in again(story):
            if finding.fix is None or not finding.fix.safe:
                continue
            fixed = finding.fix.apply(story)
            if fixed is not story:
                done.append(f"{in_words(graph, finding)}: {finding.fix.words}")
                story = fixed
        if story is before:
            break
    return story, tuple(done)
