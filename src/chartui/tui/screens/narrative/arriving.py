"""A story that comes from a file: the question for its name, and what of it did not fit, before it is staged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from chartui.core.narrative.story_import import Incoming, Joining, Remark, read_incoming
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count, number_of
from chartui.tui.shell.files import OpenFile
from chartui.tui.widgets.text import PieceRow, Role, told
from chartui.tui.widgets.told_list import ToldList

if TYPE_CHECKING:
    from chartui.core.bundle.model import Bundle

__all__ = ["ANSWERS", "Arrival", "OpenStory", "arrival_of", "arriving"]

#: The ending of a bundle.
BUNDLE: Final = ".toml"
#: Bytes that are read and understood in a few hundredths of a second.
_AT_ONCE: Final = 64 * 1024
#: The keys that say how a story joins one that is there.
ANSWERS: Final = {"a": Joining.ADD, "r": Joining.REPLACE}
_LOST: Final[Role] = "warning"
_KEPT: Final[Role] = "value"
#: Nobody reads more remarks than these in a dialogue.
_MOST: Final = 300
#: Of many lines that a remark is about, the first are told.
_LINES: Final = 6


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a file holds: a story, or a bundle, whose story it is then."""

    path: Path
    incoming: Incoming
    bundle: Bundle | None = None


class OpenStory(OpenFile[Path]):
    """Asks for a file with a story; gives its path.

    What is wrong with a file that is read at once is told here, so that another can be named; a larger one is read
    beside the keyboard, by whoever asked (:func:`arrival_of`).
    """

    TITLE_OF_IT: ClassVar[str] = "Import a story"
    WHAT_BECOMES: ClassVar[str] = ""

    def read(self, path: Path) -> Path:
        """The path of what can be read."""
        if not path.is_dir() and (not path.exists() or path.stat().st_size <= _AT_ONCE):
            arrival_of(path)
        return path


def arrival_of(path: Path) -> Arrival:
    """What a file holds; raises ``ValueError`` for one that cannot be used, with a line for every mistake."""
    if path.suffix.lower() != BUNDLE:
        return Arrival(path, read_incoming(path))
    from chartui.core.bundle.reader import read_bundle

    bundle = read_bundle(path)
    return Arrival(path, Incoming(title=bundle.name or "", story=bundle.story, whole=True), bundle)


def arriving(arrival: Arrival, *, empty: bool) -> ToldList:
    """Shows what of a file did not fit, and asks how it shall be staged; ``empty`` says that there is no story yet."""

    def rows(width: int) -> Iterator[PieceRow]:
        yield from _rows(arrival, width)

    answers = {"a": "Stage it"} if empty else {"a": "Put it beside the story", "r": "Put it in its place"}
    if arrival.bundle is not None and not empty:
        answers = {"a": "Stage what it says", "r": "Stage it and remove the rest"}
    return ToldList(f"Import {arrival.path.name}", rows, answers)


def _rows(arrival: Arrival, width: int) -> Iterator[PieceRow]:
    incoming = arrival.incoming
    story = incoming.story
    amount = f"{number_of(len(story.sections), 'section')}, {number_of(len(story.triggers), 'trigger')}"
    title = f"“{incoming.title}”: " if incoming.title else ""
    yield from told(f"{title}{amount}. It will be staged, and nothing is sent before you say so.", width, "value")
    if arrival.bundle is not None:
        said = "Of the bundle only the story is staged; B pushes it with its settings and its actions."
        yield from told(said, width, "label")
    if incoming.remarks:
        lost = f", {count(incoming.lost)} of them about what is left out" if incoming.lost else ""
        yield ()
        yield from told(f"{number_of(len(incoming.remarks), 'remark')}{lost}:", width, "title")
    for remark in incoming.remarks[:_MOST]:
        yield from _remark(remark, width)
    if len(incoming.remarks) > _MOST:
        more = f"{GLYPHS.ellipsis} and {count(len(incoming.remarks) - _MOST)} more; the command line tells all of them."
        yield from told(more, width, "label")


def _remark(remark: Remark, width: int) -> Iterator[PieceRow]:
    where = remark.place
    if remark.lines:
        more = f" {GLYPHS.ellipsis}" if len(remark.lines) > _LINES else ""
        lines = ", ".join(map(str, remark.lines[:_LINES]))
        where = f"{where}{', ' if where else ''}line{'' if len(remark.lines) == 1 else 's'} {lines}{more}"
    if remark.file:
        where = f"{remark.file}: {where}" if where else remark.file
    glyph, role = (GLYPHS.warning, _LOST) if remark.lost else (GLYPHS.note, _KEPT)
    yield from told(f"{where}: {remark.said}" if where else remark.said, width, role, glyph)
