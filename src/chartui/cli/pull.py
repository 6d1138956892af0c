"""``chartui pull``: a character with its settings, its story and its actions into a file (decision 64)."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.cli.bundles import bundle_files
from chartui.cli.errors import Exit
from chartui.cli.files import add_force, writing_to
from chartui.cli.graphs import add_character
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask

if TYPE_CHECKING:
    from chartui.core.bundle.model import Bundle
    from chartui.core.session import Session

__all__ = ["configure"]

_EPILOG: Final = """\
The file is TOML, made to be read, edited and kept under version control. Over
an earlier file, --force keeps its comments and the order of its parts.
Where part of the character could not be read, the file holds the rest, names
what is missing in its member "incomplete", and the status is 1.
--json writes {"character_id", "file", "notes", "bundle"}, the last being the
tables of the file as objects.

examples:
  chartui --profile work pull ID mira.toml
  chartui --profile local push mira.toml --create
  chartui --profile work diff mira.toml
"""


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.set_defaults(handler=pull)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_character(parser)
    parser.add_argument(
        "bundle_file", metavar="FILE", nargs="?", help="the file to write; left out or -, standard output"
    )
    add_force(parser, "overwrite FILE, keeping its comments")


def pull(arguments: Arguments, output: Output) -> int:
    """Write the character into a file, or to standard output."""
    from chartui.core.bundle.present import pull as pulled
    from chartui.core.bundle.writer import bundle_text, bundle_wire, earlier_bundle, write_bundle
    from chartui.core.paths import check_output

    given: str | None = arguments.bundle_file
    path = Path(given) if given is not None and given != "-" else None
    like = None
    if path is not None:
        with bundle_files(), writing_to(path):
            check_output(path, replace=arguments.force)
            like = earlier_bundle(path)

    async def question(session: Session) -> tuple[Bundle, tuple[str, ...]]:
        return await pulled(session, arguments.character_id, like=like)

    bundle, notes = ask(arguments, question)
    if path is not None:
        with bundle_files(), writing_to(path):
            write_bundle(path, bundle, replace=arguments.force)
    if output.as_json:
        facts = {"character_id": arguments.character_id, "file": given if path is not None else None}
        output.json({**facts, "notes": list(notes), "bundle": bundle_wire(bundle)})
    elif path is None:
        output.text(bundle_text(bundle).removesuffix("\n"))
    for note in notes:
        output.note(note)
    if path is not None:
        story = bundle.story
        output.note(f"wrote {path}: {len(story.sections)} sections, {len(story.triggers)} triggers")
    if bundle.incomplete:
        output.note("The bundle is marked as incomplete. 'push --prune' refuses it.")
        return Exit.NO
    return Exit.DONE
