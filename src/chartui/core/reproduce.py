"""Build command lines that repeat a call, for bug reports, scripts and checks.

The commands do not contain the API key. Instead, the shell inserts the value of ``$CHARTUI_API_KEY``. The commands are
safe to paste, because every value is quoted for a POSIX shell, and terminal control characters are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from shlex import quote
from typing import TYPE_CHECKING, Final

from chartui.core.credentials import KEY_VARIABLE
from chartui.core.jsontext import Wire, canonical, dumps
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.spec.operation import Effect, Operation
from chartui.core.spec.operations import PORT, operation
from chartui.core.spec.shape import payload_of
from chartui.core.text import escape_json

if TYPE_CHECKING:
    from chartui.core.estimation.budget import Usage
    from chartui.core.estimation.card import RateCard
    from chartui.core.estimation.constraints import Constraints
    from chartui.core.estimation.conversation import Conversation
    from chartui.core.estimation.prices import Configuration, Quantities
    from chartui.core.estimation.rank import Order
    from chartui.core.estimation.scenario import Scenario
    from chartui.core.spec.catalogue import Kind
    from chartui.core.spec.models.estimation import Assumptions, Selections
    from chartui.core.typed_numbers import Range

#: Header names without characters that are special for a shell inside double quotes.
_PLAIN_HEADER: Final = re.compile(r"[A-Za-z0-9_.-]+")


def as_json(value: Wire) -> str:
    """Return ``value`` as indented JSON text that is safe to show and to paste."""
    return escape_json(dumps(value, indent=2))


def as_curl(row: Operation, payload: Mapping[str, Wire], profile: Profile) -> str | None:
    """Return a ``curl`` command that sends the request, or None for an operation without a path.

    Comments before the command say whether the request changes data and, for an embedded store, how to serve it; the
    command uses the address of ``chartui serve``. Raises :class:`~chartui.core.spec.errors.ServiceError` if the payload
    cannot be sent.
    """
    from chartui.core.backends.remote.messages import build_request

    if row.path is None:
        return None
    base_url = profile.base_url or f"http://127.0.0.1:{PORT}"
    request = build_request(row, payload, base_url)
    words = [] if request.method == "GET" else [f"--request {request.method}"]
    if "[" in request.url:
        words.append("--globoff")
    words.append(quote(request.url))
    if row.tier is not None or profile.send_key_to_estimation:
        words.append(f"--header {_key_header(profile.key_header)}")
    words += [f"--header {quote(f'{name}: {value}')}" for name, value in request.headers.items()]
    if request.body is not None:
        words.append(f"--data-raw {quote(escape_json(request.body.decode()))}")
    elif request.method != "GET":
        words.append("--header 'Content-Length: 0'")
    words += _connection(profile, base_url)
    command = " \\\n  ".join([f"curl {words[0]}", *words[1:]])
    return "\n".join([*_comments(row, profile), command])


def _comments(row: Operation, profile: Profile) -> Iterator[str]:
    if row.effect is Effect.WRITE:
        yield "# this request changes data"
    if profile.kind is ProfileKind.DEMO:
        yield "# start a server with demo data first: chartui serve --demo (its IDs and keys are new)"
    elif profile.embedded:
        yield f"# start the server first: chartui serve --profile {quote(profile.name)}"


def _key_header(name: str) -> str:
    if _PLAIN_HEADER.fullmatch(name):
        return f'"{name}: ${KEY_VARIABLE}"'
    return f"""{quote(f"{name}: ")}"${KEY_VARIABLE}\""""


def _connection(profile: Profile, base_url: str) -> list[str]:
    words = []
    if profile.ca_file is not None:
        words.append(f"--cacert {quote(str(profile.ca_file))}")
    if profile.proxy is not None:
        words.append(f"--proxy {quote(profile.proxy)}")
    elif base_url.startswith("http:"):
        words.append("--noproxy '*'")  # a proxy set in the environment would see the API key
    return words


def as_command(row: Operation, payload: Mapping[str, Wire], profile: Profile, *, read_only: bool = False) -> str:
    """Return the call as a ``chartui call`` command.

    If ``read_only`` is set or the profile is read-only, the command includes ``--read-only``.
    """
    words = ["chartui call", row.name, "--profile", quote(profile.name)]
    if read_only or profile.read_only:
        words.append("--read-only")
    if payload:
        words += ["--data", quote(escape_json(dumps(payload)))]
    return " ".join(words)


def estimate_curl(selections: Selections, assumptions: Assumptions, profile: Profile) -> str:
    """Return a ``curl`` command that requests an estimate for these inputs (E 4.1).

    An input of None stands for the service's default. Raises the same errors as :func:`as_curl`.
    """
    command = as_curl(operation("get-estimate"), payload_of(selections) | payload_of(assumptions), profile)
    assert command is not None  # noqa: S101 - the row has a path
    return command


def estimate_command(
    selections: Selections,
    assumptions: Assumptions,
    profile: Profile,
    *,
    character: str | None = None,
    scenario: str = "",
    given: Mapping[str, Range] | None = None,
) -> str:
    """Return a ``chartui estimate`` command for these inputs.

    An input of None stands for the service's default or, if ``character`` is given, for the character's value.
    ``given`` holds the quantities as the user typed them, possibly as ranges. If ``given`` is set, the command contains
    it and ``scenario`` instead of ``assumptions``.
    """
    of = [_option("character", character)] if character is not None else []
    quantities = _assumed(assumptions) if given is None else _mixed(scenario, given)
    return " ".join([*_begun("estimate", profile), *of, *_selected(selections), *quantities])


def conversation_command(
    configuration: Configuration,
    conversation: Conversation,
    profile: Profile,
    *,
    scenario: str = "",
    given: Mapping[str, Range] | None = None,
) -> str:
    """Return a ``chartui estimate --turns`` command for a conversation.

    ``scenario`` and ``given`` are described in :func:`estimate_command`.
    """
    quantities = _assumed(conversation.quantities) if given is None else _mixed(scenario, given)
    words = [*_begun("estimate", profile), *_selected(configuration), *quantities]
    words.append(_option("turns", str(conversation.turns)))
    if not conversation.derived:
        words.append(_option("user-tokens", canonical(Decimal(conversation.user_tokens))))
    if conversation.history is not None:
        words.append(_option("history", str(conversation.history)))
    return " ".join(words)


def compare_command(
    selections: Selections,
    assumptions: Assumptions,
    presets: Sequence[str],
    profile: Profile,
    *,
    baseline: str | None = None,
    scenario: str = "",
    given: Mapping[str, Range] | None = None,
) -> str:
    """Return a ``chartui estimate --compare`` command that compares these inputs with presets.

    Presets are given by name or file. ``baseline`` is the preset to use as the baseline. By default, the inputs are the
    baseline. ``scenario`` and ``given`` are described in :func:`estimate_command`.
    """
    words = [estimate_command(selections, assumptions, profile, scenario=scenario, given=given)]
    words += (_option("compare", preset) for preset in presets)
    if baseline is not None:
        words.append(_option("baseline", baseline))
    return " ".join(words)


def rank_command(
    configuration: Configuration,
    quantities: Quantities,
    profile: Profile,
    *,
    kind: Kind = "llm",
    by: Order | None = None,
    constraints: Constraints | None = None,
    scenario: str = "",
    given: Mapping[str, Range] | None = None,
) -> str:
    """Return a ``chartui rank`` command that ranks all options of one ``kind`` within ``configuration``.

    ``scenario`` and ``given`` are described in :func:`estimate_command`.
    """
    from chartui.core.estimation.rank import RANKED

    words = [*_begun("rank", profile), *(word for word, ranked in RANKED.items() if ranked == kind)]
    if by is not None:
        words.append(_option("sort", by.value))
    if constraints is not None:
        words += _constrained(constraints, configuration)
    assumed = _assumed(quantities) if given is None else _mixed(scenario, given)
    return " ".join([*words, *_selected(configuration), *assumed])


def explore_command(
    constraints: Constraints,
    quantities: Quantities,
    profile: Profile,
    *,
    card: RateCard,
    scenario: str = "",
    given: Mapping[str, Range] | None = None,
) -> str:
    """Return a ``chartui explore`` command for these constraints.

    Constraints equal to the command's defaults for ``card`` are omitted. ``scenario`` and ``given`` are described in
    :func:`estimate_command`.
    """
    from chartui.core.estimation.prices import Configuration

    words = [*_begun("explore", profile), *_constrained(constraints, Configuration.default(card))]
    return " ".join([*words, *(_assumed(quantities) if given is None else _mixed(scenario, given))])


def _constrained(constraints: Constraints, configuration: Configuration) -> list[str]:
    """Return the options for constraints, apart from the defaults for ``configuration``."""
    from chartui.core.estimation.constraints import FEATURES, GROUPS, LIMITS, Need, default_constraints

    words, default = list[str](), default_constraints(configuration)
    changed = [name for name in FEATURES if getattr(constraints, name) is not getattr(default, name)]
    for option, need in (("require", Need.MUST), ("forbid", Need.MUST_NOT), ("allow", Need.ANY)):
        if names := [name.replace("_", "-") for name in changed if getattr(constraints, name) is need]:
            words.append(_option(option, ",".join(names)))
    for member, (option, _) in GROUPS.items():
        words += (_option(option.replace("_", "-"), name) for name in sorted(getattr(constraints, member)))
    for member in ("max_latency", *LIMITS):
        if (limit := getattr(constraints, member)) is not None:
            words.append(_option(member.replace("_", "-"), canonical(Decimal(limit))))
    return words


def subscriptions_command(
    configuration: Configuration,
    quantities: Quantities,
    profile: Profile,
    usage: Usage,
    *,
    scenario: Scenario | None = None,
    given: Mapping[str, Range] | None = None,
) -> str:
    """Return a ``chartui subscriptions`` command for this usage.

    Values equal to the command's defaults are omitted. ``given`` holds the quantities as the user typed them, possibly
    as ranges. If ``given`` is set, the command contains it and ``scenario`` instead of ``quantities``.
    """
    from chartui.core.estimation.budget import INTERACTIONS, USERS, Usage

    words = _begun("subscriptions", profile)
    default = (scenario and scenario.usage) or Usage(USERS, INTERACTIONS)
    for name in Usage._fields:
        value = getattr(usage, name)
        if value is not None and value != getattr(default, name):
            words.append(_option(name, value if isinstance(value, str) else canonical(value)))
    assumed = _assumed(quantities) if given is None else _mixed(scenario.name if scenario else "", given)
    return " ".join([*words, *_selected(configuration), *assumed])


def _mixed(scenario: str, given: Mapping[str, Range]) -> list[str]:
    """Return the options for a scenario, and for quantities that may be ranges."""
    from chartui.core.numbers import range_text

    words = [_option("scenario", scenario)] if scenario else []
    return [*words, *(_option(name.replace("_", "-"), range_text(found)) for name, found in given.items())]


def written_mix(
    scenario: Scenario | None, given: Mapping[str, Range] | None, *, throwaway: bool
) -> tuple[Scenario | None, Mapping[str, Range] | None]:
    """Return the scenario and the quantities for a command.

    If ``throwaway`` is set, a command cannot find the scenario by its name. A scenario with only one kind of
    interaction is then replaced by its quantities. Any other scenario is returned under the name of the file that
    :func:`with_scenario` writes.
    """
    if scenario is None or not throwaway:
        return scenario, given
    if len(scenario.kinds) < 2:
        return None, scenario.cases(given)[0].ranges
    file = re.sub(r"\W+", "-", scenario.name).strip("-").lower()
    return replace(scenario, name=f"./demo-{file or 'scenario'}.toml"), given


def with_scenario(command: str, scenario: Scenario | None, written: Scenario | None) -> str:
    """Return ``command``, preceded by a shell command that writes the scenario file if ``command`` needs one.

    ``scenario`` is the scenario given to :func:`written_mix`, and ``written`` is the scenario that it returned.
    """
    from chartui.core.estimation.scenario import Scenarios

    if scenario is None or written is None or scenario.name == written.name or written.name not in command:
        return command
    return f"cat > {quote(written.name)} <<'END'\n{Scenarios().written(scenario)}END\n{command}"


def _begun(noun: str, profile: Profile) -> list[str]:
    return [f"chartui {noun}", _option("profile", profile.name)]


def _selected(chosen: Selections | Configuration) -> Iterator[str]:
    for name in ("llm", "stt", "tts", "animation"):
        key = getattr(chosen, name)
        if key is not None:
            yield _option(name, key)
    for name in ("memory", "knowledge"):
        on = getattr(chosen, name)
        if on is not None:
            yield f"--{name}" if on else f"--no-{name}"


def _assumed(assumed: Assumptions | Quantities) -> Iterator[str]:
    for name in ("input_tokens", "output_chars", "stt_seconds", "tts_seconds"):
        number = getattr(assumed, name)
        if number is not None:
            yield _option(name.replace("_", "-"), canonical(Decimal(number)))


def _option(name: str, value: str) -> str:
    """Return an option with its value. A value that looks like an option is joined to the name with ``=``."""
    return quote(f"--{name}={value}") if value.startswith("-") else f"--{name} {quote(value)}"
