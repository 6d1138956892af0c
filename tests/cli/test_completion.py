"""Completion scripts know every command, every option and the keys that are known beforehand."""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import shtab

from chartui.cli.completion import SHELLS, completed_parser
from chartui.cli.parser import NOUNS, build_parser
from chartui.core.spec.catalogue import KINDS, model_codes, options
from chartui.core.spec.operations import OPERATIONS

from .conftest import Run


def words_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Every command and long option below ``parser``."""
    for action in parser._actions:
        yield from (option for option in action.option_strings if option.startswith("--"))
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield name
                yield from words_of(inner)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_holds_everything(shell: str, run: Run) -> None:
    result = run("completion", shell)
    assert (result.status, result.err) == (0, "")
    assert result.out == shtab.complete(completed_parser(), shell=shell).rstrip("\n") + "\n"
    wanted = set(words_of(build_parser(NOUNS)))
    assert wanted >= {"estimate", "--no-memory", "seed", "--key-header", "--profile", "--character"}
    assert wanted >= {"set", "--where", "--dry-run", "triggers", "--disconnect", "--decision"}
    # One shell takes options without their dashes.
    assert {word for word in wanted if word.lstrip("-") not in result.out} == set()


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_script_holds_the_known_keys(shell: str, run: Run) -> None:
    script = run("completion", shell).out
    keys = {option.key for kind in KINDS for option in options(kind)} | set(OPERATIONS)
    keys |= {model.code for model in model_codes()} | {"xhigh", "minimal", "auto"}
    assert {key for key in keys if key not in script} == set()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("chartui nar", {"narrative"}),
        ("chartui characters se", {"seen", "set"}),
        ("chartui characters set --mod", {"--model"}),
        ("chartui characters set --model mdla-4.1-", {"mdla-4.1-mini", "mdla-4.1-nano"}),
        ("chartui characters set --reasoning mi", {"minimal"}),
        ("chartui narrative triggers ed", {"edit"}),
        ("chartui narrative triggers edit --disc", {"--disconnect"}),
        ("chartui narrative sections delete --dry", {"--dry-run"}),
        ("chartui call rename-", {"rename-character"}),
    ],
)
def test_what_the_shell_offers(line: str, offered: set[str], run: Run, tmp_path: Path) -> None:
    """The script at work, as if somebody had typed the line and asked for more."""
    program = shutil.which("bash")
    if program is None:
        pytest.skip("bash is not installed")
    script = tmp_path / "completion.bash"
    script.write_text(run("completion", "bash").out)
    words = line.split()
    typed = " ".join(map(shlex.quote, words))
    ask = f"""
source {shlex.quote(str(script))}
COMP_WORDS=({typed}) COMP_CWORD={len(words) - 1} COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}
function=$(complete -p chartui | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function" chartui {shlex.quote(words[-1])} {shlex.quote(words[-2])}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run([program, "-c", ask], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stderr, {word.strip() for word in done.stdout.split()}) == ("", offered)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_itself_takes_the_script(shell: str, run: Run) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = run("completion", shell).out
    done = subprocess.run([program, "-n"], input=script, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_program_takes_keys_that_the_script_does_not_know(run: Run) -> None:
    """A service may offer more than the catalogue (decision 62), so the parser has no list to refuse by."""
    arguments = build_parser(NOUNS).parse_args(["estimate", "--llm", "brand_new"])
    assert arguments.llm == "brand_new"


def test_another_shell_is_refused(run: Run) -> None:
    result = run("completion", "cmd.exe")
    assert (result.status, result.out) == (2, "")
