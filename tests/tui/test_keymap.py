"""Which keys a command can have."""

from __future__ import annotations

import pytest
from textual.binding import Binding, BindingsMap
from textual.keys import _character_to_key

from chartui.commands import COMMANDS, command
from chartui.commands.command import Command
from chartui.commands.keys import CHARACTER_KEYS, key_label
from chartui.keymap import MOVES, BadKey, Keymap, key_name, make_keymap
from chartui.tui.widgets.line_view import LineView


def _command(command_id: str, *keys: str, scope: str = "app") -> Command:
    return Command(command_id, " ".join(keys), "x", scope, "x", "x")


def test_characters_are_called_as_the_framework_calls_them() -> None:
    assert {key: _character_to_key(character) for key, character in CHARACTER_KEYS.items()} == {
        key: key for key in CHARACTER_KEYS
    }


def test_what_moves_in_lists_is_no_key_of_a_command() -> None:
    bound = {key.strip() for binding in LineView.BINDINGS for key in binding.key.split(",")}  # type: ignore[union-attr]
    assert bound - {"enter"} <= MOVES


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("?", "question_mark"),
        (":", "colon"),
        ("+", "plus"),
        ("/", "slash"),
        ("A", "A"),
        ("é", "é"),
        ("question_mark", "question_mark"),
        ("F5", "f5"),
        ("Ctrl+X", "ctrl+x"),
        ("ctrl + r", "ctrl+r"),
        ("esc", "escape"),
        ("Return", "enter"),
        ("alt+x", "alt+x"),
        ("shift+f5", "shift+f5"),
        ("shift+ctrl+left", "ctrl+shift+left"),
    ],
)
def test_keys_are_taken_as_people_write_them(text: str, name: str) -> None:
    assert key_name(text) == name


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is not a key"),
        (" ", "is not a key"),
        ("\x1b", "is not a key"),
        ("f13", "did you mean “f3”"),
        ("entr", "did you mean “enter”"),
        ("ctlr+x", "the modifiers are ctrl, alt, shift"),
        ("ctrl+ctrl+x", "the modifiers are ctrl, alt, shift"),
        ("ctrl++", "is not a key"),
        ("ctrl+1", "not a key that terminals can send"),
        ("ctrl+enter", "not a key that terminals can send"),
        ("shift+a", "write 'A'"),
        ("ctrl+c", "interrupt programs"),
        ("Ctrl+I", "Tab"),
        ("ctrl+b", "multiplexers"),
        ("ctrl+\\", "quit programs"),
        ("down", "moving in lists"),
        ("shift+tab", "moving in lists"),
        ("j", "moving in lists"),
    ],
)
def test_keys_that_cannot_be_are_told(text: str, told: str) -> None:
    with pytest.raises(BadKey) as caught:
        key_name(text)
    assert told in str(caught.value)


def test_every_key_of_the_table_could_be_written_by_a_person() -> None:
    for each in COMMANDS:
        for key in each.keys:
            assert key_name(key) == key
            assert key_name(key_label(key)) == key if len(key_label(key)) == 1 and key_label(key).isascii() else True


def test_a_command_that_is_not_there_is_told_with_the_nearest() -> None:
    keymap = make_keymap({"hlep": ("h",), "zzzz": ("h",)})
    assert keymap.given == {}
    assert keymap.problems == (
        "keys.hlep: Unknown command “hlep”. Did you mean “help”?",
        "keys.zzzz: Unknown command “zzzz”. See docs/keys.md for all commands.",
    )


def test_two_commands_cannot_have_one_key_where_both_can_be_used() -> None:
    table = (_command("a", "a"), _command("b", "b", scope="one"), _command("c", "c", scope="two"))
    shared = make_keymap({"b": ("x",), "c": ("x",)}, table)
    assert (dict(shared.given), shared.problems) == ({"b": ("x",), "c": ("x",)}, ())
    [problem] = make_keymap({"b": ("f2", "a")}, table).problems
    assert problem == "keys.b: 'a' is assigned to both a and b; b keeps b."
    swapped = make_keymap({"a": ("b",), "b": ("a",)}, table)
    assert (dict(swapped.given), swapped.problems) == ({"a": ("b",), "b": ("a",)}, ())


@pytest.mark.parametrize(
    ("one", "other", "clash"),
    [
        ("graph", "graph", True),
        ("graph", "graph.lint", True),
        ("graph.walk.playing", "graph", True),
        ("app", "graph.lint", True),
        ("graph.lint", "graph.walk", False),
        ("graph", "graphs", False),
    ],
)
def test_a_key_is_shared_only_by_parts_that_never_have_the_keys_together(one: str, other: str, clash: bool) -> None:
    table = (_command("a", "a", scope=one), _command("b", "b", scope=other))
    assert bool(make_keymap({"b": ("a",)}, table).problems) is clash


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ({"sort-table": ("p",)}, "keys.sort-table: 'p' is assigned to both pin and sort-table; sort-table keeps s."),
        ({"only-failures": ("s",)}, "keys.only-failures: 's' is assigned to both only-failures and sort-table; "),
        (
            {"filter-table": ("f",)},
            "keys.filter-table: 'f' is assigned to both explore-constraints and filter-table; filter-table keeps /.",
        ),
        ({"sort-table": ("/",)}, "keys.sort-table: '/' is assigned to both filter-options and sort-table; "),
    ],
)
def test_a_table_stands_inside_every_screen_and_takes_no_key_of_any(
    wanted: dict[str, tuple[str, ...]], problem: str
) -> None:
    keymap = make_keymap(wanted)
    assert keymap.given == {}
    assert keymap.problems[0].startswith(problem)


def test_the_same_act_has_the_same_key_in_tables_and_on_screens() -> None:
    assert make_keymap({}).problems == ()
    wanted = dict.fromkeys(("filter-table", "filter-characters", "filter-requests", "filter-sections"), ("ctrl+f",))
    keymap = make_keymap(wanted)
    assert (dict(keymap.given), keymap.problems) == (wanted, ())


def test_commands_that_share_a_key_in_the_table_may_share_another() -> None:
    table = (_command("a", "f", scope="one"), _command("b", "f", scope="one.part"), _command("c", "c", scope="one"))
    assert make_keymap({"a": ("x",), "b": ("x",)}, table).problems == ()
    assert make_keymap({"b": ("x",), "c": ("x",)}, table).problems == (
        "keys.c: 'x' is assigned to both b and c; c keeps c.",
    )


def test_a_command_that_shares_its_key_keeps_it_when_the_other_gets_a_new_one() -> None:
    def binding(command_id: str) -> Binding:
        return Binding(command(command_id).bound(command(command_id).keys), "x", id=command_id)

    assert command("filter-table").keys == command("filter-characters").keys == ("slash",)
    bindings = BindingsMap([binding("filter-table"), binding("filter-characters")])
    bindings.apply_keymap(make_keymap({"filter-table": ("ctrl+f",)}).for_framework)
    owners = {key: [each.id for each in found] for key, found in bindings.key_to_bindings.items()}
    assert owners == {"ctrl+f": ["filter-table"], "slash": ["filter-characters"]}


def test_a_command_without_a_key_can_be_given_one() -> None:
    table = (_command("a"), _command("b"), _command("c", "c"))
    keymap = make_keymap({"a": ("x",)}, table)
    assert (keymap.keys(table[0]), keymap.keys(table[1]), keymap.label(table[1])) == (("x",), (), "")
    assert make_keymap({"a": ("c",)}, table).problems == ("keys.a: 'c' is assigned to both a and c; a keeps no key.",)
    assert len({each.bound(each.keys) for each in table}) == 3


def test_a_sentence_names_a_command_by_its_key_or_its_title() -> None:
    keymap = make_keymap({"refresh": ()})
    assert (keymap.name("refresh"), keymap.name("history")) == ("“Refresh”", "H")


def test_a_wish_taken_back_may_take_back_another() -> None:
    table = (_command("a", "a"), _command("b", "b"), _command("c", "c"))
    # b cannot have c's key, so it keeps its own, which a then cannot have.
    keymap = make_keymap({"a": ("b",), "b": ("c",)}, table)
    assert keymap.given == {}
    assert len(keymap.problems) == 2


def test_keys_are_written_for_people() -> None:
    keymap = make_keymap({"quit": (), "help": ("f1", "?"), "refresh": ("ctrl+r", "ctrl+R")})
    assert (keymap.label("quit"), keymap.label("help"), keymap.label("palette")) == ("", "f1", ":")
    assert [keymap.labels(each) for each in COMMANDS if each.id in ("help", "refresh")] == ["f1 ?", "ctrl+r"]
    assert "" not in keymap.for_framework.values()


def test_what_is_usual_is_no_change() -> None:
    assert make_keymap({"help": ("?",)}) == Keymap()
