"""Entering an API key in a masked box, for a question or for the open profile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.worker import Worker

from chartui.core.credentials import Key, SourceKind
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.connection import KEY
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.theme import Palette
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.text import Words

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Maximum length of an API key; input beyond it is dropped.
_LONGEST = 5000


class SecretBox(Widget, can_focus=True):
    """One line that shows a dot for every character.

    Not the framework's input, whose value travels in messages and shows in their ``repr``. This box only reports that
    the text changed or Enter was pressed; the receiver calls :meth:`take` for the text.
    """

    DEFAULT_CSS = """
    SecretBox { height: 1; background: $panel; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", show=False)]

    class Edited(Message):
        """The text changed."""

    class Submitted(Message):
        """Enter was pressed."""

    def __init__(self, hint: str = "") -> None:
        super().__init__()
        self._hint = hint
        self._typed: list[str] = []

    @property
    def empty(self) -> bool:
        return not self._typed

    def take(self) -> str:
        """Return the typed text and clear the box."""
        text = self.peek()
        self.clear()
        return text

    def peek(self) -> str:
        return "".join(self._typed)

    def clear(self) -> None:
        self._typed.clear()
        self._changed()

    def _changed(self) -> None:
        self.post_message(self.Edited())
        self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        palette = Palette.of(self.app.theme_variables)
        line = Line(self.size.width).gap()
        if self.empty and not self.has_focus:
            return line.add(self._hint, palette.quiet).strip(self.rich_style)
        room = max(1, line.left - 2)
        line.add("•" * min(room, len(self._typed)), palette.value)
        if self.has_focus:
            line.add("▏", palette.accent)
        if self.empty:
            line.add(self._hint, palette.quiet)
        return line.strip(self.rich_style)

    def check_consume_key(self, key: str, character: str | None) -> bool:  # noqa: ARG002
        return character is not None and character.isprintable()

    def on_key(self, event: events.Key) -> None:
        if event.character is not None and event.character.isprintable():
            self._add(event.character)
        elif event.key == "backspace":
            del self._typed[-1:]
        elif event.key in ("ctrl+u", "delete"):
            self._typed.clear()
        else:
            return
        event.stop()
        event.prevent_default()
        self._changed()

    def action_submit(self) -> None:
        self.post_message(self.Submitted())

    def on_paste(self, event: events.Paste) -> None:
        """Insert pasted text without the trailing line break that often comes with it."""
        event.stop()
        self._add(event.text.strip())
        self._changed()

    def _add(self, text: str) -> None:
        self._typed.extend(text[: _LONGEST - len(self._typed)])


class KeyQuestion(Dialog[str | None]):
    """Asks for an API key: the text, or None if canceled.

    ``attempt`` tries the text while the question stays open; it returns what is wrong, or None.
    """

    DEFAULT_CSS = """
    KeyQuestion > Vertical { width: 64; padding: 1 1 1 1; }
    KeyQuestion SecretBox { margin: 1 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel"),
        Binding("enter", "enter", "Use"),
    ]
    SECRET = True

    def __init__(self, title: str, note: str, *, attempt: Callable[[str], Awaitable[str | None]] | None = None) -> None:
        super().__init__(title)
        self._note = note
        self._attempt = attempt
        self._box = SecretBox("type or paste the API key (hidden)")
        self._said = Words("", role="danger")

    def content(self) -> Iterable[Widget]:
        yield Words(self._note)
        yield self._box
        yield self._said

    @property
    def unforeseen(self) -> bool:
        return self._attempt is None

    def on_mount(self) -> None:
        if self.unforeseen:
            self.workbench.refuse_typed_ahead(secret=True)

    def on_secret_box_submitted(self) -> None:
        if self._box.empty:
            self._said.show("Enter an API key.", role="label")
        elif self._attempt is None:
            try:
                Key(self._box.peek())
            except ServiceError as error:  # it would be sent to no service
                self._said.show(f"{GLYPHS.danger} {error.message}", role="danger")
                return
            self.dismiss(self._box.take())
        else:
            self._said.show(f"Testing{GLYPHS.busy}", role="label")
            _: Worker[None] = self.run_worker(self._try, group="try", exclusive=True)

    async def _try(self) -> None:
        assert self._attempt is not None  # noqa: S101 - asked before the worker is started
        problem = await self._attempt(self._box.take())
        if problem is None:
            self.dismiss("")
        else:
            self._said.show(f"{GLYPHS.danger} {problem}", role="danger")


async def enter_key(app: ChartuiApp) -> None:
    """Ask for an API key, test it with a read that every account may do, and report the result. Awaited in a worker."""
    session = app.session
    if session.keyed is None:
        app.tell(f"Profile '{session.profile.name}' is a local store and needs no API key.")
        return
    source = session.profile.key_source
    later = "asks for the API key again" if source.kind is SourceKind.ASK else f"uses {source.describe()}"
    note = f"For {session.where}. The API key is used until you quit and is never saved. Next time, chartui {later}."
    found: list[str] = []

    async def attempt(text: str) -> str | None:
        problem, said = await _try(app, text)
        found[:] = [said]
        return problem

    question = KeyQuestion(f"API key for {session.profile.name}", note, attempt=attempt)
    if await app.push_screen_wait(question) is None:
        return
    app.tell(*found, title="API key")
    for screen in app.work:
        screen.data_changed()


async def _try(app: ChartuiApp, text: str) -> tuple[str | None, str]:
    """The problem with an API key, or None and the message if it may be used."""
    session = app.session
    try:
        key = Key(text)
        session.set_key(key)
        app.opening.keys[session.profile] = key
        await session.service.asking_as("key").summaries()
    except ServiceError as error:
        if error.kind in KEY:
            session.forget_key()
            return error.message, ""
        if error.kind is ErrorKind.TIER:
            return None, f"The API key was accepted. {error.message}"
        return None, f"The API key is in use but could not be tested. {error.message}"
    return None, "The API key works."
