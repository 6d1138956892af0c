"""The rhythm of a tour: its keys come as a person presses them who explains what they do, and its pace may change."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from chartui.demos.tour import Action, Press, Text

#: Before the first key of a step with a caption.
LEAD: Final = 1.0
#: Before a key, and before the same key again.
_KEY, _AGAIN = 0.35, 0.12
#: Before each character of a text, in turn: nobody types evenly.
_CHARACTERS: Final = (0.07, 0.11, 0.09, 0.13, 0.08)


class Rhythm:
    """Remembers the last key, since a key that is pressed again comes sooner."""

    def __init__(self) -> None:
        self._last: Action | None = None
        self._typed = 0

    def before(self, action: Action) -> float:
        """The pause before a key or, of a text that is typed, before its next character."""
        again = isinstance(action, Press) and action == self._last
        self._last = action
        if isinstance(action, Text) and not action.pasted:
            self._typed += 1
            return _CHARACTERS[self._typed % len(_CHARACTERS)]
        return _AGAIN if again else _KEY


class Pace:
    """How a tour is played to an audience, which may change it at any moment.

    ``speed`` multiplies the normal speed. A ``paused`` tour waits; one that ``hurries`` waits for nothing.
    """

    def __init__(self, speed: float, *, paused: bool = False) -> None:
        self.speed = speed
        self.paused = paused
        self.hurries = False
        self._changed = asyncio.Event()

    def change(self, *, speed: float | None = None, paused: bool | None = None, hurries: bool | None = None) -> None:
        """Set what is given. This applies to the waits under way as well."""
        self.speed = self.speed if speed is None else speed
        self.paused = self.paused if paused is None else paused
        self.hurries = self.hurries if hurries is None else hurries
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait(self, seconds: float) -> None:
        """Wait for ``seconds`` at normal speed, and for the end of a pause."""
        loop = asyncio.get_running_loop()
        while not self.hurries and (self.paused or seconds > 0):
            speed, begun = 0.0 if self.paused else self.speed, loop.time()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds / speed if speed else None):
                    await self._changed.wait()
            seconds -= (loop.time() - begun) * speed
