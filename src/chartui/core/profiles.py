"""Profiles, which describe the services and stores that the program works with.

``demo`` and ``local`` are built in. The others are stored in ``profiles.toml`` in the configuration folder::

    format = "chartui-profiles"
    version = 1
    default = "work"

    [profiles.work]
    base_url = "https://service.example"
    key = { env = "WORK_KEY" }
    read_only = false

The file never contains an API key, only its source (:mod:`chartui.core.credentials`). The program rewrites the whole
file whenever a profile is added, removed or chosen, so comments are lost. Only :func:`change_profiles` writes the file,
because several programs may change it at the same time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.credentials import KEY_VARIABLE, KeySource, SourceKind
from chartui.core.naming import AmbiguousName, BadName, Item, find, unknown
from chartui.core.paths import config_dir
from chartui.core.spec.operations import KEY_HEADER

#: The environment variable that names the profile to use if no option does.
PROFILE_VARIABLE: Final = "CHARTUI_PROFILE"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
_HOST_AND_PORT: Final = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?")
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_THEME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
#: The largest ``answer_limit_mib``.
MOST_MIB: Final = 1024
#: The shortest ``refresh`` interval, in seconds. It is limited because a list is costly for a service.
LEAST_REFRESH: Final = 5
#: The screens that the terminal UI can start with.
SCREEN_NAMES: Final = ("estimator", "characters", "narrative", "actions", "requests")


class ProfileError(ValueError):
    """Raised if a profile or the profiles file cannot be used.

    The message says what is wrong and how to fix it.
    """


class ProfileKind(StrEnum):
    """A profile's kind."""

    DEMO = "demo"  # built-in demo data, resettable
    LOCAL = "local"  # the user's own embedded store
    REMOTE = "remote"  # a service over HTTP


class Mark(StrEnum):
    """The color that marks a profile. Each theme defines its exact shade."""

    GREEN = "green"
    CYAN = "cyan"
    BLUE = "blue"
    VIOLET = "violet"
    AMBER = "amber"
    RED = "red"


class Place(NamedTuple):
    """The profile and base URL that drafts and history belong to.

    ``base`` is the base URL, or ``embedded`` for an embedded store. If you change a profile to another service, its
    existing drafts and history still belong to the old service.
    """

    profile: str
    base: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The settings of one profile.

    If ``read_only`` is set, writes and turns are refused, unless ``allow_act`` permits turns. If ``production`` is set,
    the first write or turn in a session must be confirmed. ``color`` and ``theme`` determine how the terminal UI shows
    the profile, and ``screen`` is the first screen. ``remember`` determines whether screens reopen as you left them. If
    any of these four settings is None, its default applies. ``refresh`` is the interval, in seconds, at which the
    terminal UI refreshes the visible data. An interval of 0 means never.

    The other settings, except ``rate_card``, apply only to remote profiles. If ``key`` is None, ``CHARTUI_API_KEY`` is
    used. ``send_key_to_estimation`` is described in decision 14. ``allow_http`` permits an unencrypted service on
    another machine. ``ca_file`` replaces the trusted certificate authorities. ``proxy`` is used only for this profile.

    The time limits for a call (decision 67) are in seconds: ``connect_timeout`` for connecting, ``read_timeout`` for a
    response that stalls or arrives very slowly, and ``deadline`` for all attempts combined. A large response only has
    to begin before the deadline, and may take up to ``transfer_timeout`` in total. ``answer_limit_mib`` is the size
    limit of a large response in MiB, after decompression.
    """

    name: str
    kind: ProfileKind
    base_url: str | None = None
    read_only: bool = False
    allow_act: bool = False
    production: bool = False
    color: Mark | None = None
    theme: str | None = None
    screen: str | None = None
    refresh: float = 0.0
    remember: bool | None = None
    key: KeySource | None = None
    key_header: str = KEY_HEADER
    send_key_to_estimation: bool = False
    allow_http: bool = False
    ca_file: Path | None = None
    proxy: str | None = None
    connect_timeout: float = 3.0
    read_timeout: float = 10.0
    deadline: float = 20.0
    # 15 minutes. The largest answer that the limit below allows takes 9 minutes at 1 Mbit/s, and 500 characters of 3 kB
    # each take 3 minutes at 64 kbit/s.
    transfer_timeout: float = 900.0
    answer_limit_mib: int = 64
    rate_card: Path | None = None

    @property
    def embedded(self) -> bool:
        return self.kind is not ProfileKind.REMOTE

    @property
    def key_source(self) -> KeySource:
        return self.key or KeySource(SourceKind.ENV, (KEY_VARIABLE,))

    @property
    def mark(self) -> Mark:
        """The color that marks the profile. The default colors distinguish production, services and stores."""
        return self.color or (Mark.RED if self.production else _MARKS[self.kind])

    @property
    def place(self) -> Place:
        return Place(self.name, self.base_url or "embedded")

    @property
    def host(self) -> str | None:
        return None if self.base_url is None else self.base_url.split("/")[2]


_MARKS: Final = {ProfileKind.DEMO: Mark.CYAN, ProfileKind.LOCAL: Mark.GREEN, ProfileKind.REMOTE: Mark.AMBER}
#: The settings that a built-in profile can have.
OF_BUILT_IN: Final = (
    "read_only",
    "allow_act",
    "production",
    "color",
    "theme",
    "screen",
    "refresh",
    "remember",
    "rate_card",
)

#: The built-in profiles.
BUILT_IN: Final[Mapping[str, Profile]] = MappingProxyType(
    {"demo": Profile(name="demo", kind=ProfileKind.DEMO), "local": Profile(name="local", kind=ProfileKind.LOCAL)}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiles:
    """All profiles by name, and the name of the default profile. Built-in profiles come first."""

    by_name: Mapping[str, Profile] = field(default_factory=lambda: BUILT_IN)
    current: str | None = None

    def get(self, name: str) -> Profile:
        """Return the profile called ``name``, ignoring case.

        Raises :class:`ProfileError` with a message that suggests a similar name.
        """
        try:
            return self.by_name[find("profile", name, map(Item, self.by_name), whole=True).id]
        except AmbiguousName as error:
            raise ProfileError(str(error)) from None
        except BadName:
            raise ProfileError(unknown("profile", name, self.by_name)) from None

    def choose(self, name: str | None = None, environ: Mapping[str, str] = os.environ) -> Profile | None:
        """Return the profile to open, or None if none is chosen.

        The profile called ``name`` is used if a name is given. Otherwise, the profile named in ``CHARTUI_PROFILE`` is
        used or, if that is not set, the default profile.
        """
        chosen = name or environ.get(PROFILE_VARIABLE) or self.current
        return self.get(chosen) if chosen else None

    def adding(self, profile: Profile) -> Profiles:
        """Return a copy of the profiles with ``profile`` added. A profile with the same name is replaced.

        Raises :class:`ProfileError` if ``profile`` is invalid or has the name of a built-in profile of another kind.
        """
        built_in = BUILT_IN.get(profile.name)
        if built_in is not None and built_in.kind is not profile.kind:
            raise ProfileError(f"'{profile.name}' is built in. Choose another name.")
        return replace(self, by_name={**self.by_name, profile.name: check_profile(profile)})

    def removing(self, name: str) -> Profiles:
        """Return a copy of the profiles without the profile called ``name``.

        Raises :class:`ProfileError` if this profile is built in or does not exist.
        """
        name = self.get(name).name
        if name in BUILT_IN:
            raise ProfileError(f"'{name}' is built in and cannot be removed.")
        rest = {other: profile for other, profile in self.by_name.items() if other != name}
        return Profiles(by_name=rest, current=None if self.current == name else self.current)

    def using(self, name: str) -> Profiles:
        """Return a copy of the profiles in which the profile called ``name`` is the default.

        Raises :class:`ProfileError` if this profile does not exist.
        """
        return replace(self, current=self.get(name).name)


def profiles_path() -> Path:
    return config_dir() / "profiles.toml"


# -- checks -----------------------------------------------------------------------------------------------------------


def check_profile(profile: Profile) -> Profile:
    """Return ``profile`` with a normalized base URL. Raises :class:`ProfileError` for unsafe or invalid settings.

    Invalid URLs must be rejected here, because a client library silently treats them as paths.
    """
    name = profile.name
    if not _NAME.fullmatch(name):
        raise ProfileError(f"{name[:70]!r} is not a valid profile name. Use letters, digits, '.', '_' and '-'.")
    if profile.screen is not None and profile.screen not in SCREEN_NAMES:
        raise ProfileError(unknown("screen", profile.screen, SCREEN_NAMES, place=f"for profile '{name}'"))
    if profile.theme is not None and not _THEME.fullmatch(profile.theme):
        raise ProfileError(f"The theme of profile '{name}' must be the name of a theme, in lower case.")
    if profile.refresh and not LEAST_REFRESH <= profile.refresh <= 3600:
        raise ProfileError(
            f"The refresh interval of profile '{name}' must be 0, or from {LEAST_REFRESH} to 3600 seconds."
        )
    if profile.kind is not ProfileKind.REMOTE:
        return profile
    if profile.key is not None:
        _check_source(profile.key, f"The key of profile '{name}'")
    if not profile.base_url:
        raise ProfileError(f"Profile '{name}' needs a base_url, such as https://service.example.")
    url = _check_url(profile.base_url, f"The base_url of profile '{name}'")
    encrypted = url.startswith("https:")
    if not encrypted and not profile.allow_http and not _is_loopback(url):
        raise ProfileError(
            f"The base_url of profile '{name}' would send the API key unencrypted to another machine. "
            "Write https://, or set allow_http = true to allow this."
        )
    if not _HEADER.fullmatch(profile.key_header):
        raise ProfileError(f"The key_header of profile '{name}' is not a valid header name.")
    if profile.proxy is not None:
        _check_url(profile.proxy, f"The proxy of profile '{name}'")
        if _is_loopback(url):
            raise ProfileError(f"Profile '{name}' cannot use a proxy because the service is on this machine.")
        if not encrypted:
            raise ProfileError(f"Profile '{name}' cannot use an HTTP proxy, which would expose the API key.")
    for limit in ("connect_timeout", "read_timeout", "deadline", "transfer_timeout"):
        if not 0 < getattr(profile, limit) <= 3600:
            raise ProfileError(f"The {limit} of profile '{name}' must be more than 0 and at most 3600 seconds.")
    if not 1 <= profile.answer_limit_mib <= MOST_MIB:
        raise ProfileError(f"The answer_limit_mib of profile '{name}' must be a whole number from 1 to {MOST_MIB}.")
    return replace(profile, base_url=url)


def _check_source(source: KeySource, what: str) -> None:
    if source.kind is SourceKind.ENV and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", source.argument[0]):
        raise ProfileError(f"{what} needs a valid environment variable name.")
    if source.kind is SourceKind.COMMAND and not (source.argument and all(source.argument)):
        raise ProfileError(f"{what} needs a command that starts with the name of the program.")


def _check_url(url: str, what: str) -> str:
    """Return ``url`` without its trailing slashes.

    Raises :class:`ProfileError` with a message that starts with ``what``.
    """
    from urllib.parse import urlsplit

    if not url.isascii():
        raise ProfileError(f"{what} contains non-ASCII characters. Write an international name in its xn-- form.")
    # URL parsers silently drop some of these characters, so the address shown would not be the address used.
    if not url.isprintable() or re.search(r"[ \\\"<>^`{|}]", url):
        raise ProfileError(f"{what} contains characters that are not allowed in an address, such as spaces.")
    no_host = f"{what} has no valid host and port (a port is a number from 1 to 65535)."
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ProfileError(no_host) from None
    if parts.scheme not in ("http", "https") or not url.lower().startswith(f"{parts.scheme}://"):
        raise ProfileError(f"{what} must start with https:// (or http:// for this machine).")
    if "@" in parts.netloc:
        raise ProfileError(f"{what} must not contain a user name or password.")
    if "?" in url or "#" in url:
        raise ProfileError(f"{what} must not contain '?' or '#'.")
    found = _HOST_AND_PORT.fullmatch(parts.netloc)
    if found is None or not 1 <= int(found[1] or 443) <= 65535:
        raise ProfileError(no_host)
    if any(part in (".", "..") for part in parts.path.split("/")):
        raise ProfileError(f"{what} must not contain '.' or '..' as a path segment.")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def _is_loopback(url: str) -> bool:
    netloc = url.split("/")[2]
    host = netloc[: netloc.index("]") + 1] if netloc.startswith("[") else netloc.partition(":")[0]
    return host in _LOOPBACK
