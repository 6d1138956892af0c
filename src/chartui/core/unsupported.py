"""Features that a service does not support, and the messages shown where you would look for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from chartui.core.characters.record import LABELS

#: The members that can be changed: with ``update-character`` and ``toggle-narrative``.
_WRITABLE: Final = frozenset(
    {
        "personalised_prompt_config.MODEL",
        "personalised_prompt_config.TEMPERATURE",
        "reasoning_effort",
        "backstory",
        "is_narrative_driven",
    }
)
#: Other words for members.
_ALSO: Final = {
    "language_code": ("translate", "locale"),
    "voice_type": ("change voice", "speaker voice"),
    "personalised_prompt_config.MODERATION_ENABLED": ("content filter", "safety"),
    "personalised_prompt_config.PROMPT": ("system prompt",),
    "guardrail_meta.blockedWords": ("forbidden words",),
    "user_id": ("who owns it",),
    "last_interacted_with": ("last conversation",),
}


class Unsupported(NamedTuple):
    """An unsupported feature: its title, the answer, and more search words. ``member`` is its path in the record."""

    title: str
    answer: str
    words: tuple[str, ...] = ()
    member: str = ""


_TOPICS: Final = (
    Unsupported(
        "Who changed it and when",
        "The service does not report who made a change or when. The history lists the changes made from this machine.",
        ("author", "audit", "changed by", "last modified"),
    ),
    Unsupported(
        "Delete section override",
        "The service has no operation for overrides. They can be edited in an embedded store.",
        ("remove override", "clear override"),
    ),
    Unsupported(
        "Conversations of users",
        "The service does not list conversations of users. The turns sent from here are listed on the actions screen.",
        ("chat log", "transcripts", "chat history"),
    ),
    Unsupported(
        "Knowledge documents",
        "The service has no operation for knowledge documents. The estimator shows what knowledge costs.",
        ("upload", "knowledge base", "files of the character"),
    ),
    Unsupported(
        "Account balance",
        "The service does not report the account balance. The estimator computes how long a subscription lasts.",
        ("credits left", "invoice", "billing"),
    ),
    Unsupported(
        "Delete a decision list",
        "The service has no operation to remove the last decision of a section.",
        ("empty decisions",),
    ),
)


def unsupported() -> Iterator[Unsupported]:
    """Yield every unsupported feature, starting with the record members that cannot be changed."""
    for path, label in LABELS.items():
        if path not in _WRITABLE:
            answer = f"The service has no operation to change “{label}”. The record shows the current value."
            yield Unsupported(label, answer, _ALSO.get(path, ()), path)
    yield from _TOPICS
