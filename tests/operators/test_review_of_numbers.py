"""Each defect that the review of numbers found has a test that failed before it was fixed.

The review re-implemented the formulas by other means. `DEFECTS` maps each finding to its tests
(file and function). N1 to N14 and E1 to E11 are the names of the review; the others are its list of
low severity. Findings that had no test yet are tested at the end of this file.

The time of N8 is measured in `benchmarks/selection.py` ("10 members"); the test counts operations.
"""

import inspect
from pathlib import Path

import numpy as np
import pytest

from fsops import AttributeWeights, ExampleSet, operators
from fsops.operators import select_by_hyb_seq, select_by_mrmr_cfs, select_by_pk_mrmr

TESTS = Path(__file__).resolve().parents[1]

DEFECTS = {
    "N1 KNIFE leaves its box": (
        ("operators/weighting/test_knife.py", "test_weights_of_few_attributes_lie_in_the_box"),
    ),
    "N2 a KNIFE path is not at the minimum": (
        ("operators/weighting/test_knife.py", "test_the_objective_of_a_path_never_falls"),
        (
            "operators/weighting/test_knife.py",
            "test_steps_of_a_path_that_have_not_settled_are_reported",
        ),
    ),
    "N3 RAA with more than two classes": (
        (
            "operators/selection/test_aggregation.py",
            "test_lists_that_beat_chance_with_eight_classes_are_reliable",
        ),
    ),
    "N4 commands fail on a fresh checkout": (
        ("runs/test_run.py", "test_the_environment_names_the_folder_of_the_data_sets"),
        ("papers/test_catalogue.py", "test_missing_data_are_named_in_one_sentence"),
    ),
    "N5 rounding decides ties": (
        ("algorithms/base/test_ties.py", "test_rounding_does_not_decide_who_is_selected"),
    ),
    "N6 the best of a ranking are the worst": (
        ("data/test_weights.py", "test_the_best_of_a_ranking_is_the_smallest"),
    ),
    "N7 rankings are listed worst first": (
        ("operators/selection/test_ranking.py", "test_a_ranking_lists_its_best_first"),
    ),
    "N8 ensembles of information measures": (
        (
            "operators/selection/test_mrmr.py",
            "test_ten_members_measure_fewer_pairs_than_four_plain_runs",
        ),
        (
            "operators/selection/test_mrmr.py",
            "test_fast_ensemble_counts_what_separate_runs_select",
        ),
    ),
    "N9 IB-RedE deselects its worst proposal": (
        (
            "operators/selection/test_instance_based.py",
            "test_redundancy_elimination_keeps_a_single_proposal",
        ),
        (
            "operators/selection/test_instance_based.py",
            "test_redundancy_elimination_selects_as_many_as_are_proposed",
        ),
    ),
    "N10 Hard Margin SVM hides sigma and C": (
        (
            "operators/modeling/test_challenge_svm.py",
            "test_the_model_shows_sigma_cost_and_solution",
        ),
    ),
    "N11 HEOM and naive Bayes refuse missing values": (
        ("operators/modeling/test_lazy.py", "test_heom_takes_mixed_tables_with_gaps"),
        ("operators/modeling/test_bayes.py", "test_missing_values_are_left_out_of_training"),
    ),
    "N12 Relief with raw values or drawn rows": (
        (
            "operators/weighting/test_relief.py",
            "test_rows_can_be_drawn_with_replacement_and_in_any_number",
        ),
    ),
    "N13 the wrapper uses another classifier": (
        (
            "operators/selection/test_hybrid.py",
            "test_the_classifier_that_judges_can_be_that_of_the_thesis",
        ),
        (
            "operators/selection/test_aggregation.py",
            "test_the_distance_that_measures_the_lists_can_be_chosen",
        ),
    ),
    "N14 hfs uses chi squared silently": (
        (
            "operators/selection/test_heterogeneous.py",
            "test_categories_beyond_the_exact_test_are_named",
        ),
    ),
    "Lal's score of a class with one row": (
        (
            "operators/weighting/test_univariate.py",
            "test_a_class_with_one_row_has_lals_score_and_no_welch_test",
        ),
    ),
    "constant data without a warning": (
        ("operators/selection/test_mrmr.py", "test_attributes_that_tell_nothing_are_warned_of"),
        ("operators/test_review_of_numbers.py", "test_nothing_to_select_by_is_warned_of"),
    ),
    "MKL of constant attributes, and the norm in its help": (
        (
            "operators/weighting/test_kernel.py",
            "test_constant_attributes_have_no_meaningful_weights",
        ),
        ("operators/weighting/test_kernel.py", "test_the_norm_of_the_weights_is_that_of_the_help"),
    ),
    "two rules of binning": (
        (
            "algorithms/preparation/test_discretize.py",
            "test_parts_of_equal_frequency_count_the_quantiles_up_to_a_value",
        ),
        (
            "operators/test_review_of_numbers.py",
            "test_a_value_at_an_edge_belongs_to_the_upper_part",
        ),
    ),
    "LARS with t = 0": (
        ("operators/modeling/test_lars.py", "test_a_limit_of_0_means_no_limit_with_a_note"),
    ),
    "LARS Change Parameters on another model": (
        ("operators/modeling/test_lars.py", "test_another_model_is_refused_by_name"),
    ),
    "Performance (CFS) with a numerical label": (
        ("operators/selection/test_mrmr.py", "test_performance_cfs_measures_numbers_by_pearson"),
    ),
    "MRMR ensembles of mixed tables": (
        (
            "operators/selection/test_mrmr.py",
            "test_ensembles_of_mixed_tables_and_ranks_count_what_separate_runs_select",
        ),
    ),
    "ranking of an MRMR ensemble": (
        ("operators/selection/test_mrmr.py", "test_an_ensemble_ranks_from_k_down_to_1"),
    ),
    "Stability Validation with k above the attributes": (
        (
            "operators/validation/test_stability.py",
            "test_selecting_all_attributes_is_warned_of",
        ),
    ),
    "McNemar's column changes its meaning": (
        (
            "operators/validation/test_significance.py",
            "test_mcnemar_counts_rows_where_one_is_right",
        ),
    ),
    "promoted sets of HIB-CSS": (
        (
            "algorithms/neighbors/test_hybrid_wrapper.py",
            "test_a_candidate_that_is_promoted_to_good_is_not_middling",
        ),
    ),
    "AROM keeps a vanishing attribute": (
        ("algorithms/linear/test_arom.py", "test_no_feature_on_its_way_to_zero_survives"),
    ),
    "ranges in schedules of RFE": (
        (
            "operators/selection/test_elimination.py",
            "test_a_schedule_can_have_falling_ranges",
        ),
    ),
    "small numbers print as 0": (("report/test_numbers.py", "test_a_column_lines_up"),),
    "RFE with unknown inner weights": (
        (
            "operators/selection/test_elimination.py",
            "test_inner_weights_that_are_all_unknown_are_refused",
        ),
    ),
    "an attribute without a known value": (
        (
            "operators/preparation/test_missing.py",
            "test_an_attribute_without_a_known_value_is_warned_of",
        ),
    ),
    "Loop and Average of a table": (
        (
            "operators/control/test_loops.py",
            "test_a_result_in_place_of_a_list_is_told_in_a_sentence",
        ),
    ),
    "E1 Relief depends on the order of the rows": (
        ("operators/weighting/test_relief.py", "test_the_order_of_the_rows_does_not_matter"),
    ),
    "E2 weighted majority with eight classes": (
        (
            "operators/modeling/test_subset_ensemble.py",
            "test_members_that_beat_chance_with_eight_classes_have_a_vote",
        ),
    ),
    "E3 row weights are ignored in silence": (
        (
            "operators/test_row_weights.py",
            "test_the_example_of_the_review_counts_the_heavy_row",
        ),
        ("core/frame/test_invoke.py", "test_row_weights_are_used_or_refused_by_name"),
    ),
    "E4 iterative SIS keeps noise": (
        (
            "operators/weighting/test_screening.py",
            "test_the_extended_criterion_keeps_few_attributes_of_noise",
        ),
    ),
    "E5 imputation far from zero": (
        (
            "operators/preparation/test_imputation.py",
            "test_a_large_offset_does_not_change_the_neighbours",
        ),
    ),
    "E7 useless attributes": (
        (
            "operators/preparation/test_redundancy.py",
            "test_one_value_beside_missing_ones_is_useless_for_both_types",
        ),
    ),
    "E9 pi0 of SAM": (
        (
            "algorithms/filters/test_sam_fdr.py",
            "test_pi0_is_counted_between_the_quartiles_of_all_permuted_differences",
        ),
    ),
    "E6, E8, E10, E11 statements of the help": (
        (
            "operators/test_review_of_numbers.py",
            "test_the_help_states_what_the_review_corrected",
        ),
        (
            "operators/test_review_of_numbers.py",
            "test_infinite_values_are_refused_with_a_way_out",
        ),
    ),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_has_a_test(defect):
    for file, function in DEFECTS[defect]:
        assert f"def {function}(" in (TESTS / file).read_text(encoding="utf-8"), (file, function)


# --- findings that had no test ------------------------------------------------------------------


def constant_table():
    return ExampleSet.from_numpy(np.ones((20, 4)), np.array(list("ab" * 10)))


@pytest.mark.parametrize(
    ("select", "words"),
    [
        (
            lambda table, ctx: select_by_pk_mrmr(
                table, AttributeWeights(["att1"], [1.0]), k=2, ctx=ctx
            ),
            "the first attributes in the data are selected",
        ),
        (
            lambda table, ctx: select_by_hyb_seq(table, ctx=ctx),
            "the order of the data decides",
        ),
    ],
    ids=["select_by_pk_mrmr", "select_by_hyb_seq"],
)
def test_nothing_to_select_by_is_warned_of(select, words, listening):
    heard = listening()
    select(constant_table(), heard)
    assert any(words in warning for warning in heard.warnings)


def bits(codes, classes):
    """Mutual information by its definition."""
    total = 0.0
    for code in set(codes):
        for name in set(classes):
            both = np.mean([c == code and y == name for c, y in zip(codes, classes, strict=True)])
            if both:
                alone = np.mean(np.equal(codes, code)) * np.mean(np.equal(list(classes), name))
                total += both * np.log2(both / alone)
    return total


@pytest.mark.parametrize(
    "relevance",
    [
        lambda table: select_by_mrmr_cfs(table, k=1, measure="mutual information"),
        lambda table: select_by_pk_mrmr(
            table, AttributeWeights(["att1"], [1.0]), k=1, measure="mutual information"
        ),
    ],
    ids=["mrmr", "select_by_pk_mrmr"],
)
def test_a_value_at_an_edge_belongs_to_the_upper_part(relevance):
    """The example of the review: the edges of 0…6 are 2 and 4."""
    classes = "aabbabb"
    table = ExampleSet.from_numpy(np.arange(7.0)[:, None], np.array(list(classes)))
    expected = bits([0, 0, 1, 1, 2, 2, 2], classes)
    assert expected == pytest.approx(0.592, abs=0.001)
    found = relevance(table).details["relevance"][0]
    assert found in (pytest.approx(expected), pytest.approx(expected * np.log(2)))


@pytest.mark.parametrize(
    ("operator", "words"),
    [
        ("k_nn", "at most 1 within the range of the training rows"),
        ("k_nn", "values beyond the range are first moved to its end"),
        (
            "support_vector_machine",
            "sum of pairwise decisions is then predicted, not the one with most votes",
        ),
        ("normalize", "the proportion transformation 1 / rows"),
        ("select_by_hyb_seq", "with a pooled variance"),
        ("select_by_ss_l2_arom", "Ben Brahim (2015)"),
    ],
)
def test_the_help_states_what_the_review_corrected(operator, words):
    text = " ".join(inspect.getdoc(getattr(operators, operator)).split())
    assert words in text


def test_infinite_values_are_refused_with_a_way_out(refused):
    table = ExampleSet.from_numpy([[1.0], [np.inf], [2.0], [3.0]], np.array(list("abab")))
    with refused("infinite", "MISSING_NUMERIC"):
        operators.weight_by_welch_test(table)
