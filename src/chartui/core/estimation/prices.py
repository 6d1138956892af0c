"""Calculate the prices of all options on a card for one set of quantities.

The price of an option depends only on whether the model is a text model or a realtime model (decision 3). About ninety
prices are therefore computed once, and the cost of any configuration is a sum of these prices. Amounts in this module
are integers, in millionths of a credit, so that sums are exact and fast.
:class:`~chartui.core.estimation.estimator.Estimator` computes the same amounts line by line, with details in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import EXACT, Span, end_to_end, for_seconds, for_tokens, rounded, tokens_in
from chartui.core.estimation.card import COMPONENTS, QUANTITIES, CardOption, RateCard
from chartui.core.spec.catalogue import (
    INCLUDED_IN_REALTIME,
    NO_ANIMATION,
    NO_STT,
    NO_TTS,
    Kind,
    is_billed_by_provider,
    is_realtime_key,
)

#: The lines of an estimate with their labels, in the order of E 2.6.
LINES: Final[Mapping[str, str]] = {
    "ai_response": "AI response",
    "prompt": "Prompt",
    "memory": COMPONENTS["memory"],
    "knowledge": COMPONENTS["knowledge"],
    "voice_input": "Speech input",
    "voice_output": "Speech output",
    "animation": "Animation",
    "platform": COMPONENTS["platform"],
}

_THOUSAND: Final = Decimal(1000)
_CHARS_PER_TOKEN: Final = Decimal(4)  # E 2.2


class Configuration(NamedTuple):
    """A complete configuration. The fields are in the order of E 2.1."""

    llm: str
    memory: bool
    knowledge: bool
    stt: str
    tts: str
    animation: str

    @property
    def realtime(self) -> bool:
        """Whether the model is a realtime model, which has built-in speech input and output."""
        return is_realtime_key(self.llm)

    @classmethod
    def default(cls, card: RateCard) -> Configuration:
        return cls(**card.selections)  # type: ignore[arg-type]


def with_option(configuration: Configuration, kind: Kind, key: str) -> Configuration:
    """Return the configuration with one option replaced.

    If the new option is a realtime model, the model's own voices are selected.
    """
    if getattr(configuration, kind) == key:
        return configuration
    changed = configuration._replace(**{kind: key})  # type: ignore[arg-type]
    if kind != "llm" or not changed.realtime:
        return changed
    return changed._replace(
        stt=changed.stt if changed.stt == NO_STT else INCLUDED_IN_REALTIME,
        tts=changed.tts if changed.tts == NO_TTS else INCLUDED_IN_REALTIME,
    )


class Quantities(NamedTuple):
    """The quantities of an interaction (E 2.2), in tokens, characters, and seconds of speech.

    ``stt_seconds`` is the length of the user's speech, and ``tts_seconds`` is the length of the spoken reply.
    """

    input_tokens: int | Decimal
    output_chars: int | Decimal
    stt_seconds: int | Decimal
    tts_seconds: int | Decimal

    @classmethod
    def default(cls, card: RateCard) -> Quantities:
        return cls(*(card.assumptions[name] for name in QUANTITIES))


class OptionPart(NamedTuple):
    """The price of an option in millionths of a credit, and its minimum and maximum latency in milliseconds."""

    micro: int
    latency: Span | None


class ModelPart(NamedTuple):
    """The price of a model, in millionths of a credit.

    There are separate prices for the prompt, the response and, for a realtime model, speech input and speech output.
    """

    realtime: bool
    prompt: int
    response: int
    hearing: int
    speaking: int
    latency: Span | None


class Pricing:
    """The prices of all options on a card for one set of quantities, in the order of the card.

    ``stt`` and ``tts`` contain the prices of speech input and speech output with a text model. With a realtime model,
    the ``hearing`` and ``speaking`` prices of the model apply instead, unless speech is switched off.
    """

    def __init__(self, card: RateCard, quantities: Quantities) -> None:
        self.card = card
        self.quantities = quantities
        self.models: Mapping[str, ModelPart] = {o.key: self._model(o) for o in card.options["llm"].values()}
        self.stt = self._parts(card.options["stt"], quantities.stt_seconds)
        self.tts = self._parts(card.options["tts"], quantities.tts_seconds)
        self.animation = self._parts(card.options["animation"], quantities.tts_seconds)
        self.memory, self.knowledge, self.platform = (
            _micro(rounded(card.components[name].rates["flat"])) for name in ("memory", "knowledge", "platform")
        )

    def _model(self, option: CardOption) -> ModelPart:
        given, amounts = option.rates, self.quantities
        realtime = is_realtime_key(option.key)
        return ModelPart(
            realtime=realtime,
            prompt=_tokens(given.get("prompt_per_1k"), amounts.input_tokens),
            response=_tokens(given.get("output_per_1k"), tokens_in(amounts.output_chars)),
            hearing=_seconds(given.get("audio_in_per_second"), amounts.stt_seconds),
            speaking=_seconds(given.get("audio_out_per_second"), amounts.tts_seconds),
            latency=option.latency,
        )

    @staticmethod
    def _parts(options: Mapping[str, CardOption], seconds: int | Decimal) -> Mapping[str, OptionPart]:
        return {o.key: OptionPart(_seconds(o.rates.get("per_second"), seconds), o.latency) for o in options.values()}

    def lines(self, configuration: Configuration) -> Iterator[tuple[str, int]]:
        """Yield the lines of the estimate for a configuration, in the order of E 2.6 (decision 5).

        Amounts are in millionths of a credit. Raises ``KeyError`` if an option is not on the card. In this case,
        :meth:`credits` returns None.
        """
        model, stt, tts = self.models[configuration.llm], configuration.stt, configuration.tts
        hearing, speaking = self.stt[stt].micro, self.tts[tts].micro
        if not model.realtime:
            yield "ai_response", model.response
        yield "prompt", model.prompt
        if configuration.memory:
            yield "memory", self.memory
        if configuration.knowledge:
            yield "knowledge", self.knowledge
        if stt != NO_STT:
            yield "voice_input", model.hearing if model.realtime else hearing
        if tts != NO_TTS:
            yield "voice_output", model.speaking if model.realtime else speaking
        if configuration.animation != NO_ANIMATION:
            yield "animation", self.animation[configuration.animation].micro
        yield "platform", self.platform

    def credits(self, configuration: Configuration) -> Decimal | None:
        """Return the credits per interaction. The result is None (unknown) if one of the options is not on the card."""
        try:
            return as_credits(sum([micro for _, micro in self.lines(configuration)]))
        except KeyError:
            return None

    def latency(self, configuration: Configuration) -> Span | None:
        """Return the end-to-end latency in milliseconds.

        The result is None if an option is not on the card or the card has no latencies.
        """
        try:
            model = self.models[configuration.llm]
            stt, tts = self.stt[configuration.stt].latency, self.tts[configuration.tts].latency
            face = self.animation[configuration.animation].latency
        except KeyError:
            return None
        if not self.card.timed:
            return None
        return end_to_end(model.latency, *((None, None) if model.realtime else (stt, tts)), face)


class Slopes(NamedTuple):
    """Credits as a linear function of the quantities.

    Each quantity is multiplied by a slope, and ``fixed`` is added to the sum. The slopes are in credits per token, per
    character, per second of user speech and per second of the spoken reply. ``fixed`` is the sum of the flat charges.
    """

    input_tokens: Decimal
    output_chars: Decimal
    stt_seconds: Decimal
    tts_seconds: Decimal
    fixed: Decimal


def slopes(card: RateCard, configuration: Configuration) -> Slopes | None:
    """Return the exact credits of a configuration as a function of the quantities (decisions 2 and 3).

    The result is not rounded. Returns None if one of the options is not on the card.
    """
    try:
        model, stt, tts, face = (
            card.options[kind][getattr(configuration, kind)].rates for kind in ("llm", "stt", "tts", "animation")
        )
    except KeyError:
        return None
    nothing = Decimal(0)
    if configuration.realtime:
        hears = nothing if configuration.stt == NO_STT else model.get("audio_in_per_second", nothing)
        speaks = nothing if configuration.tts == NO_TTS else model.get("audio_out_per_second", nothing)
    else:
        hears, speaks = stt.get("per_second", nothing), tts.get("per_second", nothing)
    on = ("platform", *(name for name in ("memory", "knowledge") if getattr(configuration, name)))
    return Slopes(
        input_tokens=EXACT.divide(model.get("prompt_per_1k", nothing), _THOUSAND),
        output_chars=EXACT.divide(model.get("output_per_1k", nothing), _THOUSAND * _CHARS_PER_TOKEN),
        stt_seconds=hears,
        tts_seconds=EXACT.add(speaks, face.get("per_second", nothing)),
        fixed=sum((card.components[name].rates["flat"] for name in on), nothing),
    )


def as_credits(micro: int) -> Decimal:
    """Convert millionths of a credit to credits with six decimal places, the format used by services (decision 6)."""
    return Decimal(micro).scaleb(-6)


def _micro(amount: Decimal) -> int:
    return int(amount.scaleb(6, EXACT))


def _tokens(rate: Decimal | None, tokens: int | Decimal) -> int:
    return 0 if rate is None else _micro(for_tokens(rate, tokens))


def _seconds(rate: Decimal | None, seconds: int | Decimal) -> int:
    return 0 if rate is None else _micro(for_seconds(rate, seconds))


class Remark(NamedTuple):
    """A remark on a configuration.

    ``member`` is the field that the remark concerns, and ``text`` is the remark in one sentence. ``unusual`` is false
    if the remark only says that the chosen option is billed by its provider. In that case, ``own`` is true if the total
    includes the user's own price for the option, and ``unpriced`` is true if the price of the option is unknown.
    """

    member: str
    text: str
    unusual: bool = True
    own: bool = False

    @property
    def unpriced(self) -> bool:
        return not self.unusual and not self.own


def has_speech_in(configuration: Configuration) -> bool:
    """Return whether the configuration accepts speech input.

    A realtime model accepts speech, and so does a text model with speech input.
    """
    return configuration.stt != NO_STT and (configuration.realtime or configuration.stt != INCLUDED_IN_REALTIME)


def has_speech_out(configuration: Configuration) -> bool:
    """Return whether the reply is spoken. A realtime model speaks, and so does a text model with speech output."""
    return configuration.tts != NO_TTS and (configuration.realtime or configuration.tts != INCLUDED_IN_REALTIME)


@lru_cache(1024)  # for all options of a kind, while you type quantities
def remarks_on(configuration: Configuration, own: frozenset[str] = frozenset()) -> tuple[Remark, ...]:
    """Return remarks on unusual inputs and on parts billed by a provider, in the order of the configuration's fields.

    ``own`` contains the options with a price set by the user (:attr:`RateCard.own`).
    """
    found = []
    if is_billed_by_provider(configuration.llm):
        found.append(_billed("llm", "model", own=configuration.llm in own))
    if configuration.realtime:
        if configuration.stt not in (NO_STT, INCLUDED_IN_REALTIME):
            found.append(Remark("stt", "Speech input is ignored: the realtime model has its own."))
        if configuration.tts not in (NO_TTS, INCLUDED_IN_REALTIME):
            found.append(Remark("tts", "Speech output is ignored: the realtime model has its own."))
    else:
        if configuration.stt == INCLUDED_IN_REALTIME:
            found.append(Remark("stt", "Only realtime models include speech input, and this is a text model."))
        if configuration.tts == INCLUDED_IN_REALTIME:
            found.append(Remark("tts", "Only realtime models include speech output, and this is a text model."))
        elif is_billed_by_provider(configuration.tts):
            found.append(_billed("tts", "voice", own=configuration.tts in own))
    if configuration.animation != NO_ANIMATION and not has_speech_out(configuration):
        found.append(Remark("animation", "Animation is billed per second of speech output, but speech output is off."))
    return tuple(found)


def _billed(member: str, name: str, *, own: bool) -> Remark:
    where = "included at your own price" if own else "not part of the total"
    return Remark(member, f"The {name} is billed by your provider and {where}.", unusual=False, own=own)
