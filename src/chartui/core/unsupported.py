"""Features that a service does not offer, and the messages shown where users would look for these features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chartui.core.characters.record import CHANGEABLE, CHANGEABLE_IN_STORES, LABELS
from chartui.core.classes import NamedTuple

#: Other words for members.
_ALSO: Final = {
    "language_code": ("translate", "locale"),
    "voice_type": ("change voice", "speaker voice"),
    "personalised_prompt_config.MODERATION_ENABLED": ("content filter", "safety"),
    "personalised_prompt_config.PROMPT": ("system prompt",),
    "guardrail_meta.blockedWords": ("forbidden words",),
    "user_id": ("character owner",),
    "last_interacted_with": ("last conversation",),
}


class Unsupported(NamedTuple):
    """A feature that a service does not offer, with a title, a message, and other words for the feature.

    ``member`` is the path of the feature in a character's record, if it has one.
    """

    title: str
    answer: str
    words: tuple[str, ...] = ()
    member: str = ""


_TOPICS: Final = (
    Unsupported(
        "Changed by",
        "The service does not report who made a change. The history lists the changes made on this machine.",
        ("author", "audit", "last modified", "who changed the character"),
    ),
    Unsupported(
        "Delete section override",
        "The service cannot change overrides. They can be edited in an embedded store.",
        ("remove override", "clear override"),
    ),
    Unsupported(
        "User conversations",
        "The service does not report conversations. The actions screen lists the turns sent from this machine.",
        ("chat log", "transcripts", "chat history"),
    ),
    Unsupported(
        "Knowledge documents",
        "The service cannot list or change knowledge documents. The estimator shows what knowledge costs.",
        ("upload", "knowledge base", "character files"),
    ),
    Unsupported(
        "Account balance",
        "The service does not report the account balance. The estimator computes how long a subscription lasts.",
        ("credits left", "invoice", "billing"),
    ),
    Unsupported(
        "Delete a decision list", "The service cannot delete the last decision of a section.", ("empty decisions",)
    ),
)


def unsupported(*, embedded: bool) -> Iterator[Unsupported]:
    """Yield all unsupported features, starting with the fields of a record that cannot be changed."""
    changeable = CHANGEABLE_IN_STORES if embedded else CHANGEABLE
    for path, label in LABELS.items():
        if path not in changeable:
            answer = f"The service cannot change “{label}”. The record shows its current value."
            yield Unsupported(label, answer, _ALSO.get(path, ()), path)
    yield from _TOPICS
