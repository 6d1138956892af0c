"""A narrative graph as a value that is changed freely: what is being written, a repair, a file, all before it is sent.

A :class:`Story` is never changed; every method gives another one. Whoever wants a graph to be different makes the story
that it should be; :mod:`chartui.core.plans.story` finds what has to be sent for that. A section or trigger is new when
the story that is stored has none with its id: its id is then only a name inside the story (:meth:`Story.fresh_id`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from chartui.core.jsontext import Wire, same
from chartui.core.narrative.graph import Graph
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Decision, Section, Trigger
from chartui.core.spec.shape import Record, build

__all__ = [
    "KEPT",
    "SECTION_MEMBERS",
    "TRIGGER_MEMBERS",
    "Story",
    "decision",
    "differing_sections",
    "differing_triggers",
    "overrides_of",
]


class _Kept:
    """Marks a member that stays as it is, where None means that there is nothing."""

    def __repr__(self) -> str:
        return "KEPT"


#: Stays as it is: for members that may be None.
KEPT: Final = _Kept()

#: The members of a section and of a trigger that people write (C 4.5, 4.10; overrides: decision 59).
SECTION_MEMBERS: Final = ("section_name", "objective", "decisions", "triggers")
TRIGGER_MEMBERS: Final = ("trigger_name", "trigger_message", "destination_section")


def decision(criteria: str, target: str, *, priority: int | None = None, like: Decision | None = None) -> Decision:
    """A decision; members of ``like`` that are unknown here are kept."""
    raw: dict[str, Wire] = {**(like.raw if like is not None else {}), "criteria": criteria, "next_section_id": target}
    raw.pop("priority", None)
    if priority is not None:
        raw["priority"] = priority
    return build(Decision, raw)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Sections and triggers by id, in their order; where the story starts, and whether the character follows it.

    ``enabled`` is None where nobody knows. ``others`` are records that share the id of an earlier one: they are shown
    and never changed.
    """

    sections: Mapping[str, Section]
    triggers: Mapping[str, Trigger]
    start: str | None = None
    enabled: bool | None = None
    other_sections: tuple[Section, ...] = ()
    other_triggers: tuple[Trigger, ...] = ()

    @classmethod
    def of(cls, character: Character | None, sections: Sequence[Section], triggers: Sequence[Trigger]) -> Story:
        """The story of a character as it was read; of an empty one without a character."""
        first_sections: dict[str, Section] = {}
        first_triggers: dict[str, Trigger] = {}
        return cls(
            other_sections=tuple(s for s in sections if first_sections.setdefault(s.section_id, s) is not s),
            other_triggers=tuple(t for t in triggers if first_triggers.setdefault(t.trigger_id, t) is not t),
            sections=first_sections,
            triggers=first_triggers,
            start=(character.start_narrative_section_id or None) if character is not None else None,
            enabled=character.is_narrative_driven if character is not None else None,
        )

    def graph(self) -> Graph:
        """The story with everything derived."""
        return Graph.build(
            (*self.sections.values(), *self.other_sections),
            (*self.triggers.values(), *self.other_triggers),
            self.start,
        )

    def fresh_id(self, kind: str = "section") -> str:
        """An id that nothing in the story has or refers to, for something new."""
        taken = self._mentioned()
        number = len(self.sections) + len(self.triggers) + 1
        while f"new-{kind}-{number}" in taken:
            number += 1
        return f"new-{kind}-{number}"

    def _mentioned(self) -> Collection[str | None]:
        mentioned: set[str | None] = {*self.sections, *self.triggers, self.start}
        for section in self.sections.values():
            mentioned.update(way.next_section_id for way in section.decisions or ())
            for override in section.triggers or ():
                mentioned.update((override.trigger_id, override.destination_section))
        mentioned.update(trigger.destination_section for trigger in self.triggers.values())
        return mentioned

    # -- the whole ----------------------------------------------------------------------------------------------------

    def starting_at(self, section_id: str | None) -> Story:
        """Let the story start there, or nowhere."""
        return replace(self, start=section_id)

    def switched(self, enabled: bool) -> Story:
        """Let the character follow the story, or not."""
        return replace(self, enabled=enabled)

    # -- sections -----------------------------------------------------------------------------------------------------

    def with_section(
        self,
        section_id: str,
        *,
        name: str | None = None,
        objective: str | None = None,
        decisions: Iterable[Decision] | None = None,
    ) -> Story:
        """Change the members that are given of a section, or add it behind the others; ``decisions`` replace all."""
        changes: dict[str, Wire] = {}
        if name is not None:
            changes["section_name"] = name
        if objective is not None:
            changes["objective"] = objective
        if decisions is not None:
            changes["decisions"] = [dict(way.raw) for way in decisions]
        present = self.sections.get(section_id)
        new = {"section_id": section_id, "section_name": "", "objective": "", "decisions": None, "triggers": None}
        return self._having_section(build(Section, {**(new if present is None else present.raw), **changes}))

    def _having_section(self, section: Section) -> Story:
        return replace(self, sections={**self.sections, section.section_id: section})

    def without_section(self, section_id: str) -> Story:
        """Remove a section and nothing else: what leads to it leads nowhere then (decision 39)."""
        return replace(self, sections={key: one for key, one in self.sections.items() if key != section_id})

    def overriding(self, section_id: str, trigger_id: str, destination: str | None) -> Story:
        """Let a trigger lead elsewhere while a section runs; None takes that away (decisions 33 and 59)."""
        section = self.sections[section_id]
        overrides: list[Wire] = []
        placed = False
        for override in section.triggers or ():
            if override.trigger_id != trigger_id:
                overrides.append(dict(override.raw))
            elif destination is not None and not placed:
                overrides.append({**override.raw, "destination_section": destination})
                placed = True
        if destination is not None and not placed:
            overrides.append({"trigger_id": trigger_id, "destination_section": destination})
        return self._having_section(build(Section, {**section.raw, "triggers": overrides or None}))

    # -- triggers -----------------------------------------------------------------------------------------------------

    def with_trigger(
        self,
        trigger_id: str,
        *,
        name: str | None = None,
        message: str | None = None,
        destination: str | _Kept | None = KEPT,
    ) -> Story:
        """Change the members that are given of a trigger, or add it behind the others; None disconnects it."""
        changes: dict[str, Wire] = {}
        if name is not None:
            changes["trigger_name"] = name
        if message is not None:
            changes["trigger_message"] = message
        if not isinstance(destination, _Kept):
            changes["destination_section"] = destination
        present = self.triggers.get(trigger_id)
        new = {"trigger_id": trigger_id, "trigger_name": "", "trigger_message": "", "destination_section": None}
        trigger = build(Trigger, {**(new if present is None else present.raw), **changes})
        return replace(self, triggers={**self.triggers, trigger_id: trigger})

    def without_trigger(self, trigger_id: str) -> Story:
        """Remove a trigger and nothing else: overrides that name it never fire then."""
        return replace(self, triggers={key: one for key, one in self.triggers.items() if key != trigger_id})

    # -- ids ----------------------------------------------------------------------------------------------------------

    def renamed(self, ids: Mapping[str, str]) -> Story:
        """The same story with other ids for sections and triggers, wherever they are mentioned."""
        if not ids:
            return self

        def other(item_id: str | None) -> str | None:
            return None if item_id is None else ids.get(item_id, item_id)

        sections = (_with_ids(section, ids) for section in self.sections.values())
        triggers = (
            build(
                Trigger,
                {
                    **trigger.raw,
                    "trigger_id": ids.get(trigger.trigger_id, trigger.trigger_id),
                    "destination_section": other(trigger.destination_section),
                },
            )
            for trigger in self.triggers.values()
        )
        return replace(
            self,
            sections={section.section_id: section for section in sections},
            triggers={trigger.trigger_id: trigger for trigger in triggers},
            start=other(self.start),
        )


def _with_ids(section: Section, ids: Mapping[str, str]) -> Section:
    raw: dict[str, Wire] = {**section.raw, "section_id": ids.get(section.section_id, section.section_id)}
    if section.decisions:
        raw["decisions"] = [
            {**way.raw, "next_section_id": ids.get(way.next_section_id, way.next_section_id)}
            for way in section.decisions
        ]
    if section.triggers:
        raw["triggers"] = [
            {
                **override.raw,
                "trigger_id": ids.get(override.trigger_id, override.trigger_id),
                "destination_section": ids.get(override.destination_section or "", override.destination_section),
            }
            for override in section.triggers
        ]
    return build(Section, raw)


def overrides_of(section: Section | None) -> dict[str, str]:
    """Where triggers lead while a section runs, by their ids; of several for one trigger the first counts."""
    found: dict[str, str] = {}
    for override in (section.triggers if section is not None else None) or ():
        if override.destination_section:
            found.setdefault(override.trigger_id, override.destination_section)
    return found


def differing_sections(old: Section | None, new: Section | None) -> tuple[str, ...]:
    """The members that people write and in which two sections differ; those that say something where one is missing."""
    if old is new:
        return ()
    differing = _differing(old, new, SECTION_MEMBERS[:-1])
    # Which override stands first means nothing.
    return (*differing, "triggers") if overrides_of(old) != overrides_of(new) else differing


def differing_triggers(old: Trigger | None, new: Trigger | None) -> tuple[str, ...]:
    """The same of two triggers."""
    return () if old is new else _differing(old, new, TRIGGER_MEMBERS)


def _differing(old: Record | None, new: Record | None, members: Sequence[str]) -> tuple[str, ...]:
    before, after = (old.raw if old is not None else {}), (new.raw if new is not None else {})
    # Null, empty and absent are all nothing: to make one the other is no change that anybody means (decision 40).
    return tuple(name for name in members if not same(before.get(name) or None, after.get(name) or None))
