"""Configurations that somebody keeps: pinned, to hold others against them, and saved as presets.

Both lie on the disk as presets, each in a file of its own, so that two programs lose nothing to each other. What is
pinned is written complete, because a default may be another one tomorrow or elsewhere. Neither is data of a service,
so the lock does not concern them (DESIGN 7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from chartui.core.estimation.prices import Pricing
from chartui.core.estimation.summary import inputs_in_words
from chartui.core.jsontext import canonical
from chartui.core.paths import write_private
from chartui.core.presets import MOST_OF_A_NAME, Kept, Preset, PresetError, Presets, as_toml
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.core.text import single_line
from chartui.tui.numbers import count, credits_text
from chartui.tui.screens.estimator.state import INPUTS, QUANTITIES, SELECTIONS, EstimatorState
from chartui.tui.screens.estimator.study import Pinned, pinned_as, pinned_folder
from chartui.tui.widgets.chooser import Choice, Picker
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.line_list import Column
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.text import Words

if TYPE_CHECKING:
    from pathlib import Path

    from chartui.core.estimation.discovery import Discovery
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.estimator.screen import EstimatorScreen

#: The file in the folder of what is pinned that names the baseline.
BASELINE: Final = "baseline"


# -- names -------------------------------------------------------------------------------------------------------------


class NameBox(Dialog[str | None]):
    """Asks for the name of something that is kept; None where nothing is to be kept."""

    DEFAULT_CSS = """
    NameBox > Vertical { padding: 1 1 1 1; }
    NameBox Words { background: $surface; }
    NameBox Input { padding: 0 1 !important; background: $panel; margin: 1 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Keep"),
        Binding("escape", "dismiss(None)", "Cancel"),
    ]

    def __init__(self, title: str, what: str, name: str) -> None:
        super().__init__()
        self._title = title
        self._what = what
        self._proposal = name
        self._said = Words("")

    def compose(self) -> ComposeResult:
        """What is kept, the box, and what is wrong with what was typed."""
        with Vertical() as panel:
            panel.border_title = Content(self._title)
            yield Words(self._what, role="label")
            yield FilterBox("a name for it")
            yield self._said

    def on_mount(self) -> None:
        """Propose a name; what is typed replaces it."""
        box = self.query_one(Input)
        box.max_length = MOST_OF_A_NAME
        box.value = self._proposal
        box.action_select_all()
        box.focus()

    def on_input_changed(self) -> None:
        """What was wrong may be right now."""
        self._said.show("", role="danger")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the name, if a file can hold it."""
        event.stop()
        name = event.value.strip()
        try:
            as_toml(Preset(name=name))
        except PresetError as error:
            self._said.show(str(error), role="danger")
        else:
            self.dismiss(name)


async def ask_name(app: ChartuiApp, title: str, what: str, name: str, taken: Collection[str]) -> str | None:
    """A name for something, where it is one that is ``taken`` after asking whether to replace that; None for none."""
    while True:
        chosen = await app.push_screen_wait(NameBox(title, what, name))
        if chosen is None or chosen not in taken:
            return chosen
        message = f"There is a “{single_line(chosen)}” already. Replace it by the present one? The other is lost."
        name = chosen
        if await app.push_screen_wait(Confirm(title, message, "Replace it")):
            return name


def proposed(state: EstimatorState, taken: Collection[str]) -> str:
    """What the present inputs may be called: the model and what it reads, with a number where that name is taken."""
    model, tokens = state.value("llm"), state.value("input_tokens")
    label = state.label("llm", model) if isinstance(model, str) else "Default model"
    amount = "" if tokens is None or isinstance(tokens, str) else f" · {count(tokens)} tokens"
    name = f"{single_line(label, limit=MOST_OF_A_NAME - len(amount) - 4)}{amount}"
    number, wanted = 2, name
    while wanted in taken:
        wanted, number = f"{name} {number}", number + 1
    return wanted


# -- what is pinned ----------------------------------------------------------------------------------------------------


async def pin(screen: EstimatorScreen) -> None:
    """Pin the present inputs, under a name that is asked for."""
    made = pinned_as("", screen.state)
    if made is None:
        screen.workbench.tell(f"There is nothing to pin yet: {screen.state.wrong_text or 'no rates are there'}.")
        return
    taken = {one.name for one in screen.state.pinned}
    what = "It stays beside whatever you try next, and others are held against it."
    name = await ask_name(screen.workbench, "Pin this configuration", what, proposed(screen.state, taken), taken)
    if name is not None:
        pin_as(screen, replace(made, name=name))


def pin_as(screen: EstimatorScreen, made: Pinned) -> None:
    """Pin ``made``, in the place of what has its name; the first one is the baseline."""
    state = screen.state
    others = [one for one in state.pinned if one.name != made.name]
    _show(screen, [*others, made], _baseline_of(state))
    _keep(screen, made)


async def drop(screen: EstimatorScreen, name: str) -> None:
    """Pin the one of this name no longer, after asking."""
    key = screen.workbench.keymap.label("save-preset")
    message = f"Pin “{single_line(name)}” no longer? Saved as a preset ({key}) it could be had again."
    if not await screen.workbench.push_screen_wait(Confirm("Pin no longer", message, "Drop it")):
        return
    state = screen.state
    _show(screen, [one for one in state.pinned if one.name != name], _baseline_of(state))
    try:
        Presets(pinned_folder(screen.session)).remove(name)
    except PresetError:
        pass  # it was never written, or another program has dropped it too
    except OSError as error:
        screen.workbench.tell(f"It comes back with the next start: {_reason(error)}.", title=name, severity="warning")


def make_baseline(screen: EstimatorScreen, name: str) -> None:
    """Hold everything against the one of this name."""
    _show(screen, screen.state.pinned, name)
    try:
        write_private(pinned_folder(screen.session) / BASELINE, name.encode())
    except OSError as error:
        screen.workbench.tell(f"It is so until the program ends: {_reason(error)}.", title=name, severity="warning")


def with_kept(state: EstimatorState, folder: Path) -> EstimatorState:
    """A state with what is pinned on the disk beside what it holds itself; needs its rates."""
    made = {one.name: one for one in state.pinned}
    for kept in Presets(folder).all():
        if kept.preset is not None and (one := of_preset(kept.preset, state)) is not None:
            made[one.name] = one
    return _arranged(state, made.values(), _baseline_of(state) or _kept_baseline(folder))


def of_preset(preset: Preset, state: EstimatorState) -> Pinned | None:
    """What a preset amounts to where ``state`` is; None without rates."""
    chosen, typed = inputs_of_preset(preset)
    return pinned_as(preset.name, replace(state, chosen=chosen, typed=typed))


def inputs_of_preset(preset: Preset) -> tuple[dict[str, str | bool], dict[str, str]]:
    """A preset as it is chosen and typed."""
    chosen = {i.attribute: v for i in SELECTIONS if (v := getattr(preset.selections, i.attribute)) is not None}
    typed = {
        i.attribute: canonical(v) for i in QUANTITIES if (v := getattr(preset.assumptions, i.attribute)) is not None
    }
    return chosen, typed


def inputs_of(pinned: Pinned, discovery: Discovery) -> tuple[dict[str, str | bool], dict[str, str]]:
    """What has to be chosen and typed for what is pinned; a quantity that is the default anyway is not typed."""
    usual = discovery.assumptions
    typed = {n: v for n, v in pinned.quantities._asdict().items() if usual.get(INPUTS[n].member) != v}
    return pinned.configuration._asdict(), {n: canonical(Decimal(v)) for n, v in typed.items()}


def _show(screen: EstimatorScreen, pinned: Iterable[Pinned], baseline: str) -> None:
    screen.show(_arranged(screen.state, pinned, baseline))


def _arranged(state: EstimatorState, pinned: Iterable[Pinned], baseline: str) -> EstimatorState:
    """A state with these pinned, by name; without the one that is called ``baseline`` the first takes its place."""
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
    """Write what is pinned, complete."""
    try:
        Presets(pinned_folder(screen.session)).save(_complete(made), replace=True)
    except (PresetError, OSError) as error:
        message = f"It is pinned until the program ends: {_reason(error)}."
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


async def save_preset(screen: EstimatorScreen, pinned: Pinned | None = None) -> None:
    """Save the present inputs as a preset, or those of what is ``pinned``, under a name that is asked for."""
    app, state = screen.workbench, screen.state
    if pinned is None and not state.complete:
        app.tell(f"There is nothing to save yet: {state.wrong_text}.")
        return
    try:
        kept = {one.preset.name: one.preset for one in Presets().all() if one.preset is not None}
        name = proposed(state, kept) if pinned is None else pinned.name
        what = "What was chosen and typed, to be used again here, on the command line, or by somebody else."
        chosen = await ask_name(app, "Save as a preset", what, name, kept)
        if chosen is None:
            return
        note = kept[chosen].note if chosen in kept else ""
        preset = (
            Preset(name=chosen, selections=state.selections(), assumptions=state.assumptions(), note=note)
            if pinned is None
            else replace(_complete(pinned), name=chosen, note=note)
        )
        path = Presets().save(preset, replace=True)
    except (PresetError, OSError) as error:
        app.tell(f"Not saved: {_reason(error)}.", severity="error")
    else:
        app.tell(f"Saved: {path}", title=chosen)


@dataclass(frozen=True, slots=True)
class PresetChoice(Choice):
    """A preset, or a file that holds none: then ``label`` is its name and ``fault`` what is wrong with it."""

    amount: str = ""
    latency: str = ""
    fault: str = ""


class PresetList(Picker[PresetChoice, "tuple[str, str] | None"]):
    """The presets: what is to be done and with which, or None. The letters are keys here until one filters."""

    TYPING = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "take('pin')", show=False),
        Binding("d,delete", "take('remove')", show=False),
        Binding("slash", "filter", show=False),
    ]

    def __init__(self, choices: Sequence[PresetChoice], current: str | None, *, enter: str) -> None:
        amount = max(7, *(cell_len(choice.amount) for choice in choices))
        super().__init__(
            f"Presets · {enter} into the form · p pins · d removes · / filters",
            choices,
            current,
            columns=[
                Column("name", lambda c: c.label, role=lambda c: "danger" if c.fault else "value"),
                Column("credits", lambda c: c.amount, amount, align="right", role="credits"),
                Column("ms", lambda c: c.latency, 7, align="right", role="latency"),
            ],
        )

    def answer(self, choice: PresetChoice) -> tuple[str, str] | None:
        """It goes into the form."""
        return "open", choice.key

    def action_take(self, deed: str) -> None:
        """Do something else with it."""
        choice = self._list.current
        if choice is not None:
            self.dismiss((deed, choice.key))

    def action_filter(self) -> None:
        """Keys go to the box."""
        self.query_one(Input).focus()


async def open_presets(screen: EstimatorScreen) -> None:
    """Choose a preset, to be put into the form, pinned or removed."""
    app = screen.workbench
    at: str | None = None
    while True:
        try:
            kept = Presets().all()
        except OSError as error:
            app.tell(f"No presets: {_reason(error)}.", severity="error")
            return
        if not kept:
            key = app.keymap.label("save-preset")
            app.tell(f"No preset is saved yet: {key} saves the present inputs as one.")
            return
        choices = [_choice(one, screen.state) for one in kept]
        wanted = await app.push_screen_wait(PresetList(choices, at, enter=app.keymap.sign("enter")))
        if wanted is None:
            return
        deed, at = wanted
        chosen = next(one for one in kept if str(one.path) == at)
        if chosen.preset is None:
            app.tell(chosen.fault, title="No preset", severity="error")
        elif deed == "remove":
            await _remove(screen, chosen.preset)
        else:
            _use(screen, chosen.preset, deed)
            return


def _choice(kept: Kept, state: EstimatorState) -> PresetChoice:
    key, preset = str(kept.path), kept.preset
    if preset is None:
        return PresetChoice(key, kept.path.name, detail=kept.fault, amount="–", latency="–", fault=kept.fault)
    made = of_preset(preset, state)
    amount = latency = None
    if made is not None and state.rates is not None:
        pricing = Pricing(state.rates.card, made.quantities)
        amount, latency = pricing.credits(made.configuration), pricing.latency(made.configuration)
    inputs = inputs_in_words(preset.selected() | preset.assumed()) or "every input at its default"
    return PresetChoice(
        key,
        preset.name,
        detail=" · ".join(filter(None, (preset.note, inputs))),
        amount="unknown" if amount is None else credits_text(amount),
        latency="–" if latency is None else count(latency[1]),
    )


def _use(screen: EstimatorScreen, preset: Preset, deed: str) -> None:
    if deed == "open":
        screen.begin_with(*inputs_of_preset(preset))
    elif (made := of_preset(preset, screen.state)) is not None:
        pin_as(screen, made)
    else:
        screen.workbench.tell("It cannot be pinned: no rates are there.", title=preset.name)


async def _remove(screen: EstimatorScreen, preset: Preset) -> None:
    name = single_line(preset.name)
    message = f"Remove the preset “{name}” and its file? What is in the form stays, and what is pinned."
    if await screen.workbench.push_screen_wait(Confirm("Remove a preset", message, "Remove it")):
        try:
            Presets().remove(preset.name)
        except (PresetError, OSError) as error:
            screen.workbench.tell(f"Not removed: {_reason(error)}.", title=preset.name, severity="error")
