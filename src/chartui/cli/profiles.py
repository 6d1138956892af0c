"""``chartui profiles``: the profiles that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.errors import Exit
from chartui.cli.output import Output, yes_no
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.sessions import chosen_profile, known_profiles

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Profile

__all__ = ["configure", "key_source"]


def configure(parser: Parser) -> None:
    """Add the verbs."""
    add_verb(add_verbs(parser), "list", "every profile, and which one is used", list_profiles)


def key_source(profile: Profile) -> str | None:
    """Where the key comes from, in words; None for a store, which needs none. Never the key."""
    if profile.embedded:
        return None
    from chartui.core.credentials import KEY_VARIABLE

    return profile.key.describe() if profile.key else f"the environment variable {KEY_VARIABLE}"


def list_profiles(arguments: Arguments, output: Output) -> int:
    """Write the profiles; nothing is opened or asked."""
    used = chosen_profile(arguments).name
    profiles = known_profiles().by_name.values()
    if output.as_json:
        output.json([_facts(profile, used) for profile in profiles])
        return Exit.DONE
    output.table(
        [
            [
                "*" if profile.name == used else "",
                profile.name,
                profile.kind,
                profile.base_url or "this machine",
                yes_no(profile.read_only),
                key_source(profile) or "not needed",
            ]
            for profile in profiles
        ],
        header=["", "NAME", "KIND", "WHERE", "READ-ONLY", "KEY FROM"],
    )
    return Exit.DONE


def _facts(profile: Profile, used: str) -> dict[str, Wire]:
    return {
        "name": profile.name,
        "kind": profile.kind.value,
        "base_url": profile.base_url,
        "read_only": profile.read_only,
        "key_source": key_source(profile),
        "used": profile.name == used,
    }
