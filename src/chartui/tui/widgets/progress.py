"""A plan that was not carried out whole: the end of every step, and the way on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip

from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operations import operation
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import number_of
from chartui.tui.painting import Line, wrap
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.laid_out import LaidOut

if TYPE_CHECKING:
    from chartui.core.plans.executor import Progress, StepState
    from chartui.core.plans.plan import Step
    from chartui.tui.app import ChartuiApp

__all__ = ["Report"]


class Report(Dialog[bool]):
    """What became of every step of a plan that was not wholly carried out; the result is whether to go on now."""

    DEFAULT_CSS = """
    Report > Vertical {
        width: 90;
        border: round $meaning-danger;
        border-title-color: $meaning-danger;
        padding: 1 0;
    }
    Report _Lines { height: auto; max-height: 100%; background: $surface; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "dismiss(False)", show=False, priority=True),
        Binding("r", "dismiss(True)", show=False),
    ]
    UNFORESEEN = True

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def compose(self) -> ComposeResult:
        """The sums, then the steps, those in trouble first."""
        with Vertical() as panel:
            panel.border_title = Content(single_line(f"Not all done: {self._progress.plan.title}", limit=70))
            panel.border_subtitle = Content("r goes on now · esc closes")
            yield _Lines(self._progress)

    def on_mount(self) -> None:
        """Keys scroll."""
        self.query_one(_Lines).focus()


class _Lines(LaidOut[tuple[str, str, str]]):
    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def can_stop_at(self, index: int) -> bool:  # noqa: ARG002
        return False

    def lay_out(self) -> None:
        history = cast("ChartuiApp", self.app).keymap.label("history")
        self.put(list(_report_rows(self._progress, self._width - 3, history)))

    def draw_row(self, index: int, width: int) -> Strip:
        glyph, role, text = self._rows[index]
        line = Line(width).gap()
        if glyph:
            line.add(glyph, getattr(self.palette, role)).gap()
        return line.add(text, self.palette.value if glyph else getattr(self.palette, role)).strip()


def _report_rows(progress: Progress, width: int, history: str) -> Iterator[tuple[str, str, str]]:
    """Lines of (glyph, role, text). What was done is counted; what was not is named, with its reason."""
    from chartui.core.plans.executor import StepState

    failures = [
        progress.errors.get(number) for number, found in enumerate(progress.states) if found is StepState.FAILED
    ]
    late = all(error is not None and error.kind is ErrorKind.TIMEOUT for error in failures)
    signs = {
        StepState.FAILED: (GLYPHS.danger, "danger", f"{'timed out' if late else 'refused'}, nothing was changed"),
        StepState.UNKNOWN: (GLYPHS.unknown, "warning", "sent, but nobody said whether it was done"),
        StepState.NOT_TRIED: (GLYPHS.waiting, "quiet", "not tried"),
        StepState.ALREADY: (GLYPHS.done, "local", "was so already"),
        StepState.DONE: (GLYPHS.done, "local", "done"),
    }
    states = progress.states
    for state, (glyph, role, words) in signs.items():
        if number := states.count(state):
            yield (glyph, role, f"{number_of(number, 'step')} {words}")
    yield ("", "value", "")
    for line in wrap(_what_now(states, history), width):
        yield ("", "label", line)
    for state in (StepState.UNKNOWN, StepState.FAILED, StepState.NOT_TRIED):
        for number, found in enumerate(states):
            if found is state:
                yield ("", "value", "")
                glyph, role, _ = signs[state]
                yield (glyph, role, _name(progress.plan.steps[number]))
                if number in progress.errors:
                    yield from (("", "label", f"  {line}") for line in wrap(str(progress.errors[number]), width - 2))


def _what_now(states: tuple[StepState, ...], history: str) -> str:
    from chartui.core.plans.executor import StepState

    kept = "What is done stays done. " if {StepState.DONE, StepState.ALREADY} & set(states) else ""
    if set(states) == {StepState.NOT_TRIED}:
        kept = "Nothing was sent. "
    if StepState.UNKNOWN in states:
        return f"{kept}Going on looks first whether the step without an answer was done."
    return f"{kept}Going on tries what is not done again, now or later from the history ({history})."


def _name(step: Step) -> str:
    subject = single_line(step.subject)
    deed = operation(step.operation).summary
    return f"{subject} · {deed}" if subject else deed
