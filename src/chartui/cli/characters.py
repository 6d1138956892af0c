"""``chartui characters``: the characters of the account."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from chartui.cli.character_changes import add_changes
from chartui.cli.character_compare import add_compare
from chartui.cli.character_seen import add_seen
from chartui.cli.character_show import add_shows
from chartui.cli.errors import Exit
from chartui.cli.output import Output, yes_no
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.sessions import ask

if TYPE_CHECKING:
    from chartui.core.session import Session
    from chartui.core.spec.models.characters import Character, CharacterSummary

__all__ = ["configure"]


def configure(parser: Parser) -> None:
    """Add the verbs."""
    verbs = add_verbs(parser)
    add_verb(verbs, "list", "every character, a line each", list_characters).add_argument(
        "--filter", metavar="TEXT", default="", help="only those with this in name, id, model or language"
    )
    add_shows(verbs)
    add_compare(verbs)
    add_seen(verbs)
    add_changes(verbs)


# -- list -------------------------------------------------------------------------------------------------------------


def list_characters(arguments: Arguments, output: Output) -> int:
    """Write the characters; status 1 when the filter leaves none."""
    wanted = arguments.filter.casefold()

    async def question(session: Session) -> tuple[Sequence[CharacterSummary], Sequence[Character]]:
        from chartui.core.service import summary_of

        if not output.as_json:
            return await session.service.summaries(), ()
        records = await session.service.characters()
        return [summary_of(record) for record in records], records

    summaries, records = ask(arguments, question)
    if output.as_json:
        pairs = zip(summaries, records, strict=True)
        shown = [record.raw for summary, record in pairs if _matches(summary, wanted)]
        output.json({"characters": shown})
        return Exit.NO if wanted and not shown else Exit.DONE
    found = [summary for summary in summaries if _matches(summary, wanted)]
    if found:
        output.table([_columns(summary) for summary in found], header=_HEADER)
    total = "1 character" if len(summaries) == 1 else f"{len(summaries)} characters"
    output.note(f"{len(found)} of {total}" if wanted else total)
    return Exit.NO if wanted and not found else Exit.DONE


def _matches(summary: CharacterSummary, wanted: str) -> bool:
    fields = (summary.character_name, summary.character_id, summary.model, summary.language_code)
    return any(wanted in (field or "").casefold() for field in fields)


_HEADER: Final = ["ID", "NAME", "MODEL", "LANGUAGE", "NARRATIVE", "MEMORY", "LAST USED"]


def _columns(summary: CharacterSummary) -> list[str]:
    return [
        summary.character_id,
        summary.character_name or "–",
        summary.model or "–",
        summary.language_code or "–",
        yes_no(summary.is_narrative_driven),
        yes_no(summary.memory_enabled),
        summary.last_interacted_with or "–",
    ]
