"""The state of the characters screen: the list, the character beside it, and its settings with staged changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from chartui.core.actions.backstory import NOTHING, Declared, sentences
from chartui.core.character import Reading
from chartui.core.characters.finder import AS_LISTED, Column, Finder, Sorting
from chartui.core.characters.models import Models
from chartui.core.classes import dataclass
from chartui.core.journal import Written
from chartui.core.jsontext import Wire
from chartui.core.plans.settings import (
    BACKSTORY,
    MEMBERS,
    REASONING,
    Conflict,
    Staged,
    as_text,
    carried_along,
    conflicts,
    problems,
    warnings,
)
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.core.spec.records import Records
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count, number_of

if TYPE_CHECKING:
    from chartui.tui.screens.characters.reader import CharacterReader

#: Columns of the list in their order, each with its width in cells (0: the default). Without any, the window decides.
Chosen: TypeAlias = tuple[tuple[Column, int], ...]
NONE_CHOSEN: Final[Chosen] = ()
_UNREAD = Reading({}, None, {}, {})


class Tab(StrEnum):
    """A tab beside the list."""

    SETTINGS = "settings"
    RECORD = "record"
    RAW = "raw"
    COST = "cost"
    HISTORY = "history"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The settings of one character as they are shown.

    ``now`` holds what the service returned, by the names of ``update-character``; members missing there are write-only
    (decision 25), and ``known_here`` holds the last value written to them from here.

    ``unsaved`` is true if the staged changes could not be saved as a draft. ``declared`` is what the character's scene
    declares, which the backstory should name. ``locked`` is the sentence of the lock that refuses a change, empty
    without one.
    """

    character_id: str
    name: str
    now: Mapping[str, Wire]
    staged: Staged
    models: Models
    known_here: Mapping[str, Written] = field(default_factory=dict)
    locked: str = ""
    unsaved: bool = False
    declared: Declared = NOTHING

    @property
    def conflicts(self) -> Mapping[str, Conflict]:
        """The conflicts: members changed both here and elsewhere."""
        return conflicts(self.staged, self.now)

    @property
    def problems(self) -> Mapping[str, str]:
        """The problems that prevent applying, by member."""
        return problems(self.staged, self.models)

    @property
    def written(self) -> Mapping[str, Wire]:
        """The last values written from here to write-only members."""
        return {member: found.value for member, found in self.known_here.items()}

    @property
    def warnings(self) -> Mapping[str, str]:
        """Warnings before applying, by member."""
        return warnings(self.staged, self.models, known_here=self.written)

    @property
    def unnamed(self) -> Sequence[str]:
        """Sentences on parts of the scene missing in the backstory; empty if the backstory is unknown."""
        backstory = self.value(BACKSTORY)
        return _unnamed(backstory, *map(tuple, self.declared)) if backstory else ()

    def stored(self, member: str) -> str | None:
        """The current value as text; None if unknown."""
        if member in self.now:
            return as_text(member, self.now[member])
        written = self.known_here.get(member)
        return None if written is None else as_text(member, written.value)

    @property
    def changes(self) -> Mapping[str, str]:
        """The values that applying changes, as text: the staged ones, and the level that a new model brings along."""
        found = dict(self.staged.changes)
        for change in carried_along(self.staged, self.models):
            found[REASONING] = as_text(REASONING, change.after)
        return {member: found[member] for member in MEMBERS if member in found}

    def value(self, member: str) -> str | None:
        """The value after applying, as text; None if unknown."""
        return self.changes.get(member, self.stored(member))


@lru_cache(2)
def _unnamed(
    backstory: str, actions: tuple[str, ...], objects: tuple[str, ...], characters: tuple[str, ...]
) -> Sequence[str]:
    """Cached, since the form asks at every key."""
    return sentences(backstory, Declared(actions, objects, characters))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The list: its characters, filter, order and selection.

    ``described`` says whether ``finder`` covers the traits of this list; ``read_at`` is when it was read, in seconds of
    the application's clock; ``records`` are the records if they came with it (a remote service). ``canceled`` is the
    sentence in place of a list whose reading was canceled.
    """

    finder: Finder = field(default_factory=Finder)
    described: bool = False
    read_at: float | None = None
    records: Records = field(default_factory=Records.none)
    query: str = ""
    fuzzy: bool = False
    sorting: Sorting = AS_LISTED
    columns: Chosen = NONE_CHOSEN
    loading: bool = True
    canceled: str = ""
    error: ServiceError | None = None
    selected: frozenset[str] = frozenset()

    @property
    def summaries(self) -> Sequence[CharacterSummary]:
        """The list as it was read."""
        return self.finder.summaries

    @property
    def narrowed(self) -> bool:
        """Whether it is filtered."""
        return bool(self.query.strip())

    @property
    def unfilled(self) -> bool:
        """Whether no characters are listed and none are being read."""
        return not (self.summaries or self.loading)

    @property
    def known_empty(self) -> bool:
        """Whether the list is known to be empty."""
        return self.unfilled and not self.canceled and self.error is None

    @property
    def selection(self) -> Sequence[CharacterSummary]:
        """The selected characters, in the order of the service."""
        return [s for s in self.summaries if s.character_id in self.selected]

    @property
    def standing(self) -> str:
        """The number of selected characters as text; empty for none."""
        return f"{GLYPHS.done} {count(len(self.selected))} selected" if self.selected else ""

    def matching(self) -> Sequence[CharacterSummary]:
        """The matches, in order."""
        return self.finder.find(self.query, fuzzy=self.fuzzy, sorting=self.sorting)


@dataclass(frozen=True, slots=True, kw_only=True)
class CharactersState:
    """The character under the cursor (``current``), and the data of the one with the id ``shown``.

    ``reading`` is None until it was read; if that fails, ``note`` says why. ``repeated`` names the members that its
    record repeats. ``settings`` are its settings with staged changes, None until complete. ``models`` are None until
    requested. ``declared`` holds what the scenes of characters declare, as far as they were read. ``stories`` holds the
    number of changes staged for stories, by character.
    """

    current: CharacterSummary | None = None
    shown: str | None = None
    reading: Reading | None = None
    note: str = ""
    repeated: str = ""
    tab: Tab = Tab.RECORD
    models: Models | None = None
    settings: Shown | None = None
    declared: Mapping[str, Declared] = field(default_factory=dict)
    stories: Mapping[str, int] = field(default_factory=dict)

    @property
    def current_id(self) -> str | None:
        """The id of the character under the cursor."""
        return self.current.character_id if self.current is not None else None

    @property
    def name(self) -> str:
        """The name of the character under the cursor, or its id."""
        return (self.current.character_name or self.current.character_id) if self.current is not None else ""

    @property
    def record(self) -> Mapping[str, Wire]:
        """The record of ``shown``, unchanged; empty until read."""
        return (self.reading or _UNREAD).record

    @property
    def is_read(self) -> bool:
        """Whether the record of the character under the cursor was read."""
        return self.current is not None and self.current_id == self.shown and bool(self.record)

    @property
    def story_note(self) -> str:
        """The number of changes staged for the story of the character under the cursor; empty for none."""
        changes = self.stories.get(self.current_id or "", 0)
        name = single_line(self.name, limit=20)
        return f"{GLYPHS.staged} {name}: {number_of(changes, 'staged change')} in the story" if changes else ""

    @property
    def why_nothing(self) -> str:
        """Why the character under the cursor cannot be shown; empty if it can, or while it is being read."""
        return self.note if self.shown == self.current_id else ""

    def with_reading(self, read: CharacterReader.Read, repeated: Sequence[str]) -> CharactersState:
        """The state once a character was read, whose record repeats members, or reading it failed."""
        return replace(
            self,
            shown=read.character_id,
            reading=read.reading,
            note=read.error.message if read.error is not None else "",
            repeated=f"The record contains {single_line(', '.join(repeated))} more than once. The last value is shown."
            if repeated
            else "",
            models=read.models or self.models,
        )

    def knowing(self, shown: Shown) -> CharactersState:
        """The state once settings were refreshed or applied here."""
        if self.shown != shown.character_id or self.reading is None:
            return self
        # Keys may come before they are read back, and your own change must not count as made elsewhere.
        return replace(self, reading=self.reading._replace(now=shown.now, known_here=shown.known_here))

    def with_settings(self, staged: Staged | None, *, locked: str, unsaved: bool) -> CharactersState:
        """The state with the settings of the character under the cursor, as far as they were read."""
        if self.current is None or self.current_id != self.shown or self.reading is None or self.models is None:
            return replace(self, settings=None)
        now = self.reading.now
        if staged is None:
            staged = Staged(character_id=self.shown or "", name=self.name, base=now, changes={})
        shown = Shown(
            character_id=staged.character_id,
            name=self.name,
            now=now,
            staged=staged.on(now),
            models=self.models,
            known_here=self.reading.known_here,
            locked=locked,
            unsaved=unsaved,
            declared=self.declared.get(staged.character_id, NOTHING),
        )
        return replace(self, settings=shown)
