"""The argument parser: global options, and the nouns.

A noun has a function ``configure_<noun>(parser)`` in the module of its name, or in the one that it shares with its
like. That module is imported only when the noun is among the words given; so ``chartui --version`` pays for none.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from chartui import __version__
from chartui.cli.errors import UsageError
from chartui.cli.output import Output

if TYPE_CHECKING:
    from pathlib import Path

#: Carries out a command and returns its exit status.
Handler = Callable[["Arguments", Output], int]

#: The verbs of a noun.
Verbs: TypeAlias = "argparse._SubParsersAction[Parser]"

#: The nouns, with what ``chartui --help`` says about each.
NOUNS: Final[Mapping[str, str]] = {
    "estimate": "what one interaction costs, and how long it takes",
    "presets": "configurations with a name, kept on this machine",
    "options": "every model, voice and animation with its rate",
    "rank": "what the configuration would cost with every other model or voice",
    "explore": "the best of all configurations under constraints",
    "rates": "the rates that are computed with, and learning those of a service",
    "characters": "the characters of the account",
    "narrative": "the narrative graph of a character",
    "act": "say something to a character and see what it does",
    "pull": "a character from a profile into a file",
    "diff": "what is different between a file and a character",
    "push": "a character from a file to a profile",
    "history": "what was changed from here, and what has no known end",
    "undo": "take back what was changed",
    "plans": "changes of several steps, and going on with those that were stopped",
    "call": "perform any operation by its name",
    "serve": "serve an embedded store over HTTP on this machine",
    "store": "look after an embedded store",
    "profiles": "the services and stores to work on",
    "config": "what the program is set to, and in which files",
    "themes": "how the terminal UI can look, and whether a theme of your own can be used",
    "doctor": "what the program sees of its surroundings",
    "completion": "a completion script for a shell",
    "demo": "the terminal UI on throw-away demo data, and tours through it",
}
#: The nouns that stand in a module of another name.
_MODULES: Final = {
    "presets": "configurations",
    "options": "estimate",
    "rank": "explore",
    "pull": "bundles",
    "diff": "bundles",
    "push": "bundles",
    "undo": "history",
    "themes": "config",
}
#: The screens that the terminal UI can start with.
SCREENS: Final = ("estimator", "characters", "narrative", "actions", "requests")


class Arguments(argparse.Namespace):
    """The words of the command line, understood. A noun's own options are attributes beside these."""

    profile: str | None = None
    read_only: bool = False
    json: bool = False
    confirm: str | None = None
    theme: str | None = None
    screen: str | None = None
    character: str | None = None
    demo: bool = False
    ascii: bool | None = None
    version: bool = False
    # What is to be done with tours, which open the terminal UI as well.
    tour: str | None = None
    play: bool = False
    record_to: Path | None = None
    check_in: Path | None = None
    write_as: str | None = None
    speed: float | None = None
    #: What carries the command out; None opens the terminal UI.
    handler: Handler | None = None


class Told(Exception):
    """The words asked the parser for a text, and here it is; nothing else is to be done."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Parser(argparse.ArgumentParser):
    """Writes nothing: a mistake is a :class:`UsageError`, a help text a :class:`Told`.

    An abbreviated option is not taken: the next option that is added could make it mean two things.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} ('{self.prog} --help' shows what there is)")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        from difflib import get_close_matches

        choices = [str(choice) for choice in action.choices or ()]
        if value not in choices and (near := get_close_matches(str(value), choices, n=1)):
            raise argparse.ArgumentError(action, f"there is no {value!r}; did you mean {near[0]!r}?")
        super()._check_value(action, value)

    def _match_arguments_partial(self, actions: Sequence[argparse.Action], arg_strings_pattern: str) -> list[int]:
        """Leave no argument out while words are still to come: options may stand between them in any order."""
        counts = super()._match_arguments_partial(actions, arg_strings_pattern)
        while counts and counts[-1] == 0 and "A" in arg_strings_pattern[sum(counts) :]:
            counts.pop()
        return counts

    def print_help(self, file: object = None) -> NoReturn:  # noqa: ARG002 - the framework's signature
        raise Told(self.format_help())


def parse(words: Sequence[str]) -> Arguments:
    if not words:
        return Arguments()
    # The value of --screen is called like a noun, whose options nobody needs then.
    nouns = [word for before, word in pairwise(("", *words)) if before != "--screen"]
    arguments = build_parser(nouns).parse_args(words, Arguments())
    if arguments.version:
        raise Told(f"chartui {__version__}")
    if arguments.handler is None:
        if arguments.json:
            raise UsageError("--json needs a command; the terminal UI writes none")
        return arguments
    for option in ("theme", "screen", "character", "ascii"):
        if getattr(Arguments, option) != getattr(arguments, option):
            raise UsageError(f"--{option} is for the terminal UI, which no command opens")
    return arguments


def build_parser(nouns: Collection[str]) -> Parser:
    parser = Parser(
        prog="chartui",
        description="A terminal workbench for conversational characters. Without a command: the terminal UI.",
    )
    parser.add_argument("--version", action="store_true", default=argparse.SUPPRESS, help="show the version")
    _add_global_options(parser)
    _add_screen_options(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    for name, summary in NOUNS.items():
        noun = commands.add_parser(name, help=summary, description=_sentence(summary))
        _add_global_options(noun)
        if name == "demo":
            _add_screen_options(noun)
            noun.set_defaults(demo=True)
        if name in nouns:
            module = import_module(f"chartui.cli.{_MODULES.get(name, name)}")
            getattr(module, f"configure_{name}")(noun)
    return parser


def add_verbs(noun: Parser) -> Verbs:
    return noun.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)


def add_verb(verbs: Verbs, name: str, summary: str, handler: Handler, *first: Callable[[Parser], None]) -> Parser:
    verb = add_noun(verbs, name, summary)
    verb.set_defaults(handler=handler)
    for add in first:
        add(verb)
    return verb


def add_noun(verbs: Verbs, name: str, summary: str) -> Parser:
    noun = verbs.add_parser(name, help=summary, description=_sentence(summary))
    _add_global_options(noun)
    return noun


def _sentence(summary: str) -> str:
    return f"{summary[0].upper()}{summary[1:]}."


def _add_global_options(parser: Parser) -> None:
    """Without defaults: the parser of a noun would undo what stood before it."""
    group = parser.add_argument_group("global options")
    add = group.add_argument
    add("--profile", metavar="NAME", default=argparse.SUPPRESS, help="the profile to use (else CHARTUI_PROFILE)")
    add("--read-only", action="store_true", default=argparse.SUPPRESS, help="refuse everything that changes data")
    about_confirm = "confirm by its name a change of a production profile, or of what protects a profile"
    add("--confirm", metavar="NAME", default=argparse.SUPPRESS, help=about_confirm)
    add("--json", action="store_true", default=argparse.SUPPRESS, help="write the service's own objects as JSON")


def _add_screen_options(parser: Parser) -> None:
    group = parser.add_argument_group("terminal UI")
    add = group.add_argument
    add("--theme", metavar="NAME", default=argparse.SUPPRESS, help="the theme to use")
    add("--screen", choices=SCREENS, default=argparse.SUPPRESS, help="the screen to start with")
    add("--character", metavar="ID", default=argparse.SUPPRESS, help="the character to show first")
    add(
        "--ascii",
        action=argparse.BooleanOptionalAction,
        default=argparse.SUPPRESS,
        help="draw with nothing but ASCII, or never (else CHARTUI_ASCII, the terminal and the locale say)",
    )
