"""The models a character can be given, and what is known of each: from the service, else from our own catalogue.

Only professional accounts may ask for the list (C 4.2); without it the catalogue stands in, and says that it does. The
set is open (decision 20): a code that no list has can be kept and sent, but nothing is known about it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from chartui.core.spec.catalogue import ReasoningLevels, model_code, model_codes

if TYPE_CHECKING:
    from chartui.core.spec.models.characters import ModelEntry

__all__ = ["Model", "Models", "from_catalogue", "from_service"]

_NONE = ReasoningLevels((), False, None)


@dataclass(frozen=True, slots=True)
class Model:
    """One model; ``reasoning`` has no levels where it takes none. ``note`` is a word or two about it."""

    code: str
    label: str
    reasoning: ReasoningLevels
    note: str = ""


@dataclass(frozen=True)
class Models:
    """The models in the order of their list; ``sure`` where the service itself said what they accept."""

    all: Sequence[Model]
    sure: bool

    @cached_property
    def _by_code(self) -> Mapping[str, Model]:
        return {model.code: model for model in self.all}

    def get(self, code: object) -> Model | None:
        """The model with this code, or None when nothing is known about it."""
        return self._by_code.get(code) if isinstance(code, str) else None


def from_service(entries: Sequence[ModelEntry]) -> Models:
    """What the service answered; names that it does not give come from the catalogue."""
    return Models(tuple(map(_from_entry, entries)), sure=True)


def _from_entry(entry: ModelEntry) -> Model:
    code, reasoning = entry.model_group_name, entry.reasoning
    known = model_code(code)
    levels = (
        ReasoningLevels(tuple(reasoning.levels), reasoning.supports_auto, reasoning.default) if reasoning else _NONE
    )
    states = ((entry.is_deprecated, "deprecated"), (entry.is_active is False, "not active"))
    note = ", ".join(word for holds, word in states if holds)
    return Model(code, entry.display_name or (known.label if known else code), levels, note)


def from_catalogue() -> Models:
    """The models of the specification (C 2.1), with the levels that our store takes (decision 21)."""
    known = model_codes()
    return Models(
        tuple(Model(m.code, m.label, m.reasoning or _NONE, "beta" if m.beta else "") for m in known), sure=False
    )
