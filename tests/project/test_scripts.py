"""``script/setup`` on machines that this one is not: made of a folder of commands that stand in for real ones."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("sh", "dirname", "cat", "cksum", "mkdir", "rm", "cp", "chmod", "ln", "env", "tail", "tr", "cut", "sleep")

#: Stands in for Python: answers the questions the script asks, makes an environment, and notes what it was asked.
PYTHON = """#!/bin/sh
case "$*" in
-V) echo "Python 3.9.2" ;;
*version_info*) exit {old} ;;
*"import ensurepip, venv"*) exit {bare} ;;
"-m venv "*) mkdir -p "$3/bin" && : >"$3/pyvenv.cfg" && cp "$0" "$3/bin/python" ;;
*"pip install"*) echo "pip $*" >>"{log}"; if [ -e "{log}.offline" ]; then echo "no route" >&2; exit 1; fi ;;
esac
"""
UV = """#!/bin/sh
case "$1" in
venv) for last; do :; done; mkdir -p "$last/bin" && : >"$last/pyvenv.cfg" && cp "{python}" "$last/bin/python" ;;
pip) echo "uv $*" >>"{log}"; exit {broken} ;;
esac
"""


class Machine:
    """A checkout and a PATH with nothing in it but a few basic commands."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "a checkout"
        self.commands = folder / "bin"
        self.log = folder / "log"
        (self.checkout / "script").mkdir(parents=True)
        self.commands.mkdir()
        for name in ("script/setup", "pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, self.checkout / name)
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found, tool
            (self.commands / tool).symlink_to(found)

    def add(self, name: str, text: str) -> Path:
        path = self.commands / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def add_python(self, name: str, *, old: bool = False, bare: bool = False) -> Path:
        return self.add(name, PYTHON.format(old=int(old), bare=int(bare), log=self.log))

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": str(self.commands), "HOME": os.environ["HOME"], "TMPDIR": str(self.log.parent)}

    @property
    def script(self) -> Path:
        return self.checkout / "script" / "setup"

    def setup(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.script, *arguments],
            cwd="/",
            env=self.environment | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def change_the_lock(self) -> None:
        with (self.checkout / "constraints.txt").open("a", encoding="utf-8") as lock:
            lock.write("something==1\n")

    def go_offline(self) -> Path:
        offline = self.log.with_name("log.offline")
        offline.touch()
        return offline

    def installs(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_it_sets_up_with_what_python_brings(machine: Machine) -> None:
    machine.add_python("python3")
    done = machine.setup()
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    (install,) = machine.installs()
    assert "--constraint constraints.txt --editable ." in install
    assert "[dev]" not in install


def test_a_second_time_does_nothing(machine: Machine) -> None:
    machine.add_python("python3")
    machine.setup()
    again = machine.setup()
    assert (again.returncode, again.stderr) == (0, "")
    assert len(machine.installs()) == 1


def test_a_changed_lock_is_installed(machine: Machine) -> None:
    machine.add_python("python3")
    machine.setup()
    machine.change_the_lock()
    assert machine.setup().returncode == 0
    assert len(machine.installs()) == 2


def test_development_adds_to_it_and_starting_the_program_takes_nothing_away(machine: Machine) -> None:
    machine.add_python("python3")
    machine.setup("run")
    machine.setup("dev")
    machine.setup("run")
    assert len(machine.installs()) == 2
    machine.change_the_lock()
    machine.setup("run")
    assert machine.installs()[2].endswith(".[dev]")


def test_uv_is_used_when_it_is_there(machine: Machine) -> None:
    python = machine.add_python("python3")
    machine.add("uv", UV.format(log=machine.log, python=python, broken=0))
    assert machine.setup("dev").returncode == 0
    (install,) = machine.installs()
    assert install.startswith("uv pip install")
    assert install.endswith("--constraint constraints.txt --editable .[dev]")


def test_where_uv_cannot_install_pip_is_tried(machine: Machine) -> None:
    python = machine.add_python("python3")
    machine.add("uv", UV.format(log=machine.log, python=python, broken=1))
    done = machine.setup()
    assert done.returncode == 0
    assert "trying pip" in done.stderr
    assert [line.split()[0] for line in machine.installs()] == ["uv", "pip"]


def test_a_name_that_does_not_run_and_a_python_that_is_too_old_are_passed_over(machine: Machine) -> None:
    machine.add("python3.13", "#!/bin/sh\necho 'python3.13: command not found in this version' >&2\nexit 127\n")
    machine.add_python("python3.12", old=True)
    machine.add_python("python3.11", bare=True)
    machine.add_python("python3")
    done = machine.setup()
    assert done.returncode == 0
    assert "not found" not in done.stderr


def test_a_python_that_is_too_old_is_named_before_anything_is_made(machine: Machine) -> None:
    old = machine.add_python("python3", old=True)
    done = machine.setup()
    assert done.returncode == 1
    assert done.stderr.startswith(f"chartui: Python 3.11 or newer is needed, and {old} is Python 3.9.2.")
    assert not (machine.checkout / ".venv").exists()


def test_without_any_python_nothing_is_made(machine: Machine) -> None:
    done = machine.setup()
    assert done.returncode == 1
    assert done.stderr.startswith("chartui: Python 3.11 or newer is needed, and none was found in PATH.")
    assert not (machine.checkout / ".venv").exists()


def test_a_python_without_venv_is_said(machine: Machine) -> None:
    machine.add_python("python3", bare=True)
    done = machine.setup()
    assert done.returncode == 1
    assert "python3-venv" in done.stderr


def test_a_failed_installation_is_said_and_tried_again(machine: Machine) -> None:
    machine.add_python("python3")
    offline = machine.go_offline()
    done = machine.setup()
    assert done.returncode == 1
    assert "no route" in done.stderr
    assert "the network or the package index cannot be reached" in done.stderr
    offline.unlink()
    assert machine.setup().returncode == 0
    assert len(machine.installs()) == 2


def test_an_environment_that_was_moved_or_lost_its_python_is_made_anew(machine: Machine) -> None:
    machine.add_python("python3")
    machine.setup()
    machine.checkout = machine.checkout.rename(machine.checkout.with_name("elsewhere"))
    moved = machine.setup()
    assert moved.returncode == 0
    assert "making a new one" in moved.stderr
    (machine.checkout / ".venv" / "bin" / "python").unlink()
    assert "making a new one" in machine.setup().stderr
    assert len(machine.installs()) == 3


def test_a_folder_that_is_no_environment_is_left_alone(machine: Machine) -> None:
    machine.add_python("python3")
    mine = machine.checkout / ".venv" / "thesis.txt"
    mine.parent.mkdir()
    mine.write_text("mine", encoding="utf-8")
    done = machine.setup()
    assert done.returncode == 1
    assert "is in the way" in done.stderr
    assert mine.read_text(encoding="utf-8") == "mine"


def test_packages_that_cannot_be_updated_leave_the_old_ones_on_offer(machine: Machine) -> None:
    machine.add_python("python3")
    machine.setup()
    machine.change_the_lock()
    machine.go_offline()
    refused = machine.setup()
    assert refused.returncode == 1
    assert "set CHARTUI_SETUP=old" in refused.stderr
    accepted = machine.setup(CHARTUI_SETUP="old")
    assert accepted.returncode == 0, accepted.stderr
    # What was not installed is tried again the next time.
    assert machine.setup().returncode == 1


def test_an_environment_without_the_tests_is_no_offer_to_who_runs_them(machine: Machine) -> None:
    machine.add_python("python3")
    machine.setup("run")
    machine.go_offline()
    assert machine.setup("dev", CHARTUI_SETUP="old").returncode == 1


def test_ctrl_c_says_one_line_and_leaves_nothing_half_made(machine: Machine) -> None:
    begun = machine.log.with_name("begun")
    os.mkfifo(begun)
    slow = PYTHON.replace(
        '"-m venv "*) mkdir -p "$3/bin"', f'"-m venv "*) mkdir -p "$3/bin" && echo >"{begun}" && exec sleep 60'
    )
    machine.add("python3", slow.format(old=0, bare=0, log=machine.log))
    half_made = machine.checkout / ".venv" / "bin"
    reader = os.open(begun, os.O_RDONLY | os.O_NONBLOCK)
    with subprocess.Popen(
        [machine.script], cwd="/", env=machine.environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        written, _, _ = select.select([reader], [], [], 60)
        os.close(reader)
        assert written
        assert half_made.exists()
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.splitlines()[1:] == ["chartui: set-up stopped. Run the same command to start again."]
    assert not half_made.parent.exists()
    assert not list(machine.log.parent.glob("chartui-setup-*"))


def test_on_a_terminal_it_shows_how_far_it_is(machine: Machine) -> None:
    seen = machine.log.with_name("seen")
    slow = PYTHON.replace(
        'echo "pip $*"', f'echo "Collecting textual"; until [ -e "{seen}" ]; do sleep 0.1; done; echo "pip $*"'
    )
    machine.add("python3", slow.format(old=0, bare=0, log=machine.log))
    ours, theirs = os.openpty()
    with subprocess.Popen([machine.script], cwd="/", env=machine.environment, stdin=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
            if re.search(rb"installing packages, [1-9] s  Collecting textual", shown):
                seen.touch()
    os.close(ours)
    assert process.returncode == 0
    assert seen.exists()
    assert shown.endswith(b"\r\x1b[K"), "the line is erased"


def test_showing_progress_ends_however_short_it_was() -> None:
    script = (ROOT / "script" / "setup").read_text(encoding="utf-8")
    [functions] = re.findall(r"^tick\(\) \{.*?^\}\nquiet\(\) \{.*?^\}$", script, re.DOTALL | re.MULTILINE)
    often = "while [ $n -lt 200 ]; do tick x & ticking=$!; quiet; n=$((n + 1)); done"
    text = f"{functions}\nlog=/dev/null; trap 'exit 1' TERM; n=0; {often}"
    done = subprocess.run(["/bin/sh", "-euc", text], stderr=subprocess.DEVNULL, timeout=60, check=False)
    assert done.returncode == 0


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux reports the end of a pseudo-terminal as an error
        return b""
