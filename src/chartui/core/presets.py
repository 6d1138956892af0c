"""Presets, which are named configurations to keep or share. Each preset is a TOML file::

    format = "chartui-preset"
    version = 1
    name = "Quick and cheap"
    note = "For the kiosk."

    [selections]
    llm = "mdla_4o"
    memory = false

    [assumptions]
    inputTokens = 1500

A preset contains only the values that you chose. For all other values, the service's current defaults apply. A preset
has the same fields as a request for an estimate (E 2.1 and 2.2). Option keys that the program does not know are kept,
because the service decides whether to accept them (decision 62). Presets do not belong to a service, so they can be
changed even if the profile is read-only (DESIGN 7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.estimation.quantity import quantity_in
from chartui.core.files import Reading, read_own
from chartui.core.jsontext import Wire
from chartui.core.named_files import NamedFiles, name_in, note_in, shortest
from chartui.core.paths import data_dir
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.core.spec.shape import payload_of, wire_names
from chartui.core.tables import BadFile, BadTable, Mistakes, Reader, refuse_unknown, typed
from chartui.core.tables import as_toml as toml_of
from chartui.core.text import is_plain

FORMAT: Final = "chartui-preset"
VERSION: Final = 1
_MOST_OF_A_KEY: Final = 200
_SWITCHES: Final = frozenset({"memory", "knowledge"})


class PresetError(ValueError):
    """Raised if a preset cannot be used or saved."""


class PresetFileError(BadFile, PresetError):
    """Raised if a preset file cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named configuration: a set of selections and assumptions.

    A value of None means that the service's default applies.
    """

    name: str
    selections: Selections = field(default_factory=Selections)
    assumptions: Assumptions = field(default_factory=Assumptions)
    note: str = ""

    def under(self, selections: Selections, assumptions: Assumptions) -> Preset:
        """Return a copy of the preset in which the given values replace its current values."""
        return replace(
            self, selections=_laid(self.selections, selections), assumptions=_laid(self.assumptions, assumptions)
        )

    def selected(self) -> dict[str, Wire]:
        """Return the selections as a mapping from field names to values (E 2.1)."""
        return payload_of(self.selections)

    def assumed(self) -> dict[str, Wire]:
        """Return the assumptions as a mapping from field names to values (E 2.2). Whole numbers are ``int``."""
        return {member: shortest(value) for member, value in payload_of(self.assumptions).items()}


def differences(old: Preset, new: Preset) -> str:
    """Return the changes from ``old`` to ``new`` in words, or an empty string if there are none.

    An example is ``input tokens 1 500 → 4 000``.
    """
    from chartui.core.estimation.summary import changes_in_words

    return changes_in_words({**old.selected(), **old.assumed()}, {**new.selected(), **new.assumed()})


class Kept(NamedTuple):
    """A file in the presets folder.

    It has a ``preset`` or, if the file cannot be read, a ``fault`` that gives the reason.
    """

    path: Path
    preset: Preset | None
    fault: str = ""


def _laid(below: Any, above: Any) -> Any:
    given = {f.name: value for f in fields(above) if (value := getattr(above, f.name)) is not None}
    return replace(below, **given)


def presets_folder(folder: Path | None = None) -> Path:
    """Return the path of the presets folder, which is inside ``folder`` (default: the data folder)."""
    return (folder or data_dir()) / "presets"


def read_preset(path: Path, *, read: Reading = read_own) -> Preset:
    """Read the preset in the file ``path``.

    ``read`` is the function that reads the file. Raises :class:`PresetFileError` if the preset cannot be used.
    """
    known = ("name", "note", "selections", "assumptions")
    reader = Reader(path, FORMAT, VERSION, known, number=Decimal, read=read)
    if not reader.exists:
        reader.add("no such file.")
    preset = _from_table(reader.table, reader) if reader.table else Preset(name="")
    reader.check(PresetFileError)
    return preset


def _from_table(table: Mapping[str, Any], mistakes: Mistakes) -> Preset:
    if "name" not in table:
        mistakes.add('name is missing; write name = "…".')
    return Preset(
        name=mistakes.take(name_in, table.get("name", "-")) or "",
        note=mistakes.take(note_in, table.get("note", "")) or "",
        selections=Selections(**_members(table, "selections", Selections, mistakes)),
        assumptions=Assumptions(**_members(table, "assumptions", Assumptions, mistakes)),
    )


def _members(table: Mapping[str, Any], part: str, model: type, mistakes: Mistakes) -> dict[str, Any]:
    written: Mapping[str, Any] = mistakes.take(typed, table.get(part, {}), dict, part, "a table") or {}
    attributes = {member: attribute for attribute, member in wire_names(model).items()}
    read = _selected if part == "selections" else quantity_in
    found = {}
    for member, value in written.items():
        where = f"{part}.{member}"
        if member in attributes:
            found[attributes[member]] = mistakes.take(read, value, member, where)
        else:
            mistakes.take(refuse_unknown, (member,), attributes, f"'{part}'", at=where)
    return found


def _selected(value: Any, member: str, where: str) -> str | bool:
    if member in _SWITCHES:
        return typed(value, bool, where, "true or false")
    key = typed(value, str, where, "a string containing an option key")
    if not 0 < len(key) <= _MOST_OF_A_KEY or not is_plain(key):
        raise BadTable(f"{where} is not an option key. 'chartui options' lists all keys.")
    return key


def as_toml(preset: Preset, noun: str = "preset") -> str:
    """Return a preset as TOML, for saving or sharing. ``noun`` is the word for the preset in messages.

    Raises :class:`PresetError` if a file with this preset could not be read back.
    """
    table: dict[str, Any] = {"format": FORMAT, "version": VERSION, "name": preset.name}
    if preset.note:
        table["note"] = preset.note
    table |= {"selections": preset.selected(), "assumptions": preset.assumed()}
    mistakes = Mistakes("")
    _from_table(table, mistakes)
    if mistakes.found:
        raise PresetError(f"The {noun} cannot be saved: {mistakes.found[0].message}")
    return toml_of(table)


class Presets(NamedFiles[Preset]):
    """The presets in a folder. Methods can raise :class:`PresetError` and ``OSError``."""

    NOUN = "preset"
    ERROR = PresetError

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__(folder or presets_folder())

    def all(self) -> tuple[Kept, ...]:
        """Return all files in the folder, sorted by the names of their presets. Unreadable files come last."""
        return tuple(Kept(*entry) for entry in self.entries())

    def read(self, path: Path, *, read: Reading = read_own) -> Preset:
        return read_preset(path, read=read)

    def written(self, item: Preset) -> str:
        return as_toml(item, self.NOUN)

    def renamed(self, item: Preset, name: str) -> Preset:
        return replace(item, name=name)

    def differences(self, old: Preset, new: Preset) -> str:
        return differences(old, new)


class PinFiles(Presets):
    """The pins in a folder, each stored like a preset."""

    NOUN = "pin"
