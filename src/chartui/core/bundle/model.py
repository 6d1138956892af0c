"""A bundle: a character with its settings, narrative graph and action setup, independent of any profile.

A bundle identifies sections and triggers by slugs, which are names used only in the file. The same file therefore works
with every profile that has the character. The IDs that each profile uses are in a lock file beside the bundle. They are
used only to match sections and triggers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.jsontext import Wire, dumps
from chartui.core.narrative.story import Story, overrides_of
from chartui.core.paths import file_stem
from chartui.core.plans.settings import BACKSTORY, MODEL, REASONING, TEMPERATURE
from chartui.core.spec.models.narrative import Decision, Section, Trigger

if TYPE_CHECKING:
    from chartui.core.actions.turn import Turn

FORMAT: Final = "chartui-bundle"
#: The format of a section's own file, in a bundle that is a folder.
SECTION_FORMAT: Final = "chartui-section"
VERSION: Final = 1
#: Prefix of the target of a dangling reference: an ID that the file does not contain.
RAW: Final = "id:"
#: The settings, by their names in a file, with their names in ``update-character``.
MEMBERS: Final[Mapping[str, str]] = {
    "model": MODEL,
    "temperature": TEMPERATURE,
    "reasoning_effort": REASONING,
    "backstory": BACKSTORY,
}
#: The members of a decision that the file format defines. A service may add others.
_OF_DECISION: Final = frozenset({"criteria", "next_section_id", "priority"})


class Identity(NamedTuple):
    """The ID of a section or trigger on one profile.

    ``seen`` is a digest of its contents, computed when it was last read. After a merge, ``seen`` may contain several
    digests, separated by spaces.
    """

    id: str
    seen: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identities:
    """The IDs of a character's sections and triggers on one profile, keyed by slug.

    ``seen`` contains digests of the character's own values, computed when they were last read. ``plan`` is the ID of
    the plan that was started to create the character, if any.
    """

    sections: Mapping[str, Identity] = field(default_factory=dict)
    triggers: Mapping[str, Identity] = field(default_factory=dict)
    seen: Mapping[str, str] = field(default_factory=dict)
    plan: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The contents of a file that describes a character.

    The IDs in ``story`` are slugs, except that IDs in dangling references begin with :data:`RAW`. ``story.enabled``
    says whether the character follows the story. ``settings`` is keyed by the field names of ``update-character``. An
    empty string clears a setting (decision 23). A missing setting is not set on the character or, if its name is
    in ``unread``, has an unknown value. ``actions`` contains the action words in the character's record.
    ``scene`` is the last scene composed for the character on the machine that wrote the file. ``keys`` maps the
    template keys that text may contain to sample values. It is None if the file declares no template keys. ``ids`` is
    stored in the lock file, keyed by ``profile/character``, and ignored in comparisons. ``incomplete`` contains a
    sentence for each part of the character that could not be read when the file was written (decision 69). A push of an
    incomplete file cannot prune.
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
        """Return a copy of the bundle with other IDs.

        ``identities`` replaces the IDs stored under ``key``. If it is None, those IDs are removed.
        """
        kept = {name: held for name, held in self.ids.items() if name != key}
        return replace(self, ids=kept if identities is None else {**kept, key: identities})


def key_of(profile: str, character_id: str) -> str:
    return f"{profile}/{character_id}"


def raw_id(reference: str | None) -> str | None:
    """Return the original ID in a dangling reference.

    Return None for a reference to a section or trigger in the file.
    """
    return reference.removeprefix(RAW) if reference is not None and reference.startswith(RAW) else None


def extras(decision: Decision) -> dict[str, Wire]:
    return {name: value for name, value in decision.raw.items() if name not in _OF_DECISION}


def seen_value(value: Wire) -> str:
    """Return a digest of a value. Different values have different digests."""
    return sha256(dumps(value).encode()).hexdigest()[:16]


def seen_section(section: Section) -> str:
    ways: Wire = None
    if section.decisions is not None:
        ways = [[way.criteria, way.next_section_id, way.priority] for way in section.decisions]
    overrides: Wire = [list(pair) for pair in sorted(overrides_of(section).items())]
    return seen_value([section.section_name or "", section.objective or "", ways, overrides])


def seen_trigger(trigger: Trigger) -> str:
    return seen_value([trigger.trigger_name or "", trigger.trigger_message or "", trigger.destination_section or None])


#: The form of a slug, as in a bare TOML key.
SLUG: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")


def is_slug(text: str) -> bool:
    """Return whether a string is a valid slug.

    A slug consists of 1 to 100 letters, digits, ``_`` or ``-``, as in a bare TOML key.
    """
    return SLUG.fullmatch(text) is not None


def slugs(
    named: Iterable[tuple[str, str | None]],
    *,
    kept: Mapping[str, str] | None = None,
    avoiding: Iterable[str] = (),
    otherwise: str,
) -> dict[str, str]:
    """Return a slug for each section or trigger, keyed by ID.

    ``named`` contains pairs of ID and name. Slugs in ``kept`` are reused, and slugs in ``avoiding`` are not used. If
    several names result in the same slug, a number is added to all but the first. If a name contains no letters,
    ``otherwise`` is used as the slug.
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
