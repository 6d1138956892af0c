"""``docs/operations.md`` is made from the rows of the specification: ``UPDATE_GOLDEN=1`` writes it anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operation import KIB, MIB, Effect, Errors, Operation, Retry
from chartui.core.spec.operations import ESTIMATION_PREFIX, KEY_HEADER, OPERATIONS

from .pages import DOCS, cell, kept, table

PAGE = DOCS / "operations.md"

_HEAD: Final = f"""\
# The operations

This page lists all operations. Every request that chartui sends performs one of them. `chartui call NAME` performs any
operation ([cli.md](cli.md#chartui-call)). `chartui serve` serves the operations that have a path, and describes them at
`/openapi.json`.

* **Effect**: `read` changes nothing, `write` changes data, and `act` changes no settings but costs credits. A read-only
  lock refuses `write` operations. It also refuses `act` operations unless the profile has `allow_act`.
* **Retry**: when a failed request is repeated. With *always*, it is repeated after any temporary failure. With *if
  not sent*, it is repeated only if it certainly never reached the service, because the operation must not be performed
  twice.
* **Tier**: the lowest subscription level that may use the operation. The API key is sent in the header `{KEY_HEADER}`;
  operations without a tier need no API key.
* **Response**: the size limit of the response. Responses that grow with your data are requested with gzip, and the
  [profile](configuration.md#profiles) sets their limits: `answer_limit_mib` for the uncompressed size, and
  `read_timeout` and `transfer_timeout` for the time.
"""

_LOCAL: Final = """\
## Only in an embedded store

The `demo` and `local` profiles also have these operations. On a service, they are refused before anything is sent.
"""

_ERRORS: Final = """\
## Errors

The table shows the HTTP status of each refusal and the form of its message: either the `error`, `ERROR` or
`API_ERROR` member of an object, or plain text. Refusals by an embedded store are of the same kinds but have no status.
"""

_EFFECTS: Final = {Effect.READ: "read", Effect.WRITE: "write", Effect.ACT: "act"}
_RETRIES: Final = {Retry.ALWAYS: "always", Retry.IF_NOT_SENT: "if not sent"}
_SAID: Final = (
    ErrorKind.INVALID,
    ErrorKind.NO_KEY,
    ErrorKind.BAD_KEY,
    ErrorKind.TIER,
    ErrorKind.NOT_FOUND,
    ErrorKind.CONFLICT,
    ErrorKind.TOO_LARGE,
    ErrorKind.INTERNAL,
)


def size(octets: int | None) -> str:
    if octets is None:
        return "set by the profile"
    return f"{octets // MIB} MiB" if octets >= MIB else f"{octets // KIB} KiB"


def over_http(rows: Iterable[Operation]) -> Iterator[list[str]]:
    for row in rows:
        late = f"; deprecated since {row.deprecated}" if row.deprecated else ""
        yield [
            f"`{row.name}`",
            cell(row.summary + late),
            f"`{row.method} {row.path}`",
            row.encoding.value,
            _EFFECTS[row.effect],
            _RETRIES[row.retry],
            "–" if row.tier is None else row.tier.value,
            size(row.answer_cap),
        ]


def in_a_store(rows: Iterable[Operation]) -> Iterator[list[str]]:
    for row in rows:
        yield [f"`{row.name}`", cell(row.summary), _EFFECTS[row.effect], _RETRIES[row.retry]]


def refusals(rows: Iterable[Operation]) -> Iterator[list[str]]:
    alike: dict[tuple[tuple[ErrorKind, str], ...], list[str]] = {}
    for row in rows:
        alike.setdefault(tuple(_refused(row.errors)), []).append(f"`{row.name}`")
    for said, names in alike.items():
        found = dict(said)
        yield [", ".join(names), *(found.get(kind, "–") for kind in _SAID)]


def _refused(errors: Errors) -> Iterator[tuple[ErrorKind, str]]:
    for kind, (status, shape) in errors.items():
        yield kind, f"{status} `{shape.value}`" if shape.value != "text" else f"{status} text"


def reference() -> str:
    """``docs/operations.md``."""
    rows = list(OPERATIONS.values())
    served, local = [row for row in rows if row.path is not None], [row for row in rows if row.path is None]
    estimation = [row for row in served if str(row.path).startswith(ESTIMATION_PREFIX)]
    characters = [row for row in served if row not in estimation]
    head = ("operation", "what it does", "path", "payload", "effect", "retry", "tier", "response")
    return "\n".join(
        [
            _HEAD,
            f"## Estimation\n\n{table(head, over_http(estimation))}",
            f"## Characters, stories and actions\n\n{table(head, over_http(characters))}",
            _LOCAL,
            table(("operation", "what it does", "effect", "retry"), in_a_store(local)),
            _ERRORS,
            table(("operations", *(f"`{kind.value}`" for kind in _SAID)), refusals(served)),
        ]
    )


def test_the_reference_is_made_from_the_rows() -> None:
    assert kept(PAGE, reference()) == reference()


def test_every_refusal_that_a_row_has_is_a_column() -> None:
    assert {kind for row in OPERATIONS.values() for kind in row.errors} == set(_SAID)
