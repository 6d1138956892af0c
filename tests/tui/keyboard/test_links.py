"""The command that opens a view: copied on a screen, and given to a shell."""

from __future__ import annotations

import shlex

import pytest

from chartui.commands.tabs import TABS, view_to_open
from chartui.core.bookmark import View
from chartui.core.naming import BadName
from chartui.main import main
from chartui.tui.screens.actions.answer import Answer
from chartui.tui.screens.characters.detail import Detail
from chartui.tui.screens.estimator.state import ViewName
from chartui.tui.screens.narrative.tabs.panel import StoryTabs
from chartui.tui.shell.link import command_to
from chartui.tui.widgets.tabs import TabPanel
from tests.long import sampled, spread
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.starting import LOCAL, fill_local, started
from tests.tui.user import NARROW, SMALL, WIDE, User, opened

#: Every screen with every tab.
VIEWS = [(screen, tab) for screen, tabs in TABS.items() for tab in (tabs or (None,))]


def shown(user: User) -> tuple[str, str | None, str | None, str | None]:
    """Where the user is: the screen, its tab, the character and the section."""
    work = user.app.work
    assert work.present is not None
    place, section = work.bookmark.places[work.present.SCOPE], work.present.section
    return work.present.SCOPE, place.get("tab"), work.present.in_hand, section.id if section else None


def test_the_tabs_are_those_of_the_screens() -> None:
    assert TABS["estimator"] == tuple(ViewName)
    panels: dict[str, type[TabPanel]] = {"characters": Detail, "narrative": StoryTabs, "actions": Answer}
    for screen, panel in panels.items():
        assert TABS[screen] == tuple(tab.name for tab in panel.TABS)
    assert len({tab for _, tab in VIEWS}) == len(VIEWS)


@covers("copy-command")
@pytest.mark.parametrize("view", sampled(VIEWS, *VIEWS[::3]), ids=str)
async def test_the_copied_command_opens_the_view(view: tuple[str, str | None]) -> None:
    screen, tab = view
    fill_local()
    async with started(f"{LOCAL} --screen {screen}" + (f" --tab {tab}" if tab else ""), size=WIDE) as user:
        assert shown(user)[:2] == (screen, tab)
        await user.press("down", "down")
        await user.rests()
        await user.finds("copy-command")
        command, before = user.clipboard, shown(user)
    assert command.startswith(f"{LOCAL} --screen {screen}")
    async with started(f"{command} --fresh", size=NARROW) as user:
        await user.until(lambda: shown(user) == before, f"for {before}")


@pytest.mark.parametrize(
    ("screen", "tab", "size"), spread([view for view in VIEWS if view[1] is not None], [SMALL, NARROW, WIDE], start=1)
)
async def test_a_named_tab_has_the_keys_until_esc(screen: str, tab: str, size: tuple[int, int]) -> None:
    fill_local()
    async with started(f"{LOCAL} --tab {tab}", size=size) as user:
        await user.until(lambda: user.focused_tab == tab, "for the tab to have the keys")
        assert shown(user)[:2] == (screen, tab)
        assert "esc back" in user.bottom_line
        await user.press("escape")
        assert user.at_home, user.focus
        assert "esc back" not in user.bottom_line


async def test_names_lead_to_a_section() -> None:
    fill_local()
    command = f"{LOCAL} --character 'elena MARSH' --section 'house RULES' --tab lint"
    for size in (SMALL, NARROW, WIDE):
        async with started(command, size=size) as user:
            await user.until(lambda: user.narrative.node is not None and user.narrative.node.title == "House rules")
            assert user.narrative.name == "Elena Marsh"
            assert user.narrative.pane == "lint"


async def test_a_tab_of_a_character_opens_in_a_narrow_window() -> None:
    fill_local()
    async with started(f"{LOCAL} --character 'Avery Cole' --tab cost", size=SMALL) as user:
        await user.until(lambda: user.characters.shows_detail, "for the tab")
        assert user.characters.name == "Avery Cole"
        assert user.characters.pane == "cost"


async def test_an_unknown_section_is_told_with_the_nearest() -> None:
    fill_local()
    async with started(f"{LOCAL} --character 'Elena Marsh' --section 'Hose rules'") as user:
        await user.is_told("No section named “Hose rules”. Did you mean House rules")


async def test_the_filter_and_the_order_are_copied_and_the_command_is_shown_whole() -> None:
    fill_local()
    async with started(f"{LOCAL} --screen characters", size=SMALL) as user:
        await user.finds("fuzzy-filter")
        await user.press(*"mdla 4o", "enter", "s", "s", "O")
        await user.rests()
        await user.finds("copy-command")
        command, names, current = user.clipboard, user.characters.names, user.characters.name
        assert "--filter 'mdla 4o' --sort model --fuzzy --reverse" in command
        await user.is_told(command)
    async with started(f"{command} --fresh", size=SMALL) as user:
        await user.until(lambda: user.characters.names == names and user.characters.name == current, f"for {names}")
        await user.sees("fuzzy, best first")


async def test_the_selected_finding_is_copied_and_comes_back() -> None:
    fill_local()
    where = f"{LOCAL} --character 'Elena Marsh' --finding"
    async with started(f"{where} trigger-only:99 --fresh") as user:
        await user.is_told("The finding “trigger-only:99” no longer exists.")
        await user.press("J", "end", "up")
        await user.rests()
        await user.finds("copy-command")
        command, finding = user.clipboard, user.narrative.findings.at_cursor
    assert "--tab lint --finding " in command
    for again in (f"{command} --fresh", command, LOCAL):
        async with started(again) as user:
            await user.until(lambda: user.narrative.findings.at_cursor == finding, f"for {finding}")


async def test_a_demo_is_named_by_names() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await user.press("down")
        await user.rests()
        await user.finds("copy-command")
        name, section = user.narrative.name, user.narrative.here.title
        words = shlex.split(user.clipboard)
        where = ["--character", name, "--section", section, "--tab", "section"]
        assert words == ["chartui", "demo", "--screen", "narrative", *where]
        await user.is_told(f"chartui demo --screen narrative --character '{name}'")


def test_values_are_quoted_for_a_shell() -> None:
    named = {"screen": "narrative", "character": "-x y", "section": "it's $HOME; `rm`", "tab": None}
    words = shlex.split(command_to(["chartui", "--profile", "work"], named))
    assert words[3:] == ["--screen", "narrative", "--character=-x y", "--section", named["section"]]


@pytest.mark.parametrize(
    ("view", "told"),
    [
        (View(tab="lnt"), "Unknown tab “lnt”. Did you mean “lint”?"),
        (View(screen="characters", tab="cst"), "Unknown tab “cst” on the characters screen. Did you mean “cost”?"),
        (
            View(screen="characters", tab="lint"),
            "The tab “lint” is on the narrative screen, not on the characters screen.",
        ),
        (View(tab="cost", section="x"), "The tab “cost” is on the characters screen, not on the narrative screen."),
        (View(screen="requests", section="x"), "--section applies to narrative, not to the requests screen."),
        (View(screen="actions", fuzzy=True), "--fuzzy applies to characters, not to the actions screen."),
        (View(tab="lint", sort="name"), "The tab “lint” is on the narrative screen, not on the characters screen."),
        (View(sort="nme"), "Unknown column “nme”. Did you mean “name”?"),
        (View(finding="ded-end:2"), "Unknown rule “ded-end”. Did you mean “dead-end”?"),
    ],
)
def test_a_wrong_view_is_told(view: View, told: str) -> None:
    with pytest.raises(BadName, match=r".") as caught:
        view_to_open(view)
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("view", "screen", "tab"),
    [
        (View(finding="dead-end"), "narrative", "lint"),
        (View(filter="x"), "characters", None),
        (View(filter="x", tab="map"), "narrative", "map"),
        (View(sort="name"), "characters", None),
        (View(character="x"), None, None),
    ],
)
def test_a_view_implies_its_screen(view: View, screen: str | None, tab: str | None) -> None:
    opened = view_to_open(view)
    assert (opened.screen, opened.tab) == (screen, tab)


def test_a_wrong_tab_is_told_before_the_screen_opens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True)
    monkeypatch.setenv("TEXTUAL_FPS", "240")
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    assert main(["--profile", "local", "--tab", "lnt"]) == 2
    assert "Did you mean “lint”?" in capsys.readouterr().err
