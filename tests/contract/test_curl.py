"""A call that is copied as ``curl`` asks what the program asked: the answers are the same, byte for byte."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path as FilePath

import pytest

from chartui.core.backends.base import Context
from chartui.core.credentials import KEY_VARIABLE
from chartui.core.jsontext import Wire, dumps
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.reproduce import as_curl
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import operation
from tests.contract.samples import SAMPLES, WITH_PATH
from tests.contract.seed import KEEPER
from tests.contract.world import Account, Path, Switch, Template, World

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")

#: What breaks out of a careless quotation, and is a text like any other.
NASTY = 'it\'s "$HOME" `id` \\ $(id) @file é 静\n\ttab;&|<>!#%\x7f\x1b[201~\u202e'


async def _curled(row: Operation, payload: dict[str, Wire], world: World) -> str:
    profile = Profile(name="contract", kind=ProfileKind.REMOTE, base_url=world.base_url)
    command = as_curl(row, payload, profile)
    assert command is not None
    key = world.template.keys[Account.PROFESSIONAL]
    assert key not in command
    process = await asyncio.create_subprocess_exec(
        "sh",
        "-c",
        command,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], KEY_VARIABLE: key, "http_proxy": "http://[::1]:9"},
    )
    written, _ = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 0
    return written.decode()


async def _compare(row: Operation, payload: dict[str, Wire], opened: tuple[Template, FilePath, Switch]) -> str:
    """The answer to both, each on a store of its own with the same ids to come."""
    async with World.opened(Path.SOCKET, *opened) as world:
        asked = await world.connect().perform(row, payload, Context())
    async with World.opened(Path.SOCKET, *opened) as world:
        curled = await _curled(row, payload, world)
    assert curled == dumps(asked.body)
    return curled


@pytest.mark.parametrize("row", WITH_PATH, ids=lambda row: row.name)
def test_curl_gets_the_same_answer(row: Operation, template: Template, tmp_path: FilePath, server: Switch) -> None:
    asyncio.run(_compare(row, SAMPLES[row.name], (template, tmp_path, server)))


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("create-trigger", {"character_id": KEEPER, "trigger_name": NASTY, "trigger_message": NASTY}),
        (
            "get-response",
            {"charID": KEEPER, "userText": NASTY, "actions": ["go", "it's"], "classification": "multistep"},
        ),
        ("get-estimate", {"llm": "mdla_4o", "memory": True, "inputTokens": 12}),
    ],
)
def test_no_text_breaks_out_of_its_quotation(
    name: str, payload: dict[str, Wire], template: Template, tmp_path: FilePath, server: Switch
) -> None:
    said = asyncio.run(_compare(operation(name), payload, (template, tmp_path, server)))
    if name == "create-trigger":
        assert dumps(NASTY) in said
