"""What the characters screen knows: the list, the record that is shown, and the settings that wait to be saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from chartui.core.actions.backstory import NOTHING, Declared, sentences
from chartui.core.characters.finder import AS_LISTED, Finder, Sorting
from chartui.core.characters.models import Models
from chartui.core.journal import Written
from chartui.core.jsontext import Wire
from chartui.core.plans.settings import BACKSTORY, Conflict, Staged, as_text, conflicts, problems, warnings
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.core.spec.records import Records

if TYPE_CHECKING:
    from chartui.tui.screens.characters.cost import CostShown
    from chartui.tui.screens.characters.history_pane import Past

__all__ = ["CharactersState", "Pane", "Shown"]


class Pane(StrEnum):
    """What the detail of a character shows."""

    SETTINGS = "settings"
    RECORD = "record"
    RAW = "raw"
    COST = "cost"
    HISTORY = "history"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The settings of one character as they are shown.

    ``now`` holds what the service returned, by the names of ``update-character``; what is missing there cannot be read
    back (decision 25), and ``known_here`` holds what was last written to it from here. ``staged`` is what shall become
    of them, which is nothing else while nothing is changed; ``kept`` says whether that is on the disk as a draft.
    ``declared`` is what the backstory should name, since the character's scene declares it. ``locked`` is the sentence
    of the lock that refuses a change, empty while none does.
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
        """What cannot be saved so."""
        return problems(self.staged, self.models)

    @property
    def warnings(self) -> Mapping[str, str]:
        """What one should know before it is saved."""
        written = {member: found.value for member, found in self.known_here.items()}
        return warnings(self.staged, self.models, known_here=written)

    @property
    def unnamed(self) -> Sequence[str]:
        """What the backstory does not name of the scene, in sentences; nothing where nobody knows the backstory."""
        backstory = self.value(BACKSTORY)
        return sentences(backstory, self.declared) if backstory else ()

    def stored(self, member: str) -> str | None:
        """What is there now as far as it is known, as text; None where nobody knows."""
        if member in self.now:
            return as_text(member, self.now[member])
        written = self.known_here.get(member)
        return None if written is None else as_text(member, written.value)

    def value(self, member: str) -> str | None:
        """What will be there, as text; None where nobody knows."""
        return self.staged.changes.get(member, self.stored(member))


@dataclass(frozen=True, slots=True, kw_only=True)
class CharactersState:
    """What was read, what is filtered for, and which record is shown.

    ``canceled`` says that reading the list was canceled, in a sentence, where there is none from before.
    ``finder`` is the list as it was read, ``described`` whether it looks into the traits of just that list, ``read_at``
    when that was, in the seconds of the application's clock. ``records`` holds the records where the list came with
    them (a remote service), by id. ``record`` is the one of the character ``shown``, as it came, and
    ``settings_read`` what an embedded store tells beside it; where there is none, ``note`` says why. ``staged`` holds
    what is changed and not saved, by character; ``models`` what can be chosen, None until it was asked for;
    ``now`` and ``known_here`` are the settings of the character ``shown`` as :class:`Shown` has them, ``now`` None
    until they were read. ``cost`` is what that character costs, as far as it was found out; ``cost_error`` why it could
    not be. ``declared`` is what the scenes of characters declare, as far as they were read. ``selected`` are the ids of
    those of whom several are to be changed together.
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
    shown: str | None = None
    record: Mapping[str, Wire] = field(default_factory=dict)
    note: str = ""
    pane: Pane = Pane.RECORD
    staged: Mapping[str, Staged] = field(default_factory=dict)
    models: Models | None = None
    settings_read: Mapping[str, Wire] | None = None
    now: Mapping[str, Wire] | None = None
    known_here: Mapping[str, Written] = field(default_factory=dict)
    declared: Mapping[str, Declared] = field(default_factory=dict)
    cost: CostShown | None = None
    cost_error: ServiceError | None = None
    past: Past | None = None
    selected: frozenset[str] = frozenset()

    def settings(self, name: str, *, locked: str, kept: bool) -> Shown | None:
        """The settings of the character ``shown``; None until everything they need was read."""
        if self.shown is None or self.now is None or self.models is None:
            return None
        staged = self.staged.get(self.shown)
        if staged is None:
            staged = Staged(character_id=self.shown, name=name, base=self.now, changes={})
        return Shown(
            character_id=self.shown,
            name=name,
            now=self.now,
            staged=staged.on(self.now),
            models=self.models,
            known_here=self.known_here,
            locked=locked,
            kept=kept,
            declared=self.declared.get(self.shown, NOTHING),
        )

    def staging(self, staged: Staged) -> CharactersState:
        """The same with what is staged for one character."""
        others = {key: value for key, value in self.staged.items() if key != staged.character_id}
        return replace(self, staged={**others, staged.character_id: staged} if staged.changes else others)

    @property
    def summaries(self) -> Sequence[CharacterSummary]:
        """The list as it was read."""
        return self.finder.summaries

    def matching(self) -> Sequence[CharacterSummary]:
        """Those that are asked for, in the order that is asked for."""
        return self.finder.find(self.query, fuzzy=self.fuzzy, sorting=self.sorting)
