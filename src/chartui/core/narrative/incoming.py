"""A story that comes from a file: what it holds, and what of the file did not fit."""

from __future__ import annotations

import errno
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, groupby
from pathlib import Path
from typing import Final

from chartui.core.files import read_named
from chartui.core.narrative.story import Story
from chartui.core.tables import BadFile, BadTable, Mistake

__all__ = ["SUFFIXES", "Incoming", "IncomingError", "Misfit", "Remark", "read_incoming"]

#: The endings of the files that are read here; bundles are read by :mod:`chartui.core.bundle`.
SUFFIXES: Final = (".twee", ".tw", ".json")
_JSON: Final = SUFFIXES[-1]
_MOST_BYTES: Final = 16 * 1024 * 1024


class IncomingError(BadFile):
    """No story can be read from a file or folder."""

    def __init__(self, path: Path, message: str, line: int | None = None) -> None:
        super().__init__(path, [Mistake(line, message)])


class Misfit(StrEnum):
    """What of a file has no counterpart in a narrative graph."""

    CODE = "code"  # macros and the like of a story format
    NAMED = "named"  # a passage that only code leads to or shows
    VARIABLE = "variable"
    MARKUP = "markup"  # HTML and comments
    SCRIPT = "script"
    STYLE = "style"
    SPECIAL = "special"  # a passage that only a story format has a use for
    TAGS = "tags"
    LINK = "link"  # a link to an address or to what is computed
    SETTER = "setter"  # what happens when a link is taken
    NOWHERE = "nowhere"  # a link to a passage that is not there
    IMMEDIATE = "immediate"  # words of a link that mean something here
    DUPLICATE = "duplicate"
    NAME = "name"
    START = "start"
    DATA = "data"
    STRAY = "stray"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something that did not fit: in which part of the file, on which lines counted from 1, and what became of it.

    ``file`` names the file where a story comes from several. ``lost`` says that the story holds it in no form.
    """

    misfit: Misfit
    said: str
    place: str = ""
    lines: tuple[int, ...] = ()
    lost: bool = False
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """What a file holds. ``whole`` says that it speaks for triggers and overrides as well: then what it leaves out is
    meant to be left out.
    """

    title: str
    story: Story
    remarks: tuple[Remark, ...] = ()
    whole: bool = False

    @property
    def lost(self) -> int:
        """How many remarks are about what the story holds in no form."""
        return sum(remark.lost for remark in self.remarks)


def read_incoming(path: Path) -> Incoming:
    """The story in a file of Twee 3 or of an exported graph, or in all the files of Twee in a folder.

    Raises :class:`IncomingError`.
    """
    try:
        return _of_folder(path) if path.is_dir() else _of_file(path)
    except IncomingError:
        raise
    except BadTable as error:
        raise IncomingError(path, str(error), error.line) from None
    except UnicodeDecodeError:
        raise IncomingError(path, "not UTF-8.") from None
    except OSError as error:
        raise IncomingError(Path(error.filename or path), f"it cannot be read: {error.strerror}.") from None
    except ValueError:
        raise IncomingError(path, "no file can be called so.") from None


def _of_file(path: Path) -> Incoming:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise IncomingError(path, f"its name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.")
    data = _bytes(path, _MOST_BYTES)
    return _of_json(data.decode("utf-8-sig")) if suffix == _JSON else _of_twee(data.decode("utf-8-sig"))


def _of_folder(path: Path) -> Incoming:
    """A story is often kept in many files, a folder of them being one story."""
    names = [name for name in _names_in(path) if name.suffix.lower() in SUFFIXES and name.suffix.lower() != _JSON]
    if not names:
        raise IncomingError(path, "there is no file of Twee in that folder.")
    texts: list[str] = []
    left = _MOST_BYTES
    for name in names:
        data = _bytes(path / name, left)
        left -= len(data)
        texts.append(data.decode("utf-8-sig"))
    incoming = _of_twee(*texts)
    return replace(incoming, remarks=tuple(_by_file(incoming.remarks, [str(name) for name in names], texts)))


def _names_in(folder: Path) -> list[Path]:
    """The files below a folder in the order of their names, but for what is hidden."""
    found = (one.relative_to(folder) for one in folder.rglob("*") if one.is_file())
    return sorted(name for name in found if not any(part.startswith(".") for part in name.parts))


def _bytes(path: Path, most: int) -> bytes:
    try:
        return read_named(path, most)
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        raise IncomingError(path, "it is larger than 16 MiB, so it is not a story that is read here.") from None


def _by_file(remarks: Iterable[Remark], names: Sequence[str], texts: Sequence[str]) -> Iterator[Remark]:
    """Remarks with the lines of their own files in the place of lines that are counted on and on."""
    ends = list(accumulate(len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")) for text in texts))
    for remark in remarks:
        if not remark.lines:
            yield remark
        for number, lines in groupby(remark.lines, lambda line: bisect_left(ends, line)):
            before = ends[number - 1] if number else 0
            yield replace(remark, file=names[number], lines=tuple(line - before for line in lines))


def _of_twee(*texts: str) -> Incoming:
    from chartui.core.narrative.twee.reading import read

    return read(*texts)


def _of_json(text: str) -> Incoming:
    from chartui.core.narrative.export.json import read

    title, story = read(text)
    others = len(story.other_sections) + len(story.other_triggers)
    said = "Records that share the id of an earlier one are left out."
    remarks = (Remark(misfit=Misfit.DUPLICATE, said=f"{said} There are {others}.", lost=True),) if others else ()
    return Incoming(
        title=title, story=replace(story, other_sections=(), other_triggers=()), remarks=remarks, whole=True
    )
