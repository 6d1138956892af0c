"""A list to choose from, with a box that filters it as you type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import ClassVar, Final, Generic, TypeVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
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


def matches(query: str, text: str) -> bool:
    """Whether every word of ``query`` occurs in ``text``, ignoring case."""
    folded = text.casefold()
    return all(word in folded for word in query.casefold().split())


#: With more choices than this, the index is built in the background.
_MANY: Final = 1000
#: Marks around the key and the other names of a choice in its searchable text. They are white space, so no word
#: contains them.
_KEY: Final = "\x1e"
_NAME: Final = "\x1f"


class Ranking(Generic[C]):
    """Choices searched again at every key, even ten thousand of them.

    The text of each is folded once. Typing on narrows the previous result, so only that is searched; earlier results
    are kept for deleting characters.
    """

    def __init__(self, choices: Iterable[C]) -> None:
        self._choices = tuple(choices)
        self._texts: Sequence[str] = ()
        self._past: list[tuple[str, Sequence[int]]] = []

    def fold(self) -> None:
        """Fold the searchable texts, once. Safe to call in a thread."""
        if not self._texts:
            self._texts = [_text(choice) for choice in self._choices]

    def found(self, query: str) -> list[C]:
        """The matching choices: exact names first, then names that begin with the text, names that contain it, and the
        rest.

        So typing a whole name finds it even if longer names begin with it. Within a rank the order is kept.
        """
        words = query.casefold().split()
        if not words:
            return list(self._choices)
        self.fold()
        ranks: tuple[list[C], ...] = ([], [], [], [])
        name, texts, choices = " ".join(words), self._texts, self._choices
        label, key, other = f"{name}{_KEY}", f"{_KEY}{name}", f"{_NAME}{name}{_NAME}"
        for index in self._left(query, words):
            text = texts[index]
            if text.startswith(name) or key in text:
                exactly = text.startswith(label) or f"{key}{_NAME}" in text or other in text
                rank = 0 if exactly else 1
            elif other in text:
                rank = 0
            else:
                end = text.index(_KEY)
                rank = 2 if all(text.find(word) < end for word in words) else 3
            ranks[rank].append(choices[index])
        return [choice for rank in ranks for choice in rank]

    def _left(self, query: str, words: Sequence[str]) -> Sequence[int]:
        while self._past and not query.startswith(self._past[-1][0]):
            self._past.pop()
        if self._past and self._past[-1][0] == query:
            return self._past[-1][1]
        texts, left = self._texts, self._past[-1][1] if self._past else range(len(self._texts))
        for word in words:
            left = [index for index in left if word in texts[index]]
        self._past.append((query, left))
        return left


def _text(choice: Choice) -> str:
    names = "".join(f"{name}{_NAME}" for name in choice.names) if choice.names else ""
    return f"{choice.label}{_KEY}{choice.key}{_NAME}{names}{choice.note} {choice.detail}".casefold()


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

    def draw_row(self, index: int, width: int) -> Strip:
        if index not in self.headings:
            return super().draw_row(index, width)
        return Line(width).gap().add(self.items[index].label, self.palette.quiet).strip()


class Picker(Dialog[Result], Generic[C, Result]):
    """A list of choices below a box that filters it; a subclass handles the chosen one.

    ``heading`` names the group of a choice. Groups have headings until the list is filtered.
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
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Choose"),
        Binding("escape", "dismiss(None)", "Cancel"),
        Binding("down", "list('move', 1)", show=False, priority=True),
        Binding("up", "list('move', -1)", show=False, priority=True),
        Binding("pagedown", "list('page', 1)", show=False, priority=True),
        Binding("pageup", "list('page', -1)", show=False, priority=True),
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
        self._detail = Words("", role="label")

    def answer(self, choice: C) -> Result:
        """The dialog's result for this choice."""
        raise NotImplementedError

    def content(self) -> Iterable[Widget]:
        self.panel.styles.max_height = self._most_lines()
        yield FilterBox("type to filter")
        yield _Choices[C](self._all_columns(), key=lambda c: c.key, header=bool(self._columns), empty=self._empty)
        if self._columns:
            self._detail.styles.height = self.SENTENCE
            yield self._detail

    def _most_lines(self) -> int:
        """The height for all choices: a short list leaves the screen below visible, and filtering moves nothing."""
        rows, _ = self._under_headings(self._choices)
        around = 2 + 2 + (1 + self.SENTENCE if self._columns else 0)  # border, box, and the titles with the sentence
        return around + max(_FEWEST_ROWS, len(rows) + len(self.offered("")))

    def _all_columns(self) -> list[Column[C]]:
        mark: Column[C] = Column("", lambda c: GLYPHS.chosen if c.key == self._current else "", 1, role="accent")
        label: Column[C] = Column("", lambda c: c.label)
        if self._columns:
            return [mark, *self._columns]
        if not self._detailed:
            return [mark, label, Column("", lambda c: c.note, 24, align="right", role="label", rank=1)]
        detail: Column[C] = Column("", lambda c: c.detail, 58, role="label", rank=7)
        return [mark, label, detail, Column("", lambda c: c.note, 10, align="right", role="key")]

    @property
    def _list(self) -> _Choices[C]:
        return self.query_one(_Choices)

    def on_mount(self) -> None:
        self._filter("")
        if len(self._choices) > _MANY:
            self.run_worker(self._ranking.fold, thread=True)  # ready before the first key

    def offered(self, query: str) -> Sequence[C]:
        """Choices listed above all matches."""
        del query
        return ()

    def _filter(self, query: str) -> None:
        shown, first = self._ranking.found(query), self.offered(query)
        rows, headings = (shown, ()) if query.split() else self._under_headings(shown)
        self._list.headings = {len(first) + heading for heading in headings}
        best = next(iter((*shown, *first)), None)
        current = self._list.current
        self._filter_cursor = self._filter_cursor.turned(
            current.key if current is not None else None,
            best.key if best is not None else None,
            narrowed=bool(query.split()),
        )
        self._list.show([*first, *rows], keep=self._filter_cursor.wanted)
        self.panel.border_subtitle = Content(f"{len(shown)} of {len(self._choices)}")
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
        self._list.scroll_to_row(self._list.cursor)

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._tell()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._filter(event.value)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        current = self._list.current
        if current is not None:
            self.dismiss(self.answer(current))

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        self._submitted()

    def action_list(self, what: str, step: int) -> None:
        (self._list.action_move if what == "move" else self._list.action_page)(step)


class Chooser(Picker[C, str | None]):
    """Type to filter, arrows to move, Enter to choose, Escape to cancel."""

    def answer(self, choice: C) -> str | None:
        return choice.key
