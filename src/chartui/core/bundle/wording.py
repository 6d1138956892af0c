"""Differences between a file and a profile in lines for people: what is there goes, what the file says comes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any, Final

from chartui.core.bundle.difference import Difference, Verdict
from chartui.core.jsontext import Wire, canonical, dumps
from chartui.core.plans.difference import differences
from chartui.core.text import display_text, single_line

__all__ = ["difference_lines", "heading", "value_lines"]

_SAID: Final[Mapping[Verdict, str]] = {
    Verdict.IN_FILE: "only in the file",
    Verdict.THERE: "only there, not in the file",
    Verdict.UNKNOWN: "cannot be checked: the service does not give it back",
}


def difference_lines(found: Sequence[Difference]) -> Iterator[str]:
    """The differences, each part with its heading; ``-`` before what is there, ``+`` before what the file says."""
    for _, group in groupby(found, key=lambda one: (one.part, one.slug)):
        parts = list(group)
        yield heading(parts[0])
        for one in parts:
            yield from _lines(one)


def heading(one: Difference) -> str:
    """What a difference is about, in one line."""
    if not one.slug:
        return one.part
    return f"{one.part} {single_line(one.slug, limit=60)}  “{single_line(one.title, limit=60)}”"


def _lines(one: Difference) -> Iterator[str]:
    if not one.member or one.verdict is Verdict.UNKNOWN:
        yield f"  {f'{one.member}: ' if one.member else ''}{_SAID[one.verdict]}"
        return
    said = _SAID.get(one.verdict)
    yield f"  {one.member}{f' ({said})' if said else ''}"
    lines = (
        "none: the story ends here" if _ends(one, value) else value_lines(value) for value in (one.there, one.file)
    )
    for line in differences(*lines):
        if line.sign == "=":
            yield f"      … {'1 line' if line.count == 1 else f'{line.count} lines'} the same"
        else:
            yield f"    {line.sign} {''.join(part.text for part in line.parts)}"


def _ends(one: Difference, value: Wire) -> bool:
    """Whether a value says that the story ends in a section, where null leaves open what comes next."""
    return one.part == "section" and one.member == "decisions" and value == []


def value_lines(value: Wire) -> str:
    """A value as text, with a line for each thing in a list; what is nothing has none."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | Decimal):
        return canonical(Decimal(value))
    if isinstance(value, Mapping):
        return "\n".join(f"{display_text(str(name))} → {display_text(str(target))}" for name, target in value.items())
    return "\n".join(map(_item, value))


def _item(item: Any) -> str:
    if isinstance(item, str):
        return display_text(item)
    if "when" in item:
        priority = f" (priority {item['priority']})" if "priority" in item else ""
        also = f" {display_text(dumps(item['also']))}" if "also" in item else ""
        return f"{display_text(item['when'])} → {display_text(str(item['to']))}{priority}{also}"
    return ": ".join(display_text(str(value)) for value in item.values())
