"""Handles keys that arrive together one at a time, so that each reaches its intended target."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from textual.app import App
from textual.dom import DOMNode
from textual.events import Key, Paste
from textual.widget import Widget

from chartui.core.backends.base import Progress
from chartui.keymap import Keymap
from chartui.tui.numbers import number_of
from chartui.tui.widgets.line_view import LineView

#: Events from the keyboard.
Typed = Key | Paste
#: Passes of the mark: a key bubbles up to the application, its action posts messages, and these start workers.
_ROUNDS: Final = 3
#: Some terminals and programs send a line feed for Enter; no command has this key (``keymap.py``).
_NEW_LINE: Final = "ctrl+j"
_ALT: Final = "alt+"
#: Some terminals send these for an arrow with Alt, which moves by words in a text.
_WORD_MOVES: Final = {"b": "ctrl+left", "f": "ctrl+right"}
#: Seconds between two checks of a pane that is still to be laid out.
_LOOK: Final = 0.01
#: Up to this many refused keys are listed; more are counted.
_LISTED: Final = 12


class KeepsKeys:
    """A screen that takes Escape only. While it is in front, other keys wait for the screen that follows it."""

    def keys_kept(self, number: int) -> None:
        """Show how many keys are queued."""
        raise NotImplementedError

    def action_give_up(self) -> None:
        """Stop the current work: Escape was pressed. The queued keys are dropped."""
        raise NotImplementedError

    def call(self) -> Progress:
        """The progress callback for the calls of the current work."""
        raise NotImplementedError


def names_of(events: Sequence[Typed], keymap: Keymap) -> str:
    keys = [event for event in events if isinstance(event, Key)]
    if len(keys) < len(events) or len(keys) > _LISTED:
        return number_of(len(events), "key")
    return " ".join(
        event.character if event.is_printable and event.character else keymap.sign(event.key) for event in keys
    )


class TypeAhead:
    """Lets one key at a time into ``app``, which handles it with ``obey``.

    ``bound`` tells whether a command has a key.

    The framework sends each key immediately to the focused widget, even if an earlier key has yet to move the focus. A
    slow line, a macro or a fast typist sends several keys at once, and those after a move or a ``/`` would reach the
    wrong widget. So after each key, a mark follows it from the widget up to the application until nothing changes any
    more; later keys wait for that. They also wait until a newly opened pane has been laid out and read, since a move in
    it would do nothing before. Only text that follows text in the same widget does not wait.

    While a :class:`KeepsKeys` is in front, keys wait without limit, until it lets them in (:meth:`resume`) or drops
    them (:meth:`refuse`).
    """

    #: Seconds after which the next key is handled in any case: a wrong order is better than a blocked keyboard.
    patience = 0.25

    def __init__(
        self, app: App[Any], obey: Callable[[Typed], Awaitable[None]], bound: Callable[[str], bool] = lambda _: False
    ) -> None:
        self._app = app
        self._obey = obey
        self._bound = bound
        self._waiting: deque[Typed] = deque()
        self._mark = 0
        self._writing: Widget | None = None
        self._giving_up: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether a key is being handled or waiting."""
        return self._giving_up is not None or (bool(self._waiting) and self._keeper is None)

    @property
    def _keeper(self) -> KeepsKeys | None:
        screen = self._app.screen if self._app.screen_stack else None
        return screen if isinstance(screen, KeepsKeys) else None

    async def take(self, event: Typed) -> None:
        """Handle a key now, or in its turn."""
        for each in self._meant(event) if isinstance(event, Key) else (event,):
            await self._take(each)

    def _meant(self, event: Key) -> tuple[Key, ...]:
        """The keys pressed: a terminal sends Escape followed by a key as that key with Alt."""
        character = event.character
        if event.key == _NEW_LINE:
            return (Key("enter", "\r"),)
        if not event.key.startswith(_ALT) or not character or self._bound(event.key):
            return (event,)
        key = Key(event.key.removeprefix(_ALT), character)
        if character in _WORD_MOVES and self._writes(key):
            return (Key(_WORD_MOVES[character], None),)
        return Key("escape", "\x1b"), key

    async def _take(self, event: Typed) -> None:
        keeper = self._keeper
        if keeper is not None:
            self._waiting.append(event)
            self._keep(keeper)
        elif not self.busy:
            await self._let_in(event)
        elif not self._waiting and self._giving_up is not None and self._goes_on_writing(event):
            self._giving_up.cancel()
            await self._let_in(event)
        else:
            self._waiting.append(event)

    async def resume(self) -> None:
        """Handle the next key, unless one is being handled or the screen in front keeps it."""
        if self._giving_up is not None:
            return
        keeper = self._keeper
        if keeper is not None:
            self._keep(keeper)
        elif self._waiting:
            await self._let_in(self._waiting.popleft())

    def refuse(self) -> tuple[Typed, ...]:
        """Remove and return the queued keys: their target does not appear."""
        refused = tuple(self._waiting)
        self._waiting.clear()
        return refused

    def _keep(self, keeper: KeepsKeys) -> None:
        gives_up = any(isinstance(event, Key) and event.key == "escape" for event in self._waiting)
        if gives_up:
            self._waiting.clear()
        keeper.keys_kept(len(self._waiting))
        if gives_up:
            keeper.action_give_up()

    async def _let_in(self, event: Typed) -> None:
        self._writing = self._writes(event)
        self._mark += 1
        mark = self._mark
        if self._app.screen.is_mounted:
            self._wait(mark)
            await self._obey(event)
            self._set_out(mark, _ROUNDS)
        else:  # the screen is still being built and would lose the key
            self._waiting.appendleft(event)
            self._wait(mark)
            self._set_out(mark, 1)

    def _wait(self, mark: int) -> None:
        release = self._app.call_later
        self._giving_up = asyncio.get_running_loop().call_later(self.patience, release, self._next, mark)

    def _goes_on_writing(self, event: Typed) -> bool:
        writing = self._writes(event)
        return writing is not None and writing is self._writing

    def _writes(self, event: Typed) -> Widget | None:
        """The widget that takes this key as text, or None."""
        focused = self._app.focused
        if focused is None or not isinstance(event, Key):
            return None
        # The framework does not count a new line as text. The editor is recognized by its CSS name, to avoid importing
        # it at the start.
        breaks = event.key == "enter" and "TextArea" in focused._css_type_names
        return focused if breaks or focused.check_consume_key(event.key, event.character) else None

    def _set_out(self, mark: int, rounds: int) -> None:
        place = self._place()
        (place[0] or place[1]).call_later(self._go_up, place[0] or place[1], mark, rounds, place)

    def _place(self) -> tuple[DOMNode | None, DOMNode]:
        return self._app.focused, self._app.screen

    async def _go_up(self, node: DOMNode, mark: int, rounds: int, before: object) -> None:
        if mark != self._mark:
            return
        if node is not self._app:
            parent = node.parent
            # A widget being removed accepts no messages.
            while parent is not None and not parent.call_later(self._go_up, parent, mark, rounds, before):
                parent = parent.parent
        elif rounds > 1:
            self._set_out(mark, rounds - 1)
        elif self._place() != before:
            self._set_out(mark, 1)
        elif self._to_be_laid_out():
            asyncio.get_running_loop().call_later(_LOOK, self._app.call_later, self._set_out, mark, 1)
        else:
            await self._next(mark)

    def _to_be_laid_out(self) -> bool:
        focused = self._app.focused
        return focused is not None and (not focused.size or (isinstance(focused, LineView) and focused.awaiting))

    async def _next(self, mark: int) -> None:
        if mark != self._mark or self._giving_up is None:
            return
        self._giving_up.cancel()
        self._giving_up = None
        await self.resume()
