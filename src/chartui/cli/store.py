"""``chartui store``: looking after an embedded store."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import add_force, database_file, database_output
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.sessions import ask, embedded_profile, warn_of_lost_store
from chartui.cli.store import add_file_verbs

if TYPE_CHECKING:
    from chartui.core.backends.local.store import Store

__all__ = ["configure"]

_MOST: Final = 10**7
_TIERS: Final = ("free", "professional", "enterprise")


def configure(parser: Parser) -> None:
    """Add the verbs."""
    verbs = add_verbs(parser)
    verb = add_verb(verbs, "seed", "add made-up characters, the same for the same seed", seed)
    verb.add_argument("--characters", type=_count, default=100, metavar="N", help="how many (100)")
    verb.add_argument("--sections", type=_count, default=40, metavar="M", help="sections of the first one's graph (40)")
    verb.add_argument("--seed", type=int, default=1, metavar="S", help="what chance starts from (1)")
    verb = add_verb(verbs, "accounts", "the accounts that a served store knows", accounts)
    keys = verb.add_mutually_exclusive_group()
    keys.add_argument("--add", choices=_TIERS, metavar="TIER", help=f"add one ({', '.join(_TIERS)}) and print its key")
    keys.add_argument(
        "--new-key", metavar="ACCOUNT", help="give one a new key and print it; 'local' is who owns what is made here"
    )
    verb = add_verb(verbs, "backup", "copy the store, also while it is in use", backup)
    verb.add_argument("file", type=database_file, metavar="FILE", help="the file to write")
    add_force(verb, "overwrite FILE")
    add_file_verbs(verbs)


def _count(text: str) -> int:
    """A number of things to make: whole, and not so large that it can only be a slip."""
    if not (text.isascii() and text.isdigit() and int(text) <= _MOST):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to {_MOST}")
    return int(text)


@contextmanager
def _store(arguments: Arguments, *, writes: bool = False) -> Iterator[Store]:
    """The chosen profile's store itself, for what no operation does; one that is not there is made only to be filled.

    Raises :class:`UsageError`, and :class:`~chartui.core.spec.errors.ServiceError` for a file that cannot be used.
    """
    from chartui.core.backends.local.store import SCHEMA, Store
    from chartui.core.backups import DailyBackup
    from chartui.core.lock import refusal
    from chartui.core.session import locked_by, store_path, unlocking

    profile = embedded_profile(arguments)
    path = store_path(profile)
    if writes and (by := locked_by(profile, arguments.read_only)):
        raise UsageError(refusal(by, "changing the store", unlocking(profile)), code="read_only")
    if not writes and not path.exists():
        raise UsageError(f"profile '{profile.name}' has no store yet: {path} is made when it is first used")
    if not path.exists():
        warn_of_lost_store(profile, arguments)
    store = Store(path, before_writing=DailyBackup(path, SCHEMA))
    try:
        yield store
    finally:
        store.close()


def seed(arguments: Arguments, output: Output) -> int:
    """Add the characters to the account that embedded profiles act as."""
    from chartui.core.backends.local.seed import seed as fill
    from chartui.core.backends.local.store import BUILT_IN_ACCOUNT

    counts = {name: getattr(arguments, name) for name in ("characters", "sections", "seed")}
    with _store(arguments, writes=True) as store:
        fill(store, BUILT_IN_ACCOUNT, **counts)
        path = str(store.path)
    if output.as_json:
        output.json({"store": path, **counts})
    else:
        output.note(f"{path}: {arguments.characters} characters more, {arguments.sections} sections in the first one")
    return Exit.DONE


def accounts(arguments: Arguments, output: Output) -> int:
    """Write the accounts, or a new key for one of them, which cannot be had again."""
    if arguments.add or arguments.new_key:
        return _new_key(arguments, output)
    found = ask(arguments, lambda session: session.service.accounts(), profile=embedded_profile(arguments))
    if output.as_json:
        output.json({"accounts": [account.raw for account in found]})
    else:
        rows = [[account.user_id, account.tier, str(account.characters)] for account in found]
        output.table(rows, header=["ACCOUNT", "TIER", "CHARACTERS"], right={2})
    return Exit.DONE


def _new_key(arguments: Arguments, output: Output) -> int:
    from chartui.core.spec.operation import Tier

    with _store(arguments, writes=True) as store:
        if arguments.add:
            account, key = store.add_account(Tier(arguments.add))
        else:
            account, key = store.new_key(arguments.new_key)
    if output.as_json:
        output.json({"user_id": account.user_id, "tier": account.tier.value, "key": key})
    else:
        output.text(key)
        output.note(f"the key of account {account.user_id} ({account.tier}); it is shown this once and kept nowhere")
    return Exit.DONE


def backup(arguments: Arguments, output: Output) -> int:
    """Copy the store into a file that only its owner can read."""
    with _store(arguments) as store, database_output(arguments.file, replace=arguments.force) as scratch:
        store.backup(scratch)
    if output.as_json:
        output.json({"backup": str(arguments.file)})
    else:
        output.note(f"{arguments.file} is a copy of the store")
    return Exit.DONE
