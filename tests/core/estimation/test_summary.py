"""An estimate as a table, and its inputs in words."""

from __future__ import annotations

from decimal import Decimal

from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.summary import changes_in_words, echoed_inputs, estimate_sheet, inputs_in_words
from chartui.core.jsontext import Wire
from chartui.core.sheet import as_csv
from chartui.core.spec.models.estimation import Estimate
from chartui.core.spec.shape import build


def estimate(body: Wire) -> Estimate:
    return build(Estimate, body)


def test_the_lines_and_the_total(estimator: Estimator) -> None:
    answer = estimate(estimator.estimate({"selections": {"llm": "mdla_4o", "memory": False, "stt": "no_stt_input"}}))
    sheet = estimate_sheet(answer)
    assert as_csv(sheet) == (
        "key,label,credits,share,latency_min,latency_max,detail\n"
        "ai_response,AI response,0.7875,2.97,390,960,150 characters = 37.5 tokens × 21 per 1 000\n"
        "prompt,Prompt,21,79.28,,,4 000 tokens × 5.25 per 1 000\n"
        "voice_output,Speech output,4.2,15.86,160,380,10 s × 0.42 per second\n"
        "platform,Platform,0.5,1.89,,,flat charge per interaction\n"
        "total,Total,26.4875,100,550,1340,\n"
    )
    assert sheet.notes[0].startswith("For model MDLA 4o, memory off, ")
    assert "input tokens 4 000" in sheet.notes[0]
    assert sheet.notes[1].startswith("Rate card 1, effective ")
    assert sheet.notes[2] == answer.disclaimer


def test_an_answer_that_says_little() -> None:
    """Of nothing there are no shares, and amounts beyond all sense are amounts."""
    nothing = estimate({"totals": {"credits": 0}, "lines": [{"key": "prompt", "credits": 0}]})
    assert estimate_sheet(nothing).rows == (
        ("prompt", "", 0, None, None, None, ""),
        ("total", "Total", 0, None, None, None, ""),
    )
    assert estimate_sheet(nothing).notes == ()
    odd = {"totals": {"credits": Decimal("1e-390")}, "lines": [{"key": "a", "credits": Decimal("1e390")}]}
    assert estimate_sheet(estimate(odd)).rows[0][3] == Decimal("1e782")


def test_inputs_in_words() -> None:
    body = {
        "totals": {"credits": 0},
        "lines": [],
        "selections": {"tts": "tts_1", "llm": "x", "knowledge": True},
        "assumptions": {"ttsSeconds": Decimal("2.50")},
    }
    inputs = echoed_inputs(estimate(body))
    assert inputs == {"llm": "x", "knowledge": True, "tts": "tts_1", "ttsSeconds": Decimal("2.5")}
    assert inputs_in_words(inputs) == "model x, knowledge on, speech output TTS 1, spoken reply 2.5 s"


def test_the_inputs_that_differ_in_words() -> None:
    before: dict[str, Wire] = {"llm": "mdla_4o", "memory": True, "stt": "no_stt_input", "inputTokens": 1500}
    after = {**before, "llm": "mdla_4_1", "memory": False, "stt": "somebody_else"}
    del after["inputTokens"]
    assert changes_in_words(before, after) == (
        "model MDLA 4o → MDLA 4.1, memory on → off, speech input none → somebody_else, input tokens 1 500 → default"
    )
    assert changes_in_words(before, before) == ""
