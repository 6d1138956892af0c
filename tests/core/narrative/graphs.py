"""Graphs to test with: short to write by hand, and any shape at all from hypothesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from chartui.core.narrative.graph import Graph
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.shape import build


def section(
    section_id: str,
    *decisions: tuple[str, str] | tuple[str, str, int | None],
    name: str | None = None,
    overrides: Mapping[str, str | None] | None = None,
) -> Section:
    """A section; a decision is (criteria, target) or (criteria, target, priority)."""
    return build(
        Section,
        {
            "section_id": section_id,
            "section_name": section_id.title() if name is None else name,
            "decisions": [
                {"criteria": criteria, "next_section_id": target, **({"priority": rest[0]} if rest else {})}
                for criteria, target, *rest in decisions
            ],
            "triggers": [{"trigger_id": t, "destination_section": to} for t, to in overrides.items()]
            if overrides
            else None,
        },
    )


def trigger(trigger_id: str, destination: str | None = None, name: str | None = None) -> Trigger:
    record = {
        "trigger_id": trigger_id,
        "trigger_name": name or trigger_id.title(),
        "destination_section": destination,
    }
    return build(Trigger, record)


@dataclass(frozen=True)
class Story:
    """What a graph is built from, kept to compare with."""

    sections: Sequence[Section]
    triggers: Sequence[Trigger]
    start: str | None

    @property
    def graph(self) -> Graph:
        return Graph.build(self.sections, self.triggers, self.start)


@st.composite
def stories(draw: st.DrawFn, *, largest: int = 300) -> Story:
    """Any graph: cycles, self loops, islands, unknown and duplicate ids, null decisions, overrides of anything.

    The shape comes from one seeded generator: drawing every member one by one would spend hypothesis' budget on a
    dozen sections.
    """
    random = draw(st.randoms(use_true_random=False))
    size = draw(st.integers(0, 12) | st.integers(0, largest))
    known = [f"s{number}" for number in range(size)]
    targets = [*known, *(f"gone{number}" for number in range(1 + size // 10))]
    names = [f"t{number}" for number in range(draw(st.integers(0, 6)))]
    repeated = draw(st.integers(0, 2))

    def decisions() -> list[dict[str, Any]] | None:
        if random.random() < 0.15:
            return None
        return [
            {
                "criteria": random.choice(["yes", "no", "*", "{Key}"]),
                "next_section_id": random.choice(targets),
                "priority": random.choice([None, None, 0, 1, 2]),
            }
            for _ in range(random.choice([0, 1, 1, 2, 3]))
        ]

    def overrides() -> list[dict[str, Any]] | None:
        if random.random() < 0.8:
            return None
        destinations = [*targets, None, ""]
        return [
            {"trigger_id": random.choice([*names, "t-gone"]), "destination_section": random.choice(destinations)}
            for _ in range(random.choice([1, 2]))
        ]

    ids = [*known, *(random.choice(known) for _ in range(repeated if known else 0))]
    return Story(
        [build(Section, {"section_id": i, "decisions": decisions(), "triggers": overrides()}) for i in ids],
        [trigger(name, random.choice([*targets, None, ""])) for name in [*names, *names[:repeated]]],
        draw(st.sampled_from([*known[:1], None, "gone0", *known[-1:]])),
    )
