"""Every transition of the reasoning setting (C 3, decisions 21 to 24 and 58)."""

from __future__ import annotations

import pytest

from chartui.core.characters.reasoning import AUTO, CLEAR, NotAccepted, after_model_change, after_request, meaning
from chartui.core.spec.catalogue import ModelCode, ReasoningLevels, model_codes

_CONTROLS = (
    ReasoningLevels(("none", "low", "high"), True, None),
    ReasoningLevels(("low", "high"), False, "low"),
    ReasoningLevels(("minimal", "low"), True, "low"),
    None,
)
_STATES = (None, AUTO, "none", "minimal", "low", "high")


@pytest.mark.parametrize("control", _CONTROLS)
def test_a_request_leads_to_what_it_names_or_is_refused(control: ReasoningLevels | None) -> None:
    accepted = control.accepted if control else ()
    for requested in ("none", "minimal", "low", "high", "max", "HIGH", " ", AUTO):
        if requested in accepted:
            assert after_request(requested, control) == requested
        else:
            with pytest.raises(NotAccepted) as refused:
                after_request(requested, control)
            assert refused.value.accepted == accepted


@pytest.mark.parametrize("control", _CONTROLS)
def test_an_empty_request_always_clears(control: ReasoningLevels | None) -> None:
    assert after_request(CLEAR, control) is None


@pytest.mark.parametrize("control", _CONTROLS)
@pytest.mark.parametrize("state", _STATES)
def test_a_change_of_model_keeps_falls_back_or_clears(control: ReasoningLevels | None, state: str | None) -> None:
    after = after_model_change(state, control)
    if state is None or control is None:
        assert after is None
    elif state in control.accepted:
        assert after == state
    else:
        assert after == (AUTO if control.supports_auto else None)


@pytest.mark.parametrize("old", model_codes(), ids=lambda model: model.code)
def test_from_every_model_to_every_other_a_setting_stays_valid(old: ModelCode) -> None:
    states: tuple[str | None, ...] = (None, *(old.reasoning.accepted if old.reasoning else ()))
    for new in model_codes():
        for state in states:
            after = after_model_change(state, new.reasoning)
            assert after is None or (new.reasoning is not None and after in new.reasoning.accepted)
            # Decision 23: nothing that is set comes from nothing, and a kept level is the same level.
            assert state is not None or after is None
            assert after in (state, AUTO, None)


def test_none_the_level_is_not_none_the_state() -> None:
    control = ReasoningLevels(("none", "low"), True, None)
    assert after_request("none", control) == "none"
    assert after_model_change("none", control) == "none"


@pytest.mark.parametrize(
    ("setting", "levels", "words"),
    [
        (None, ReasoningLevels(("low", "high"), True, "low"), "not set, so the model's configuration applies"),
        (CLEAR, ReasoningLevels(("low", "high"), True, "low"), "not set, so the model's configuration applies"),
        (None, None, "not set, so the model's configuration applies"),
        (None, ReasoningLevels((), False, None), "not set, since the model has no reasoning levels"),
        (
            AUTO,
            ReasoningLevels(("low",), True, "low"),
            "not sent, so the provider's default applies (probably low)",
        ),
        (AUTO, ReasoningLevels(("low",), True, None), "not sent, so the provider's default applies (unknown)"),
        (
            "none",
            ReasoningLevels(("none", "low", "high"), True, None),
            "“none” is sent with every request (lowest level)",
        ),
        (
            "low",
            ReasoningLevels(("none", "low", "high"), True, "low"),
            "“low” is sent with every request",
        ),
        (
            "high",
            ReasoningLevels(("none", "low", "high"), True, None),
            "“high” is sent with every request (highest level)",
        ),
        ("max", ReasoningLevels(("low", "high"), True, None), "not one of this model's levels"),
        ("max", None, "sent unchanged, since this model's levels are unknown"),
    ],
)
def test_what_each_setting_means(setting: str | None, levels: ReasoningLevels | None, words: str) -> None:
    assert meaning(setting, levels) == words


@pytest.mark.parametrize("model", model_codes(), ids=lambda model: model.code)
def test_no_two_settings_of_a_model_mean_the_same(model: ModelCode) -> None:
    settings = (None, *(model.reasoning.accepted if model.reasoning else ()))
    assert len({meaning(setting, model.reasoning) for setting in settings}) == len(settings)
