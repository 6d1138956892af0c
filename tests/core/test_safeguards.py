"""What counts as taking a safeguard of a profile away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chartui.core.credentials import KeySource, SourceKind
from chartui.core.lock import listed, losses
from chartui.core.profiles import Profile, ProfileError, ProfileKind, Profiles
from chartui.core.profiles_file import change_profiles, load_profiles

_URL = "https://service.example"
_SAFE = Profile(name="work", kind=ProfileKind.REMOTE, base_url=_URL, read_only=True, production=True)
_OPEN = replace(_SAFE, read_only=False, production=False)
_ASKED = KeySource(SourceKind.ASK)


def _lost(before: Profile, after: Profile | None) -> list[str]:
    profiles = Profiles().adding(before)
    rest = Profiles() if after is None else profiles.adding(after)
    return [loss.action for loss in losses(profiles.by_name, rest.by_name)]


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (_SAFE, replace(_SAFE, read_only=False), ["unlocking 'work'"]),
        (_SAFE, replace(_SAFE, production=False), ["removing the production mark from 'work'"]),
        (_SAFE, replace(_SAFE, allow_act=True), ["allowing turns on 'work'"]),
        (_OPEN, replace(_OPEN, allow_act=True), ["allowing turns on 'work'"]),
        (_SAFE, replace(_SAFE, base_url="https://other.example"), ["changing the address of 'work'"]),
        (replace(_OPEN, production=True), _OPEN, ["removing the production mark from 'work'"]),
        (_SAFE, _OPEN, ["unlocking 'work'", "removing the production mark from 'work'"]),
        (
            replace(_OPEN, production=True),
            replace(_OPEN, production=True, key=_ASKED),
            ["changing the API key source of 'work'"],
        ),
        (_OPEN, replace(_OPEN, key=_ASKED), []),
        (_SAFE, None, ["removing 'work'"]),
        (_OPEN, None, ["removing 'work'"]),
        (_OPEN, _SAFE, []),
        (_OPEN, replace(_OPEN, base_url="https://other.example"), []),
        (replace(_SAFE, allow_act=True), _SAFE, []),
        (_SAFE, replace(_SAFE, screen="requests", deadline=5), []),
    ],
)
def test_what_is_lost(before: Profile, after: Profile | None, lost: list[str]) -> None:
    assert _lost(before, after) == lost


def test_a_new_profile_takes_nothing_away() -> None:
    assert losses(Profiles().by_name, Profiles().adding(_OPEN).by_name) == ()


def test_several_losses_are_one_phrase() -> None:
    lost = losses(Profiles().adding(_SAFE).by_name, Profiles().adding(_OPEN).by_name)
    assert listed(lost) == "Unlocking 'work' and removing the production mark from 'work'"


def test_nothing_is_lost_without_the_name() -> None:
    change_profiles(lambda known: known.adding(_SAFE))
    done: list[str] = []
    for agreed in (None, "local"):
        with pytest.raises(ProfileError, match="must be confirmed with the profile's name"):
            change_profiles(lambda known: known.adding(_OPEN), agreed=agreed, first=lambda: done.append("key"))
    assert (load_profiles().get("work"), done) == (_SAFE, [])
    change_profiles(lambda known: known.adding(_OPEN), agreed="work", first=lambda: done.append("key"))
    assert (load_profiles().get("work"), done) == (_OPEN, ["key"])
