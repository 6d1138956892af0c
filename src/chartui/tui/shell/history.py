"""The history of changes: view, undo, resume, and resolve unknown outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual import on
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.widget import Widget

from chartui.core.classes import NamedTuple
from chartui.core.clock import random_ids
from chartui.core.fields import Entry as Field
from chartui.core.fields import Group
from chartui.core.journal import Entry, Outcome, PlanState
from chartui.core.plans.history import PastChange, ended_text, known_names, look_at, past_changes
from chartui.core.plans.undo import NothingToUndo, undo_plan
from chartui.core.plans.wording import change_text, changes, label_of, sentence
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.guides import ELSEWHERE
from chartui.tui.numbers import number_of
from chartui.tui.run_plan import carry_out, reads_for, resume
from chartui.tui.shell.changes import moment, state_of
from chartui.tui.wait import waiting
from chartui.tui.widgets.dialog import Overview
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.sheet_view import SheetView

if TYPE_CHECKING:
    from chartui.core.plans.executor import Progress
    from chartui.tui.app import ChartuiApp

#: Maximum number of changes listed, and of details shown for one.
LISTED: Final = 200
DETAILED: Final = 50

Wish = Literal["undo", "redo", "resume", "look", "done", "refused"]


class Wanted(NamedTuple):
    """What to do with a change."""

    wish: Wish
    change: PastChange


def _sheet(found: Sequence[PastChange]) -> Sheet:
    states = [state_of(change) for change in found]
    return Sheet(
        "History",
        (
            Column("utc", title="UTC", kind=Kind.TEXT, priority=5),
            Column("state", title="State", kind=Kind.TEXT),
            Column("change", title="Change", kind=Kind.TEXT, least=36),
        ),
        tuple((moment(d.at)[:16], f"{s.glyph} {s.word}", d.title) for d, s in zip(found, states, strict=True)),
        keys=tuple(change.name for change in found),
    )


class History(Overview[Wanted | None]):
    """The changes of the open profile, newest first, and the details of the one under the cursor."""

    # The report on an undone or resumed change appears together with the history and must stay readable.
    TO_BE_READ = False

    DEFAULT_CSS = "History .detail { height: 40%; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,H", "dismiss(None)", "Close"),
        Binding("u", "wish('undo')", "Undo"),
        Binding("u", "wish('redo')", "Redo"),
        Binding("r", "wish('resume')", "Resume"),
        Binding("l", "wish('look')", "Check outcome"),
        Binding("y", "wish('done')", "Mark as applied"),
        Binding("n", "wish('refused')", "Mark as not applied"),
    ]

    def __init__(
        self, title: str, found: Sequence[PastChange], of: Callable[[str], str], *, at: str | None = None
    ) -> None:
        super().__init__(f"History · {title}")
        self._at = at
        self._found = found
        self._of = of

    def content(self) -> Iterable[Widget]:
        by_name = {change.name: change for change in self._found}
        yield SheetView(
            id="history",
            empty=f"{ELSEWHERE} There are none in this profile yet.",
            roles={
                "UTC": "label",
                "State": lambda _, name: state_of(by_name[name]).role,
                "Change": lambda _, name: "quiet" if by_name[name].undone else "value",
            },
        )
        below = FieldsView()
        below.add_class("detail")
        yield below

    def on_mount(self) -> None:
        self.query_one(SheetView).show(_sheet(self._found), keep=self._at, note=ELSEWHERE if self._found else "")
        self._detail()

    @property
    def _change(self) -> PastChange | None:
        # A key may arrive before the list exists.
        key = next((shown.current_key for shown in self.query(SheetView)), None)
        return next((change for change in self._found if change.name == key), None)

    @on(LineView.Rested)
    def _detail(self) -> None:
        change = self._change
        self.refresh_bindings()
        groups = [_group(entry, self._of) for entry in change.entries[:DETAILED]] if change else []
        more = len(change.entries) - len(groups) if change else 0
        note = "No steps were sent." if change and not groups else f"{more} more not shown." if more else ""
        self.query_one(FieldsView).show(groups, note=note)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only actions that the change under the cursor allows."""
        return action != "wish" or ((change := self._change) is not None and parameters[0] in _wishes(change))

    def on_key(self, event: Key) -> None:
        """Report why the selected change cannot be undone, although the footer does not offer that."""
        change = self._change
        if event.key == "u" and change is not None and not {"undo", "redo"} & set(_wishes(change)):
            event.stop()
            self.dismiss(Wanted("undo", change))

    def action_wish(self, wish: Wish) -> None:
        """Act on the selected change, if it allows the action."""
        change = self._change
        if change is not None and wish in _wishes(change):
            self.dismiss(Wanted(wish, change))


def _wishes(change: PastChange) -> tuple[Wish, ...]:
    """The actions that a change allows."""
    if change.alive:
        return ()
    doubtful = _doubtful(change)
    wishes: list[Wish] = [] if not change.undoable else ["redo"] if change.redoes else ["undo"]
    wishes += ["resume"] if change.resumable else []
    wishes += ["look", "done", "refused"] if doubtful else []
    return tuple(wishes)


def _group(entry: Entry, of: Callable[[str], str]) -> Group:
    """One change, member by member."""
    title = f"#{entry.number}  {sentence(entry.operation, entry.payload, entry.before, of=of)}"
    fields = [
        Field(label_of(change), "", change_text(change, 60))
        for change in changes(entry.operation, entry.payload, entry.before, of)
    ]
    fields.append(Field("ended", "", f"{entry.outcome.value}, {moment(entry.ended)} UTC" if entry.ended else "unknown"))
    fields.append(Field("changed by", "", f"{entry.origin}, on this machine"))
    if entry.error:
        fields.append(Field("error", "", entry.error))
    return Group(single_line(title, limit=100), tuple(fields))


# -- what the application does ----------------------------------------------------------------------------------------


async def show_history(app: ChartuiApp, *, at: str | None = None) -> None:
    """Show the history until it is closed, and perform the chosen actions; ``at`` is the change under the cursor."""
    async with waiting(app, "History"):
        while True:
            session = app.session
            try:
                of = await _names(app)
                found = await past_changes(session.journal, session.profile.place, limit=LISTED, of=of)
            except ServiceError as error:
                app.tell_failure(error)
                return
            wanted = await app.push_screen_wait(History(session.profile.name, found, of, at=at))
            if wanted is None:
                return
            at = await _do(app, wanted, of)


async def _names(app: ChartuiApp) -> Callable[[str], str]:
    """The names of characters, sections and triggers, as a screen has read them or the journal knows them."""
    known = await known_names(app.session.service, app.session.journal, app.session.profile.place)
    return lambda item_id: app.work.name_known(item_id) or known(item_id)


async def undo_last(app: ChartuiApp) -> None:
    """Undo the last change after a review."""
    async with waiting(app, "Undo"):
        try:
            of = await _names(app)
        except ServiceError as error:
            app.tell_failure(error)
            return
        await undo_change(app, None, of)


async def _do(app: ChartuiApp, wanted: Wanted, of: Callable[[str], str]) -> str:
    """Perform the chosen action; returns the name of the change to select next: the new undo, or the same change."""
    change = wanted.change
    match wanted.wish:
        case "undo" | "redo":
            progress = await undo_change(app, change.name, of)
            return change.name if progress is None else progress.plan.id
        case "resume":
            await resume(app, change.name, change.title)
        case "look":
            await _look(app, change)
        case "done" | "refused":
            for entry in _doubtful(change):
                await app.session.journal.resolve(entry.number, Outcome(wanted.wish))
    return change.name


async def undo_change(app: ChartuiApp, target: str | None, of: Callable[[str], str]) -> Progress | None:
    """Undo a change by its name, or the last one if None, after a review; report what prevents it.

    The result is None if nothing was started.
    """
    if app.refuses("undo"):
        return None
    session = app.session
    from chartui.core.change_costs import undo_with_costs
    from chartui.tui.screens.estimator.character import basis_of

    async with waiting(app, "Undo"):
        reads = reads_for(app)
        try:
            journal, place = session.journal, session.profile.place
            plan = await undo_plan(reads.service, journal, place, target, ids=random_ids, of=of)
            plan = await undo_with_costs(reads.service, journal, place, plan, await basis_of(app))
        except NothingToUndo as error:
            app.tell(str(error), title="Not undone", severity="warning")
        except ServiceError as error:
            app.tell_failure(error)
        else:
            verb = plan.title.partition(":")[0]  # Undo or Redo
            return await carry_out(app, plan, verb=verb, reads=reads)
    return None


def _doubtful(change: PastChange) -> list[Entry]:
    return [e for e in change.entries if e.outcome in (Outcome.OPEN, Outcome.UNKNOWN) and not e.running]


async def _look(app: ChartuiApp, change: PastChange) -> None:
    """Check the outcome of the steps of a change, and report it."""
    session = app.session
    reads, told = reads_for(app), []
    try:
        for entry in _doubtful(change):
            ended = ended_text(await look_at(reads, session.journal, entry), "y (applied) or n (not applied)")
            told.append(f"#{entry.number}: {ended}.")
    except ServiceError as error:
        app.tell_failure(error)
    if told:
        app.tell("\n".join(told), title=change.title)


async def report_unsettled(app: ChartuiApp) -> None:
    """Report unknown outcomes and interrupted changes at the start; nothing without any change."""
    session = app.session
    try:
        lost = await session.lost_store()
        found = await past_changes(session.journal, session.profile.place, open_only=True)
    except ServiceError as error:
        app.tell(
            f"{error.message} Changes are disabled until this is fixed.", title="History unavailable", severity="error"
        )
        return
    tell_lost_store(app, lost)
    doubtful = [change for change in found if _doubtful(change)]
    # One message per change with an unknown outcome: whether it can be resumed depends on that outcome.
    stopped = [d for d in found if d not in doubtful and d.plan is PlanState.INTERRUPTED and d.resumable]
    if doubtful:
        number = number_of(sum(len(_doubtful(change)) for change in doubtful), "change")
        await _told(app, f"{number} with an unknown outcome: {doubtful[0].title}.")
    if stopped:
        await _told(app, f"Interrupted: {stopped[0].title}. You can resume this change.")


async def report_replaced_store(app: ChartuiApp) -> None:
    """Warn that an empty store has replaced the one that was open."""
    with suppress(ServiceError):  # shown by the screen that reads the store, and by the history
        tell_lost_store(app, await app.session.replaced_store())


def tell_lost_store(app: ChartuiApp, lost: str | None) -> None:
    """Warn that the store is missing though the journal holds changes of it."""
    if lost is not None:
        app.tell(lost, title="The store is missing", severity="warning")


async def _told(app: ChartuiApp, what: str) -> None:
    app.tell(f"{what} {app.keymap.name('history')} shows the history.", title="Check the history", severity="warning")
