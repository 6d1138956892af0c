"""A list to choose from, with a box that filters it as you type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from typing import ClassVar, Final, Generic, TypeVar

from rich.cells import cell_len
from textual import events, on
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from chartui.core.classes import dataclass
from chartui.core.fuzzy import Vocabulary, spans
from chartui.core.naming import is_whole_id
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.widgets.border import write_on_border
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter import FilterBox, FilterCursor
from chartui.tui.widgets.line_list import Column, LineList
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.text import Words


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice, identified by ``key``.

    ``detail`` is a sentence, shown if there is room; ``note`` a word or two on the right; ``names`` are further names
    that find it.
    """

    key: str
    label: str
    note: str = ""
    detail: str = ""
    names: tuple[str, ...] = ()


C = TypeVar("C", bound=Choice)
Result = TypeVar("Result")


#: With more choices than this, the index is built in the background.
_MANY: Final = 1000


class Ranking(Generic[C]):
    """Choices searched again at every key, even ten thousand of them."""

    def __init__(self, choices: Iterable[C]) -> None:
        self._choices = tuple(choices)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The index of the choices; ids are no words, so they are found by their beginning."""
        rows = self._choices
        return Vocabulary(
            names=[row.label for row in rows],
            codes=[row.names if is_whole_id(row.key) else (row.key, *row.names) for row in rows],
            ids=[row.key for row in rows],
            others=[f"{row.note} {row.detail}" for row in rows],
            named=True,
        )

    def found(self, query: str) -> list[C]:
        """The choices that match every word, best first; equal matches keep their order."""
        words = query.split()
        places = range(len(self._choices))
        return [self._choices[i] for i in (self.vocabulary.ranked(places, words, literal=True) if words else places)]


#: Minimum rows, with room for the message that nothing matches.
_FEWEST_ROWS: Final = 3


class _Choices(LineList[C]):
    """The choices under their group headings, which the cursor skips; ``headings`` are the rows of these."""

    headings: Collection[int] = ()

    def can_stop_at(self, index: int) -> bool:
        return super().can_stop_at(index) and index not in self.headings

    def scroll_to_row(self, index: int) -> None:
        """Show a group's heading along with its first choice."""
        if index - 1 in self.headings:
            super().scroll_to_row(index - 1)
        super().scroll_to_row(index)

    def said_row(self, index: int) -> Iterable[str]:
        return [self.items[index].label] if index in self.headings else super().said_row(index)

    def layout_of(self, item: C, width: int) -> list[tuple[Column[C], int]]:
        """A text may extend over the columns to its right that are empty in its row."""
        found: list[tuple[Column[C], int]] = []
        for column, cells in super().layout_of(item, width):
            if found and not column.text(item):
                before, taken = found[-1]
                found[-1] = (before, taken + 1 + cells)
            else:
                found.append((column, cells))
        return found

    def draw_row(self, index: int, width: int) -> Strip:
        if index not in self.headings:
            return super().draw_row(index, width)
        return Line(width).gap().add(self.items[index].label, self.palette.quiet).strip()


class Picker(Dialog[Result], Generic[C, Result]):
    """A list of choices below a box that filters it; a subclass handles the chosen one.

    ``heading`` names the group of a choice; until the list is filtered, the choices of a group are listed under it.
    In the first column (the label without columns), matching letters are marked.
    """

    DEFAULT_CSS = """
    Picker > Vertical { width: 72; height: 80%; }
    Picker.-detailed > Vertical { width: 120; }
    Picker Input { padding: 0 1; background: $panel; margin: 0 1 1 1; }
    Picker LineList { height: 1fr; padding: 0 0 0 1; background: $surface; }
    Picker Words { margin: 0 1; }
    """

    #: Lines for the sentence about the current choice.
    SENTENCE: ClassVar[int] = 2
    #: What the empty box says.
    HINT: ClassVar[str] = "type to filter"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Choose"),
        Binding("escape", "dismiss(None)", "Cancel"),
        Binding("down", "list('move', 1)", show=False, priority=True),
        Binding("up", "list('move', -1)", show=False, priority=True),
        Binding("pagedown", "list('page', 1)", show=False, priority=True),
        Binding("pageup", "list('page', -1)", show=False, priority=True),
        Binding("home", "list('top')", show=False, priority=True),
        Binding("end", "list('bottom')", show=False, priority=True),
    ]

    def __init__(
        self,
        title: str,
        choices: Sequence[C],
        current: str | None = None,
        *,
        columns: Sequence[Column[C]] = (),
        heading: Callable[[C], str] | None = None,
        empty: str = "No matches. Esc cancels.",
    ) -> None:
        self._detailed = bool(columns) or any(choice.detail for choice in choices)
        super().__init__(title, classes="-detailed" if self._detailed else None)
        self._choices = tuple(choices)
        self._ranking = Ranking(self._choices)
        self._current = current
        self._filter_cursor = FilterCursor(current)
        self._columns = columns
        self._heading = heading
        self._empty = empty
        self._words: Sequence[str] = ()
        self._detail = Words("", role="label")

    def answer(self, choice: C) -> Result:
        """The dialog's result for this choice."""
        raise NotImplementedError

    def content(self) -> Iterable[Widget]:
        self.panel.styles.max_height = self._most_lines()
        yield FilterBox(self.HINT)
        yield _Choices[C](self._all_columns(), key=lambda c: c.key, header=self._titled, empty=self._empty)
        if self._columns:
            self._detail.styles.height = self.SENTENCE
            yield self._detail

    def _most_lines(self) -> int:
        """The height for all choices: a short list leaves the screen below visible, and filtering moves nothing."""
        rows, _ = self._under_headings(self._choices)
        around = 2 + 2 + self._titled + (self.SENTENCE if self._columns else 0)  # border, box, titles, sentence
        return around + max(_FEWEST_ROWS, len(rows) + len(self.offered("")))

    @property
    def _titled(self) -> bool:
        return any(column.title for column in self._columns)

    def _all_columns(self) -> list[Column[C]]:
        mark: Column[C] = Column("", lambda c: GLYPHS.chosen if c.key == self._current else "", 1, role="accent")
        label: Column[C] = Column("", lambda c: c.label, spans=self._matched)
        if self._columns:
            return [mark, replace(self._columns[0], spans=self._matched), *self._columns[1:]]
        if not self._detailed:
            longest = max((cell_len(choice.note) for choice in self._choices), default=0)
            note: Column[C] = Column("", lambda c: c.note, min(24, longest), align="right", role="label", rank=1)
            return [mark, label, note] if longest else [mark, label]
        detail: Column[C] = Column("", lambda c: c.detail, 58, role="label", rank=7)
        return [mark, label, detail, Column("", lambda c: c.note, 10, align="right", role="key")]

    def _matched(self, text: str) -> Sequence[tuple[int, int]]:
        return spans(self._words, text)

    @property
    def _list(self) -> _Choices[C]:
        return self.query_one(_Choices)

    @property
    def whole(self) -> bool:
        """Whether all parts are there: they are removed one by one while the dialog closes."""
        return bool(self.query(FilterBox)) and bool(self.query(_Choices))

    def on_mount(self) -> None:
        self._filter("")
        if len(self._choices) > _MANY:
            self.run_worker(lambda: self._ranking.vocabulary, thread=True)  # ready before the first key

    def leaving(self) -> str:
        """Empty: a filter is easily typed again."""
        return ""

    def offered(self, query: str) -> Sequence[C]:
        """Choices listed above all matches."""
        del query
        return ()

    def best(self, query: str, shown: Sequence[C]) -> C | None:
        """The match that gets the cursor; None for the first of the choices above the matches."""
        del query
        return next(iter(shown), None)

    def counted(self, shown: Sequence[C]) -> str:
        """The number of matches, for the lower border."""
        return f"{len(shown)} of {len(self._choices)}"

    def _filter(self, query: str) -> None:
        self._words = query.split()
        shown, first = self._ranking.found(query), self.offered(query)
        rows, headings = (shown, ()) if query.split() else self._under_headings(shown)
        self._list.headings = {len(first) + heading for heading in headings}
        best = self.best(query, shown) or next(iter(first), None)
        current = self._list.current
        self._filter_cursor = self._filter_cursor.turned(
            current.key if current is not None else None,
            best.key if best is not None else None,
            narrowed=bool(query.split()),
        )
        self._list.show([*first, *rows], keep=self._filter_cursor.wanted)
        write_on_border(self.panel, self.counted(shown))
        self._tell()

    def _under_headings(self, choices: Sequence[C]) -> tuple[Sequence[C], Collection[int]]:
        """The choices under their headings, and the rows of these headings."""
        if self._heading is None:
            return choices, ()
        rows: list[C] = []
        headings = set()
        for group, members in groupby(choices, self._heading):
            found = list(members)
            headings.add(len(rows))
            rows += [replace(found[0], key="", label=group), *found]
        return rows, headings

    def _tell(self) -> None:
        if self._columns:
            current = self._list.current
            self._detail.show(current.detail if current else "", role="label")

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        if self.whole:
            self._list.scroll_to_row(self._list.cursor)

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._tell()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.whole:
            self._filter(event.value)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        current = self._list.current if self.whole else None
        if current is not None:
            self.dismiss(self.answer(current))

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        self._submitted()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Home and End move the caret once a filter is typed."""
        if action == "list" and parameters[0] in ("top", "bottom"):
            return self.whole and not self.query_one(Input).value
        return super().check_action(action, parameters)

    def action_list(self, what: str, *step: int) -> None:
        getattr(self._list, f"action_{what}")(*step)


class Chooser(Picker[C, str | None]):
    """Type to filter, arrows to move, Enter to choose, Escape to cancel."""

    def answer(self, choice: C) -> str | None:
        return choice.key
