"""``chartui completion``: completion scripts for shells, and the table of commands that completion reads.

Building the parser takes 100 to 200 ms, which is too long for a key press (and rules out libraries that complete from
the parser, such as argcomplete). So the commands, their options and the values known in advance are stored in
``commands.json``, which ``UPDATE_GOLDEN=1 script/test tests/project`` generates from the parser.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from chartui.cli.output import Output
from chartui.cli.parser import NOUNS, Arguments, Parser, build_parser, commands_below

#: The supported shells, each with its script.
SHELLS: Final = ("bash", "zsh", "fish")
#: Metavar → source of the values (:mod:`chartui.cli.candidates`).
_BY_METAVAR: Final = {
    **{name.upper(): name for name in ("character", "section", "trigger", "preset", "scenario", "tour", "theme")},
    **{name.upper(): name for name in ("operation", "model", "level", "rule")},
    "CODE": "model",
    "DESTINATION": "section",
    "DIR": "folder",
    "FILE": "file",
    "LIST": "feature",
    "OTHER": "character",
}
#: Attribute of the parsed arguments → source.
_BY_DEST: Final = {
    "profile": "profile",
    **dict.fromkeys(("confirm", "other_profile"), "other_profile"),
    **dict.fromkeys(("theme", "its_theme"), "theme"),
    "opened_sort": "column",
    **{name: name for name in ("tab", "llm", "stt", "tts", "animation")},
    **{name: name for name in ("family", "speech_in_vendor", "speech_out_vendor")},
}
#: Arguments that are named alike in other commands, where they mean something else.
_BY_PLACE: Final = {
    **{(f"presets {verb}", "name"): "preset" for verb in ("rename", "remove")},
    **{(f"scenarios {verb}", "name"): "scenario" for verb in ("rename", "remove")},
    **{(f"profiles {verb}", "name"): "profile" for verb in ("show", "use", "set", "remove", "test")},
    ("estimate", "baseline"): "preset",
    ("rates pin-model", "key"): "llm",
    ("rates pin-voice", "key"): "tts",
}


def configure_completion(parser: Parser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="shell to write the script for")


def completion(arguments: Arguments, output: Output) -> None:
    script = Path(__file__).with_name("shells") / f"chartui.{arguments.shell}"
    output.text(script.read_text(encoding="utf-8").rstrip("\n"))


# -- the table ---------------------------------------------------------------------------------------------------------


def table() -> str:
    """The content of ``commands.json``: one line for each command and each list of values."""
    root = build_parser(NOUNS)
    shared = next(group for group in root._action_groups if group.title == "global options")._group_actions
    everywhere = [_option(action, "") for action in shared]
    named = {parser.prog.partition(" ")[2]: parser for parser in (root, *commands_below(root))}
    parts: dict[str, Mapping[str, Any]] = {
        "commands": {name: _command(parser, name, everywhere) for name, parser in named.items()},
        "values": _values(),
    }
    written = [f'"everywhere": {_line(everywhere)}']
    for name, part in parts.items():
        lines = ",\n".join(f" {_line(key)}: {_line(value)}" for key, value in part.items())
        written.append(f'"{name}": {{\n{lines}\n}}')
    return "{\n" + ",\n".join(written) + "\n}\n"


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _verbs(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    found = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return found[0] if found else {}


def _command(parser: argparse.ArgumentParser, name: str, everywhere: list[dict[str, Any]]) -> dict[str, Any]:
    taking = [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]
    options = [_option(action, name) for action in taking if action.option_strings]
    parts = {
        "verbs": {verb: _short(below.description or "") for verb, below in _verbs(parser).items()},
        "options": [option for option in options if option not in everywhere],
        "arguments": [_value(action, name) for action in taking if not action.option_strings],
    }
    return {part: value for part, value in parts.items() if value}


def _option(action: argparse.Action, command: str) -> dict[str, Any]:
    again = isinstance(action, argparse._AppendAction | argparse._ExtendAction)
    named = {"names": action.option_strings, "about": _short((action.help or "").replace("%%", "%"))} | (
        {"again": True} if again else {}
    )
    return named if action.nargs == 0 else named | _value(action, command)


def _value(action: argparse.Action, command: str) -> dict[str, Any]:
    """The number of values that an argument takes and, if known, their list or source."""
    # The last one tells: "N SECTION" completes the section.
    metavar = action.metavar[-1] if isinstance(action.metavar, tuple) else action.metavar or ""
    if action.choices is not None:
        values: Any = [str(choice) for choice in action.choices]
    else:
        values = _BY_PLACE.get((command, action.dest)) or _BY_DEST.get(action.dest) or _BY_METAVAR.get(metavar)
    return {"count": str(action.nargs or 1)} | ({"values": values} if values else {})


def _short(text: str) -> str:
    return re.split(r" \(|[:;.] |\.$", text, maxsplit=1)[0]


def _values() -> dict[str, dict[str, str]]:
    """The values that are known in advance. A service may accept more."""
    from chartui.commands.tabs import TABS
    from chartui.core.characters.finder import Column
    from chartui.core.estimation.card import load_card
    from chartui.core.estimation.constraints import FEATURE_NAMES, groups
    from chartui.core.narrative.lint import RULES
    from chartui.core.spec.catalogue import KINDS, model_codes, options
    from chartui.core.spec.operations import OPERATIONS
    from chartui.demos.tour_file import find_tour, shipped_tours

    card = load_card()
    levels = [level for model in model_codes() if model.reasoning for level in model.reasoning.accepted]
    return {
        **{kind: {option.key: option.label for option in options(kind)} for kind in KINDS},
        "family": dict.fromkeys(groups(card, "llm"), ""),
        "speech_in_vendor": dict.fromkeys(groups(card, "stt"), ""),
        "speech_out_vendor": dict.fromkeys(groups(card, "tts"), ""),
        "feature": dict.fromkeys(FEATURE_NAMES, ""),
        "model": {model.code: model.label for model in model_codes()},
        "level": dict.fromkeys(levels, ""),
        "operation": {name: _short(operation.summary) for name, operation in OPERATIONS.items()},
        "rule": {name: _short(rule.why) for name, rule in RULES.items()},
        "tab": {tab: f"on the {screen} screen" for screen, tabs in TABS.items() for tab in tabs},
        "column": {column.value: "" for column in Column},
        "tour": {name: find_tour(name).title for name in shipped_tours()},
    }
