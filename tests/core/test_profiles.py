"""The file of profiles, and the addresses it may hold."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from chartui.core.credentials import KeySource, SourceKind
from chartui.core.profiles import (
    BUILT_IN,
    Mark,
    Profile,
    ProfileError,
    ProfileKind,
    Profiles,
    check_profile,
    profiles_path,
)
from chartui.core.profiles_file import change_profiles, load_profiles

_HEAD = 'format = "chartui-profiles"\nversion = 1\n'


def _remote(**settings: Any) -> Profile:
    return Profile(**{"name": "work", "kind": ProfileKind.REMOTE, "base_url": "https://service.example", **settings})


#: A profile in which nothing is as usual.
EVERYTHING = _remote(
    key=KeySource(SourceKind.COMMAND, ("pass", "show", "chartui")),
    read_only=False,
    allow_act=True,
    production=True,
    color=Mark.VIOLET,
    theme="lantern",
    screen="actions",
    key_header="X-Key",
    send_key_to_estimation=True,
    ca_file=Path("/etc/ca.pem"),
    proxy="http://proxy.example:8080",
    connect_timeout=1.5,
    read_timeout=2.0,
    deadline=60.0,
    transfer_timeout=90.0,
    answer_limit_mib=128,
    rate_card=Path("/tmp/card.toml"),
)


def _load(text: str | bytes) -> Profiles:
    path = profiles_path()
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_profiles()


def _refusal(text: str | bytes) -> str:
    with pytest.raises(ProfileError) as caught:
        _load(text)
    assert str(profiles_path()) in str(caught.value)
    return str(caught.value)


# -- the file ---------------------------------------------------------------------------------------------------------


def test_without_a_file_there_are_two_profiles() -> None:
    profiles = load_profiles()
    assert [(profile.name, profile.kind, profile.embedded) for profile in profiles.by_name.values()] == [
        ("demo", ProfileKind.DEMO, True),
        ("local", ProfileKind.LOCAL, True),
    ]
    assert profiles.choose(environ={}) is None


def test_a_remote_profile_is_read_only_until_said_otherwise() -> None:
    profiles = _load(_HEAD + '[profiles.work]\nbase_url = "https://service.example/"\n')
    assert profiles.get("work") == _remote(read_only=True)
    assert profiles.get("work").host == "service.example"
    text = _HEAD + '[profiles.work]\nbase_url = "https://service.example"\nread_only = false\n'
    assert not _load(text).get("work").read_only


def test_what_is_written_is_read_again() -> None:
    others = [
        _remote(name="env", key=KeySource(SourceKind.ENV, ("WORK_KEY",)), read_only=True),
        _remote(
            name="file", key=KeySource(SourceKind.FILE, ("/tmp/key",)), base_url="http://x.example", allow_http=True
        ),
        _remote(name="ring", key=KeySource(SourceKind.KEYRING)),
        _remote(name="ask", key=KeySource(SourceKind.ASK)),
        Profile(name="local", kind=ProfileKind.LOCAL, read_only=True),
    ]
    profiles = Profiles()
    for profile in (EVERYTHING, *others):
        profiles = profiles.adding(profile)
    change_profiles(lambda _: profiles.using("work"))
    assert load_profiles() == profiles.using("work")
    assert stat.S_IMODE(profiles_path().stat().st_mode) == 0o600
    assert stat.S_IMODE(profiles_path().parent.stat().st_mode) == 0o700


def test_an_untouched_built_in_profile_is_not_written() -> None:
    change_profiles(lambda known: known)
    assert "demo" not in profiles_path().read_text()
    assert load_profiles() == Profiles()


def test_a_file_of_others_becomes_private_when_it_is_written() -> None:
    _load(_HEAD)
    profiles_path().chmod(0o644)
    change_profiles(lambda known: known.using("demo"))
    assert stat.S_IMODE(profiles_path().stat().st_mode) == 0o600
    assert {path.name for path in profiles_path().parent.iterdir()} == {"profiles.toml", ".profiles.toml.lock"}


def test_a_mark_tells_apart_what_was_given_none() -> None:
    assert [BUILT_IN[name].mark for name in ("demo", "local")] == [Mark.CYAN, Mark.GREEN]
    assert (_remote().mark, _remote(production=True).mark) == (Mark.AMBER, Mark.RED)
    assert _remote(production=True, color=Mark.BLUE).mark is Mark.BLUE


def test_a_built_in_profile_takes_some_settings() -> None:
    profiles = _load(_HEAD + '[profiles.demo]\nread_only = true\nallow_act = true\nrate_card = "card.toml"\n')
    demo = profiles.get("demo")
    assert (demo.kind, demo.read_only, demo.allow_act) == (ProfileKind.DEMO, True, True)
    assert demo.rate_card == profiles_path().parent / "card.toml"
    assert "Unknown key “base_url” in profile 'local'" in _refusal(_HEAD + '[profiles.local]\nbase_url = "https://x"\n')


def test_paths_begin_at_the_home_or_beside_the_file(own_folders: Path) -> None:
    text = _HEAD + '[profiles.w]\nbase_url = "https://x.example"\nca_file = "~/ca.pem"\nkey = {file = "w.key"}\n'
    profile = _load(text).get("w")
    assert profile.ca_file == own_folders / "ca.pem"
    assert profile.key == KeySource(SourceKind.FILE, (str(profiles_path().parent / "w.key"),))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"\xff\xfe", "not UTF-8"),
        ("format = ", "not TOML: "),
        ("a = 1\na = 2", "not TOML: "),
        ("x = " + "[" * 5000, "not TOML: "),
        ("", 'the file must start with: format = "chartui-profiles"'),
        ('format = "other"\nversion = 1\n', 'the file must start with: format = "chartui-profiles"'),
        ('format = "chartui-profiles"\n', "the version is missing; write version = 1 below the format."),
        ('format = "chartui-profiles"\nversion = 2\n', "version 2 is not supported"),
        (_HEAD + "profile = 1\n", "Unknown key “profile” in the file. Did you mean “profiles”?"),
        (_HEAD + "profiles = 1\n", "profiles must be a table"),
        (_HEAD + "[profiles]\nwork = 1\n", "profiles.work must be a table"),
        (_HEAD + "default = 1\n", "default must be text"),
        (
            _HEAD + 'default = "wrk"\n[profiles.work]\nbase_url = "https://x"\n',
            "Unknown profile “wrk”. Did you mean “work”?",
        ),
        (_HEAD + "[profiles.work]\n", "Profile 'work' needs a base_url"),
        (
            _HEAD + '[profiles.work]\nbase_ulr = "x"\n',
            "Unknown key “base_ulr” in profile 'work'. Did you mean “base",
        ),
        (_HEAD + '[profiles.work]\nname = "x"\n', "Unknown key “name” in profile 'work'"),
        (_HEAD + "[profiles.work]\nbase_url = 1\n", "profiles.work.base_url must be text"),
        (_HEAD + "[profiles.work]\nread_only = 1\n", "profiles.work.read_only must be true or false"),
        (_HEAD + "[profiles.demo]\ncolor = 'pink'\n", "Unknown color “pink” for profiles.demo.color"),
        (_HEAD + "[profiles.demo]\ncolor = 'grene'\n", "Did you mean “green”?"),
        (_HEAD + "[profiles.demo]\nscreen = 'actoins'\n", "“actoins” for profile 'demo'. Did you mean “actions”?"),
        (_HEAD + "[profiles.demo]\ntheme = '../x'\n", "The theme of profile 'demo'"),
        (_HEAD + "[profiles.work]\ndeadline = true\n", "profiles.work.deadline must be a number of seconds"),
        (_HEAD + "[profiles.work]\nanswer_limit_mib = 1.5\n", "profiles.work.answer_limit_mib must be a whole number"),
        (_HEAD + '[profiles.work]\nkey = "sk-123"\n', "profiles.work.key must be a table such as"),
        (_HEAD + "[profiles.work]\nkey = {}\n", "profiles.work.key must name exactly one of env, command, file"),
        (_HEAD + "[profiles.work]\nkey = {ask = true, env = 'X'}\n", "must name exactly one of"),
        (
            _HEAD + "[profiles.work]\nkey = {evn = 'X'}\n",
            "Unknown key “evn” in profiles.work.key. Did you mean “env”?",
        ),
        (
            _HEAD + "[profiles.work]\nkey = {env = 'A B'}\n",
            "The key of profile 'work' needs a valid environment variable name",
        ),
        (_HEAD + "[profiles.work]\nkey = {command = 'pass'}\n", "profiles.work.key.command must be a list of strings"),
        (_HEAD + "[profiles.work]\nkey = {command = []}\n", "profiles.work.key.command must be a list of strings"),
        (_HEAD + "[profiles.work]\nkey = {ask = false}\n", "profiles.work.key.ask must be true"),
        (_HEAD + "[profiles.'a b']\nbase_url = 'https://x'\n", "is not a valid profile name"),
    ],
)
def test_a_wrong_file_is_told_with_its_place(text: str | bytes, told: str) -> None:
    assert told in _refusal(text)


def test_a_key_in_the_wrong_place_is_not_repeated() -> None:
    assert "sk-123" not in _refusal(_HEAD + '[profiles.work]\nkey = "sk-123"\n')
    assert "sk-123" not in _refusal(_HEAD + '[profiles.work]\nkey = {command = "sk-123"}\n')
    assert "sk-123" not in _refusal(_HEAD + '[profiles.work]\nkey = {env = "sk-123"}\n')


def test_a_huge_or_unreadable_file_is_told() -> None:
    assert "larger than 1 MiB" in _refusal(b"#" * (1024 * 1024 + 1))
    profiles_path().unlink()
    profiles_path().mkdir()
    with pytest.raises(ProfileError, match="cannot be read"):
        load_profiles()


# -- choosing and changing --------------------------------------------------------------------------------------------


def test_flag_goes_before_environment_before_file() -> None:
    profiles = Profiles(current="demo").adding(_remote())
    assert profiles.choose("work", {"CHARTUI_PROFILE": "local"}) == _remote()
    assert profiles.choose(None, {"CHARTUI_PROFILE": "local"}) == BUILT_IN["local"]
    assert profiles.choose(None, {}) == BUILT_IN["demo"]
    with pytest.raises(ProfileError, match=r"Unknown profile “wrok”\. Did you mean “work”\?"):
        profiles.choose("wrok")
    with pytest.raises(ProfileError, match="Known: demo, local, work"):
        profiles.choose("zzz")


def test_profiles_are_added_replaced_and_removed() -> None:
    profiles = Profiles().adding(_remote()).using("work")
    assert profiles.adding(_remote(read_only=True)).get("work").read_only
    assert profiles.removing("work") == Profiles()
    with pytest.raises(ProfileError, match="cannot be removed"):
        profiles.removing("demo")
    with pytest.raises(ProfileError, match="Unknown profile"):
        profiles.removing("play")
    with pytest.raises(ProfileError, match=r"'demo' is built in\. Choose another name"):
        profiles.adding(_remote(name="demo"))


# -- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("https://service.example", "https://service.example"),
        ("https://Service.Example:8443/", "https://service.example:8443"),
        ("https://service.example/Api//", "https://service.example/Api"),
        ("HTTPS://service.example", "https://service.example"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("https://192.0.2.1:1", "https://192.0.2.1:1"),
        ("https://[2001:db8::1]:65535", "https://[2001:db8::1]:65535"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://localhost", "http://localhost"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
    ],
)
def test_good_addresses(given: str, used: str) -> None:
    assert check_profile(_remote(base_url=given)).base_url == used
    assert check_profile(_remote(base_url=used)).base_url == used


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://service.example", "would send the API key unencrypted"),
        ("http://127.0.0.1.example", "would send the API key unencrypted"),
        ("http://localhost.example", "would send the API key unencrypted"),
        ("http://10.0.0.1", "would send the API key unencrypted"),
        ("http://[::2]", "would send the API key unencrypted"),
        ("https://user@service.example", "must not contain a user name or password"),
        ("https://user:secret@service.example", "must not contain a user name or password"),
        ("http://localhost@service.example", "must not contain a user name or password"),
        ("service.example", "must start with https://"),
        ("//service.example", "must start with https://"),
        ("ftp://service.example", "must start with https://"),
        ("file:///etc/passwd", "must start with https://"),
        ("https:service.example", "must start with https://"),
        ("https:///path", "no valid host and port"),
        ("https://", "no valid host and port"),
        ("https://service.example:99999", "no valid host and port"),
        ("https://service.example:0", "no valid host and port"),
        ("https://service.example:", "no valid host and port"),
        ("https://service.example:x", "no valid host and port"),
        ("https://-service.example", "no valid host and port"),
        ("https://[::1", "no valid host and port"),
        ("https://[::1]x", "no valid host and port"),
        ("https://service.example?x=1", "'?' or '#'"),
        ("https://service.example/?", "'?' or '#'"),
        ("https://service.example#x", "'?' or '#'"),
        ("https://service.example/a/../b", "must not contain '.' or '..'"),
        ("https://service.example\n", "characters that are not allowed in an address"),
        ("https://serv\tice.example", "characters that are not allowed in an address"),
        ("https://service.example/a b", "characters that are not allowed in an address"),
        ("https://service.example\\@evil.example", "characters that are not allowed in an address"),
        ("https://bücher.example", "xn--"),
    ],
)
def test_bad_addresses(url: str, told: str) -> None:
    with pytest.raises(ProfileError) as caught:
        check_profile(_remote(base_url=url))
    assert told in str(caught.value)
    assert "'work'" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_plain_http_elsewhere_must_be_asked_for() -> None:
    assert check_profile(_remote(base_url="http://10.0.0.1", allow_http=True)).base_url == "http://10.0.0.1"


@pytest.mark.parametrize(
    "settings",
    [
        {"base_url": "http://10.0.0.1", "allow_http": True},
        {"base_url": "https://localhost"},
        {"base_url": "http://127.0.0.1:80"},
    ],
)
def test_a_proxy_never_sees_the_key(settings: dict[str, Any]) -> None:
    with pytest.raises(ProfileError, match=r"cannot use an? (?:HTTP )?proxy"):
        check_profile(_remote(proxy="http://proxy.example", **settings))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"key_header": "X Key"}, "key_header"),
        ({"key_header": "X-Key\r\nEvil: 1"}, "key_header"),
        ({"key_header": ""}, "key_header"),
        ({"deadline": 0.0}, "deadline"),
        ({"read_timeout": -1.0}, "read_timeout"),
        ({"transfer_timeout": 3601.0}, "transfer_timeout"),
        ({"answer_limit_mib": 0}, "answer_limit_mib"),
        ({"answer_limit_mib": 1025}, "must be a whole number from 1 to 1024"),
        ({"connect_timeout": float("nan")}, "connect_timeout"),
        ({"connect_timeout": float("inf")}, "connect_timeout"),
        ({"proxy": "socks5://x"}, "proxy"),
        ({"name": ""}, "name"),
        ({"name": "../x"}, "name"),
        ({"name": "a\x1b"}, "name"),
    ],
)
def test_other_settings_are_checked(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ProfileError, match=told) as caught:
        check_profile(_remote(**settings))
    assert str(caught.value).isprintable()
