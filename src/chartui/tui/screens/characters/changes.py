"""Change one setting of all selected characters; in an embedded store also create, copy and delete them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from chartui.core.change_costs import bulk_with_costs
from chartui.core.character import models_of, read_character
from chartui.core.characters.models import Models
from chartui.core.classes import NamedTuple
from chartui.core.clock import random_ids
from chartui.core.estimation.character_map import applicable_as
from chartui.core.estimation.pins import load_pins
from chartui.core.names import alike
from chartui.core.plans.bulk import Present, bulk_change, gone_models
from chartui.core.plans.characters import (
    create_character,
    delete_character,
    duplicate_character,
    needs_store,
    rename_character,
)
from chartui.core.plans.plan import Plan, Step
from chartui.core.plans.settings import MODEL, REASONING, TEMPERATURE, Staged, problems
from chartui.core.presets import Presets, presets_folder
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.records import Records
from chartui.core.text import single_line
from chartui.tui.guides import GONE
from chartui.tui.numbers import count, number_of
from chartui.tui.run_plan import carry_out, reads_for
from chartui.tui.screens.characters.tabs.settings_form import level_text
from chartui.tui.screens.estimator.character import basis_of, changes_for, choose_applicable
from chartui.tui.wait import Work, waiting
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.questions import AskLine, Hint

if TYPE_CHECKING:
    from chartui.core.plans.executor import Progress
    from chartui.core.service import Service
    from chartui.core.spec.models.characters import Character
    from chartui.core.spec.models.summaries import CharacterSummary
    from chartui.tui.widgets.screen import WorkScreen

#: Choices that are not members.
_GONE: Final = "gone"
_PRESET: Final = "preset"
_OTHER: Final = ""
_EVERY: Final = ""


class _Wanted(NamedTuple):
    """What to change, on which characters, and why."""

    changes: Mapping[str, str]
    chosen: Sequence[CharacterSummary]
    reason: str = ""


async def change_many(work: WorkScreen, chosen: Sequence[CharacterSummary], models: Models | None) -> None:
    """Ask what to change on the ``chosen`` characters, show the effect, and apply it. Await it in a worker."""
    app = work.workbench
    if app.refuses("changing characters"):
        return
    if not chosen:
        one, every = app.keymap.label("select-character"), app.keymap.label("select-matching")
        app.tell(
            f"No characters selected. {one} selects the current one and {every} selects all in the list.",
            title="Change characters",
        )
        return
    try:
        async with waiting(app, f"Change {number_of(len(chosen), 'character')}") as waited:
            models = models or await models_of(work.service, chosen[0].character_id)
            wanted = await _ask_what(work, chosen, models)
            if wanted is not None:
                await _change(work, wanted, models, waited)
    except ServiceError as error:
        app.tell_failure(error)


async def _change(work: WorkScreen, wanted: _Wanted, models: Models, waited: Work) -> None:
    app = work.workbench
    reads = reads_for(app, work.service)
    present = await _read(work, reads.service, wanted.chosen, waited)
    # Thousands take a while, and must not block the keys.
    bulk = await asyncio.to_thread(bulk_change, present, wanted.changes, models, ids=random_ids, reason=wanted.reason)
    if gone := len(wanted.chosen) - len(present):
        app.tell(
            f"Skipped {number_of(gone, 'character')} that no longer {'exists' if gone == 1 else 'exist'}.",
            severity="warning",
        )
    if not bulk.plan.steps:
        app.tell(" ".join(bulk.plan.notes) or "No changes needed.", title=bulk.plan.title)
        return
    plan = await bulk_with_costs(work.service, bulk, models, await basis_of(app))
    await carry_out(app, plan, reads=reads)


# -- the change --------------------------------------------------------------------------------------------------------


async def _ask_what(work: WorkScreen, chosen: Sequence[CharacterSummary], models: Models) -> _Wanted | None:
    """The requested change; None when canceled."""
    having = [Present(s.character_id, s.character_name, {MODEL: s.model}) for s in chosen]
    gone = gone_models(having, models)
    concerned = sum(map(len, gone.values()))
    unlisted = f"no longer listed by {'the service' if models.sure else 'the catalogue'}; choose a replacement"
    choices = [
        Choice(MODEL, "Model", "", "one model for all characters"),
        Choice(TEMPERATURE, "Temperature", "", "from 0 to 1"),
        Choice(REASONING, "Reasoning level", "", "skips characters whose model does not accept the level"),
        Choice(_GONE, "Model no longer listed", f"used by {count(concerned)}", unlisted),
    ]
    kept = Presets(presets_folder(work.session.folder)).all()
    keys = {one.preset.name: one.preset.selections.llm for one in kept if one.preset}
    if keys:
        about = "on a service, only the model can be changed"
        choices.append(Choice(_PRESET, "Model from a preset…", number_of(len(keys), "preset"), about))
    title = f"Change {number_of(len(chosen), 'character')}"
    match await work.workbench.push_screen_wait(Chooser(title, choices)):
        case "model_group_name":
            code = await _ask_model(work, title, chosen, models)
            return None if code is None else _Wanted({MODEL: code}, chosen)
        case "temperature":
            text = await work.workbench.push_screen_wait(
                AskLine(title, "Temperature for all characters, from 0 to 1.", _temperature, verb="Continue")
            )
            return None if text is None else _Wanted({TEMPERATURE: text}, chosen)
        case "reasoning_effort":
            level = await work.workbench.push_screen_wait(Chooser(title, _levels(chosen, models)))
            return None if level is None else _Wanted({REASONING: level}, chosen)
        case "preset":
            return await _ask_preset(work, title, chosen, keys)
        case "gone":
            return await _ask_replacement(work, chosen, gone, models)
    return None


async def _ask_preset(
    work: WorkScreen, title: str, chosen: Sequence[CharacterSummary], keys: Mapping[str, str | None]
) -> _Wanted | None:
    """Ask for a preset, by its name in ``keys``, and the model code and level that give its price."""
    app = work.workbench
    choices = [
        Choice(name, single_line(name, limit=60), "", key or "the service's default") for name, key in keys.items()
    ]
    if (name := await app.push_screen_wait(Chooser(title, choices))) is None:
        return None
    key = keys[name] or str((await work.service.options())[1].selections.get("llm", ""))
    found, why = applicable_as(key, load_pins(app.session.pins_path))
    if not found:
        app.tell(why, title="Nothing to apply", severity="warning")
        return None
    applied = await choose_applicable(app, key, found)
    reason = f"The model from preset “{single_line(name, limit=60)}”."
    return None if applied is None else _Wanted(changes_for(applied), chosen, reason)


async def _ask_replacement(
    work: WorkScreen,
    chosen: Sequence[CharacterSummary],
    gone: Mapping[str, tuple[Present, ...]],
    models: Models,
) -> _Wanted | None:
    """Ask for a model to replace unlisted ones: all of them, or a single one."""
    app = work.workbench
    if not gone:
        app.tell("All models of the selected characters are still listed.", title="Model no longer listed")
        return None
    code: str | None = next(iter(gone))
    if len(gone) > 1:
        choices = [Choice(code, single_line(code), f"used by {count(len(having))}") for code, having in gone.items()]
        every = Choice(_EVERY, "All unlisted models", f"used by {count(sum(map(len, gone.values())))}")
        code = await app.push_screen_wait(Chooser("Replace which model?", [every, *choices]))
    if code is None:
        return None
    codes = set(gone) if code == _EVERY else {code}
    concerned = [s for s in chosen if s.model in codes]
    model = await _ask_model(work, f"Replace {', '.join(map(single_line, sorted(codes)))} with…", concerned, models)
    return None if model is None else _Wanted({MODEL: model}, concerned, "The character's model is no longer listed.")


async def _ask_model(work: WorkScreen, title: str, chosen: Sequence[CharacterSummary], models: Models) -> str | None:
    """Ask for a listed model or a typed model code."""
    having = Counter(s.model for s in chosen)
    choices = [
        Choice(
            model.code,
            model.label,
            f"used by {count(having[model.code])}" if model.code in having else "",
            " · ".join(filter(None, (model.code, " ".join(model.reasoning.accepted), *model.marks))),
        )
        for _, group in models.grouped()
        for model in group
    ]
    choices.append(Choice(_OTHER, "Enter a model code…", "", "for a model not in this list"))
    app = work.workbench
    code = await app.push_screen_wait(Chooser(title, choices))
    if code == _OTHER:
        question = "Enter the model code used by the service. No details are shown for unknown models."
        return await app.push_screen_wait(AskLine(title, question, _code, verb="Continue"))
    return code


def _code(text: str) -> Hint:
    return Hint() if text else Hint("Enter a model code.", refuses=True)


def _temperature(text: str) -> Hint:
    nobody = Staged(character_id="", name="", base={}, changes={TEMPERATURE: text})
    problem = problems(nobody, Models((), sure=False)).get(TEMPERATURE, "")
    return Hint(problem, refuses=bool(problem))


def _levels(chosen: Sequence[CharacterSummary], models: Models) -> list[Choice]:
    """The levels to choose from, each with the number of characters whose model accepts it."""
    having = Counter(s.model for s in chosen)
    known = {model.code: model for model in models.all}
    unknown = sum(number for code, number in having.items() if code not in known)
    offered = [known[code] for code in having if code in known] if not unknown else models.all
    levels = dict.fromkeys(level for model in offered for level in model.reasoning.levels)
    if any(model.reasoning.supports_auto for model in offered):
        levels["auto"] = None
    choices = [Choice("", level_text(""), "all", "clears the setting; works with every model")]
    for level in levels:
        taken = sum(having[code] for code in known if level in known[code].reasoning.accepted)
        doubt = f"; unknown for {count(unknown)}" if unknown else ""
        number = f"{count(taken)} of {count(len(chosen))}"
        choices.append(Choice(level, level_text(level), number, f"accepted by {number}{doubt}"))
    return choices


# -- reading them ------------------------------------------------------------------------------------------------------


async def _read(
    work: WorkScreen, service: Service, chosen: Sequence[CharacterSummary], waited: Work
) -> tuple[Present, ...]:
    """Read the chosen characters; those that no longer exist are left out. Raises :class:`ServiceError`."""
    session = work.session
    # A service returns all of them in one call.
    records = Records.none() if service.embedded else await service.records()
    found = []
    for number, summary in enumerate(chosen):
        if number % 50 == 0:
            waited.show(f"{count(number)} of {number_of(len(chosen), 'character')} read", share=number / len(chosen))
        character_id = summary.character_id
        record = records.find(character_id)
        if record is None and not service.embedded:
            continue
        try:
            reading = await read_character(service, session.journal, session.profile.place, character_id, record)
        except ServiceError as error:
            if error.kind is not ErrorKind.NOT_FOUND:
                raise
            continue
        if reading is not None:
            name = reading.record.get("character_name")
            called = name if isinstance(name, str) else None
            found.append(Present(character_id, called, reading.now, reading.record, reading.known_here))
    return tuple(found)


# -- in an embedded store ----------------------------------------------------------------------------------------------


class StoreChanges:
    """Creates, copies, renames and deletes characters of an embedded store, each as a plan, for a screen (``work``).

    ``current`` is the character under the cursor, ``summaries`` are all of them; ``made`` is called with the id of a
    new character.
    """

    def __init__(
        self,
        work: WorkScreen,
        current: CharacterSummary | None,
        summaries: Sequence[CharacterSummary],
        made: Callable[[str], None],
    ) -> None:
        self._work = work
        self._app = work.workbench
        self._current = current
        self._summaries = summaries
        self._made = made

    async def run(self, command: str) -> None:
        """Perform one of these changes after asking, or say why it is not available. Await it in a worker."""
        called, does = _COMMANDS[command]
        if not self._work.service.embedded:
            self._app.tell(needs_store(called), title="Not available", severity="warning")
        elif not self._app.refuses(called.lower()):
            try:
                async with waiting(self._app, called):
                    await does(self)
            except ServiceError as error:
                self._app.tell_failure(error)

    async def create(self) -> None:
        await self._name("New character", "Name of the character.", create_character, "Create")

    async def duplicate(self) -> None:
        if (character := await self._under_cursor()) is not None:
            question = "Name of the new character, which gets the same settings and its own narrative graph."
            text = f"{character.character_name or ''} (copy)".strip()
            make = partial(duplicate_character, character)
            await self._name(f"Copy {_called(character)}", question, make, "Duplicate", text=text)

    async def rename(self) -> None:
        if (character := await self._under_cursor()) is not None:
            title, make = f"Rename {_called(character)}", partial(rename_character, character)
            await self._name(title, "New name. The ID stays the same.", make, "Rename", renamed=character)

    async def _name(
        self,
        title: str,
        question: str,
        make: Callable[[str], Step | None],
        verb: str,
        *,
        text: str = "",
        renamed: Character | None = None,
    ) -> None:
        """Ask for a name, run the step that ``make`` returns for it, and go to a new character."""
        text = text or (renamed.character_name or "" if renamed is not None else "")
        asked = AskLine(title, question, self._naming(renamed), text=text, verb=verb)
        if (name := await self._app.push_screen_wait(asked)) is None:
            return
        progress = await self._carry_out(title if text else f"{title} “{name}”", make(name), verb)
        answer = progress.answers.get(0) if progress is not None and progress.ok and renamed is None else None
        if isinstance(answer, Mapping) and isinstance(made := answer.get("character_id"), str):
            self._made(made)

    async def delete(self) -> None:
        if (character := await self._under_cursor()) is None:
            return
        step = await delete_character(self._work.service, character)
        back = "Undo restores the character and its graph under the same ID."
        await self._carry_out(f"Delete {_called(character)}", step, "Delete", back)

    async def _under_cursor(self) -> Character | None:
        """The record of the character under the cursor; None, after a message, without one. Raises ServiceError."""
        if self._current is None:
            self._app.tell(self._work.none_selected or "No character under the cursor.")
            return None
        try:
            return await self._work.service.character(self._current.character_id)
        except ServiceError as error:
            if error.kind is not ErrorKind.NOT_FOUND:
                raise
        self._app.tell(GONE, title="Failed", severity="warning")
        return None

    def _naming(self, renamed: Character | None = None) -> Callable[[str], Hint]:
        """The check of a typed name: refuses an invalid one, and reports other characters with the same name."""
        present = renamed.character_name if renamed is not None else None
        own = renamed.character_id if renamed is not None else None

        def hint(name: str) -> Hint:
            if not name:
                return Hint("Enter a name.", refuses=True)
            if name == present:
                return Hint("The name is unchanged.", refuses=True)
            others = [s for s in self._summaries if s.character_id != own and alike(s.character_name or "", name)]
            if not others:
                return Hint()
            first = single_line(others[0].character_name or "", limit=30)
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            return Hint(f"“{first}” already exists ({others[0].character_id}{more}). Names may repeat; IDs may not.")

        return hint

    async def _carry_out(self, title: str, step: Step | None, verb: str, *notes: str) -> Progress | None:
        plan = Plan(id=random_ids(), title=title, steps=() if step is None else (step,), notes=notes)
        # A letter typed early may be meant for the list or the name, so it does not count as an answer.
        return await carry_out(self._app, plan, verb=verb, to_be_read=True)


#: The changes by command: title for messages, and method.
_COMMANDS: Final[Mapping[str, tuple[str, Callable[[StoreChanges], Awaitable[None]]]]] = {
    "create": ("Creating a character", StoreChanges.create),
    "duplicate": ("Copying a character", StoreChanges.duplicate),
    "rename": ("Renaming a character", StoreChanges.rename),
    "delete": ("Deleting a character", StoreChanges.delete),
}


def _called(character: Character) -> str:
    return single_line(character.character_name or character.character_id, limit=40)
