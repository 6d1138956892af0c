"""``chartui profiles``: manage the services and stores you work on, and test them."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chartui.cli.errors import Exit, UsageError, failure_of
from chartui.cli.files import seconds, whole_number
from chartui.cli.output import Output, members, yes_no
from chartui.cli.parser import SCREENS, Arguments, Handler, Parser, Verbs, add_verb, add_verbs
from chartui.cli.sessions import (
    agree_by_name,
    ask,
    chosen_profile,
    configuration,
    known_profiles,
    profile_called,
    secret,
)
from chartui.core.credentials import (
    KEY_VARIABLE,
    MAX_LENGTH,
    Key,
    KeySource,
    LeftKey,
    SourceKind,
    keep_key,
    key_path,
    left_keys,
)
from chartui.core.lock import listed, losses, refuse_under_lock
from chartui.core.profiles import OF_BUILT_IN, Mark, Profile, ProfileKind, Profiles
from chartui.core.profiles_file import change_profiles, load_profiles
from chartui.core.session import Session, store_path
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import KEY_HEADER

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from chartui.core.jsontext import Wire
    from chartui.core.probe import Finding

_COLORS: Final = ("green", "cyan", "blue", "violet", "amber", "red")
#: The attributes that only services have, in the order shown.
_OF_A_SERVICE: Final = (
    *("key_header", "send_key_to_estimation", "allow_http", "ca_file", "proxy"),
    *("connect_timeout", "read_timeout", "deadline", "transfer_timeout", "answer_limit_mib"),
)
#: The options with the same name as the profile's attribute.
_PLAIN: Final = ("allow_act", "production", "refresh", "rate_card", *_OF_A_SERVICE)
#: The attributes whose names need more words, and the units of the others.
_LABELS: Final = {
    "base_url": "address",
    "key_source": "API key from",
    "allow_act": "allow turns if read-only",
    "key_header": "API key header",
    "send_key_to_estimation": "send API key for estimates",
    "allow_http": "allow unencrypted HTTP",
    "ca_file": "CA file",
    "answer_limit_mib": "response limit",
}
_UNITS: Final = {
    **dict.fromkeys(("refresh", "connect_timeout", "read_timeout", "deadline", "transfer_timeout"), "s"),
    "answer_limit_mib": "MiB",
}
#: Option → help text, with the default.
_LIMITS: Final = {
    "--connect-timeout": "time limit for connecting (default: 3 s)",
    "--read-timeout": "time limit for receiving each 1 KiB of a response (default: 10 s)",
    "--deadline": "total time limit, retries included; a large response only needs to start in time (default: 20 s)",
    "--transfer-timeout": "total time limit for a large response (default: 900 s)",
}
_ADD_EPILOG: Final = """\
API keys are never given on the command line; the options only say where to find
them. --store-key asks for the API key, or reads it from standard input if
there is no terminal. It stores the API key in a file that only you can read, or
in the place given by --key-file or --key-keyring.

Replacing a profile with a less protected one needs --confirm NAME.

examples:
  chartui profiles add work --url https://service.example --key-env WORK_KEY
  chartui profiles add work --url https://service.example --store-key < key.txt
"""


def configure_profiles(parser: Parser) -> None:
    verbs = add_verbs(parser)
    add_verb(verbs, "list", "list the profiles and mark the profile in use", list_profiles)
    verb = add_verb(verbs, "show", "show a profile", show)
    verb.option("name", "NAME", "name of the profile (default: the profile in use)", nargs="?")
    verb = add_verb(verbs, "test", "test the operations of a profile, without changing data", test)
    verb.option("name", "NAME", "name of the profile (default: the profile in use)", nargs="?")
    verb = _add_editing(verbs, "add", "add a profile for a service", add, url_needed=True)
    verb.epilog = _ADD_EPILOG
    verb.flag("--replace", "overwrite an existing profile with this name")
    _add_editing(verbs, "set", "change the given settings of a profile", set_profile, url_needed=False)
    verb = add_verb(verbs, "use", "make a profile the default", use)
    verb.option("name", "NAME", "name of the profile")
    verb = add_verb(verbs, "remove", "remove a profile, and its API key if the key is in a file", remove)
    verb.option("name", "NAME", "name of the profile")
    verb.flag("--dry-run", "show what would be removed, without removing anything")


def _add_editing(verbs: Verbs, name: str, summary: str, handler: Handler, *, url_needed: bool) -> Parser:
    verb = add_verb(verbs, name, summary, handler)
    verb.option("name", "NAME", "name of the profile")
    _add_behaviour(verb)
    _add_key(verb)
    group = verb.add_argument_group("the service")
    group.option("--url", "URL", "address, such as https://service.example", required=url_needed)
    group.switch("--allow-http", "allow sending the API key unencrypted to another machine (default: no)")
    group.switch("--send-key-to-estimation", "also send the API key with estimate requests (default: no)")
    group.option("--key-header", "NAME", f"header that carries the API key (default: {KEY_HEADER})")
    group.option("--ca-file", "FILE", "file of certificate authorities to trust (default: the system's)", type=_path)
    group.option("--proxy", "URL", "address of a proxy (default: none)")
    for option, limit in _LIMITS.items():
        group.option(option, "SECONDS", limit, type=seconds)
    group.option(
        "--answer-limit-mib", "MIB", "size limit for a large response, in MiB (default: 64)", type=whole_number
    )
    verb.flag("--dry-run", "show the resulting profile, without writing it")
    return verb


def _add_behaviour(verb: Parser) -> None:
    group = verb.add_argument_group("permissions and appearance")
    about = "allow changes, or refuse them with --no-read-write or --read-only (default for a service: refuse)"
    group.switch("--read-write", about)
    group.switch("--allow-act", "allow conversations on a read-only profile (default: no)")
    group.switch("--production", "ask for confirmation before the first change in a session (default: no)")
    group.add_argument("--color", choices=_COLORS, help="color that marks the profile on screen")
    group.option("--theme", "NAME", "theme of the terminal UI (default: from config.toml)", dest="its_theme")
    group.add_argument(
        "--screen",
        choices=SCREENS,
        dest="its_screen",
        help="first screen of the terminal UI (default: from config.toml)",
    )
    group.option(
        "--refresh",
        "SECONDS",
        "interval between automatic refreshes in the terminal UI, or 0 for none (the default)",
        type=seconds,
    )
    group.option("--rate-card", "FILE", "rate card of a store (default: the built-in rate card)", type=_path)


def _add_key(verb: Parser) -> None:
    group = verb.add_argument_group(f"source of the API key (default: {KEY_VARIABLE})")
    source = group.add_mutually_exclusive_group()
    source.option("--key-env", "VARIABLE", "environment variable that holds the API key")
    source.option("--key-command", "COMMAND", "command that prints the API key, such as 'pass show x'")
    source.option("--key-file", "FILE", "file that holds the API key, readable only by you", type=_path)
    source.flag("--key-keyring", "the system's keyring")
    source.flag("--key-ask", "prompt for the API key when it is first needed")
    group.flag("--store-key", "ask for the API key now and store it in the file or keyring")


def _path(text: str) -> Path:
    return Path(text).expanduser().absolute()


def key_source(profile: Profile) -> str | None:
    """The source of the API key, in words; None for a store, which needs none. Never the key itself."""
    if profile.embedded:
        return None
    return profile.key_source.describe()


def list_profiles(arguments: Arguments, output: Output) -> None:
    used = chosen_profile(arguments).name
    profiles = known_profiles().by_name.values()
    if output.as_json:
        output.json([_facts(profile, used) for profile in profiles])
        return
    output.table(
        [
            [
                "*" if profile.name == used else "",
                profile.name,
                profile.kind,
                profile.base_url or "this machine",
                "asks first" if profile.production and not profile.read_only else yes_no(not profile.read_only),
                key_source(profile) or "not needed",
            ]
            for profile in profiles
        ],
        header=["", "NAME", "KIND", "WHERE", "CHANGES", "API KEY FROM"],
    )


def show(arguments: Arguments, output: Output) -> None:
    _write(profile_called(arguments.name, arguments), chosen_profile(arguments).name, output)


def _facts(profile: Profile, used: str | None) -> dict[str, Wire]:
    return {
        **members(profile, "name", "kind", "base_url", "read_only", "production"),
        "key_source": key_source(profile),
        "in_use": profile.name == used,
    }


def _all_facts(profile: Profile, used: str | None) -> dict[str, Wire]:
    facts = _facts(profile, used) | {"allow_act": profile.allow_act, "color": profile.mark.value}
    facts |= members(profile, "theme", "screen", "refresh", "rate_card")
    if profile.embedded:
        return facts | {"store": str(store_path(profile))}
    return facts | members(profile, *_OF_A_SERVICE)


def _write(
    profile: Profile,
    used: str | None,
    output: Output,
    left: Sequence[LeftKey] = (),
    changed: Collection[str] | None = None,
) -> None:
    """Write the settings: all of them, or the most important and those that were ``changed``."""
    facts = _all_facts(profile, used)
    if output.as_json:
        output.json(facts | ({"stored_key": _stored_key(left)} if left else {}))
        return
    if changed is not None:
        important = _facts(profile, used)
        facts = {name: value for name, value in facts.items() if name in important or name in changed}
    output.table(
        [
            [_LABELS.get(name, name.replace("_", " ")), _text_of(value, _UNITS.get(name, ""))]
            for name, value in facts.items()
        ]
    )


def _text_of(value: Wire, unit: str) -> str:
    if isinstance(value, bool):
        return yes_no(value)
    text = f"{value:g}" if isinstance(value, float) else str(value or "–")
    return f"{text} {unit}" if unit and value else text


def _stored_key(left: Sequence[LeftKey]) -> dict[str, Wire]:
    removed = next((str(key.path) for key in left if not key.used_by), None)
    return {"key_file": removed, "key_file_used_by": [user for key in left for user in key.used_by]}


def add(arguments: Arguments, output: Output) -> None:
    def begun(profiles: Profiles) -> Profile:
        if arguments.name in profiles.by_name and not arguments.replace:
            raise UsageError(
                f"profile '{arguments.name}' already exists: --replace overwrites it, "
                f"'chartui profiles set {arguments.name}' changes it",
                code="configuration",
            )
        return Profile(name=arguments.name, kind=ProfileKind.REMOTE, read_only=True)

    return _edit(arguments, output, begun)


def set_profile(arguments: Arguments, output: Output) -> None:
    arguments.name = profile_called(arguments.name, arguments).name
    return _edit(arguments, output, lambda profiles: profiles.get(arguments.name))


def _edit(arguments: Arguments, output: Output, begun: Callable[[Profiles], Profile]) -> None:
    source = _source(arguments)
    changes = _changes(arguments) | ({} if source is None else {"key": source})

    def change(profiles: Profiles) -> Profiles:
        profile = begun(profiles)
        if profile.embedded and not changes.keys() <= set(OF_BUILT_IN):
            raise UsageError(
                f"profile '{profile.name}' uses an embedded store, which has no address and needs no API key"
            )
        return profiles.adding(replace(profile, **changes))

    with configuration():
        profiles, left = _changed(change, arguments, store=source if arguments.store_key else None)
    changed = profiles.get(arguments.name)
    _write(changed, profiles.current, output, left, changes)
    for key in left:
        output.note(key.describe(dry_run=arguments.dry_run))
    if arguments.dry_run:
        output.note("nothing was written")
    elif not changed.embedded:
        output.note(f"'chartui profiles test {changed.name}' tests the profile")


def _changes(arguments: Arguments) -> dict[str, Any]:
    given = {name: getattr(arguments, name) for name in _PLAIN}
    given |= {"base_url": arguments.url, "theme": arguments.its_theme, "screen": arguments.its_screen}
    changes = {name: value for name, value in given.items() if value is not None}
    if arguments.read_write is not None or arguments.read_only:
        changes["read_only"] = not arguments.read_write
    if arguments.color is not None:
        changes["color"] = Mark(arguments.color)
    return changes


def _source(arguments: Arguments) -> KeySource | None:
    """The source that the options name; raises :class:`UsageError` if it cannot store an API key."""
    source = None
    if arguments.key_env:
        source = KeySource(SourceKind.ENV, (arguments.key_env,))
    elif arguments.key_command:
        source = KeySource(SourceKind.COMMAND, _words(arguments.key_command))
    elif arguments.key_keyring:
        source = KeySource(SourceKind.KEYRING)
    elif arguments.key_ask:
        source = KeySource(SourceKind.ASK)
    elif arguments.key_file or arguments.store_key:
        source = KeySource(SourceKind.FILE, (str(arguments.key_file or key_path(arguments.name)),))
    if arguments.store_key and source is not None and source.kind not in (SourceKind.FILE, SourceKind.KEYRING):
        raise UsageError(
            "--store-key works only with --key-file or --key-keyring, or if no source of the API key is given"
        )
    return source


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError:
        raise UsageError(f"--key-command: unclosed quotation mark in {command!r}") from None


def _entered_key(name: str) -> Key:
    """The API key, typed without being shown or from standard input; raises :class:`ServiceError` without one."""
    if sys.stdin is not None and sys.stdin.isatty():
        answer = [secret(f"API key for profile '{name}'")]
    else:
        answer = [sys.stdin.readline(MAX_LENGTH * 2) if sys.stdin is not None else ""]
    if not answer[0].strip():
        raise ServiceError(ErrorKind.NO_KEY, "No API key entered. Nothing was stored, and no profile was changed.")
    return Key(answer.pop())


def use(arguments: Arguments, output: Output) -> None:
    name = profile_called(arguments.name, arguments).name
    with configuration():
        change_profiles(lambda profiles: profiles.using(name))
    output.report({"default": name}, f"'{name}' is now the default profile")


def remove(arguments: Arguments, output: Output) -> None:
    name = arguments.name = profile_called(arguments.name, arguments).name
    with configuration():
        _, left = _changed(lambda profiles: profiles.removing(name), arguments)
    sentences = [f"profile '{name}' {'would be ' if arguments.dry_run else ''}removed"]
    sentences += [key.describe(dry_run=arguments.dry_run) for key in left]
    output.report({"removed": name, **_stored_key(left)}, "; ".join(sentences))


def _changed(
    change: Callable[[Profiles], Profiles], arguments: Arguments, *, store: KeySource | None = None
) -> tuple[Profiles, list[LeftKey]]:
    """Change the profiles and ask for an API key to keep in ``store``. Raises as :func:`_checked`.

    A dry run neither asks nor writes.
    """
    profiles, agreed = _checked(change, arguments)
    if arguments.dry_run:
        return profiles, list(left_keys(load_profiles().by_name, profiles.by_name))
    key = _entered_key(arguments.name) if store is not None else None

    def first() -> None:
        if store is not None and key is not None:
            keep_key(key, store, profile=arguments.name)

    left: list[LeftKey] = []
    return change_profiles(change, agreed=agreed, first=first, left=left.append), left


def _checked(change: Callable[[Profiles], Profiles], arguments: Arguments) -> tuple[Profiles, str | None]:
    """The changed profiles, and the profile's name if losing safeguards was confirmed. Raises :class:`ServiceError`."""
    before = load_profiles()
    after = change(before)
    lost = losses(before.by_name, after.by_name)
    if not lost or arguments.dry_run:
        return after, None
    refuse_under_lock(lost, flag=arguments.read_only)
    name, action = arguments.name, listed(lost)
    agree_by_name(
        name,
        arguments,
        what=f"profile '{name}'",
        why=f"{action[0].lower()}{action[1:]} needs --confirm {name}",
        question=f"{action}: type the profile's name to confirm: ",
        kept="Nothing was changed.",
    )
    return after, name


def test(arguments: Arguments, output: Output) -> int:
    """Write the findings; the exit status is that of the worst failure. An insufficient tier does not count."""
    from chartui.core.probe import Verdict, probe, verdict

    async def question(session: Session) -> list[Finding]:
        return [finding async for finding in probe(session)]

    profile = profile_called(arguments.name, arguments)
    findings = ask(arguments, question, profile=profile)
    if output.as_json:
        output.json({"profile": profile.name, "findings": [_finding(found) for found in findings]})
    else:
        for about_operations in (False, True):
            if about_operations:
                output.text()
            rows = [
                [one.name, one.state.value, "" if one.milliseconds is None else f"{one.milliseconds:.0f}", one.sentence]
                for one in findings
                if one.operation is about_operations
            ]
            output.table(
                rows, header=["OPERATION" if about_operations else "", "STATE", "MS", ""], right={2}, wraps=True
            )
    failures = {found.kind for found in findings if found.kind not in (None, ErrorKind.TIER)}
    exits = {failure_of(ServiceError(kind, "")).exit for kind in failures if kind is not None}
    order = (Exit.STORE, Exit.USAGE, Exit.KEY, Exit.REFUSED)
    well = Exit.DONE if verdict(findings) is Verdict.WORKS else Exit.KEY
    return next((status for status in order if status in exits), well)


def _finding(found: Finding) -> dict[str, Wire]:
    return {
        "name": found.name,
        "is_operation": found.operation,
        "state": found.state.value,
        "duration_ms": None if found.milliseconds is None else round(found.milliseconds, 1),
        "error": None if found.kind is None else found.kind.value,
        "message": found.sentence,
    }
