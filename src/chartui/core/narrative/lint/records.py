"""Lint rules for individual sections, triggers and characters. They check names, texts, IDs, and the decisions of a
section.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import same
from chartui.core.names import bare
from chartui.core.narrative.graph import Edge
from chartui.core.narrative.lint import fixes
from chartui.core.narrative.lint.findings import Check, Finding, Fix, Place, PlaceKind, Seen, found, quoted
from chartui.core.narrative.speech import keys_in, speech
from chartui.core.spec.models.narrative import Decision


def _place(edge: Edge) -> Place:
    return Place(PlaceKind.DECISION, edge.source, edge.position)


def _decisions(seen: Seen) -> Iterator[Finding]:
    for section_id, edges in seen.graph.edges.items():
        for edge in edges:
            if not edge.criteria.strip():
                yield found("no-criteria", _place(edge), "has no criteria")
        if len(edges) > 1:
            yield from _compared(edges, seen.graph.sections[section_id].decisions or ())


def _compared(edges: Sequence[Edge], ways: Sequence[Decision]) -> Iterator[Finding]:
    """Yield findings about the decisions of one section by comparing each with those tried before it."""
    tried: dict[str, list[Edge]] = {}
    # Two decisions can only be equal if their targets and criteria are equal, so not all pairs are compared.
    twins: dict[tuple[str, str], list[Edge]] = {}
    for edge in edges:
        before = tried.setdefault(bare(edge.criteria), [])
        like = twins.setdefault((edge.criteria, edge.target), [])
        way = ways[edge.position]
        if any(same(ways[other.position].raw, way.raw) for other in like):
            fix = Fix("remove the duplicate", partial(fixes.without_twin, section_id=edge.source, way=way))
            yield found("same-decision", _place(edge), "is listed twice", fix)
        elif edge.never_runs and edge.immediate:
            yield found("after-star", _place(edge), "comes after another * and is never taken")
        elif edge.never_runs:
            fix = Fix("move * to the end", partial(fixes.star_last, section_id=edge.source))
            yield found("after-star", _place(edge), "comes after * and is never taken", fix)
        elif edge.criteria.strip():
            yield from _alike(edge, before)
        before.append(edge)
        like.append(edge)


def _alike(edge: Edge, before: Sequence[Edge]) -> Iterator[Finding]:
    twin = next((other for other in before if other.criteria == edge.criteria), None)
    if twin is not None:
        yield found("same-criteria", _place(edge), "has the same criteria as an earlier decision")
    elif before:
        yield found("similar-criteria", _place(edge), f"is similar to {quoted(before[0].criteria)}")


_section: Final = partial(Place, PlaceKind.SECTION)
_trigger: Final = partial(Place, PlaceKind.TRIGGER)


def _all_names(seen: Seen) -> Iterator[Finding]:
    sections = {section_id: section.section_name or "" for section_id, section in seen.graph.sections.items()}
    yield from _names(sections, _section, "same-section-name")
    triggers = {trigger_id: trigger.trigger_name or "" for trigger_id, trigger in seen.graph.triggers.items()}
    yield from _names(triggers, _trigger, "same-trigger-name")


def _names(names: Mapping[str, str], place: Callable[[str], Place], same_name: str) -> Iterator[Finding]:
    """Yield findings about missing names, and about names that are equal or similar to an earlier name."""
    before: dict[str, str] = {}
    written: set[str] = set()
    for owner, name in names.items():
        if not name.strip():
            yield found("no-name", place(owner), "has no name")
            continue
        near = before.setdefault(bare(name), name)
        if name in written:
            yield found(same_name, place(owner), "has a name that is already in use")
        elif near != name:
            yield found("similar-name", place(owner), f"is similar to {quoted(near)}")
        written.add(name)


class _Text(NamedTuple):
    """The objective of a section or the message of a trigger, with its ID."""

    owner: str
    of_trigger: bool
    text: str

    @property
    def place(self) -> Place:
        return _trigger(self.owner) if self.of_trigger else _section(self.owner)


def _texts(seen: Seen) -> Iterator[_Text]:
    for section_id, section in seen.graph.sections.items():
        yield _Text(section_id, False, section.objective or "")
    for trigger_id, trigger in seen.graph.triggers.items():
        yield _Text(trigger_id, True, trigger.trigger_message or "")


def _said(seen: Seen) -> Iterator[Finding]:
    for one in _texts(seen):
        if not one.text.strip():
            rule, what = ("empty-message", "message") if one.of_trigger else ("empty-objective", "objective")
            yield found(rule, one.place, f"has no {what}")
        elif "<" in one.text and not speech(one.text).balanced:
            message, fix = "has unmatched <speak> tags", None
            if speech(one.text + fixes.SPEAK_END).balanced:
                change = partial(fixes.with_speak_closed, owner=one.owner, of_trigger=one.of_trigger, text=one.text)
                message = "has an unclosed <speak> tag"
                fix = Fix(f"add {fixes.SPEAK_END} at the end", change)
            yield found("unclosed-speak", one.place, message, fix)


def _keys(seen: Seen) -> Iterator[Finding]:
    """Yield a finding for every use of an undeclared template key.

    If no keys are declared, yield one finding for each key instead.
    """
    known = None if seen.keys is None else {bare(key): key for key in seen.keys}
    uses: dict[str, list[Place]] = {}
    for place, names in _used(seen):
        for name in names:
            if seen.keys is None or known is None:
                uses.setdefault(name, []).append(place)
            elif name not in seen.keys:
                fix, near = None, known.get(bare(name))
                if near is not None:
                    of_trigger = place.kind is PlaceKind.TRIGGER
                    put = partial(fixes.with_another_key, owner=place.owner, of_trigger=of_trigger, old=name, new=near)
                    fix = Fix(f"change the key to {{{near}}}", put)
                yield found("undeclared-key", place, f"uses {{{name}}}, which is not declared", fix)
    for name, places in uses.items():
        elsewhere = len(places) - 1
        others = "in 1 other place" if elsewhere == 1 else f"in {elsewhere} other places"
        more = f" (also {others})" if elsewhere else ""
        yield found("template-key", places[0], f"uses {{{name}}}{more}")


def _used(seen: Seen) -> Iterator[tuple[Place, tuple[str, ...]]]:
    for one in _texts(seen):
        texts = [one.text] if "{" in one.text else []
        if not one.of_trigger:
            texts += [edge.criteria for edge in seen.graph.edges[one.owner] if "{" in edge.criteria]
        if texts:
            yield one.place, keys_in(texts)


def _duplicate_ids(seen: Seen) -> Iterator[Finding]:
    message = "has the same ID as an earlier section or trigger"
    for number, section in enumerate(seen.graph.duplicate_sections):
        yield found("duplicate-id", Place(PlaceKind.SAME_SECTION, section.section_id, number), message)
    for number, trigger in enumerate(seen.graph.duplicate_triggers):
        yield found("duplicate-id", Place(PlaceKind.SAME_TRIGGER, trigger.trigger_id, number), message)


def _moderation(seen: Seen) -> Iterator[Finding]:
    prompt = seen.record.personalised_prompt_config if seen.record is not None else None
    if seen.story.enabled and prompt is not None and prompt.moderation_enabled is False:
        fix = Fix("switch the graph off until moderation is on", lambda story: story.switched(False), safe=False)
        yield found("no-moderation", Place(PlaceKind.STORY, seen.graph.start or ""), "runs without moderation", fix)


def _parents(seen: Seen) -> Iterator[Finding]:
    """Yield sections whose stored parents differ from those computed from decisions. Null is ignored (decision 33).

    The service computes parents when sections are read, so they do not reflect staged changes. Only the story as read
    is checked.
    """
    sections = seen.stored.sections
    if not any(section.parents for section in sections.values()):
        return
    leading: dict[str, set[str]] = {}
    for section in sections.values():
        for way in section.decisions or ():
            leading.setdefault(way.next_section_id, set()).add(section.section_id)
    for section_id, section in sections.items():
        if section.parents is None or section_id not in seen.graph.sections:
            continue
        stored, real = set(section.parents), leading.get(section_id, set())
        if stored != real:
            other = next(iter(sorted(stored ^ real)))
            what = "lacks" if other in real else "includes"
            name = quoted(seen.graph.section_name(other))
            message = f"has parents that differ from the service's list, which {what} {name}"
            yield found("stored-parents", Place(PlaceKind.SECTION, section_id), message)


RECORDS: Final[tuple[Check, ...]] = (_decisions, _all_names, _said, _keys, _duplicate_ids, _moderation, _parents)
