"""``chartui characters``: the characters of the account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chartui.cli.character_changes import add_changes
from chartui.cli.character_compare import add_compare
from chartui.cli.character_models import add_models
from chartui.cli.character_seen import add_seen
from chartui.cli.character_show import add_shows
from chartui.cli.errors import Exit
from chartui.cli.output import Output, yes_no
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.sessions import ask
from chartui.core.characters.finder import FIELDS, SCORES, Column, Finder, Sorting, traits_in, traits_told
from chartui.core.spec.catalogue import model_codes
from chartui.core.spec.records import Records

if TYPE_CHECKING:
    from chartui.core.session import Session
    from chartui.core.spec.models.summaries import CharacterSummary

__all__ = ["configure"]


def configure(parser: Parser) -> None:
    """Add the verbs."""
    verbs = add_verbs(parser)
    _add_list(add_verb(verbs, "list", "every character, a line each", list_characters))
    add_shows(verbs)
    add_models(verbs)
    add_compare(verbs)
    add_seen(verbs)
    add_changes(verbs)


# -- list -------------------------------------------------------------------------------------------------------------


def _add_list(parser: Parser) -> None:
    parser.add_argument(
        "--filter",
        metavar="TEXT",
        default="",
        help='only those with all these words in name, id, model, language or traits; also "a phrase", '
        f"FIELD:WORD (of {', '.join(FIELDS)}) and scores such as {SCORES[0]}>3",
    )
    parser.add_argument("--fuzzy", action="store_true", help="words may have slips in them; the best matches first")
    parser.add_argument("--sort", metavar="COLUMN", choices=[*map(str, Column)], help=f"by one of {', '.join(Column)}")
    parser.add_argument("--descending", action="store_true", help="the other way round; what is not said stays last")


def list_characters(arguments: Arguments, output: Output) -> int:
    """Write the characters; status 1 when the filter leaves none."""
    wanted: str = arguments.filter

    async def question(session: Session) -> tuple[Finder, Records]:
        service, known = session.service, frozenset(model.code for model in model_codes())
        if service.embedded and not output.as_json:
            summaries = await service.summaries()
            traits = traits_told(await service.descriptions()) if wanted else {}
            return Finder(summaries, known, traits), Records.none()
        records = await service.records()
        traits = traits_in(records) if wanted else {}
        return Finder(records.summaries, known, traits), records

    finder, records = ask(arguments, question)
    sorting = Sorting(arguments.sort and Column(arguments.sort), arguments.descending)
    found = finder.places(wanted, fuzzy=arguments.fuzzy, sorting=sorting)
    number = len(finder.summaries)
    total = "1 character" if number == 1 else f"{number} characters"
    if output.as_json:
        output.json({"characters": records.at(found)})
    elif found:
        output.table([_columns(finder.summaries[place], finder) for place in found], header=_HEADER)
    for character_id, count in finder.repeated.items():
        output.warn(f"{count} records have the id {character_id}. The first one counts.")
    output.note(f"{len(found)} of {total}" if wanted else total)
    return Exit.NO if wanted and not found else Exit.DONE


_HEADER: Final = ["ID", "NAME", "MODEL", "LANGUAGE", "NARRATIVE", "MEMORY", "GONE", "CREATED", "LAST USED"]


def _columns(summary: CharacterSummary, finder: Finder) -> list[str]:
    return [
        f"{summary.character_id} (!)" if summary.character_id in finder.repeated else summary.character_id,
        summary.character_name or "–",
        summary.model or "–",
        summary.language_code or "–",
        yes_no(summary.is_narrative_driven),
        yes_no(summary.memory_enabled),
        yes_no(finder.is_gone(summary)),
        summary.timestamp or "–",
        summary.last_interacted_with or "–",
    ]
