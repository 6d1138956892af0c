"""What the characters screen knows: the list, the character beside it, and its settings with what is staged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

from chartui.core.actions.backstory import NOTHING, Declared, sentences
from chartui.core.character import Reading
from chartui.core.characters.finder import AS_LISTED, Finder, Sorting
from chartui.core.characters.models import Models
from chartui.core.journal import Written
from chartui.core.jsontext import Wire
from chartui.core.plans.settings import BACKSTORY, Conflict, Staged, as_text, conflicts, problems, warnings
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.core.spec.records import Records

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

    ``now`` holds what the service returned, by the names of ``update-character``; what is missing there cannot be read
    back (decision 25), and ``known_here`` holds what was last written to it from here. ``kept`` says whether what is
    staged is on the disk as a draft. ``declared`` is what the character's scene declares, which the backstory should
    name. ``locked`` is the sentence of the lock that refuses a change, empty while none does.
    """

    character_id: str
    name: str
    now: Mapping[str, Wire]
    staged: Staged
    models: Models
    known_here: Mapping[str, Written] = field(default_factory=dict)
    locked: str = ""
    kept: bool = True
    declared: Declared = NOTHING

    @property
    def conflicts(self) -> Mapping[str, Conflict]:
        """What was changed here and elsewhere."""
        return conflicts(self.staged, self.now)

    @property
    def problems(self) -> Mapping[str, str]:
        """Why it cannot be applied, by member."""
        return problems(self.staged, self.models)

    @property
    def written(self) -> Mapping[str, Wire]:
        """What was last written from here to members that cannot be read back."""
        return {member: found.value for member, found in self.known_here.items()}

    @property
    def warnings(self) -> Mapping[str, str]:
        """What else matters before it is applied, by member."""
        return warnings(self.staged, self.models, known_here=self.written)

    @property
    def unnamed(self) -> Sequence[str]:
        """What the backstory does not name of the scene, in sentences; nothing where the backstory is not known."""
        backstory = self.value(BACKSTORY)
        return _unnamed(backstory, *map(tuple, self.declared)) if backstory else ()

    def stored(self, member: str) -> str | None:
        """The current value as far as it is known, as text; None where it is not."""
        if member in self.now:
            return as_text(member, self.now[member])
        written = self.known_here.get(member)
        return None if written is None else as_text(member, written.value)

    def value(self, member: str) -> str | None:
        """The value after applying, as text; None where it is not known."""
        return self.staged.changes.get(member, self.stored(member))


@lru_cache(2)
def _unnamed(
    backstory: str, actions: tuple[str, ...], objects: tuple[str, ...], characters: tuple[str, ...]
) -> Sequence[str]:
    """The form asks with every key that is typed into any of its fields."""
    return sentences(backstory, Declared(actions, objects, characters))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The list: what was read, what it is filtered for and how it is sorted, and who is selected.

    ``described`` says whether ``finder`` looks into the traits of just this list; ``read_at`` when the list was read,
    in the seconds of the application's clock; ``records`` the records where they came with it (a remote service).
    ``canceled`` is the sentence in place of a list whose reading was canceled.
    """

    finder: Finder = field(default_factory=Finder)
    described: bool = False
    read_at: float | None = None
    records: Records = field(default_factory=Records.none)
    query: str = ""
    fuzzy: bool = False
    sorting: Sorting = AS_LISTED
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

    def matching(self) -> Sequence[CharacterSummary]:
        """Those that match, in order."""
        return self.finder.find(self.query, fuzzy=self.fuzzy, sorting=self.sorting)


@dataclass(frozen=True, slots=True, kw_only=True)
class CharactersState:
    """The character under the cursor (``current``), and what was read of the one with the id ``shown``.

    ``reading`` is None until that was read; where it cannot be, ``note`` says why. ``repeated`` says which members its
    record gives more than once. ``settings`` are its settings with what is staged, None until all they need is there.
    ``models`` are None until they were asked for. ``declared`` holds what the scenes of characters declare, as far as
    they were read.
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
        """The record of ``shown``, as it came; empty until it was read."""
        return (self.reading or _UNREAD).record

    @property
    def is_read(self) -> bool:
        """Whether the record of the character under the cursor is there."""
        return self.current is not None and self.current_id == self.shown and bool(self.record)

    @property
    def why_nothing(self) -> str:
        """Why nothing can be shown of the character under the cursor; empty where it can, or is being read."""
        return self.note if self.shown == self.current_id else ""

    def with_settings(self, staged: Staged | None, *, locked: str, kept: bool) -> CharactersState:
        """The same with the settings of the character under the cursor, as far as they were read."""
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
            kept=kept,
            declared=self.declared.get(staged.character_id, NOTHING),
        )
        return replace(self, settings=shown)
