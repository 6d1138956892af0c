"""``chartui characters list|show|card|models``: list and show characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chartui.cli.character_changes import add_changes
from chartui.cli.character_differences import add_compare, add_seen
from chartui.cli.errors import Exit, UsageError
from chartui.cli.gates import add_gates, character_subjects, gate_of
from chartui.cli.lookup import add_character, read_whole
from chartui.cli.output import Output, add_forms, write_sheet, yes_no
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.sessions import add_reference_rates, ask, chosen_profile
from chartui.core.character import Reading, read_models, read_texts, read_traits, start_of, with_objective
from chartui.core.characters.card import Origin, card_of
from chartui.core.characters.finder import FIELDS, SCORES, Column, Finder, Sorting, listed_text, listed_wire, parse
from chartui.core.characters.models import Model, Models, model_wire
from chartui.core.characters.record import Search, grouped, narrowed
from chartui.core.clock import system_clock
from chartui.core.fields import Access, Group
from chartui.core.naming import BadName, nearest
from chartui.core.numbers import count, exact, number_of
from chartui.core.plans.settings import MODEL, SETTINGS_PART
from chartui.core.saved_filters import NAMED, filters_path, load_filters
from chartui.core.spec.catalogue import model_codes
from chartui.core.spec.records import Records

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from chartui.core.characters.finder import ListedCost
    from chartui.core.estimation.character_cost import CharacterCost, Span
    from chartui.core.estimation.gates import Subject
    from chartui.core.jsontext import Wire
    from chartui.core.session import Session
    from chartui.core.spec.models.summaries import CharacterSummary


def configure_characters(parser: Parser) -> None:
    verbs = add_verbs(parser)
    verb = add_verb(verbs, "list", "list the characters", list_characters)
    verb.option(
        "--filter",
        "TEXT",
        'words to find in the name, ID, model, language or traits; you can also use "a phrase", '
        f"FIELD:WORD ({', '.join(FIELDS)}) and conditions such as {SCORES[0]}>3. @NAME applies a saved filter",
        default="",
    )
    verb.flag("--fuzzy", "allow typos, and list the best matches first")
    verb.option("--sort", "COLUMN", f"column to sort by: {', '.join(Column)}", choices=[*map(str, Column)])
    verb.flag("--cost", "show the credits per interaction, based on the rate card")
    verb.flag("--reverse", "reverse the sort order; unknown values stay last")
    add_gates(verb)
    add_forms(verb)
    verb = add_verb(verbs, "show", "show every field of a character", show, add_character)
    how = verb.add_mutually_exclusive_group()
    how.flag("--raw", "print the record as JSON, exactly as received")
    how.option(
        "--find",
        "TEXT",
        "show the fields whose name, path or value contains TEXT; exit 1 if there are none. With --json, list "
        "these fields with the source of each value; '' lists all fields",
    )
    verb = add_verb(
        verbs, "card", "summarize a character on one screen, as text for a support ticket", card, add_character
    )
    verb.flag("--with-texts", "include the backstory, the prompt and other texts in full")
    verb = add_verb(verbs, "models", "list the available models, by group", list_models)
    verb.option(
        "character_id",
        "CHARACTER",
        "show the cost of this character with each model, and mark its current model",
        nargs="?",
    )
    add_reference_rates(verb)
    add_compare(verbs)
    add_seen(verbs)
    add_changes(verbs)


def list_characters(arguments: Arguments, output: Output) -> int:
    wanted, gate = _expanded(arguments), gate_of(arguments)
    if problem := parse(wanted).problem:
        raise UsageError(problem)
    sorting = Sorting(arguments.sort and Column(arguments.sort), arguments.reverse)

    with_costs = arguments.cost or arguments.sort == Column.COST

    async def question(session: Session) -> tuple[Finder, Records, Sequence[int], Sequence[Subject], str]:
        service, known = session.service, frozenset(model.code for model in model_codes())
        if service.embedded and not output.as_json and not gate.used:
            records, summaries = Records.none(), await service.summaries()
        else:
            records = await service.records()
            summaries = records.summaries
        traits = await read_traits(service, records) if wanted else {}
        texts = await read_texts(service, session.journal, session.profile.place, parse(wanted).texts, records)
        asks_staged = parse(wanted).asks_staged or arguments.csv or arguments.markdown
        drafts = await session.drafts.all(session.profile.place, part=SETTINGS_PART) if asks_staged else ()
        costs, banner = await _costs_of_all(session, records) if with_costs else ({}, "")
        finder = Finder(summaries, known, traits, texts, frozenset(draft.character_id for draft in drafts), costs)
        found = finder.places(wanted, fuzzy=arguments.fuzzy, sorting=sorting)
        subjects = await character_subjects(session, records, found) if gate.used else []
        if gate.used and not banner:
            banner = session.rates.get().banner
        return finder, records, found, subjects, banner

    finder, records, found, subjects, banner = ask(arguments, question)
    total = number_of(len(finder.summaries), "character")
    if arguments.csv or arguments.markdown:
        from chartui.core.characters.list_sheet import list_sheet

        write_sheet(list_sheet(finder, found), arguments, output)
    elif output.as_json:
        ids = [finder.summaries[place].character_id for place in found]
        costs: Wire = [{"character_id": one, **listed_wire(finder.costs[one])} for one in ids] if with_costs else []
        output.json({"characters": records.at(found), **({"costs": costs} if with_costs else {})})
    elif found:
        header = [*_HEADER, "CREDITS"] if with_costs else _HEADER
        rows = [_columns(finder.summaries[place], finder) for place in found]
        output.table(rows, header=header, right={len(_HEADER)} if with_costs else (), drops=_DROPS)
    if banner:
        output.note(banner)
    for character_id, number in finder.repeated.items():
        output.warn(f"{number} records have the ID {character_id}. Only the first is used.")
    output.note(f"{count(len(found))} of {total}" if wanted else total)
    if remark := finder.remark(wanted):
        output.note(remark)
    if not found and (near := nearest(wanted, (one.character_name or "" for one in finder.summaries))):
        output.note(f"No character matches “{wanted}”. Did you mean “{near}”?")
    status = gate.status(subjects, output)
    return Exit.NO if wanted and not found else status


async def _costs_of_all(session: Session, records: Records) -> tuple[Mapping[str, ListedCost], str]:
    from chartui.core.costs import basis_for
    from chartui.core.list_costs import list_costs, read_measures

    service, rates, basis = session.service, session.rates.get(), await basis_for(session)
    measures = await read_measures(service, session.journal, session.profile.place, records)
    costs = list_costs(measures, await read_models(service), basis, rates.card)
    told = f"Credits per interaction {basis.words}. Input tokens are estimated from the characters' texts."
    least = (
        " “≥” marks a lower bound for characters with unreadable texts."
        if any(c.at_least for c in costs.values())
        else ""
    )
    return costs, f"{told}{least} {rates.banner}".strip()


def _expanded(arguments: Arguments) -> str:
    text: str = arguments.filter
    if not text.startswith(NAMED):
        return text
    saved = load_filters(filters_path(chosen_profile(arguments).name))
    try:
        return saved.expand(text)
    except BadName as error:
        raise UsageError(" ".join((str(error), *saved.problems))) from None


_HEADER: Final = ["ID", "NAME", "MODEL", "LANGUAGE", "NARRATIVE", "MEMORY", "GONE", "CREATED", "LAST USED"]
#: The columns that a narrow terminal leaves out, the first one first.
_DROPS: Final = [
    _HEADER.index(name) for name in ("CREATED", "LAST USED", "GONE", "MEMORY", "NARRATIVE", "LANGUAGE", "MODEL")
]


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
        *([listed_text(finder.costs[summary.character_id])] if finder.costs else ()),
    ]


def show(arguments: Arguments, output: Output) -> int:
    reading = ask(arguments, lambda session: read_whole(session, arguments.character_id))
    sought = arguments.find is not None
    if arguments.raw or (output.as_json and not sought):
        output.json(reading.record)
        return Exit.DONE
    groups = grouped(reading.record, reading.settings, reading.known_here)
    if sought and (search := Search(arguments.find)):
        groups = narrowed(groups, search)
        if not groups:
            output.note(f"No field contains “{arguments.find}”.")
    if output.as_json:
        output.json({"fields": _as_wire(groups)})
    else:
        _write_groups(groups, output)
    return Exit.DONE if groups or not sought else Exit.NO


def _as_wire(groups: Iterable[Group]) -> list[dict[str, str | None]]:
    return [
        {
            "group": group.title,
            "field": entry.label,
            "path": entry.path,
            "access": entry.access.value,
            "value": entry.copied,
            "remark": entry.remark or None,
        }
        for group in groups
        for entry in group.entries
    ]


def _write_groups(groups: Iterable[Group], output: Output) -> None:
    for number, group in enumerate(groups):
        if number:
            output.text()
        output.text(group.title)
        pairs = []
        for entry in group.entries:
            access = entry.access.value if entry.access is Access.WRITE_ONLY else ""
            remarks = ", ".join(filter(None, (access, entry.remark)))
            break_ = "\n" if "\n" in entry.text else " "
            pairs.append((entry.label, f"{entry.text}{break_}({remarks})" if remarks else entry.text))
        output.fields(pairs, indent=2)


def card(arguments: Arguments, output: Output) -> None:
    async def question(session: Session) -> tuple[Reading, Origin]:
        from chartui.core.change_costs import price_told
        from chartui.core.costs import basis_for

        reading = await read_whole(session, arguments.character_id)
        start = await start_of(session.service, reading.record)
        cost = await price_told(session.service, reading, await basis_for(session))
        return reading, Origin.of(session.profile, session.where, system_clock(), start, cost)

    reading, origin = ask(arguments, question)
    found = card_of(
        reading.record, reading.settings, origin, known_here=reading.known_here, with_texts=arguments.with_texts
    )
    if output.as_json:
        parts = {"fields": dict(found.fields), "texts": dict(found.texts), "missing_texts": dict(found.missing)}
        output.json({"name": found.name, **parts, "where": found.where, "when": found.when})
    else:
        output.text(str(found).rstrip("\n"))


# -- models -----------------------------------------------------------------------------------------------------------


_MODELS_HEADER: Final = ["", "GROUP", "CODE", "MARKS", "REASONING", "CREDITS", "MS"]


def list_models(arguments: Arguments, output: Output) -> None:
    async def question(session: Session) -> tuple[Models, str, Mapping[str, CharacterCost], str]:
        if arguments.character_id is None:
            return await read_models(session.service), "", {}, ""
        reading = await read_whole(session, arguments.character_id)
        present = reading.now.get(MODEL)
        found = await read_models(session.service, arguments.character_id)
        models = found.with_present(present) if isinstance(present, str) else found
        reading = await with_objective(session.service, reading)
        costs, banner = await _costs(session, reading, found, models, reference=arguments.reference_rates)
        return models, str(present or ""), costs, banner

    models, present, costs, banner = ask(arguments, question)
    if output.as_json:
        output.json(
            {
                "from_service": models.sure,
                "current": present or None,
                "models": [
                    {**model_wire(model), **(_cost_wire(costs[model.code]) if model.code in costs else {})}
                    for _, found in models.grouped()
                    for model in found
                ],
            }
        )
        return
    rows = [_row(group, model, present, costs) for group, found in models.grouped() for model in found]
    output.table(rows, header=_MODELS_HEADER[: len(rows[0])] if rows else None, right={5, 6})
    if not models.sure:
        output.note("This account cannot list the service's models. The models shown are from the catalogue.")
    if banner:
        output.note(banner)


async def _costs(
    session: Session, reading: Reading, known: Models, models: Models, *, reference: bool
) -> tuple[Mapping[str, CharacterCost], str]:
    """The cost of the character with each model, and what it is based on; none at rates that are not the service's,
    unless the ``reference`` rates are allowed.
    """
    from chartui.core.costs import basis_for, facts_of, model_costs
    from chartui.core.estimation.character_cost import tokens_text

    rates, basis = session.rates.get(), await basis_for(session)
    if rates.mark == "reference" and not reference:
        return (
            {},
            f"Costs are unknown: {rates.unknown}. Use --reference-rates to calculate with the reference rates instead.",
        )
    codes = [model.code for model in models.all]
    costs = model_costs(codes, known, facts_of(reading, known, basis.scenes), {}, basis=basis, card=rates.card)
    told = (f"Costs are per interaction {basis.words}.", tokens_text(list(costs.values())), rates.banner)
    return costs, " ".join(filter(None, told))


def _row(group: str, model: Model, present: str, costs: Mapping[str, CharacterCost]) -> list[str]:
    row = ["›" if model.code == present else "", group, model.code, ", ".join(model.marks), _levels(model)]
    cost = costs.get(model.code)
    return row if cost is None else [*row, _span(cost.credits), _span(cost.latency)]


def _levels(model: Model) -> str:
    return ", ".join(model.reasoning.accepted) or "–" if model.known else "unknown"


def _span(span: Span | None) -> str:
    return "unknown" if span is None else " – ".join(dict.fromkeys(map(exact, span)))


def _cost_wire(cost: CharacterCost) -> dict[str, Wire]:
    credits_, latency = cost.credits, cost.latency
    return {
        "credits": None if credits_ is None else credits_._asdict(),
        "latency_ms": None if latency is None else latency._asdict(),
        "at_least": cost.at_least,
        "unknown_reason": cost.unknown or None,
        "depends_on": cost.mapped.decides or None,
    }
