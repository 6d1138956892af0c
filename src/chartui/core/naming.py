"""Find an item by its name, its ID or the start of its ID, and suggest the most similar name if nothing matches."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final

from chartui.core.classes import NamedTuple

#: The minimum length of an abbreviated ID.
PREFIX: Final = 8
#: The maximum number of items listed in one message.
LISTED: Final = 10
#: The maximum number of items suggested in place of an unknown name.
SUGGESTED: Final = 5
#: The minimum length of an abbreviated name.
ABBREVIATED: Final = 3
#: The signs that make a text a pattern.
_PATTERN: Final = frozenset("*?[")
#: The form of IDs assigned by services (:func:`chartui.core.clock.random_ids`).
_WHOLE_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Item(NamedTuple):
    """An item that can be found by name or ID. ``name`` is empty if the item has none."""

    id: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.name} (ID {self.id})" if self.name and self.name != self.id else self.id


class BadName(ValueError):
    """Raised if a name cannot be used. The message is a sentence."""


class UnknownName(BadName):
    """Raised if no item has the given name."""


class AmbiguousName(BadName):
    """Raised if several items match the given name."""


class PartOfId(BadName):
    """Raised if only the start of an ID is given where a whole ID or name is required."""


def is_whole_id(text: str) -> bool:
    return _WHOLE_ID.fullmatch(text) is not None


def folded(name: str) -> str:
    """Return a name normalized for comparison, so that case, Unicode form and spacing do not matter."""
    if name.isascii():
        return " ".join(name.lower().split())
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def find(kind: str, given: str, items: Iterable[Item], *, whole: bool = False, name_prefix: bool = False) -> Item:
    """Return the item whose ID or name is ``given`` or, failing that, the only one whose ID starts with ``given``.

    A name that matches exactly takes precedence over one that differs in case or Unicode form. If ``name_prefix`` is
    set, the start of a name is accepted too, however short. If ``whole`` is set, the start of an ID is not accepted.
    Raises :class:`UnknownName`, :class:`AmbiguousName` or :class:`PartOfId`.
    """
    by_id: dict[str, Item] = {}
    for item in items:
        by_id.setdefault(item.id, item)
    if given in by_id:
        return by_id[given]
    wanted = folded(given)
    ways: list[Callable[[Item], bool]] = [
        lambda item: bool(wanted) and item.name == given,
        lambda item: bool(wanted) and wanted in (folded(item.name), folded(item.id)),
    ]
    if name_prefix and wanted:
        ways.append(lambda item: folded(item.id).startswith(wanted) or folded(item.name).startswith(wanted))
    elif len(given) >= PREFIX:
        ways.append(lambda item: item.id.startswith(given))
    for number, fits in enumerate(ways):
        found = [item for item in by_id.values() if fits(item)]
        if len(found) > 1:
            how = "an ID" if any(item.name for item in found) else "the exact name"
            raise AmbiguousName(f"Several {kind}s match “{given}”: {_first([str(item) for item in found])}. Use {how}.")
        if found and whole and number == 2:
            raise PartOfId(
                f"“{given}” is only the start of {found[0]}. Without confirmation, a change needs the full ID or name."
            )
        if found:
            return found[0]
    raise UnknownName(_missing(kind, given, by_id))


def matching(pattern: str, items: Iterable[Item]) -> list[Item] | None:
    """Return the items whose name or ID matches a pattern with ``*``, ``?`` or ``[…]``.

    Case, Unicode form and spacing do not matter. The result is None if the text is not a pattern, or if it is the name
    of an item.
    """
    items, wanted = tuple(items), folded(pattern)
    if not _PATTERN.intersection(pattern) or any(item.name == pattern for item in items):
        return None
    return [one for one in items if any(fnmatchcase(folded(text), wanted) for text in (one.name, one.id))]


def unknown(
    kind: str, name: str, known: Iterable[str], *, place: str = "", listed: bool = True, others: Iterable[str] = ()
) -> str:
    """Return a message saying that a name is unknown and suggesting the most similar known names.

    The wording is the same throughout the program. ``place`` is a phrase shown after the name, such as “for --sort”.
    Names in ``others`` can also be suggested. If there is no suggestion and ``listed`` is set, the message lists the
    known names.
    """
    known = tuple(known)
    suggested = [*(f"“{near}”" for near in all_nearest(name, known)[:SUGGESTED]), *others]
    before = f"{', '.join(suggested[:-1])} or " if len(suggested) > 1 else ""
    hint = (
        f" Did you mean {before}{suggested[-1]}?"
        if suggested
        else f" Known: {_first(known)}."
        if known and listed
        else ""
    )
    return f"Unknown {kind} “{name}”{f' {place}' if place else ''}.{hint}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    return next(iter(all_nearest(name, known)), None)


def all_nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that contain the words of ``name`` or, failing that, the most similar known name."""
    from difflib import get_close_matches  # only for a mistake

    by_folded: dict[str, str] = {}
    for one in known:
        by_folded.setdefault(folded(one), one)
    typed = folded(name)
    # An abbreviation is nearer than a similar word, and the start of a name nearer than the start of its other words.
    near = [whole for whole in by_folded if len(typed) >= ABBREVIATED and f" {typed}" in f" {whole}"]
    near = sorted(near, key=lambda whole: not whole.startswith(typed)) or get_close_matches(typed, by_folded, n=1)
    if not near:
        # A first name or a family name may be all that was typed.
        words = {word for whole in by_folded if " " in whole for word in whole.split()}
        similar = get_close_matches(typed, sorted(words), n=1, cutoff=0.7)
        near = [whole for whole in by_folded if similar and similar[0] in whole.split()]
    return [by_folded[whole] for whole in near]


def _missing(kind: str, given: str, by_id: dict[str, Item]) -> str:
    if is_whole_id(given):
        return f"No {kind} has the ID “{given}”."
    near = all_nearest(given, (item.name or item.id for item in by_id.values()))
    found = [str(item) for name in near for item in by_id.values() if folded(item.name or item.id) == folded(name)]
    suggestion = f"{', '.join(found[:-1])} or {found[-1]}" if 1 < len(found) <= SUGGESTED else _first(found, SUGGESTED)
    return f"No {kind} named “{given}”." + (f" Did you mean {suggestion}?" if found else "")


def _first(names: Sequence[str], most: int = LISTED) -> str:
    """Return the names, ``most`` at most.

    If only one more name follows, it is shown as well, since its number would take just as much space.
    """
    listed = names if len(names) == most + 1 else names[:most]
    more = f" and {len(names) - len(listed)} more" if len(names) > len(listed) else ""
    return f"{', '.join(listed)}{more}"
