"""A call as a command line that makes it again: for a bug report, a script, a second look.

The key is in none of them: a shell puts it in where it stands as ``$CHARTUI_API_KEY``. What is written here can be
pasted: every value is quoted for a POSIX shell, and whatever a terminal would obey is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import quote
from typing import TYPE_CHECKING, Final

from chartui.core.credentials import KEY_VARIABLE
from chartui.core.jsontext import Wire, canonical, dumps
from chartui.core.profiles import Profile
from chartui.core.spec.operations import PORT, Operation
from chartui.core.text import escape_json

if TYPE_CHECKING:
    from chartui.core.spec.models.estimation import Assumptions, Selections

__all__ = ["as_command", "as_curl", "as_json", "estimate_command"]

#: Names of headers that mean nothing to a shell between double quotes.
_PLAIN_HEADER: Final = re.compile(r"[A-Za-z0-9_.-]+")


def as_json(value: Wire) -> str:
    """``value`` as indented JSON text that is safe to show and to paste."""
    return escape_json(dumps(value, indent=2))


def as_curl(row: Operation, payload: Mapping[str, Wire], profile: Profile) -> str | None:
    """The request that the remote backend sends, for ``curl``; None for what has no path.

    For an embedded profile it is for the address that ``chartui serve`` takes. Raises
    :class:`~chartui.core.spec.errors.ServiceError` for a payload that cannot be written.
    """
    from chartui.core.backends.remote.messages import build_request

    if row.path is None:
        return None
    base_url = profile.base_url or f"http://127.0.0.1:{PORT}"
    request = build_request(row, payload, base_url)
    words = [] if request.method == "GET" else [f"--request {request.method}"]
    if "[" in request.url:
        words.append("--globoff")
    words.append(quote(request.url))
    if row.tier is not None or profile.send_key_to_estimation:
        words.append(f"--header {_key_header(profile.key_header)}")
    words += [f"--header {quote(f'{name}: {value}')}" for name, value in request.headers.items()]
    if request.body is not None:
        words.append(f"--data-raw {quote(escape_json(request.body.decode()))}")
    elif request.method != "GET":
        words.append("--header 'Content-Length: 0'")
    words += _connection(profile, base_url)
    command = " \\\n  ".join([f"curl {words[0]}", *words[1:]])
    if profile.embedded:
        return f"# answered while this runs: chartui serve --profile {quote(profile.name)}\n{command}"
    return command


def _key_header(name: str) -> str:
    if _PLAIN_HEADER.fullmatch(name):
        return f'"{name}: ${KEY_VARIABLE}"'
    return f"""{quote(f"{name}: ")}"${KEY_VARIABLE}\""""


def _connection(profile: Profile, base_url: str) -> list[str]:
    """How the profile says to reach the service."""
    words = []
    if profile.ca_file is not None:
        words.append(f"--cacert {quote(str(profile.ca_file))}")
    if profile.proxy is not None:
        words.append(f"--proxy {quote(profile.proxy)}")
    elif base_url.startswith("http:"):
        words.append("--noproxy '*'")  # a proxy of the environment would see the key
    return words


def as_command(row: Operation, payload: Mapping[str, Wire], profile: Profile, *, read_only: bool = False) -> str:
    """The call as ``chartui call``; under the lock it says so, and is refused again where it would change something."""
    words = ["chartui call", row.name, "--profile", quote(profile.name)]
    if read_only or profile.read_only:
        words.append("--read-only")
    if payload:
        words += ["--data", quote(escape_json(dumps(payload)))]
    return " ".join(words)


def estimate_command(selections: Selections, assumptions: Assumptions, profile: Profile) -> str:
    """``chartui estimate`` for these inputs; what is None is left to the service's defaults."""
    words = ["chartui estimate", "--profile", quote(profile.name)]
    for name in ("llm", "stt", "tts", "animation"):
        key = getattr(selections, name)
        if key is not None:
            words += [f"--{name}", quote(key)]
    for name in ("memory", "knowledge"):
        on = getattr(selections, name)
        if on is not None:
            words.append(f"--{name}" if on else f"--no-{name}")
    for name in ("input_tokens", "output_chars", "stt_seconds", "tts_seconds"):
        number = getattr(assumptions, name)
        if number is not None:
            words += [f"--{name.replace('_', '-')}", canonical(number)]
    return " ".join(words)
