"""The texts about a conversation: replies with their actions, the turns as sent, and the form of the next turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from textual.app import App

from chartui.core.actions.replay import recording, replay_toml
from chartui.core.actions.reply import Part, SequenceStep, is_read, other_parts, read_sequence, remark, unread_parts
from chartui.core.actions.scene_file import scene_toml
from chartui.core.fields import Access, Entry, Group
from chartui.core.jsontext import dumps
from chartui.core.profiles import Profile
from chartui.core.reproduce import as_curl
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.actions import ActionReply
from chartui.core.spec.operation import BadText
from chartui.core.spec.operations import operation
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import guide, no_characters, retry
from chartui.tui.screens.actions.state import WAITING, ActionsState, Exchange, Talk
from chartui.tui.widgets.screen import Copyable


def _steps_of(exchange: Exchange) -> tuple[SequenceStep, ...]:
    """The actions of a reply, compared with the declarations of its turn."""
    return read_sequence(exchange.reply.action_sequence, exchange.turn.actions, exchange.turn.targets)


def no_turns(app: App[Any], text: str) -> str:
    """``text`` for a conversation without turns, followed by the keys that send the first one."""
    keys = "Press {write-text} to write a line, then {send-turn} to send it."
    return guide(app, text, keys, action="sending turns")


def note(app: App[Any], state: ActionsState, *, locked: str, loading: str) -> str:
    """The sentence above the report, or in its place; ``locked`` says why nothing can be sent.

    ``loading`` is the progress of reading the characters, if that is slow. ``label`` returns the shortcut of a command.
    """
    talk = state.talk
    if talk is None:
        if state.loading and loading:
            return loading
        if state.error is not None:
            return guide(app, f"{GLYPHS.danger} {state.error.message}", retry(state.error))
        return "" if state.loading else state.note or no_characters(app)
    if talk.waiting is not None:
        return f"{WAITING} to “{single_line(talk.waiting.text, limit=60)}”."
    if talk.exchanges or talk.error is not None:
        return ""
    if locked:
        return f"{locked} To allow only turns, set allow_act = true in the profile."
    about = "The reply and its actions appear here. The scene defines what the character can do, and with whom or what."
    return f"{no_turns(app, 'No reply yet.')} {about}"


def copies(talk: Talk | None, profile: Profile) -> Sequence[Copyable]:
    """The texts to copy: the visible exchange, its turn as a request, and scene and turns as files."""
    if talk is None:
        return ()
    found = []
    looked_at = talk.exchanges[(talk.shown or 0) - 1] if talk.exchanges else None
    if looked_at is not None:
        found = [
            Copyable("Reply", looked_at.reply.response or looked_at.reply.text),
            Copyable("Actions", "\n".join(step.line for step in _steps_of(looked_at))),
            Copyable("Session", looked_at.reply.session_id),
        ]
    with suppress(ServiceError):  # an action with a comma cannot be written as a request
        sent = looked_at.turn if looked_at else talk.turn
        curl = as_curl(operation("get-response"), sent.payload(), profile)
        found.append(Copyable("Turn as curl", curl or "", ".sh"))
    with suppress(ValueError):  # a lone surrogate, which no file can hold
        found.append(Copyable("Scene file", scene_toml(talk.turn), ".toml"))
        if talk.exchanges:
            found.append(Copyable("Turns to replay", replay_toml(recording(talk.exchanges)), ".toml"))
    return [copyable for copyable in found if copyable.text]


def report(talk: Talk, *, answers: str) -> tuple[Group, ...]:
    """The groups about a conversation, newest first; ``answers`` names the source of the replies.

    For an earlier turn selected by the user, only that turn.
    """
    groups = []
    if talk.error is not None and talk.waiting is None:
        groups.append(_refusal(talk.error))
    if talk.shown is not None:
        exchange = talk.exchanges[talk.shown - 1]
        groups += _whole(exchange, f"Turn {talk.shown} of {len(talk.exchanges)}", answers) + _on_the_wire(exchange)
    elif talk.exchanges:
        *earlier, last = talk.exchanges
        old = " (last answered)" if talk.waiting is not None or talk.error is not None else ""
        groups += _whole(last, f"Turn {len(talk.exchanges)}{old}", answers)
        groups += [_before(e, number, last.reply.session_id) for number, e in reversed(list(enumerate(earlier, 1)))]
        groups += _on_the_wire(last)
    return tuple(groups)


def to_be_sent(talk: Talk) -> tuple[Group, ...]:
    """The form of a turn: each field as in the body, before encoding (decision 42)."""
    fault, groups = talk.fault(), []
    if fault is not None:
        why = Entry("Why", "", fault.message, access=Access.WRITE_ONLY)
        groups.append(Group(f"{GLYPHS.danger} Cannot be sent", (why,)))
    with suppress(BadText):  # an action with a comma cannot be written as text
        row, form = operation("get-response"), talk.turn.form()
        groups.append(Group(f"{row.method} {row.path}", tuple(_field(name, text) for name, text in form.items())))
    return tuple(groups)


def _refusal(error: ServiceError) -> Group:
    title = "Not sent" if error.sent == "no" else "No reply" if error.sent == "unclear" else "Refused"
    if error.answer:
        title = "Unreadable reply"
    return Group(
        f"{GLYPHS.danger} {title}",
        (
            Entry("Why", "", error.message, access=Access.WRITE_ONLY),
            *([Entry("Answer", "", error.answer)] if error.answer else []),
            Entry("Kept", "", "Your text and scene are unchanged."),
        ),
    )


def _whole(exchange: Exchange, title: str, answers: str) -> list[Group]:
    turn, reply = exchange
    words = [Entry("You", "userText", turn.text), *_words(exchange)]
    session = Entry("Session", "sessionID", reply.session_id or "none given", said=bool(reply.session_id))
    return [
        Group(title, tuple(words)),
        Group("Actions", tuple(_steps(exchange))),
        Group("About the reply", (Entry("Answered by", "", answers), session)),
        *_besides(exchange),
    ]


def _besides(exchange: Exchange) -> Iterator[Group]:
    """Other parts of the answer: undocumented members, and those that could not be read."""
    parts, unread = other_parts(exchange.reply), unread_parts(exchange.reply)
    if parts:
        yield Group("Other fields in the reply", tuple(Entry(part.name, part.name, part.text) for part in parts))
    if unread:
        yield Group(f"{GLYPHS.warning} Problems in the reply", tuple(map(_unread, unread)))


def _unread(part: Part) -> Entry:
    return Entry(part.name, part.name, part.text, access=Access.WRITE_ONLY)


def _on_the_wire(exchange: Exchange) -> list[Group]:
    """The sequence as received, and the turn as the form fields that were sent."""
    turn, reply = exchange
    return [
        Group("As received", (_came(reply, "actionSequence"),)),
        Group("As sent", tuple(_field(name, text) for name, text in turn.form().items())),
    ]


def _field(name: str, text: str) -> Entry:
    return Entry(name, name, text or "empty", said=bool(text))


def _came(reply: ActionReply, name: str) -> Entry:
    if name not in reply.raw:
        return Entry(name, name, "not in the reply", said=False)
    came = reply.raw[name]
    if came is None:
        return Entry(name, name, "null", said=False)
    return _field(name, came if isinstance(came, str) else dumps(came))


def _words(exchange: Exchange) -> Iterator[Entry]:
    """The words of the reply; two members hold them, normally equal (decision 60)."""
    reply = exchange.reply
    none = "no words" if is_read(reply, "response") and is_read(reply, "text") else "could not be read"
    yield Entry("Reply", "response", reply.response or reply.text or none, said=bool(reply.response or reply.text))
    if reply.text and reply.response and reply.text != reply.response:
        yield Entry("Text", "text", reply.text)


def _steps(exchange: Exchange) -> Iterator[Entry]:
    steps = _steps_of(exchange)
    for number, step in enumerate(steps, 1):
        if step.understood:
            yield Entry(str(number), "", _said(step))
        else:
            yield Entry(str(number), "", f"{GLYPHS.warning} {_said(step)} ({remark(step)})", access=Access.WRITE_ONLY)
    if not steps:
        yield Entry(GLYPHS.to, "", _no_steps(exchange), said=False)


def _said(step: SequenceStep) -> str:
    if step.action is None:
        return step.line
    return step.action if step.target is None else f"{step.action} {GLYPHS.to} {step.target}"


def _before(exchange: Exchange, number: int, session_id: str) -> Group:
    steps = steps_in_words(exchange)
    actions = Entry("Actions", "", steps or _no_steps(exchange), said=bool(steps))
    title = f"Turn {number}" if exchange.reply.session_id == session_id else f"Turn {number}, in another session"
    besides = [Entry(part.name, part.name, part.text) for part in other_parts(exchange.reply)]
    besides += map(_unread, unread_parts(exchange.reply))
    return Group(title, (Entry("You", "userText", exchange.turn.text), *_words(exchange), actions, *besides))


def _no_steps(exchange: Exchange) -> str:
    if not is_read(exchange.reply, "actionSequence"):
        return "could not be read"
    return "none" if exchange.turn.multistep else "none (the turn requested only words)"


def steps_in_words(exchange: Exchange) -> str:
    """The actions of a reply in one line; empty for none."""
    return ", ".join(map(_said, _steps_of(exchange)))
