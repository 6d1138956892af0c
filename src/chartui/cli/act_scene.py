"""The turn that the words of ``chartui act`` describe: composed, looked over, written down; nothing here is sent."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import Values
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask

if TYPE_CHECKING:
    from chartui.core.actions.lint import Finding
    from chartui.core.actions.turn import Turn
    from chartui.core.jsontext import Wire
    from chartui.core.session import Session

__all__ = ["action_files", "add_scene", "composed", "lint", "sendable", "show_fields"]


def add_scene(parser: Parser) -> None:
    """Add the options that compose a turn."""
    group = parser.add_argument_group("the scene")
    add = group.add_argument
    several: dict[str, Any] = {"action": "extend", "default": [], "type": _words}
    add("--actions", metavar="WORD[,WORD…]", help="what it can do; may be repeated", **several)
    pair: dict[str, Any] = {"action": "append", "default": [], "type": _pair}
    add("--objects", metavar="NAME=DESCRIPTION", help="an object; repeat it for each", **pair)
    add("--characters", metavar="NAME=BIO", help="somebody in the scene; repeat it for each", **pair)
    scene = group.add_mutually_exclusive_group()
    scene.add_argument(
        "--scene", metavar="FILE", type=Path, help="a scene file; the other options add to what it holds"
    )
    scene.add_argument("--draft", action="store_true", help="the same with what was composed on the actions screen")
    add(
        "--multistep",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="ask for a sequence of actions (without: for words only)",
    )
    add("--fix", action="store_true", help="put right first what --lint finds and can be put right in one way")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _pair(text: str) -> tuple[str, str]:
    name, _, rest = text.partition("=")
    if not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} has no name; write NAME=DESCRIPTION")
    return name.strip(), rest.strip()


@contextmanager
def action_files() -> Iterator[None]:
    """Turns a file of a scene or of recorded turns that cannot be used into a :class:`UsageError`."""
    from chartui.core.actions.scene_file import ActionFileError

    try:
        yield
    except ActionFileError as error:
        raise UsageError.of(error, code="usage") from None


def composed(arguments: Arguments, output: Output) -> Turn:
    """The turn that the words describe, whether or not it can be sent; raises :class:`UsageError`."""
    from chartui.core.actions.lint import fix_all
    from chartui.core.actions.scene_file import read_scene
    from chartui.core.actions.turn import NEW_SESSION, Turn
    from chartui.core.spec.models.actions import Person, Thing

    turn = Turn(character_id="")
    if arguments.scene is not None:
        with action_files():
            turn = read_scene(arguments.scene)
    elif arguments.draft:
        turn = _draft(arguments)
    turn = replace(
        turn,
        character_id=arguments.character_id or "",
        text=turn.text if arguments.text is None else _text(arguments.text),
        actions=(*turn.actions, *arguments.actions),
        objects=(*turn.objects, *(Thing(name=name, description=rest) for name, rest in arguments.objects)),
        people=(*turn.people, *(Person(name=name, bio=rest) for name, rest in arguments.characters)),
        multistep=turn.multistep if arguments.multistep is None else arguments.multistep,
        session_id=arguments.session or NEW_SESSION,
    )
    if arguments.fix:
        turn, done = fix_all(turn, partial(_findings, backstory=None))
        for words in done:
            output.note(f"put right: {words}")
    return turn


def _draft(arguments: Arguments) -> Turn:
    """What was composed for the character on the screen; raises :class:`UsageError` where nothing was."""
    from chartui.core.actions.turn import SCENE_PART, Turn

    if not arguments.character_id:
        raise UsageError("--draft is of a character: name it by its ID")

    async def question(session: Session) -> Turn | None:
        draft = await session.drafts.load(session.profile.place, arguments.character_id, SCENE_PART)
        return Turn.from_payload(draft.document) if draft else None

    try:
        turn = ask(arguments, question)
    except ValueError as error:
        raise UsageError(f"what was composed cannot be read: {error}") from None
    if turn is None:
        raise UsageError(
            "there is no draft: on the Actions screen, the scene of this character was not changed. "
            "To use the scene shown there, save it to a file and pass that with --scene"
        )
    return turn


def _text(given: str) -> str:
    # Only this one: people begin what they say with an @.
    return Values().text("TEXT", "-") if given == "-" else given


def sendable(turn: Turn) -> Turn:
    """The turn; raises :class:`UsageError` for what the service could not take."""
    from chartui.core.actions.turn import faults

    if not turn.character_id:
        raise UsageError("which character? Name it by its ID")
    for _, message in faults(turn.actions, turn.payload()["objects"]):
        raise UsageError(message)
    return turn


def show_fields(turn: Turn, output: Output) -> int:
    """Write the fields of the form as they would be sent."""
    form = sendable(turn).form()
    if output.as_json:
        output.json(form)
    else:
        output.fields(list(form.items()))
    return Exit.DONE


# -- looking it over --------------------------------------------------------------------------------------------------


def _findings(turn: Turn, *, backstory: str | None) -> Sequence[Finding]:
    from chartui.core.actions import lint

    return lint.lint(turn, backstory=backstory)


def lint(turn: Turn, arguments: Arguments, output: Output) -> int:
    """Write what is found in a turn; status 1 when it holds what the service refuses.

    With a character, its backstory is held against the scene, where it is known.
    """
    from chartui.core.lint import Severity

    backstory = _backstory(arguments) if arguments.character_id else None
    found = _findings(turn, backstory=backstory)
    if output.as_json:
        output.json({"findings": [_facts(finding) for finding in found], "backstory": backstory is not None})
    else:
        _write(turn, found, output)
        if backstory is None:
            why = "is not known here" if arguments.character_id else "was not looked at, since no character is named"
            output.note(f"the backstory {why}")
    return Exit.NO if any(finding.rule.severity is Severity.ERROR for finding in found) else Exit.DONE


def _backstory(arguments: Arguments) -> str | None:
    from chartui.core.character import backstory_of

    async def question(session: Session) -> str | None:
        return await backstory_of(session.service, session.journal, session.profile.place, arguments.character_id)

    return ask(arguments, question)


def _facts(finding: Finding) -> Wire:
    return {
        "rule": finding.rule.id,
        "severity": finding.rule.severity.value,
        "place": finding.place,
        "message": finding.message,
        "why": finding.rule.why,
        "fix": finding.fix.words if finding.fix else None,
    }


_HEADER: Final = ["", "RULE", "WHERE", "WHAT", "PUT RIGHT"]


def _write(turn: Turn, found: Sequence[Finding], output: Output) -> None:
    from chartui.core.actions.lint import in_words
    from chartui.core.lint import in_numbers

    if not found:
        output.note("nothing was found")
        return
    rows = [[f.rule.severity.value, f.rule.id, f.place, in_words(turn, f), f.fix.words if f.fix else ""] for f in found]
    columns = len(_HEADER) if any(row[-1] for row in rows) else len(_HEADER) - 1
    output.table([row[:columns] for row in rows], header=_HEADER[:columns])
    output.text()
    output.text(in_numbers(f.rule for f in found))
