"""The argument parser: global options, and the nouns.

A noun has a function ``configure_<noun>(parser)``, and without verbs also ``<noun>(arguments, output)``, in the module
of its name or in one shared with related nouns. The module is imported only when the noun is among the words given, so
``chartui --version`` imports none.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias

from chartui import __version__
from chartui.cli.errors import UsageError
from chartui.cli.output import Output

#: Runs a command and returns its exit status, or None for success.
Handler = Callable[["Arguments", Output], int | None]

#: The verbs of a noun.
Verbs: TypeAlias = "argparse._SubParsersAction[Parser]"

#: The nouns and their summaries in ``chartui --help``.
NOUNS: Final[Mapping[str, str]] = {
    "estimate": "estimate the cost and latency of an interaction",
    "presets": "manage presets: configurations saved on this machine",
    "scenarios": "manage scenarios: saved inputs, ranges and usage",
    "options": "list every model, voice and animation with its rate",
    "rank": "compare the cost of a configuration across models or voices",
    "explore": "find the best configurations under constraints",
    "whatif": "show how the cost depends on one of the inputs",
    "subscriptions": "show the monthly cost, and the subscriptions that cover it",
    "check": "compare costs with the limits in a policy file",
    "rates": "show the rates in use, or learn the rates of a service",
    "characters": "list, compare and change characters",
    "narrative": "show, check and edit the narrative graph of a character",
    "act": "talk to a character and see what it does",
    "pull": "save a character from a profile to a file",
    "diff": "compare a file with a character",
    "push": "write a character from a file to a profile",
    "history": "list changes made from this machine, and resolve unknown outcomes",
    "undo": "undo a change",
    "plans": "list plans (changes made in several steps), and resume stopped plans",
    "call": "perform any operation by name",
    "serve": "serve an embedded store over HTTP on this machine",
    "store": "fill, back up, check and restore an embedded store",
    "profiles": "manage profiles: the services and stores you work with",
    "config": "show and check the settings files",
    "themes": "list the themes of the terminal UI, and check your own",
    "doctor": "check this installation, its settings and the service",
    "completion": "write a completion script for a shell",
    "demo": "open the terminal UI with throwaway demo data, or play a tour",
}
#: The nouns whose module has another name.
_MODULES: Final = {
    "presets": "configurations",
    "rank": "explore",
    "pull": "bundles",
    "diff": "bundles",
    "push": "bundles",
    "undo": "history",
    "themes": "config",
}
#: The screens that the terminal UI can start with.
SCREENS: Final = ("estimator", "characters", "narrative", "actions", "requests")
#: Begins the attributes of options that some commands have as well.
_OPENED: Final = "opened_"
#: The options of the terminal UI, by their attributes.
SCREEN_OPTIONS: Final = (
    *("theme", "screen", "character", "section", "tab", "finding", "fresh", "ascii", "plain"),
    *(f"{_OPENED}{name}" for name in ("filter", "fuzzy", "sort", "reverse")),
)


class Arguments(argparse.Namespace):
    """The parsed command line. The options of a noun are further attributes."""

    profile: str | None = None
    read_only: bool = False
    json: bool = False
    confirm: str | None = None
    theme: str | None = None
    screen: str | None = None
    character: str | None = None
    section: str | None = None
    tab: str | None = None
    finding: str | None = None
    opened_filter: str | None = None
    opened_fuzzy: bool = False
    opened_sort: str | None = None
    opened_reverse: bool = False
    fresh: bool = False
    demo: bool = False
    ascii: bool | None = None
    plain: bool | None = None
    version: bool = False
    # The options of tours, which open the terminal UI as well.
    tour: str | None = None
    play: bool = False
    record_to: Path | None = None
    cast: Path | None = None
    svg: Path | None = None
    check_in: Path | None = None
    write_as: str | None = None
    speed: float | None = None
    #: Runs the command; None opens the terminal UI.
    handler: Handler | None = None


class TextRequested(Exception):
    """Raised if a help or version text is requested, which is all there is to do."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class CharacterName(str):
    """A character as typed: the type of arguments that :func:`~chartui.cli.naming.name_characters` resolves."""

    __slots__ = ()


#: The types of values, by their metavar; others are text.
_TYPES: Final[Mapping[object, Callable[[str], object]]] = {"CHARACTER": CharacterName, "FILE": Path, "DIR": Path}


class Options(argparse._ActionsContainer):
    """A parser, or a group of it, to which options are added."""

    def option(self, name: str, metavar: str | tuple[str, ...], about: str, **settings: Any) -> None:
        """Add an option with a value, or an argument; ``settings`` are those of ``add_argument``.

        Without a ``type``, that of :data:`_TYPES` applies.
        """
        self.add_argument(name, metavar=metavar, help=about, **{"type": _TYPES.get(metavar), **settings})

    def flag(self, name: str, about: str, **settings: Any) -> None:
        self.add_argument(name, action="store_true", help=about, **settings)

    def switch(self, name: str, about: str) -> None:
        """Add an option that also has a negative form, ``--no-…``."""
        self.add_argument(name, action=argparse.BooleanOptionalAction, help=about)

    def add_argument_group(self, *words: Any, **settings: Any) -> Group:
        group = Group(self, *words, **settings)
        self._action_groups.append(group)
        return group

    def add_mutually_exclusive_group(self, **settings: Any) -> Alternatives:
        group = Alternatives(self, **settings)
        self._mutually_exclusive_groups.append(group)
        return group


class Group(Options, argparse._ArgumentGroup):
    """Options with a common heading in the help."""


class Alternatives(Options, argparse._MutuallyExclusiveGroup):
    """Options of which only one may be given."""


class Parser(Options, argparse.ArgumentParser):
    """A parser that writes nothing: mistakes raise :class:`UsageError`, help texts :class:`TextRequested`.

    Abbreviated options are refused, because an option added later could make them ambiguous. The line breaks of an
    epilog are kept.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        see = f"see '{self.prog} --help'"
        raise UsageError(f"{message} S{see[1:]}" if message.endswith((".", "?")) else f"{message} ({see})")

    def _get_formatter(self) -> argparse.HelpFormatter:
        if "\n" in (self.epilog or ""):
            self.formatter_class = argparse.RawDescriptionHelpFormatter
        return super()._get_formatter()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown options here, where the command that they were given to is known."""
        self._given = list(args or ())
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self._refuse_option(rest[0])
        return found, rest

    def _refuse_option(self, word: str) -> NoReturn:
        from chartui.core.naming import nearest

        if not word.startswith("-"):
            self.error(f"Unexpected argument “{word}”.")
        # Compared without the dashes, which would make any two short names similar.
        option = word.partition("=")[0]
        name = option.lstrip("-")
        meant = [f"'chartui {name}'"] if name in NOUNS else _commands_with(option)
        if not meant:
            near = nearest(name, (known[2:] for known in self._option_string_actions if known.startswith("--")))
            meant = [f"“--{near}”"] if near else []
        hint = f" Did you mean {' or '.join(meant)}?" if meant else ""
        self.error(f"Unknown option “{option}”.{hint}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        from chartui.core.naming import unknown

        is_command = isinstance(action, argparse._SubParsersAction)
        if is_command:
            # The value of an unknown option before it would be taken for the command.
            before = self._given[: self._given.index(value)]
            for word in before:
                if word.startswith("--") and word.partition("=")[0] not in self._option_string_actions:
                    self._refuse_option(word)
        choices = [str(choice) for choice in action.choices]
        if not is_command:
            name = "/".join(action.option_strings) or action.metavar or action.dest
            self.error(unknown("value", str(value), choices, place=f"for {name}"))
        noun = self.prog != "chartui"
        own = _commands_called(value, self.prog) if noun else []
        others = own or _elsewhere(value, self.prog)
        self.error(unknown("command", value, () if own else choices, listed=noun, others=others))

    def _match_arguments_partial(self, actions: Sequence[argparse.Action], arg_strings_pattern: str) -> list[int]:
        """Assign words to arguments, which may be mixed with options. No argument stays empty while words remain."""
        counts = super()._match_arguments_partial(actions, arg_strings_pattern)
        while counts and counts[-1] == 0 and "A" in arg_strings_pattern[sum(counts) :]:
            counts.pop()
        return counts

    def print_help(self, file: object = None) -> NoReturn:  # noqa: ARG002 - the framework's signature
        raise TextRequested(self.format_help())


#: Commands that go by another word elsewhere, with the options that they need.
_SYNONYMS: Final = {
    "cost": "estimate --character CHARACTER",
    "price": "estimate --character CHARACTER",
    "history": "history --character CHARACTER",
    "random": "narrative walk --random --character CHARACTER",
    "edit": "characters set CHARACTER",
    "import": "narrative import CHARACTER",
    "export": "narrative export CHARACTER",
    "talk": "act CHARACTER",
    "filter": "characters list --filter TEXT",
}


#: Verbs of the same meaning.
_ALIKE: Final = (
    {"add", "create", "new"},
    {"delete", "remove", "rm"},
    {"edit", "set", "update", "change"},
    {"copy", "duplicate"},
    {"list", "ls"},
    {"show", "view", "get"},
)


def _elsewhere(word: str, prog: str) -> list[str]:
    """The commands with this verb outside ``prog``, those of its group first."""
    if word in _SYNONYMS:
        return [f"'chartui {_SYNONYMS[word]}'"]
    group = prog.rpartition(" ")[0] or prog
    return _commands_called(word, group) or _commands_called(word, "chartui")


def _commands_called(word: str, prog: str) -> list[str]:
    """The commands below ``prog`` with this verb or, if there are none, a synonym of it; none if there are many."""
    verbs = {verb for group in _ALIKE if word in group for verb in group}
    every = [parser.prog for parser in commands_below(build_parser(NOUNS)) if parser.prog.startswith(f"{prog} ")]
    found = [path for path in every if path.split()[-1] == word] or [p for p in every if p.split()[-1] in verbs]
    return [f"'{path}'" for path in found] if len(found) <= 2 else []


def _commands_with(option: str) -> list[str]:
    found = [p.prog for p in commands_below(build_parser(NOUNS)) if option in p._option_string_actions]
    return [f"'{path} {option}'" for path in found] if len(found) <= 2 else []


def commands_below(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                yield verb
                yield from commands_below(verb)


def parse(words: Sequence[str]) -> Arguments:
    if not words:
        return Arguments()
    # A value of an option can look like a noun, whose options are not needed then.
    nouns = [word for before, word in pairwise(("", *words)) if before not in ("--screen", "--tab")]
    arguments = build_parser(nouns, alone=words[0] in NOUNS).parse_args(words, Arguments())
    if arguments.version:
        raise TextRequested(f"chartui {__version__}")
    if arguments.handler is None:
        if arguments.json:
            raise UsageError("--json needs a command; the terminal UI does not write JSON")
        return arguments
    for option in SCREEN_OPTIONS:
        if getattr(Arguments, option) != getattr(arguments, option):
            raise UsageError(f"--{option.removeprefix(_OPENED)} works only in the terminal UI, not with this command")
    return arguments


def build_parser(nouns: Collection[str], *, alone: bool = False) -> Parser:
    """A parser for these ``nouns``. If ``alone`` is set, it knows no others and no options before them."""
    parser = Parser(
        prog="chartui",
        description="A terminal workbench for conversational characters. Without a command, it opens the terminal UI.",
    )
    if not alone:
        parser.add_argument("--version", action="store_true", default=argparse.SUPPRESS, help="show the version")
        _add_global_options(parser)
        _add_screen_options(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    for name, summary in NOUNS.items():
        if alone and name not in nouns:
            continue
        noun = commands.add_parser(name, help=summary, description=_sentence(summary))
        _add_global_options(noun)
        if name == "demo":
            _add_screen_options(noun)
            noun.set_defaults(demo=True)
        if name in nouns:
            module = import_module(f"chartui.cli.{_MODULES.get(name, name)}")
            noun.set_defaults(handler=getattr(module, name, None))
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


def option_name(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _add_global_options(parser: Parser) -> None:
    """Add the global options, without defaults: the parser of a noun would overwrite options given before the noun."""
    group = parser.add_argument_group("global options", argument_default=argparse.SUPPRESS)
    group.option("--profile", "NAME", "profile to use (default: CHARTUI_PROFILE, or the default profile)")
    group.flag("--read-only", "refuse all changes to data")
    about_confirm = "name of the profile; confirms a change to production data or to a profile's safeguards"
    group.option("--confirm", "NAME", about_confirm)
    group.flag("--json", "write the result as JSON")


def _add_screen_options(parser: Parser) -> None:
    group = parser.add_argument_group("terminal UI", argument_default=argparse.SUPPRESS)
    default = "(default: from the profile or config.toml)"
    group.option("--theme", "NAME", f"theme {default}")
    group.add_argument("--screen", choices=SCREENS, help=f"first screen {default}")
    group.option("--character", "CHARACTER", "name or ID of the character to show first", type=str)
    group.option("--section", "SECTION", "name or ID of the section to open in the character's graph")
    group.option("--tab", "NAME", "tab to open, such as lint, cost or explore")
    about_finding = "finding to select, such as dead-end (first finding of this lint rule) or dead-end:2 (the second)"
    group.option("--finding", "RULE", about_finding)
    about_filter = "filter for the characters, the narrative graph or the requests"
    group.option("--filter", "WORDS", about_filter, dest=f"{_OPENED}filter")
    about_fuzzy = "allow typos in the filter for characters, and list the best matches first"
    group.flag("--fuzzy", about_fuzzy, dest=f"{_OPENED}fuzzy")
    about_sort = "column to sort the characters by, such as name or used"
    group.option("--sort", "COLUMN", about_sort, dest=f"{_OPENED}sort")
    group.flag("--reverse", "reverse the order of the characters", dest=f"{_OPENED}reverse")
    group.flag("--fresh", "ignore the saved state of the screens, and do not update it")
    about_ascii = "use ASCII only, or all of Unicode (default: from config.toml or CHARTUI_ASCII, or detected)"
    group.switch("--ascii", about_ascii)
    about_plain = "print plain lines of text for a screen reader or a log (default: from config.toml or CHARTUI_PLAIN)"
    group.switch("--plain", about_plain)
