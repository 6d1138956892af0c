"""Tests what works on a profile, and shows the results as they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from chartui.core.credentials import Key
from chartui.core.profiles import Profile
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.text import Fact, Role

if TYPE_CHECKING:
    from chartui.core.probe import Finding, Verdict
    from chartui.tui.app import ChartuiApp

#: The state of a finding → its sign and the style of the palette it is drawn in.
_LOOKS: Final[Mapping[str, tuple[str, Role]]] = {
    "ok": (GLYPHS.done, "local"),
    "warning": (GLYPHS.warning, "warning"),
    "refused": (GLYPHS.danger, "danger"),
    "unreachable": (GLYPHS.danger, "danger"),
    "not tried": (GLYPHS.waiting, "label"),
}
#: Verdict → why a profile does not work, and what to do about it.
FAILED: Final = {
    "down": "The service does not respond. Check the address, or try again later.",
    "key": "The API key is missing or does not work. Check where it comes from.",
    "stranger": "The server does not behave like the service. Check the address.",
}
#: Maximum number of failing operations that are listed.
_TOLD: Final = 3


async def find_out(
    app: ChartuiApp, profile: Profile, show: Callable[[Sequence[Fact]], None], *, key: Key | None = None
) -> Verdict:
    """Test ``profile`` without changing anything and show the results as they come; gives the verdict.

    ``key`` replaces the profile's API key source. Raises :class:`~chartui.core.profiles.ProfileError`.
    """
    from chartui.core.probe import probe, verdict

    session = app.opening.open(profile)
    findings: list[Finding] = []
    try:
        if key is not None:
            session.set_key(key)
        async for finding in probe(session, clock=app.opening.clock):
            findings.append(finding)
            show(_facts(findings))
    finally:
        await session.aclose()
    return verdict(findings)


def _facts(findings: Sequence[Finding]) -> list[Fact]:
    general = [f for f in findings if not f.operation]
    facts = [_fact(f.name.capitalize(), f) for f in general]
    operations = [f for f in findings if f.operation]
    if operations:
        answered = sum(f.state == "ok" for f in operations)
        broken = [f for f in operations if f.state in ("refused", "unreachable")]
        untried = len(operations) - answered - len(broken)
        text = (
            f"{answered} operations work and {len(broken)} fail. "
            f"{untried} were not tested because tests never change data."
        )
        facts.append(Fact("Operations", text, sign=_LOOKS["warning" if broken else "ok"][0]))
        facts += [_fact("", f, prefix=f"{f.name}: ") for f in broken[:_TOLD]]
    return facts


def _fact(label: str, finding: Finding, *, prefix: str = "") -> Fact:
    sign, role = _LOOKS[finding.state]
    time = f" ({finding.milliseconds:.0f} ms)" if finding.milliseconds is not None else ""
    role = "value" if finding.state == "ok" else role
    return Fact(label, f"{prefix}{finding.sentence}{time}", role=role, sign=sign)
