"""A plan before it is carried out: what it changes, from what to what, and why."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.characters.record import value_text
from chartui.core.jsontext import Wire
from chartui.core.plans.plan import CREDITS, Change, Consequence, Plan, Step
from chartui.core.plans.wording import LABELS, consequence_text, short
from chartui.core.spec.operations import operation
from chartui.core.text import display_text, single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, wrap_numbers
from chartui.tui.numbers import count, credits_text, number_of
from chartui.tui.theme import Palette
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LaidOut
from chartui.tui.widgets.questions import TypeCount
from chartui.tui.widgets.text import Piece, PieceRow, Role, difference_rows, put, told

if TYPE_CHECKING:
    pass

__all__ = ["Review"]

LABEL_WIDTH: Final = 17
#: Plans of more steps than this show long texts by their size; a key opens them.
MANY: Final = 20

_BLANK: Final[PieceRow] = ()


class Review(Dialog[bool]):
    """Shows a plan and the profile it is for, and asks whether to carry it out; the result is the answer.

    Cancel has the cursor, and the key that agrees is not the one that opened it. ``deed`` is what agreeing is called.
    With ``by_count`` whoever agrees to more than one step types how many they are. ``caveat`` is what cannot be
    promised of the plan, in a sentence.
    """

    DEFAULT_CSS = """
    Review > Vertical { width: 100; border: round $meaning-staged; border-title-color: $meaning-staged; }
    Review > Vertical.-production { border: round $meaning-danger; border-subtitle-color: $meaning-danger; }
    Review _Changes { height: auto; max-height: 100%; background: $surface; margin: 1 0 0 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "agree", "Agree"),
        Binding("enter", "answer", "Answer"),
        Binding("d", "texts", "Texts"),
        Binding("escape", "dismiss(False)", "Cancel"),
        Binding("left,right,tab,shift+tab", "other", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("home", "end(False)", show=False),
        Binding("end", "end(True)", show=False),
    ]
    CONCLUSIVE = True

    def __init__(self, plan: Plan, *, deed: str = "Carry out", by_count: bool = False, caveat: str = "") -> None:
        super().__init__()
        self.plan = plan
        self._changes = _Changes(plan, caveat)
        steps = len(plan.steps)
        self._answers: _Answers | TypeCount = TypeCount(steps, deed) if by_count and steps > 1 else _Answers(deed)

    @property
    def unforeseen(self) -> bool:
        """Whether keys typed before it was seen are refused: wherever something is at stake."""
        production = self.workbench.session.profile.production
        return production or self.plan.at_stake or isinstance(self._answers, TypeCount)

    def compose(self) -> ComposeResult:
        changes = sum(len(step.changes) for step in self.plan.steps)
        with Vertical() as panel:
            panel.border_title = Content(single_line(self.plan.title, limit=80))
            profile = self.workbench.session.profile
            panel.set_class(profile.production, "-production")
            where = single_line(profile.name, limit=30)
            counts = [number_of(len(self.plan.steps), "step"), *([number_of(changes, "change")] if changes else [])]
            panel.border_subtitle = Content(
                " · ".join([f"PRODUCTION {where}" if profile.production else f"on {where}", *counts])
            )
            yield self._changes
            yield self._answers

    def on_mount(self) -> None:
        self._answers.focus()

    def action_answer(self) -> None:
        """Give the answer that has the cursor; a number that is not the right one is no answer."""
        if isinstance(self._answers, _Answers) or self._answers.agreeing:
            self.dismiss(self._answers.agreeing)
        else:
            self._answers.refuse()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """One key agrees only where no number has to be typed."""
        return action != "agree" or isinstance(self._answers, _Answers)

    def action_agree(self) -> None:
        self.dismiss(True)

    def action_other(self) -> None:
        if isinstance(self._answers, _Answers):
            self._answers.turn()

    def action_scroll(self, step: int) -> None:
        self._changes.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        self._changes.scroll_relative(y=step * max(1, self._changes.size.height - 1), animate=False)

    def action_end(self, last: bool) -> None:
        self._changes.scroll_to(y=self._changes.row_count if last else 0, animate=False)

    def action_texts(self) -> None:
        self._changes.toggle_texts()


class _Answers(Widget, can_focus=True):
    """Cancel, then the deed, side by side."""

    DEFAULT_CSS = "_Answers { dock: bottom; height: 2; margin: 0 1; background: $surface; }"

    def __init__(self, deed: str) -> None:
        super().__init__()
        self._deed = deed
        self.agreeing = False

    def turn(self) -> None:
        self.agreeing = not self.agreeing
        self.refresh()

    def render_line(self, y: int) -> Strip:
        palette, line = Palette.of(self.app.theme_variables), Line(self.size.width)
        if y == 0:
            return line.strip(self.rich_style)
        options = (("Cancel", "esc", "dismiss(False)", False), (self._deed, "y", "dismiss(True)", True))
        for text, key, action, agrees in options:
            here = agrees == self.agreeing
            link = Style(meta={"@click": f"screen.{action}"})
            line.add("› " if here else "  ", palette.accent)
            line.add(text, (palette.title if here else palette.label) + link).gap().add(key, palette.key + link).gap(3)
        if line.left >= 12:
            line.push_right(11).add("↑↓", palette.key).add(" scroll", palette.quiet)
        return line.strip(self.rich_style)

    def on_click(self, event: Click) -> None:
        event.stop()


class _Changes(LaidOut[PieceRow]):
    """Every step with its changes. Laid out once a width; drawn a line at a time."""

    can_focus = False

    def __init__(self, plan: Plan, caveat: str) -> None:
        super().__init__()
        self._plan = plan
        self._caveat = caveat
        self._whole = len(plan.steps) <= MANY

    def can_stop_at(self, index: int) -> bool:  # noqa: ARG002
        return False

    def toggle_texts(self) -> None:
        self._whole = not self._whole
        self.lay_out()

    def lay_out(self) -> None:
        width = max(24, self._width - 3)
        rows = list(_rows_of(self._plan, width, whole=self._whole))
        caveat = [_BLANK, *told(self._caveat, width, "quiet")] if self._caveat else []
        self.put([*rows, *caveat])

    def draw_row(self, index: int, width: int) -> Strip:
        palette, line = self.palette, Line(width).gap()
        return put(line, self._rows[index], palette).strip()


# -- what is written ---------------------------------------------------------------------------------------------------


def _rows_of(plan: Plan, width: int, *, whole: bool) -> Iterator[PieceRow]:
    """The lines of a plan. A reason that all steps share is said once, above them."""
    if not plan.steps:
        yield (Piece("There is nothing to change.", "label"),)
        return
    shared = plan.steps[0].reason if len({step.reason for step in plan.steps}) == 1 else ""
    blind = sum(not change.known for step in plan.steps for change in step.changes)
    yield from told(shared, width, "label")
    if blind and len(plan.steps) > 1:
        sentence = f"{count(blind)} of the values cannot be checked beforehand: nobody says what is there now."
        yield from told(sentence, width, "warning", GLYPHS.warning)
    for note in plan.notes:
        yield from told(note, width, "warning", GLYPHS.warning)
    for consequence in plan.consequences:
        yield from _consequence_rows(consequence, width)
    if shared or (blind and len(plan.steps) > 1) or plan.notes or plan.consequences:
        yield _BLANK
    for index, step in enumerate(plan.steps):
        if index:
            yield _BLANK
        yield from _step_rows(step, index, len(plan.steps), width, whole=whole)
        if step.reason != shared:
            yield from told(step.reason, width, "label")


def _step_rows(step: Step, index: int, steps: int, width: int, *, whole: bool) -> Iterator[PieceRow]:
    number = f"{index + 1:>{len(str(steps))}}  " if steps > 1 else ""
    deed = operation(step.operation).summary
    subject = single_line(step.subject)
    # Many characters may have one name: the id says which of them is meant.
    whose = single_line(str(step.payload.get("charID") or ""), limit=12) if subject else ""
    yield (Piece(number, "quiet"), Piece(subject or deed, "title"), Piece(f"  {whose}" if whose else "", "quiet"))
    if subject and not step.changes:
        yield (Piece(deed, "value"),)
    for change in step.changes:
        yield from _change_rows(change, width, whole=whole)
    for consequence in step.consequences:
        yield from _consequence_rows(consequence, width)


def _change_rows(change: Change, width: int, *, whole: bool) -> Iterator[PieceRow]:
    before, after = _shown(change.before, known=change.known), _shown(change.after)
    if change.label == LABELS["reasoning_effort"] and change.after == "":
        after = "not set"  # what a request sends to clear it (decision 23)
    label = single_line(change.label)
    label = label.ljust(LABEL_WIDTH) if cell_len(label) < LABEL_WIDTH else f"{label} "
    arrow = f" {GLYPHS.to} "
    if "\n" not in before + after and cell_len(label + before + arrow + after) <= width:
        old = Piece(before, "value" if change.known else "warning")
        yield (Piece(label, "label"), old, Piece(arrow + after, "staged"))
    else:
        old_text, new_text = (
            "" if value is None else value if isinstance(value, str) else _shown(value)
            for value in (change.before, change.after)
        )
        sizes = (
            shown if value is None else count(len(text))
            for shown, value, text in ((before, change.before, old_text), (after, change.after, new_text))
        )
        hint = "" if whole else "  d shows the text"
        size = Piece(arrow.join(sizes) + " characters", "label" if whole else "staged")
        yield (Piece(label, "label"), size, Piece(hint, "quiet"))
        if whole:
            yield from difference_rows(old_text, new_text, width)
    if not change.known:
        sentence = "Cannot be checked: the service does not report the current value."
        yield from told(sentence, width, "warning", GLYPHS.warning, 2)
    yield from told(change.final, width, "warning", GLYPHS.warning, 2)
    yield from told(change.note, width, "warning", GLYPHS.warning, 2)


def _consequence_rows(consequence: Consequence, width: int) -> Iterator[PieceRow]:
    """An amount that becomes another one; what is the same is told as well, since that is what one wants to know."""
    label = single_line(consequence.label).ljust(LABEL_WIDTH)
    number = credits_text if consequence.unit == CREDITS else _whole
    lines = wrap_numbers(consequence_text(consequence, number), width - LABEL_WIDTH)
    unknown = consequence.before is None or consequence.after is None
    for index, line in enumerate(lines):
        role: Role = "warning" if unknown else "value"
        yield (Piece(label if index == 0 else " " * LABEL_WIDTH, "label"), Piece(line, role))
    yield from told(consequence.note, width, "label", "", 2)


def _whole(amount: Decimal) -> str:
    return count(amount.quantize(Decimal(1), ROUND_HALF_EVEN))


def _shown(value: Wire, *, known: bool = True) -> str:
    """A value in words; what nobody knows is not the same as what is not set."""
    if value is None:
        return "not set" if known else "unknown"
    if isinstance(value, bool):
        return short(value)
    return display_text(value_text(value), multiline=True)
