"""Deciding on a configuration with nothing but a keyboard and the smallest window."""

from __future__ import annotations

import csv
from pathlib import Path

from chartui.core.presets import Presets
from tests.pty.terminal import CHARTUI, running


def test_from_the_start_to_a_saved_preset_and_an_exported_comparison(tmp_path: Path) -> None:
    with running((CHARTUI, "--profile", "demo", "--screen", "estimator"), size=(80, 24)) as terminal:
        terminal.wait_for("Configuration", "credits per interaction")
        terminal.type("p")
        terminal.wait_for("Pin this configuration")
        terminal.type("today\r")
        terminal.wait_for("vs. “today”")
        terminal.type("\r")
        terminal.wait_for("58 of 58")
        terminal.type("mdla_4o\r")
        terminal.wait_for("29.368")
        terminal.type("a")
        terminal.wait_for("Save as preset")
        terminal.type("Better\r")
        terminal.wait_for("Saved:")
        terminal.type("]")
        terminal.wait_for("Different inputs")
        terminal.type("W")
        terminal.wait_for("Comparison (CSV)")
        terminal.type("comparison csv\r")
        terminal.wait_for("Write to file")
        terminal.type(f"{tmp_path}/compared\r")
        terminal.wait_for("Written:")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
    assert Presets().get("Better").selections.llm == "mdla_4o"
    rows = list(csv.DictReader((tmp_path / "compared.csv").open()))
    (total,) = [row for row in rows if row["part"] == "total"]
    assert (total["today"], total["current"], total["current: difference"]) == ("10.296875", "29.3675", "19.070625")


def test_a_message_is_replaced_by_the_next_one() -> None:
    """Both are as high: the framework draws, asks for the height, and sees no reason to draw again."""
    with running((CHARTUI, "demo"), size=(120, 40)) as terminal:
        terminal.wait_for("Configuration", "credits per interaction")
        terminal.type("\x1b[C")
        terminal.wait_for_rest()
        for key, message in (("z", "Undone: Model"), ("Z", "Redone: Model"), ("z", "Undone: Model")):
            terminal.forget()
            terminal.type(key)
            terminal.wait_for(message)
            terminal.wait_for_rest()
        terminal.type("q")
        assert terminal.end() == 0
