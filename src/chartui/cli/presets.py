"""``chartui presets``: configurations with a name, kept in files of this program's own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from chartui.cli.configurations import QUANTITIES, SELECTIONS, SWITCHES, add_configuration, option_name
from chartui.cli.errors import Exit, UsageError
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.prompts import asked, can_ask
from chartui.cli.sessions import configuration

if TYPE_CHECKING:
    from pathlib import Path

    from chartui.core.jsontext import Wire
    from chartui.core.presets import Kept, Preset

__all__ = ["add_preset", "configure", "preset_of", "save_preset", "take_preset"]

_WHICH = "the preset's name"


def configure(parser: Parser) -> None:
    """Add the verbs. None of them changes data of a service, so the lock does not concern them (DESIGN 7)."""
    verbs = add_verbs(parser)
    add_verb(verbs, "list", "every preset, and what is chosen in it", list_presets)
    verb = add_verb(verbs, "show", "what is chosen in a preset, and where it is kept", show)
    verb.add_argument("name", metavar="PRESET", help="its name, or a file that holds one")
    verb = add_verb(verbs, "save", "keep a configuration; what is left out is the service's to choose", save)
    verb.add_argument("name", metavar="NAME", help="what to call it")
    verb.add_argument("--note", metavar="TEXT", help="what it is for")
    verb.add_argument("--replace", action="store_true", help="take the place of a preset of this name")
    add_preset(verb)
    add_configuration(verb)
    verb = add_verb(verbs, "rename", "give a preset another name", rename)
    verb.add_argument("name", metavar="NAME", help=_WHICH)
    verb.add_argument("new_name", metavar="NEW", help="its new name")
    verb = add_verb(verbs, "remove", "remove a preset, and the file that holds it", remove)
    verb.add_argument("name", metavar="NAME", help=_WHICH)
    verb.add_argument("--yes", action="store_true", help="do not ask before removing; needed without a terminal")


def add_preset(parser: Parser) -> None:
    """``--preset``, for :func:`preset_of` and :func:`take_preset`."""
    parser.add_argument("--preset", metavar="PRESET", help="a preset to begin with: its name, or a file that holds one")


def preset_of(arguments: Arguments) -> Preset:
    """What the words chose: their options, and below them the preset they name. Without one, its name is empty.

    Raises :class:`UsageError` for a preset that cannot be used.
    """
    from chartui.core.presets import Preset, Presets
    from chartui.core.spec.models.estimation import Assumptions, Selections

    given = vars(arguments)
    with configuration():
        below = Preset(name="") if arguments.preset is None else Presets().get(arguments.preset)
    return below.under(
        Selections(**{name: given[name] for name in (*SELECTIONS, *SWITCHES)}),
        Assumptions(**{name: given[name] for name in QUANTITIES}),
    )


def take_preset(arguments: Arguments) -> None:
    """Let the words hold what ``--preset`` says, where they say nothing themselves. Raises as :func:`preset_of`."""
    preset = preset_of(arguments)
    for part, names in ((preset.selections, (*SELECTIONS, *SWITCHES)), (preset.assumptions, QUANTITIES)):
        for name in names:
            setattr(arguments, name, getattr(part, name))


def save_preset(preset: Preset, output: Output, *, replacing: bool) -> Path:
    """Keep ``preset``, and say where, and of which of its options nothing is known here.

    Raises :class:`UsageError` for one that cannot be kept.
    """
    from chartui.core.presets import Presets

    with configuration():
        path = Presets().save(preset, replace=replacing)
    for told in _unknown_options(preset):
        output.note(told)
    output.note(f"preset '{preset.name}' is kept in {path}")
    return path


def _unknown_options(preset: Preset) -> list[str]:
    """A sentence for each option that the catalogue does not have: a slip, or the service has more (decision 62)."""
    from chartui.core.spec.catalogue import KINDS, option, options
    from chartui.core.tables import nearest

    said = []
    for kind in KINDS:
        key = getattr(preset.selections, kind)
        if key is not None and option(kind, key) is None:
            near = nearest(key, [known.key for known in options(kind)]).partition(" (known")[0]
            said.append(f"{option_name(kind)}: '{key}' is not known here{near}; whether there is one, the service says")
    return said


# -- the verbs --------------------------------------------------------------------------------------------------------


def list_presets(arguments: Arguments, output: Output) -> int:
    """Write the presets; a file that cannot be read is told, hides no other, and makes the status 2."""
    del arguments
    from chartui.core.presets import Presets

    with configuration():
        kept = Presets().all()
    broken = [entry.fault for entry in kept if entry.preset is None]
    status = Exit.USAGE if broken else Exit.DONE
    if output.as_json:
        output.json([_facts(entry) for entry in kept])
        return status
    readable = [entry.preset for entry in kept if entry.preset is not None]
    if readable:
        output.table(
            [[preset.name, _chosen(preset), preset.note] for preset in readable], header=["NAME", "CHOSEN", "NOTE"]
        )
    elif not broken:
        output.note("no preset was saved yet; 'chartui presets save' does")
    for fault in broken:
        output.note(fault)
    return status


def show(arguments: Arguments, output: Output) -> int:
    """Write one preset, from the folder or from wherever it lies."""
    from chartui.core.presets import Presets

    with configuration():
        path, preset = Presets().find(arguments.name)
    _write(path, preset, output)
    return Exit.DONE


def save(arguments: Arguments, output: Output) -> int:
    """Keep what the words chose; with ``--preset`` that is a copy of another one, with changes."""
    below = preset_of(arguments)
    note = below.note if arguments.note is None else arguments.note
    preset = replace(below, name=arguments.name, note=note)
    path = save_preset(preset, output, replacing=arguments.replace)
    _write(path, preset, output)
    return Exit.DONE


def rename(arguments: Arguments, output: Output) -> int:
    """Give a preset a name that no other has."""
    from chartui.core.presets import Presets

    with configuration():
        path = Presets().rename(arguments.name, arguments.new_name)
    if output.as_json:
        output.json({"name": arguments.new_name, "file": str(path)})
    output.note(f"preset '{arguments.name}' is called '{arguments.new_name}' now, and kept in {path}")
    return Exit.DONE


def remove(arguments: Arguments, output: Output) -> int:
    """Remove a preset, once that is agreed to."""
    from chartui.core.presets import Presets

    name: str = arguments.name
    with configuration():
        presets = Presets()
        path = presets.file_of(name)
        if not arguments.yes:
            _agree(f"Remove preset '{name}' ({path})? y/N", output)
        presets.remove(name)
    if output.as_json:
        output.json({"removed": name, "file": str(path)})
    output.note(f"preset '{name}' is removed, with {path}")
    return Exit.DONE


def _agree(question: str, output: Output) -> None:
    """Ask the person at the terminal; raises :class:`UsageError` for anything but a yes."""
    from chartui.core.text import single_line

    if output.as_json or not can_ask():
        raise UsageError("without a terminal to ask on, removing needs --yes", code="unconfirmed")
    if asked(single_line(question) + " ").strip().lower() not in ("y", "yes"):
        raise UsageError("nothing was removed", code="unconfirmed")


# -- what is written --------------------------------------------------------------------------------------------------


def _chosen(preset: Preset) -> str:
    from chartui.core.estimation.summary import inputs_in_words

    return inputs_in_words({**preset.selected(), **preset.assumed()}) or "nothing; all as the service has it"


def _facts(entry: Kept) -> dict[str, Wire]:
    preset = entry.preset
    if preset is None:
        return {"name": None, "file": str(entry.path), "fault": entry.fault}
    return {
        "name": preset.name,
        "note": preset.note,
        "selections": preset.selected(),
        "assumptions": preset.assumed(),
        "file": str(entry.path),
    }


def _write(path: Path, preset: Preset, output: Output) -> None:
    from chartui.core.presets import Kept

    if output.as_json:
        output.json(_facts(Kept(path, preset)))
        return
    output.fields(
        [
            ("name", preset.name),
            *([("note", preset.note)] if preset.note else []),
            ("chosen", _chosen(preset)),
            ("file", str(path)),
        ]
    )
