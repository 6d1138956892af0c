"""The server fuzzed from its own document, over the real port."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from chartui.core.spec.operations import KEY_HEADER, OPERATIONS, Tier
from tests.core.server.local import Served, ask, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over a store of its own."""
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
    """The served document."""
    return schemathesis.openapi.from_url(f"{served.url}/openapi.json")


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_answer_is_in_the_document(case: Any, served: Served, ids: dict[str, str]) -> None:
    if isinstance(case.body, dict):
        # An id made up by the fuzzer would end every request at the same place.
        case.body = {
            name: ids[name] if name in ids and isinstance(value, str) else value for name, value in case.body.items()
        }
    case.call_and_validate(headers={KEY_HEADER: served.keys[Tier.PROFESSIONAL]})
