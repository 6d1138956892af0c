"""``chartui doctor``: check the installation, its settings and the service. Never shows an API key."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import get_terminal_size
from typing import Final

from chartui import __version__
from chartui.cli.config import settings_problems
from chartui.cli.errors import Exit, UsageError, failure_of
from chartui.cli.files import write_text, writing_to
from chartui.cli.output import Output, yes_no
from chartui.cli.parser import Arguments, Parser
from chartui.cli.profiles import key_source
from chartui.cli.sessions import ask, chosen_profile
from chartui.core.bookmark import bookmark_problems
from chartui.core.classes import NamedTuple
from chartui.core.config import config_path
from chartui.core.credentials import SourceKind, without_keys
from chartui.core.files import dangers
from chartui.core.jsontext import Wire
from chartui.core.numbers import number_of
from chartui.core.paths import check_output, config_dir, data_dir
from chartui.core.profiles import BUILT_IN, Profile, ProfileError, ProfileKind, profiles_path
from chartui.core.profiles_file import load_profiles
from chartui.core.saved_filters import filter_problems
from chartui.core.session import Session, drafts_path, journal_path, locked_by, seen_path, store_path
from chartui.core.spec.errors import ServiceError

_PACKAGES: Final = ("textual", "httpx", "pydantic", "uvicorn")
_MISSING: Final = "does not exist yet"
#: The length of an SQLite file header in bytes, and the offset of the program's own version number in it.
_HEAD_BYTES: Final = 100
_VERSION_AT: Final = 60
#: What is known about a connection over SSH.
_COMPRESSION: Final = "unknown; if compression is off, 'ssh -C' reduces the traffic to about a third"
_VARIABLES: Final = ("TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "TMUX", "SSH_TTY", "LANG", "LC_ALL")


def configure_doctor(parser: Parser) -> None:
    parser.option("--report", "FILE", "write a report for a bug tracker to FILE, without API keys, names or paths")
    parser.flag("--force", "overwrite an existing report")


def doctor(arguments: Arguments, output: Output) -> int:
    if arguments.report is not None:
        with writing_to(arguments.report):
            check_output(arguments.report, replace=arguments.force)
    diagnosis = _diagnosis(arguments)
    findings = diagnosis.findings
    if output.as_json:
        output.json(findings)
    else:
        for number, (title, facts) in enumerate(findings.items()):
            if number:
                output.text()
            output.text(title.capitalize())
            output.table([row for name, value in facts.items() for row in _rows(name, value)])
    if arguments.report is not None:
        write_text(arguments.report, report_text(findings, diagnosis.profile, diagnosis.error), replace=arguments.force)
        output.note(f"report written to {arguments.report}; read it before you share it")
    return Exit.NO if diagnosis.wrong else Exit.DONE


class _Diagnosis(NamedTuple):
    """The findings. ``error`` is set if the profile does not answer, ``wrong`` if anything needs attention."""

    findings: dict[str, Mapping[str, Wire]]
    profile: Profile | None
    error: ServiceError | UsageError | None
    wrong: bool


def _diagnosis(arguments: Arguments) -> _Diagnosis:
    profile, error, answers = None, None, None
    try:
        profile = chosen_profile(arguments)
        answers = _answers(profile, arguments)
    except (ServiceError, UsageError) as failure:
        error, answers = failure, False
    settings = [*settings_problems(), *filter_problems(), *bookmark_problems()]
    permissions = list(_permissions(profile))
    rates = _rates(profile) if profile is not None else {}
    findings: dict[str, Mapping[str, Wire]] = {
        "versions": dict(_versions()),
        "folders": {
            "program": str(Path(__file__).parents[1]),
            "configuration": _described(config_dir()),
            "data": _described(data_dir()),
            "profiles": _described(profiles_path()),
        },
        "files": dict(_files()),
        "profile": dict(_profile(profile, arguments.read_only)) if profile is not None else {},
        "terminal": dict(_terminal()),
        "settings": {"problems": settings},
        "permissions": {"problems": permissions},
        "service": {"answers": answers, "problem": failure_of(error).message if error is not None else None},
        "rates": rates,
    }
    wrong = bool(error or settings or permissions or rates.get("problem") or rates.get("drift"))
    return _Diagnosis(findings, profile, error, wrong)


def _rates(profile: Profile) -> dict[str, Wire]:
    from chartui.core.estimation.card import BadCard
    from chartui.core.estimation.rates import rates_for

    try:
        rates = rates_for(profile)
    except (BadCard, OSError) as failure:
        return {"source": None, "problem": str(failure)}
    origin = rates.card.origin
    return {
        "source": rates.source.value,
        "learned_at": origin.learned_at if origin is not None else None,
        "problem": rates.problem or None,
        "drift": f"{rates.drift.text}; 'chartui rates learn' learns the rates again" if rates.drift else None,
    }


def _answers(profile: Profile, arguments: Arguments) -> bool | None:
    """True if the profile answers, None if opening it would create or upgrade the store.

    Raises :class:`ServiceError` and :class:`UsageError`.
    """
    if profile.embedded and not _is_current(store_path(profile)):
        return None

    async def question(session: Session) -> None:
        await session.service.options(refresh=True)
        await session.service.summaries()

    ask(arguments, question, profile=profile, filled=False)
    return True


def _is_current(path: Path) -> bool:
    """Whether a store has the newest version. True for other files too: opening them reports the problem."""
    from chartui.core.backends.local.schema import MIGRATIONS

    if not path.exists():
        return False
    if not path.is_file():
        return True
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    version = int.from_bytes(head[_VERSION_AT:][:4], "big")
    return not head.startswith(b"SQLite") or version >= len(MIGRATIONS)


def _versions() -> Iterator[tuple[str, Wire]]:
    import sqlite3

    yield "chartui", __version__
    yield "python", platform.python_version()
    yield "system", platform.platform()
    yield "sqlite", sqlite3.sqlite_version
    for package in _PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            yield package, None


def _files() -> Iterator[tuple[str, Wire]]:
    for path in (*map(store_path, BUILT_IN.values()), journal_path(), drafts_path(), seen_path()):
        try:
            status = path.stat()
        except OSError as error:
            yield path.name, _MISSING if isinstance(error, FileNotFoundError) else error.strerror
        else:
            yield path.name, f"{number_of(status.st_size, 'byte')} ({status.st_mode & 0o777:04o})"


def _permissions(profile: Profile | None) -> Iterator[str]:
    paths = [config_dir(), data_dir(), profiles_path(), config_path()]
    if profile is not None:
        keyed = profile.key is not None and profile.key.kind is SourceKind.FILE
        paths += [Path(profile.key.argument[0])] if profile.key is not None and keyed else []
        paths += [profile.ca_file] if profile.ca_file is not None else []
    found: dict[str, None] = {}
    for path in paths:
        with suppress(OSError):  # a missing file cannot be unsafe
            found |= dict.fromkeys(dangers(path))
    yield from found


def _profile(profile: Profile, read_only: bool) -> Iterator[tuple[str, Wire]]:
    yield "name", profile.name
    yield "kind", profile.kind.value
    yield "read_only", locked_by(profile, read_only) is not None
    if profile.embedded:
        yield "store", _described(store_path(profile))
    else:
        yield "base_url", profile.base_url
        yield "key_source", key_source(profile)


def _terminal() -> Iterator[tuple[str, Wire]]:
    streams = {"stdin": sys.stdin, "stdout": sys.stdout, "stderr": sys.stderr}
    for name, stream in streams.items():
        yield f"{name}_is_a_terminal", stream is not None and stream.isatty()
    size = get_terminal_size()
    yield "size", f"{size.columns}x{size.lines}"
    yield "encoding", getattr(sys.stdout, "encoding", None)
    for name in _VARIABLES:
        yield name, os.environ.get(name)
    remote = os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY")
    yield "over_ssh", remote is not None
    if remote is not None:
        yield "ssh_compression", _COMPRESSION


def _described(path: Path) -> str:
    return f"{path} ({_mode(path)})"


def _mode(path: Path, before: str = "", missing: str = _MISSING) -> str:
    try:
        return f"{before}{path.stat().st_mode & 0o777:04o}"
    except OSError as error:
        return missing if isinstance(error, FileNotFoundError) else f"{error.strerror}"


def _rows(name: str, value: Wire) -> Iterator[list[str]]:
    title = name.replace("_", " ")
    if not isinstance(value, list):
        yield ["", title, _words(value)]
        return
    for number, one in enumerate(value or ["none"]):
        yield ["", "" if number else title, _words(one)]


# -- the report -------------------------------------------------------------------------------------------------------


_HEAD: Final = "A report from 'chartui doctor'. It contains no API keys, addresses, names or character texts.\n"
_TELLING: Final = ("TMUX", "SSH_TTY")


def report_text(
    findings: Mapping[str, Mapping[str, Wire]], profile: Profile | None, error: ServiceError | UsageError | None
) -> str:
    parts: dict[str, Iterator[tuple[str, object]]] = {
        "Versions": iter(findings["versions"].items()),
        "Folders": _reported_folders(),
        "Files": iter(findings["files"].items()),
        "Profiles": _profiles(),
        "Profile in use": _reported_profile(profile),
        "Terminal": ((k, v is not None if k in _TELLING else v) for k, v in findings["terminal"].items()),
        "Checks": _checks(findings, error),
    }
    lines = [_HEAD]
    for title, facts in parts.items():
        lines += [title, *(f"  {name.replace('_', ' ')}: {_words(value)}" for name, value in facts), ""]
    return _without_names("\n".join(lines))


def _words(value: object) -> str:
    return yes_no(value) if value is None or isinstance(value, bool) else str(value)


def _reported_folders() -> Iterator[tuple[str, object]]:
    folders = (("configuration", config_dir(), "CHARTUI_CONFIG_DIR"), ("data", data_dir(), "CHARTUI_DATA_DIR"))
    for name, path, variable in folders:
        yield (
            name,
            f"{'set by ' + variable if os.environ.get(variable) else 'default'}, {_mode(path, 'mode ', 'missing')}",
        )
    for path in (config_path(), profiles_path()):
        yield path.name, _mode(path, "mode ", "missing")


def _profiles() -> Iterator[tuple[str, object]]:
    try:
        profiles = load_profiles().by_name.values()
    except ProfileError:
        yield "readable", False
        return
    for kind in ProfileKind:
        yield kind.value, sum(profile.kind is kind for profile in profiles)
    yield "read-only", sum(profile.read_only for profile in profiles)
    yield "production", sum(profile.production for profile in profiles)


def _reported_profile(profile: Profile | None) -> Iterator[tuple[str, object]]:
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
    yield "profile reachable", findings["service"]["answers"]
    if error is not None:
        failure = failure_of(error)
        yield "failure", failure.code if failure.http_status is None else f"{failure.code}, HTTP {failure.http_status}"
    yield "rates have drifted", findings["rates"].get("drift") is not None
    for name in ("settings", "permissions"):
        problems = findings[name]["problems"]
        yield f"problems in {name}", len(problems) if isinstance(problems, list) else 0


def _without_names(text: str) -> str:
    """``text`` without API keys, and without the names of user, home folder and machine."""
    import getpass

    names = {platform.node(): "[host]"}
    with suppress(OSError, KeyError, RuntimeError):  # a user without an entry in the system
        names = {str(Path.home()): "~", getpass.getuser(): "[user]"} | names
    text = without_keys(text)
    for name, shown in names.items():
        if len(name) > 1:
            text = re.sub(rf"(?<![\w]){re.escape(name)}(?![\w])", shown, text)
    return text
