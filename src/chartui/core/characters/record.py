"""Group the fields of a character's record for display.

The record screen and ``characters show`` use the same groups. All fields are included. Fields that belong to no group
come last, under their own names, so fields that a service has added are shown as well. Missing, null and empty values
are distinguished (decision 30).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, Protocol

from chartui.core.classes import NamedTuple
from chartui.core.fields import Access, Entry, Group
from chartui.core.jsontext import Wire, canonical, dumps
from chartui.core.spec.elements import called
from chartui.core.text import cell_width, display_text, fold, found_in, padded, single_line


class KnownHere(Protocol):
    """A value written from this machine, with the time when it was written (ISO 8601, UTC)."""

    @property
    def value(self) -> Wire: ...

    @property
    def at(self) -> str: ...


#: The groups in display order, each with the paths of its members and their labels. Dots separate the names of nested
#: members.
GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Identity": {
        "character_name": "Name",
        "description": "Description",
        "listing": "Listing",
        "user_id": "Owner",
        "timestamp": "Created",
        "last_interacted_with": "Last used",
        "character_id": "ID",
    },
    "Model and prompt": {
        "personalised_prompt_config.MODEL": "Model",
        "reasoning_effort": "Reasoning",
        "personalised_prompt_config.TEMPERATURE": "Temperature",
        "personalised_prompt_config.VERBOSITY": "Verbosity",
        "personalised_prompt_config.PROMPT": "Prompt",
        "backstory": "Backstory",
        "personalised_prompt_config.SPEAKER": "Speaker",
        "personalised_prompt_config.USE_COMBINED_PROMPT": "Combined prompt",
        "personalised_prompt_config.USE_ACTION_OPTMIZED_PROMPT": "Action prompt",
    },
    "Personality traits": {
        "character_traits.personality_traits.openness": "Openness",
        "character_traits.personality_traits.sensitivity": "Sensitivity",
        "character_traits.personality_traits.extraversion": "Extraversion",
        "character_traits.personality_traits.agreeableness": "Agreeableness",
        "character_traits.personality_traits.meticulousness": "Meticulousness",
    },
    "Speaking style": {
        "character_traits.speaking_style": "Manner",
        "speaking_style.description": "Style",
        "speaking_style.sample_dialogues": "Sample dialogues",
        "character_traits.catch_phrases": "Catchphrases",
    },
    "Voice and languages": {
        "voice_type": "Voice",
        "voice_pitch": "Pitch",
        "language_code": "Language",
        "language_codes": "Languages",
        "boosted_words.words": "Boosted words",
    },
    "Pronunciations": {
        "pronunciation_metadata.pronunciations": "Pronunciations",
    },
    "Guard rails and moderation": {
        "personalised_prompt_config.MODERATION_ENABLED": "Moderation",
        "personalised_prompt_config.ALLOWED_MODERATION_FILTERS": "Allowed filters",
        "guard_rails": "Guard rails",
        "guardrail_meta.limitResponseLevel": "Response limit",
        "guardrail_meta.blockedWords": "Blocked words",
    },
    "Memory": {
        "memory_settings.enabled": "Memory",
        "metadata_filter": "Metadata filter",
    },
    "Narrative": {
        "is_narrative_driven": "Narrative",
        "start_narrative_section_id": "Start section",
        "state_names": "State names",
        "state_links": "State links",
    },
    "Embodiment": {
        "embodiment_data.looks_description": "Looks",
        "embodiment_data.clothes_description": "Clothes",
        "character_emotions": "Emotions",
        "character_actions": "Actions",
        "embodiment": "Embodiment",
        "model_type": "Avatar model",
        "model_details.modelType": "Model type",
        "model_details.modelLink": "Model link",
        "model_details.modelPlaceholder": "Placeholder",
        "model_details.DETAILED_AVATAR.avatar_id": "Avatar",
        "model_details.DETAILED_AVATAR.avatar_image": "Avatar image",
        "model_details.DETAILED_AVATAR.avatar_image_square": "Square image",
        "model_details.DETAILED_AVATAR.experience_id": "Experience",
        "model_details.DETAILED_AVATAR.bg_image": "Background",
    },
    "Technical": {
        "collection_name": "Collection",
        "blockchain": "Blockchain",
        "contract_address": "Contract",
        "mint_address": "Mint",
        "owner_address": "Owner address",
    },
}
#: The display names of members.
LABELS: Final[Mapping[str, str]] = {path: label for group in GROUPS.values() for path, label in group.items()}
#: Settings that are not in any record (decision 25).
SETTINGS_ONLY: Final = frozenset({"reasoning_effort", "backstory"})
#: The members that a service can change, and those that an embedded store can change (decision 26).
CHANGEABLE: Final = SETTINGS_ONLY | {
    "personalised_prompt_config.MODEL",
    "personalised_prompt_config.TEMPERATURE",
    "is_narrative_driven",
}
CHANGEABLE_IN_STORES: Final = CHANGEABLE | {"character_name", "start_narrative_section_id"}
#: The members named in the specification (C 2.2).
NAMED_PATHS: Final = frozenset(LABELS) - SETTINGS_ONLY
#: Personal texts of the character or about a person, which not everyone should read.
PERSONAL_PATHS: Final = (
    "description",
    "personalised_prompt_config.PROMPT",
    "backstory",
    "character_traits.speaking_style",
    "speaking_style.description",
    "speaking_style.sample_dialogues",
    "character_traits.catch_phrases",
    "embodiment_data.looks_description",
    "embodiment_data.clothes_description",
)
#: Every proper prefix of a path with a label. The objects at these paths are shown member by member.
_OPENED: Final = frozenset(path[:i] for path in NAMED_PATHS for i, c in enumerate(path) if c == ".")
_TRAITS: Final = "character_traits.personality_traits."
_PRONUNCIATIONS: Final = "pronunciation_metadata.pronunciations"
_PRONUNCIATION: Final = ("word", "ipaPronunciation", "customPronunciation")
#: The score at which a bar is full, or the highest score in the record if it is larger. The maximum is not documented.
_TRAIT_SCALE: Final = 5
#: Maximum width of the first column of the pronunciations, in cells.
_COLUMN: Final = 24
_TIMES: Final = frozenset({"timestamp", "last_interacted_with"})
_ZONE: Final = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$", re.IGNORECASE)
_ABSENT: Final = object()
_CHANGED_BY: Final = Entry("Changed by", "", "not reported", said=False, remark="the History tab lists your changes")


def value_text(value: Wire) -> str:
    """Return a value in words, such as ``yes``, ``null`` or ``empty list``.

    Plain values in a list are separated by dots (``·``). Other values are shown as JSON.
    """
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
        if all(map(_is_plain, value)):
            return " · ".join(value_text(item) for item in value)
        return dumps(value, indent=2)
    return str(value)


def _is_plain(value: Wire) -> bool:
    return isinstance(value, str | int | Decimal)


def grouped(
    record: Mapping[str, Wire],
    settings: Mapping[str, Wire] | None = None,
    known_here: Mapping[str, KnownHere] = MappingProxyType({}),
) -> tuple[Group, ...]:
    """Return the groups of a record with all their fields.

    ``settings`` contains the settings that only the embedded store returns: the backstory and the reasoning level
    (decision 26). It is None for a remote service, which accepts both settings but returns neither. ``known_here``
    contains the values last written from this machine. Fields that cannot be changed are marked.
    """
    changeable = CHANGEABLE if settings is None else CHANGEABLE_IN_STORES
    scores = _at(record, _TRAITS.rstrip("."))
    given = [Decimal(v) for v in scores.values() if _is_score(v)] if isinstance(scores, Mapping) else []
    full = max([Decimal(_TRAIT_SCALE), *given])

    def entries(named: Mapping[str, str]) -> Iterator[Entry]:
        for path, label in named.items():
            if path in SETTINGS_ONLY:
                yield _setting(label, path, settings, known_here.get(path))
            elif path == _PRONUNCIATIONS:
                yield from _pronunciations(label, _at(record, path))
            else:
                yield _entry(label, path, _at(record, path), full)

    groups = {title: [*entries(named)] for title, named in GROUPS.items()}
    groups["Identity"].append(_CHANGED_BY)
    groups["Other fields"] = [
        _entry(path, path, value)
        for path, value in leaves(record)
        if path not in NAMED_PATHS and not (path in _OPENED and value == {})
    ]
    return tuple(
        Group(title, tuple(e if e.path in changeable else replace(e, access=Access.NO_CALL) for e in found))
        for title, found in groups.items()
        if found
    )


def _setting(label: str, path: str, settings: Mapping[str, Wire] | None, written: KnownHere | None) -> Entry:
    """Return a setting outside the record.

    For a service, only values written from this machine are known (decision 25).
    """
    if settings is not None:
        return _setting_entry(label, path, settings.get(path))
    if written is None:
        return Entry(label, path, "not returned by this service", said=False, access=Access.WRITE_ONLY)
    remark = f"last written from this machine on {written.at[:16].replace('T', ' ')} UTC; not returned by this service"
    return _setting_entry(label, path, written.value, access=Access.KNOWN_HERE, remark=remark)


def _setting_entry(label: str, path: str, value: Wire, *, access: Access = Access.READABLE, remark: str = "") -> Entry:
    # An empty text clears the level and is not itself a level (decision 23).
    unset = path == "reasoning_effort" and value in (None, "")
    text = "not set" if unset else value_text(value)
    copied = None if unset else _copied(value)
    return Entry(label, path, text, said=_says(value), access=access, remark=remark, copied=copied)


class _Unread(NamedTuple):
    """Marks a member of a value that exists but is not an object."""

    what: str


def _at(record: Mapping[str, Wire], path: str) -> Any:
    value: Any = record
    for part in path.split("."):
        if not isinstance(value, Mapping):
            return _ABSENT if value is None else _Unread(called(value))
        if part not in value:
            return _ABSENT
        value = value[part]
    return value


def _is_score(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _says(value: Wire) -> bool:
    return value is not None and value != "" and value != [] and value != {}


def _copied(value: Wire) -> str:
    return value if isinstance(value, str) else dumps(value, indent=2)


def _entry(label: str, path: str, value: Any, full: Decimal = Decimal(_TRAIT_SCALE)) -> Entry:
    if value is _ABSENT:
        return Entry(label, path, "not in the record", said=False)
    if isinstance(value, _Unread):
        holder = path.rpartition(".")[0]
        return Entry(label, path, f"could not be read: {holder} is {value.what}, not an object", said=False)
    scale = float(max(Decimal(0), Decimal(value)) / full) if path.startswith(_TRAITS) and _is_score(value) else None
    items = _items(value)
    zoneless = path in _TIMES and isinstance(value, str) and value and not _ZONE.search(value)
    return Entry(
        label,
        path,
        " · ".join(items) if items else value_text(value),
        said=_says(value),
        scale=scale,
        items=items,
        remark="time zone not given" if zoneless else "",
        copied=_copied(value),
    )


def _items(value: Wire) -> tuple[str, ...]:
    """Return the items of a list or object of plain values, or nothing for any other value."""
    if isinstance(value, Mapping):
        if all(map(_is_plain, value.values())):
            return tuple(f"{name}: {value_text(item)}" for name, item in value.items())
    elif isinstance(value, Sequence) and not isinstance(value, str) and all(map(_is_plain, value)):
        return tuple(map(value_text, value))
    return ()


def _pronunciations(label: str, value: Any) -> Iterator[Entry]:
    """Yield a small table: a line of headings, which stands for the whole list, and a line for each word (C 2.2)."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        yield _entry(label, _PRONUNCIATIONS, value)
        return
    rows = [_pronunciation(item) for item in value]
    width = min(_COLUMN, max(3, *(cell_width(ipa) for _, ipa, _ in rows)))
    titles = f"{padded('IPA', width)}  Custom"
    yield Entry("Word", _PRONUNCIATIONS, titles, said=False, copied=_copied(value))
    for number, (item, (word, ipa, rest)) in enumerate(zip(value, rows, strict=True)):
        text = f"{padded(ipa, width)}  {rest}" if rest else ipa
        yield Entry(word, f"{_PRONUNCIATIONS}[{number}]", text, copied=_copied(item))


def _pronunciation(item: Wire) -> tuple[str, str, str]:
    """Return a word, its pronunciation, and its phonetic spelling, followed by undocumented members."""
    if not isinstance(item, Mapping):
        return "–", single_line(value_text(item)), ""
    word, ipa, custom = (single_line(value_text(item[member])) if member in item else "–" for member in _PRONUNCIATION)
    more = {name: rest for name, rest in item.items() if name not in _PRONUNCIATION}
    return word, ipa, f"{custom}  {dumps(more)}" if more else custom


def leaves(value: Mapping[str, Wire], prefix: str = "") -> Iterator[tuple[str, Wire]]:
    """Yield the fields of a record, each with its path.

    An object is split into its fields only if some of these fields belong to a display group. Otherwise, the object is
    yielded as a single field. A field name that contains a dot is quoted in the path to avoid ambiguity.
    """
    for name, item in value.items():
        path = f"{prefix}{dumps(name) if '.' in name else name}"
        if path in _OPENED and isinstance(item, Mapping) and item:
            yield from leaves(item, f"{path}.")
        else:
            yield path, item


# -- searching --------------------------------------------------------------------------------------------------------


#: Maximum length of a search text. Further characters are ignored.
LONGEST: Final = 200


class Span(NamedTuple):
    """A part of a line. It starts at position ``start`` and ends before ``end``."""

    start: int
    end: int


class Search:
    """A search that ignores case and accents.

    White space between words matches any white space. An empty search matches nothing.
    """

    def __init__(self, text: str) -> None:
        words = [re.escape(word) for word in fold(text[:LONGEST]).split()]
        self._pattern = re.compile(r"\s+".join(words)) if words else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def spans(self, line: str) -> Sequence[Span]:
        return [Span(*found) for found in found_in(self._pattern, line)] if self._pattern else ()

    def holds(self, text: str) -> bool:
        return self._pattern is not None and bool(self._pattern.search(fold(display_text(text, multiline=True))))

    def finds(self, entry: Entry) -> bool:
        """Return whether a field's label, path, value or remark matches the search."""
        return any(map(self.holds, (entry.label, entry.path, entry.text, entry.access.words, entry.remark)))


def narrowed(groups: Iterable[Group], search: Search) -> tuple[Group, ...]:
    """Return the groups with only the fields that match ``search``."""
    found = (Group(group.title, tuple(filter(search.finds, group.entries))) for group in groups)
    return tuple(group for group in found if group.entries)
