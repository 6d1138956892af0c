"""An interaction as it goes by."""

from __future__ import annotations

from decimal import Decimal

from chartui.core.estimation.summary import stages
from chartui.core.spec.models.estimation import Estimate, LatencyRange, Line, Totals


def estimate(*lines: Line) -> Estimate:
    return Estimate(totals=Totals(credits=Decimal(0)), lines=lines)


def line(key: str, latency: tuple[int, int] | int | None) -> Line:
    given = LatencyRange(min=Decimal(latency[0]), max=Decimal(latency[1])) if isinstance(latency, tuple) else latency
    return Line(key=key, credits=Decimal(0), label=key.title(), latency_ms=None if given is None else given)  # type: ignore[arg-type]


def test_speaking_and_the_face_begin_when_the_model_is_done() -> None:
    found = stages(
        estimate(
            line("ai_response", (300, 700)),
            line("prompt", None),
            line("voice_input", (100, 200)),
            line("voice_output", (50, 400)),
            line("animation", (60, 90)),
        )
    )
    assert [(s.key, int(s.begins), int(s.takes.max)) for s in found] == [
        ("voice_input", 0, 200),
        ("ai_response", 200, 700),
        ("voice_output", 900, 400),
        ("animation", 900, 90),
    ]
    assert [s.model for s in found] == [False, True, False, False]


def test_what_takes_no_time_is_no_stage_and_unknown_lines_come_before_the_answer() -> None:
    found = stages(estimate(line("memory", 0), line("moderation", (5, 10)), line("prompt", (100, 100))))
    assert [(s.key, int(s.begins)) for s in found] == [("moderation", 0), ("prompt", 10)]
    assert [s.label for s in found] == ["Moderation", "Prompt"]
    assert stages(estimate(line("platform", None))) == ()
