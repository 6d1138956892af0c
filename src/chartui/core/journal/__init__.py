"""Record every intended change before it is sent, and its outcome afterwards.

An intended change is on disk before the operation is performed. If it has no outcome and the program that made it is no
longer running, that program crashed. The outcome is then unknown, and the program reports this at its next start. Undo
reads the earlier values from the journal. If a service does not return a setting, the settings screen reads its last
written value from the journal (decision 25). The journal also stores plans, so that interrupted plans can be resumed.
The journal never contains an API key.
"""

from __future__ import annotations

from chartui.core.journal.journal import Journal
from chartui.core.journal.model import Asked, Entry, KeptPlan, Outcome, PlanState, Written, outcome_of

__all__ = ["Asked", "Entry", "Journal", "KeptPlan", "Outcome", "PlanState", "Written", "outcome_of"]
