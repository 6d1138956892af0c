"""``chartui store``: fill, back up, check and restore an embedded store and the files beside it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import database_file, database_output
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser, Verbs, add_verb, add_verbs
from chartui.cli.sessions import ask, chosen_profile, embedded_profile, lost_store, warn_of_lost_store
from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, SCHEMA, Store
from chartui.core.backups import DailyBackup, backups_folder, backups_of
from chartui.core.lock import refusal
from chartui.core.numbers import number_of
from chartui.core.paths import NOT_REGULAR
from chartui.core.profiles import Profile
from chartui.core.recovery import DataFile, data_files, examine
from chartui.core.recovery import restore as replace
from chartui.core.recovery import salvage as save
from chartui.core.session import locked_by, store_path, unlocking
from chartui.core.spec.operation import Tier

_MOST: Final = 10**7
_TIERS: Final = ("free", "professional", "enterprise")


def configure_store(parser: Parser) -> None:
    verbs = add_verbs(parser)
    verb = add_verb(verbs, "seed", "add generated characters; the same seed gives the same characters", seed)
    verb.option("--characters", "N", "number of characters (default: 100)", type=_count, default=100)
    verb.option(
        "--sections",
        "M",
        "number of sections in the graph of the first character (default: 40)",
        type=_count,
        default=40,
    )
    verb.option("--seed", "S", "random seed (default: 1)", type=int, default=1)
    verb = add_verb(verbs, "accounts", "list the accounts for 'chartui serve', or create an API key", accounts)
    keys = verb.add_mutually_exclusive_group()
    keys.option(
        "--add", "TIER", f"add an account of this tier ({', '.join(_TIERS)}) and print its API key", choices=_TIERS
    )
    keys.option("--new-key", "ACCOUNT", "create and print a new API key for this account ('local' is your own account)")
    verb = add_verb(verbs, "backup", "back up the store, even while it is in use", backup)
    verb.option("file", "FILE", "file to write", type=database_file)
    verb.flag("--force", "overwrite FILE")
    add_file_verbs(verbs)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _MOST):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to {_MOST}")
    return int(text)


@contextmanager
def _store(arguments: Arguments, *, writes: bool = False) -> Iterator[Store]:
    """Raises :class:`UsageError`, and :class:`~chartui.core.spec.errors.ServiceError` for an unusable file."""
    profile = embedded_profile(arguments)
    path = store_path(profile)
    if writes:
        _refuse_locked(profile, arguments, "changing the store")
    elif not path.exists():
        raise UsageError(_no_store(profile, path))
    if not path.exists():
        warn_of_lost_store(profile, arguments)
    store = Store(path, before_writing=DailyBackup(path, SCHEMA))
    try:
        yield store
    finally:
        store.close()


def _refuse_locked(profile: Profile, arguments: Arguments, action: str) -> None:
    if by := locked_by(profile, arguments.read_only):
        raise UsageError(refusal(by, action, unlocking(profile)), code="read_only")


def _no_store(profile: Profile, path: Path) -> str:
    return f"profile '{profile.name}' has no store yet: {path} is created on first use"


def seed(arguments: Arguments, output: Output) -> None:
    from chartui.core.backends.local.seed import seed as fill

    counts = {name: getattr(arguments, name) for name in ("characters", "sections", "seed")}
    with _store(arguments, writes=True) as store:
        fill(store, BUILT_IN_ACCOUNT, **counts)
        path = str(store.path)
    characters, sections = number_of(arguments.characters, "character"), number_of(arguments.sections, "section")
    output.report({"store": path, **counts}, f"{path}: {characters} added, the first with {sections}")


def accounts(arguments: Arguments, output: Output) -> None:
    if arguments.add or arguments.new_key:
        _new_key(arguments, output)
        return
    found = ask(arguments, lambda session: session.service.accounts(), profile=embedded_profile(arguments))
    if output.as_json:
        output.json({"accounts": [account.raw for account in found]})
    else:
        rows = [[account.user_id, account.tier, str(account.characters)] for account in found]
        output.table(rows, header=["ACCOUNT", "TIER", "CHARACTERS"], right={2})


def _new_key(arguments: Arguments, output: Output) -> None:
    with _store(arguments, writes=True) as store:
        if arguments.add:
            account, key = store.add_account(Tier(arguments.add))
        else:
            account, key = store.new_key(arguments.new_key)
    if output.as_json:
        output.json({"user_id": account.user_id, "tier": account.tier.value, "key": key})
    else:
        output.text(key)
        output.note(f"API key of account {account.user_id} ({account.tier}). It is shown only once and not stored.")


def backup(arguments: Arguments, output: Output) -> None:
    with _store(arguments) as store, database_output(arguments.file, replace=arguments.force) as scratch:
        store.backup(scratch)
    output.report({"file": str(arguments.file)}, f"store copied to {arguments.file}")


# -- the files --------------------------------------------------------------------------------------------------------


_KINDS: Final = ("store", "journal", "drafts", "seen")
_OF: Final = f"file to salvage: {', '.join(_KINDS)} (default: store)"


def add_file_verbs(verbs: Verbs) -> None:
    add_verb(verbs, "check", "check the store, journal, drafts and last-seen values for damage", check)
    verb = add_verb(verbs, "salvage", "save the readable part of a damaged file to a new file", salvage)
    verb.option("file", "FILE", "file to write", type=database_file)
    verb.add_argument("--from", dest="kind", choices=_KINDS, default=_KINDS[0], help=_OF)
    verb.flag("--force", "overwrite FILE")
    verb = add_verb(verbs, "restore", "restore the store, journal, drafts or last-seen values from a copy", restore)
    verb.option("file", "FILE", "copy to restore, or name of a backup", type=database_file)
    add_verb(verbs, "backups", "list the daily backups", backups)


def _profile(arguments: Arguments) -> Profile:
    return chosen_profile(arguments, otherwise="local")


def check(arguments: Arguments, output: Output) -> int:
    profile = _profile(arguments)
    files = data_files(profile)
    found = [(file, examine(file) if file.path.exists() else None) for file in files]
    lost = lost_store(profile, arguments)
    if lost is None and all(one is None for _, one in found):
        raise UsageError(_no_store(profile, files[0].path))
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
        output.sentences(problems)
        if problems:
            output.note(
                "'chartui store salvage FILE' saves the readable part; 'chartui store restore' restores a backup"
            )
    return Exit.STORE if problems else Exit.DONE


def _state(found: Any) -> str:
    return "missing" if found is None else "damaged" if found.problems else "sound"


def _rows(rows: Mapping[str, int]) -> str:
    return ", ".join(f"{table} {count}" for table, count in rows.items())


def salvage(arguments: Arguments, output: Output) -> int:
    file = next((file for file in data_files(_profile(arguments)) if file.what == arguments.kind), None)
    if file is None or not file.path.exists():
        raise UsageError(f"the profile has no {arguments.kind} file")
    with database_output(arguments.file, replace=arguments.force) as scratch:
        saved = save(file, scratch)
    if output.as_json:
        output.json({"file": str(arguments.file), "rows": dict(saved.rows), "lost": list(saved.lost)})
    else:
        output.text(f"{arguments.file}: {_rows(saved.rows)}")
        for line in saved.lost:
            output.sentence(f"lost: {line}")
        output.note(
            f"{file.path} was not changed. 'chartui store restore {arguments.file}' replaces it with the new file."
        )
    return Exit.NO if saved.lost else Exit.DONE


def restore(arguments: Arguments, output: Output) -> None:
    profile = _profile(arguments)
    _refuse_locked(profile, arguments, "restoring a file")
    files = data_files(profile)
    done = replace(_source(arguments.file, files), files)
    kept = str(done.kept) if done.kept else None
    path = str(done.file.path)
    output.report({"file": path, "kind": done.file.what, "replaced": kept}, f"{path} restored from {arguments.file}.")
    if kept:
        output.note(f"The replaced file was kept as {kept}")


def _source(given: Path, files: tuple[DataFile, ...]) -> Path:
    path = given if given.exists() else backups_folder(files[0].path) / given
    if not path.exists():
        raise UsageError(f"no file or backup is named {given}")
    if not path.is_file():
        raise UsageError(f"{given} cannot be restored: {NOT_REGULAR}")
    return path


def backups(arguments: Arguments, output: Output) -> None:
    found = [
        {"kind": file.what, "day": one.day, "size": one.size, "file": str(one.path)}
        for file in data_files(_profile(arguments))
        for one in backups_of(file.path)
    ]
    if output.as_json:
        output.json({"backups": found})
    else:
        rows = [[str(value) for value in one.values()] for one in found]
        output.table(rows, header=["KIND", "DAY (UTC)", "BYTES", "FILE"], right={2})
        if not found:
            output.note("No backups yet. A backup is made before the first change of each day.")
