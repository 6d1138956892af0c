"""Calculate the exact cost of one interaction from a rate card (E 2.6, decisions 1 to 13 and 54).

Credits are decimals with six decimal places. Each amount is calculated exactly and then rounded once (half to even).
The total is the exact sum of the rounded amounts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, NoReturn

from chartui.core.estimation.amounts import EXACT, ZERO, Span, end_to_end, for_seconds, for_tokens, rounded, tokens_in
from chartui.core.estimation.card import FREE, MAX_QUANTITY, QUANTITIES, CardOption, RateCard
from chartui.core.estimation.prices import LINES
from chartui.core.jsontext import NotJson, Wire, canonical, shown_number
from chartui.core.numbers import count, noun
from chartui.core.spec.catalogue import (
    INCLUDED_IN_REALTIME,
    KINDS,
    NO_ANIMATION,
    NO_STT,
    NO_TTS,
    Kind,
    is_billed_by_provider,
    is_realtime_key,
)
from chartui.core.spec.errors import ErrorKind, ServiceError

#: Version of the interface description (E 9, decision 55).
API_VERSION: Final = "1.0.0"

_DISCLAIMER: Final = (
    "Computed from made-up reference rates, not from any provider's price list. Actual billing follows your "
    "subscription and its published rates."
)
_BILLED_BY_PROVIDER: Final = "billed by your provider"


def payload_of_query(query: Mapping[str, Wire]) -> dict[str, Wire]:
    """Convert a flat ``get-estimate`` payload to an ``estimate`` payload (E 4.1)."""
    return {
        "selections": {name: value for name, value in query.items() if name not in QUANTITIES},
        "assumptions": {name: value for name, value in query.items() if name in QUANTITIES},
    }


class Estimator:
    """Performs the estimation operations for one rate card. An estimator has no state."""

    def __init__(self, card: RateCard) -> None:
        self.card = card

    def estimate(self, payload: Mapping[str, Wire]) -> dict[str, Wire]:
        """Return the estimate (E 2.6) for the payload ``{"selections": {…}, "assumptions": {…}}``.

        Both fields are optional. If a selection or assumption is missing or null, the card's default is used. Raises
        :class:`ServiceError` (kind ``invalid``) for an invalid value. The error names the field, such as ``llm`` or
        ``inputTokens``, and the valid values.
        """
        selections = self._selections(payload.get("selections") or {})
        assumptions = self._assumptions(payload.get("assumptions") or {})
        bill = _Bill(self.card, selections, assumptions)
        lines = list(bill.lines())
        total = ZERO
        for line in lines:
            total = EXACT.add(total, line["credits"])
        return {
            "api_version": API_VERSION,
            "rate_card": self._note(),
            "selections": selections,
            "assumptions": assumptions,
            "totals": {"credits": total},
            "lines": lines,
            "latency_ms": _range(bill.latency()) if self.card.timed else None,
            "disclaimer": _DISCLAIMER,
        }

    def options(self) -> dict[str, Wire]:
        """Return every option with its label and rates, the defaults, and the subscriptions (E 4.3, decision 13)."""
        found: dict[str, Wire] = {
            kind: [_entry(option) for option in self.card.options[kind].values()] for kind in KINDS
        }
        for name in ("memory", "knowledge"):
            found[name] = [_entry(self.card.components[name])]
        return {
            "api_version": API_VERSION,
            "rate_card": self._note(),
            "options": found,
            "defaults": {"selections": dict(self.card.selections), "assumptions": dict(self.card.assumptions)},
            "plans": [one._asdict() for one in self.card.subscriptions],
        }

    def _note(self) -> dict[str, Wire]:
        return {"version": self.card.version, "effective_date": self.card.effective_date}

    def _selections(self, given: Mapping[str, Wire]) -> dict[str, Any]:
        chosen: dict[str, Any] = dict(self.card.selections)
        for name, value in given.items():
            if name not in chosen:
                _refuse(name, f"Unknown field '{name}'. Valid fields: {', '.join(chosen)}.")
            if value is None:
                continue
            options = self.card.options.get(name)  # type: ignore[call-overload]
            if options is None:
                if not isinstance(value, bool):
                    _refuse(name, f"'{name}' must be true or false.")
            elif not isinstance(value, str) or value not in options:
                _refuse(name, f"'{str(value)[:80]}' is not a valid {name}. Valid values: {', '.join(options)}.")
            chosen[name] = value
        return chosen

    def _assumptions(self, given: Mapping[str, Wire]) -> dict[str, int | Decimal]:
        chosen = dict(self.card.assumptions)
        for name, value in given.items():
            if name not in chosen:
                _refuse(name, f"Unknown field '{name}'. Valid fields: {', '.join(chosen)}.")
            if value is not None:
                chosen[name] = _quantity(name, value)
        return chosen


class _Bill:
    def __init__(self, card: RateCard, selections: Mapping[str, Any], assumptions: Mapping[str, int | Decimal]) -> None:
        self._components = card.components
        self._model = card.options["llm"][selections["llm"]]
        self._stt = card.options["stt"][selections["stt"]]
        self._tts = card.options["tts"][selections["tts"]]
        self._animation = card.options["animation"][selections["animation"]]
        self._selections = selections
        self._assumptions = assumptions
        self._realtime = is_realtime_key(self._model.key)

    def lines(self) -> Iterator[dict[str, Wire]]:
        """Yield the applicable lines in the order of E 2.6 (decision 5). The model's latency is on the first line."""
        if self._realtime:
            yield self._prompt(self._model.latency)
        else:
            yield self._response(self._model.latency)
            yield self._prompt(None)
        for name in ("memory", "knowledge"):
            if self._selections[name]:
                yield self._flat(name)
        if self._stt.key != NO_STT:
            yield self._voice("voice_input", "stt", self._stt, "audio_in_per_second")
        if self._tts.key != NO_TTS:
            yield self._voice("voice_output", "tts", self._tts, "audio_out_per_second")
        if self._animation.key != NO_ANIMATION:
            seconds = self._assumptions["ttsSeconds"]
            amount, detail = _by_second(seconds, self._animation.rates.get("per_second"))
            yield _line("animation", LINES["animation"], amount, detail, self._animation.latency)
        yield self._flat("platform")

    def latency(self) -> Span:
        """Return the latency, in milliseconds, from the end of the user's speech to the beginning of the reply
        (decision 7).
        """
        hearing, speaking = (None, None) if self._realtime else (self._stt.latency, self._tts.latency)
        return end_to_end(self._model.latency, hearing, speaking, self._animation.latency)

    def _response(self, latency: Span | None) -> dict[str, Wire]:
        chars = self._assumptions["outputChars"]
        tokens = tokens_in(chars)
        said = f"{_text(chars)} {noun('character', chars)} = {_text(tokens)} {noun('token', tokens)}"
        amount, detail = _by_token(tokens, said, self._model, "output_per_1k")
        return _line("ai_response", LINES["ai_response"], amount, detail, latency)

    def _prompt(self, latency: Span | None) -> dict[str, Wire]:
        tokens = self._assumptions["inputTokens"]
        amount, detail = _by_token(tokens, f"{_text(tokens)} {noun('token', tokens)}", self._model, "prompt_per_1k")
        return _line("prompt", LINES["prompt"], amount, detail, latency)

    def _flat(self, name: str) -> dict[str, Wire]:
        component = self._components[name]
        return _line(name, component.label, rounded(component.rates["flat"]), "flat charge per interaction", None)

    def _voice(self, key: str, kind: Kind, chosen: CardOption, audio_rate: str) -> dict[str, Wire]:
        seconds = self._assumptions[f"{kind}Seconds"]
        if self._realtime:
            amount, detail = _by_second(seconds, self._model.rates.get(audio_rate))
            if chosen.key not in FREE[kind]:
                detail += f", billed as the model's audio; {chosen.label} is not billed"
            return _line(key, LINES[key], amount, detail, None)
        if chosen.key == INCLUDED_IN_REALTIME:
            return _line(key, LINES[key], ZERO, "not billed: this option works only with a realtime model", None)
        amount, detail = _by_second(seconds, chosen.rates.get("per_second"))
        return _line(key, LINES[key], amount, detail, chosen.latency)


def _by_token(tokens: int | Decimal, said: str, model: CardOption, rate_name: str) -> tuple[Decimal, str]:
    """Return the credits and a description of the quantity. ``said`` describes the quantity in words."""
    rate = model.rates.get(rate_name)
    if rate is None:
        return ZERO, _BILLED_BY_PROVIDER
    if not tokens:
        return ZERO, f"{said}: nothing to bill"
    return for_tokens(rate, tokens), f"{said} × {canonical(rate)} per 1 000"


def _by_second(seconds: int | Decimal, rate: Decimal | None) -> tuple[Decimal, str]:
    if rate is None:
        return ZERO, _BILLED_BY_PROVIDER
    if not seconds:
        return ZERO, "0 s: nothing to bill"
    return for_seconds(rate, seconds), f"{_text(seconds)} s × {canonical(rate)} per second"


def _text(quantity: int | Decimal) -> str:
    return count(quantity if isinstance(quantity, int) else Decimal(canonical(quantity)))


def _line(key: str, label: str, amount: Decimal, detail: str, latency: Span | None) -> dict[str, Wire]:
    return {"key": key, "label": label, "credits": amount, "detail": detail, "latency_ms": _range(latency)}


def _range(latency: Span | None) -> dict[str, Wire] | None:
    return None if latency is None else {"min": latency[0], "max": latency[1]}


def _entry(option: CardOption) -> dict[str, Wire]:
    entry: dict[str, Wire] = {"key": option.key, "label": option.label, "credits": dict(option.rates)}
    if option.latency is not None:
        entry["latency_ms"] = _range(option.latency)
    if is_realtime_key(option.key) and option.key != INCLUDED_IN_REALTIME:
        entry["realtime"] = True
    if is_billed_by_provider(option.key):
        entry["billed_by_provider"] = True
    return entry


def _quantity(name: str, value: Wire) -> int | Decimal:
    """Return ``value`` in canonical form. A whole number becomes an int, so it is echoed as ``4000`` (decision 54)."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal | float):
        _refuse(name, f"'{name}' must be a number.")
    number = Decimal(repr(value)) if isinstance(value, float) else value
    if (isinstance(number, Decimal) and not number.is_finite()) or not 0 <= number <= MAX_QUANTITY:
        _refuse(name, f"'{name}' must be from 0 to {MAX_QUANTITY}, not {shown_number(number)}.")
    if isinstance(number, int):
        return number
    try:
        text = canonical(number)
    except NotJson:
        _refuse(name, f"'{name}' has too many digits.")
    return Decimal(text) if "." in text else int(text)


def _refuse(member: str, message: str) -> NoReturn:
    raise ServiceError(ErrorKind.INVALID, message, member=member)
