"""A story that comes from a file: what it holds, and what of the file did not fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from chartui.core.narrative.story import Story
from chartui.core.tables import BadTable

__all__ = ["SUFFIXES", "Incoming", "IncomingError", "Misfit", "Remark", "read_incoming"]

#: The endings of the files that are read here; bundles are read by :mod:`chartui.core.bundle`.
SUFFIXES: Final = (".twee", ".tw", ".json")
_MOST_BYTES: Final = 16 * 1024 * 1024


class IncomingError(ValueError):
    """No story can be read from a file; the message is one sentence with the file's name."""


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

    ``lost`` says that the story holds it in no form.
    """

    misfit: Misfit
    said: str
    place: str = ""
    lines: tuple[int, ...] = ()
    lost: bool = False


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
    """The story in a file of Twee 3 or of an exported graph; raises :class:`IncomingError`."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise IncomingError(f"{path}: its name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.")
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise IncomingError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise IncomingError("No file can be called so.") from None
    if len(data) > _MOST_BYTES:
        raise IncomingError(f"{path} is larger than 16 MiB, so it is no story that is read here.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise IncomingError(f"{path} is not UTF-8.") from None
    try:
        return _of_json(text) if suffix == ".json" else _of_twee(text)
    except BadTable as error:
        raise IncomingError(f"{path}: {error}") from None


def _of_twee(text: str) -> Incoming:
    from chartui.core.narrative.twee.reading import read

    return read(text)


def _of_json(text: str) -> Incoming:
    from chartui.core.narrative.export.json import read

    title, story = read(text)
    others = len(story.other_sections) + len(story.other_triggers)
    said = "Records that share the id of an earlier one are left out."
    remarks = (Remark(misfit=Misfit.DUPLICATE, said=f"{said} There are {others}.", lost=True),) if others else ()
    return Incoming(
        title=title, story=replace(story, other_sections=(), other_triggers=()), remarks=remarks, whole=True
    )
