"""Applies the staged changes of a character as a plan; if one member is refused, offers to apply the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from chartui.core.character import Reading, read_character
from chartui.core.clock import random_ids
from chartui.core.plans.settings import REASONING, Conflict, Staged, as_text, refused_member
from chartui.core.plans.settings import plan as plan_of
from chartui.core.plans.wording import LABELS
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import single_line
from chartui.tui.guides import GONE, NOT_SENT, NOTHING_LEFT
from chartui.tui.run_plan import carry_out, reads_for
from chartui.tui.wait import waiting
from chartui.tui.widgets.conflicts import Clash, Conflicts
from chartui.tui.widgets.questions import Confirm

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.plans.executor import Progress
    from chartui.core.plans.reads import Reads
    from chartui.tui.screens.characters.editor import SettingsEditor
    from chartui.tui.screens.characters.state import Shown
    from chartui.tui.widgets.screen import WorkScreen


class Saving:
    """Applies the changes that ``editor`` has staged for the character ``shown``; ``record`` is used to price it.

    ``known`` is called with the settings whenever they are read again or applied.
    """

    def __init__(
        self,
        work: WorkScreen,
        editor: SettingsEditor,
        shown: Shown,
        record: Mapping[str, Wire],
        known: Callable[[Shown], None],
    ) -> None:
        self._work = work
        self._app = work.workbench
        self._editor = editor
        self._shown = shown
        self._record = record
        self._known = known

    async def run(self) -> None:
        """Apply the changes, or report what prevents it. Await it in a worker.

        The settings are read first. A value changed elsewhere is never overwritten without asking, even if the conflict
        shows only while sending.
        """
        refused: set[str] = set()
        while True:
            async with waiting(self._app, f"Apply changes to {single_line(self._shown.name, limit=30)}"):
                left, progress = await self._try(refused)
            if left is None or progress is None or progress.ok:
                return
            error = progress.first_error
            if error is not None and error.kind is ErrorKind.CONFLICT:
                continue
            member = _refused(error, left)
            if error is None or member is None or not await self._app.push_screen_wait(_rest(left, member, error)):
                return
            refused.add(member)

    async def _try(self, refused: Collection[str]) -> tuple[Staged | None, Progress | None]:
        """Try once without the ``refused`` members: what was sent, and the outcome."""
        from chartui.core.change_costs import plan_with_costs
        from chartui.tui.screens.estimator.character import basis_of

        app, reads = self._app, reads_for(self._app)
        if not await self._read_again(reads):
            return None, None
        shown = self._shown
        left = shown.staged.without(*refused)
        if not left.changes:
            app.tell(NOTHING_LEFT, title=shown.name)
            return None, None
        if shown.problems:
            title = f"Changes to {shown.name} cannot be applied yet"
            app.tell(next(iter(shown.problems.values())), title=title, severity="warning")
            return None, None
        plan = plan_of(left, shown.models, new_id=random_ids, known_here=shown.written, unnamed=shown.unnamed)
        reading = Reading(self._record, None, shown.now, shown.known_here)
        service = app.session.service.asking_as("characters")
        plan = await plan_with_costs(service, plan, [(reading, left.changes)], shown.models, await basis_of(app))
        now = {**shown.now, **left.saved(*left.changes)}
        after = replace(shown, now=now, staged=shown.staged.without(*left.changes))

        def done(_: Progress) -> None:
            if self._work.is_attached:  # otherwise another profile was opened in the meantime
                self._editor.saved(after.staged)
                self._known(after)

        return left, await carry_out(app, plan, done=done, reads=reads)

    async def _read_again(self, reads: Reads) -> bool:
        """Read the settings and ask about conflicts; returns whether to continue. Problems are reported."""
        app, shown = self._app, self._shown
        session, service = app.session, reads.service.asking_as("characters")
        try:
            reading = await read_character(service, session.journal, session.profile.place, shown.character_id)
        except ServiceError as error:
            app.tell_failure(error, kept=NOT_SENT)
            return False
        if reading is None:
            app.tell(f"{GONE} {NOT_SENT}", title=shown.name, severity="warning")
            return False
        now = reading.now
        if met := self._editor.conflicts(shown.character_id, now):
            clashes = {member: _clash(conflict) for member, conflict in met.items()}
            mine = await app.push_screen_wait(Conflicts(shown.name, clashes, what="setting"))
            if mine is not None:
                self._editor.resolve(shown.character_id, now, {member for member, kept in mine.items() if kept})
        else:
            mine = {}
            self._editor.rebase(shown.character_id, now)
        staged = self._editor.of(shown.character_id, shown.name, now)
        self._shown = replace(shown, now=now, known_here=reading.known_here, staged=staged)
        self._known(self._shown)
        return mine is not None


def _clash(conflict: Conflict) -> Clash:
    was, now, mine = (_text(conflict.member, value) for value in (conflict.base, conflict.now, conflict.mine))
    return Clash(LABELS[conflict.member], was, now, mine)


def _text(member: str, value: Wire) -> str:
    """A value in its editable form; a missing level is a separate state (decision 23)."""
    text = as_text(member, value)
    return "not set" if member == REASONING and not text else text


def _refused(error: ServiceError | None, staged: Staged) -> str | None:
    """The refused member, if the others could be applied without it (decision 17)."""
    if error is None or error.kind is not ErrorKind.INVALID or len(staged.changes) < 2:
        return None
    return refused_member(error, staged)


def _rest(staged: Staged, refused: str, error: ServiceError) -> Confirm:
    others = ", ".join(LABELS[member] for member in staged.changes if member != refused)
    message = (
        f"The service rejected the {LABELS[refused]} and changed nothing: “{single_line(error.message)}” "
        f"Apply {others} without this change? The {LABELS[refused]} stays staged."
    )
    return Confirm(f"Apply the rest to {single_line(staged.name, limit=30)}", message, "Apply the rest")
