"""The meaning of every sign that the program draws, and the signs now visible on a screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from rich.cells import cell_len
from textual.app import App
from textual.dom import DOMNode
from textual.errors import NoWidget
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.classes import NamedTuple
from chartui.tui.glyphs import GLYPHS, MARKERS
from chartui.tui.widgets.screen import WorkScreen

#: The scope of a sign that means the same on every screen.
EVERYWHERE: Final = ""
#: The scope of dialogs.
DIALOG: Final = "dialog"
#: The parts of every screen that contain words, where ASCII characters are not signs.
_BARS: Final = frozenset({"topbar", "footerbar", "messagebar"})
#: The part that the framework draws with the signs of bars.
_SCROLLBAR: Final = "scrollbar"
#: Dots of a plot, and the sign that represents them.
_BRAILLE: Final = frozenset(map(chr, range(0x2800, 0x2900)))
_DOTS: Final = "⠒"


class Sign(NamedTuple):
    """A sign, or several drawn together, with its name and its meaning in ``scopes``.

    A scope is the name of a screen followed, after dots, by ids of the parts around the sign; parts may be left out. If
    several scopes contain a sign, the one with the most parts counts.
    """

    sign: str
    name: str
    meaning: str
    scopes: tuple[str, ...] = (EVERYWHERE,)


_PLOTS: Final = ("estimator.view-compare", "estimator.view-what-if", "estimator.view-explore")

#: Every sign, in the order in which the help lists them.
SIGNS: Final[Sequence[Sign]] = (
    # the profile
    Sign(GLYPHS.local, "Local store", "The profile is a store on this machine."),
    Sign(GLYPHS.remote, "Service", "The profile is a service on the network."),
    Sign(GLYPHS.read_only, "Locked", "Changes are disabled in this profile."),
    # the state of things
    Sign(GLYPHS.danger, "Error", "Failed, was refused, or is certain to fail."),
    Sign(GLYPHS.warning, "Warning", "Needs your attention."),
    Sign(GLYPHS.done, "Yes", "Done, valid, or selected."),
    Sign(
        GLYPHS.unknown,
        "Unknown",
        "The value is unknown or could not be read.",
        ("estimator.board", "characters.work", "narrative.work", "actions.panes", DIALOG),
    ),
    Sign(GLYPHS.given_up, "Canceled", "Stopped before completion."),
    Sign(GLYPHS.staged, "Staged", "Changed on this machine but not applied yet."),
    Sign(GLYPHS.staged, "Write", "The request changes data.", ("requests",)),
    Sign(GLYPHS.act, "Turn", "The request costs credits but changes no settings."),
    Sign(GLYPHS.conflict, "Conflict", "Changed by you and by someone else."),
    Sign(GLYPHS.differs, "Different", "Differs from the other value or from your last visit."),
    Sign("=", "Equal", "Both values are identical.", (DIALOG,)),
    Sign("+", "Added", "The line or element is new.", (DIALOG, "characters.past")),
    Sign("−", "Decreased or removed", "The amount is negative or the line was removed."),
    Sign("±", "Difference", "Difference from the baseline."),
    Sign("↕", "Moved", "The element has moved."),
    Sign("×", "Times", "A multiplier, or the number of identical requests."),
    Sign("≤", "At most", "The limit that you set."),
    # where you are
    Sign(GLYPHS.cursor, "Cursor", "The current row, or the edge of a message."),
    Sign(GLYPHS.caret, "Caret", "The next character you type appears here.", (DIALOG,)),
    Sign(GLYPHS.chosen, "Current", "The option in use, or the selected answer."),
    Sign(GLYPHS.chosen, "Path", "Points from a section to the section below it.", ("narrative.left", "narrative.walk")),
    Sign("‹", "Choice", "The left and right arrow keys change the value."),
    Sign(GLYPHS.ellipsis, "More", "Text is truncated, work is under way, or a dialog follows."),
    Sign(GLYPHS.note, "Plain", "Separates words, or marks an ordinary row."),
    Sign(
        GLYPHS.note,
        "Note",
        "A finding that may be intended.",
        ("narrative.lint-tab", "actions.checks"),
    ),
    Sign("•", "Hidden character", "A hidden character of an API key.", (DIALOG,)),
    # lists and forms
    Sign(GLYPHS.on, "On", "Switched on."),
    Sign(GLYPHS.off, "Off", "Switched off."),
    Sign(GLYPHS.open, "Open", "The contents are visible, or a list of options opens."),
    Sign(GLYPHS.closed, "Folded", "The contents are hidden."),
    Sign(GLYPHS.text, "Text", "The text opens in an editor."),
    Sign(GLYPHS.ascending, "Ascending", "The table is sorted by this column, lowest first."),
    Sign(GLYPHS.descending, "Descending", "The table is sorted by this column, highest first."),
    Sign("↑↓", "Up and down", "The up and down arrow keys.", ("footerbar", DIALOG)),
    Sign("←", "Left", "The left arrow key, or more columns on the left."),
    Sign(GLYPHS.to, "To", "Points to a target, or from an old value to the new one."),
    Sign(GLYPHS.to, "Right", "The right arrow key.", ("footerbar",)),
    Sign("⏎", "Enter", "The Enter key."),
    Sign("⌫", "Backspace", "The Backspace key."),
    Sign("⟨⟩", "Control character", "An invisible character, shown as its code."),
    # characters
    Sign(GLYPHS.gone, "Gone", "The model is no longer listed.", ("characters",)),
    Sign(GLYPHS.narrative, "Graph", "The character follows its narrative graph.", ("characters.list",)),
    Sign(GLYPHS.memory, "Memory", "The character remembers its users.", ("characters.list",)),
    Sign(GLYPHS.write_only, "Write-only", "The value can be set, but the service never returns it."),
    Sign(GLYPHS.known_here, "Written from this machine", "The value that was last written from this machine."),
    Sign(GLYPHS.no_call, "Not offered", "The service cannot report or cannot change this value."),
    # graphs
    Sign(GLYPHS.start, "Start", "The story starts in this section.", ("narrative",)),
    Sign(GLYPHS.ending, "Ending", "The story ends in this section.", ("narrative",)),
    Sign(
        GLYPHS.unreachable, "Unreachable", "No path from the start or a trigger reaches this section.", ("narrative",)
    ),
    Sign(GLYPHS.untested, "Untested", "Not reached or fired in the latest walks.", ("narrative",)),
    Sign(GLYPHS.chain, "Sole decision", "The only decision of the section above it.", ("narrative.left",)),
    Sign(GLYPHS.trigger, "Trigger", "An event that makes the story jump to a section.", ("narrative",)),
    Sign(GLYPHS.immediate, "Catch-all", "This decision is taken if no earlier one applies.", ("narrative.work",)),
    Sign(GLYPHS.back, "Back", "Shown on another line. In a list of links: incoming link.", ("narrative",)),
    Sign(GLYPHS.back, "Undone", "The change was undone.", ("characters", DIALOG)),
    Sign(GLYPHS.missing, "Missing", "No section has this ID (a dangling reference)."),
    Sign(GLYPHS.elsewhere, "Jump", "The walk jumps to a section that you picked.", ("narrative.walk",)),
    Sign("●", "Section", "A section on a map that shows only names.", ("narrative.map",)),
    Sign(GLYPHS.chain, "Decision", "The decision that enters this section from above.", ("narrative.map",)),
    Sign(GLYPHS.back, "Goes back", "All decisions of the section return to its hub.", ("narrative.map",)),
    Sign(GLYPHS.narrative, "Current section", "The section under the cursor.", ("narrative.map",)),
    Sign("▼", "Entry", "Incoming decisions end here.", ("narrative.map",)),
    Sign("▲", "Entry from below", "Incoming decisions end here. Before text: a warning.", ("narrative.map",)),
    # figures
    Sign(GLYPHS.start, "Baseline", "Differences are relative to this configuration.", ("estimator",)),
    Sign(GLYPHS.link, "Linked", "The text and the speech of a reply change together.", ("estimator",)),
    Sign(GLYPHS.realtime, "Realtime", "The model has built-in speech input and output.", ("estimator", DIALOG)),
    Sign(
        GLYPHS.elsewhere,
        "Billed elsewhere",
        "Billed by your provider. Set a price to include it.",
        ("estimator", DIALOG),
    ),
    Sign(
        GLYPHS.chosen,
        "Current row",
        "The current configuration.",
        ("estimator.view-rank", "estimator.view-explore", "estimator.view-trail"),
    ),
    Sign(GLYPHS.chosen, "Selected column", "The configuration under the cursor.", ("estimator.view-compare",)),
    Sign(
        GLYPHS.chosen,
        "Cheapest",
        "The cheapest subscription that covers your volume.",
        ("estimator.view-subscriptions",),
    ),
    Sign(GLYPHS.beta, "Beta", "The model is a preview.", ("estimator", DIALOG)),
    Sign(f"{GLYPHS.sure}▖", "Bar", "The length shows the credits or the minimum latency."),
    Sign(GLYPHS.longer, "Slowest", "The maximum latency.", ("estimator", "characters")),
    Sign(
        f"{GLYPHS.stage_begin}{GLYPHS.stage}{GLYPHS.stage_end}",
        "Stage",
        "A stage of the latency. The length shows its duration.",
        ("estimator.result",),
    ),
    Sign("".join(MARKERS), "Marker", "A configuration that is listed beside the plot.", _PLOTS),
    Sign("◉", "Point", "The selected point in the plot.", _PLOTS),
    Sign("•", "Front", "A point on the Pareto front.", _PLOTS),
    Sign(_DOTS, "Line", "A line or a point in the plot.", _PLOTS),
)


def meaning(character: str, path: Sequence[str]) -> Sign | None:
    """The meaning of a character in the part at ``path``; None if it has none there."""
    found = [(scope, sign) for sign in _BY_CHARACTER.get(character, ()) for scope in sign.scopes if _leads(scope, path)]
    return max(found, key=lambda each: len(_parts(each[0])), default=(None, None))[1]


def _parts(scope: str) -> Sequence[str]:
    return scope.split(".") if scope else ()


def _leads(scope: str, path: Sequence[str]) -> bool:
    """Whether the parts of a scope are all in ``path``, in this order."""
    rest = iter(path)
    return all(part in rest for part in _parts(scope))


def _by_character() -> dict[str, list[Sign]]:
    found: dict[str, list[Sign]] = {}
    for sign in SIGNS:
        for character in sign.sign:
            if character != GLYPHS.stage:  # every border has it
                found.setdefault(character, []).append(sign)
    return found


_BY_CHARACTER: Final = _by_character()


# -- what is in sight --------------------------------------------------------------------------------------------------


def in_sight(screen: Screen[Any]) -> list[Sign]:
    """The signs that a screen shows now, in the order of the table; of several drawn together, those it shows."""
    found: dict[Sign, set[str]] = {}
    for character, path in characters(screen):
        if (sign := meaning(character, path)) is not None:
            found.setdefault(sign, set()).add(character)
    return [
        sign._replace(sign="".join(c for c in sign.sign if c in found[sign] or c == GLYPHS.stage))
        for sign in SIGNS
        if sign in found
    ]


def characters(screen: Screen[Any]) -> Iterator[tuple[str, Sequence[str]]]:
    """Every character in sight that may be a sign, and the names of the parts around it."""
    for y, strip in enumerate(_unfiltered(screen)):
        x = 0
        for place, character in enumerate(strip.text):
            if not character.isascii() or (character in _BY_CHARACTER and _alone(strip.text, place)):
                path = _path(screen, x, y)
                if path != (DIALOG,) and _SCROLLBAR not in path and not (character.isascii() and _BARS & set(path)):
                    yield _DOTS if character in _BRAILLE else character, path
            x += cell_len(character)


def _alone(text: str, place: int) -> bool:
    """Whether a character stands alone like a word: a sign, not punctuation."""
    around = text[:place][-1:] + text[place + 1 : place + 2]
    return all(each.isspace() or not (each.isascii() or each.isalnum()) for each in around)


def _path(screen: Screen[Any], x: int, y: int) -> tuple[str, ...]:
    """The name of a screen, and the ids of the parts around a cell, from the outermost to the innermost."""
    try:
        widget: DOMNode = screen.get_widget_at(x, y)[0]
    except NoWidget:
        widget = screen
    return path_of(widget)


def path_of(node: DOMNode) -> tuple[str, ...]:
    """The name of a part's screen, and the ids of the parts around it, from the outermost to itself."""
    return tuple(_name(each) for each in reversed(node.ancestors_with_self) if not isinstance(each, App))


def _name(node: DOMNode) -> str:
    if isinstance(node, WorkScreen):
        return node.SCOPE
    if isinstance(node, Screen) and node.is_modal:
        return DIALOG
    return node.id or type(node).__name__.lower()


def _unfiltered(screen: Screen[Any]) -> list[Strip]:
    """The lines of a screen before the filters for limited terminals."""
    app = screen.app
    filters, app._filters = app._filters, []
    try:
        _draw_again(screen)
        return screen._compositor.render_strips()
    finally:
        app._filters = filters
        _draw_again(screen)


def _draw_again(screen: Screen[Any]) -> None:
    """Drop the lines that widgets keep: they went through the filters."""
    for widget in (screen, *screen.walk_children(Widget)):
        widget._styles_cache.clear()
