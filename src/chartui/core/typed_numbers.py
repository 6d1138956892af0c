"""Numbers as people type and paste them: a point before the fraction, whatever the locale, and no character is lost."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?")
#: Spaces that separate thousands, as numbers are shown here and elsewhere.
_APART: Final = re.compile(r"(?<=[0-9])[ \u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))")
_COMMAS_APART: Final = re.compile(r"[+-]?[0-9]{1,3}(?:(?:,[0-9]{3})+\.[0-9]*|(?:,[0-9]{3}){2,})")
_ANY: Final = re.compile(r"[+-]?[0-9.,]*[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?")


def typed_number(text: str) -> Decimal:
    """The number that ``text`` says; spaces may separate its thousands.

    Raises ``ValueError``, with a sentence without its full stop, for anything else. A comma is refused: people write it
    before the fraction as well as between thousands.
    """
    number = _APART.sub("", text.strip())
    if _NUMBER.fullmatch(number):
        return Decimal(number)
    cure = "; use a decimal point, not a comma" if "," in number else ""
    raise ValueError(f"{text} is not a number{cure}")


def number_in(text: str) -> str:
    """The first number in a pasted text, as it stands there; empty when there is none.

    Separators between thousands are left out where they can be nothing else; what remains in doubt is kept, and
    refused by :func:`typed_number`.
    """
    found = _ANY.search(_APART.sub("", text))
    if found is None:
        return ""
    number = found[0].rstrip(",")
    return number.replace(",", "") if _COMMAS_APART.fullmatch(number) else number
