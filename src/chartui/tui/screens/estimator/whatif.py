"""What-if: the current and pinned configurations over a range of a quantity, as a plot.

Below it, in words and numbers, the points where two of them cost the same, and the shares of the cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, Final, cast

from rich.cells import cell_len
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.estimation.amounts import spoken
from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.estimation.prices import Configuration, oddities
from chartui.core.estimation.whatif import (
    QUANTITY_NAMES,
    WORDS,
    Crossing,
    Quantity,
    Share,
    Straight,
    WhatIf,
    crossings_sheet,
    dominance,
    shares,
    shares_sheet,
    what_if,
    whatif_sheet,
)
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS, MARKERS
from chartui.tui.lines import Align, Line, bar, wrap_numbers
from chartui.tui.numbers import credits_difference, credits_text, number_of, share_text, signed_text
from chartui.tui.plots import Axis, Mark, Plot, Point, Series
from chartui.tui.screens.estimator.board import View
from chartui.tui.screens.estimator.state import INPUTS, ViewName
from chartui.tui.theme import Palette
from chartui.tui.widgets.line_view import LineView, Stops
from chartui.tui.widgets.plot import PlotView

if TYPE_CHECKING:
    from chartui.core.sheet import Sheet
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.estimator.study import Study

#: The name of the current configuration beside the pins.
NOW: Final = "current"
#: Instead of the difference of the line that the others are compared with.
BASELINE: Final = "baseline"
#: Notes: without pins, with costs billed by a provider, and with pins that have other quantities.
ALONE: Final = "Pinned configurations appear here with their break-even points."
WITHOUT: Final = "Credits exclude what your provider bills."
ASSUMED: Final = "Pins use the current quantities."
#: The palette's style of each line; its marker has the same index.
ROLES: Final = ("accent", "credits", "latency", "staged", "local", "remote", "value", "label")
#: Most break-even points with a vertical line.
MARKED: Final = 3
#: Fewest cells for a marker and a name, and for a readable bar.
NAME: Final = 12
BAR: Final = 6
#: Steps of the range's end: 10, 20, 50, 100 and so on.
STEPS: Final = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class WhatIfSettings:
    """The plotted quantity, and the end of its range if you chose one."""

    quantity: Quantity = "input_tokens"
    end: Decimal | None = None


# -- the parts --------------------------------------------------------------------------------------------------------


class Quantities(Widget):
    """One line: the quantities with the current one marked, and the plotted range."""

    DEFAULT_CSS = "Quantities { height: 1; }"

    @dataclass
    class Clicked(Message):
        """A quantity was clicked."""

        quantity: Quantity

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._found: WhatIf | None = None
        self._ends: list[tuple[int, Quantity]] = []

    def show(self, found: WhatIf) -> None:
        before, self._found = self._found, found
        if before is None or (before.quantity, before.end) != (found.quantity, found.end):
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        """All quantities if they fit, or only the current one."""
        palette, line, found = Palette.of(self.app.theme_variables), Line(self.size.width), self._found
        if found is None:
            return line.strip(self.rich_style)
        self._ends = []
        ranging = f"0 – {spoken(found.end)}"
        tabs = [(quantity, INPUTS[quantity].label) for quantity in QUANTITY_NAMES]
        if sum(cell_len(label) + 2 for _, label in tabs) + cell_len(ranging) + 2 > line.width:
            tabs = [tab for tab in tabs if tab[0] == found.quantity]
            ranging = ranging if cell_len(tabs[0][1]) + cell_len(ranging) + 4 <= line.width else ""
        for quantity, label in tabs:
            here = quantity == found.quantity
            line.add(GLYPHS.chosen if here else " ", palette.accent)
            line.add(label, palette.accent + Style(underline=True) if here else palette.label).gap()
            self._ends.append((line.width - line.left, quantity))
        return line.push_right(cell_len(ranging) + 1).add(ranging, palette.label).strip(self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """The clicked quantity; if only the current one is shown, the next."""
        offset = event.get_content_offset(self)
        clicked = next((quantity for end, quantity in self._ends if offset and offset.x < end), None)
        if clicked is None or self._found is None:
            return
        if len(self._ends) == 1:
            clicked = QUANTITY_NAMES[(QUANTITY_NAMES.index(clicked) + 1) % len(QUANTITY_NAMES)]
        self.post_message(self.Clicked(clicked))


Target = Straight | Crossing | Share | None
#: A text, its palette style, its width (None: as needed) and its alignment.
Cell = tuple[str, str, int | None, Align]
Row = tuple[tuple[Cell, ...], Target]


class Facts(Stops[tuple[Cell, ...], Straight | Crossing | Share]):
    """The plot in words and numbers; the cursor stops at configurations, break-even points and shares."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._found: WhatIf | None = None
        self._shares: tuple[Share, ...] | None = None
        self._note = self._base = ""

    def show(self, found: WhatIf, made: tuple[Share, ...] | None, note: str, base: str) -> None:
        """Draw these lines, with differences relative to the one called ``base``."""
        self._found, self._shares, self._note, self._base = found, made, note, base
        self.lay_out()

    @property
    def current(self) -> Target:
        """The subject of the selected row; None without the focus."""
        return self.at_cursor if self.has_focus else None

    @property
    def first(self) -> Straight | None:
        return next((line for line in self._found.lines if line.name == NOW), None) if self._found else None

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.lay_out()
        self.post_message(self.Moved(self, self.cursor))

    def draw_row(self, index: int, width: int) -> Strip:
        """A row; only those in sight are drawn, since a dozen configurations have dozens of break-even points."""
        line, palette = Line(width).gap(), self.palette
        for text, role, cells, align in self._rows[index][0]:
            line.add(text, getattr(palette, role), width=cells, align=align)
        return line.strip()

    # -- layout -------------------------------------------------------------------------------------------------------

    def lay_out(self) -> None:
        """The configurations, their break-even points, and the shares of the cost; the cursor stays on its subject."""
        found, width, held = self._found, self.room, _key(self.current)
        if found is None or width <= 0:
            return
        self.put([*self._lines(found, width), *self._crossings(found, width), *self._parts(width)])
        if self.has_focus:
            same = (i for i, (_, target) in enumerate(self._rows) if held is not None and _key(target) == held)
            self.move_to(next(same, self.cursor if self.can_stop_at(self.cursor) else 0))

    def _lines(self, found: WhatIf, width: int) -> Iterator[Row]:
        """Every configuration, its current cost, and the difference from the baseline."""
        yield from _text(f"Credits now, at {spoken(found.present)} {WORDS[found.quantity]}", width, role="quiet")
        lines, base = found.lines, next((line for line in found.lines if line.name == self._base), None)
        amounts = [credits_text(line.present) for line in lines]
        apart = [
            ""
            if base is None
            else BASELINE
            if line is base
            else signed_text(credits_difference(line.present, base.present))
            for line in lines
        ]
        room, more = _room(amounts), _room(apart)
        more = more if width - room - more >= NAME else 0
        for number, line in enumerate(lines):
            sign, role = (MARKERS[number], ROLES[number]) if number < len(MARKERS) else (" ", "value")
            name = f"{line.name} {GLYPHS.elsewhere}" if _billed_elsewhere(line) else line.name
            cells = [_cell(sign, role, 2), _cell(name, "value", max(1, width - 4 - room - more))]
            cells.append(_cell(amounts[number], "credits", room, "right"))
            if more:
                cells.append(_cell(apart[number], "label", more, "right"))
            yield tuple(cells), line
        for name in found.unpriced:
            known = _cell(name, "value", max(1, width - 12))
            yield (_cell(GLYPHS.unknown, "warning", 2), known, _cell(" unknown", "warning")), None
        if any(map(_billed_elsewhere, lines)):
            yield from _text(f"{GLYPHS.elsewhere} {WITHOUT}", width)

    def _crossings(self, found: WhatIf, width: int) -> Iterator[Row]:
        """The break-even points of the visible lines, and all those of the current configuration."""
        yield (), None
        if self._note:
            yield from _text(self._note, width)
        if len(found.lines) + len(found.unpriced) < 2:
            return
        yield from _text("Break-even", width, role="quiet")
        drawn = {line.name for line in found.lines[: len(MARKERS)]}
        told = [c for c in _ordered(found) if c.first == NOW or {c.first, c.second} <= drawn]
        for crossing in told:
            yield from _text(crossing.text, width, crossing)
        if len(told) < len(found.crossings):
            more = number_of(len(found.crossings) - len(told), "more break-even point")
            yield from _text(f"Copying includes {more}.", width)

    def _parts(self, width: int) -> Iterator[Row]:
        yield (), None
        yield from _text("Credits, share and effect of 10 % more", width, role="quiet")
        if self._shares is None:
            yield from _text("The price is unknown.", width)
            return
        yield from _text(dominance(self._shares), width)
        amounts = [credits_text(share.credits) for share in self._shares]
        tenths = [signed_text(share.tenth) if share.quantity else "" for share in self._shares]
        room, more = _room(amounts), _room(tenths)
        long = min(40, width - 21 - room - more)
        more = more if long >= 0 else 0
        for share, amount, tenth in zip(self._shares, amounts, tenths, strict=True):
            cells = [
                _cell(INPUTS[share.quantity].label if share.quantity else "Flat", "value", 12),
                _cell(" ", "value"),
            ]
            if long >= BAR:
                cells.append(_cell(bar(share.share or Decimal(0), long), "credits"))
            cells.append(_cell(amount, "value", room, "right"))
            cells.append(_cell(share_text(share.share), "label", 6, "right"))
            yield (*cells, _cell(tenth, "label", more, "right")), share


def _cell(text: str, role: str, width: int | None = None, align: Align = "left") -> Cell:
    return text, role, width, align


def _text(text: str, width: int, target: Target = None, *, role: str = "value") -> Iterator[Row]:
    """A sentence, wrapped; the cursor stops at its first line."""
    for number, part in enumerate(wrap_numbers(text, max(10, width - 2))):
        yield (_cell(part, role),), target if number == 0 else None


def _key(target: Target) -> tuple[object, ...] | None:
    """The subject of a row, whatever its figures are."""
    if isinstance(target, Straight):
        return (target.name,)
    if isinstance(target, Crossing):
        return target.first, target.second
    return None if target is None else ("", target.quantity, "")


def _room(texts: Sequence[str]) -> int:
    """The cells of a column and the space before it; none for an empty column."""
    return max((len(text) + 1 for text in texts if text), default=0)


def _billed_elsewhere(line: Straight) -> bool:
    return any(not remark.odd for remark in oddities(line.configuration))


# -- the view ---------------------------------------------------------------------------------------------------------


class WhatIfView(View):
    """The quantities as tabs, the plot, and its explanation in words and numbers."""

    NAME = ViewName.WHAT_IF
    FOCUS = "what-if-facts"
    DEFAULT_CSS = """
    WhatIfView PlotView { height: 6fr; min-height: 8; }
    WhatIfView LineView { height: 5fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for("estimator.what-if.range"),
        Binding("right", "turn(1)", show=False),
        Binding("left", "turn(-1)", show=False),
    ]

    USUAL = WhatIfSettings()
    settings: WhatIfSettings

    def __init__(self, settings: object | None = None) -> None:
        known = isinstance(settings, WhatIfSettings) and settings.quantity in QUANTITY_NAMES
        super().__init__(settings if known else self.USUAL)
        self._study: Study | None = None
        self._found: WhatIf | None = None
        self._shares: tuple[Share, ...] | None = None

    def compose(self) -> ComposeResult:
        self._heading = Quantities(id="what-if-quantities")
        self._plot = PlotView(id="what-if-plot")
        self._facts = Facts(id=self.FOCUS)
        yield self._heading
        yield self._plot
        yield self._facts

    def show(self, study: Study) -> None:
        if self._study is None or study.rates.banner != self._study.rates.banner:
            self.show_banner(study)
        self._study = study
        settings = self.settings
        named = _named(study)
        self._found = what_if(study.pricing, named, settings.quantity, end=settings.end)
        self._shares = shares(study.pricing, study.configuration)
        self._heading.show(self._found)
        base = named[1 + study.baseline][0] if study.base else ""
        self._facts.show(self._found, self._shares, self._note(study), base)
        self._draw()

    def _note(self, study: Study) -> str:
        """A note about the pins, or how to pin something."""
        if study.pinned:
            return ASSUMED if any(pinned.quantities != study.quantities for pinned in study.pinned) else ""
        key = cast("ChartuiApp", self.app).keymap.label("pin")
        return f"{key} pins this configuration. {ALONE}" if key else ALONE

    def _draw(self) -> None:
        if self._found is not None:
            self._plot.show(_plot(self._found, self._facts.current))

    @on(LineView.Moved)
    def _pointed(self, message: LineView.Moved) -> None:
        message.stop()
        self._draw()

    @on(LineView.Chosen)
    def _chosen(self, message: LineView.Chosen) -> None:
        """Load a pinned configuration with the current quantities, as drawn here; for a share, plot its quantity."""
        message.stop()
        chosen = self._facts.current
        if isinstance(chosen, Straight) and chosen is not self._facts.first:
            self.post_message(self.Picked(chosen.configuration._asdict()))
        elif isinstance(chosen, Share) and chosen.quantity is not None:
            self._set(WhatIfSettings(chosen.quantity))

    # -- quantity and range -------------------------------------------------------------------------------------------

    def _set(self, settings: WhatIfSettings) -> None:
        self.settings = settings
        if self._study is not None:
            self.show(self._study)

    def action_turn(self, step: int) -> None:
        here = QUANTITY_NAMES.index(self.settings.quantity)
        self._set(WhatIfSettings(QUANTITY_NAMES[(here + step) % len(QUANTITY_NAMES)]))

    def action_next_quantity(self) -> None:
        self.action_turn(1)

    def action_stretch(self, step: int) -> None:
        if self._found is not None:
            self._set(replace(self.settings, end=_stepped(self._found.end, step)))

    @on(Quantities.Clicked)
    def _clicked(self, message: Quantities.Clicked) -> None:
        self._set(WhatIfSettings(message.quantity))

    def sheets(self) -> Sequence[Sheet]:
        """The lines, their break-even points, and the shares of the cost."""
        if self._found is None or self._study is None:
            return ()
        banner = self._study.rates.banner
        sheets = [whatif_sheet(self._found, (banner,) if banner else ())]
        if self._found.crossings:
            sheets.append(crossings_sheet(self._found))
        if self._shares is not None:
            sheets.append(shares_sheet(self._shares, NOW))
        return sheets


def _stepped(end: Decimal, step: int) -> Decimal:
    """The next number of 1, 2 or 5 times a power of ten above or below ``end``."""
    power = end.adjusted()
    rounds = [Decimal(part).scaleb(power + more) for more in (-1, 0, 1) for part in STEPS]
    if step > 0:
        return min(next(number for number in rounds if number > end), Decimal(MAX_QUANTITY))
    return max(next(number for number in reversed(rounds) if number < end), Decimal(1))


def _plot(found: WhatIf, current: Target) -> Plot:
    """The lines with a marker each, the current value, and the break-even points of the current configuration."""
    end = float(found.end)
    series = tuple(
        Series(line.name, ((0.0, float(line.at_zero)), (end, float(line.credits(found.end)))), "line", role, marker)
        for line, role, marker in zip(found.lines, ROLES, MARKERS, strict=False)
    )
    least, most = (edge((y for one in series for _, y in one.points), default=0.0) for edge in (min, max))
    marks = [Mark(float(found.present), f"now {spoken(found.present)}", "value")]
    inside = [crossing for crossing in _ordered(found) if crossing.within and crossing.at is not None]
    marks += [Mark(float(crossing.at or 0), spoken(crossing.at or 0)) for crossing in inside[:MARKED]]
    return Plot(
        series=series,
        x=Axis(WORDS[found.quantity], 0.0, end, "linear"),
        y=Axis("credits", 0.0 if least <= most / 2 else None, scale="linear"),
        cursor=_point(found, current),
        marks=tuple(marks),
        note="The price is unknown.",
    )


def _point(found: WhatIf, current: Target) -> Point | None:
    """The plot's cursor for the selected row."""
    if isinstance(current, Straight) and found.present <= found.end:
        return float(found.present), float(current.credits(found.present))
    if isinstance(current, Crossing) and current.at is not None and current.within:
        line = next(line for line in found.lines if line.name == current.first)
        return float(current.at), float(line.credits(current.at))
    return None


def _ordered(found: WhatIf) -> list[Crossing]:
    """The points by relevance: those of the current configuration first, then those in sight."""
    return sorted(found.crossings, key=lambda crossing: (crossing.first != NOW, not crossing.within))


def _named(study: Study) -> list[tuple[str, Configuration]]:
    """The current and the pinned configurations, each with a different name."""
    named = {NOW: study.configuration}
    for pinned in study.pinned:
        name, number = pinned.name, 2
        while name in named:
            name, number = f"{pinned.name} {number}", number + 1
        named[name] = pinned.configuration
    return list(named.items())
