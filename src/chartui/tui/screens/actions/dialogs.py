"""The dialogs of the actions screen: for an entry of the scene, and for a scene file."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from chartui.core.actions.scene_file import read_scene
from chartui.core.actions.turn import Turn, faults
from chartui.core.names import bare
from chartui.core.text import display_text, single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.actions.state import NOUNS, Group, Item
from chartui.tui.shell.files import OpenFile
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter import FilterBox

_NAMES: Final = {
    Group.ACTIONS: "Actions (separated by commas)",
    Group.OBJECTS: "Name and any restriction",
    Group.CHARACTERS: "Name",
}
_DETAILS: Final = {Group.OBJECTS: "Description", Group.CHARACTERS: "Short biography"}
_HINTS: Final = {
    Group.ACTIONS: "Use simple, general words in a consistent style, such as Picks Up.",
    Group.OBJECTS: "Number similar objects (Key 1, Key 2). Add restrictions, as in Door (cannot be opened).",
    Group.CHARACTERS: "Other characters in the scene, not the one you are talking to.",
}


class _OneLine(FilterBox):
    """A one-line input; joins pasted lines instead of dropping all but the first."""

    def on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.insert_text_at_cursor(" ".join(event.text.split("\n")).replace("\r", ""))


class EntryDialog(Dialog[tuple[Item, ...] | None]):
    """Enter goes from the name to the description and then accepts both; Escape cancels.

    The result is one entry, several for actions separated by commas, or None for no change.
    """

    DEFAULT_CSS = """
    EntryDialog > Vertical { width: 72; padding: 1 1 0 1; }
    EntryDialog Static { width: 1fr; height: auto; margin: 0 1; color: $meaning-label; }
    EntryDialog Input { padding: 0 1; margin: 0 1 1 1; background: $panel; }
    EntryDialog #hint { height: 2; }
    EntryDialog #hint.-wrong { color: $meaning-danger; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel"),
        Binding("enter", "next", "Next field"),
        Binding("enter", "enter", "Keep"),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(self, group: Group, item: Item | None, taken: Collection[str]) -> None:
        super().__init__()
        self._group = group
        self._item = item or Item("")
        self._title = f"{'Change' if item else 'Add'} {NOUNS[group]}"
        self._taken = {bare(name): name for name in taken if name != self._item.name}

    def compose(self) -> ComposeResult:
        with Vertical() as panel:
            panel.border_title = Content(self._title)
            yield Static(Content(_NAMES[self._group]))
            yield self._input("name", self._item.name)
            if self._group in _DETAILS:
                yield Static(Content(_DETAILS[self._group]))
                yield self._input("detail", self._item.detail)
            yield Static(id="hint")

    def _input(self, name: str, value: str) -> Input:
        box = _OneLine("", id=name)
        box.value = value
        return box

    def on_mount(self) -> None:
        self._hint()
        self.set_focus(self.query_one("#name"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """“Next field” applies only to a name with a field after it."""
        return action not in ("next", "enter") or (action == "next") == self._goes_on(self.focused)

    def _goes_on(self, box: Widget | None) -> bool:
        return box is not None and box.id == "name" and self._group in _DETAILS

    async def action_next(self) -> None:
        await self.action_enter()

    def _written(self) -> tuple[Item, ...]:
        name = self.query_one("#name", Input).value.strip()
        if self._group is Group.ACTIONS:
            return tuple(Item(word.strip()) for word in name.split(",") if word.strip())
        return (Item(name, self.query_one("#detail", Input).value.strip()),) if name else ()

    def _fault(self) -> str:
        """The problem of the input; empty if it is valid."""
        items = self._written()
        if not items:
            return "Enter a name."
        if self._group is not Group.OBJECTS:
            return ""
        things = [{"name": item.name, "description": item.detail} for item in items]
        return "Objects must not contain ';'." if any(faults((), things)) else ""

    @on(Input.Changed)
    def _hint(self) -> None:
        fault = self._fault()
        twice = next((self._taken[bare(item.name)] for item in self._written() if bare(item.name) in self._taken), "")
        hint = self.query_one("#hint", Static)
        hint.set_class(bool(fault and self._written()), "-wrong")
        if fault and self._written():
            hint.update(Content(f"{GLYPHS.danger} {fault}"))
        elif twice:
            hint.update(Content(f"{GLYPHS.warning} “{single_line(twice, limit=30)}” is already listed."))
        else:
            hint.update(Content(_HINTS[self._group]))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._goes_on(event.input):
            self.query_one("#detail").focus()
        elif self._fault():
            self.app.bell()
            self.query_one("#hint", Static).update(Content(f"{GLYPHS.danger} {display_text(self._fault())}"))
        else:
            self.dismiss(self._written())


class OpenScene(OpenFile[Turn]):
    """Asks for a scene file; returns its contents, or None when canceled."""

    TITLE_OF_IT = "Open a scene file"
    WHAT_BECOMES = "Replaces the current text and scene. Undo restores both."

    def read(self, path: Path) -> Turn:
        return read_scene(path)
