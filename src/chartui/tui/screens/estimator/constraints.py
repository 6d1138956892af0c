"""The constraints of the search, changed beside the results: every change shows in the view immediately."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from chartui.core.estimation.constraints import (
    FEATURES,
    GROUPS,
    LIMITS,
    Constraints,
    Need,
    alike,
    groups,
    without_limits,
)
from chartui.core.estimation.exploration import Found, Point, explore
from chartui.core.jsontext import canonical
from chartui.core.typed_numbers import typed_milliseconds, typed_number
from chartui.tui.drafts import TURNED, turned
from chartui.tui.guides import NOTHING_TO_REDO, NOTHING_TO_UNDO
from chartui.tui.lines import wrap
from chartui.tui.numbers import count, credits_text
from chartui.tui.widgets.border import entitle
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.form import FieldKind, FieldRow, FormView, Heading, Note, Row
from chartui.tui.widgets.messages import withdraw

if TYPE_CHECKING:
    from chartui.tui.screens.estimator.study import Study

_LABELS: Final = {
    "memory": "Memory",
    "knowledge": "Knowledge",
    "speech_in": "Speech input",
    "speech_out": "Speech output",
    "animation": "Animation",
    "realtime": "Realtime",
    "billed_elsewhere": "Your provider",
    "unusual_inputs": "Unusual inputs",
    "beta": "Beta model",
}
_NEEDS: Final = tuple(Need)
_CREDITS, _LATENCY = "max_credits", "max_latency"
#: Cells of the error below a number.
_TOLD: Final = 32
#: The members that are sets of names, with their titles.
_GROUPS: Final = {
    "families": "Model families",
    "speech_in_vendors": "Speech input vendors",
    "speech_out_vendors": "Speech output vendors",
}
#: The rows of a month, with their units: the number of interactions, and the limits for all of them.
_MONTHLY: Final = {
    "interactions": ("Interactions", ""),
    "max_monthly_credits": ("Maximum cost", "credits"),
    "max_monthly_price": ("Maximum price", ""),
}
#: The names of the members in messages about undo.
_TITLES: Final = {
    **_LABELS,
    _CREDITS: "Maximum credits",
    _LATENCY: "Maximum latency",
    **{member: f"{label} per month" for member, (label, _) in _MONTHLY.items()},
    **_GROUPS,
}


class ConstraintsDialog(Dialog[None]):
    """The required and excluded features of a configuration, and its limits of cost and latency.

    The open form covers the inputs only. ``changed`` is called with every new set of constraints and returns the
    results. Closing keeps the constraints.
    """

    DEFAULT_CSS = """
    ConstraintsDialog { align: left top; background: $background 0%; }
    ConstraintsDialog > Vertical { width: 36; height: 1fr; max-height: 100%; margin: 1 0 0 0; }
    ConstraintsDialog.-wide > Vertical { width: 46; }
    ConstraintsDialog FormView { height: 1fr; background: $surface; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - declared so by the framework
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Change", tooltip="Opens the list, flips the switch or edits the number."),
        Binding("right,plus,equals_sign", "step(1)", "Step", tooltip="Picks the next value."),
        Binding("asterisk", "as_now", "Match inputs", tooltip="Requires the features of the current inputs."),
        Binding("R", "reset", "Defaults", tooltip="Restores the initial constraints."),
        Binding("left,minus", "step(-1)", "Previous value", tooltip="Picks the previous value."),
        Binding("z", "turn(-1)", id="undo-input"),
        Binding("Z", "turn(1)", id="redo-input"),
        Binding("colon,ctrl+p", "palette", id="palette"),
        Binding(
            "escape,f",
            "dismiss(None)",
            "Close",
            tooltip="Keeps the constraints. “Undo edit” reverts the changes.",
        ),
        Binding("r", "reset_row", "Reset", tooltip="Restores this constraint's initial value."),
    ]

    def __init__(
        self,
        study: Study,
        constraints: Constraints,
        usual: Constraints,
        changed: Callable[[Constraints], Found | None],
    ) -> None:
        super().__init__()
        self._study = study
        self._constraints = constraints
        self._usual = usual
        self._changed = changed
        self._typed = _typed(constraints)
        #: The constraints before each change of this visit, and those that were undone.
        self._earlier: tuple[Constraints, ...] = ()
        self._later: tuple[Constraints, ...] = ()
        #: The number whose typing is one change.
        self._typing = ""
        self._counts: dict[tuple[str, str], int] = {}
        #: The cheapest and the fastest configuration without limits.
        self._ends: tuple[Point, Point] | None = None
        self._form = FormView(id="constraints")

    def compose(self) -> ComposeResult:
        with Vertical() as self._panel:
            yield self._form

    def on_mount(self) -> None:
        self._tell(self._changed(self._constraints))
        self._show()
        self._form.focus()
        self.call_after_refresh(self._count)

    # -- what is shown ------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        self._form.show(tuple(self._rows()))

    def _tell(self, found: Found | None) -> None:
        """Show the number of matches on the border, since the view may be hidden."""
        entitle(self._panel, f"Constraints: {count(found.count)} fit" if found else "Constraints")

    def _rows(self) -> Iterator[Row]:
        asked = self._constraints
        for name in FEATURES:
            need: Need = getattr(asked, name)
            changed = need is not Need.ANY
            yield FieldRow(id=name, label=_LABELS[name], kind=FieldKind.CHOICE, text=need.value, changed=changed)
        yield Heading()
        yield Heading("Maximum")
        for row in (self._limit(_CREDITS, "Credits", "credits"), self._limit(_LATENCY, "Latency", "ms", "ms ")):
            yield row
            if row.problem:
                yield from (Note(line, "danger", indented=False) for line in wrap(f"{row.problem}.", _TOLD))
            elif said := self._out_of_reach(row.id):
                yield from (Note(line, "warning", indented=False) for line in wrap(said, _TOLD))
            elif row.text[-1:].isalpha():
                yield Note(f"{count(asked.max_latency or 0)} ms")
        if not self._study.rates.card.timed:
            yield Note("The rates include no latencies.", "warning", indented=False)
        yield Heading()
        yield Heading("Per month")
        for member, (label, unit) in _MONTHLY.items():
            yield (row := self._limit(member, label, unit))
            if row.problem:
                yield from (Note(line, "danger", indented=False) for line in wrap(f"{row.problem}.", _TOLD))
        if asked.interactions is None and any(getattr(asked, name) is not None for name in _MONTHLY):
            yield Note("Set interactions per month first.", "warning", indented=False)
        if asked.max_monthly_price is not None and not self._study.rates.card.subscriptions:
            yield Note("The rates include no prices.", "warning", indented=False)
        for member, title in _GROUPS.items():
            chosen: frozenset[str] = getattr(asked, member)
            yield Heading()
            yield Heading(f"{title}: {f'{len(chosen)} chosen' if chosen else 'any'}")
            for name in self._names(member):
                number = self._counts.get((member, name))
                yield FieldRow(
                    id=f"{member}/{name}",
                    label=name,
                    kind=FieldKind.SWITCH,
                    text="" if number is None else f"{count(number)} would fit",
                    on=name in chosen,
                    changed=name in chosen,
                )

    def _out_of_reach(self, member: str) -> str:
        """Why no configuration meets this limit, even without the other limit; empty if some do."""
        if self._ends is None:
            return ""
        (cheapest, fastest), asked = self._ends, self._constraints
        if member == _CREDITS and asked.max_credits is not None and asked.max_credits < cheapest.credits:
            return f"The cheapest configuration costs {credits_text(cheapest.credits)} credits."
        if member == _LATENCY and asked.max_latency is not None and asked.max_latency < (fastest.latency or 0):
            return f"{count(asked.max_latency)} ms is too low: the minimum is {count(fastest.latency or 0)} ms."
        return ""

    def _limit(self, member: str, label: str, unit: str, units: str = "") -> FieldRow:
        text = self._typed[member]
        return FieldRow(
            id=member,
            label=label,
            kind=FieldKind.NUMBER,
            text=text,
            unit="" if text[-1:].isalpha() else unit,
            default="any",
            changed=bool(text),
            problem=_read(member, text)[1],
            units=units,
        )

    def _names(self, member: str) -> Sequence[str]:
        return groups(self._study.rates.card, GROUPS[member][1])

    def _count(self) -> None:
        """Count the matches of each family and vendor, after the change itself is drawn."""
        asked = self._constraints.supported(self._study.rates.card)
        free = explore(self._study.pricing, without_limits(asked))
        self._ends = (free.cheapest, free.fastest or free.cheapest) if free.cheapest else None
        for member in _GROUPS:
            for name in self._names(member):
                alone = _with(asked, member, frozenset({name}))
                self._counts[member, name] = explore(self._study.pricing, alone).count
        self._show()

    # -- what is set --------------------------------------------------------------------------------------------------

    def _set(self, constraints: Constraints, *, typing: str = "") -> None:
        """Take constraints as a step to undo. All typing in one field is one step."""
        if constraints == self._constraints:
            self._show()
            return
        if not typing or typing != self._typing:
            self._earlier = (*self._earlier, self._constraints)
        self._later, self._typing = (), typing
        withdraw(self.app, TURNED)
        self._apply(constraints)

    def _apply(self, constraints: Constraints) -> None:
        self._constraints = constraints
        self._tell(self._changed(constraints))
        self._show()
        self.call_after_refresh(self._count)

    @on(FormView.Typed)
    def _limit_typed(self, message: FormView.Typed) -> None:
        message.stop()
        self._typed[message.field] = message.text
        constraints = _with(self._constraints, message.field, _read(message.field, message.text)[0])
        self._set(constraints, typing=message.field)

    @on(FormView.Activated)
    def _activated(self, message: FormView.Activated) -> None:
        message.stop()
        member, _, name = message.field.partition("/")
        if name:
            self._turn(message.field, 1)
            return

        def chosen(need: str | None) -> None:
            if need is not None:
                self._set(_with(self._constraints, member, Need(need)))

        needs = [Choice(need.value, need.value) for need in Need]
        present: Need = getattr(self._constraints, member)
        self.app.push_screen(Chooser(_LABELS[member], needs, present.value), chosen)

    def action_step(self, step: int) -> None:
        row = self._form.current
        if row is not None and row.kind is not FieldKind.NUMBER:
            self._turn(row.id, step)

    def _turn(self, field: str, step: int) -> None:
        member, _, name = field.partition("/")
        if not name:
            need: Need = getattr(self._constraints, member)
            self._set(_with(self._constraints, member, _NEEDS[(_NEEDS.index(need) + step) % len(_NEEDS)]))
            return
        chosen: frozenset[str] = getattr(self._constraints, member)
        self._set(_with(self._constraints, member, chosen ^ {name}))

    async def action_palette(self) -> None:
        """Close the dialog before performing a command of the screen behind."""
        from chartui.tui.shell.palette_entries import open_palette

        await self.dismiss(None)
        open_palette(self.workbench)

    def action_as_now(self) -> None:
        self._set(alike(self._study.configuration, self._constraints))

    def action_reset_row(self) -> None:
        row = self._form.current
        if row is None:
            return
        self._form.stop_typing()
        member, _, name = row.id.partition("/")
        value = getattr(self._usual, member)
        if name:
            value = (getattr(self._constraints, member) - {name}) | (value & {name})
        if member in self._typed:
            self._typed[member] = _typed(self._usual)[member]
        self._set(_with(self._constraints, member, value))

    def action_reset(self) -> None:
        self._form.stop_typing()
        changed, self._typed = self._usual != self._constraints, _typed(self._usual)
        self._set(self._usual)
        if changed:
            key = self.workbench.keymap.label("undo-input")
            self.workbench.tell(f"All constraints reset.{f' {key} undoes it.' if key else ''}", topic=TURNED)

    def action_turn(self, step: int) -> None:
        """Undo (-1) or redo (1) a change of this visit."""
        self._form.stop_typing()
        here, there = (self._earlier, self._later) if step < 0 else (self._later, self._earlier)
        while here and here[-1] == self._constraints:  # a number whose typing was canceled
            here = here[:-1]
        if not here:
            self.workbench.tell(NOTHING_TO_UNDO if step < 0 else NOTHING_TO_REDO, topic=TURNED)
            return
        *rest, constraints = here
        here, there = tuple(rest), (*there, self._constraints)
        self._earlier, self._later = (here, there) if step < 0 else (there, here)
        self._typing, self._typed = "", _typed(constraints)
        title = _title(self._constraints, constraints)
        self._apply(constraints)
        self.workbench.tell(turned(title, step), topic=TURNED)


def _title(one: Constraints, other: Constraints) -> str:
    """The only constraint that differs; for several, ``constraints``."""
    apart = [title for member, title in _TITLES.items() if getattr(one, member) != getattr(other, member)]
    return apart[0] if len(apart) == 1 else "constraints"


def _with(constraints: Constraints, member: str, value: object) -> Constraints:
    members: dict[str, Any] = {member: value}
    return replace(constraints, **members)


def _read(member: str, text: str) -> tuple[Decimal | int | None, str]:
    """A limit as typed, None for none, and its problem."""
    if not text:
        return None, ""
    try:
        limit = typed_milliseconds(text) if member == _LATENCY else typed_number(text)
    except ValueError as error:
        return None, str(error)
    return (limit, "") if limit >= 0 else (None, f"The number must be 0 or more, not {text}")


def _typed(constraints: Constraints) -> dict[str, str]:
    limits = {name: getattr(constraints, name) for name in (*LIMITS, _LATENCY)}
    return {name: "" if limit is None else canonical(Decimal(limit)) for name, limit in limits.items()}
