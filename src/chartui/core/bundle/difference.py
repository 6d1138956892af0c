"""Compare a bundle file with a character in a profile.

Values with the same meaning count as equal, even if they are written differently. Sections and triggers are matched by
ID and then by name. A renamed section therefore counts as the same section with a different name. Order is compared
only for decisions. Every character has a name and a model, so omitting them from the file does not count as a
difference. Any other field that the file omits is reported as existing only in the profile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from itertools import groupby
from typing import Any, Final, TypeAlias

from chartui.core.actions.scene_file import members_of
from chartui.core.actions.turn import Turn
from chartui.core.bundle.model import MEMBERS, Bundle, extras, raw_id
from chartui.core.bundle.reader import SCENE_MEMBERS
from chartui.core.classes import NamedTuple
from chartui.core.jsontext import Wire, canonical, dumps, same
from chartui.core.narrative.story import overrides_of
from chartui.core.plans.difference import differences as line_differences
from chartui.core.plans.settings import BACKSTORY, REASONING
from chartui.core.spec.models.narrative import Decision, Section, Trigger
from chartui.core.text import display_text, single_line

#: Optional settings.
_MAY_BE_MISSING: Final = frozenset({BACKSTORY, REASONING})


class Verdict(StrEnum):
    """The ways in which a field or part of a file can differ from the profile."""

    DIFFERENT = "different"
    IN_FILE = "only in the file"
    THERE = "only in the profile"
    UNKNOWN = "cannot be checked"  # the service does not return it (decision 25); not a difference


class Difference(NamedTuple):
    """A difference between a file and a profile.

    ``part`` is ``character``, ``actions``, ``section`` or ``trigger``. ``slug`` identifies a section or trigger in the
    file, and ``title`` is its display name. ``member`` is the name of the field in the file, or empty if the difference
    concerns a whole section or trigger. ``file`` is the value in the file, and ``there`` is the value in the profile.
    Both values are in the format of the file.
    """

    part: str
    slug: str
    title: str
    member: str
    verdict: Verdict
    file: Wire
    there: Wire


def differences(mine: Bundle, there: Bundle, key: str) -> tuple[Difference, ...]:
    """Compare a file with the version of the character in a profile.

    ``there`` is the version in the profile, as a bundle with the same slugs as the file. ``there.ids[key]`` contains
    the IDs of the character's sections and triggers in the profile.
    """
    ids = there.ids[key]
    names = {one.id: slug for slug, one in ids.sections.items()}
    of_triggers = {one.id: slug for slug, one in ids.triggers.items()}
    terms = _Terms(
        lambda reference: names.get(raw_id(reference) or "", reference),
        lambda reference: of_triggers.get(raw_id(reference) or "", reference),
    )
    found = [*_of_character(mine, there, terms), *_of_actions(mine, there)]
    for part, file, present in (
        ("section", mine.story.sections, there.story.sections),
        ("trigger", mine.story.triggers, there.story.triggers),
    ):
        for slug in {**file, **present}:
            found += _of_part(part, slug, file.get(slug), present.get(slug), terms)
    return tuple(found)


def differences_wire(found: Sequence[Difference]) -> list[dict[str, Wire]]:
    return [
        {
            "part": one.part,
            "slug": one.slug or None,
            "name": one.title or None,
            "member": one.member or None,
            "verdict": one.verdict.value,
            "file": one.file,
            "profile": one.there,
        }
        for one in found
    ]


_Part: TypeAlias = Section | Trigger


class _Terms(NamedTuple):
    """Replaces dangling references in the file with slugs if the profile has their targets."""

    section: Callable[[str | None], str | None]
    trigger: Callable[[str], str]


def _compared(mine: Wire, there: Wire, *, empty: bool = False) -> Verdict | None:
    """Return how two values differ, or None if they are equal.

    Null, empty and absent values are equal. If ``empty`` is set, they differ, which distinguishes an ending from an
    undecided section (decision 64).
    """
    one, other = (value if value or empty or value is False or value == 0 else None for value in (mine, there))
    if one is None and other is None:
        return None
    if mine is None:
        return Verdict.THERE
    return None if same(one, other) else Verdict.DIFFERENT


def _of_character(mine: Bundle, there: Bundle, terms: _Terms) -> Iterator[Difference]:
    def difference(member: str, verdict: Verdict, file: Wire, present: Wire) -> Difference:
        return Difference("character", "", "", member, verdict, file, present)

    if mine.name is not None and mine.name != there.name:
        yield difference("name", Verdict.DIFFERENT, mine.name, there.name)
    for name, member in MEMBERS.items():
        file, present = mine.settings.get(member), there.settings.get(member)
        if file is not None and member in there.unread:
            yield difference(name, Verdict.UNKNOWN, file, None)
        elif file is not None or (member in _MAY_BE_MISSING and member not in mine.unread):
            verdict = _compared(file, present)
            if verdict is not None:
                yield difference(name, verdict, file, present)
    enabled = mine.story.enabled
    if enabled is not None and enabled is not there.story.enabled:
        yield difference("narrative", Verdict.DIFFERENT, enabled, there.story.enabled)
    start = terms.section(mine.story.start)
    verdict = _compared(start, there.story.start)
    if verdict is not None:
        yield difference("start", verdict, start, there.story.start)


def _of_actions(mine: Bundle, there: Bundle) -> Iterator[Difference]:
    if mine.actions is not None and mine.actions != there.actions:
        present = None if there.actions is None else list(there.actions)
        yield Difference("actions", "", "", "actions", Verdict.DIFFERENT, list(mine.actions), present)
    if mine.scene is not None:
        file, composed = _lists(mine.scene), _lists(there.scene)
        for name in SCENE_MEMBERS:
            if not same(file[name], composed[name]):
                verdict = Verdict.IN_FILE if there.scene is None else Verdict.DIFFERENT
                yield Difference("actions", "", "", f"scene.{name}", verdict, file[name], composed[name])


def _lists(scene: Turn | None) -> Mapping[str, Wire]:
    return {name: [] for name in SCENE_MEMBERS} if scene is None else members_of(scene)


def _of_part(part: str, slug: str, mine: _Part | None, there: _Part | None, terms: _Terms) -> Iterator[Difference]:
    title = (there and _name(there)) or (mine and _name(mine)) or slug
    file, present = (None if one is None else _said(one, terms) for one in (mine, there))
    if file is None or present is None:
        yield Difference(part, slug, title, "", Verdict.THERE if file is None else Verdict.IN_FILE, file, present)
        return
    if isinstance(mine, Section) and isinstance(there, Section) and _same_ways(mine.decisions, there.decisions, terms):
        file["decisions"] = present["decisions"]
    for member, value in file.items():
        verdict = _compared(value, present[member], empty=member == "decisions")
        if verdict is not None:
            yield Difference(part, slug, title, member, verdict, value, present[member])


def _name(record: _Part) -> str | None:
    return record.section_name if isinstance(record, Section) else record.trigger_name


def _said(record: _Part, terms: _Terms) -> dict[str, Wire]:
    """Return the contents of a section or trigger, with slugs instead of IDs.

    Overrides are keyed by trigger, since their order is irrelevant.
    """
    if isinstance(record, Trigger):
        return {
            "name": record.trigger_name,
            "message": record.trigger_message,
            "to": terms.section(record.destination_section),
        }
    overrides = {terms.trigger(trigger): terms.section(target) for trigger, target in overrides_of(record).items()}
    return {
        "name": record.section_name,
        "objective": record.objective,
        "decisions": None if record.decisions is None else [_way(one, terms) for one in record.decisions],
        "overrides": None if record.triggers is None else overrides,
    }


def _way(decision: Decision, terms: _Terms) -> dict[str, Wire]:
    also, priority = extras(decision), decision.priority
    return {
        "when": decision.criteria,
        "to": terms.section(decision.next_section_id),
        **({} if priority is None else {"priority": priority}),
        **({"also": also} if also else {}),
    }


def _same_ways(mine: Sequence[Decision] | None, there: Sequence[Decision] | None, terms: _Terms) -> bool:
    """Return whether decisions are equal. Service-only members are compared only if the file has them."""
    if mine is None or there is None or len(mine) != len(there):
        return False
    for one, other in zip(mine, there, strict=True):
        file, present = _way(one, terms), _way(other, terms)
        if "also" not in file:
            present.pop("also", None)
        if not same(file, present):
            return False
    return True


_SAID: Final[Mapping[Verdict, str]] = {
    Verdict.IN_FILE: "only in the file",
    Verdict.THERE: "only in the profile",
    Verdict.UNKNOWN: "cannot be verified because the service does not return it",
}


def difference_lines(found: Sequence[Difference]) -> Iterator[str]:
    """Yield the differences as lines of text, with a heading for each part.

    ``-`` marks the profile's values, and ``+`` marks the file's values.
    """
    for _, group in groupby(found, key=lambda one: (one.part, one.slug)):
        parts = list(group)
        yield heading(parts[0])
        for one in parts:
            yield from _lines(one)


def heading(one: Difference) -> str:
    if not one.slug:
        return one.part
    return f"{one.part} {single_line(one.slug, limit=60)}  “{single_line(one.title, limit=60)}”"


def _lines(one: Difference) -> Iterator[str]:
    if not one.member or one.verdict is Verdict.UNKNOWN:
        yield f"  {f'{one.member}: ' if one.member else ''}{_SAID[one.verdict]}"
        return
    said = _SAID.get(one.verdict)
    yield f"  {one.member}{f' ({said})' if said else ''}"
    open_end = one.part == "section" and one.member == "decisions"  # null means undecided
    lines = (
        "none: the story ends here" if open_end and value == [] else _value_lines(value)
        for value in (one.there, one.file)
    )
    for line in line_differences(*lines):
        if line.sign == "=":
            yield f"      … {'1 line' if line.count == 1 else f'{line.count} lines'} unchanged"
        else:
            yield f"    {line.sign} {''.join(part.text for part in line.parts)}"


def _value_lines(value: Wire) -> str:
    """Return a value as text, with one line per item of a list. The result is empty for None."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | Decimal):
        return canonical(Decimal(value))
    if isinstance(value, Mapping):
        return "\n".join(f"{display_text(str(name))} → {display_text(str(target))}" for name, target in value.items())
    return "\n".join(map(_item, value))


def _item(item: Any) -> str:
    if isinstance(item, str):
        return display_text(item)
    if "when" in item:
        priority = f" (priority {item['priority']})" if "priority" in item else ""
        also = f" {display_text(dumps(item['also']))}" if "also" in item else ""
        return f"{display_text(item['when'])} → {display_text(str(item['to']))}{priority}{also}"
    return ": ".join(display_text(str(value)) for value in item.values())
