"""Configurations chosen at random, to find out whether a card holds where nothing was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import count
from random import Random
from typing import Final, TypeVar

from chartui.core.estimation.card import FREE, QUANTITIES
from chartui.core.jsontext import Wire
from chartui.core.spec.catalogue import KINDS, Kind, is_realtime_key

__all__ = ["HOLD_OUTS", "configurations"]

#: How many configurations a card is tried on before it is written.
HOLD_OUTS: Final = 20
#: Every so many is a live model's, where there are any: they are few, and would hardly come up among the others.
_LIVE_EVERY: Final = 5
#: The largest usual quantity of each (E 2.2).
_USUAL: Final = (20_000, 2_000, 60, 60)

T = TypeVar("T")
_Amount = Callable[[Random, int], int | Decimal]


def _usual(random: Random, most: int) -> int | Decimal:
    return random.randint(1, most)


def _fraction(random: Random, most: int) -> int | Decimal:
    return Decimal(random.randrange(1, most * 1000)) / 1000


def _nothing(random: Random, most: int) -> int | Decimal:  # noqa: ARG001 - one form for all
    return 0


def _large(random: Random, most: int) -> int | Decimal:
    return random.randint(most * 1_000, most * 100_000)


def _any(random: Random, most: int) -> int | Decimal:
    return random.choice((_usual, _fraction, _nothing, _large))(random, most)


#: How the quantities of a configuration are chosen, in turn: what is usual above all, and what is odd.
_TURNS: Final[Sequence[_Amount]] = (_usual, _fraction, _any, _usual, _nothing, _large, _usual, _fraction, _usual, _any)


def configurations(options: Mapping[Kind, Sequence[str]], random: Random) -> Iterator[dict[str, Wire]]:
    """Complete configurations without end, the same for the same ``random``: no model twice before all have come up,
    both flags in all their combinations, and quantities that are usual, fractions, nothing, and large.
    """
    live = _shuffled([key for key in options["llm"] if is_realtime_key(key)], random)
    text = _shuffled([key for key in options["llm"] if not is_realtime_key(key)], random)
    flags = _shuffled([(memory, knowledge) for memory in (False, True) for knowledge in (False, True)], random)
    turns = _shuffled(list(_TURNS), random)
    for number in count():
        models = live if number % _LIVE_EVERY == 0 else text
        memory, knowledge = next(flags)
        turn = next(turns)
        if turn is _nothing:  # as little as there can be: this is where a least charge shows
            memory = knowledge = False
        model = next(models, None) or next(text, None) or next(live)
        # Whether a live model's own voice is billed whatever else is chosen shows only beside another voice.
        billed = number % (2 * _LIVE_EVERY) == 0
        yield {
            "llm": model,
            "memory": memory,
            "knowledge": knowledge,
            **{kind: random.choice(_billed(kind, options[kind]) if billed else options[kind]) for kind in KINDS[1:]},
            **{name: turn(random, most) for name, most in zip(QUANTITIES, _USUAL, strict=True)},
        }


def _billed(kind: Kind, keys: Sequence[str]) -> Sequence[str]:
    return [key for key in keys if key not in FREE[kind]] or keys


def _shuffled(items: list[T], random: Random) -> Iterator[T]:
    while items:
        random.shuffle(items)
        yield from items
