"""Parts of the core on their own: estimates, reading the rate card, lists and graphs of ten thousand.

.venv/bin/python benchmarks/core.py --rounds 7
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from report import Row, show

import chartui.core.estimation
from chartui.core.backends.local.backend import LocalBackend
from chartui.core.backends.local.seed import seed
from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Store
from chartui.core.estimation.card import load_card
from chartui.core.estimation.discovery import discover
from chartui.core.estimation.estimator import Estimator
from chartui.core.jsontext import Wire
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.outline import outline
from chartui.core.service import Service
from chartui.core.spec.catalogue import options
from chartui.core.spec.models.estimation import Selections

#: The packaged card as a file of its own, which is not kept between calls.
CARD = Path(chartui.core.estimation.__path__[0]) / "data" / "rate-card.toml"


def timed(rounds: int, work: Callable[[], object], times: int = 1) -> list[float]:
    """Milliseconds of one ``work``, ``rounds`` times after a warm-up; each time is the mean over ``times`` calls."""
    found: list[float] = []
    for _ in range(rounds + 1):
        begin = time.perf_counter()
        for _ in range(times):
            work()
        found.append((time.perf_counter() - begin) * 1000 / times)
    return found[1:]


def configurations() -> Iterator[dict[str, Wire]]:
    """Every configuration that can be chosen, as payloads."""
    flags = (False, True)
    kinds = ([option.key for option in options(kind)] for kind in ("llm", "stt", "tts", "animation"))
    for llm, stt, tts, animation, memory, knowledge in product(*kinds, flags, flags):
        chosen = {"llm": llm, "stt": stt, "tts": tts, "animation": animation}
        yield {"selections": {**chosen, "memory": memory, "knowledge": knowledge}}


def estimation(rounds: int) -> Iterator[Row]:
    """What the estimator screen asks for at every key, and the whole space of configurations."""
    yield Row("read the rate card", timed(rounds, lambda: load_card(CARD)), "ms")
    estimator = Estimator(load_card())
    yield Row("one estimate", timed(rounds, lambda: estimator.estimate({}), 1000), "ms", decimals=3)
    service = Service(LocalBackend(_no_store), embedded=True)
    selections = Selections(llm="mdla_4o")

    async def ask() -> None:
        for _ in range(1000):
            await service.estimate(selections)

    yield Row("1 000 estimates, typed", timed(rounds, lambda: asyncio.run(ask())), "ms")
    payloads = list(configurations())
    title = f"{len(payloads):,} estimates".replace(",", " ")
    yield Row(title, timed(rounds, lambda: [estimator.estimate(payload) for payload in payloads]), "ms", decimals=0)
    answer = estimator.options()
    yield Row("make out the options", timed(rounds, lambda: discover(answer), 10), "ms")


def _no_store() -> Store:
    raise AssertionError("an estimate needs no store")


def store(rounds: int, folder: Path, count: int) -> Iterator[Row]:
    """A store of ``count`` characters, the first of them with a graph of as many sections."""

    def fill(path: Path) -> None:
        with_store = Store(path)
        seed(with_store, BUILT_IN_ACCOUNT, characters=count, sections=count, seed=1)
        with_store.close()

    path = folder / "store.db"
    begin = time.perf_counter()
    fill(path)
    large = f"{count:,}".replace(",", " ")
    yield Row(f"make {large} characters and sections", [(time.perf_counter() - begin) * 1000], "ms", decimals=0)
    with asyncio.Runner() as runner:
        service = Service(LocalBackend(lambda: Store(path)), embedded=True)

        def asking(ask: Callable[[], Coroutine[Any, Any, object]]) -> list[float]:
            return timed(rounds, lambda: runner.run(ask()))

        yield Row(f"summaries of {large} characters", asking(service.summaries), "ms", decimals=0)

        async def decoded() -> object:
            return list(await service.records())

        yield Row(f"whole records of {large} characters", asking(decoded), "ms", decimals=0)
        first = next(c for c in runner.run(service.summaries()) if c.is_narrative_driven).character_id
        yield Row("one record", asking(lambda: service.character(first)), "ms", decimals=2)
        yield Row(f"read {large} sections", asking(lambda: service.sections(first)), "ms", decimals=0)
        sections, triggers = runner.run(service.sections(first)), runner.run(service.triggers(first))
        start = sections[0].section_id
        graph = Graph.build(sections, triggers, start)
        runner.run(service.aclose())
    yield Row(f"graph of {large} sections", timed(rounds, lambda: Graph.build(sections, triggers, start)), "ms")
    yield Row(f"outline of {large} sections", timed(rounds, lambda: outline(graph)), "ms")
    drawn = outline(graph)
    yield Row("rows of the outline", timed(rounds, lambda: drawn.rows()), "ms")


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description="Measures parts of the core inside this process.")
    parser.add_argument("--rounds", type=int, default=5, help="repetitions (default: 5)")
    parser.add_argument(
        "--count", type=int, default=10_000, metavar="N", help="characters and sections (default: 10000)"
    )
    arguments = parser.parse_args()
    show("estimation", list(estimation(arguments.rounds)))
    with TemporaryDirectory(prefix="chartui-benchmark-") as folder:
        title = f"a store of {arguments.count} characters"
        show(title, list(store(arguments.rounds, Path(folder), arguments.count)))


if __name__ == "__main__":
    main()
