"""What there is to read about a conversation: the last reply and its actions, what was sent, and the turns before."""

from __future__ import annotations

from collections.abc import Iterator

from chartui.core.actions.sequence import SequenceStep, read_sequence, remark
from chartui.core.fields import Access, Entry, Group
from chartui.core.spec.errors import ServiceError
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.actions.state import Exchange, Talk

__all__ = ["report", "steps_of"]


def steps_of(exchange: Exchange) -> tuple[SequenceStep, ...]:
    """The actions of a reply, against what its turn declared."""
    return read_sequence(exchange.reply.action_sequence, exchange.turn.actions, exchange.turn.targets)


def report(talk: Talk, *, answers: str) -> tuple[Group, ...]:
    """The groups about a conversation, what is newest first; ``answers`` says who does."""
    groups = []
    if talk.error is not None and talk.waiting is None:
        groups.append(_refusal(talk.error))
    if talk.exchanges:
        *earlier, last = talk.exchanges
        old = talk.waiting is not None or talk.error is not None
        groups += _last(last, len(talk.exchanges), answers, old=old)
        groups += [_before(e, number, last.reply.session_id) for number, e in reversed(list(enumerate(earlier, 1)))]
        groups += _on_the_wire(last)
    return tuple(groups)


def _refusal(error: ServiceError) -> Group:
    title = "Not sent" if error.sent == "no" else "No answer" if error.sent == "unclear" else "Refused"
    return Group(
        f"{GLYPHS.danger} {title}",
        (
            Entry("Why", "", error.message, access=Access.WRITE_ONLY),
            Entry("Kept", "", "Text and scene are as you wrote them."),
        ),
    )


def _last(exchange: Exchange, number: int, answers: str, *, old: bool) -> list[Group]:
    turn, reply = exchange
    words = [Entry("You", "userText", turn.text), *_words(exchange)]
    return [
        Group(
            f"Turn {number}" + (", the last that was answered" if old else ""),
            (
                *words,
                Entry("Answered by", "", answers),
                Entry("Session", "sessionID", reply.session_id or "none given", said=bool(reply.session_id)),
            ),
        ),
        Group("Actions", tuple(_steps(exchange))),
    ]


def _on_the_wire(exchange: Exchange) -> list[Group]:
    """The sequence as it came, and the turn as the fields of a form, which is how it was sent."""
    turn, reply = exchange
    return [
        Group("As it came", (_text("actionSequence", reply.action_sequence),)),
        Group("As it was sent", tuple(_text(name, text) for name, text in turn.form().items())),
    ]


def _text(name: str, text: str) -> Entry:
    return Entry(name, name, text or "empty", said=bool(text))


def _words(exchange: Exchange) -> Iterator[Entry]:
    """What was answered; two members hold it, mostly alike (decision 60)."""
    reply = exchange.reply
    yield Entry(
        "Reply", "response", reply.response or reply.text or "no words", said=bool(reply.response or reply.text)
    )
    if reply.text and reply.response and reply.text != reply.response:
        yield Entry("Text", "text", reply.text)


def _steps(exchange: Exchange) -> Iterator[Entry]:
    steps = steps_of(exchange)
    for number, step in enumerate(steps, 1):
        if step.understood:
            yield Entry(str(number), "", _said(step))
        else:
            yield Entry(str(number), "", f"{GLYPHS.warning} {_said(step)} ({remark(step)})", access=Access.WRITE_ONLY)
    if not steps:
        why = "none" if exchange.turn.multistep else "none: the turn asked for words only"
        yield Entry(GLYPHS.to, "", why, said=False)


def _said(step: SequenceStep) -> str:
    if step.action is None:
        return step.line
    return step.action if step.target is None else f"{step.action} {GLYPHS.to} {step.target}"


def _before(exchange: Exchange, number: int, session_id: str) -> Group:
    steps = ", ".join(map(_said, steps_of(exchange)))
    actions = Entry("Actions", "", steps or "none", said=bool(steps))
    title = f"Turn {number}" if exchange.reply.session_id == session_id else f"Turn {number}, in another session"
    return Group(title, (Entry("You", "userText", exchange.turn.text), *_words(exchange), actions))
