"""The documents do what they say: what they show is run, and so is what they and the help texts only name."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from chartui.cli.parser import NOUNS, build_parser, parse
from chartui.core.backends.local.store import Store
from chartui.core.estimation.scenario import Scenarios
from chartui.core.paths import private_folder
from chartui.core.profiles import BUILT_IN
from chartui.core.session import store_path
from chartui.demos.sample import fill
from chartui.main import main

from .pages import DOCS, DOCUMENTS, ROOT, blocks, prose

README = (ROOT / "README.md").read_text(encoding="utf-8")
TEXTS = [path.read_text(encoding="utf-8") for path in DOCUMENTS]
PROGRAM = Path(sys.executable).with_name("chartui")

#: What is not run but only understood, by the words it holds, and why.
ONLY_UNDERSTOOD = {
    "serve": "stays until it is stopped",
    "demo": "opens the terminal UI",
    "work": "is about a service that is not there",
    "live": "is about another one",
    "--read-write": "is about a profile that an earlier command has added",
    "--draft": "is about what is composed on the screen",
}


def sessions() -> list[list[tuple[str, str]]]:
    return [
        [(command, shown) for command, _, shown in (part.partition("\n") for part in block.split("$ ")[1:])]
        for document in TEXTS
        for block in blocks(document, "console")
    ]


#: What stands for an id in a command line.
PLACEHOLDER = re.compile(r"\b(?:ID|OTHER|SECTION|TRIGGER|EMPTY)\b")
#: Lines that are no command of the program, by how they begin, and what shows that they work.
OF_OTHERS = {
    "script/": "the scripts have tests of their own",
    "UPDATE_GOLDEN=1 script/test ": "how the made parts of the documents are made, with every one of their tests",
    "(umask 077; cat > ~/.try-key)": "writes what is pasted",
    "uv tool install .": "the wheel is built and installed by a test of its own",
    "pipx install .": "the same",
    "pip wheel .": "the same",
    "pip install --no-index ": "the same",
    "pytest ": "the plugin is tested on a copy of the example",
}


def lines() -> Iterator[str]:
    """The command lines that are only named."""
    for document in TEXTS:
        for block in blocks(document, "sh"):
            yield from block.replace("\\\n", " ").splitlines()


def named() -> Iterator[str]:
    yield from (line for line in lines() if line.split(" ")[0] == "chartui")


def in_help() -> Iterator[str]:
    yield from _examples(build_parser(NOUNS))


def _examples(parser: argparse.ArgumentParser) -> Iterator[str]:
    text = (parser.epilog or "").replace("\\\n", " ")
    yield from (line.strip() for line in text.splitlines() if line.startswith("  chartui "))
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _examples(inner)


def pattern_of(shown: str) -> str:
    """``shown`` as a pattern in which ``…`` stands for anything, on a line of its own for any lines."""
    pattern = "".join(".*" if part == "…" else re.escape(part) for part in re.split("(…)", shown))
    return rf"{pattern}\s*"


@pytest.fixture(scope="module")
def demo_data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A store with the demo data, and the ids that the words in capitals stand for."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    with closing(Store(path)) as store:
        fill(store)
        with store.reading() as tables:
            ids = [found["character_id"] for found in tables.characters.summaries("local")[:2]]
            sections = [one["section_id"] for one in tables.narrative.sections.all(ids[0])]
            [trigger, *_] = tables.narrative.triggers.all(ids[0])
    return path, {"ID": ids[0], "OTHER": ids[1], "SECTION": sections[1], "TRIGGER": trigger["trigger_id"]}


@pytest.fixture
def demo_ids(demo_data: tuple[Path, dict[str, str]], own_folders: Path) -> Mapping[str, str]:
    """The ids, once the demo profile has a copy of the store: made once and not by every test."""
    path, ids = demo_data
    here = store_path(BUILT_IN["demo"])
    private_folder(here.parent)
    shutil.copy(path, here)
    return ids


@pytest.mark.parametrize("session", sessions(), ids=lambda session: session[0][0])
def test_what_is_shown_is_what_comes(
    session: list[tuple[str, str]], demo_ids: Mapping[str, str], tmp_path: Path
) -> None:
    for command, shown in session:
        words = shlex.split(command)
        assert words[0] == "chartui"
        if "ID" in words:
            words[words.index("ID")] = demo_ids["ID"]
        done = subprocess.run(
            [PROGRAM, *words[1:]],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        # On a slow machine, how far it has come is noted meanwhile.
        came = re.sub(r"^\d+ of \d+ steps? done\n", "", done.stdout, flags=re.MULTILINE)
        fits = re.fullmatch(pattern_of(shown), came, re.DOTALL) is not None
        assert fits, f"{command}\n{done.stdout}"


@pytest.mark.parametrize("line", dict.fromkeys([*named(), *in_help()]))
def test_what_is_named_works(
    line: str,
    demo_ids: Mapping[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """On the demo data, whose first character stands for whichever is meant."""
    monkeypatch.chdir(tmp_path)
    command, _, _ = line.partition(" < ")  # the shell's part
    words = shlex.split(command, comments=True)[1:]
    arguments = parse(words)
    if arguments.handler is None or set(words) & ONLY_UNDERSTOOD.keys():  # without a command it opens the terminal UI
        return
    if {"--yes", "--dry-run"} <= {name for name, _ in _options(words)} and "--yes" not in words:
        words.append("--dry-run")
    meant = dict(demo_ids)
    if "EMPTY" in words:
        assert main(["characters", "create", "Somebody", "--yes"]) == 0
        meant["EMPTY"] = capsys.readouterr().out.strip()
    words = [PLACEHOLDER.sub(lambda found: meant[found[0]], word) for word in words]
    _make_files(words, meant["ID"])
    capsys.readouterr()
    status = main(words)
    out, err = capsys.readouterr()
    assert (status, bool(out + err)) == (0, True), err


def _make_files(words: list[str], character: str) -> None:
    """What the words read: a scene, turns that were recorded, a walk, a character, a story, rates, or a store."""
    for word in words if "import" in words else ():
        if word.endswith((".twee", "/")):
            story = Path(word, "all.twee") if word.endswith("/") else Path(word)
            story.parent.mkdir(exist_ok=True)
            story.write_text(":: Start\nIt begins. [[Go->End]]\n\n:: End\nIt ends.\n", encoding="utf-8")
    for option, writes in (("--scene", "--save-scene"), ("--replay", "--record")):
        if option in words:
            scene = ["Mira takes the key.", "--actions", "Takes", "--objects", "Key=of brass", "--multistep"]
            assert main(["act", character, *scene, writes, words[words.index(option) + 1]]) == 0
    if words[0] == "check":
        [policy] = blocks((DOCS / "scripting.md").read_text(encoding="utf-8"), "toml")
        Path(words[1]).write_text(policy, encoding="utf-8")
        Path("characters").mkdir()
        assert main(["presets", "save", "Kiosk", "--llm", "mdlc_2_5_flash_lite"]) == 0
        assert main(["pull", character, "characters/elena.toml"]) == 0
        assert main([*words[:2], "--update-baseline"]) == 0
    if {"--baseline", "--fail-over"} <= set(words):
        assert main([*words[: words.index("--fail-over")], "--update-baseline"]) == 0
    if {"push", "diff"} & set(words):
        path = next(word for word in words if word.endswith(".toml"))
        assert main(["--profile", "demo", "pull", character, path]) == 0
    if words[0] == "estimate" and "--rate-card" in words:
        [card] = blocks((DOCS / "extending.md").read_text(encoding="utf-8"), "toml")
        Path(words[words.index("--rate-card") + 1]).write_text(card, encoding="utf-8")
    if words[0] == "store":
        assert main(["--profile", "local", "characters", "list"]) == 0  # a store is made when it is first used
    if "walks" in words and "--cover" not in words:
        assert main(["narrative", "walk", "--character", character, "--cover", "walks"]) == 0
    if "narrative" in words and "--scenario" in words:
        name = words[words.index("--scenario") + 1]
        assert main(["scenarios", "save", "Museum", "--input-tokens", "1500"]) == 0
        if name.endswith(".toml"):
            Path(name).write_text(Scenarios().written(Scenarios().get("Museum")), encoding="utf-8")
    for before, word in pairwise(words) if {"walk", "lint", "stats"} & set(words) else ():
        if before == "--bundle":
            assert main(["pull", character, word]) == 0
        elif word.endswith(".toml") and before not in ("--save", "--scenario"):
            assert main(["narrative", "walk", "--character", character, "--save", word]) == 0


def _options(words: list[str]) -> Iterator[tuple[str, argparse.Action]]:
    parser: argparse.ArgumentParser = build_parser(words)
    for word in words:
        below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        if below and word in below[0].choices:
            parser = below[0].choices[word]
    for action in parser._actions:
        yield from ((name, action) for name in action.option_strings)


def in_prose() -> Iterator[str]:
    for document in TEXTS:
        for code in re.findall(r"`(chartui [^`]+)`", prose(document)):
            yield code.replace("\n", " ")


@cache
def known_commands() -> argparse.ArgumentParser:
    return build_parser(NOUNS)


@pytest.mark.parametrize("code", sorted(set(in_prose())))
def test_a_command_that_is_mentioned_is_one(code: str) -> None:
    """Words in capitals stand for something; the others are commands, and every option is one of theirs."""
    parser = known_commands()
    for word in shlex.split(code)[1:]:
        below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        if word.startswith("--"):
            assert word in parser._option_string_actions
        elif below and not word.isupper():
            assert word in below[0].choices
            parser = below[0].choices[word]


def test_every_other_line_is_one_that_is_known() -> None:
    others = [line for line in lines() if line.split(" ")[0] != "chartui"]
    assert [line for line in others if not line.startswith(tuple(OF_OTHERS))] == []
    assert [start for start in OF_OTHERS if not any(line.startswith(start) for line in others)] == []


def test_no_command_line_stands_in_another_kind_of_block() -> None:
    """Where nothing would run it."""
    for document in TEXTS:
        kinds = {kind for kind in re.findall(r"^```(\w*)$", document, re.MULTILINE) if kind}
        for kind in kinds - {"sh", "console", "text"}:
            assert not re.search(r"^\$? ?chartui ", "".join(blocks(document, kind)), re.MULTILINE), kind
        assert not re.search(r"^```\n[^`]", re.sub(r"^```\w+\n.*?^```$", "", document, flags=re.M | re.S), re.MULTILINE)


def test_there_is_something_to_check() -> None:
    assert len(sessions()) >= 7
    assert len(list(named())) >= 20
    assert len(list(in_help())) >= 5
    assert len(list(in_prose())) >= 20


def test_the_two_commands_are_there() -> None:
    for command in ("script/demo", "script/test"):
        assert command in blocks(README, "sh")[0] + blocks(README, "sh")[1]
        assert (ROOT / command).stat().st_mode & 0o111


def test_every_file_it_names_is_there() -> None:
    for document in TEXTS:
        for name in re.findall(r"`([A-Z]+\.md|script/\w+)`", document):
            assert (ROOT / name).exists(), name
