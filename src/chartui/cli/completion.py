"""``chartui completion``: write a completion script for a shell."""

from __future__ import annotations

import argparse
from typing import Final

from chartui.cli.errors import Exit
from chartui.cli.output import Output
from chartui.cli.parser import NOUNS, Arguments, Parser, build_parser

#: The supported shells.
SHELLS: Final = ("bash", "zsh", "tcsh")


def configure_completion(parser: Parser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="shell to write the script for")


def completion(arguments: Arguments, output: Output) -> int:
    import shtab

    output.text(shtab.complete(completed_parser(), shell=arguments.shell).rstrip("\n"))
    return Exit.DONE


def completed_parser() -> Parser:
    """Completes the values known in advance. A service may accept more, and refuses invalid ones itself."""
    parser = build_parser(NOUNS)
    _suggest(parser)
    return parser


def _suggest(parser: argparse.ArgumentParser) -> None:
    import shtab

    from chartui.cli.explore import FEATURE_NAMES
    from chartui.core.spec.catalogue import KINDS, model_codes, options
    from chartui.core.spec.operations import OPERATIONS

    levels = {level: None for model in model_codes() if model.reasoning for level in model.reasoning.accepted}
    known = {kind: [option.key for option in options(kind)] for kind in KINDS} | {
        "operation": list(OPERATIONS),
        "model": [model.code for model in model_codes()],
        "reasoning": list(levels),
        "require": list(FEATURE_NAMES),
        "forbid": list(FEATURE_NAMES),
        "allow": list(FEATURE_NAMES),
    }
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for noun in action.choices.values():
                _suggest(noun)
        elif action.dest in known:
            action.choices = known[action.dest]
        elif "FILE" in (action.metavar or ""):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
