"""A tour made from the user's own keys, while the program is used on demo data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from textual.app import App
from textual.events import Key, Paste

from chartui.commands import Command
from chartui.demos.stage import Stage
from chartui.demos.tour import Action, Perform, Press, Step, Text, Tour
from chartui.demos.tour_file import fitting
from chartui.keymap import BadKey, pressed_key
from chartui.tui.bindings import active
from chartui.tui.shell.api_key import SecretBox
from chartui.tui.tour.app import StagedApp
from chartui.tui.typeahead import TypeAhead, Typed
from chartui.tui.widgets.screen import WorkScreen

_QUIT: Final = (Perform("quit"), Press("ctrl+q"))
_PALETTE: Final = Perform("palette")


class NotingApp(StagedApp):
    """Records the pressed keys, as a tour that will be written to ``path``.

    A command starts a step, with its title as the caption; other keys belong to the step. Text typed into a masked box
    is never recorded.
    """

    def __init__(self, path: Path, stage: Stage, *, theme: str | None = None, read_only: bool = False) -> None:
        title = path.stem.replace("-", " ").capitalize()
        super().__init__(Tour(name=path.stem, title=title, theme=theme, read_only=read_only), stage)
        self._path = path
        self._steps: list[tuple[str, list[Action]]] = []
        self._begun_with = self.tour.size
        #: The number of steps when the user last chose to quit, and of the actions in the last one.
        self._quit_at = (0, 0)
        #: The actions that the last key was added to, if it was.
        self._added: list[Action] | None = None
        # Recorded when a key is handled, not when it arrives: its target is known only then.
        self.typeahead = TypeAhead(self, self._noted)

    def on_ready(self) -> None:
        super().on_ready()
        self.set_free()
        self._begun_with = (self.size.width, self.size.height)
        self.tell(f"Every key is recorded. The tour is saved to {self._path} when you quit.", title="Recording a tour")

    async def _noted(self, event: Typed) -> None:
        self._note(event)
        await App.on_event(self, event)

    def _note(self, event: Typed) -> None:
        self._added = None
        focused = self.focused
        secret = isinstance(focused, SecretBox)
        match event:
            case Paste(text=text):
                if not secret:
                    self._add(Text(text, pasted=True))
            case Key(key=key, character=character):
                if character and focused is not None and focused.check_consume_key(key, character):
                    if not secret:
                        self._add_character(character)
                elif (command := self._command(key)) is not None:
                    self._steps.append((f"{command.title}.", []))
                    self._add(Perform(command.id))
                else:
                    self._add_key(key)

    def _command(self, key: str) -> Command | None:
        """The command of a key on the screen in front; dialogs and text boxes have keys of their own."""
        writing = self.focused is not None and self.focused.check_consume_key("a", "a")
        if writing or not isinstance(self.screen, WorkScreen):
            return None
        rows = (each.command for each in active(self.screen))
        return next((row for row in rows if row.scope and row.keys[:1] == (key,)), None)

    def _add_key(self, key: str) -> None:
        try:
            self._add(Press(pressed_key(key)))
        except BadKey:
            self.tell("This key cannot be recorded and was skipped.", severity="warning")

    def _add_character(self, character: str) -> None:
        actions = self._steps[-1][1] if self._steps else []
        last = actions[-1] if actions else None
        if isinstance(last, Text) and not last.pasted:
            actions[-1] = Text(last.text + character)
        else:
            self._add(Text(character))

    def _add(self, action: Action) -> None:
        if not self._steps:
            self._steps.append(("", []))
        self._added = self._steps[-1][1]
        self._added.append(action)

    async def action_quit(self) -> None:
        self._quit_at = (len(self._steps), len(self._steps[-1][1]) if self._steps else 0)
        await super().action_quit()

    def loses_key(self) -> None:
        """Forget the key: repeating it would fail."""
        super().loses_key()
        if self._added:
            self._added.pop()
            self._added = None

    @property
    def noted(self) -> Tour:
        """The tour so far, without the keys that quit."""
        steps = tuple(Step(actions=tuple(actions), caption=caption) for caption, actions in self._kept() if actions)
        return replace(self.tour, size=fitting(self._begun_with), steps=steps)

    def _kept(self) -> list[tuple[str, list[Action]]]:
        """The steps up to the last key that quit; if its question was cancelled, more steps may follow."""
        number, length = self._quit_at
        if number == 0 or number < len(self._steps):
            return self._steps
        *before, (caption, actions) = self._steps
        if actions[0] == _PALETTE:
            return before  # quitting was chosen there
        if actions[length - 1] not in _QUIT:
            return self._steps  # it was chosen with the mouse
        return [*before, (caption, actions[: length - 1])]
