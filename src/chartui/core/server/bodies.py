"""Read the payload of an operation from a request's body or query (decisions 11, 42 and 52 to 54).

The size of a body and the time to receive it are limited. JSON is decoded to its wire form, while query and form values
stay strings. Fields are validated by the backend, not here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import parse_qsl

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File, FormParser, parse_options_header

from chartui.core.jsontext import GivenTwice, NotJson, Wire, loads
from chartui.core.server.http import ClientDisconnect, Headers, Receive, Refusal
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Encoding, Operation

_URLENCODED: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
#: The media types of a form (decision 42).
FORM_TYPES: Final = (_URLENCODED, _MULTIPART)
_MAX_MEMBERS: Final = 64
#: The byte order mark that some programs write before UTF-8 text.
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class Body:
    """The body of a request. Parts of the body may not have arrived yet."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._more = True

    async def read(self, headers: Headers, *, limit: int, seconds: float) -> bytes:
        """Read the whole body.

        Raises :class:`Refusal` if the body is longer than ``limit`` bytes (status 413) or takes more than ``seconds``
        to arrive (status 408). Raises ``ClientDisconnect`` if the client disconnects.
        """
        declared = headers.get("content-length", "0")
        if not (declared.isascii() and declared.isdigit()):
            raise Refusal(400, "Content-Length must be a whole number.", close=True)
        # A number of more than 18 digits exceeds any limit, and int() may reject very long numbers.
        if len(declared) > 18 or int(declared) > limit:
            raise _too_large(limit)
        received = bytearray()
        try:
            async with asyncio.timeout(seconds):
                while self._more:
                    received += await self._next()
                    if len(received) > limit:
                        raise _too_large(limit)
        except TimeoutError:
            raise Refusal(408, f"The request was not complete within {seconds:g} seconds.", close=True) from None
        return bytes(received)

    async def drain(self, *, limit: int, seconds: float) -> None:
        """Discard the rest of the body, up to ``limit`` bytes, for up to ``seconds``.

        If the connection were closed while the client was still sending, it would be reset, and the client would never
        see the response.
        """
        thrown_away = 0
        try:
            async with asyncio.timeout(seconds):
                while self._more and thrown_away < limit:
                    thrown_away += len(await self._next())
        except (TimeoutError, ClientDisconnect):
            return

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._more = False
            raise ClientDisconnect
        self._more = message.get("more_body", False)
        chunk: bytes = message.get("body", b"")
        return chunk


def _too_large(limit: int) -> Refusal:
    return Refusal(413, f"The body is larger than {limit} bytes.", close=True)


def _invalid(message: str) -> ServiceError:
    return ServiceError(ErrorKind.INVALID, message)


def _given_twice(member: str, carrier: str) -> ServiceError:
    message = f"'{member}' is given more than once in the {carrier}."
    return ServiceError(ErrorKind.INVALID, message, member=member)


def read_payload(row: Operation, headers: Headers, query: bytes, body: bytes) -> Mapping[str, Wire]:
    """Return the payload of a request.

    ``row`` describes the operation. Raises :class:`ServiceError` (kind ``invalid``) if the payload cannot be read.
    """
    if row.method == "GET":
        return _read_pairs(query, "query")
    if query:
        raise _invalid("This operation takes no query parameters. Send all values in the body.")
    if row.encoding is Encoding.FORM:
        return _read_form(headers.get("content-type", ""), body)
    return _read_json(body)


def _read_json(body: bytes) -> Mapping[str, Wire]:
    body = body.removeprefix(_BYTE_ORDER_MARK)
    if not body:
        return {}
    try:
        value = loads(body, unique=True)
    except GivenTwice as error:
        raise _given_twice(error.member, "body") from None
    except NotJson as error:
        raise _invalid(f"The body must be JSON: {error}.") from None
    if not isinstance(value, dict):
        raise _invalid("The body must be a JSON object.")
    return value


def _read_pairs(data: bytes, carrier: str) -> dict[str, str]:
    """Return the percent-encoded names and values. Each name may occur only once."""
    try:
        pairs = parse_qsl(data.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_MEMBERS)
    except UnicodeDecodeError:
        raise _invalid(f"The {carrier} is not UTF-8.") from None
    except ValueError:
        raise _invalid(f"The {carrier} has more than {_MAX_MEMBERS} fields.") from None
    return _unique(pairs, carrier)


def _unique(pairs: Iterable[tuple[str, str]], carrier: str) -> dict[str, str]:
    members: dict[str, str] = {}
    for name, value in pairs:
        if name in members:
            raise _given_twice(name, carrier)
        members[name] = value
    return members


def _read_form(content_type: str, body: bytes) -> dict[str, str]:
    name, options = parse_options_header(content_type)
    kind = name.decode("latin-1")
    if kind == _URLENCODED:
        return _read_pairs(body, "form")
    if kind == _MULTIPART:
        return _unique(_read_parts(options.get(b"boundary", b""), body), "form")
    if not body:
        return {}
    raise _invalid(f"This operation takes only form fields ({' or '.join(FORM_TYPES)}).")


def _read_parts(boundary: bytes, body: bytes) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    ended: list[bool] = []

    def on_field(field: Field) -> None:
        if len(parts) == _MAX_MEMBERS:
            raise _invalid(f"The form has more than {_MAX_MEMBERS} fields.")
        parts.append(((field.field_name or b"").decode(), (field.value or b"").decode()))

    def on_file(file: File) -> None:
        file.close()
        raise _invalid("Files are not accepted. Send the text itself.")

    if not boundary:
        raise _invalid("The multipart form has no boundary.")
    parser = FormParser(_MULTIPART, on_field, on_file, lambda: ended.append(True), boundary=boundary)
    try:
        parser.write(body)
        parser.finalize()
    except UnicodeDecodeError:
        raise _invalid("The form is not UTF-8.") from None
    except FormParserError:
        raise _invalid("The multipart form is not well formed.") from None
    if not ended:
        raise _invalid("The multipart form is truncated.")
    return parts
