"""The history of what is staged for one thing: steps that can be undone and redone, one small difference each. Pure.

It begins with nothing staged, which is the document None. A step leads from one document to the next, so any document
of the history follows from the steps alone; :class:`~chartui.core.drafts.Drafts` keeps them, one row per step.

A document says what is staged over what was stored when its step was made. Whoever shows it puts it over what is
stored by then. So a newer stored value needs no other steps: only the present one is amended, to say what is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from chartui.core.json_difference import Change, applied, difference, inverted
from chartui.core.jsontext import Wire

__all__ = ["EARLIER", "MOST", "EditHistory", "Step"]

#: The title of a step that stands for changes whose own steps are not known.
EARLIER: Final = "Earlier changes"
#: So many steps are kept; with more, the older half becomes one step.
MOST: Final = 2_000


@dataclass(frozen=True, slots=True)
class Step:
    """One edit: a ``title`` for people, and what it changed of the document.

    ``field`` names what is being typed into: until another step follows, more of the same belongs to this step.
    """

    title: str
    changes: Sequence[Change]
    field: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditHistory:
    """The steps, and how many of them the present ``document`` includes: ``position``. The others can be redone."""

    document: Wire = None
    steps: tuple[Step, ...] = ()
    position: int = 0

    @classmethod
    def of(cls, document: Wire, title: str = EARLIER) -> EditHistory:
        """A history of one step, from nothing to ``document``; without a step where that is None."""
        return cls().stage(document, title)

    @classmethod
    def replayed(cls, steps: tuple[Step, ...], position: int) -> EditHistory:
        """The history of steps that were kept; raises :class:`BadChange` where they do not follow from one another."""
        document: Wire = None
        for step in steps[:position]:
            document = applied(document, step.changes)
        return cls(document=document, steps=steps, position=position)

    def stage(self, document: Wire, title: str, *, field: str = "") -> EditHistory:
        """With one more step, which leads to ``document``; what could be redone is gone.

        What is typed into the same ``field`` as the step before belongs to that step. A document that says the same
        makes no step.
        """
        begun = self
        typing = self.steps[-1:] if self.position == len(self.steps) else ()
        if field and typing and typing[0].field == field:
            begun = self.moved(-1)
        changes = difference(begun.document, document)
        steps = begun.steps[: begun.position]
        if changes:
            steps = (*steps, Step(title, changes, field))
        elif begun is self:
            return self
        if len(steps) > MOST:
            half = len(steps) // 2
            steps = (*EditHistory.of(EditHistory.replayed(steps, half).document).steps, *steps[half:])
        return EditHistory(document=document, steps=steps, position=len(steps))

    def amended(self, document: Wire) -> EditHistory:
        """With another document as the present one, which is no step: the steps beside it lead to it and on from it."""
        if not difference(self.document, document):
            return self
        if not self.position:
            return self.stage(document, EARLIER)
        steps, last = list(self.steps), self.position - 1
        steps[last] = replace(steps[last], changes=difference(self.moved(-1).document, document))
        if self.position < len(steps):
            after = self.moved(1).document
            steps[self.position] = replace(steps[self.position], changes=difference(document, after))
        return replace(self, document=document, steps=tuple(steps))

    def moved(self, step: int) -> EditHistory:
        """One step back (-1) or forth (1). Raises ``IndexError`` at the end of the history."""
        target = self.position + step
        if not 0 <= target <= len(self.steps):
            raise IndexError(target)
        changes = self.steps[min(self.position, target)].changes
        document = applied(self.document, changes if step > 0 else inverted(changes))
        return replace(self, document=document, position=target)

    @property
    def can_undo(self) -> str | None:
        """The title of the step that undo would take away; None where there is none."""
        return self.steps[self.position - 1].title if self.position else None

    @property
    def can_redo(self) -> str | None:
        """The title of the step that redo would bring back; None where there is none."""
        return self.steps[self.position].title if self.position < len(self.steps) else None
