"""Names for the parts of a file: made of what people call them, one for each, and the same every time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from chartui.core.paths import file_stem

__all__ = ["is_slug", "slugs"]

_SLUG: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")


def is_slug(text: str) -> bool:
    """Whether a person may name a part of a file so: letters, digits, ``_`` and ``-``, as TOML takes them unquoted."""
    return _SLUG.fullmatch(text) is not None


def slugs(
    named: Iterable[tuple[str, str | None]],
    *,
    kept: Mapping[str, str] | None = None,
    avoiding: Iterable[str] = (),
    otherwise: str,
) -> dict[str, str]:
    """The slug of each of ``named``, pairs of an id and a name, by id.

    Those that ``kept`` has stay, and those ``avoiding`` belong to something else; of names that make the same slug, the
    later ones are numbered. ``otherwise`` stands in for a name of which no letter is left.
    """
    found = dict(kept or {})
    taken = {*found.values(), *avoiding}
    numbers: dict[str, int] = {}
    for item_id, name in named:
        if item_id in found:
            continue
        stem = file_stem(name or "", otherwise=otherwise)
        slug, number = stem, numbers.get(stem, 1)
        while slug in taken:
            number += 1
            slug = f"{stem}-{number}"
        numbers[stem] = number
        taken.add(slug)
        found[item_id] = slug
    return found
