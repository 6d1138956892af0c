"""What is asked about walks: values for template keys, how many walks by chance, and the name of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from chartui.core.narrative.walk.coverage import MOST_MOVES, RandomWalks
from chartui.core.narrative.walk.replay import Script, read_walk
from chartui.core.text import single_line
from chartui.tui.bindings import sign_of
from chartui.tui.lines import Line
from chartui.tui.numbers import count, number_of
from chartui.tui.shell.files import OpenFile
from chartui.tui.theme import Palette
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.questions import AskLine, Hint

__all__ = ["ByChance", "KeysForm", "OpenWalk", "chance"]

_CHANCE: Final = re.compile(r"([0-9]{1,9})\s*,?\s+([0-9]{1,18})\s*,?\s*(triggers)?", re.IGNORECASE)


class _Key(Widget):
    """The name of a key, beside the box for its value."""

    DEFAULT_CSS = """
    _Key { width: 24; height: 1; }
    """

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        """The name, cut where it is too long."""
        palette = Palette.of(self.app.theme_variables)
        line = Line(self.size.width - 1).gap().add(single_line(self._key, limit=60), palette.label)
        return line.strip(self.rich_style).adjust_cell_length(self.size.width, self.rich_style)


class KeysForm(Dialog[Mapping[str, str] | None]):
    """Asks for the value of every key; gives those that have one, None where nothing shall be another."""

    DEFAULT_CSS = """
    KeysForm > Vertical { padding: 1 1 0 0; }
    KeysForm VerticalScroll { height: auto; max-height: 16; scrollbar-size-vertical: 1; }
    KeysForm Horizontal { height: 1; }
    KeysForm Input { width: 1fr; padding: 0 1 !important; background: $panel; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", show=False),
        Binding("down", "app.focus_next", show=False, priority=True),
        Binding("up", "app.focus_previous", show=False, priority=True),
    ]

    def __init__(self, names: Sequence[str], values: Mapping[str, str]) -> None:
        super().__init__()
        self._names = tuple(names)
        self._values = values
        self._boxes = [FilterBox("not known") for _ in self._names]

    def compose(self) -> ComposeResult:
        """A line for each key."""
        with Vertical() as panel:
            panel.border_title = Content("What the template keys stand for")
            up, down, enter = (sign_of(self, key) for key in ("up", "down", "enter"))
            panel.border_subtitle = Content(f"{up} {down} move · {enter} takes them · esc leaves them as they are")
            with VerticalScroll(can_focus=False):
                for name, box in zip(self._names, self._boxes, strict=True):
                    yield Horizontal(_Key(name), box)

    def on_mount(self) -> None:
        """Show what is known, and begin with the first."""
        for name, box in zip(self._names, self._boxes, strict=True):
            box.value = self._values.get(name, "")
        self._boxes[0].focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take them."""
        event.stop()
        typed = {name: box.value for name, box in zip(self._names, self._boxes, strict=True)}
        self.dismiss({name: value for name, value in typed.items() if value})


class OpenWalk(OpenFile[Script]):
    """Asks for the name of a file that holds a walk."""

    TITLE_OF_IT = "Go a walk of a file again"
    WHAT_BECOMES = "The walk in the pane is exchanged for it."

    def read(self, path: Path) -> Script:
        """The walk; raises :class:`~chartui.core.narrative.walk.replay.BadWalk`."""
        return read_walk(path)


class ByChance(AskLine):
    """Asks how many walks there shall be, and from which seed; :func:`chance` reads the answer."""

    def __init__(self, before: RandomWalks) -> None:
        question = "How many walks, and from which seed? The same seed walks the same ways again."
        text = f"{before.walks}, {before.seed}{', triggers' if before.fire else ''}"
        super().__init__("Walk by chance", question, lambda t: _hint(t, before), text=text, deed="Walk")


def chance(text: str, before: RandomWalks) -> RandomWalks | None:
    """The walks that a text asks for, as long as those before; None where it asks for none."""
    found = _CHANCE.fullmatch(text)
    if found is None or not 0 < int(found[1]) * before.steps <= MOST_MOVES:
        return None
    return before._replace(seed=int(found[2]), walks=int(found[1]), fire=found[3] is not None)


def _hint(text: str, before: RandomWalks) -> Hint:
    asked = chance(text, before)
    if asked is None:
        most = count(MOST_MOVES // before.steps)
        return Hint(f"Give the walks, at most {most}, and the seed, such as 200, 1 – and perhaps: triggers.", True)
    events = "triggers happen on the way" if asked.fire else "add the word triggers to let those happen too"
    return Hint(f"{number_of(asked.walks, 'walk')} of at most {asked.steps} steps; {events}.")
