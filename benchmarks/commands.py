"""Commands as a shell sees them: from the start of the process to its end, against an interpreter that does nothing.

.venv/bin/python benchmarks/commands.py --rounds 15
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from tempfile import TemporaryDirectory
from typing import Final

from probe import environment
from report import CHARTUI, Row, alternate, ratios, show

NOTHING: Final = "python -c pass"
#: What is run, with the goal in milliseconds.
COMMANDS: Final = {
    "chartui --version": "≤ 80",
    "chartui --help": "≤ 80",
    "chartui estimate --llm mdla_4o": "≤ 200",
    "chartui estimate --llm mdla_4o --json": "≤ 200",
    "chartui options": "",
    "chartui characters list": "",
}


def run(command: Sequence[str], environ: dict[str, str]) -> float:
    """Milliseconds that the command takes; raises ``CalledProcessError`` when it fails."""
    begin = time.perf_counter()
    subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1000


def main() -> None:
    """Measure every command."""
    parser = argparse.ArgumentParser(description="Runs commands of chartui, each in its own process.")
    parser.add_argument("--rounds", type=int, default=15, help="runs of each command (default: 15)")
    rounds = parser.parse_args().rounds
    with TemporaryDirectory(prefix="chartui-benchmark-") as folder:
        environ = environment(CHARTUI_DATA_DIR=folder, CHARTUI_CONFIG_DIR=folder)
        cases = {NOTHING: partial(run, (sys.executable, "-c", "pass"), environ)}
        for words in COMMANDS:
            cases[words] = partial(run, (CHARTUI, *words.split()[1:]), environ)
        found = alternate(rounds, cases)
    rows = [Row(NOTHING, found[NOTHING], "ms")]
    for words, goal in COMMANDS.items():
        rows.append(Row(words, found[words], "ms", goal))
        rows.append(Row("  against nothing", ratios(found[words], found[NOTHING]), "×"))
    show("whole processes", rows)


if __name__ == "__main__":
    main()
