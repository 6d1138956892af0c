"""The palette: everything that has a name, found with one search and run or shown with Enter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from heapq import nsmallest
from typing import Final

from chartui.core.classes import dataclass
from chartui.core.fuzzy import START, Vocabulary
from chartui.core.text import fold
from chartui.tui.widgets.border import write_on_border
from chartui.tui.widgets.chooser import Choice, Chooser, Ranking
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.line_list import Column

#: Most rows listed: more cannot be read, only narrowed.
_MOST: Final = 200
#: Most entries under “Recently used”.
_RECENT: Final = 5
#: A word whose letters are far apart in a text scores less.
_WEAK: Final = 35
#: What a prefix narrows the search to.
COMMANDS, CHARACTERS, SECTIONS = ">", "@", "#"
_NO_SECTIONS: Final = "No matches in the loaded graphs. To search another graph, open it first. Esc cancels."
#: Words of a question that say nothing about its subject.
_FILLERS: Final = frozenset({
    "a", "an", "and", "are", "can", "do", "does", "for", "how", "i", "in", "is", "it", "me", "my", "of", "on", "or",
    "see", "show", "the", "this", "to", "what", "when", "where", "which", "with",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry(Choice):
    """An entry: ``go`` runs or shows it, ``group`` is its heading, ``disabled`` says why it does not work now.

    ``screen`` is the name of the screen that it goes to, if that is all it does.
    """

    go: Callable[[], object] = lambda: None
    group: str = ""
    disabled: str = ""
    screen: str = ""

    def lead(self, typed: str) -> int:
        """How far the entry precedes better matches: 2 if its screen has the typed name, 1 if it begins with it or the
        title is what was typed, otherwise 0.
        """
        screen = fold(self.screen)
        if screen and screen == typed:
            return 2
        begins = len(typed) >= START and screen.startswith(typed)
        return int(begins or fold(self.label.removesuffix("…")) == typed)


@dataclass(frozen=True)
class Group:
    """Entries of one kind, made when they are shown: there may be ten thousand. ``prefix`` narrows to them."""

    count: int
    entry: Callable[[int], Entry]
    index: Callable[[], Vocabulary]
    prefix: str = ""

    @classmethod
    def of(cls, entries: Sequence[Entry], prefix: str = "") -> Group:
        ranking = Ranking(entries)
        return cls(len(entries), entries.__getitem__, lambda: ranking.vocabulary, prefix)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return self.index()


@dataclass(frozen=True, slots=True)
class Offer:
    """Makes the entry that loads more and then searches it for the query; ``prefix`` narrows to it."""

    entry: Callable[[str], Entry]
    prefix: str


def words_of(query: str) -> list[str]:
    """The words of a query without fillers, unless it has no others."""
    words = query.split()
    return [word for word in words if word.lower().strip("?") not in _FILLERS] or words


class Search(Ranking[Entry]):
    """The search over all groups. Without a query it lists the commands, the last used first.

    ``offers`` load more. They follow the matches, but precede those that only contain the letters far apart.
    """

    def __init__(self, groups: Sequence[Group], *, recent: Sequence[str] = (), offers: Sequence[Offer] = ()) -> None:
        super().__init__(())
        self.groups = list(groups)
        self._recent = {key: place for place, key in enumerate(recent)}
        self._offers = offers
        #: How many entries the last query matches, listed or not.
        self.matches = 0

    def found(self, query: str) -> list[Entry]:
        prefix = query.lstrip()[:1]
        prefix = prefix if prefix in (COMMANDS, CHARACTERS, SECTIONS) else ""
        groups = [group for group in self.groups if prefix in ("", group.prefix)]
        offers = [offer.entry(query.strip()) for offer in self._offers if prefix in ("", offer.prefix)]
        whole = " ".join(query.lstrip()[len(prefix) :].split())
        if words := words_of(whole):
            best, entries = self._ranked(groups, words, whole)
            return [*offers, *entries] if best < _WEAK * len(words) else [*entries, *offers]
        if not prefix:
            groups, offers = [group for group in groups if group.prefix == COMMANDS], []
        self.matches = sum(group.count for group in groups)
        listed = [group.entry(place) for group in groups for place in range(min(group.count, _MOST))]
        return [*(self._last_used(listed) if not prefix else ()), *listed, *offers]

    def _last_used(self, listed: Sequence[Entry]) -> list[Entry]:
        used = sorted((each for each in listed if each.key in self._recent), key=lambda e: self._recent[e.key])
        return [replace(each, group="Recently used") for each in used[:_RECENT]]

    def _ranked(self, groups: Sequence[Group], words: Sequence[str], whole: str) -> tuple[int, list[Entry]]:
        """The best score, and the entries that match every word, or else some: screens and exact titles first, among
        equal ones the last used.
        """
        for every in (True, False):
            hits = [
                (-score, order, place)
                for order, group in enumerate(groups)
                for place, score in group.vocabulary.totals(words, whole=whole, every=every, literal=True).items()
            ]
            if hits:
                break
        self.matches = len(hits)
        best = [(score, groups[order].entry(place)) for score, order, place in nsmallest(_MOST, hits)]
        last, title = len(self._recent), fold(whole)

        def order_of(hit: tuple[int, Entry]) -> tuple[int, int, int]:
            score, entry = hit
            return -entry.lead(title), score, self._recent.get(entry.key, last)

        top = -best[0][0] if best else 0
        return top, [entry for _, entry in sorted(best, key=order_of)]


_COLUMNS: Final[tuple[Column[Entry], ...]] = (
    Column("", lambda e: e.label, role=lambda e: "quiet" if e.disabled else "value", least=28),
    Column("", lambda e: e.disabled or e.detail, 58, role="label", rank=7),
    Column("", lambda e: e.note, 10, align="right", role="key"),
)


class Palette(Chooser[Entry]):
    """The box, the entries found, and a sentence about the selected one."""

    DEFAULT_CSS = "Palette.-detailed > Vertical { width: 120; }"

    def __init__(self, search: Search, text: str = "") -> None:
        super().__init__("Go to anything", search.found(""), columns=_COLUMNS, heading=lambda entry: entry.group)
        self._ranking: Search = search
        self._text = text
        self.chosen: Entry | None = None

    def answer(self, choice: Entry) -> str | None:
        self.chosen = choice
        return choice.key

    def on_mount(self) -> None:
        super().on_mount()
        box = self.query_one(FilterBox)
        box.placeholder = f"{COMMANDS} commands  {CHARACTERS} characters  {SECTIONS} sections"
        box.value = self._text
        self.run_worker(self._prepare, thread=True)

    def _prepare(self) -> None:
        for group in self._ranking.groups:
            _ = group.vocabulary

    def add(self, group: Group) -> None:
        """Search a group that was read meanwhile as well; the cursor stays on an entry that the user has moved to."""
        self._ranking.groups.append(group)
        if self.whole:
            chosen = self.entry if self.entry and self.entry.key != self._filter_cursor.match else None
            self._filter(self.query_one(FilterBox).value)
            if chosen is not None:
                self._list.show(self._list.items, keep=chosen.key)
                self._tell()

    @property
    def entry(self) -> Entry | None:
        """The entry under the cursor."""
        return self._list.current

    def _filter(self, query: str) -> None:
        self._list.show_empty(_NO_SECTIONS if query.lstrip().startswith(SECTIONS) else self._empty)
        super()._filter(query)
        self._words = words_of(query.strip().lstrip(COMMANDS + CHARACTERS + SECTIONS))
        number = self._ranking.matches
        write_on_border(self.panel, f"{number} found" if query.split() else f"{number} commands")

    def _tell(self) -> None:
        entry = self.entry
        self._detail.show(entry.disabled or entry.detail if entry else "", role="label")
