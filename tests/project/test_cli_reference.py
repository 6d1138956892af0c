"""``docs/cli.md`` is made from the parser: ``UPDATE_GOLDEN=1`` writes it again."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Final

from chartui.cli.errors import Exit, failure_of
from chartui.cli.parser import NOUNS, build_parser
from chartui.core.spec.errors import ErrorKind, ServiceError

from .pages import DOCS, cell, kept, table

PAGE = DOCS / "cli.md"

_HEAD = """\
# The command line

This page lists every command with its arguments and options. It is generated from the program. `chartui COMMAND --help`
prints the same information in the terminal. [README.md](README.md#what-do-you-want-to-do) lists commands by task.

Data goes to standard output, everything else to standard error. With `--json`, standard output is JSON only, and a
failure is one JSON object on standard error. Options go before, between or after the arguments and cannot be
abbreviated. `chartui` alone opens the [terminal UI](start.md).
"""

_NAMING: Final = """\
Wherever a command takes a character, section or trigger, you can give any of these:

| what you give | example |
|---|---|
| its name, in uppercase or lowercase; an exact match comes first | `chartui characters show 'elena marsh'` |
| its ID | `chartui characters show 1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d` |
| at least the first 8 characters of its ID | `chartui characters show 1a2b3c4d` |

Models and the other options of the estimator (`--llm`, `--stt`, `--tts`, `--animation`) are found by key or label, or
by the start of either: `--llm 'MDLA 4o mini'`. The names of profiles, presets and pins match regardless of case.

* If there are several matches, nothing is done. The message lists up to 10 of them with their IDs.
* If nothing matches, the message suggests the nearest name. A mistyped command, option or value gets the same hint.
* With `--yes`, and for `rates pin-model` and `rates pin-voice`, the start of an ID is refused, because a
  change without confirmation needs the full ID or name.
* A service is asked for its list of characters only if you give a name or the start of an ID, and only once. With a
  full ID, no such request is sent.
"""

#: The meaning of each exit status.
_STATUSES: Final[Mapping[Exit, str]] = {
    Exit.DONE: "done",
    Exit.NO: "the answer is no: values differ, problems were found, or nothing matches",
    Exit.USAGE: "wrong usage or configuration, or the command was refused before anything was sent",
    Exit.REFUSED: "the service refused the request or cannot be reached",
    Exit.KEY: "the API key is rejected or missing, or the tier does not allow the operation",
    Exit.STORE: "the store, or another file that the program keeps, is damaged or in use",
    Exit.CRASH: "an error in the program; the message names the crash report",
    Exit.CLOSED_PIPE: "the program that reads the output closed the pipe",
}

#: Groups that many commands share, described once.
_SHARED: Final = ("global options", "changing data")
#: Groups that every parser has, shown without a heading.
_PLAIN: Final = ("positional arguments", "options")


def below(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def own(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    shared = {id(action) for group in groups(parser) if group.title in _SHARED for action in group._group_actions}
    return [action for action in parser._actions if id(action) not in shared and not _is_help(action)]


def groups(parser: argparse.ArgumentParser) -> list[argparse._ArgumentGroup]:
    return parser._action_groups


def _is_help(action: argparse.Action) -> bool:
    return isinstance(action, argparse._HelpAction | argparse._SubParsersAction)


# -- one command ------------------------------------------------------------------------------------------------------


def named(action: argparse.Action) -> str:
    choices = "{" + ",".join(map(str, action.choices or ())) + "}"
    value = str(action.metavar or (choices if action.choices else action.dest.upper()))
    if isinstance(action.metavar, tuple):
        value = " ".join(action.metavar)
    if action.option_strings:
        names = ", ".join(f"`{name}`" for name in action.option_strings)
        return names if action.nargs == 0 else names[:-1] + f" {_times(value, action.nargs)}`"
    return f"`{value}`"


def _times(value: str, nargs: int | str | None) -> str:
    return {"?": f"[{value}]", "*": f"[{value} …]", "+": f"{value} [{value} …]"}.get(str(nargs), value)


def usage(words: str, parser: argparse.ArgumentParser) -> str:
    parts = [words]
    for action in own(parser):
        if not action.option_strings:
            parts.append(_times(named(action).strip("`"), action.nargs))
        elif action.required:
            parts.append(named(action).strip("`"))
    options = any(action.option_strings and not action.required for action in own(parser))
    return " ".join([*parts, *(["[OPTIONS]"] if options else [])])


def explained(action: argparse.Action) -> tuple[str, str]:
    words, default = (action.help or "").replace("%%", "%"), action.default
    if default in (None, False, "", [], argparse.SUPPRESS):
        default = ""
    return words.removesuffix(f" ({default})").removesuffix(f" (default: {default})"), str(default)


def arguments(actions: list[argparse.Action]) -> str:
    """The table of arguments and options, with a column of defaults if there are any."""
    rows = [
        (cell(named(action)), cell(words), f"`{default}`" * bool(default))
        for action in actions
        for words, default in [explained(action)]
    ]
    if any(default for _, _, default in rows):
        return table(("argument or option", "meaning", "default"), rows)
    return table(("argument or option", "meaning"), [row[:2] for row in rows])


def tables(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The arguments and options of the command: first those without a heading in the help, then each group."""
    headed = [group for group in groups(parser) if group.title not in _PLAIN]
    elsewhere = {id(action) for group in headed for action in group._group_actions}
    if plain := [action for action in own(parser) if id(action) not in elsewhere]:
        yield arguments(plain).rstrip("\n")
    for group in headed:
        mine = {id(action) for action in group._group_actions}
        if actions := [action for action in own(parser) if id(action) in mine]:
            yield f"**{str(group.title)[0].upper()}{str(group.title)[1:]}:**"
            yield arguments(actions).rstrip("\n")


def entry(words: str, parser: argparse.ArgumentParser, level: str) -> Iterator[str]:
    """The command and all under it."""
    changes = any(group.title == "changing data" for group in groups(parser))
    yield f"{level} {words}"
    yield f"{parser.description}{' This [changes data](#changing-data).' if changes else ''}"
    commands = list(below(parser))
    if commands:
        links = [f"[`{name}`](#{f'{words} {name}'.replace(' ', '-')})" for name, _ in commands]
        yield "Commands: " + ", ".join(links) + "."
    else:
        yield f"```text\n{usage(words, parser)}\n```"
    yield from tables(parser)
    for group in parser._mutually_exclusive_groups:
        names = [
            f"`{action.option_strings[0] if action.option_strings else named(action).strip('`')}`"
            for action in group._group_actions
        ]
        yield f"Use {'exactly' if group.required else 'at most'} one of these options: {', '.join(names)}."
    if parser.epilog:
        yield f"```text\n{parser.epilog.strip()}\n```"
    for name, inner in commands:
        yield from entry(f"{words} {name}", inner, "###")


# -- the page ---------------------------------------------------------------------------------------------------------


def shared(parser: argparse.ArgumentParser, title: str) -> str:
    [group] = [group for group in groups(parser) if group.title == title]
    return arguments(group._group_actions).rstrip("\n")


def statuses() -> str:
    """Every exit status, with the ``code`` of its failures."""
    codes: dict[Exit, list[str]] = {}
    for kind in ErrorKind:
        failure = failure_of(ServiceError(kind, ""))
        codes.setdefault(failure.exit, []).append(f"`{failure.code}`")
    rows = [(str(int(status)), _STATUSES[status], ", ".join(codes.get(status, []))) for status in Exit]
    return table(("status", "meaning", "`code` in the JSON of a failure"), rows).rstrip("\n")


def reference() -> str:
    """``docs/cli.md``."""
    parser = build_parser(NOUNS)
    nouns = dict(below(parser))
    parts = [
        _HEAD.rstrip("\n"),
        "## Exit statuses",
        statuses(),
        (
            "After a signal, the status is 128 plus the signal number. "
            "[troubleshooting.md](troubleshooting.md) lists remedies."
        ),
        "## Options of every command",
        shared(parser, "global options"),
        "`--help` after any command lists its options; `chartui --version` prints the version.",
        "## Options of the terminal UI",
        shared(parser, "terminal UI"),
        "## Changing data",
        "Commands that change data show the change and ask for confirmation. Two options control this:",
        shared(nouns["undo"], "changing data"),
        "## Naming things",
        _NAMING.rstrip("\n"),
    ]
    for name, noun in nouns.items():
        parts += entry(f"chartui {name}", noun, "##")
    return "\n\n".join(parts) + "\n"


def test_the_reference_is_made_from_the_parser() -> None:
    assert kept(PAGE, reference()) == reference()


def test_every_command_and_every_option_is_in_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for words, parser in everything("chartui", build_parser(NOUNS)):
        _, heading, after = text.partition(f"# {words}\n") if words != "chartui" else ("", "chartui", text)
        assert heading, words
        section = after.partition("\n## ")[0].partition("\n### ")[0] if words != "chartui" else text
        missing = [name for action in own(parser) for name in action.option_strings if f"`{name}" not in section]
        assert missing in ([], ["--version"]), words


def everything(words: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield words, parser
    for name, inner in below(parser):
        yield from everything(f"{words} {name}", inner)
