"""Texts avoid the habits that make them hard to read: each pattern names the words to use in its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from .pages import ROOT
from .texts import docstrings, texts

#: What not to write, and what to write in its place.
HABITS: Final = {
    r"\bput(?:s|ting)?\b (?:\w+ ){0,3}\bright\b": "fix",
    r"\b(?:is|are|was|were|be|been) told\b": "shown, reported, listed",
    r"\b(?:lead|leads|leading|led) (?:on\b|nowhere|to nothing|back)": "goes to, has no target, dead end",
    r"\bwhat (?:is|was) there\b": "the current value, the stored version",
    r"\b(?:take|takes|taken|taking|took) (?:\w+ )?back\b": "undo, revert",
    r"\b(?:no|some)body\b": "name the thing, or use the passive",
    r"\bone's\b|\bwhat one\b|\b(?:if|when|as|while|that|where|until) one (?:\w+s|may|can|has|is)\b": "you, your own",
    r"\belse (?:that|those|the one) of\b": "(default: …), falls back to …",
    r"\b(?:hold|holds|held|holding) against\b": "compare with, relative to",
    r"\b(?:go|goes|going|gone|went) on with\b": "resume, continue",
    r"\bby chance\b|\bchance\b": "random",
    r"\b(?:what becomes|became) of\b": "effect on, what happens to",
    r"\bnot (?:\w+ )?any ?more\b": "no longer",
    r"\bfor ever\b": "forever, an infinite loop",
    r"\bgrave(?:r|st)?\b": "severity",
    r"\bblanks?\b": "spaces",
    r"\banew\b": "again",
    r"\bdeeds?\b": "change",
    r"\bwho(?:m)?ever\b": "you, or name the person",
    r"\bthereof\b|\btherein\b|\bhereby\b": "name the thing",
    r"\busual(?:ly)?\b": "default, normally",
    r"\b(?:gone|go|goes) through\b": "check, follow",
    r"\b(?:may|can|could) (?:well )?be meant\b|\bis meant\b": "say who intends what",
    r"\bnowhere\b": "has no target",
    r"\bwhat waits\b|\bwhat is staged\b": "staged changes",
    r"\bcarry(?:ing)? out\b|\bcarrie[sd] out\b": "apply",
    r"(?<!there )\bis no (?!longer|more)": "is not a",
}

#: Files that name one of these for a reason.
MEANT: Final[Mapping[str, str]] = {}


def test_texts_keep_to_plain_words_and_the_exceptions_are_still_needed() -> None:
    found = {
        (str(text.path.relative_to(ROOT)), f"{text.place}: {match[0]!r} → {better}: {text.words[:160]}")
        for text in (*texts(), *docstrings())
        for pattern, better in HABITS.items()
        for match in re.finditer(pattern, text.words, re.IGNORECASE)
    }
    assert sorted(line for path, line in found if path not in MEANT) == []
    assert len(MEANT) <= 20
    assert set(MEANT) == {path for path, _ in found}
