"""Presets: named configurations, one TOML file each, to keep or share::

    format = "chartui-preset"
    version = 1
    name = "Quick and cheap"
    note = "For the kiosk."

    [selections]
    llm = "mdla_4o"
    memory = false

    [assumptions]
    inputTokens = 1500

A preset contains only the values that you chose. For all other values, the service's current default applies. The
members of a preset are those of an estimate (E 2.1 and 2.2). Option keys are an open set (decision 62), so unknown keys
are kept, and the service decides whether to accept them. Presets belong to this program and not to a service, so the
lock does not apply to them (DESIGN 7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple

from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.file_lock import locked
from chartui.core.files import Reading, read_named, read_own
from chartui.core.jsontext import MAX_DIGITS, Wire, canonical
from chartui.core.naming import AmbiguousName, BadName, Item, find, unknown
from chartui.core.paths import data_dir, file_stem, private_folder, write_private
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.core.spec.shape import payload_of, wire_names
from chartui.core.tables import BadFile, BadTable, Mistakes, Reader, refuse_unknown, typed
from chartui.core.tables import as_toml as toml_of
from chartui.core.text import is_plain

FORMAT: Final = "chartui-preset"
VERSION: Final = 1
#: The maximum length of a name and of a note, in characters.
MOST_OF_A_NAME: Final = 60
_MOST_OF_A_NOTE: Final = 500
_MOST_OF_A_KEY: Final = 200
_SWITCHES: Final = frozenset({"memory", "knowledge"})


class PresetError(ValueError):
    """Raised if a preset cannot be used or saved."""


class PresetFileError(BadFile, PresetError):
    """Raised if the file of a preset cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named configuration: selections and assumptions. None stands for the service's default."""

    name: str
    selections: Selections = field(default_factory=Selections)
    assumptions: Assumptions = field(default_factory=Assumptions)
    note: str = ""

    def under(self, selections: Selections, assumptions: Assumptions) -> Preset:
        """Return a copy of the preset in which the given values replace its own."""
        return replace(
            self, selections=_laid(self.selections, selections), assumptions=_laid(self.assumptions, assumptions)
        )

    def selected(self) -> dict[str, Wire]:
        """Return the selections by member (E 2.1)."""
        return payload_of(self.selections)

    def assumed(self) -> dict[str, Wire]:
        """Return the assumptions by member (E 2.2). Whole numbers are ``int``."""
        return {member: _number(value) for member, value in payload_of(self.assumptions).items()}


def differences(old: Preset, new: Preset) -> str:
    """Describe the changes if ``new`` replaces ``old``, such as ``input tokens 1 500 → 4 000``.

    Empty if there are none.
    """
    from chartui.core.estimation.summary import changes_in_words

    return changes_in_words({**old.selected(), **old.assumed()}, {**new.selected(), **new.assumed()})


class Kept(NamedTuple):
    """A file in the folder of presets, with its preset or its problem."""

    path: Path
    preset: Preset | None
    fault: str = ""


def _laid(below: Any, above: Any) -> Any:
    given = {f.name: value for f in fields(above) if (value := getattr(above, f.name)) is not None}
    return replace(below, **given)


def presets_folder(folder: Path | None = None) -> Path:
    """Return the presets folder, inside ``folder`` (for a throw-away session) or the data folder."""
    return (folder or data_dir()) / "presets"


# -- a file -----------------------------------------------------------------------------------------------------------


def read_preset(path: Path, *, read: Reading = read_own) -> Preset:
    """Read the preset in a file, using ``read``. Raises :class:`PresetFileError`."""
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
        name=mistakes.take(_name, table.get("name", "-")) or "",
        note=mistakes.take(_note, table.get("note", "")) or "",
        selections=Selections(**_members(table, "selections", Selections, mistakes)),
        assumptions=Assumptions(**_members(table, "assumptions", Assumptions, mistakes)),
    )


def _members(table: Mapping[str, Any], part: str, model: type, mistakes: Mistakes) -> dict[str, Any]:
    written: Mapping[str, Any] = mistakes.take(typed, table.get(part, {}), dict, part, "a table") or {}
    attributes = {member: attribute for attribute, member in wire_names(model).items()}
    read = _selected if part == "selections" else _quantity
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
    key = typed(value, str, where, "an option key, as text")
    if not 0 < len(key) <= _MOST_OF_A_KEY or not is_plain(key):
        raise BadTable(f"{where} is not an option key; 'chartui options' lists them.")
    return key


def _quantity(value: Any, _: str, where: str) -> Decimal:
    wanted = f"a number from 0 to {MAX_QUANTITY}"
    given: Any = typed(value, (int, Decimal), where, wanted)
    number = Decimal(given)
    if not number.is_finite() or not 0 <= number <= MAX_QUANTITY:
        raise BadTable(f"{where} must be {wanted}.")
    if len(number.as_tuple().digits) > MAX_DIGITS or abs(number.adjusted()) > MAX_DIGITS:
        raise BadTable(f"{where} has too many digits.")
    return number


def _name(value: Any) -> str:
    name = typed(value, str, "name", "text")
    if not name.strip() or name != name.strip():
        raise BadTable("name must be text without spaces at its ends, and cannot be empty.")
    if len(name) > MOST_OF_A_NAME:
        raise BadTable(f"name can have at most {MOST_OF_A_NAME} characters.")
    if not is_plain(name):
        raise BadTable("name contains characters that cannot be shown; remove them.")
    return name


def _note(value: Any) -> str:
    note = typed(value, str, "note", "text")
    if len(note) > _MOST_OF_A_NOTE:
        raise BadTable(f"note can have at most {_MOST_OF_A_NOTE} characters.")
    if not is_plain(note.replace("\n", " ")):
        raise BadTable("note contains characters that cannot be shown; remove them.")
    return note


def as_toml(preset: Preset) -> str:
    """Return a preset as TOML, for saving or sharing.

    Raises :class:`PresetError` if the preset cannot be stored in a file, so every saved file can be read back.
    """
    table: dict[str, Any] = {"format": FORMAT, "version": VERSION, "name": preset.name}
    if preset.note:
        table["note"] = preset.note
    table |= {"selections": preset.selected(), "assumptions": preset.assumed()}
    mistakes = Mistakes("")
    _from_table(table, mistakes)
    if mistakes.found:
        raise PresetError(f"The preset cannot be saved: {mistakes.found[0].message}")
    return toml_of(table)


def _number(value: Decimal) -> int | Decimal:
    """Return the number in its shortest form. NaN and infinity are returned unchanged and refused later."""
    if not value.is_finite() or abs(value.adjusted()) > MAX_DIGITS:
        return value
    text = canonical(value)
    return Decimal(text) if "." in text else int(text)


# -- the folder -------------------------------------------------------------------------------------------------------


class Presets:
    """The presets in a folder, found by preset name rather than file name.

    Every method reads the folder again, because other programs change it too. Methods that change the folder lock it
    first. All methods also raise ``OSError`` if the folder is unusable.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or presets_folder()

    def all(self) -> tuple[Kept, ...]:
        """Return all files, sorted by the names of their presets, with unreadable files last."""
        kept = [_kept(path) for path in sorted(self.folder.glob("*.toml"))]
        return tuple(sorted(kept, key=lambda k: (k.preset is None, k.preset.name.casefold() if k.preset else "")))

    def get(self, name_or_path: str) -> Preset:
        """Return the preset with this name, or the one in the file at this path. Raises :class:`PresetError`.

        Text that contains a path separator or ends in ``.toml`` is a path.
        """
        return self.find(name_or_path)[1]

    def find(self, name_or_path: str, *, paths: bool = True) -> tuple[Path, Preset]:
        """Like :meth:`get`, but return the file as well. Without ``paths``, only the folder is searched."""
        if found := self._found(self.called(name_or_path)):
            return found
        if paths and ("/" in name_or_path or name_or_path.endswith(".toml")):
            path = Path(name_or_path).expanduser()
            return path, read_preset(path, read=read_named)
        raise self._unknown(name_or_path)

    def called(self, name: str) -> str:
        """Return a preset's name as saved, ignoring case and Unicode form, or ``name`` itself if there is no match.

        Raises :class:`PresetError` if several presets have the name.
        """
        try:
            return find("preset", name, [Item(one.preset.name) for one in self.all() if one.preset], whole=True).id
        except AmbiguousName as error:
            raise PresetError(str(error)) from None
        except BadName:
            return name

    def save(self, preset: Preset, *, replace: bool = False) -> Path:
        """Write a preset, completely or not at all, and return its file.

        Raises :class:`PresetError` if the name is taken and ``replace`` is not set, or if the preset cannot be stored
        in a file.
        """
        as_toml(preset)  # before the folder is created
        with locked(self.folder):
            return self._save(preset, replace=replace)

    def remove(self, name: str) -> Path:
        """Remove the preset with this name, and return the path of the removed file. Raises :class:`PresetError`."""
        with locked(self.folder):
            path = self.file_of(name)
            path.unlink()
        return path

    def file_of(self, name: str) -> Path:
        """Return the file of the preset with this name, even if it is unreadable. Raises :class:`PresetError`."""
        if found := self._found(self.called(name)):
            return found[0]
        if broken := self._broken(name):
            return broken.path
        raise self._unknown(name)

    def rename(self, name: str, new: str) -> Path:
        """Give a preset a new, unused name and return its file. Raises :class:`PresetError`."""
        with locked(self.folder):
            old, preset = self.find(name, paths=False)
            if new == name:
                return old
            path = self._save(replace(preset, name=new))
            old.unlink()  # The old file is removed last, so an interruption leaves two presets rather than none.
        return path

    def _save(self, preset: Preset, *, replace: bool = False) -> Path:
        """Save a preset as :meth:`save` does. The folder is already locked."""
        data, found = as_toml(preset).encode(), self._found(preset.name)
        if found is None:
            return self._write_new(preset.name, data)
        if not replace:
            changes = differences(found[1], preset)
            changed = f" with other inputs: {changes}" if changes else ""
            raise PresetError(f"Preset '{preset.name}' already exists{changed}. Replace it or choose another name.")
        write_private(found[0], data)
        return found[0]

    def _found(self, name: str) -> tuple[Path, Preset] | None:
        held = [(kept.path, kept.preset) for kept in self.all() if kept.preset is not None and kept.preset.name == name]
        if len(held) > 1:
            files = ", ".join(path.name for path, _ in held)
            raise PresetError(f"Several files in {self.folder} define a preset '{name}' ({files}): remove all but one.")
        return held[0] if held else None

    def _broken(self, name: str) -> Kept | None:
        slug = file_stem(name, otherwise="preset")
        return next((kept for kept in self.all() if kept.preset is None and kept.path.stem == slug), None)

    def _unknown(self, name: str) -> PresetError:
        if broken := self._broken(name):
            return PresetError(broken.fault)
        kept = self.all()
        names = [one.preset.name for one in kept if one.preset is not None]
        faults = [one.fault for one in kept if one.preset is None]
        none = "" if names or faults else " No presets are saved yet."
        return PresetError(" ".join((unknown("preset", name, names) + none, *faults)))

    def _write_new(self, name: str, data: bytes) -> Path:
        """Write a preset to a new file, since two presets never share a file."""
        folder, slug, number = private_folder(self.folder), file_stem(name, otherwise="preset"), 1
        taken = {path.name.casefold() for path in folder.iterdir()}
        while (file := f"{slug}.toml" if number == 1 else f"{slug}-{number}.toml") in taken:
            number += 1
        write_private(folder / file, data)
        return folder / file


def _kept(path: Path) -> Kept:
    try:
        return Kept(path, read_preset(path))
    except PresetError as error:
        return Kept(path, None, str(error))
