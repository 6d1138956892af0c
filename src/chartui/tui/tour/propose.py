"""Proposes what a recorded tour should expect and picture, by performing it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple

from textual.screen import Screen

from chartui.core.paths import file_stem
from chartui.demos.stage import Stage
from chartui.demos.tour import Step, Tour
from chartui.tui.tour.app import StagedApp
from chartui.tui.tour.player import OffTheTour, messages, play, screen_text
from chartui.tui.tour.record import Recorder

#: Between two phrases on a screen: two spaces or more, or signs that draw boxes and bars.
_GAP: Final = re.compile(r"\s{2,}|[\u2500-\u25ff]+")
#: The longest text to expect, in characters.
_LONGEST: Final = 40


class _Seen(NamedTuple):
    """What was visible after a step."""

    screen: Screen[object]
    told: list[str]
    text: str


class _Proposer(Recorder):
    """Performs a tour, and notes what is visible before the first step and after each."""

    def __init__(self, app: StagedApp) -> None:
        super().__init__(app)
        self.seen: list[_Seen] = []

    def misses(self, failure: OffTheTour) -> None:
        raise failure

    async def begins(self, number: int, step: Step) -> None:
        del step
        if number == 1:
            self._look()

    async def ends(self, step: Step) -> None:
        del step
        self._look()

    def _look(self) -> None:
        self.seen.append(_Seen(self._app.screen, messages(self._app), screen_text(self._app)))


async def proposed(tour: Tour, stage: Stage) -> tuple[Tour, str]:
    """``tour`` with a text to expect in each step that shows a new one, and a picture of each screen as it was left.

    Also returns why the tour could not be performed to its end; empty if it could. The steps from there on get no
    proposals.
    """
    app = StagedApp(tour, stage)
    proposer, problem = _Proposer(app), ""
    async with app.run_test(size=tour.size):
        try:
            await play(app, proposer)
        except OffTheTour as error:
            problem = str(error)
        app.exit()
    if app.crash is not None:
        raise app.crash
    seen, names = proposer.seen, set[str]()
    steps = list(tour.steps)
    for number, (step, before, after) in enumerate(zip(steps, seen, seen[1:], strict=False)):
        last = number + 2 == len(seen)
        picture = _name(step, number, names) if last or seen[number + 2].screen is not after.screen else ""
        text = _new_text(before, after) or (_longest(_phrases(after)) if picture else "")
        names.add(picture)
        if text:
            steps[number] = replace(step, expect=(text,), picture=picture)
    return replace(tour, steps=tuple(steps)), problem


def _new_text(before: _Seen, after: _Seen) -> str:
    """A text that appeared: a message or, by default, the longest phrase; empty if there is none."""
    new = [phrase for phrase in _phrases(after) if phrase not in before.text]
    told = [_clipped(message) for message in after.told if message not in before.told]
    return next(filter(None, told), "") or _longest(new)


def _phrases(seen: _Seen) -> Iterable[str]:
    """The phrases on the screen, except in its last line, which lists keys."""
    for line in seen.text.splitlines()[:-1]:
        for phrase in _GAP.split(line):
            if any(character.isalpha() for character in phrase):
                yield _clipped(phrase)


def _clipped(text: str) -> str:
    """``text`` without the words that make it too long."""
    text = text.strip()
    if len(text) <= _LONGEST:
        return text
    return text[: _LONGEST + 1].rpartition(" ")[0].strip() or text[:_LONGEST]


def _longest(phrases: Iterable[str]) -> str:
    return max(phrases, key=len, default="")


def _name(step: Step, number: int, taken: set[str]) -> str:
    """A name for the picture of a step, made of its caption."""
    name = file_stem(step.caption, otherwise="step")
    return f"{name}-{number + 1}" if name in taken or name == "step" else name
