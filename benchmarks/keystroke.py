"""Typing in the estimator: from a digit in a quantity field until the total on the screen is another one.

.venv/bin/python benchmarks/keystroke.py --presses 40
"""

from __future__ import annotations

import argparse
import re
from typing import Final

from probe import Press, Session, environment, session, size_of
from report import CHARTUI, Row, of, show

USABLE: Final = "end to end"
#: In a narrow window the total is a number; in a wide one its digits are drawn, but the prompt says what it counts.
NARROW: Final = 100
DIGITS: Final = "123456789"
#: How many digits are typed before the field is reset.
LENGTH: Final = 4
_TOTAL: Final = re.compile(r"(\d[\d ]*\.\d{3}) credits per interaction")


def type_digits(running: Session, count: int, *, wide: bool) -> list[Press]:
    """Type digits into the number of input tokens, resetting it now and then; the field has the cursor."""
    pressed: list[Press] = []
    typed = ""
    while len(pressed) < count:
        if len(typed) == LENGTH:
            running.press("r")
            running.settle()
            typed = ""
        typed += DIGITS[len(pressed) % len(DIGITS)]
        pressed.append(running.press(typed[-1], until=_computed(running, typed, wide=wide)))
        running.settle()
    return pressed


def _computed(running: Session, typed: str, *, wide: bool) -> str:
    """What is written when the estimate for the digits ``typed`` is shown, and not before."""
    if wide:
        return rf"(?<!\d){typed} tokens ×"
    present = _TOTAL.findall(running.text)[-1]
    return rf"(?<![\d.])(?!{re.escape(present)} ){_TOTAL.pattern}"


def run(size: tuple[int, int], count: int) -> list[Press]:
    """Open the estimator and type."""
    with session((CHARTUI, "demo"), size, environment()) as running:
        running.start(USABLE)
        for _ in range(6):  # below the selections
            running.press("down")
        running.settle()
        return type_digits(running, count, wide=size[0] >= NARROW)


def main() -> None:
    """Measure at every size that is asked for."""
    parser = argparse.ArgumentParser(description="Types digits in the estimator.")
    parser.add_argument("--presses", type=int, default=40, help="how many digits at each size (40)")
    parser.add_argument("--size", type=size_of, action="append", metavar="80x24", help="80x24 and 120x40")
    arguments = parser.parse_args()
    for size in arguments.size or [(80, 24), (120, 40)]:
        pressed = run(size, arguments.presses)
        rows = [
            Row("the digit: first byte", of(pressed, "first"), "ms"),
            Row("the new total", of(pressed, "shown"), "ms", "≤ 20"),
            Row("last byte", of(pressed, "last"), "ms"),
            Row("written", of(pressed, "size", 1e3), "kB", decimals=2),
        ]
        show(f"typing at {size[0]}x{size[1]}", rows)


if __name__ == "__main__":
    main()
