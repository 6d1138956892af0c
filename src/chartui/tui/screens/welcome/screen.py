"""The first screen while no profile is chosen: the ways to start."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.classes import dataclass
from chartui.core.paths import from_home
from chartui.core.profiles import BUILT_IN, ProfileError, profiles_path
from chartui.core.profiles_file import change_profiles, load_profiles
from chartui.core.session import store_path
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_of_app
from chartui.tui.glyphs import GLYPHS, big_letters
from chartui.tui.lines import Line, wrap
from chartui.tui.shell.open_profile import NotOpened, open_checked, switch
from chartui.tui.wait import Work, waiting
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.text import Piece, PieceRow, Words, Wrapped

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

_ABOUT: Final = (
    "A workbench for conversational characters. See what an interaction costs, tune characters, "
    "and check and play their stories."
)


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to start: its sign and style, a title, a sentence, and the file it creates or uses.

    Without a file, it plays tours.
    """

    profile: str | None
    sign: str
    role: str
    title: str
    text: str
    path: Path | None


def _ways() -> tuple[_Way, ...]:
    demo, local = BUILT_IN["demo"], BUILT_IN["local"]
    return (
        _Way(
            "demo",
            GLYPHS.local,
            "latency",
            "Look around with demo data",
            "A dozen made-up characters. Changes can be reset.",
            store_path(demo),
        ),
        _Way(
            "local",
            GLYPHS.local,
            "local",
            "Use your own store on this machine",
            "Starts empty and works offline. No data leaves this machine.",
            store_path(local),
        ),
        _Way(
            None,
            GLYPHS.remote,
            "remote",
            "Connect to a service",
            "Asks for the address and API key, tests both, and starts read-only.",
            profiles_path(),
        ),
        _Way(
            None,
            GLYPHS.local,
            "latency",
            "Learn chartui or play a tour",
            "Uses temporary data, then returns to this screen.",
            None,
        ),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A line: the title of way ``number`` from 1, or a line below that title."""

    number: int
    text: str = ""
    role: str = "label"
    title: bool = False


class _Ways(LineView):
    """The ways, each a title with its sentence and its file."""

    def __init__(self) -> None:
        super().__init__()
        self.ways = _ways()
        self._rows: list[_Row] = []

    def width_changed(self) -> None:
        """Wrap the sentences again."""
        rows: list[_Row] = []
        for number, way in enumerate(self.ways, 1):
            rows += [_Row(0)] if rows else []
            rows.append(_Row(number, way.title, title=True))
            rows += [_Row(number, line) for line in wrap(way.text, max(10, self._width - 10))]
            rows += [_Row(number, from_home(str(way.path)), role="quiet")] if way.path else []
        held = self.chosen
        self._rows = rows
        self.rows_changed()
        self.put_on(held)

    @property
    def chosen(self) -> int:
        """The number of the way with the cursor."""
        return max(1, self._rows[self.cursor].number) if self.cursor < len(self._rows) else 1

    def put_on(self, number: int) -> None:
        """Move the cursor to a way."""
        self.move_to(next(i for i, row in enumerate(self._rows) if row.title and row.number == number))

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def can_stop_at(self, index: int) -> bool:
        return 0 <= index < len(self._rows) and self._rows[index].title

    def draw_row(self, index: int, width: int) -> Strip:
        row, palette, line = self._rows[index], self.palette, Line(width).gap()
        if not row.number:
            return line.strip()
        if not row.title:
            return line.gap(7).add(row.text, getattr(palette, row.role)).strip()
        way = self.ways[row.number - 1]
        line.add(GLYPHS.chosen if index == self.cursor else " ", palette.accent).gap()
        line.add(str(row.number), palette.key).gap(2).add(way.sign, getattr(palette, way.role)).gap()
        return line.add(row.text, palette.title).strip()


class _Wordmark(Wrapped):
    """The name of the program, large."""

    def rows(self, width: int) -> list[PieceRow]:  # noqa: ARG002
        return [(Piece(row, "credits"),) for row in big_letters("chartui")]


class Welcome(Dialog[None]):
    """Asks how to start, and remembers the answer. Modal, so that no key reaches a profile you did not choose."""

    DEFAULT_CSS = """
    Welcome { background: $background; }
    Welcome > Vertical {
        width: 84;
        max-height: 100%;
        border-title-color: $primary;
        padding: 1 1 0 1;
        background: $background;
    }
    Welcome #about { margin: 0 0 1 0; background: $background; }
    Welcome _Ways { height: auto; max-height: 16; background: $background; }
    Welcome #said { dock: bottom; background: $background; }
    Welcome.-low _Wordmark, Welcome.-middle _Wordmark, Welcome.-low #about { display: none; }
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (24, "-middle"), (28, "-high")]  # noqa: RUF012 - declared so by the framework
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Begin"),
        Binding("1", "begin(1)", "Demo data", show=False),
        Binding("2", "begin(2)", "Your own store", show=False),
        Binding("3", "begin(3)", "Service", show=False),
        Binding("4", "begin(4)", "Tours", show=False),
        Binding(
            "escape", "look_around", "Demo for now", tooltip="Opens the demo data. You will be asked again next time."
        ),
        *bindings_of_app("quit"),
    ]
    TO_BE_READ = False

    def __init__(self) -> None:
        super().__init__("Welcome")
        self._ways = _Ways()
        self._said = Words("", id="said")

    def content(self) -> Iterable[Widget]:
        yield _Wordmark()
        yield Words(_ABOUT, role="label", id="about")
        yield self._ways
        yield self._said

    def on_mount(self) -> None:
        self._said.show("Your choice is remembered. Press P to change it at any time.", role="quiet")

    @on(LineView.Chosen)
    def _chosen(self) -> None:
        self.action_begin(self._ways.chosen)

    def action_begin(self, number: int) -> None:
        """Start in one of the ways, and from then on without asking."""
        self._ways.put_on(number)
        way = self._ways.ways[number - 1]
        if way.path is None:
            self.workbench.action_call("shell.tours.choose_tour")
            return
        self.workbench.start(partial(self._begin, name=way.profile, remember=True))

    def action_look_around(self) -> None:
        """Start with the demo data, this time only."""
        self.workbench.start(partial(self._begin, name="demo", remember=False))

    async def _begin(self, app: ChartuiApp, *, name: str | None, remember: bool) -> None:
        if name is None:
            from chartui.tui.shell.add_profile import AddProfile

            added = await app.push_screen_wait(AddProfile())
            if added is None:
                return
            name = added.profile.name
            if not added.works:  # opening it would also make it the default
                self._said.show(
                    f"{GLYPHS.warning} {added.sentence} "
                    "Choose another way to start. Press P later to open the profile.",
                    role="warning",
                )
                return
        self._said.show(f"Opening '{name}'{GLYPHS.busy}", role="label")
        title = f"Open '{single_line(name, limit=30)}'"
        async with waiting(app, Work(title, "Opening…", dialog_follows=False)):
            try:
                async with waiting(app, title, dialog_follows=False):
                    session = await open_checked(app, load_profiles().get(name))
            except (NotOpened, ProfileError) as error:
                self._said.show(f"{GLYPHS.danger} {error}", role="danger")
                return
            forgotten = await asyncio.to_thread(_remember, name) if remember else ""
            await switch(app, session, screen=app.opening.screen)
        if forgotten:
            app.tell(forgotten, severity="warning")


def _remember(name: str) -> str:
    """Make ``name`` the default; returns the problem if that can't be saved."""
    try:
        change_profiles(lambda profiles: profiles.using(name))
    except (ProfileError, OSError) as error:
        return f"Your choice applies to this session only: {profiles_path()} cannot be written ({error})."
    return ""
