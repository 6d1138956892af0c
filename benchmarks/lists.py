"""The list of characters on a large store: to start on it, to go through it by steps, by pages and with a key held.

.venv/bin/python benchmarks/lists.py --characters 10000
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import cycle, islice
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final, NamedTuple

from bare import READY
from probe import Hold, Press, Session, Start, environment, session, size_of
from report import BARE, CHARTUI, Row, alternate, late, of, ratios, show

from chartui.core.characters.models import from_catalogue
from chartui.core.costs import basis_for
from chartui.core.list_costs import list_costs, read_measures
from chartui.core.profiles import BUILT_IN
from chartui.core.session import Session as Opened
from chartui.core.session import open_session
from chartui.core.spec.records import Records

#: The keys of each kind of move, pressed in turn.
MOVES: Final = {
    "step": ("down", "down", "down", "up"),
    "page": ("pagedown",),
    "end": ("end", "home"),
}
#: Goals for the kinds of moves: first byte, last byte (ms), written (kB).
GOALS: Final = {
    "step": ("≤ 5, 95%: ≤ 10", "≤ 10, 95%: ≤ 35", "≤ 1.5"),
    "page": ("", "", "≤ 20"),
    "end": ("", "", "≤ 20"),
}


class Run(NamedTuple):
    """One run: its start and, unless it is the bare program's, what was done with the list."""

    start: Start
    presses: Mapping[str, list[Press]] = {}
    holds: Sequence[Hold] = ()


def run_bare(size: tuple[int, int]) -> Run:
    """Start the bare program."""
    with session(BARE, size, environment()) as running:
        return Run(running.start(READY))


def run_list(size: tuple[int, int], environ: Mapping[str, str], characters: int, presses: int) -> Run:
    """Start on the list and go through it."""
    command = (CHARTUI, "--profile", "local", "--screen", "characters", "--fresh")
    with session(command, size, environ) as running:
        start = running.start(shown(characters))
        running.settle()
        moved = {kind: [press(running, key) for key in islice(cycle(keys), presses)] for kind, keys in MOVES.items()}
        press(running, "home")
        return Run(start, moved, [running.hold("down")])


def filled(folder: str, characters: int) -> dict[str, str]:
    """The variables for a program on a new store in ``folder`` with so many characters, of 3 kB each."""
    environ = environment(CHARTUI_DATA_DIR=folder, CHARTUI_CONFIG_DIR=folder)
    seed = (CHARTUI, "--profile", "local", "--json", "store", "seed", "--characters", str(characters))
    subprocess.run(seed, env=environ, check=True, stdout=subprocess.DEVNULL)
    return environ


def shown(characters: int) -> str:
    """A pattern that is written once a list of so many is there."""
    return rf"(?<!\d){characters:,}(?!\d)".replace(",", " ")


def press(running: Session, key: str) -> Press:
    """Press a key, and wait until the record that follows the cursor is shown too."""
    pressed = running.press(key)
    running.settle(0.3)
    return pressed


def rows_of(kind: str, presses: Sequence[Press]) -> list[Row]:
    """What the presses of one kind of move took."""
    first, last = of(presses, "first"), of(presses, "last")
    goals = GOALS[kind]
    return [
        Row(f"{kind}: first byte (95%: {late(first):.1f})", first, "ms", goals[0]),
        Row(f"{kind}: last byte (95%: {late(last):.1f})", last, "ms", goals[1]),
        Row(f"{kind}: written", of(presses, "size", 1e3), "kB", goals[2], 2),
    ]


def measure(found: Mapping[str, Sequence[Run]]) -> list[Row]:
    """The figures of all runs at one size."""
    bare, ours = ([run.start for run in found[name]] for name in ("bare", "list"))
    rows = [
        Row("shown, against bare", ratios(of(ours, "ready"), of(bare, "ready")), "×", "≤ 2.0", 2),
        Row("shown", of(ours, "ready"), "ms"),
        Row("processor time, against bare", ratios(of(ours, "cpu"), of(bare, "cpu")), "×", "≤ 2.2", 2),
        Row("memory when shown", of(ours, "memory", 2**20), "MiB", "≤ 80"),
        Row("written until settled", of(ours, "size", 1e3), "kB", "≤ 60"),
    ]
    for kind in MOVES:
        rows += rows_of(kind, [pressed for run in found["list"] for pressed in run.presses[kind]])
    holds = [hold for run in found["list"] for hold in run.holds]
    rows.append(Row("held at 30/s: last byte after the last press", of(holds, "drain"), "ms", "≤ 50"))
    rows.append(Row("held at 30/s: processor time of a press", of(holds, "cpu"), "ms"))
    return rows


async def cost_column(session: Opened) -> float:
    """The milliseconds to compute the Cost column: read what the costs depend on, and compute all of them."""
    basis, models = await basis_for(session), from_catalogue()
    rates = session.rates.get()
    begin = perf_counter()
    measures = await read_measures(session.service, session.journal, session.profile.place, Records.none())
    list_costs(measures, models, basis, rates.card)
    return (perf_counter() - begin) * 1e3


async def measure_costs(rounds: int) -> list[float]:
    """Compute the Cost column several times, the first time not counted."""
    session = open_session(BUILT_IN["local"])
    try:
        return [await cost_column(session) for _ in range(rounds + 1)][1:]
    finally:
        await session.aclose()


def main() -> None:
    """Fill a store in a scratch folder and measure on it."""
    parser = argparse.ArgumentParser(description="Measures the list of characters of a large store.")
    parser.add_argument("--rounds", type=int, default=5, help="runs (default: 5)")
    parser.add_argument("--characters", type=int, default=10_000, metavar="N", help="how many (default: 10000)")
    parser.add_argument("--presses", type=int, default=12, help="keys per kind of move (default: 12)")
    parser.add_argument("--size", type=size_of, action="append", metavar="80x24", help="default: 80x24 and 120x40")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="chartui-benchmark-") as folder:
        environ = filled(folder, arguments.characters)
        os.environ.update(environ)
        costs = asyncio.run(measure_costs(arguments.rounds))
        show(f"{arguments.characters} characters", [Row("Cost column", costs, "ms", "≤ 300")])
        for size in arguments.size or [(80, 24), (120, 40)]:
            cases = {
                "bare": partial(run_bare, size),
                "list": partial(run_list, size, environ, arguments.characters, arguments.presses),
            }
            title = f"{arguments.characters} characters at {size[0]}x{size[1]}"
            show(title, measure(alternate(arguments.rounds, cases)))


if __name__ == "__main__":
    main()
