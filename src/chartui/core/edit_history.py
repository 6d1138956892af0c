"""The edit history of staged changes.

It consists of steps that can be undone and redone. Each step turns one document into the next, and is stored as a small
difference, so every document can be computed from the steps. At the beginning of a history, nothing is staged, and the
document is None. :class:`~chartui.core.drafts.Drafts` saves one row per step. A document holds the staged changes,
relative to the values that were stored when the document was created. It is shown on top of the values that are stored
now, so the steps stay valid when a stored value changes. Only the current document can be amended. This module has no
side effects.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import is_
from typing import Any, Final

from chartui.core.classes import dataclass
from chartui.core.jsontext import Wire, same

#: One change, as JSON.
Change = Mapping[str, Wire]

_OPPOSITE: Final = {"old": "new", "new": "old", "cut": "put", "put": "cut"}


class BadChange(ValueError):
    """Raised if a change cannot be applied to a document."""


def difference(old: Wire, new: Wire) -> tuple[Change, ...]:
    """Return the changes that turn ``old`` into ``new``, in the order they must be applied.

    The result is empty if the documents are equal. A part that is the same Python object in both documents is skipped.
    """
    return tuple(_differences((), old, new))


def applied(document: Wire, changes: Sequence[Change]) -> Wire:
    """Return a copy of ``document`` with the changes applied. The copy shares its unchanged parts with the original.

    Raises :class:`BadChange` if the document does not contain the old value of a change.
    """
    try:
        for change in changes:
            document = _changed_at(document, change["path"], change)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise BadChange(f"A change cannot be applied: {error!r}.") from None
    return document


def inverted(changes: Sequence[Change]) -> tuple[Change, ...]:
    return tuple({_OPPOSITE.get(name, name): value for name, value in change.items()} for change in reversed(changes))


def _differences(path: tuple[str | int, ...], old: Wire, new: Wire) -> Iterator[Change]:
    if old is new:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _of_members(path, old, new)
    elif isinstance(old, str) and isinstance(new, str):
        if old != new:
            start, end = _common_text(old, new)
            yield _replacing(path, start, old[start : len(old) - end], new[start : len(new) - end])
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        yield from _of_items(path, old, new)
    elif not same(old, new):
        yield {"path": list(path), "old": old, "new": new}


def _of_members(path: tuple[str | int, ...], old: Mapping[str, Wire], new: Mapping[str, Wire]) -> Iterator[Change]:
    stay = _staying(old, new)
    # The changes are applied from the last to the first, so that all positions refer to the older object.
    for at, name in reversed(tuple(enumerate(old))):
        if name not in stay:
            yield {"path": list(path), "member": name, "at": at, "old": old[name]}
    for at, name in enumerate(new):
        if name not in stay:
            yield {"path": list(path), "member": name, "at": at, "new": new[name]}
    for name in stay:
        if old[name] is not new[name]:
            yield from _differences((*path, name), old[name], new[name])


def _staying(old: Mapping[str, Wire], new: Mapping[str, Wire]) -> Collection[str]:
    """Return the members that both objects have in the same order.

    A member that was moved counts as removed and added.
    """
    if list(old) == list(new):
        return old.keys()
    places = {name: at for at, name in enumerate(old)}
    stay, last = {}, -1
    for name in new:
        if (at := places.get(name, -1)) > last:
            stay[name], last = at, at
    return stay.keys()


def _of_items(path: tuple[str | int, ...], old: Sequence[Wire], new: Sequence[Wire]) -> Iterator[Change]:
    # A document may hold thousands of short lists, of which hardly any differ.
    if len(old) == len(new) and all(map(is_, old, new)):
        return
    most = min(len(old), len(new))
    start = next((n for n in range(most) if not _same(old[n], new[n])), most)
    end = next((n for n in range(most - start) if not _same(old[-1 - n], new[-1 - n])), most - start)
    if len(old) == len(new):
        for at in range(start, len(old) - end):
            yield from _differences((*path, at), old[at], new[at])
    else:
        yield _replacing(path, start, list(old[start : len(old) - end]), list(new[start : len(new) - end]))


def _same(old: Wire, new: Wire) -> bool:
    return next(_differences((), old, new), None) is None


def _common_text(old: str, new: str) -> tuple[int, int]:
    """Return how many characters two texts share at the beginning, and how many of the remaining characters they share
    at the end.
    """
    most = min(len(old), len(new))
    start = bisect_left(range(1, most + 1), True, key=lambda n: old[:n] != new[:n])
    most -= start
    return start, bisect_left(range(1, most + 1), True, key=lambda n: old[-n:] != new[-n:])


def _replacing(path: tuple[str | int, ...], at: int, cut: Wire, put: Wire) -> Change:
    return {"path": list(path), "at": at, "cut": cut, "put": put}


def _changed_at(value: Wire, path: Sequence[str | int], change: Change) -> Wire:
    if not path:
        return _changed(value, change)
    copy: Any = dict(value) if isinstance(value, Mapping) else list(value)
    copy[path[0]] = _changed_at(copy[path[0]], path[1:], change)
    return copy


def _changed(value: Wire, change: Change) -> Wire:
    if "member" in change:
        return _with_member(value, change)
    if "put" in change:
        at, cut, put = change["at"], change["cut"], change["put"]
        run = value if isinstance(value, str) else list(value)
        if not _same(run[at : at + len(cut)], cut):
            raise BadChange("A change cannot be applied because the current text or list is not the expected one.")
        return run[:at] + put + run[at + len(cut) :]
    if not _same(value, change["old"]):
        raise BadChange("A change cannot be applied because the current value is not the expected one.")
    return change["new"]


def _with_member(value: Mapping[str, Wire], change: Change) -> Wire:
    name, at, members = change["member"], change["at"], list(value.items())
    if "new" in change:
        if name in value:
            raise BadChange("A change cannot be applied because the member already exists.")
        members.insert(at, (name, change["new"]))
    else:
        found, old = members.pop(at)
        if found != name or not _same(old, change["old"]):
            raise BadChange("A change cannot be applied because the current member is not the expected one.")
    return dict(members)


#: The title of a step that contains changes whose original steps are unknown.
EARLIER: Final = "Earlier changes"
#: The maximum number of steps. If there are more, the older half is merged into one step.
MOST: Final = 2_000


@dataclass(frozen=True, slots=True)
class Step:
    """A step of an edit history.

    It has a display ``title`` and contains changes to the document. If the step was made in a text field, ``field`` is
    the name of the field. Further typing in that field extends this step until a different step is added.
    """

    title: str
    changes: Sequence[Change]
    field: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditHistory:
    """The steps of an edit history.

    The first ``position`` steps are done, and the others can be redone. ``document`` is the result of the steps that
    are done.
    """

    document: Wire = None
    steps: tuple[Step, ...] = ()
    position: int = 0

    @classmethod
    def of(cls, document: Wire, title: str = EARLIER) -> EditHistory:
        """Return a history with a single step that creates ``document``.

        If ``document`` is None, the history has no steps.
        """
        return cls().stage(document, title)

    @classmethod
    def replayed(cls, steps: tuple[Step, ...], position: int) -> EditHistory:
        """Rebuild an edit history from saved steps. Raises :class:`BadChange` if the steps do not fit together."""
        document: Wire = None
        for step in steps[:position]:
            document = applied(document, step.changes)
        return cls(document=document, steps=steps, position=position)

    def stage(self, document: Wire, title: str, *, field: str = "") -> EditHistory:
        """Return a copy of the history with one more step, which results in ``document``.

        Steps that could be redone are removed. Typing in the same ``field`` extends the previous step. If the document
        does not change, no step is added.
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
        """Return a copy of the history in which ``document`` replaces the current document.

        No step is added. The steps before and after the current document are adjusted.
        """
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
        """Return a copy of the history, moved one step back (-1) or forward (1).

        Raises ``IndexError`` at either end of the history.
        """
        target = self.position + step
        if not 0 <= target <= len(self.steps):
            raise IndexError(target)
        changes = self.steps[min(self.position, target)].changes
        document = applied(self.document, changes if step > 0 else inverted(changes))
        return replace(self, document=document, position=target)

    @property
    def can_undo(self) -> str | None:
        """The title of the step that undo would revert, or None if there is nothing to undo."""
        return self.steps[self.position - 1].title if self.position else None

    @property
    def can_redo(self) -> str | None:
        """The title of the step that redo would restore, or None if there is nothing to redo."""
        return self.steps[self.position].title if self.position < len(self.steps) else None
