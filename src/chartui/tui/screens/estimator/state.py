"""The state of the estimator as one immutable object, and its inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from chartui.core.estimation.discovery import Choice, Discovery
from chartui.core.estimation.prices import Configuration, with_option
from chartui.core.jsontext import canonical
from chartui.core.numbers import exact
from chartui.core.spec.catalogue import Kind
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.estimation import Assumptions, Estimate, Selections
from chartui.core.typed_numbers import typed_number

if TYPE_CHECKING:
    from chartui.core.estimation.constraints import Constraints
    from chartui.core.estimation.prompt import InputTokens
    from chartui.core.estimation.rates import Rates
    from chartui.core.presets import Preset
    from chartui.tui.screens.estimator.study import Pinned


class ViewName(StrEnum):
    """The tabs beside the inputs: the estimate, and the views computed on this machine."""

    ESTIMATE = "estimate"
    COMPARE = "compare"
    RANK = "rank"
    EXPLORE = "explore"
    WHAT_IF = "what-if"
    SUBSCRIPTIONS = "subscriptions"
    TRAIL = "trail"


#: Their titles.
VIEW_TITLES: Final = {
    ViewName.ESTIMATE: "Estimate",
    ViewName.COMPARE: "Compare",
    ViewName.RANK: "Rank",
    ViewName.EXPLORE: "Explore",
    ViewName.WHAT_IF: "What-if",
    ViewName.SUBSCRIPTIONS: "Subscriptions",
    ViewName.TRAIL: "Trail",
}


@dataclass(frozen=True, slots=True)
class Input:
    """One of the ten inputs.

    ``attribute`` is its name in our models, ``member`` on the wire (E 2.1 and 2.2). ``unit`` and ``step`` belong to
    quantities; a press of a step key adds one ``step``.
    """

    attribute: str
    member: str
    label: str
    unit: str = ""
    step: Decimal = Decimal(1)


SELECTIONS: Final = (
    Input("llm", "llm", "Model"),
    Input("memory", "memory", "Memory"),
    Input("knowledge", "knowledge", "Knowledge"),
    Input("stt", "stt", "Speech input"),
    Input("tts", "tts", "Speech output"),
    Input("animation", "animation", "Animation"),
)
QUANTITIES: Final = (
    Input("input_tokens", "inputTokens", "Input tokens", "tokens", Decimal(500)),
    Input("output_chars", "outputChars", "Response", "characters", Decimal(50)),
    Input("stt_seconds", "sttSeconds", "User speech", "seconds", Decimal(1)),
    Input("tts_seconds", "ttsSeconds", "Spoken reply", "seconds", Decimal(1)),
)
INPUTS: Final = {i.attribute: i for i in (*SELECTIONS, *QUANTITIES)}
SWITCHES: Final = frozenset({"memory", "knowledge"})
#: The most changes of the inputs that can be undone.
MOST_STEPS: Final = 500


def parse_quantity(text: str) -> Decimal | None:
    """The typed number; None for the default, if empty. Raises as :func:`typed_number`."""
    return typed_number(text) if text else None


def value_words(value: str | bool | Decimal | int | None, choices: Iterable[Choice] = ()) -> str:
    """A value of an input: the label of an option, on or off, or a number; a dash if unknown."""
    if isinstance(value, str):
        return next((choice.label for choice in choices if choice.key == value), value)
    return "–" if value is None else ("on" if value else "off") if isinstance(value, bool) else exact(value)


class Proposal(NamedTuple):
    """Input tokens estimated from the texts of the character ``name``."""

    name: str
    tokens: InputTokens

    @property
    def text(self) -> str:
        return str(self.tokens.number)


class Inputs(NamedTuple):
    """The selections made here, the quantities as typed, the constraints once they were changed, the name of the
    preset they were loaded from, and the last proposal of input tokens.
    """

    chosen: Mapping[str, str | bool]
    typed: Mapping[str, str]
    constraints: Constraints | None = None
    preset: str = ""
    proposal: Proposal | None = None


class Visit(NamedTuple):
    """Inputs of this session, and those from which they were changed; None for the first ones."""

    inputs: Inputs
    before: Inputs | None


def inputs_of_preset(preset: Preset) -> tuple[dict[str, str | bool], dict[str, str]]:
    """The selections and typed quantities of a preset."""
    chosen = {i.attribute: v for i in SELECTIONS if (v := getattr(preset.selections, i.attribute)) is not None}
    typed = {
        i.attribute: canonical(v) for i in QUANTITIES if (v := getattr(preset.assumptions, i.attribute)) is not None
    }
    return chosen, typed


def quantity_problem(text: str) -> str:
    """The problem of a text that is not a number; empty if it is a number or empty."""
    try:
        parse_quantity(text)
    except ValueError as error:
        return str(error)
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatorState:
    """The inputs, the last answer, and whether it still belongs to the inputs.

    ``chosen`` holds the selections made here, ``typed`` the quantities as typed; inputs in neither take the service's
    default. ``constraints`` are None while they follow the selections, until you change them. ``past`` and ``future``
    are the inputs that undo and redo restore, the next one last; ``typing`` names the quantity whose digits are still
    one step. ``visited`` are the inputs that were left, each once. ``preset`` names the loaded one of ``presets``,
    which holds them as they were last loaded or saved. ``proposal`` is the last one. ``number`` counts the requests;
    ``answered`` is the one that ``estimate`` answers.

    ``rates`` are those the views compute with, None without any; ``pinned`` are the pins to compare with, mainly the
    one at ``baseline``. ``view_settings`` are the initial settings of the views.
    """

    discovery: Discovery
    chosen: Mapping[str, str | bool] = field(default_factory=lambda: MappingProxyType({}))
    typed: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    constraints: Constraints | None = None
    past: tuple[Inputs, ...] = ()
    future: tuple[Inputs, ...] = ()
    typing: str = ""
    visited: tuple[Visit, ...] = ()
    preset: str = ""
    presets: Mapping[str, Preset] = field(default_factory=lambda: MappingProxyType({}))
    proposal: Proposal | None = None
    number: int = 0
    answered: int = -1
    estimate: Estimate | None = None
    error: ServiceError | None = None
    view: ViewName = ViewName.ESTIMATE
    view_settings: Mapping[ViewName, object] = field(default_factory=lambda: MappingProxyType({}))
    rates: Rates | None = None
    pinned: tuple[Pinned, ...] = ()
    baseline: int = 0

    @property
    def stale(self) -> bool:
        return self.answered != self.number

    @property
    def inputs(self) -> Inputs:
        return Inputs(self.chosen, self.typed, self.constraints, self.preset, self.proposal)

    @property
    def proposed(self) -> Proposal | None:
        """The proposal that the input tokens are from; None if they are your own or the default."""
        used = self.proposal is not None and self.typed.get("input_tokens") == self.proposal.text
        return self.proposal if used else None

    @property
    def trail(self) -> tuple[Visit, ...]:
        """The inputs of this session in the order in which they were first set, the current ones included."""
        here = self.chosen, self.typed
        if self.wrong_text or any(here == visit.inputs[:2] for visit in self.visited):
            return self.visited
        return (*self.visited, Visit(self.inputs, self.past[-1] if self.past else None))[-MOST_STEPS:]

    def with_inputs(
        self,
        chosen: Mapping[str, str | bool],
        typed: Mapping[str, str],
        *,
        typing: str = "",
        preset: str | None = None,
        proposal: Proposal | None = None,
    ) -> EstimatorState:
        """With other inputs, as one step that can be undone; digits typed one after the other are one step."""
        given = MappingProxyType({k: v for k, v in typed.items() if v})
        inputs = self.inputs._replace(chosen=MappingProxyType(dict(chosen)), typed=given)
        inputs = inputs if preset is None else inputs._replace(preset=preset)
        inputs = inputs if proposal is None else inputs._replace(proposal=proposal)
        goes_on = bool(typing) and typing == self.typing
        past, visited = (self.past, self.visited) if goes_on else ((*self.past, self.inputs), self.trail)
        if past[-1] == inputs:  # nothing changed, or the number is as before
            past, typing = past[:-1], ""
        future = self.future if inputs == self.inputs else ()
        state = replace(self, **inputs._asdict(), past=past[-MOST_STEPS:], future=future, typing=typing)
        return replace(state, visited=visited, number=self.number + 1)

    def constrained(self, constraints: Constraints) -> EstimatorState:
        """With other constraints, as one step that can be undone."""
        past = (*self.past, self.inputs)
        state = replace(self, constraints=constraints, past=past[-MOST_STEPS:], future=(), typing="")
        return replace(state, visited=self.trail)

    def turned(self, step: int) -> EstimatorState | None:
        """With the last change of the inputs undone (-1) or redone (1); None if there is none."""
        here, there = (self.past, self.future) if step < 0 else (self.future, self.past)
        if not here:
            return None
        past, future = (here[:-1], (*there, self.inputs)) if step < 0 else ((*there, self.inputs), here[:-1])
        state = replace(self, **here[-1]._asdict(), past=past, future=future, typing="")
        return replace(state, visited=self.trail, number=self.number + 1)

    def choose(self, attribute: str, value: str | bool) -> EstimatorState:
        return self.with_inputs({**self.chosen, attribute: value}, self.typed)

    def choose_with_voices(self, attribute: str, key: str) -> EstimatorState:
        """With an option from a list. A realtime model's own voices replace the chosen ones."""
        now = [self.value(name) for name in Configuration._fields]
        if attribute != "llm" or None in now:
            return self.choose(attribute, key)
        before = Configuration(*now)  # type: ignore[arg-type]
        after = with_option(before, "llm", key)._asdict()
        return self.with_inputs({**self.chosen, **dict(after.items() - before._asdict().items())}, self.typed)

    def type(self, attribute: str, text: str, *, before: str | None = None) -> EstimatorState:
        """With another quantity; while it is typed, ``before`` is the text that the digits replace."""
        begins = before is None or before == self.typed.get(attribute, "")
        state = replace(self, typing="") if begins else self
        typing = "" if before is None else attribute
        return state.with_inputs(self.chosen, {**self.typed, attribute: text}, typing=typing)

    def reset(self, *attributes: str) -> EstimatorState:
        """With these inputs, or all of them, reset to the service's defaults."""
        gone = frozenset(attributes or INPUTS)
        chosen = {k: v for k, v in self.chosen.items() if k not in gone}
        return self.with_inputs(chosen, {k: v for k, v in self.typed.items() if k not in gone})

    def put(
        self,
        chosen: Mapping[str, str | bool],
        typed: Mapping[str, str] | None = None,
        proposal: Proposal | None = None,
    ) -> EstimatorState:
        """With several selections, and all quantities replaced if given, or only the input tokens by a proposal.

        A selection equal to the service's default counts as not chosen.
        """
        usual = self.discovery.selections
        made = {k: v for k, v in {**self.chosen, **chosen}.items() if k not in chosen or usual.get(k) != v}
        quantities = self.typed if typed is None else typed
        if proposal is not None:
            quantities = {**quantities, "input_tokens": proposal.text}
        return self.with_inputs(made, quantities, proposal=proposal)

    # -- presets ------------------------------------------------------------------------------------------------------

    def loaded(self, preset: Preset) -> EstimatorState:
        """With the inputs of a preset, the others at their defaults, as one step that can be undone."""
        state = replace(self, presets=MappingProxyType({**self.presets, preset.name: preset}))
        return state.with_inputs(*inputs_of_preset(preset), preset=preset.name)

    def saved(self, preset: Preset) -> EstimatorState:
        """With the current inputs saved as a preset, with which they are compared from now on."""
        presets = MappingProxyType({**self.presets, preset.name: preset})
        return replace(self, preset=preset.name, presets=presets)

    def removed(self, name: str) -> EstimatorState:
        """Without the preset of this name, whose file is gone."""
        return replace(self, presets=MappingProxyType({n: p for n, p in self.presets.items() if n != name}))

    @property
    def modified(self) -> bool:
        """Whether the inputs differ from those of the loaded preset."""
        preset = self.presets.get(self.preset)
        if preset is None:
            return False
        chosen, typed = inputs_of_preset(preset)
        there = replace(self, chosen=chosen, typed=typed)
        return not self.complete or any(there.value(name) != self.value(name) for name in INPUTS)

    def asked_again(self) -> EstimatorState:
        return replace(self, number=self.number + 1)

    def inputs_only(self) -> EstimatorState:
        """With the same inputs and pins, and nothing from a service."""
        return replace(self, number=0, answered=-1, estimate=None, error=None, rates=None)

    def answered_by(self, answer: Estimate | ServiceError) -> EstimatorState:
        """With the answer to the last request; after an error, the last figures stay."""
        if isinstance(answer, ServiceError):
            return replace(self, answered=self.number, error=answer)
        return replace(self, answered=self.number, estimate=answer, error=None)

    # -- values of the inputs -----------------------------------------------------------------------------------------

    def default(self, attribute: str) -> str | bool | Decimal | None:
        """The service's default of an input; None if unknown."""
        member = INPUTS[attribute].member
        known: str | bool | Decimal | None = self.discovery.selections.get(member)
        if known is None and member in self.discovery.assumptions:
            known = Decimal(self.discovery.assumptions[member])
        if known is None and attribute not in self.chosen and not self.typed.get(attribute) and self.estimate:
            # A service echoes what it understood, defaults included (decision 8).
            echoed = self.estimate.selections if attribute in _SELECTED else self.estimate.assumptions
            known = getattr(echoed, attribute, None) if echoed else None
        return known

    def choices(self, attribute: str) -> tuple[Choice, ...]:
        return self.discovery.choices[cast("Kind", attribute)]

    def label(self, attribute: str, key: str) -> str:
        """An option's label; the key itself if it has none."""
        return value_words(key, self.choices(attribute))

    def value(self, attribute: str) -> str | bool | Decimal | None:
        """The effective value of an input: chosen or typed, or else the default."""
        if attribute in self.chosen:
            return self.chosen[attribute]
        typed = self.typed.get(attribute, "")
        number = None if quantity_problem(typed) else parse_quantity(typed)
        return number if number is not None else self.default(attribute)

    def problem(self, attribute: str) -> str:
        """The problem of an input; empty if none is known."""
        if problem := quantity_problem(self.typed.get(attribute, "")):
            return problem
        member = INPUTS[attribute].member
        refused = self.error.member if self.error and not self.stale else None
        return self.error.message if self.error and refused and refused.rpartition(".")[2] == member else ""

    @property
    def wrong_text(self) -> str:
        """The problem of the first invalid quantity; empty without one."""
        return next(filter(None, map(quantity_problem, self.typed.values())), "")

    @property
    def complete(self) -> bool:
        return not self.wrong_text

    def selections(self) -> Selections:
        return Selections(**self.chosen)  # type: ignore[arg-type]

    def assumptions(self) -> Assumptions:
        """The quantities to send: only those typed here."""
        return Assumptions(**{name: parse_quantity(text) for name, text in self.typed.items()})


_SELECTED: Final = frozenset(i.attribute for i in SELECTIONS)
