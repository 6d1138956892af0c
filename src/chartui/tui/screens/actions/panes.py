"""Which parts of the screen are in sight, and where the keys go."""

from __future__ import annotations

from collections.abc import Callable

from textual.screen import Screen
from textual.widget import Widget

__all__ = ["Panes"]


class Panes:
    """The parts of ``screen`` in the order of the Tab key; a narrow window shows ``scene`` or the reply, not both.

    ``reply`` gives what is read beside the scene at the moment: the reply, or what takes its place.
    """

    def __init__(
        self, screen: Screen[None], above: Widget, scene: Widget, reply: Callable[[], Widget], below: Widget
    ) -> None:
        self._screen = screen
        self._above = above
        self._scene = scene
        self._reply = reply
        self._below = below

    @property
    def reply(self) -> Widget:
        """What is read beside the scene."""
        return self._reply()

    @property
    def at_reply(self) -> bool:
        """Whether one reads the reply rather than the scene."""
        alone = self._screen.has_class("-narrow") and self._screen.has_class("-reply")
        return alone or self._screen.focused is self.reply

    def show(self, pane: Widget) -> None:
        """Have scene or reply in sight; the focus leaves what is hidden."""
        hidden = self._scene if pane is self.reply else self.reply
        self._screen.set_class(pane is self.reply, "-reply")
        if self._screen.focused is hidden and self._screen.has_class("-narrow"):
            pane.focus()

    def go_to(self, part: Widget) -> None:
        """Have a part in sight and the keys go there."""
        if part in (self._scene, self.reply):
            self.show(part)
        part.focus()

    def step(self, step: int) -> Widget:
        """Go to the next part, or the one before, whether or not it is in sight yet."""
        parts = (self._above, self._scene, self.reply, self._below)
        here = next((place for place, part in enumerate(parts) if part is self._screen.focused), -1)
        there = parts[(here + step) % len(parts)]
        self.go_to(there)
        return there
