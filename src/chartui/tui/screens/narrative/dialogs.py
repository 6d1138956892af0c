"""The small dialogs of the narrative screen: targets, template keys and walks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final
from unicodedata import category

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input

from chartui.core.classes import NamedTuple
from chartui.core.narrative.graph import visible_name
from chartui.core.narrative.story import Story
from chartui.core.narrative.walk.random_walks import MOST_MOVES, RandomWalks
from chartui.core.narrative.walk.replay import Script, read_walk
from chartui.core.narrative.walk.suite import NamedWalk, walks_in
from chartui.core.text import single_line
from chartui.tui.numbers import count, number_of
from chartui.tui.shell.files import OpenFile, as_typed
from chartui.tui.widgets.chooser import Choice, Chooser, Picker
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.questions import AskLine, Hint
from chartui.tui.widgets.text import Words

_NEW: Final = "\N{NULL}new"
_NOWHERE: Final = "\N{NULL}nowhere"
#: Characters of an objective shown in a choice.
_BEGINNING: Final = 80
_ASKED: Final = re.compile(r"([0-9]{1,9})\s*,?\s+([0-9]{1,18})\s*,?\s*(triggers)?", re.IGNORECASE)


class Target(NamedTuple):
    """The chosen target: the id of a section, None for no target; or the name of a section to create.

    If something ``other`` than a section is chosen, ``new`` is its name as far as it was typed.
    """

    section: str | None
    new: str | None = None
    other: str = ""


def section_choices(story: Story, *, without: Sequence[str] = ()) -> list[Choice]:
    """The sections of a story, to choose one of them."""
    return [
        Choice(
            key,
            single_line(visible_name(section.section_name, key), limit=60),
            "start" if key == story.start else "",
            single_line((section.objective or "")[: 4 * _BEGINNING], limit=_BEGINNING),
        )
        for key, section in story.sections.items()
        if key not in without
    ]


class TargetChooser(Picker[Choice, Target | None]):
    """A new section, perhaps ``others`` to add instead or no target, and the sections of a story."""

    HINT = "type the name of a new or existing section"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel"),
        Binding("escape", "back", "Back"),
    ]

    def __init__(
        self,
        title: str,
        story: Story,
        present: str | None,
        *,
        follows: bool = False,
        nowhere: str = "",
        without: Sequence[str] = (),
        others: Sequence[str] = (),
        typed: str = "",
    ) -> None:
        self._sections = section_choices(story, without=without)
        choices = [Choice(_NOWHERE, nowhere)] if nowhere else []
        self.typed = self._suggested = typed
        self._follows = follows
        self._others = tuple(others)
        super().__init__(title, [*choices, *self._sections], present if present is not None else _NOWHERE)

    def on_mount(self) -> None:
        self.query_one(Input).value = self._suggested

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape returns to the question that this one ``follows``, if any."""
        if action in ("dismiss", "back"):
            return (action == "back") is self._follows
        return super().check_action(action, parameters)

    def action_back(self) -> None:
        self.dismiss(None)

    def leaving(self) -> str:
        return Dialog.leaving(self)  # what is typed may be a name

    def counted(self, shown: Sequence[Choice]) -> str:
        """Counts the existing sections only, since the list has further rows."""
        every, found = len(self._sections), sum(choice.key != _NOWHERE for choice in shown)
        return number_of(every, "section") if found == every else f"{count(found)} of {number_of(every, 'section')}"

    def offered(self, query: str) -> Sequence[Choice]:
        self.typed = " ".join(query.split())
        called = f" “{single_line(self.typed)}”" if self.typed else ""
        return [
            Choice(_NEW, f"+ new section{called}"),
            *(Choice(f"{_NEW} {other}", f"+ {other}{called}") for other in self._others),
        ]

    def best(self, query: str, shown: Sequence[Choice]) -> Choice | None:
        """The first match if its name has the typed words; otherwise the typed name is that of a new section."""
        words = shown[0].label.casefold().split() if shown else []
        named = all(any(_begins(word, typed) for word in words) for typed in query.casefold().split())
        return shown[0] if shown and named else None

    def answer(self, choice: Choice) -> Target | None:
        if choice.key.startswith(_NEW):
            return Target(None, self.typed, choice.key.removeprefix(_NEW).strip())
        return Target(None if choice.key == _NOWHERE else choice.key)


def _begins(word: str, typed: str) -> bool:
    """Whether a word begins with the typed text, or has it anywhere, since not all scripts put spaces between words."""
    return word.startswith(typed) or (category(typed[0]) in ("Lo", "So") and typed in word)


class Impact(Chooser[Choice]):
    """Asks what to do with the incoming links of a removed item; the sentence below names them."""

    SENTENCE: ClassVar[int] = 6


class KeysForm(Dialog[Mapping[str, str] | None]):
    """Asks for the value of every template key; returns those with a value, or None when canceled."""

    DEFAULT_CSS = """
    KeysForm > Vertical { padding: 1 1 0 0; }
    KeysForm VerticalScroll { height: auto; max-height: 16; scrollbar-size-vertical: 1; }
    KeysForm Horizontal { height: 1; }
    KeysForm Words { width: 24; height: 1; }
    KeysForm Input { width: 1fr; padding: 0 1 !important; background: $panel; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Use values"),
        Binding("escape", "dismiss(None)", "Cancel"),
        Binding("down", "app.focus_next", show=False, priority=True),
        Binding("up", "app.focus_previous", show=False, priority=True),
    ]

    def __init__(self, names: Sequence[str], values: Mapping[str, str]) -> None:
        super().__init__()
        self._names = tuple(names)
        self._values = values
        self._boxes = [FilterBox("no value") for _ in self._names]

    def compose(self) -> ComposeResult:
        """A line for each template key."""
        with Vertical() as panel:
            panel.border_title = Content("Values of template keys")
            with VerticalScroll(can_focus=False):
                for name, box in zip(self._names, self._boxes, strict=True):
                    yield Horizontal(Words(single_line(name, limit=60), role="label"), box)

    def on_mount(self) -> None:
        for name, box in zip(self._names, self._boxes, strict=True):
            box.value = self._values.get(name, "")
        self._boxes[0].focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed = {name: box.value for name, box in zip(self._names, self._boxes, strict=True)}
        self.dismiss({name: value for name, value in typed.items() if value})


class OpenedWalks(NamedTuple):
    """A saved walk in ``folder``, or all those of it, which are replayed as a suite even if there is only one."""

    walks: Sequence[NamedWalk]
    suite: bool
    folder: Path


class OpenWalk(OpenFile[OpenedWalks]):
    """Asks for the file of a saved walk, or for a folder of them."""

    TITLE_OF_IT = "Replay saved walks"
    WHAT_BECOMES = "A saved walk or a folder of saved walks. The current walk will be replaced."

    def __init__(self, last: str | None) -> None:
        """``last`` is the folder of the last walks, which is proposed again."""
        super().__init__()
        self._last = last

    def proposed(self, folder: Path) -> str:  # noqa: ARG002
        return f"{as_typed(Path(self._last))}/" if self._last else ""

    def read(self, path: Path) -> OpenedWalks:
        """The walks; raises :class:`~chartui.core.narrative.walk.replay.BadWalk`, or ``ValueError`` for none."""
        if not path.is_dir():
            return OpenedWalks([NamedWalk(path.name, read_walk(path))], suite=False, folder=path.parent)
        found = walks_in(path)
        if not found:
            raise ValueError(f"{path.name or path}: no saved walks in this folder.")
        return OpenedWalks(found, suite=True, folder=path)


class WalkChooser(Chooser[Choice]):
    """Asks which of several saved walks to replay; the result is a name, or :attr:`ALL`."""

    ALL: ClassVar[str] = "\N{NULL}all"

    def __init__(self, walks: Sequence[NamedWalk]) -> None:
        every = Choice(self.ALL, f"All {number_of(len(walks), 'walk')}", detail="Replays all walks and shows coverage.")
        each = [Choice(one.name, one.name, detail=_steps(one.script)) for one in walks]
        super().__init__("Replay saved walks", [every, *each])


def _steps(script: Script) -> str:
    end = "" if script.ends is None else f" to “{single_line(script.ends.name, limit=60)}”"
    return f"{number_of(len(script.choices), 'step')}{end}"


class AskRandomWalks(AskLine):
    """Asks for a number of walks and a seed; :func:`random_walks_in` reads the answer."""

    def __init__(self, before: RandomWalks) -> None:
        question = "Number of walks and a seed, as in “200, 1”. The same seed repeats the same walks."
        text = f"{before.walks}, {before.seed}{', triggers' if before.fire else ''}"
        super().__init__("Random walks", question, lambda t: _hint(t, before), text=text, verb="Walk")


def random_walks_in(text: str, before: RandomWalks) -> RandomWalks | None:
    """The walks that a text describes, with the same step limit as ``before``; None if it is invalid."""
    found = _ASKED.fullmatch(text)
    if found is None or not 0 < int(found[1]) * before.steps <= MOST_MOVES:
        return None
    return before._replace(seed=int(found[2]), walks=int(found[1]), fire=found[3] is not None)


def _hint(text: str, before: RandomWalks) -> Hint:
    asked = random_walks_in(text, before)
    if asked is None:
        most = count(MOST_MOVES // before.steps)
        return Hint(f"Enter the number of walks (at most {most}) and a seed, as in “200, 1”.", True)
    events = "triggers also fire" if asked.fire else "type “triggers” to fire triggers as well"
    return Hint(f"{number_of(asked.walks, 'walk')} of at most {number_of(asked.steps, 'step')}; {events}.")
