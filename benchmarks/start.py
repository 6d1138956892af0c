"""The start of `chartui demo`, up to an estimator that can be used, against the bare program.

.venv/bin/python benchmarks/start.py --rounds 7

With ``--against``, two versions of the program start in turn.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from bare import READY
from probe import Failed, Idle, Quit, Start, environment, session, size_of
from report import BARE, CHARTUI, Row, alternate, of, ratios, show

#: Said behind the latency, so it is there once the first estimate is.
USABLE: Final = "end to end"
#: Columns and lines, with the bytes (in kB) that the first picture may take.
GOALS: Final = {(80, 24): "≤ 20", (120, 40): "≤ 35"}
#: The keys of the other screens, and their names.
SCREENS: Final = {"C": "Characters", "N": "Narrative", "A": "Actions", "Q": "Requests"}


class Run(NamedTuple):
    """One run of a program, from start to end."""

    start: Start
    idle: Idle
    quit: Quit


def run(command: Sequence[str], text: str, size: tuple[int, int], idle: float) -> Run:
    """Start a program, leave it alone for a while, end it."""
    with session(command, size, environment()) as running:
        start = running.start(text)
        running.settle(0.5)  # what the screens share is imported after the first picture
        return Run(start, running.idle(idle), running.quit("q"))


def compare(size: tuple[int, int], rounds: int, idle: float, other: str) -> list[Row]:
    """The figures relative to another version of the program, pair by pair."""
    programs = {"ours": CHARTUI, "other": other}
    cases = {name: partial(run, (program, "demo"), USABLE, size, idle) for name, program in programs.items()}
    found = alternate(rounds, cases)
    ours, others = ([result.start for result in found[name]] for name in programs)
    titles = {"ready": "usable", "settled": "settled", "cpu": "processor time", "memory": "memory", "size": "written"}
    return [
        Row(f"{title}, against the other", ratios(of(ours, name), of(others, name)), "×", "≤ 1.03", 3)
        for name, title in titles.items()
    ]


def measure(size: tuple[int, int], rounds: int, idle: float) -> list[Row]:
    """The figures at one size."""
    cases = {
        "bare": partial(run, BARE, READY, size, idle),
        "chartui": partial(run, (CHARTUI, "demo"), USABLE, size, idle),
    }
    found = alternate(rounds, cases)
    bare, ours = ([result.start for result in found[name]] for name in ("bare", "chartui"))
    return [
        Row("usable, against bare", ratios(of(ours, "ready"), of(bare, "ready")), "×", "≤ 1.6", 2),
        Row("usable", of(ours, "ready"), "ms"),
        Row("bare program", of(bare, "ready"), "ms"),
        Row("processor time, against bare", ratios(of(ours, "cpu"), of(bare, "cpu")), "×", "≤ 2.2", 2),
        Row("memory when usable", of(ours, "memory", 2**20), "MiB", "≤ 55"),
        Row("memory of the bare program", of(bare, "memory", 2**20), "MiB"),
        Row("written until settled", of(ours, "size", 1e3), "kB", GOALS.get(size, "")),
        Row("written by the bare program", of(bare, "size", 1e3), "kB"),
        Row("idle: processor", of((result.idle for result in found["chartui"]), "cpu"), "%", "≤ 0.2", 2),
        Row("idle: written", of((result.idle for result in found["chartui"]), "size"), "bytes", "0", 0),
        Row("quit", of((result.quit for result in found["chartui"]), "took"), "ms", "≤ 350"),
        Row("quit of the bare program", of((result.quit for result in found["bare"]), "took"), "ms"),
    ]


def first_opening(key: str, size: tuple[int, int]) -> float:
    """The time in ms from the key of a screen to its first picture, in a program that has not shown it yet."""
    with session((CHARTUI, "demo"), size, environment()) as running:
        running.start(USABLE)
        running.settle()
        first = running.press(key).first
        running.quit("q")
    if first is None:
        raise Failed(f"{key!r} opened nothing.")
    return first


def bare_start(size: tuple[int, int]) -> float:
    """The time in ms until the bare program is ready."""
    with session(BARE, size, environment()) as running:
        ready = running.start(READY).ready
        running.quit("q")
    return ready


def open_screens(size: tuple[int, int], rounds: int) -> list[Row]:
    """How long the first opening of each screen takes."""
    cases = {key: partial(first_opening, key, size) for key in SCREENS}
    found = alternate(rounds, {"bare": partial(bare_start, size), **cases})
    rows = []
    for key, name in SCREENS.items():
        rows.append(Row(f"first opening of {name}", found[key], "ms"))
        rows.append(Row(f"{name}, against bare", ratios(found[key], found["bare"]), "×", "≤ 0.52", 2))
    return rows


def main() -> None:
    """Measure at every size that is asked for."""
    parser = argparse.ArgumentParser(description="Starts chartui and the bare program in turn.")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each program (default: 7)")
    parser.add_argument("--idle", type=float, default=2.0, metavar="SECONDS", help="time without a key (default: 2)")
    parser.add_argument("--size", type=size_of, action="append", metavar="80x24", help="default: 80x24 and 120x40")
    parser.add_argument(
        "--against", metavar="PROGRAM", help="the chartui of another version, instead of the bare program"
    )
    arguments = parser.parse_args()
    for size in arguments.size or GOALS:
        if arguments.against:
            rows = compare(size, arguments.rounds, arguments.idle, arguments.against)
        else:
            rows = measure(size, arguments.rounds, arguments.idle)
            rows += open_screens(size, rounds=arguments.rounds)
        show(f"start at {size[0]}x{size[1]}", rows)


if __name__ == "__main__":
    main()
