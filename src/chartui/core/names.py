"""Compare names that are easily confused, and add numbers to names that occur several times (decisions 40 and 65)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Mapping
from typing import Final

from chartui.core.naming import nearest

#: Maximum number of names to list. From a longer list, only the most similar names are shown.
_ALL_LISTED: Final = 8
_NEAREST: Final = 5
#: A sentence that quotes an invalid name and lists valid ones.
_VALID_ONES: Final = re.compile(
    r"(?P<start>.*?'(?P<name>[^']{0,80})'.*?\. Valid (?P<kind>values|models): )(?P<names>[^ ]+(?:, [^ ,]+)*)\.?",
    re.DOTALL,
)
#: The kind of names that the sentence lists → the command that lists all of them.
_LISTED_BY: Final[Mapping[str, str]] = {"values": "chartui options", "models": "chartui characters models"}
_PASSED_OVER: Final = re.compile(r"[\W_]+")
#: The same for names in plain ASCII, which most names are. It is fast, because tens of thousands of names may be
#: compared at once.
_PLAIN: Final = {code: None for code in range(128) if not chr(code).isalnum()}


def alike(name: str, other: str) -> bool:
    """Return whether two names are the same apart from case, spaces, punctuation and accents."""
    return bare(name) == bare(other)


def bare(name: str) -> str:
    """Return a name in a normalized form for comparison.

    The result is in lower case, without spaces or punctuation. Letter variants, such as accented letters, are reduced
    to the base letter.
    """
    if name.isascii():
        folded = name.lower()
        return folded.translate(_PLAIN) or folded
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    # A name that consists only of punctuation is kept.
    return _PASSED_OVER.sub("", folded) or folded


def shortened(sentence: str) -> str:
    """Shorten an error message that lists valid values.

    The shortened message names only the most similar values, and says where to find the full list (decision 9).
    """
    found = _VALID_ONES.fullmatch(sentence)
    names = found["names"].split(", ") if found is not None else []
    if found is None or len(names) <= _ALL_LISTED:
        return sentence
    from difflib import get_close_matches  # only for a mistake

    all_of_them = _LISTED_BY[found["kind"]]
    if nearest(found["name"], names) is None:  # the listed names would have nothing to do with the given one
        return f"{found['start']}'{all_of_them}' lists all {len(names)}."
    near = get_close_matches(found["name"], names, n=_NEAREST, cutoff=0.0)
    return f"{found['start']}{', '.join(near)}, and {len(names) - len(near)} more (see '{all_of_them}')"


def numbered(name: str, taken: Container[str | None]) -> str:
    """Return ``name``, or the name with the lowest unused number added if the name is taken."""
    number, one = 1, name
    while one in taken:
        number += 1
        one = f"{name} ({number})"
    return one
