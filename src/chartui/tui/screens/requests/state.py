"""What the requests screen shows, as one immutable object, and how a call is said in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from chartui.core.backends.base import Cache
from chartui.core.backends.recorder import Call
from chartui.core.jsontext import Wire
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.spec.operation import Effect
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count

#: Values of a payload that are longer are no names that anybody looks for.
_LONGEST_SEARCHED = 200
_COLUMNS: Final = (
    Column("time", title="UTC", kind=Kind.TEXT, priority=2),
    Column("sign", kind=Kind.MARK, priority=1, written=False),
    Column("effect"),
    Column("operation", title="Operation", kind=Kind.TEXT, least=20),
    Column("outcome", title="Outcome", kind=Kind.TEXT, least=14),
    Column("latency", "ms", title="ms", kind=Kind.LATENCY),
    Column("size", "bytes", title="Bytes", kind=Kind.COUNT, priority=4),
    Column("note", title="Note", kind=Kind.TEXT, priority=3),
    Column("asked_by", title="Asked by", kind=Kind.TEXT, least=11, priority=5),
)
_SIGNS: Final = {Effect.READ: "", Effect.WRITE: GLYPHS.staged, Effect.ACT: GLYPHS.act}


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


def outcome_role(outcome: str) -> str:
    """The palette's style for how a call ended."""
    return {GLYPHS.done: "local", GLYPHS.danger: "danger"}.get(outcome[:1], "label")


def took(call: Call) -> str:
    """Milliseconds; a decimal where there are few. Of a call that is under way, whole seconds so far."""
    if call.under_way:
        return f"{count(int(call.seconds))} s"
    milliseconds = call.seconds * 1000
    return f"{milliseconds:.1f}" if milliseconds < 10 else count(round(milliseconds))


def bytes_text(call: Call) -> str:
    """The size of the answer as received; a dash where nothing was."""
    return count(call.meta.bytes) if call.meta is not None and call.meta.bytes else "–"


def calls_sheet(calls: Sequence[Call]) -> Sheet:
    """The calls as a table. Of a call that is under way only the note says how long it has taken."""
    return Sheet("Requests", _COLUMNS, tuple(map(_row, calls)), keys=tuple(map(key_of, calls)))


def key_of(call: Call) -> str:
    return str(call.number)


def _row(call: Call) -> tuple[Wire, ...]:
    effect, milliseconds = call.operation.effect, call.seconds * 1000
    latency = Decimal(f"{milliseconds:.{1 if milliseconds < 10 else 0}f}")
    return (
        call.at[11:19],
        _SIGNS[effect],
        effect.value,
        call.operation.name,
        outcome(call),
        None if call.under_way else latency,
        (call.meta.bytes or None) if call.meta is not None else None,
        _note(call),
        call.context.origin,
    )


def _note(call: Call) -> str:
    """What is unusual about a call, in a word."""
    cache = call.meta.cache if call.meta is not None else Cache.NONE
    if call.under_way:
        return took(call)
    if call.folded > 1:
        return f"×{count(call.folded)}"
    if (call.attempts or 1) > 1:
        return f"{call.attempts} tries"
    return {Cache.NONE: "", Cache.HIT: "kept", Cache.REVALIDATED: "same"}[cache]
