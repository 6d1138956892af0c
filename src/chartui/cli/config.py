"""``chartui config`` and ``themes``: the settings in use, their files, and the problems in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from chartui.cli.errors import Exit
from chartui.cli.output import Output, yes_no
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.sessions import chosen_profile
from chartui.commands import COMMANDS, key_label
from chartui.core.bookmark import remembers
from chartui.core.config import CLIPBOARDS, RELOCK_MINUTES, config_path, load_config, plain_and_source
from chartui.core.jsontext import Wire
from chartui.core.naming import unknown
from chartui.core.narrative.lint.findings import RULES, switched_off
from chartui.core.numbers import number_of
from chartui.core.paths import own_themes, pins_path, shipped_themes
from chartui.core.profiles import Profile, profiles_path
from chartui.core.profiles_file import ProfilesFileError, load_profiles
from chartui.core.tables import file_problems
from chartui.core.themes import find_theme, load_theme, own_theme_files, theme_names, too_weak
from chartui.keymap import make_keymap, own_problems

_START: Final = "estimator"
_KINDS: Final = (
    *("config", "profiles", "pins", "scenario", "policy"),
    *("bundle", "section", "walk", "scene", "tour"),
)
_SCHEMA: Final = """\
Editors with TOML support check a file against the schema named in its first
line. Files written by chartui already have that line. Save each schema next to
your files: the bundle schema as bundle.schema.json, and so on.

Without KIND, the output is an object with one schema for each kind of file.
"""


def configure_config(parser: Parser) -> None:
    verbs = add_verbs(parser)
    add_verb(verbs, "show", "show the theme, first screen, shortcuts and rules, and where each is set", show)
    add_verb(verbs, "path", "print the paths of the settings files", path)
    add_verb(verbs, "validate", "check the settings files for problems", validate)
    schema = add_verb(verbs, "schema", "print JSON Schemas for editors", config_schemas)
    schema.epilog = _SCHEMA
    schema.option("kind", "KIND", "kind of file, such as bundle (default: all kinds)", nargs="?", choices=_KINDS)


def show(arguments: Arguments, output: Output) -> None:
    profile, config = chosen_profile(arguments), load_config()
    keymap = make_keymap(config.keys)
    off, unknown = switched_off(config.lint_off)
    relock = None if config.relock_minutes is None else f"{config.relock_minutes:g}"
    drawn = None if config.ascii is None else yes_no(config.ascii)
    plain, plain_source = plain_and_source(config)
    held = {
        "theme": _first(profile, profile.theme, config.theme, None),
        "screen": _first(profile, profile.screen, config.screen, _START),
        "clipboard": _first(profile, None, config.clipboard, CLIPBOARDS[0]),
        "ascii": _first(profile, None, drawn, None),
        "plain": (yes_no(plain), plain_source),
        "remember": _first(
            profile,
            None if profile.remember is None else yes_no(profile.remember),
            None if config.remember is None else yes_no(config.remember),
            yes_no(remembers(profile, None)),
        ),
        "relock_minutes": _first(profile, None, relock, str(RELOCK_MINUTES)),
    }
    keys = {command_id: tuple(map(key_label, names)) for command_id, names in keymap.given.items()}
    own = len(tuple(own_problems(config.commands, keymap)))
    problems = len(config.problems) + len(keymap.problems) + len(unknown) + own
    if output.as_json:
        values: dict[str, Wire] = {name: value for name, (value, _) in held.items()}
        values |= {"ascii": config.ascii, "plain": plain, "remember": remembers(profile, config.remember)}
        values["relock_minutes"] = RELOCK_MINUTES if config.relock_minutes is None else config.relock_minutes
        output.json(
            {
                **{name: {"value": values[name], "source": source} for name, (_, source) in held.items()},
                "keys": {command: list(names) for command, names in keys.items()},
                "lint_off": dict(off),
                "problems": problems,
            }
        )
    else:
        unset = {"theme": "built-in theme", "ascii": "detected from the terminal"}
        output.table([[name, value or unset.get(name, ""), source] for name, (value, source) in held.items()])
        if keys:
            output.text()
            rows = [[command, " ".join(names) or "–"] for command, names in keys.items()]
            output.table(rows, header=["COMMAND", "KEYS"])
        if off:
            output.text()
            output.table([[rule, reason] for rule, reason in off.items()], header=["RULE", "REASON"])
        if problems:
            output.note(f"{number_of(problems, 'setting')} cannot be used; see 'chartui config validate'")


def _first(
    profile: Profile, of_profile: str | None, configured: str | None, default: str | None
) -> tuple[str | None, str]:
    if of_profile is not None:
        return of_profile, f"profile '{profile.name}'"
    return (configured, "config.toml") if configured is not None else (default, "default")


def path(_arguments: Arguments, output: Output) -> None:
    files = config_path(), profiles_path(), pins_path()
    if output.as_json:
        output.json({file.name: {"path": str(file), "exists": file.exists()} for file in files})
    else:
        for file in files:
            output.text(str(file))
            if not file.exists():
                output.note(f"{file.name} does not exist, so the defaults apply")


def validate(_arguments: Arguments, output: Output) -> int:
    problems = list(settings_problems())
    if output.as_json:
        output.json({"valid": not problems, "problems": list(problems)})
    else:
        output.sentences(problems)
        output.note(f"{number_of(len(problems), 'problem')} found" if problems else "No problems.")
    return Exit.NO if problems else Exit.DONE


def settings_problems() -> Iterator[str]:
    from chartui.core.estimation.pins import load_pins

    config, themes = load_config(), theme_names()
    yield from config.problems
    yield from load_pins().problems
    yield from (problem for path in own_theme_files() for problem in load_theme(path).problems)
    keymap = make_keymap(config.keys)
    wrong = [*keymap.problems, *own_problems(config.commands, keymap)]
    wrong += (f"lint.off: {problem}" for problem in switched_off(config.lint_off)[1])
    if config.theme is not None and config.theme not in themes:
        wrong.append(f"theme: {unknown('theme', config.theme, themes)}")
    yield from file_problems(config_path(), wrong)
    try:
        profiles = load_profiles().by_name.values()
    except ProfilesFileError as error:
        yield from error.lines
        return
    yield from file_problems(profiles_path(), [problem for one in profiles for problem in _problems_of(one, themes)])


def _problems_of(profile: Profile, themes: tuple[str, ...]) -> Iterator[str]:
    if profile.theme is not None and profile.theme not in themes:
        yield f"profiles.{profile.name}.theme: {unknown('theme', profile.theme, themes)}"
    for name, file in (("ca_file", profile.ca_file), ("rate_card", profile.rate_card)):
        if file is not None and not file.is_file():
            yield f"profiles.{profile.name}.{name}: file not found: {file}."


def config_schemas(arguments: Arguments, output: Output) -> None:
    from chartui.core.actions.scene_file import scene_schema
    from chartui.core.bundle.schema import bundle_schema, section_schema
    from chartui.core.estimation.pins import pins_schema
    from chartui.core.estimation.policy import policy_schema
    from chartui.core.estimation.scenario import scenario_schema
    from chartui.core.narrative.walk.replay import walk_schema
    from chartui.core.schemas import config_schema, profiles_schema
    from chartui.demos.tour_file import tour_schema

    schemas = {
        "config": config_schema((c.id for c in COMMANDS), RULES),
        "profiles": profiles_schema(),
        "pins": pins_schema(),
        "scenario": scenario_schema(),
        "policy": policy_schema(),
        "bundle": bundle_schema(),
        "section": section_schema(),
        "walk": walk_schema(),
        "scene": scene_schema(),
        "tour": tour_schema(),
    }
    if arguments.kind is None:
        output.json({f"{kind}.toml": schema for kind, schema in schemas.items()})
    else:
        output.json(schemas[arguments.kind])


def configure_themes(parser: Parser) -> None:
    verbs = add_verbs(parser)
    add_verb(verbs, "list", "list all themes, including your own", list_themes)
    verb = add_verb(verbs, "check", "check a theme for errors and hard-to-read colors", check_theme)
    verb.option("which", "THEME", "theme file, or name of a theme")
    add_verb(verbs, "schema", "print a JSON Schema for theme files, for use in editors", theme_schemas)


def list_themes(_arguments: Arguments, output: Output) -> int:
    facts: list[dict[str, Wire]] = []
    for path in (*shipped_themes(), *own_theme_files()):
        theme, problems = load_theme(path)
        facts.append(
            {
                "name": path.stem,
                "about": theme.about if theme else "",
                "own": path.parent == own_themes(),
                "file": str(path),
                "problems": list(problems),
            }
        )
    status = Exit.USAGE if any(fact["problems"] for fact in facts) else Exit.DONE
    if output.as_json:
        output.json(facts)
        return status
    output.table(
        [[str(f["name"]), "yours" if f["own"] else "built-in", str(f["about"])] for f in facts if not f["problems"]],
        header=["NAME", "FROM", "ABOUT"],
    )
    for fact in facts:
        for problem in fact["problems"] if isinstance(fact["problems"], list) else ():
            output.note(str(problem))
    return status


def check_theme(arguments: Arguments, output: Output) -> int:
    given: str = arguments.which
    path = find_theme(given) or Path(given)
    theme, problems = load_theme(path)
    weak = list(too_weak(theme)) if theme else []
    if output.as_json:
        output.json(
            {
                "valid": not problems,
                "problems": list(problems),
                "hard_to_read": [
                    {"text": p.text, "background": p.ground, "contrast": round(p.contrast, 2), "required": p.needed}
                    for p in weak
                ],
            }
        )
        return Exit.NO if problems else Exit.DONE
    output.sentences(problems)
    if weak:
        output.table(
            [[p.text, p.ground, f"{p.contrast:.2f}", f"{p.needed:g}"] for p in weak],
            header=["TEXT", "ON", "CONTRAST", "NEEDED"],
        )
        output.note(f"{number_of(len(weak), 'color pair')} that many people will find hard to read")
    if not problems:
        output.note(f"{path} is valid.")
    return Exit.NO if problems else Exit.DONE


def theme_schemas(_arguments: Arguments, output: Output) -> None:
    from chartui.core.schemas import theme_schema

    output.json(theme_schema())
