"""Plain mode: says what the screen shows in lines of text, one fact a line, for screen readers and logs.

After each change, :func:`said` describes what is in front: the screen, the focused part and its current row, messages,
and parts that speak without the focus. :class:`Speech` says only what differs from before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea

from chartui.commands import SCREENS
from chartui.core.classes import NamedTuple
from chartui.core.numbers import number_of
from chartui.core.text import display_text
from chartui.core.unreadable import sentence
from chartui.tui.glyphs import GLYPHS
from chartui.tui.plain import in_ascii
from chartui.tui.shell.legend import meaning, path_of
from chartui.tui.wait import Waiting
from chartui.tui.widgets.bars import TROUBLE, Bar
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.messages import MessageBar
from chartui.tui.widgets.screen import WorkScreen
from chartui.tui.widgets.tabs import tab_shown
from chartui.tui.widgets.text import Wrapped

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Seconds without a new picture after which the screen is described, so that a held key says only where it ends.
_SETTLED: Final = 0.05
#: The most rows of a part that are said at once: unasked, and on request.
_UNASKED, _ON_REQUEST = 60, 500
#: The width that texts without a layout of their own are made for.
_ENDLESS: Final = 10_000
#: Characters of frames, bars and plots.
_DRAWN: Final = {code: " " for start, end in ((0x2500, 0x25A0), (0x2800, 0x2900)) for code in range(start, end)}
#: Signs that only separate or point.
_SEPARATORS: Final = (GLYPHS.note, "•")
#: Signs that are words between others, too.
_BETWEEN: Final = (GLYPHS.to, GLYPHS.differs, "×", "≤", "±", "−")
#: Signs drawn directly before a label.
_ATTACHED: Final = GLYPHS.note + GLYPHS.no_call + GLYPHS.write_only + GLYPHS.known_here
#: The arrow keys, drawn together.
_ARROWS: Final = GLYPHS.ascending + GLYPHS.descending


class Passage(NamedTuple):
    """What is said in one ``place``: everything if it is ``about`` something else than before, else the new lines."""

    place: object
    about: object
    lines: Sequence[str]


class Speech:
    """Says what is new on the screen of ``app`` by calling :attr:`say`."""

    def __init__(self, app: ChartuiApp, *, ascii: bool = False) -> None:  # noqa: A002
        self._app = app
        self._ascii = ascii
        self._said: dict[object, Passage] = {}
        self._has_begun = False
        self._due: asyncio.TimerHandle | None = None
        self.say: Callable[[Sequence[str]], None] = lambda _: None

    def look_soon(self) -> None:
        """Say what is new once the screen has settled."""
        if self._due is not None:
            self._due.cancel()
        self._due = asyncio.get_running_loop().call_later(_SETTLED, self._app.call_later, self.look)

    def look(self) -> None:
        """Say what is new."""
        app = self._app
        if not app.is_running or app._exit or not app.screen_stack:
            return
        if isinstance(app.screen, Waiting) and not app.screen.is_slow:
            self.look_soon()  # closing it draws nothing
            return
        if not app.screen.is_mounted:
            self.look_soon()  # its parts are still being built
            return
        before, now = self._said, {passage.place: passage for passage in said(app)}
        # What a dialog covers is still known when it closes.
        self._said = {k: p for k, p in before.items() if isinstance(k, Widget) and k.is_attached} | now
        lines: list[str] = []
        for passage in now.values():
            old = before.get(passage.place)
            known = old.lines if old is not None and old.about == passage.about else ()
            lines += (line for line in passage.lines if line not in known)
        if not self._has_begun:
            self._has_begun = True
            name = app.keymap.name
            lines.append(f"Press {name('help')} for a list of keys or {name('repaint')} to read the screen.")
        self._speak(lines)

    def read_all(self) -> None:
        """Say everything that the screen or dialog in front shows."""
        self._speak(everything(self._app))

    def _speak(self, lines: Iterable[str]) -> None:
        if safe := [display_text(in_ascii(line) if self._ascii else line) for line in lines]:
            self.say(safe)


def said(app: ChartuiApp) -> Iterator[Passage]:
    """What is in front, in the order in which it is said."""
    screen, focused = app.screen, app.focused
    yield Passage("screen", screen, [_title(screen)])
    yield Passage("profile", None, list(_profile(app)))
    if isinstance(screen, WorkScreen):
        work = [f"{loading.title}…" for loading in screen.reads if loading.shown]
        yield Passage("work", screen, work)
        standing = (screen.standing(), sentence(screen.unreadable))
        yield Passage("standing", screen, [line for text in standing for line in _plain(text, screen)])
        yield Passage("tab", screen, list(_tabs(screen)))
    texts = [_heard(widget) for widget in _parts(screen) if widget is not focused and _speaks(widget)]
    if screen.is_modal:
        yield from texts
    if focused is not None:
        yield Passage("focus", focused, [_name(focused)])
        yield Passage("head", focused, _head(focused))
        yield Passage("row", (focused, _place(focused)), list(_limited(_current(focused), _UNASKED)))
    if not screen.is_modal:
        yield from texts
    for panel in _panels(screen):
        note = panel._border_subtitle
        if note is not None and "…" not in note.plain:  # else it says only what is under way
            title = _panel_title(panel) or tab_shown(panel)
            # The age of the data changes by itself.
            lasting = "  ".join(part for part in note.plain.split(" · ") if not part.startswith("loaded "))
            yield Passage(("note", panel), None, [f"{title}: {line}" for line in _plain(lasting, panel)])
    for message in app._notifications:
        word = "" if message.severity == "information" else f"{message.severity.capitalize()}: "
        title = f"{message.title}: " if message.title else ""
        lines = list(_plain(" ".join(f"{word}{title}{message.message}".split()), screen))
        yield Passage(("message", message.identity), message.raised_at, lines)


def _heard(widget: Widget) -> Passage:
    """What is heard of a part without the focus: of a list that the focused field searches, the current row."""
    if not isinstance(widget, LineView) or not widget.can_focus:
        facts = _facts(widget)
    elif widget.announces:
        # Of a result with details to choose from, what stands above them.
        above = list(takewhile(lambda index: not widget.can_stop_at(index), range(widget.row_count)))
        facts = _rows(widget, above or range(widget.row_count))
    else:
        return Passage(widget, _place(widget), list(_current(widget)))
    return Passage(widget, None, list(_limited(facts, _UNASKED)))


def everything(app: ChartuiApp) -> Iterator[str]:
    """Every part of what is in front, and the keys that work."""
    screen = app.screen
    yield _title(screen)
    yield from _profile(app)
    if isinstance(screen, WorkScreen):
        yield from _tabs(screen)
    panel = None
    for widget in _parts(screen):
        if (around := _panel_of(widget)) is not panel and around is not None:
            panel = around
            yield from filter(None, (_panel_title(panel), *_note(panel)))
        yield from _head(widget)
        yield from _limited(_facts(widget), _ON_REQUEST)


# -- the parts ---------------------------------------------------------------------------------------------------------


def _title(screen: Screen[Any]) -> str:
    if isinstance(screen, WorkScreen):
        return f"Screen: {next(each.name for each in SCREENS if each.id == f'show-{screen.SCOPE}')}"
    panels = (each for each in screen.walk_children(Widget) if each._border_title and _seen(each))
    title = next(filter(None, map(_panel_title, panels)), "")
    return f"Dialog: {title}" if title else "Dialog"


def _profile(app: ChartuiApp) -> Iterator[str]:
    session = app.session
    production = ", production" if session.profile.production else ""
    yield f"Profile: {display_text(session.profile.name)}{production}"
    if not app.opening.keeps(session):
        yield "Temporary: deleted when you quit"
    yield "Read-only" if session.read_only else "Changes enabled"
    trouble = app.connection.state.trouble_of(app.scope)
    if trouble is not None:
        yield f"Error: {TROUBLE[trouble]}"
    elif not session.profile.embedded:
        yield f"Service: {display_text(session.where)}"


def _tabs(screen: Screen[Any]) -> Iterator[str]:
    for widget in screen.walk_children(Widget):
        if _seen(widget) and (tab := tab_shown(widget)):
            yield f"Tab: {tab}"


def _seen(widget: Widget) -> bool:
    return all(each.display and each.visible for each in widget.ancestors_with_self if isinstance(each, Widget))


def _parts(screen: Screen[Any]) -> Iterator[Widget]:
    """The parts in sight that show something, from the first to the last."""
    for widget in screen.walk_children(Widget):
        bar = isinstance(widget, Bar | MessageBar)
        if bar or widget.children or not widget.is_mounted or not widget.is_attached or not _seen(widget):
            continue
        if widget.can_focus or not widget.is_container:
            yield widget


def _speaks(widget: Widget) -> bool:
    """Whether a part is heard without the focus: results, a list being searched, and in a dialog texts and lists."""
    if isinstance(widget.screen, Waiting):
        return False
    if isinstance(widget, LineView):
        return widget.announces or widget.screen.is_modal or _is_searched(widget)
    return widget.screen.is_modal and not widget.can_focus


def _is_searched(view: LineView) -> bool:
    """Whether the focused filter has words and belongs to this list."""
    box = view.screen.focused
    return isinstance(box, FilterBox) and bool(box.value.strip()) and _panel_of(box) is _panel_of(view)


def _panels(screen: Screen[Any]) -> Iterator[Widget]:
    """The panels whose notes are heard: in a screen, those around the focus."""
    around = screen.focused.ancestors_with_self if screen.focused is not None else ()
    for panel in (screen.panel,) if isinstance(screen, Dialog) else around:
        if isinstance(panel, Widget) and panel._border_subtitle:
            yield panel


def _panel_of(widget: Widget) -> Widget | None:
    return next((each for each in widget.ancestors_with_self if isinstance(each, Widget) and each._border_title), None)


def _panel_title(panel: Widget) -> str:
    title = panel._border_title.plain if panel._border_title is not None and not tab_shown(panel) else ""
    return " ".join(_plain(title, panel))


def _note(panel: Widget) -> Iterator[str]:
    return _plain(panel._border_subtitle.plain, panel) if panel._border_subtitle is not None else iter(())


def _name(widget: Widget) -> str:
    """What has the focus: the title of its panel, and its kind."""
    panel = _panel_of(widget)
    title = "" if panel is None or widget.screen.is_modal else _panel_title(panel) or tab_shown(panel)
    kind = "field" if isinstance(widget, Input) else "text field" if isinstance(widget, TextArea) else ""
    kind = widget.KIND if isinstance(widget, LineView) else kind
    words = widget.placeholder if isinstance(widget, Input) else ""
    return ", ".join(filter(None, (title, display_text(str(words)), kind))) or "Answer"


def _place(widget: Widget) -> object:
    """What identifies the current row; a text that is typed is one row."""
    if isinstance(widget, TextArea):
        return widget.cursor_location[0]
    return widget.row_identity if isinstance(widget, LineView) else None


def _head(widget: Widget) -> list[str]:
    lines = widget.said_head() if isinstance(widget, LineView) else ()
    return [fact for line in lines for fact in _plain(line, widget)]


def _current(widget: Widget) -> Iterator[str]:
    """The current row of a part, or all of one without rows."""
    if isinstance(widget, TextArea):
        row = widget.cursor_location[0]
        yield f"Line {row + 1}: {display_text(widget.document.get_line(row)) or 'empty'}"
    elif isinstance(widget, LineView):
        for line in widget.said_current():
            yield from _plain(line, widget)
    else:
        yield from _facts(widget)


def _facts(widget: Widget) -> Iterator[str]:
    """Everything that a part shows."""
    if isinstance(widget, Input):
        value = number_of(len(widget.value), "character") if widget.password else display_text(widget.value)
        yield f"Typed: {value}" if widget.value else "Empty"
        return
    if isinstance(widget, LineView):
        yield from _rows(widget, range(widget.row_count))
        return
    if isinstance(widget, TextArea):
        lines: Iterable[str] = widget.text.split("\n")
    elif isinstance(widget, Wrapped):
        lines = ("".join(piece.text for piece in row) for row in widget.rows(_ENDLESS))
    else:
        name = f": {widget.name}" if widget.name else ""
        lines = (widget.render_line(y).text.rstrip() + name for y in range(widget.size.height))
    for line in lines:
        yield from _plain(line, widget)


def _rows(view: LineView, rows: Iterable[int]) -> Iterator[str]:
    return (fact for index in rows for line in view.said_row(index) for fact in _plain(line, view))


def _limited(lines: Iterator[str], most: int) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number == most:
            yield "There is more text. Move the cursor to read on."
            return
        yield line


# -- words -------------------------------------------------------------------------------------------------------------


def _plain(text: str, widget: Widget) -> Iterator[str]:
    """A drawn line in words: without frames, with words for signs that stand alone; nothing if nothing is left."""
    yield from _in_words(text, path_of(widget))


@lru_cache(maxsize=1024)  # after each picture most lines are the ones before
def _in_words(text: str, path: tuple[str, ...]) -> tuple[str, ...]:
    parts: list[str] = []
    for group in display_text(text).translate(_DRAWN).split("  "):
        if part := _cell(group.split(), path, first=not parts):
            parts.append(part)
    if not parts:
        return ()
    return ("selected" if parts == ["selected:"] else _listed(parts),)


def _cell(drawn: Sequence[str], path: Sequence[str], *, first: bool) -> str:
    """The words of one cell. Its signs are words at its beginning or end; between words, most are left out."""
    phrases: list[list[str]] = [[]]
    named, shown = "", ""
    leading = True
    for index, word in enumerate(drawn):
        sign = meaning(word, path) if len(word) == 1 else None
        name, before = sign.name.lower() if sign is not None else "", drawn[index - 1] if index else ""
        if word == _ARROWS:
            phrases[-1].append("up and down")
        elif name == "catch-all" and leading and len(drawn) > 1:
            continue  # the words after it say the same
        elif cell_len(word) != 1 or word.isascii() or not (sign or word in _SEPARATORS):
            word = word.lstrip(_ATTACHED) or word if leading else word
            phrases[-1] += [word] if word != named else []  # else it only repeats the sign
            named, leading = "", False
        elif name == "path" or (word in _SEPARATORS and not (name == "note" and first and not index)):
            phrases.append([])
        elif word == GLYPHS.chosen:
            phrases += [] if leading else [[]]
            phrases[-1] += ["selected:"] if leading else []
        elif word == GLYPHS.ellipsis:
            phrases[-1] += [name] if first and len(drawn) == 1 else []
        elif name == "back" and before == GLYPHS.to:
            shown = "already shown"
        elif leading or word in _BETWEEN:
            phrases[-1].append(named := name)
        elif index + 1 == len(drawn) or all(cell_len(each) == 1 for each in drawn[index:]):
            # After a label it is the value; else it says more about the words.
            phrases[-1] += [name] if before.endswith(":") else []
            phrases += [] if before.endswith(":") else [[name]]
    return _listed([*filter(None, map(" ".join, phrases)), *([shown] if shown else [])])


def _listed(parts: Sequence[str]) -> str:
    """Parts with commas between them; one that ends a drawn line stays."""
    return ", ".join([*(part.rstrip(",") for part in parts[:-1]), *parts[-1:]])
