"""Recording turns, and replaying them to see whether their sequences are the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from chartui.cli.act_scene import action_files, composed, sendable
from chartui.cli.errors import Exit, UsageError, failure_of
from chartui.cli.files import write_text, writing_to
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.actions.replay import Replay, Replayed
    from chartui.core.actions.turn import Turn
    from chartui.core.jsontext import Wire
    from chartui.core.session import Session
    from chartui.core.spec.models.actions import ActionReply

__all__ = ["add_replay", "record_turn", "recorded_so_far", "replay"]


def add_replay(parser: Parser) -> None:
    """Add the options."""
    group = parser.add_argument_group("regression files")
    add = group.add_argument
    add("--record", metavar="FILE", type=Path, help="add the turn and its sequence to a file, for --replay")
    add(
        "--replay",
        metavar="FILE",
        type=Path,
        help="replay recorded turns, in the scene given or else the recorded one; status 1 when a sequence changed",
    )


def recorded_so_far(path: Path, turn: Turn) -> Replay:
    """What a file holds, of which the turn is about to be one; raises :class:`UsageError` before anything is sent."""
    from chartui.core.actions.replay import Replay, read_replay
    from chartui.core.paths import check_output

    with action_files(), writing_to(path):
        check_output(path, replace=True)
        made = read_replay(path) or Replay()
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}")
    if made.character_id and made.character_id != turn.character_id:
        raise UsageError(f"{path} is of the character {made.character_id}; record {turn.character_id} elsewhere")
    if made.after(turn.session_id) is None:
        raise UsageError(f"{path} does not hold the beginning of the conversation '{turn.session_id}'")
    return made


def record_turn(path: Path, so_far: Replay, turn: Turn, reply: ActionReply, output: Output) -> int:
    """Add a turn to a recording."""
    return _write_record(path, lambda: so_far.having(turn, reply), output)


def _write_record(path: Path, recording: Callable[[], Replay], output: Output) -> int:
    """Write a recording over the file; what was answered is not lost when that cannot be done."""
    from chartui.core.actions.replay import replay_toml

    try:
        made = recording()
        write_text(path, replay_toml(made), replace=path.exists())
    except (OSError, UsageError, ValueError) as error:
        failure = failure_of(error if isinstance(error, OSError) else UsageError(str(error), code="output"))
        output.fail(replace(failure, message=f"sent, and not recorded: {failure.message}"))
        return failure.exit
    turns = "1 turn" if len(made.turns) == 1 else f"{len(made.turns)} turns"
    output.note(f"{path} holds {turns}")
    return Exit.DONE


def replay(arguments: Arguments, output: Output) -> int:
    """Replay the turns of a file and write what changed; with ``--record`` a file of what came.

    The scene is the one that the words compose, where they name any of it; else the one each turn was recorded with.
    """
    from chartui.core.actions.replay import again, read_replay
    from chartui.core.actions.replay import replay as send_again

    path: Path = arguments.replay
    with action_files():
        made = read_replay(path)
    if made is None:
        raise UsageError(f"{path}: there is no such file")
    character_id = arguments.character_id or made.character_id
    if not character_id:
        raise UsageError(f"{path} names no character: name it by its ID")
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
        output.json({"scene": "recorded" if scene is None else "present", **_facts(character_id, done)})
    else:
        _write(done, output)
    if failed is not None:
        # The turns before may have been billed, and are written all the same.
        failure = failure_of(failed)
        output.fail(replace(failure, message=f"stopped after {len(done)} of {len(made.turns)} turns: {failed.message}"))
        return failure.exit
    status = Exit.DONE if all(one.same for one in done) else Exit.NO
    if arguments.record is not None:
        return _write_record(arguments.record, lambda: again(made, done), output) or status
    return status


def _present_scene(arguments: Arguments, character_id: str, output: Output) -> Turn | None:
    """The scene that the words compose, None where they name none; says which is replayed."""
    if not any((arguments.scene, arguments.draft, arguments.actions, arguments.objects, arguments.characters)):
        if arguments.fix:
            raise UsageError("--fix mends a scene: give one with --scene, --draft or --actions")
        output.note(
            "each turn has the scene it was recorded with; --scene FILE or --draft replays it in the present scene"
        )
        return None
    scene = sendable(composed(Arguments(**{**vars(arguments), "character_id": character_id}), output))
    output.note("each turn has the scene given here, and not the recorded one")
    return scene


def _facts(character_id: str, done: list[Replayed]) -> dict[str, Wire]:
    from chartui.core.actions.reply import as_it_came

    return {
        "character": character_id,
        "same": all(one.same for one in done),
        "turns": [
            {
                "turn": one.number,
                "text": one.recorded.turn.text,
                "same": one.same,
                "expected": list(one.recorded.expected),
                "sequence": list(one.came),
                "scene_changes": list(one.scene_changes),
                "changes": [
                    {"step": change.step, "expected": change.expected, "sequence": change.came}
                    for change in one.changes
                ],
                "reply": as_it_came(one.reply),
            }
            for one in done
        ],
    }


def _write(done: list[Replayed], output: Output) -> None:
    rows = []
    for one in done:
        said = [str(change) for change in one.changes] or [
            "the sequence could not be read" if one.unread else _the_same(len(one.came))
        ]
        said += [f"scene: {single_line(change)}" for change in one.scene_changes]
        rows.append([str(one.number), single_line(one.recorded.turn.text, limit=50), said[0]])
        rows += [["", "", more] for more in said[1:]]
    output.table(rows, header=["", "SAID", "SEQUENCE"], right={0})
    changed, unread = sum(bool(one.changes) for one in done), sum(one.unread for one in done)
    output.text()
    if unread:
        output.text(f"{unread} of {len(done)} sequences could not be read")
    if changed or not unread:
        output.text(f"{changed} of {len(done)} sequences changed" if changed else "every sequence is the same")


def _outcome(one: Replayed) -> str:
    if one.unread:
        return "a sequence that could not be read"
    return "the same" if one.same else "another sequence"


def _the_same(steps: int) -> str:
    if not steps:
        return "the same: no steps"
    return "the same step" if steps == 1 else f"the same {steps} steps"
