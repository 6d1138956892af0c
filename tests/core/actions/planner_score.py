"""What share of a file's sentences the local planner understands: ``python -m tests.core.actions.planner_score FILE``.

Writes the share by category, every sentence that fails, and the processor time of a command. Without a file it is
commands.toml, which says at its top how such a file is written.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from time import process_time

from tests.core.actions.commands import TABLE, read_commands


def main(path: Path) -> None:
    """Score one file."""
    commands = read_commands(path)
    mistakes = {place: mistake for place, command in enumerate(commands) if (mistake := command.mistake())}
    times = []
    for command in commands:
        start = process_time()
        command.plan()
        times.append((process_time() - start) * 1000)
    lines = []
    asked = Counter(command.place.partition(": ")[2] for command in commands)
    missed = Counter(commands[place].place.partition(": ")[2] for place in mistakes)
    for category, number in asked.items():
        lines.append(f"{category:14}{number - missed[category]:4} of {number}")
    for place, mistake in mistakes.items():
        lines.append(f"- {commands[place].place}: “{commands[place].say}”\n    {mistake}")
    right = len(commands) - len(mistakes)
    lines.append(f"{right} of {len(commands)} right ({right / len(commands):.1%})")
    times.sort()
    lines.append(f"a command takes {times[len(times) // 2]:.2f} ms (median), {times[-1]:.2f} ms at most")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE)
