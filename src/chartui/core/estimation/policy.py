"""A policy contains cost rules for presets, characters and bundles, to be checked in every build. An example::

    format = "chartui-policy"
    version = 1
    baseline = "baseline.toml"        # beside the policy

    [[rules]]
    name = "Kiosk"
    presets = ["kiosk-*", "presets/night.toml"]
    characters = ["*"]
    bundles = ["characters/*.toml"]
    scenario = "museum.toml"          # a name, or a file beside the policy
    max_credits = 12                  # per interaction
    max_monthly_credits = 4_000_000   # for the usage of the scenario
    max_latency = "1.2s"              # end to end, worst case
    max_growth = "5%"                 # of the credits, relative to the baseline
    forbid = ["beta", "mdla_4o"]      # features and options

A rule lists the presets, characters or bundles that it applies to, and at least one limit. Each preset, character or
bundle is given as a name, a file or, with ``*``, ``?`` or ``[…]``, a pattern. An unknown value never meets a limit. If
a scenario's quantities are ranges, the highest quantities are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from chartui.core.classes import NamedTuple
from chartui.core.estimation.baseline import Baseline
from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.estimation.constraints import FEATURE_NAMES, features
from chartui.core.estimation.discovery import Discovery
from chartui.core.estimation.gates import (
    Earlier,
    Exceeded,
    Limits,
    Subject,
    exceeded,
    growth,
    lower_limits,
    typed_percent,
)
from chartui.core.estimation.prices import Configuration
from chartui.core.estimation.summary import hundredths, whole_or_not
from chartui.core.files import read_named
from chartui.core.jsontext import Wire
from chartui.core.junit import JUnitCase
from chartui.core.naming import unknown
from chartui.core.numbers import number_of
from chartui.core.sheet import Column, Sheet
from chartui.core.spec.catalogue import KINDS, option
from chartui.core.tables import BadTable, Mistakes, Reader, refuse_unknown, typed
from chartui.core.text import single_line
from chartui.core.typed_numbers import typed_milliseconds

FORMAT: Final = "chartui-policy"
VERSION: Final = 1
_SUBJECTS: Final = ("presets", "characters", "bundles")
_LIMITS: Final = ("max_credits", "max_monthly_credits", "max_latency", "max_growth", "forbid")
T = TypeVar("T")


class Rule(NamedTuple):
    """A rule of a policy.

    ``place`` is the rule's path in the file, such as ``rules[0]``. ``scenario`` is the name or file of a scenario, or
    None for the default quantities.
    """

    name: str
    place: str
    presets: tuple[str, ...]
    characters: tuple[str, ...]
    bundles: tuple[str, ...]
    limits: Limits
    forbid: tuple[str, ...]
    scenario: str | None = None


class Policy(NamedTuple):
    """A policy.

    ``baseline`` is the path of the baseline file, or None if there is no baseline. ``mistakes`` collects the mistakes
    that are found after the policy file has been read.
    """

    path: Path
    rules: tuple[Rule, ...]
    baseline: Path | None
    mistakes: Mistakes

    @property
    def unlisted(self) -> list[tuple[str, str]]:
        """The forbidden words that are neither features nor options in the catalogue, with their paths in the file."""
        return [
            (f"{rule.place}.forbid[{number}]", word)
            for rule in self.rules
            for number, word in enumerate(rule.forbid)
            if word not in FEATURE_NAMES and all(option(kind, word) is None for kind in KINDS)
        ]

    def beside(self, name: str) -> Path:
        """Return the path of a file that the policy names. A relative path is relative to the policy's folder."""
        return self.path.parent / name


def read_policy(path: Path) -> Policy:
    """Read a policy file. Raises :class:`~chartui.core.tables.BadFile` with a list of all mistakes if it is invalid."""
    reader = Reader(path, FORMAT, VERSION, ("baseline", "rules"), number=Decimal, read=read_named)
    if not reader.exists:
        reader.add("no such file.")
    baseline = reader.text_of(reader.table, "baseline", "baseline")
    tables = reader.list_of(reader.table, "rules", "rules", "a list of tables")
    if reader.table and not tables:
        reader.add("rules is missing; add a [[rules]] table.")
    rules = [_rule(table, number, reader) for number, table in enumerate(tables or ())]
    if baseline is None and "baseline" not in reader.table:
        for rule in rules:
            if rule.limits.growth is not None:
                reader.add(f'{rule.place}.max_growth needs a baseline; write baseline = "baseline.toml" at the top.')
    reader.check()
    return Policy(path, tuple(rules), None if baseline is None else path.parent / baseline, reader)


def policy_schema() -> dict[str, Any]:
    from chartui.core.schemas import TEXT, TEXTS, document, list_of, table

    amount = {"type": "number", "minimum": 0}
    in_words = {"anyOf": [amount, {"type": "string", "minLength": 1}]}
    rule = {
        "name": TEXT,
        **dict.fromkeys(_SUBJECTS, TEXTS),
        "scenario": {**TEXT, "description": "Name of a scenario, or its file relative to the policy file."},
        "max_credits": {**amount, "maximum": MAX_QUANTITY, "description": "Maximum credits per interaction."},
        "max_monthly_credits": {**amount, "description": "Maximum credits a month, for the usage in the scenario."},
        "max_latency": {
            **in_words,
            "description": "Maximum end-to-end latency in milliseconds, or text such as `1.2s`.",
        },
        "max_growth": {**in_words, "description": "Maximum increase in credits over the baseline, in percent."},
        "forbid": {**TEXTS, "description": "Forbidden features and options."},
    }
    demands = [{"anyOf": [{"required": [one]} for one in members]} for members in (_SUBJECTS, _LIMITS)]
    return document(
        "Limits on the costs of presets, characters and bundles",
        FORMAT,
        VERSION,
        {
            "baseline": {**TEXT, "description": "Baseline file, relative to the policy file."},
            "rules": {**list_of({**table(rule), "allOf": demands}), "minItems": 1},
        },
        needed=("rules",),
    )


def _rule(given: Any, number: int, mistakes: Mistakes) -> Rule:
    place = f"rules[{number}]"
    table: Mapping[str, Any] = mistakes.take(typed, given, dict, place, "a table") or {}
    for key in table:
        mistakes.take(
            refuse_unknown, (key,), ("name", *_SUBJECTS, "scenario", *_LIMITS), f"'{place}'", at=f"{place}.{key}"
        )
    for kind, members in (("presets, characters or bundles", _SUBJECTS), ("a limit", _LIMITS)):
        if table and not any(table.get(member, []) != [] for member in members):
            mistakes.add(f"{place} needs {kind}: one of {', '.join(members)}.")
    if "max_monthly_credits" in table and "scenario" not in table:
        mistakes.add(f"{place}.max_monthly_credits needs a scenario that sets the number of interactions a month.")

    def taken(read: Callable[[Any, str], T], member: str) -> T | None:
        where = f"{place}.{member}"
        return mistakes.take(read, table[member], where) if member in table else None

    presets, characters, bundles, forbid = (
        mistakes.texts_of(table, member, f"{place}.{member}") for member in (*_SUBJECTS, "forbid")
    )
    return Rule(
        name=mistakes.text_of(table, "name", f"{place}.name") or f"rule {number + 1}",
        place=place,
        presets=presets,
        characters=characters,
        bundles=bundles,
        limits=Limits(
            taken(_credits, "max_credits"),
            taken(_latency, "max_latency"),
            taken(_growth, "max_growth"),
            taken(partial(_credits, most=None), "max_monthly_credits"),
        ),
        forbid=forbid,
        scenario=mistakes.text_of(table, "scenario", f"{place}.scenario"),
    )


def _credits(value: Any, where: str, most: int | None = MAX_QUANTITY) -> Decimal:
    wanted = "a number of credits, 0 or more" if most is None else f"a number of credits from 0 to {most}"
    number = Decimal(typed(value, (int, Decimal), where, wanted))  # type: ignore[arg-type]
    if not number.is_finite() or number < 0 or (most is not None and number > most):
        raise BadTable(f"{where} must be {wanted}.")
    return number


def _latency(value: Any, where: str) -> int:
    return _read(typed_milliseconds, value, where, 'a number of milliseconds, or text such as "1.2s"')


def _growth(value: Any, where: str) -> Decimal:
    return _read(typed_percent, value, where, 'a percentage, 0 or more, such as 5 or "5%"')


def _read(read: Callable[[str], T], value: Any, where: str, wanted: str) -> T:
    given = typed(value, (int, Decimal, str), where, wanted)
    try:
        return read(str(given))
    except ValueError:
        raise BadTable(f"{where} must be {wanted}.") from None


def check_forbidden(policy: Policy, offered: Discovery) -> tuple[str, ...]:
    """Report forbidden words that are neither features nor options as mistakes in a policy.

    ``offered`` contains the options of the service. If these options could not be recognized, an unknown word may still
    be an option. In this case, the word is not reported as a mistake, and a sentence about it is returned instead.
    """
    offers = [choice.key for kind in KINDS for choice in offered.choices[kind]]
    notes = []
    for place, word in policy.unlisted:
        if word in offers:
            continue
        sentence = f"{place}: {unknown('feature or option', word, [*FEATURE_NAMES, *offers], listed=False)}"
        if offered.fits:
            policy.mistakes.add(sentence, at=place)
        else:
            notes.append(f"{sentence} The service may still offer this option.")
    return tuple(notes)


# -- checking ---------------------------------------------------------------------------------------------------------


class Check(NamedTuple):
    """The result of checking a preset, character or bundle against a rule.

    ``earlier`` is the cost in the baseline, or None.
    """

    rule: str
    subject: Subject
    earlier: Decimal | None
    exceeded: tuple[Exceeded, ...]


def check(rule: Rule, subject: Subject, baseline: Baseline | None, file: str = "the baseline") -> Check:
    """Check a preset, character or bundle against a rule.

    If ``baseline`` is None, the increase in credits is not checked. ``file`` is the name of the baseline file.
    """
    earlier = Earlier.in_file(baseline, subject, file)
    limits = rule.limits if baseline is not None else rule.limits._replace(growth=None)
    found = (*exceeded(subject, limits, earlier), *_forbidden(subject, rule.forbid))
    return Check(rule.name, subject, earlier.credits, found)


def _forbidden(subject: Subject, words: Sequence[str]) -> Iterator[Exceeded]:
    if not words:
        return
    complete = [one for one in subject.inputs if None not in one.values() and one.keys() >= {*Configuration._fields}]
    if not complete or len(complete) < len(subject.inputs):
        why = f": {subject.why}" if subject.why else ""
        yield Exceeded("forbid", f"The options of {subject.called} are unknown{why}.")
    configurations = [Configuration(**one) for one in complete]  # type: ignore[arg-type]
    for word in words:
        if any(_has(one, word) for one in configurations):
            yield Exceeded("forbid", f"{subject.called} uses {single_line(word, limit=60)}, which is forbidden.")


def _has(configuration: Configuration, word: str) -> bool:
    if word in FEATURE_NAMES:
        return features(configuration)[FEATURE_NAMES[word]]
    return word in configuration


# -- reports ----------------------------------------------------------------------------------------------------------


def summary_of(checks: Sequence[Check]) -> str:
    """Return a phrase that says how many checks failed."""
    failed = sum(bool(one.exceeded) for one in checks)
    if failed:
        return f"{failed} of {number_of(len(checks), 'check')} failed"
    return "the check passed" if len(checks) == 1 else f"all {len(checks)} checks passed"


def checks_sheet(checks: Sequence[Check], notes: Sequence[str] = ()) -> Sheet:
    """Return a table with a row per check. The notes say which limits are exceeded."""
    between = any(one.subject.typical for one in checks)
    columns = (
        *map(Column, ("result", "rule", "kind", "name", "credits", *(["typical"] if between else []), "baseline")),
        Column("growth", "%", signed=True),
        Column("latency", "ms"),
        Column("monthly_credits"),
    )
    rows = tuple(
        (
            "failed" if one.exceeded else "passed",
            one.rule,
            one.subject.kind.removesuffix("s"),
            one.subject.name,
            one.subject.credits,
            *([max(one.subject.typical, default=None)] if between else []),
            one.earlier,
            _growth_of(one),
            None if one.subject.latency is None else whole_or_not(one.subject.latency),
            one.subject.monthly,
        )
        for one in checks
    )
    least = lower_limits([one.subject for one in checks])
    highest = "Credits and latency are for the highest quantities." if between else ""
    texts = (*(each.text for one in checks for each in one.exceeded), *filter(None, (highest, least)), *notes)
    return Sheet("Policy", columns, rows, texts)


def _growth_of(one: Check) -> Decimal | None:
    more = growth(one.subject.credits, one.earlier)
    return None if more is None else hundredths(more)


def checks_wire(checks: Sequence[Check], notes: Sequence[str] = ()) -> dict[str, Wire]:
    """Return the checks as JSON data."""
    return {
        "passed": not any(one.exceeded for one in checks),
        "checks": [
            {
                "rule": one.rule,
                "kind": one.subject.kind.removesuffix("s"),
                "name": one.subject.name,
                "passed": not one.exceeded,
                "credits": one.subject.credits,
                "at_least": bool(one.subject.unread),
                "baseline_credits": one.earlier,
                "growth_percent": _growth_of(one),
                "latency_ms": one.subject.latency,
                "monthly_credits": one.subject.monthly,
                "typical_credits": max(one.subject.typical, default=None),
                "typical_monthly_credits": max(one.subject.typical_monthly, default=None),
                "failures": [each._asdict() for each in one.exceeded],
            }
            for one in checks
        ],
        "notes": list(notes),
    }


def junit_cases(checks: Sequence[Check]) -> list[JUnitCase]:
    """Return one test case for each check. Each rule is a test suite."""
    return [
        JUnitCase(
            one.rule,
            one.subject.kind,
            one.subject.name,
            " ".join(each.text for each in one.exceeded),
            " ".join(each.limit for each in one.exceeded),
        )
        for one in checks
    ]
