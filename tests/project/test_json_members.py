"""The members that commands write with ``--json`` are public: ``UPDATE_GOLDEN=1`` lists them again, for review."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from json import JSONDecoder
from typing import Any, Final

from .pages import ROOT, kept

GOLDEN: Final = ROOT / "tests" / "cli" / "golden"
LIST: Final = ROOT / "tests" / "project" / "json_members.txt"
#: The outputs, and the members of others, that hold what is sent to a service or comes from it.
WIRE_OUTPUTS: Final = ("call-", "characters-show", "narrative-none", "narrative-sections-", "narrative-triggers-")
WIRE_MEMBERS: Final = frozenset({"payload", "expected", "answer", "before", "after", "models", "selections"})


def members(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for name, inner in value.items():
            if name not in WIRE_MEMBERS:
                yield from members(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from members(inner)


def test_every_public_member_is_listed() -> None:
    found = defaultdict(set)
    for path in sorted(GOLDEN.glob("*.json")):
        text = path.read_text(encoding="utf-8")
        if text.startswith(("{", "[\n")) and not path.name.startswith(WIRE_OUTPUTS):
            for member in members(JSONDecoder().raw_decode(text)[0]):
                found[member].add(path.name.partition("-")[0].removesuffix(".json"))
    assert len(found) > 100
    listed = "".join(f"{member}: {', '.join(sorted(commands))}\n" for member, commands in sorted(found.items()))
    assert kept(LIST, listed) == listed
