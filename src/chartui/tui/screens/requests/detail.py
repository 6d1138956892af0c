"""One call in full: the request, and the answer or the error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, cast

from rich.cells import cell_len
from textual.strip import Strip

from chartui.core.backends.base import Cache
from chartui.core.backends.recorder import Call, Excerpt
from chartui.core.reproduce import as_command, as_curl, as_json
from chartui.core.session import Session
from chartui.core.spec.errors import Sent, ServiceError
from chartui.core.spec.operation import Effect
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, wrap
from chartui.tui.numbers import count
from chartui.tui.screens.requests.state import bytes_text, outcome, outcome_role, took
from chartui.tui.widgets.border import entitle, write_on_border
from chartui.tui.widgets.laid_out import LaidOut
from chartui.tui.widgets.screen import Copyable
from chartui.tui.widgets.text import Piece, PieceRow, Role, put, told

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

LABEL_WIDTH: Final = 10
_EFFECTS: Final = {
    Effect.READ: "reads",
    Effect.WRITE: f"{GLYPHS.staged} changes data",
    Effect.ACT: f"{GLYPHS.act} costs credits but changes no settings",
}
_SENT: Final[dict[Sent, str]] = {
    "no": "no, so nothing was changed",
    "yes": "yes, and a response was received",
    "unclear": "unknown; the request may have taken effect",
}
_CACHES: Final = {
    Cache.HIT: "answered from the cache",
    Cache.REVALIDATED: "answered from the cache, confirmed by the service",
}
#: A line of indented JSON: its spaces, the name of the member, the rest.
_MEMBER: Final = re.compile(r'( *)("(?:[^"\\]|\\.)*": )?(.*)', re.DOTALL)


class CallDetail(LaidOut[PieceRow]):
    """The panel of one call; ``note`` replaces it without one."""

    def __init__(self) -> None:
        super().__init__(id="call")
        self.add_class("panel")
        self._call: Call | None = None
        self._note = ""

    @property
    def call(self) -> Call | None:
        return self._call

    def show(self, call: Call | None, *, note: str = "") -> None:
        """Show another call from its top, or update the same one."""
        same = call is not None and self._call is not None and call.number == self._call.number
        if call is self._call and note == self._note:
            return
        self._call, self._note = call, note
        key = cast("ChartuiApp", self.app).keymap.label("copy")
        entitle(self, f"Request {count(call.number)}" if call is not None else "Request")
        write_on_border(self, f"{key} copies" if key and call is not None else "")
        self.lay_out()
        if not same:
            self.cursor = 0
            self.scroll_to(y=0, animate=False)

    def draw_row(self, index: int, width: int) -> Strip:
        return put(Line(width).gap(), self._rows[index], self.palette).strip()

    # -- layout -------------------------------------------------------------------------------------------------------

    def lay_out(self) -> None:
        width = self.room - 2
        if width <= 0:
            return
        if self._call is None:
            self.put(list(told(self._note, width, "label")))
        else:
            self.put([*_request(self._call, width), (), *_answer(self._call, width)])


def _request(call: Call, width: int) -> Iterator[PieceRow]:
    row, context = call.operation, call.context
    yield (Piece(row.name, "accent"),)
    yield from told(row.summary, width, "label")
    yield from told(f"{row.method} {row.path}" if row.path else "Available in an embedded store only.", width, "label")
    yield from _field("Effect", _EFFECTS[row.effect], width, "staged" if row.effect is Effect.WRITE else "value")
    yield from _field("Caller", context.origin, width)
    if context.plan_id is not None:
        step = "" if context.step is None else f", step {context.step + 1}"
        yield from _field("Plan", f"{context.plan_id}{step}", width)
    yield from _field("At", f"{call.at[:10]} {call.at[11:23]} UTC", width)
    together = f" in total for {count(call.folded)} calls; the last call is shown" if call.folded > 1 else ""
    so_far = f"{took(call)} so far"
    yield from _field("Took", so_far if call.under_way else f"{took(call)} ms{together}", width)
    yield from _field("Source", row.source, width, "label")
    yield from _body("Sent", call.payload, width)


def _answer(call: Call, width: int) -> Iterator[PieceRow]:
    yield (Piece("Answer", "accent"),)
    yield from _field("Outcome", outcome(call), width, outcome_role(outcome(call)))
    if call.given_up:
        doubt = "" if call.operation.effect is Effect.READ else " The request may still have taken effect."
        yield from told(f"Canceled before the response arrived.{doubt}", width, "label")
    if call.error is not None:
        if call.error.status is not None:
            yield from _field("Status", str(call.error.status), width)
        yield from _field("Message", call.error.message, width)
        yield from _field("Sent", _SENT[call.error.sent], width, "warning" if call.error.sent == "unclear" else "value")
        if call.error.answer:
            yield from _field("Answer", call.error.answer, width)
    if (call.attempts or 1) > 1:
        yield from _field("Tries", count(call.attempts or 1), width)
    if call.meta is not None:
        if call.meta.status is not None:
            yield from _field("Bytes", bytes_text(call), width)
        if call.meta.cache in _CACHES:
            yield from _field("Cache", _CACHES[call.meta.cache], width)
        for name, value in call.meta.headers.items():
            yield from _hanging("", f"{name}: ", value, width)
    if call.body is not None:
        yield from _body("Received", call.body, width)


def _field(label: str, text: str, width: int, role: Role = "value") -> Iterator[PieceRow]:
    for number, line in enumerate(wrap(text, max(8, width - LABEL_WIDTH))):
        yield (Piece(("" if number else label).ljust(LABEL_WIDTH), "quiet"), Piece(line, role))


def _body(title: str, body: Excerpt, width: int) -> Iterator[PieceRow]:
    yield ()
    yield (Piece(title, "quiet"), Piece("" if body.whole else f"  {GLYPHS.warning} truncated", "warning"))
    for line in as_json(body.value).split("\n"):
        found = _MEMBER.fullmatch(line)
        assert found is not None  # noqa: S101 - every part of it is optional
        yield from _hanging(found[1], found[2] or "", found[3], width)


def _hanging(spaces: str, name: str, value: str, width: int) -> Iterator[PieceRow]:
    """A named value after ``spaces``; continuation lines are aligned with its beginning."""
    room = max(10, width - len(spaces))
    text = f"{name}{value}"
    first, *more = [text] if cell_len(text) <= room else wrap(text, room - 2)
    name = name.rstrip()
    named = len(name) if first.startswith(name) else 0
    yield (Piece(spaces, "value"), Piece(first[:named], "label"), Piece(first[named:], "value"))
    yield from ((Piece(spaces + "  ", "value"), Piece(further, "value")) for further in more)


# -- to copy ----------------------------------------------------------------------------------------------------------


def copies(call: Call, session: Session) -> Sequence[Copyable]:
    """A call as command lines and in parts. A truncated call can't be sent again."""
    choices = list[Copyable]()
    if call.payload.whole:
        with suppress(ServiceError):  # a call that could not be sent has no request
            curl = as_curl(call.operation, call.payload.value, session.profile)
            choices += [Copyable("As curl (API key as a variable)", curl, ".sh")] if curl is not None else []
        command = as_command(call.operation, call.payload.value, session.profile, read_only=session.read_only)
        choices.append(Copyable("As a chartui command", command, ".sh"))
    choices.append(_part("Request body", call.payload))
    if call.body is not None:
        choices.append(_part("Response body", call.body))
    if call.error is not None:
        choices.append(Copyable("Error message", call.error.message))
    return choices


def _part(title: str, excerpt: Excerpt) -> Copyable:
    return Copyable(title if excerpt.whole else f"{title} (truncated)", as_json(excerpt.value), ".json")
