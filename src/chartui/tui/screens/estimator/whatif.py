"""What-if: the current and pinned configurations over a range of a quantity, as a plot.

Below it, in words and numbers, the points where two of them cost the same, and the shares of the cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, Final, Literal, cast

from rich.cells import cell_len
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.classes import dataclass
from chartui.core.estimation.amounts import spoken
from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.estimation.conversation import (
    MOST_TURNS,
    Conversation,
    ConversationCost,
    Conversations,
    conversations,
    turns_sheet,
)
from chartui.core.estimation.prices import Configuration
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
from chartui.core.money import with_money
from chartui.core.typed_numbers import Range
from chartui.tui.axes import Axis
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS, MARKERS
from chartui.tui.lines import Line, bar
from chartui.tui.numbers import credits_text, number_of, share_text, signed_text
from chartui.tui.plots import Mark, Plot, Point, Series
from chartui.tui.screens.estimator.board import View
from chartui.tui.screens.estimator.conversation import (
    FIELDS,
    conversation_plot,
    conversation_rows,
    form_rows,
    stepped_field,
    typed_conversation,
)
from chartui.tui.screens.estimator.facts import (
    NOW,
    ROLES,
    Facts,
    Row,
    Subject,
    cell,
    configuration_rows,
    room_for,
    text_rows,
)
from chartui.tui.screens.estimator.quantities import INPUTS
from chartui.tui.screens.estimator.state import ViewName
from chartui.tui.theme import Palette
from chartui.tui.widgets.form import FormView
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.plot import PlotView

if TYPE_CHECKING:
    from chartui.core.profiles import Profile
    from chartui.core.sheet import Sheet
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.estimator.study import Study

#: Notes: without pins, and with pins that have other quantities.
ALONE: Final = "Pinned configurations appear here with their break-even points."
ASSUMED: Final = "Pinned configurations use the current quantities."
#: Most break-even points with a vertical line.
MARKED: Final = 3
#: Fewest cells for a readable bar.
BAR: Final = 6
#: What is plotted against: a quantity, or the turns of a conversation.
Plotted = Quantity | Literal["turns"]
PLOTTED: Final[tuple[Plotted, ...]] = (*QUANTITY_NAMES, "turns")
#: Steps of the range's end: 10, 20, 50, 100 and so on.
STEPS: Final = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class WhatIfSettings:
    """What is plotted against, the end of the quantity's range if you chose one, and the conversation as typed."""

    quantity: Plotted = "input_tokens"
    end: Decimal | None = None
    turns: str = ""
    user_tokens: str = ""
    reply_tokens: str = ""
    history: str = ""

    @property
    def typed(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in FIELDS}

    def put(self, field: str, text: str) -> WhatIfSettings:
        return replace(self, **{field: text})  # type: ignore[arg-type]


# -- the parts --------------------------------------------------------------------------------------------------------


class Quantities(Widget):
    """One line: the quantities and the turns with the current one marked, and the plotted range."""

    DEFAULT_CSS = "Quantities { height: 1; }"

    @dataclass
    class Clicked(Message):
        """A quantity was clicked."""

        quantity: Plotted

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._shown: tuple[Plotted, str] | None = None
        self._ends: list[tuple[int, Plotted]] = []

    def show(self, quantity: Plotted, ranging: str) -> None:
        before, self._shown = self._shown, (quantity, ranging)
        if before != self._shown:
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        """All quantities if they fit, or only the current one."""
        palette, line = Palette.of(self.app.theme_variables), Line(self.size.width)
        if self._shown is None:
            return line.strip(self.rich_style)
        self._ends = []
        present, ranging = self._shown
        tabs = [(name, "Turns" if name == "turns" else INPUTS[name].label) for name in PLOTTED]
        if sum(cell_len(label) + 2 for _, label in tabs) + cell_len(ranging) + 2 > line.width:
            tabs = [tab for tab in tabs if tab[0] == present]
            ranging = ranging if cell_len(tabs[0][1]) + cell_len(ranging) + 4 <= line.width else ""
        for quantity, label in tabs:
            here = quantity == present
            line.add(GLYPHS.chosen if here else " ", palette.accent)
            line.add(label, palette.accent + Style(underline=True) if here else palette.label).gap()
            self._ends.append((line.width - line.left, quantity))
        return line.push_right(cell_len(ranging) + 1).add(ranging, palette.label).strip(self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """The clicked quantity; if only the current one is shown, the next."""
        offset = event.get_content_offset(self)
        clicked = next((quantity for end, quantity in self._ends if offset and offset.x < end), None)
        if clicked is None:
            return
        if len(self._ends) == 1:
            clicked = PLOTTED[(PLOTTED.index(clicked) + 1) % len(PLOTTED)]
        self.post_message(self.Clicked(clicked))


# -- the rows ---------------------------------------------------------------------------------------------------------


def _fact_rows(
    found: WhatIf, made: tuple[Share, ...] | None, note: str, base: str, width: int, study: Study
) -> Iterator[Row]:
    """The configurations, with differences from the one called ``base``; break-even points; shares of the cost."""
    yield from text_rows(
        f"Credits now, at {spoken(found.present)} {WORDS[found.quantity]}{study.basis}", width, role="quiet"
    )
    yield from configuration_rows([(line, line.present) for line in found.lines], found.unpriced, base, width, study)
    yield (), None
    if note:
        yield from text_rows(note, width)
    if len(found.lines) + len(found.unpriced) > 1:
        yield from _crossing_rows(found, width)
    yield (), None
    yield from _share_rows(made, width)


def _crossing_rows(found: WhatIf, width: int) -> Iterator[Row]:
    """The break-even points of the visible lines, and all those of the current configuration."""
    yield from text_rows("Break-even", width, role="quiet")
    drawn = {line.name for line in found.lines[: len(MARKERS)]}
    told = [c for c in _ordered(found) if c.first == NOW or {c.first, c.second} <= drawn]
    for crossing in told:
        yield from text_rows(crossing.text, width, crossing)
    if len(told) < len(found.crossings):
        more = number_of(len(found.crossings) - len(told), "more break-even point")
        yield from text_rows(f"The copied table includes {more}.", width)


def _share_rows(made: tuple[Share, ...] | None, width: int) -> Iterator[Row]:
    yield from text_rows("Credits, share and effect of +10%", width, role="quiet")
    if made is None:
        yield from text_rows("The price is unknown.", width)
        return
    yield from text_rows(dominance(made), width)
    amounts = [credits_text(share.credits) for share in made]
    tenths = [signed_text(share.tenth) if share.quantity else "" for share in made]
    room, more = room_for(amounts), room_for(tenths)
    long = min(40, width - 21 - room - more)
    more = more if long >= 0 else 0
    for share, amount, tenth in zip(made, amounts, tenths, strict=True):
        cells = [cell(INPUTS[share.quantity].label if share.quantity else "Flat", "value", 12), cell(" ", "value")]
        if long >= BAR:
            cells.append(cell(bar(share.share or Decimal(0), long), "credits"))
        cells.append(cell(amount, "value", room, "right"))
        cells.append(cell(share_text(share.share), "label", 6, "right"))
        yield (*cells, cell(tenth, "label", more, "right")), share


# -- the view ---------------------------------------------------------------------------------------------------------


class WhatIfView(View):
    """The quantities as tabs, the numbers of a conversation, the plot, and its explanation in words and numbers."""

    NAME = ViewName.WHAT_IF
    FOCUS = "what-if-facts"
    DEFAULT_CSS = """
    WhatIfView PlotView { height: 6fr; min-height: 8; }
    WhatIfView Facts { height: 5fr; }
    WhatIfView FormView { display: none; height: 4; max-width: 46; }
    WhatIfView.-turns FormView { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for("estimator.what-if.range"),
        Binding("right", "turn(1)", show=False),
        Binding("left", "turn(-1)", show=False),
        *View.BINDINGS,
        Binding("enter", "change", "Change", tooltip="Edits the number or changes the history."),
        Binding("r", "reset", "Reset", tooltip="Restores the default."),
    ]

    USUAL = WhatIfSettings()
    EDITED = "conversation"
    settings: WhatIfSettings

    def __init__(self, settings: object | None = None) -> None:
        known = isinstance(settings, WhatIfSettings) and settings.quantity in PLOTTED
        super().__init__(settings if known else self.USUAL)
        self._study: Study | None = None
        self._found: WhatIf | None = None
        self._shares: tuple[Share, ...] | None = None
        self._conversation: Conversation | None = None
        self._conversations: Conversations | None = None

    def compose(self) -> ComposeResult:
        self._heading = Quantities(id="what-if-quantities")
        self._form = FormView(id="what-if-conversation")
        self._plot = PlotView(id="what-if-plot")
        self._facts = Facts(id=self.FOCUS)
        yield self._heading
        yield self._form
        yield self._plot
        yield self._facts

    def show(self, study: Study) -> None:
        if self._study is None or study.rates.banner != self._study.rates.banner:
            self.show_banner(study)
        self._study = study
        named = _named(study)
        base = named[1 + study.baseline][0] if study.base else ""
        self.set_class(self.settings.quantity == "turns", "-turns")
        if self.settings.quantity == "turns":
            self._show_conversation(study, named, base)
        else:
            self._show_quantity(study, named, base, self.settings.quantity)
        self._draw()

    def _show_quantity(
        self, study: Study, named: list[tuple[str, Configuration]], base: str, quantity: Quantity
    ) -> None:
        found = self._found = what_if(study.pricing, named, quantity, end=self.settings.end)
        made = self._shares = shares(study.pricing, study.configuration)
        note = self._note(study)
        self._heading.show(quantity, f"0 – {spoken(found.end)}")
        self._facts.show(lambda width: _fact_rows(found, made, note, base, width, study))

    def _show_conversation(self, study: Study, named: list[tuple[str, Configuration]], base: str) -> None:
        """Show the conversation as typed; an invalid number keeps the last figures and shows the problem."""
        typed = self.settings.typed
        conversation, problems = typed_conversation(
            typed, study.quantities, study.ends.quantities if study.ends else ()
        )
        conversation = conversation or self._conversation or Conversation.of(study.quantities)
        self._conversation, turns = conversation, conversation.turns
        found = self._conversations = conversations(study.rates.card, [(*one, conversation) for one in named])
        note, problem = self._note(study), next(iter(problems.values()), "")
        self._form.show(form_rows(typed, study.quantities, problems))
        self._heading.show("turns", f"1 – {spoken(turns)}")
        self._facts.show(lambda width: conversation_rows(found, turns, base, note, problem, width, study))

    def _note(self, study: Study) -> str:
        """A note about the pins, or how to pin something."""
        if study.pinned:
            return ASSUMED if any(pinned.quantities != study.quantities for pinned in study.pinned) else ""
        key = cast("ChartuiApp", self.app).keymap.label("pin")
        return f"{key} pins this configuration. {ALONE}" if key else ALONE

    def _draw(self) -> None:
        if self.settings.quantity == "turns":
            if self._study is not None and self._conversations is not None and self._conversation is not None:
                turns, current = self._conversation.turns, self._facts.current
                self._plot.show(conversation_plot(self._conversations, turns, self._study.unit, current))
        elif self._found is not None:
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
        if isinstance(chosen, Straight | ConversationCost) and chosen.name != NOW:
            self.post_message(self.Picked(chosen.configuration._asdict()))
        elif isinstance(chosen, Share) and chosen.quantity is not None:
            self._plot_against(chosen.quantity)

    # -- quantity and range -------------------------------------------------------------------------------------------

    def _set(self, settings: WhatIfSettings) -> None:
        self.settings = settings
        self._redraw()

    def _edit(self, field: str, text: str, *, typing: str = "") -> None:
        self.edit(self.settings.put(field, text), typing=typing)
        self._redraw()

    def _redraw(self) -> None:
        if self._study is not None:
            self.show(self._study)

    def action_turn(self, step: int) -> None:
        if self._form.has_focus:
            self._step_field(step)
        else:
            self._plot_next(step)

    def action_next_quantity(self) -> None:
        if self._form.has_focus:
            self._facts.focus()  # the form is hidden
        self._plot_next(1)

    def _plot_next(self, step: int) -> None:
        self._plot_against(PLOTTED[(PLOTTED.index(self.settings.quantity) + step) % len(PLOTTED)])

    def _plot_against(self, quantity: Plotted) -> None:
        self._set(replace(self.settings, quantity=quantity, end=None))

    def action_stretch(self, step: int) -> None:
        if self._form.has_focus:
            self._step_field(step)
        elif self.settings.quantity == "turns" and self._conversation is not None:
            turns = _stepped(Decimal(self._conversation.turns), step, MOST_TURNS)
            self._set(replace(self.settings, turns=f"{turns:f}"))
        elif self._found is not None:
            self._set(replace(self.settings, end=_stepped(self._found.end, step, MAX_QUANTITY)))

    @on(Quantities.Clicked)
    def _clicked(self, message: Quantities.Clicked) -> None:
        self._plot_against(message.quantity)

    # -- the numbers of a conversation --------------------------------------------------------------------------------

    def action_conversation(self) -> None:
        self._plot_against("turns")
        self.call_after_refresh(self._form.focus)

    @on(FormView.Typed)
    def _typed(self, message: FormView.Typed) -> None:
        message.stop()
        self._edit(message.field, message.text, typing=message.field)

    def _step_field(self, step: int) -> None:
        row = self._form.current
        if row is not None and self._study is not None:
            self._form.stop_typing()
            self._edit(row.id, stepped_field(row.id, self.settings.typed, self._study.quantities, step))

    def action_reset(self) -> None:
        row = self._form.current
        if row is not None:
            self._form.stop_typing()
            self._edit(row.id, "")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Changing and resetting work in the numbers, and only there; loading works outside them."""
        if action in ("change", "reset", "load"):
            return self._form.has_focus is not (action == "load")
        return super().check_action(action, parameters)

    def sheets(self) -> Sequence[Sheet]:
        """The lines or turns, and the lines' break-even points and the shares of the cost."""
        if self._study is None:
            return ()
        notes = (self._study.rates.banner,) if self._study.rates.banner else ()
        if self.settings.quantity == "turns":
            return () if self._conversations is None else (turns_sheet(self._conversations, notes, self._study.price),)
        if self._found is None:
            return ()
        sheets = [with_money(whatif_sheet(self._found, notes), self._study.price, ("current",))]
        if self._found.crossings:
            sheets.append(crossings_sheet(self._found))
        if self._shares is not None:
            sheets.append(shares_sheet(self._shares, NOW))
        return sheets

    def command(self, profile: Profile) -> str:
        """The conversation of the current configuration; empty while a quantity is plotted."""
        if self._study is None or self._conversation is None or self.settings.quantity != "turns":
            return ""
        from chartui.core.reproduce import conversation_command

        study, given = self._study, self._study.given
        if given is not None and self.settings.reply_tokens:  # which replace the length of the reply
            given = {**given, "output_chars": Range.of(Decimal(self._conversation.quantities.output_chars))}
        return conversation_command(
            study.configuration,
            self._conversation,
            profile,
            scenario=study.written.name if study.written is not None else "",
            given=given,
        )


def _stepped(end: Decimal, step: int, most: int) -> Decimal:
    """The next number of 1, 2 or 5 times a power of ten above or below ``end``."""
    power = end.adjusted()
    rounds = [Decimal(part).scaleb(power + more) for more in (-1, 0, 1) for part in STEPS]
    if step > 0:
        return min(next(number for number in rounds if number > end), Decimal(most))
    return max(next(number for number in reversed(rounds) if number < end), Decimal(1))


def _plot(found: WhatIf, current: Subject | None) -> Plot:
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


def _point(found: WhatIf, current: Subject | None) -> Point | None:
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
