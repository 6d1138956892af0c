"""Convert rates and quantities to credits.

All rounding of amounts is done in this module (decisions 2, 6, 7 and 54).
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation, Overflow
from typing import Final

#: The precision suffices for the product of the longest accepted number and a rate, so a product is exact until it is
#: rounded.
EXACT: Final = Context(prec=1000, rounding=ROUND_HALF_EVEN, traps=[InvalidOperation, Overflow])
#: The smallest amount of credits.
_MICRO: Final = Decimal("0.000001")
ZERO: Final = Decimal("0.000000")
#: The maximum effect of rounding to six places.
SIX_PLACES: Final = Decimal("0.0000005")

#: Characters per token, unless the rate card has its own number (E 2.2).
CHARS_PER_TOKEN: Final = 4
_PER_THOUSAND: Final = Decimal("0.001")
_TOKENS_PER_CHAR: Final = Decimal("0.25")  # E 2.2

#: Significant digits of a number in a sentence.
_SPOKEN: Final = 4

#: Minimum and maximum milliseconds.
Span = tuple[int, int]
_NONE: Final = (0, 0)


def tokens_in(chars: int | Decimal) -> Decimal:
    """Convert a text length in characters to tokens. The result is not rounded to whole tokens."""
    return EXACT.multiply(chars, _TOKENS_PER_CHAR)


def for_tokens(rate: Decimal, tokens: int | Decimal) -> Decimal:
    """Return the credits for a number of tokens. The rate is per thousand tokens."""
    return rounded(EXACT.multiply(EXACT.multiply(rate, tokens), _PER_THOUSAND))


def for_seconds(rate: Decimal, seconds: int | Decimal) -> Decimal:
    """Return the credits for a number of seconds. The rate is per second."""
    return rounded(EXACT.multiply(rate, seconds))


def rounded(amount: Decimal) -> Decimal:
    """Return ``amount`` rounded to six decimal places (half to even)."""
    return amount.quantize(_MICRO, context=EXACT)


def end_to_end(model: Span | None, hearing: Span | None, speaking: Span | None, face: Span | None) -> Span:
    """Return the minimum and maximum end-to-end latency of an interaction (decision 7).

    The latency is the sum of three parts: the latency of speech input, the latency of the model, and the latency of
    speech output or animation, whichever is longer. Pass None for a component without a latency. With a realtime model,
    ``hearing`` and ``speaking`` must be None.
    """
    thinks, hears, speaks, moves = model or _NONE, hearing or _NONE, speaking or _NONE, face or _NONE
    return hears[0] + thinks[0] + max(speaks[0], moves[0]), hears[1] + thinks[1] + max(speaks[1], moves[1])


def spoken(number: int | Decimal) -> str:
    """Format a number for use in a sentence, with spaces as thousands separators.

    The result has four significant digits, or more if the integer part has more digits.
    """
    number = Decimal(number)
    decimals = min(max(0, _SPOKEN - 1 - number.adjusted()), 3 * _SPOKEN) if number else 0
    text = f"{number.quantize(Decimal(1).scaleb(-decimals), context=EXACT):,f}".replace(",", " ")
    return text.rstrip("0").rstrip(".") if "." in text else text
