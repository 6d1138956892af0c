"""Import of the texts in a CSV file: they are compared with the story by ID, shown, and staged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from chartui.core.narrative.texts import ReadTexts, Reworded, read_texts, reworded, summary
from chartui.tui.drafts import TURNED
from chartui.tui.screens.narrative.state import Desk
from chartui.tui.widgets.text import PieceRow, told
from chartui.tui.widgets.told_list import ToldList


async def import_texts(desk: Desk, path: Path) -> None:
    """Show how the texts in a file differ from the story, and stage them."""
    present = desk.state.story
    if present is None:
        return
    try:
        read = read_texts(path)
    except ValueError as error:
        desk.workbench.tell(str(error), title="Nothing imported", severity="error")
        return
    made = reworded(present, read)
    if made.story == present and not made.unknown:
        said = "\n".join(["The story already contains this text. Nothing was staged.", *made.notes()])
        desk.workbench.tell(said, title=path.name)
        return
    question = ToldList(f"Import {path.name}", lambda width: _rows(read, made, width), {"a": "Import"})
    if await desk.workbench.push_screen_wait(question) is None:
        return
    if desk.state.story is not present:
        desk.workbench.tell("The story was refreshed in the meantime. Import the file again.", severity="warning")
        return
    desk.stage(made.story, f"Import {path.name}")
    review, undo = desk.label("apply-story"), desk.label("undo-edit")
    told = f"Staged: import {path.name}. {review} reviews the changes, and {undo} reverts them."
    desk.workbench.tell(told, topic=TURNED)


def _rows(read: ReadTexts, made: Reworded, width: int) -> Iterator[PieceRow]:
    yield from told(f"{summary(read, made)}. Nothing is sent until you apply the changes.", width, "value")
    for note in made.notes():
        yield ()
        yield from told(note, width, "warning")
