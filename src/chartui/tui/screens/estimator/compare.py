"""The current inputs beside the pinned configurations, line by line, with differences from the baseline."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, Final, cast

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from chartui.core.classes import NamedTuple
from chartui.core.estimation.comparison import Change, Comparison, Held, compare, comparison_sheet, named_pricing
from chartui.core.estimation.comparison import Row as Amounts
from chartui.core.jsontext import Wire
from chartui.core.paths import pinned_folder
from chartui.core.sheet import squeezed_apart
from chartui.core.spec.catalogue import KINDS
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import guide, with_keys
from chartui.tui.lines import Line
from chartui.tui.numbers import count, credits_difference, credits_text, money_text, percent_text, sign_of
from chartui.tui.screens.estimator.board import View
from chartui.tui.screens.estimator.quantities import INPUTS, value_words
from chartui.tui.screens.estimator.result import fitted_name
from chartui.tui.screens.estimator.state import ViewName
from chartui.tui.screens.estimator.study import Pinned, Study
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.phrases import Phrase, Phrases

if TYPE_CHECKING:
    from chartui.core.estimation.rates import Rates
    from chartui.core.profiles import Profile
    from chartui.core.sheet import Sheet
    from chartui.tui.app import ChartuiApp

CURRENT: Final = "current"
UNKNOWN: Final = "unknown"
#: The column of the baseline, where there is one.
BASELINE: Final = 1
#: Cells of the labels: the fewest, and the most, if the columns leave room.
LABEL: Final = 12
MOST_LABEL: Final = 16
#: Fewest cells that distinguish names and options.
TEXT: Final = 6
#: Most spare cells added to a column.
SPARE: Final = 12
_LABELS: Final = {i.member: i.label for i in INPUTS.values()}


class Cell(NamedTuple):
    """A cell: an amount with its difference, or a text, which may be cut."""

    amount: str = ""
    difference: str = ""
    percent: str = ""
    text: str = ""
    more: bool | None = None  # more than the baseline


class TableRow(NamedTuple):
    """A row: its label, and a cell per configuration, none for a heading. ``unit`` is that of its amounts."""

    label: str
    cells: tuple[Cell, ...] = ()
    unit: str = ""
    strong: bool = False


class _Block(NamedTuple):
    """The widths of a configuration's column: amount, difference, percentage; 0 for omitted ones."""

    amount: int
    difference: int
    percent: int

    @property
    def width(self) -> int:
        return sum(cells + 1 for cells in self if cells)


class CompareTable(LineView):
    """Rows of figures with a column per configuration. The cursor is a cell: arrows move it in both directions."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "column(1)", show=False),
        Binding("left", "column(-1)", show=False),
    ]

    column: reactive[int] = reactive(0, repaint=False, init=False)

    class Turned(Message):
        """The cursor moved to another column."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._names: tuple[str, ...] = ()
        self._baseline: int | None = None
        self._rows: tuple[TableRow, ...] = ()
        self._blocks: tuple[_Block, ...] = ()
        self._shown = range(0)
        self._label = LABEL
        #: Spare cells added to each column in sight.
        self._spare: list[int] = []

    def show(self, names: tuple[str, ...], baseline: int | None, rows: tuple[TableRow, ...]) -> None:
        before, blocks, head = self._rows, self._blocks, (self._names, self._baseline)
        held = self._names[self.column] if self._names else ""
        self._names, self._baseline, self._rows = names, baseline, rows
        column = names.index(held) if held in names else min(self.column, len(names) - 1)
        self.set_reactive(CompareTable.column, column)
        self._lay_out()
        if len(before) != len(rows) or blocks != self._blocks or head != (names, baseline):
            self.rows_changed()
        else:
            self.refresh_changed(before, rows)
        self.move_to(self.cursor)

    def width_changed(self) -> None:
        self._lay_out()
        self.rows_changed()

    def watch_column(self) -> None:
        self._lay_out()
        self.refresh()
        self.post_message(self.Turned())

    def action_column(self, step: int) -> None:
        self.column = max(0, min(self.column + step, len(self._names) - 1))

    @property
    def row_count(self) -> int:
        return len(self._rows)

    @property
    def header_lines(self) -> int:
        return 1

    def can_stop_at(self, index: int) -> bool:
        return 0 <= index < len(self._rows) and bool(self._rows[index].cells)

    def name_of(self, column: int) -> str:
        return self._names[column]

    @property
    def at_cursor(self) -> tuple[TableRow, int] | None:
        return (self._rows[self.cursor], self.column) if self.can_stop_at(self.cursor) else None

    # -- layout -------------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        if width <= 0 or not self._names:
            return
        room = width - 1 - LABEL
        self._blocks = _squeezed(tuple(_block(self._rows, i, room) for i in range(len(self._names))), room)
        first = min(self._shown.start, self.column)
        while self.column not in self._fitting(first, room):
            first += 1
        while first and len(self._names) - 1 in self._fitting(first - 1, room):
            first -= 1  # leave no room empty on the right while columns are hidden on the left
        self._shown = self._fitting(first, room)
        left = room - sum(self._blocks[i].width for i in self._shown)
        # Labels grow first, except by what “current” needs.
        needed = sum(max(0, len(CURRENT) + 1 - self._blocks[i].width) for i in self._shown)
        longest = min(MOST_LABEL, max(cell_len(row.label) for row in self._rows if row.cells))
        more = max(0, min(left - needed, longest - LABEL))
        self._label, left = LABEL + more, left - more
        self._spare = [0 for _ in self._shown]
        for _ in range(max(0, left)):
            # The narrowest first: the baseline has no differences, but names as long as the others.
            able = [n for n, spare in enumerate(self._spare) if spare < SPARE]
            if able:
                self._spare[min(able, key=lambda n: self._blocks[self._shown[n]].width + self._spare[n])] += 1

    def _fitting(self, first: int, room: int) -> range:
        """The columns that fit, starting with the first one, which is always included."""
        last = first
        room -= self._blocks[first].width
        while last + 1 < len(self._blocks) and self._blocks[last + 1].width <= room:
            last += 1
            room -= self._blocks[last].width
        return range(first, last + 1)

    def draw_header(self, line: int, width: int) -> Strip:  # noqa: ARG002
        palette = self.palette
        shown = self._shown
        before, after = shown.start, len(self._names) - shown.stop
        row = Line(width).gap().add(_more(before, after) or "credits", palette.quiet, width=self._label)
        for i, name, cells in self._fitted([self._title(i) for i in shown], shown):
            style = palette.accent if i == self.column else palette.title
            row.gap().add(name, style, width=cells, align="right")
        return row.strip()

    def _fitted(self, texts: list[str], able: Collection[int | None]) -> Iterator[tuple[int, str, int]]:
        """The columns in sight with their texts, cut so that they differ, and their cells.

        In the ``able`` columns, a text that is too long takes room that the text to its left does not need.
        """
        widths = [self._blocks[i].width - 1 + spare for i, spare in zip(self._shown, self._spare, strict=True)]
        for right in (n for n in range(len(texts) - 1, 0, -1) if self._shown[n] in able):
            moved = min(cell_len(texts[right]) - widths[right], widths[right - 1] - cell_len(texts[right - 1]))
            widths[right] += max(0, moved)
            widths[right - 1] -= max(0, moved)
        return zip(self._shown, squeezed_apart(texts, widths), widths, strict=True)

    def _title(self, index: int) -> str:
        mark = GLYPHS.chosen if index == self.column and len(self._shown) > 1 else ""
        start = GLYPHS.start if index == self._baseline else ""
        return f"{mark}{start}{single_line(self._names[index], limit=80)}"

    def draw_row(self, index: int, width: int) -> Strip:
        palette, row = self.palette, self._rows[index]
        if not row.cells:
            return Line(width).gap().add(row.label, palette.quiet).strip()
        label = fitted_name(row.label, self._label)
        line = Line(width).gap().add(label, palette.title if row.strong else palette.label, width=self._label)
        texts = [row.cells[i].text for i in self._shown]
        if any(texts):
            for _, text, cells in self._fitted(texts, (self._baseline,)):
                line.gap().add(text, palette.value, width=cells, align="right")
            return line.strip()
        for i, spare in zip(self._shown, self._spare, strict=True):
            self._draw_cell(line.gap(spare), row.cells[i], self._blocks[i], strong=row.strong)
        return line.strip()

    def _draw_cell(self, line: Line, cell: Cell, block: _Block, *, strong: bool) -> None:
        palette = self.palette
        line.gap().add(cell.amount, palette.credits if strong else palette.value, width=block.amount, align="right")
        style = palette.label if cell.more is None else palette.warning if cell.more else palette.local
        if block.difference:
            line.gap().add(cell.difference, style, width=block.difference, align="right")
        if block.percent:
            line.gap().add(cell.percent, palette.label, width=block.percent, align="right")


def _more(before: int, after: int) -> str:
    """The marks for columns out of sight."""
    left = f"← {before}" if before else ""
    return f"{left} {f'{after} →' if after else ''}".strip()


def _block(rows: Sequence[TableRow], index: int, room: int) -> _Block:
    """The widths of a column, wide enough for every figure; the rest is shown below the table."""
    cells = [row.cells[index] for row in rows if row.cells]
    amount = max(TEXT, *(cell_len(cell.amount) for cell in cells))
    block = _Block(
        amount,
        max(0, *(cell_len(cell.difference) for cell in cells)),
        max(0, *(cell_len(cell.percent) for cell in cells)),
    )
    if block.width > room:
        block = block._replace(percent=0)
    return block if block.width <= room else block._replace(difference=0)


def _squeezed(blocks: tuple[_Block, ...], room: int) -> tuple[_Block, ...]:
    """The columns without the percentages or without the differences, if all of them fit only so."""
    for layout in ({}, {"percent": 0}, {"difference": 0}):
        made = tuple(block._replace(**layout) for block in blocks)
        compared = all(
            bool(one.difference or one.percent) is bool(block.difference)
            for one, block in zip(made, blocks, strict=True)
        )
        if compared and sum(block.width for block in made) <= room:
            return made
    return blocks


class CompareView(View):
    """The table, and the full text of the selected cell below it."""

    NAME = ViewName.COMPARE
    FOCUS = "comparison"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("estimator.compare")
    DEFAULT_CSS = """
    CompareView #comparison { height: 1fr; }
    CompareView #compare-about { height: 2; }
    """

    def __init__(self, settings: object | None = None) -> None:
        super().__init__(settings)
        self._table = CompareTable(id=self.FOCUS)
        self._about = Phrases(id="compare-about")
        self._study: Study | None = None
        self._pinned: tuple[Pinned, ...] = ()
        self._comparison: Comparison | None = None
        self._banner: Rates | None = None

    def compose(self) -> ComposeResult:
        yield self._table
        yield self._about

    def show(self, study: Study) -> None:
        self._study = study
        if study.rates is not self._banner:
            self._banner = study.rates
            self.show_banner(study)
        # The baseline comes right after the current inputs, since a narrow window shows only two columns.
        base = study.base
        self._pinned = tuple(sorted(study.pinned, key=lambda one: one is not base))
        named = [named_pricing(CURRENT, study.pricing, study.configuration, study.ends_of(None))]
        named += [
            named_pricing(one.name, study.pricing_of(one), one.configuration, study.ends_of(one))
            for one in self._pinned
        ]
        self._comparison = compare(named, 0 if base is None else BASELINE, study.price)
        self._table.show(
            tuple(one.name for one in named),
            None if base is None else BASELINE,
            tuple(_rows(self._comparison, study)),
        )
        self._tell()

    @property
    def pinned_at_hand(self) -> Pinned | None:
        """The pinned configuration under the cursor; None on the current inputs."""
        position = self._table.column - 1
        return self._pinned[position] if position >= 0 else None

    def go_to(self, name: str) -> None:
        """Move the cursor to a pin."""
        self._table.column = next((i for i, one in enumerate(self._pinned, 1) if one.name == name), 0)

    @on(LineView.Moved)
    @on(CompareTable.Turned)
    def _moved(self, event: Message) -> None:
        event.stop()
        self._tell()

    def _tell(self) -> None:
        study, at = self._study, self._table.at_cursor
        if study is None or at is None:
            return
        if not study.pinned:
            pin, short = "{pin} pins the current inputs for comparison", "{pin} pins these inputs"
            keys = Phrase(with_keys(self.app, pin), "label", with_keys(self.app, short))
            self._about.show([Phrase("No pins yet", "label"), keys])
            return
        row, column = at
        phrases = [Phrase(single_line(self._table.name_of(column), limit=60), "value")]
        phrases += [Phrase("baseline", "accent")] if column == BASELINE else []
        phrases.append(Phrase(row.label, "label"))
        cell = row.cells[column]
        if cell.text:
            phrases.append(Phrase(cell.text, "value"))
        elif cell.amount:
            phrases.append(Phrase(f"{cell.amount} {row.unit}", "credits"))
            changes = " ".join(filter(None, (cell.difference, cell.percent and f"({cell.percent})")))
            phrases += [Phrase(f"{changes} vs. baseline", "label", cell.difference)] if changes else []
        self._about.show(phrases)

    # -- what can be done ---------------------------------------------------------------------------------------------

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        pinned = self.pinned_at_hand
        if pinned is not None and self._study is not None:
            from chartui.tui.screens.estimator.pins import inputs_of

            self.post_message(self.Picked(*inputs_of(pinned, self._study.discovery)))

    def action_drop(self) -> None:
        pinned = self.pinned_at_hand
        if pinned is None:
            self._only_pinned()
        else:
            self.post_message(self.Dropped(pinned.name))

    def action_baseline(self) -> None:
        pinned = self.pinned_at_hand
        if pinned is None:
            self._only_pinned()
        else:
            self.post_message(self.BaselineChosen(pinned.name))

    def _only_pinned(self) -> None:
        if self._study is not None and self._study.pinned:
            text, keys = "These are the current inputs.", "{pin} adds a pin. {key right} and {key left} select a pin."
        else:
            text, keys = "No pins yet.", "{pin} pins the current inputs for comparison."
        cast("ChartuiApp", self.app).tell(guide(self.app, text, keys))

    # -- taking along -------------------------------------------------------------------------------------------------

    def sheets(self) -> Sequence[Sheet]:
        if self._comparison is None or self._study is None:
            return ()
        banner = self._study.rates.banner
        return (comparison_sheet(self._comparison, (banner,) if banner else ()),)

    def command(self, profile: Profile) -> str:
        study = self._study
        if study is None or not self._pinned:
            return ""
        from chartui.core.presets import Presets
        from chartui.core.reproduce import compare_command

        kept = Presets(pinned_folder(cast("ChartuiApp", self.app).session.folder)).all()
        files = {one.preset.name: str(one.path) for one in kept if one.preset}
        return compare_command(
            Selections(**study.configuration._asdict()),
            Assumptions(**{name: Decimal(amount) for name, amount in study.quantities._asdict().items()}),
            [files[one.name] for one in self._pinned if one.name in files],
            profile,
            baseline=self._pinned[0].name,
            scenario="" if study.written is None else study.written.name,
            given=study.given,
        )


def _rows(comparison: Comparison, study: Study) -> Iterator[TableRow]:
    base = comparison.baseline
    for line in comparison.lines:
        yield TableRow(line.label, _amounts(line, base, credits_text), "credits")
    yield TableRow("Total", _amounts(comparison.total, base, credits_text), "credits", strong=True)
    for row in comparison.ends:
        yield TableRow(row.label, _amounts(row, base, credits_text), "credits")
    if comparison.money is not None and study.price is not None:
        currency = study.price.currency
        yield TableRow(f"Cost, {currency}", _amounts(comparison.money, base, money_text), currency)
    least, most = comparison.latency
    yield TableRow("Fastest, ms", _amounts(least, base, _milliseconds), "ms")
    yield TableRow("Slowest, ms", _amounts(most, base, _milliseconds), "ms")
    if any(one.backwards for one in comparison.named):
        cells = (Cell(text=f"{GLYPHS.warning} fastest > slowest" if one.backwards else "") for one in comparison.named)
        yield TableRow("Latencies", tuple(cells))
    if comparison.differing:
        yield TableRow("Different inputs")
    for differing in comparison.differing:
        texts = (_value(study, differing.member, value) for value in differing.values)
        yield TableRow(_LABELS[differing.member], tuple(Cell(text=text) for text in texts))


def _amounts(row: Amounts, base: int, write: Callable[[Decimal], str]) -> tuple[Cell, ...]:
    return tuple(_cell(held, write, against=i != base) for i, held in enumerate(row.cells))


def _cell(held: Held, write: Callable[[Decimal], str], *, against: bool) -> Cell:
    """An amount in words: a dash if absent, marked if unknown; no percentage without an amount."""
    if held.change is Change.ABSENT:
        return Cell()
    amount = "–" if held.change is Change.REMOVED else UNKNOWN if held.amount is None else write(held.amount)
    if not against:
        return Cell(amount)
    if held.difference is None:
        return Cell(amount, "–", "–")
    shown = held.amount or Decimal(0)
    apart = credits_difference(shown, shown - held.difference) if write is credits_text else held.difference
    difference = f"{sign_of(apart)}{write(abs(apart))}"
    percent = "new" if held.percent is None and held.difference else percent_text(held.percent)
    return Cell(amount, difference, percent, more=held.difference > 0 if held.difference else None)


def _milliseconds(amount: Decimal) -> str:
    return count(amount.quantize(Decimal(1)))


def _value(study: Study, member: str, value: Wire) -> str:
    choices = study.discovery.choices[member] if member in KINDS else ()
    return value_words(cast("str | bool | Decimal | int | None", value), choices)
