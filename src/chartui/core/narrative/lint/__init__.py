"""Looking over a narrative graph: what is broken, what is hardly meant, and how it can be put right.

Pure, and in one pass over the graph. Nothing here raises for what a graph holds, and nothing is changed: where there is
a way to put a thing right, the finding has it as a change of the story, to be staged or sent like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final

from chartui.core.lint import Severity
from chartui.core.narrative.graph import circles
from chartui.core.narrative.lint.findings import (
    RULES,
    Finding,
    FindingKey,
    Fix,
    Place,
    PlaceKind,
    Seen,
    in_words,
    switched_off,
    where,
)
from chartui.core.narrative.lint.records import RECORDS
from chartui.core.narrative.lint.targets import TARGETS

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph
    from chartui.core.narrative.story import Story
    from chartui.core.spec.models.characters import Character

__all__ = [
    "RULES",
    "Finding",
    "FindingKey",
    "Fix",
    "Place",
    "PlaceKind",
    "fix_all",
    "in_words",
    "lint",
    "switched_off",
    "where",
]

_LOOKS: Final = (*TARGETS, *RECORDS)
#: Every fix takes something wrong away; this only stops what would go on for ever.
_MOST_ROUNDS: Final = 100
_KINDS: Final = {
    PlaceKind.STORY: 0,
    PlaceKind.SECTION: 1,
    PlaceKind.DECISION: 1,
    PlaceKind.OVERRIDE: 1,
    PlaceKind.TRIGGER: 2,
    PlaceKind.SAME_SECTION: 3,
    PlaceKind.SAME_TRIGGER: 4,
}


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
    """Everything that is found in a story: errors first, each as one reads the story from its start.

    ``graph`` is that of the story, where it is there already. ``stored`` is the story as it was read, when this one is
    being written; ``record`` that of the character. ``keys`` are the template keys that are declared, ``off`` the ids
    of rules that are not looked at. ``embedded`` tells whether the start and overrides can be set at all.
    """
    if graph is None:
        graph = story.graph()
    seen = Seen(
        story=story,
        stored=stored or story,
        graph=graph,
        circles=circles(graph),
        record=record,
        keys=None if keys is None else frozenset(keys),
        embedded=embedded,
    )
    order = seen.circles.order
    triggers = {trigger_id: number for number, trigger_id in enumerate(graph.triggers)}
    rules = {rule_id: number for number, rule_id in enumerate(RULES)}
    severities = {severity: number for number, severity in enumerate(Severity)}

    def reading(finding: Finding) -> tuple[int, ...]:
        kind, owner, position = finding.place
        at = triggers.get(owner, 0) if kind is PlaceKind.TRIGGER else order.get(owner, 0)
        # A section is told of before its decisions.
        inside = 0 if kind is PlaceKind.SECTION else 1 if kind is PlaceKind.DECISION else 2
        return severities[finding.rule.severity], _KINDS[kind], at, inside, position, rules[finding.rule.id]

    found = (finding for look in _LOOKS for finding in look(seen) if finding.rule.id not in off)
    return tuple(sorted(found, key=reading))


def fix_all(story: Story, again: Callable[[Story], Sequence[Finding]]) -> tuple[Story, tuple[str, ...]]:
    """The story with all put right for which there is a safe way, and what was done, in words.

    ``again`` looks over a story. What becomes wrong by a fix is put right as well, as far as that goes.
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
