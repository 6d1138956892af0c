"""A character's record, grouped as people think of it: what the record screen and ``characters show`` both print.

Nothing is left out: members that no group names come last, under their own names, so a service that adds one is seen.
Absent, null and empty are three different things and are worded as such (decision 30).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol

from chartui.core.fields import Access, Entry, Group
from chartui.core.jsontext import Wire, canonical, dumps
from chartui.core.spec.elements import called
from chartui.core.text import cell_width, display_text, padded, single_line

__all__ = [
    "NAMED_PATHS",
    "PERSONAL_PATHS",
    "KnownHere",
    "Search",
    "Span",
    "at_path",
    "grouped",
    "narrowed",
    "value_text",
]


class KnownHere(Protocol):
    """A value that was written from this machine."""

    @property
    def value(self) -> Wire:
        """The value."""
        ...

    @property
    def at(self) -> str:
        """When, as ISO 8601 in UTC."""
        ...


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
            ("Reasoning", "reasoning_effort"),
            ("Temperature", "personalised_prompt_config.TEMPERATURE"),
            ("Verbosity", "personalised_prompt_config.VERBOSITY"),
            ("Prompt", "personalised_prompt_config.PROMPT"),
            ("Backstory", "backstory"),
            ("Speaker", "personalised_prompt_config.SPEAKER"),
            ("Combined prompt", "personalised_prompt_config.USE_COMBINED_PROMPT"),
            ("Action prompt", "personalised_prompt_config.USE_ACTION_OPTMIZED_PROMPT"),
        ),
    ),
    (
        "Personality traits",
        (
            ("Openness", "character_traits.personality_traits.openness"),
            ("Sensitivity", "character_traits.personality_traits.sensitivity"),
            ("Extraversion", "character_traits.personality_traits.extraversion"),
            ("Agreeableness", "character_traits.personality_traits.agreeableness"),
            ("Meticulousness", "character_traits.personality_traits.meticulousness"),
        ),
    ),
    (
        "Speaking style",
        (
            ("Manner", "character_traits.speaking_style"),
            ("Style", "speaking_style.description"),
            ("Sample dialogues", "speaking_style.sample_dialogues"),
            ("Catch phrases", "character_traits.catch_phrases"),
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
        ),
    ),
    ("Pronunciations", (("Pronunciations", "pronunciation_metadata.pronunciations"),)),
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
        "Memory",
        (
            ("Memory", "memory_settings.enabled"),
            ("Metadata filter", "metadata_filter"),
        ),
    ),
    (
        "Narrative",
        (
            ("Narrative", "is_narrative_driven"),
            ("Start section", "start_narrative_section_id"),
            ("State names", "state_names"),
            ("State links", "state_links"),
        ),
    ),
    (
        "Embodiment",
        (
            ("Looks", "embodiment_data.looks_description"),
            ("Clothes", "embodiment_data.clothes_description"),
            ("Emotions", "character_emotions"),
            ("Actions", "character_actions"),
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

#: Settings that no record holds (decision 25).
_SETTINGS: Final = frozenset({"reasoning_effort", "backstory"})
#: The members that the documents name (C 2.2).
NAMED_PATHS: Final = frozenset(path for _, entries in _GROUPS for _, path in entries) - _SETTINGS
#: Texts that somebody wrote to make a person of the character, or about one: not for everybody who looks.
PERSONAL_PATHS: Final[Mapping[str, str]] = MappingProxyType(
    {
        path: label
        for _, entries in _GROUPS
        for label, path in entries
        if path
        in {
            "description",
            "personalised_prompt_config.PROMPT",
            "backstory",
            "character_traits.speaking_style",
            "speaking_style.description",
            "speaking_style.sample_dialogues",
            "character_traits.catch_phrases",
            "embodiment_data.looks_description",
            "embodiment_data.clothes_description",
        }
    }
)
#: Every proper beginning of a named path: these objects are shown by their members.
_OPENED: Final = frozenset(path[:i] for path in NAMED_PATHS for i, c in enumerate(path) if c == ".")
_TRAITS: Final = "character_traits.personality_traits."
_PRONUNCIATIONS: Final = "pronunciation_metadata.pronunciations"
#: No document says how high a score can be; a bar is full at this, or at the highest of the scores.
_TRAIT_SCALE: Final = 5
#: Cells of the first column of the pronunciations at the most.
_COLUMN: Final = 24
_TIMES: Final = frozenset({"timestamp", "last_interacted_with"})
_ZONE: Final = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$", re.IGNORECASE)
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
    """The groups of a record with all their members.

    ``settings`` are what the embedded store alone can tell (backstory and reasoning level, decision 26); None on a
    remote service, where both can be written but not read, and ``known_here`` has what was last written from this
    machine.
    """
    full = _full_score(record)
    groups = [Group(title, tuple(_entries(record, entries, settings, known_here, full))) for title, entries in _GROUPS]
    others = tuple(_entry(path, path, value) for path, value in _unnamed(record, ""))
    return (*groups, Group("Other members", others)) if others else tuple(groups)


def at_path(record: Mapping[str, Wire], path: str) -> Wire:
    """The member that a dotted path names; None where there is none."""
    value = _at(record, path)
    return None if value is _ABSENT or isinstance(value, _Unread) else value


def _entries(
    record: Mapping[str, Wire],
    named: tuple[tuple[str, str], ...],
    settings: Mapping[str, Wire] | None,
    known_here: Mapping[str, KnownHere],
    full: Decimal,
) -> Iterator[Entry]:
    for label, path in named:
        if path in _SETTINGS:
            yield _setting(label, path, settings, known_here.get(path))
        elif path == _PRONUNCIATIONS:
            yield from _pronunciations(label, _at(record, path))
        else:
            yield _entry(label, path, _at(record, path), full)


def _setting(label: str, path: str, settings: Mapping[str, Wire] | None, written: KnownHere | None) -> Entry:
    """A setting that no record holds; of a service only what was written from here is known (decision 25)."""
    if settings is not None:
        return _setting_entry(label, path, settings.get(path))
    if written is None:
        return Entry(label, path, "cannot be read back from this service", said=False, access=Access.WRITE_ONLY)
    remark = f"last written from here on {written.at[:16].replace('T', ' ')} UTC; cannot be read back"
    return _setting_entry(label, path, written.value, access=Access.KNOWN_HERE, remark=remark)


def _setting_entry(label: str, path: str, value: Wire, *, access: Access = Access.READABLE, remark: str = "") -> Entry:
    # The empty text clears a level, and is never one (decision 23).
    unset = path == "reasoning_effort" and value in (None, "")
    text = "not set" if unset else value_text(value)
    copied = None if unset else _copied(value)
    return Entry(label, path, text, said=_says(value), access=access, remark=remark, copied=copied)


class _Unread(NamedTuple):
    """Stands for a member of something that is there and is not the object that it should be."""

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


def _full_score(record: Mapping[str, Wire]) -> Decimal:
    scores = _at(record, _TRAITS.rstrip("."))
    given = [Decimal(v) for v in scores.values() if _is_score(v)] if isinstance(scores, Mapping) else []
    return max([Decimal(_TRAIT_SCALE), *given])


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
        return Entry(label, path, f"could not be read: {holder} is {value.what} and not an object", said=False)
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
        remark="no time zone" if zoneless else "",
        copied=_copied(value),
    )


def _items(value: Wire) -> tuple[str, ...]:
    """The parts of a list or an object of plain values; none of anything else."""
    if isinstance(value, Mapping):
        if all(map(_is_plain, value.values())):
            return tuple(f"{name}: {value_text(item)}" for name, item in value.items())
    elif isinstance(value, Sequence) and not isinstance(value, str) and all(map(_is_plain, value)):
        return tuple(map(value_text, value))
    return ()


def _pronunciations(label: str, value: Any) -> Iterator[Entry]:
    """A small table: a line of titles, which stands for the whole list, and a line for each word (C 2.2)."""
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
    """A word, how it sounds, and how it is written to sound so; members that no document names come behind."""
    if not isinstance(item, Mapping):
        return "–", single_line(value_text(item)), ""
    word, ipa, custom = (
        single_line(value_text(item[member])) if member in item else "–"
        for member in ("word", "ipaPronunciation", "customPronunciation")
    )
    more = {name: rest for name, rest in item.items() if name not in _PRONUNCIATION}
    return word, ipa, f"{custom}  {dumps(more)}" if more else custom


_PRONUNCIATION: Final = frozenset({"word", "ipaPronunciation", "customPronunciation"})


def _unnamed(value: Mapping[str, Wire], prefix: str) -> Iterator[tuple[str, Wire]]:
    """Members that no group names, wherever they are; an object of which nothing is named comes whole."""
    for name, item in value.items():
        # A name with a dot stands in quotation marks, so that it is never taken for a path.
        path = f"{prefix}{dumps(name) if '.' in name else name}"
        if path in NAMED_PATHS:
            continue
        if path in _OPENED and isinstance(item, Mapping):
            yield from _unnamed(item, f"{path}.")
        else:
            yield path, item


#: As much of what was typed is looked for.
LONGEST: Final = 200


class Span(NamedTuple):
    """A piece of a line: the characters from ``start`` to before ``end``."""

    start: int
    end: int


class Search:
    """What is looked for, in whatever case; any white space between words stands for any other.

    A search for nothing, or for nothing but white space, finds nothing.
    """

    def __init__(self, text: str) -> None:
        words = [re.escape(word) for word in text[:LONGEST].split()]
        self._pattern = re.compile(r"\s+".join(words), re.IGNORECASE) if words else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def spans(self, line: str) -> Sequence[Span]:
        """Where it stands in a line that is shown."""
        return [Span(*match.span()) for match in self._pattern.finditer(line)] if self._pattern else ()

    def holds(self, text: str) -> bool:
        """Whether a text from outside holds it somewhere."""
        return self._pattern is not None and bool(self._pattern.search(display_text(text, multiline=True)))

    def finds(self, entry: Entry) -> bool:
        """Whether a field holds it: its label, its path, its value, or what is remarked about it."""
        return any(map(self.holds, (entry.label, entry.path, entry.text, entry.access.value, entry.remark)))


def narrowed(groups: Iterable[Group], search: Search) -> tuple[Group, ...]:
    """The groups with nothing but the fields in which ``search`` finds something."""
    return tuple(_narrowed(groups, search))


def _narrowed(groups: Iterable[Group], search: Search) -> Iterator[Group]:
    for group in groups:
        found = tuple(entry for entry in group.entries if search.finds(entry))
        if found:
            yield Group(group.title, found)
