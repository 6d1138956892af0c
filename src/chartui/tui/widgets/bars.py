"""The two lines that are always there: what one works on at the top, what the keys do at the bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from chartui.commands import SCREENS, Command, footer_commands, key_label
from chartui.core.profiles import ProfileKind
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.painting import Line
from chartui.tui.theming import Palette

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["FooterBar", "TopBar"]


#: From this many columns on there are two blanks between the names of the screens.
ROOMY = 100
#: Names of profiles are cut to this many cells.
MAX_NAME = 20


class _Bar(Widget):
    DEFAULT_CSS = """
    _Bar { height: 1; width: 1fr; background: $surface; }
    TopBar { dock: top; }
    FooterBar { dock: bottom; }
    """

    @property
    def palette(self) -> Palette:
        return Palette.of(self.app.theme_variables)

    def draw(self, line: Line) -> None:
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        """The one line."""
        line = Line(self.size.width)
        self.draw(line)
        return line.strip(self.rich_style)


def _clickable(action: str) -> Style:
    return Style(meta={"@click": action})


class TopBar(_Bar):
    """The profile, what answers, the read-only lock, and the screens, of which the present one is marked."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self._scope = scope

    def draw(self, line: Line) -> None:
        """The program on the left, the screens on the right; names and addresses are cut to the room between."""
        palette, session = self.palette, cast("ChartuiApp", self.app).session
        remote = session.profile.kind is ProfileKind.REMOTE
        apart = 2 if line.width >= ROOMY else 1
        screens = sum(len(command.name) + apart for command in SCREENS)
        lock = f" {GLYPHS.read_only} read-only " if session.read_only else ""
        line.add(" chartui ", palette.badge).gap()
        line.add(f"{GLYPHS.remote if remote else GLYPHS.local} ", palette.remote if remote else palette.local)
        name = single_line(session.profile.name)
        line.add(name, palette.title, width=min(cell_len(name), MAX_NAME)).gap()
        where = single_line(session.where)
        room = line.left - screens - len(lock) - 1
        line.add(where, palette.label, width=max(0, min(cell_len(where), room))).gap()
        line.add(lock, palette.warning)
        line.push_right(screens)
        for command in SCREENS:
            here = command.id == f"show-{self._scope}"
            style = (palette.accent + Style(underline=True)) if here else palette.label
            line.add(command.name, style + _clickable(f"app.command('{command.id}')")).gap(apart)


class FooterBar(_Bar):
    """The keys that matter here."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self._scope = scope

    def draw(self, line: Line) -> None:
        """Keys and what they do; what does not fit is in the help."""
        palette = self.palette
        locked = cast("ChartuiApp", self.app).locked
        for command in footer_commands(self._scope, locked=locked):
            self._draw_command(line, command, palette, locked=command.effect in locked)

    def _draw_command(self, line: Line, command: Command, palette: Palette, *, locked: bool) -> None:
        key = f"{GLYPHS.read_only} {key_label(command.keys[0])}" if locked else key_label(command.keys[0])
        if line.left < len(key) + len(command.footer) + 3:
            return
        action = _clickable(f"app.command('{command.id}')")
        line.gap().add(key, palette.key + action).gap().add(command.footer, palette.label + action).gap()
