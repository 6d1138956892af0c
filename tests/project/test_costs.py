"""The policy of ``.ci/costs`` holds on the demo data: ``UPDATE_GOLDEN=1`` stores the costs again, for review."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from chartui.core.jsontext import loads
from chartui.main import main

FOLDER: Final = Path(__file__).parents[2] / ".ci" / "costs"


def test_the_costs_stay_within_the_policy(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", str(FOLDER / "policy.toml"), "--json"]
    if os.environ.get("UPDATE_GOLDEN"):
        assert main([*words, "--update-baseline"]) == 0
        capsys.readouterr()
    status = main(words)
    out, err = capsys.readouterr()
    assert (status, err) == (0, ""), out
    found = loads(out)
    assert {check["kind"] for check in found["checks"]} == {"preset", "character", "bundle"}
    # Not cheaper either, so that the baseline never lags behind.
    assert {check["growth_percent"] for check in found["checks"]} == {0}
