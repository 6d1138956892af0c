"""Parse numbers that the user typed or pasted.

The decimal separator is a point, whatever the locale. No digits are lost.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from chartui.core.classes import NamedTuple

# Patterns as text: every start imports this module, and most need none of them.
_NUMBER: Final = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?"
#: Spaces that separate thousands, in this program and in others.
_APART: Final = r"(?<=[0-9])[ \u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))"
_COMMAS_APART: Final = r"[+-]?[0-9]{1,3}(?:(?:,[0-9]{3})+\.[0-9]*|(?:,[0-9]{3}){2,})"
_MILLISECONDS: Final = r"(?i)(?<=[0-9. ])ms$"
_SECONDS: Final = r"(?i)(?<=[0-9. ])s$"
_ANY: Final = r"[+-]?[0-9.,]*[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?"
#: Between the numbers of a range. The minus sign of an exponent follows a letter.
_TO: Final = r"(?<=[0-9.,])\s*[-\u2013]\s*(?=[0-9.,])"
_ANY_RANGE: Final = rf"{_ANY}(?:{_TO}{_ANY})+"


class Range(NamedTuple):
    """The lowest, typical and highest values of a quantity."""

    low: Decimal
    typical: Decimal
    high: Decimal

    @classmethod
    def of(cls, number: Decimal) -> Range:
        return cls(number, number, number)

    @property
    def varies(self) -> bool:
        return self.low != self.high


def typed_number(text: str) -> Decimal:
    """Return the number in ``text``.

    Spaces may separate thousands. Raises ``ValueError`` if the text is not a number. The error's message is a sentence
    without a full stop. A comma is rejected because it could be a decimal separator or a thousands separator.
    """
    number = re.sub(_APART, "", text.strip())
    if re.fullmatch(_NUMBER, number):
        return Decimal(number)
    cure = "; use a decimal point, not a comma" if "," in number else ""
    cure = cure or ("; enter a single number, not a range" if re.search(_TO, number) else "")
    raise ValueError(f"{text} is not a number{cure}")


def typed_range(text: str) -> Range:
    """Return the range in text such as ``100-300``, ``100-150-300`` or ``100``.

    If there are three numbers, the middle one is the typical value. Otherwise, the typical value is halfway between the
    lowest and the highest value. Raises the same error as :func:`typed_number`.
    """
    numbers = [typed_number(part) for part in re.split(_TO, text)]
    if len(numbers) > 3:
        raise ValueError(f"{text} is not a range; write LOW-HIGH or LOW-TYPICAL-HIGH")
    if numbers != sorted(numbers):
        raise ValueError(f"{text} is not a range; write the lower number first")
    low, high = numbers[0], numbers[-1]
    return Range(low, numbers[1] if len(numbers) == 3 else low if low == high else (low + high) / 2, high)


def typed_milliseconds(text: str) -> int:
    """Return the number of milliseconds in text such as ``1200``, ``1 200 ms`` or ``1.2 s``.

    Raises the same error as :func:`typed_number`.
    """
    number, seconds = re.subn(_SECONDS, "", text.strip())
    amount = typed_number(re.sub(_MILLISECONDS, "", number)) * (1000 if seconds else 1)
    if amount < 0 or amount != amount.to_integral_value():
        cure = f"; for seconds, write {text.strip()} s" if amount > 0 and not text.strip()[-1].isalpha() else ""
        raise ValueError(f"{text} is not a whole number of milliseconds{cure}")
    return int(amount)


def number_in(text: str) -> str:
    """Return the first number or range in pasted text, or an empty string if there is none.

    Unambiguous thousands separators are removed. Ambiguous separators are kept, so that :func:`typed_number` rejects
    the number.
    """
    found = re.search(_ANY_RANGE, re.sub(_APART, "", text)) or re.search(_ANY, re.sub(_APART, "", text))
    return "" if found is None else "-".join(map(_without_commas, re.split(_TO, found[0])))


def _without_commas(number: str) -> str:
    number = number.rstrip(",")
    return number.replace(",", "") if re.fullmatch(_COMMAS_APART, number) else number
