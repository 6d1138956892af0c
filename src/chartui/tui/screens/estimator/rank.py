"""Every option of a kind under the present inputs, in an order: what the whole would cost and take with it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.strip import Strip

from chartui.core.estimation.prices import Oddity
from chartui.core.estimation.rank import Order, Ranked, rank, rank_sheet
from chartui.core.spec.catalogue import KINDS, Kind, is_beta_key, is_realtime_key
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Align, Line, bar, fit
from chartui.tui.numbers import count, credits_text, signed_text
from chartui.tui.screens.estimator.state import INPUTS, ViewName
from chartui.tui.screens.estimator.view import View
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.phrases import Phrase, Phrases

if TYPE_CHECKING:
    from chartui.core.profiles import Profile
    from chartui.core.sheet import Sheet
    from chartui.tui.screens.estimator.study import Study

__all__ = ["RankSettings", "RankView", "latency_cells", "odd_words", "words"]

TITLES: Final[dict[Kind, str]] = {
    "llm": "Models",
    "stt": "Speech in",
    "tts": "Speech out",
    "animation": "Animation",
}
ORDERS: Final = tuple(Order)
#: From this many cells on there is room for latencies as ranges.
RANGES: Final = 64
#: The fewest cells that say which option it is, the number of cells of a bar from which on it says something.
NAME: Final = 16
BAR: Final = 10
UNKNOWN: Final = "unknown"


class RankSettings(NamedTuple):
    """What is ranked, and by what."""

    kind: Kind = "llm"
    by: Order = Order.CREDITS


def words(entry: Ranked) -> tuple[str, ...]:
    """What is to be known about an option, each in a word or two."""
    found = []
    if entry.credits is None:
        found.append("no price known")
    if entry.realtime:
        found.append("realtime")
    if entry.billed_elsewhere:
        found.append("billed by your provider")
    if entry.kind == "llm" and is_beta_key(entry.key):
        found.append("beta")
    return tuple(found)


def odd_words(entry: Ranked) -> str:
    """Which inputs are accepted and yet odd with an option (decision 4); empty for none."""
    odd = dict.fromkeys(INPUTS[remark.member].label.lower() for remark in entry.remarks if remark.odd)
    return f"odd: {', '.join(odd)}" if odd else ""


def latency_cells(entry: Ranked, *, whole: bool = False) -> str:
    """The latency that counts, that of the slowest (decision 7), in milliseconds; with ``whole`` the fastest too."""
    if entry.latency is None:
        return "–"
    low, high = entry.latency
    return f"{count(low)} – {count(high)}" if whole and low != high else count(high)


@lru_cache(512)  # of the options of a kind, while quantities are typed
def _marks(kind: Kind, key: str, remarks: tuple[Oddity, ...]) -> str:
    """The same as :func:`words`, in a cell each, and whether anything is odd."""
    signs = (
        (kind == "llm" and is_realtime_key(key), GLYPHS.realtime),
        (any(remark.member == kind and not remark.odd for remark in remarks), GLYPHS.elsewhere),
        (kind == "llm" and is_beta_key(key), GLYPHS.beta),
        (any(remark.odd for remark in remarks), GLYPHS.warning),
    )
    return "".join(sign for holds, sign in signs if holds)


class _Row(NamedTuple):
    """An entry in the texts that are drawn; ``share`` is its part in the largest amount, None when unknown."""

    entry: Ranked
    amount: str
    difference: str
    latency: str
    marks: str
    share: Decimal | None


class _Columns(NamedTuple):
    """Cells of each column in a pane; 0 for one that is left out."""

    name: int
    bar: int
    amount: int
    difference: int
    latency: int


NO_COLUMNS: Final = _Columns(0, 0, 0, 0, 0)


class RankList(LineView):
    """The options, one a row, under their titles."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._entries: tuple[Ranked, ...] = ()
        self._rows: list[_Row] = []
        self._columns = NO_COLUMNS
        self._settings = RankSettings()

    def show(self, entries: tuple[Ranked, ...], settings: RankSettings) -> None:
        """Draw a ranking. The cursor stays on its option; where nobody is using it, on the one that is chosen."""
        held = None if self.current is None or settings.kind != self._settings.kind else self.current.key
        other_titles = settings != self._settings
        self._entries, self._settings = entries, settings
        before, columns = self._rows, self._columns
        self._lay_out()
        if len(before) != len(self._rows) or columns != self._columns or other_titles:
            self.rows_changed()
        else:
            self.refresh_changed(before, self._rows)
        wanted = next((i for i, e in enumerate(entries) if (e.key == held if self.has_focus and held else e.chosen)), 0)
        self.move_to(wanted)
        self.scroll_to_row(wanted)

    def width_changed(self) -> None:
        """Fit the columns again."""
        before = self._rows, self._columns
        self._lay_out()
        if before != (self._rows, self._columns):
            self.rows_changed()

    @property
    def current(self) -> Ranked | None:
        """The option with the cursor."""
        return self._entries[self.cursor] if self.cursor < len(self._entries) else None

    @property
    def row_count(self) -> int:
        """One row an option."""
        return len(self._rows)

    @property
    def header_lines(self) -> int:
        """The titles."""
        return 1

    # -- layout -------------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        largest = max((e.credits for e in self._entries if e.credits is not None), default=None)
        # Rows there are before there is a width, so that the cursor can be put on one.
        self._rows = [_row(entry, largest, ranges=width >= RANGES) for entry in self._entries]
        self._columns = _fitted(self._rows, width) if self._rows and width > 0 else NO_COLUMNS

    def draw_header(self, line: int, width: int) -> Strip:  # noqa: ARG002
        """The titles; the one that the order is by bears a mark."""
        columns = self._columns
        row = Line(width).gap()
        self._title(row, Order.NAME, "Name", columns.name + (columns.bar + 1 if columns.bar else 0), "left")
        self._title(row, Order.CREDITS, "credits", columns.amount + 1)
        if columns.difference:
            self._title(
                row, None, "differ." if columns.difference < len("difference") else "difference", columns.difference + 1
            )
        self._title(row, Order.LATENCY, "ms", columns.latency + 1)
        return row.strip()

    def _title(self, row: Line, by: Order | None, title: str, cells: int, align: Align = "right") -> None:
        here = by is self._settings.by
        text = f"{GLYPHS.more}{title}" if here else title
        row.add(text, self.palette.accent if here else self.palette.quiet, width=cells, align=align)

    def draw_row(self, index: int, width: int) -> Strip:
        """One option."""
        row, columns, palette = self._rows[index], self._columns, self.palette
        chosen, marks = row.entry.chosen, f" {row.marks}" if row.marks else ""
        line = Line(width).add(GLYPHS.chosen if chosen else " ", palette.accent)
        name = _squeezed(row.entry.label, columns.name - cell_len(marks)) + marks
        line.add(name, palette.title if chosen else palette.value, width=columns.name)
        if columns.bar:
            line.gap().add(bar(row.share or Decimal(0), columns.bar), palette.credits)
        amount = palette.label if row.share is None else palette.credits
        line.add(row.amount, amount, width=columns.amount + 1, align="right")
        if columns.difference:
            line.add(row.difference, palette.label, width=columns.difference + 1, align="right")
        return line.add(row.latency, palette.latency, width=columns.latency + 1, align="right").strip()


def _row(entry: Ranked, largest: Decimal | None, *, ranges: bool) -> _Row:
    share = None
    if entry.credits is not None:
        share = entry.credits / largest if largest else Decimal(0)
    return _Row(
        entry,
        UNKNOWN if entry.credits is None else credits_text(entry.credits),
        "" if entry.difference is None or entry.chosen else signed_text(entry.difference),
        latency_cells(entry, whole=ranges),
        _marks(entry.kind, entry.key, entry.remarks),
        share,
    )


def _fitted(rows: Sequence[_Row], width: int) -> _Columns:
    """The columns for a width: numbers are whole, names take what is left, and where that is little, differences go."""
    amount = max(7, *(cell_len(row.amount) for row in rows))
    difference = max(7, *(cell_len(row.difference) for row in rows))
    latency = max(4, *(cell_len(row.latency) for row in rows))
    left = width - 1 - (amount + 1) - (latency + 1)
    if left - (difference + 1) < NAME:
        difference = 0
    else:
        left -= difference + 1
    name = min(left, max(NAME, *(cell_len(row.entry.label) + cell_len(row.marks) + 1 for row in rows)))
    room = left - name - 1
    return _Columns(left if room < BAR else name, 0 if room < BAR else room, amount, difference, latency)


def _squeezed(label: str, cells: int) -> str:
    """A label in at most so many cells; what stands behind its last point tells it from others and stays."""
    base, point, level = label.rpartition(" · ")
    room = cells - cell_len(level) - 1
    if cell_len(label) <= cells or not point or room < 4:
        return label if cell_len(label) <= cells else fit(label, cells)
    return f"{fit(base, room).rstrip()}·{level}"


class RankView(View):
    """The ranking, and what the row with the cursor is in full."""

    DEFAULT_CSS = """
    RankView #rank-about { height: 2; }
    """

    NAME: ClassVar[ViewName] = ViewName.RANK
    FOCUS: ClassVar[str] = "ranking"
    settings: RankSettings

    def __init__(self, settings: object | None = None) -> None:
        super().__init__(settings if isinstance(settings, RankSettings) else RankSettings())
        self._study: Study | None = None
        self._entries: tuple[Ranked, ...] = ()
        self._list = RankList(id=self.FOCUS)
        self._about = Phrases(id="rank-about")
        self._said: tuple[str, str] | None = None

    def compose(self) -> ComposeResult:
        """The list, and the lines below it."""
        yield self._list
        yield self._about

    def show(self, study: Study) -> None:
        """Rank under the inputs of a study."""
        self._study, chosen = study, self.settings
        self._entries = rank(study.pricing, study.configuration, chosen.kind, by=chosen.by, discovery=study.discovery)
        self._list.show(self._entries, chosen)
        self._tell()
        said = f"{TITLES[chosen.kind]} by {chosen.by.value}", self.banner(study) or f"{len(self._entries)} options"
        if said != self._said:  # setting it draws the whole border again
            self._said = said
            self.border_title, self.border_subtitle = map(Content, said)

    def _tell(self) -> None:
        entry = self._list.current
        if entry is not None:
            span = f"{latency_cells(entry, whole=True)} ms" if entry.latency else ""
            said = [entry.label, entry.family, span, *words(entry), odd_words(entry)]
            self._about.show([Phrase(text, "quiet") for text in said if text])

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._tell()

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        entry = self._list.current
        if entry is not None:
            self.post_message(self.Picked({entry.kind: entry.key}))

    def action_order(self) -> None:
        """Order by the next thing: credits, latency, name."""
        self._set(self.settings._replace(by=ORDERS[(ORDERS.index(self.settings.by) + 1) % len(ORDERS)]))

    def action_kind(self) -> None:
        """Rank the next kind of options."""
        self._set(self.settings._replace(kind=KINDS[(KINDS.index(self.settings.kind) + 1) % len(KINDS)]))

    def _set(self, settings: RankSettings) -> None:
        self.settings = settings
        if self._study is not None:
            self.show(self._study)

    def sheets(self) -> Sequence[Sheet]:
        """The ranking, in its order."""
        banner = self._study.rates.banner if self._study else ""
        return (rank_sheet(self._entries, (banner,) if banner else ()),)

    def command(self, profile: Profile) -> str:
        """The same ranking on the command line."""
        study, chosen = self._study, self.settings
        if study is None:
            return ""
        from chartui.core.reproduce import rank_command

        return rank_command(study.configuration, study.quantities, profile, kind=chosen.kind, by=chosen.by)
