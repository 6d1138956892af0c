"""What a case is, and the list of all of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operations import OPERATIONS
from tests.contract.world import EVERY_PATH, Account, Path, World

__all__ = ["CASES", "Case", "Run", "add", "case", "refuses"]

Run = Callable[[World], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing that ``operation`` does: succeed (``outcome`` None) or refuse in one way.

    ``decisions`` are the numbers of the decisions that it shows.
    """

    id: str
    operation: str
    outcome: ErrorKind | None
    decisions: frozenset[int]
    paths: tuple[Path, ...]
    run: Run


#: Every case by its id.
CASES: Final[dict[str, Case]] = {}


def add(
    name: str,
    operation: str,
    run: Run,
    *,
    outcome: ErrorKind | None = None,
    decisions: Iterable[int] = (),
    paths: tuple[Path, ...] = EVERY_PATH,
) -> None:
    """Put a case on the list."""
    assert operation in OPERATIONS, operation
    made = Case(
        id=f"{operation}: {name}",
        operation=operation,
        outcome=outcome,
        decisions=frozenset(decisions),
        paths=paths,
        run=run,
    )
    assert made.id not in CASES, made.id
    CASES[made.id] = made


def case(
    operation: str,
    outcome: ErrorKind | None = None,
    *,
    decisions: Iterable[int] = (),
    paths: tuple[Path, ...] = EVERY_PATH,
) -> Callable[[Run], Run]:
    """The function under this is a case; its name in words is what the case is called."""

    def decorate(run: Run) -> Run:
        add(run.__name__.replace("_", " "), operation, run, outcome=outcome, decisions=decisions, paths=paths)
        return run

    return decorate


def refuses(
    operation: str,
    kind: ErrorKind,
    name: str,
    payload: Mapping[str, Wire],
    *words: str,
    decisions: Iterable[int] = (),
    account: Account = Account.PROFESSIONAL,
    paths: tuple[Path, ...] = EVERY_PATH,
) -> None:
    """A case in one line: ``operation`` with ``payload`` is refused in words that hold all of ``words``."""

    async def run(world: World) -> None:
        await world.refused(operation, payload, kind, *words, account=account)

    add(name, operation, run, outcome=kind, decisions=decisions, paths=paths)
