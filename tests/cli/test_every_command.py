"""What holds for every command there is: found by walking the parser, so that the next one is held to it as well."""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from chartui.cli.parser import NOUNS, Parser, build_parser
from chartui.core.journal import PlanState
from chartui.core.jsontext import dumps
from chartui.core.plans.plan import Plan, Step, to_wire
from chartui.core.profiles import BUILT_IN
from chartui.core.session import open_session, store_path
from chartui.core.spec.operation import Effect
from chartui.core.spec.operations import OPERATIONS
from tests.conftest import SNAPSHOT_PYTHON
from tests.contract.samples import SAMPLES

from .conftest import Run

DEMO = BUILT_IN["demo"]


class Command(NamedTuple):
    """A command and its parser."""

    words: tuple[str, ...]
    parser: Parser

    @property
    def changes(self) -> bool:
        return any("--yes" in action.option_strings for action in self.parser._actions)


def commands(parser: argparse.ArgumentParser, *words: str) -> Iterator[Command]:
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    for action in below:
        for name, inner in action.choices.items():
            yield from commands(inner, *words, name)
    if words and not below:
        assert isinstance(parser, Parser)
        yield Command(words, parser)


def nouns(parser: argparse.ArgumentParser, *words: str) -> Iterator[tuple[str, ...]]:
    yield words
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from nouns(inner, *words, name)


EVERY: Final = {" ".join(command.words): command for command in commands(build_parser(NOUNS))}

#: Commands that are not about the data of a profile, and why they are not run below.
ELSEWHERE: Final = {
    "demo": "opens the terminal UI",
    "serve": "stays until it is stopped; its own lock is tested with it",
    "store seed": "fills one's own store beside the operations; refused under the lock by a test of its own",
    "profiles add": "changes the profiles",
    "profiles use": "changes the profiles",
    "profiles remove": "changes the profiles",
    "presets remove": "asks before it removes a file of this program's own, which the lock does not concern",
    "scenarios remove": "asks before it removes a file of this program's own, which the lock does not concern",
}
CHANGING: Final = [name for name, command in EVERY.items() if command.changes and name not in ELSEWHERE]
#: Options without which a command has nothing to do.
OPTIONS: Final[Mapping[str, list[str]]] = {
    "characters set": ["--temperature", "0.11"],
    "narrative lint": ["--fix"],
    "narrative import": ["--add"],
    "narrative sections edit": ["--name", "Another"],
    "narrative triggers edit": ["--name", "Another"],
    "narrative walk": ["--character", "{character_id}", "--random"],
    "call": ["--data", '{"charID": "{character_id}", "character_name": "Another"}'],
}


@pytest.fixture
def samples(demo_ids: dict[str, str], run: Run, own_folders: Path) -> dict[str, str]:
    """A value for every argument that must be given, by its name."""
    elena = demo_ids["Elena Marsh"]
    graph = run("narrative", "show", elena, "--json").value
    section_id, trigger_id = graph["sections"][1]["section_id"], graph["triggers"][0]["trigger_id"]
    asyncio.run(a_stopped_plan(elena))
    a_story = own_folders / "story.twee"
    a_story.write_text(":: Start\nA story of its own.\n")
    bundle_file = own_folders / "bundle.toml"
    bundle_file.write_text('format = "chartui-bundle"\nversion = 1\n\n[character]\ntemperature = 0.11\n')
    policy_file = own_folders / "policy.toml"
    policy_file.write_text('format = "chartui-policy"\nversion = 1\n\n[[rules]]\ncharacters = ["*"]\nmax_credits = 1\n')
    return {
        "character_id": elena,
        "character_ids": elena,
        "section_id": section_id,
        "section_ids": section_id,
        "destination": graph["sections"][2]["section_id"],
        "trigger_id": trigger_id,
        "trigger_ids": trigger_id,
        "plan_id": "stopped",
        "name": "Another",
        "new_name": "Yet another",
        "objective": "Something to do.",
        "message": "Something happens.",
        "text": "Hello.",
        "operation": "rename-character",
        "old": "current",
        "old_text": "gallery",
        "new_text": "hall",
        "new": "reference",
        "shell": "bash",
        "which": "lantern",
        "file": "copy.db",
        "story_file": str(a_story),
        "bundle_file": str(bundle_file),
        "policy_file": str(policy_file),
    }


async def a_stopped_plan(character_id: str) -> None:
    session = open_session(DEMO)
    payload = {"charID": character_id, "backstory": "Another."}
    steps = (Step(operation="update-character", payload=payload),)
    plan = Plan(id="stopped", title="Another story", steps=steps)
    await session.journal.keep_plan(DEMO.place, plan.id, plan.title, to_wire(plan), 1)
    await session.journal.end_plan(plan.id, PlanState.STOPPED)
    await session.aclose()


def line(name: str, samples: Mapping[str, str]) -> list[str]:
    """A command with all that it needs."""
    words = list(EVERY[name].words)
    for action in EVERY[name].parser._actions:
        if action.option_strings and action.required:
            words += [action.option_strings[0], value_for(name, action.dest, samples)]
        elif not action.option_strings and (action.nargs not in ("?", "*") or action.dest in samples):
            words.append(value_for(name, action.dest, samples))
    marks = {f"{{{dest}}}": value for dest, value in samples.items()}
    for word in OPTIONS.get(name, []):
        for mark, value in marks.items():
            word = word.replace(mark, value)
        words.append(word)
    return words


def value_for(name: str, dest: str, samples: Mapping[str, str]) -> str:
    assert dest in samples, f"'{name}' needs {dest}: give the tests a sample of it"
    return samples[dest]


def everything() -> str:
    with closing(sqlite3.connect(store_path(DEMO))) as connection:
        return "\n".join(connection.iterdump())


# -- help -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", nouns(build_parser(NOUNS)), ids=" ".join)
def test_everything_has_a_help_text(words: tuple[str, ...], run: Run) -> None:
    result = run(*words, "--help")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith(" ".join(["usage: chartui", *words]))
    _, _, after_usage = result.out.partition("\n\n")
    assert [text for text in after_usage.splitlines() if len(text) > 100] == []


@pytest.mark.skipif(sys.version_info[:2] != SNAPSHOT_PYTHON, reason="other versions lay help texts out otherwise")
@pytest.mark.parametrize("name", [name for name in EVERY if name.startswith(("characters ", "narrative "))])
def test_what_the_help_says(name: str, run: Run, golden: Callable[[str, str], None]) -> None:
    """In its own words: without what all commands have in common."""
    parts = run(*name.split(), "--help").out.rstrip("\n").split("\n\n")
    own = [part for part in parts if not part.startswith(("usage:", "global options:", "changing data:"))]
    golden(f"help-{name.replace(' ', '-')}.txt", "\n\n".join(own) + "\n")


def test_every_argument_says_what_it_is() -> None:
    assert [name for name, command in EVERY.items() if not command.parser.description] == []
    every = [(name, action) for name, command in EVERY.items() for action in command.parser._actions]
    assert [f"{name} {action.dest}" for name, action in every if not action.help] == []


# -- changes ----------------------------------------------------------------------------------------------------------


def test_the_changing_commands_are_found() -> None:
    assert {"characters set", "characters delete", "narrative triggers edit", "plans resume", "call"} <= set(CHANGING)


@pytest.mark.parametrize("name", CHANGING)
def test_a_change_is_refused_under_the_lock(name: str, run: Run, samples: dict[str, str]) -> None:
    prepared(name, run, samples)
    before = everything()
    result = run(*line(name, samples), "--yes", "--read-only", "--json")
    assert (result.status, result.out, result.error["code"]) == (2, "", "read_only")
    assert everything() == before


@pytest.mark.parametrize("name", [row.name for row in OPERATIONS.values() if row.effect is not Effect.READ])
def test_no_operation_but_a_read_passes_the_lock(name: str, run: Run, demo_ids: dict[str, str]) -> None:
    before = everything()
    result = run("call", name, "--data", dumps(SAMPLES[name]), "--yes", "--read-only", "--json")
    assert (result.status, result.out, result.error["code"]) == (2, "", "read_only")
    assert everything() == before


@pytest.mark.parametrize("name", CHANGING)
def test_a_change_is_not_made_unasked(name: str, run: Run, samples: dict[str, str]) -> None:
    prepared(name, run, samples)
    before = everything()
    result = run(*line(name, samples), "--json")
    assert (result.status, result.out, result.error["code"]) == (2, "", "unconfirmed")
    assert "--yes" in result.error["message"]
    assert everything() == before


@pytest.mark.parametrize("name", CHANGING)
def test_a_change_is_shown_without_being_made(name: str, run: Run, samples: dict[str, str]) -> None:
    prepared(name, run, samples)
    before = everything()
    for extra in ([], ["--json"], ["--read-only"]):
        result = run(*line(name, samples), "--dry-run", *extra)
        assert (result.status, result.out != "") == (0, True)
    assert everything() == before


@pytest.mark.parametrize("name", CHANGING)
def test_a_change_is_made_once_it_is_agreed_to(name: str, run: Run, samples: dict[str, str]) -> None:
    """So the comparisons above say something."""
    prepared(name, run, samples)
    before = everything()
    result = run(*line(name, samples), "--yes")
    assert (result.status, everything() != before) == (0, True), result.err


def prepared(name: str, run: Run, samples: dict[str, str]) -> None:
    """What has to be there for a command to have something to do."""
    if name == "undo":
        assert run("characters", "rename", samples["character_id"], "Somebody", "--yes").status == 0
    if name == "narrative lint":
        marks = {"objective": "<speak>Never closed."}
        edit = {name: samples[name] for name in ("character_id", "section_id")} | {"updated_data": marks}
        assert run("call", "edit-section", "--yes", "--data", dumps(edit)).status == 0
    if name in ("narrative enable", "narrative disable"):
        flag = {"character_id": samples["character_id"], "is_narrative_driven": name == "narrative disable"}
        assert run("call", "toggle-narrative", "--yes", "--data", dumps(flag)).status == 0


@pytest.mark.parametrize("name", [name for name in EVERY if name not in CHANGING and name not in ELSEWHERE])
def test_every_other_command_leaves_the_data_alone(
    name: str, run: Run, samples: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    before = everything()
    # An act costs, and says so itself; it leaves no more than when a character was last spoken to.
    locked = ["--read-only"] if name == "act" else []
    result = run(*line(name, samples), *locked)
    assert result.status in (0, 1, 2), result.err
    assert everything() == before
