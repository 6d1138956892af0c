"""The rhythm of a tour's keys: in seconds, as a person presses them who explains what they do."""

from __future__ import annotations

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
