"""What in the text of a passage is meant for a program that plays the story: found, and never obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from chartui.core.narrative.incoming import Misfit

__all__ = ["Found", "code_in"]

#: Macros that are known whatever the format is said to be; a word and a colon in parentheses may be plain text.
_HARLOWE: Final = frozenset(
    {
        *("set", "put", "if", "unless", "else", "else-if", "elseif", "cond", "either", "for", "loop", "live", "stop"),
        *(
            "print",
            "display",
            "visited",
            "goto",
            "go-to",
            "undo",
            "redirect",
            "alert",
            "prompt",
            "confirm",
            "input-box",
        ),
        *(
            "link",
            "link-goto",
            "link-repeat",
            "link-replace",
            "link-reveal",
            "link-reveal-goto",
            "link-show",
            "link-undo",
        ),
        *("click", "click-goto", "click-replace", "mouseover", "mouseout", "cycling-link", "seq-link", "storylet"),
        *("replace", "append", "prepend", "show", "hidden", "enchant", "macro", "save-game", "load-game"),
        *("text-style", "text-colour", "text-color", "colour", "color", "transition", "t8n", "align", "font", "css"),
    }
)
_SUGARCUBE: Final = re.compile(r"<<\s{0,4}(/?[A-Za-z_=\-][\w\-]{0,40})")
_PARENTHESIS: Final = re.compile(r"\(([A-Za-z0-9][\w\-]{0,40}):")
#: A macro whose first word is a text, which may be the name of a passage.
_NAMED: Final = re.compile(
    r"""(?:<<[\w\-]{1,40}[ \t]{1,8}|\([\w\-]{1,40}:[ \t]{0,8})(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')"""
)
_SNOWMAN: Final = re.compile(r"<%[=\-]?")
_CHAPBOOK: Final = re.compile(
    r"^\[(?:if|unless|else|cont|continue|after|append|align|note|n\.b\.|ifalways|ifnever|JavaScript|CSS)\b[^\]]{0,200}\]\s*$",
    re.IGNORECASE,
)
_VARIABLE: Final = re.compile(r"\$[A-Za-z_]\w{0,60}")
_MARKUP: Final = re.compile(r"(?<!<)</?([A-Za-z][A-Za-z0-9\-]{0,30})(?=[\s/>])|<!--|/\*|/%")
#: The one element that means something here (decision 36).
_KEPT: Final = "speak"


class Found(NamedTuple):
    """Something in a line, counted from 0 within the text; ``example`` is the name where a passage may be named."""

    misfit: Misfit
    line: int
    example: str


def code_in(text: str, story_format: str) -> Iterator[Found]:
    """Macros, variables and markup, line by line; ``story_format`` is the name of the format, empty where unknown."""
    everything = story_format.casefold() == "harlowe"
    for number, line in enumerate(text.split("\n")):
        for match in _SUGARCUBE.finditer(line):
            yield Found(Misfit.CODE, number, f"<<{match[1]}>>")
        for match in _PARENTHESIS.finditer(line):
            if everything or match[1].casefold() in _HARLOWE:
                yield Found(Misfit.CODE, number, f"({match[1]}:)")
        for match in _NAMED.finditer(line):
            yield Found(Misfit.NAMED, number, match[1] or match[2])
        for match in (*_SNOWMAN.finditer(line), *_CHAPBOOK.finditer(line)):
            yield Found(Misfit.CODE, number, match[0].strip())
        for match in _VARIABLE.finditer(line):
            yield Found(Misfit.VARIABLE, number, match[0])
        for match in _MARKUP.finditer(line):
            if (match[1] or "").casefold() != _KEPT:
                yield Found(Misfit.MARKUP, number, f"<{match[1]}>" if match[1] else match[0])
