"""The filter of the list of characters on a large store, and the list of a service that answers with the same.

.venv/bin/python benchmarks/finding.py --characters 10000
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from bare import READY
from lists import filled, press, shown
from probe import Hold, Press, Session, Start, environment, session, size_of
from report import BARE, CHARTUI, Row, alternate, late, of, ratios, show

from chartui.core.backends.local.backend import LocalBackend
from chartui.core.backends.local.store import Store
from chartui.core.characters.finder import TEXTS, Finder, texts_in, traits_told
from chartui.core.service import Service
from chartui.core.spec.catalogue import model_codes

#: What is typed, letter by letter: words of names, models and traits, the fuzzy ones with slips in them, then texts.
TYPED: Final = {
    "exact": ("becker mdla", "castillo", "flash calm", "openness>3 moreau"),
    "fuzzy": ("bekcer mdla", "catsillo", "flsah clam", "openness>3 moraeu"),
    "texts": ("text:becker mdla", "text:castillo"),
}
#: The same for the palette, which searches everything.
ANYTHING: Final = ("bekcer mdla", "cheap", "tmp", "catsillo", "@moraeu")
GOALS: Final = {"exact": "median ≤ 35", "fuzzy": "median ≤ 150", "texts": "median ≤ 50"}
#: Seconds for which the cursor is moved while the list of a service is read again.
READING: Final = 6.0
_VARIABLE: Final = "CHARTUI_BENCHMARK_KEY"


class Run(NamedTuple):
    """One run: its start, the keys that were typed, and the keys that were held."""

    start: Start
    typed: Mapping[str, Sequence[Press]] = {}
    steps: Sequence[Press] = ()
    holds: Sequence[Hold] = ()
    memory: float | None = None
    memory_with_texts: float | None = None


# -- the filter -------------------------------------------------------------------------------------------------------


def listed(path: Path) -> Finder:
    """The list in a store with its traits, for knowing what the program has to find."""

    async def read() -> Finder:
        service = Service(LocalBackend(lambda: Store(path)), embedded=True)
        try:
            known = frozenset(model.code for model in model_codes())
            told = await service.descriptions()
            texts = texts_in(await service.records(), TEXTS, {one.character_id: one.backstory for one in told})
            return Finder(await service.summaries(), known, traits_told(told), texts)
        finally:
            await service.aclose()

    return asyncio.run(read())


def run_filter(size: tuple[int, int], environ: Mapping[str, str], finder: Finder) -> Run:
    """Start on the list of a store and type into its filter."""
    characters = len(finder.summaries)
    with session((CHARTUI, "--profile", "local", "--screen", "characters", "--fresh"), size, environ) as running:
        start = running.start(shown(characters))
        running.settle()
        press(running, "/")
        typed = {}
        for way, texts in TYPED.items():
            if way == "fuzzy":
                running.press("ctrl+t", until="fuzzy")
            elif way == "texts":
                memory = running.memory() / 2**20
            fuzzy = way != "exact"
            # Traits are read beside the keys: those of the first word show that they are there.
            _type(running, finder, "openness>4", fuzzy=fuzzy, wait=2.0)
            typed[way] = [one for text in texts for one in _type(running, finder, text, fuzzy=fuzzy)]
        with_texts = running.memory() / 2**20
        press(running, "escape")
        press(running, ":")
        running.settle(2.0)  # the index of the characters is there from the filter, that of the rest is made now
        pressed = []
        for text in ANYTHING:
            for key in text:
                pressed.append(press(running, "space" if key == " " else key))
                running.settle(0.3)
            press(running, "ctrl+u")
        return Run(start, typed, pressed, memory=memory, memory_with_texts=with_texts)


def _type(running: Session, finder: Finder, text: str, *, fuzzy: bool, wait: float = 0.0) -> list[Press]:
    """Type ``text`` and take it away again; returns the keys after which another number of characters is found."""
    pressed, before = [], len(finder.summaries)
    for end in range(1, len(text) + 1):
        found = len(finder.find(text[:end], fuzzy=fuzzy))
        if found == before:
            running.press(text[end - 1])
        else:
            part = " of " if found < len(finder.summaries) else ""
            pressed.append(running.press(text[end - 1], until=f"{shown(found)}{part}"))
        running.settle(max(0.3, wait))
        before = found
    running.press("ctrl+u")
    running.settle(0.3)
    return pressed


# -- a service --------------------------------------------------------------------------------------------------------


@contextmanager
def serving(environ: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Serve the store from another process; gives the variables for a program with a profile on it, ``served``."""
    command = (CHARTUI, "--profile", "local", "--json")
    made = subprocess.run(
        (*command, "store", "accounts", "--new-key", "local"), env=environ, check=True, capture_output=True
    )
    server = subprocess.Popen(
        (*command, "serve", "--port", "0"), env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert server.stdout is not None
        url = json.loads(server.stdout.readline())["base_url"]
        add = (CHARTUI, "profiles", "add", "served", "--url", url, "--key-env", _VARIABLE, "--deadline", "120")
        subprocess.run(add, env=environ, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        yield {**environ, _VARIABLE: json.loads(made.stdout)["key"]}
    finally:
        server.terminate()
        server.wait()


def run_remote(size: tuple[int, int], environ: Mapping[str, str], characters: int) -> Run:
    """Start on the list of a service; move the cursor, and go on moving it while the list is read again."""
    with session(
        (CHARTUI, "--profile", "served", "--screen", "characters", "--fresh"), size, environ, limit=180.0
    ) as running:
        start = running.start(shown(characters))
        running.settle()
        steps = [press(running, key) for key in ("down", "down", "down", "up") * 3]
        running.press("f5", quiet=0.0)
        reading = running.hold("down", seconds=READING)
        return Run(start, steps=steps, holds=[reading], memory=running.memory() / 2**20)


# -- the figures ------------------------------------------------------------------------------------------------------


def run_bare(size: tuple[int, int]) -> Run:
    """Start the bare program."""
    with session(BARE, size, environment()) as running:
        return Run(running.start(READY))


def measure(found: Mapping[str, Sequence[Run]]) -> list[Row]:
    """The figures of all runs at one size."""
    rows = []
    for way, goal in GOALS.items():
        pressed = [one for run in found["filter"] for one in run.typed[way]]
        results = of(pressed, "shown")
        rows.append(Row(f"{way}: key to result (95%: {late(results):.1f})", results, "ms", goal))
        rows.append(Row(f"{way}: written", of(pressed, "size", 1e3), "kB"))
    palette = of([step for run in found["filter"] for step in run.steps], "last")
    rows.append(Row(f"palette: key to last byte (95%: {late(palette):.1f})", palette, "ms", "≤ 50"))
    rows.append(Row("memory when all was found", of(found["filter"], "memory"), "MiB", "≤ 80"))
    rows.append(Row("memory with the texts", of(found["filter"], "memory_with_texts"), "MiB"))
    bare, remote = ([run.start for run in found[name]] for name in ("bare", "remote"))
    steps = [step for run in found["remote"] for step in run.steps]
    first = of(steps, "first")
    return [
        *rows,
        Row("service: shown, against bare", ratios(of(remote, "ready"), of(bare, "ready")), "×", "", 2),
        Row("service: shown", of(remote, "ready"), "ms"),
        Row("service: memory when shown", of(remote, "memory", 2**20), "MiB"),
        Row("service: memory when read again", of(found["remote"], "memory"), "MiB"),
        Row(f"service: step, first byte (95%: {late(first):.1f})", first, "ms", "≤ 5, 95%: ≤ 10"),
        Row(
            "service: read again, longest wait of a key",
            of([hold for run in found["remote"] for hold in run.holds], "slowest"),
            "ms",
            "< 100",
        ),
    ]


def main() -> None:
    """Fill a store in a scratch folder, serve it, and measure on both."""
    parser = argparse.ArgumentParser(description="Filters a long list of characters, and reads it from a service.")
    parser.add_argument("--rounds", type=int, default=3, help="runs (default: 3)")
    parser.add_argument("--characters", type=int, default=10_000, metavar="N", help="how many (default: 10000)")
    parser.add_argument("--size", type=size_of, action="append", metavar="80x24", help="default: 80x24 and 120x40")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="chartui-benchmark-") as folder:
        environ = filled(folder, arguments.characters)
        finder = listed(Path(folder) / "local.db").prepare(fuzzy=True)
        with serving(environ) as served:
            for size in arguments.size or [(80, 24), (120, 40)]:
                cases = {
                    "bare": partial(run_bare, size),
                    "filter": partial(run_filter, size, environ, finder),
                    "remote": partial(run_remote, size, served, arguments.characters),
                }
                title = f"filter of {arguments.characters} characters at {size[0]}x{size[1]}"
                show(title, measure(alternate(arguments.rounds, cases)))


if __name__ == "__main__":
    main()
