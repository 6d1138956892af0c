"""A folder of named items, such as presets. Each item is stored in a TOML file."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from chartui.core.classes import NamedTuple
from chartui.core.file_lock import locked
from chartui.core.files import Reading, read_named, read_own
from chartui.core.jsontext import MAX_DIGITS, canonical
from chartui.core.naming import AmbiguousName, BadName, Item, find, unknown
from chartui.core.paths import file_stem, private_folder, write_private
from chartui.core.tables import BadTable, typed
from chartui.core.text import is_plain

#: The maximum length of a name and of a note, in characters.
MOST_OF_A_NAME: Final = 60
_MOST_OF_A_NOTE: Final = 500


class Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


class NamedFile(NamedTuple, Generic[T]):
    """A file in a folder of named items, with the item that it contains or the reason why it is unreadable."""

    path: Path
    item: T | None
    fault: str = ""


def name_in(value: Any) -> str:
    """Return ``value`` if it is a valid name for an item. Otherwise, raise :class:`BadTable`."""
    name = typed(value, str, "name", "text")
    if not name.strip() or name != name.strip():
        raise BadTable("name must not be empty, and must not start or end with a space.")
    if len(name) > MOST_OF_A_NAME:
        raise BadTable(f"name can have at most {MOST_OF_A_NAME} characters.")
    if not is_plain(name):
        raise BadTable("name contains characters that cannot be shown; remove them.")
    return name


def note_in(value: Any) -> str:
    """Return ``value`` if it is a valid note on an item. Otherwise, raise :class:`BadTable`."""
    note = typed(value, str, "note", "text")
    if len(note) > _MOST_OF_A_NOTE:
        raise BadTable(f"note can have at most {_MOST_OF_A_NOTE} characters.")
    if not is_plain(note.replace("\n", " ")):
        raise BadTable("note contains characters that cannot be shown; remove them.")
    return note


def shortest(value: Decimal) -> int | Decimal:
    """Return the number in its shortest form. NaN and infinity are returned unchanged and rejected later."""
    if not value.is_finite() or abs(value.adjusted()) > MAX_DIGITS:
        return value
    text = canonical(value)
    return Decimal(text) if "." in text else int(text)


class NamedFiles(Generic[T]):
    """Items in a folder, such as presets, each in a TOML file.

    Items are found by name, not by file name. Every method reads the folder again, because other programs may have
    changed it. Methods that change the folder lock it first. All methods raise ``OSError`` if the folder is unusable. A
    subclass defines how a file is read and written. ``ERROR`` is the error class that is raised if an item is unknown,
    or cannot be used or saved.
    """

    #: What an item is called in messages.
    NOUN: ClassVar[str]
    ERROR: ClassVar[type[ValueError]]

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, path: Path, *, read: Reading = read_own) -> T:
        """Read the item in a file. ``read`` is the function that reads the file.

        Raises :attr:`ERROR` if the file does not contain a valid item.
        """
        raise NotImplementedError

    def written(self, item: T) -> str:
        """Return the content of the file for an item. Raises :attr:`ERROR` if a file cannot contain the item."""
        raise NotImplementedError

    def renamed(self, item: T, name: str) -> T:
        raise NotImplementedError

    def differences(self, old: T, new: T) -> str:
        """Describe what changes if the item ``new`` replaces ``old``. Return an empty string if nothing changes."""
        raise NotImplementedError

    def entries(self) -> tuple[NamedFile[T], ...]:
        """Return all files, sorted by the names of their items, with unreadable files last."""
        found = [self._entry(path) for path in sorted(self.folder.glob("*.toml"))]
        return tuple(sorted(found, key=lambda one: (one.item is None, one.item.name.casefold() if one.item else "")))

    def _entry(self, path: Path) -> NamedFile[T]:
        try:
            return NamedFile(path, self.read(path))
        except self.ERROR as error:
            return NamedFile(path, None, str(error))

    def get(self, name_or_path: str) -> T:
        """Return the item with this name or in the file at this path.

        Text that contains a path separator or ends in ``.toml`` is treated as a path. Raises :attr:`ERROR` if there is
        no such item, or if it cannot be used.
        """
        return self.find(name_or_path)[1]

    def find(self, name_or_path: str, *, paths: bool = True) -> tuple[Path, T]:
        """Return an item and its file.

        This works like :meth:`get`, but if ``paths`` is false, only the folder is searched.
        """
        if found := self._found(self.called(name_or_path)):
            return found
        if paths and ("/" in name_or_path or name_or_path.endswith(".toml")):
            path = Path(name_or_path).expanduser()
            return path, self.read(path, read=read_named)
        raise self._unknown(name_or_path)

    def called(self, name: str) -> str:
        """Return the saved name that matches ``name``, or ``name`` itself if there is no match.

        Case and Unicode form do not matter. Raises :attr:`ERROR` if several items match.
        """
        names = [Item(one.item.name) for one in self.entries() if one.item is not None]
        try:
            return find(self.NOUN, name, names, whole=True).id
        except AmbiguousName as error:
            raise self.ERROR(str(error)) from None
        except BadName:
            return name

    def save(self, item: T, *, replace: bool = False) -> Path:
        """Write an item, completely or not at all, and return its file.

        Raises :attr:`ERROR` if the name is taken and ``replace`` is false, or if a file cannot contain the item.
        """
        self.written(item)  # before the folder is created
        with locked(self.folder):
            return self._save(item, replace=replace)

    def remove(self, name: str) -> Path:
        """Remove the item with this name, and return the path of the removed file.

        Raises :attr:`ERROR` if there is no such item, or if several items match.
        """
        with locked(self.folder):
            path = self.file_of(name)
            path.unlink()
        return path

    def file_of(self, name: str) -> Path:
        """Return the file of the item with this name, even if the file is unreadable.

        Raises :attr:`ERROR` if there is no such item, or if several items match.
        """
        if found := self._found(self.called(name)):
            return found[0]
        if broken := self._broken(name):
            return broken.path
        raise self._unknown(name)

    def rename(self, name: str, new: str) -> Path:
        """Rename an item, and return its file.

        Raises :attr:`ERROR` if there is no such item, or if the new name is in use or not valid.
        """
        with locked(self.folder):
            old, item = self.find(name, paths=False)
            if new == name:
                return old
            path = self._save(self.renamed(item, new))
            old.unlink()  # The old file is removed last, so an interruption leaves two items rather than none.
        return path

    def _save(self, item: T, *, replace: bool = False) -> Path:
        """Save an item as :meth:`save` does. The folder is already locked."""
        data, found = self.written(item).encode(), self._found(item.name)
        if found is None:
            return self._write_new(item.name, data)
        if not replace:
            changes = self.differences(found[1], item)
            changed = f" with different inputs: {changes}" if changes else ""
            exists = f"{self.NOUN.capitalize()} '{item.name}' already exists"
            raise self.ERROR(f"{exists}{changed}. Replace it or choose another name.")
        write_private(found[0], data)
        return found[0]

    def _found(self, name: str) -> tuple[Path, T] | None:
        held = [(one.path, one.item) for one in self.entries() if one.item is not None and one.item.name == name]
        if len(held) > 1:
            files = ", ".join(path.name for path, _ in held)
            several = f"Several files in {self.folder} define a {self.NOUN} '{name}' ({files})"
            raise self.ERROR(f"{several}. Remove all but one of these files.")
        return held[0] if held else None

    def _broken(self, name: str) -> NamedFile[T] | None:
        slug = file_stem(name, otherwise=self.NOUN)
        return next((one for one in self.entries() if one.item is None and one.path.stem == slug), None)

    def _unknown(self, name: str) -> ValueError:
        if broken := self._broken(name):
            return self.ERROR(broken.fault)
        entries = self.entries()
        names = [one.item.name for one in entries if one.item is not None]
        faults = [one.fault for one in entries if one.item is None]
        none = "" if names or faults else f" No {self.NOUN}s are saved yet."
        return self.ERROR(" ".join((unknown(self.NOUN, name, names) + none, *faults)))

    def _write_new(self, name: str, data: bytes) -> Path:
        """Write an item to a new file, since two items never share a file."""
        folder, slug, number = private_folder(self.folder), file_stem(name, otherwise=self.NOUN), 1
        taken = {path.name.casefold() for path in folder.iterdir()}
        while (file := f"{slug}.toml" if number == 1 else f"{slug}-{number}.toml") in taken:
            number += 1
        write_private(folder / file, data)
        return folder / file
