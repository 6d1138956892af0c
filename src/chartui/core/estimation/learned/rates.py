"""Learn the rate card of a service.

To learn the rates, the program requests estimates, computes the rates, tests them on other configurations, and writes
the card. Later, a few calls show whether the service has drifted from its learned card.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import field, replace
from datetime import date
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from random import Random, SystemRandom
from typing import Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.clock import Clock, Monotonic, monotonic, system_clock
from chartui.core.estimation.card import FREE, Origin, RateCard, write_card
from chartui.core.estimation.discovery import Discovery, discover
from chartui.core.estimation.drift import DriftMark
from chartui.core.estimation.learned.answers import Asked, Kept, Reading, in_words, kept_path
from chartui.core.estimation.learned.drift import after_reading, tolerance_of
from chartui.core.estimation.learned.fit import HOLD_OUTS, TOLERANCE, Fit, Misfit, compare, configurations
from chartui.core.estimation.learned.questions import (
    Asker,
    Caller,
    Changed,
    Measured,
    Phase,
    Progress,
    Refused,
    Told,
    measure,
    untold,
    wanted,
)
from chartui.core.estimation.learned.solution import Solved, solve, version_told, without_latencies
from chartui.core.estimation.rates import RateSource, learned_path, previous_path, rates_for
from chartui.core.estimation.summary import value_in_words
from chartui.core.jsontext import Wire, canonical
from chartui.core.numbers import number_of
from chartui.core.paths import write_private
from chartui.core.profiles import Profile
from chartui.core.spec.catalogue import INCLUDED_IN_REALTIME, KINDS, Kind, is_realtime_key, options
from chartui.core.spec.errors import ErrorKind, ServiceError

#: Maximum number of restarts because the service's card changes during learning.
_BEGINNINGS: Final = 3
#: The number of spare configurations, in case the service refuses some.
_SPARE: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """Settings for learning.

    ``pace`` is the number of calls per second, ``tolerance`` is the largest accepted difference in credits, and
    ``patience`` is the longest continuous wait in seconds. The other fields replace the clock and the random source in
    tests.
    """

    pace: float = 5.0
    tolerance: Decimal = TOLERANCE
    patience: float = 300.0
    clock: Clock = system_clock
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ticks: Monotonic = monotonic
    seeds: Random = field(default_factory=SystemRandom)


class Report(NamedTuple):
    """The result of learning.

    ``card`` is None if no card can describe the service's prices. In that case, no file is written, and either
    ``misfits`` lists the computed amounts that differ from the service's, or ``problem`` gives another reason.
    ``calls`` is the number of responses used, and ``made`` is how many of these were requested in this run. ``tests``
    is the number of configurations tested. ``worst_error`` is the largest error in credits, and ``where`` is the
    configuration with this error (empty if there was no error). ``latency_problem`` says why the card has no latencies.
    ``missing`` contains the options of the catalogue whose price is unknown. ``refused`` contains the service's
    messages about options that it rejected. ``before`` is the card that was replaced, if any.
    """

    card: RateCard | None
    path: Path
    calls: int
    made: int
    tests: int
    worst_error: Decimal
    where: str
    misfits: tuple[Misfit, ...]
    problem: str
    latency_problem: str
    missing: Mapping[Kind, tuple[str, ...]]
    refused: Mapping[tuple[Kind, str], str]
    notes: tuple[str, ...]
    before: RateCard | None = None


async def learn(
    service: Caller,
    profile: Profile,
    *,
    path: Path | None = None,
    write: Callable[[Path, bytes], None] = write_private,
    fresh: bool = False,
    manner: Manner | None = None,
    told: Told = untold,
) -> Report:
    """Learn the rates of the service in ``profile``, and write the card to ``path``.

    By default, the card is written to the program's own folder. ``write`` is the function that writes the file. If the
    new card replaces a learned card in the program's own folder, the old card is kept as the previous card. An
    interrupted run is resumed unless ``fresh`` is set. Responses are stored until learning is complete. Raises
    :class:`ServiceError` if no more requests can be made. The error message gives the number of stored responses.
    Raises ``OSError`` if a file cannot be written.
    """
    manner = manner or Manner()
    with closing(Kept(kept_path(profile))) as kept:
        if fresh:
            kept.remove()
        for beginning in range(_BEGINNINGS):
            learning = _Learning(service, kept, profile, manner, told, anew=beginning > 0)
            try:
                report = await learning.report(path or learned_path(profile))
            except Changed as change:
                kept.remove()
                told(Progress(Phase.ANEW, 0, 0, str(change)))
            except ServiceError as error:
                if not kept.count:
                    raise
                are = "is" if kept.count == 1 else "are"
                said = f"{number_of(kept.count, 'response')} {are} kept, so the next run can resume."
                raise replace(error, message=f"{error.message.rstrip('.')}. {said}") from None
            else:
                if report.card is None and report.made < report.calls:
                    # The rates may have changed without a new version, so they are compared only with answers to new
                    # requests.
                    kept.remove()
                    told(Progress(Phase.ANEW, 0, 0, "earlier responses do not match the current ones"))
                    continue
                if report.card is not None:
                    before = _earlier(profile) if path is None else None
                    if before is not None:
                        write_card(before, previous_path(profile))
                    write_card(report.card, report.path, write)
                    report = report._replace(before=before)
                kept.remove()
                return report
    message = "The service keeps changing its rate card. Nothing was written."
    raise ServiceError(ErrorKind.UNEXPECTED, message)


def _earlier(profile: Profile) -> RateCard | None:
    """Return the learned card of a profile, or None if there is none that can be used."""
    rates = rates_for(profile)
    return rates.card.as_billed if rates.source is RateSource.LEARNED else None


def missing(card: RateCard) -> dict[Kind, tuple[str, ...]]:
    """Return the options in the catalogue that have no price on a card, grouped by kind.

    Kinds without such options are omitted.
    """
    lacking = {kind: tuple(o.key for o in options(kind) if o.key not in card.options[kind]) for kind in KINDS}
    return {kind: keys for kind, keys in lacking.items() if keys}


class _Learning:
    """One run, from the first request to the result."""

    def __init__(
        self, service: Caller, kept: Kept, profile: Profile, manner: Manner, told: Told, *, anew: bool
    ) -> None:
        self._kept = kept
        self._profile = profile
        self._manner = manner
        self._told = told
        # The client's cache may hold answers from before the card changed.
        self._asker = Asker(service, kept, manner, told, refresh=anew)

    async def report(self, path: Path) -> Report:
        """Learn the rates and return the result. Only the service's answers are written."""
        asker, kept = self._asker, self._kept
        asker.progress = Progress(Phase.MEASURING, 0, 0, "the options")
        if not kept.begun:
            at = self._manner.clock().isoformat(timespec="seconds")
            kept.begin(seed=self._manner.seeds.getrandbits(32), options=await asker.options(), begun_at=at)
        discovery = discover(kept.options)
        default = await self._default()
        measured = await measure(asker, wanted(discovery, default), default, more=HOLD_OUTS)
        solved = solve(measured, discovery, today=self._manner.clock().date())
        if solved.card is None:
            return self._verdict(path, measured, solved, [], [], discovery)
        fits = self._compared(solved.card, measured.readings)
        tried: list[Reading] = []
        if not any(fit.misfits for fit in fits):
            tried = await self._try(solved.card, measured)
        return self._verdict(path, measured, solved, fits, tried, discovery)

    async def _default(self) -> Reading:
        self._asker.progress = Progress(Phase.MEASURING, 0, 0, "the defaults")
        try:
            return await self._asker.estimate({})
        except Refused as refusal:
            raise ServiceError(ErrorKind.REFUSED, f"The service rejects requests for estimates: {refusal}") from None

    def _compared(self, card: RateCard, readings: tuple[Reading, ...] | list[Reading]) -> list[Fit]:
        fits = (compare(card, reading, self._manner.tolerance) for reading in readings)
        return [fit for fit in fits if fit is not None]

    async def _try(self, card: RateCard, measured: Measured) -> list[Reading]:
        """Return the answers for random configurations that the service accepts."""
        taken = {
            kind: [key for key in measured.taken(kind) if key in card.options[kind]] or list(card.options[kind])
            for kind in KINDS
        }
        random = configurations(taken, Random(self._kept.seed))  # noqa: S311 - no secret
        drift = rates_for(self._profile).drift
        # The stored responses may be older than the recorded drift, which the new card would then hide.
        known = drift is not None and all(drift.request.get(kind) in taken[kind] for kind in KINDS)
        chosen = chain([drift.request] if drift is not None and known else [], islice(random, HOLD_OUTS + _SPARE))
        done, worst = self._asker.progress.done, Decimal(0)
        found: list[Reading] = []
        for asked in chosen:
            total = done + HOLD_OUTS - len(found)
            subject = ", ".join(str(asked[kind]) for kind in KINDS)
            self._asker.progress = Progress(Phase.TRYING, done, total, subject, worst=worst if found else None)
            try:
                reading = await self._asker.estimate(asked)
            except Refused:
                continue
            found.append(reading)
            done += 1
            worst = max(worst, *(fit.worst for fit in self._compared(card, [reading])), Decimal(0))
            if len(found) == HOLD_OUTS:
                break
        self._told(self._asker.progress._replace(done=done, total=done, subject="", worst=worst))
        return found

    def _verdict(
        self,
        path: Path,
        measured: Measured,
        solved: Solved,
        fits: list[Fit],
        tried: list[Reading],
        discovery: Discovery,
    ) -> Report:
        card, problem = solved.card, solved.problem
        held = self._compared(card, tried) if card else []
        misfits = tuple(misfit for fit in (*fits, *held) for misfit in fit.misfits)
        worst = max(held or fits, key=lambda fit: fit.worst, default=Fit((), Decimal(0), ""))
        if card and not misfits and len(held) < HOLD_OUTS:
            problem = (
                f"only {len(held)} of {HOLD_OUTS} random configurations could be estimated, too few to test the rates"
            )
        told = (solved.latency_problem, *(fit.latency_problem for fit in (*fits, *held)))
        latency_problem = next(filter(None, told), "")
        if card and (misfits or problem):
            card = None
        if card:
            origin = Origin(
                profile=self._profile.name,
                base_url=self._profile.base_url or "",
                learned_at=self._manner.clock().isoformat(timespec="seconds"),
                calls=self._kept.count,
                tests=len(held),
                worst_error=worst.worst,
            )
            card = (without_latencies(card) if latency_problem else card)._replace(origin=origin)
        notes = [*solved.notes, *measured.notes]
        if not discovery.fits:
            whole = "The service's list of options contains no known option, so the whole catalogue was tried."
            notes.insert(0, whole)
        return Report(
            card=card,
            path=path,
            calls=self._kept.count,
            made=self._asker.made,
            tests=len(held),
            worst_error=worst.worst,
            where=worst.configuration if worst.worst else "",
            misfits=misfits,
            problem=problem,
            latency_problem=latency_problem,
            missing=missing(card) if card else {},
            refused=measured.refused,
            notes=tuple(notes),
        )


#: Number of random configurations to request, besides the defaults.
_TRIED: Final = 4


class Drift(NamedTuple):
    """The result of checking whether a service has drifted from its learned card.

    The fields are the differences as sentences, the number of calls, the largest error in credits, and the drift to
    record in the notes file. An earlier drift remains recorded unless the check disproved or replaced it.
    """

    differences: tuple[str, ...]
    calls: int
    worst_error: Decimal
    mark: DriftMark | None = None


async def check(
    service: Caller,
    card: RateCard,
    earlier: DriftMark | None = None,
    *,
    manner: Manner | None = None,
    told: Told = untold,
) -> Drift:
    """Check whether a service has drifted from a card.

    Estimates are requested for the default configuration and for random configurations. If an ``earlier`` drift is
    given, its configuration is checked first. Caches are bypassed. The user's own prices are not compared, because they
    do not belong to the service. An error that was known when the card was learned is tolerated. Raises
    :class:`ServiceError` if the service cannot be reached.
    """
    manner, card = manner or Manner(), card.as_billed
    least = tolerance_of(card)
    tolerance = max(manner.tolerance, least)
    asker = Asker(service, Kept(), manner, told, refresh=True)
    questions: list[Asked] = [{}, *(_plain(c) for c in islice(configurations(_priced(card), manner.seeds), _TRIED))]
    if earlier is not None:
        questions.insert(0, earlier.request)
    differences: list[str] = []
    worst, found = Decimal(0), earlier
    seen_at = manner.clock().isoformat(timespec="seconds")
    for number, asked in enumerate(questions):
        asker.progress = Progress(Phase.TRYING, number, len(questions), in_words(asked, {}) or "the defaults")
        try:
            reading = await asker.estimate(asked)
        except Refused as refusal:
            differences.append(f"The service does not accept {in_words(asked, asked) or 'its own defaults'}: {refusal}")
            continue
        except Changed as change:
            differences.append(f"Changed during the check: {change}.")
            break
        if not asked:
            differences += _heads(card, reading)
        fit = compare(card, reading, tolerance)
        if fit is None:
            chosen = in_words(reading.selections, {})
            differences.append(f"The service uses an option that is not on the rate card: {chosen}.")
            continue
        worst = max(worst, fit.worst)
        # A lenient check does not remove the mark of a smaller difference.
        marked = fit if tolerance == least else compare(card, reading, least) or fit
        found = after_reading(card, found, reading, marked, seen_at=seen_at)
        differences += [
            f"{_opened(m.what)}: {canonical(m.told)}, but {canonical(m.computed)} according to the rate card "
            f"({m.configuration})."
            for m in fit.misfits
        ]
        if fit.latency_problem:
            differences.append(f"Latency: {fit.latency_problem}.")
    return Drift(tuple(differences), asker.made, worst, found)


def _priced(card: RateCard) -> dict[Kind, list[str]]:
    """Return the options to request. Free options are left out, because their price cannot drift."""
    found = {kind: [key for key in card.options[kind] if key not in FREE[kind]] for kind in KINDS}
    return {kind: keys or list(card.options[kind]) for kind, keys in found.items()}


def _plain(asked: dict[str, Wire]) -> dict[str, Wire]:
    """Return a configuration of a realtime model with the model's own voices, since some services refuse others."""
    voices = {"stt": INCLUDED_IN_REALTIME, "tts": INCLUDED_IN_REALTIME}
    return {**asked, **voices} if is_realtime_key(asked["llm"]) else asked


def _heads(card: RateCard, reading: Reading) -> Iterator[str]:
    """Yield differences in version, date and defaults, if the service reports them."""
    (version, effective), _ = version_told(reading, date.fromisoformat(card.effective_date))
    if reading.version is not None and version != card.version:
        told = canonical(reading.version)
        yield f"The service's rate card is version {told}; the learned rate card is version {card.version}."
    if effective != card.effective_date:
        learned_on = card.effective_date
        yield f"The service's rate card took effect on {effective}; the learned rate card took effect on {learned_on}."
    for name, default in (*_pairs(card.selections, reading.selections), *_pairs(card.assumptions, reading.assumptions)):
        service, learned = value_in_words(default[1]), value_in_words(default[0])
        yield f"The service's default for {name} is {service}, but the rate card's is {learned}."


def _pairs(ours: Mapping[str, Wire], theirs: Mapping[str, Wire]) -> Iterator[tuple[str, tuple[Wire, Wire]]]:
    return ((name, (ours[name], value)) for name, value in theirs.items() if ours[name] != value)


def _opened(text: str) -> str:
    return text[0].upper() + text[1:]
