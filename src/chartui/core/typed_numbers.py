"""Parse typed and pasted numbers with a decimal point, whatever the locale, and without losing a digit."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?")
#: Spaces that separate thousands, in this program and in others.
_APART: Final = re.compile(r"(?<=[0-9])[ \u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))")
_COMMAS_APART: Final = re.compile(r"[+-]?[0-9]{1,3}(?:(?:,[0-9]{3})+\.[0-9]*|(?:,[0-9]{3}){2,})")
_MILLISECONDS: Final = re.compile(r"(?<=[0-9. ])ms$", re.IGNORECASE)
_SECONDS: Final = re.compile(r"(?<=[0-9. ])s$", re.IGNORECASE)
_ANY: Final = re.compile(r"[+-]?[0-9.,]*[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?")


def typed_number(text: str) -> Decimal:
    """Return the number in ``text``. Spaces may separate thousands.

    Raises ``ValueError`` for anything else; its message is a sentence without a full stop. A comma is refused, because
    it could be a decimal separator or a thousands separator.
    """
    number = _APART.sub("", text.strip())
    if _NUMBER.fullmatch(number):
        return Decimal(number)
    cure = "; use a decimal point, not a comma" if "," in number else ""
    raise ValueError(f"{text} is not a number{cure}")


def typed_milliseconds(text: str) -> int:
    """Return the milliseconds in ``1200``, ``1 200 ms`` or ``1.2 s``. Raises the same error as :func:`typed_number`."""
    number, seconds = _SECONDS.subn("", text.strip())
    amount = typed_number(_MILLISECONDS.sub("", number)) * (1000 if seconds else 1)
    if amount < 0 or amount != amount.to_integral_value():
        cure = f"; for seconds, write {text.strip()} s" if amount > 0 and not text.strip()[-1].isalpha() else ""
        raise ValueError(f"{text} is not a whole number of milliseconds{cure}")
    return int(amount)


def number_in(text: str) -> str:
    """Return the first number in a pasted text as written, or an empty string if there is none.

    Unambiguous thousands separators are removed. Ambiguous separators are kept and later refused by
    :func:`typed_number`.
    """
    found = _ANY.search(_APART.sub("", text))
    if found is None:
        return ""
    number = found[0].rstrip(",")
    return number.replace(",", "") if _COMMAS_APART.fullmatch(number) else number
