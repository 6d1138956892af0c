"""Read the user's own prices from the settings file. They apply to options that are billed by their provider::

    [prices.byo_mdla_compatible_endpoint]
    prompt_per_1k = 0.8          # credits; the names are those of a rate card
    output_per_1k = 3.2

    [prices.external_tts_via_api_key]
    per_second = 0.15

:mod:`chartui.core.estimation.own_prices` uses these prices in estimates.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from chartui.core.jsontext import canonical
from chartui.core.naming import unknown
from chartui.core.spec.catalogue import KINDS, MAX_RATE, RATE_DECIMALS, is_billed_by_provider, options
from chartui.core.tables import BadTable, refuse_unknown, typed

#: The rates of each option, by its key and the name of the rate (decision 2).
OwnPrices = Mapping[str, Mapping[str, Decimal]]

#: The names of the rates of an option that its provider bills.
RATES: Final[Mapping[str, tuple[str, ...]]] = {
    entry.key: ("prompt_per_1k", "output_per_1k") if kind == "llm" else ("per_second",)
    for kind in KINDS
    for entry in options(kind)
    if is_billed_by_provider(entry.key)
}


def own_price(key: str, value: Any) -> Mapping[str, Decimal]:
    """Return the rates in an option's table. Raises :class:`BadTable` if the table contains an error."""
    if key not in RATES:
        raise BadTable(
            unknown(
                "option", key, RATES, place="in the prices table, which is only for options billed by their provider"
            ),
            at=f"prices.{key}",
        )
    where = f"prices.{key}"
    table = typed(value, dict, where, "a table of rates in credits")
    refuse_unknown(table, RATES[key], where)
    return {name: _rate(f"{where}.{name}", table.get(name)) for name in RATES[key]}


def _rate(where: str, value: Any) -> Decimal:
    wanted = f"a number of credits from 0 to {MAX_RATE}, with at most {RATE_DECIMALS} decimal places"
    number = Decimal(str(typed(value, (int, float), where, wanted)))
    if not (number.is_finite() and 0 <= number <= MAX_RATE) or len(canonical(number).partition(".")[2]) > RATE_DECIMALS:
        raise BadTable(f"{where} must be {wanted}.")
    return number
