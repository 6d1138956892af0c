"""Read and write bundles on disk.

A bundle is a file, or a folder with one file per section. In both cases, a lock file contains the IDs. A bundle
``mira.toml`` has the lock file ``mira.lock``. In a folder, ``bundle.toml`` contains everything except the sections,
``sections/gate.toml`` contains the section ``gate``, and ``bundle.lock`` contains the IDs.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace as replaced
from decimal import Decimal
from pathlib import Path
from typing import Final

from chartui.core.bundle.lock import lock_of, lock_text, read_lock
from chartui.core.bundle.model import Bundle, Identities
from chartui.core.bundle.reader import BundleError, Text, read_bundle, text_of_file
from chartui.core.bundle.writer import bundle_text, section_text, without_ids
from chartui.core.classes import NamedTuple
from chartui.core.paths import check_output, write_output
from chartui.core.tables import BadTable, Mistake, table_in
from chartui.core.toml_text import TomlLines

#: The name of the main file in a folder.
MAIN: Final = "bundle.toml"
_SECTIONS: Final = "sections"
#: Also for a dialog that asks for the name.
NOT_TOML: Final = "A bundle is a TOML file. End its name with .toml, or with / to write a folder."
#: Endings of file names that promise other formats than TOML.
_OTHER_FORMATS: Final = frozenset({".json", ".yaml", ".yml", ".csv", ".md", ".txt", ".xml", ".html", ".zip", ".lock"})


class Loaded(NamedTuple):
    """A bundle with the texts of its files. ``sections`` is None if the bundle consists of a single file."""

    bundle: Bundle
    main: Text
    sections: Mapping[str, Text] | None = None


def main_of(path: Path) -> Path:
    """Return the path of the main file of a bundle. ``path`` may be the file or its folder."""
    return path / MAIN if path.is_dir() else path


def is_folder(path: Path) -> bool:
    """Return whether ``path`` is the folder of an existing bundle."""
    return (path / MAIN).is_file()


def load(path: Path) -> Loaded:
    """Read the bundle in a file or folder, with its IDs.

    Raises :class:`~chartui.core.bundle.reader.BundleError` if the bundle cannot be read or contains mistakes.
    """
    file = main_of(path)
    main = text_of_file(file)
    # The main file of a folder stands for the folder.
    whole = path.is_dir() or (file.name == MAIN and (file.parent / _SECTIONS).is_dir())
    parts = sorted((file.parent / _SECTIONS).glob("[!.]*.toml")) if whole else ()
    sections = {path.stem: text_of_file(path) for path in parts} if whole else None
    bundle = read_bundle(main.text, where=main.file, sections=sections)
    ids = {**bundle.ids, **read_lock(lock_of(file), bundle.story)}
    return Loaded(replaced(bundle, ids=ids), main, sections)


def earlier_bundle(path: Path) -> Bundle | None:
    """Read the bundle in a file or folder, or return None if it does not exist.

    Raises :class:`~chartui.core.bundle.reader.BundleError` if the bundle cannot be read or contains mistakes.
    """
    return load(path).bundle if main_of(path).exists() else None


def check_name(path: Path) -> None:
    """Raise :class:`~chartui.core.bundle.reader.BundleError` if a new file's name indicates another format."""
    if path.suffix.lower() in _OTHER_FORMATS and not path.exists():
        raise BundleError(path, (Mistake(None, NOT_TOML),))


class Places:
    """Finds the file and line for a part of a bundle."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._lines: dict[Path | str, TomlLines] = {}

    def find(self, at: str) -> tuple[Path | str, int | None]:
        """Return the file and the line number (starting at 1) for a path such as ``sections.gate.decisions[0]``."""
        main, sections = self._loaded.main, self._loaded.sections
        part, _, rest = at.partition(".")
        slug, _, inside = rest.partition(".")
        if sections is None or part != "sections" or slug not in sections:
            return main.file, self._of(main).line(at)
        # A section without the member is found by its first line.
        return sections[slug].file, self._of(sections[slug]).line(inside) or 1

    def _of(self, text: Text) -> TomlLines:
        if text.file not in self._lines:
            self._lines[text.file] = TomlLines(text.text)
        return self._lines[text.file]


#: The number of sections from which on a folder is easier to work with than a single file.
_MANY: Final = 30


def folder_advice(path: Path, bundle: Bundle) -> str:
    """Return a suggestion to use a folder if a large story is written to a file, or an empty string otherwise."""
    if len(bundle.story.sections) < _MANY or is_folder(path):
        return ""
    return f"To get one file per section instead, pull into a folder: end its name with /, as in {path.stem}/."


def write_bundle(path: Path, bundle: Bundle, *, replace: bool = False, folder: bool = False) -> None:
    """Write a bundle and its lock file.

    The bundle is written as a folder if ``folder`` is set, or if the path is the folder of an existing bundle. If
    ``replace`` is set, an earlier bundle is overwritten, but its comments and the order of its parts are kept. Raises
    :class:`~chartui.core.bundle.reader.BundleError` if existing files are not a bundle and its lock file,
    ``FileExistsError`` if a file exists and ``replace`` is false, ``OSError`` if a file cannot be written, or
    ``ValueError`` for text that TOML cannot contain.
    """
    folder = folder or is_folder(path)
    main = path / MAIN if folder else path
    before = load(path) if replace and main.exists() else None
    if before is not None and before.sections is not None and not folder:  # the main file stands for its folder
        folder = True
    files: dict[Path, str] = {}
    held = before.sections or {} if before is not None else {}
    if folder:
        for slug, section in bundle.story.sections.items():
            over = held[slug].text if slug in held else ""
            files[main.parent / _SECTIONS / f"{slug}.toml"] = section_text(section, over)
    files[main] = bundle_text(bundle, before.main.text if before is not None else "", folder=folder)
    lock = lock_of(main)
    read_lock(lock, bundle.story)  # only a lock file may be overwritten
    for file in files:
        check_output(file, replace=replace)
    if folder:
        (main.parent / _SECTIONS).mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        write_output(file, text.encode(), replace=replace)
    for slug in held.keys() - bundle.story.sections.keys():
        (main.parent / _SECTIONS / f"{slug}.toml").unlink(missing_ok=True)
    # The lock comes last: with an older lock, the next push reports conflicts instead of overwriting changes.
    _write_lock(lock, bundle.ids)


def remember(path: Path, ids: Mapping[str, Identities]) -> None:
    """Replace the IDs in the lock file of a bundle.

    If the bundle is in an earlier format and contains the IDs itself, they are moved to the lock file. Raises
    :class:`~chartui.core.bundle.reader.BundleError` if the bundle cannot be read, or ``OSError`` if a file cannot be
    written.
    """
    main = main_of(path)
    text = text_of_file(main).text
    _write_lock(lock_of(main), ids)
    with suppress(BadTable):  # the file is being edited, and its IDs are moved next time
        if "ids" in table_in(text.encode(), number=Decimal):
            _write(main, without_ids(text))


def _write_lock(lock: Path, ids: Mapping[str, Identities]) -> None:
    if ids or lock.exists():
        _write(lock, lock_text(ids))


def _write(path: Path, text: str) -> None:
    if not path.exists() or text_of_file(path).text != text:
        write_output(path, text.encode(), replace=True)
