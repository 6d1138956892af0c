"""The figures of the damaged copies, at the end of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Say how many copies were damaged, and how the commands ended."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            for name, figures in getattr(report, "user_properties", ()):
                if name == "damaged":
                    terminalreporter.write_line(f"damaged: {figures}")
