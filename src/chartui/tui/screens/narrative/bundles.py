"""Bundles on the narrative screen: pull a whole character into a file, compare it with one, push one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import ClassVar, Final

from chartui.core.bundle.costs import diff_effects, push_with_costs
from chartui.core.bundle.difference import Difference, Verdict, difference_lines
from chartui.core.bundle.files import (
    NOT_TOML,
    check_name,
    earlier_bundle,
    folder_advice,
    is_folder,
    load,
    remember,
    write_bundle,
)
from chartui.core.bundle.merge import wanted
from chartui.core.bundle.model import Bundle, key_of
from chartui.core.bundle.present import matching, present_of, pull
from chartui.core.bundle.push import Pushed, PushPlan, push_plan, pushed, watched
from chartui.core.bundle.reader import BundleError
from chartui.core.narrative.story import Story
from chartui.core.narrative.story_import import Joining
from chartui.core.paths import file_stem
from chartui.core.plans.executor import Progress
from chartui.core.plans.plan import CostEffect
from chartui.core.plans.reads import Reads
from chartui.core.plans.review import effect_lines
from chartui.core.spec.errors import ServiceError
from chartui.core.text import display_text, single_line
from chartui.tui.numbers import number_of
from chartui.tui.run_plan import carry_out, reads_for
from chartui.tui.screens.estimator.character import basis_of
from chartui.tui.screens.narrative.state import Desk
from chartui.tui.shell.files import OpenFile
from chartui.tui.wait import Work, waiting
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.questions import AskLine, Confirm, Hint
from chartui.tui.widgets.text import Piece, PieceRow, Role, rows_of, told
from chartui.tui.widgets.told_list import ToldList

_CHOICES: Final = (
    Choice("pull", "Pull the character into a file or folder", names=("export", "text")),
    Choice("compare", "Compare with a file or folder"),
    Choice("push", "Push a file or folder", names=("import",)),
    Choice("prune", "Push, and remove items not in the file"),
    Choice("make", "Create a character from a file or folder"),
)
#: Most lines shown in a dialog.
_MOST: Final = 2000
#: The role of a line of differences, by its first character.
_ROLES: Final[dict[str, Role]] = {"-": "danger", "+": "staged"}


def arrived(desk: Desk, bundle: Bundle, present: Story, how: Joining) -> tuple[Story, list[str]]:
    """The story that replaces ``present``, matched as in a push, and the parts that can't be sent."""
    key = key_of(desk.session.profile.name, desk.state.wanted or "")
    found = matching(bundle, present, key)
    made = wanted(bundle, present, found, embedded=desk.service.embedded, prune=how is Joining.REPLACE)
    return made.story, list(made.left_out)


async def ship(desk: Desk) -> None:
    """Ask for an action on a bundle of the shown character, and perform it."""
    character = desk.state.character
    chosen = await desk.workbench.push_screen_wait(Chooser("Bundle", _CHOICES))
    if chosen is None or character is None:
        return
    character_id = character.character_id
    with _told(desk):
        async with waiting(desk.workbench, "Bundle"):
            match chosen:
                case "pull":
                    await _pull(desk, character_id, character.character_name or character_id)
                case "compare":
                    await _compare(desk, character_id)
                case "make":
                    await _make(desk)
                case _:
                    await _push(desk, character_id, prune=chosen == "prune")


@contextmanager
def _told(desk: Desk) -> Iterator[None]:
    """Show the error that stopped the operation; nothing is left half done."""
    try:
        yield
    except ServiceError as error:
        desk.workbench.tell_failure(error)
    except ValueError as error:  # not a bundle, or a text that no file can hold
        desk.workbench.tell(str(error), title="Failed", severity="error")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        desk.workbench.tell(f"{where}{error.strerror or error}", title="Failed", severity="error")


class OpenBundle(OpenFile["tuple[Path, Bundle]"]):
    """Asks for a file with a bundle."""

    TITLE_OF_IT: ClassVar[str] = "Open a bundle"
    WHAT_BECOMES: ClassVar[str] = "A bundle is a complete character in a .toml file or a folder."

    def read(self, path: Path) -> tuple[Path, Bundle]:
        return path, load(path).bundle


# -- pull -------------------------------------------------------------------------------------------------------------


async def _pull(desk: Desk, character_id: str, name: str) -> None:
    proposed = f"{file_stem(name, otherwise='character')}.toml"
    staged = " Staged changes are not included." if desk.state.staged else ""
    question = f"Name of the file. End it with / to write a folder with one file per section.{staged}"
    asked = await desk.workbench.push_screen_wait(AskLine("Pull", question, _file_hint, text=proposed, verb="Write"))
    if asked is None:
        return
    path = Path(asked).expanduser()
    folder = asked.endswith("/") or is_folder(path)
    like = earlier_bundle(path)
    there = like is not None
    if there:
        said = f"The bundle {single_line(str(path))} already exists. Its comments and order will be kept."
        if not await desk.workbench.push_screen_wait(Confirm("Overwrite", said, "Overwrite")):
            return
    bundle, notes = await pull(desk.session, character_id, like=like)
    write_bundle(path, bundle, replace=there, folder=folder)
    story = bundle.story
    amount = f"{number_of(len(story.sections), 'section')} and {number_of(len(story.triggers), 'trigger')}"
    advice = "" if there or folder else folder_advice(path, bundle)
    desk.workbench.tell("\n".join([f"Written: {path}, {amount}", *notes, *filter(None, [advice])]), title="Bundle")


def _file_hint(text: str) -> Hint:
    if not text:
        return Hint("Enter a file name.", refuses=True)
    try:
        path = Path(text).expanduser()
        if is_folder(path):
            return Hint("This bundle already exists. Its comments will be kept.")
        if text.endswith("/"):
            return Hint("A folder with one file per section.")
        if path.is_dir():
            return Hint("This path is a folder. End the name with / to write one file per section.", refuses=True)
        check_name(path)
        return Hint("This file already exists. Its comments will be kept." if path.exists() else "")
    except BundleError:
        return Hint(NOT_TOML, refuses=True)
    except (OSError, RuntimeError, ValueError):
        return Hint("Not a valid file name.", refuses=True)


# -- compare ----------------------------------------------------------------------------------------------------------


async def _compare(desk: Desk, character_id: str) -> None:
    opened = await desk.workbench.push_screen_wait(OpenBundle())
    if opened is None:
        return
    path, bundle = opened
    present = await present_of(desk.session, character_id)
    found = present.compared(bundle)
    if not found:
        desk.workbench.tell("No differences between the character and the file.", title=path.name)
        return
    effects = await diff_effects(desk.service, bundle, present.reading, await basis_of(desk.workbench))
    title = f"Compare with {path.name}"
    await desk.workbench.push_screen_wait(_differences(title, found, effects, staged=desk.state.staged))


def _differences(
    title: str, found: Sequence[Difference], effects: Sequence[CostEffect] = (), *, staged: bool = False
) -> ToldList:
    def rows(width: int) -> Iterator[PieceRow]:
        different = sum(one.verdict is not Verdict.UNKNOWN for one in found)
        blind = len(found) - different
        unchecked = f" and {blind} that cannot be checked" if blind else ""
        yield from told(f"{number_of(different, 'difference')}{unchecked}.", width, "title")
        yield from told(
            "- marks the current value. + marks the file's value, which a push would apply.", width, "label"
        )
        if staged:
            yield from told("Staged changes are ignored. Only the stored version is compared.", width, "warning")
        lines = list(islice(difference_lines(found), _MOST + 1))
        for text in lines[:_MOST]:
            if not text.startswith(" "):
                yield ()
            role = _ROLES.get(text.strip()[:1], "value" if text.startswith(" ") else "title")
            yield (Piece(display_text(text), role),)
        if len(lines) > _MOST:
            yield from told("… Only the first lines are shown here. The command line shows all lines.", width, "label")
        if effects:
            yield ()
        for effect in effects:
            for line in effect_lines(effect):
                yield from rows_of(line, width)

    return ToldList(title, rows, {}, leaving="Close")


# -- push -------------------------------------------------------------------------------------------------------------


async def _push(desk: Desk, character_id: str, *, prune: bool) -> None:
    if desk.workbench.refuses("push"):
        return
    if desk.state.staged:
        said = "Apply or discard the staged changes first, because a push ignores staged changes."
        desk.workbench.tell(said, severity="warning")
        return
    opened = await desk.workbench.push_screen_wait(OpenBundle())
    if opened is None:
        return
    path, bundle = opened
    reads = after = reads_for(desk.workbench, desk.service)
    push = await push_plan(replace(desk.session, service=reads.service), bundle, character_id, prune=prune)
    push, _ = await push_with_costs(reads.service, push, await basis_of(desk.workbench))
    progress = None
    if push.plan.steps:
        after = reads_for(desk.workbench, desk.service)
        progress = await carry_out(
            desk.workbench, push.plan, verb="Push anyway" if push.conflicts else "Push", reads=reads, after=after
        )
        if progress is None or not progress.ok:
            return
    done = await _read_back(desk, push, after, progress, path)
    if done.different:
        await desk.workbench.push_screen_wait(_differences("Differences after the push", done.different))
    elif progress is None:
        desk.workbench.tell("\n".join(["Nothing to push. The character matches the file.", *push.plan.notes]))


async def _read_back(desk: Desk, push: PushPlan, after: Reads, progress: Progress | None, path: Path) -> Pushed:
    """Compare with the file, and write the new ids to it, so this must not be canceled."""
    async with waiting(desk.workbench, Work("Bundle", "Checking the result…", dialog_follows=False)):
        done = await pushed(push, replace(desk.session, service=after.service), progress)
        remember(path, done.bundle.ids)
    return done


async def _make(desk: Desk) -> None:
    """Create another character from a file, under its own name."""
    if desk.workbench.refuses("creating a character"):
        return
    opened = await desk.workbench.push_screen_wait(OpenBundle())
    if opened is None:
        return
    path, bundle = opened
    question = AskLine(
        "Create a character", "Name of the character.", _name_hint, text=bundle.name or "", verb="Continue"
    )
    name = await desk.workbench.push_screen_wait(question)
    if not name:
        return
    push = await push_plan(desk.session, replace(bundle, name=name), None)
    push, _ = await push_with_costs(desk.service, push, await basis_of(desk.workbench))
    after = reads_for(desk.workbench, desk.service)
    progress = await carry_out(
        desk.workbench,
        push.plan,
        verb="Create",
        after=after,
        # The character's id is written to the file immediately, so that it is not created twice.
        watch=lambda steps: watched(push, desk.session, steps, lambda known: remember(path, known.ids)),
    )
    if progress is None or not progress.ok:
        return
    await _read_back(desk, push, after, progress, path)
    made = push.pushed_to(progress)
    if made is not None:
        desk.workbench.character = made
        desk.turn_to_character(made)


def _name_hint(text: str) -> Hint:
    return Hint("" if text else "Enter a name.", refuses=not text)
