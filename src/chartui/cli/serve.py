"""``chartui serve``: serve an embedded store over HTTP on the loopback interface."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from chartui.cli.errors import UsageError
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import configuration, demo_data, embedded_profile, warn_of_lost_store
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation, Tier
from chartui.core.spec.operations import PORT

if TYPE_CHECKING:
    from chartui.core.backends.local.store import Account, Store
    from chartui.core.estimation.estimator import Estimator
    from chartui.core.jsontext import Wire
    from chartui.core.server.app import AccountBackend


def configure_serve(parser: Parser) -> None:
    parser.option("--port", "N", f"port to listen on, or 0 for any free port (default: {PORT})", type=int, default=PORT)
    parser.flag("--demo", "serve a throwaway store with one account for each tier", dest="throwaway")
    parser.option("--rate-card", "FILE", "rate card to use (default: the profile's rate card)")
    parser.option("--key-header", "NAME", "another header that may carry the API key (default: none)")


def serve(arguments: Arguments, output: Output) -> int:
    from tempfile import TemporaryDirectory

    from chartui.core.profiles import BUILT_IN
    from chartui.core.session import locked_by, store_path

    profile = BUILT_IN["demo"] if arguments.throwaway else embedded_profile(arguments)
    estimator = _estimator(arguments.rate_card or profile.rate_card)
    with ExitStack() as stack:
        if arguments.throwaway:
            path = Path(stack.enter_context(TemporaryDirectory(prefix="chartui-"))) / "store.db"
        else:
            path = store_path(profile)
        if not arguments.throwaway and not path.exists():
            warn_of_lost_store(profile, arguments)
        opener = _opener(path, backed_up=not arguments.throwaway)
        store = stack.enter_context(closing(opener()))
        accounts = _demo_accounts(store) if arguments.throwaway else _own_accounts(store)
        locked = locked_by(profile, arguments.read_only) is not None
        return asyncio.run(_serve(arguments, output, store, opener, estimator, accounts, locked))


def _estimator(rate_card: Path | None) -> Estimator:
    """The estimator of the server. Raises :class:`UsageError` now, not at the first request."""
    from chartui.core.estimation.card import load_card
    from chartui.core.estimation.estimator import Estimator

    with configuration():
        return Estimator(load_card(rate_card))


def _opener(path: Path, *, backed_up: bool) -> Callable[[], Store]:
    from chartui.core.backends.local.store import SCHEMA, Store
    from chartui.core.backups import DailyBackup

    return lambda: Store(path, before_writing=DailyBackup(path, SCHEMA) if backed_up else None)


def _demo_accounts(store: Store) -> list[Wire]:
    """An account for each tier with a copy of the demo characters. No other API keys are ever printed here."""
    accounts: list[Wire] = []
    for tier in Tier:
        account, key = store.add_account(tier)
        demo_data(store, account)
        accounts.append({"key": key, "tier": tier.value, "user_id": account.user_id})
    return accounts


def _own_accounts(store: Store) -> list[Wire]:
    with store.reading() as tables:
        keyed = tables.accounts.with_a_key()
    accounts: list[Wire] = [{"tier": account.tier.value, "user_id": account.user_id} for account in keyed]
    if not accounts:
        raise UsageError(
            "no account in the store has an API key; 'chartui store accounts --new-key local' creates one for your own "
            "account, and --demo serves demo data"
        )
    return accounts


async def _serve(
    arguments: Arguments,
    output: Output,
    store: Store,
    opener: Callable[[], Store],
    estimator: Estimator,
    accounts: Sequence[Wire],
    locked: bool,
) -> int:
    """Serve the store until a signal. ``store`` checks the API keys in this thread; requests use another connection."""
    from chartui.core.backends.local.backend import LocalBackend
    from chartui.core.server.app import make_app
    from chartui.core.server.run import CannotListen, serve

    backend = LocalBackend(opener, estimator=lambda: estimator)

    async def authenticate(key: str) -> Account | None:
        return store.authenticate(key)

    def backend_for(account: Account | None) -> AccountBackend:
        acting = backend.for_account(account)
        return _locked(acting) if locked else acting

    app = make_app(backend_for=backend_for, authenticate=authenticate, key_header=arguments.key_header)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    logging.getLogger("chartui.access").setLevel(logging.INFO)
    try:
        signal = await serve(
            app, port=arguments.port, on_ready=lambda base_url: _announce(base_url, accounts, arguments, output)
        )
    except CannotListen as error:
        raise UsageError(str(error), code="port") from None
    finally:
        await backend.aclose()
    return 128 + signal


def _locked(backend: AccountBackend) -> AccountBackend:
    """A read-only ``backend``. It refuses changes with the error that the operation uses for a tier that is too low."""
    from chartui.core.backends.layers import ReadOnly

    class Locked(ReadOnly):
        def authorize(self, operation: Operation) -> None:
            backend.authorize(operation)
            if operation.effect is not Effect.READ:
                raise ServiceError(ErrorKind.TIER, "This server is read-only; nothing was changed.")

    return Locked(backend)


def _announce(base_url: str, accounts: Sequence[Wire], arguments: Arguments, output: Output) -> None:
    if output.as_json:
        output.json({"base_url": base_url, "accounts": list(accounts)}, indent=None)
    else:
        output.text(base_url)
        if arguments.throwaway:  # one API key per line, since a table would cut it on a narrow terminal
            output.fields([(f"API key, tier {account['tier']}", account["key"]) for account in accounts])
        else:
            columns = ("tier", "user_id")
            output.table([[account[name] for name in columns] for account in accounts], header=("TIER", "ID"))
        output.note("Serving. Ctrl+C stops.")
    output.flush()
