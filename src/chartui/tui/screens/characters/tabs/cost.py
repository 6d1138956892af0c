"""The cost of the character under the cursor: price or range, its lines, and the source of each value."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from chartui.core.classes import dataclass
from chartui.core.numbers import noun, quantity_text
from chartui.core.session import Session
from chartui.core.spec.catalogue import is_beta_key, option
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import OLD_FIGURES
from chartui.tui.lines import Line, bar, wrap
from chartui.tui.numbers import count, credits_difference, credits_text, latency_text, share_text, signed_text
from chartui.tui.screens.characters.state import CharactersState, Shown, Tab
from chartui.tui.theme import Palette
from chartui.tui.widgets.find import LineFinder
from chartui.tui.widgets.laid_out import Painted
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable, WorkScreen

if TYPE_CHECKING:
    from chartui.core.estimation.character_cost import CharacterCost, Span
    from chartui.core.jsontext import Wire
    from chartui.core.money import Price
    from chartui.core.spec.models.estimation import Estimate
    from chartui.tui.screens.characters.prices import CostDesk

#: From this many cells, there is room for a latency beside every bar.
WIDE: Final = 56
#: Cells of a label, of an amount and of a latency.
LABEL: Final = 13
AMOUNT: Final = 10
LATENCY: Final = 18
_LABELS: Final = {
    "llm": "Model",
    "memory": "Memory",
    "knowledge": "Knowledge",
    "stt": "Speech input",
    "tts": "Speech output",
    "animation": "Animation",
}
#: Painted rows, each with its member.
Rows = list[tuple[Strip, str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostShown:
    """The cost of one character: as stored, and with staged changes if that differs.

    ``scenario`` names the scenario that gives the quantities, and is empty without one; ``kinds`` is the number of its
    kinds of interaction, whose averages are priced. ``asking`` says that newer figures are being requested.
    ``problems`` are those of the user's pricing file.
    """

    character_id: str
    name: str
    now: CharacterCost
    staged: CharacterCost | None = None
    scenario: str = ""
    kinds: int = 0
    asking: bool = False
    problems: tuple[str, ...] = ()

    @property
    def latest(self) -> CharacterCost:
        return self.staged or self.now


def price_words(cost: CharacterCost) -> str:
    """Credits, or their range, as short as possible."""
    if cost.credits is None:
        return "unknown"
    return f"{'at least ' if cost.at_least else ''}{credits_words(cost.credits)}"


def credits_words(span: Span) -> str:
    return " – ".join(dict.fromkeys(map(credits_text, span)))


def latency_words(span: Span | None) -> str:
    """Milliseconds, or a dash if unknown."""
    from chartui.core.spec.models.estimation import LatencyRange

    return latency_text(None if span is None else LatencyRange(min=span.min, max=span.max))


class CostTab(Painted[str]):
    """Requests the cost while it is in sight, and draws it.

    The rows with a cursor are members of the configuration. The computing modules are loaded when the tab is first
    shown.
    """

    @dataclass
    class Costed(Message):
        """The cost was computed, or computing it failed; ``number`` is that of the request."""

        number: int
        cost: CostShown | None
        error: ServiceError | None = None

    def __init__(self) -> None:
        super().__init__(id="cost")
        self._state = CharactersState()
        self._desk: CostDesk | None = None
        self._cost: CostShown | None = None
        self._error: ServiceError | None = None
        self._number = 0
        self._asked_about = ""
        self._painted: CostShown | None = None
        self._note = ""
        self.finder = LineFinder(self, lambda row: self._rows[row][0].text)

    @property
    def _work(self) -> WorkScreen:
        return cast("WorkScreen", self.screen)

    # -- requests -----------------------------------------------------------------------------------------------------

    def forget(self) -> None:
        if self._desk is not None:
            self._desk.remembered.clear()

    def read(self) -> None:
        if self._desk is None:
            self._work.start(self._open_desk, group="desk")
            return
        shown = self._state.settings
        if shown is None:
            return
        self._number += 1
        if self._cost is not None and self._cost.character_id == shown.character_id:
            self._cost = replace(self._cost, asking=True)
        if shown.character_id != self._asked_about:
            self._error = None
        self._asked_about = shown.character_id
        price = partial(self._price, self._desk, self._number, shown, self._state.record)
        self._work.start(price, group="cost", title="Estimating the cost")
        self._show_cost()

    async def _open_desk(self) -> None:
        await asyncio.to_thread(load, self._work.session)
        from chartui.tui.screens.characters.prices import CostDesk

        self._desk = CostDesk(self._work)
        self.read()

    async def _price(self, desk: CostDesk, number: int, shown: Shown, record: Mapping[str, Wire]) -> None:
        try:
            message = self.Costed(number, await desk.cost_of(shown, record))
        except ServiceError as error:
            message = self.Costed(number, None, error)
        self.post_message(message)

    def give_up(self, error: ServiceError) -> None:
        self._take(self.Costed(self._number, None, error))

    def on_cost_tab_costed(self, message: Costed) -> None:
        """Show the cost; the screen then names its scenario."""
        self._take(message)

    def _take(self, message: Costed) -> None:
        if message.number != self._number:
            return
        kept = self._cost if message.cost is None and message.error is not None else message.cost
        if kept is not None and kept.character_id != self._state.shown:
            kept = None
        self._cost = replace(kept, asking=False) if kept is not None else None
        self._error = message.error
        self._show_cost()

    @property
    def scenario_note(self) -> str:
        """The scenario of the visible cost; empty without one."""
        shown = self._painted if self._state.tab is Tab.COST else None
        return f"scenario {single_line(shown.scenario, limit=40)}" if shown is not None and shown.scenario else ""

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_state(self, state: CharactersState) -> None:
        self._state = state
        self._show_cost()

    def _show_cost(self) -> None:
        if self._state.tab is not Tab.COST:
            return
        cost, note = self._cost, self._state.why_nothing
        if cost is not None and cost.character_id != self._state.current_id:
            cost = None
        if self._error is not None:
            kept = f" {OLD_FIGURES}" if cost is not None else ""
            note = f"{GLYPHS.danger} {self._error.message}{kept}"
        fresh = cost is None or self._painted is None or cost.character_id != self._painted.character_id
        self._painted, self._note = cost, note or ("" if cost is not None else "Estimating the cost…")
        self.lay_out()
        if fresh:
            self.move_to(0)
            self.scroll_to(y=0, animate=False)

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.refresh_row(self.cursor)

    def lay_out(self) -> None:
        """Draw everything; the cursor stays on its member."""
        if self.room <= 0:
            return
        app, held = self._work.workbench, self.at_cursor
        painter = _Painter(self.palette, self.room, app.keymap.label, app.config.price)
        self.put(list(painter.rows(self._painted, self._note)))
        self.finder.find()
        if held is None or self.at_cursor != held:
            self.move_to(next((i for i, (_, member) in enumerate(self._rows) if held and member == held), 0))

    def can_stop_at(self, index: int) -> bool:
        """During a search, also lines that match."""
        return super().can_stop_at(index) or index in self.finder.hits

    @property
    def header_lines(self) -> int:
        return self.finder.header_lines

    def draw_header(self, line: int, width: int) -> Strip:  # noqa: ARG002
        return self.finder.draw_header(width)

    @property
    def shows_cursor(self) -> bool:
        return super().shows_cursor or bool(self.finder.hits)

    # -- commands ----------------------------------------------------------------------------------------------------

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        member = self.at_cursor
        if member is not None and self._desk is not None:
            self.do({"llm": "pin_model", "tts": "name_voice"}.get(member, "open_in_estimator"))

    def do(self, command: str) -> None:
        """Perform a command on the visible cost; without one, say so."""
        app = self._work.workbench
        if self._desk is not None and self._is_shown and self._cost is not None:
            self._work.start(partial(getattr(self._desk, command), self._cost, self.read), group="pin")
        else:
            key = app.keymap.label("show-cost")
            app.tell(f"Open the Cost tab first (press {key})." if key else "Open the Cost tab first.")

    @property
    def _is_shown(self) -> bool:
        state = self._state
        return self._cost is not None and state.tab is Tab.COST and self._cost.character_id == state.current_id

    def copies(self) -> Sequence[Copyable]:
        if self._desk is None or self._cost is None or not self._is_shown:
            return ()
        return self._desk.copies(self._cost)


def load(session: Session) -> None:
    """Import the pricing modules and read the rates: half a second that would block the keys."""
    for module in ("core.estimation.estimator", "tui.screens.estimator.screen", "tui.screens.characters.prices"):
        import_module(f"chartui.{module}")
    with suppress(ServiceError):  # reported when a price is requested
        session.rates.get()


def _marked(label: str, key: str | bool | None) -> str:
    """The label of a model, with the sign of a beta."""
    return f"{label} {GLYPHS.beta}" if isinstance(key, str) and is_beta_key(key) else label


class _Painter:
    """Draws the rows of a cost in so many cells; ``key`` gives the shortcut of a command, ``price`` that of credits."""

    def __init__(self, palette: Palette, width: int, key: Callable[[str], str], price: Price | None) -> None:
        self._palette = palette
        self._width = width
        self._key = key
        self._price = price

    def rows(self, shown: CostShown | None, note: str) -> Iterator[tuple[Strip, str | None]]:
        palette = self._palette
        if note:
            yield from self._text(note, palette.warning if shown is not None else palette.label)
            yield self._blank()
        if shown is None:
            return
        for problem in shown.problems:
            yield from self._text(f"{GLYPHS.warning} {problem}", palette.warning)
        if shown.staged is not None:
            yield from self._difference(shown.now, shown.staged)
        yield from self._head(shown.latest, asking=shown.asking)
        yield from self._quantities(shown.latest, shown.kinds)
        from chartui.core.estimation.character_cost import ends_text, money_text

        if ends := ends_text(shown.latest):
            yield from self._text(ends, palette.label)
        if self._price is not None and shown.latest.credits is not None:
            yield from self._text(money_text(shown.latest, self._price), palette.label)
        yield self._blank()
        exact = shown.latest.exact
        if exact is not None:
            yield from self._lines(exact)
            yield self._blank()
        elif shown.latest.priced:
            yield from self._candidates(shown.latest)
            yield self._blank()
            yield from self._stages(shown.latest)
        if shown.latest.doubt:
            yield from self._text(f"{GLYPHS.warning} {shown.latest.doubt}", palette.warning)
            yield self._blank()
        yield from self._members(shown.latest)
        yield self._blank()
        yield from self._foot(shown.latest)

    # -- the price ----------------------------------------------------------------------------------------------------

    def _head(self, cost: CharacterCost, *, asking: bool) -> Iterator[tuple[Strip, str | None]]:
        palette = self._palette
        waiting = f" {GLYPHS.busy}" if asking else ""
        line = Line(self._width).gap()
        if cost.credits is None:
            line.add(f"{GLYPHS.unknown} Unknown", palette.warning + Style(bold=True)).add(waiting, palette.label)
            yield line.strip(), None
            yield from self._text(cost.unknown, palette.value)
            if cost.mapped.candidates:
                yield from self._text(
                    f"{self._key('pin-price')} chooses the model to use for the price.", palette.label
                )
            return
        figure = (palette.quiet if asking else palette.credits) + Style(bold=True)
        line.add(price_words(cost), figure).gap().add(f"credits per interaction{waiting}", palette.label)
        yield line.strip(), None
        line = Line(self._width).gap().add(latency_words(cost.latency), palette.latency).gap()
        yield line.add("end to end", palette.label).strip(), None
        if cost.mapped.decides:
            pin = f" {self._key('pin-price')} chooses the model." if cost.mapped.candidates else ""
            yield from self._text(f"{GLYPHS.warning} The price depends on {cost.mapped.decides}.{pin}", palette.warning)

    def _quantities(self, cost: CharacterCost, kinds: int) -> Iterator[tuple[Strip, str | None]]:
        """The origin of the inputs, and the size of the priced interaction."""
        if cost.cheapest is not None and (given := cost.cheapest.assumptions) is not None:
            said_below = cost.tokens is not None and kinds == 1
            amounts = (
                (None if said_below else given.input_tokens, "input token"),
                (given.output_chars, "output character"),
            )
            seconds = ((given.stt_seconds, "s of user speech"), (given.tts_seconds, "s of spoken reply"))
            texts = [f"{quantity_text(amount)} {noun(word, amount)}" for amount, word in amounts if amount is not None]
            texts += (f"{quantity_text(amount)} {unit}" for amount, unit in seconds if amount is not None)
            told = ", ".join(texts)
            averages = f", averages of {kinds} kinds of interaction" if kinds > 1 else ""
            yield from self._text(f"{cost.inputs}{averages}: {told}", self._palette.label)
            if cost.tokens is not None:
                style = self._palette.warning if cost.at_least else self._palette.label
                yield from self._text(cost.tokens.told(), style)

    def _difference(self, now: CharacterCost, staged: CharacterCost) -> Iterator[tuple[Strip, str | None]]:
        """The stored price and the one with staged changes."""
        palette = self._palette
        credits_ = f"{price_words(now)} → {price_words(staged)} credits"
        if now.exact is not None and staged.exact is not None:
            before_ = now.exact.known_credits
            after_ = staged.exact.known_credits
            share = f", {_signed_share((after_ - before_) / before_)}" if before_ else ""
            credits_ += f" ({signed_text(credits_difference(after_, before_))}{share})"
        yield from self._text(f"{GLYPHS.staged} Not applied yet: {credits_}", palette.staged)
        before, after = now.latency, staged.latency
        if before is not None and after is not None:
            changes = " to ".join(dict.fromkeys(signed_text(int(a - b)) for a, b in zip(after, before, strict=True)))
            text = f"{latency_words(before)} → {latency_words(after)} ({changes} ms)"
            yield from self._text(f"  {text}", palette.staged)
        yield self._blank()

    def _lines(self, estimate: Estimate) -> Iterator[tuple[Strip, str | None]]:
        palette, most = self._palette, max((line.credits for line in estimate.lines), default=Decimal(0))
        for line in estimate.lines:
            row = self._bar(line.label or line.key, line.credits, most, room=7)
            row.add(share_text(estimate.share(line)), palette.label, width=7, align="right")
            if self._width >= WIDE:
                row.add(latency_text(line.latency), palette.latency, width=LATENCY, align="right")
            yield row.strip(), None

    def _candidates(self, cost: CharacterCost) -> Iterator[tuple[Strip, str | None]]:
        """The possible models, each with its price."""
        palette, most = self._palette, max((e.known_credits for e in cost.estimates), default=Decimal(0))
        for one in cost.priced:
            found = option("llm", one.llm or "")
            label = _marked(found.label if found is not None else one.llm or "the service's default", one.llm)
            if one.estimate is None:
                row = Line(self._width).gap().add(label, palette.value, width=2 * LABEL).gap()
                yield row.add("unknown", palette.warning).strip(), None
                yield from self._text(one.problem, palette.warning)
                continue
            row = self._bar(label, one.estimate.known_credits, most, label_width=2 * LABEL)
            if self._width >= WIDE:
                row.add(latency_text(one.estimate.latency_ms), palette.latency, width=LATENCY, align="right")
            yield row.strip(), None

    def _stages(self, cost: CharacterCost) -> Iterator[tuple[Strip, str | None]]:
        """The components of the price, with the range over the possible models."""
        if not (stages := cost.stages):
            return
        palette, most = self._palette, max(stage.credits.max for stage in stages)
        widest = max(len(credits_words(stage.credits)) for stage in stages)
        for label, credits_, latency in stages:
            row = self._bar(label, credits_.max, most, text=credits_words(credits_).rjust(widest))
            if self._width >= WIDE:
                row.add(latency_words(latency), palette.latency, width=LATENCY, align="right")
            yield row.strip(), None
        yield self._blank()

    def _bar(
        self, label: str, amount: Decimal, most: Decimal, *, label_width: int = LABEL, room: int = 0, text: str = ""
    ) -> Line:
        """A label, a bar, and the amount or the ``text`` in its place, which is as long in every row."""
        palette = self._palette
        row = Line(self._width).gap().add(label, palette.value, width=label_width).gap()
        amounts = max(AMOUNT, len(text or credits_text(most)) + 1)
        cells = max(1, row.left - 2 - amounts - room - (LATENCY if self._width >= WIDE else 0))
        row.add(bar(amount / most if most else Decimal(0), cells), palette.credits)
        return row.add(text or credits_text(amount), palette.value, width=amounts, align="right")

    # -- the configuration --------------------------------------------------------------------------------------------

    def _members(self, cost: CharacterCost) -> Iterator[tuple[Strip, str | None]]:
        """Member, value and source; the reason where that does not say it all."""
        from chartui.core.estimation.character_cost import value_words

        palette = self._palette
        for part in cost.mapped.parts:
            origin = part.source.value
            row = Line(self._width).gap().add(_LABELS[part.member], palette.label, width=LABEL).gap()
            mark = f"{GLYPHS.warning} assumed · " if part.assumed else ""
            [key] = part.values if len(part.values) == 1 else [None]
            value = _marked(value_words(cost, part), key if part.member == "llm" else None)
            row.add(value, palette.value, width=max(8, row.left - len(mark) - len(origin) - 2)).gap()
            row.add(mark, palette.warning).add(origin, palette.label)
            yield row.strip(), part.member
            code = cost.mapped.facts.code
            if part.member == "llm" and code and len(part.values) == 1:
                arrow = Line(self._width).gap(LABEL + 2)
                yield arrow.add(f"{code} {GLYPHS.to} {part.values[0]}", palette.label).strip(), None
            why = part.why if part.member == "llm" or part.assumed else ""
            for text in wrap(why, max(10, self._width - LABEL - 3)) if why else ():
                yield Line(self._width).gap(LABEL + 2).add(text, palette.quiet).strip(), None

    def _foot(self, cost: CharacterCost) -> Iterator[tuple[Strip, str | None]]:
        """The rate card."""
        if (estimate := cost.cheapest) is None:
            return
        card = estimate.rate_card
        version = (
            f"Rate card {count(card.version)} ({card.effective_date or 'no date'}). " if card and card.version else ""
        )
        yield from self._text(f"{version}{estimate.disclaimer}", self._palette.quiet)

    def _text(self, text: str, style: Style) -> Iterator[tuple[Strip, str | None]]:
        for line in wrap(text, max(10, self._width - 2)) if text else ():
            yield Line(self._width).gap().add(line, style).strip(), None

    def _blank(self) -> tuple[Strip, str | None]:
        return Line(self._width).strip(), None


def _signed_share(share: Decimal) -> str:
    percent = share * 100
    sign = "+" if percent > 0 else "−" if percent < 0 else "±"
    return f"{sign}{share_text(abs(share))}"
