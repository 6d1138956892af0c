"""``chartui rates``: the rates in use, learning those of a service, and your table of pins."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from chartui.cli.configurations import add_rate_card, amount, option_called, option_items, rates_of
from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import add_force, writing_to
from chartui.cli.output import Output, members, moment
from chartui.cli.parser import Arguments, Parser, Verbs, add_verb, add_verbs
from chartui.cli.sessions import ask, chosen_profile, configuration
from chartui.core.clock import monotonic
from chartui.core.estimation.learned.answers import Kept, kept_path
from chartui.core.estimation.learned.rates import Drift, Manner, Report, missing
from chartui.core.estimation.pins import Pins, change_pins, load_pins, why_not_pinned
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.estimation.rates import Rates, RateSource, learned_path, rates_for
from chartui.core.naming import BadName, Item, find, unknown
from chartui.core.numbers import aligned, count, exact, number_of
from chartui.core.paths import check_output, write_output, write_private
from chartui.core.spec.catalogue import OWN_ENDPOINT, Kind, counterpart, model_codes, option
from chartui.core.tables import BadTable

if TYPE_CHECKING:
    from chartui.core.estimation.card import RateCard
    from chartui.core.estimation.learned.questions import Progress
    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Profile
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
    verb.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="rate card file to write, for use with --rate-card (default: the profile's own)",
    )
    add_force(verb, "let --output overwrite an existing file")
    verb.add_argument("--restart", action="store_true", help="start over instead of resuming an earlier attempt")
    _add_manner(add_verb(verbs, "check", "check whether the learned rates still apply", check))
    add_pins(verbs)


def _add_manner(verb: Parser) -> None:
    add = verb.add_argument
    add("--pace", type=_at_least("0.01"), metavar="N", help="maximum calls per second (default: 5)")
    add(
        "--tolerance",
        type=_at_least("0"),
        metavar="X",
        help="maximum error of a configuration in credits (default: 0.000001)",
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
            f"profile '{profile.name}' has an embedded store, whose rate card is exact: nothing to learn. "
            "Choose a service with --profile"
        )
    return profile


def show(arguments: Arguments, output: Output) -> int:
    profile, pins = chosen_profile(arguments), load_pins()
    with configuration():
        rates = rates_for(profile)
    lacking = missing(rates.card)
    if output.as_json:
        output.json(_shown(profile, rates, lacking) | {"pins": {"models": pins.models, "voices": pins.voices}})
        return Exit.DONE
    for note in (rates.banner, *pins.problems):
        if note:
            output.note(note)
    rows = [*_facts(profile, rates), *_missing_rows(lacking)]
    for label, entries in (("pinned models", pins.models), ("pinned voices", pins.voices)):
        if entries:
            rows.append((label, "\n".join(f"{name} → {key}" for name, key in entries.items())))
    output.fields(rows)
    return Exit.DONE


def _shown(profile: Profile, rates: Rates, lacking: Mapping[Kind, tuple[str, ...]]) -> dict[str, Wire]:
    card = rates.card
    origin = card.origin
    return {
        "profile": profile.name,
        "source": rates.source.value,
        "notice": rates.banner,
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
    sources = {"store": "the store's own", "learned": "learned from the service", "reference": "reference rates"}
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
            ("worst error", f"{_credits(origin.worst_error)} in {origin.tests} tested configurations"),
        ]
    rows.append(("latencies", "yes" if card.timed else "unknown: the service's totals are not the sum of their parts"))
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

    async def question(session: Session) -> Report:
        from chartui.core.estimation.learned.rates import learn

        return await learn(
            session.service.asking_as("rates"),
            session.profile,
            path=path,
            write=write_private if path is None else partial(write_output, replace=arguments.force),
            fresh=arguments.restart,
            manner=manner,
            told=_ProgressWriter(output),
        )

    with configuration():
        kept = Kept(kept_path(profile))
    if kept.count and not arguments.restart:
        output.note(f"resuming with {number_of(kept.count, 'answer')}, the first from {moment(kept.begun_at)} UTC")
    try:
        report = ask(arguments, question, profile=profile)
    except KeyboardInterrupt:
        count = Kept(kept_path(profile)).count
        output.note(f"stopped with {number_of(count, 'answer')} stored; run the same command to resume")
        raise
    if output.as_json:
        output.json(_reported(profile, report, manner))
    else:
        _write(report, output)
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
                worst = "" if progress.worst is None else f", worst error {_credits(progress.worst)}"
                self._output.note(f"{progress.done} of {progress.total}{worst}: {progress.subject}")


def _write(report: Report, output: Output) -> None:
    fits = report.card is not None
    rows = [
        ("fits", "yes" if fits else "no"),
        ("calls", f"{count(report.calls)}, {count(report.made)} of them new"),
        ("tried", f"{report.tests} random configurations"),
    ]
    if report.tests or report.misfits:
        rows.append(("worst error", _credits(report.worst_error) + (f" ({report.where})" if report.where else "")))
    if report.card is not None:
        card = report.card
        rows += [
            ("rate card", f"{card.version}, effective {card.effective_date}"),
            ("latencies", "yes" if card.timed else f"omitted: {report.latency_problem}"),
        ]
    if report.problem:
        rows.append(("problem", f"{report.problem}"))
    if report.misfits:
        misfits = [misfit.sentence for misfit in report.misfits[:_LISTED_MISFITS]]
        more = len(report.misfits) - len(misfits)
        rows.append(
            ("not additive", "\n".join([*misfits, *([f"and {number_of(more, 'more amount')}"] if more else [])]))
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
        output.note(f"Written: {report.path}. 'chartui estimate --profile local --rate-card' uses it.")
    else:
        output.note(f"Written: {report.path}. Estimates use it from now on.")


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
        return await check(service, rates.card, manner=_manner(arguments), told=_ProgressWriter(output))

    drift = ask(arguments, question, profile=profile)
    if output.as_json:
        output.json(_drifted(profile, rates.card, drift))
    elif drift.differences:
        output.text("\n".join(drift.differences))
        output.note("The rates of the service have changed; 'chartui rates learn' learns them again.")
    else:
        output.text(f"The learned rates still apply: {drift.calls} calls, worst error {_credits(drift.worst_error)}.")
    return Exit.NO if drift.differences else Exit.DONE


def _drifted(profile: Profile, card: RateCard, drift: Drift) -> dict[str, Wire]:
    return {
        "profile": profile.name,
        "drifted": bool(drift.differences),
        **members(drift, "differences", "calls", "worst_error"),
        "rate_card": {"version": card.version, "effective_date": card.effective_date},
    }


# -- pins -------------------------------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """One part of the table of pins: its subject, the kind of option, and how its pins are read and changed."""

    noun: str
    priced: str
    kind: Kind
    entries: Callable[[Pins], Mapping[str, str]]
    changed: Callable[[Pins, str, str | None], Pins]


_MODELS: Final = _Part(
    "model code", "priced as", "llm", lambda pins: pins.models, lambda pins, n, key: pins.with_model(n, key)
)
_VOICES: Final = _Part(
    "voice", "billed as", "tts", lambda pins: pins.voices, lambda pins, n, key: pins.with_voice(n, key)
)


def add_pins(verbs: Verbs) -> None:
    """Add the verbs for pins. They change only a file on this machine, so the lock does not apply."""
    pin = add_verb(verbs, "pin-model", "pin a model code to a model of the estimator", pin_model)
    pin.add_argument("code", nargs="?", metavar="CODE", help="model code of a character (default: list all pins)")
    _add_rest(pin, "model of the estimator (default: list the candidates)")
    voice = add_verb(verbs, "pin-voice", "pin a voice to a speech output option", pin_voice)
    voice.add_argument("voice", nargs="?", metavar="TYPE", help="voice of a character (default: list all pins)")
    _add_rest(voice, "speech output option (default: list the candidates)")


def _add_rest(parser: Parser, about_key: str) -> None:
    parser.add_argument("key", nargs="?", metavar="KEY", help=about_key)
    parser.add_argument("--clear", action="store_true", help="remove the pin")
    add_rate_card(parser)


def pin_model(arguments: Arguments, output: Output) -> int:
    if arguments.code and (why := why_not_pinned(arguments.code)):
        raise UsageError(why.rstrip("."))
    return _carry_out(_MODELS, arguments.code, arguments, output)


def pin_voice(arguments: Arguments, output: Output) -> int:
    return _carry_out(_VOICES, arguments.voice, arguments, output)


def _carry_out(part: _Part, name: str | None, arguments: Arguments, output: Output) -> int:
    if arguments.clear and (arguments.key or not name):
        raise UsageError("--clear takes the name of a pin and nothing else")
    pins = load_pins()
    if name is None:
        _write_all(part, pins, output)
        return Exit.USAGE if pins.problems else Exit.DONE
    name = _meant(part, pins, name, clear=arguments.clear)
    if arguments.clear or arguments.key is not None:
        _change(part, pins, name, arguments, output)
    else:
        _show(part, pins, name, arguments, output)
    return Exit.DONE


def _meant(part: _Part, pins: Pins, name: str, *, clear: bool) -> str:
    """The name as spelled in the pins or the catalogue. Any other name can be pinned too, but not cleared."""
    pinned = [Item(one) for one in part.entries(pins)]
    known = [Item(one.code, one.label) for one in model_codes()] if part.kind == "llm" and not clear else []
    try:
        return find(part.noun, name, [*pinned, *known], whole=True).id
    except BadName:
        if clear and pinned:
            raise UsageError(unknown("pin", name, part.entries(pins))) from None
        return name


def _write_all(part: _Part, pins: Pins, output: Output) -> None:
    entries = part.entries(pins)
    for problem in pins.problems:
        output.note(problem)
    if output.as_json:
        output.json(dict(entries))
    elif entries:
        output.table([[name, key] for name, key in entries.items()], header=[part.noun.upper(), "KEY"])
    elif not pins.problems:
        output.note(f"no {part.noun} is pinned yet")


def _show(part: _Part, pins: Pins, name: str, arguments: Arguments, output: Output) -> None:
    for problem in pins.problems:
        output.note(problem)
    present = part.entries(pins).get(name)
    rates = rates_of(arguments, output)
    offered = _offered(part, name, rates)
    if output.as_json:
        found: Wire = [{"key": key, "label": label, "credits": amount} for key, label, amount in offered]
        output.json({"name": name, "key": present, "candidates": found})
        return
    output.text(f"{name} is {f'{part.priced} {present}' if present else 'not pinned'}.")
    output.text()
    amounts = iter(aligned([amount for _, _, amount in offered if amount is not None]))
    rows = [[key, label, "unknown" if amount is None else next(amounts)] for key, label, amount in offered]
    output.table(rows, header=["KEY", "LABEL", "CREDITS"], right={2})


def _offered(part: _Part, name: str, rates: Rates) -> list[tuple[str, str, Decimal | None]]:
    card = rates.card
    keys: tuple[str, ...] = tuple(card.options[part.kind])
    if part.kind == "llm":
        entry = counterpart(name)
        keys = (entry.candidates or keys) if entry is not None else (OWN_ENDPOINT,)
    pricing, default = Pricing(card, Quantities.default(card)), Configuration.default(card)
    labels = {key: known.label for key in keys if (known := option(part.kind, key)) is not None}
    return [(key, labels.get(key, key), pricing.credits(_with(default, part.kind, key))) for key in keys]


def _with(default: Configuration, kind: Kind, key: str) -> Configuration:
    return default._replace(llm=key) if kind == "llm" else default._replace(tts=key)


def _change(part: _Part, pins: Pins, name: str, arguments: Arguments, output: Output) -> None:
    key = None if arguments.clear else _checked(part, arguments, output)
    if part.entries(pins).get(name) == key:
        output.note(f"{name}: nothing to change")
        return
    try:
        with configuration():
            change_pins(lambda pins: part.changed(pins, name, key))
    except BadTable as error:
        raise UsageError(str(error), code="configuration") from None
    except ValueError:
        raise UsageError(f"this {part.noun} cannot be saved") from None
    output.report(
        {"name": name, "key": key},
        f"{name}: {f'now {part.priced} {key}' if key else 'no longer pinned'}, in every profile",
    )


def _checked(part: _Part, arguments: Arguments, output: Output) -> str:
    key: str = arguments.key
    if option(part.kind, key) is not None:
        return key
    return option_called(part.kind, key, option_items(part.kind, rates_of(arguments, output).card), whole=True)
