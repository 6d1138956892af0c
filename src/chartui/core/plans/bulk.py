"""Change the settings of many characters, with an independent step for each character.

A character is skipped and reported if it already has the settings, or if a service would certainly refuse the change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from chartui.core.characters.reasoning import AUTO, after_model_change
from chartui.core.classes import NamedTuple, dataclass
from chartui.core.plans.plan import CREDITS, MILLISECONDS, CostEffect, Plan, Step, cost_effects
from chartui.core.plans.settings import MODEL, REASONING, Staged, plan, problems
from chartui.core.plans.wording import LABELS
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.characters.models import Models
    from chartui.core.clock import Ids
    from chartui.core.estimation.character_cost import CharacterCost
    from chartui.core.journal import Written
    from chartui.core.jsontext import Wire

#: The maximum number of names listed in a sentence. The sentence always gives the total.
_MOST_NAMES: Final = 12
_LATENCIES: Final = ("faster", "slower", "at the same speed", "with unknown latency")


@dataclass(frozen=True, slots=True)
class Present:
    """A character as read from the service or store.

    ``settings`` contains the readable settings, keyed by their names in ``update-character``. ``record`` is the
    character's record. ``known_here`` contains the last values written from this machine to settings that cannot be
    read (decision 25).
    """

    character_id: str
    name: str | None
    settings: Mapping[str, Wire]
    record: Mapping[str, Wire] = field(default_factory=dict)
    known_here: Mapping[str, Written] = field(default_factory=dict)

    @property
    def called(self) -> str:
        return self.name or self.character_id


class Refused(NamedTuple):
    """A character whose new settings every service would reject, and the reason."""

    present: Present
    why: str


class Bulk(NamedTuple):
    """A change to the settings of many characters.

    ``changed`` lists the characters that have a step in ``plan``, in the order of the steps, with their staged
    settings. ``already`` lists the characters that already have the settings. ``refused`` lists the characters whose
    new settings every service would reject, and ``refusals`` contains a sentence for each reason.
    """

    plan: Plan
    changed: tuple[tuple[Present, Staged], ...]
    already: tuple[Present, ...]
    refused: tuple[Refused, ...]
    refusals: tuple[str, ...] = ()


def gone_models(chosen: Iterable[Present], models: Models) -> Mapping[str, tuple[Present, ...]]:
    """Return the characters that use unavailable models.

    The result maps the code of each unavailable model to the characters that use it.
    """
    found: dict[str, list[Present]] = {}
    for present in chosen:
        code = present.settings.get(MODEL)
        if isinstance(code, str) and code and models.get(code) is None:
            found.setdefault(code, []).append(present)
    return {code: tuple(having) for code, having in found.items()}


def bulk_change(
    chosen: Iterable[Present], wanted: Mapping[str, str], models: Models, *, ids: Ids, reason: str = ""
) -> Bulk:
    """Build a plan that applies the ``wanted`` settings to the chosen characters.

    ``wanted`` maps each setting to its new value, as a string. ``reason`` is shown with every step.
    """
    steps: list[Step] = []
    changed: list[tuple[Present, Staged]] = []
    already: list[Present] = []
    refused: list[Refused] = []
    for present in chosen:
        staged = _staged(present, wanted)
        if why := next(iter(problems(staged, models).values()), ""):
            refused.append(Refused(present, why))
            continue
        written = {member: found.value for member, found in present.known_here.items()}
        step = next(iter(plan(staged, models, new_id=ids, known_here=written).steps), None)
        if step is None:
            already.append(present)
        else:
            steps.append(replace(step, reason=reason))
            changed.append((present, staged))
    labels = ", ".join(LABELS[member] for member in wanted)
    title = f"Set {labels} for {_counted(len(steps))}"
    refusals = tuple(_refusals(refused))
    left_out = [f"Skipped: {sentence}" for sentence in refusals]
    if already:
        have, are = ("has", "is") if len(already) == 1 else ("have", "are")
        left_out.append(f"{_counted(len(already))} already {have} these settings and {are} skipped: {_names(already)}.")
    notes = (*left_out, *_levels(changed, models))
    made = Plan(id=ids(), title=title, steps=tuple(steps), independent=True, notes=notes)
    return Bulk(made, tuple(changed), tuple(already), tuple(refused), refusals)


def _staged(present: Present, wanted: Mapping[str, str]) -> Staged:
    staged = Staged(character_id=present.character_id, name=present.called, base=present.settings, changes={})
    for member, text in wanted.items():
        staged = staged.with_change(member, text)
    return staged


def _refusals(refused: Sequence[Refused]) -> Iterator[str]:
    by_reason: dict[str, list[Present]] = {}
    for present, why in refused:
        by_reason.setdefault(why, []).append(present)
    for why, found in by_reason.items():
        yield f"{_counted(len(found))} cannot be given these settings: {_names(found)}. {why}"


def _levels(changed: Sequence[tuple[Present, Staged]], models: Models) -> Iterator[str]:
    """Yield a sentence for each effect of the new model on reasoning levels (decision 22), unless the change also sets
    the level.
    """
    following = [(present, staged) for present, staged in changed if MODEL in staged.changes]
    becoming: Counter[str] = Counter()
    untold = 0
    for present, staged in following:
        if REASONING in staged.changes:
            continue
        if REASONING not in present.settings:
            untold += 1
            continue
        level: Any = present.settings[REASONING]
        model = models.get(staged.changes[MODEL])
        later = after_model_change(level, model.reasoning if model is not None else None)
        if model is not None and later != level:
            becoming["becomes auto" if later == AUTO else "is cleared"] += 1
    for change, number in becoming.items():
        yield f"The reasoning level of {_counted(number)} is not supported by the new model and {change}."
    if untold:
        yield (f"The reasoning level of {_counted(untold)} is not reported by the service.")


def with_costs(plan: Plan, costs: Sequence[tuple[CharacterCost, CharacterCost]]) -> Plan:
    """Return the plan with the cost of an interaction before and after each step.

    ``costs`` contains these two costs for each step, in the order of the steps. If there are several steps, their total
    is added to the plan.
    """
    from chartui.core.estimation.character_cost import basis_text

    steps = tuple(
        replace(step, effects=cost_effects(now, later, alone=len(costs) == 1))
        for step, (now, later) in zip(plan.steps, costs, strict=True)
    )
    each = [step.effects for step in steps]
    credits_ = [one for effects in each for one in effects if one.unit == CREDITS]
    latencies = [one for effects in each for one in effects if one.unit == MILLISECONDS]
    if len(steps) < 2:
        return replace(plan, steps=steps)
    together = _sum(credits_)
    basis = basis_text(*chain.from_iterable(costs))
    together = replace(together, note=f"{together.note} {_compared(latencies)} {basis}".strip())
    return replace(plan, steps=steps, effects=(together,))


def _sum(each: Sequence[CostEffect]) -> CostEffect:
    """Return the total price before and after the change: one interaction with every character whose prices are both
    known.
    """
    ends = [(one.before, one.after) for one in each if one.before is not None and one.after is not None]
    unknown = len(each) - len(ends)
    note = f"One interaction with each of {_counted(len(ends))}"
    note += f", not counting {_counted(unknown)} with an unknown price." if unknown else "."
    if not ends:
        note = "No character has a known price both before and after the change."
    before, after = map(_added, zip(*ends, strict=True)) if ends else (None, None)
    return CostEffect(label="together", unit=CREDITS, before=before, after=after, note=note)


def _added(spans: Iterable[tuple[Decimal, Decimal]]) -> tuple[Decimal, Decimal]:
    least, most = zip(*spans, strict=True)
    return sum(least, Decimal(0)), sum(most, Decimal(0))


def _compared(each: Sequence[CostEffect]) -> str:
    """Return how many characters become slower, and how many faster. The maximum latency counts (decision 7)."""
    found: Counter[str] = Counter()
    for one in each:
        if one.before is None or one.after is None:
            found["with unknown latency"] += 1
        else:
            change = one.after[1] - one.before[1]
            found["slower" if change > 0 else "faster" if change < 0 else "at the same speed"] += 1
    listed = ", ".join(f"{found[word]} {word}" for word in _LATENCIES if found[word])
    return f"Worst-case end-to-end latency: {listed}."


def _names(found: Sequence[Present]) -> str:
    listed = [single_line(present.called, limit=40) for present in found[:_MOST_NAMES]]
    more = len(found) - len(listed)
    return f"{', '.join(listed)} and {more} more" if more else ", ".join(listed)


def _counted(number: int) -> str:
    return "1 character" if number == 1 else f"{number} characters"
