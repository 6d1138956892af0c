"""``chartui rates``: the rates in use, learning those of a service, and rate cards as files."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from chartui.cli.configurations import amount, rates_wire
from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import writing_to
from chartui.cli.output import Output, add_forms, members, moment, write_sheet, write_texts
from chartui.cli.parser import Arguments, Parser, Verbs, add_verb, add_verbs
from chartui.cli.pins import add_pins
from chartui.cli.sessions import ask, chosen_profile, configuration
from chartui.core.clock import monotonic
from chartui.core.estimation.card import load_card, write_card
from chartui.core.estimation.card_difference import card_changes, card_sheet
from chartui.core.estimation.learned.answers import Kept, kept_path
from chartui.core.estimation.learned.rates import Drift, Manner, Report, missing
from chartui.core.estimation.pins import load_pins
from chartui.core.estimation.rates import Rates, RateSource, keep_drift, learned_path, previous_path, rates_for
from chartui.core.files import read_own
from chartui.core.naming import nearest
from chartui.core.numbers import count, exact, number_of
from chartui.core.paths import check_output, write_output, write_private
from chartui.core.spec.catalogue import Kind

if TYPE_CHECKING:
    from chartui.core.estimation.card import RateCard
    from chartui.core.estimation.learned.questions import Progress
    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Profile
    from chartui.core.rate_effects import RateEffect
    from chartui.core.session import Session


_KINDS: Final[Mapping[Kind, str]] = {
    "llm": "models",
    "stt": "speech input",
    "tts": "speech output",
    "animation": "animation",
}
#: Seconds between two progress reports.
_REPORT_EVERY: Final = 2.0
#: Maximum number of differing amounts to list.
_LISTED_MISFITS: Final = 5


def configure_rates(parser: Parser) -> None:
    verbs = add_verbs(parser)
    add_verb(verbs, "show", "show the rate card in use and its accuracy", show)
    verb = add_verb(verbs, "learn", "learn the rates of a service, and save them as a rate card", learn)
    _add_manner(verb)
    verb.option(
        "--output", "FILE", "rate card file to write, for use with --rate-card (default: the profile's rate card)"
    )
    verb.flag("--force", "let --output overwrite an existing file")
    verb.flag("--restart", "start over instead of resuming an earlier attempt")
    _add_manner(add_verb(verbs, "check", "check whether the learned rates still apply", check))
    add_cards(verbs)
    add_pins(verbs)


def _add_manner(verb: Parser) -> None:
    verb.option("--pace", "N", "maximum calls per second (default: 5)", type=_at_least("0.01"))
    verb.option(
        "--tolerance", "X", "maximum error per configuration, in credits (default: 0.000001)", type=_at_least("0")
    )


def _at_least(least: str) -> Callable[[str], Decimal]:
    def number(text: str) -> Decimal:
        found = amount(text)
        if not Decimal(least) <= found <= 1000:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to 1000")
        return found

    return number


def _manner(arguments: Arguments) -> Manner:
    given: dict[str, object] = {}
    if arguments.pace is not None:
        given["pace"] = float(arguments.pace)
    if arguments.tolerance is not None:
        given["tolerance"] = arguments.tolerance
    return Manner(**given)  # type: ignore[arg-type]


def _service_profile(arguments: Arguments) -> Profile:
    profile = chosen_profile(arguments)
    if profile.embedded:
        raise UsageError(
            f"profile '{profile.name}' uses an embedded store with an exact rate card, so there is nothing to "
            "learn. Choose a service with --profile"
        )
    return profile


def show(arguments: Arguments, output: Output) -> None:
    profile, pins = chosen_profile(arguments), load_pins()
    with configuration():
        rates = rates_for(profile)
    lacking = missing(rates.card)
    if output.as_json:
        output.json(_shown(profile, rates, lacking) | {"pins": {"models": pins.models, "voices": pins.voices}})
        return
    for note in (rates.banner, *pins.problems):
        if note:
            output.note(note)
    rows = [*_facts(profile, rates), *_missing_rows(lacking)]
    for label, entries in (("pinned models", pins.models), ("pinned voices", pins.voices)):
        if entries:
            rows.append((label, "\n".join(f"{name} → {key}" for name, key in entries.items())))
    output.fields(rows)


def _shown(profile: Profile, rates: Rates, lacking: Mapping[Kind, tuple[str, ...]]) -> dict[str, Wire]:
    card = rates.card
    origin = card.origin
    return {
        "profile": profile.name,
        **rates_wire(rates),
        "file": _file(profile, rates),
        "rate_card": {"version": card.version, "effective_date": card.effective_date},
        "origin": None if origin is None else origin._asdict(),
        "has_latencies": card.timed,
        "options": {kind: len(card.options[kind]) for kind in _KINDS},
        "subscriptions": len(card.subscriptions),
        "missing": {kind: list(keys) for kind, keys in lacking.items()},
    }


def _file(profile: Profile, rates: Rates) -> str | None:
    match rates.source:
        case RateSource.LEARNED:
            return str(learned_path(profile))
        case RateSource.STORE if profile.rate_card is not None:
            return str(profile.rate_card)
        case _:
            return None


def _facts(profile: Profile, rates: Rates) -> list[tuple[str, str]]:
    card = rates.card
    sources = {"store": "the store's own rates", "learned": "learned from the service", "reference": "reference rates"}
    rows = [
        ("profile", profile.name),
        ("rates", sources[rates.source.value]),
        ("file", _file(profile, rates) or "built-in"),
        ("rate card", f"{card.version}, effective {card.effective_date}"),
    ]
    if (origin := card.origin) is not None:
        learned_at = moment(datetime.fromisoformat(origin.learned_at).astimezone(UTC).isoformat())
        rows += [
            ("learned from", f"{origin.base_url} (profile '{origin.profile}')"),
            ("learned at", f"{learned_at} UTC, from {origin.calls} calls"),
            ("largest error", f"{_credits(origin.worst_error)} in {origin.tests} tested configurations"),
        ]
    if rates.drift is not None:
        seen_at = moment(datetime.fromisoformat(rates.drift.seen_at).astimezone(UTC).isoformat())
        rows += [("drift", f"{rates.drift.text}; seen at {seen_at} UTC"), ("drift seen in", rates.drift.configuration)]
    rows.append(
        ("latencies", "yes" if card.timed else "unknown, because the service's totals are not the sum of their parts")
    )
    counts = (f"{len(card.options[kind])} {words}" for kind, words in _KINDS.items())
    return [*rows, ("options", ", ".join(counts)), ("subscriptions", str(len(card.subscriptions)))]


def _missing_rows(lacking: Mapping[Kind, tuple[str, ...]]) -> list[tuple[str, str]]:
    texts = [f"{_KINDS[kind]}: {', '.join(keys)}" for kind, keys in lacking.items()]
    return [("price unknown", "\n".join(texts))] if texts else []


def _credits(amount: Decimal) -> str:
    return f"{exact(amount)} credits"


def learn(arguments: Arguments, output: Output) -> int:
    profile = _service_profile(arguments)
    manner = _manner(arguments)
    path: Path | None = arguments.output
    if path is not None:
        with writing_to(path):
            check_output(path, replace=arguments.force)

    async def question(session: Session) -> tuple[Report, tuple[RateEffect, ...]]:
        from chartui.core.estimation.learned.rates import learn
        from chartui.core.rate_effects import effects_on_profile

        report = await learn(
            session.service.asking_as("rates"),
            session.profile,
            path=path,
            write=write_private if path is None else partial(write_output, replace=arguments.force),
            fresh=arguments.restart,
            manner=manner,
            told=_ProgressWriter(output),
        )
        if report.before is None or report.card is None:
            return report, ()
        return report, await effects_on_profile(session, report.before, report.card)

    with configuration():
        kept = Kept(kept_path(profile))
    if kept.count and not arguments.restart:
        output.note(
            f"resuming with {number_of(kept.count, 'stored response')}, the first from {moment(kept.begun_at)} UTC"
        )
    try:
        report, effects = ask(arguments, question, profile=profile)
    except KeyboardInterrupt:
        count = Kept(kept_path(profile)).count
        output.note(f"stopped with {number_of(count, 'response')} stored; run the same command to resume")
        raise
    if output.as_json:
        output.json(_reported(profile, report, manner) | _changed(report, effects))
    else:
        _write(report, effects, output)
        _write_end(report, arguments, output)
    return Exit.DONE if report.card is not None else Exit.NO


class _ProgressWriter:
    """Reports progress at intervals, and every wait."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._last = monotonic()

    def __call__(self, progress: Progress) -> None:
        match progress.phase.value:
            case "waiting":
                self._output.note(f"{progress.subject.rstrip('.')}; waiting {progress.seconds:.0f} s")
            case "anew":
                self._output.note(f"starting over: {progress.subject}")
            case _ if monotonic() - self._last >= _REPORT_EVERY:
                self._last = monotonic()
                worst = "" if progress.worst is None else f", largest error {_credits(progress.worst)}"
                self._output.note(f"{progress.done} of {progress.total}{worst}: {progress.subject}")


def _changed(report: Report, effects: tuple[RateEffect, ...]) -> dict[str, Wire]:
    if report.before is None or report.card is None:
        return {"changes": None}
    changes = card_changes(report.before, report.card)
    return {"changes": {"rates": len(changes), "effects": [effect.wire for effect in effects]}}


def _write(report: Report, effects: tuple[RateEffect, ...], output: Output) -> None:
    fits = report.card is not None
    rows = [
        ("fits", "yes" if fits else "no"),
        ("calls", f"{count(report.calls)}, {count(report.made)} of them new"),
        ("tried", f"{report.tests} random configurations"),
    ]
    if report.tests or report.misfits:
        rows.append(("largest error", _credits(report.worst_error) + (f" ({report.where})" if report.where else "")))
    if report.card is not None:
        card = report.card
        rows += [
            ("rate card", f"{card.version}, effective {card.effective_date}"),
            ("latencies", "yes" if card.timed else f"omitted: {report.latency_problem}"),
        ]
    if report.before is not None and report.card is not None:
        number = number_of(len(card_changes(report.before, report.card)), "value")
        changed = f"{number} in the rate card; 'chartui rates diff previous learned' lists the changes"
        rows.append(("changed", output.for_profile(changed)))
        rows += [(effect.what, effect.text) for effect in effects]
    if report.problem:
        rows.append(("problem", f"{report.problem}"))
    if report.misfits:
        misfits = [misfit.sentence for misfit in report.misfits[:_LISTED_MISFITS]]
        more = len(report.misfits) - len(misfits)
        rows.append(
            ("differences", "\n".join([*misfits, *([f"and {number_of(more, 'more amount')}"] if more else [])]))
        )
    if report.refused:
        rows.append(("refused", "\n".join(f"{key}: {words}" for (_, key), words in report.refused.items())))
    if report.notes:
        rows.append(("notes", "\n".join(report.notes)))
    output.fields([*rows, *_missing_rows(report.missing)])


def _write_end(report: Report, arguments: Arguments, output: Output) -> None:
    if report.card is None:
        output.note("A rate card cannot describe what this service charges. Nothing was written.")
    elif arguments.output is not None:
        command = card_command(_service_profile(arguments), report.path)
        output.note(f"Rate card written to {report.path}. Use it with '{command}'.")
    else:
        output.note(f"Rate card written to {report.path}. Estimates now use it.")


def _reported(profile: Profile, report: Report, manner: Manner) -> dict[str, Wire]:
    card = report.card
    return {
        "profile": profile.name,
        "fits": card is not None,
        "file": str(report.path) if card is not None else None,
        "rate_card": None if card is None else {"version": card.version, "effective_date": card.effective_date},
        "calls": report.calls,
        "new_calls": report.made,
        "tests": report.tests,
        "tolerance": manner.tolerance,
        "worst_error": report.worst_error,
        "worst_error_at": report.where or None,
        "problem": report.problem or None,
        "misfits": [{**misfit._asdict(), "error": misfit.error} for misfit in report.misfits],
        "has_latencies": card is not None and card.timed,
        "latency_problem": report.latency_problem or None,
        "missing": {kind: list(keys) for kind, keys in report.missing.items()},
        "refused": [{"kind": kind, "key": key, "message": words} for (kind, key), words in report.refused.items()],
        "notes": list(report.notes),
    }


def check(arguments: Arguments, output: Output) -> int:
    profile = _service_profile(arguments)
    with configuration():
        rates = rates_for(profile)
    if rates.source is not RateSource.LEARNED:
        raise UsageError(f"nothing to check. {rates.banner} 'chartui rates learn' learns the rates of a service")

    async def question(session: Session) -> Drift:
        from chartui.core.estimation.learned.rates import check

        service = session.service.asking_as("rates")
        return await check(service, rates.card, rates.drift, manner=_manner(arguments), told=_ProgressWriter(output))

    drift = ask(arguments, question, profile=profile)
    if drift.mark != rates.drift:
        with configuration():
            keep_drift(profile, rates.drift, drift.mark)
    if output.as_json:
        output.json(_drifted(profile, rates.card, drift))
    elif drift.differences:
        output.text("\n".join(drift.differences))
        output.note("The service's rates have changed. Run 'chartui rates learn' to learn them again.")
    else:
        tried = number_of(drift.calls, "configuration")
        output.sentence(f"No drift found in {tried}. Largest error: {_credits(drift.worst_error)}.")
        if rates.drift is not None:
            left = "removed, because the rates are correct again for" if drift.mark is None else "kept for"
            output.note(f"The drift mark was {left} {rates.drift.configuration}.")
    return Exit.NO if drift.differences else Exit.DONE


def _drifted(profile: Profile, card: RateCard, drift: Drift) -> dict[str, Wire]:
    return {
        "profile": profile.name,
        "drifted": bool(drift.differences),
        **members(drift, "differences", "calls", "worst_error"),
        "rate_card": {"version": card.version, "effective_date": card.effective_date},
    }


# -- rate cards -------------------------------------------------------------------------------------------------------


#: The names of cards, and how each is read for a profile.
_NAMED: Final[Mapping[str, Callable[[Profile], RateCard]]] = {
    "current": lambda profile: rates_for(profile).card.as_billed,
    "learned": lambda profile: load_card(learned_path(profile), read=read_own),
    "previous": lambda profile: load_card(previous_path(profile), read=read_own),
    "reference": lambda _: load_card(),
}
_NAMES: Final = ", ".join(_NAMED)


def add_cards(verbs: Verbs) -> None:
    verb = add_verb(verbs, "diff", "compare two rate cards, and show the effect on costs", diff)
    for name in ("old", "new"):
        verb.option(name, name.upper(), f"rate card file, or one of {_NAMES}")
    verb.flag("--characters", "also show the effect on the profile's characters (sends requests to the service)")
    add_forms(verb)
    verb = add_verb(verbs, "export", "write the rate card in use to a file", export)
    verb.option("file", "FILE", "rate card file to write")
    verb.flag("--force", "overwrite an existing file")


def diff(arguments: Arguments, output: Output) -> int:
    from chartui.core.rate_effects import effects_on_presets, effects_on_profile
    from chartui.core.sheet import as_records

    profile = chosen_profile(arguments)
    old, new = (_card(profile, word) for word in (arguments.old, arguments.new))
    changes = card_changes(old, new)
    if arguments.characters:
        effects = ask(arguments, lambda session: effects_on_profile(session, old, new), profile=profile)
    else:
        effects = effects_on_presets(old, new)
    sheet = card_sheet(changes)._replace(notes=tuple(f"{one.what.capitalize()}: {one.text}" for one in effects))
    if arguments.csv or arguments.markdown:
        write_sheet(sheet, arguments, output)
    elif output.as_json:
        output.json({"changes": as_records(sheet), "effects": [one.wire for one in effects]})
    elif not changes:
        output.sentence("No differences between the rate cards.")
    else:
        write_texts(sheet, output)
        output.sentence(f"{number_of(len(changes), 'value')} differ{'s' if len(changes) == 1 else ''}.")
        output.sentences(sheet.notes)
    return Exit.NO if changes else Exit.DONE


def _card(profile: Profile, word: str) -> RateCard:
    """The card of this name, or in this file. Raises :class:`UsageError`."""
    with configuration():
        try:
            return _NAMED[word](profile) if word in _NAMED else load_card(Path(word))
        except FileNotFoundError:
            if word in _NAMED:
                raise UsageError(f"profile '{profile.name}' has no {word} rate card") from None
            near = nearest(word, _NAMED)
            hint = f" Did you mean “{near}”?" if near else ""
            raise UsageError(f"{word} does not exist; a rate card is a file, or one of {_NAMES}.{hint}") from None


def card_command(profile: Profile, path: Path) -> str:
    """The command that uses a card file. Only an embedded store can have another card."""
    name = profile.name if profile.embedded else "local"
    return f"chartui estimate --profile {quote(name)} --rate-card {quote(str(path))}"


def export(arguments: Arguments, output: Output) -> None:
    path: Path = arguments.file
    profile = chosen_profile(arguments)
    with configuration():
        rates = rates_for(profile)
    with writing_to(path):
        write_card(rates.card, path, partial(write_output, replace=arguments.force))
    if rates.banner:
        output.note(rates.banner)
    card: dict[str, Wire] = {"version": rates.card.version, "effective_date": rates.card.effective_date}
    output.report(
        {"file": str(path), "source": rates.source.value, "rate_card": card},
        f"Rate card written to {path}. Use it with '{card_command(profile, path)}'.",
    )
