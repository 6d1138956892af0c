"""Names, starts of IDs and typos on the command line: what they mean, as a table to read."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chartui.core.presets import Preset, Presets
from chartui.core.profiles import profiles_path
from chartui.core.spec.models.estimation import Selections
from tests.tui.serving import Service, serving

from .conftest import Run

CHARACTERS = "/character/list"

#: Each command with the start of the line that shows what was taken; without one, the message counts.
TABLE: dict[str, dict[str, str]] = {
    "Characters: a name in any case, an ID, or at least 8 characters of its start": {
        "narrative show 'Elena Marsh'": "Elena Marsh:",
        "narrative show 'elena  MARSH'": "Elena Marsh:",
        "narrative show 'LUCI\u0301A FERRER'": "Lucía Ferrer:",
        "narrative show {elena}": "Elena Marsh:",
        "narrative show {elena:8}": "Elena Marsh:",
        "narrative show {elena:7}": "",
        "narrative show 'Elna Marsh'": "",
        "narrative show Elena": "",
        "narrative show Nobody": "",
        "narrative show 00000000-0000-4000-8000-000000000000": "",
        "narrative show Twin": "",
        "characters card 'bran alder'": "Bran Alder",
        "characters models 'Avery Cole'": "›",
        "characters compare 'Elena Marsh' 'Bran Alder'": "  ",
        "characters compare 'Elena Marsh' 'elena marsh'": "",
        "estimate --character 'Avery Cole'": "Avery Cole:",
        "history --character 'Elna Marsh'": "",
        "pull 'Brn Alder'": "",
        "act 'Elna Marsh' Hello": "",
    },
    "Changes: without a question, only whole IDs and names": {
        "narrative enable 'elena marsh' --yes": "No changes",
        "narrative enable {elena:8} --yes": "",
        "characters set {elena:8} 'Bran Alder' --temperature 0.4 --yes": "",
        "characters set 'Elena Marsh' --model 'mdla 5.1 (BETA)' --yes": "No changes",
        "characters set 'Elena Marsh' --model mdla-oss --yes": "",
    },
    "Sections and triggers": {
        "narrative sections show 'Elena Marsh' 'the CASE'": "Name",
        "narrative sections show 'Elena Marsh' {case:8}": "Name",
        "narrative sections show 'Elena Marsh' 'The cse'": "",
        "narrative map 'Elena Marsh' --focus 'Tide table'": "",
        "narrative triggers show 'Elena Marsh' 'fire alarm'": "Name",
        "narrative triggers show 'Elena Marsh' 'Fire alram'": "",
        "narrative walk --character 'Elena Marsh' --from 'House rule'": "",
        "narrative sections delete 'Elena Marsh' {case:8} --yes": "",
        "narrative sections create 'Elena Marsh' Roof x --decision '* => The cse' --yes": "",
    },
    "Models and other options: a key or label, or the start of either": {
        "estimate --llm mdla_4o": "llm",
        "estimate --llm 'MDLA 4o mini'": "llm",
        "estimate --llm mdlh": "llm",
        "estimate --llm mdla_4oo": "",
        "estimate --llm mdla_4_1_": "",
        "rank --llm 'mdla 4oo'": "",
    },
    "Profiles, presets and pins": {
        "--profile DEMO narrative show 'Elena Marsh'": "Elena Marsh:",
        "--profile dmo estimate": "",
        "presets show 'quiet HOUSE'": "name",
        "presets show 'Quite house'": "",
        "rates pin-model mdlb-sonet --clear": "",
        "rates pin-model MDLB-Sonnet": "mdlb-sonnet",
    },
    "Commands, options and values": {
        "estmate": "",
        "characters lst": "",
        "characters cost 'Elena Marsh'": "",
        "characters history 'Elena Marsh'": "",
        "characters lint 'Elena Marsh'": "",
        "narrative list 'Elena Marsh'": "",
        "narrative sections add 'Elena Marsh'": "",
        "narrative sections remove 'Elena Marsh'": "",
        "narrative sections enable 'Elena Marsh'": "",
        "characters list --demo": "",
        "--play start": "",
        "characters list --filter camile": "No character",
        "characters set 'Elena Marsh' --temp 0.3": "",
        "explore --temp 0.3": "",
        "--themee dusk": "",
        "estimate --themee dusk": "",
        "estimate --lmm mdla_4o": "",
        "characters list --sort nmae": "",
        "--screen narative": "",
        "call list-character": "",
    },
}


def test_what_each_name_means(
    run: Run, demo_ids: dict[str, str], repeatable: None, golden: Callable[[str, str], None]
) -> None:
    for _ in range(2):
        assert run("characters", "create", "Twin", "--yes").status == 0
    Presets().save(Preset(name="Quiet house", selections=Selections(llm="mdla_4o")))
    assert run("rates", "pin-model", "mdlb-sonnet", "mdlb_4_5_sonnet").status == 0
    elena = demo_ids["Elena Marsh"]
    sections = run("narrative", "show", elena, "--json").value["sections"]
    case = next(one["section_id"] for one in sections if one["section_name"] == "The case")
    before = run("call", "list-characters").out
    parts = []
    for title, rows in TABLE.items():
        lines = [title, ""]
        for words, start in rows.items():
            given = _with_ids(words, {"elena": elena, "case": case})
            result = run(*shlex.split(given))
            told = [line for text in (result.out, result.err) for line in text.splitlines() if line.startswith(start)]
            assert told, (given, result)
            lines += [f"  $ chartui {given}", f"    {result.status}: {' '.join(told[0].split())}"]
        parts.append("\n".join([*lines, ""]))
    golden("naming.txt", "\n".join(parts))
    assert run("call", "list-characters").out == before


def _with_ids(words: str, ids: dict[str, str]) -> str:
    for name, value in ids.items():
        words = words.replace(f"{{{name}}}", value)
        for length in (7, 8):
            words = words.replace(f"{{{name}:{length}}}", value[:length])
    return words


# -- a service --------------------------------------------------------------------------------------------------------


@pytest.fixture
def service(own_folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with serving(tmp_path) as running:
        monkeypatch.setenv("FAR_KEY", running.key)
        profiles_path().parent.mkdir(parents=True, exist_ok=True)
        profiles_path().write_text(
            'format = "chartui-profiles"\nversion = 1\ndefault = "far"\n'
            f'[profiles.far]\nbase_url = "{running.url}"\nkey = {{ env = "FAR_KEY" }}\nread_only = false\n'
        )
        yield running


@pytest.mark.parametrize(
    ("words", "by_id", "by_name"),
    [
        ("characters show WHO", 1, 1),
        ("characters compare WHO 'Bran Alder'", 1, 1),
        ("narrative show WHO", 1, 1),
        ("narrative show WHO --json", 0, 1),
        ("narrative sections list WHO", 0, 1),
        ("narrative walk --character WHO", 1, 1),
        ("estimate --character WHO", 1, 1),
        ("pull WHO", 1, 1),
        ("history --character WHO", 0, 1),
        ("act WHO Hello", 0, 1),
        ("characters seen --forget WHO", 0, 0),
        ("narrative sections edit WHO 'The case' --name Case --dry-run", 0, 1),
        ("characters set WHO 'Bran Alder' --temperature 0.4 --dry-run", 1, 1),
    ],
)
def test_a_list_is_read_once_for_a_name_and_never_for_an_id(
    words: str, by_id: int, by_name: int, service: Service, run: Run
) -> None:
    records = run("call", "list-characters").value["characters"]
    elena = next(one["character_id"] for one in records if one["character_name"] == "Elena Marsh")
    assert run("characters", "seen", elena, "--remember").status == 0
    found = []
    for who, most in ((elena, by_id), ("elena marsh", by_name)):
        before = Counter(service.asked)
        result = run(*(who if word == "WHO" else word for word in shlex.split(words)))
        assert (service.asked - before)[CHARACTERS] == most, result.err
        found.append(result.status)
    assert found == ([0, 3] if "--forget" in words else [found[0]] * 2), found  # it is forgotten by then
    assert found[0] in (0, 1)


def test_a_character_that_is_gone_is_named_if_it_was_seen(run: Run, elena: str) -> None:
    assert run("characters", "seen", elena, "--remember").status == 0
    assert run("characters", "delete", elena, "--yes").status == 0
    result = run("narrative", "enable", elena, "--yes")
    assert (result.status, result.err) == (
        3,
        f"chartui: No character has the ID “{elena}”. The character's last known name is Elena Marsh.\n",
    )


def test_an_option_of_a_service_is_found_in_its_own_list(service: Service, run: Run) -> None:
    before = Counter(service.asked)
    assert run("estimate", "--llm", "mdla_4o").status == 0
    assert [path for path in service.asked - before if path.endswith("options")] == []
    result = run("estimate", "--llm", "mdla_4oo")
    assert (result.status, "Did you mean “mdla_4o”?" in result.err) == (2, True)
    assert sum(number for path, number in (service.asked - before).items() if path.endswith("options")) == 1


def test_the_lock_refuses_a_name_before_a_list_is_read(service: Service, run: Run) -> None:
    before = Counter(service.asked)
    result = run("--read-only", "narrative", "disable", "Elena Marsh", "--yes", "--json")
    assert (result.status, result.error["code"]) == (2, "read_only")
    assert service.asked == before
