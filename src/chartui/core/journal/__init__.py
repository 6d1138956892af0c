"""The journal records every intended change before it is sent, and its outcome afterwards.

An intent is on disk before the operation is performed. If it has no outcome and its program is no longer running, the
program crashed: whether the change was applied is unknown, and the next start reports it. Undo reads the
earlier values. The settings screen reads the last values written to members that a service does not return (decision
25). Plans are stored here as well, so that interrupted ones can be resumed. The journal never contains an API key,
because payloads and answers contain none.
"""

from __future__ import annotations

from chartui.core.journal.journal import Journal
from chartui.core.journal.model import Asked, Entry, KeptPlan, Outcome, PlanState, Written, outcome_of

__all__ = ["Asked", "Entry", "Journal", "KeptPlan", "Outcome", "PlanState", "Written", "outcome_of"]
