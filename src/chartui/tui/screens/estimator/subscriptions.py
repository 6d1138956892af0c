"""Subscriptions and volume: the use of the characters, its cost a month, and the subscriptions that pay for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal
from typing import ClassVar, Final, Literal

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.strip import Strip

from chartui.core.classes import dataclass
from chartui.core.estimation.amounts import EXACT
from chartui.core.estimation.budget import (
    INTERACTIONS,
    PERIODS,
    USERS,
    Budget,
    Period,
    Usage,
    monthly_budget,
    subscriptions_of,
    subscriptions_sheet,
    volume_sheet,
)
from chartui.core.estimation.mix import exact_credits
from chartui.core.estimation.prices import remarks_on
from chartui.core.jsontext import Wire, canonical
from chartui.core.profiles import Profile
from chartui.core.sheet import Sheet
from chartui.core.typed_numbers import typed_number
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.estimator.board import View
from chartui.tui.screens.estimator.facts import NOW
from chartui.tui.screens.estimator.month import Told, details_of, height_of, month_lines, sentences
from chartui.tui.screens.estimator.quantities import parse_quantity, quantity_problem
from chartui.tui.screens.estimator.state import ViewName
from chartui.tui.screens.estimator.study import Study
from chartui.tui.theme import Palette
from chartui.tui.widgets.border import room_on_border
from chartui.tui.widgets.form import FieldKind, FieldRow, FormView
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.sheet_view import SheetView

#: The steps of the step keys, if not 1.
STEPS: Final = {"users": 10}
#: From this many cells, details of a subscription take few lines; below this many rows, there are no margins.
WIDE: Final = 60
TIGHT: Final = 20
#: Most configurations listed above the subscriptions.
LISTED: Final = 8
#: Rows of the use, of the fewest subscriptions, and of the margins.
AROUND: Final = 5 + 4 + 2
#: A hint for users without a price of credits; subscriptions have prices anyway.
PRICELESS: Final = "no price for credits in config.toml"
_SIGNS: Final = {True: GLYPHS.done, False: GLYPHS.danger, None: GLYPHS.unknown}
_TENTH: Final = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class SubscriptionsSettings:
    """The typed use; empty fields take their defaults. Minutes replace interactions. ``per`` is one of the periods."""

    users: str = ""
    interactions: str = ""
    minutes: str = ""
    days: str = ""
    per: Period | Literal[""] = ""
    sessions: str = ""

    def typed(self, field: str, text: str) -> SubscriptionsSettings:
        """The use with another text; typing interactions clears minutes, and vice versa."""
        other = {"interactions": "minutes", "minutes": "interactions"}.get(field)
        return replace(self, **{field: text}, **({other: ""} if other and text else {}))  # type: ignore[arg-type]

    def usage(self, default: Usage) -> Usage:
        """The use; raises ``ValueError`` for an invalid number."""
        numbers = {name: parse_quantity(text) for name, text in _texts(self).items()}
        given = {name: number for name, number in numbers.items() if number is not None}
        usage = default._replace(**given, per=self.per or default.per)
        if "minutes" in given:
            return usage._replace(interactions=None)
        return usage._replace(minutes=None) if "interactions" in given else usage


def _bar_role(share: Wire, _: str) -> str:
    return "warning" if isinstance(share, Decimal) and share > 1 else "credits"


class SubscriptionsView(View):
    """A small form for the use, its cost a month, and the subscriptions."""

    NAME = ViewName.SUBSCRIPTIONS
    FOCUS = "usage"
    DEFAULT_CSS = """
    SubscriptionsView #usage { height: 5; max-width: 42; }
    SubscriptionsView #month, SubscriptionsView #subscriptions { margin-top: 1; }
    SubscriptionsView #subscriptions { height: 1fr; min-height: 4; }
    SubscriptionsView.-low.-reading #month, SubscriptionsView.-crowded.-reading #month { display: none; }
    SubscriptionsView.-tight #below, SubscriptionsView.-full #below { display: none; }
    SubscriptionsView.-tight.-reading #below, SubscriptionsView.-full.-reading #below { display: block; }
    SubscriptionsView.-tight #month, SubscriptionsView.-tight #subscriptions { margin-top: 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "change", "Change", tooltip="Opens the list or edits the number."),
        Binding("right,plus,equals_sign", "step(1)", "Step", tooltip="Picks the next option, or raises the number."),
        Binding("left,minus", "step(-1)", show=False),
        Binding("r", "reset", "Reset", tooltip="Restores the default."),
    ]

    USUAL = SubscriptionsSettings()
    EDITED = "volume"
    settings: SubscriptionsSettings

    def __init__(self, settings: object | None = None) -> None:
        super().__init__(settings or self.USUAL)
        self._study: Study | None = None
        self._budget: Budget | None = None
        #: The current and the pinned configurations with their months.
        self._budgets: tuple[tuple[str, Budget], ...] = ()
        self._problem = ""
        self._form = FormView(id="usage")
        self._month = Told(self._draw_month, id="month")
        self._table = SheetView(id="subscriptions", roles={"bar": _bar_role})
        self._below = Told(self._draw_below, id="below")

    def compose(self) -> ComposeResult:
        yield self._form
        yield self._month
        yield self._table
        yield self._below

    def on_resize(self, _event: Resize) -> None:
        """Hide the month while the subscriptions have the focus in a low window."""
        width, height = self.size
        self.set_class(height < (20 if width >= WIDE else 24), "-low")
        self.set_class(height < TIGHT, "-tight")
        self._fit()
        self._month.draw()  # a low window has fewer lines

    def show(self, study: Study) -> None:
        """Show a month's cost for these inputs; an invalid use keeps the last figures and shows the problem."""
        before, self._study = self._study, study
        if before is None or (study.rates.banner, study.price) != (before.rates.banner, before.price):
            self.show_banner(study)
        problems: dict[str, str] = {}
        try:
            usage = self.settings.usage(default_usage(study))
        except ValueError:
            problems = {
                name: f"{said}." for name, text in _texts(self.settings).items() if (said := quantity_problem(text))
            }
        else:
            problem = usage.problem()
            if problem is None:
                billed = remarks_on(study.configuration, study.rates.card.own)
                remarks = (remark.text for remark in billed if not remark.unusual)
                self._budgets = tuple(_budgets(study, usage))
                found = self._budgets[0][1]
                self._budget = found._replace(notes=(*remarks, *found.notes))
            else:
                problems = {problem.member: problem.text}
        self._form.show(_rows(self.settings, study, problems))
        self._problem = next(iter(problems.values()), "")
        if self._budget is not None:
            self._table.show(
                subscriptions_sheet(self._budget, [_SIGNS[fit.fits] for fit in self._budget.subscriptions])
            )
            self._table.styles.max_height = len(self._budget.subscriptions) + 2
            self._fit()
            self._month.draw()
            self._below.draw()

    @property
    def note(self) -> str:
        """The source of the figures and, without a price of credits, where to set one if there is room."""
        if self._study is None or self._study.price is not None:
            return self.said
        both = f"{self.said} {GLYPHS.note} {PRICELESS}" if self.said else PRICELESS
        return both if cell_len(both) <= room_on_border(self) else self.said

    def _fit(self) -> None:
        """Leave the subscriptions their rows: a long month does without empty lines, then without the notes."""
        if self._budget is None or not self.size:
            return
        room, width, palette = self.size.height - AROUND, self.size.width - 1, Palette.of(self.app.theme_variables)
        notes = height_of(self._budget.notes, width)
        told = max([notes, *(height_of(details_of(fit, self._budget), width) for fit in self._budget.subscriptions)])
        loose, close = (len(self._month_lines(palette, width, tight=tight)) for tight in (False, True))
        crowded = not self.has_class("-low") and loose + told > room
        self.set_class(crowded, "-crowded")
        self.set_class(crowded and close + notes > room, "-full")

    def _month_lines(
        self, palette: Palette, width: int, most: int = LISTED, *, tight: bool, brief: bool = False
    ) -> list[Strip]:
        if self._budget is None or not width:
            return []
        listed = () if self.has_class("-low") or min(most, len(self._budgets)) < 2 else self._budgets
        price = self._study.price if self._study is not None else None
        return [
            *month_lines(
                self._budget,
                self._problem,
                listed,
                price,
                palette,
                width,
                base=self._base,
                most=most,
                tight=tight,
                brief=brief,
            )
        ]

    @property
    def _base(self) -> int:
        """The place of the baseline among the configurations."""
        return 1 + self._study.baseline if self._study is not None and self._study.base is not None else 0

    def _draw_month(self, palette: Palette, width: int) -> Iterable[Strip]:
        tight, most = self.has_class("-tight") or self.has_class("-crowded"), LISTED
        lines, brief = self._month_lines(palette, width, tight=tight), False
        while self.has_class("-full") and most > 1 and len(lines) > self.size.height - AROUND:
            most, brief = most - brief, True  # the verdict goes first
            lines = self._month_lines(palette, width, most, tight=tight, brief=brief)
        return lines

    def _draw_below(self, palette: Palette, width: int) -> Iterable[Strip]:
        """Details of the selected subscription, or the basis of the figures."""
        budget, key = self._budget, self._table.current_key
        if budget is None or not width:
            return ()
        if self._table.has_focus and key is not None:
            return sentences(details_of(budget.subscriptions[int(key)], budget), palette.label, width)
        return sentences(budget.notes, palette.quiet, width)

    def on_descendant_focus(self) -> None:
        """Show the details of the selected subscription while the list is focused."""
        self.set_class(self._table.has_focus, "-reading")
        self._below.draw()

    on_descendant_blur = on_descendant_focus

    @on(FormView.Typed)
    def _typed(self, message: FormView.Typed) -> None:
        message.stop()
        self._type(message.field, message.text, typing=message.field)

    @on(LineView.Moved)
    def _moved(self, message: LineView.Moved) -> None:
        message.stop()
        self._below.draw()

    @on(FormView.Activated)
    def _activated(self, message: FormView.Activated) -> None:
        message.stop()
        if self._study is None:
            return
        from chartui.tui.widgets.chooser import Choice, Chooser

        def chosen(period: str | None) -> None:
            if period is not None:
                self._type("per", period)

        periods = [Choice(period, period) for period in PERIODS]
        self.app.push_screen(Chooser("Period", periods, self._period(self._study)), chosen)

    def _period(self, study: Study) -> Period:
        return self.settings.per or default_usage(study).per

    def _type(self, field: str, text: str, *, typing: str = "") -> None:
        if self._study is not None and getattr(self.settings, field) != text:
            self.edit(self.settings.typed(field, text), typing=typing)
            self.show(self._study)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """The keys of the numbers work in the numbers; a subscription cannot be loaded."""
        return action != "load" and (action not in ("change", "step", "reset") or self._form.has_focus)

    def action_step(self, step: int) -> None:
        row = self._form.current
        if row is None or self._study is None:
            return
        if row.id == "per":
            here = PERIODS.index(self._period(self._study))
            self._type("per", PERIODS[(here + step) % len(PERIODS)])
            return
        shown = row.text or row.default
        present = Decimal(0) if quantity_problem(shown) else parse_quantity(shown) or Decimal(0)
        least = 1 if row.id == "days" else 0
        self._form.stop_typing()
        self._type(row.id, canonical(max(Decimal(least), present + step * STEPS.get(row.id, 1))))

    def action_reset(self) -> None:
        if self._form.current is not None:
            self._form.stop_typing()
            name = self._form.current.id
            self._type(name, getattr(self.USUAL, name))

    def action_volume(self) -> None:
        self._form.focus()

    def sheets(self) -> Sequence[Sheet]:
        if self._budget is None or self._study is None:
            return ()
        price, banner = self._study.price, self._study.rates.banner
        sheet = subscriptions_sheet(self._budget, price=price)
        sheet = sheet._replace(notes=(*sheet.notes, banner)) if banner else sheet
        drawn = self._table.as_drawn(sheet)
        return (
            (drawn, volume_sheet(self._budgets, sheet.notes, price, base=self._base))
            if len(self._budgets) > 1
            else (drawn,)
        )

    def command(self, profile: Profile) -> str:
        if self._budget is None or self._study is None:
            return ""
        from chartui.core.reproduce import subscriptions_command

        study, usage = self._study, self._budget.usage
        return subscriptions_command(
            study.configuration, study.quantities, profile, usage, scenario=study.written, given=study.given
        )


def default_usage(study: Study) -> Usage:
    """The use of the scenario, or the default one."""
    return (study.scenario and study.scenario.usage) or Usage(USERS, INTERACTIONS)


def _budgets(study: Study, usage: Usage) -> Iterator[tuple[str, Budget]]:
    """The month with the current inputs, and with each pinned configuration and its own quantities."""
    offered = subscriptions_of(study.discovery, study.rates)
    each = exact_credits(study.pricing, study.configuration)
    yield NOW, monthly_budget(each, study.quantities, usage, offered).between(study.ends_of(None))
    for pinned in study.pinned:
        each = exact_credits(study.pricing_of(pinned), pinned.configuration)
        yield pinned.name, monthly_budget(each, study.quantities_of(pinned), usage, offered)


def _texts(settings: SubscriptionsSettings) -> dict[str, str]:
    return {name: getattr(settings, name) for name in ("users", "interactions", "minutes", "days", "sessions")}


def _rows(settings: SubscriptionsSettings, study: Study, problems: Mapping[str, str]) -> list[FieldRow]:
    """The form's rows; interactions and minutes each show the equivalent of the other."""
    usual = default_usage(study)
    per = settings.per or usual.per
    typed = bool(settings.interactions or settings.minutes)
    minutes = "" if typed or usual.minutes is None else canonical(usual.minutes)
    interactions = canonical(INTERACTIONS if usual.interactions is None else usual.interactions)
    seconds = EXACT.add(Decimal(study.quantities.stt_seconds), Decimal(study.quantities.tts_seconds))
    if seconds:
        if (spoken_for := settings.minutes or minutes) and not quantity_problem(spoken_for):
            interactions = _short(typed_number(spoken_for) * 60 / seconds)
        elif not quantity_problem(settings.interactions):
            minutes = _short(typed_number(settings.interactions or interactions) * seconds / 60)
    elif settings.minutes or minutes:
        interactions = "unknown"
    last = ("sessions", "Sessions", "per month", canonical(usual.sessions))
    rows = (
        ("users", "Users", "people", canonical(usual.users)),
        ("interactions", "Interactions", "per user", interactions),
        ("minutes", "or minutes", "per user", minutes),
        last if per == "session" else ("days", "Days", "per month", canonical(usual.days)),
    )
    made = [
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
    changed = per != usual.per
    made.insert(3, FieldRow(id="per", label="Per", kind=FieldKind.CHOICE, text=per, changed=changed))
    return made


def _short(amount: Decimal) -> str:
    return f"{amount.quantize(_TENTH, ROUND_HALF_EVEN).normalize():f}" if amount < 10**12 else "–"
