"""What a bundle holds: a character with its settings, its narrative graph and its action setup, in terms of its own.

A bundle names sections and triggers by slugs, names made for the file, so that one and the same file fits every profile
that the character is on. The ids that each profile has for them are kept beside, for matching, and are no part of what
the bundle says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from chartui.core.jsontext import Wire, dumps
from chartui.core.narrative.story import Story, overrides_of
from chartui.core.paths import file_stem
from chartui.core.plans.settings import BACKSTORY, MODEL, REASONING, TEMPERATURE

if TYPE_CHECKING:
    from chartui.core.actions.turn import Turn
    from chartui.core.spec.models.narrative import Decision, Section, Trigger

FORMAT: Final = "chartui-bundle"
VERSION: Final = 1
#: What stands before an id that nothing in the file has: a reference that dangles is written as it is.
RAW: Final = "id:"
#: The settings that a file holds, as it calls them, and their names in ``update-character``.
MEMBERS: Final[Mapping[str, str]] = {
    "model": MODEL,
    "temperature": TEMPERATURE,
    "reasoning_effort": REASONING,
    "backstory": BACKSTORY,
}
#: The members of a decision that the file has words for; a service may add others.
_OF_DECISION: Final = frozenset({"criteria", "next_section_id", "priority"})


class Identity(NamedTuple):
    """The id of a section or trigger on one profile; ``seen`` stands for what it was there when it was last read."""

    id: str
    seen: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identities:
    """What one profile calls the parts of a character, by their slugs.

    ``seen`` stands for what the members of the character itself were when they were last read; ``plan`` names the plan
    that was about to make the character.
    """

    sections: Mapping[str, Identity] = field(default_factory=dict)
    triggers: Mapping[str, Identity] = field(default_factory=dict)
    seen: Mapping[str, str] = field(default_factory=dict)
    plan: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A character as a file says it.

    The ids in ``story`` are slugs, and what dangles begins with :data:`RAW`; ``story.enabled`` is whether the character
    follows it. ``settings`` are named as ``update-character`` names them; one that is missing there is not set, or not
    told where it is among ``unread``; empty text is set to nothing (decision 23). ``actions`` are the words of the
    character's record, ``scene`` what was last composed for it on the machine that wrote the file. ``keys`` are the
    template keys that the texts may hold, with a sample value each; None where the file declares none. ``ids`` are by
    ``profile/character`` and belong to no comparison. ``incomplete`` says in a sentence each what of the character
    could not be read when the file was written (decision 69): nothing is pruned by such a file.
    """

    story: Story = field(default_factory=lambda: Story(sections={}, triggers={}))
    name: str | None = None
    settings: Mapping[str, Wire] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    actions: tuple[str, ...] | None = None
    scene: Turn | None = None
    keys: Mapping[str, str] | None = None
    ids: Mapping[str, Identities] = field(default_factory=dict)
    incomplete: tuple[str, ...] = ()

    def known_as(self, profile: str) -> tuple[str, ...]:
        found = (key.partition("/") for key in self.ids)
        return tuple(character_id for name, _, character_id in found if name == profile and character_id)

    def having(self, key: str, identities: Identities | None) -> Bundle:
        """The same with other ids for one character of a profile; None forgets them."""
        kept = {name: held for name, held in self.ids.items() if name != key}
        return replace(self, ids=kept if identities is None else {**kept, key: identities})


def key_of(profile: str, character_id: str) -> str:
    return f"{profile}/{character_id}"


def raw_id(reference: str | None) -> str | None:
    """The id that a dangling reference holds; None for one to a part of the file."""
    return reference.removeprefix(RAW) if reference is not None and reference.startswith(RAW) else None


def extras(decision: Decision) -> dict[str, Wire]:
    return {name: value for name, value in decision.raw.items() if name not in _OF_DECISION}


# -- what something was, in a few characters ---------------------------------------------------------------------------


def seen_value(value: Wire) -> str:
    """Stands for a value: another value has another one."""
    return sha256(dumps(value).encode()).hexdigest()[:16]


def seen_section(section: Section) -> str:
    """Stands for what people write of a section."""
    ways: Wire = None
    if section.decisions is not None:
        ways = [[way.criteria, way.next_section_id, way.priority] for way in section.decisions]
    overrides: Wire = [list(pair) for pair in sorted(overrides_of(section).items())]
    return seen_value([section.section_name or "", section.objective or "", ways, overrides])


def seen_trigger(trigger: Trigger) -> str:
    return seen_value([trigger.trigger_name or "", trigger.trigger_message or "", trigger.destination_section or None])


# -- slugs ------------------------------------------------------------------------------------------------------------


_SLUG: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")


def is_slug(text: str) -> bool:
    """Whether a person may name a part of a file so: letters, digits, ``_`` and ``-``, as TOML takes them unquoted."""
    return _SLUG.fullmatch(text) is not None


def slugs(
    named: Iterable[tuple[str, str | None]],
    *,
    kept: Mapping[str, str] | None = None,
    avoiding: Iterable[str] = (),
    otherwise: str,
) -> dict[str, str]:
    """The slug of each of ``named``, pairs of an id and a name, by id.

    Those that ``kept`` has stay, and those ``avoiding`` belong to something else; of names that make the same slug, the
    later ones are numbered. ``otherwise`` stands in for a name of which no letter is left.
    """
    found = dict(kept or {})
    taken = {*found.values(), *avoiding}
    numbers: dict[str, int] = {}
    for item_id, name in named:
        if item_id in found:
            continue
        stem = file_stem(name or "", otherwise=otherwise)
        slug, number = stem, numbers.get(stem, 1)
        while slug in taken:
            number += 1
            slug = f"{stem}-{number}"
        numbers[stem] = number
        taken.add(slug)
        found[item_id] = slug
    return found
