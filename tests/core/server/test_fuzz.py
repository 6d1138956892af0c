"""The server fuzzed from its own document, over the real port."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS
from schemathesis.core.failures import FailureGroup

from chartui.core.spec.operation import Tier
from chartui.core.spec.operations import KEY_HEADER, OPERATIONS
from tests.core.server.local import Served, ask, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("fuzz") / "store.db") as running:
        yield running


@pytest.fixture(scope="module")
def ids(served: Served) -> dict[str, str]:
    """Ids that exist, by the members that carry them."""
    character = served.character()
    with served.client(Tier.PROFESSIONAL) as client:
        section = {"character_id": character, "section_name": "Start", "objective": "Begin"}
        trigger = {"character_id": character, "trigger_name": "Bell", "trigger_message": "It rings"}
        return {
            "charID": character,
            "character_id": character,
            "section_id": ask(client, OPERATIONS["create-section"], section).json()["section_id"],
            "trigger_id": ask(client, OPERATIONS["create-trigger"], trigger).json()["trigger_id"],
        }


@pytest.fixture(scope="module")
def api(served: Served) -> Any:
    return schemathesis.openapi.from_url(f"{served.url}/openapi.json")


#: What a schema cannot say: that an id exists, that two members agree, that a model has a level, that text is JSON.
NOT_ALL_VALID: Final = frozenset(
    {"update-character", "edit-section", "create-trigger", "update-trigger", "get-response"}
)
#: In a form everything is text: what the fuzzer means as a null or a number arrives as a word, and is one.
ALL_TEXT: Final = "get-response"
#: Without a key this one answers 400, not 401 (C 7).
BAD_WITHOUT_KEY: Final = "list-characters"


def excluded(operation: str) -> list[Any]:
    names = ["positive_data_acceptance"] if operation in NOT_ALL_VALID else []
    names += ["negative_data_rejection"] if operation == ALL_TEXT else []
    names += ["ignored_auth"] if operation == BAD_WITHOUT_KEY else []
    return [CHECKS.get_one(name) for name in names]


schema = schemathesis.pytest.from_fixture("api")


def in_the_document(case: Any, served: Served, ids: dict[str, str]) -> None:
    """Send a request, and compare its answer with what the document says of it."""
    if isinstance(case.body, dict):
        # An id made up by the fuzzer would end every request at the same place.
        case.body = {
            name: ids[name] if name in ids and isinstance(value, str) else value for name, value in case.body.items()
        }
    case.call_and_validate(
        headers={KEY_HEADER: served.keys[Tier.PROFESSIONAL]},
        excluded_checks=excluded(case.operation.definition.raw["operationId"]),
    )


#: One that reads, one that makes, one with many members, and one whose answer is large.
SAMPLE: Final = ("list-characters", "create-section", "update-character", "estimate")


@schema.include(operation_id=list(SAMPLE)).parametrize()
@settings(max_examples=2, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_answer_is_in_the_document(case: Any, served: Served, ids: dict[str, str]) -> None:
    in_the_document(case, served, ids)


@pytest.mark.long
@schema.parametrize()
@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_answer_to_many_requests_is_in_the_document(case: Any, served: Served, ids: dict[str, str]) -> None:
    in_the_document(case, served, ids)


def test_the_fuzzer_finds_a_broken_promise(served: Served) -> None:
    """The check above can fail: an answer that the document does not have is found."""
    broken = httpx.get(f"{served.url}/openapi.json", trust_env=False).json()
    broken["components"]["schemas"]["Estimate"]["required"] = ["nothing like it"]
    operation = schemathesis.openapi.from_dict(broken)["/api/v1/estimate"]["POST"]
    case = operation.Case(media_type="application/json", body={})
    with pytest.raises(FailureGroup, match="schema"):
        case.call_and_validate(base_url=served.url)
