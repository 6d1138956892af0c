"""Keeping staged changes and their history: saved at every change, never over an unseen draft of another program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Protocol, TypeVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.worker import Worker

from chartui.core.drafts import Draft, Drafts
from chartui.core.edit_history import EditHistory
from chartui.core.jsontext import Wire
from chartui.core.numbers import count
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import single_line
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.questions import Options

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: The topic of messages on undo and redo: only the last step is shown.
TURNED: Final = "undo and redo"


class Keepable(Protocol):
    """The staged changes of one kind to one character: its settings, its story or its next turn."""

    @property
    def character_id(self) -> str:
        """The character's id."""


K = TypeVar("K", bound=Keepable)


class Keeper(Generic[K]):
    """Holds the history of the staged changes of each character of one profile, and saves the newest.

    ``part`` names the drafts. ``write`` returns what to save, None without staged changes; ``read`` restores it, None
    for an unreadable draft. A step's changes are laid over newer stored values when shown. :meth:`keep` then amends the
    current step; the others stay as made.

    ``met`` is called with the staged changes here and there when another program has changed or dropped a draft since
    it was last read here: nothing overwrites it before :meth:`seen`. It is called again only after :meth:`seen` or
    :meth:`put_off`, and never if both are equal. ``failed`` is called when a draft cannot be saved, once until saving
    works again; ``failing`` says whether saving fails now.
    """

    def __init__(
        self,
        drafts: Drafts,
        place: Place,
        part: str,
        *,
        write: Callable[[K], Wire],
        read: Callable[[Wire], K | None],
        met: Callable[[K, K | None], None],
        failed: Callable[[ServiceError], None],
    ) -> None:
        self._drafts = drafts
        self._place = place
        self._part = part
        self._to_wire = write
        self._from_wire = read
        self._met = met
        self._failed = failed
        self.failing = False
        self._histories: dict[str, EditHistory] = {}
        self._written: dict[str, EditHistory] = {}
        self._revisions: dict[str, int] = {}
        self._others: dict[str, int] = {}
        self._waiting: dict[str, K] = {}
        self._task: asyncio.Task[None] | None = None

    async def load(self) -> Mapping[str, K]:
        """The staged changes by character; unreadable drafts are left alone. Raises :class:`ServiceError`."""
        await self.settled()
        found = {}
        for draft in await self._drafts.all(self._place, part=self._part, undone=True):
            character_id, staged = draft.character_id, self._staged(draft)
            if character_id in self._histories or (staged is None and draft.document is not None):
                continue  # changes staged here meanwhile must not overwrite an unseen draft
            self._revisions[character_id] = draft.revision
            self._histories[character_id] = self._written[character_id] = draft.history
            if staged is not None:
                found[character_id] = staged
        return found

    def history(self, character_id: str) -> EditHistory:
        return self._histories.get(character_id, EditHistory())

    def stage(self, staged: K, title: str, *, field: str = "") -> None:
        """Keep the staged changes as a new step; edits to the same ``field`` share a step."""
        history = self.history(staged.character_id)
        self._put(staged.character_id, staged, history.stage(self._to_wire(staged), title, field=field))

    def keep(self, staged: K) -> None:
        """Rebase the same changes on newer values, without a new step; without changes, delete their history too."""
        history, document = self.history(staged.character_id), self._to_wire(staged)
        gone = document is None and history.document is not None
        self._put(staged.character_id, staged, EditHistory() if gone else history.amended(document))

    def restart(self, staged: K, title: str) -> None:
        """Keep the changes left after some were applied, with a history of one step; delete it if none are left."""
        self._put(staged.character_id, staged, EditHistory.of(self._to_wire(staged), title))

    def turn(self, nothing: K, step: int, differs: Callable[[K], bool]) -> tuple[str, K] | None:
        """Undo (-1) or redo (1): go to the nearest document that ``differs`` from the one shown.

        Returns the step's title and the staged changes then (``nothing`` if none); None if no step differs.
        """
        history = self.history(nothing.character_id)
        while title := history.can_undo if step < 0 else history.can_redo:
            history = history.moved(step)
            staged = nothing if history.document is None else self._from_wire(history.document)
            if staged is not None and differs(staged):
                self._put(nothing.character_id, staged, history)
                return title, staged
        return None

    def _put(self, character_id: str, staged: K, history: EditHistory) -> None:
        self._histories[character_id] = history
        self._waiting[character_id] = staged
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._write())

    def seen(self, character_id: str) -> None:
        """The user has seen the other draft: the next save overwrites it."""
        self._revisions[character_id] = self._others.pop(character_id, 0)
        self._written.pop(character_id, None)

    def put_off(self, character_id: str) -> None:
        """The user decides later: the next save asks again."""
        self._others.pop(character_id, None)

    async def settled(self) -> None:
        if self._task is not None:
            await asyncio.shield(self._task)

    async def _write(self) -> None:
        while self._waiting:
            character_id, staged = next(iter(self._waiting.items()))
            del self._waiting[character_id]
            try:
                await self._write_one(character_id)
                self.failing = False
            except ServiceError as error:
                if error.kind is ErrorKind.CONFLICT:
                    await self._meet(character_id, staged)
                elif not self.failing:
                    self.failing = True
                    self._failed(error)

    async def _write_one(self, character_id: str) -> None:
        row = (self._place, character_id, self._part)
        history, written = self.history(character_id), self._written.get(character_id)
        revision = self._revisions.get(character_id, 0)
        if history.steps and history is not written:
            draft = await self._drafts.save_history(*row, history, since=written, revision=revision)
            self._revisions[character_id] = draft.revision
            self._written[character_id] = history
        elif not history.steps and revision:
            await self._drafts.discard(*row, revision=revision)
            self._revisions.pop(character_id)
            self._written.pop(character_id, None)

    async def _meet(self, character_id: str, mine: K) -> None:
        if character_id in self._others:  # already asked; asked again if the draft changes
            return
        found = await self._find_other(character_id)
        mine = self._waiting.pop(character_id, mine)
        if (found.document if found else None) == self.history(character_id).document:
            self.seen(character_id)
        else:
            self._met(mine, self._staged(found) if found else None)

    async def _find_other(self, character_id: str) -> Draft | None:
        found = await self._drafts.all(self._place, character_id=character_id, part=self._part, undone=True)
        self._others[character_id] = found[0].revision if found else 0
        return found[0] if found else None

    async def theirs(self, character_id: str) -> K | None:
        """The other program's current draft, which counts as seen; None if it no longer exists or is unreadable.

        Raises :class:`ServiceError`.
        """
        found = await self._find_other(character_id)
        self.seen(character_id)
        return self._staged(found) if found else None

    def _staged(self, draft: Draft) -> K | None:
        return None if draft.document is None else self._from_wire(draft.document)


def turned(title: str, step: int) -> str:
    return f"{'Undone' if step < 0 else 'Redone'}: {single_line(title[:1].upper() + title[1:], limit=80)}"


def named(names: Iterable[str]) -> str:
    """``Elena Marsh``, or ``Elena Marsh and 3 more``: the first in alphabetical order."""
    first, *others = sorted(names)
    return single_line(first, limit=30) + (f" and {count(len(others))} more" if others else "")


def leaving(app: ChartuiApp, keeper: Keeper[Any], names: Collection[str], *, of: str = "") -> str:
    """The question about staged changes when the profile is left: whose they are, and whether they come back."""
    if not names:
        return ""
    if keeper.failing:
        kept = "The draft could not be saved, so these changes will be lost."
    elif app.session.throwaway:
        kept = "These changes are deleted with the demo data when you quit."
    else:
        kept = "The draft is saved and will be restored when you reopen this profile." if app.opening.lasting else ""
    return f"Staged changes to {of}{named(names)} are not applied yet. {kept}".rstrip()


def tell_not_kept(app: ChartuiApp, error: ServiceError) -> None:
    """Report that no draft can be saved."""
    message = f"{error.message} The staged changes exist only in memory until they are applied."
    app.tell(message, title="Draft not saved", severity="error")


class TwoDrafts(Dialog[bool | None]):
    """Asks which of two drafts to keep: True for this program's, None to decide later.

    It appears while the user is typing, so no letter or digit answers it, and Enter decides nothing before the cursor
    was moved. ``mine`` and ``theirs`` describe the staged changes; None means that the other program has no draft.
    """

    DEFAULT_CSS = """
    TwoDrafts > Vertical { border: round $warning; border-title-color: $warning; padding: 1 1 0 1; }
    TwoDrafts Options { height: auto; max-height: 100%; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Decide"),
        Binding("escape", "dismiss(None)", "Later"),
    ]
    UNFORESEEN = True

    def __init__(self, title: str, mine: str, theirs: str | None) -> None:
        super().__init__(title)
        other = "no draft or an unreadable draft" if theirs is None else theirs
        message = f"Both programs have unapplied changes. Only one draft can be kept.\n\nYours: {mine}\nTheirs: {other}"
        self._question = Options(message, ("Decide later", "esc"), ("Keep mine", ""), ("Use theirs", ""))

    def content(self) -> Iterable[Widget]:
        yield self._question

    def on_mount(self) -> None:
        self.workbench.refuse_typed_ahead()

    def on_line_view_chosen(self) -> None:
        self.dismiss((None, True, False)[self._question.answer])


def ask_which_draft(
    app: ChartuiApp,
    keeper: Keeper[K],
    character_id: str,
    question: TwoDrafts,
    *,
    keep: Callable[[], None],
    use: Callable[[K | None], None],
) -> None:
    """Ask which of two drafts to keep: ``keep`` is called for the one made in this program, ``use`` with the other one.

    The other program may have changed, applied or discarded its draft while the question was open.
    """

    async def use_theirs() -> None:
        try:
            theirs = await keeper.theirs(character_id)
        except ServiceError as error:
            keeper.put_off(character_id)
            app.tell(error.message, severity="error")
            return
        use(theirs)
        if theirs is None:
            app.tell("The other program's draft no longer exists or is unreadable, so nothing is staged.")
            app.work.read_again()

    def answered(mine: bool | None) -> None:
        if mine is None:
            keeper.put_off(character_id)
        elif mine:
            keeper.seen(character_id)
            keep()
        else:
            _: Worker[None] = app.run_worker(use_theirs, group="drafts")

    app.push_screen(question, answered)
