"""``chartui check``: compares costs with the rules of a policy file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from glob import glob
from typing import TYPE_CHECKING, Final, TypeVar

from chartui.cli.configurations import add_rate_card, cases_of
from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import writing_to
from chartui.cli.gates import bad_files, character_names, is_path
from chartui.cli.output import Output, add_forms, write_sheet, write_texts
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask
from chartui.core.bundle.costs import reading_of
from chartui.core.bundle.files import load
from chartui.core.bundle.reader import BundleError
from chartui.core.character import Reading, read_character, read_models, with_objective
from chartui.core.estimation.baseline import read_baseline, write_baseline
from chartui.core.estimation.budget import monthly_budget
from chartui.core.estimation.gates import Kind, Subject, subject_of, subject_of_cost
from chartui.core.estimation.mix import at_end, mixed_estimate, varies
from chartui.core.estimation.policy import (
    Check,
    Policy,
    Rule,
    check_forbidden,
    checks_sheet,
    checks_wire,
    junit_cases,
    read_policy,
    summary_of,
)
from chartui.core.estimation.policy import check as checked
from chartui.core.estimation.prices import Quantities
from chartui.core.estimation.scenario import Scenario, ScenarioError, Scenarios, read_scenario
from chartui.core.files import read_named
from chartui.core.junit import junit
from chartui.core.naming import BadName, Item, find, matching
from chartui.core.presets import Preset, PresetError, Presets, read_preset
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.bundle.model import Bundle
    from chartui.core.characters.models import Models
    from chartui.core.costs import Basis, Remembered
    from chartui.core.estimation.baseline import Baseline
    from chartui.core.estimation.mix import Case
    from chartui.core.jsontext import Wire
    from chartui.core.session import Session
    from chartui.core.spec.models.estimation import Estimate

T = TypeVar("T")

_EPILOG: Final = """\
The exit status is 1 if a cost exceeds a limit or is unknown, and 2 if the policy
cannot be used. A policy is a TOML file:

  format = "chartui-policy"
  version = 1
  baseline = "baseline.toml"

  [[rules]]
  presets = ["kiosk-*"]
  characters = ["*"]
  bundles = ["characters/*.toml"]
  scenario = "museum.toml"
  max_credits = 12
  max_monthly_credits = 4000000
  max_latency = "1.2s"
  max_growth = "5%"
  forbid = ["beta", "realtime", "mdla_4o"]

--json writes {"passed", "checks", "notes"}.
"""


def configure_check(parser: Parser) -> None:
    parser.epilog = _EPILOG
    parser.option("policy_file", "FILE", "policy file")
    parser.flag(
        "--update-baseline", "store the current costs in the policy's baseline file instead of comparing them with it"
    )
    add_rate_card(parser)
    add_forms(parser).flag("--junit", "write the result as JUnit XML")


def check(arguments: Arguments, output: Output) -> int:
    if arguments.junit and output.as_json:
        raise UsageError("--json and --junit cannot be combined")
    with bad_files():
        policy = read_policy(arguments.policy_file)
        baseline = _baseline(policy, updating=arguments.update_baseline)

    async def question(session: Session) -> tuple[tuple[str, ...], list[tuple[Rule, list[Subject]]]]:
        costs = _Costs(session, policy)
        notes = check_forbidden(policy, (await session.service.options())[1]) if policy.unlisted else ()
        return notes, [(rule, await costs.of(rule)) for rule in policy.rules]

    notes, found = ask(arguments, question, rate_card=arguments.rate_card)
    with bad_files():
        policy.mistakes.check()
    if arguments.update_baseline and policy.baseline is not None:
        with writing_to(policy.baseline):
            write_baseline(policy.baseline, [subject for _, subjects in found for subject in subjects])
        output.note(f"baseline updated: {policy.baseline}")
    file = "the baseline" if policy.baseline is None else policy.baseline.name
    checks = [checked(rule, subject, baseline, file) for rule, subjects in found for subject in subjects]
    _write(checks, notes, policy, arguments, output)
    return Exit.NO if any(one.exceeded for one in checks) else Exit.DONE


def _baseline(policy: Policy, *, updating: bool) -> Baseline | None:
    if updating:
        if policy.baseline is None:
            raise UsageError(f'--update-baseline needs the line baseline = "FILE" in {policy.path}')
        return None
    found = None if policy.baseline is None else read_baseline(policy.baseline)
    if found is None and any(rule.limits.growth is not None for rule in policy.rules):
        raise UsageError(f"{policy.baseline}: no such file; use --update-baseline to write it", code="configuration")
    return found


def _write(checks: Sequence[Check], notes: Sequence[str], policy: Policy, arguments: Arguments, output: Output) -> None:
    sheet = checks_sheet(checks, notes)
    if arguments.junit:
        output.text(junit(junit_cases(checks), policy.path.name))
    elif arguments.csv or arguments.markdown:
        write_sheet(sheet, arguments, output)
    elif output.as_json:
        output.json(checks_wire(checks, notes))
    else:
        write_texts(sheet, output)
        output.sentences(sheet.notes)
    output.note(summary_of(checks))


class _Costs:
    """The costs of what the rules name. Each configuration is requested only once."""

    def __init__(self, session: Session, policy: Policy) -> None:
        self._session, self._policy = session, policy
        self._basis: Basis | None = None
        self._answers: Remembered = {}
        self._models: Models | None = None
        self._records: Mapping[str, tuple[str, Mapping[str, Wire]]] | None = None

    async def of(self, rule: Rule) -> list[Subject]:
        """The costs of a rule's subjects, each once. Adds what is missing to the mistakes of the policy.

        Raises :class:`~chartui.core.spec.errors.ServiceError`.
        """
        scenario = self._scenario(rule)
        found = [
            *[await self._of_preset(one, scenario) for one in self._matches(rule, "presets", self._presets)],
            *[await self._of_character(one, scenario) for one in await self._characters(rule)],
            *[
                await self._priced("bundles", name, reading_of(bundle), scenario)
                for name, bundle in self._matches(rule, "bundles", self._bundles)
            ],
        ]
        return list({(one.kind, one.name): one for one in found}.values())

    def _scenario(self, rule: Rule) -> Scenario:
        """The scenario of a rule, or one without a name. Adds what is wrong with it to the mistakes of the policy."""
        found, word = Scenario(name=""), rule.scenario
        if word is None:
            return found
        place, beside = f"{rule.place}.scenario", self._policy.beside(word)
        try:
            found = read_scenario(beside, read=read_named) if is_path(word) else Scenarios().get(word)
        except (ScenarioError, OSError) as error:
            self._policy.mistakes.add(f"{place}: {error}", at=place)
            return found
        if rule.limits.monthly is not None and found.usage is None:
            limit = f"{rule.place}.max_monthly_credits"
            self._policy.mistakes.add(f"{limit} needs a scenario with a [usage] table.", at=limit)
        return found

    def _matches(self, rule: Rule, member: str, read: Callable[[str], Sequence[T]]) -> Iterator[T]:
        for number, word in enumerate(getattr(rule, member)):
            place = f"{rule.place}.{member}[{number}]"
            try:
                found = read(word)
            except (PresetError, BundleError, BadName, OSError) as error:
                self._policy.mistakes.add(f"{place}: {error}", at=place)
                continue
            if not found:
                self._policy.mistakes.add(f"{place}: no {member} match {word!r}.", at=place)
            yield from found

    # -- presets -----------------------------------------------------------------------------------------------------

    def _presets(self, word: str) -> Sequence[Preset]:
        if is_path(word):
            paths = sorted(glob(word, root_dir=self._policy.path.parent, recursive=True)) or [word]
            return [read_preset(self._policy.beside(path), read=read_named) for path in paths]
        kept = {str(one.path): one for one in Presets().all()}
        # A file that cannot be read counts under its own name, which is made from that of its preset.
        items = [Item(path, one.preset.name if one.preset else one.path.stem) for path, one in kept.items()]
        found = matching(word, items)
        if found is None:
            return [Presets().get(word)]
        if faults := [kept[one.id].fault for one in found if kept[one.id].preset is None]:
            raise PresetError(" ".join(faults))
        return [preset for one in found if (preset := kept[one.id].preset) is not None]

    async def _of_preset(self, preset: Preset, scenario: Scenario) -> Subject:
        name, cases = _called(preset.name, scenario), cases_of(scenario, preset)
        try:
            parts = await self._estimates(preset, at_end(cases, "high"))
            typical = await self._estimates(preset, cases) if varies(cases) else []
        except ServiceError as error:
            if error.kind is not ErrorKind.INVALID:
                raise
            return Subject("presets", name, None, None, error.message.rstrip("."))
        usual = mixed_estimate(typical) if typical else None
        return _with_month(subject_of("presets", name, mixed_estimate(parts), usual), scenario, parts, typical)

    async def _estimates(self, preset: Preset, cases: Sequence[Case]) -> list[tuple[Decimal, Estimate]]:
        """The estimates of a preset for the kinds of interaction, with the weights. Raises as :meth:`of`."""
        parts = []
        for case in cases:
            asked = (preset.selections, case.assumptions())
            estimate = self._answers.get(asked) or await self._session.service.estimate(*asked)
            self._answers[asked] = estimate
            parts.append((case.weight, estimate))
        return parts

    # -- characters --------------------------------------------------------------------------------------------------

    async def _characters(self, rule: Rule) -> Sequence[str]:
        if not rule.characters:
            return ()
        if self._records is None:
            first = {str(record["character_id"]): record for record in reversed(await self._session.service.records())}
            records = list(reversed(first.values()))
            names = character_names(records)
            self._records = {str(r["character_id"]): (name, r) for name, r in zip(names, records, strict=True)}
        items = [Item(identity, str(r.get("character_name") or "")) for identity, (_, r) in self._records.items()]

        def called(word: str) -> Sequence[str]:
            found = matching(word, items)
            return [item.id for item in ([find("character", word, items)] if found is None else found)]

        return list(dict.fromkeys(self._matches(rule, "characters", called)))

    async def _of_character(self, character_id: str, scenario: Scenario) -> Subject:
        name, record = (self._records or {})[character_id]
        session = self._session
        reading = await read_character(session.service, session.journal, session.profile.place, character_id, record)
        if reading is None:
            return Subject(
                "characters", _called(name, scenario), None, None, "the character has been deleted in the meantime"
            )
        return await self._priced("characters", name, await with_objective(session.service, reading), scenario)

    # -- bundles -----------------------------------------------------------------------------------------------------

    def _bundles(self, word: str) -> Sequence[tuple[str, Bundle]]:
        names = sorted(glob(word, root_dir=self._policy.path.parent, recursive=True))
        return [(name, load(self._policy.beside(name)).bundle) for name in names]

    async def _priced(self, kind: Kind, name: str, reading: Reading, scenario: Scenario) -> Subject:
        from chartui.core.costs import basis_for, facts_of, price

        service = self._session.service
        self._models = self._models or await read_models(service)
        self._basis = self._basis or await basis_for(self._session)
        cases = scenario.cases() if scenario.name else ()
        basis, facts = self._basis._replace(cases=cases), facts_of(reading, self._models, self._basis.scenes)
        cost, typical = await price(service, facts, basis, self._answers), None
        if varies(cases):
            typical = cost
            cost = await price(service, facts, basis._replace(cases=at_end(cases, "high")), self._answers)
        subject = subject_of_cost(kind, _called(name, scenario), cost, typical)
        parts, usual = (
            [(Decimal(1), one) for one in found.estimates] if found is not None else [] for found in (cost, typical)
        )
        return _with_month(subject, scenario, parts, usual)


def _called(name: str, scenario: Scenario) -> str:
    """The name in the report and in the baseline, which has an entry for each scenario."""
    return f"{name} ({scenario.name})" if scenario.name else name


def _with_month(
    subject: Subject,
    scenario: Scenario,
    parts: Sequence[tuple[Decimal, Estimate]],
    typical: Sequence[tuple[Decimal, Estimate]],
) -> Subject:
    """Add the credits a month for the usage of a scenario.

    With a usage in minutes, longer interactions are fewer, and those with typical quantities can cost more a month.
    """
    monthly = _monthly(() if subject.credits is None else (subject.credits,), scenario, parts)
    usual = _monthly(subject.typical, scenario, typical)
    return subject._replace(monthly=max((*monthly, *usual)) if monthly else None, typical_monthly=usual)


def _monthly(
    amounts: Sequence[Decimal], scenario: Scenario, parts: Sequence[tuple[Decimal, Estimate]]
) -> tuple[Decimal, ...]:
    """The credits a month for amounts per interaction. Empty if the usage is not given or the length is unknown.

    The number of interactions in a minute depends on their length, the mean of those that the service echoes.
    """
    usage = scenario.usage
    if usage is None or not amounts:
        return ()
    echoed = mixed_estimate(parts).assumptions
    means = {name: getattr(echoed, name, None) for name in Quantities._fields}
    if usage.minutes is not None and None in means.values():
        return ()
    quantities = Quantities(**{name: mean or 0 for name, mean in means.items()})
    found = (monthly_budget(amount, quantities, usage, ()).credits for amount in amounts)
    return tuple(amount for amount in found if amount is not None)
