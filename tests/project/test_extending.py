"""The page about extending the program: its examples are put into the program and do what the page says."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from typing import Any

import pytest

from chartui.commands import COMMANDS
from chartui.core.backends.local import handlers
from chartui.core.narrative import lint as linting
from chartui.core.narrative.lint import findings
from chartui.core.narrative.lint.findings import RULES
from chartui.core.narrative.story import Story
from chartui.core.profiles import BUILT_IN
from chartui.core.service import Service
from chartui.core.session import open_session
from chartui.core.spec import operations
from chartui.core.spec.models import local
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.shape import build
from chartui.demos.sample import fill
from chartui.keymap import make_keymap
from chartui.main import main

from .pages import DOCS, blocks

PAGE = (DOCS / "extending.md").read_text(encoding="utf-8")


def example(heading: str) -> list[dict[str, Any]]:
    """What each Python block below a heading defines, and those before it."""
    _, _, after = PAGE.partition(f"\n## {heading}\n")
    # As a module that is there: the names of a class's types are looked up in the module that it says it is of.
    found: list[dict[str, Any]] = [{"__name__": __name__}]
    for block in blocks(after.partition("\n## ")[0], "python"):
        found.append(dict(found[-1]))
        exec(compile(f"from __future__ import annotations\n{block}", heading, "exec"), found[-1])
    return found[1:]


def test_the_rate_card_has_the_price_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    [card] = blocks(PAGE, "toml")
    assert tomllib.loads(card)["format"] == "chartui-rate-card"
    Path("mine.toml").write_text(card, encoding="utf-8")
    assert main(["estimate", "--rate-card", "mine.toml"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("2.65 credits")
    assert "2.65 credits" in PAGE


def test_the_rule_finds_what_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, made = example("A lint rule for stories")
    for module in (findings, linting):
        monkeypatch.setattr(module, "RULES", {**RULES, made["row"].id: made["row"]})
    monkeypatch.setattr(linting, "_CHECKS", (made["_crowded"],))

    def with_decisions(number: int) -> Story:
        ways = [{"criteria": str(way), "next_section_id": "hall"} for way in range(number)]
        hall = build(Section, {"section_id": "hall", "section_name": "Hall", "objective": "…", "decisions": ways})
        return Story.of(None, (hall,), ())

    assert linting.lint(with_decisions(9)) == ()
    [finding] = linting.lint(with_decisions(10))
    assert (finding.rule, finding.message) == (made["row"], "has 10 decisions")


def test_the_command_has_a_key_that_is_free() -> None:
    [made] = example("A command and its key")
    row = made["row"]
    assert row.id not in {command.id for command in COMMANDS}
    assert make_keymap({row.id: row.keys}, (*COMMANDS, row)).problems == ()
    assert (len(row.title) <= 33, len(row.help) <= 58) == (True, True)


def test_the_operation_is_performed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, models, handling, methods = example("An operation")
    row = rows["row"]
    assert row.name not in operations.OPERATIONS
    monkeypatch.setattr(operations, "OPERATIONS", {**operations.OPERATIONS, row.name: row})
    monkeypatch.setattr(handlers, "HANDLERS", {**handlers.HANDLERS, row.name: handling["count_sections"]})
    monkeypatch.setattr(local, "SectionCount", models["SectionCount"], raising=False)
    monkeypatch.setattr(Service, "count_sections", methods["count_sections"], raising=False)

    async def counted() -> tuple[int, int]:
        session = open_session(BUILT_IN["demo"], fill=fill)
        try:
            first = (await session.service.summaries())[0].character_id
            told: int = await session.service.count_sections(first)  # type: ignore[attr-defined]
            return told, len(await session.service.sections(first))
        finally:
            await session.aclose()

    told, there = asyncio.run(counted())
    assert told == there > 0
