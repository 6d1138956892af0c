"""``chartui act``: say something to a character, and read what it answers and does (C 4.14)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask
from chartui.cli.values import Values

if TYPE_CHECKING:
    from chartui.core.actions.turn import Turn
    from chartui.core.session import Session
    from chartui.core.spec.models.actions import ActionReply

__all__ = ["configure"]

_EPILOG: Final = """\
example:
  chartui act ID 'Mira picks up the key, then opens the door.' \\
      --actions 'Picks Up,Opens,Waits' --objects 'Key=small, of brass' \\
      --objects 'Door=leads to the yard' --characters 'Mira=an apprentice smith'

Each action is one of --actions, done with one of --objects or --characters. A
turn changes no setting, but costs credits where a service counts them; under
--read-only it is refused.
"""


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.set_defaults(handler=act)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add = parser.add_argument
    add("character_id", metavar="ID", help="the character's id")
    add("text", metavar="TEXT", help="what is said to it; - reads standard input")
    several: dict[str, Any] = {"action": "extend", "default": [], "type": _words}
    add("--actions", metavar="WORD[,WORD…]", help="what it can do; may be repeated", **several)
    pair: dict[str, Any] = {"action": "append", "default": [], "type": _pair}
    add("--objects", metavar="NAME=DESCRIPTION", help="an object; repeat it for each", **pair)
    add("--characters", metavar="NAME=BIO", help="somebody in the scene; repeat it for each", **pair)
    add(
        "--multistep",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="ask for a sequence of actions (without: for words only)",
    )
    add("--session", metavar="ID", help="go on with an earlier conversation, by the session of its reply")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _pair(text: str) -> tuple[str, str]:
    name, _, rest = text.partition("=")
    if not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} has no name; write NAME=DESCRIPTION")
    return name.strip(), rest.strip()


def act(arguments: Arguments, output: Output) -> int:
    """Send one turn and write the reply; with ``--json`` as the service worded it."""
    from chartui.core.actions.deprecation import WHOLE

    turn = _turn(arguments)

    async def question(session: Session) -> ActionReply:
        return await session.service.respond(turn)

    reply = ask(arguments, question)
    output.note(WHOLE)
    if output.as_json:
        output.json(reply.raw)
    else:
        _write(turn, reply, output)
    return Exit.DONE


def _turn(arguments: Arguments) -> Turn:
    """The turn that the words describe; raises :class:`UsageError` for what the service could not take."""
    from chartui.core.actions.turn import NEW_SESSION, Turn, faults
    from chartui.core.spec.models.actions import Person, Thing

    turn = Turn(
        character_id=arguments.character_id,
        # Only this one: people begin what they say with an @.
        text=Values().text("TEXT", "-") if arguments.text == "-" else arguments.text,
        actions=tuple(arguments.actions),
        objects=tuple(Thing(name=name, description=rest) for name, rest in arguments.objects),
        people=tuple(Person(name=name, bio=rest) for name, rest in arguments.characters),
        multistep=arguments.multistep,
        session_id=arguments.session or NEW_SESSION,
    )
    for _, message in faults(turn.actions, turn.payload()["objects"]):
        raise UsageError(message)
    return turn


def _write(turn: Turn, reply: ActionReply, output: Output) -> None:
    from chartui.core.actions.sequence import read_sequence, remark

    output.text(reply.response or reply.text or "(no words)")
    steps = read_sequence(reply.action_sequence, turn.actions, turn.targets)
    if steps:
        output.text()
        rows = [[str(n), s.action or s.line, s.target or "", remark(s)] for n, s in enumerate(steps, 1)]
        header = ["", "ACTION", "TARGET", *(["REMARK"] if any(row[-1] for row in rows) else [])]
        output.table([row[: len(header)] for row in rows], header=header, right={0})
    output.text()
    output.table([["session", reply.session_id or "–"]])
