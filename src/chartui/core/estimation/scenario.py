"""Scenarios describe the interactions of an application. Each scenario is a TOML file, for example::

    format = "chartui-scenario"
    version = 1
    name = "Museum"
    characters_per_second = 15                  # the speaking rate: derives speech from text or text from speech

    [usage]
    users = 30000
    interactions = 12                           # or: minutes = 20
    per = "month"                               # or "day" (default) or "session"
    growth = 5                                  # percent per month

    [assumptions]
    inputTokens = 1500
    outputChars = { low = 60, typical = 150, high = 400 }

    [[kinds]]
    name = "Greeting"
    weight = 3
    outputChars = 60

    [[kinds]]
    name = "Question"
    inputTokens = 2500

Quantities have the names used in E 2.2. The quantities of a kind of interaction override those in ``assumptions``. If a
quantity is given in neither place, the service's default is used. Scenarios belong to this program and not to a
service, so the read-only lock does not apply to scenarios.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from decimal import ROUND_HALF_EVEN, Decimal
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from chartui.core.classes import dataclass
from chartui.core.estimation.amounts import EXACT
from chartui.core.estimation.budget import INTERACTIONS, PERIODS, USERS, Usage
from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.estimation.mix import Case
from chartui.core.estimation.quantity import quantity_in
from chartui.core.files import Reading, read_own
from chartui.core.jsontext import Wire
from chartui.core.named_files import NamedFiles, name_in, note_in, shortest
from chartui.core.paths import data_dir
from chartui.core.spec.models.estimation import Assumptions
from chartui.core.spec.shape import wire_names
from chartui.core.tables import BadFile, BadTable, Mistakes, Reader, file_text, refuse_unknown, typed
from chartui.core.typed_numbers import Range

FORMAT: Final = "chartui-scenario"
VERSION: Final = 1
#: The most kinds of interaction: each is an estimate of its own.
MOST_KINDS: Final = 20
#: The largest weight of a kind.
MOST_WEIGHT: Final = 10**6
_MEMBERS: Final = {member: attribute for attribute, member in wire_names(Assumptions).items()}
_NUMBERS: Final = ("users", "interactions", "minutes", "days", "sessions", "growth")
_KNOWN: Final = ("name", "note", "characters_per_second", "usage", "assumptions", "kinds")


class ScenarioError(ValueError):
    """Raised if a scenario cannot be used or saved."""


class ScenarioFileError(BadFile, ScenarioError):
    """Raised if a scenario file cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What each interaction of an application uses, and how many interactions there are.

    ``assumptions`` maps the name of each quantity to its range. ``kinds`` lists the kinds of interaction that have
    quantities of their own. ``usage`` is None if the number of interactions is not given. ``characters_per_second``
    is the speaking rate, which links the length of a reply's text to the duration of its speech. It is None if the text
    and the speech are independent.
    """

    name: str
    note: str = ""
    assumptions: Mapping[str, Range] = field(default_factory=lambda: MappingProxyType({}))
    kinds: tuple[Case, ...] = ()
    usage: Usage | None = None
    characters_per_second: Decimal | None = None

    def cases(self, given: Mapping[str, Range] | None = None) -> tuple[Case, ...]:
        """Return the kinds of interaction with all their quantities.

        If the scenario has no kinds, the result contains a single kind. The ``given`` quantities override the
        quantities of every kind.
        """
        common = self._linked(self.assumptions)
        kinds = self.kinds or (Case("", Decimal(1), {}),)
        return tuple(kind._replace(ranges={**common, **self._linked(kind.ranges), **(given or {})}) for kind in kinds)

    def under(self, given: Mapping[str, Range]) -> Scenario:
        """Return a copy of the scenario in which the ``given`` quantities replace the quantities of every kind."""
        kinds = (
            kind._replace(ranges={name: found for name, found in kind.ranges.items() if name not in given})
            for kind in self.kinds
        )
        return replace(self, assumptions={**self.assumptions, **given}, kinds=tuple(kinds))

    def _linked(self, ranges: Mapping[str, Range]) -> Mapping[str, Range]:
        rate = self.characters_per_second
        if rate is None or ("output_chars" in ranges) is ("tts_seconds" in ranges):
            return ranges
        return {**ranges, **linked(rate, ranges)}


def linked(characters_per_second: Decimal, ranges: Mapping[str, Range]) -> dict[str, Range]:
    """Derive the duration of a reply in seconds from its length in characters, or the length from the duration.

    The duration is returned if ``ranges`` contains the length. Durations are rounded to tenths of a second, and lengths
    to whole numbers.
    """
    if (characters := ranges.get("output_chars")) is not None:
        return {"tts_seconds": _each(characters, lambda n: EXACT.divide(n, characters_per_second), "0.1")}
    seconds = ranges["tts_seconds"]
    return {"output_chars": _each(seconds, lambda n: EXACT.multiply(n, characters_per_second), "1")}


def _each(found: Range, convert: Callable[[Decimal], Decimal], unit: str) -> Range:
    low, typical, high = (
        Decimal(shortest(convert(number).quantize(Decimal(unit), ROUND_HALF_EVEN, EXACT))) for number in found
    )
    return Range(low, typical, high)


# -- a file -----------------------------------------------------------------------------------------------------------


def read_scenario(path: Path, *, read: Reading = read_own) -> Scenario:
    """Read a scenario file.

    ``read`` is the function that reads the file. Raises :class:`ScenarioFileError`, whose message lists every mistake.
    """
    reader = Reader(path, FORMAT, VERSION, _KNOWN, number=Decimal, read=read)
    if not reader.exists:
        reader.add("no such file.")
    scenario = _from_table(reader.table, reader) if reader.table else Scenario(name="")
    reader.check(ScenarioFileError)
    return scenario


def from_table(table: Mapping[str, Any]) -> Scenario:
    """Return the scenario described by a table in the format of :func:`as_table`. Raises :class:`ScenarioError`."""
    mistakes = Mistakes("")
    mistakes.take(partial(refuse_unknown, at=""), table, _KNOWN, "the scenario")
    scenario = _from_table(table, mistakes)
    if mistakes.found:
        raise ScenarioError(f"The scenario cannot be used: {mistakes.found[0].message}")
    return scenario


def _from_table(table: Mapping[str, Any], mistakes: Mistakes) -> Scenario:
    if "name" not in table:
        mistakes.add('name is missing; write name = "…".')
    rate = table.get("characters_per_second")
    return Scenario(
        name=mistakes.take(name_in, table.get("name", "-")) or "",
        note=mistakes.take(note_in, table.get("note", "")) or "",
        assumptions=_ranges(mistakes.table_of(table, "assumptions"), "assumptions", mistakes),
        kinds=tuple(_kinds(table, mistakes)),
        usage=_usage(mistakes.table_of(table, "usage"), mistakes) if "usage" in table else None,
        characters_per_second=None if rate is None else mistakes.take(_positive, rate, "characters_per_second"),
    )


def _ranges(table: Mapping[str, Any], where: str, mistakes: Mistakes) -> dict[str, Range]:
    found = {}
    for member, value in table.items():
        place = f"{where}.{member}"
        if member not in _MEMBERS:
            mistakes.take(refuse_unknown, (member,), _MEMBERS, f"'{where}'", at=place)
        elif (one := mistakes.take(_range, value, place, at=place)) is not None:
            found[_MEMBERS[member]] = one
    return found


def _range(value: Any, where: str) -> Range:
    if not isinstance(value, dict):
        wanted = f"a number from 0 to {MAX_QUANTITY}, or a table such as {{ low = 60, typical = 150, high = 400 }}"
        return Range.of(quantity_in(typed(value, (int, Decimal), where, wanted), "", where))
    refuse_unknown(value, Range._fields, f"'{where}'")
    if "typical" not in value:
        raise BadTable(f"{where}.typical is missing; low and high are optional.")
    typical, low, high = (
        quantity_in(value.get(name, value["typical"]), "", f"{where}.{name}") for name in ("typical", "low", "high")
    )
    if not low <= typical <= high:
        raise BadTable(f"{where}: low must be at most typical, and high at least typical.")
    return Range(low, typical, high)


def _kinds(table: Mapping[str, Any], mistakes: Mistakes) -> list[Case]:
    found: list[Case] = []
    given = mistakes.list_of(table, "kinds", "kinds", "a list of tables") or []
    if len(given) > MOST_KINDS:
        mistakes.add(f"kinds can have at most {MOST_KINDS} entries.")
    for number, value in enumerate(given[:MOST_KINDS]):
        where = f"kinds[{number}]"
        kind = mistakes.take(typed, value, dict, where, "a table")
        if kind is None:
            continue
        if "name" not in kind:
            mistakes.add(f'{where}.name is missing; write name = "…".', at=where)
        name = mistakes.take(name_in, kind.get("name", "-"), at=f"{where}.name") or ""
        if name in (one.name for one in found):
            mistakes.add(f"{where}.name is already used by another kind.")
        weight = mistakes.take(_positive, kind.get("weight", 1), f"{where}.weight") or Decimal(1)
        known = ("name", "weight", *_MEMBERS)
        for key in kind:
            mistakes.take(refuse_unknown, (key,), known, f"'{where}'", at=f"{where}.{key}")
        own = {key: value for key, value in kind.items() if key in _MEMBERS}
        found.append(Case(name, weight, _ranges(own, where, mistakes)))
    return found


def _positive(value: Any, where: str) -> Decimal:
    wanted = f"a number above 0 and at most {MOST_WEIGHT}"
    given: Any = typed(value, (int, Decimal), where, wanted)
    number = Decimal(given)
    if not number.is_finite() or not 0 < number <= MOST_WEIGHT:
        raise BadTable(f"{where} must be {wanted}.")
    quantity_in(number, "", where)  # not too many digits
    return number


def _usage(table: Mapping[str, Any], mistakes: Mistakes) -> Usage | None:
    before = len(mistakes.found)
    for key in table:
        mistakes.take(refuse_unknown, (key,), (*_NUMBERS, "per"), "'usage'", at=f"usage.{key}")
    numbers = {
        name: Decimal(value)
        for name in _NUMBERS
        if (value := mistakes.take(typed, table.get(name, 0), (int, Decimal), f"usage.{name}", "a number")) is not None
        and name in table
    }
    per = table.get("per", "day")
    if per not in PERIODS:
        mistakes.add(f"usage.per must be one of: {', '.join(PERIODS)}.")
    if len(mistakes.found) > before:
        return None
    if "minutes" not in numbers:
        numbers.setdefault("interactions", INTERACTIONS)
    usage = Usage(**{"users": USERS, **numbers}, per=per)
    if problem := usage.problem():
        mistakes.add(problem.text, at=f"usage.{problem.member}")
    return usage


def as_table(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario as a table in the format of a scenario file, without ``format`` and ``version``."""
    table: dict[str, Any] = {"name": scenario.name}
    if scenario.note:
        table["note"] = scenario.note
    if scenario.characters_per_second is not None:
        table["characters_per_second"] = shortest(scenario.characters_per_second)
    if (usage := scenario.usage) is not None:
        given = {name: value for name, value in usage._asdict().items() if value is not None}
        table["usage"] = {name: value if name == "per" else shortest(value) for name, value in given.items()}
    if scenario.assumptions:
        table["assumptions"] = table_of(scenario.assumptions)
    if scenario.kinds:
        table["kinds"] = [
            {"name": kind.name, "weight": shortest(kind.weight), **table_of(kind.ranges)} for kind in scenario.kinds
        ]
    return table


def table_of(ranges: Mapping[str, Range]) -> dict[str, Any]:
    """Return quantities, keyed by field name.

    Each quantity is a number or a table with ``low``, ``typical`` and ``high``.
    """
    members = {attribute: member for member, attribute in _MEMBERS.items()}
    return {
        members[name]: {end: shortest(number) for end, number in found._asdict().items()}
        if found.varies
        else shortest(found.typical)
        for name, found in ranges.items()
    }


def _leaves(value: Any, place: str = "") -> dict[str, Wire]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        return {place: value}
    return {name: leaf for key, inner in items for name, leaf in _leaves(inner, f"{place}.{key}".strip(".")).items()}


# -- the folder -------------------------------------------------------------------------------------------------------


class Scenarios(NamedFiles[Scenario]):
    """The scenarios in a folder (default: the data folder). Methods can raise :class:`ScenarioError`."""

    NOUN = "scenario"
    ERROR = ScenarioError

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__((folder or data_dir()) / "scenarios")

    def read(self, path: Path, *, read: Reading = read_own) -> Scenario:
        return read_scenario(path, read=read)

    def written(self, item: Scenario) -> str:
        """Return a scenario as TOML.

        Raises :class:`ScenarioError` if a file with this scenario could not be read back.
        """
        table = as_table(item)
        from_table(table)
        return file_text(FORMAT, VERSION, table)

    def renamed(self, item: Scenario, name: str) -> Scenario:
        return replace(item, name=name)

    def differences(self, old: Scenario, new: Scenario) -> str:
        before, after = _leaves(as_table(old)), _leaves(as_table(new))
        changed = [place for place in {**before, **after} if before.get(place) != after.get(place)]
        return ", ".join(f"{place} {before.get(place, '–')} → {after.get(place, '–')}" for place in changed)


def scenario_schema() -> dict[str, Any]:
    from chartui.core.schemas import document

    amount = {"type": "number", "minimum": 0, "maximum": MAX_QUANTITY}
    ends = {"type": "object", "properties": dict.fromkeys(Range._fields, amount), "additionalProperties": False}
    quantity = {"anyOf": [amount, {**ends, "required": ["typical"]}]}
    quantities = dict.fromkeys(_MEMBERS, quantity)
    above = {"type": "number", "exclusiveMinimum": 0, "maximum": MOST_WEIGHT}
    text = {"type": "string", "minLength": 1}
    kind = {"type": "object", "properties": {"name": text, "weight": above, **quantities}, "required": ["name"]}
    usage = {**{name: {"type": "number"} for name in _NUMBERS}, "per": {"enum": list(PERIODS)}}
    return document(
        "Quantities and usage of an application",
        FORMAT,
        VERSION,
        {
            "name": {**text, "description": "Name of the scenario."},
            "note": {"type": "string", "description": "A note for readers."},
            "characters_per_second": {
                **above,
                "description": "Speaking rate that links the length of a reply to its duration.",
            },
            "usage": {
                "type": "object",
                "description": "Number of users, and interactions or minutes per user per period.",
                "properties": usage,
                "additionalProperties": False,
            },
            "assumptions": {
                "type": "object",
                "description": "Quantities that apply to every kind of interaction.",
                "properties": quantities,
                "additionalProperties": False,
            },
            "kinds": {
                "type": "array",
                "description": "Kinds of interaction, with their weights and the quantities that differ from the "
                "assumptions.",
                "items": {**kind, "additionalProperties": False},
                "maxItems": MOST_KINDS,
            },
        },
    )
