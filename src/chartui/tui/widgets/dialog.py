"""What every dialogue is: one panel in the middle, over a dimmed screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.events import Event, Mount, Resize
from textual.screen import ModalScreen
from textual.widgets import Input

from chartui.commands import command
from chartui.tui.widgets.bars import FooterBar
from chartui.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

Result = TypeVar("Result")


class Dialog(ModalScreen[Result]):
    """A panel in the middle of the screen; a subclass says how large, and what is in it."""

    #: Of the program's commands, those about what is in front.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(c.keys), f"app.{c.action}", c.title, show=False, id=c.id)
        for c in map(command, ("help", "jump"))
    ]

    #: Whether it comes without being asked for: keys typed before it was there were not meant for it.
    UNFORESEEN: ClassVar[bool] = False
    #: Whether agreeing to it changes data: keys typed before that do not pass it.
    CONCLUSIVE: ClassVar[bool] = False

    #: Whether it is to be read when it opens: information from before is not left lying over it.
    TO_BE_READ: ClassVar[bool] = True

    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 50%; }
    /* Messages take lines of their own below the panel, which makes room: elsewhere they lie over what is there. */
    Dialog > ToastRack { layer: default; max-height: 50%; }
    Dialog > FooterBar { dock: bottom; }
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

    #: What it goes with as soon as nothing lies over it any more.
    _going_with: tuple[Result | None] | None = None

    def __init__(self, *, enter: str = "", classes: str | None = None) -> None:
        """``enter`` says what Enter does, for the line of keys."""
        super().__init__(classes=classes)
        if enter:
            self._bindings.bind("enter", "enter", enter)
        self.compose_add_child(FooterBar())

    @property
    def workbench(self) -> ChartuiApp:
        """The application, with its own type."""
        return cast("ChartuiApp", self.app)

    @property
    def unforeseen(self) -> bool:
        """Whether keys typed before it was there are refused. A dialog that knows what is at stake decides itself."""
        return self.UNFORESEEN

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Go, and nobody else: at once, or when what lies over it has gone; never a second time.

        The framework takes away whatever is in front, be it another dialogue or the last screen that there is.
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
        for behind in self.app.screen_stack[:-1]:  # the messages come along; once is enough
            behind.query("ToastRack").set(display=False)

    async def action_enter(self) -> None:
        """What Enter does in the part that has the focus: for a click on its key."""
        match self.focused:
            case LineView() as view:
                view.action_choose()
            case Input() as box:
                await box.action_submit()

    async def on_event(self, event: Event) -> None:
        """Handle an event, unless the dialog was closed while it was being built: it has no widgets then."""
        if not (isinstance(event, Mount | Resize) and self not in self.app.screen_stack):
            await super().on_event(event)

    def on_screen_resume(self) -> None:
        """Go, where that was to be done meanwhile."""
        if self._going_with is not None:
            super().dismiss(*self._going_with)


class Overview(Dialog[Result]):
    """A large panel: a list, and below it, in a widget of the class ``detail``, what is under the cursor."""

    DEFAULT_CSS = """
    Overview > Vertical { width: 112; height: 92%; }
    Overview LineList, Overview SheetView { height: 1fr; background: $surface; padding: 0 1; }
    Overview .detail { height: 1fr; background: $surface; border-top: solid $meaning-border; padding: 0 1; }
    """
