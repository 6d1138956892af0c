"""The bytes sent to the terminal on a walk over all screens: only what changed, compared with the framework's own way.

Both ways are run in turn. After the walk, some keys are pressed many times for the processor time of each.

.venv/bin/python benchmarks/terminal_bytes.py --rounds 3 --size 80x24
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import cycle, islice
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from lists import filled, shown
from probe import Hold, Session, session, size_of
from report import CHARTUI, alternate

#: The steps after the start, with the keys of each: pressed one by one, or all at once.
STEPS: Final = (
    ("one cursor step", ["down"]),
    ("20 steps at once", [",,".join(["down"] * 20)]),
    ("step that scrolls", ["down"]),
    ("page", ["pagedown"]),
    ("home", ["home"]),
    ("/", ["/"]),
    ("four letters", [*"marc"]),
    ("filter cleared", ["escape", "escape"]),
    ("open a record", ["enter"]),
    ("leave the record", ["escape"]),
    ("screen switch (estimator)", ["E"]),
    ("screen switch, seen (characters)", ["C"]),
    ("requests", ["Q"]),
    ("help opened", ["?"]),
    ("help closed", ["escape"]),
    ("characters again", ["C"]),
    ("narrative", ["N"]),
    ("actions", ["A"]),
    ("characters once more", ["C"]),
)
#: The keys whose processor time is measured, on the list of characters: the keys before them, and those in turn.
REPEATED: Final = {
    "cursor step": (["home"], ["down", "up"]),
    "step that scrolls": ([",,".join(["down"] * 50)], ["down"]),
    "letter in the filter": (["home", "/"], ["e", "backspace"]),
    "change of focus": (["escape", "escape"], ["tab"]),
}
#: The most bytes of a step at 80x24 and at 120x40.
GOALS: Final = {
    "start": (3_600, None),
    "one cursor step": (240, None),
    "20 steps at once": (3_600, None),
    "step that scrolls": (300, 500),
    "/": (400, None),
    "four letters": (800, None),
    "open a record": (2_200, None),
    "screen switch (estimator)": (3_800, None),
    "help opened": (3_500, None),
    "40 held at 30 Hz": (10_500, None),
    "the whole walk": (None, 150_000),
}


class Run(NamedTuple):
    """One walk: the bytes, the first and the last change (ms) of each step, the key held, and processor times (ms)."""

    sizes: Mapping[str, int]
    first: Mapping[str, float]
    last: Mapping[str, float]
    held: Hold
    cpu: Mapping[str, float]


def walk(size: tuple[int, int], environ: Mapping[str, str], characters: int, presses: int) -> Run:
    command = (CHARTUI, "--profile", "local", "--screen", "characters")
    with session(command, size, environ) as running:
        sizes: dict[str, int] = {"start": running.start(shown(characters)).size}
        first: dict[str, float] = {}
        last: dict[str, float] = {}
        running.settle(0.5)
        for name, keys in STEPS:
            sizes[name] = 0
            for key in keys:
                pressed = running.press(key, quiet=0.12 if ",," in key else 0.06)
                sizes[name] += pressed.size
                if pressed.first is not None and pressed.last is not None:
                    first.setdefault(name, pressed.first)
                    last[name] = pressed.last
            before = running.written
            running.settle(0.5)
            # A step counts without what follows the cursor at rest: the title, and the record beside the list.
            sizes[name] += 0 if "step" in name else running.written - before
        before = running.written
        held = running.hold("down", seconds=40 / 30)
        running.settle(0.5)
        sizes["40 held at 30 Hz"] = running.written - before
        sizes["the whole walk"] = running.written
        cpu = {name: processor_time(running, *keys, presses) for name, keys in REPEATED.items()}
        return Run(sizes, first, last, held, cpu)


def processor_time(running: Session, before: Sequence[str], keys: Sequence[str], presses: int) -> float:
    """The processor time of one of ``presses`` keys, in ms."""
    for key in before:
        running.press(key)
        running.settle(0.5)
    spent = running.cpu
    for key in islice(cycle(keys), presses):
        running.press(key)
    return (running.cpu - spent) / presses


def table(title: str, found: Mapping[str, Sequence[Run]], column: int) -> None:
    print(f"\n{title}")
    print(f"  {'bytes':<34}{'framework':>10}{'changes':>10}{'factor':>8}  goal")
    theirs, ours = found["framework"], found["changes"]
    for name in ours[0].sizes:
        one, other = (median(run.sizes[name] for run in runs) for runs in (theirs, ours))
        goal = GOALS.get(name, (None, None))[column]
        verdict = "" if goal is None else f"≤ {goal}" + (" — missed" if other > goal else "")
        print(f"  {name:<34}{one:>10,.0f}{other:>10,.0f}{one / max(other, 1):>8.1f}  {verdict}".rstrip())
    print(f"\n  {'ms':<34}{'framework':>10}{'changes':>10}")
    for kind in ("first", "last"):
        for name in ("one cursor step", "step that scrolls", "/", "open a record", "help opened", "help closed"):
            pair = [median(getattr(run, kind).get(name, 0.0) for run in runs) for runs in (theirs, ours)]
            print(f"  {f'{name}: {kind} change':<34}{pair[0]:>10.1f}{pair[1]:>10.1f}")
    print(f"\n  {'processor time of a key, ms':<34}{'framework':>10}{'changes':>10}")
    for name in (*REPEATED, "key held"):
        pair = [median({**run.cpu, "key held": run.held.cpu}[name] for run in runs) for runs in (theirs, ours)]
        print(f"  {name:<34}{pair[0]:>10.2f}{pair[1]:>10.2f}")


def main() -> None:
    """Fill a store in a scratch folder and walk over it."""
    parser = argparse.ArgumentParser(description="Counts the bytes sent to the terminal, step by step.")
    parser.add_argument("--rounds", type=int, default=3, help="runs (default: 3)")
    parser.add_argument("--presses", type=int, default=20, help="keys per processor time (default: 20)")
    parser.add_argument("--characters", type=int, default=10_000, metavar="N", help="how many (default: 10000)")
    parser.add_argument("--size", type=size_of, action="append", metavar="80x24", help="default: 80x24 and 120x40")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="chartui-benchmark-") as folder:
        environ = filled(folder, arguments.characters)
        for size in arguments.size or [(80, 24), (120, 40)]:
            wide = size[0] >= 100
            colors = {"COLORTERM": "truecolor" if wide else ""}
            cases = {
                name: partial(
                    walk,
                    size,
                    {**environ, **colors, "CHARTUI_DIFFERENCES": value},
                    arguments.characters,
                    arguments.presses,
                )
                for name, value in (("framework", "0"), ("changes", "1"))
            }
            title = f"{size[0]}x{size[1]}, {'true color' if wide else '256 colors'}"
            table(title, alternate(arguments.rounds, cases), int(wide))


if __name__ == "__main__":
    main()
