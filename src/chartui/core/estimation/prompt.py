"""Estimate the input tokens of a character from the lengths of the texts in its prompt.

Conversation history, memories and passages of the knowledge bank are also part of a prompt, but they do not belong to
the character, so they are not included.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from itertools import accumulate, pairwise
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import CHARS_PER_TOKEN, EXACT
from chartui.core.estimation.source import Source
from chartui.core.jsontext import Wire
from chartui.core.numbers import count, number_of
from chartui.core.text import single_line

BACKSTORY: Final = "backstory"
PROMPT: Final = "prompt"
OBJECTIVE: Final = "objective"
SCENE: Final = "scene"


class PromptPart(NamedTuple):
    """A text in a prompt.

    ``characters`` is its length. If the text cannot be read, ``characters`` is None and ``why`` gives the reason.
    """

    text: str
    characters: int | None
    source: Source = Source.RECORD
    why: str = ""


class Prompt(NamedTuple):
    """The texts in a character's prompt, in display order."""

    parts: tuple[PromptPart, ...]

    @property
    def readable(self) -> bool:
        """Whether any of the character's own texts were read, so that an estimate of the input tokens makes sense."""
        return any(part.characters is not None for part in self.parts if part.text in (BACKSTORY, PROMPT))

    @property
    def unread(self) -> tuple[str, ...]:
        """The names of the texts that cannot be read."""
        return tuple(part.text for part in self.parts if part.characters is None)

    def with_part(self, changed: PromptPart) -> Prompt:
        """Return a copy with one text replaced.

        ``changed`` replaces the text of the same name or, if there is none, is added.
        """
        others = tuple(part for part in self.parts if part.text != changed.text)
        place = next((i for i, part in enumerate(self.parts) if part.text == changed.text), len(others))
        return Prompt((*others[:place], changed, *others[place:]))


def prompt_of(
    *,
    backstory: int | None,
    backstory_from: Source,
    prompt: int | None,
    objective: int | None,
    scene: int | None,
    actions: int,
) -> Prompt:
    """Return the prompt of a character, given the lengths of its texts.

    A length is None if the text cannot be read. ``objective`` is the length of the longest objective in the narrative
    graph, because a conversation is in one section at a time. ``scene`` is None if no scene was composed on this
    machine. The scene then consists of the ``actions`` in the record.
    """
    return Prompt(
        (
            PromptPart(BACKSTORY, backstory, backstory_from, "" if backstory is not None else _NO_BACKSTORY),
            PromptPart(PROMPT, prompt, why="" if prompt is not None else "The record has no readable prompt."),
            PromptPart(OBJECTIVE, objective, why=_OBJECTIVE if objective is not None else _NO_OBJECTIVE),
            PromptPart(SCENE, actions, why=_STARTING)
            if scene is None
            else PromptPart(SCENE, scene, why="The scene composed for the character on this machine."),
        )
    )


_NO_BACKSTORY: Final = "The service does not return the backstory, and none was applied from this machine."
_OBJECTIVE: Final = "Only the longest objective counts, because a conversation is in one section at a time."
_NO_OBJECTIVE: Final = "The narrative graph was not read."
_STARTING: Final = "No scene was composed for the character on this machine, so the actions in its record count."


class InputTokens(NamedTuple):
    """The input tokens estimated from the length of a prompt.

    If some texts cannot be read, the number is a lower bound. ``kinds`` names the kinds of interaction that the number
    applies to. It is empty if the number applies to all kinds.
    """

    prompt: Prompt
    per_token: int | Decimal = CHARS_PER_TOKEN
    kinds: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """The number of tokens for all texts together, rounded up."""
        return tokens_of(sum(part.characters or 0 for part in self.prompt.parts), self.per_token)

    @property
    def at_least(self) -> bool:
        return bool(self.prompt.unread)

    @property
    def each(self) -> tuple[int, ...]:
        """The number of tokens for each text, rounded so that these numbers add up to the total."""
        lengths = accumulate((part.characters or 0 for part in self.prompt.parts), initial=0)
        ends = [tokens_of(length, self.per_token) for length in lengths]
        return tuple(end - begin for begin, end in pairwise(ends))

    @property
    def kinds_text(self) -> str:
        """The kinds of interaction that the number of input tokens applies to, such as `` for “Greeting”``.

        The text is empty if the number applies to all kinds.
        """
        return f" for {', '.join(f'“{single_line(kind, limit=24)}”' for kind in self.kinds)}" if self.kinds else ""

    @property
    def parts_text(self) -> str:
        """The number of tokens for each non-empty text, such as ``backstory 120, objective 30``."""
        sizes = zip(self.prompt.parts, self.each, strict=True)
        return ", ".join(f"{part.text} {count(tokens)}" for part, tokens in sizes if tokens)

    @property
    def unread_text(self) -> str:
        """A sentence that names the texts that cannot be read, or an empty string if all texts can be read."""
        return unread_text(self.prompt.unread)

    def told(self, name: str = "") -> str:
        """Return sentences with the number of tokens, the share of each text, and the texts that cannot be read.

        ``name`` is the character's name.
        """
        number = f"{'At least ' if self.at_least else ''}{number_of(self.number, 'input token')}{self.kinds_text}"
        parts = f" ({self.parts_text})" if self.parts_text else ""
        return f"{number}, estimated from the texts{f' of {name}' if name else ''}{parts}. {self.unread_text}".rstrip()


def tokens_of(characters: int, per_token: int | Decimal) -> int:
    """Convert a text length in characters to a number of tokens, rounded up."""
    if isinstance(per_token, int):
        return -(-characters // per_token)
    return int(EXACT.divide(characters, per_token).to_integral_value(ROUND_CEILING))


def unread_text(texts: Sequence[str]) -> str:
    """Return a sentence that names texts that cannot be read, or an empty string if there are none."""
    return f"Not included (unreadable): {', '.join(texts)}." if texts else ""


def tokens_as_wire(tokens: InputTokens) -> dict[str, Wire]:
    """Return the estimated input tokens as JSON data, in total and for each text.

    ``characters`` is null if a text cannot be read, and ``kinds`` is null if the number applies to all kinds of
    interaction.
    """
    return {
        "number": tokens.number,
        "estimated": True,
        "at_least": tokens.at_least,
        "characters_per_token": tokens.per_token,
        "kinds": list(tokens.kinds) or None,
        "parts": [
            {
                "text": part.text,
                "characters": part.characters,
                "tokens": None if part.characters is None else number,
                "source": part.source.value,
                "reason": part.why or None,
            }
            for part, number in zip(tokens.prompt.parts, tokens.each, strict=True)
        ],
    }
