"""The rows say what the documents and decision 27 say: the one place where both are written, so that they are compared.

The cases take paths, statuses and shapes from the rows; without this a slip in a row would go round unseen.
"""

from __future__ import annotations

from typing import Final

import pytest

from chartui.core.spec.errors import ErrorKind, ErrorShape
from chartui.core.spec.operation import Effect, Encoding, Operation, Retry, Tier
from chartui.core.spec.operations import KEY_HEADER, OPERATIONS

#: Method, path, encoding, effect, whether it may be sent again, the lowest tier; in the order of the documents.
TABLE: Final = """
get-estimate      GET   /api/v1/estimate                          query  read   always       -
estimate          POST  /api/v1/estimate                          json   read   always       -
options           GET   /api/v1/options                           none   read   always       -
update-character  POST  /character/update                         json   write  always       professional
list-models       POST  /character/getSupportedModel              json   read   always       professional
toggle-narrative  POST  /character/toggle-is-narrative-driven     json   write  always       free
create-section    POST  /character/narrative/create-section       json   write  unsent       free
edit-section      POST  /character/narrative/edit-section         json   write  always       free
get-section       POST  /character/narrative/get-section          json   read   always       free
list-sections     POST  /character/narrative/list-sections        json   read   always       free
delete-section    POST  /character/narrative/delete-section       json   write  unsent       free
create-trigger    POST  /character/narrative/create-trigger       json   write  unsent       free
update-trigger    POST  /character/narrative/update-trigger       json   write  always       free
delete-trigger    POST  /character/narrative/delete-trigger       json   write  unsent       free
get-trigger       POST  /character/narrative/get-trigger          json   read   always       free
list-triggers     POST  /character/narrative/list-triggers        json   read   always       free
get-response      POST  /character/getResponse                    form   act    unsent       professional
list-characters   POST  /character/list                           none   read   always       free
"""

_KINDS: Final = ("no_key", "bad_key", "tier", "invalid", "not_found", "conflict", "too_large", "internal")
#: Status and member (or text) of each kind of refusal, by group of rows.
ERRORS: Final = {
    "estimation": "- - - 400:error 404:error 409:error 413:error 500:error",
    "settings": "401:API_ERROR 401:API_ERROR 403:ERROR 400:ERROR 400:ERROR 409:ERROR 413:ERROR 500:ERROR",
    "tiered": "401:API_ERROR 401:API_ERROR 403:ERROR 400:ERROR 404:ERROR 409:ERROR 413:ERROR 500:ERROR",
    "narrative": "401:ERROR 401:ERROR 403:ERROR 400:ERROR 404:ERROR 409:ERROR 413:ERROR 500:ERROR",
    "list": "400:text 401:text 403:ERROR 400:ERROR 404:ERROR 409:ERROR 413:ERROR 500:text",
}
_GROUPS: Final = {
    "get-estimate": "estimation",
    "estimate": "estimation",
    "options": "estimation",
    "update-character": "settings",
    "list-models": "tiered",
    "get-response": "tiered",
    "list-characters": "list",
}


def _group(name: str) -> str:
    return _GROUPS.get(name, "narrative")


_WITH_PATH: Final = [row for row in OPERATIONS.values() if row.path is not None]


def test_the_rows_are_those_of_the_documents() -> None:
    again = {Retry.ALWAYS: "always", Retry.IF_NOT_SENT: "unsent"}
    found = [
        [row.name, row.method, row.path, row.encoding, row.effect, again[row.retry], row.tier or "-"]
        for row in _WITH_PATH
    ]
    assert found == [line.split() for line in TABLE.strip().splitlines()]


@pytest.mark.parametrize("row", _WITH_PATH, ids=lambda row: row.name)
def test_refusals_are_written_as_decided(row: Operation) -> None:
    expected = {}
    for kind, entry in zip(_KINDS, ERRORS[_group(row.name)].split(), strict=True):
        if entry != "-":
            status, _, shape = entry.partition(":")
            expected[ErrorKind(kind)] = (int(status), ErrorShape(shape))
    assert dict(row.errors) == expected


def test_what_has_no_path_needs_no_key_and_every_row_names_its_source() -> None:
    assert KEY_HEADER == "SERVICE-API-KEY"
    for row in OPERATIONS.values():
        assert row.source.startswith(("E ", "C ", "decision "))
        assert row.path is not None or row.tier is None


def test_only_the_action_endpoint_is_deprecated_and_costs() -> None:
    assert {row.name: row.deprecated for row in OPERATIONS.values() if row.deprecated} == {"get-response": "2026-08-26"}
    assert [row.name for row in OPERATIONS.values() if row.effect is Effect.ACT] == ["get-response"]
    assert [row.name for row in OPERATIONS.values() if row.encoding is Encoding.FORM] == ["get-response"]
    assert [tier.rank for tier in (Tier.FREE, Tier.PROFESSIONAL, Tier.ENTERPRISE)] == [0, 1, 2]
