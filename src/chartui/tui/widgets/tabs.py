"""Several tabs in one panel, named in its top border; one is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.style import Style
from textual.widget import Widget

from chartui.core.classes import NamedTuple
from chartui.tui.lines import fit
from chartui.tui.widgets.border import entitle

#: Cells of a panel's border that its title cannot use: corners, a line and a space on either side.
_CORNERS = 6
#: Cells of it before the title.
_LEAD = 3
_BETWEEN = " │ "
#: The key of a tab's command in the style of its title.
_COMMAND = "command"
#: Minimum cells of a lead before only some of the tabs; a shorter one would be unintelligible.
_LEAST_LEAD = 10
#: Minimum cells of a lead before all tabs; it is left out before a tab is.
_LEAST_WITH_ALL = 4


class TabName(NamedTuple):
    """A tab as the border names it: ``command`` goes to it, ``mark`` flags what needs attention in it."""

    name: str
    title: str
    command: str
    mark: str = ""

    @property
    def text(self) -> str:
        return f"{self.title} {self.mark}" if self.mark else self.title


def tab_names(tabs: Sequence[TabName], present: str, width: int, lead: str = "") -> Content:
    """The tabs in at most ``width`` cells: the current one bold and underlined, the others dim.

    ``lead`` goes before them, cut if necessary, and left out before a tab is. If not all tabs fit, those nearest to the
    current one are named, ``…`` stands for the rest, and ``lead`` goes before them if it fits beside the current one.
    """
    here = next((number for number, tab in enumerate(tabs) if tab.name == present), 0)
    all_fit = _cells(tabs, 0, len(tabs)) <= width
    first, last = (0, len(tabs)) if all_fit else (here, here + 1)
    shortest = _LEAST_WITH_ALL if all_fit else _LEAST_LEAD
    least = min(cell_len(lead), shortest) + len(_BETWEEN) if lead else 0
    leads_them = bool(lead) and _cells(tabs, first, last) + least <= width
    left = width - least if leads_them else width
    while True:
        # Alternate right and left while they fit.
        if last < len(tabs) and _cells(tabs, first, last + 1) <= left:
            last += 1
        elif first > 0 and _cells(tabs, first - 1, last) <= left:
            first -= 1
        else:
            break
    parts: list[Content | tuple[str, str | Style]] = []
    if leads_them:
        room = width - _cells(tabs, first, last) - len(_BETWEEN)
        parts += [Content(fit(lead, min(cell_len(lead), room)).rstrip()), (_BETWEEN, "dim")]
    if first > 0:
        parts.append(("…" + _BETWEEN, "dim"))
    for number in range(first, last):
        tab = tabs[number]
        if number > first:
            parts.append((_BETWEEN, "dim"))
        leads = Style.from_meta({"@click": f"app.command('{tab.command}')", _COMMAND: tab.command})
        parts.append((tab.title, Style(bold=True, underline=True) if number == here else Style(dim=True) + leads))
        if tab.mark:
            parts.append(Content(f" {tab.mark}"))
    if last < len(tabs):
        parts.append((_BETWEEN + "…", "dim"))
    return Content.assemble(*parts)


def tabs_on(panel: Widget) -> Iterator[tuple[str, str, int]]:
    """The other tabs that the border of ``panel`` names: title, command, and the column in which the name begins."""
    title = panel._border_title or Content()
    for span in title.spans:
        command = span.style.meta.get(_COMMAND) if isinstance(span.style, Style) else None
        if command:
            yield title.plain[span.start : span.end], command, _LEAD + cell_len(title.plain[: span.start])


def tab_shown(panel: Widget) -> str:
    """The tab that the border of ``panel`` names as the current one; empty if it names no tabs."""
    title = panel._border_title or Content()
    current = (s for s in title.spans if isinstance(s.style, Style) and s.style.bold and s.style.underline)
    return next((title.plain[span.start : span.end] for span in current), "")


def _cells(tabs: Sequence[TabName], first: int, last: int) -> int:
    texts = [tab.text for tab in tabs[first:last]]
    texts = [*(["…"] if first > 0 else []), *texts, *(["…"] if last < len(tabs) else [])]
    return cell_len(_BETWEEN.join(texts))


class TabPanel(Vertical):
    """The panel. ``parts`` are the widgets of the tabs by their names; ``common`` are widgets that stay in sight."""

    DEFAULT_CSS = """
    TabPanel > .tab { display: none; height: 1fr; }
    TabPanel > .tab.-present { display: block; }
    """
    #: The tabs from left to right, and the command that shows each.
    TABS: ClassVar[Sequence[TabName]]

    def __init__(self, parts: dict[str, Widget], *, common: Iterable[Widget] = (), id: str) -> None:  # noqa: A002
        super().__init__(id=id, classes="panel")
        self._parts = parts
        self._common = tuple(common)
        self._marks: dict[str, str] = {}
        self._lead = ""
        self.present = self.TABS[0].name
        for name, widget in parts.items():
            widget.add_class("tab")
            widget.set_class(name == self.present, "-present")

    def compose(self) -> ComposeResult:
        yield from self._common
        yield from self._parts.values()

    def part(self, name: str) -> Widget:
        return self._parts[name]

    def turn_to(self, name: str) -> None:
        """Show one of the tabs; the focus follows when it was in another."""
        inside = self.has_focus_within
        self.present = name
        for other, widget in self._parts.items():
            widget.set_class(other == name, "-present")
        if inside:
            self._parts[name].focus()
        self._name_tabs()

    def neighbour(self, step: int) -> str:
        """The name of the tab ``step`` places to the right of the current one, wrapping around."""
        names = [tab.name for tab in self.TABS]
        return names[(names.index(self.present) + step) % len(names)]

    def show_marks(self, marks: dict[str, str], lead: str = "") -> None:
        """Set the marks of the tabs, by their names, and their subject (``lead``)."""
        self._marks, self._lead = marks, lead
        self._name_tabs()

    def on_resize(self, _event: Resize) -> None:
        self._name_tabs()

    def _name_tabs(self) -> None:
        tabs = [tab._replace(mark=self._marks.get(tab.name, "")) for tab in self.TABS]
        entitle(self, tab_names(tabs, self.present, max(0, self.outer_size.width - _CORNERS), self._lead))


def tab_of(widget: Widget) -> str | None:
    """The command that goes to the tab of ``widget``; None if it is in none or in the current one."""
    for panel in widget.ancestors:
        if isinstance(panel, TabPanel):
            around = [name for name, part in panel._parts.items() if part in widget.ancestors_with_self]
            return next((t.command for t in panel.TABS if t.name in around and t.name != panel.present), None)
    return None
