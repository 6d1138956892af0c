"""The state of the requests screen, as one immutable object, and calls in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from textual.app import App

from chartui.core.backends.recorder import Call
from chartui.core.classes import dataclass
from chartui.core.spec.operation import Effect
from chartui.core.text import fold
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import NO_MATCHES, guide
from chartui.tui.numbers import count
from chartui.tui.widgets.text import Role

#: Longer values of a payload are not searched: they are not names.
_LONGEST_SEARCHED = 200


@dataclass(frozen=True, kw_only=True)
class RequestsState:
    """The calls, newest first, and their filters."""

    calls: Sequence[Call] = ()
    query: str = ""
    only_failures: bool = False
    only_changes: bool = False

    @cached_property
    def matching(self) -> Sequence[Call]:
        """The calls that match the filters."""
        words = fold(self.query).split()
        if not (self.only_failures or self.only_changes or words):
            return self.calls
        return [call for call in self.calls if self._is_wanted(call) and _holds(call, words)]

    def emptiness(self, app: App[Any]) -> str:
        """Why the list is empty, and how to fill it."""
        if not self.calls:
            text = "No requests yet. Calls to the service or store are listed here."
            return guide(app, text, "{show-characters} loads the characters.")
        if self.query.strip():
            return NO_MATCHES
        if self.only_failures and self.only_changes:
            return guide(
                app, "No failed changes.", "Press {only-failures} and {only-changes} to show all requests again."
            )
        if self.only_failures:
            return guide(app, "No failures.", "{only-failures} shows all requests again.")
        return guide(app, "No changes.", "{only-changes} shows all requests again.")

    def _is_wanted(self, call: Call) -> bool:
        changes = call.operation.effect is not Effect.READ
        failed = call.body is None and not call.under_way
        return (changes or not self.only_changes) and (failed or not self.only_failures)


def _holds(call: Call, words: Sequence[str]) -> bool:
    text = fold("\n".join(_searched(call))) if words else ""
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
    """The outcome of a call with its sign; ``under way`` before there is one."""
    if call.under_way:
        return f"{GLYPHS.busy} under way"
    if call.given_up:
        return f"{GLYPHS.given_up} canceled"
    if call.error is not None:
        return f"{GLYPHS.danger} {call.error.kind.value.replace('_', ' ')}"
    return f"{GLYPHS.done} {call.status or 'ok'}"


def outcome_role(outcome: str) -> Role:
    """The palette's style for the outcome of a call."""
    roles: dict[str, Role] = {GLYPHS.done: "local", GLYPHS.danger: "danger"}
    return roles.get(outcome[:1], "label")


def took(call: Call) -> str:
    """Milliseconds, with a decimal for small values; whole seconds so far for a call under way."""
    if call.under_way:
        return f"{count(int(call.seconds))} s"
    milliseconds = call.seconds * 1000
    return f"{milliseconds:.1f}" if milliseconds < 10 else count(round(milliseconds))


def bytes_text(call: Call) -> str:
    """The size of the answer as received; a dash without one."""
    return count(call.meta.bytes) if call.meta is not None and call.meta.bytes else "–"
