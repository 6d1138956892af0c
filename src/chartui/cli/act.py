"""``chartui act``: send a line to a character and show its reply and actions (C 4.14)."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chartui.cli.errors import Exit, UsageError, failure_of
from chartui.cli.files import Values, write_text, writing_to
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser, option_name
from chartui.cli.sessions import ask, resolve_names
from chartui.core.actions.lint import Finding, fix_all, in_words, lint
from chartui.core.actions.replay import Replay, Replayed, again, read_replay, replay_toml
from chartui.core.actions.replay import replay as send_again
from chartui.core.actions.reply import (
    as_it_came,
    has_members,
    is_read,
    other_parts,
    read_sequence,
    remark,
    unread_parts,
)
from chartui.core.actions.scene_file import ActionFileError, read_scene, scene_toml
from chartui.core.actions.turn import DEPRECATION as WHOLE
from chartui.core.actions.turn import NEW_SESSION, SCENE_PART, Turn, faults
from chartui.core.character import backstory_of
from chartui.core.classes import NamedTuple
from chartui.core.lint import Severity, in_numbers
from chartui.core.numbers import number_of
from chartui.core.paths import check_output
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.actions import ActionReply, Person, Thing
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.estimation.character_cost import CharacterCost
    from chartui.core.jsontext import Wire
    from chartui.core.session import Session


_EPILOG: Final = """\
examples:
  chartui act ID 'Mira picks up the key, then opens the door.' \\
      --actions 'Picks Up,Opens,Waits' --objects 'Key=small, made of brass' \\
      --objects 'Door=leads to the yard' --characters 'Mira=an apprentice smith'
  chartui act ID --scene forge.toml --lint
  chartui act ID --scene forge.toml --record forge-replay.toml
  chartui act --replay forge-replay.toml --scene forge.toml

Each step of a reply applies one of --actions to one of --objects or
--characters. A turn changes no settings, but may cost credits on a service.
With --read-only, turns are refused.
"""


def configure_act(parser: Parser) -> None:
    parser.epilog = _EPILOG
    parser.option("character_id", "CHARACTER", "the character's name or ID", nargs="?")
    parser.option("text", "TEXT", "line to say, or - for standard input (default: the line in the scene)", nargs="?")
    parser.option("--session", "ID", "session ID from an earlier reply, used to continue its conversation")
    parser.flag("--cost", "estimate the cost of the turn (reads the character's record)")
    _add_scene(parser)
    group = parser.add_argument_group("without sending the turn")
    group.flag("--lint", "check the scene; exit 1 if the service would reject it")
    group.flag("--fields", "print the form fields that would be sent")
    group.option("--save-scene", "FILE", "save the scene to a file")
    group.flag("--force", "let --save-scene overwrite an existing file")
    group = parser.add_argument_group("recording and replaying turns")
    group.option("--record", "FILE", "record the turn and its sequence of actions in a file for --replay")
    group.option(
        "--replay",
        "FILE",
        "replay the recorded turns (default: with their recorded scenes); exit 1 if a sequence of actions has changed",
    )


def act(arguments: Arguments, output: Output) -> int:
    instead = [o for o in ("lint", "fields", "save_scene", "replay") if getattr(arguments, o) not in (None, False)]
    if len(instead) > 1:
        raise UsageError(f"{option_name(instead[0])} and {option_name(instead[1])} cannot be combined")
    if arguments.replay is not None:
        return _replay(arguments, output)
    turn = _composed(arguments, output)
    match instead:
        case ["lint"]:
            return _lint(turn, arguments, output)
        case ["fields"]:
            form = _named(_sendable(turn), arguments).form()
            if output.as_json:
                output.json(form)
            else:
                output.fields(list(form.items()))
        case ["save_scene"]:
            _save(turn, arguments, output)
        case _:
            return _send(turn, arguments, output)
    return Exit.DONE


def _save(turn: Turn, arguments: Arguments, output: Output) -> None:
    path: Path = arguments.save_scene
    try:
        text = scene_toml(turn)
    except ValueError as error:
        raise UsageError(str(error)) from None
    write_text(path, text, replace=arguments.force)
    output.report({"file": str(path)}, f"scene saved to {path}")


def _send(turn: Turn, arguments: Arguments, output: Output) -> int:
    turn = _sendable(turn)
    if not turn.text.strip():
        raise UsageError("nothing to send: give TEXT, or a scene that contains a line")
    turn = _named(turn, arguments)
    made = None if arguments.record is None else _recorded_so_far(arguments.record, turn)

    async def question(session: Session) -> tuple[ActionReply, _TurnCost | None]:
        # The cost comes first, so that no failure to compute it can lose a reply, which may have been billed.
        cost = await _cost(session, turn) if arguments.cost else None
        return await session.service.respond(turn), cost

    reply, cost = ask(arguments, question)
    output.note(WHOLE)

    if output.as_json:
        came = as_it_came(reply)
        output.json(came if cost is None else {"reply": came, "cost": cost.as_wire()})
    else:
        _write_reply(turn, reply, cost, output)
    if not has_members(reply):
        output.warn("The reply could not be read. The turn may have been billed.")
        return Exit.REFUSED
    return Exit.DONE if made is None else _record(arguments.record, lambda: made.having(turn, reply), output)


class _TurnCost(NamedTuple):
    """The estimated cost of a turn. ``found`` is None if the rates or the character are unknown."""

    found: CharacterCost | None
    billed: bool

    def as_wire(self) -> Wire:
        from chartui.core.estimation.prompt import tokens_as_wire

        span, tokens = (self.found.credits, self.found.tokens) if self.found is not None else (None, None)
        return {
            "estimated": True,
            "billed": self.billed,
            "credits": span._asdict() if span is not None else None,
            "at_least": self.found is not None and self.found.at_least,
            "input_tokens": tokens_as_wire(tokens) if tokens is not None else None,
        }

    def text(self) -> str:
        from chartui.core.estimation.character_cost import turn_in_short

        amount = turn_in_short(self.found)
        said = f"{amount} credits" if amount else "unknown"
        return said if self.billed else f"free with the local planner, {said} on a service"


async def _cost(session: Session, turn: Turn) -> _TurnCost:
    from chartui.core.costs import basis_for, turn_cost

    service, found = session.service, None
    with suppress(ServiceError):
        if (record := await service.character(turn.character_id)) is not None:
            found = await turn_cost(session, turn, record.raw, await basis_for(session))
    return _TurnCost(found, billed=not service.embedded)


def _write_reply(turn: Turn, reply: ActionReply, cost: _TurnCost | None, output: Output) -> None:
    output.sentence(reply.response or reply.text or "(no spoken words)")
    if reply.response and reply.text and reply.response != reply.text:
        output.sentence(reply.text)
    output.text()
    if steps := read_sequence(reply.action_sequence, turn.actions, turn.targets):
        rows = [[str(n), s.action or s.line, s.target or "", remark(s)] for n, s in enumerate(steps, 1)]
        header = ["", "ACTION", "TARGET", *(["REMARK"] if any(row[-1] for row in rows) else [])]
        output.table([row[: len(header)] for row in rows], header=header, right={0})
        output.text()
    elif not is_read(reply, "actionSequence"):
        output.text("(the actions could not be read)\n")
    elif "actionSequence" not in reply.raw:
        output.text("(the reply has no actionSequence)\n")
    fields = [*other_parts(reply), *unread_parts(reply), ("session", reply.session_id or "–")]
    output.fields(fields if cost is None else [*fields, ("cost", cost.text())])


# -- the scene --------------------------------------------------------------------------------------------------------


def _add_scene(parser: Parser) -> None:
    group = parser.add_argument_group("the scene")
    several: dict[str, Any] = {"action": "extend", "default": [], "type": _words}
    group.option("--actions", "WORD[,WORD…]", "action the character can take; may be repeated", **several)
    pair: dict[str, Any] = {"action": "append", "default": [], "type": _pair}
    group.option("--objects", "NAME=DESCRIPTION", "object in the scene; may be repeated", **pair)
    group.option("--characters", "NAME=BIO", "another character in the scene; may be repeated", **pair)
    scene = group.add_mutually_exclusive_group()
    scene.option("--scene", "FILE", "scene file; --actions, --objects and --characters add to it")
    scene.flag("--draft", "use the scene composed on the Actions screen")
    group.switch("--multistep", "request a sequence of actions, or words only (default: as in the scene)")
    group.flag("--fix", "first apply the safe fixes listed by --lint")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _pair(text: str) -> tuple[str, str]:
    name, _, rest = text.partition("=")
    if not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} has no name; write NAME=DESCRIPTION")
    return name.strip(), rest.strip()


@contextmanager
def _action_files() -> Iterator[None]:
    """Turn the error of an unusable scene or replay file into a :class:`UsageError`."""
    try:
        yield
    except ActionFileError as error:
        raise UsageError.of(error, code="usage") from None


def _composed(arguments: Arguments, output: Output) -> Turn:
    turn = Turn(character_id="")
    if arguments.scene is not None:
        with _action_files():
            turn = read_scene(arguments.scene)
    elif arguments.draft:
        turn = _draft(arguments)
    # No @FILE here: a spoken line may start with @.
    line = Values().text("TEXT", "-") if arguments.text == "-" else arguments.text
    turn = replace(
        turn,
        character_id=arguments.character_id or "",
        text=turn.text if line is None else line,
        actions=(*turn.actions, *arguments.actions),
        objects=(*turn.objects, *(Thing(name=name, description=rest) for name, rest in arguments.objects)),
        people=(*turn.people, *(Person(name=name, bio=rest) for name, rest in arguments.characters)),
        multistep=turn.multistep if arguments.multistep is None else arguments.multistep,
        session_id=arguments.session or NEW_SESSION,
    )
    if arguments.fix:
        turn, done = fix_all(turn, partial(lint, backstory=None))
        for words in done:
            output.note(f"fixed: {words}")
    return turn


def _draft(arguments: Arguments) -> Turn:
    if not arguments.character_id:
        raise UsageError("--draft needs a character; give a name or ID")

    async def question(session: Session) -> Turn | None:
        draft = await session.drafts.load(session.profile.place, arguments.character_id, SCENE_PART)
        return Turn.from_payload(draft.document) if draft else None

    try:
        turn = ask(arguments, question)
    except ValueError as error:
        raise UsageError(f"the scene on the Actions screen cannot be read: {error}") from None
    if turn is None:
        raise UsageError(
            "no draft: this character's scene has not been edited on the Actions screen. To use the scene "
            "shown there, save it to a file and pass the file with --scene"
        )
    return turn


def _sendable(turn: Turn) -> Turn:
    if not turn.character_id:
        raise UsageError("which character? Give a name or ID")
    for _, message in faults(turn.actions, turn.payload()["objects"]):
        raise UsageError(message)
    return turn


def _named(turn: Turn, arguments: Arguments) -> Turn:
    resolve_names(arguments)
    return replace(turn, character_id=arguments.character_id)


def _lint(turn: Turn, arguments: Arguments, output: Output) -> int:
    who: str = arguments.character_id
    backstory = None
    if who:
        backstory = ask(
            arguments, lambda s: backstory_of(s.service, s.journal, s.profile.place, arguments.character_id)
        )
    found = lint(turn, backstory=backstory)
    if output.as_json:
        output.json(
            {"findings": [_finding_facts(finding) for finding in found], "backstory_checked": backstory is not None}
        )
    else:
        _write_findings(turn, found, output)
        if backstory is None:
            why = "the current value is unknown" if who else "no character was given"
            output.note(f"the backstory was not checked because {why}")
    return Exit.NO if any(finding.rule.severity is Severity.ERROR for finding in found) else Exit.DONE


def _finding_facts(finding: Finding) -> Wire:
    return {
        "rule": finding.rule.id,
        "severity": finding.rule.severity.value,
        "place": finding.place,
        "message": finding.message,
        "reason": finding.rule.why,
        "fix": finding.fix.words if finding.fix else None,
    }


_HEADER: Final = ["", "RULE", "WHERE", "WHAT", "FIX"]


def _write_findings(turn: Turn, found: Sequence[Finding], output: Output) -> None:
    if not found:
        output.note("No problems.")
        return
    rows = [[f.rule.severity.value, f.rule.id, f.place, in_words(turn, f), f.fix.words if f.fix else ""] for f in found]
    columns = len(_HEADER) if any(row[-1] for row in rows) else len(_HEADER) - 1
    output.table([row[:columns] for row in rows], header=_HEADER[:columns])
    output.text()
    output.text(in_numbers(f.rule for f in found))


def _recorded_so_far(path: Path, turn: Turn) -> Replay:
    with _action_files(), writing_to(path):
        check_output(path, replace=True)
        made = read_replay(path) or Replay()
    if not path.parent.is_dir():
        raise UsageError(f"folder {path.parent} does not exist")
    if made.character_id and made.character_id != turn.character_id:
        raise UsageError(
            f"{path} belongs to character {made.character_id}; record the turns of {turn.character_id} in another file"
        )
    if made.after(turn.session_id) is None:
        raise UsageError(f"{path} does not contain the start of conversation '{turn.session_id}'")
    return made


def _record(path: Path, recording: Callable[[], Replay], output: Output) -> int:
    """Write a recording to its file. If that fails, the replies already shown are not lost."""
    try:
        made = recording()
        write_text(path, replay_toml(made), replace=path.exists())
    except (OSError, UsageError, ValueError) as error:
        failure = failure_of(error if isinstance(error, OSError) else UsageError(str(error), code="output"))
        output.fail(failure._replace(message=f"sent, but not recorded: {failure.message}"))
        return failure.exit
    output.note(f"{path} now has {number_of(len(made.turns), 'turn')}")
    return Exit.DONE


def _replay(arguments: Arguments, output: Output) -> int:
    """Replay each turn in the scene given by options or, without one, in its recorded scene."""
    for name in ("text", "session", "multistep"):
        if getattr(arguments, name) is not None:
            what = "TEXT" if name == "text" else option_name(name)
            raise UsageError(f"--replay sends only the turns in the replay file and cannot be combined with {what}")
    path: Path = arguments.replay
    with _action_files():
        made = read_replay(path)
    if made is None:
        raise UsageError(f"{path}: no such file")
    resolve_names(arguments)
    character_id = arguments.character_id or made.character_id
    if not character_id:
        raise UsageError(f"{path} does not name a character: give a name or ID")
    scene = _present_scene(arguments, character_id, output)

    done: list[Replayed] = []

    async def question(session: Session) -> ServiceError | None:
        try:
            async for one in send_again(made, character_id, session.service.respond, scene=scene):
                done.append(one)
                output.note(f"turn {one.number} of {len(made.turns)}: {_outcome(one)}")
        except ServiceError as error:
            return error
        return None

    failed = ask(arguments, question)
    if failed is not None and not done:
        raise failed
    if output.as_json:
        output.json({"scene": "recorded" if scene is None else "given", **_replay_facts(character_id, done)})
    else:
        _write_replay(done, output)
    if failed is not None:
        # Earlier turns may have been billed, so their results are written anyway.
        failure = failure_of(failed)
        output.fail(failure._replace(message=f"stopped after {len(done)} of {len(made.turns)} turns: {failed.message}"))
        return failure.exit
    status = Exit.DONE if all(one.same for one in done) else Exit.NO
    if arguments.record is not None:
        return _record(arguments.record, lambda: again(made, done), output) or status
    return status


def _present_scene(arguments: Arguments, character_id: str, output: Output) -> Turn | None:
    """The scene given by options, or None if there is none. Reports which scene is used."""
    if not any((arguments.scene, arguments.draft, arguments.actions, arguments.objects, arguments.characters)):
        if arguments.fix:
            raise UsageError("--fix needs a scene; give one with --scene, --draft or --actions")
        output.note("each turn is sent with its recorded scene; use --scene FILE or --draft to send a different scene")
        return None
    scene = _sendable(_composed(Arguments(**{**vars(arguments), "character_id": character_id}), output))
    output.note("every turn is sent with the given scene instead of its recorded scene")
    return scene


def _replay_facts(character_id: str, done: list[Replayed]) -> dict[str, Wire]:
    turns = [
        {
            "turn": one.number,
            "text": one.recorded.turn.text,
            "equal": one.same,
            "expected": list(one.recorded.expected),
            "sequence": list(one.came),
            "scene_changes": list(one.scene_changes),
            "changes": [{"step": c.step, "expected": c.expected, "sequence": c.came} for c in one.changes],
            "reply": as_it_came(one.reply),
        }
        for one in done
    ]
    return {"character_id": character_id, "equal": all(one.same for one in done), "turns": turns}


def _write_replay(done: list[Replayed], output: Output) -> None:
    rows = []
    for one in done:
        lines = [str(change) for change in one.changes] or [
            "the sequence could not be read" if one.unread else _the_same(len(one.came))
        ]
        lines += [f"scene: {single_line(change)}" for change in one.scene_changes]
        rows.append([str(one.number), single_line(one.recorded.turn.text, limit=50), lines[0]])
        rows += [["", "", more] for more in lines[1:]]
    output.table(rows, header=["", "SAID", "SEQUENCE"], right={0})
    changed, unread = sum(bool(one.changes) for one in done), sum(one.unread for one in done)
    output.text()
    if unread:
        output.text(f"{unread} of {len(done)} sequences could not be read")
    if changed or not unread:
        output.text(f"{changed} of {len(done)} sequences changed" if changed else "no sequences changed")


def _outcome(one: Replayed) -> str:
    if one.unread:
        return "unreadable sequence"
    return "same sequence" if one.same else "different sequence"


def _the_same(steps: int) -> str:
    return f"unchanged: {number_of(steps, 'step') if steps else 'no steps'}"
