"""What is written: names, objectives, messages, what is said word for word, and template keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from chartui.core.names import bare
from chartui.core.narrative.lint import fixes
from chartui.core.narrative.lint.finding import Finding, Fix, Place, PlaceKind, quoted
from chartui.core.narrative.lint.looking import Look, Seen, found
from chartui.core.narrative.speech import keys_in, speech

__all__ = ["TEXTS"]


def _section(section_id: str) -> Place:
    return Place(PlaceKind.SECTION, section_id)


def _trigger(trigger_id: str) -> Place:
    return Place(PlaceKind.TRIGGER, trigger_id)


# -- names ------------------------------------------------------------------------------------------------------------


def _section_names(seen: Seen) -> Iterator[Finding]:
    names = {section_id: section.section_name or "" for section_id, section in seen.graph.sections.items()}
    yield from _names(names, _section, "same-section-name")


def _trigger_names(seen: Seen) -> Iterator[Finding]:
    names = {trigger_id: trigger.trigger_name or "" for trigger_id, trigger in seen.graph.triggers.items()}
    yield from _names(names, _trigger, "same-trigger-name")


def _names(names: Mapping[str, str], place: Callable[[str], Place], same_name: str) -> Iterator[Finding]:
    """Names that are missing, and those that say the same as one before, or nearly so."""
    before: dict[str, str] = {}
    written: set[str] = set()
    for owner, name in names.items():
        if not name.strip():
            yield found("no-name", place(owner), "has no name")
            continue
        near = before.setdefault(bare(name), name)
        if name in written:
            yield found(same_name, place(owner), "has a name that another one has")
        elif near != name:
            yield found("similar-name", place(owner), f"is easily taken for {quoted(near)}")
        written.add(name)


# -- what is said -----------------------------------------------------------------------------------------------------


class _Text(NamedTuple):
    """The objective of a section or the message of a trigger, by the id of either."""

    owner: str
    of_trigger: bool
    text: str

    @property
    def place(self) -> Place:
        """Where it stands."""
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
            yield _unclosed(one)


def _unclosed(one: _Text) -> Finding:
    place, text = one.place, one.text
    if speech(text + fixes.SPEAK_END).balanced:
        change = partial(fixes.with_speak_closed, owner=one.owner, of_trigger=one.of_trigger, text=text)
        fix = Fix(f"write {fixes.SPEAK_END} at its end", change)
        return found("unclosed-speak", place, "has a <speak> that is never closed", fix)
    return found("unclosed-speak", place, "has marks of <speak> that do not belong together")


# -- template keys ----------------------------------------------------------------------------------------------------


def _keys(seen: Seen) -> Iterator[Finding]:
    """Every key that is not declared where it is used; where nobody declares any, each of them once."""
    known = None if seen.keys is None else {bare(key): key for key in seen.keys}
    uses: dict[str, list[Place]] = {}
    for place, names in _used(seen):
        for name in names:
            if seen.keys is None or known is None:
                uses.setdefault(name, []).append(place)
            elif name not in seen.keys:
                yield _undeclared(place, name, known.get(bare(name)))
    for name, places in uses.items():
        elsewhere = len(places) - 1
        more = "" if not elsewhere else f", and {elsewhere} more {'does' if elsewhere == 1 else 'do'}"
        yield found("template-key", places[0], f"uses {{{name}}}{more}")


def _used(seen: Seen) -> Iterator[tuple[Place, tuple[str, ...]]]:
    """The keys that every section and trigger uses, those in criteria included."""
    for one in _texts(seen):
        texts = [one.text] if "{" in one.text else []
        if not one.of_trigger:
            texts += [edge.criteria for edge in seen.graph.edges[one.owner] if "{" in edge.criteria]
        if texts:
            yield one.place, keys_in(texts)


def _undeclared(place: Place, name: str, near: str | None) -> Finding:
    if near is None:
        return found("undeclared-key", place, f"uses {{{name}}}, which is not declared")
    of_trigger = place.kind is PlaceKind.TRIGGER
    change = partial(fixes.with_another_key, owner=place.owner, of_trigger=of_trigger, old=name, new=near)
    return found("undeclared-key", place, f"uses {{{name}}}, which is not declared", Fix(f"write {{{near}}}", change))


TEXTS: Final[tuple[Look, ...]] = (_section_names, _trigger_names, _said, _keys)
