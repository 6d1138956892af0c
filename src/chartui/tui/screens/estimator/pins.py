"""Saved configurations: pins to compare with, and presets.

Both are stored as presets, each in a file of its own, so that two programs do not overwrite each other's. A pin is
written complete, because defaults may differ tomorrow or elsewhere. Neither is data of a service, so the lock does not
apply (DESIGN 7).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from chartui.core.estimation.prices import Pricing
from chartui.core.jsontext import Wire, canonical
from chartui.core.named_files import MOST_OF_A_NAME
from chartui.core.paths import pinned_folder, write_private
from chartui.core.plans.plan import CostEffect
from chartui.core.plans.wording import effect_text
from chartui.core.presets import (
    Kept,
    PinFiles,
    Preset,
    PresetError,
    Presets,
    as_toml,
    differences,
    presets_folder,
)
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.core.text import single_line
from chartui.tui.guides import guide, kept_for
from chartui.tui.numbers import credits_text, number_of
from chartui.tui.screens.estimator.quantities import INPUTS, inputs_of_preset, value_words
from chartui.tui.screens.estimator.state import EstimatorState
from chartui.tui.screens.estimator.study import Pinned, pinned_as
from chartui.tui.widgets.questions import Confirm, Hint, ask_name
from chartui.tui.widgets.table_dialog import TableDialog

if TYPE_CHECKING:
    from pathlib import Path

    from chartui.core.estimation.discovery import Discovery
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.estimator.screen import EstimatorScreen

#: The file in the folder of the pins that names the baseline.
BASELINE: Final = "baseline"
#: What the first pin does.
COMPARED_WITH: Final = "Later estimates are compared with this pin."


# -- names -------------------------------------------------------------------------------------------------------------


def _name_hint(name: str, noun: str = Presets.NOUN) -> Hint:
    try:
        as_toml(Preset(name=name), noun)
    except PresetError as error:
        return Hint(str(error), refuses=True)
    return Hint()


def proposed(state: EstimatorState, taken: Collection[str], differing: Iterable[str] = ()) -> str:
    """A proposed name for the current inputs: the model, with its input or a voice; numbered if all are taken.

    ``differing`` are the words that distinguish the inputs from those with the same model.
    """
    model, tokens = state.value("llm"), state.value("input_tokens")
    label = state.label("llm", model) if isinstance(model, str) else "Default model"
    amount = "" if tokens is None or isinstance(tokens, str) else number_of(int(tokens), "token")
    voices = (state.label(name, key) for name in ("tts", "stt") if isinstance(key := state.value(name), str))
    names = [_joined(label, rest) for rest in (*differing, amount, *voices)]
    numbered = (_joined(label, f"{amount} {number}".strip()) for number in itertools.count(2))
    return next(name for name in itertools.chain(names, numbered) if name not in taken)


def _joined(label: str, rest: str) -> str:
    rest = single_line(rest, limit=MOST_OF_A_NAME // 2)
    return " · ".join(filter(None, (single_line(label, limit=MOST_OF_A_NAME - len(rest) - 4), rest)))


def _proposed_for(state: EstimatorState, made: Pinned, taken: Collection[str], differing: Iterable[str] = ()) -> str:
    return made.name or proposed(state.put(*inputs_of(made, state.discovery)), taken, differing)


def _differing(made: Pinned, state: EstimatorState) -> Iterator[str]:
    """The inputs of ``made`` that no pin of the same model has: ``Managed voice``, ``memory off``."""

    def values(one: Pinned) -> dict[str, str | bool | int | Decimal]:
        return {**one.configuration._asdict(), **one.quantities._asdict()}

    alike = [values(one) for one in state.pinned if one.configuration.llm == made.configuration.llm]
    for name, value in values(made).items():
        if not alike or any(one[name] == value for one in alike):
            continue
        if isinstance(value, str):
            yield state.label(name, value)
        elif name == "input_tokens":
            yield number_of(int(value), "token")
        else:
            yield f"{INPUTS[name].label.lower()} {value_words(value)}"


# -- pins --------------------------------------------------------------------------------------------------------------


async def pin(screen: EstimatorScreen, at_hand: Pinned | None) -> None:
    """Ask for a name and pin the configuration ``at_hand``; without one, the current inputs."""
    state = screen.state
    made = at_hand or pinned_as("", state)
    if made is None:
        screen.workbench.tell(f"Nothing to pin yet: {state.wrong_text or 'no rates are loaded'}.")
        return
    taken = {one.name for one in state.pinned}
    use = COMPARED_WITH if not taken else "Compare shows this pin beside the others."
    kept = " The pin is removed when you leave the demo." if screen.session.throwaway else ""
    what = f"Enter a name for the pin. {use}{kept}"
    hint = partial(_name_hint, noun=PinFiles.NOUN)
    proposal = _proposed_for(state, made, taken, _differing(made, state))
    name = await ask_name(screen.workbench, "Pin this configuration", what, hint, proposal, taken)
    if name is not None:
        pin_as(screen, made._replace(name=name))


def pin_as(screen: EstimatorScreen, made: Pinned) -> None:
    """Pin ``made``, replacing a pin of the same name; the first pin is the baseline."""
    state = screen.state
    others = [one for one in state.pinned if one.name != made.name]
    screen.show(_arranged(state, [*others, made], _baseline_of(state)))
    try:
        PinFiles(pinned_folder(screen.session.folder)).save(_complete(made), replace=True)
    except (PresetError, OSError) as error:
        message = f"Pinned for this session only: {_reason(error)}."
        screen.workbench.tell(message, title=made.name, severity="warning")
    else:
        name = single_line(made.name)
        said = f"Pinned: {name}" if others else f"Pinned as the baseline: {name}. {COMPARED_WITH}"
        screen.workbench.tell(said)


async def drop(screen: EstimatorScreen, name: str) -> None:
    key = screen.workbench.keymap.label("save-preset")
    message = f"Unpin “{single_line(name)}”? To keep a copy, save the pin as a preset first ({key})."
    if not await screen.workbench.push_screen_wait(Confirm("Unpin", message, "Unpin")):
        return
    state = screen.state
    screen.show(_arranged(state, [one for one in state.pinned if one.name != name], _baseline_of(state)))
    try:
        PinFiles(pinned_folder(screen.session.folder)).remove(name)
    except PresetError:
        pass  # never written, or removed by another program
    except OSError as error:
        screen.workbench.tell(f"Unpinned for this session only: {_reason(error)}.", title=name, severity="warning")


def make_baseline(screen: EstimatorScreen, name: str) -> None:
    screen.show(_arranged(screen.state, screen.state.pinned, name))
    try:
        write_private(pinned_folder(screen.session.folder) / BASELINE, name.encode())
    except OSError as error:
        screen.workbench.tell(f"Baseline for this session only: {_reason(error)}.", title=name, severity="warning")


def with_kept(state: EstimatorState, folder: Path) -> EstimatorState:
    """The state with the pins on disk added to its own; needs rates."""
    made = {one.name: one for one in state.pinned}
    for kept in Presets(folder).all():
        if kept.preset is not None and (one := of_preset(kept.preset, state)) is not None:
            made[one.name] = one
    return _arranged(state, made.values(), _baseline_of(state) or _kept_baseline(folder))


def of_preset(preset: Preset, state: EstimatorState) -> Pinned | None:
    """The complete configuration of a preset in ``state``; None without rates."""
    chosen, typed = inputs_of_preset(preset)
    return pinned_as(preset.name, replace(state, chosen=chosen, typed=typed))


def inputs_of(pinned: Pinned, discovery: Discovery) -> tuple[dict[str, str | bool], dict[str, str]]:
    """The selections and typed quantities of a pin; default quantities are left empty."""
    usual = discovery.assumptions
    typed = {n: v for n, v in pinned.quantities._asdict().items() if usual.get(INPUTS[n].member) != v}
    return pinned.configuration._asdict(), {n: canonical(Decimal(v)) for n, v in typed.items()}


def _arranged(state: EstimatorState, pinned: Iterable[Pinned], baseline: str) -> EstimatorState:
    """A state with these pins, by name; without a pin named ``baseline`` the first one is the baseline."""
    made = tuple(sorted(pinned, key=lambda one: (one.name.casefold(), one.name)))
    position = next((i for i, one in enumerate(made) if one.name == baseline), 0)
    return replace(state, pinned=made, baseline=position)


def _baseline_of(state: EstimatorState) -> str:
    return state.pinned[state.baseline].name if state.pinned else ""


def _kept_baseline(folder: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        return (folder / BASELINE).read_text(encoding="utf-8")[: 4 * MOST_OF_A_NAME]
    return ""


def _complete(pinned: Pinned) -> Preset:
    return Preset(
        name=pinned.name,
        selections=Selections(**pinned.configuration._asdict()),
        assumptions=Assumptions(**{n: Decimal(v) for n, v in pinned.quantities._asdict().items()}),
    )


def _reason(error: OSError | PresetError) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'the file'} cannot be used ({error.strerror or 'unknown reason'})"
    return str(error).rstrip(".")


# -- presets -----------------------------------------------------------------------------------------------------------


def _presets(screen: EstimatorScreen) -> Presets:
    """The presets of this machine, or of a throwaway session."""
    return Presets(presets_folder(screen.session.folder))


async def save_preset(screen: EstimatorScreen, at_hand: Pinned | None) -> None:
    """Ask for a name and save the configuration ``at_hand``; without one, the current inputs."""
    app, state = screen.workbench, screen.state
    if at_hand is None and not state.complete:
        app.tell(f"Nothing to save yet: {state.wrong_text}.")
        return
    presets = _presets(screen)
    try:
        kept = {one.preset.name: one.preset for one in presets.all() if one.preset is not None}
        if at_hand is None:
            name = state.preset if state.preset in kept else proposed(state, kept)
            preset = Preset(name=name, selections=state.selections(), assumptions=state.assumptions())
        else:
            name = _proposed_for(state, at_hand, kept)
            preset = _complete(at_hand._replace(name=name))
        what = f"Enter a name for the preset. {kept_for(screen.session)}"
        changes = {name: _replacing(old, preset, state) for name, old in kept.items()}
        chosen = await ask_name(app, "Save as preset", what, _name_hint, name, kept, changes)
        if chosen is None:
            return
        preset = replace(preset, name=chosen, note=kept[chosen].note if chosen in kept else "")
        path = presets.save(preset, replace=True)
    except (PresetError, OSError) as error:
        app.tell(f"Not saved: {_reason(error)}.", severity="error")
    else:
        if at_hand is None:
            screen.show(screen.state.saved(preset))
        app.tell(f"Saved: {path}", title=chosen)


def _replacing(old: Preset, new: Preset, state: EstimatorState) -> str:
    """What replacing a preset changes, with the effect on the credits; empty if nothing."""
    changes = differences(old, new)
    if not changes:
        return ""
    before, after = (_figures(one, state)[0] for one in (old, new))
    if before is None or after is None:
        return f"{changes}."
    effect = CostEffect(label="", unit="credits", before=(before, before), after=(after, after))
    return f"{changes}. Per interaction: {effect_text(effect, credits_text)}."


_PRESET_COLUMNS: Final = (
    Column("name", title="Preset", kind=Kind.TEXT, least=20, best=40),
    Column("credits", title="credits", kind=Kind.CREDITS, priority=1),
    Column("latency", "ms", title="ms", kind=Kind.LATENCY, priority=2),
    Column("options"),  # their keys, which the filter matches
    Column("inputs", title="Inputs", kind=Kind.TEXT, least=24, priority=3),
)


async def open_presets(screen: EstimatorScreen) -> None:
    app = screen.workbench
    at: str | None = None
    while True:
        try:
            kept = {str(one.path): one for one in _presets(screen).all()}
        except OSError as error:
            app.tell(f"Can't read the presets: {_reason(error)}.", severity="error")
            return
        if not kept:
            text = "No presets yet. Inputs that you save as a preset are listed here."
            app.tell(guide(app, text, "{save-preset} saves the current inputs."))
            return
        wanted = await app.push_screen_wait(_preset_dialog(kept, screen.state, at))
        if wanted is None:
            return
        action, at = wanted
        preset = kept[at].preset
        if preset is None:
            app.tell(kept[at].fault, title="Not a preset", severity="error")
        elif action == "remove":
            await _remove(screen, preset)
        else:
            await _use(screen, preset, action)
            return


def _preset_dialog(kept: Mapping[str, Kept], state: EstimatorState, at: str | None) -> TableDialog:
    rows = tuple(_preset_row(one, state) for one in kept.values())
    return TableDialog(
        Sheet("Presets", _PRESET_COLUMNS, rows, keys=tuple(kept)),
        table="presets",
        enter="Load",
        keep=at,
        actions={"p": ("pin", "Pin"), "d,delete": ("remove", "Remove…")},
        about={key: str(row[-1]) for key, row in zip(kept, rows, strict=True)},
        roles={"Preset": lambda _, key: "value" if kept[key].preset is not None else "danger"},
    )


def _preset_row(kept: Kept, state: EstimatorState) -> tuple[Wire, ...]:
    preset = kept.preset
    if preset is None:
        return kept.path.name, None, None, None, kept.fault
    amount, latency = _figures(preset, state)
    about = " · ".join(filter(None, (preset.note, _in_words(preset, state) or "all inputs at their defaults")))
    return (
        preset.name,
        amount,
        latency,
        " ".join(map(str, preset.selected().values())),
        about,
    )


def _figures(preset: Preset, state: EstimatorState) -> tuple[Decimal | None, int | None]:
    """The credits and the longest latency of a preset; None if unknown."""
    made = of_preset(preset, state)
    if made is None or state.rates is None:
        return None, None
    pricing = Pricing(state.rates.card, made.quantities)
    span = pricing.latency(made.configuration)
    return pricing.credits(made.configuration), None if span is None else span[1]


def _in_words(preset: Preset, state: EstimatorState) -> str:
    """The inputs of a preset: ``Model MDLA 4o, Memory off, Input tokens 1 500``."""
    chosen, typed = inputs_of_preset(preset)
    said = [f"{INPUTS[name].label} {state.label(name, key)}" for name, key in chosen.items() if isinstance(key, str)]
    said += [f"{INPUTS[name].label} {value_words(on)}" for name, on in chosen.items() if isinstance(on, bool)]
    said += [f"{INPUTS[name].label} {value_words(Decimal(text))}" for name, text in typed.items()]
    return ", ".join(said)


async def open_preset(app: ChartuiApp, preset: Preset) -> None:
    """Load a preset into the form of the estimator."""
    await app.go_to("estimator")
    await _use(cast("EstimatorScreen", app.work["estimator"]), preset, "open")


async def _use(screen: EstimatorScreen, preset: Preset, action: str) -> None:
    if action == "open":
        await screen.load(preset)
    elif (made := of_preset(preset, screen.state)) is not None:
        pin_as(screen, made)
    else:
        screen.workbench.tell("Not pinned because no rates are loaded.", title=preset.name)


async def _remove(screen: EstimatorScreen, preset: Preset) -> None:
    name = single_line(preset.name)
    message = f"Remove preset “{name}” and its file? The inputs and pins will stay unchanged."
    if await screen.workbench.push_screen_wait(Confirm("Remove preset", message, "Remove")):
        try:
            _presets(screen).remove(preset.name)
            screen.show(screen.state.removed(preset.name))
        except (PresetError, OSError) as error:
            screen.workbench.tell(f"Not removed: {_reason(error)}.", title=preset.name, severity="error")
