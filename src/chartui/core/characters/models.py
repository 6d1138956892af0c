"""The models a character can be given, and what is known of each: from the service, else from our own catalogue.

Only professional accounts may ask for the list (C 4.2); without it the catalogue stands in, and says that it does. The
service says what is active and what is deprecated, what a model takes and how it is called; group and flagship are
the catalogue's (C 2.1). The set is open (decision 20): a code that no list has can be kept and sent, but nothing is
known about it, and no mark of a list keeps a model from being chosen, since the service decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from chartui.core.spec.catalogue import OTHER, ModelCode, ReasoningLevels, model_code, model_codes
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.spec.models.characters import ModelEntry

_NONE = ReasoningLevels((), False, None)
_BETA: Final = re.compile(r"\bbeta\b", re.IGNORECASE)
#: The group of models that the catalogue does not have.
UNLISTED: Final = OTHER


@dataclass(frozen=True, slots=True)
class Model:
    """One model; ``reasoning`` has no levels where it takes none.

    ``beta`` is what its display name says; ``active`` is False and ``deprecated`` True only where the service says so.
    ``listed`` is False of one that a character has and the list has not, ``known`` where the catalogue lacks it too:
    then nothing is known of its levels.
    """

    code: str
    label: str
    reasoning: ReasoningLevels
    group: str = UNLISTED
    flagship: bool = False
    beta: bool = False
    active: bool = True
    deprecated: bool = False
    listed: bool = True
    known: bool = True

    @property
    def marks(self) -> tuple[str, ...]:
        """What is special about it, a word or two each."""
        said = (
            (not self.listed, "unlisted"),
            (not self.active, "not active"),
            (self.deprecated, "deprecated"),
            (self.flagship, "flagship"),
            (self.beta, "beta"),
        )
        return tuple(word for holds, word in said if holds)

    @property
    def takes(self) -> str:
        """The reasoning levels that it takes, in words."""
        if not self.known:
            return "takes nobody knows which reasoning levels"
        if not self.reasoning.accepted:
            return "takes no reasoning level"
        default = f", default {single_line(self.reasoning.default)}" if self.reasoning.default else ""
        return f"takes {' '.join(map(single_line, self.reasoning.accepted))}{default}"

    @property
    def doubt(self) -> str:
        """Why one should think twice before it is chosen, in a sentence; empty where nothing speaks against it."""
        if not self.active:
            return f"The service lists {self.code} as not active, and may refuse it."
        if self.deprecated:
            return f"{self.code} is deprecated: the service may retire it."
        return ""


@dataclass(frozen=True)
class Models:
    """The models in the order of their list; ``sure`` where the service itself said what they accept.

    ``restores`` where it stores a code again that a character once had, listed or not (decision 68): an embedded store
    does, and other services need not.
    """

    all: Sequence[Model]
    sure: bool
    restores: bool = False

    @cached_property
    def _by_code(self) -> Mapping[str, Model]:
        return {model.code: model for model in self.all}

    def get(self, code: object) -> Model | None:
        return self._by_code.get(code) if isinstance(code, str) else None

    def with_present(self, *codes: str) -> Models:
        """The same and the models that a character has, with what the catalogue knows of those that no list has."""
        missing = [code for code in dict.fromkeys(codes) if code and self.get(code) is None]
        return replace(self, all=(*self.all, *map(_unlisted, missing))) if missing else self

    def grouped(self) -> tuple[tuple[str, tuple[Model, ...]], ...]:
        """The models by group: the catalogue's groups in its order, what it does not know last.

        In a group those that are active come first and those that are deprecated behind them, each in the list's order.
        """
        order = dict.fromkeys((*(known.group for known in model_codes()), UNLISTED))
        by_group: dict[str, list[Model]] = {group: [] for group in order}
        for model in sorted(self._by_code.values(), key=lambda m: (not m.active, m.deprecated)):
            by_group[model.group].append(model)
        return tuple((group, tuple(found)) for group, found in by_group.items() if found)


def _unlisted(code: str) -> Model:
    known = model_code(code)
    if known is None:
        return Model(code, code, _NONE, listed=False, known=False)
    return replace(_from_catalogue(known), listed=False)


def from_service(entries: Sequence[ModelEntry], *, embedded: bool = False) -> Models:
    """What the service answered; names that it does not give come from the catalogue."""
    return Models(tuple(map(_from_entry, entries)), sure=True, restores=embedded)


def _from_entry(entry: ModelEntry) -> Model:
    code, reasoning = entry.model_group_name, entry.reasoning
    known = model_code(code)
    levels = (
        ReasoningLevels(tuple(reasoning.levels), reasoning.supports_auto, reasoning.default) if reasoning else _NONE
    )
    called = entry.display_name or (known.label if known else code)
    return Model(
        code,
        called,
        levels,
        group=known.group if known else UNLISTED,
        flagship=known.flagship if known else False,
        beta=_BETA.search(called) is not None,
        active=entry.is_active is not False,
        deprecated=bool(entry.is_deprecated),
    )


def from_catalogue() -> Models:
    """The models of the specification (C 2.1), with the levels that our store takes (decision 21)."""
    return Models(tuple(map(_from_catalogue, model_codes())), sure=False)


def _from_catalogue(known: ModelCode) -> Model:
    levels = known.reasoning or _NONE
    return Model(known.code, known.label, levels, group=known.group, flagship=known.flagship, beta=known.beta)


def model_wire(model: Model) -> dict[str, Wire]:
    """A model as JSON; ``reasoning`` is null where it takes no level."""
    levels = model.reasoning
    return {
        "model_group_name": model.code,
        "display_name": model.label,
        "group": model.group,
        "flagship": model.flagship,
        "beta": model.beta,
        "is_active": model.active,
        "is_deprecated": model.deprecated,
        "reasoning": {
            "levels": list(levels.levels),
            "supports_auto": levels.supports_auto,
            "default": levels.default,
        }
        if levels.accepted
        else None,
    }
