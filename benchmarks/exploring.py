"""The search of all configurations, at other quantities each time, against plain loops over every one of them.

.venv/bin/python benchmarks/exploring.py --rounds 15
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import count, product
from typing import Final

from report import Row, alternate, ratios, show

from chartui.core.estimation.card import FREE, RateCard, load_card
from chartui.core.estimation.constraints import Constraints, Need, default_constraints
from chartui.core.estimation.exploration import explore
from chartui.core.estimation.prices import Configuration, ModelPart, OptionPart, Pricing, Quantities
from chartui.core.estimation.rank import rank
from chartui.core.spec.catalogue import NO_STT, NO_TTS, is_billed_by_provider

CARD = load_card()
#: Every pricing is made for quantities that there were none for before.
TOKENS = count(4000)

CASES: Final[Mapping[str, Constraints]] = {
    "nothing asked": Constraints(),
    "speech within 1200 ms": Constraints(speech_in=Need.MUST, speech_out=Need.MUST, max_latency=1200),
    "the defaults, no beta, a month": replace(
        default_constraints(Configuration.default(CARD)),
        beta=Need.MUST_NOT,
        interactions=Decimal(360_000),
        max_monthly_credits=Decimal(4_000_000),
    ),
    "two limits": Constraints(max_credits=Decimal(20), max_latency=1900),
    "two limits, nothing unusual, billed elsewhere": Constraints(
        unusual_inputs=Need.MUST_NOT, billed_elsewhere=Need.MUST, max_credits=Decimal(20), max_latency=1900
    ),
    "two limits, something unusual, not billed elsewhere": Constraints(
        unusual_inputs=Need.MUST, billed_elsewhere=Need.MUST_NOT, max_credits=Decimal(20), max_latency=1900
    ),
}

#: Without every tenth option that has a price, so that some configurations cannot be priced.
LACKING = CARD._replace(
    options={
        kind: {key: o for i, (key, o) in enumerate(table.items()) if key in FREE[kind] or i % 10}
        for kind, table in CARD.options.items()
    },
)

#: Millionths of a credit and milliseconds.
Figures = tuple[int, int]


def priced(card: RateCard = CARD) -> Pricing:
    """The shares of all options at quantities of their own."""
    return Pricing(card, Quantities(next(TOKENS), 150, 8, 10))


def loops(pricing: Pricing) -> tuple[int, list[Figures]]:
    """How many configurations there are, and the front, by plain loops that add up as early as they can."""
    found: list[Figures] = []
    for key, model in pricing.models.items():
        if is_billed_by_provider(key):  # at a price that nobody knows
            continue
        own = pricing.platform + model.prompt + (0 if model.realtime else model.response)
        for memory, knowledge in product((0, pricing.memory), (0, pricing.knowledge)):
            for stt, ears in pricing.stt.items():
                hears = (model.hearing if stt != NO_STT else 0) if model.realtime else ears.micro
                heard, delay = own + memory + knowledge + hears, most(model) + (0 if model.realtime else most(ears))
                for tts, voice in pricing.tts.items():
                    if is_billed_by_provider(tts) and not model.realtime:
                        continue
                    speaks = (model.speaking if tts != NO_TTS else 0) if model.realtime else voice.micro
                    spoken, begins = heard + speaks, 0 if model.realtime else most(voice)
                    for face in pricing.animation.values():
                        found.append((spoken + face.micro, delay + max(begins, most(face))))
    front: list[Figures] = []
    for figures in sorted(found):
        if not front or figures[1] < front[-1][1]:
            front.append(figures)
    return len(found), front


def most(part: OptionPart | ModelPart) -> int:
    """The latency of a part at its slowest, milliseconds."""
    return part.latency[1] if part.latency else 0


def check() -> None:
    """Both ways find the same; else there would be nothing to compare."""
    pricing = priced()
    found = explore(pricing, Constraints())
    figures = [(int(point.credits.scaleb(6)), point.latency) for point in found.front]
    if loops(pricing) != (found.count, figures):
        raise SystemExit("the search and the loops do not agree")


def milliseconds(work: Callable[[], object], times: int) -> Callable[[], float]:
    """Takes the mean processor time of ``work`` over ``times`` calls: it computes and waits for nothing."""

    def measure() -> float:
        begin = time.process_time()
        for _ in range(times):
            work()
        return (time.process_time() - begin) * 1000 / times

    return measure


def searching(rounds: int) -> Iterator[Row]:
    """Count and front at changed quantities, whatever is asked, and loops in between."""
    cases: dict[str, Callable[[], float]] = {"loops": milliseconds(lambda: loops(priced()), 1)}
    for name, asked in CASES.items():
        cases[name] = milliseconds(lambda asked=asked: explore(priced(), asked), 10)  # type: ignore[misc]
    limits = CASES["two limits"]
    cases["a card that lacks options"] = milliseconds(lambda: explore(priced(LACKING), limits), 10)
    found = alternate(rounds, cases)
    yield Row("plain loops over 45 720", found["loops"], "ms")
    for name in list(cases)[1:]:
        yield Row(f"search, {name}", found[name], "ms", "≤ 3", decimals=2)
    yield Row("search against loops", ratios(found["nothing asked"], found["loops"]), "×", decimals=3)


def ranking(rounds: int) -> Iterator[Row]:
    """Every option of a kind in the place of the present one, at changed quantities."""
    present = Configuration.default(CARD)
    found = alternate(
        rounds,
        {
            "the shares of all options": milliseconds(priced, 20),
            "rank 58 models": milliseconds(lambda: rank(priced(), present, "llm"), 20),
            "rank 58 models under constraints": milliseconds(
                lambda: rank(priced(), present, "llm", constraints=default_constraints(present)), 20
            ),
            "rank 21 voices": milliseconds(lambda: rank(priced(), present, "tts"), 20),
        },
    )
    for name, values in found.items():
        yield Row(name, values, "ms", decimals=2)


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description="Measures the search of all configurations inside this process.")
    parser.add_argument("--rounds", type=int, default=9, help="repetitions (default: 9)")
    arguments = parser.parse_args()
    check()
    show("all configurations, at other quantities each time, shares included", list(searching(arguments.rounds)))
    show("rankings, shares included", list(ranking(arguments.rounds)))


if __name__ == "__main__":
    main()
