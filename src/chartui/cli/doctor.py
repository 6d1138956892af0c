"""``chartui doctor``: what the program sees of its surroundings, for a report about a problem. Never a key."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final

from chartui import __version__
from chartui.cli.errors import Exit
from chartui.cli.output import Output, yes_no
from chartui.cli.parser import Arguments, Parser
from chartui.cli.profiles import key_source
from chartui.cli.sessions import ask, chosen_profile
from chartui.core.spec.errors import ServiceError

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Profile
    from chartui.core.session import Session

__all__ = ["configure"]

_PACKAGES: Final = ("textual", "httpx", "pydantic", "starlette", "uvicorn")
_VARIABLES: Final = ("TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "TMUX", "SSH_TTY", "LANG", "LC_ALL")


def configure(parser: Parser) -> None:
    """Add nothing: there is nothing to choose."""
    parser.set_defaults(handler=doctor)


def doctor(arguments: Arguments, output: Output) -> int:
    """Write what is found; status 1 when the profile does not answer."""
    profile = chosen_profile(arguments)
    problem = _problem(arguments)
    findings: dict[str, Mapping[str, Wire]] = {
        "versions": dict(_versions()),
        "folders": dict(_folders()),
        "profile": dict(_profile(profile, arguments.read_only)),
        "terminal": dict(_terminal()),
        "service": {"answers": problem is None, "problem": problem},
    }
    if output.as_json:
        output.json(findings)
    else:
        for number, (title, facts) in enumerate(findings.items()):
            if number:
                output.text()
            output.text(title.capitalize())
            output.table([["", name.replace("_", " "), _words(value)] for name, value in facts.items()])
    return Exit.DONE if problem is None else Exit.NO


def _problem(arguments: Arguments) -> str | None:
    """Why the profile does not answer the simplest question that needs a key; None when it does."""

    async def question(session: Session) -> None:
        await session.service.options(refresh=True)
        await session.service.summaries()

    try:
        ask(arguments, question)
    except ServiceError as error:
        return error.message
    return None


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


def _folders() -> Iterator[tuple[str, Wire]]:
    from chartui.core.paths import config_dir, data_dir
    from chartui.core.profiles import profiles_path

    yield "program", str(Path(__file__).parents[1])
    yield "configuration", _described(config_dir())
    yield "data", _described(data_dir())
    yield "profiles", _described(profiles_path())


def _profile(profile: Profile, read_only: bool) -> Iterator[tuple[str, Wire]]:
    from chartui.core.session import locked_by, store_path

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


def _described(path: Path) -> str:
    """The path, with its permissions; a folder or store that is not there yet is made when it is needed."""
    try:
        status = path.stat()
    except OSError as error:
        return f"{path} (not there yet)" if isinstance(error, FileNotFoundError) else f"{path} ({error.strerror})"
    return f"{path} ({status.st_mode & 0o777:04o})"


def _words(value: Wire) -> str:
    return yes_no(value) if value is None or isinstance(value, bool) else str(value)
