"""Each defect that the review of the designer found has a test.

`DEFECTS` maps each finding to its tests (file below `tests`, and function). D1 to D21 and R1 to
R12 are the names of the review. Findings that had no test yet are tested at the end of this file.
"""

import ast
import functools
from itertools import pairwise
from pathlib import Path

import pytest

from fsops.core.checks.validation import validate
from fsops.core.graph.process import Process
from fsops.editing.layout import arranged
from fsops_gui.base.actions import SPECS
from fsops_gui.document.autosave import Autosaver
from fsops_gui.document.document import Document

TESTS = Path(__file__).resolve().parents[1]
HERE = "gui/test_review_of_designer.py"
ROBUST, RUNS = "gui/test_review_robustness.py", "gui/test_review_runs.py"
DATA, FIXES = "core/checks/test_data_cautions.py", "core/checks/test_fixes.py"
PROBLEMS, VIEWS = "gui/panels/test_problems.py", "gui/panels/results/test_views.py"

DEFECTS = {
    "D1 the fix for a missing model bypasses the selection": (
        (DATA, "test_a_missing_model_is_added_behind_the_selection"),
        (DATA, "test_weights_that_nothing_uses_get_a_selection_before_the_learner"),
    ),
    "D2 a column that gives the label away is not reported": (
        (DATA, "test_the_column_of_a_drawn_process_is_reported_at_its_reader"),
        (DATA, "test_a_column_is_reported_once_however_many_operators_learn_from_it"),
    ),
    "D3 the first double click on a fix does nothing": (
        (PROBLEMS, "test_choosing_a_problem_moves_no_line"),
        (PROBLEMS, "test_a_double_click_on_a_fix_mends_and_can_be_undone"),
    ),
    "D4 a double click on a problem does not lead to the field": (
        (PROBLEMS, "test_a_double_click_leads_into_the_field"),
        (HERE, "test_a_wrong_label_stays_marked_and_has_a_fix"),
    ),
    "D5 a drop on a wire overlaps its neighbours": (
        ("editing/test_layout.py", "test_an_operator_put_into_a_wire_covers_no_other"),
        ("gui/canvas/test_view.py", "test_an_operator_dropped_on_a_wire_goes_into_it"),
    ),
    "D6 the canvas moves under the mouse": (
        ("gui/canvas/test_zoom_levels.py", "test_nothing_moves_under_the_mouse_when_a_frame_grows"),
    ),
    "D7 lists have no useful order": (
        (
            "editing/test_suggestions.py",
            "test_the_words_of_the_review_find_the_right_operator_first",
        ),
        (
            "editing/test_suggestions.py",
            "test_a_table_that_was_read_goes_to_a_validation_or_preparation_and_not_to_control",
        ),
        ("editing/test_suggestions.py", "test_a_replacement_that_processes_use_comes_first"),
    ),
    "D8 nameless boxes in a small window": (
        ("gui/canvas/test_zoom_levels.py", "test_fit_never_makes_names_unreadable"),
        ("gui/shell/test_docks.py", "test_one_key_hides_all_panels_and_brings_them_back"),
    ),
    "D9 a switch to dark leaves dark words on dark": (
        ("gui/base/test_theme.py", "test_a_switch_leaves_nothing_of_the_other_theme"),
        ("gui/shell/test_theme_switch.py", "test_the_edge_of_an_unchecked_box_stands_out"),
    ),
    "D10 a template leaves its stability unconnected": (
        (RUNS, "test_the_template_of_stability_connects_its_plots"),
    ),
    "D11 a stopped run takes the results away": (
        (
            "gui/panels/test_result_dock.py",
            "test_a_stopped_run_keeps_the_results_of_the_run_before",
        ),
    ),
    "D12 order of the tab key": (
        ("gui/shell/test_accessibility.py", "test_tab_goes_from_field_to_field"),
        ("gui/shell/test_accessibility.py", "test_tab_takes_the_only_completion"),
    ),
    "D13 words of biologists find nothing": (
        (
            "editing/test_suggestions.py",
            "test_the_words_of_the_review_find_the_right_operator_first",
        ),
        ("editing/test_suggestions.py", "test_words_that_mean_tests_find_nothing_else"),
        ("editing/test_suggestions.py", "test_each_hit_says_why_it_was_found"),
    ),
    "D14 a certain failure is called a warning": (
        (DATA, "test_missing_values_that_certainly_fail_are_an_error"),
        (DATA, "test_missing_values_in_the_training_of_folds_certainly_fail_too"),
        (RUNS, "test_the_text_of_a_failed_run_is_shown_above_the_canvas"),
    ),
    "D15 equal bars where the frequency matters": (
        ("gui/canvas/test_preview.py", "test_equal_weights_show_how_often_each_was_selected"),
        (
            "report/test_terminal.py",
            "test_weights_of_0_are_not_listed_and_equal_ones_follow_their_rank",
        ),
    ),
    "D16 the report gives its own time": (
        (
            "gui/commands/test_exchange.py",
            "test_the_report_is_that_of_the_run_just_made_and_goes_where_the_user_says",
        ),
    ),
    "D17 bars of 1 - p are all full": (
        (VIEWS, "test_weights_that_are_one_minus_p_can_be_told_apart"),
        (VIEWS, "test_places_are_shown_on_demand"),
        (VIEWS, "test_agreement_of_a_pair_is_that_of_scipy"),
    ),
    "D18 a parameter set to its default makes results stale": (
        (RUNS, "test_a_parameter_set_to_its_default_makes_nothing_stale"),
    ),
    "D19 file dialogs forget, the label is not offered, no preview": (
        (
            "gui/commands/test_exchange.py",
            "test_file_dialogs_open_in_the_folder_that_was_used_last",
        ),
        (
            "gui/panels/test_reader_fields.py",
            "test_label_and_id_are_chosen_from_the_columns_of_the_file",
        ),
        ("gui/panels/test_form.py", "test_what_a_reader_reads_is_previewed"),
    ),
    "D20 small things": (
        ("gui/panels/results/test_hover.py", "test_the_tip_of_the_window_follows_the_mouse"),
        (ROBUST, "test_the_sign_of_a_descending_order_points_down"),
        (HERE, "test_undo_names_the_action_of_the_menu"),
        (HERE, "test_arranging_leaves_no_gaps_as_high_as_three_operators"),
    ),
    "D21 a missing library of the system is not named": (
        (ROBUST, "test_a_missing_library_of_the_system_is_named_with_its_package"),
    ),
    "R1 steady work is never saved": (
        (HERE, "test_an_edit_does_not_put_off_the_autosave_of_the_one_before"),
        (
            "gui/test_kills.py",
            "test_at_most_two_seconds_of_edits_are_lost_also_if_it_is_killed_while_it_recovers",
        ),
    ),
    "R2 pictures in notes read files": (
        (ROBUST, "test_a_picture_in_a_note_is_words_and_no_file_is_opened"),
    ),
    "R3 the autosave stops silently": (
        (ROBUST, "test_characters_that_a_file_cannot_hold_become_spaces"),
        (ROBUST, "test_a_notice_stays_while_changes_cannot_be_kept"),
    ),
    "R4 closing waits for the check": (
        (ROBUST, "test_closing_does_not_wait_for_a_check_that_hangs"),
        (ROBUST, "test_a_parquet_file_of_many_rows_is_described_from_its_footer"),
    ),
    "R5 one bad setting and nothing starts": ((ROBUST, "test_bad_settings_are_ignored"),),
    "R6 selecting all of a large table": (
        (ROBUST, "test_all_of_a_large_table_is_selected_at_once"),
    ),
    "R7 the work of a second window": (
        (ROBUST, "test_the_work_of_a_second_window_is_offered_with_its_file"),
        (ROBUST, "test_an_empty_start_brings_it_back_with_its_file"),
    ),
    "R8 a file that is deleted": (
        (ROBUST, "test_a_deleted_file_is_noticed_and_can_be_saved_again"),
    ),
    "R9 a check that ends the program": (
        (ROBUST, "test_a_check_that_ends_the_program_is_reported_at_its_operator"),
    ),
    "R10 replacing leads to ports that do not exist": (
        (ROBUST, "test_replacing_leads_inner_wires_to_ports_that_are_there"),
    ),
    "R11 a decimal comma": ((ROBUST, "test_a_decimal_comma_has_a_fix"),),
    "R12 a child that is killed, long lines, deep events": (
        (RUNS, "test_long_lines_and_strange_events_are_passed_over"),
        ("gui/run/test_child_run.py", "test_a_run_that_dies_is_told_apart"),
    ),
}


@functools.cache
def functions_of(file):
    tree = ast.parse((TESTS / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(("finding", "tests"), DEFECTS.items(), ids=lambda x: str(x)[:3])
def test_every_finding_has_tests(finding, tests):
    assert tests
    assert [t for t in tests if t[1] not in functions_of(t[0])] == []


def test_every_finding_is_listed():
    names = {finding.split()[0] for finding in DEFECTS}
    assert names == {f"D{n}" for n in range(1, 22)} | {f"R{n}" for n in range(1, 13)}


# --- findings that had no test --------------------------------------------------------------


def test_a_wrong_label_stays_marked_and_has_a_fix(window_of, registry, tmp_path, qtbot):
    (tmp_path / "t.csv").write_text("a,b,label\n1,2,x\n2,1,y\n3,3,x\n")
    process = Process("Reads")
    read = process.add(registry["read_csv"], path=str(tmp_path / "t.csv"), label="lab")
    process.result(read)
    [problem] = [p for p in validate(process, registry) if p.parameter == "label"]
    assert problem.fixes, problem.message
    window = window_of(Document(process))
    checker, panel = window.session.checker, window.session.parameters
    for _ in range(2):
        window.views.reveal("Read CSV")
        qtbot.waitUntil(lambda: "lab" in panel.rows["label"].fault.text())
        window.session.editor.scene.clearSelection()
    window.session.apply(checker.findings.problems[0].fixes[0])
    assert window.session.document.process["Read CSV"].parameters["label"] == "label"


@pytest.mark.parametrize("name", ["duplicate", "delete", "wrap"])
def test_undo_names_the_action_of_the_menu(window, name):
    window.session.editor.scene.select(["Normalize"])
    window.actions_table.by_name[name].trigger()
    said = window.session.document.undo_stack.undoText()
    words = next(spec.text for spec in SPECS if spec.name == name)
    assert said.split()[0] == words.split()[0]


def test_arranging_leaves_no_gaps_as_high_as_three_operators(registry):
    process = Process()
    table = process.add(registry["retrieve"])
    weightings = [process.add(registry["weight_by_sam"], table) for _ in range(5)]
    chosen = process.add(registry["select_by_weights"], table, weightings[-1])
    process.result(process.add(registry["naive_bayes"], chosen))
    columns: dict[float, list[float]] = {}
    for x, y in arranged(process).values():
        columns.setdefault(x, []).append(y)
    gaps = [y - above for ys in columns.values() for above, y in pairwise(sorted(ys))]
    assert max(gaps) <= 2 * min(gaps)


def test_an_edit_does_not_put_off_the_autosave_of_the_one_before(chain, qtbot):
    saver = Autosaver(chain)
    chain.rename("Normalize", "N0")
    due = saver._timer.remainingTime()
    qtbot.wait(50)
    chain.rename("N0", "N1")
    assert saver._timer.isActive()
    assert saver._timer.remainingTime() < due
