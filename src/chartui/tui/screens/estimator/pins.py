"""Saved configurations: pins to compare with, and presets.

Both are stored as presets, each in a file of its own, so that two programs do not overwrite each other's. A pin is
written complete, because defaults may differ tomorrow or elsewhere. Neither is data of a service, so the lock does not
apply (DESIGN 7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from chartui.core.estimation.prices import Pricing
from chartui.core.jsontext import Wire, canonical
from chartui.core.paths import write_private
from chartui.core.presets import MOST_OF_A_NAME, Kept, Preset, PresetError, Presets, as_toml, presets_folder
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.core.text import single_line
from chartui.tui.guides import guide
from chartui.tui.numbers import count
from chartui.tui.screens.estimator.state import INPUTS, QUANTITIES, SELECTIONS, EstimatorState, value_words
from chartui.tui.screens.estimator.study import Pinned, pinned_as, pinned_folder
from chartui.tui.widgets.questions import Confirm, Hint, ask_name
from chartui.tui.widgets.table_dialog import TableDialog

if TYPE_CHECKING:
    from pathlib import Path

    from chartui.core.estimation.discovery import Discovery
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.estimator.screen import EstimatorScreen

#: The file in the folder of the pins that names the baseline.
BASELINE: Final = "baseline"


# -- names -------------------------------------------------------------------------------------------------------------


def _name_hint(name: str) -> Hint:
    try:
        as_toml(Preset(name=name))
    except PresetError as error:
        return Hint(str(error), refuses=True)
    return Hint()


def proposed(state: EstimatorState, taken: Collection[str]) -> str:
    """A proposed name for the current inputs: the model and its input, numbered if the name is taken."""
    model, tokens = state.value("llm"), state.value("input_tokens")
    label = state.label("llm", model) if isinstance(model, str) else "Default model"
    amount = "" if tokens is None or isinstance(tokens, str) else f" · {count(tokens)} tokens"
    name = f"{single_line(label, limit=MOST_OF_A_NAME - len(amount) - 4)}{amount}"
    number, wanted = 2, name
    while wanted in taken:
        wanted, number = f"{name} {number}", number + 1
    return wanted


# -- pins --------------------------------------------------------------------------------------------------------------


async def pin(screen: EstimatorScreen) -> None:
    made = pinned_as("", screen.state)
    if made is None:
        screen.workbench.tell(f"Nothing to pin yet: {screen.state.wrong_text or 'no rates loaded'}.")
        return
    taken = {one.name for one in screen.state.pinned}
    what = "Name of the pin. Later estimates are compared with it."
    name = await ask_name(
        screen.workbench, "Pin this configuration", what, _name_hint, proposed(screen.state, taken), taken
    )
    if name is not None:
        pin_as(screen, replace(made, name=name))


def pin_as(screen: EstimatorScreen, made: Pinned) -> None:
    """Pin ``made``, replacing a pin of the same name; the first pin is the baseline."""
    state = screen.state
    others = [one for one in state.pinned if one.name != made.name]
    screen.show(_arranged(state, [*others, made], _baseline_of(state)))
    _keep(screen, made)


async def drop(screen: EstimatorScreen, name: str) -> None:
    key = screen.workbench.keymap.label("save-preset")
    message = f"Unpin “{single_line(name)}”? To keep a copy, save it as a preset first ({key})."
    if not await screen.workbench.push_screen_wait(Confirm("Unpin", message, "Unpin")):
        return
    state = screen.state
    screen.show(_arranged(state, [one for one in state.pinned if one.name != name], _baseline_of(state)))
    try:
        Presets(pinned_folder(screen.session)).remove(name)
    except PresetError:
        pass  # never written, or removed by another program
    except OSError as error:
        screen.workbench.tell(f"Unpinned for this session only: {_reason(error)}.", title=name, severity="warning")


def make_baseline(screen: EstimatorScreen, name: str) -> None:
    screen.show(_arranged(screen.state, screen.state.pinned, name))
    try:
        write_private(pinned_folder(screen.session) / BASELINE, name.encode())
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


def inputs_of_preset(preset: Preset) -> tuple[dict[str, str | bool], dict[str, str]]:
    """The selections and typed quantities of a preset."""
    chosen = {i.attribute: v for i in SELECTIONS if (v := getattr(preset.selections, i.attribute)) is not None}
    typed = {
        i.attribute: canonical(v) for i in QUANTITIES if (v := getattr(preset.assumptions, i.attribute)) is not None
    }
    return chosen, typed


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


def _keep(screen: EstimatorScreen, made: Pinned) -> None:
    try:
        Presets(pinned_folder(screen.session)).save(_complete(made), replace=True)
    except (PresetError, OSError) as error:
        message = f"Pinned for this session only: {_reason(error)}."
        screen.workbench.tell(message, title=made.name, severity="warning")


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
    """The presets of this machine, or of a throw-away session."""
    return Presets(presets_folder(screen.session.folder))


async def save_preset(screen: EstimatorScreen, pinned: Pinned | None = None) -> None:
    app, state = screen.workbench, screen.state
    if pinned is None and not state.complete:
        app.tell(f"Nothing to save yet: {state.wrong_text}.")
        return
    presets = _presets(screen)
    try:
        kept = {one.preset.name: one.preset for one in presets.all() if one.preset is not None}
        name = proposed(state, kept) if pinned is None else pinned.name
        use = "removed when you leave the demo" if screen.session.throwaway else "for use here and on the command line"
        what = f"Name of the preset, {use}."
        chosen = await ask_name(app, "Save as preset", what, _name_hint, name, kept)
        if chosen is None:
            return
        note = kept[chosen].note if chosen in kept else ""
        preset = (
            Preset(name=chosen, selections=state.selections(), assumptions=state.assumptions(), note=note)
            if pinned is None
            else replace(_complete(pinned), name=chosen, note=note)
        )
        path = presets.save(preset, replace=True)
    except (PresetError, OSError) as error:
        app.tell(f"Not saved: {_reason(error)}.", severity="error")
    else:
        app.tell(f"Saved: {path}", title=chosen)


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
            _use(screen, preset, action)
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
    made = of_preset(preset, state)
    amount = latency = None
    if made is not None and state.rates is not None:
        pricing = Pricing(state.rates.card, made.quantities)
        amount, latency = pricing.credits(made.configuration), pricing.latency(made.configuration)
    about = " · ".join(filter(None, (preset.note, _in_words(preset, state) or "all inputs at their defaults")))
    return (
        preset.name,
        amount,
        None if latency is None else latency[1],
        " ".join(map(str, preset.selected().values())),
        about,
    )


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
    _use(cast("EstimatorScreen", app.work["estimator"]), preset, "open")


def _use(screen: EstimatorScreen, preset: Preset, action: str) -> None:
    if action == "open":
        screen.begin_with(*inputs_of_preset(preset))
    elif (made := of_preset(preset, screen.state)) is not None:
        pin_as(screen, made)
    else:
        screen.workbench.tell("Not pinned: no rates loaded.", title=preset.name)


async def _remove(screen: EstimatorScreen, preset: Preset) -> None:
    name = single_line(preset.name)
    message = f"Remove preset “{name}” and its file? The inputs and the pins stay unchanged."
    if await screen.workbench.push_screen_wait(Confirm("Remove preset", message, "Remove")):
        try:
            _presets(screen).remove(preset.name)
        except (PresetError, OSError) as error:
            screen.workbench.tell(f"Not removed: {_reason(error)}.", title=preset.name, severity="error")
