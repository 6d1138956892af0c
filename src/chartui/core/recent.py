"""Remember which entries of a list were chosen most recently.

Among equally good matches, these entries come first. The palette stores its choices in a small private file on this
machine. A missing or damaged file counts as empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from chartui.core.file_lock import rewrite
from chartui.core.jsontext import dumps, loads

#: The maximum number of remembered entries.
MOST: Final = 50


def recent_path(folder: Path) -> Path:
    return folder / "recent.json"


def read_recent(path: Path) -> tuple[str, ...]:
    """Return the keys of the chosen entries, most recent choice first."""
    try:
        found = loads(path.read_bytes()[: 1024 * MOST])
    except (OSError, ValueError):
        return ()
    return tuple(key for key in found if isinstance(key, str))[:MOST] if isinstance(found, list) else ()


def with_chosen(recent: Sequence[str], key: str) -> tuple[str, ...]:
    """Return a copy of ``recent`` with ``key`` moved or added to the front."""
    return (key, *(other for other in recent if other != key))[:MOST]


def keep_chosen(path: Path, key: str) -> None:
    """Store ``key`` in the file as the most recent choice. Raises ``OSError`` if the file cannot be written."""
    rewrite(path, lambda: dumps(list(with_chosen(read_recent(path), key))).encode())
