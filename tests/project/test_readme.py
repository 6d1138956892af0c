"""The documents do what they say: what they show is run, and so is what they and the help texts only name."""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from chartui.cli.parser import NOUNS, build_parser, parse
from chartui.core.jsontext import loads
from chartui.main import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *ROOT.glob("docs/*.md"))}
PROGRAM = Path(sys.executable).with_name("chartui")

#: What is not run but only understood, by the words it holds, and why.
ONLY_UNDERSTOOD = {
    "serve": "stays until it is stopped",
    "demo": "opens the terminal UI",
    "work": "is about a service that is not there",
    "live": "is about another one",
    "--draft": "is about what is composed on the screen",
}


def blocks(document: str, kind: str) -> list[str]:
    """The contents of the fenced blocks of one kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)


def sessions() -> list[list[tuple[str, str]]]:
    """The console blocks: pairs of a command and what it writes."""
    return [
        [(command, shown) for command, _, shown in (part.partition("\n") for part in block.split("$ ")[1:])]
        for document in DOCUMENTS.values()
        for block in blocks(document, "console")
    ]


def named() -> Iterator[str]:
    """The command lines of the program in the other blocks."""
    for document in DOCUMENTS.values():
        for block in blocks(document, "sh"):
            yield from (line for line in block.splitlines() if line.split(" ")[0] == "chartui")


def in_help() -> Iterator[str]:
    """The command lines in the help texts."""
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


@pytest.mark.parametrize("session", sessions(), ids=lambda session: session[0][0])
def test_what_is_shown_is_what_comes(
    session: list[tuple[str, str]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for command, shown in session:
        words = shlex.split(command)
        assert words[0] == "chartui"
        if "ID" in words:
            words[words.index("ID")] = _meant(capsys)["ID"]
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
        fits = re.fullmatch(pattern_of(shown), done.stdout, re.DOTALL) is not None
        assert fits, f"{command}\n{done.stdout}"


@pytest.mark.parametrize("line", dict.fromkeys([*named(), *in_help()]))
def test_what_is_named_works(
    line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On the demo data, whose first character stands for whichever is meant."""
    monkeypatch.chdir(tmp_path)
    command, _, _ = line.partition(" < ")  # the shell's part
    words = shlex.split(command, comments=True)[1:]
    arguments = parse(words)
    if not words or set(words) & ONLY_UNDERSTOOD.keys():
        assert words == [] or arguments.handler is not None or arguments.demo
        return
    if {"--yes", "--dry-run"} <= {name for name, _ in _options(words)} and "--yes" not in words:
        words.append("--dry-run")
    meant = _meant(capsys)
    if "EMPTY" in words:
        assert main(["characters", "create", "Somebody", "--yes"]) == 0
        meant["EMPTY"] = capsys.readouterr().out.strip()
    words = [re.sub(r"\b(ID|OTHER|SECTION|TRIGGER|EMPTY)\b", lambda found: meant[found[0]], word) for word in words]
    _make_files(words, meant["ID"])
    capsys.readouterr()
    status = main(words)
    out, err = capsys.readouterr()
    assert (status, bool(out + err)) == (0, True), err


def _make_files(words: list[str], character: str) -> None:
    """What the words read: a scene, turns that were recorded, a walk, a character, or a story."""
    for word in words if "import" in words else ():
        if word.endswith((".twee", "/")):
            story = Path(word, "all.twee") if word.endswith("/") else Path(word)
            story.parent.mkdir(exist_ok=True)
            story.write_text(":: Start\nIt begins. [[Go->End]]\n\n:: End\nIt ends.\n", encoding="utf-8")
    begin = ["act", character, "Mira takes the key.", "--actions", "Takes", "--objects", "Key=of brass", "--multistep"]
    for option, writes in (("--scene", "--save-scene"), ("--replay", "--record")):
        if option in words:
            assert main([*begin, writes, words[words.index(option) + 1]]) == 0
    if {"push", "diff"} & set(words):
        path = next(word for word in words if word.endswith(".toml"))
        assert main(["--profile", "demo", "pull", character, path]) == 0
    for before, word in pairwise(words) if {"walk", "lint"} & set(words) else ():
        if before == "--bundle":
            assert main(["pull", character, word]) == 0
        elif word.endswith(".toml") and before != "--save":
            assert main(["narrative", "walk", "--character", character, "--save", word]) == 0


def _options(words: list[str]) -> Iterator[tuple[str, argparse.Action]]:
    """The options of the command that the words name."""
    parser: argparse.ArgumentParser = build_parser(words)
    for word in words:
        below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        if below and word in below[0].choices:
            parser = below[0].choices[word]
    for action in parser._actions:
        yield from ((name, action) for name in action.option_strings)


def _meant(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What the words in capitals stand for."""

    def read(*words: str) -> list[dict[str, str]]:
        assert main([*words, "--json"]) == 0
        found: list[dict[str, str]] | dict[str, list[dict[str, str]]] = loads(capsys.readouterr().out)
        return found["characters"] if isinstance(found, dict) else found

    character, other = (found["character_id"] for found in read("characters", "list")[:2])
    section = read("narrative", "sections", "list", character)[1]["section_id"]
    trigger = read("narrative", "triggers", "list", character)[0]["trigger_id"]
    return {"ID": character, "OTHER": other, "SECTION": section, "TRIGGER": trigger}


def test_there_is_something_to_check() -> None:
    assert len(sessions()) >= 7
    assert len(list(named())) >= 20
    assert len(list(in_help())) >= 5


def test_the_two_commands_are_there() -> None:
    for command in ("script/demo", "script/test"):
        assert command in blocks(README, "sh")[0] + blocks(README, "sh")[1]
        assert (ROOT / command).stat().st_mode & 0o111


def test_every_file_it_names_is_there() -> None:
    for document in DOCUMENTS.values():
        for name in re.findall(r"`([A-Z]+\.md|script/\w+)`", document):
            assert (ROOT / name).exists(), name
