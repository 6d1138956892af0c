"""What is sent and what comes back, without the client library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Reply", "Request"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent, but for the key."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer as received: headers in lower case; ``from_host`` is who sent it, for people."""

    from_host: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_html(self) -> bool:
        """A page for a browser: a proxy's, a gateway's, or the wrong address altogether."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        return kind in ("text/html", "application/xhtml+xml") or self.body.lstrip()[:14].lower().startswith(
            (b"<!doctype html", b"<html")
        )
