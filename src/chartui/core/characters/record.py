"""A character's record, grouped as people think of it: what the record screen and ``characters show`` both print.

Nothing is left out: members that no group names come last, under their own names, so a service that adds one is seen.
Absent, null and empty are three different things and are worded as such (decision 30).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from chartui.core.fields import Access, Entry, Group
from chartui.core.jsontext import Wire, canonical, dumps

__all__ = ["NAMED_PATHS", "grouped", "value_text"]


#: (label, path) by group; a path names nested members with dots. The order is the order of reading.
_GROUPS: Final[tuple[tuple[str, tuple[tuple[str, str], ...]], ...]] = (
    (
        "Identity",
        (
            ("Name", "character_name"),
            ("Id", "character_id"),
            ("Description", "description"),
            ("Listing", "listing"),
            ("Owner", "user_id"),
            ("Created", "timestamp"),
            ("Last used", "last_interacted_with"),
        ),
    ),
    (
        "Model and prompt",
        (
            ("Model", "personalised_prompt_config.MODEL"),
            ("Temperature", "personalised_prompt_config.TEMPERATURE"),
            ("Verbosity", "personalised_prompt_config.VERBOSITY"),
            ("Prompt", "personalised_prompt_config.PROMPT"),
            ("Speaker", "personalised_prompt_config.SPEAKER"),
            ("Combined prompt", "personalised_prompt_config.USE_COMBINED_PROMPT"),
            ("Action prompt", "personalised_prompt_config.USE_ACTION_OPTMIZED_PROMPT"),
        ),
    ),
    (
        "Personality",
        (
            ("Openness", "character_traits.personality_traits.openness"),
            ("Sensitivity", "character_traits.personality_traits.sensitivity"),
            ("Extraversion", "character_traits.personality_traits.extraversion"),
            ("Agreeableness", "character_traits.personality_traits.agreeableness"),
            ("Meticulousness", "character_traits.personality_traits.meticulousness"),
            ("Catch phrases", "character_traits.catch_phrases"),
            ("Manner", "character_traits.speaking_style"),
            ("Speaking style", "speaking_style.description"),
            ("Sample dialogues", "speaking_style.sample_dialogues"),
            ("Emotions", "character_emotions"),
            ("Actions", "character_actions"),
        ),
    ),
    (
        "Voice and languages",
        (
            ("Voice", "voice_type"),
            ("Pitch", "voice_pitch"),
            ("Language", "language_code"),
            ("Languages", "language_codes"),
            ("Boosted words", "boosted_words.words"),
            ("Pronunciations", "pronunciation_metadata.pronunciations"),
        ),
    ),
    (
        "Guard rails and moderation",
        (
            ("Moderation", "personalised_prompt_config.MODERATION_ENABLED"),
            ("Allowed filters", "personalised_prompt_config.ALLOWED_MODERATION_FILTERS"),
            ("Guard rails", "guard_rails"),
            ("Response limit", "guardrail_meta.limitResponseLevel"),
            ("Blocked words", "guardrail_meta.blockedWords"),
        ),
    ),
    (
        "Memory and narrative",
        (
            ("Memory", "memory_settings.enabled"),
            ("Narrative", "is_narrative_driven"),
            ("Start section", "start_narrative_section_id"),
            ("State names", "state_names"),
            ("State links", "state_links"),
            ("Metadata filter", "metadata_filter"),
        ),
    ),
    (
        "Embodiment",
        (
            ("Looks", "embodiment_data.looks_description"),
            ("Clothes", "embodiment_data.clothes_description"),
            ("Embodiment", "embodiment"),
            ("Avatar model", "model_type"),
            ("Model type", "model_details.modelType"),
            ("Model link", "model_details.modelLink"),
            ("Placeholder", "model_details.modelPlaceholder"),
            ("Avatar", "model_details.DETAILED_AVATAR.avatar_id"),
            ("Avatar image", "model_details.DETAILED_AVATAR.avatar_image"),
            ("Square image", "model_details.DETAILED_AVATAR.avatar_image_square"),
            ("Experience", "model_details.DETAILED_AVATAR.experience_id"),
            ("Background", "model_details.DETAILED_AVATAR.bg_image"),
        ),
    ),
    (
        "Technical",
        (
            ("Collection", "collection_name"),
            ("Blockchain", "blockchain"),
            ("Contract", "contract_address"),
            ("Mint", "mint_address"),
            ("Owner address", "owner_address"),
        ),
    ),
)

#: The members that the documents name (C 2.2).
NAMED_PATHS: Final = frozenset(path for _, entries in _GROUPS for _, path in entries)
#: Every proper beginning of a named path: these objects are shown by their members.
_OPENED: Final = frozenset(path[:i] for path in NAMED_PATHS for i, c in enumerate(path) if c == ".")
_TRAITS: Final = "character_traits.personality_traits."
#: No document says how high a score can be; a bar is full at this, or at the highest of the scores.
_TRAIT_SCALE: Final = 5
_ABSENT: Final = object()


def value_text(value: Wire) -> str:
    """A value in words: ``yes``, ``null``, ``empty list``; a list of plain values with dots between; else JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value or "empty text"
    if isinstance(value, Decimal):
        return canonical(value)
    if isinstance(value, Mapping):
        return dumps(value, indent=2) if value else "empty object"
    if isinstance(value, Sequence):
        if not value:
            return "empty list"
        if all(isinstance(item, str | int | Decimal) for item in value):
            return " · ".join(value_text(item) for item in value)
        return dumps(value, indent=2)
    return str(value)


def grouped(record: Mapping[str, Wire], settings: Mapping[str, Wire] | None = None) -> tuple[Group, ...]:
    """The groups of a record with all their members.

    ``settings`` are what the embedded store alone can tell (backstory and reasoning level, decision 26); None on a
    remote service, where both can be written but not read.
    """
    groups = [_settings_group(settings)]
    full = _full_score(record)
    groups += [
        Group(title, tuple(_entry(label, path, _at(record, path), full) for label, path in entries))
        for title, entries in _GROUPS
    ]
    # Identity first: one wants to know whom one looks at.
    groups[0], groups[1] = groups[1], groups[0]
    others = tuple(_entry(path, path, value) for path, value in _unnamed(record, ""))
    return (*groups, Group("Other members", others)) if others else tuple(groups)


def _settings_group(settings: Mapping[str, Wire] | None) -> Group:
    if settings is None:
        unseen = tuple(
            Entry(label, path, "cannot be read back from this service", said=False, access=Access.WRITE_ONLY)
            for label, path in (("Backstory", "backstory"), ("Reasoning", "reasoning_effort"))
        )
        return Group("Settings", unseen)
    level = settings.get("reasoning_effort")
    reasoning = Entry(
        "Reasoning", "reasoning_effort", "not set" if level is None else str(level), said=level is not None
    )
    return Group("Settings", (_entry("Backstory", "backstory", settings.get("backstory")), reasoning))


def _at(record: Mapping[str, Wire], path: str) -> Any:
    value: Any = record
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return _ABSENT
        value = value[part]
    return value


def _full_score(record: Mapping[str, Wire]) -> int:
    scores = _at(record, _TRAITS.rstrip("."))
    return max([_TRAIT_SCALE, *(v for v in scores.values() if _is_score(v))]) if isinstance(scores, Mapping) else 1


def _is_score(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _entry(label: str, path: str, value: Any, full: int = 1) -> Entry:
    if value is _ABSENT:
        return Entry(label, path, "not in the record", said=False)
    scale = max(0.0, value / full) if path.startswith(_TRAITS) and _is_score(value) else None
    said = value is not None and value != "" and value != [] and value != {}
    return Entry(label, path, value_text(value), said=said, scale=scale)


def _unnamed(value: Mapping[str, Wire], prefix: str) -> Iterator[tuple[str, Wire]]:
    """Members that no group names, wherever they are; an object of which nothing is named comes whole."""
    for name, item in value.items():
        path = f"{prefix}{name}"
        if path in NAMED_PATHS:
            continue
        if path in _OPENED and isinstance(item, Mapping):
            yield from _unnamed(item, f"{path}.")
        else:
            yield path, item
