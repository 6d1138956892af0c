"""What the requests screen shows, as one immutable object, and how a call is said in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from chartui.core.backends.base import Cache
from chartui.core.backends.recorder import Call
from chartui.core.spec.operation import Effect
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count

#: Values of a payload that are longer are no names that anybody looks for.
_LONGEST_SEARCHED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestsState:
    """The calls, newest first, and which of them are looked at."""

    calls: Sequence[Call] = ()
    query: str = ""
    only_failures: bool = False
    only_changes: bool = False

    @property
    def narrowed(self) -> bool:
        """Whether some calls may be left out."""
        return bool(self.only_failures or self.only_changes or self.query.strip())

    def matching(self) -> Sequence[Call]:
        """The calls that are looked at."""
        if not self.narrowed:
            return self.calls
        words = self.query.casefold().split()
        return [call for call in self.calls if self._is_wanted(call) and _holds(call, words)]

    def _is_wanted(self, call: Call) -> bool:
        changes = call.operation.effect is not Effect.READ
        failed = call.body is None and not call.under_way
        return (changes or not self.only_changes) and (failed or not self.only_failures)


def _holds(call: Call, words: Sequence[str]) -> bool:
    text = "\n".join(_searched(call)).casefold() if words else ""
    return all(word in text for word in words)


def _searched(call: Call) -> Iterator[str]:
    yield call.operation.name
    yield call.operation.path or ""
    yield call.context.origin
    yield call.context.plan_id or ""
    yield outcome(call)
    yield str(call.status or "")
    if call.error is not None:
        yield call.error.message
    if isinstance(call.payload.value, Mapping):
        yield from (v for v in call.payload.value.values() if isinstance(v, str) and len(v) <= _LONGEST_SEARCHED)


# -- words ------------------------------------------------------------------------------------------------------------


def outcome(call: Call) -> str:
    """How a call ended, with its sign, or that it has not."""
    if call.under_way:
        return f"{GLYPHS.busy} under way"
    if call.given_up:
        return f"{GLYPHS.given_up} given up"
    if call.error is not None:
        return f"{GLYPHS.danger} {call.error.kind.value.replace('_', ' ')}"
    return f"{GLYPHS.done} {call.status or 'ok'}"


def outcome_role(call: Call) -> str:
    """The palette's style for how a call ended."""
    return "label" if call.given_up or call.under_way else "danger" if call.error is not None else "local"


def effect_mark(call: Call) -> str:
    """A sign for what does more than read."""
    return {Effect.READ: "", Effect.WRITE: GLYPHS.staged, Effect.ACT: GLYPHS.act}[call.operation.effect]


def when(call: Call) -> str:
    """The time of day in UTC, to the second."""
    return call.at[11:19]


def took(call: Call) -> str:
    """Milliseconds; a decimal where there are few. Of a call that is under way, whole seconds so far."""
    if call.under_way:
        return f"{count(int(call.seconds))} s"
    milliseconds = call.seconds * 1000
    return f"{milliseconds:.1f}" if milliseconds < 10 else count(round(milliseconds))


def bytes_text(call: Call) -> str:
    """The size of the answer as received; a dash where nothing was."""
    return count(call.meta.bytes) if call.meta is not None and call.meta.bytes else "–"


def note(call: Call) -> str:
    """What is unusual about a call, in a word."""
    cache = call.meta.cache if call.meta is not None else Cache.NONE
    if call.folded > 1:
        return f"×{count(call.folded)}"
    if (call.attempts or 1) > 1:
        return f"{call.attempts} tries"
    return {Cache.NONE: "", Cache.HIT: "kept", Cache.REVALIDATED: "same"}[cache]
