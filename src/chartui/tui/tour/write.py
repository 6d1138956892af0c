"""A tour made from the user's own keys on demo data, and what it should expect and picture."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from textual.app import App
from textual.events import Key, Paste
from textual.screen import Screen

from chartui.commands import Command
from chartui.core.classes import NamedTuple
from chartui.core.paths import file_stem
from chartui.demos.stage import Stage
from chartui.demos.tour import Action, Perform, Press, Step, Text, Tour
from chartui.demos.tour_file import fitting
from chartui.keymap import BadKey, pressed_key
from chartui.tui.bindings import active
from chartui.tui.shell.api_key import SecretBox
from chartui.tui.tour.app import StagedApp
from chartui.tui.tour.player import OffTheTour, messages, play, screen_text
from chartui.tui.tour.record import Recorder
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
        self.tell(
            f"Every key is recorded. The tour will be saved to {self._path} when you quit.", title="Recording a tour"
        )

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


# -- proposals --------------------------------------------------------------------------------------------------------


#: Between two phrases on a screen: two spaces or more, or signs that draw boxes and bars.
_GAP: Final = re.compile(r"\s{2,}|[\u2500-\u25ff]+")
#: The longest text to expect, in characters.
_LONGEST: Final = 40


class _Seen(NamedTuple):
    """What was visible after a step."""

    screen: Screen[object]
    told: list[str]
    text: str


class _Proposer(Recorder):
    """Performs a tour, and notes what is visible before the first step and after each."""

    def __init__(self, app: StagedApp) -> None:
        super().__init__(app)
        self.seen: list[_Seen] = []

    def misses(self, failure: OffTheTour) -> None:
        raise failure

    async def begins(self, number: int, step: Step) -> None:
        del step
        if number == 1:
            self._look()

    async def ends(self, step: Step) -> None:
        del step
        self._look()

    def _look(self) -> None:
        self.seen.append(_Seen(self._app.screen, messages(self._app), screen_text(self._app)))


async def proposed(tour: Tour, stage: Stage) -> tuple[Tour, str]:
    """``tour`` with a text to expect in each step that shows a new one, and a picture of each screen as it was left.

    Also returns why the tour could not be performed to its end; empty if it could. The steps from there on get no
    proposals.
    """
    app = StagedApp(tour, stage)
    proposer, problem = _Proposer(app), ""
    async with app.run_test(size=tour.size):
        try:
            await play(app, proposer)
        except OffTheTour as error:
            problem = str(error)
        app.exit()
    if app.crash is not None:
        raise app.crash
    seen, names = proposer.seen, set[str]()
    steps = list(tour.steps)
    for number, (step, before, after) in enumerate(zip(steps, seen, seen[1:], strict=False)):
        last = number + 2 == len(seen)
        picture = _name(step, number, names) if last or seen[number + 2].screen is not after.screen else ""
        text = _new_text(before, after) or (_longest(_phrases(after)) if picture else "")
        names.add(picture)
        if text:
            steps[number] = replace(step, expect=(text,), picture=picture)
    return replace(tour, steps=tuple(steps)), problem


def _new_text(before: _Seen, after: _Seen) -> str:
    """A text that appeared: a message or, by default, the longest phrase; empty if there is none."""
    new = [phrase for phrase in _phrases(after) if phrase not in before.text]
    told = [_clipped(message) for message in after.told if message not in before.told]
    return next(filter(None, told), "") or _longest(new)


def _phrases(seen: _Seen) -> Iterable[str]:
    """The phrases on the screen, except in its last line, which lists keys."""
    for line in seen.text.splitlines()[:-1]:
        for phrase in _GAP.split(line):
            if any(character.isalpha() for character in phrase):
                yield _clipped(phrase)


def _clipped(text: str) -> str:
    text = text.strip()
    if len(text) <= _LONGEST:
        return text
    return text[: _LONGEST + 1].rpartition(" ")[0].strip() or text[:_LONGEST]


def _longest(phrases: Iterable[str]) -> str:
    return max(phrases, key=len, default="")


def _name(step: Step, number: int, taken: set[str]) -> str:
    name = file_stem(step.caption, otherwise="step")
    return f"{name}-{number + 1}" if name in taken or name == "step" else name
