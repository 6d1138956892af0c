"""Which questions tell every rate, and putting them: as few as there are models.

An answer carries every component on a line of its own, so one question tells one option of every kind at once. Text
models are gone through one by one, and with them the voices, the animations and the two flags; live models are asked
apart, since they hear and speak at rates of their own (decision 3). Quantities are large powers of ten, so that a rate
of nine decimals comes out whole although lines have six places, and never need more digits than a double has; they
differ from question to question, so that whatever is measured twice is measured with different amounts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from chartui.core.estimation.card import FREE
from chartui.core.estimation.discovery import Discovery
from chartui.core.estimation.learning.asking import Asker, Phase, Progress, Refused
from chartui.core.estimation.learning.reading import Asked, Reading, in_words
from chartui.core.jsontext import Wire
from chartui.core.spec.catalogue import KINDS, Kind, is_realtime_key

__all__ = ["Measured", "measure", "wanted"]

#: Powers of ten for tokens and for tokens' worth of characters; seconds are a thousandth. A service that takes no such
#: amounts is asked with the next row: rates come out with fewer decimals then.
_SCALES: Final[tuple[tuple[int, ...], ...]] = ((6, 9, 7, 10, 8, 11), (6, 7), (5,), (4,), (3,))
_CHARS_PER_TOKEN: Final = 4


class Measured(NamedTuple):
    """What was measured: the answers, what nobody takes (with the service's words), and what is worth telling."""

    readings: tuple[Reading, ...]
    refused: Mapping[tuple[Kind, str], str]
    notes: tuple[str, ...]

    def taken(self, kind: Kind) -> tuple[str, ...]:
        """The options of a kind that were answered for, in the order they were asked."""
        return tuple(dict.fromkeys(str(r.selections[kind]) for r in self.readings if kind in r.selections))


def wanted(discovery: Discovery, default: Reading) -> dict[Kind, tuple[str, ...]]:
    """The options to ask for: those listed, the catalogue's where none of a kind is listed, and the default."""
    found: dict[Kind, tuple[str, ...]] = {}
    for kind in KINDS:
        choices = discovery.choices[kind]
        listed = [choice.key for choice in choices if choice.listed] or [choice.key for choice in choices]
        usual = default.selections.get(kind)
        found[kind] = tuple(dict.fromkeys([*listed, *([usual] if isinstance(usual, str) else [])]))
    return found


async def measure(asker: Asker, options: Mapping[Kind, Sequence[str]], default: Reading, *, more: int) -> Measured:
    """Put every question; ``more`` is how many will follow, for whoever counts. Raises as the asker does."""
    return await _Measuring(asker, default, more).through(options)


class _Measuring:
    """Puts the questions one by one, and finds out which part of one is refused."""

    def __init__(self, asker: Asker, default: Reading, more: int) -> None:
        self._asker = asker
        self._more = more
        self._scale = _SCALES[0]
        self._proven = False
        self._readings = [default]
        self._answered: set[tuple[Kind, str]] = {(kind, str(default.selections.get(kind))) for kind in KINDS}
        self._refused: dict[tuple[Kind, str], str] = {}
        #: Free options that a text model is not taken with; with a live one they may be.
        self._awkward: set[tuple[Kind, str]] = set()
        #: The last selections that were taken with a text model.
        self._base: Asked = {}
        self._together: list[str] = []

    async def through(self, options: Mapping[Kind, Sequence[str]]) -> Measured:
        questions = [*_text_questions(options), *_live_questions(options)]
        for number, selections in enumerate(questions):
            subject = in_words({kind: selections[kind] for kind in KINDS}, {})
            self._asker.progress = Progress(Phase.MEASURING, number + 1, len(questions) + 1 + self._more, subject)
            await self._ask(number, self._without_refused(selections))
        self._asker.progress = self._asker.progress._replace(done=len(questions) + 1)
        notes = []
        if self._together:
            others = f", and {len(self._together) - 1} others," if len(self._together) > 1 else ""
            notes.append(f"{self._together[0]}{others} were refused together, though not one by one.")
        if self._scale is not _SCALES[0]:
            notes.append(
                f"The service takes no more than 10^{max(self._scale)} tokens: its rates may have more decimals than "
                "could be found."
            )
        return Measured(tuple(self._readings), self._refused, tuple(notes))

    def _without_refused(self, selections: Asked) -> dict[str, Wire]:
        """``selections`` with what was taken before in place of what is refused."""
        avoided = self._refused.keys() if _is_live(selections) else self._refused.keys() | self._awkward
        kept = {name: value for name, value in selections.items() if (name, value) not in avoided}
        lost = selections.keys() - kept.keys() - {"llm"}
        return {**kept, **{name: self._base[name] for name in lost if name in self._base}}

    async def _ask(self, number: int, selections: Asked) -> None:
        try:
            await self._answer({**selections, **_amounts(number, self._scale)})
        except Refused:
            if not self._proven and await self._smaller():
                await self._ask(number, selections)
            else:
                await self._apart(number, selections)
            return
        self._proven = True
        if not _is_live(selections):
            self._base = selections

    async def _answer(self, asked: Asked) -> None:
        reading = await self._asker.estimate(asked)
        self._readings.append(reading)
        self._answered.update((kind, str(reading.selections[kind])) for kind in KINDS if kind in reading.selections)

    async def _smaller(self) -> bool:
        """Whether the amounts were too large for the service: from now on smaller ones are asked with."""
        for scale in _SCALES[_SCALES.index(self._scale) :]:
            largest = scale.index(max(scale))
            try:
                await self._answer(_amounts(largest, scale))
            except Refused:
                continue
            self._proven = True
            smaller, self._scale = scale is not self._scale, scale
            return smaller
        return False

    async def _apart(self, number: int, selections: Asked) -> None:
        """Ask for each part that is new by itself, beside others that were taken: one of them is refused.

        Free options have no rate to find, so they are not asked for, only avoided from now on.
        """
        live = _is_live(selections)
        base = {kind: selections[kind] for kind in ("stt", "tts") if kind in selections} if live else self._base
        refused = False
        for kind in KINDS:
            key = str(selections.get(kind, ""))
            if not key or key in FREE[kind] or (kind, key) in self._answered:
                continue
            try:
                await self._answer({**base, kind: key, **_amounts(number, self._scale)})
            except Refused as refusal:
                refused = True
                self._refused[kind, key] = str(refusal)
        if not refused:
            self._together.append(in_words(selections, {}))
            free = ((kind, str(selections.get(kind, ""))) for kind in KINDS)
            self._awkward.update((kind, key) for kind, key in free if key in FREE[kind] and not live)


def _is_live(selections: Asked) -> bool:
    return is_realtime_key(str(selections.get("llm", "")))


def _text_questions(options: Mapping[Kind, Sequence[str]]) -> Iterator[dict[str, Wire]]:
    """A question for each text model, and more where another kind has more options than there are models."""
    models = [key for key in options["llm"] if not is_realtime_key(key)]
    if not models:
        return
    for number in range(max(map(len, (models, *(options[kind] for kind in KINDS[1:]))))):
        yield {
            "llm": models[number % len(models)],
            **_flags(number),
            "stt": _turn(options["stt"], number),
            "tts": _turn(options["tts"], number),
            "animation": _turn(options["animation"], number // 4),
        }


def _live_questions(options: Mapping[Kind, Sequence[str]]) -> Iterator[dict[str, Wire]]:
    """A question for each live model, with options of voice that let it both hear and speak."""
    heard, spoken = (_audible(options[kind], kind) for kind in ("stt", "tts"))
    for number, key in enumerate(key for key in options["llm"] if is_realtime_key(key)):
        yield {
            "llm": key,
            **_flags(number),
            "stt": heard,
            "tts": spoken,
            "animation": _turn(options["animation"], number),
        }


def _audible(keys: Iterable[str], kind: Kind) -> str:
    """What is included in a live model where that is an option, else any option that is not "none"."""
    included = [key for key in keys if key in FREE[kind] and is_realtime_key(key)]
    others = [key for key in keys if key not in FREE[kind]]
    return (included or others or list(keys))[0]


def _turn(keys: Sequence[str], number: int) -> str:
    return keys[number % len(keys)]


def _flags(number: int) -> dict[str, Wire]:
    """Both flags in all their combinations, in turn."""
    return {"memory": number % 2 == 1, "knowledge": number // 2 % 2 == 1}


def _amounts(number: int, scale: Sequence[int]) -> dict[str, Wire]:
    """Quantities for a question: for each another power of ten of ``scale``, another one at the next question."""
    tokens, chars, heard, spoken = (10 ** scale[(number + shift) % len(scale)] for shift in range(4))
    return {
        "inputTokens": tokens,
        "outputChars": _CHARS_PER_TOKEN * chars,
        "sttSeconds": heard // 1000,
        "ttsSeconds": spoken // 1000,
    }
