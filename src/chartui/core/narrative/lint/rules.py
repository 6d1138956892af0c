"""What is looked for in a narrative graph, and why each of it matters.

Errors are what leads to nothing, cannot work, or is said wrongly; warnings what is hardly meant so; notes what may well
be meant, and is worth a look (decisions 36, 39, 40 and 65).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chartui.core.lint import Rule, Severity
from chartui.core.tables import nearest

__all__ = ["RULES", "switched_off"]

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_RULES: Final = (
    Rule("no-start", _E, "The character follows its graph, and nobody said where that begins."),
    Rule("dangling-start", _E, "The section that the story starts with was removed, or never made."),
    Rule("dangling-decision", _E, "A decision that leads to no section leaves the story where it is, or breaks it."),
    Rule("dangling-trigger", _E, "A trigger that leads to no section does nothing when it is fired."),
    Rule("dangling-override", _E, "While this section runs, the trigger leads to a section that is not there."),
    Rule("unknown-trigger", _E, "An override of a trigger that is not there never has any effect."),
    Rule("endless-haste", _E, "Each of these sections moves on at once, so that nobody ever gets a word in."),
    Rule("unclosed-speak", _E, "What is to be said word for word has no end, or an end without a beginning."),
    Rule("undeclared-key", _E, "The application fills only the keys that are declared; this one is said as it stands."),
    Rule("same-trigger-name", _E, "Applications fire triggers by their names, so that each must have one of its own."),
    Rule("duplicate-id", _E, "Of records that share an id only the first can be reached, changed or removed."),
    Rule("unreachable", _W, "No decision, trigger or override leads here from anything that is ever reached."),
    Rule("loop", _W, "Whoever comes here goes round for ever: no decision and no trigger leads out."),
    Rule("dead-end", _W, "It has no list of decisions at all: nobody has decided what comes next."),
    Rule("after-star", _W, "The criteria * are always met, so that decisions behind them are never looked at."),
    Rule("same-decision", _W, "The same decision stands there already; one of the two is enough."),
    Rule("same-criteria", _W, "Two decisions wait for the same and lead elsewhere: only the first is ever taken."),
    Rule(
        "similar-criteria", _W, "Criteria that differ in case, blanks and punctuation only are met by the same words."
    ),
    Rule("no-criteria", _W, "Without criteria nobody can tell when the decision is to be taken."),
    Rule(
        "same-section-name", _W, "Sections of one name are mistaken for one another, and files cannot tell them apart."
    ),
    Rule("similar-name", _W, "Names that differ in case, blanks and punctuation only are mistaken easily."),
    Rule("no-name", _W, "What has no name can be told from others by its id alone."),
    Rule("empty-objective", _W, "Without an objective the character does not know what the section is for."),
    Rule("no-moderation", _W, "A character that follows a graph is meant to be moderated; this one is not."),
    Rule("trigger-only", _N, "No decision leads out of this loop; whoever is in it has to wait for a trigger."),
    Rule("ending", _N, "It has an empty list of decisions: the story ends here."),
    Rule(
        "unreadable-target",
        _N,
        "The target was not found, but may be in the part of the answer that could not be read.",
    ),
    Rule("unconnected-trigger", _N, "Neither the trigger itself nor an override of it leads anywhere."),
    Rule("empty-message", _N, "The message usually tells the character what has happened."),
    Rule("template-key", _N, "The application that the character talks in must fill it, or it is said as it stands."),
    Rule("stored-parents", _N, "The service says otherwise who leads here than the decisions do; the decisions count."),
)
#: Every rule by its id, the gravest first.
RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.id: rule for rule in _RULES})


def switched_off(asked: Mapping[str, str]) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """The rules that are not to be looked at, with the reason for each; and what is wrong with what was asked.

    Each of the latter is a sentence that names the rule and what may have been meant.
    """
    unknown = tuple(f"there is no rule '{name}'{nearest(name, RULES)}." for name in asked if name not in RULES)
    return {name: why for name, why in asked.items() if name in RULES}, unknown
