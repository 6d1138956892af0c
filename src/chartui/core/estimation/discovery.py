"""Recognize the options of a service, regardless of the form of its response (E 4.3, decisions 13 and 62).

The form of the response to ``/options`` is not specified, so it is treated as arbitrary JSON and searched for option
keys from the catalogue. Each entry that is found provides the label and the numbers of an option. Other entries at the
same level as a known option count as options that are not in the catalogue. No error is raised, whatever the response
contains. If no option is found, only the catalogue is offered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Final, TypeGuard

from chartui.core.classes import NamedTuple
from chartui.core.estimation.card import QUANTITIES
from chartui.core.jsontext import Wire
from chartui.core.spec.catalogue import KINDS, Kind, is_realtime_key, option, options
from chartui.core.spec.elements import Unreadable, called, escaped
from chartui.core.spec.operation import BadText, Codec, decode

Number = int | Decimal

_MAX_DEPTH: Final = 64
_LABELS: Final = ("label", "display_name", "displayName", "title", "name")
#: Members of an option that never hold a number, even if they look like one.
_NO_NUMBERS: Final = frozenset({*_LABELS, "key", "id", "tier", "version", "description"})
_FLAGS: Final = ("memory", "knowledge")
_KIND_WORDS: Final[Mapping[str, Kind]] = {
    **dict.fromkeys(("llm", "llms", "model", "models", "language_model", "language_models"), "llm"),
    **dict.fromkeys(("stt", "voice_input", "speech_input", "speech_to_text"), "stt"),
    **dict.fromkeys(("tts", "voice_output", "speech_output", "text_to_speech", "voice", "voices"), "tts"),
    **dict.fromkeys(("animation", "animations"), "animation"),
}
_SUBSCRIPTION_WORDS: Final = ("plan", "plans", "subscriptions", "tiers")


class Choice(NamedTuple):
    """An option of a service.

    ``known`` says whether the catalogue contains the option, and ``listed`` says whether the service's response
    contains it. ``numbers`` contains all numbers in the option's entry, keyed by their path within the entry (such as
    ``credits.prompt_per_1k``). ``label`` is text from the service, so sanitize it before display.
    """

    key: str
    label: str
    known: bool
    listed: bool
    realtime: bool
    numbers: Mapping[str, Number]


class OfferedSubscription(NamedTuple):
    """A subscription that a service offers, with its credits and price per month.

    Unknown amounts are None. ``key`` may be empty.
    """

    label: str
    monthly_credits: Number | None
    price: Number | None
    tier: str | None
    key: str = ""


class Discovery(NamedTuple):
    """The options recognized in a response.

    ``fits`` is False if no option was recognized. In that case, the response is shown as received. ``unreadable``
    contains elements that look like options but could not be recognized.
    """

    choices: Mapping[Kind, tuple[Choice, ...]]
    selections: Mapping[str, str | bool]
    assumptions: Mapping[str, Number]
    subscriptions: tuple[OfferedSubscription, ...]
    fits: bool
    unreadable: tuple[Unreadable, ...] = ()


def discover(answer: Wire = None) -> Discovery:
    """Recognize options, defaults and subscriptions in a response to ``/options``.

    Without a response, the catalogue is used.
    """
    finder = _Finder()
    finder.read(answer)
    return Discovery(
        choices={kind: finder.choices(kind) for kind in KINDS},
        selections=finder.selections,
        assumptions=finder.assumptions,
        subscriptions=tuple(finder.subscriptions),
        fits=any(finder.found[kind] for kind in KINDS),
        unreadable=tuple(finder.unreadable),
    )


@cache
def _kinds_of_keys() -> dict[str, tuple[Kind, ...]]:
    found: dict[str, tuple[Kind, ...]] = {}
    for kind in KINDS:
        for entry in options(kind):
            found[entry.key] = (*found.get(entry.key, ()), kind)
    return found


class _Entry(NamedTuple):
    key: str
    value: Wire


class _Finder:
    """Collects the options in an answer.

    Of several entries for the same option, the one with the most numbers is used, or the first of those.
    """

    def __init__(self) -> None:
        self.found: dict[Kind, dict[str, Choice]] = {kind: {} for kind in KINDS}
        self.selections: dict[str, str | bool] = {}
        self.assumptions: dict[str, Number] = {}
        self.subscriptions: list[OfferedSubscription] = []
        self.unreadable: list[Unreadable] = []

    def read(self, answer: Wire) -> None:
        """Search the whole answer, outer parts first. ``path`` holds the names of the members around a part."""
        waiting: list[tuple[Wire, tuple[str, ...], str]] = [(answer, (), "")]
        for part, path, where in waiting:  # the list grows during the search
            if len(path) > _MAX_DEPTH:
                continue
            if isinstance(part, Mapping):
                self._defaults(part, path)
                known = not _kinds_of_keys().keys().isdisjoint(part)
                if known:
                    self._group(list(_named_entries(part)), path)
                if path and path[-1].endswith(_SUBSCRIPTION_WORDS):
                    self._subscriptions(part.items())
                if known and path and "default" not in path[-1]:
                    self.unreadable += _null_members(part, where)
                waiting.extend(
                    (inner, (*path, str(name).lower()), f"{where}/{escaped(str(name))}")
                    for name, inner in part.items()
                    if isinstance(inner, Mapping | list | tuple)
                )
            elif isinstance(part, list | tuple):
                entries = list(_listed_entries(part))
                self._group(entries, path)
                if entries:
                    self.unreadable += _unread_among(part, entries, where)
                if path and path[-1].endswith(_SUBSCRIPTION_WORDS):
                    self._subscriptions(("", item) for item in part)
                waiting.extend((inner, (*path, ""), f"{where}/{place}") for place, inner in enumerate(part))

    def choices(self, kind: Kind) -> tuple[Choice, ...]:
        """Return the catalogue's options in their order, then the others in the order of the answer."""
        listed = dict(self.found[kind])
        known = []
        for entry in options(kind):
            choice = listed.pop(entry.key, None)
            known.append(choice or Choice(entry.key, entry.label, True, False, entry.realtime, {}))
        return (*known, *listed.values())

    def _group(self, entries: list[_Entry], path: tuple[str, ...]) -> None:
        """Add neighbouring entries. The kind of an unknown entry is inferred from its neighbours and the path."""
        sure = {kinds[0] for entry in entries if len(kinds := _kinds_of_keys().get(entry.key, ())) == 1}
        around = next((_KIND_WORDS[name] for name in reversed(path) if name in _KIND_WORDS), None)
        if around is None and len(sure) == 1:
            (around,) = sure
        for entry in entries:
            kinds = _kinds_of_keys().get(entry.key, ())
            if len(kinds) != 1:
                said = _said_kind(entry.value) or around
                kinds = (said,) if said and (not kinds or said in kinds) else kinds
            for kind in kinds:
                self._take(kind, entry)

    def _take(self, kind: Kind, entry: _Entry) -> None:
        known = option(kind, entry.key)
        label = _label(entry) or (known.label if known else entry.key)
        realtime = kind == "llm" and is_realtime_key(entry.key)
        choice = Choice(entry.key, label, known is not None, True, realtime, dict(_numbers(entry.value)))
        before = self.found[kind].get(entry.key)
        if before is None or len(choice.numbers) > len(before.numbers):
            self.found[kind][entry.key] = choice
        if isinstance(entry.value, Mapping) and entry.value.get("default") is True:
            self.selections.setdefault(kind, entry.key)

    def _defaults(self, part: Mapping[str, Wire], path: tuple[str, ...]) -> None:
        if not any("default" in name for name in path):
            return
        for kind in KINDS:
            if key := _text(part.get(kind)):
                self.selections.setdefault(kind, key)
        for name in _FLAGS:
            if isinstance(flag := part.get(name), bool):
                self.selections.setdefault(name, flag)
        for name in QUANTITIES:
            if (value := _as_number(part.get(name))) is not None:
                self.assumptions.setdefault(name, value)

    def _subscriptions(self, entries: Iterable[tuple[str, Wire]]) -> None:
        for name, entry in entries:
            if not isinstance(entry, Mapping):
                continue
            key = _text(entry.get("key")) or _text(entry.get("id")) or str(name)
            label = _label(_Entry("", entry)) or key
            numbers = list(_numbers(entry))
            credits_a_month = next((number for where, number in numbers if "credit" in where.lower()), None)
            price = next((number for where, number in numbers if "price" in where.lower()), None)
            if label and (credits_a_month is not None or price is not None):
                self.subscriptions.append(
                    OfferedSubscription(label, credits_a_month, price, _text(entry.get("tier")), key)
                )


def _named_entries(part: Mapping[str, Wire]) -> Iterator[_Entry]:
    """Yield members that are named like option keys, as in ``{"mdla_4o": {…}}``.

    If there are at least two, also yield the other members whose values have the same type.
    """
    shapes = [type(value) for name, value in part.items() if name in _kinds_of_keys() and not isinstance(value, bool)]
    for name, value in part.items():
        if isinstance(value, bool) or type(value) not in shapes:
            continue
        if name in _kinds_of_keys() or len(shapes) > 1:
            yield _Entry(name, value)


def _listed_entries(part: list[Wire] | tuple[Wire, ...]) -> Iterator[_Entry]:
    """Yield items that are option keys or have one as a member.

    The keys of the neighbouring items are read from the same member.
    """
    if any(isinstance(item, str) and item in _kinds_of_keys() for item in part):
        yield from (_Entry(item, None) for item in part if isinstance(item, str) and item)
    members = [_key_member(item) for item in part]
    usual = next((member for member in members if member is not None), None)
    for item, member in zip(part, members, strict=True):
        name = member or usual
        if name is not None and isinstance(item, Mapping) and (key := _text(item.get(name))):
            yield _Entry(key, item)


def _unread_among(part: Sequence[Wire], entries: Sequence[_Entry], where: str) -> Iterator[Unreadable]:
    """Yield the items in a list of options that are not options: objects without a key, or values of another type."""
    taken = {id(entry.key if entry.value is None else entry.value) for entry in entries}
    for place, item in enumerate(part):
        if id(item) not in taken:
            reason = "no option key" if isinstance(item, Mapping) else f"expected an option, got {called(item)}"
            yield Unreadable(kind="option", where=f"{where}/{place}", reason=reason, raw=item)


def _null_members(part: Mapping[str, Wire], where: str) -> Iterator[Unreadable]:
    for name, value in part.items():
        if value is None and name in _kinds_of_keys():
            reason = f"{name}: expected an option, got null"
            yield Unreadable(kind="option", where=f"{where}/{escaped(name)}", reason=reason, raw=None)


def _key_member(item: Wire) -> str | None:
    """Return the member that holds an option key, or None.

    A configuration, which holds several keys, is not an option.
    """
    if not isinstance(item, Mapping):
        return None
    held: list[str] = [
        name
        for name, value in item.items()
        if isinstance(value, str) and value in _kinds_of_keys() and name not in KINDS and "default" not in name
    ]
    if len({item[name] for name in held}) != 1:
        return None
    return min(held, key=lambda name: name in _LABELS)


def _said_kind(value: Wire) -> Kind | None:
    """Return the kind given in the entry itself, as in ``{"key": …, "category": "stt"}``."""
    if not isinstance(value, Mapping):
        return None
    words = (_KIND_WORDS.get(word.lower()) for word in value.values() if isinstance(word, str))
    return next((kind for kind in words if kind), None)


def _label(entry: _Entry) -> str | None:
    if isinstance(entry.value, str):
        return _text(entry.value) if _as_number(entry.value) is None else None
    if not isinstance(entry.value, Mapping):
        return None
    texts = (_text(entry.value.get(name)) for name in _LABELS)
    return next((text for text in texts if text and text != entry.key), None)


def _numbers(value: Wire, path: str = "", depth: int = 3) -> Iterator[tuple[str, Number]]:
    if path.rpartition(".")[2] not in _NO_NUMBERS and (number := _as_number(value)) is not None:
        yield path or "credits", number
    elif isinstance(value, Mapping) and depth:
        for name, inner in value.items():
            yield from _numbers(inner, f"{path}.{name}" if path else str(name), depth - 1)


def _text(value: Wire) -> str | None:
    return value if isinstance(value, str) and value else None


def _as_number(value: Wire) -> Number | None:
    """Return a number, which may be given as text, or None (decision 69)."""
    if not isinstance(value, str):
        return value if _is_number(value) else None
    try:
        found: Number = decode(Codec.NUMBER, value)
    except BadText:
        return None
    return found


def _is_number(value: Wire) -> TypeGuard[Number]:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)
