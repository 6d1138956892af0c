"""``chartui diff``: what is different between a file and a character, by what it means (decision 64)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from chartui.cli.bundles import add_file, character_of, read_file
from chartui.cli.errors import Exit, UsageError
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask, chosen_profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chartui.core.bundle.difference import Difference
    from chartui.core.session import Session

__all__ = ["configure"]

_EPILOG: Final = """\
Sections and triggers are matched by the ids in the file, then by name: what was
renamed has another name. The order of decisions counts, that of sections and
tables does not. - stands before what is there, + before what the file says,
which is what a push would make of it. Status 1 when something is different.
--json writes {"profile", "character_id", "alike", "differences"}; each of those
has part, slug, name, member, verdict, file and there.
"""


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.set_defaults(handler=diff)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_file(parser)
    parser.add_argument("character_id", metavar="ID", nargs="?", help="the character's id; else as the file knows it")


def diff(arguments: Arguments, output: Output) -> int:
    """Write what is different; status 1 when something is."""
    from chartui.core.bundle.difference import Verdict, difference_lines, differences_wire
    from chartui.core.bundle.present import compared

    bundle, _ = read_file(arguments.bundle_file)
    profile = chosen_profile(arguments).name
    character_id = character_of(bundle, arguments.character_id, profile)
    if character_id is None:
        raise UsageError(f"the file belongs to no character of profile '{profile}' yet: name one by its ID")

    async def question(session: Session) -> Sequence[Difference]:
        return await compared(session, bundle, character_id)

    found = ask(arguments, question)
    different = sum(one.verdict is not Verdict.UNKNOWN for one in found)
    if output.as_json:
        facts = {"profile": profile, "character_id": character_id, "alike": not different}
        output.json({**facts, "differences": differences_wire(found)})
    else:
        for line in difference_lines(found):
            output.text(line)
        blind = len(found) - different
        unchecked = f"; {blind} that cannot be checked" if blind else ""
        output.note(f"{_counted(different)}{unchecked}")
    return Exit.NO if different else Exit.DONE


def _counted(number: int) -> str:
    return "no difference" if not number else "1 difference" if number == 1 else f"{number} differences"
