"""What was changed from here: looked through, taken back, gone on with, and cleared up where its end is not known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from chartui.core.clock import random_ids
from chartui.core.fields import Entry as Field
from chartui.core.fields import Group
from chartui.core.journal import Entry, Outcome, PlanState
from chartui.core.plans.history import Deed, character_names, deeds, ended_text, look_at
from chartui.core.plans.undo import NothingToUndo, undo_plan
from chartui.core.plans.wording import changes, sentence, short
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.numbers import number_of
from chartui.tui.run_plan import reads_for, resume
from chartui.tui.shell.changes import moment, state_of
from chartui.tui.wait import waiting
from chartui.tui.widgets.dialog import Overview
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.sheet_view import SheetView

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Deeds that are listed, and changes of one that are shown, at most.
LISTED: Final = 200
DETAILED: Final = 50

Wish = Literal["undo", "resume", "look", "done", "refused"]


class Wanted(NamedTuple):
    """What is to be done with a deed."""

    wish: Wish
    deed: Deed


def _sheet(found: Sequence[Deed]) -> Sheet:
    states = [state_of(deed) for deed in found]
    return Sheet(
        "History",
        (
            Column("utc", title="UTC", kind=Kind.TEXT, priority=5),
            Column("state", title="State", kind=Kind.TEXT),
            Column("change", title="Change", kind=Kind.TEXT, least=36),
        ),
        tuple((moment(d.at)[:16], f"{s.glyph} {s.word}", d.title) for d, s in zip(found, states, strict=True)),
        keys=tuple(deed.name for deed in found),
    )


class History(Overview[Wanted | None]):
    """The deeds of the open profile, newest first, and the changes of the one under the cursor."""

    # What was done with a change is reported as the history comes back: that report is to be read as well.
    TO_BE_READ = False

    DEFAULT_CSS = "History .detail { height: 40%; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,H", "dismiss(None)", "Close"),
        Binding("u", "wish('undo')", "Undo"),
        Binding("r", "wish('resume')", "Go on"),
        Binding("l", "wish('look')", "Look how it ended"),
        Binding("d", "wish('done')", "It was done"),
        Binding("n", "wish('refused')", "It was not"),
    ]

    def __init__(self, title: str, found: Sequence[Deed], of: Callable[[str], str]) -> None:
        super().__init__()
        self._title = title
        self._found = found
        self._of = of

    def compose(self) -> ComposeResult:
        """The list above, the changes below."""
        with Vertical() as panel:
            panel.border_title = Content(single_line(f"History · {self._title}", limit=60))
            empty = "Nothing was changed from here yet. What you save, switch or delete is listed here."
            by_name = {deed.name: deed for deed in self._found}
            yield SheetView(
                empty=empty,
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
        """Keys go to the list."""
        shown = self.query_one(SheetView)
        shown.show(_sheet(self._found))
        shown.focus()
        self._detail()

    @property
    def _deed(self) -> Deed | None:
        # A key may come before the list is there.
        key = next((shown.current_key for shown in self.query(SheetView)), None)
        return next((deed for deed in self._found if deed.name == key), None)

    @on(LineView.Rested)
    def _detail(self) -> None:
        deed = self._deed
        self.refresh_bindings()
        groups = [_group(entry, self._of) for entry in deed.entries[:DETAILED]] if deed else []
        more = len(deed.entries) - len(groups) if deed else 0
        note = "No step of it was sent." if deed and not groups else f"{more} more are not shown." if more else ""
        self.query_one(FieldsView).show(groups, note=note)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what makes sense for the change under the cursor."""
        return action != "wish" or ((deed := self._deed) is not None and parameters[0] in _wishes(deed))

    def action_wish(self, wish: Wish) -> None:
        """Do something with the deed under the cursor, where it makes sense."""
        deed = self._deed
        if deed is not None and wish in _wishes(deed):
            self.dismiss(Wanted(wish, deed))


def _wishes(deed: Deed) -> tuple[Wish, ...]:
    """What can be done with a deed."""
    if deed.alive:
        return ()
    doubtful = _doubtful(deed)
    wishes: list[Wish] = ["undo"] if deed.undoable else []
    wishes += ["resume"] if deed.resumable else []
    wishes += ["look", "done", "refused"] if doubtful else []
    return tuple(wishes)


def _group(entry: Entry, of: Callable[[str], str]) -> Group:
    """One change, member by member."""
    title = f"#{entry.number}  {sentence(entry.operation, entry.payload, entry.before, of=of)}"
    fields = [
        Field(
            change.label, "", f"{short(change.before, 60) if change.known else 'unknown'} → {short(change.after, 60)}"
        )
        for change in changes(entry.operation, entry.payload, entry.before)
    ]
    fields.append(Field("ended", "", f"{entry.outcome.value}, {moment(entry.ended)} UTC" if entry.ended else "unknown"))
    fields.append(Field("asked by", "", entry.origin))
    if entry.error:
        fields.append(Field("because", "", entry.error))
    return Group(single_line(title, limit=100), tuple(fields))


# -- what the application does ----------------------------------------------------------------------------------------


async def show_history(app: ChartuiApp) -> None:
    """Show the history until it is closed, and do what is wanted with a deed meanwhile."""
    async with waiting(app, "History"):
        while True:
            session = app.session
            try:
                of = await character_names(session.service)
                found = await deeds(session.journal, session.profile.place, limit=LISTED, of=of)
            except ServiceError as error:
                app.tell_failure(error)
                return
            wanted = await app.push_screen_wait(History(session.profile.name, found, of))
            if wanted is None:
                return
            await _do(app, wanted, of)


async def undo_last(app: ChartuiApp) -> None:
    """Take back the last thing that was done, after a review."""
    async with waiting(app, "Undo"):
        try:
            of = await character_names(app.session.service)
        except ServiceError as error:
            app.tell_failure(error)
            return
        await take_back(app, None, of)


async def _do(app: ChartuiApp, wanted: Wanted, of: Callable[[str], str]) -> None:
    deed = wanted.deed
    match wanted.wish:
        case "undo":
            await take_back(app, deed.name, of)
        case "resume":
            await resume(app, deed.name, deed.title)
        case "look":
            await _look(app, deed)
        case "done" | "refused":
            for entry in _doubtful(deed):
                await app.session.journal.settle(entry.number, Outcome(wanted.wish))


async def take_back(app: ChartuiApp, target: str | None, of: Callable[[str], str]) -> None:
    """Take back a deed by its name, or the last one when None, after a review; what keeps it from that is told."""
    if app.refuses("undo"):
        return
    session = app.session
    async with waiting(app, "Undo"):
        reads = reads_for(app)
        try:
            plan = await undo_plan(reads.service, session.journal, session.profile.place, target, ids=random_ids, of=of)
        except NothingToUndo as error:
            app.tell(str(error), title="Not undone", severity="warning")
        except ServiceError as error:
            app.tell_failure(error)
        else:
            await app.carry_out(plan, deed="Undo", reads=reads)


def _doubtful(deed: Deed) -> list[Entry]:
    return [e for e in deed.entries if e.outcome in (Outcome.OPEN, Outcome.UNKNOWN) and not e.running]


async def _look(app: ChartuiApp, deed: Deed) -> None:
    """Find out how the changes of a deed ended, and say so."""
    session = app.session
    reads, told = reads_for(app), []
    try:
        for entry in _doubtful(deed):
            ended = ended_text(await look_at(reads, session.journal, entry), "d or n")
            told.append(f"#{entry.number}: {ended}.")
    except ServiceError as error:
        app.tell_failure(error)
    if told:
        app.tell("\n".join(told), title=deed.title)


async def report_unsettled(app: ChartuiApp) -> None:
    """Say at the start what has no known end, or was interrupted; nothing where nothing was ever changed."""
    session = app.session
    try:
        lost = await session.lost_store()
        found = await deeds(session.journal, session.profile.place, open_only=True)
    except ServiceError as error:
        app.tell(f"{error.message} Until then changes are refused.", title="No history", severity="error")
        return
    tell_lost_store(app, lost)
    doubtful = [deed for deed in found if _doubtful(deed)]
    # Of a change with an unknown outcome one message is enough: whether it can be resumed depends on that.
    stopped = [d for d in found if d not in doubtful and d.plan is PlanState.INTERRUPTED and d.resumable]
    if doubtful:
        number = number_of(sum(len(_doubtful(deed)) for deed in doubtful), "change")
        await _told(app, f"{number} from before with an unknown outcome: {doubtful[0].title}.")
    if stopped:
        await _told(app, f"Interrupted before it was carried out: {stopped[0].title}. It can go on.")


async def report_replaced_store(app: ChartuiApp) -> None:
    """Warn that an empty store has taken the place of the one that was open."""
    with suppress(ServiceError):  # shown by the screen that reads the store, and by the history
        tell_lost_store(app, await app.session.replaced_store())


def tell_lost_store(app: ChartuiApp, lost: str | None) -> None:
    """Warn that the store is missing though the journal holds changes of it."""
    if lost is not None:
        app.tell(lost, title="The store is missing", severity="warning")


async def _told(app: ChartuiApp, what: str) -> None:
    app.tell(f"{what} {app.keymap.label('history')} shows it.", title="Look at the history", severity="warning")
