"""Exchange requests and responses over HTTP. Only this module imports httpx, which makes the library easy to replace.

The module adds safeguards that httpx lacks. The API key is sent in only one header, and never to a proxy or another
host. Redirects are not followed, and cookies and settings from the environment are not used. Responses are read only up
to their size limit, and gzip is the only accepted compression. Every error message is a sentence.
"""

from __future__ import annotations

import socket
import ssl
import sys
from collections.abc import Awaitable, Callable, Generator, Iterator
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final

from chartui import __version__
from chartui.core.backends.remote.arrival import ENCODINGS, RESTARTED, Arrival, Damaged, TooLarge, Trickle, collect
from chartui.core.backends.remote.messages import Reply, Request, Terms
from chartui.core.backends.remote.replies import TryAgain
from chartui.core.credentials import Key
from chartui.core.files import check_safe
from chartui.core.profiles import Profile
from chartui.core.spec.errors import ErrorKind, Sent, ServiceError
from chartui.core.spec.operation import Reader
from chartui.core.text import single_line

if "httpx" not in sys.modules:
    # The command line of the library is not needed. Importing it would take 150 ms if a terminal library is installed.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    import httpx

    del sys.modules["httpx._main"]
else:
    import httpx

#: The transport for requests. Tests replace it with their own service.
Transport = httpx.AsyncBaseTransport

#: The maximum number of bytes read of an error body.
ERROR_CAP: Final = 64 * 1024


class HttpClient:
    """Exchanges requests and responses with one service over persistent connections.

    Use an instance from one event loop only. ``transport`` replaces the network in tests.
    """

    def __init__(self, profile: Profile, transport: Transport | None = None) -> None:
        self._profile = profile
        self._host = profile.host or ""
        self._client = _client(profile, transport)

    async def send(
        self, request: Request, *, key: Key | None, terms: Terms, arrival: Arrival, reader: Reader | None = None
    ) -> Reply:
        """Send a request and return the response, regardless of its status.

        ``terms`` contains the limits for the response. ``arrival`` counts the bytes, and ``reader`` parses the body of
        a successful response. Raises :class:`TryAgain` for temporary failures and :class:`ServiceError` for all other
        failures.
        """
        failure: TryAgain | ServiceError
        arrival.expect()
        try:
            return await self._exchange(request, key, terms, arrival, reader)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            failure = _explain(error, self._host, self._profile)
        except Trickle as slow:
            failure = ServiceError(
                ErrorKind.TIMEOUT,
                f"{self._host} sent only {slow.size} bytes in {slow.seconds:.3g} s, "
                "which is too slow for read_timeout in the profile. Try again later.",
                sent="unclear",
            )
        except Damaged as error:
            message = f"{self._host} sent a compressed response that cannot be decompressed: {error}."
            failure = (
                _passing(ErrorKind.UNEXPECTED, message) if error.cut else ServiceError(ErrorKind.UNEXPECTED, message)
            )
        if isinstance(failure, TryAgain) and arrival.size > RESTARTED:
            failure = failure.error
            failure.message += f" {_size(arrival.size)} had already arrived, so the request was not repeated."
        # The error is raised outside the handler, because a chained exception would hold the stack frames of the
        # library, which contain the header.
        raise failure

    async def _exchange(
        self, request: Request, key: Key | None, terms: Terms, arrival: Arrival, reader: Reader | None
    ) -> Reply:
        sent = self._client.stream(
            request.method,
            request.url,
            content=request.body,
            headers={**request.headers, "Accept-Encoding": "gzip" if terms.compressed else "identity"},
            auth=None if key is None else _KeyHeader(self._profile.key_header, key),
        )
        async with sent as response:
            if response.is_success:
                body = await self._body(response, terms, arrival, reader)
            else:
                body = await _error_body(response)
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Reply(
                from_host=self._host,
                status=response.status_code,
                headers=headers,
                body=body,
                received=response.num_bytes_downloaded,
            )

    async def _body(self, response: httpx.Response, terms: Terms, arrival: Arrival, reader: Reader | None) -> bytes:
        encoding = _encoding(response)
        if encoding not in ("", *ENCODINGS):
            shown = single_line(encoding, limit=40)
            raise self._unusable(response, f"sent a response encoded as “{shown}”, which was not requested.")
        total = _announced(response)
        if total is None or total <= terms.cap:
            arrival.begin(total)
            try:
                chunks = response.aiter_raw()
                body = await collect(chunks, cap=terms.cap, packed=bool(encoding), arrival=arrival, reader=reader)
            except TooLarge:
                pass
            else:
                arrival.end()
                return body
        raise self._unusable(response, f"sent more than {_size(terms.cap)}{terms.advice}")

    def _unusable(self, response: httpx.Response, what: str) -> ServiceError:
        return ServiceError(ErrorKind.UNEXPECTED, f"{self._host} {what}", status=response.status_code)

    async def aclose(self) -> None:
        await self._client.aclose()


class InProcess(httpx.ASGITransport):
    """Passes requests to an application in the same process, without using a network.

    Demos use this class. ``before`` is awaited before each request. If it raises a ``ConnectionError``, the request
    fails as if the service were unreachable.
    """

    def __init__(self, app: Any, before: Callable[[], Awaitable[None]]) -> None:
        super().__init__(app)
        self._before = before

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        try:
            await self._before()
        except ConnectionError as error:
            raise httpx.ConnectError(str(error), request=request) from error
        return await super().handle_async_request(request)


class _KeyHeader(httpx.Auth):
    """Sets the API key header at the last moment, so that no shown or logged request contains it."""

    def __init__(self, header: str, key: Key) -> None:
        self._header = header
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers[self._header] = self._key.reveal()
        yield request


def _client(profile: Profile, transport: Transport | None) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=transport
        or httpx.AsyncHTTPTransport(
            verify=_certificates(profile),
            trust_env=False,
            proxy=profile.proxy,
            limits=httpx.Limits(max_connections=8, max_keepalive_connections=4, keepalive_expiry=15.0),
        ),
        trust_env=False,
        follow_redirects=False,
        # This limits a single read. :class:`Arrival` detects slow answers, and the whole call has its own deadline.
        timeout=httpx.Timeout(profile.read_timeout, connect=profile.connect_timeout, pool=profile.connect_timeout),
        headers={"User-Agent": f"chartui/{__version__}", "Accept": "application/json"},
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
    )


def _certificates(profile: Profile) -> ssl.SSLContext:
    """Return the TLS settings with the trusted certificates. Verification is always on."""
    if profile.base_url is not None and profile.base_url.startswith("http:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # the authorities are not used, and reading them takes 20 ms
    if profile.ca_file is None:
        return httpx.create_ssl_context(trust_env=False)
    try:
        check_safe(profile.ca_file)  # with a forged certificate, the API key could be stolen
        return ssl.create_default_context(cafile=profile.ca_file)
    except (OSError, ssl.SSLError) as error:
        reason = (
            error.strerror
            if not isinstance(error, ssl.SSLError) and error.strerror
            else "the file does not contain PEM certificates"
        )
        raise ServiceError(
            ErrorKind.UNSAFE, f"The certificates in ca_file {profile.ca_file} cannot be read: {reason}."
        ) from None


async def _error_body(response: httpx.Response) -> bytes:
    """Return the beginning of the body of a refusal.

    If the body cannot be decompressed, the result is empty, and only the status is used.
    """
    encoding = _encoding(response)
    if encoding not in ("", *ENCODINGS):
        return b""
    try:
        return await collect(response.aiter_raw(), cap=ERROR_CAP, packed=bool(encoding), cut=True)
    except Damaged:
        return b""


def _encoding(response: httpx.Response) -> str:
    encoding = response.headers.get("content-encoding", "").strip().lower()
    return "" if encoding == "identity" else encoding


def _announced(response: httpx.Response) -> int | None:
    declared = response.headers.get("content-length", "")
    return int(declared) if declared.isascii() and declared.isdigit() and len(declared) < 20 else None


def _size(count: int) -> str:
    return f"{count // 1024} KiB" if count < 1024 * 1024 else f"{count // (1024 * 1024)} MiB"


# -- failures in words ------------------------------------------------------------------------------------------------


def _explain(error: Exception, host: str, profile: Profile) -> TryAgain | ServiceError:
    """Return the error as a message for the user, or as :class:`TryAgain` if a retry can help."""
    match error:
        case httpx.ConnectTimeout():
            return _passing(
                ErrorKind.TIMEOUT,
                f"{host} did not accept a connection within {profile.connect_timeout:g} s"
                " (connect_timeout in the profile). Check the network and base_url.",
                "no",
            )
        case httpx.PoolTimeout():
            return _passing(ErrorKind.TIMEOUT, f"All connections to {host} are busy. Try again in a moment.", "no")
        case httpx.ConnectError():
            return _not_connected(error, host)
        case httpx.ReadTimeout() | httpx.WriteTimeout():
            silent = f"{host} was silent for {profile.read_timeout:g} s (read_timeout in the profile)"
            return _passing(ErrorKind.TIMEOUT, f"{silent}. Try again later.")
        case httpx.ProxyError():
            message = f"The proxy of this profile could not connect to {host}. Check the proxy in the profile."
            return ServiceError(ErrorKind.UNREACHABLE, message, sent="no")
        case httpx.NetworkError():
            return _passing(ErrorKind.UNREACHABLE, f"{host} closed the connection. Try again.")
        case httpx.RemoteProtocolError():
            # The library raises the same exception for a connection closed too early and for a non-HTTP answer.
            if any(word in str(error).lower() for word in ("disconnected", "closed", "terminated")):
                return _passing(
                    ErrorKind.UNREACHABLE, f"{host} closed the connection before the response was complete. Try again."
                )
            message = f"{host} does not speak HTTP. Check base_url in the profile."
            return ServiceError(ErrorKind.UNEXPECTED, message, sent="unclear")
        case _:
            message = f"The request to {host} cannot be sent ({type(error).__name__}). Check base_url in the profile."
            return ServiceError(ErrorKind.UNSAFE, message)


def _passing(kind: ErrorKind, message: str, sent: Sent = "unclear") -> TryAgain:
    return TryAgain(ServiceError(kind, message, sent=sent))


def _not_connected(error: Exception, host: str) -> TryAgain | ServiceError:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return _unsafe(f"The certificate of {host} is not trusted: {_certificate_problem(cause)}.")
        if isinstance(cause, ssl.SSLError):
            if cause.reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"):
                return _unsafe(
                    f"{host} answers without encryption on this port. Check the port, "
                    "or write http:// in base_url if this is intended."
                )
            return _unsafe(f"{host} and this machine share no encryption method ({cause.reason or 'TLS'}).")
        if isinstance(cause, socket.gaierror):
            if cause.errno == socket.EAI_AGAIN:
                return _passing(ErrorKind.UNREACHABLE, f"Can't resolve {host} right now. Check the network.", "no")
            return _unsafe(f"Unknown host {host}. Check base_url in the profile.")
    return _passing(
        ErrorKind.UNREACHABLE,
        f"{host} cannot be reached. Check that the service is running and that base_url is correct.",
        "no",
    )


def _unsafe(message: str) -> ServiceError:
    return ServiceError(ErrorKind.UNREACHABLE, message, sent="no")


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _certificate_problem(error: ssl.SSLCertVerificationError) -> str:
    # Error codes of OpenSSL's verification (X509_V_ERR_…), with messages that suggest a fix, which OpenSSL's own
    # messages do not.
    match error.verify_code:
        case 9:
            return "the certificate is not valid yet; check this machine's clock"
        case 10:
            return "the certificate has expired; the service's owner must renew it"
        case 18 | 19 | 20 | 21:
            return "the issuer is unknown on this machine; set ca_file in the profile to the issuer's certificate"
        case 62 | 64:
            return "the certificate is for another host name; check base_url"
        case _:
            return error.verify_message
