"""What the name of an object says about what can be done with it (C 4.14, decisions 60 and 72)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from chartui.core.actions.language import ALSO_SAID, IDLE, PARTICLES, RELEASING, TAKING, tokens, unfold
from chartui.core.actions.verbs import Form, bases, form_of

__all__ = ["allows", "may_be_taken"]

_CAN: Final = frozenset({"can", "may", "must", "should", "could"})
_NOT: Final = frozenset({"not", "never"})
#: Actions that end in these do nothing with the object ("Go To").
_TOWARDS: Final = frozenset({*ALSO_SAID, "near", "behind", "beside", "around"})


class _Statement(NamedTuple):
    """``words`` is what can be done, cannot be done or is the only thing that can."""

    denied: bool
    only: bool
    words: list[str]


def allows(name: str, action: str) -> bool:
    """Tell whether the name of an object lets ``action`` be done with it, whatever the form of either verb.

    Understood are "cannot be opened or moved", "can't open", "can only be pushed", "may not be touched" and the like; a
    name that says nothing about the action allows it. An action that ends in a preposition ("Go To") does nothing with
    the object, and only "cannot be gone to" speaks of it.
    """
    verb = tokens(action)
    if not verb:
        return True
    for statement in _statements(unfold(tokens(name))):
        named = any(_names(statement.words, place, verb) for place in range(len(statement.words)))
        if statement.denied and named:
            return False
        if statement.only and not named and not _leaves_alone(verb):
            return False
    return True


def may_be_taken(name: str, action: str) -> bool:
    """Tell whether "everything" means this as well: what cannot be moved is not picked up with the rest."""
    verb = tokens(action)
    if not verb or (TAKING | RELEASING).isdisjoint(bases(verb[0])):
        return True
    return all(allows(name, other) for other in ("Move", "Touch", "Take", "Pick Up"))


def _leaves_alone(verb: Sequence[str]) -> bool:
    return _is_towards(verb) or not IDLE.isdisjoint(bases(verb[0]))


def _is_towards(verb: Sequence[str]) -> bool:
    return verb[-1] in _TOWARDS and verb[-1] not in PARTICLES


def _statements(words: Sequence[str]) -> list[_Statement]:
    found: list[_Statement] = []
    inside = False
    for place, word in enumerate(words):
        following = words[place + 1 : place + 2]
        inside = inside or word in "([" or word in _CAN
        if not inside:
            continue
        if word in _NOT and following != ["only"]:
            found.append(_Statement(True, False, []))
        elif word == "only" and following:
            found.append(_Statement(False, True, []))
        elif word in _CAN:
            found.append(_Statement(False, False, []))
        elif found:
            found[-1].words.append(word)
    return found


def _names(said: Sequence[str], place: int, verb: Sequence[str]) -> bool:
    """Tell whether ``said[place]`` is the verb, plain or as a participle, and with its particle where it has one."""
    form = form_of(said[place], bases(verb[0]))
    if not form & (Form.PARTICIPLE if "be" in said else Form.PARTICIPLE | Form.BASE):
        return False
    after = said[place + 1] if place + 1 < len(said) else ""
    if _is_towards(verb):
        return len(verb) > 1 and after == verb[1]
    return after not in PARTICLES or after in verb[1:]
