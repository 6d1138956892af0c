"""The report that ``chartui doctor --report`` writes: made to be shown to strangers.

It is built from what may be in it, and not by taking out what may not: versions, modes, sizes, kinds and numbers. No
address, profile name, path or message of a service comes into it. At the end the names of the user, the home and the
machine are replaced, should a variable of the terminal hold one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import UsageError, failure_of
from chartui.cli.output import yes_no
from chartui.core.spec.errors import ServiceError

if TYPE_CHECKING:
    from pathlib import Path

    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Profile

__all__ = ["report_text"]

_HEAD: Final = "A report of 'chartui doctor'. It holds no API keys, addresses, names or texts.\n"
_TELLING: Final = ("TMUX", "SSH_TTY")


def report_text(
    findings: Mapping[str, Mapping[str, Wire]], profile: Profile | None, error: ServiceError | UsageError | None
) -> str:
    """The report about what ``doctor`` found; ``error`` is why the profile does not answer."""
    parts: dict[str, Iterator[tuple[str, object]]] = {
        "Versions": iter(findings["versions"].items()),
        "Folders": _folders(),
        "Files": iter(findings["files"].items()),
        "Profiles": _profiles(),
        "Profile in use": _profile(profile),
        "Terminal": _terminal(findings["terminal"]),
        "Checks": _checks(findings, error),
    }
    lines = [_HEAD]
    for title, facts in parts.items():
        lines += [title, *(f"  {name.replace('_', ' ')}: {_words(value)}" for name, value in facts), ""]
    return _without_names("\n".join(lines))


def _words(value: object) -> str:
    return yes_no(value) if value is None or isinstance(value, bool) else str(value)


def _terminal(facts: Mapping[str, Wire]) -> Iterator[tuple[str, object]]:
    """What is known of the terminal; of variables that name a device or a file, whether they are set."""
    for name, value in facts.items():
        yield name, value is not None if name in _TELLING else value


def _folders() -> Iterator[tuple[str, object]]:
    import os

    from chartui.core.config import config_path
    from chartui.core.paths import config_dir, data_dir
    from chartui.core.profiles import profiles_path

    for name, path, variable in (
        ("configuration", config_dir(), "CHARTUI_CONFIG_DIR"),
        ("data", data_dir(), "CHARTUI_DATA_DIR"),
    ):
        yield name, f"{'set by ' + variable if os.environ.get(variable) else 'default'}, {_mode(path)}"
    for path in (config_path(), profiles_path()):
        yield path.name, _mode(path)


def _mode(path: Path) -> str:
    try:
        return f"mode {path.stat().st_mode & 0o777:04o}"
    except OSError as error:
        return "missing" if isinstance(error, FileNotFoundError) else f"{error.strerror}"


def _profiles() -> Iterator[tuple[str, object]]:
    from chartui.core.profiles import ProfileError, ProfileKind, load_profiles

    try:
        profiles = load_profiles().by_name.values()
    except ProfileError:
        yield "readable", False
        return
    for kind in ProfileKind:
        yield kind.value, sum(profile.kind is kind for profile in profiles)
    yield "read-only", sum(profile.read_only for profile in profiles)
    yield "production", sum(profile.production for profile in profiles)


def _profile(profile: Profile | None) -> Iterator[tuple[str, object]]:
    if profile is None:
        return
    yield "kind", profile.kind.value
    yield "read only", profile.read_only
    yield "production", profile.production
    if not profile.embedded:
        yield "encrypted", (profile.base_url or "").startswith("https:")
        yield "API key from", profile.key.kind.value if profile.key is not None else "the environment"
        for name in ("proxy", "ca_file", "rate_card"):
            yield name, getattr(profile, name) is not None


def _checks(
    findings: Mapping[str, Mapping[str, Wire]], error: ServiceError | UsageError | None
) -> Iterator[tuple[str, object]]:
    yield "profile answers", findings["service"]["answers"]
    if error is not None:
        failure = failure_of(error)
        yield "failure", failure.code if failure.http_status is None else f"{failure.code}, HTTP {failure.http_status}"
    for name in ("settings", "permissions"):
        problems = findings[name]["problems"]
        yield f"problems of {name}", len(problems) if isinstance(problems, list) else 0


def _without_names(text: str) -> str:
    """``text`` without keys, and without the names of user, home and machine."""
    import getpass
    import platform
    from pathlib import Path

    from chartui.core.credentials import without_keys

    names = {platform.node(): "[host]"}
    with suppress(OSError, KeyError, RuntimeError):  # a user without an entry in the system
        names = {str(Path.home()): "~", getpass.getuser(): "[user]"} | names
    text = without_keys(text)
    for name, shown in names.items():
        if len(name) > 1:
            text = re.sub(rf"(?<![\w]){re.escape(name)}(?![\w])", shown, text)
    return text
