"""The estimate: the total, its lines as bars, the timeline, unusual combinations, and the interactions a month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from chartui.core.estimation.amounts import SIX_PLACES
from chartui.core.estimation.prices import Remark, as_credits, remarks_on
from chartui.core.estimation.rates import RateSource
from chartui.core.estimation.summary import Stage, stages
from chartui.core.spec.models.estimation import Estimate
from chartui.core.spec.models.estimation import Line as EstimateLine
from chartui.core.text import single_line
from chartui.tui.glyphs import BIG_DIGITS, GLYPHS
from chartui.tui.guides import OLD_FIGURES, retry, with_keys
from chartui.tui.lines import Line, bar, wrap, wrap_numbers
from chartui.tui.numbers import count, credits_text, latency_text, share_text
from chartui.tui.screens.estimator.state import EstimatorState
from chartui.tui.screens.estimator.study import Study, against
from chartui.tui.theme import Palette
from chartui.tui.widgets.border import room_on_border, write_on_border
from chartui.tui.widgets.laid_out import Painted

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Cells of a stage's name and of its milliseconds.
NAME, TIME = 14, 18
NARROW_NAME, NARROW_TIME = 13, 16
_CALLED: Final = {"voice_input": "Speech input", "voice_output": "Speech output", "animation": "Animation"}


def waterfall(stages: Sequence[Stage], width: int, palette: Palette, *, wide: bool) -> list[Strip]:
    """A row for each stage from start to end; the uncertain part is drawn lighter."""
    if not stages:
        return []
    if width < NARROW_NAME + NARROW_TIME + 4:  # no room for bars
        strips = []
        for stage in stages:
            row = Line(width).gap().add(fitted_name(_name(stage), width - 11), palette.value, width=width - 11)
            takes = f"{count(round(stage.takes.max))} ms"
            strips.append(row.add(takes, palette.label, width=9, align="right").strip())
        return strips
    name, time = (NAME, TIME) if wide else (NARROW_NAME, NARROW_TIME)
    cells = max(1, min(80, width - 1 - name - 1 - time - 1))
    strips = []
    for stage, (before, sure, longer) in zip(stages, _places(stages, cells), strict=True):
        row = Line(width).gap().add(_name(stage), palette.value, width=name).gap().gap(before)
        row.add(GLYPHS.sure * sure, palette.latency).add(GLYPHS.longer * longer, palette.latency)
        row.push_right(time + 1).add(latency_text(stage.takes), palette.label, width=time, align="right")
        strips.append(row.strip())
    return strips


def waterfall_line(line: Line, stages: Sequence[Stage], cells: int, palette: Palette) -> None:
    """The stages in one row, in sequence; of parallel stages, the longest."""
    ends = {stage.begins: stage for stage in sorted(stages, key=lambda stage: stage.takes.max)}
    row = sorted(ends.values(), key=lambda stage: stage.begins)
    for stage, (_, sure, longer) in zip(row, _places(row, cells), strict=True):
        size = sure + longer
        name = _name(stage).lower()
        # Where "speech input" does not fit, its last word is shown.
        shown = next((f" {text} " for text in (name, name.rpartition(" ")[2]) if len(text) + 4 <= size), "")
        left = (size - len(shown)) // 2
        line.add(GLYPHS.stage_begin + GLYPHS.stage * (left - 1), palette.latency).add(shown, palette.label)
        line.add(GLYPHS.stage * (size - left - len(shown) - 1) + GLYPHS.stage_end, palette.latency)


def fitted_name(name: str, room: int) -> str:
    """The name, where it does not fit as ``Speech in`` or ``Speech out``."""
    return name if len(name) <= room else name.removesuffix("put")


def _name(stage: Stage) -> str:
    return "Model" if stage.model else _CALLED.get(stage.key, stage.label)


def _places(stages: Sequence[Stage], cells: int) -> list[tuple[int, int, int]]:
    """For each stage, the cells before it, its certain cells and its possible ones; at least two."""
    whole = max((stage.begins + stage.takes.max for stage in stages), default=None)
    places = []
    for stage in stages:
        begin, sure, end = (
            round(cells * at / whole) if whole else 0
            for at in (stage.begins, stage.begins + stage.takes.min, stage.begins + stage.takes.max)
        )
        begin = min(begin, cells - 2)
        end = max(end, begin + 2)
        sure = min(max(sure, begin + 1), end)
        places.append((begin, sure - begin, end - sure))
    return places


#: From this many cells, there is room for large digits, and for latency and detail beside every bar.
WIDE = 56

#: From this many rows, there is room for the parts below the lines, and for details beside wide lines.
HIGH = 18
#: From this many cells, and below that many rows, subscriptions are shown two per row.
PAIRED = 38
#: Longest bar.
LONGEST_BAR = 40
#: Fewest cells for the beginning of the baseline's name.
COMPARED = 9
#: Fewest cells of a line's credits.
AMOUNT_WIDTH = 9

#: Painted rows, each with its line of the estimate.
Rows = list[tuple[Strip, EstimateLine | None]]


class Sized(Message):
    """A panel that can name the tabs in its border was laid out with another size."""


class ResultView(Painted[EstimateLine]):
    """Draws the estimate of a state. The rows with a cursor are the estimate's lines."""

    announces = True

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state: EstimatorState | None = None
        self._study: Study | None = None
        self._loading = ""
        self._laid_out_for: Size | None = None
        self._staged: tuple[object, list[Strip]] | None = None

    def show(self, state: EstimatorState, study: Study | None) -> None:
        if state is not self._state or study is not self._study:
            self._state, self._study = state, study
            self.lay_out()

    def show_loading(self, text: str) -> None:
        """Show that an estimate is under way, unless there is an earlier one."""
        before, self._loading = self._loading, text
        if text != before and (self._state is None or self._state.estimate is None):
            self.lay_out()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        if self._laid_out_for != self.size:
            self.lay_out()
        self.post_message(Sized())

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show the cursor and the detail below the bars only with the focus."""
        super().watch_has_focus(has_focus)
        if has_focus and not self.can_stop_at(self.cursor):
            self.move_to(0)
        self.lay_out()

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self.lay_out()

    # -- layout -------------------------------------------------------------------------------------------------------

    def lay_out(self) -> None:
        state, width = self._state, self.room
        if state is None or width <= 0:
            return
        self._laid_out_for = self.size
        rows: Rows = []
        rows += [(strip, None) for strip in self._trouble(state, width)]
        if not rows and state.estimate is None:
            lines = wrap(self._loading, max(10, width - 2))
            rows += [(Line(width).gap().add(line, self.palette.label).strip(), None) for line in lines]
        if state.estimate is not None:
            rows += self._estimate(state, state.estimate, width)
        self.put(rows)
        write_on_border(self, _card(state.estimate, room_on_border(self)))

    def _trouble(self, state: EstimatorState, width: int) -> list[Strip]:
        """Why the figures do not match the inputs, and what to do; empty if they match."""
        if not state.complete:
            title, said, cure = "Not sent", f"{state.wrong_text}.", ""
        elif state.error is not None and not state.stale:
            # A refused input has to change; other errors may be temporary.
            cure = "" if state.error.member else with_keys(self.app, retry(state.error))
            title, said = "Not estimated", state.error.message
        else:
            return []
        kept = OLD_FIGURES if state.estimate else ""
        strips = [Line(width).gap().add(f"{GLYPHS.danger} {title}", self.palette.danger).strip()]
        for line in wrap_numbers(" ".join(filter(None, (said, kept, cure))), max(10, width - 4)):
            strips.append(Line(width).gap(3).add(line, self.palette.value).strip())
        return [*strips, Line(width).strip()]

    def _estimate(self, state: EstimatorState, estimate: Estimate, width: int) -> Rows:
        high = self.size.height >= HIGH
        rows: Rows = [(s, None) for s in self._total(state, estimate, width)]
        rows += [(s, None) for s in self._between(width)]
        rows += [(s, None) for s in self._drift(state, estimate, width)]
        rows += [(s, None) for s in self._remarks(width)]
        if high:
            rows.append((Line(width).strip(), None))
        largest = max((line.credits for line in estimate.lines), default=Decimal(0))
        amounts = max([AMOUNT_WIDTH, *(len(credits_text(line.credits)) + 1 for line in estimate.lines)])
        for line in estimate.lines:
            rows.append((self._bar(estimate, line, largest, amounts, width), line))
            if width >= WIDE and high:
                rows.append((self._detail(line, width), None))
        rows.append((Line(width).strip(), None))
        rows += [(strip, None) for strip in self._below(state, estimate, width)]
        return rows

    def _between(self, width: int) -> list[Strip]:
        """The least and the most credits if a quantity varies, computed like the other tabs."""
        said = self._study.between(self._study.configuration) if self._study is not None else ""
        if self._study is not None and said and self._study.rates.source is RateSource.REFERENCE:
            said = f"{said} at reference rates"
        lines = wrap_numbers(f"From {said}" if said else "", max(10, width - 2))
        return [Line(width).gap().add(text, self.palette.label).strip() for text in lines if text]

    def _drift(self, state: EstimatorState, estimate: Estimate, width: int) -> list[Strip]:
        """How the service has drifted from the learned rates: for this estimate if it differs, or else elsewhere."""
        study = self._study
        mark = study.rates.drift if study is not None else None
        if study is None or mark is None:
            return []
        from chartui.core.estimation.drift import LineDrift

        ours = study.pricing.credits(study.configuration)
        if ours is not None and estimate.credits is not None and not state.stale and state.error is None:
            of_card = {key: as_credits(micro) for key, micro in study.pricing.lines(study.configuration)}
            lines = tuple(
                LineDrift(line.key, (line.label or line.key).lower(), line.credits, of_card.get(line.key, Decimal(0)))
                for line in estimate.lines
            )
            lines = tuple(line for line in lines if abs(line.service - line.card) > SIX_PLACES)
            mark = replace(mark, service=estimate.credits, card=ours, lines=lines) if lines else mark
        key = cast("ChartuiApp", self.app).keymap.label("learn-rates")
        said = f"{GLYPHS.warning} Learned rates have drifted: {mark.text}." + (f" {key} learns rates." if key else "")
        return [
            Line(width).gap().add(text, self.palette.warning).strip() for text in wrap_numbers(said, max(10, width - 2))
        ]

    def _remarks(self, width: int) -> list[Strip]:
        """The unusual parts of the combination, and the source of estimated input tokens."""
        strips: list[Strip] = []
        remarks = list(remarks_on(self._study.configuration, self._study.rates.card.own)) if self._study else []
        if self._state is not None and (proposal := self._state.proposed) is not None:
            remarks.append(Remark("input_tokens", proposal.tokens.told(proposal.name), unusual=False))
        for remark in remarks:
            style, sign = (
                (self.palette.warning, GLYPHS.warning) if remark.unusual else (self.palette.label, GLYPHS.note)
            )
            lines = wrap(remark.text, max(10, width - 4))
            for number, text in enumerate(lines):
                strips.append(Line(width).gap().add(sign if not number else " ", style).gap().add(text, style).strip())
        return strips

    def _total(self, state: EstimatorState, estimate: Estimate, width: int) -> list[Strip]:
        palette = self.palette
        out_of_date = state.stale or state.error is not None
        figure = palette.quiet if out_of_date else palette.credits
        amount = credits_text(estimate.credits)
        price = self._study.price if self._study is not None and estimate.credits is not None else None
        money = f" · {price.text(estimate.credits)}" if price is not None else ""
        unit, busy = f"credits per interaction{money}", f"  {GLYPHS.busy}" if state.stale and state.complete else ""
        latency = latency_text(estimate.latency_ms)
        big = [BIG_DIGITS.get(c) for c in amount]
        cells = sum(len(rows[0]) + 1 for rows in big if rows)
        compared = against(self._study) if self._study is not None else None
        plain = cast("ChartuiApp", self.app).speech is not None
        if plain or width < WIDE or None in big or cells + 30 > width:
            first = Line(width).gap().add(amount, figure + Style(bold=True)).gap()
            first.add((unit if cell_len(unit + busy) < first.left else f"credits{money}") + busy, palette.label)
            second = Line(width).gap().add(latency, palette.latency).gap()
            second.add("end to end" if len("end to end") < second.left else "", palette.label)
            total = [first.strip(), second.strip()]
            difference = compared.text(width - 1, least=COMPARED) if compared is not None else ""
            for text in wrap_numbers(difference, width - 1) if difference else ():
                total.append(Line(width).gap().add(text, palette.accent).strip())
            return [*total, *self._doubt(estimate, width)]
        strips, high = [], self.size.height >= HIGH
        for number in range(3):
            line = Line(width).gap(2)
            for rows in big:
                line.add((rows or ("", "", ""))[number], figure).gap()
            line.gap(2)
            if number == 0:
                held = compared.texts if compared is not None and not high else ()
                said, beside = _beside((unit, f"credits{money}"), busy, held, line.left)
                line.add(said + busy, palette.label).gap(2).add(beside, palette.accent)
            elif number == 1:
                line.add(latency, palette.latency).add(" end to end", palette.label)
            elif not high:
                waterfall_line(line, stages(estimate), line.left - 1, palette)
            elif compared is not None:
                line.add(compared.text(line.left - 1, least=COMPARED), palette.accent)
            strips.append(line.strip())
        return [*strips, *self._doubt(estimate, width)]

    def _doubt(self, estimate: Estimate, width: int) -> list[Strip]:
        said = f"{GLYPHS.warning} {estimate.doubt}" if estimate.doubt else ""
        return [Line(width).gap().add(text, self.palette.warning).strip() for text in wrap(said, width - 2) if text]

    def _bar(self, estimate: Estimate, line: EstimateLine, largest: Decimal, amounts: int, width: int) -> Strip:
        palette = self.palette
        wide = width >= WIDE
        name = NAME if wide else NARROW_NAME if width >= PAIRED else NARROW_NAME - 1
        row = Line(width).gap().add(fitted_name(line.label or line.key, name), palette.value, width=name).gap()
        amount, share = credits_text(line.credits), share_text(estimate.share(line))
        cells = max(1, min(LONGEST_BAR, row.left - 1 - amounts - 7 - (18 if wide else 0) - 1))
        row.add(bar(line.credits / largest if largest else Decimal(0), cells), palette.credits).gap()
        row.add(amount, palette.value, width=amounts, align="right").add(share, palette.label, width=7, align="right")
        if wide:
            row.add(latency_text(line.latency), palette.latency, width=18, align="right")
        return row.strip()

    def _detail(self, line: EstimateLine, width: int) -> Strip:
        return Line(width).gap(16).add(line.detail, self.palette.quiet).strip()

    def _below(self, state: EstimatorState, estimate: Estimate, width: int) -> list[Strip]:
        palette = self.palette
        under = self.at_cursor if self.has_focus else None
        if under is not None and width < WIDE:
            texts = [f"{under.label or under.key}: {under.detail or 'no details'}"]
            if under.latency is not None:
                texts.append(latency_text(under.latency))
            return [Line(width).gap().add(t, palette.label).strip() for text in texts for t in wrap(text, width - 2)]
        if width >= WIDE and self.size.height < HIGH:
            return self._subscriptions_in_a_row(state, estimate, width)
        strips = self._waterfall(stages(estimate), width)
        if strips and width >= WIDE:
            title = "From the end of the user's speech to the reply"
            strips.insert(0, Line(width).gap().add(title, palette.quiet).strip())
        if strips:
            strips.append(Line(width).strip())
        paid = self._subscriptions(state, estimate, width)
        strips += paid
        if paid:
            strips.append(Line(width).strip())
        strips += [Line(width).gap().add(t, palette.quiet).strip() for t in wrap(estimate.disclaimer, width - 2)]
        return strips

    def _waterfall(self, stages: Sequence[Stage], width: int) -> list[Strip]:
        """The stages drawn below each other; most keys change no latency."""
        made_of = (stages, width, self.palette)
        if self._staged is None or self._staged[0] != made_of:
            self._staged = made_of, waterfall(stages, width, self.palette, wide=width >= WIDE)
        return [*self._staged[1]]

    def _subscriptions_in_a_row(self, state: EstimatorState, estimate: Estimate, width: int) -> list[Strip]:
        """The interactions that each subscription pays for, in a sentence of a line or two."""
        paid = " · ".join(f"{label} {interactions}" for label, interactions in _paid(state, estimate))
        said = f"Interactions a month: {paid}" if paid else ""
        return [Line(width).gap().add(t, self.palette.quiet).strip() for t in wrap_numbers(said, width - 2)]

    def _subscriptions(self, state: EstimatorState, estimate: Estimate, width: int) -> list[Strip]:
        """How many interactions each subscription pays for; two a row if rows are scarce."""
        paid = _paid(state, estimate)
        palette, columns = self.palette, 2 if PAIRED <= width < WIDE else 1
        strips = [Line(width).gap().add("Interactions a month", palette.quiet).strip()] if paid else []
        for start in range(0, len(paid), columns):
            line = Line(width).gap()
            for label, interactions in paid[start : start + columns]:
                cells = min(30, width - 2) if columns == 1 else (width - 3) // 2
                line.add(label, palette.value, width=cells - 1 - len(interactions)).gap()
                line.add(interactions, palette.title).gap()
            strips.append(line.strip())
        return strips


def _beside(units: Sequence[str], busy: str, compared: Sequence[str], room: int) -> tuple[str, str]:
    """The fullest comparison that fits beside the credits, and the longest unit beside it.

    Money, a part of each unit, gives way to the difference but not to the baseline's name or the percentage.
    """
    pairs = [(unit, text) for text in compared for unit in units]
    pairs += [("credits", text) for text in compared[-1:]] + [(unit, "") for unit in units]
    return next((pair for pair in pairs if cell_len(f"{pair[0]}{busy}  {pair[1]}") < room), (units[-1], ""))


def _paid(state: EstimatorState, estimate: Estimate) -> list[tuple[str, str]]:
    """The subscriptions and the interactions each pays for; empty if free or unknown."""
    amount = estimate.credits
    if amount is None or amount <= 0:
        return []
    return [
        (plan.label, count(int(plan.monthly_credits / amount)))
        for plan in state.discovery.subscriptions
        if plan.monthly_credits is not None
    ]


def _card(estimate: Estimate | None, room: int) -> str:
    """The rate card of the figures, with its date if there is room; empty if the service does not say."""
    card = estimate.rate_card if estimate else None
    if card is None or card.version is None:
        return ""
    version = f"rate card {count(card.version)}"
    said = single_line(f"{version} ({card.effective_date or 'no date'})", limit=40)
    return said if cell_len(said) <= room else version
