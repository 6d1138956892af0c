"""The question for the name of a scene file, which is read at once."""

from __future__ import annotations

from pathlib import Path

from chartui.core.actions.scene_file import read_scene
from chartui.core.actions.turn import Turn
from chartui.tui.shell.files import OpenFile

__all__ = ["OpenScene"]


class OpenScene(OpenFile[Turn]):
    """Asks for the name of a scene file; gives what it holds, None where it was left."""

    TITLE_OF_IT = "Open a scene file"
    WHAT_BECOMES = "What is composed is exchanged for it, which r takes back."

    def read(self, path: Path) -> Turn:
        """The scene; raises :class:`~chartui.core.actions.scene_file.ActionFileError`."""
        return read_scene(path)
