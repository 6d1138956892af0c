"""Refusals as answers: every error that leaves the server is made here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chartui.core.jsontext import Wire, dumps
from chartui.core.server.asgi import Response
from chartui.core.spec.errors import ErrorShape
from chartui.core.spec.operations import ESTIMATION_PREFIX

__all__ = ["INTERNAL_ERROR", "STORE_ERROR", "Refusal", "error_answer", "json_answer", "shape_for"]

#: All that a caller learns about a failure of the server itself (decision 51).
INTERNAL_ERROR: Final = "internal error"
#: The same where the store is at fault: it may be damaged or in use, or its file was removed or replaced.
STORE_ERROR: Final = "the store of this server cannot be used; its log says why"


class Refusal(Exception):
    """A request that no operation sees: wrong host, path, method, size or framing (decision 50).

    ``close`` ends the connection after the answer, where what follows on it cannot be trusted to be a request.
    """

    def __init__(
        self, status: int, message: str, *, headers: Mapping[str, str] | None = None, close: bool = False
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = {**(headers or {}), **({"connection": "close"} if close else {})}


def shape_for(path: str) -> ErrorShape:
    """How a refusal is written where no row says it: by the part of the service that was addressed (decision 50)."""
    estimation = path == ESTIMATION_PREFIX or path.startswith(f"{ESTIMATION_PREFIX}/")
    return ErrorShape.LOWER if estimation else ErrorShape.UPPER


def json_answer(body: Wire, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """``body`` in wire form as an answer."""
    return Response(dumps(body).encode(), status, headers, media_type="application/json")


def error_answer(status: int, shape: ErrorShape, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """``message`` in the given shape."""
    if shape is ErrorShape.TEXT:
        return Response(
            message.encode("utf-8", "backslashreplace"), status, headers, media_type="text/plain; charset=utf-8"
        )
    return json_answer({shape.value: message}, status, headers)
