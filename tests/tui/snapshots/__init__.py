"""Pictures of every screen, each with its text beside it.

To take them again after a change of looks, with Python 3.11, and to see what moved::

    .venv/bin/pytest tests/tui/snapshots --snapshot-update
    git diff --stat -- '*.txt'

Run it on the whole folder: pictures that no test asks for any more are removed. A picture that differs where its text
does not is shown in ``snapshot_report.html``.
"""
