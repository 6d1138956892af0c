"""The rate card: all rates used in estimates, read from a single TOML file (decisions 1, 2, 8 and 16)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final, NoReturn

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import CHARS_PER_TOKEN
from chartui.core.files import Reading, read_named
from chartui.core.naming import unknown
from chartui.core.paths import write_private
from chartui.core.spec.catalogue import (
    INCLUDED_IN_REALTIME,
    KINDS,
    MAX_RATE,
    NO_ANIMATION,
    NO_STT,
    NO_TTS,
    RATE_DECIMALS,
    Kind,
    is_billed_by_provider,
    is_realtime_key,
    option,
    options,
)
from chartui.core.tables import BadFile, BadTable, Mistakes, as_toml, table_in

FORMAT: Final = "chartui-rate-card"
_FORMAT_VERSION: Final = 1

#: Flat charges and their labels.
COMPONENTS: Final[Mapping[str, str]] = {"memory": "Memory", "knowledge": "Knowledge bank", "platform": "Platform"}
#: The quantities of an interaction (E 2.2).
QUANTITIES: Final = ("inputTokens", "outputChars", "sttSeconds", "ttsSeconds")
#: The largest quantity (decision 54).
MAX_QUANTITY: Final = 10**12
#: Options that are free by definition, so a card has no entry for them.
FREE: Final[Mapping[Kind, frozenset[str]]] = {
    "llm": frozenset(),
    "stt": frozenset({INCLUDED_IN_REALTIME, NO_STT}),
    "tts": frozenset({INCLUDED_IN_REALTIME, NO_TTS}),
    "animation": frozenset({NO_ANIMATION}),
}

_PACKAGED: Final = Path(__file__).with_name("data") / "rate-card.toml"
_MAX_BYTES: Final = 1 << 20
#: The limits of the characters per token.
MIN_CHARS_PER_TOKEN: Final = Decimal("0.1")
MAX_CHARS_PER_TOKEN: Final = 100
#: The maximum latency, in milliseconds.
MAX_LATENCY: Final = 10**7
#: The valid tiers of a subscription.
TIERS: Final = ("free", "professional", "enterprise")


class BadCard(BadFile):
    """Raised if a rate card cannot be used.

    The message names the first mistake and its location, such as ``llm.mdla_4o.prompt_per_1k``.
    """


class CardOption(NamedTuple):
    """An option on a rate card, with its rates in credits and its latency in milliseconds.

    ``rates`` maps the name of each rate to its value. ``latency`` contains a minimum and a maximum. An option without
    rates is free or is billed by its provider. An option without a latency causes no delay.
    """

    key: str
    label: str
    rates: Mapping[str, Decimal]
    latency: tuple[int, int] | None


class Subscription(NamedTuple):
    """A subscription on a rate card (decision 16), with its tier, its monthly credits and its monthly price."""

    key: str
    label: str
    monthly_credits: int | Decimal
    price: int | Decimal
    tier: str


class Origin(NamedTuple):
    """The origin and accuracy of a learned rate card.

    The fields are the profile and base URL of the service, the time when the rates were learned (ISO 8601, with time
    zone), the number of calls, the number of tested configurations, and the largest error in credits.
    """

    profile: str
    base_url: str
    learned_at: str
    calls: int
    tests: int
    worst_error: Decimal


class RateCard(NamedTuple):
    """A complete rate card.

    ``origin`` is None for a card written by hand. If ``timed`` is False, the latencies are unknown, not 0. ``own``
    lists the provider-billed options for which the user has set a price. ``chars_per_token`` is used to estimate the
    number of tokens in a character's prompt.
    """

    version: int
    effective_date: str
    selections: Mapping[str, str | bool]
    assumptions: Mapping[str, int | Decimal]
    components: Mapping[str, CardOption]
    options: Mapping[Kind, Mapping[str, CardOption]]
    subscriptions: tuple[Subscription, ...]
    origin: Origin | None = None
    timed: bool = True
    own: frozenset[str] = frozenset()
    chars_per_token: int | Decimal = CHARS_PER_TOKEN

    @property
    def as_billed(self) -> RateCard:
        """The rate card without the user's own prices, which do not belong to any service."""
        if not self.own:
            return self
        billed = {
            kind: {key: one._replace(rates={}) if key in self.own else one for key, one in entries.items()}
            for kind, entries in self.options.items()
        }
        return self._replace(options=billed, own=frozenset())


def load_card(path: Path | None = None, *, read: Reading = read_named) -> RateCard:
    """Read a rate card (default: the packaged card).

    ``read`` is the function that returns the content of the file. Raises :class:`BadCard` if the card cannot be used,
    or ``OSError`` if the file cannot be read. :class:`BadCard` names the file and the location of the mistake.
    """
    return _packaged() if path is None else _load(path, read)


@cache
def _packaged() -> RateCard:
    return _load(_PACKAGED, read_named)


def _load(path: Path, read: Reading) -> RateCard:
    data = read(path, _MAX_BYTES)
    mistakes = Mistakes(path)
    try:
        document = table_in(data, number=Decimal)
        mistakes.text = data.decode()
        return _card(document)
    except BadTable as error:
        mistakes.add(str(error), at=error.at, line=error.line)
        raise BadCard(path, mistakes.found) from None


def rates_of(kind: Kind, key: str) -> tuple[str, ...]:
    """Return the names of the rates that an option on a rate card must have (decision 2)."""
    if key in FREE[kind] or is_billed_by_provider(key):
        return ()
    if kind != "llm":
        return ("per_second",)
    if is_realtime_key(key):
        return ("prompt_per_1k", "audio_in_per_second", "audio_out_per_second")
    return ("prompt_per_1k", "output_per_1k")


def _card(document: Mapping[str, Any]) -> RateCard:
    """Return the card in a parsed file after checking every member. Raises :class:`BadTable`."""
    if document.get("format") != FORMAT:
        _refuse("format", f'must be "{FORMAT}"')
    if document.get("version") != _FORMAT_VERSION:
        _refuse("version", f"must be {_FORMAT_VERSION}, the file version that this program reads")
    required = ("format", "version", "card", "defaults", "components", *KINDS)
    _members("", document, (*required, "subscriptions", "origin"), required)
    head = _table("card", document["card"], ("version", "effective_date"), ("chars_per_token",))
    if not _is_whole(head["version"]):
        _refuse("card.version", "must be a whole number, 0 or greater")
    # In Python, a datetime is also a date, but it is not a valid effective date.
    if type(head["effective_date"]) is not date:
        _refuse("card.effective_date", "must be a date such as 2026-10-01")
    origin, timed = _origin(document["origin"]) if "origin" in document else (None, True)
    choices = {kind: _options(kind, document[kind]) for kind in KINDS}
    if not timed:
        _no_latencies(choices)
    components = _table("components", document["components"], tuple(COMPONENTS))
    defaults = _table("defaults", document["defaults"], ("selections", "assumptions"))
    return RateCard(
        version=head["version"],
        effective_date=head["effective_date"].isoformat(),
        selections=_selections(defaults["selections"], choices),
        assumptions=_assumptions(defaults["assumptions"]),
        components={
            key: _option(f"components.{key}", key, label, components[key], ("flat",), timed=False)
            for key, label in COMPONENTS.items()
        },
        options=choices,
        subscriptions=_subscriptions(document.get("subscriptions", [])),
        origin=origin,
        timed=timed,
        chars_per_token=_chars_per_token(head.get("chars_per_token", CHARS_PER_TOKEN)),
    )


def _chars_per_token(value: Any) -> int | Decimal:
    where = "card.chars_per_token"
    number = _number(where, value, MAX_CHARS_PER_TOKEN)
    if number < MIN_CHARS_PER_TOKEN:
        _refuse(where, f"must be between {MIN_CHARS_PER_TOKEN} and {MAX_CHARS_PER_TOKEN}")
    return number


def _refuse(where: str, problem: str) -> NoReturn:
    raise BadTable(f"{where}: {problem}" if where else problem)


def _members(where: str, table: Mapping[str, Any], known: Iterable[str], required: Iterable[str]) -> None:
    known = tuple(known)
    for name in table:
        if name not in known:
            _refuse(_join(where, name), unknown("key", name, known))
    for name in required:
        if name not in table:
            _refuse(_join(where, name), "is missing")


def _table(where: str, value: Any, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        _refuse(where, "must be a table")
    _members(where, value, (*required, *optional), required)
    return value


def _options(kind: Kind, value: Any) -> dict[str, CardOption]:
    if not isinstance(value, dict):
        _refuse(kind, "must be a table")
    for key in FREE[kind]:
        if key in value:
            _refuse(f"{kind}.{key}", "is free by definition and must not have an entry")
    found: dict[str, CardOption] = {}
    for entry in options(kind):
        if entry.key in FREE[kind]:
            found[entry.key] = CardOption(entry.key, entry.label, {}, None)
        elif entry.key in value:
            found[entry.key] = _priced(kind, entry.key, entry.label, value[entry.key])
    for key in value:
        if option(kind, key) is None:
            found[key] = _priced(kind, key, key, value[key])
    return found


def _priced(kind: Kind, key: str, label: str, value: Any) -> CardOption:
    return _option(f"{kind}.{key}", key, label, value, rates_of(kind, key), timed=True)


def _option(where: str, key: str, label: str, value: Any, rates: tuple[str, ...], *, timed: bool) -> CardOption:
    table = _table(where, value, rates, ("latency", "label") if timed else ("label",))
    name = table.get("label", label)
    if not isinstance(name, str) or not name:
        _refuse(f"{where}.label", "must be text")
    amounts = {rate: _rate(f"{where}.{rate}", table[rate]) for rate in rates}
    latency = _latency(f"{where}.latency", table["latency"]) if "latency" in table else None
    return CardOption(key, name, amounts, latency)


def _number(where: str, value: Any, most: int) -> int | Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        _refuse(where, "must be a number")
    if (isinstance(value, Decimal) and not value.is_finite()) or not 0 <= value <= most:
        _refuse(where, f"must be between 0 and {most}")
    return value


def _rate(where: str, value: Any) -> Decimal:
    rate = Decimal(_number(where, value, MAX_RATE))
    exponent = rate.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > RATE_DECIMALS:
        _refuse(where, f"has more than {RATE_DECIMALS} decimal places")
    return rate


def _latency(where: str, value: Any) -> tuple[int, int]:
    table = _table(where, value, ("min", "max"))
    least, most = table["min"], table["max"]
    if not (_is_whole(least) and _is_whole(most) and least <= most <= MAX_LATENCY):
        _refuse(where, f"must be whole numbers of milliseconds, with min at most max and max at most {MAX_LATENCY}")
    return least, most


def _selections(value: Any, choices: Mapping[Kind, Mapping[str, CardOption]]) -> dict[str, str | bool]:
    names = ("llm", "memory", "knowledge", "stt", "tts", "animation")
    table = _table("defaults.selections", value, names)
    for kind in KINDS:
        if not isinstance(table[kind], str) or table[kind] not in choices[kind]:
            _refuse(f"defaults.selections.{kind}", "must be an option on this rate card")
    for name in ("memory", "knowledge"):
        if not isinstance(table[name], bool):
            _refuse(f"defaults.selections.{name}", "must be true or false")
    return {name: table[name] for name in names}


def _assumptions(value: Any) -> dict[str, int | Decimal]:
    table = _table("defaults.assumptions", value, QUANTITIES)
    return {name: _number(f"defaults.assumptions.{name}", table[name], MAX_QUANTITY) for name in QUANTITIES}


def _subscriptions(value: Any) -> tuple[Subscription, ...]:
    if not isinstance(value, list):
        _refuse("subscriptions", "must be an array of tables")
    subscriptions: list[Subscription] = []
    for number, entry in enumerate(value):
        where = f"subscriptions[{number}]"
        table = _table(where, entry, ("key", "label", "monthly_credits", "price", "tier"))
        for name in ("key", "label"):
            if not isinstance(table[name], str) or not table[name]:
                _refuse(f"{where}.{name}", "must be text")
        if table["tier"] not in TIERS:
            _refuse(f"{where}.tier", f"must be one of {', '.join(TIERS)}")
        for name in ("monthly_credits", "price"):
            _number(f"{where}.{name}", table[name], MAX_QUANTITY)
        subscriptions.append(Subscription(**table))
    return tuple(subscriptions)


def _origin(value: Any) -> tuple[Origin, bool]:
    """Return the origin of a learned card, and whether the card has latencies.

    It has none if the service's latencies break the rule of decision 7.
    """
    table = _table("origin", value, (*Origin._fields, "latency_fits"))
    for name in ("profile", "base_url", "learned_at"):
        if not isinstance(table[name], str) or not table[name]:
            _refuse(f"origin.{name}", "must be text")
    if not _is_moment(table["learned_at"]):
        _refuse("origin.learned_at", "must be a date and time with a time zone, such as 2026-10-01T12:00:00+00:00")
    for name in ("calls", "tests"):
        if not _is_whole(table[name]):
            _refuse(f"origin.{name}", "must be a whole number, 0 or greater")
    if not isinstance(table["latency_fits"], bool):
        _refuse("origin.latency_fits", "must be true or false")
    worst = Decimal(_number("origin.worst_error", table["worst_error"], MAX_QUANTITY))
    texts = {name: table[name] for name in ("profile", "base_url", "learned_at", "calls", "tests")}
    return Origin(**texts, worst_error=worst), table["latency_fits"]


def _no_latencies(choices: Mapping[Kind, Mapping[str, CardOption]]) -> None:
    for kind, found in choices.items():
        for key, entry in found.items():
            if entry.latency is not None:
                _refuse(f"{kind}.{key}.latency", "is not allowed on a rate card whose origin.latency_fits is false")


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


_HEAD = """\
# Rates in credits, latencies in milliseconds. "version" is the version of this file format; the rate card's own version
# is under [card]. Free options have no entry. The price of any other missing option is unknown.
"""


def write_card(card: RateCard, path: Path, write: Callable[[Path, bytes], None] = write_private) -> None:
    """Write ``card`` to the file ``path`` by calling ``write``.

    Reading the file back yields an equal card, except that the user's own prices are not written. Raises ``OSError``
    if the file cannot be written, or ``ValueError`` if the card has no latencies and was not learned.
    """
    write(path, f"{_HEAD}\n{as_toml(_document(card.as_billed))}".encode())


def _document(card: RateCard) -> dict[str, Any]:
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": _FORMAT_VERSION,
        "card": {
            "version": card.version,
            "effective_date": date.fromisoformat(card.effective_date),
            **_per_token(card),
        },
        "defaults": {"selections": dict(card.selections), "assumptions": dict(card.assumptions)},
        "components": {key: _entry(card.components[key], label) for key, label in COMPONENTS.items()},
    }
    if card.origin is not None:
        document["origin"] = {**card.origin._asdict(), "latency_fits": card.timed}
    elif not card.timed:
        raise ValueError("a rate card without latencies needs an origin that says why")
    for kind in KINDS:
        document[kind] = {
            key: _entry(entry, known.label if (known := option(kind, key)) else key)
            for key, entry in card.options[kind].items()
            if key not in FREE[kind]
        }
    document["subscriptions"] = [one._asdict() for one in card.subscriptions]
    return document


def _per_token(card: RateCard) -> Mapping[str, Any]:
    return {} if card.chars_per_token == CHARS_PER_TOKEN else {"chars_per_token": card.chars_per_token}


def _entry(entry: CardOption, usual_label: str) -> Mapping[str, Any]:
    label = {"label": entry.label} if entry.label != usual_label else {}
    latency = {} if entry.latency is None else {"latency": {"min": entry.latency[0], "max": entry.latency[1]}}
    return {**label, **entry.rates, **latency}
