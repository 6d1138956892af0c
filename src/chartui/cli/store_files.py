"""``chartui store check``, ``salvage``, ``restore`` and ``backups``: the files themselves, damaged or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import add_force, database_file, database_output
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Verbs, add_verb
from chartui.cli.sessions import chosen_profile, lost_store

if TYPE_CHECKING:
    from chartui.core.profiles import Profile
    from chartui.core.recovery import DataFile

__all__ = ["add_file_verbs"]

_KINDS: Final = ("store", "journal", "drafts", "seen")
_OF: Final = f"which file: {', '.join(_KINDS)} (default: store)"


def add_file_verbs(verbs: Verbs) -> None:
    """Add the verbs."""
    add_verb(verbs, "check", "check store, journal, drafts and seen for damage", check)
    verb = add_verb(verbs, "salvage", "save what can be read of a damaged file into a new one", salvage)
    verb.add_argument("file", type=database_file, metavar="FILE", help="the file to write")
    verb.add_argument("--of", dest="kind", choices=_KINDS, default=_KINDS[0], help=_OF)
    add_force(verb, "overwrite FILE")
    verb = add_verb(verbs, "restore", "replace a store, journal, drafts or seen file by a copy of it", restore)
    verb.add_argument("file", type=database_file, metavar="FILE", help="the copy, or the name of a backup")
    add_verb(verbs, "backups", "list the daily backups", backups)


def _profile(arguments: Arguments) -> Profile:
    return chosen_profile(arguments, otherwise="local")


def _files(profile: Profile) -> tuple[DataFile, ...]:
    from chartui.core.recovery import data_files

    return data_files(profile)


def check(arguments: Arguments, output: Output) -> int:
    """Write the state of every file and what is wrong with it; status 5 when something is."""
    from chartui.core.recovery import examine

    profile = _profile(arguments)
    files = _files(profile)
    found = [(file, examine(file) if file.path.exists() else None) for file in files]
    lost = lost_store(profile, arguments)
    if lost is None and all(one is None for _, one in found):
        raise UsageError(f"profile '{profile.name}' has no store yet: {files[0].path} is made when it is first used")
    problems = [f"{file.path.name}: {text}" for file, one in found if one for text in one.problems]
    problems += [lost] if lost else []
    if output.as_json:
        store = str(files[0].path) if profile.embedded else None
        facts: list[Mapping[str, Any]] = [
            {
                "file": str(file.path),
                "kind": file.what,
                "state": _state(one),
                "readable": dict(one.readable) if one else {},
                "problems": list(one.problems) if one else [],
            }
            for file, one in found
        ]
        output.json({"store": store, "problems": problems, "files": facts})
    else:
        rows = [[file.what, str(file.path), _state(one), _rows(one.readable) if one else ""] for file, one in found]
        output.table(rows, header=["FILE", "PATH", "STATE", "READABLE"])
        for problem in problems:
            output.text(problem)
        if problems:
            output.note("'chartui store salvage FILE' saves what is readable, 'chartui store restore' takes a backup")
    return Exit.STORE if problems else Exit.DONE


def _state(found: Any) -> str:
    return "missing" if found is None else "damaged" if found.problems else "sound"


def _rows(rows: Mapping[str, int]) -> str:
    return ", ".join(f"{table} {count}" for table, count in rows.items())


def salvage(arguments: Arguments, output: Output) -> int:
    """Write what can be read into a new file; status 1 when something is lost."""
    from chartui.core.recovery import salvage as save

    file = next((file for file in _files(_profile(arguments)) if file.what == arguments.kind), None)
    if file is None or not file.path.exists():
        raise UsageError(f"the profile has no {arguments.kind} file")
    with database_output(arguments.file, replace=arguments.force) as scratch:
        saved = save(file, scratch)
    if output.as_json:
        output.json({"file": str(arguments.file), "rows": dict(saved.rows), "lost": list(saved.lost)})
    else:
        output.text(f"{arguments.file}: {_rows(saved.rows)}")
        for line in saved.lost:
            output.text(f"lost: {line}")
        output.note(
            f"{file.path} was not changed. 'chartui store restore {arguments.file}' takes the new file instead."
        )
    return Exit.NO if saved.lost else Exit.DONE


def restore(arguments: Arguments, output: Output) -> int:
    """Replace the file by a copy; the replaced one is kept beside it."""
    from chartui.core.recovery import restore as replace
    from chartui.core.session import locked_by

    profile = _profile(arguments)
    if locked_by(profile, arguments.read_only):
        raise UsageError("read-only: nothing was restored", code="read_only")
    files = _files(profile)
    done = replace(_source(arguments.file, files), files)
    kept = str(done.kept) if done.kept else None
    if output.as_json:
        output.json({"file": str(done.file.path), "kind": done.file.what, "replaced": kept})
    else:
        output.note(f"{done.file.path} is restored from {arguments.file}.")
        if kept:
            output.note(f"The replaced file is kept: {kept}")
    return Exit.DONE


def _source(given: Path, files: tuple[DataFile, ...]) -> Path:
    """The file that is named: a path, or the name of a backup. Raises :class:`UsageError` if there is neither."""
    from chartui.core.backups import backups_folder
    from chartui.core.paths import NOT_REGULAR

    path = given if given.exists() else backups_folder(files[0].path) / given
    if not path.exists():
        raise UsageError(f"there is no file {given}, and no backup with that name")
    if not path.is_file():
        raise UsageError(f"{given} cannot be restored: {NOT_REGULAR}")
    return path


def backups(arguments: Arguments, output: Output) -> int:
    """Write the daily copies of the profile's files, newest first."""
    found = list(_backups(_profile(arguments)))
    if output.as_json:
        output.json({"backups": found})
    else:
        rows = [[one["kind"], one["day"], str(one["size"]), one["file"]] for one in found]
        output.table(rows, header=["KIND", "DAY (UTC)", "BYTES", "FILE"], right={2})
        if not found:
            output.note("No backups yet: one is made before the first change of each day.")
    return Exit.DONE


def _backups(profile: Profile) -> Iterator[dict[str, Any]]:
    from chartui.core.backups import backups_of

    for file in _files(profile):
        for backup in backups_of(file.path):
            yield {"kind": file.what, "day": backup.day, "size": backup.size, "file": str(backup.path)}
