"""Combinations that are accepted and yet hardly meant (decision 4), and what the total leaves out (decision 2)."""

from __future__ import annotations

from typing import NamedTuple

from chartui.core.estimation.pricing import Configuration
from chartui.core.spec.catalogue import (
    INCLUDED_IN_REALTIME,
    NO_ANIMATION,
    NO_STT,
    NO_TTS,
    is_billed_by_provider,
)

__all__ = ["Oddity", "has_speech_in", "has_speech_out", "oddities"]


class Oddity(NamedTuple):
    """One remark: the member it is about, and a sentence. ``odd`` is False for what is only left out of the total."""

    member: str
    text: str
    odd: bool = True


def has_speech_in(configuration: Configuration) -> bool:
    """Whether speech is understood: by the live model itself, or by something beside a text model."""
    return configuration.stt != NO_STT and (configuration.realtime or configuration.stt != INCLUDED_IN_REALTIME)


def has_speech_out(configuration: Configuration) -> bool:
    """Whether there is speech: from the live model itself, or from something beside a text model."""
    return configuration.tts != NO_TTS and (configuration.realtime or configuration.tts != INCLUDED_IN_REALTIME)


def oddities(configuration: Configuration) -> tuple[Oddity, ...]:
    """What is to be said of a configuration, in the order of its members."""
    found = []
    if is_billed_by_provider(configuration.llm):
        found.append(Oddity("llm", "Your provider bills the model: the total is without it.", odd=False))
    if configuration.realtime:
        if configuration.stt not in (NO_STT, INCLUDED_IN_REALTIME):
            found.append(Oddity("stt", "A realtime model hears by itself: what is chosen for speech in is not used."))
        if configuration.tts not in (NO_TTS, INCLUDED_IN_REALTIME):
            found.append(Oddity("tts", "A realtime model speaks by itself: what is chosen for speech out is not used."))
    else:
        if configuration.stt == INCLUDED_IN_REALTIME:
            found.append(Oddity("stt", "Only realtime models include speech in: with this one nothing is heard."))
        if configuration.tts == INCLUDED_IN_REALTIME:
            found.append(Oddity("tts", "Only realtime models include speech out: with this one nothing is spoken."))
        elif is_billed_by_provider(configuration.tts):
            found.append(Oddity("tts", "Your provider bills the voice: the total is without it.", odd=False))
    if configuration.animation != NO_ANIMATION and not has_speech_out(configuration):
        found.append(Oddity("animation", "The face is billed by the seconds spoken, though nothing is spoken."))
    return tuple(found)
