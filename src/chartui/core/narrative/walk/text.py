"""A walk as plain text: how one came from section to section, and what is said there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from chartui.core.narrative.speech import NO_VALUES, filled
from chartui.core.narrative.walk.path import How, Said, Walk
from chartui.core.text import display_text, single_line

__all__ = ["transcript"]

_LIMIT = 200


def transcript(walk: Walk, values: Mapping[str, str] = NO_VALUES) -> str:
    """What is said on a walk, step by step: ``says`` goes before words that are said so, ``is to`` before instructions.

    Ends with a line feed; empty for a walk without steps. What a terminal would obey is made visible.
    """
    return "".join(f"{line}\n" for said in walk.said(walk.steps, values) for line in _lines(walk, said, values))


def _lines(walk: Walk, said: Said, values: Mapping[str, str]) -> Iterator[str]:
    yield _came(walk, said, values)
    passages = [passage for one in (said.message, said.objective) if one is not None for passage in one.passages]
    for passage in passages:
        first, *rest = display_text(passage.text, multiline=True).split("\n")
        yield f"    {'says ' if passage.exactly else 'is to'}  {first}".rstrip()
        yield from (f"{' ' * 11}{line}".rstrip() for line in rest)
    if not passages and not said.step.stays:
        yield "    nothing is said"


def _came(walk: Walk, said: Said, values: Mapping[str, str]) -> str:
    step = said.step
    name = single_line(walk.graph.section_name(step.section), limit=_LIMIT)
    words = single_line(filled(step.words, values), limit=_LIMIT)
    match step.how:
        case How.START:
            return f"▶ {name}"
        case How.AT_ONCE:
            return f"* at once → {name}"
        case How.JUMP:
            return f"… {name}"
        case How.TRIGGER:
            return f"⚡ {words} (leads nowhere)" if step.stays else f"⚡ {words} → {name}"
        case _:
            return f"{words} → {name}"
