"""Completion: what the program offers for a line, and what real shells make of it."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from chartui.cli.candidates import FILES, FOLDERS, Word, split
from chartui.cli.completion import SHELLS
from chartui.cli.parser import NOUNS
from chartui.core.backends.local.store import Store
from chartui.core.credentials import KeySource, SourceKind
from chartui.core.paths import private_folder, store_file
from chartui.core.presets import Preset, Presets
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.profiles_file import change_profiles
from chartui.demos import fill
from chartui.demos.tour_file import shipped_tours
from tests.pty.terminal import CHARTUI, running

from .conftest import Result, Run
from .test_processes import WATCHED

ELENA = "chartui narrative sections show 'elena marsh' "


def offered(run: Run, line: str) -> dict[str, str]:
    """The candidates for a line, with their descriptions."""
    result = run("complete", "zsh", line)
    assert (result.status, result.err) == (0, "")
    return dict(row.split("\t") for row in result.out.splitlines())


# -- from the table ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("chartui nar", {"narrative"}),
        ("chartui characters se", {"seen", "set"}),
        ("chartui characters set --mod", {"--model"}),
        ("chartui characters set --model mdla-4.1-", {"mdla-4.1-mini", "mdla-4.1-nano"}),
        ("chartui characters set --reasoning mi", {"minimal"}),
        ("chartui narrative triggers edit --disc", {"--disconnect"}),
        ("chartui call rename-", {"rename-character"}),
        ("chartui estimate --llm=MDLA_4O", {"--llm=mdla_4o", "--llm=mdla_4o_mini"}),
        ("chartui explore --require memory,an", {"memory,animation"}),
        ("chartui --profile demo char", {"characters"}),
        ("chartui --profile=demo --screen es", {"estimator"}),
        ("chartui rates pin-model x mdla_4o_", {"mdla_4o_mini"}),
        ("chartui --tab wh", {"what-if"}),
        ("chartui --sort na", {"name", "narrative"}),
        ("chartui demo --finding dead", {"dead-end"}),
        ("chartui estimate --memory --no-mem", set()),
        ("chartui characters set --where a=b --whe", {"--where"}),
        ("chartui history --as ch", {"check"}),
        ("chartui no-such-command ", set()),
        ("chartui rank no-such-kind ", set()),
    ],
)
def test_what_is_known_in_advance(line: str, values: set[str], run: Run) -> None:
    assert set(offered(run, line)) >= values
    if not values:
        assert not any(value.startswith(line.split()[-1]) for value in offered(run, line))


def test_commands_and_tours_are_described(run: Run) -> None:
    assert set(offered(run, "chartui ")) == set(NOUNS)
    assert offered(run, "chartui rates ")["check"] == "Check whether the learned rates still apply"
    tours = offered(run, "chartui demo ")
    assert set(tours) == set(shipped_tours())
    assert all(tours.values())


@pytest.mark.parametrize(
    ("line", "status"),
    [("chartui diff ", FILES), ("chartui rates learn --output x", FILES), ("chartui demo --record ", FOLDERS)],
)
def test_the_shell_completes_files(line: str, status: int, run: Run) -> None:
    assert run("complete", "bash", line) == Result(status, "", "")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a b\\ c ", [Word("a"), Word("b c"), Word("")]),
        ("a 'b c", [Word("a"), Word("b c", "'", 0)]),
        ('a --x="b \\" c', [Word("a"), Word('--x=b " c', '"', 4)]),
        ("a 'b' c:d", [Word("a"), Word("b"), Word("c:d", "", 2)]),
        ("a ''", [Word("a"), Word("")]),
        ("a b\\", [Word("a"), Word("b")]),
    ],
)
def test_words_are_read_as_shells_do(line: str, words: list[Word]) -> None:
    assert split(line) == words


# -- from files --------------------------------------------------------------------------------------------------------


def test_names_of_profiles_presets_and_themes(run: Run, own_folders: Path) -> None:
    service = Profile(name="work", kind=ProfileKind.REMOTE, base_url="https://service.example")
    change_profiles(lambda profiles: profiles.adding(service))
    Presets().save(Preset(name="Kiosk “two”", note="in the hall"))
    (own_folders / "config" / "themes").mkdir()
    (own_folders / "config" / "themes" / "mine.toml").touch()
    assert offered(run, "chartui --profile ") == {
        "demo": "embedded store",
        "local": "embedded store",
        "work": "service.example",
    }
    assert set(offered(run, "chartui profiles remove w")) == {"work"}
    assert offered(run, "chartui estimate --compare a b ki") == {"Kiosk “two”": "in the hall"}
    assert set(offered(run, "chartui --theme mi")) == {"mine"}


def test_characters_sections_and_triggers(run: Run, demo_ids: dict[str, str]) -> None:
    characters = offered(run, "chartui characters show ")
    assert set(characters) == set(demo_ids)
    assert characters["Elena Marsh"] == "mdla-5.1"
    identity = demo_ids["Elena Marsh"]
    assert set(offered(run, f"chartui characters show {identity[:6]}")) == {identity}
    assert "House rules" in offered(run, ELENA)
    assert offered(run, ELENA) == offered(run, f"chartui narrative map {identity} --focus ")
    assert set(offered(run, "chartui narrative triggers show 'Elena Marsh' "))
    assert offered(run, "chartui --profile local characters show ") == {}
    assert offered(run, "chartui narrative sections show nobody ") == {}


def renamed(*names: str) -> list[str]:
    """Rename the first characters; their IDs."""
    with closing(sqlite3.connect(store_file("demo"))) as store:
        store.executemany(
            "UPDATE characters SET record = json_set(record, '$.character_name', ?) WHERE seq = ?",
            [(name, number) for number, name in enumerate(names, start=1)],
        )
        store.commit()
        return [key for (key,) in store.execute("SELECT character_id FROM characters ORDER BY seq")][: len(names)]


@pytest.mark.parametrize("typed", ["twi", "Twin", "'twin"])
def test_characters_of_one_name_are_offered_by_id(typed: str, run: Run, demo_ids: dict[str, str]) -> None:
    first, second = renamed("Twin", "twin")
    line = f"chartui characters show {typed}"
    assert offered(run, line) == {first: "Twin · mdla-5.1", second: "twin · mdlc-3.5-flash"}
    assert run("complete", "bash", line).out.splitlines() == [first, second]
    assert set(offered(run, f"chartui --character={typed}")) == {f"--character={first}", f"--character={second}"}
    assert set(offered(run, f"chartui characters show {second[:9]}")) == {second}


def test_bash_keeps_what_is_before_a_colon(run: Run, demo_ids: dict[str, str]) -> None:
    renamed("Dr: No", "dr: no")
    assert len(offered(run, "chartui characters show 'Dr: ")) == 2
    assert len(run("complete", "bash", "chartui characters show 'Dr: ").out.splitlines()) == 2
    assert run("complete", "bash", "chartui characters show Dr:").out == ""


def test_a_name_that_cannot_be_typed_is_offered_by_id(run: Run, demo_ids: dict[str, str]) -> None:
    *_, its = renamed("Twin", "twin", "line\nfeed", "-dash", "\u202eback", "it's")
    found = offered(run, "chartui characters show ")
    assert len(found) == len(demo_ids)
    assert {name for name in found if len(name) < 36} & {"Twin", "twin", "-dash", "it's"} == {"it's"}
    assert its not in found
    assert "it\\'s" in run("complete", "bash", "chartui characters show ").out.splitlines()
    assert "it'\\''s" in run("complete", "bash", "chartui characters show 'it").out.splitlines()


# -- care --------------------------------------------------------------------------------------------------------------


def test_nothing_is_created(run: Run, own_folders: Path) -> None:
    for line in (
        "chartui --profile ",
        "chartui characters show ",
        ELENA,
        "chartui estimate --preset ",
        "chartui demo ",
    ):
        offered(run, line)
    assert list(own_folders.iterdir()) == []


def test_a_missing_store_is_not_created(run: Run) -> None:
    """An empty file in its place would be taken for a damaged store."""
    private_folder(store_file("demo").parent)
    for line in ("chartui characters show El", ELENA, "chartui --profile local characters show El"):
        assert offered(run, line) == {}
    assert list(store_file("demo").parent.iterdir()) == []


def test_a_store_in_use_is_read_and_left_alone(run: Run) -> None:
    path = store_file("demo")
    private_folder(path.parent)
    with closing(Store(path)) as store:
        fill(store)
        before = contents(path.parent)
        with store.writing():
            assert "Elena Marsh" in offered(run, "chartui characters show ")
        assert contents(path.parent) == before
    before = contents(path.parent)
    assert "Elena Marsh" in offered(run, "chartui characters show ")
    assert contents(path.parent) == before


def contents(folder: Path) -> dict[str, bytes]:
    """The files in ``folder``; of a log's index only the name, since every reader leaves its mark there."""
    return {file.name: b"" if file.suffix == ".db-shm" else file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize("statement", ["PRAGMA user_version = 99", "PRAGMA application_id = 7"])
def test_another_version_or_file_offers_nothing(statement: str, run: Run, demo_ids: dict[str, str]) -> None:
    with closing(sqlite3.connect(store_file("demo"))) as store:
        store.execute(statement)
    before = store_file("demo").read_bytes()
    assert offered(run, "chartui characters show ") == {}
    assert store_file("demo").read_bytes() == before


def test_damaged_files_are_not_reported(run: Run, demo_ids: dict[str, str], own_folders: Path) -> None:
    store_file("demo").write_bytes(b"not a database" * 99)
    assert offered(run, "chartui characters show ") == {}
    (own_folders / "config").mkdir()
    (own_folders / "config" / "profiles.toml").write_text("= nonsense")
    assert offered(run, "chartui --profile ") == {}


def test_no_service_is_called_and_no_api_key_fetched(run: Run, tmp_path: Path) -> None:
    import socket

    asked = tmp_path / "asked"
    source = KeySource(SourceKind.COMMAND, ("touch", str(asked)))
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        service = Profile(name="work", kind=ProfileKind.REMOTE, base_url=address, key=source)
        change_profiles(lambda profiles: profiles.adding(service).using("work"))
        for line in ("chartui characters show ", ELENA, "chartui estimate --llm ", "chartui profiles test "):
            offered(run, line)
        assert offered(run, "chartui characters show ") == {}
        with pytest.raises(BlockingIOError):
            server.accept()
    assert not asked.exists()


@pytest.mark.parametrize("line", ["chartui characters show ", "chartui estimate --preset ", "chartui --theme ", ELENA])
def test_little_is_imported(line: str, demo_ids: dict[str, str]) -> None:
    ask = [sys.executable, "-c", WATCHED, "complete", "zsh", line]
    done = subprocess.run(ask, capture_output=True, text=True, timeout=60, check=True)
    heavy = {"pydantic", "httpx", "textual", "rich", "asyncio", "chartui.core.session", "chartui.cli.characters"}
    assert set(done.stdout.splitlines()[-1].split()) & heavy == set()


# -- real shells -------------------------------------------------------------------------------------------------------

_ASK = {
    "bash": """
source <("$CHARTUI" completion bash)
COMP_LINE=$LINE COMP_POINT=${#LINE}
_chartui "$CHARTUI"
printf '%s\\n' "${COMPREPLY[@]}"
""",
    # The shell's own function that takes candidates is replaced by one that prints them.
    "zsh": """
compdef() { : }
source <("$CHARTUI" completion zsh)
typeset -A compstate
compadd() { print -rl -- "${values[@]}" }
words=(${(z)LINE}) PREFIX=
if [[ $LINE == *' ' ]]; then words+=(''); else PREFIX=$words[-1]; fi
words[1]=$CHARTUI CURRENT=${#words}
_chartui
""",
    "fish": """
alias chartui $CHARTUI
$CHARTUI completion fish | source
complete -C "$LINE" | string replace -r '\\t.*' ''
""",
}


def shell_offers(shell: str, line: str) -> set[str]:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    plain = {"bash": ("--norc", "--noprofile"), "zsh": ("-f",), "fish": ("--no-config",)}[shell]
    environ = {**os.environ, "CHARTUI": str(CHARTUI), "LINE": line, "LC_ALL": "C.UTF-8"}
    environ["PATH"] = f"{CHARTUI.parent}{os.pathsep}{environ['PATH']}"
    done = subprocess.run(
        [program, *plain, "-c", _ASK[shell]], capture_output=True, text=True, timeout=120, check=False, env=environ
    )
    assert done.stderr == ""
    return {value for value in done.stdout.splitlines() if value}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_offers_what_the_program_says(shell: str, demo_ids: dict[str, str]) -> None:
    assert shell_offers(shell, "chartui ") == set(NOUNS)
    found = shell_offers(shell, "chartui --profile demo characters show ")
    plain = found if shell != "bash" else {shlex.split(value)[0] for value in found}
    assert plain == set(demo_ids)
    # bash replaces what follows the sign, the other shells the whole word.
    assert shell_offers(shell, "chartui --profile=lo") == {"local" if shell == "bash" else "--profile=local"}
    assert shell_offers(shell, "chartui characters show no-such-name") == set()
    elena = shell_offers(shell, "chartui characters show 'elena m")
    assert elena == {"Elena Marsh"}
    twins = renamed("Twin", "twin")
    assert shell_offers(shell, "chartui --profile demo characters show twi") == set(twins)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_key_press_completes_a_name(shell: str, demo_ids: dict[str, str]) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    plain = {"bash": ("--norc", "--noprofile", "-i"), "zsh": ("-f", "-i"), "fish": ("--no-config", "-i")}[shell]
    load = "chartui completion fish | source" if shell == "fish" else f"source <(chartui completion {shell})"
    environment = {"PATH": f"{CHARTUI.parent}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    with running([program, *plain], environment=environment) as terminal:
        terminal.type(f"{load}; echo load''ed\n")
        terminal.wait_for("loaded")
        terminal.type("chartui characters show Elen\t")
        terminal.wait_for("a\\ Marsh")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_reads_its_script(shell: str, run: Run) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = run("completion", shell).out
    done = subprocess.run([program, "-n"], input=script, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_shell_is_refused(run: Run) -> None:
    result = run("completion", "tcsh")
    assert (result.status, result.out) == (2, "")
