"""Making, copying, renaming and removing characters, where the profile is an embedded store: each as a plan."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final

from chartui.core.clock import random_ids
from chartui.core.names import alike
from chartui.core.plans.characters import (
    create_character,
    delete_character,
    duplicate_character,
    needs_store,
    rename_character,
)
from chartui.core.plans.plan import Plan, Step
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import single_line
from chartui.tui.wait import waiting
from chartui.tui.widgets.questions import AskLine, Hint

if TYPE_CHECKING:
    from chartui.core.plans.executor import Progress
    from chartui.core.spec.models.characters import Character
    from chartui.tui.screens.characters.selecting import SelectingScreen

__all__ = ["keep_house"]

Deed = Callable[["SelectingScreen"], Awaitable[None]]
#: What the deeds are called where they cannot be done.
_CALLED: Final = {
    "create": "Making a character",
    "duplicate": "Copying a character",
    "rename": "Renaming a character",
    "delete": "Deleting a character",
}


async def keep_house(screen: SelectingScreen, deed: str) -> None:
    """Do one of the deeds, after asking; where it cannot be done, say why. To be awaited in a worker."""
    app = screen.workbench
    if not screen.service.embedded:
        app.tell(needs_store(_CALLED[deed]), title="Not here", severity="warning")
    elif not app.refuses(_CALLED[deed].lower()):
        try:
            async with waiting(app, _CALLED[deed]):
                await _DEEDS[deed](screen)
        except ServiceError as error:
            app.tell_failure(error)


async def _create(screen: SelectingScreen) -> None:
    question = AskLine("New character", "What it is called.", _naming(screen), deed="Make it")
    if (name := await screen.workbench.push_screen_wait(question)) is not None:
        step = create_character(name)
        _go_to_made(screen, await _carry_out(screen, f"New character “{name}”", step, deed="Make it"))


async def _duplicate(screen: SelectingScreen) -> None:
    character = await _under_cursor(screen)
    if character is None:
        return
    called = _called(character)
    question = AskLine(
        f"Copy of {called}",
        "What the copy is called. It has the same settings and a narrative graph of its own.",
        _naming(screen),
        text=f"{character.character_name or ''} (copy)".strip(),
        deed="Copy it",
    )
    if (name := await screen.workbench.push_screen_wait(question)) is not None:
        step = duplicate_character(character, name)
        _go_to_made(screen, await _carry_out(screen, f"Copy {called}", step, deed="Copy it"))


async def _rename(screen: SelectingScreen) -> None:
    character = await _under_cursor(screen)
    if character is None:
        return
    called, present = _called(character), character.character_name or ""
    question = AskLine(
        f"Rename {called}",
        "What it is called from now on. Its id stays.",
        _naming(screen, character),
        text=present,
        deed="Rename it",
    )
    if (name := await screen.workbench.push_screen_wait(question)) is not None:
        await _carry_out(screen, f"Rename {called}", rename_character(character, name), deed="Rename it")


async def _delete(screen: SelectingScreen) -> None:
    character = await _under_cursor(screen)
    if character is None:
        return
    service, character_id = screen.service, character.character_id
    step = delete_character(
        character,
        await service.settings(character_id),
        sections=len(await service.sections(character_id)),
        triggers=len(await service.triggers(character_id)),
    )
    back = "Undo puts it back with all of this, under the same id."
    await _carry_out(screen, f"Delete {_called(character)}", step, deed="Delete it", notes=(back,))


_DEEDS: Final[Mapping[str, Deed]] = {
    "create": _create,
    "duplicate": _duplicate,
    "rename": _rename,
    "delete": _delete,
}


async def _under_cursor(screen: SelectingScreen) -> Character | None:
    """The character under the cursor as it is now; where there is none, says so. Raises :class:`ServiceError`."""
    current = screen.current
    if current is None:
        screen.workbench.tell("There is no character under the cursor.")
        return None
    try:
        return await screen.service.character(current.character_id)
    except ServiceError as error:
        if error.kind is not ErrorKind.NOT_FOUND:
            raise
    screen.workbench.tell("This character is not there any more.", title="Not done", severity="warning")
    return None


def _naming(screen: SelectingScreen, renamed: Character | None = None) -> Callable[[str], Hint]:
    """What there is to know about a name: whether it is one, and whether others are called so."""
    present = renamed.character_name if renamed is not None else None
    own = renamed.character_id if renamed is not None else None

    def hint(name: str) -> Hint:
        if not name:
            return Hint("Give it a name.", refuses=True)
        if name == present:
            return Hint("It is called so already.", refuses=True)
        others = [s for s in screen.state.summaries if s.character_id != own and alike(s.character_name or "", name)]
        if not others:
            return Hint()
        first = single_line(others[0].character_name or "", limit=30)
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        return Hint(f"There is “{first}” already ({others[0].character_id}){more}. Names need not differ, ids do.")

    return hint


def _called(character: Character) -> str:
    return single_line(character.character_name or character.character_id, limit=40)


async def _carry_out(
    screen: SelectingScreen, title: str, step: Step | None, *, deed: str, notes: tuple[str, ...] = ()
) -> Progress | None:
    plan = Plan(id=random_ids(), title=title, steps=() if step is None else (step,), notes=notes)
    return await screen.workbench.carry_out(plan, deed=deed)


def _go_to_made(screen: SelectingScreen, progress: Progress | None) -> None:
    """Put the cursor on the character that was made."""
    answer = progress.answers.get(0) if progress is not None and progress.ok else None
    if isinstance(answer, Mapping) and isinstance(made := answer.get("character_id"), str):
        screen.go_to(made)
