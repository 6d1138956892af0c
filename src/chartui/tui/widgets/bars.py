"""The lines around every screen: what you work on at the top, the keys at the bottom.

Unreadable data is reported above the keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from rich.cells import cell_len
from rich.style import Style
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from chartui.commands import SCREENS, DataEffect
from chartui.core.clock import age_text
from chartui.core.profiles import Mark, Profile, ProfileKind
from chartui.core.spec.elements import Unreadable
from chartui.core.spec.errors import ErrorKind
from chartui.core.text import single_line
from chartui.core.unreadable import sentence
from chartui.tui.bindings import Active, active
from chartui.tui.connection import KEY
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, fit
from chartui.tui.theme import Palette

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp
    from chartui.tui.widgets.screen import WorkScreen

#: From this many columns on, two spaces separate the names of the screens.
ROOMY = 100
#: The marks of a production profile that can be changed; neither is ever left out.
_PRODUCTION: Final = " PRODUCTION"
_CHANGES_ON: Final = " CHANGES ON "
#: Names of profiles are cut to this many cells.
MAX_NAME = 20
_LEAST_NAME: Final = 3


class Bar(Widget):
    DEFAULT_CSS = "Bar { height: 1; width: 1fr; background: $surface; }"

    _line: Strip | None = None

    @property
    def palette(self) -> Palette:
        return Palette.of(self.app.theme_variables)

    @property
    def workbench(self) -> ChartuiApp:
        return cast("ChartuiApp", self.app)

    def draw(self, line: Line) -> None:
        raise NotImplementedError

    def tick(self) -> None:
        self.update()

    def update(self) -> None:
        """Redraw the bar if it looks different."""
        if self._line is None or self._made() != self._line:
            self.refresh()

    def _made(self) -> Strip:
        line = Line(self.size.width)
        self.draw(line)
        return line.strip(self.rich_style)

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        self._line = self._made()
        return self._line


def _clickable(action: str) -> Style:
    return Style(meta={"@click": action})


_SHOWS: Final = " show"
#: The trouble, in a word or two.
TROUBLE: Final = {
    ErrorKind.UNREACHABLE: "unreachable",
    ErrorKind.TIMEOUT: "timed out",
    ErrorKind.NO_KEY: "no API key",
    ErrorKind.BAD_KEY: "API key rejected",
    ErrorKind.TIER: "needs a higher tier",
    ErrorKind.RATE_LIMITED: "too many requests",
    ErrorKind.INTERNAL: "service error",
    ErrorKind.BUSY: "store busy",
    ErrorKind.BROKEN: "store damaged",
}


class TopBar(Bar):
    """The profile, the service or its trouble, the locks, and the screens with the current one marked."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self._scope = scope

    def draw(self, line: Line) -> None:
        """What you work on at the left, the screens at the right.

        If both do not fit, the other screens shrink to their keys, then the program's name is left out, then the
        lock's, and the middle takes the remaining room.
        """
        palette, marks, middle = self.palette, self._marks(), self._middle()
        keymap = self.workbench.keymap
        apart = 2 if line.width >= ROOMY else 1
        badge = " chartui "
        # The mark already shows that data is local, but not which host it comes from.
        wanted = cell_len(middle[-1][0]) if self._worth_reading else 0
        # An address may be cut, but not the trouble.
        needed = wanted if self._trouble is not None else 0
        left = len(badge) + 1 + sum(cell_len(text) for text, _ in marks) + wanted
        names = {screen.id: screen.name for screen in SCREENS}
        if left + 1 + _cells(names, apart) > line.width:
            here = f"show-{self._scope}"
            names = {s.id: s.name if s.id == here else keymap.label(s) or s.name for s in SCREENS}
            apart = 2
        right = _cells(names, apart)
        if left - wanted + cell_len(middle[0][0]) * self._worth_reading + 1 + right <= line.width:
            line.add(badge, palette.badge)
        elif left - wanted + needed - len(badge) + 1 + right > line.width:
            marks = [(text.replace(" read-only", ""), style) for text, style in marks]
            # What may happen to production is never left out; of the name, what fits is shown.
            over = 1 + sum(cell_len(text) for text, _ in marks) + needed + 1 + right - line.width
            name, style = marks[1]
            if over > 0:
                marks[1] = (f"{fit(name.rstrip(), max(_LEAST_NAME, cell_len(name) - 1 - over))} ", style)
        line.gap()
        for text, style in marks:
            line.add(text, style)
        room = line.left - right - 1
        text, style = next(((t, s) for t, s in middle if cell_len(t) <= room), middle[-1])
        line.add(text, style, width=max(0, min(cell_len(text), room)))
        line.push_right(right)
        for screen in SCREENS:
            look = palette.accent + Style(underline=True) if screen.id == f"show-{self._scope}" else palette.label
            line.add(names[screen.id], look + _clickable(f"app.command('{screen.id}')")).gap(apart)

    @property
    def _worth_reading(self) -> bool:
        remote = self.workbench.session.profile.kind is ProfileKind.REMOTE
        return remote or self._trouble is not None

    @property
    def _trouble(self) -> ErrorKind | None:
        return self.workbench.connection.state.trouble_of(self._scope)

    def _marks(self) -> list[tuple[str, Style]]:
        """Profile and locks, which are never left out."""
        palette, session = self.palette, self.workbench.session
        profile = session.profile
        name = single_line(profile.name)
        choose, lock = _clickable("app.command('profiles')"), _clickable("app.command('lock')")
        color: Style = getattr(palette, role_of(profile))
        marks = [
            (f"{mark_of(profile)} ", color + choose),
            (f"{fit(name, min(cell_len(name), MAX_NAME))} ", palette.title + choose),
        ]
        if profile.production and session.read_only:
            marks.append(("PRODUCTION ", palette.danger + choose))
        elif profile.production:
            marks += [
                (_PRODUCTION, palette.banner + choose),
                (_CHANGES_ON, palette.banner + lock),
                (" ", palette.label),
            ]
        if session.read_only:
            marks.append((f"{GLYPHS.read_only} read-only ", palette.warning + lock))
        elif profile.read_only and not profile.production:  # changes to production have their own sign
            marks.append(("unlocked ", palette.warning + lock))
        return marks

    def _middle(self) -> list[tuple[str, Style]]:
        """What answers, or what is wrong, from the longest wording to the shortest."""
        palette, watch, keymap = self.palette, self.workbench.connection, self.workbench.keymap
        trouble = self._trouble
        if trouble is None:
            session = self.workbench.session
            store = "embedded" if self.workbench.opening.keeps(session) else "temporary"
            # A shortened service name is still useful; for a store, the word can go.
            texts = [single_line(session.where)] if self._worth_reading else [f"{store} store", store, ""]
            return [(text, palette.label) for text in texts]
        keys = trouble in KEY or trouble is ErrorKind.TIER
        click = _clickable(f"app.command('{'change-api-key' if keys else 'refresh'}')")
        word, wait = f"{GLYPHS.danger} {TROUBLE[trouble]}", watch.state.wait(watch.ticks())
        if keys:
            key = keymap.label("change-api-key")
            texts = (
                [f"{word} · {key} enters an API key", f"{word} · {key} new API key", f"{word} · {key}"]
                if key
                else [word]
            )
        elif watch.state.trying:
            texts = [f"{word} · trying", word]
        elif wait is not None:
            texts = [f"{word} · retry in {wait} s", f"{word} · {wait} s"]
        else:
            texts = [f"{word} · {keymap.name('refresh')} retries", word]
        return [(text, palette.danger + click) for text in texts]


def _cells(names: Mapping[str, str], apart: int) -> int:
    return sum(cell_len(name) + apart for name in names.values())


class UnreadableBar(Bar):
    """How much of the answers could not be read, why, and the key that shows it; empty if all could."""

    DEFAULT_CSS = "UnreadableBar { display: none; }"

    def __init__(self) -> None:
        super().__init__()
        self._text = ""

    def show(self, unreadable: Sequence[Unreadable]) -> None:
        """Report these elements."""
        text = single_line(sentence(unreadable))
        if text != self._text:
            self._text = text
            self.display = bool(text)
            self.refresh()

    def draw(self, line: Line) -> None:
        """The sentence, cut if it does not fit, and the key, which is never cut."""
        palette, key = self.palette, self.workbench.keymap.label("show-unreadable")
        action = _clickable("app.command('show-unreadable')")
        line.gap().add(f"{GLYPHS.warning} ", palette.warning + action)
        keys = len(key) + len(_SHOWS) + 3 if key else 0
        room = line.left - keys
        line.add(self._text, palette.value + action, width=min(room, cell_len(self._text)))
        if key:
            line.gap(2).add(key, palette.key + action).add(_SHOWS, palette.label + action)


class FooterBar(Bar):
    """The keys that work at the focus; the help lists those that do not fit."""

    def __init__(self) -> None:
        super().__init__()
        self._active: list[Active] | None = None

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed, immediate=True)

    def _changed(self, _screen: Screen[Any]) -> None:
        if self._active is not None:
            self._active = None
            self.call_later(self.update)

    def draw(self, line: Line) -> None:
        """The keys from the focused part outward, and at the right those that work everywhere.

        If room is short, the outermost keys are left out first, then those for staged changes or selected rows, then
        the key that turns the tabs, and keys that leave a part or work everywhere last. At the right, a key keeps its
        place whatever has the focus, so it is found again and not sent again.
        """
        if self._active is None:
            self._active = active(self.screen)
        kept = self._kept()
        locked = self.workbench.locked
        # A locked act stays visible: its screen exists for it. Other locked keys would look as if they could be used.
        shown = [a for a in self._active if self.word(a) and not (a.command.effect in locked and not _acts(a))]
        entries = [self._entry(a, locked=a.command.effect in locked) for a in shown]
        found = list(zip(shown, entries, strict=True))
        right = [entry for a, entry in found if a.command.id in _EVERYWHERE]
        back = [entry for a, entry in found if _leaves(a)]
        fixed = cell_len(kept) + sum(map(_width, right))
        others = [(a, entry) for a, entry in found if entry not in right and entry not in back]
        room = line.width - fixed - sum(map(_width, back))
        fitting = []
        for _, entry in sorted(others, key=lambda each: _rank(each[0])):
            room -= _width(entry)
            if room < 0:
                break
            fitting.append(entry)
        for _, entry in others:
            if entry in fitting:
                self._draw_entry(line, entry)
        for entry in back:
            self._draw_entry(line, entry)
        line.push_right(fixed)
        for entry in right:
            self._draw_entry(line, entry)
        line.add(kept, self.palette.warning)

    def _kept(self) -> str:
        """The screen's standing conditions, and the age of its data if it is not fresh."""
        screen = cast("WorkScreen", self.screen)
        if screen.is_modal:
            return ""
        age = screen.age
        told = (screen.standing(), f"loaded {age_text(age)}" if age is not None else "")
        kept = " · ".join(filter(None, told))
        return f" {kept} " if kept else ""

    def _entry(self, found: Active, *, locked: bool) -> tuple[str, str, str]:
        label = self.workbench.keymap.sign(found.keys[0])
        key = f"{GLYPHS.read_only} {label}" if locked else label
        return key, self.word(found), f"app.command({found.command.id!r})"

    def word(self, found: Active) -> str:
        """What the footer calls a command; Esc on a screen does what comes first there."""
        screen, word = cast("WorkScreen", self.screen), found.command.footer
        if screen.is_modal:
            return word
        leads_back = found.node is screen and found.keys[0] == "escape"
        return screen.escape_word if word and leads_back else screen.footer_word(found.command)

    def _draw_entry(self, line: Line, entry: tuple[str, str, str]) -> None:
        key, word, click = entry
        action = _clickable(click)
        line.gap().add(key, self.palette.key + action).gap().add(word, self.palette.label + action).gap()


def _width(entry: tuple[str, str, str]) -> int:
    return cell_len(entry[0]) + cell_len(entry[1]) + 3


def _acts(found: Active) -> bool:
    return found.command.effect is DataEffect.ACT


#: The keys at the right end.
_EVERYWHERE: Final = frozenset({"help", "palette", "quit"})
#: Keys that are offered only while changes are staged, rows are selected or their tab is open.
_TIMELY: Final = frozenset({
    "apply-settings", "apply-story", "bulk-change", "rank-kind", "explore-constraints", "what-if-quantity", "volume",
})  # fmt: skip
#: Keys of every table, shown if all others fit.
_OF_TABLES: Final = frozenset({"sort-table", "copy"})


def _leaves(found: Active) -> bool:
    return "escape" in found.keys and found.command.id not in _EVERYWHERE


def _rank(found: Active) -> int:
    """The place in the order in which keys are fitted in."""
    if found.command.id in _OF_TABLES:
        return 3
    return 0 if found.command.footer == "tabs" else 1 if found.command.id in _TIMELY else 2


#: The color of a mark is one of the theme's meanings, so every theme has it.
_ROLES: Final = {
    Mark.GREEN: "local",
    Mark.CYAN: "latency",
    Mark.BLUE: "accent",
    Mark.VIOLET: "staged",
    Mark.AMBER: "remote",
    Mark.RED: "danger",
}


def mark_of(profile: Profile) -> str:
    return GLYPHS.local if profile.embedded else GLYPHS.remote


def role_of(profile: Profile) -> str:
    return _ROLES[profile.mark]
