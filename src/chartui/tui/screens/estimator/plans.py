"""Plans and volume: how much the characters are used, what a month of that costs, and which plan pays for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.strip import Strip

from chartui.core.estimation.amounts import EXACT, spoken
from chartui.core.estimation.budget import DAYS, Budget, PlanFit, Usage, plan_month, plans_of, plans_sheet
from chartui.core.estimation.prices import oddities
from chartui.core.jsontext import canonical
from chartui.core.typed_numbers import typed_number
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, bar, wrap, wrap_numbers
from chartui.tui.numbers import count, credits_text, share_text
from chartui.tui.screens.estimator.board import View
from chartui.tui.screens.estimator.state import ViewName, parse_quantity
from chartui.tui.widgets.form import FieldKind, FieldRow, FormView
from chartui.tui.widgets.line_view import LineView, Painted

if TYPE_CHECKING:
    from chartui.core.sheet import Sheet
    from chartui.tui.screens.estimator.study import Study

USERS: Final = Decimal(100)
INTERACTIONS: Final = Decimal(10)
#: What a press of a step key adds, where it is not 1.
STEPS: Final = {"users": 10}
#: From this many cells on there is room for what is left and what a thousand interactions cost, and then for all.
WIDE: Final = 60
FULL: Final = 100
#: The fewest cells of a bar that says something.
BAR: Final = 4
#: A part of more than this is far too much, however much more.
FAR: Final = Decimal(10)
_TENTH: Final = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class PlansSettings:
    """What was typed of the use; what is empty takes its default. Minutes take the place of interactions."""

    users: str = ""
    interactions: str = ""
    minutes: str = ""
    days: str = ""

    def typed(self, field: str, text: str) -> PlansSettings:
        """With another text; interactions and minutes say the same in two ways, so that one of them is enough."""
        other = {"interactions": "minutes", "minutes": "interactions"}.get(field)
        return replace(self, **{field: text}, **({other: ""} if other and text else {}))

    def usage(self) -> Usage:
        """The use; raises ``ValueError`` for what is no number."""
        users, interactions, minutes, days = (
            parse_quantity(text) for text in (self.users, self.interactions, self.minutes, self.days)
        )
        return Usage(
            users=USERS if users is None else users,
            interactions=None if minutes is not None else INTERACTIONS if interactions is None else interactions,
            minutes=minutes,
            days=DAYS if days is None else days,
        )


class PlansView(View):
    """A small form for the use, what a month of it costs, and the plans."""

    NAME = ViewName.PLANS
    FOCUS = "usage"
    DEFAULT_CSS = """
    PlansView #usage { height: 4; max-width: 42; }
    PlansView #plans { height: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,plus,equals_sign", "step(1)", show=False),
        Binding("left,minus", "step(-1)", show=False),
        Binding("r", "reset", show=False),
    ]

    settings: PlansSettings

    def __init__(self, settings: object | None = None) -> None:
        super().__init__(settings if isinstance(settings, PlansSettings) else PlansSettings())
        self._study: Study | None = None
        self._budget: Budget | None = None

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        self._form = FormView(id="usage")
        self._list = PlanList(id="plans")
        yield self._form
        yield self._list

    def show(self, study: Study) -> None:
        """Say what a month costs under these inputs; a use that cannot be leaves the last figures, and says why."""
        if self._study is None or study.rates.banner != self._study.rates.banner:
            self.show_banner(study)
        self._study = study
        problems: dict[str, str] = {}
        try:
            usage = self.settings.usage()
        except ValueError:
            problems = {name: said for name, text in _texts(self.settings).items() if (said := _fault(text))}
        else:
            problem = usage.problem()
            if problem is None:
                plans = plans_of(study.discovery, study.rates)
                each = study.pricing.credits(study.configuration)
                found = plan_month(each, study.quantities, usage, plans)
                remarks = (remark.text for remark in oddities(study.configuration) if not remark.odd)
                self._budget = found._replace(notes=(*remarks, *found.notes))
            else:
                problems = {problem.member: problem.text}
        self._form.show(_rows(self.settings, study, problems))
        if self._budget is not None:
            self._list.show(self._budget, next(iter(problems.values()), ""))

    @on(FormView.Typed)
    def _typed(self, message: FormView.Typed) -> None:
        message.stop()
        self._type(message.field, message.text)

    @on(LineView.Moved)
    def _moved(self, message: LineView.Moved) -> None:
        message.stop()

    def _type(self, field: str, text: str) -> None:
        if self._study is not None and getattr(self.settings, field) != text:
            self.settings = self.settings.typed(field, text)
            self.show(self._study)

    def action_step(self, step: int) -> None:
        """A step more or less of the number with the cursor."""
        row = self._form.current
        if row is None or not self._form.has_focus:
            return
        shown = row.text or row.default
        present = Decimal(0) if _fault(shown) else parse_quantity(shown) or Decimal(0)
        least = 1 if row.id == "days" else 0
        self._form.stop_typing()
        self._type(row.id, canonical(max(Decimal(least), present + step * STEPS.get(row.id, 1))))

    def action_reset(self) -> None:
        """The number with the cursor back to its default."""
        if self._form.current is not None:
            self._form.stop_typing()
            self._type(self._form.current.id, "")

    def action_volume(self) -> None:
        """Go to the numbers of the use."""
        self._form.focus()

    def sheets(self) -> Sequence[Sheet]:
        """The plans, under the use that they are held against."""
        if self._budget is None or self._study is None:
            return ()
        sheet, banner = plans_sheet(self._budget), self._study.rates.banner
        return (sheet._replace(notes=(*sheet.notes, banner)) if banner else sheet,)


def _texts(settings: PlansSettings) -> dict[str, str]:
    return {name: getattr(settings, name) for name in ("users", "interactions", "minutes", "days")}


def _fault(text: str) -> str:
    """Why a text is no number; empty when it is one, or nothing."""
    try:
        parse_quantity(text)
    except ValueError as error:
        return f"{error}."
    return ""


def _rows(settings: PlansSettings, study: Study, problems: Mapping[str, str]) -> list[FieldRow]:
    """The form's rows; interactions and minutes show each what the other comes to."""
    interactions, minutes = f"{INTERACTIONS}", ""
    seconds = EXACT.add(Decimal(study.quantities.stt_seconds), Decimal(study.quantities.tts_seconds))
    if seconds:
        if settings.minutes and not _fault(settings.minutes):
            interactions = _short(typed_number(settings.minutes) * 60 / seconds)
        elif not _fault(settings.interactions):
            each = parse_quantity(settings.interactions)
            minutes = _short((INTERACTIONS if each is None else each) * seconds / 60)
    elif settings.minutes:
        interactions = "unknown"
    rows = (
        ("users", "Users", "people", f"{USERS}"),
        ("interactions", "Interactions", "each a day", interactions),
        ("minutes", "or minutes", "each a day", minutes),
        ("days", "Days", "a month", f"{DAYS}"),
    )
    return [
        FieldRow(
            id=name,
            label=label,
            kind=FieldKind.NUMBER,
            text=getattr(settings, name),
            unit=unit,
            default=default,
            changed=bool(getattr(settings, name)),
            problem=problems.get(name, ""),
        )
        for name, label, unit, default in rows
    ]


def _short(amount: Decimal) -> str:
    return f"{amount.quantize(_TENTH, ROUND_HALF_EVEN).normalize():f}" if amount < 10**12 else "–"


# -- the plans --------------------------------------------------------------------------------------------------------


class PlanList(Painted[PlanFit]):
    """What a month costs, and every plan in a row; below them more about the one with the cursor."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._budget: Budget | None = None
        self._problem = ""
        self._first = 0

    def show(self, budget: Budget, problem: str) -> None:
        """Draw a month; with a ``problem`` it is that of the use before."""
        self._budget, self._problem = budget, problem
        self.lay_out()

    def watch_cursor(self, old: int, new: int) -> None:
        """What is said of one plan follows the cursor."""
        super().watch_cursor(old, new)
        self.lay_out()
        self.scroll_to_row(new)

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor comes with the focus, and goes with it."""
        super().watch_has_focus(has_focus)
        self.lay_out()
        self.scroll_to_row(self.cursor)

    def scroll_to_row(self, index: int) -> None:
        """Have in sight what is said below of the plan with the cursor, and the plan itself."""
        height = self.size.height
        if height > 0 and self.has_focus:
            self.scroll_to(y=max(0, min(index, self.row_count - height)), animate=False)

    # -- layout -------------------------------------------------------------------------------------------------------

    def lay_out(self) -> None:
        """The month, the plans, and what is said of one of them."""
        budget, width = self._budget, self.room
        if budget is None or width <= 0:
            return
        month = [(strip, None) for strip in self._month(budget, width)]
        held = self.cursor - self._first if self.can_stop_at(self.cursor) else 0
        self._first = len(month) + 2
        self.put([*month, *self._plans(budget, width), *((strip, None) for strip in self._below(budget, width))])
        if self.has_focus:
            self.move_to(self._first + min(held, len(budget.plans) - 1))

    def _month(self, budget: Budget, width: int) -> Iterator[Strip]:
        """The figures of a month, and which plan to take."""
        palette = self.palette
        if self._problem:
            for line in wrap(f"{GLYPHS.danger} {self._problem}", max(1, width - 2)):
                yield Line(width).gap().add(line, palette.danger).strip()
        else:
            yield Line(width).strip()
        figures = (
            (budget.credits, ("credits a month", "a month"), palette.credits, credits_text),
            (budget.interactions, ("interactions a month", "interactions"), palette.value, spoken),
            (budget.per_hour, ("credits an hour of conversation", "credits an hour"), palette.credits, credits_text),
        )
        texts = ["unknown" if amount is None else write(amount) for amount, _, _, write in figures]
        room = max(len(text) for text in texts)
        for text, (amount, units, style, _) in zip(texts, figures, strict=True):
            look = palette.warning if amount is None else style
            unit = units[0] if room + 2 + cell_len(units[0]) <= width else units[1]
            yield Line(width).gap().add(text, look, width=room, align="right").gap().add(unit, palette.label).strip()
        yield Line(width).strip()
        for part in wrap_numbers(budget.verdict, max(10, width - 2)):
            yield Line(width).gap().add(part, palette.value).strip()

    def _plans(self, budget: Budget, width: int) -> Iterator[tuple[Strip, PlanFit | None]]:
        """Every plan in columns as wide as they need to be; what is left of the row is the bar."""
        if not budget.plans:
            return
        shown = [column for column in _COLUMNS if width >= column.least]
        table = [[column.text(fit) for column in shown] for fit in budget.plans]
        rooms = [max(cell_len(text) for text in texts) for texts in zip([c.title for c in shown], *table, strict=True)]
        name = min(max(cell_len(fit.plan.label) for fit in budget.plans), max(8, width // 4))
        apart = 2 if width >= WIDE else 1
        cells = width - 5 - name - sum(room + apart for room in rooms) - apart
        layout = _Layout(name, min(40, cells) if cells >= BAR else 0, tuple(rooms), apart)
        line = Line(width).gap(4).add("Plan", self.palette.quiet, width=name)
        if layout.bar:
            line.gap(apart + layout.bar)
        for column, room in zip(shown, rooms, strict=True):
            line.gap(apart).add(column.title, self.palette.quiet, width=room, align="right")
        yield Line(width).strip(), None
        yield line.strip(), None
        for fit, texts in zip(budget.plans, table, strict=True):
            yield self._plan(fit, texts, layout, width, best=fit is budget.cheapest), fit

    def _plan(self, fit: PlanFit, texts: Sequence[str], layout: _Layout, width: int, *, best: bool) -> Strip:
        """A plan: whether it fits, how much of it is used, and what it costs."""
        palette = self.palette
        sign, style = {
            True: (GLYPHS.done, palette.local),
            False: (GLYPHS.danger, palette.danger),
            None: (GLYPHS.unknown, palette.warning),
        }[fit.fits]
        line = Line(width).gap()
        line.add(GLYPHS.chosen if best else " ", palette.accent).add(sign, style).gap()
        line.add(fit.plan.label, palette.title if best else palette.value, width=layout.name)
        if layout.bar:
            used = palette.credits if fit.fits else palette.warning
            line.gap(layout.apart).add(bar(min(fit.share or Decimal(0), Decimal(1)), layout.bar), used)
        for text, room in zip(texts, layout.rooms, strict=True):
            line.gap(layout.apart).add(text, palette.title if best else palette.value, width=room, align="right")
        return line.strip()

    def _below(self, budget: Budget, width: int) -> Iterator[Strip]:
        """More about the plan with the cursor; else what the figures rest on."""
        here = self.cursor - self._first
        under = budget.plans[here] if self.has_focus and 0 <= here < len(budget.plans) else None
        texts = budget.notes if under is None else _details(under)
        yield Line(width).strip()
        for text in texts:
            for part in wrap_numbers(text, max(10, width - 2)):
                yield Line(width).gap().add(part, self.palette.quiet if under is None else self.palette.label).strip()


class _Layout(NamedTuple):
    """Cells of the names, of the bars (0: none), of the columns, and between them."""

    name: int
    bar: int
    rooms: tuple[int, ...]
    apart: int


class _Column(NamedTuple):
    """A column of the table of plans; ``least`` is from how many cells on there is room for it."""

    title: str
    text: Callable[[PlanFit], str]
    least: int = 0


def _used(fit: PlanFit) -> str:
    if fit.share is None or fit.share < FAR:
        return share_text(fit.share)
    return f"{count(fit.share.quantize(Decimal(1), ROUND_HALF_EVEN))} ×"


def _left(fit: PlanFit) -> str:
    """In whole credits, with a sign."""
    if fit.left is None:
        return "–"
    sign, amount = "−" if fit.left < 0 else "+" if fit.left else "±", abs(fit.left)
    return f"{sign}{count(amount.quantize(Decimal(1), ROUND_HALF_EVEN))}" if amount >= 1 or not amount else f"{sign}<1"


_COLUMNS: Final = (
    _Column("tier", lambda fit: fit.plan.tier or "–", FULL),
    _Column("credits", lambda fit: _amount(fit.plan.monthly_credits), FULL),
    _Column("used", _used),
    _Column("ends", lambda fit: "–" if fit.runs_out is None else f"day {fit.runs_out}", 36),
    _Column("left", _left, WIDE),
    _Column("price", lambda fit: _amount(fit.plan.price), 28),
    _Column("per 1 000", lambda fit: "–" if fit.per_thousand is None else credits_text(fit.per_thousand), WIDE),
)


def _amount(amount: int | Decimal | None) -> str:
    return "–" if amount is None else count(amount)


def _details(fit: PlanFit) -> Iterator[str]:
    """What there is no column for in a narrow window, in sentences."""
    plan = fit.plan
    tier = f", tier {plan.tier}" if plan.tier else ""
    yield f"{plan.label}: {_amount(plan.monthly_credits)} credits a month{tier}."
    if fit.left is not None:
        yield f"{spoken(abs(fit.left))} credits a month are {'missing' if fit.left < 0 else 'left'}."
    if fit.per_thousand is not None:
        paid = "it pays for" if fit.fits is False else "are made"
        yield f"{spoken(fit.per_thousand)} for 1 000 of the interactions that {paid}."
