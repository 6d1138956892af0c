"""The inputs of the estimator's form: selections, quantities and switches, and how they are typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.core.classes import NamedTuple
from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.estimation.discovery import Choice
from chartui.core.jsontext import canonical
from chartui.core.numbers import exact
from chartui.core.typed_numbers import typed_number, typed_range

if TYPE_CHECKING:
    from chartui.core.estimation.constraints import Constraints
    from chartui.core.estimation.prompt import InputTokens
    from chartui.core.estimation.scenario import Scenario
    from chartui.core.presets import Preset


class Input(NamedTuple):
    """One of the ten inputs.

    ``attribute`` is its name in our models, ``member`` on the wire (E 2.1 and 2.2). ``unit`` and ``step`` belong to
    quantities; a press of a step key adds one ``step``.
    """

    attribute: str
    member: str
    label: str
    unit: str = ""
    step: Decimal = Decimal(1)

    def unit_of(self, quantity: object) -> str:
        return self.unit.removesuffix("s") if quantity == 1 else self.unit


SELECTIONS: Final = (
    Input("llm", "llm", "Model"),
    Input("memory", "memory", "Memory"),
    Input("knowledge", "knowledge", "Knowledge"),
    Input("stt", "stt", "Speech input"),
    Input("tts", "tts", "Speech output"),
    Input("animation", "animation", "Animation"),
)
QUANTITIES: Final = (
    Input("input_tokens", "inputTokens", "Input tokens", "tokens", Decimal(500)),
    Input("output_chars", "outputChars", "Response", "characters", Decimal(50)),
    Input("stt_seconds", "sttSeconds", "User speech", "seconds", Decimal(1)),
    Input("tts_seconds", "ttsSeconds", "Spoken reply", "seconds", Decimal(1)),
)
INPUTS: Final = {i.attribute: i for i in (*SELECTIONS, *QUANTITIES)}
SWITCHES: Final = frozenset({"memory", "knowledge"})
#: The quantities that can be linked, and the name of the characters per second that link them.
LINKED: Final = ("output_chars", "tts_seconds")
LINK: Final = "characters_per_second"
#: The most changes of the inputs that can be undone.
MOST_STEPS: Final = 500


def parse_quantity(text: str) -> Decimal | None:
    """The typed number; None for the default, if empty. Raises as :func:`typed_number`."""
    return typed_number(text) if text else None


def value_words(value: str | bool | Decimal | int | None, choices: Iterable[Choice] = ()) -> str:
    """A value of an input: the label of an option, on or off, or a number; a dash if unknown."""
    if isinstance(value, str):
        return next((choice.label for choice in choices if choice.key == value), value)
    return "–" if value is None else ("on" if value else "off") if isinstance(value, bool) else exact(value)


class Proposal(NamedTuple):
    """Input tokens estimated from the texts of the character ``name``."""

    name: str
    tokens: InputTokens

    @property
    def text(self) -> str:
        return str(self.tokens.number)


class Inputs(NamedTuple):
    """The selections made here, the quantities as typed, the constraints once they were changed, the name of the
    preset they were loaded from, the scenario, the link of :class:`EstimatorState`, and the last proposal of input
    tokens.
    """

    chosen: Mapping[str, str | bool]
    typed: Mapping[str, str]
    constraints: Constraints | None = None
    preset: str = ""
    scenario: Scenario | None = None
    link: str | None = None
    proposal: Proposal | None = None

    def changed_since(self, before: Inputs) -> list[str]:
        """The names of what differs from ``before``, for a message."""
        pairs = (self.chosen, before.chosen), (self.typed, before.typed)
        names = [one.label for key, one in INPUTS.items() if any(new.get(key) != old.get(key) for new, old in pairs)]
        others = ("constraints", "preset", "scenario", "link")
        return names + [name for name in others if getattr(self, name) != getattr(before, name)]


def inputs_of_preset(preset: Preset) -> tuple[dict[str, str | bool], dict[str, str]]:
    """The selections and typed quantities of a preset."""
    chosen = {i.attribute: v for i in SELECTIONS if (v := getattr(preset.selections, i.attribute)) is not None}
    typed = {
        i.attribute: canonical(v) for i in QUANTITIES if (v := getattr(preset.assumptions, i.attribute)) is not None
    }
    return chosen, typed


def quantity_problem(text: str) -> str:
    """The problem of a text that is not a number; empty if it is a number or empty."""
    try:
        parse_quantity(text)
    except ValueError as error:
        return str(error)
    return ""


def range_problem(text: str) -> str:
    """The problem of a text that is neither a quantity nor a range of quantities; empty if it is one or empty."""
    try:
        span = typed_range(text or "0")
    except ValueError as error:
        return str(error)
    if span.low < 0 or span.high > MAX_QUANTITY:
        return f"A quantity must be from 0 to {exact(Decimal(MAX_QUANTITY))}, not {text}"
    return ""
