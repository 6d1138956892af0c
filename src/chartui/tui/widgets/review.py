"""The review of a plan: the old and new values of each change, and the reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.plans.plan import Plan
from chartui.core.plans.review import counts, new_parts, plan_lines
from chartui.core.text import single_line
from chartui.tui.lines import Line
from chartui.tui.theme import Palette
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.questions import Answers, TypeCount
from chartui.tui.widgets.text import PieceRow, rows_of, told
from chartui.tui.widgets.told_list import Rows

#: Plans of more steps than this show long texts by their size; a key opens them.
MANY: Final = 20
#: More new parts of a story than this are counted together; the same key lists them.
_NEW: Final = 4


class Review(Dialog[bool]):
    """Shows a plan and its profile, and asks whether to apply it; the result is the answer.

    Cancel is preselected, and the key that confirms is not the one that opened it. ``agree`` labels the button to
    confirm. For a change of several characters, the user types their number instead. ``caveat`` is what cannot be
    promised of the plan, in a sentence. ``to_be_read`` refuses an answer that was typed before the review appeared.
    """

    DEFAULT_CSS = """
    Review > Vertical { width: 100; border: round $meaning-staged; border-title-color: $meaning-staged; }
    Review > Vertical.-production { border: round $meaning-danger; border-subtitle-color: $meaning-danger; }
    Review Rows { height: auto; max-height: 100%; background: $surface; margin: 1 0 0 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "agree", "Confirm"),
        Binding("enter", "answer", "Choose"),
        Binding("t", "texts", "Full text"),
        Binding("escape", "dismiss(False)", "Cancel"),
        Binding("left,right,tab,shift+tab", "other", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("home,g", "end(False)", show=False),
        Binding("end,G", "end(True)", show=False),
    ]
    CONCLUSIVE = True

    def __init__(
        self,
        plan: Plan,
        *,
        agree: str = "Apply",
        caveat: str = "",
        to_be_read: bool = False,
    ) -> None:
        super().__init__(plan.title)
        self.plan = plan
        self._caveat = caveat
        self._to_be_read = to_be_read
        self._many = len(plan.steps) > MANY
        self._folds = self._many or len(new_parts(plan)) > _NEW
        self._whole = not self._folds
        self._changes = Rows(self._rows)
        self._changes.can_focus = False
        self._answers: _Answers | TypeCount = TypeCount(len(plan.steps), agree) if plan.bulk else _Answers(agree)

    @property
    def unforeseen(self) -> bool:
        """Whether keys typed before the review was visible are refused: if something is at stake."""
        production = self.workbench.session.profile.production
        return self._to_be_read or production or self.plan.at_stake or isinstance(self._answers, TypeCount)

    def content(self) -> Iterable[Widget]:
        profile = self.workbench.session.profile
        self.panel.set_class(profile.production, "-production")
        where = single_line(profile.name, limit=30)
        kind = "PRODUCTION" if profile.production else "on"
        self.panel.border_subtitle = Content(f"{kind} {where} · {counts(self.plan)}")
        yield self._changes
        yield self._answers

    def on_mount(self) -> None:
        self.watch(self._changes, "show_vertical_scrollbar", self._answers.show_scrolling)

    def _rows(self, width: int) -> Iterator[PieceRow]:
        fold = "" if self._whole or len(new_parts(self.plan)) <= _NEW else "t shows every new part in full"
        for line in plan_lines(self.plan, texts=self._whole or not self._many, hint="  t shows the text", fold=fold):
            yield from rows_of(line, width)
        if self._caveat:
            yield ()
            yield from told(self._caveat, width, "quiet")

    def action_answer(self) -> None:
        """Give the selected answer; a wrong number is not an answer."""
        if isinstance(self._answers, _Answers) or self._answers.agreeing:
            self.dismiss(self._answers.agreeing)
        else:
            self._answers.refuse()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """One key confirms only if no number has to be typed, and one opens texts if some are folded."""
        return {"agree": isinstance(self._answers, _Answers), "texts": self._folds}.get(action, True)

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
        self._whole = not self._whole
        self._changes.lay_out()


class _Answers(Answers):
    """Cancel, and the button to confirm beside it."""

    def __init__(self, verb: str) -> None:
        super().__init__()
        self._verb = verb
        self.agreeing = False

    def turn(self) -> None:
        self.agreeing = not self.agreeing
        self.refresh()

    def render_line(self, y: int) -> Strip:
        palette, line = Palette.of(self.app.theme_variables), Line(self.size.width)
        if y == 0:
            return line.strip(self.rich_style)
        options = (("Cancel", "esc", "dismiss(False)", False), (self._verb, "y", "dismiss(True)", True))
        for text, key, action, agrees in options:
            here = agrees == self.agreeing
            link = Style(meta={"@click": f"screen.{action}"})
            line.add("› " if here else "  ", palette.accent)
            line.add(text, (palette.title if here else palette.label) + link).gap().add(key, palette.key + link).gap(3)
        self.add_scrolling(line, palette)
        return line.strip(self.rich_style)
