"""Answers kept for a while, as the service allows (decision 12)."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from chartui.core.clock import Monotonic
from chartui.core.jsontext import Wire
from chartui.core.spec.elements import Decoded

__all__ = ["AnswerCache", "Kept"]

MAX_ENTRIES: Final = 256
MAX_BYTES: Final = 16 * 1024 * 1024
_DIRECTIVE: Final = re.compile(r"([a-z-]+)(?:\s*=\s*\"?([^\",]*)\"?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One answer, as it came and as it was read: ``fresh_until`` on the monotonic clock, ``size`` in bytes received."""

    body: Wire
    decoded: Decoded
    headers: Mapping[str, str]
    size: int
    fresh_until: float

    @property
    def etag(self) -> str | None:
        """What the service can be asked whether it still holds."""
        return self.headers.get("etag")


class AnswerCache:
    """The most recently used answers by address, bounded in number and bytes."""

    def __init__(self, ticks: Monotonic) -> None:
        self._ticks = ticks
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._size = 0

    def find(self, url: str) -> Kept | None:
        """What is kept for ``url``, fresh or not."""
        kept = self._kept.get(url)
        if kept is not None:
            self._kept.move_to_end(url)
        return kept

    def is_fresh(self, kept: Kept) -> bool:
        """Whether the service need not be asked."""
        return self._ticks() < kept.fresh_until

    def keep(self, url: str, body: Wire, decoded: Decoded, headers: Mapping[str, str], size: int) -> None:
        """Keep an answer if its headers allow it, in place of an older one."""
        self._drop(url)
        lifetime = _lifetime(headers)
        if lifetime is None or size > MAX_BYTES:
            return
        self._kept[url] = Kept(
            body=body, decoded=decoded, headers=headers, size=size, fresh_until=self._ticks() + lifetime
        )
        self._size += size
        while self._size > MAX_BYTES or len(self._kept) > MAX_ENTRIES:
            self._drop(next(iter(self._kept)))

    def confirm(self, url: str, kept: Kept, headers: Mapping[str, str]) -> None:
        """The service said that ``kept`` still holds; its new headers say for how long."""
        merged = {**kept.headers, **headers}
        if self._kept.get(url) is kept:
            self._kept[url] = replace(kept, headers=merged, fresh_until=self._ticks() + (_lifetime(merged) or 0.0))

    def _drop(self, url: str) -> None:
        dropped = self._kept.pop(url, None)
        if dropped is not None:
            self._size -= dropped.size


def _lifetime(headers: Mapping[str, str]) -> float | None:
    """Seconds an answer may be used without asking; None when it must not be kept, or keeping it would not help."""
    directives = dict(_DIRECTIVE.findall(headers.get("cache-control", "").lower()))
    if "no-store" in directives:
        return None
    age = directives.get("max-age", "")
    lifetime = float(age) if re.fullmatch(r"[0-9]{1,9}", age) and "no-cache" not in directives else 0.0
    spent = headers.get("age", "")
    lifetime -= float(spent) if re.fullmatch(r"[0-9]{1,9}", spent) else 0.0
    if lifetime <= 0:
        return 0.0 if "etag" in headers else None
    return lifetime
