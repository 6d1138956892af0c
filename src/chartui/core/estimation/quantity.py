"""Read the quantities of an interaction, such as tokens, from files that users write."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.jsontext import MAX_DIGITS
from chartui.core.tables import BadTable, typed


def quantity_in(value: Any, _: str, where: str) -> Decimal:
    """Return a quantity of an interaction, read from a file. ``where`` is the location of the quantity in the file.

    Raises :class:`BadTable` if the value is not a valid quantity or has too many digits.
    """
    wanted = f"a number from 0 to {MAX_QUANTITY}"
    given: Any = typed(value, (int, Decimal), where, wanted)
    number = Decimal(given)
    if not number.is_finite() or not 0 <= number <= MAX_QUANTITY:
        raise BadTable(f"{where} must be {wanted}.")
    if len(number.as_tuple().digits) > MAX_DIGITS or abs(number.adjusted()) > MAX_DIGITS:
        raise BadTable(f"{where} has too many digits.")
    return number
