"""Undo, redo and the trail of the estimator, without a screen."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from random import Random

import pytest

from chartui.core.estimation.discovery import discover
from chartui.core.estimation.prompt import InputTokens, prompt_of
from chartui.core.estimation.scenario import Scenario, from_table
from chartui.core.estimation.source import Source
from chartui.core.presets import Preset
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.tui.screens.estimator.inputs import default_note, rows_of, stepped
from chartui.tui.screens.estimator.quantities import INPUTS, QUANTITIES, SELECTIONS, SWITCHES, Proposal, value_words
from chartui.tui.screens.estimator.state import EstimatorState
from chartui.tui.widgets.form import FieldRow

EDITS = 500


def begin() -> EstimatorState:
    return EstimatorState(discovery=discover(None))


def _choose(state: EstimatorState, random: Random) -> EstimatorState:
    kind = random.choice([i.attribute for i in SELECTIONS if i.attribute not in SWITCHES])
    return state.choose(kind, random.choice(state.choices(kind)).key)


def _type(state: EstimatorState, random: Random) -> EstimatorState:
    """Digits one after the other, each of them drawn and asked about."""
    name, text = random.choice(QUANTITIES).attribute, str(random.randrange(100_000))
    before = state.typed.get(name, "")
    for end in range(1, len(text) + 1):
        state = state.type(name, text[:end], before=before)
    return state


def _step(state: EstimatorState, random: Random) -> EstimatorState:
    return stepped(state, random.choice([*INPUTS]), random.choice((-1, 1)))


def _reset(state: EstimatorState, random: Random) -> EstimatorState:
    return state.reset(*random.choice(((), (random.choice([*INPUTS]),))))


def _take(state: EstimatorState, random: Random) -> EstimatorState:
    """A row of Explore, Rank or Compare."""
    chosen: dict[str, str | bool] = {"llm": random.choice(state.choices("llm")).key, "memory": random.random() < 0.5}
    return state.put(chosen, random.choice((None, {}, {"input_tokens": str(random.randrange(9000))})))


def _load(state: EstimatorState, random: Random) -> EstimatorState:
    number = random.randrange(5)
    selections = Selections(tts=state.choices("tts")[number].key)
    return state.loaded(Preset(name=f"Preset {number}", selections=selections, assumptions=Assumptions()))


DEEDS: tuple[Callable[[EstimatorState, Random], EstimatorState], ...] = (_choose, _type, _step, _reset, _take, _load)


@pytest.mark.parametrize("seed", range(5))
def test_random_edits_are_undone_and_redone_step_by_step(seed: int) -> None:
    random, state = Random(seed), begin()
    passed = [state.inputs]
    for _ in range(EDITS):
        state = random.choice(DEEDS)(state, random)
        if state.inputs != passed[-1]:
            passed.append(state.inputs)
    for inputs in reversed(passed[:-1]):
        undone = state.turned(-1)
        assert undone is not None
        assert undone.inputs == inputs
        state = undone
    assert state.turned(-1) is None
    for inputs in passed[1:]:
        redone = state.turned(1)
        assert redone is not None
        assert redone.inputs == inputs
        state = redone
    assert state.turned(1) is None


def test_the_trail_has_every_configuration_once_also_those_that_an_edit_after_undo_left() -> None:
    state = begin().choose("memory", False).choose("knowledge", True)
    undone = state.turned(-1)
    assert undone is not None
    state = undone
    for end in range(1, 5):
        state = state.type("input_tokens", "5200"[:end], before="")
    state = state.choose("memory", True).choose("memory", False)
    found = [({**v.inputs.chosen}, {**v.inputs.typed}) for v in state.trail]
    assert found == [
        ({}, {}),
        ({"memory": False}, {}),
        ({"memory": False, "knowledge": True}, {}),
        ({"memory": False}, {"input_tokens": "5200"}),
        ({"memory": True}, {"input_tokens": "5200"}),
    ]
    before = [v.before and ({**v.before.chosen}, {**v.before.typed}) for v in state.trail]
    assert before == [None, found[0], found[1], found[1], found[3]]


def test_a_number_that_is_none_leaves_no_entry_in_the_trail() -> None:
    state = begin().type("input_tokens", "1.2.3").reset()
    assert [dict(visit.inputs.typed) for visit in state.trail] == [{}]


def test_a_loaded_preset_is_modified_until_the_inputs_are_as_it_says_or_saved() -> None:
    kiosk = Preset(name="Kiosk", selections=Selections(llm="mdla_4o"), assumptions=Assumptions())
    state = begin().loaded(kiosk)
    assert (state.preset, state.modified) == ("Kiosk", False)
    changed = state.type("input_tokens", "1500")
    assert changed.modified
    assert not changed.reset("input_tokens").modified
    saved = changed.saved(Preset(name="Kiosk", selections=changed.selections(), assumptions=changed.assumptions()))
    assert not saved.modified
    undone = saved.turned(-1)
    assert undone is not None
    assert undone.modified  # compared with the file as it is now
    first = undone.turned(-1)
    assert first is not None
    assert (first.preset, first.modified) == ("", False)


def _scenario(*kinds: dict[str, object]) -> Scenario:
    return from_table({"name": "Museum", "kinds": list(kinds)})


def _proposal(characters: int) -> Proposal:
    prompt = prompt_of(backstory=characters, backstory_from=Source.RECORD, prompt=0, objective=0, scene=0, actions=0)
    return Proposal("Elena", InputTokens(prompt))


SOME = _scenario({"name": "Greeting"}, {"name": "Question", "inputTokens": 2500, "weight": 3})


def _tokens(state: EstimatorState) -> list[Decimal | None]:
    return [case.ranges["input_tokens"].typical if "input_tokens" in case.ranges else None for case in state.cases()]


def test_tokens_of_a_character_count_only_for_kinds_that_have_none_of_their_own() -> None:
    state = begin().applied(SOME).put({}, proposal=_proposal(1000))
    assert _tokens(state) == [250, 2500]
    assert state.value("input_tokens") == Decimal("1937.5")
    typed = state.type("input_tokens", "900")  # your own number is that of every kind
    assert _tokens(typed) == [900, 900]


def test_tokens_of_a_character_outlive_a_scenario() -> None:
    state = begin().put({}, proposal=_proposal(1000))
    assert _tokens(state.applied(SOME)) == [250, 2500]
    without = state.applied(SOME).applied(None)
    assert without.value("input_tokens") == 250
    assert without.proposed is not None
    every = _scenario({"name": "Question", "inputTokens": 2500})
    assert state.applied(every).value("input_tokens") == 2500


def test_undo_never_restores_an_earlier_version_of_a_scenario() -> None:
    one = _scenario({"name": "Greeting"})
    edited = begin().applied(one).type("input_tokens", "6000").applied(SOME).applied(one)
    state: EstimatorState | None = edited
    for step in (-1, -1, -1, 1, 1, 1):
        state = state.turned(step) if state is not None else None
        if state is not None and state.scenario is not None:
            assert state.scenario == one
    left = begin().applied(SOME).applied(None).followed(one).turned(-1)
    assert left is not None
    assert left.scenario == one


def test_the_note_of_estimated_tokens_says_what_a_reset_sets() -> None:
    discovery = discover(None)._replace(assumptions={"inputTokens": 4000})
    state = EstimatorState(discovery=discovery).put({}, proposal=_proposal(1000)).applied(SOME)
    row = next(row for row in rows_of(state) if isinstance(row, FieldRow) and row.id == "input_tokens")
    after = state.reset("input_tokens").value("input_tokens")
    assert after != state.default("input_tokens")
    assert default_note(state, row, "r") == f"r resets to {value_words(after)}"
