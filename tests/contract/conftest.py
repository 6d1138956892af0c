"""The store that every case starts from, and the server that all of them share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.world import Switch, Template, make_template
from tests.served import running_server


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return make_template(tmp_path_factory.mktemp("seed"))


@pytest.fixture(scope="session")
def server() -> Iterator[Switch]:
    switch = Switch()
    with running_server(switch) as base_url:
        switch.base_url = base_url
        yield switch
