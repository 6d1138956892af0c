"""Learning a service's rates: confirmed first, with progress, stopped at any time, and reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.worker import Worker

from chartui.core.jsontext import canonical
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import bar
from chartui.tui.numbers import count, number_of
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.questions import Options
from chartui.tui.widgets.text import Fact, Facts

if TYPE_CHECKING:
    from chartui.core.estimation.learned.questions import Progress
    from chartui.core.estimation.learned.rates import Manner, Report
    from chartui.core.estimation.rates import Rates
    from chartui.core.rate_effects import RateEffect
    from chartui.core.session import Session
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.estimator.screen import EstimatorScreen

#: Most misfits and options without a price that are listed.
_TOLD: Final = 3
#: Cells of the progress bar.
_BAR: Final = 40


def manner() -> Manner:
    """The pace of the requests; tests replace it to avoid waiting."""
    from chartui.core.estimation.learned.rates import Manner

    return Manner()


async def learn_rates(app: ChartuiApp) -> None:
    """Learn the rates of the open profile's service; every screen uses the card once written. Await it in a worker."""
    session = app.session
    if session.profile.embedded:
        app.tell(
            f"Profile '{session.profile.name}' is a local store. Its rate card is exact, so there is nothing to learn.",
            title="Rates",
        )
        return

    def written() -> None:
        session.rates.forget()
        for screen in app.work:
            screen.data_changed()

    await app.push_screen_wait(Learning(session, written))


class RatesQuestion(Dialog[str | None]):
    """Asks which rates a view should use for a service whose own rates are unknown."""

    DEFAULT_CSS = """
    RatesQuestion > Vertical { padding: 1 1 0 1; }
    RatesQuestion Options { height: auto; max-height: 16; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l", "dismiss('learn')", "Learn rates"),
        Binding("y", "dismiss('reference')", "Use reference rates"),
        Binding("enter", "enter", "Choose"),
        Binding("escape", "dismiss(None)", "Cancel"),
    ]
    UNFORESEEN = True
    ANSWERS: ClassVar = (None, "learn", "reference")

    def __init__(self, rates: Rates, where: str) -> None:
        super().__init__(f"Rates for {single_line(where, limit=60)}")
        why = rates.problem or "no rates have been learned from this service"
        message = (
            f"This tab computes costs locally, but {single_line(why, limit=200)}. Learning the rates takes about "
            "80 estimates and 20 seconds, and changes nothing on the service. Reference rates are invented, so "
            "every tab that uses them is marked."
        )
        answers = ("Back to the estimate", "esc"), ("Learn rates…", "l"), ("Use reference rates", "y")
        self._question = Options(message, *answers)

    def content(self) -> Iterable[Widget]:
        yield self._question

    def on_line_view_chosen(self) -> None:
        self.dismiss(self.ANSWERS[self._question.answer])


async def settle_rates(screen: EstimatorScreen) -> None:
    """Ask which rates the tabs should use; they open only with an answer, which is kept for the profile."""
    app = screen.workbench
    rates = app.session.rates
    answer = await app.push_screen_wait(RatesQuestion(rates.get(), app.session.where))
    if answer == "learn":
        await learn_rates(app)
    elif answer == "reference":
        try:
            rates.choose_reference()
        except OSError as error:
            text = f"Reference rates for this session only: {error.filename} cannot be written ({error.strerror})."
            app.tell(text, title="Rates", severity="warning")
    screen.take_rates()
    if rates.get().unsettled:
        await screen.action_view("estimate")


class _Stage(StrEnum):
    BEFORE = "before"
    RUNNING = "running"
    ENDED = "ended"  # with a verdict: nothing to resume
    STOPPED = "stopped"  # by the user or the service: the same key resumes


#: The stages in which an action is possible.
_POSSIBLE: Final = {
    "begin": {_Stage.BEFORE},
    "go_on": {_Stage.STOPPED},
    "stop": {_Stage.RUNNING},
    "dismiss": {_Stage.BEFORE, _Stage.ENDED, _Stage.STOPPED},
}


class Learning(Dialog[None]):
    """Shows the effort of learning, then the progress, then the result.

    ``written`` is called when a card was written. Closing stops learning and keeps every answer.
    """

    DEFAULT_CSS = """
    Learning > Vertical {
        width: 76;
        border: round $meaning-credits;
        border-title-color: $meaning-credits;
        padding: 1 0;
    }
    Learning VerticalScroll { height: auto; max-height: 100%; background: $surface; scrollbar-size-vertical: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "begin", "Start", priority=True),
        Binding("enter", "go_on", "Continue", priority=True),
        Binding("escape,q", "stop", "Stop"),
        Binding("escape,q", "dismiss(None)", "Close"),
    ]

    def __init__(self, session: Session, written: Callable[[], None]) -> None:
        super().__init__()
        self._session = session
        self._written = written
        self._stage = _Stage.BEFORE
        self._work: Worker[None] | None = None
        self._facts = Facts()
        self._anew = ""

    def compose(self) -> ComposeResult:
        with Vertical() as panel:
            panel.border_title = Content(single_line(f"Learn rates from {self._session.where}", limit=66))
            with VerticalScroll():
                yield self._facts

    def on_mount(self) -> None:
        self._show(_Stage.BEFORE, list(_before(self._kept)))

    @property
    def _kept(self) -> int:
        from chartui.core.estimation.learned.answers import Kept, kept_path

        try:
            return Kept(kept_path(self._session.profile)).count
        except OSError:
            return 0  # learning itself reports a faulty file

    def _show(self, stage: _Stage, facts: list[Fact]) -> None:
        self._stage = stage
        self._facts.show(facts)
        self.refresh_bindings()

    # -- keys ---------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action not in _POSSIBLE:
            return super().check_action(action, parameters)
        return self._stage in _POSSIBLE[action]

    def action_begin(self) -> None:
        self._anew = ""
        self._show(_Stage.RUNNING, [_STARTING])
        self._work = self.run_worker(self._learn, group="learning", exclusive=True)

    def action_go_on(self) -> None:
        self.action_begin()

    def action_stop(self) -> None:
        if self._work is not None:
            self._work.cancel()
            self._show(_Stage.STOPPED, [_stopped(self._kept)])

    def _show_progress(self, progress: Progress) -> None:
        if self._stage is not _Stage.RUNNING:
            return
        if progress.phase.value == "anew":
            self._anew = single_line(f"Restarted: {progress.subject}")
        else:
            self._facts.show([*_under_way(progress), *([Fact("", self._anew, "warning")] if self._anew else [])])

    # -- the work -----------------------------------------------------------------------------------------------------

    async def _learn(self) -> None:
        from chartui.core.estimation.learned.rates import learn

        service = self._session.service.asking_as("rates")
        try:
            with self.workbench.window.timed("Learning rates"):
                report = await learn(service, self._session.profile, manner=manner(), told=self._show_progress)
                effects = await self._effects(report)
        except ServiceError as error:
            # The message already says what is kept.
            self._show(_Stage.STOPPED, [Fact("Stopped", error.message, role="danger", sign=GLYPHS.danger)])
        except OSError as error:
            text = f"{error.filename or 'A file'} cannot be used: {error.strerror}."
            self._show(_Stage.STOPPED, [Fact("Stopped", text, role="danger", sign=GLYPHS.danger)])
        else:
            self._show(_Stage.ENDED, [*_told(report), *_effects(report, effects)])
            if report.card is not None:
                self._written()

    async def _effects(self, report: Report) -> tuple[RateEffect, ...]:
        """What the new card changes for the presets, pins and characters; empty without an earlier card."""
        if report.before is None or report.card is None:
            return ()
        from chartui.core.rate_effects import effects_on_profile

        return await effects_on_profile(self._session, report.before, report.card)


# -- in words ---------------------------------------------------------------------------------------------------------


def _before(kept: int) -> Iterator[Fact]:
    yield Fact("What", "Requests estimates to learn what every model, voice and animation of this service costs.")
    yield Fact(
        "How",
        "This requests about 80 estimates, five per second. The service is not changed. You can stop at any time.",
    )
    yield Fact("Then", "Tests the rates on 20 random configurations. If all match, the tabs use the rates.")
    if kept:
        yield Fact(
            "Kept",
            f"{number_of(kept, 'response')} from an earlier attempt. Learning resumes from there.",
            role="credits",
        )


_STARTING: Final = Fact("Progress", "Starting…", role="title")


def _under_way(progress: Progress) -> Iterator[Fact]:
    """The number of answers, a bar, the current request, and the largest error."""
    if not progress.total:
        yield _STARTING
    else:
        checking = progress.phase.value == "trying" or progress.worst is not None
        doing = "checking configurations" if checking else "measuring"
        yield Fact("Progress", f"{progress.done} of {progress.total} responses, {doing}", role="title")
        yield Fact("", bar(progress.done / progress.total, _BAR), role="credits")
    subject = single_line(progress.subject)
    if progress.phase.value == "waiting":
        yield Fact("Waiting", f"{progress.seconds:.0f} s: {subject}", role="warning", sign=GLYPHS.warning)
    elif subject:
        yield Fact("Request", subject, role="label")
    if progress.worst is not None:
        yield Fact("Worst error", f"{canonical(progress.worst)} credits so far")


def _effects(report: Report, effects: tuple[RateEffect, ...]) -> Iterator[Fact]:
    if report.before is None or report.card is None:
        return
    from chartui.core.estimation.card_difference import card_changes

    number = number_of(len(card_changes(report.before, report.card)), "value")
    yield Fact("Changed", f"{number} in the rate card. “chartui rates diff previous learned” lists the changes.")
    for effect in effects:
        yield Fact(effect.what.capitalize(), effect.text)


def _stopped(kept: int) -> Fact:
    return Fact("Stopped", f"Kept {number_of(kept, 'response')}. Learning resumes from there.", sign=GLYPHS.given_up)


def _told(report: Report) -> Iterator[Fact]:
    worst = f"{canonical(report.worst_error)} credit{'' if report.worst_error == 1 else 's'}"
    if report.card is None:
        what = "No rate card can describe the prices of this service. Nothing was written."
        yield Fact("No rate card", what, role="danger", sign=GLYPHS.danger)
        if report.problem:
            yield Fact("Why", f"{report.problem[0].upper()}{report.problem[1:]}.")
        for number, misfit in enumerate(report.misfits[:_TOLD]):
            yield Fact("" if number else "Why", f"{misfit.sentence[0].upper()}{misfit.sentence[1:]}.")
        if len(report.misfits) > _TOLD:
            yield Fact("", f"{number_of(len(report.misfits) - _TOLD, 'further difference')}; the largest is {worst}.")
    else:
        card = report.card
        tried = f"Worst error in {report.tests} random configurations: {worst}."
        yield Fact("Learned", f"From {number_of(report.calls, 'response')}. {tried}", role="local", sign=GLYPHS.done)
        yield Fact("Rate card", f"Version {card.version}, effective {card.effective_date}. It is used from now on.")
        if report.where:
            yield Fact("Worst", report.where)
        if report.latency_problem:
            left_out = f"Not learned: {report.latency_problem}."
            yield Fact("Latencies", left_out, role="warning", sign=GLYPHS.warning)
    missing = [key for keys in report.missing.values() for key in keys]
    if missing:
        more = f" and {count(len(missing) - _TOLD)} more" if len(missing) > _TOLD else ""
        yield Fact("Unknown", f"No price: {', '.join(missing[:_TOLD])}{more}.", sign=GLYPHS.unknown)
    for number, note in enumerate(report.notes):
        yield Fact("" if number else "Notes", note)
