"""The models available to a character and their properties, from the service or the built-in catalogue.

Only professional accounts may list models (C 4.2). For other accounts, the catalogue is used and named as the source.
Names, reasoning levels and the flags ``active`` and ``deprecated`` come from the service. Groups and flagships come
from the catalogue (C 2.1).

Services may have models that no list contains (decision 20). The code of such a model can be kept and sent, but its
properties are unknown. Users can choose any model, regardless of its flags, because the service decides whether to
accept it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from chartui.core.classes import dataclass
from chartui.core.jsontext import Wire
from chartui.core.spec.catalogue import OTHER, ModelCode, ReasoningLevels, model_code, model_codes
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.spec.models.characters import ModelEntry

_NONE = ReasoningLevels((), False, None)
_BETA: Final = re.compile(r"\bbeta\b", re.IGNORECASE)
#: The group of models missing from the catalogue.
UNLISTED: Final = OTHER


@dataclass(frozen=True, slots=True)
class Model:
    """A model that a character can use.

    ``reasoning`` has no levels if the model does not support reasoning levels. ``beta`` is derived from the display
    name. ``active`` is False and ``deprecated`` is True only if the service says so. ``listed`` is False if a character
    uses the model but it is not in the service's list. ``known`` is False if the model is not in the catalogue either,
    so its levels are unknown.
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
        said = (
            (not self.listed, "unlisted"),
            (not self.active, "inactive"),
            (self.deprecated, "deprecated"),
            (self.flagship, "flagship"),
            (self.beta, "beta"),
        )
        return tuple(word for holds, word in said if holds)

    @property
    def takes(self) -> str:
        if not self.known:
            return "reasoning levels unknown"
        if not self.reasoning.accepted:
            return "no reasoning levels"
        default = f" (default: {single_line(self.reasoning.default)})" if self.reasoning.default else ""
        return f"levels {', '.join(map(single_line, self.reasoning.accepted))}{default}"

    @property
    def doubt(self) -> str:
        """A sentence that warns against choosing the model. The sentence is empty if there is nothing to warn about."""
        if not self.active:
            return f"The service lists {self.code} as inactive and may reject it."
        if self.deprecated:
            return f"{self.code} is deprecated. The service may retire this model."
        return ""


@dataclass(frozen=True)
class Models:
    """The available models, in list order.

    ``sure`` is True if the service itself reported the reasoning levels of the models. ``restores`` is True if the
    service accepts any code that a character had before, listed or not (decision 68). An embedded store accepts such
    codes, but a service may not.
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
        """Return a copy extended with the models that characters use. ``codes`` are the codes of these models.

        The properties of unlisted models come from the catalogue.
        """
        missing = [code for code in dict.fromkeys(codes) if code and self.get(code) is None]
        return replace(self, all=(*self.all, *map(_unlisted, missing))) if missing else self

    def grouped(self) -> tuple[tuple[str, tuple[Model, ...]], ...]:
        """Return the models by group.

        The catalogue's groups come first, in catalogue order, followed by unknown groups. Within a group, active models
        come first and deprecated models come last. Otherwise, the models keep their list order.
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
    """Return the models in the service's response.

    Names that are missing from the response are taken from the catalogue.
    """
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
    """Return the models of the specification (C 2.1), with the levels that the embedded store accepts (decision 21)."""
    return Models(tuple(map(_from_catalogue, model_codes())), sure=False)


def _from_catalogue(known: ModelCode) -> Model:
    levels = known.reasoning or _NONE
    return Model(known.code, known.label, levels, group=known.group, flagship=known.flagship, beta=known.beta)


def model_wire(model: Model) -> dict[str, Wire]:
    """Return a model as JSON data. ``reasoning`` is null if the model does not support reasoning levels."""
    levels = model.reasoning
    return {
        "model_group_name": model.code,
        "display_name": model.label,
        "group": model.group,
        "flagship": model.flagship,
        "beta": model.beta,
        "is_active": model.active,
        "is_deprecated": model.deprecated,
        "reasoning": {"levels": list(levels.levels), "supports_auto": levels.supports_auto, "default": levels.default}
        if levels.accepted
        else None,
    }
