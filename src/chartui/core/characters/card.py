"""Summarize a character as plain text for a support ticket.

The summary fits on one screen. It shows the character, its setup, and where and when the character was read. Personal
content is omitted unless requested, because many people can read a ticket.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from chartui import __version__
from chartui.core.characters.record import LABELS, PERSONAL_PATHS, KnownHere, grouped
from chartui.core.classes import NamedTuple
from chartui.core.fields import Entry
from chartui.core.jsontext import Wire
from chartui.core.text import cut, display_text, padded, single_line, wrapped

if TYPE_CHECKING:
    from chartui.core.profiles import Profile

#: A card without texts fits into a terminal of 80x24, with a frame around it and a footer below.
WIDTH: Final = 76
HEIGHT: Final = 21
_INDENT: Final = "  "
#: The labels of a card, in order, and their members of the record.
_FIELDS: Final = (
    ("Model", "personalised_prompt_config.MODEL"),
    ("Temperature", "personalised_prompt_config.TEMPERATURE"),
    ("Reasoning", "reasoning_effort"),
    ("Language", "language_code"),
    ("Languages", "language_codes"),
    ("Voice", "voice_type"),
    ("Pitch", "voice_pitch"),
    ("Memory", "memory_settings.enabled"),
    ("Narrative", "is_narrative_driven"),
    ("Start section", "start_narrative_section_id"),
    ("Moderation", "personalised_prompt_config.MODERATION_ENABLED"),
    ("Filters", "personalised_prompt_config.ALLOWED_MODERATION_FILTERS"),
    ("Created", "timestamp"),
    ("Last used", "last_interacted_with"),
    ("Collection", "collection_name"),
    ("Owner", "user_id"),
    ("ID", "character_id"),
)


class Origin(NamedTuple):
    """The source of a record.

    It consists of the profile, the host or store that returned the record (``where``), and the time when the record was
    read (``at``). ``start`` is the name of the start section, or empty if unknown. ``cost`` is a sentence that states
    the price. ``invented`` says whether prices are those of the packaged reference rates.
    """

    profile: str
    where: str
    at: datetime
    start: str = ""
    cost: str = "unknown"
    invented: bool = False

    @classmethod
    def of(cls, profile: Profile, where: str, at: datetime, start: str, cost: str) -> Origin:
        """Return the origin of a record that was read from ``profile``. A service sets its own prices."""
        return cls(profile.name, where, at, start, cost, profile.embedded and profile.rate_card is None)


class Card(NamedTuple):
    """The contents of a character's summary.

    The summary consists of labels with one-line values, and of any full texts that were requested. ``missing`` says why
    requested texts are not included. All values are sanitized. ``where`` and ``when`` say where and when the record was
    read.
    """

    name: str
    fields: tuple[tuple[str, str], ...]
    texts: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str], ...]
    where: str
    when: str

    def __str__(self) -> str:
        """Format the summary as lines of at most :data:`WIDTH` terminal cells.

        A summary without personal content has at most :data:`HEIGHT` lines.
        """
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield cut(self.name, WIDTH)
        width = max(len(label) for label, _ in (*self.fields, *self.missing))
        for label, value in self.fields:
            yield f"{padded(label, width)}  {cut(value, WIDTH - width - 2)}"
        for label, text in self.texts:
            yield ""
            yield label
            yield from (f"{_INDENT}{line}".rstrip() for line in wrapped(text, WIDTH - len(_INDENT)))
        if self.missing:
            yield ""
        for label, reason in self.missing:
            yield f"{padded(label, width)}  {cut(reason, WIDTH - width - 2)}"
        if self.texts or self.missing:
            yield ""
        yield cut(self.where, WIDTH)
        yield cut(self.when, WIDTH)


def card_of(
    record: Mapping[str, Wire],
    settings: Mapping[str, Wire] | None,
    origin: Origin,
    *,
    known_here: Mapping[str, KnownHere] = MappingProxyType({}),
    with_texts: bool = False,
) -> Card:
    """Return the summary of a character.

    The parameters ``settings`` and ``known_here`` are described in :func:`grouped`.
    """
    entries = {entry.path: entry for group in grouped(record, settings, known_here) for entry in group.entries}
    requested = {LABELS[path]: entries[path] for path in PERSONAL_PATHS if with_texts}
    prices = " (made-up prices)" if origin.invented else ""
    return Card(
        name=single_line(entries["character_name"].text) if entries["character_name"].said else "No name",
        fields=(
            *((label, _value(entries[path], origin)) for label, path in _FIELDS),
            ("Per interaction", single_line(origin.cost).removesuffix(".")),
        ),
        texts=tuple((label, _text(entry)) for label, entry in requested.items() if entry.said),
        missing=tuple((label, single_line(entry.text)) for label, entry in requested.items() if not entry.said),
        where=f"Profile {single_line(origin.profile)}{prices}, {single_line(origin.where)}",
        when=f"chartui {__version__}, {origin.at.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
    )


def _value(entry: Entry, origin: Origin) -> str:
    if entry.path == "start_narrative_section_id" and (origin.start or entry.text == "null"):
        return single_line(f"{origin.start} ({entry.text})") if origin.start else "none"
    return single_line(f"{entry.text} ({entry.remark})" if entry.remark else entry.text)


def _text(entry: Entry) -> str:
    return display_text(f"{entry.text}\n({entry.remark})" if entry.remark else entry.text, multiline=True)
