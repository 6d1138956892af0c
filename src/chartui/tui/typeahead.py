"""Handles keys that arrive together one after the other, so that each reaches its intended target."""

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
#: A key bubbles up to the application, what it does posts messages, and these start workers: three times the way up.
_ROUNDS: Final = 3
#: What some terminals and programs send for Enter: a line feed, which no command has for its key (``keymap.py``).
_NEW_LINE: Final = "ctrl+j"
_ALT: Final = "alt+"
#: What some terminals send for an arrow with Alt, which moves by words in a text.
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
        """What a call of the current work reports its answer to."""
        raise NotImplementedError


def names_of(events: Sequence[Typed], keymap: Keymap) -> str:
    keys = [event for event in events if isinstance(event, Key)]
    if len(keys) < len(events) or len(keys) > _LISTED:
        return number_of(len(events), "key")
    return " ".join(
        event.character if event.is_printable and event.character else keymap.sign(event.key) for event in keys
    )


class TypeAhead:
    """Lets one key at a time into ``app``, where ``obey`` is what the application does with it.

    ``bound`` tells whether a command has a key.

    The framework hands keys to the widget with the focus as they come, before it has done what the keys before them
    asked for. A slow line, a macro or a fast hand delivers several at once: those that follow a move or a ``/`` would
    reach the widget that is about to lose the focus. So after each key a mark follows it on its way from the widget to
    the application, until nothing changes any more; whatever was typed meanwhile waits its turn. A pane that was just
    opened has no rows before it knows its size and has read what they show, and a move there would move nothing: the
    next key waits for that too. Only text that follows text in the same widget does not wait.

    While a :class:`KeepsKeys` is in front, keys wait without limit. It then either lets them in (:meth:`resume`) or
    takes them away (:meth:`refuse`).
    """

    #: Seconds after which the next key is let in whatever happens: a keyboard that hangs is worse than a wrong order.
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
        """Whether a key is still at work, or one waits that is about to be let in."""
        return self._giving_up is not None or (bool(self._waiting) and self._keeper is None)

    @property
    def _keeper(self) -> KeepsKeys | None:
        screen = self._app.screen if self._app.screen_stack else None
        return screen if isinstance(screen, KeepsKeys) else None

    async def take(self, event: Typed) -> None:
        """Obey a key now, or in its turn."""
        for each in self._meant(event) if isinstance(event, Key) else (event,):
            await self._take(each)

    def _meant(self, event: Key) -> tuple[Key, ...]:
        """The pressed keys: a terminal sends Escape followed by a key as that key with Alt."""
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
        """Let the next key in, unless the one before is still at work or the screen in front keeps it."""
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
        else:  # a screen is being built: nobody there could take the key yet, and it would be lost
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
        """The widget that takes this key as text; None for keys that do something."""
        focused = self._app.focused
        if focused is None or not isinstance(event, Key):
            return None
        # The framework does not count a new line as text. By its name in style sheets an editor is known without being
        # imported, which a start without one need not pay for.
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
            # A widget that is being removed takes no more messages.
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
