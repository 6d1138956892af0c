"""How the severity of a finding is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chartui.core.lint import Severity
from chartui.tui.glyphs import GLYPHS

#: The sign and the style of each severity.
SIGNS: Final[Mapping[Severity, tuple[str, str]]] = {
    Severity.ERROR: (GLYPHS.danger, "danger"),
    Severity.WARNING: (GLYPHS.warning, "warning"),
    Severity.NOTE: (GLYPHS.note, "label"),
}
