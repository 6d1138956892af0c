"""``chartui act``: say something to a character, and read what it answers and does (C 4.14)."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.cli.act_replay import add_replay, record_turn, recorded_so_far, replay
from chartui.cli.act_scene import add_scene, composed, lint, sendable, show_fields
from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import add_force, write_text
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask

if TYPE_CHECKING:
    from chartui.core.actions.turn import Turn
    from chartui.core.session import Session
    from chartui.core.spec.models.actions import ActionReply

__all__ = ["configure"]

_EPILOG: Final = """\
examples:
  chartui act ID 'Mira picks up the key, then opens the door.' \\
      --actions 'Picks Up,Opens,Waits' --objects 'Key=small, of brass' \\
      --objects 'Door=leads to the yard' --characters 'Mira=an apprentice smith'
  chartui act ID --scene forge.toml --lint
  chartui act ID --scene forge.toml --record forge-replay.toml
  chartui act --replay forge-replay.toml --scene forge.toml

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
    add("character_id", metavar="ID", nargs="?", help="the character's id")
    add("text", metavar="TEXT", nargs="?", help="what is said to it; - reads standard input; else that of the scene")
    add("--session", metavar="ID", help="go on with an earlier conversation, by the session of its reply")
    add_scene(parser)
    group = parser.add_argument_group("instead of sending it")
    group.add_argument("--lint", action="store_true", help="look the scene over; status 1 when it would be refused")
    group.add_argument("--fields", action="store_true", help="write the fields of the form as they would be sent")
    group.add_argument("--save-scene", metavar="FILE", type=Path, help="write what is composed as a scene file")
    add_force(group, "let --save-scene overwrite a file")
    add_replay(parser)


def act(arguments: Arguments, output: Output) -> int:
    """Send one turn and write the reply, with ``--json`` as the service worded it; or do what was asked for instead."""
    instead = [o for o in ("lint", "fields", "save_scene", "replay") if getattr(arguments, o) not in (None, False)]
    if len(instead) > 1:
        raise UsageError(f"{_option(instead[0])} and {_option(instead[1])} are two things; ask for one at a time")
    match instead:
        case ["replay"]:
            return _replay(arguments, output)
        case ["lint"]:
            return lint(composed(arguments, output), arguments, output)
        case ["fields"]:
            return show_fields(composed(arguments, output), output)
        case ["save_scene"]:
            return _save(composed(arguments, output), arguments, output)
        case _:
            return _send(arguments, output)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _replay(arguments: Arguments, output: Output) -> int:
    for name in ("text", "session", "multistep"):
        if getattr(arguments, name) is not None:
            what = "TEXT" if name == "text" else _option(name)
            raise UsageError(f"--replay sends the turns of its file; {what} is for a new turn")
    return replay(arguments, output)


def _save(turn: Turn, arguments: Arguments, output: Output) -> int:
    from chartui.core.actions.scene_file import scene_toml

    path: Path = arguments.save_scene
    try:
        text = scene_toml(turn)
    except ValueError as error:
        raise UsageError(str(error)) from None
    write_text(path, text, replace=arguments.force)
    if output.as_json:
        output.json({"file": str(path)})
    output.note(f"the scene is written to {path}")
    return Exit.DONE


def _send(arguments: Arguments, output: Output) -> int:
    from chartui.core.actions.turn import DEPRECATION

    turn = sendable(composed(arguments, output))
    if not turn.text.strip():
        raise UsageError("nothing is said: give TEXT, or a --scene that has one")
    made = None if arguments.record is None else recorded_so_far(arguments.record, turn)

    async def question(session: Session) -> ActionReply:
        return await session.service.respond(turn)

    reply = ask(arguments, question)
    output.note(DEPRECATION)
    from chartui.core.actions.reply import as_it_came, has_members

    if output.as_json:
        output.json(as_it_came(reply))
    else:
        _write(turn, reply, output)
    if not has_members(reply):
        output.warn("Nothing of the reply could be read. The turn may have been billed.")
        return Exit.REFUSED
    return Exit.DONE if made is None else record_turn(arguments.record, made, turn, reply, output)


def _write(turn: Turn, reply: ActionReply, output: Output) -> None:
    from chartui.core.actions.reply import is_read, other_parts, read_sequence, remark, unread_parts

    output.text(reply.response or reply.text or "(no words)")
    if reply.response and reply.text and reply.response != reply.text:
        output.text(reply.text)
    steps = read_sequence(reply.action_sequence, turn.actions, turn.targets)
    if steps:
        output.text()
        rows = [[str(n), s.action or s.line, s.target or "", remark(s)] for n, s in enumerate(steps, 1)]
        header = ["", "ACTION", "TARGET", *(["REMARK"] if any(row[-1] for row in rows) else [])]
        output.table([row[: len(header)] for row in rows], header=header, right={0})
    elif not is_read(reply, "actionSequence"):
        output.text()
        output.text("(the actions could not be read)")
    elif "actionSequence" not in reply.raw:
        output.text()
        output.text("(the reply has no actionSequence)")
    output.text()
    output.fields([*other_parts(reply), *unread_parts(reply), ("session", reply.session_id or "–")])
