"""The state of the estimator as one immutable object, and its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.clock import system_clock
from chartui.core.estimation.discovery import Choice, Discovery
from chartui.core.estimation.prices import Configuration, with_option
from chartui.core.jsontext import canonical
from chartui.core.numbers import range_text
from chartui.core.spec.catalogue import Kind
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.estimation import Assumptions, Estimate, Selections
from chartui.core.typed_numbers import Range, typed_number, typed_range
from chartui.tui.screens.estimator.quantities import (
    INPUTS,
    LINK,
    LINKED,
    MOST_STEPS,
    SELECTIONS,
    Inputs,
    Proposal,
    inputs_of_preset,
    quantity_problem,
    range_problem,
    value_words,
)

if TYPE_CHECKING:
    from chartui.core.estimation.constraints import Constraints
    from chartui.core.estimation.mix import Case
    from chartui.core.estimation.rates import Rates
    from chartui.core.estimation.scenario import Scenario
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


class Visit(NamedTuple):
    """Inputs of this session, those from which they were changed (None for the first ones), and the time."""

    inputs: Inputs
    before: Inputs | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatorState:
    """The inputs, the last answer, and whether it still belongs to the inputs.

    ``chosen`` holds the selections made here, ``typed`` the quantities as typed; inputs in neither take the service's
    default. ``constraints`` are None while they follow the selections, until you change them. ``past`` and ``future``
    are the inputs that undo and redo restore, the next one last; ``typing`` names the quantity whose digits are still
    one step. ``visited`` are the inputs that were left, each once, and ``since`` is the time of the current ones.
    ``preset`` names the loaded one of ``presets``, which holds them as they were last loaded or saved. ``scenario``
    holds the quantities that are not typed. ``link`` is None while text and speech of a reply are independent;
    otherwise it is the characters per second as typed, empty for the default. ``proposal`` is the last one.
    ``number`` counts the requests;
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
    since: datetime = field(default_factory=system_clock, compare=False)
    visited: tuple[Visit, ...] = ()
    preset: str = ""
    scenario: Scenario | None = None
    link: str | None = None
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
        return Inputs(self.chosen, self.typed, self.constraints, self.preset, self.scenario, self.link, self.proposal)

    @property
    def proposed(self) -> Proposal | None:
        """The proposal that the input tokens are from; None if they are your own or the default."""
        used = self.proposal is not None and self.typed.get("input_tokens") == self.proposal.text
        return self.proposal if used else None

    @property
    def trail(self) -> tuple[Visit, ...]:
        """The inputs of this session in the order in which they were first set, the current ones included."""
        here = self.chosen, self.typed, self.scenario
        if self.wrong_text or any(
            here == (one.chosen, one.typed, one.scenario) for one in (v.inputs for v in self.visited)
        ):
            return self.visited
        before = next((past for past in reversed(self.past) if not any(map(range_problem, past.typed.values()))), None)
        return (*self.visited, Visit(self.inputs, before, self.since))[-MOST_STEPS:]

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
        return self._stepped(inputs, typing)

    def _stepped(self, inputs: Inputs, typing: str = "") -> EstimatorState:
        """With other inputs, as :meth:`with_inputs`."""
        goes_on = bool(typing) and typing == self.typing
        past, visited = (self.past, self.visited) if goes_on else ((*self.past, self.inputs), self.trail)
        if past[-1] == inputs:  # nothing changed, or the number is as before
            past, typing = past[:-1], ""
        future = self.future if inputs == self.inputs else ()
        since = self.since if inputs[:2] == self.inputs[:2] else system_clock()
        state = replace(self, **inputs._asdict(), past=past[-MOST_STEPS:], future=future, typing=typing)
        return replace(state, visited=visited, since=since, number=self.number + 1)

    def returned(self, place: int) -> EstimatorState:
        """With the inputs at a place of the trail, as one step; the constraints and the loaded preset stay."""
        inputs = self.trail[place].inputs._replace(constraints=self.constraints, preset=self.preset)
        now = self.scenario
        if now is not None and inputs.scenario is not None and inputs.scenario.name == now.name:
            inputs = inputs._replace(scenario=now)  # as it was saved since
        return self._stepped(inputs)

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
        return replace(state, visited=self.trail, since=system_clock(), number=self.number + 1)

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
        if attribute == LINK:
            return state._linked(text, typing)
        typed = {**self.typed, attribute: text}
        return state.with_inputs(self.chosen, {**typed, **self._derived(attribute, text)}, typing=typing)

    def _derived(self, attribute: str, text: str) -> dict[str, str]:
        """The speech of a typed text or the text of a typed speech, if linked."""
        rate = self.characters_per_second
        if self.link is None or rate is None or attribute not in LINKED or range_problem(text):
            return {}
        if not text:
            return dict.fromkeys(LINKED, "")
        from chartui.core.estimation.scenario import linked

        return {name: range_text(found) for name, found in linked(rate, {attribute: typed_range(text)}).items()}

    # -- the link and the scenario ------------------------------------------------------------------------------------

    @property
    def characters_per_second(self) -> Decimal | None:
        """The characters spoken per second: as typed, or those of the service's defaults. None if invalid."""
        if self.link:
            return None if self.link_problem else typed_number(self.link)
        from chartui.core.estimation.conversation import CHARS_PER_SECOND

        text, speech = map(self.service_default, LINKED)
        if isinstance(text, Decimal) and isinstance(speech, Decimal) and text > 0 and speech > 0:
            return text / speech
        return Decimal(CHARS_PER_SECOND)

    @property
    def link_problem(self) -> str:
        """The problem of the typed characters per second; empty without one."""
        problem = quantity_problem(self.link or "")
        if self.link and not problem and not 0 < typed_number(self.link) <= 10**6:
            return "Characters per second must be above 0 and at most 1 000 000"
        return problem

    def toggled_link(self) -> EstimatorState:
        """With text and speech linked, or independent if they were linked."""
        return self._linked("" if self.link is None else None)

    def _linked(self, link: str | None, typing: str = "") -> EstimatorState:
        """With other characters per second; the speech follows a typed text, or the text a typed speech."""
        state = replace(self, link=link)
        first = next((name for name in LINKED if self.typed.get(name)), "")
        derived = state._derived(first, self.typed[first]) if first else {}
        typed = MappingProxyType({**self.typed, **derived})
        return self._stepped(self.inputs._replace(link=link, typed=typed), typing)

    def applied(self, scenario: Scenario | None) -> EstimatorState:
        """With the quantities of a scenario in place of the typed ones; None removes the scenario.

        Input tokens of a character are kept, unless the scenario gives its own to every kind of interaction.
        """
        state = self if scenario is None else self.followed(scenario)
        rate = None if scenario is None else scenario.characters_per_second
        link = None if rate is None else canonical(rate)
        kept = {"input_tokens": self.proposed.text} if self.proposed and _takes_tokens(scenario) else {}
        return state._stepped(state.inputs._replace(scenario=scenario, link=link, typed=MappingProxyType(kept)))

    def followed(self, scenario: Scenario) -> EstimatorState:
        """With a scenario as it was saved in place of its earlier versions, which undo and redo never restore."""

        def follow(inputs: Inputs) -> Inputs:
            same = inputs.scenario is not None and inputs.scenario.name == scenario.name
            return inputs._replace(scenario=scenario) if same else inputs

        past, future = (tuple(map(follow, steps)) for steps in (self.past, self.future))
        return replace(self, scenario=follow(self.inputs).scenario, past=past, future=future)

    @property
    def ranges(self) -> dict[str, Range]:
        """The valid quantities as typed."""
        return {name: typed_range(text) for name, text in self.typed.items() if not range_problem(text)}

    @property
    def own_ranges(self) -> dict[str, Range]:
        """The valid quantities as typed, without input tokens proposed for a character."""
        return {n: found for n, found in self.ranges.items() if n != "input_tokens" or self.proposed is None}

    @property
    def given(self) -> dict[str, Range]:
        """The valid quantities that apply to every kind of interaction.

        Tokens proposed for a character do not replace those of a scenario.
        """
        return self.ranges if not _kinds_with_tokens(self.scenario) else self.own_ranges

    @property
    def completed_scenario(self) -> Scenario | None:
        """The scenario, with the tokens proposed for a character where it gives none."""
        if self.scenario is None or self.proposed is None or not _kinds_with_tokens(self.scenario):
            return self.scenario
        proposed = {"input_tokens": Range.of(Decimal(self.proposed.tokens.number))}
        return replace(self.scenario, assumptions={**proposed, **self.scenario.assumptions})

    def cases(self) -> tuple[Case, ...]:
        """The kinds of interaction: those of the scenario, or a single one. Typed quantities apply to each."""
        from chartui.core.estimation.mix import Case

        scenario = self.completed_scenario
        return (Case("", Decimal(1), self.ranges),) if scenario is None else scenario.cases(self.given)

    @property
    def mixed(self) -> bool:
        """Whether there is a scenario or a range."""
        return self.scenario is not None or any(found.varies for found in self.ranges.values())

    def written(self, *, throwaway: bool) -> tuple[Scenario | None, Mapping[str, Range] | None]:
        """The scenario and the quantities for a command; neither without a scenario or a range."""
        if not self.mixed:
            return None, None
        from chartui.core.reproduce import written_mix

        return written_mix(self.scenario, self.given, throwaway=throwaway)

    def reset(self, *attributes: str) -> EstimatorState:
        """With these inputs, or all of them, reset to the service's defaults."""
        if not attributes and (self.scenario is not None or self.link is not None):
            inputs = self.inputs._replace(scenario=None, link=None)
            return self._stepped(inputs._replace(chosen=MappingProxyType({}), typed=MappingProxyType({})))
        if LINK in attributes:
            return self._linked("")
        linked = LINKED if self.link is not None and set(attributes) & set(LINKED) else ()
        gone = frozenset((*attributes, *linked) or INPUTS)
        chosen = {k: v for k, v in self.chosen.items() if k not in gone}
        return self.with_inputs(chosen, {k: v for k, v in self.typed.items() if k not in gone})

    def put(
        self,
        chosen: Mapping[str, str | bool | None],
        typed: Mapping[str, str] | None = None,
        proposal: Proposal | None = None,
    ) -> EstimatorState:
        """With several selections, and all quantities replaced if given, unless a scenario provides them; or only the
        input tokens, by a proposal.

        A selection equal to the service's default, or None, counts as not chosen.
        """
        usual, given = self.discovery.selections, {k: v for k, v in chosen.items() if v is not None}
        kept = {k: v for k, v in self.chosen.items() if k not in chosen}
        made = {**kept, **{k: v for k, v in given.items() if usual.get(k) != v}}
        quantities = self.typed if typed is None or self.scenario is not None else typed
        if proposal is not None and _takes_tokens(self.scenario):
            quantities = {**quantities, "input_tokens": proposal.text}
        return self.with_inputs(made, quantities, proposal=proposal)

    # -- presets ------------------------------------------------------------------------------------------------------

    def loaded(self, preset: Preset) -> EstimatorState:
        """With the inputs of a preset, the others at their defaults, as one step that can be undone.

        A scenario keeps its quantities.
        """
        state = replace(self, presets=MappingProxyType({**self.presets, preset.name: preset}))
        chosen, typed = inputs_of_preset(preset)
        return state.with_inputs(chosen, typed if self.scenario is None else self.typed, preset=preset.name)

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

    def viewing(self, view: ViewName) -> EstimatorState:
        """With this view. If it is already shown, the state stays the same object, so nothing is laid out again."""
        return self if view is self.view else replace(self, view=view)

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
        """The default of an input: of a quantity the mean of the scenario, or else the service's. None if unknown."""
        known = self.service_default(attribute)
        scenario = self.completed_scenario
        if scenario is None or attribute in _SELECTED:
            return known
        from chartui.core.estimation.amounts import rounded
        from chartui.core.estimation.mix import mean

        usual = known if isinstance(known, Decimal) else None
        found = mean(
            (case.weight, case.ranges[attribute].typical if attribute in case.ranges else usual)
            for case in scenario.cases()
        )
        return None if found is None else Decimal(canonical(rounded(found)))

    def service_default(self, attribute: str) -> str | bool | Decimal | None:
        """The service's default of an input; None if unknown."""
        member = INPUTS[attribute].member
        known: str | bool | Decimal | None = self.discovery.selections.get(member)
        if known is None and member in self.discovery.assumptions:
            known = Decimal(self.discovery.assumptions[member])
        asked = attribute not in self.chosen and not self.typed.get(attribute)
        asked = asked and (self.scenario is None or attribute in _SELECTED)
        if known is None and asked and self.estimate:
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
        found = self.given.get(attribute)
        return found.typical if found is not None else self.default(attribute)

    def problem(self, attribute: str) -> str:
        """The problem of an input; empty if none is known."""
        if problem := range_problem(self.typed.get(attribute, "")):
            return problem
        member = INPUTS[attribute].member
        refused = self.error.member if self.error and not self.stale else None
        return self.error.message if self.error and refused and refused.rpartition(".")[2] == member else ""

    @property
    def wrong_text(self) -> str:
        """The problem of the first invalid quantity; empty without one."""
        return next(filter(None, (*map(range_problem, self.typed.values()), self.link_problem)), "")

    @property
    def complete(self) -> bool:
        return not self.wrong_text

    def selections(self) -> Selections:
        return Selections(**self.chosen)  # type: ignore[arg-type]

    def assumptions(self) -> Assumptions:
        """The typical quantities: those typed here, and the means of the scenario."""
        each = [self.ranges] if self.scenario is None else [case.ranges for case in self.cases()]
        names = dict.fromkeys(name for ranges in each for name in ranges)
        values = {name: value for name in names if isinstance(value := self.value(name), Decimal)}
        return Assumptions(**values)


def _kinds_with_tokens(scenario: Scenario | None) -> int:
    """The number of kinds of interaction for which a scenario gives the input tokens."""
    return sum("input_tokens" in kind.ranges for kind in scenario.cases()) if scenario is not None else 0


def _takes_tokens(scenario: Scenario | None) -> bool:
    """Whether the input tokens of a character count in a scenario: some kind of interaction has none of its own."""
    return scenario is None or _kinds_with_tokens(scenario) < len(scenario.cases())


_SELECTED: Final = frozenset(i.attribute for i in SELECTIONS)
