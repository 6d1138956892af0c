"""The reply to a turn, with its action sequence, its other fields, and the parts that could not be read.

An action sequence is plain text with one step per line (C 4.14, decision 48). Unreadable parts are kept too, because
the reply may have cost credits (decision 70).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import Wire, dumps
from chartui.core.numbers import number_of
from chartui.core.spec.models.actions import ActionReply
from chartui.core.spec.shape import wire_names


class SequenceStep(NamedTuple):
    """A step of a plan, as written in one line of an action sequence.

    ``action`` is the declared action at the beginning of the line, or None. ``target`` is the rest of the line.
    ``target_declared`` is False if the target is not a declared name. ``nearest`` is the declared name that is most
    similar to the undeclared words, or empty if no name is similar. If ``action`` is None, ``nearest`` is an action.
    Otherwise, it is a target.
    """

    line: str
    action: str | None = None
    target: str | None = None
    target_declared: bool = True
    nearest: str | None = None

    @property
    def understood(self) -> bool:
        return self.action is not None and self.target_declared


def read_sequence(text: str, actions: Sequence[str], targets: Iterable[str] | None = None) -> tuple[SequenceStep, ...]:
    """Return the steps of an action sequence in order.

    Empty lines are skipped. ``targets`` contains the names of the declared objects and characters. If it is None, every
    target counts as declared. Case is ignored. Declared names match only whole words, so ``Open`` does not match
    ``Opener``.
    """
    longest_first = sorted((action for action in actions if action.strip()), key=len, reverse=True)
    known = None if targets is None else {_folded(name): name for name in targets}
    return tuple(_step(line, longest_first, known) for line in lines_of(text))


def lines_of(text: str) -> tuple[str, ...]:
    """Return the lines of an action sequence without surrounding spaces. Empty lines are omitted."""
    return tuple(line for line in map(str.strip, text.split("\n")) if line)


def remark(step: SequenceStep) -> str:
    """Describe the undeclared part of a step and suggest the nearest declared name.

    Return an empty string if everything is declared.
    """
    if step.understood:
        return ""
    what = "no declared action" if step.action is None else "not declared"
    return f"{what}; nearest: {step.nearest}" if step.nearest else what


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _step(line: str, actions: Sequence[str], known: dict[str, str] | None) -> SequenceStep:
    words = line.split()
    for action in actions:
        length = len(action.split())
        if _folded(" ".join(words[:length])) == _folded(action):
            target = line.split(maxsplit=length)[length] if len(words) > length else None
            if target is None or known is None or _folded(target) in known:
                return SequenceStep(line, action, target)
            return SequenceStep(line, action, target, target_declared=False, nearest=_nearest(target, known.values()))
    return SequenceStep(line, nearest=_nearest_action(words, actions))


def _nearest_action(words: Sequence[str], actions: Sequence[str]) -> str | None:
    """Return the action most similar to the beginning of a line, comparing as many words as each action has."""
    from difflib import SequenceMatcher

    def likeness(action: str) -> float:
        beginning = " ".join(words[: len(action.split())])
        return SequenceMatcher(None, _folded(beginning), _folded(action)).ratio()

    best = max(actions, key=likeness, default=None)
    return best if best is not None and likeness(best) >= _NEAR else None


def _nearest(name: str, names: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    folded = {_folded(other): other for other in names}
    found = get_close_matches(_folded(name), folded, n=1, cutoff=_NEAR)
    return folded[found[0]] if found else None


#: Minimum similarity for a suggestion, 0 to 1.
_NEAR = 0.6


#: Maximum number of characters of a part to show. The requests screen shows more, and ``--json`` returns the whole
#: part.
LONGEST: Final = 4_000
#: Audio or an image encoded as text (base64).
_NO_WORDS: Final = re.compile(r"[A-Za-z0-9+/_-]{200}")


class Part(NamedTuple):
    """A field of a reply, with its value as unsanitized text."""

    name: str
    text: str


def other_parts(reply: ActionReply) -> tuple[Part, ...]:
    """Return the non-empty undocumented fields of a reply, in the order in which the service sent them."""
    named = set(wire_names(ActionReply).values()) | {unread.where.strip("/") for unread in reply.unreadable}
    return tuple(
        Part(name, _in_words(value))
        for name, value in reply.raw.items()
        if name not in named and value not in (None, "", [], {})
    )


def unread_parts(reply: ActionReply) -> tuple[Part, ...]:
    """Return the unreadable parts of a reply, each with the reason and as much of its contents as possible."""
    parts = ((unread.where.strip("/") or "the response", unread) for unread in reply.unreadable)
    return tuple(Part(name, f"{one.reason.removeprefix(f'{name}: ')}: {_in_words(one.raw)}") for name, one in parts)


def as_it_came(reply: ActionReply) -> Wire:
    """Return a reply in wire form, exactly as received, even if it is not an object."""
    return next((unread.raw for unread in reply.unreadable if not unread.where), reply.raw)


def has_members(reply: ActionReply) -> bool:
    """Return whether a reply is an object with readable parts."""
    return is_read(reply, "")


def is_read(reply: ActionReply, member: str) -> bool:
    """Return whether a field of a reply could be read.

    If a field could be read but is empty, the service sent an empty value.
    """
    return not any(unread.where in ("", f"/{member}") for unread in reply.unreadable if unread.kind != "duplicate")


def _in_words(value: Wire) -> str:
    text = value if isinstance(value, str) else dumps(value)
    if _NO_WORDS.search(text):
        return f"{number_of(len(text), 'character')} of non-text data, such as audio"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
