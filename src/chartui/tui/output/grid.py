"""What a picture is made of: rows of signs, and the look of each cell."""

from __future__ import annotations

from typing import Final

from chartui.core.classes import NamedTuple

#: A row: the sign of each cell, and the number of its look as a character. Both are equally long.
Row = tuple[str, str]
#: The sign in the second half of a wide one.
TAIL: Final = "\0"
#: Code points from here on stand for signs of several characters. The framework shows no characters of this plane.
COMPOUND: Final = 0x100000
#: The attributes that a space shows too: underline, blink, reverse, strike and the lines around a sign.
SEEN_ON_SPACES: Final = 0b1_1111_0111_1000


class Look(NamedTuple):
    """How a cell looks: its attributes as bits, bold first, its colors as codes of SGR, and the target of its link.

    A space without such attributes has no foreground, since it looks the same in any.
    """

    attributes: int
    foreground: str | None
    background: str
    link: str = ""


PLAIN: Final = Look(0, "39", "49")
