"""Format numbers the same way on screen and on the command line, in every locale."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, Final

from chartui.core.jsontext import canonical

if TYPE_CHECKING:
    from chartui.core.typed_numbers import Range

#: Decimals of credits that are shown; the service gives six.
DECIMALS: Final = 3
_SMALLEST: Final = Decimal(1).scaleb(-DECIMALS)
#: The smallest amount of money that is shown.
_TINIEST: Final = Decimal("0.000001")


def count(number: Decimal | int) -> str:
    """Return a number with spaces as thousands separators, such as ``8 045`` or ``1 250.50``."""
    return (f"{number:,f}" if isinstance(number, Decimal) else f"{number:,}").replace(",", " ")


def exact(number: Decimal | int) -> str:
    """Return a number in full, without trailing zeros, such as ``1 250.5``."""
    return count(Decimal(canonical(Decimal(number))))


def quantity_text(number: Decimal | int) -> str:
    """Return a quantity with at most three decimal places, such as ``82.333`` for a mean number of tokens.

    A tiny quantity is not rounded to 0.
    """
    return f"<{_SMALLEST}" if 0 < number < _SMALLEST else exact(round(Decimal(number), DECIMALS))


def aligned(numbers: Sequence[Decimal]) -> list[str]:
    """Format numbers in full, all with the same number of decimal places."""
    decimals = max((len(canonical(number).partition(".")[2]) for number in numbers), default=0)
    return [f"{number:,.{decimals}f}".replace(",", " ") for number in numbers]


def range_text(found: Range) -> str:
    """Return a range as users type it, such as ``100-300``.

    If both ends are equal, return a single number.
    """
    if not found.varies:
        return canonical(found.typical)
    middle = [] if found.typical == (found.low + found.high) / 2 else [found.typical]
    return "-".join(map(canonical, (found.low, *middle, found.high)))


def between_text(least: str, most: str) -> str:
    """Return a sentence that gives the credits for the lowest and highest quantities."""
    return f"From {least} credits with the lowest quantities to {most} with the highest."


def number_of(things: int, word: str) -> str:
    """Return a number and its noun, such as ``1 step`` or ``200 steps``."""
    return f"{count(things)} {noun(word, things)}"


def noun(word: str, quantity: int | Decimal) -> str:
    """Return the form of a noun that follows a quantity, such as ``step`` for 1 and ``steps`` for 1.5."""
    return word if quantity == 1 else f"{word}s"


def credits_difference(amount: Decimal, base: Decimal) -> Decimal:
    """Return the difference between two amounts of credits after both have been rounded for display.

    If the rounded amounts are equal, the exact difference is returned.
    """
    shown, of = (each.quantize(_SMALLEST) if _SMALLEST <= abs(each) < 10**12 else each for each in (amount, base))
    return shown - of or amount - base


def credits_text(amount: Decimal | None) -> str:
    """Return credits as text, with a fixed number of decimal places, or ``unknown`` for None.

    A tiny amount is not rounded to 0.
    """
    if amount is None:
        return "unknown"
    if 0 < amount < _SMALLEST:
        return f"<{_SMALLEST}"
    return count(amount.quantize(_SMALLEST, ROUND_HALF_EVEN)) if abs(amount) < 10**12 else f"{amount:.6E}"


def sign_of(number: Decimal | int) -> str:
    return "+" if number > 0 else "−" if number < 0 else "±"


def signed_text(difference: Decimal | int) -> str:
    """Return a difference with its sign.

    Credits (``Decimal``) have decimal places, but milliseconds (``int``) do not.
    """
    text = credits_text(abs(difference)) if isinstance(difference, Decimal) else count(abs(difference))
    return f"{sign_of(difference)}{text}"


def percent_text(percent: Decimal | None) -> str:
    """Return a signed percentage, or a dash for None.

    Percentages below 10 have one decimal place. A tiny percentage is not rounded to 0.
    """
    if percent is None:
        return "–"
    sign, amount = sign_of(percent), abs(percent)
    if 0 < amount < Decimal("0.1"):
        return f"{sign}<0.1%"
    return f"{sign}{count(amount.quantize(Decimal('0.1') if 0 < amount < 10 else Decimal(1), ROUND_HALF_EVEN))}%"


def money_text(amount: Decimal) -> str:
    """Return an amount of money as text, with two decimal places or, if it is below 1, three significant digits.

    A tiny amount is not rounded to 0.
    """
    if 0 < amount < _TINIEST:
        return f"<{_TINIEST}"
    decimals = max(2, 2 - amount.adjusted()) if 0 < abs(amount) < 1 else 2
    smallest = max(Decimal(1).scaleb(-decimals), _TINIEST)
    return count(amount.quantize(smallest, ROUND_HALF_EVEN)) if abs(amount) < 10**12 else f"{amount:.6E}"
