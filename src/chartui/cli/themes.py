"""``chartui themes``: which there are, and whether a file of one's own can be used and read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from chartui.cli.errors import Exit
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire

__all__ = ["configure"]


def configure(parser: Parser) -> None:
    """Add the verbs."""
    verbs = add_verbs(parser)
    add_verb(verbs, "list", "every theme, those that come along and your own", list_themes)
    verb = add_verb(verbs, "check", "what is wrong with a theme, and which of its texts are hard to read", check)
    verb.add_argument("which", metavar="THEME", help="its file, or the name of one that is there")
    add_verb(verbs, "schema", "a JSON Schema of a theme's file, for editors", schema)


def list_themes(arguments: Arguments, output: Output) -> int:
    """Write the themes; one that cannot be used is told, and hides no other."""
    del arguments
    from chartui.core.paths import own_themes, shipped_themes
    from chartui.core.themes import load_theme, own_theme_files

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
        [[str(f["name"]), "yours" if f["own"] else "comes along", str(f["about"])] for f in facts if not f["problems"]],
        header=["NAME", "FROM", "ABOUT"],
    )
    for fact in facts:
        for problem in fact["problems"] if isinstance(fact["problems"], list) else ():
            output.note(str(problem))
    return status


def check(arguments: Arguments, output: Output) -> int:
    """Write what is wrong with a theme; status 1 when it cannot be used. What is hard to read is told all the same."""
    from chartui.core.themes import find_theme, load_theme, too_weak

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
                    {"text": p.text, "ground": p.ground, "contrast": round(p.contrast, 2), "needed": p.needed}
                    for p in weak
                ],
            }
        )
        return Exit.NO if problems else Exit.DONE
    for problem in problems:
        output.text(problem)
    if weak:
        output.table(
            [[p.text, p.ground, f"{p.contrast:.2f}", f"{p.needed:g}"] for p in weak],
            header=["TEXT", "ON", "CONTRAST", "NEEDED"],
        )
        output.note(f"{len(weak)} pairs of colours are hard to read for many people")
    if not problems:
        output.note(f"{path} can be used.")
    return Exit.NO if problems else Exit.DONE


def schema(arguments: Arguments, output: Output) -> int:
    """Write the schema; JSON with and without ``--json``."""
    del arguments
    from chartui.core.schemas import theme_schema

    output.json(theme_schema())
    return Exit.DONE
