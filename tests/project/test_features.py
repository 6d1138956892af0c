"""What people expect of a terminal program, each with the test that shows it, or the reason why it is not provided."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parents[1]

#: Each feature, and below it the test that shows it.
_ROWS: Final = """
one search for commands and everything that has a name
    tui/keyboard/test_palette.py::test_a_command_of_another_screen_goes_there_and_runs
a search that forgives typos and left-out letters, and marks the matches
    tui/keyboard/test_palette.py::test_a_slip_and_left_out_letters_are_found_and_marked
other words for a command find it too
    project/test_searches.py::test_a_newcomer_finds_everything
the commands used last come first
    tui/keyboard/test_palette.py::test_what_was_used_last_is_kept_and_listed_first
a disabled command says why
    tui/keyboard/test_palette.py::test_what_a_service_has_no_call_for_is_not_offered_as_if_it_worked
an exact name comes before similar ones
    core/test_fuzzy.py::test_the_exact_name_comes_first_then_names_that_begin_with_it
a filter language with fields
    core/characters/test_finder.py::test_every_part_of_a_query_must_hold
a filter for what is not saved yet
    tui/keyboard/test_characters.py::test_characters_with_staged_changes_are_listed_and_again_after_a_restart
filters saved under a name
    tui/keyboard/test_saved_filters.py::test_a_filter_is_saved_and_opened_with_the_key_of_the_filter_line
a history of filters
    tui/keyboard/test_used_filters.py::test_up_goes_back_through_the_filters_that_were_used_and_down_forward
next and previous match
    tui/keyboard/test_record.py::test_the_arrows_while_you_type_and_n_in_the_text_go_from_match_to_match
a footer with the keys that work now
    tui/keyboard/test_footer.py::test_every_key_in_the_footer_works_in_every_tab
help that is filtered
    tui/keyboard/test_app.py::test_the_help_is_filtered_and_keeps_its_groups
help that runs the command
    tui/keyboard/test_app.py::test_enter_runs_the_command_under_the_cursor_of_the_help
every key can be changed
    tui/keyboard/test_keymap.py::test_a_command_is_done_with_its_new_key_and_no_longer_with_the_old
a jump to any part with one letter
    tui/keyboard/test_themes.py::test_a_letter_leads_to_each_part
everything can be clicked
    tui/keyboard/test_app.py::test_the_bars_are_clicked
keys typed ahead are not lost
    tui/keyboard/test_typing_ahead.py::test_an_early_answer_waits_for_the_review_of_a_story
select several, change all
    tui/keyboard/test_bulk.py::test_one_temperature_for_several
a difference before every change
    tui/keyboard/test_settings.py::test_settings_are_staged_reviewed_saved_and_read_back
undo of an applied change
    tui/keyboard/test_past.py::test_the_change_under_the_cursor_is_undone
undo and redo of edits, also after a restart
    tui/keyboard/test_edit_history.py::test_settings_are_undone_and_redone_in_the_next_program
nothing destructive under the first key
    tui/keyboard/test_review.py::test_cancel_has_the_cursor_and_the_other_answer_is_a_turn_away
a read-only mode that holds everywhere
    cli/test_every_command.py::test_a_change_is_refused_under_the_lock
long work can be stopped and resumed
    tui/keyboard/test_review.py::test_escape_stops_behind_the_step_under_way_and_going_on_does_the_rest
long texts in your own editor
    tui/test_external_editor.py::test_what_was_written_is_taken_over_and_the_file_is_gone
copying over SSH
    pty/test_clipboard.py::test_tmux_gets_it_plain_and_wrapped
what you see as a table for other programs
    tui/keyboard/test_copy.py::test_the_filtered_list_is_copied_as_a_table
the request behind it as a command
    tui/keyboard/test_requests.py::test_a_call_is_copied_as_curl_as_a_command_and_in_parts
your own commands
    tui/keyboard/test_own_commands.py::test_it_gets_values_and_the_selection
it starts as you left it
    tui/keyboard/test_coming_back.py::test_the_list_comes_back_with_its_cursor_order_and_filter
several programs side by side
    tui/keyboard/test_coming_back.py::test_what_two_programs_keep_is_joined
a command that opens exactly this view
    tui/keyboard/test_links.py::test_the_copied_command_opens_the_view
columns to choose, order and size
    tui/keyboard/test_columns.py::test_columns_are_hidden_moved_and_kept
sorting by any column
    tui/keyboard/test_tables.py::test_a_key_sorts_by_one_column_after_the_other_and_both_ways
live refresh that marks what changed
    tui/keyboard/test_live.py::test_changed_cells_are_marked_for_a_moment
switching environments while running
    tui/keyboard/test_profiles.py::test_from_demo_data_to_a_service_to_a_store_of_ones_own
themes, previewed while you choose
    tui/keyboard/test_themes.py::test_a_theme_is_seen_while_one_moves_and_only_enter_keeps_it
no meaning by color alone
    tui/test_plain.py::test_without_colors_each_meaning_has_a_sign_or_an_attribute_of_its_own
completion from what is there, in three shells
    cli/test_completion.py::test_a_key_press_completes_a_name
the same on the command line, as JSON
    cli/test_every_command.py::test_everything_has_a_help_text
a tutorial inside the program
    tui/keyboard/test_first_run.py::test_tours_and_the_tutor_are_found_from_inside
recorded keys that are played again
    tui/tours/test_writing.py::test_ones_own_keys_become_a_tour_that_ends_on_the_same_screen
"""
PROVIDED: Final[Mapping[str, str]] = dict(zip(*[map(str.strip, _ROWS.strip().splitlines())] * 2, strict=True))
#: Feature → the reason why it is not provided.
NOT_PROVIDED: Final[Mapping[str, str]] = {
    "plug-ins inside the program": "They could read the API key; your own commands run outside.",
    "panes that you arrange freely": "The layout follows the window's size, for pictures and tours.",
}


@lru_cache
def functions_of(path: Path) -> frozenset[str]:
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    return frozenset(node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, functions))


def test_there_are_45_and_no_test_shows_two() -> None:
    assert len(PROVIDED) + len(NOT_PROVIDED) == 45
    assert len({*PROVIDED.values()}) == len(PROVIDED)


@pytest.mark.parametrize("feature", PROVIDED)
def test_a_feature_is_shown_by_a_test(feature: str) -> None:
    path, _, name = PROVIDED[feature].partition("::")
    assert name in functions_of(TESTS / path)
