"""Import and export of stories. An export includes staged changes; an import is staged."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from chartui.core.classes import dataclass
from chartui.core.narrative.export import FORMS, Form, export
from chartui.core.narrative.nodes import section_node
from chartui.core.narrative.story import Story
from chartui.core.narrative.story_import import (
    Incoming,
    Joining,
    Remark,
    SeveralIncoming,
    joined,
    read_incoming,
    refuse_incomplete,
)
from chartui.core.spec.errors import ServiceError
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.narrative.state import Desk
from chartui.tui.shell.files import OpenFile
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.screen import Copyable
from chartui.tui.widgets.text import PieceRow, Role, told
from chartui.tui.widgets.told_list import ToldList

if TYPE_CHECKING:
    from chartui.core.bundle.model import Bundle

_COPY: Final = "copy"
_WRITE: Final = "write"
#: Most sentences in a message about content left out.
_TOLD: Final = 4
#: The file extension of a bundle.
_BUNDLE: Final = ".toml"
#: Files up to this many bytes take only a few hundredths of a second to read and parse.
_AT_ONCE: Final = 64 * 1024
#: The ways to combine an import with the current story, by key.
_ANSWERS: Final = {"a": Joining.ADD, "r": Joining.REPLACE}
_LOST: Final[Role] = "warning"
_KEPT: Final[Role] = "value"
#: Most remarks shown in a dialog.
_MOST: Final = 300
#: Most line numbers shown for a remark.
_LINES: Final = 6


@dataclass(frozen=True, slots=True)
class _Arrival:
    """The contents of a file: a story, perhaps that of a bundle."""

    path: Path
    incoming: Incoming
    bundle: Bundle | None = None


class OpenStory(OpenFile[Path]):
    """Asks for a file with a story; returns its path.

    A small file is read immediately, and its problems are shown here, so that you can enter another one. The caller
    reads a larger one in the background.
    """

    TITLE_OF_IT: ClassVar[str] = "Import a story"
    WHAT_BECOMES: ClassVar[str] = "A Twee, Twine, JSON or CSV file, or a bundle (.toml or a folder)."

    def read(self, path: Path) -> Path:
        if path.suffix.lower() == FORMS[Form.TEXTS].suffix:
            from chartui.core.narrative.texts import read_texts

            read_texts(path)
        elif not path.is_dir() and (not path.exists() or path.stat().st_size <= _AT_ONCE):
            with suppress(SeveralIncoming):
                _arrival_of(path)
        return path


def _arrival_of(path: Path, title: str | None = None) -> _Arrival:
    """The contents of a file; ``title`` is that of the story to take from several.

    Raises ``ValueError`` with a line for every mistake if the file is unusable, or :class:`SeveralIncoming`.
    """
    from chartui.core.bundle.files import is_folder, load

    if path.suffix.lower() != _BUNDLE and not is_folder(path):
        return _Arrival(path, read_incoming(path, title))
    bundle = load(path).bundle
    return _Arrival(path, Incoming(title=bundle.name or "", story=bundle.story, whole=True), bundle)


def _question(arrival: _Arrival, bundle_key: str, *, empty: bool) -> ToldList:
    """Shows the remarks on an import, and asks how to stage it; ``empty`` means that the graph is empty.

    ``bundle_key`` is the shortcut that pushes a bundle.
    """
    answers = {"a": "Stage the story"} if empty else {"a": "Add to the story", "r": "Replace the story"}
    if arrival.bundle is not None and not empty:
        answers = {"a": "Stage the story", "r": "Stage and remove the rest"}
    return ToldList(f"Import {arrival.path.name}", partial(_rows, arrival, bundle_key), answers)


def _rows(arrival: _Arrival, bundle_key: str, width: int) -> Iterator[PieceRow]:
    incoming = arrival.incoming
    story = incoming.story
    amount = f"{number_of(len(story.sections), 'section')} and {number_of(len(story.triggers), 'trigger')}"
    title = f"“{incoming.title}”: " if incoming.title else ""
    yield from told(f"{title}{amount}. The story will be staged. Nothing is sent until you apply it.", width, "value")
    if arrival.bundle is not None:
        said = f"Only the bundle's story is staged. {bundle_key} pushes the settings and actions as well."
        yield from told(said, width, "label")
    if incoming.remarks:
        lost = f" ({count(incoming.lost)} about omitted content)" if incoming.lost else ""
        yield ()
        yield from told(f"{number_of(len(incoming.remarks), 'remark')}{lost}:", width, "title")
    for remark in incoming.remarks[:_MOST]:
        yield from _remark(remark, width)
    if len(incoming.remarks) > _MOST:
        more = f"{GLYPHS.ellipsis} and {count(len(incoming.remarks) - _MOST)} more. The command line lists all remarks."
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


async def export_story(desk: Desk) -> None:
    """Ask for a format, then whether to copy the text or write it to a file."""
    story, character = desk.state.story, desk.state.character
    if story is None or character is None:
        desk.workbench.tell("Nothing to export yet.")
        return
    forms = [Choice(form.value, facts.title, facts.suffix, facts.use) for form, facts in FORMS.items()]
    chosen = await desk.workbench.push_screen_wait(Chooser("Export the graph", forms))
    if chosen is None:
        return
    form, ways = Form(chosen), [Choice(_COPY, "Copy"), Choice(_WRITE, "Write to a file")]
    way = await desk.workbench.push_screen_wait(Chooser(FORMS[form].title, ways))
    if way is None:
        return
    title = character.character_name or character.character_id
    made = partial(export, story, form, title)
    copyable = Copyable(f"{title}: {FORMS[form].title}", made, FORMS[form].suffix)
    desk.offer(copyable, as_file=way == _WRITE)


async def import_story(desk: Desk) -> None:
    """Ask for a file, show the remarks on it, and stage its story."""
    path = await desk.workbench.push_screen_wait(OpenStory())
    present = desk.state.story
    if path is None or present is None:
        return
    if path.suffix.lower() == FORMS[Form.TEXTS].suffix:
        from chartui.tui.screens.narrative.text_import import import_texts

        await import_texts(desk, path)
        return
    try:
        arrival = await _chosen_arrival(desk, path)
    except ValueError as error:
        desk.workbench.tell(str(error), title="Nothing imported", severity="error")
        return
    if arrival is None:
        return
    question = _question(arrival, desk.label("bundle"), empty=not (present.sections or present.triggers))
    answer = await desk.workbench.push_screen_wait(question)
    present = desk.state.story
    if answer is None or present is None:
        return
    try:
        wanted, left_out = await asyncio.to_thread(_arrived, desk, arrival, present, _ANSWERS[answer])
    except ServiceError as error:
        desk.workbench.tell(error.message, title="Nothing imported", severity="error")
        return
    if desk.state.story is not present:
        desk.workbench.tell("The story was refreshed in the meantime. Import the file again.", severity="warning")
        return
    _stage_arrival(desk, path.name, present, wanted, left_out)


async def _chosen_arrival(desk: Desk, path: Path) -> _Arrival | None:
    """The contents of a file. Asks for a story if the file has several; None if none is chosen."""
    try:
        return await asyncio.to_thread(_arrival_of, path)
    except SeveralIncoming as several:
        stories = [Choice(title, title) for title in dict.fromkeys(several.titles)]
    chosen = await desk.workbench.push_screen_wait(Chooser("Import a story", stories))
    return None if chosen is None else await asyncio.to_thread(_arrival_of, path, chosen)


def _stage_arrival(desk: Desk, name: str, present: Story, wanted: Story, left_out: Sequence[str]) -> None:
    if wanted == present:
        desk.workbench.tell("The story already matches the file. Nothing was staged.", title=name)
        return
    first = next((key for key in wanted.sections if key not in present.sections), wanted.start)
    desk.stage(wanted, f"Import {name}", keep=section_node(first) if first else None)
    if left_out:
        more = len(left_out) - _TOLD
        said = "\n".join([*left_out[:_TOLD], *([f"{GLYPHS.ellipsis} and {more} more"] if more > 0 else [])])
        desk.workbench.tell(said, title=f"{number_of(len(left_out), 'item')} left out", severity="warning")


def _arrived(desk: Desk, arrival: _Arrival, present: Story, how: Joining) -> tuple[Story, list[str]]:
    """The resulting story, and sentences on the content left out."""
    if arrival.bundle is None:
        found = joined(present, arrival.incoming, how)
        refuse_incomplete(desk.state.name, present, found.story)
        return found.story, [remark.said for remark in found.remarks]
    from chartui.tui.screens.narrative.bundles import arrived

    return arrived(desk, arrival.bundle, present, how)
