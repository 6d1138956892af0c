"""No text from outside reaches standard output as it is: a terminal would obey it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chartui.core.jsontext import Wire
from chartui.core.text import is_plain

from .conftest import Run, Scripted

HOSTILE = "a\x1b]52;c;cHduZWQ=\x07b\x9b2Jc\x00d\r\ne\u202ef\u2066g\ufeffh\U000e0041i\x7fj"

RECORD: dict[str, Wire] = {
    "character_id": HOSTILE,
    "character_name": HOSTILE,
    "language_code": HOSTILE,
    "personalised_prompt_config": {"MODEL": HOSTILE, "PROMPT": HOSTILE, HOSTILE: HOSTILE},
    "language_codes": [HOSTILE, HOSTILE],
    "guard_rails": {HOSTILE: [HOSTILE]},
    "start_narrative_section_id": HOSTILE,
    "is_narrative_driven": True,
    HOSTILE: HOSTILE,
}
SECTION: dict[str, Wire] = {
    "section_id": HOSTILE,
    "section_name": HOSTILE,
    "objective": HOSTILE,
    "decisions": [{"criteria": HOSTILE, "next_section_id": HOSTILE + "x"}],
}
TRIGGER: dict[str, Wire] = {"trigger_id": HOSTILE, "trigger_name": HOSTILE, "destination_section": HOSTILE + "y"}
ESTIMATE: dict[str, Wire] = {
    "totals": {"credits": 3},
    "lines": [{"key": HOSTILE, "label": HOSTILE, "detail": HOSTILE, "credits": 3}],
    "rate_card": {"version": 1, "effective_date": HOSTILE},
    "selections": {"llm": HOSTILE, "memory": True},
    "assumptions": {"inputTokens": 1},
    "disclaimer": HOSTILE,
}
OPTIONS: dict[str, Wire] = {
    "options": {"llm": [{"key": "mdla_4o", "label": HOSTILE, HOSTILE: 1}, {"key": HOSTILE, "label": HOSTILE}]},
    "defaults": {"selections": {"llm": HOSTILE}},
    "plans": [{"label": HOSTILE, "monthly_credits": 1, "tier": HOSTILE}],
}
ANSWERS: dict[str, Any] = {
    "estimate": ESTIMATE,
    "options": OPTIONS,
    "list_characters": {"characters": [RECORD]},
    "summarize_characters": {"characters": [{"character_id": HOSTILE, "character_name": HOSTILE, "model": HOSTILE}]},
    "get_character": RECORD,
    "get_settings": {"character_id": HOSTILE, "backstory": HOSTILE, "reasoning_effort": HOSTILE},
    "list_sections": [SECTION],
    "list_models": {"models": [{"model_group_name": HOSTILE, "model_list": [HOSTILE]}]},
    "list_triggers": [TRIGGER],
    "list_accounts": {"accounts": [{"user_id": HOSTILE, "tier": HOSTILE, "characters": 1}]},
}
COMMANDS = [
    "estimate",
    "options",
    "characters list",
    "characters show X",
    "characters card X --with-texts",
    "narrative show X",
    "store accounts",
    "call list-characters",
    "call options",
]


@pytest.mark.parametrize("embedded", [True, False])
@pytest.mark.parametrize("command", COMMANDS)
def test_hostile_text_is_made_visible(
    command: str, embedded: bool, run: Run, scripted: Callable[..., Scripted]
) -> None:
    scripted(embedded=embedded, **ANSWERS)
    words = command.replace("X", HOSTILE).split(" ")
    for extra in ([], ["--json"]):
        result = run(*words, *extra)
        assert result.status == 0
        assert "pwned" in result.out or "cHduZWQ" in result.out
        assert [line for line in (result.out + result.err).split("\n") if not is_plain(line)] == []


def test_json_keeps_the_text_as_it_is(run: Run, scripted: Callable[..., Scripted]) -> None:
    scripted(**ANSWERS)
    assert run("characters", "list", "--json").value == {"characters": [RECORD]}
    assert run("options", "--json").value == OPTIONS


@pytest.mark.parametrize("answer", [{}, {"options": None}, {"something": {"else": [1, HOSTILE]}}])
def test_options_that_nobody_knows_are_shown_as_they_came(
    answer: dict[str, Wire], run: Run, scripted: Callable[..., Scripted]
) -> None:
    scripted(options=answer)
    result = run("options")
    assert (result.status, result.value) == (0, answer)
    assert "unchanged" in result.err


def test_an_estimate_with_less_than_usual_is_shown(run: Run, scripted: Callable[..., Scripted]) -> None:
    scripted(estimate={"totals": {"credits": 0}, "lines": []})
    assert run("estimate").out.startswith("0 credits per interaction, latency unknown\n")


def test_a_character_that_a_remote_list_does_not_have_is_not_found(run: Run, scripted: Callable[..., Scripted]) -> None:
    scripted(embedded=False, **ANSWERS)
    result = run("characters", "show", "nobody", "--json")
    assert (result.status, result.out, result.error["code"]) == (3, "", "not_found")


def test_a_remote_record_says_what_cannot_be_read(run: Run, scripted: Callable[..., Scripted]) -> None:
    scripted(embedded=False, list_characters={"characters": [{"character_id": "c1"}]})
    shown = run("characters", "show", "c1").out
    assert "Backstory        not returned by this service (write-only)\n" in shown
