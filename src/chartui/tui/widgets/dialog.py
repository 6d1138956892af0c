"""The base of all dialogs: a panel in the middle, over a dimmed screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Event, Key, Mount, Resize
from textual.screen import ModalScreen
from textual.widget import Widget

from chartui.commands import command
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_of_app
from chartui.tui.widgets.bars import FooterBar
from chartui.tui.widgets.border import Title
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.messages import MessageBar
from chartui.tui.widgets.painting import PaintedScreen

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

Result = TypeVar("Result")


class Dialog(ModalScreen[Result], PaintedScreen[Result]):
    """A panel in the middle of the screen; a subclass defines its size and content.

    The first widget that takes keys has the focus.
    """

    #: Of the program's commands, those about what is in front.
    BINDINGS: ClassVar[list[BindingType]] = bindings_of_app("help", "jump", "repaint")

    #: Whether it comes without being asked for: keys typed before it was there were not meant for it.
    UNFORESEEN: ClassVar[bool] = False
    #: Whether agreeing to it changes data: keys typed before that do not pass it.
    CONCLUSIVE: ClassVar[bool] = False
    #: Whether it takes a secret: keys typed before it was there may be part of it, and are never listed.
    SECRET: ClassVar[bool] = False

    #: Whether its result is a line that was typed.
    TYPED: ClassVar[bool] = False

    #: Whether it is to be read when it opens: information from before is not left lying over it.
    TO_BE_READ: ClassVar[bool] = True

    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 50%; }
    Dialog Words { background: $surface; }
    Dialog > FooterBar { dock: bottom; }
    Dialog > MessageBar { dock: bottom; margin-bottom: 1; }
    Dialog > Vertical {
        width: 72;
        max-width: 96%;
        height: auto;
        max-height: 92%;
        border: round $primary;
        border-title-color: $foreground;
        border-title-style: bold;
        border-subtitle-color: $meaning-label;
        background: $surface;
    }
    """

    #: The pending result, applied once nothing covers the dialog.
    _going_with: tuple[Result | None] | None = None

    def __init__(self, title: str = "", *, enter: str = "", classes: str | None = None) -> None:
        """``enter`` is the footer's word for what Enter does."""
        super().__init__(classes=classes)
        self.panel = Vertical()
        self.panel.border_title = Title(single_line(title))
        if enter:
            self._bindings.bind("enter", "enter", enter)
        self.compose_add_child(MessageBar())
        self.compose_add_child(FooterBar())

    def compose(self) -> ComposeResult:
        with self.panel:
            yield from self.content()

    def content(self) -> Iterable[Widget]:
        """The widgets of the panel."""
        raise NotImplementedError

    @property
    def workbench(self) -> ChartuiApp:
        """The application, with its own type."""
        return cast("ChartuiApp", self.app)

    @property
    def unforeseen(self) -> bool:
        """Whether keys typed before it was visible are refused. A dialog that knows what is at stake decides itself."""
        return self.UNFORESEEN

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close this dialog only: immediately, or when the one above it has closed; never twice.

        The framework would close whatever is in front, even another dialog or the last screen.
        """
        if self.app.screen is self:
            if result and self.CONCLUSIVE:
                self.workbench.refuse_typed_ahead()
            return super().dismiss(result)
        if self in self.app.screen_stack:
            self._going_with = (result,)
        return AwaitComplete()

    def _on_mount(self, event: Mount) -> None:  # noqa: ARG002 - beside what each class above and below does
        if self.TO_BE_READ:
            self.workbench.dismiss_information()
        if self.focused is None:
            self.focus_next()

    async def action_enter(self) -> None:
        """What Enter does in the part that has the focus: for a click on its key."""
        if self.focused is not None:
            action = "choose" if isinstance(self.focused, LineView) else "submit"
            await self.app.run_action(action, default_namespace=self.focused)

    def on_key(self, event: Key) -> None:
        """Quit with a key that types nothing, such as Ctrl+Q; a letter belongs to the dialog."""
        if event.key in self.workbench.keymap.keys(command("quit")) and not event.is_printable:
            event.stop()
            self.workbench.call_later(self.workbench.action_quit)

    def leaving(self) -> str:
        """A sentence on typed text that is lost when the program ends; empty without any."""
        from textual.widgets import Input

        if not any(box.value for box in self.query(Input)):
            return ""
        title = str(self.query(Vertical).first().border_title or "")
        return f"The text typed into {f'“{title}”' if title else 'the open dialog'} will be lost."

    async def on_event(self, event: Event) -> None:
        """Handle an event, unless the dialog was closed while it was being built: it has no widgets then."""
        if not (isinstance(event, Mount | Resize) and self not in self.app.screen_stack):
            await super().on_event(event)

    def on_screen_resume(self) -> None:
        """Close, if requested meanwhile."""
        if self._going_with is not None:
            super().dismiss(*self._going_with)


class Overview(Dialog[Result]):
    """A large panel: a list, and below it, in a widget of the class ``detail``, what is under the cursor."""

    DEFAULT_CSS = """
    Overview > Vertical { width: 112; height: 92%; }
    Overview SheetView { height: 1fr; background: $surface; padding: 0 1; }
    Overview .detail { height: 1fr; background: $surface; border-top: solid $meaning-border; padding: 0 1; }
    """
