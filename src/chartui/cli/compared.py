"""The configurations that a command compares, and their baseline."""

from __future__ import annotations

from typing import Final

from chartui.cli.errors import UsageError
from chartui.cli.gates import is_path
from chartui.cli.parser import Arguments
from chartui.cli.sessions import configuration
from chartui.core.naming import BadName, Item, find, unknown
from chartui.core.presets import Preset, Presets

#: The name of the command's own configuration in a comparison.
CURRENT: Final = "current"


def asked_presets(arguments: Arguments, chosen: Preset) -> list[tuple[str, Preset]]:
    """The given configuration and the presets of ``--compare``, each with a different name."""
    asked = {CURRENT: chosen}
    with configuration():
        presets = Presets()
        for word in arguments.compare or ():
            path, preset = presets.find(word)
            asked[f"{preset.name} ({path.name})" if preset.name in asked else preset.name] = preset
    return list(asked.items())


def baseline_of(arguments: Arguments, names: list[str]) -> int:
    if arguments.baseline is None or is_path(arguments.baseline):
        return 0
    try:
        return names.index(find("preset", arguments.baseline, map(Item, names), whole=True).id)
    except BadName:
        raise UsageError(unknown("preset", arguments.baseline, names, place="for --baseline")) from None
