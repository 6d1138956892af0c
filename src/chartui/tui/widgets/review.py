"""A plan before it is carried out: what it changes, from what to what, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from typing import ClassVar, Final, Literal, NamedTuple

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
from chartui.core.plans.consequences import CREDITS
from chartui.core.plans.difference import differences
from chartui.core.plans.plan import Change, Consequence, Plan, Step
from chartui.core.plans.wording import LABELS, consequence_text, short
from chartui.core.spec.operations import operation
from chartui.core.text import display_text, single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count, credits_text
from chartui.tui.painting import Line, wrap
from chartui.tui.theming import Palette
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.laid_out import LaidOut

__all__ = ["Review", "number_of"]

LABEL_WIDTH: Final = 17
#: Of a text that is longer than this many lines, the first are shown: one reviews a change, one does not proofread.
MOST_LINES: Final = 200
#: Plans of more steps than this show long texts by their size; a key opens them.
MANY: Final = 20

Role = Literal["value", "label", "quiet", "title", "accent", "staged", "warning", "danger"]


class _Piece(NamedTuple):
    text: str
    role: Role
    changed: bool = False


#: A line before it is painted; kept as words and roles, so that a change of theme needs no new layout.
_Row = tuple[_Piece, ...]
_BLANK: Final[_Row] = ()


def number_of(things: int, word: str) -> str:
    """``1 step``, ``200 steps``."""
    return f"{count(things)} {word}{'' if things == 1 else 's'}"


class Review(Dialog[bool]):
    """Shows a plan and asks whether to carry it out; the result is the answer.

    Cancel has the cursor, and the key that agrees is not the one that opened it. ``deed`` is what agreeing is called.
    """

    DEFAULT_CSS = """
    Review > Vertical { width: 100; border: round $meaning-staged; border-title-color: $meaning-staged; }
    Review _Changes { height: auto; max-height: 100%; background: $surface; margin: 1 0 0 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(False)", show=False),
        Binding("y", "dismiss(True)", show=False),
        Binding("enter", "answer", show=False),
        Binding("left,right,tab,shift+tab", "other", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("home", "end(False)", show=False),
        Binding("end", "end(True)", show=False),
        Binding("d", "texts", show=False),
    ]

    def __init__(self, plan: Plan, *, deed: str = "Carry out") -> None:
        super().__init__()
        self.plan = plan
        self._changes = _Changes(plan)
        self._answers = _Answers(deed)

    def compose(self) -> ComposeResult:
        """The changes above, the two answers always in sight below."""
        changes = sum(len(step.changes) for step in self.plan.steps)
        with Vertical() as panel:
            panel.border_title = Content(single_line(self.plan.title, limit=80))
            steps = number_of(len(self.plan.steps), "step")
            panel.border_subtitle = Content(f"{steps} · {number_of(changes, 'change')}" if changes else steps)
            yield self._changes
            yield self._answers

    def on_mount(self) -> None:
        """Keys go to the answers."""
        self._answers.focus()

    def action_answer(self) -> None:
        """Give the answer that has the cursor."""
        self.dismiss(self._answers.agreeing)

    def action_other(self) -> None:
        """Put the cursor on the other answer."""
        self._answers.turn()

    def action_scroll(self, step: int) -> None:
        """A line up or down."""
        self._changes.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self._changes.scroll_relative(y=step * max(1, self._changes.size.height - 1), animate=False)

    def action_end(self, last: bool) -> None:
        """The first or the last line."""
        self._changes.scroll_to(y=self._changes.row_count if last else 0, animate=False)

    def action_texts(self) -> None:
        """Show long texts whole, or by their size."""
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
        """A click beside the answers is none."""
        event.stop()


class _Changes(LaidOut[_Row]):
    """Every step with its changes. Laid out once a width; drawn a line at a time."""

    can_focus = False

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self._plan = plan
        self._whole = len(plan.steps) <= MANY

    def can_stop_at(self, index: int) -> bool:  # noqa: ARG002
        return False

    def toggle_texts(self) -> None:
        self._whole = not self._whole
        self.lay_out()

    def lay_out(self) -> None:
        self.put(list(_rows_of(self._plan, max(24, self._width - 3), whole=self._whole)))

    def draw_row(self, index: int, width: int) -> Strip:
        palette, line = self.palette, Line(width).gap()
        for text, role, changed in self._rows[index]:
            style: Style = getattr(palette, role)
            line.add(text, style + Style(underline=True) if changed else style)
        return line.strip()


# -- what is written ---------------------------------------------------------------------------------------------------


def _rows_of(plan: Plan, width: int, *, whole: bool) -> Iterator[_Row]:
    """The lines of a plan. A reason that all steps share is said once, above them."""
    if not plan.steps:
        yield (_Piece("There is nothing to change.", "label"),)
        return
    shared = plan.steps[0].reason if len({step.reason for step in plan.steps}) == 1 else ""
    blind = sum(not change.known for step in plan.steps for change in step.changes)
    yield from _told(shared, width, "label")
    if blind and len(plan.steps) > 1:
        sentence = f"{count(blind)} of the values cannot be checked beforehand: nobody says what is there now."
        yield from _told(sentence, width, "warning", GLYPHS.warning)
    for note in plan.notes:
        yield from _told(note, width, "warning", GLYPHS.warning)
    for consequence in plan.consequences:
        yield from _consequence_rows(consequence, width)
    if shared or (blind and len(plan.steps) > 1) or plan.notes or plan.consequences:
        yield _BLANK
    for index, step in enumerate(plan.steps):
        if index:
            yield _BLANK
        yield from _step_rows(step, index, len(plan.steps), width, whole=whole)
        if step.reason != shared:
            yield from _told(step.reason, width, "label")


def _step_rows(step: Step, index: int, steps: int, width: int, *, whole: bool) -> Iterator[_Row]:
    number = f"{index + 1:>{len(str(steps))}}  " if steps > 1 else ""
    deed = operation(step.operation).summary
    subject = single_line(step.subject)
    yield (_Piece(number, "quiet"), _Piece(subject or deed, "title"))
    if subject and not step.changes:
        yield (_Piece(deed, "value"),)
    for change in step.changes:
        yield from _change_rows(change, width, whole=whole)
    for consequence in step.consequences:
        yield from _consequence_rows(consequence, width)


def _change_rows(change: Change, width: int, *, whole: bool) -> Iterator[_Row]:
    before, after = _shown(change.before, known=change.known), _shown(change.after)
    if change.label == LABELS["reasoning_effort"] and change.after == "":
        after = "not set"  # what a request sends to clear it (decision 23)
    label = single_line(change.label)
    label = label.ljust(LABEL_WIDTH) if cell_len(label) < LABEL_WIDTH else f"{label} "
    arrow = f" {GLYPHS.to} "
    if "\n" not in before + after and cell_len(label + before + arrow + after) <= width:
        old = _Piece(before, "value" if change.known else "warning")
        yield (_Piece(label, "label"), old, _Piece(arrow + after, "staged"))
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
        size = _Piece(arrow.join(sizes) + " characters", "label" if whole else "staged")
        yield (_Piece(label, "label"), size, _Piece(hint, "quiet"))
        if whole:
            yield from _difference_rows(old_text, new_text, width)
    if not change.known:
        sentence = "Cannot be checked: the service does not say what is there now."
        yield from _told(sentence, width, "warning", GLYPHS.warning, 2)
    yield from _told(change.note, width, "warning", GLYPHS.warning, 2)


def _consequence_rows(consequence: Consequence, width: int) -> Iterator[_Row]:
    """An amount that becomes another one; what is the same is told as well, since that is what one wants to know."""
    label = single_line(consequence.label).ljust(LABEL_WIDTH)
    number = credits_text if consequence.unit == CREDITS else _whole
    lines = wrap(consequence_text(consequence, number), width - LABEL_WIDTH)
    unknown = consequence.before is None or consequence.after is None
    for index, line in enumerate(lines):
        role: Role = "warning" if unknown else "value"
        yield (_Piece(label if index == 0 else " " * LABEL_WIDTH, "label"), _Piece(line, role))
    yield from _told(consequence.note, width, "label", "", 2)


def _whole(amount: Decimal) -> str:
    return count(amount.quantize(Decimal(1), ROUND_HALF_EVEN))


def _difference_rows(before: str, after: str, width: int) -> Iterator[_Row]:
    """The lines that go, with ``−``, and those that come, with ``+``; lines that stay are counted."""
    left = MOST_LINES
    for line in differences(before, after):
        if left <= 0:
            yield (_Piece("  … and more that is not shown here", "quiet"),)
            return
        if line.sign == "=":
            yield (_Piece(f"  {GLYPHS.ellipsis} {number_of(line.count, 'line')} as before", "quiet"),)
            left -= 1
            continue
        gone = line.sign == "-"
        mark = _Piece("− " if gone else "+ ", "danger" if gone else "staged")
        shown = [(display_text(part.text), part.changed) for part in line.parts]
        for number, row in enumerate(_flow(shown, width - 2)):
            pieces = (_Piece(text, mark.role if changed else "label", changed) for text, changed in row)
            yield (mark if number == 0 else _Piece("  ", "label"), *pieces)
            left -= 1
            if left <= 0:
                break


def _flow(parts: Iterable[tuple[str, bool]], width: int) -> Iterator[list[tuple[str, bool]]]:
    """Marked text in lines of at most ``width`` cells, broken behind blanks where that can be done."""
    line: list[tuple[str, bool]] = []
    used = 0
    for text, changed in parts:
        for word in _words(text, width):
            cells = cell_len(word)
            if used and used + cell_len(word.rstrip(" ")) > width:
                yield line
                line, used = [], 0
            if line and line[-1][1] == changed:
                line[-1] = (line[-1][0] + word, changed)
            else:
                line.append((word, changed))
            used += cells
    if line:
        yield line


def _words(text: str, width: int) -> Iterator[str]:
    """The words of a text, each with the blanks behind it; one that is wider than a line comes in pieces."""
    for piece in text.replace(" ", " \n").split("\n"):
        yield from wrap(piece, width) if cell_len(piece) > width else [piece]


def _told(text: str, width: int, role: Role, glyph: str = "", indent: int = 0) -> Iterator[_Row]:
    if not text:
        return
    start = " " * indent + (f"{glyph} " if glyph else "")
    for number, line in enumerate(wrap(text, width - len(start))):
        yield (_Piece(start if number == 0 else " " * len(start), role), _Piece(line, role))


def _shown(value: Wire, *, known: bool = True) -> str:
    """A value in words; what nobody knows is not the same as what is not set."""
    if value is None:
        return "not set" if known else "unknown"
    if isinstance(value, bool):
        return short(value)
    return display_text(value_text(value), multiline=True)
