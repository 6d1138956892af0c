"""Key files that were stored for profiles, and are no longer used by them.

A key is stored under its profile's name, but any profile may name the file as its source. So a stored key goes when its
profile is removed or takes its key from elsewhere, unless another profile still uses the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from chartui.core.credentials import KeySource, SourceKind, key_path

__all__ = ["LeftKey", "left_keys"]


class Keyed(Protocol):
    """A profile, as far as its key is concerned (:class:`chartui.core.profiles.Profile`)."""

    @property
    def key(self) -> KeySource | None: ...


class LeftKey(NamedTuple):
    """The key file at ``path`` that its profile does not use any more; ``used_by`` names the profiles that do."""

    path: Path
    used_by: tuple[str, ...]

    def remove(self) -> None:
        """Remove the file unless another profile uses it; raises ``OSError``."""
        if not self.used_by:
            self.path.unlink(missing_ok=True)

    def describe(self, *, dry_run: bool = False) -> str:
        """What happens to the file, as a sentence without its full stop."""
        if self.used_by:
            users = ", ".join(f"'{name}'" for name in self.used_by)
            return f"the stored key {self.path} is kept: used by profile {users}"
        return f"the stored key {self.path} {'would be' if dry_run else 'was'} removed"


def left_keys(before: Mapping[str, Keyed], after: Mapping[str, Keyed]) -> tuple[LeftKey, ...]:
    """The key files that profiles leave behind between two states of them, by name.

    That is when a profile is removed or takes its key from elsewhere; a file that it left behind earlier is found then.
    """
    found = []
    for name, profile in before.items():
        path = key_path(name)
        now = after.get(name)
        if (now is not None and now.key == profile.key) or not path.is_file():
            continue
        users = tuple(other for other, user in after.items() if _uses(user, path))
        if name not in users:
            found.append(LeftKey(path, users))
    return tuple(found)


def _uses(profile: Keyed, path: Path) -> bool:
    source = profile.key
    if source is None:
        return False
    if source.kind is SourceKind.COMMAND:  # such as "cat" and the file, or a script for a shell that names it
        return any(str(path) in word for word in source.argument)
    return source.kind is SourceKind.FILE and Path(source.argument[0]).resolve() == path.resolve()
