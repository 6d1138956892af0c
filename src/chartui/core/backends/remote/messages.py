"""Data types for HTTP requests and responses, independent of the HTTP library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from chartui.core.classes import dataclass
from chartui.core.jsontext import Wire, dumps, unsayable
from chartui.core.profiles import Profile
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import MIB, Effect, Encoding, Operation, encode_all


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An HTTP request, without its API key."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The limits for a response.

    ``cap`` is the maximum size in bytes after decompression. ``compressed`` says whether the response may be
    compressed. ``advice`` is the last sentence of the error message for a response that is too large.
    """

    cap: int
    compressed: bool = False
    advice: str = ", the size limit for responses of this kind."

    @classmethod
    def of(cls, row: Operation, profile: Profile) -> Terms:
        """Return the limits for a response to the operation ``row``.

        For large responses, the limits come from the profile (decision 66).
        """
        if row.answer_cap is not None:
            return cls(cap=row.answer_cap)
        cap = profile.answer_limit_mib * MIB
        current = f"currently {profile.answer_limit_mib}"
        if row.name == "list-characters":
            characters = cap // 3000  # generated accounts: 10 000 records take 29.6 MB
            rounded = round(characters, 2 - len(str(characters)))
            current += f", enough for about {f'{rounded:,}'.replace(',', ' ')} character records of 3 kB"
        return cls(cap=cap, compressed=True, advice=f". Raise answer_limit_mib in the profile ({current}).")


def build_request(row: Operation, payload: Mapping[str, Wire], base_url: str) -> Request:
    """Build the request for the operation ``row``, without an API key.

    Raises :class:`ServiceError` (kind ``invalid``) if the operation's encoding cannot express the payload.
    """
    url = f"{base_url}{row.path}"
    if row.effect is Effect.WRITE and unsayable(payload):
        message = "The request contains a number that JSON cannot represent (NaN or too large). Nothing was sent."
        raise ServiceError(ErrorKind.INVALID, message, sent="no")
    try:
        match row.encoding:
            case Encoding.NONE:
                # Omitting the member without an error would make the caller believe that the answer takes it into
                # account.
                for member in payload:
                    message = f"Unknown field '{member}'. Valid fields: none."
                    raise ServiceError(ErrorKind.INVALID, message, member=member, sent="no")
                return Request(method=row.method, url=url)
            case Encoding.QUERY:
                query = _pairs(row, payload)
                return Request(method=row.method, url=f"{url}?{query}" if query else url)
            case Encoding.FORM:
                return _with_body(row, url, "application/x-www-form-urlencoded", _pairs(row, payload))
            case Encoding.JSON:
                return _with_body(row, url, "application/json", dumps(payload))
    except UnicodeEncodeError:
        reason = "the text contains an unpaired surrogate"
    except (ValueError, TypeError) as error:
        reason = str(error)
    raise ServiceError(ErrorKind.INVALID, f"The request cannot be written: {reason}.", sent="no")


def _pairs(row: Operation, payload: Mapping[str, Wire]) -> str:
    from urllib.parse import urlencode

    return urlencode(encode_all(row.codecs, payload))


def _with_body(row: Operation, url: str, kind: str, text: str) -> Request:
    return Request(method=row.method, url=url, headers={"Content-Type": kind}, body=text.encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An HTTP response, with lowercase header names and a decompressed body.

    ``from_host`` is the host that sent the response, for use in messages. ``received`` is the number of bytes
    transferred for the body.
    """

    from_host: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    received: int

    @property
    def is_html(self) -> bool:
        """Whether the response is a web page.

        If it is, a proxy or gateway may have sent it, or the address may be wrong.
        """
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        return kind in ("text/html", "application/xhtml+xml") or self.body.lstrip()[:14].lower().startswith(
            (b"<!doctype html", b"<html")
        )
