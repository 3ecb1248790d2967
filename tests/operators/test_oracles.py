"""Every operator that implements a published method has an oracle: a second implementation.

`ORACLES` maps operators to tests that compare them with code written in the test from the paper,
with another package, or with published values. `WITHOUT` lists the other operators of these roles
with the reason. A new operator has to be entered in one of both.
"""

from pathlib import Path

import pytest

from fsops.plugins import plugins

TESTS = Path(__file__).resolve().parents[1]
ROLES = ("weighting", "selection", "search", "learner")

PAIRED = "algorithms/filters/test_paired.py"
UNIVARIATE = "algorithms/filters/test_univariate.py"
MODERATED = "algorithms/filters/test_moderated.py"
AWKWARD = "operators/test_awkward_oracles.py"
FILTERS = (AWKWARD, "test_moment_filters_follow_their_formulas")
COUNTS = (AWKWARD, "test_filters_of_categories_follow_their_formulas")
INFORMATION = "algorithms/statistics/test_information.py"
AGGREGATION = "algorithms/aggregation"
HYBRID = "algorithms/neighbors/test_hybrid_wrapper.py"
INSTANCES = "algorithms/neighbors/test_instance_based.py"
KNIFE = "algorithms/kernel/knife/test_fit.py"
SUBSETS = "algorithms/search/test_subsets.py"
RELIEF = "algorithms/neighbors/test_relief.py"
PATHS = "algorithms/linear/test_penalty_path.py"
GROUPS = "algorithms/linear/test_group_path.py"
SHRUNKEN = "algorithms/filters/test_shrunken.py"
JOINT = "algorithms/mrmr/test_joint.py"
SURF = "algorithms/neighbors/test_surf.py"
SECOND = "operators/test_second_implementations.py"
MODELING = "operators/modeling"
KNOCKOFFS = "algorithms/error_control/test_knockoffs.py"

ORACLES = {
    # Schowe (2011)
    "weight_by_sam": (
        FILTERS,
        (UNIVARIATE, "test_sam_chooses_s0_as_tusher_did"),
        (
            "algorithms/filters/test_sam_fdr.py",
            "test_the_permuted_d_are_those_of_sam_on_permuted_labels",
        ),
        (
            "algorithms/filters/test_sam_fdr.py",
            "test_pi0_is_counted_between_the_quartiles_of_all_permuted_differences",
        ),
    ),
    "weight_by_welch_test": (FILTERS, (UNIVARIATE, "test_t_tests_agree_with_scipy")),
    "weight_by_t_test": (FILTERS, (UNIVARIATE, "test_missing_values_are_left_out_as_scipy_does")),
    "weight_by_f_test": (FILTERS, (UNIVARIATE, "test_f_test_agrees_with_sklearn_and_scipy")),
    "weight_by_fisher_score": (FILTERS,),
    "weight_by_kruskal_wallis": (
        (
            "algorithms/filters/test_kruskal.py",
            "test_statistic_and_p_value_are_those_of_scipy",
        ),
    ),
    "weight_by_paired_t": ((PAIRED, "test_paired_t_is_that_of_scipy"),),
    "weight_by_signed_rank": ((PAIRED, "test_signed_ranks_are_those_of_scipy"),),
    "weight_by_brunner_munzel": ((PAIRED, "test_brunner_munzel_is_that_of_scipy"),),
    "weight_by_partial_correlation": (
        ("algorithms/filters/test_partial.py", "test_correlations_are_those_of_residuals"),
    ),
    "weight_by_permutation_importance": (
        (
            "operators/weighting/test_permutation_importance.py",
            "test_importances_are_those_of_scikit_learn_on_the_same_split",
        ),
        (
            "operators/weighting/test_permutation_importance.py",
            "test_a_plain_loop_gives_the_same_numbers",
        ),
    ),
    "select_by_cox_path": (
        ("algorithms/linear/test_cox_path.py", "test_coefficients_are_those_of_glmnet"),
        (
            "algorithms/linear/test_cox_path.py",
            "test_coefficients_with_fractions_as_weights_are_those_of_glmnet",
        ),
    ),
    "cox_regression": (
        (
            "operators/modeling/test_survival.py",
            "test_coefficients_meet_the_conditions_of_the_optimum",
        ),
    ),
    "weight_by_cox": (
        (
            "algorithms/filters/test_cox.py",
            "test_coefficients_and_tests_are_those_of_survival",
        ),
    ),
    "weight_by_moderated_t": (
        (MODERATED, "test_statistics_on_designs_are_those_of_limma"),
        (MODERATED, "test_statistics_from_class_moments_are_those_of_limma"),
    ),
    "correlation_matrix": (
        (
            "operators/weighting/test_correlation_matrix.py",
            "test_the_matrix_is_numpys_and_constants_have_no_correlation",
        ),
    ),
    "weight_by_correlation": (
        FILTERS,
        (UNIVARIATE, "test_pearson_agrees_with_scipy_and_sklearn"),
    ),
    "weight_by_maximum_relevance": (
        (
            "algorithms/filters/test_relevance.py",
            "test_golf_data_reproduce_the_published_table",
        ),
    ),
    "weight_by_mutual_information": (
        (INFORMATION, "test_mutual_information_agrees_with_sklearn"),
        (
            "operators/weighting/test_further_filters.py",
            "test_mutual_information_of_bins_is_scikit_learns",
        ),
    ),
    "weight_by_symmetric_uncertainty": (
        COUNTS,
        (INFORMATION, "test_symmetric_uncertainty_agrees_with_sklearn"),
    ),
    "weight_by_information_gain": (
        (
            "operators/weighting/test_information.py",
            "test_information_gain_of_the_best_split_is_the_largest_of_all_splits",
        ),
    ),
    "weight_by_information_gain_ratio": (COUNTS, (INFORMATION, "test_measures_of_the_golf_data")),
    "weight_by_chi_squared": (COUNTS, (INFORMATION, "test_chi_squared_and_g_agree_with_scipy")),
    "weight_by_gini_index": (COUNTS, (INFORMATION, "test_gini_gain_follows_its_definition")),
    "select_by_mrmr_cfs": (
        (
            "algorithms/mrmr/test_selection.py",
            "test_both_searches_follow_the_definition",
        ),
        ("algorithms/mrmr/test_cfs_search.py", "test_the_search_is_the_plain_one"),
        (
            "operators/selection/test_mrmr.py",
            "test_fast_ensemble_counts_what_separate_runs_select",
        ),
    ),
    "recursive_feature_elimination": (
        (
            "algorithms/linear/test_svm_rfe.py",
            "test_table_1_of_the_rapidminer_paper",
        ),
    ),
    "select_by_svm_rfe": (
        (
            "algorithms/linear/test_svm_rfe.py",
            "test_ranking_is_that_of_scikit_learn_at_tight_tolerance",
        ),
    ),
    "permutation_test_of_weights": (
        ("algorithms/error_control/test_max_t.py", "test_p_values_are_those_of_multtest"),
        (
            "operators/weighting/test_tests_of_weights.py",
            "test_p_values_are_those_of_scipy_over_all_permutations",
        ),
    ),
    "adjust_p_values": (
        (
            "algorithms/statistics/test_significance.py",
            "test_q_values_are_those_of_the_package_of_storey",
        ),
        (
            "operators/weighting/test_tests_of_weights.py",
            "test_adjustments_of_weights_are_those_of_scipy",
        ),
    ),
    "select_by_boruta": (
        (
            "algorithms/error_control/test_boruta.py",
            "test_decisions_are_those_of_the_boruta_package",
        ),
        (
            "operators/selection/test_boruta.py",
            "test_decisions_agree_with_the_boruta_package",
        ),
    ),
    "select_by_knockoffs": (
        (KNOCKOFFS, "test_s_values_are_those_of_knockpy"),
        (KNOCKOFFS, "test_noise_has_the_covariance_of_the_paper"),
        (KNOCKOFFS, "test_thresholds_are_those_of_a_plain_search"),
    ),
    "knockoff_filter": (
        (KNOCKOFFS, "test_s_values_are_those_of_knockpy"),
        (KNOCKOFFS, "test_e_values_are_rejected_as_by_a_plain_loop"),
    ),
    "stability_selection": (
        (
            "algorithms/error_control/test_stability_selection.py",
            "test_r_concave_bounds_are_those_of_the_program_of_shah_and_samworth",
        ),
        (
            "operators/selection/test_stability_selection.py",
            "test_a_second_implementation_counts_the_same_halves",
        ),
    ),
    "ensemble_feature_selection": (
        (
            "operators/selection/test_ensemble.py",
            "test_filters_computed_at_once_give_what_each_resample_gives",
        ),
    ),
    "weights_to_ranking": (
        ("operators/selection/test_ranking.py", "test_golf_ranks_as_in_table_2_of_the_paper"),
    ),
    "optimize_by_generation_yagga": (
        (
            "operators/search/test_generation.py",
            "test_products_that_the_label_needs_are_found",
        ),
        (
            "algorithms/search/test_construction.py",
            "test_values_are_those_of_their_expressions",
        ),
    ),
    "adaboost": (
        ("operators/modeling/test_boosting.py", "test_weights_and_votes_follow_adaboost_m1"),
    ),
    "metacost": (("operators/modeling/test_boosting.py", "test_the_cheapest_class_is_predicted"),),
    "rule_induction": (
        ("algorithms/trees/test_rules.py", "test_no_condition_is_better_than_the_best"),
    ),
    "polynomial_regression": (
        ("operators/modeling/test_curved.py", "test_a_polynomial_is_found_exactly"),
    ),
    "gaussian_process": (
        ("operators/modeling/test_curved.py", "test_a_gaussian_process_is_scikit_learns"),
    ),
    "generalized_linear_model": (
        (
            "operators/modeling/test_curved.py",
            "test_poisson_regression_maximises_its_likelihood",
        ),
    ),
    "polynomial_by_binomial_classification": (
        ("operators/modeling/test_binary.py", "test_one_against_all_is_scikit_learns"),
    ),
    "lars": (("algorithms/linear/test_lars.py", "test_lasso_is_scikit_learns"),),
    # Allen (2013)
    "weight_by_knife": (
        (KNIFE, "test_a_refined_fit_is_no_worse_than_a_general_solver_from_the_same_weights"),
        (AWKWARD, "test_gaussian_knife_of_three_classes_is_at_a_minimum_of_its_objective"),
    ),
    "knife_path": (
        (
            KNIFE,
            "test_the_objective_of_a_path_rises_with_the_penalty_and_each_step_is_certified",
        ),
    ),
    "knife_convergence": (
        (
            "operators/weighting/test_knife.py",
            "test_convergence_has_the_objective_after_each_iteration",
        ),
    ),
    "knife_model": (
        ("operators/modeling/test_knife.py", "test_kernel_ridge_solves_its_equations"),
        ("operators/modeling/test_knife.py", "test_the_support_vector_machine_is_libsvms"),
    ),
    "weight_by_sis": (
        (
            "operators/weighting/test_further_filters.py",
            "test_sis_keeps_n_over_log_n_of_the_best_correlated",
        ),
    ),
    "weight_by_iterative_sis": (
        (SECOND, "test_iterative_sis_is_that_of_fan_and_lv"),
        ("algorithms/linear/test_screening.py", "test_what_matters_only_together_is_found"),
    ),
    "weight_by_kernel_machine": (
        (KNIFE, "test_removal_changes_the_norm_as_a_kernel_without_the_feature_does"),
    ),
    # Lal, Chapelle, Schölkopf (2006)
    "weight_by_lal_score": (FILTERS,),
    "hard_margin_svm": (
        (
            "algorithms/kernel/test_filter_svm.py",
            "test_ridge_is_the_primal_with_squared_errors",
        ),
        ("algorithms/kernel/test_filter_svm.py", "test_soft_margin_is_that_of_libsvm"),
    ),
    "choose_number_of_features": (
        ("operators/selection/test_number.py", "test_the_curve_is_that_of_a_comparison"),
    ),
    # Paul, Dupont (2014)
    "weight_by_kernel_svm": (
        ("algorithms/kernel/test_svm.py", "test_machines_reach_the_objective_of_libsvm"),
        ("algorithms/kernel/test_clinical.py", "test_forms_are_those_of_the_kernel_matrices"),
    ),
    "weight_by_mkl": (
        ("algorithms/kernel/test_mkl.py", "test_no_other_weights_are_better"),
        (AWKWARD, "test_the_ranking_of_rfe_mkl_is_the_loop_of_the_paper"),
    ),
    "select_by_kernel_rfe": (
        ("algorithms/kernel/test_rfe.py", "test_rfe_svm_is_the_loop_by_hand"),
        (AWKWARD, "test_the_ranking_of_rfe_mkl_is_the_loop_of_the_paper"),
    ),
    "select_by_hfs": (
        (
            "algorithms/combined/test_hfs.py",
            "test_the_merge_is_that_of_classifiers_fitted_one_by_one",
        ),
        ("algorithms/statistics/test_fisher_exact.py", "test_many_categories_are_tested_exactly"),
    ),
    "k_nn": (
        (f"{MODELING}/test_lazy.py", "test_k_nn_votes_as_scikit_learn"),
        ("operators/modeling/test_lazy.py", "test_heom_takes_mixed_tables_with_gaps"),
        (
            "operators/modeling/test_lazy.py",
            "test_the_clinical_measure_takes_mixed_tables_with_gaps",
        ),
    ),
    "friedman_test": (
        ("algorithms/statistics/test_comparison.py", "test_friedman_and_nemenyi_of_demsar"),
        ("algorithms/statistics/test_comparison.py", "test_friedman_with_ties_is_scipys"),
    ),
    "impute_knn": (("operators/preparation/test_imputation.py", "test_numbers_are_scikit_learns"),),
    # Ben Brahim (2015)
    "weight_by_relief": (
        (RELIEF, "test_rows_at_the_same_distance_share_their_places"),
        (INSTANCES, "test_mean_margin_is_the_weight_of_relief"),
    ),
    "weight_by_relieff": (
        (RELIEF, "test_relieff_follows_its_formulas_on_mixed_data"),
        ("algorithms/neighbors/test_rrelieff.py", "test_the_algorithm_of_the_paper"),
    ),
    "select_by_jmi_cmim": ((JOINT, "test_selections_are_those_of_the_formulas"),),
    "select_by_elastic_net_path": (
        (PATHS, "test_the_best_model_is_that_of_scikit_learn"),
        (PATHS, "test_adaptive_coefficients_meet_the_conditions_of_the_optimum"),
        (PATHS, "test_coefficients_with_fractions_as_weights_are_those_of_glmnet"),
        (PATHS, "test_errors_of_folds_and_the_choice_are_those_of_glmnet"),
    ),
    "select_by_group_lasso_path": (
        (GROUPS, "test_coefficients_are_those_of_a_convex_solver"),
        (GROUPS, "test_coefficients_meet_the_conditions_of_the_optimum"),
        (GROUPS, "test_weighted_coefficients_meet_the_conditions_of_the_optimum"),
    ),
    "select_by_shrunken_centroids": (
        (SHRUNKEN, "test_centroids_are_those_of_scikit_learn"),
        (SHRUNKEN, "test_the_path_is_that_of_single_fits"),
        (SHRUNKEN, "test_fractions_as_weights_follow_the_formulas"),
    ),
    "weight_by_drop_column": (
        (
            "operators/weighting/test_drop_column.py",
            "test_weights_are_the_losses_of_single_runs_for_an_accuracy",
        ),
    ),
    "select_by_fcbf": ((JOINT, "test_fcbf_is_the_printed_algorithm"),),
    "weight_by_laplacian_score": (
        ("algorithms/neighbors/test_laplacian.py", "test_scores_are_those_of_the_formulas"),
    ),
    "weight_by_surf": ((SURF, "test_scores_are_those_of_skrebate"),),
    "weight_by_surf_star": ((SURF, "test_scores_are_those_of_skrebate"),),
    "weight_by_multisurf": (
        (SURF, "test_scores_are_those_of_skrebate"),
        (SURF, "test_the_formulas_hold_on_awkward_tables"),
    ),
    "weight_by_turf": (
        ("algorithms/neighbors/test_turf.py", "test_weights_are_those_of_skrebate"),
    ),
    "weight_by_entropy": (FILTERS, (UNIVARIATE, "test_other_scores_of_the_toy_data")),
    "ib_candidate_subsets": (
        (INSTANCES, "test_margins_equal_the_formula_for_mixed_types_and_three_classes"),
    ),
    "select_by_ib": (
        (INSTANCES, "test_margins_equal_the_formula_for_mixed_types_and_three_classes"),
        (INSTANCES, "test_order_equals_the_naive_one_with_all_ties"),
        (INSTANCES, "test_shared_information_equals_the_definition"),
    ),
    "select_by_hib_sbs": ((HYBRID, "test_backward_equals_the_algorithm_from_scratch"),),
    "select_by_hib_css": (
        (SECOND, "test_hib_css_is_that_of_the_thesis"),
        (HYBRID, "test_good_wins_over_bad_and_bad_over_middling"),
    ),
    "select_by_hyb_seq": ((HYBRID, "test_forward_equals_greedy_search_with_scikit_learn"),),
    "select_by_randomized_wrapper": (
        (SECOND, "test_the_randomized_wrapper_climbs_as_skalak_does"),
        (HYBRID, "test_errors_are_those_of_scikit_learn"),
    ),
    "aggregate_weights": (
        (SECOND, "test_combinations_of_lists_are_those_of_the_thesis"),
        (f"{AGGREGATION}/test_weights.py", "test_worked_lists"),
        (
            f"{AGGREGATION}/test_weights.py",
            "test_reliability_of_several_classes_is_that_of_the_formula",
        ),
        (f"{AGGREGATION}/test_robust_ranks.py", "test_scores_are_those_of_the_definition"),
        (f"{AGGREGATION}/test_ranks.py", "test_kendall_cost_counts_pairs_as_scipy_does"),
        (f"{AGGREGATION}/test_errors.py", "test_error_is_that_of_scikit_learn"),
    ),
    "ensemble_of_selections": (
        (
            "operators/selection/test_ensembles_of_selections.py",
            "test_selections_are_combined_as_by_aggregate_weights",
        ),
    ),
    "ensemble_of_classifiers": (
        (f"{AGGREGATION}/test_classifiers.py", "test_rules_agree_with_scikit_learn"),
        (
            f"{AGGREGATION}/test_classifiers.py",
            "test_vote_weights_of_several_classes_are_those_of_samme",
        ),
    ),
    "select_by_pk_mrmr": (
        (SECOND, "test_pk_mrmr_is_that_of_the_thesis"),
        (
            "operators/selection/test_prior_knowledge.py",
            "test_mrmr_with_even_priors_is_mrmr",
        ),
        (
            "algorithms/combined/test_prior.py",
            "test_large_priors_come_first_in_the_order_of_mrmr_among_themselves",
        ),
    ),
    "weight_by_pk_relief": (
        (
            "algorithms/combined/test_prior.py",
            "test_relief_of_the_specification_plus_the_prior",
        ),
    ),
    "select_by_pk_rfe": (
        (
            "algorithms/linear/test_arom.py",
            "test_pk_rfe_step_and_fixed_point_are_those_of_the_specification",
        ),
    ),
    "select_by_l1_arom": (
        ("algorithms/linear/test_arom.py", "test_programme_of_few_columns_is_that_of_all"),
    ),
    "select_by_l2_arom": (
        ("algorithms/linear/test_arom.py", "test_l2_path_is_that_of_the_specification"),
    ),
    "select_by_ps_l2_arom": (
        ("algorithms/linear/test_arom.py", "test_scalings_are_those_of_machines_on_scaled_columns"),
    ),
    "select_by_ss_l2_arom": (
        (
            "algorithms/combined/test_prior.py",
            "test_steps_are_those_of_the_algorithm_written_out",
        ),
    ),
    "mcnemar_test": (
        (
            "algorithms/statistics/test_comparison.py",
            "test_mcnemar_by_hand_and_by_the_binomial_test",
        ),
    ),
    "feature_selection_stability_validation": (
        (
            "operators/validation/test_stability.py",
            "test_measures_agree_with_a_plain_computation_over_all_pairs",
        ),
    ),
    # searches
    "optimize_selection": (
        (
            SUBSETS,
            "test_one_kept_set_makes_it_forward_selection_and_all_kept_sets_make_it_complete",
        ),
    ),
    "optimize_selection_forward": (
        (SUBSETS, "test_sequential_search_chooses_as_scikit_learn_does"),
        (
            "operators/search/test_neighbour_plan.py",
            "test_awkward_data_give_the_same_results_as_the_general_way",
        ),
    ),
    "optimize_selection_backward": ((SUBSETS, "test_backward_steps_are_the_best_single_removals"),),
    "optimize_selection_floating": ((SUBSETS, "test_floating_search_is_that_of_pudil"),),
    "optimize_selection_brute_force": (
        (SUBSETS, "test_exhaustive_search_finds_the_best_there_is"),
    ),
    "optimize_selection_hill_climbing": (
        (SUBSETS, "test_a_climber_ends_on_top_if_it_sees_all_neighbours"),
    ),
    "optimize_selection_evolutionary": (
        (SECOND, "test_evolution_of_subsets_is_that_of_the_textbook"),
        (
            "operators/search/test_searches.py",
            "test_the_front_of_mrmr_is_the_pareto_front_of_all_sets",
        ),
        (
            "algorithms/search/test_evolution.py",
            "test_every_scheme_but_chance_finds_the_subset_that_fits",
        ),
    ),
    "optimize_weights_evolutionary": (
        (
            SECOND,
            "test_evolution_of_weights_follows_the_one_fifth_rule_of_rechenberg",
        ),
        ("algorithms/search/test_evolution.py", "test_weights_evolve_towards_the_best_ones"),
    ),
    "optimize_selection_weight_guided": (
        (
            "operators/search/test_neighbour_plan.py",
            "test_weight_guided_searches_find_the_best_subset",
        ),
    ),
    "optimize_parameters_evolutionary": (
        (
            "operators/search/test_evolutionary_parameters.py",
            "test_the_best_value_of_a_known_function_is_found",
        ),
    ),
    "optimize_parameters_grid": (
        ("operators/search/test_parameters.py", "test_agrees_with_scikit_learn_up_to_the_folds"),
    ),
    # other published methods
    "weight_by_wilcoxon": ((UNIVARIATE, "test_wilcoxon_agrees_with_scipy_with_and_without_ties"),),
    "weight_by_auc": ((UNIVARIATE, "test_auc_agrees_with_sklearn"),),
    "weight_by_lasso": (
        ("operators/weighting/test_models.py", "test_lasso_weights_are_scikit_learns"),
    ),
    "weight_by_svm": (
        ("operators/weighting/test_models.py", "test_svm_weights_are_the_coefficients"),
    ),
    "weight_by_pca": (("operators/weighting/test_models.py", "test_pca_weights_are_the_loadings"),),
    "weight_by_component_model": (
        (
            "operators/weighting/test_component_model.py",
            "test_weights_are_those_of_weight_by_pca",
        ),
    ),
    "weight_by_random_forest": (
        (
            SECOND,
            "test_forest_weights_are_decreases_of_impurity_added_up_over_categories",
        ),
        ("operators/weighting/test_models.py", "test_impurities_add_up_to_one"),
    ),
    # learners
    "naive_bayes": (
        (f"{MODELING}/test_bayes.py", "test_numbers_are_gaussian_as_in_scikit_learn"),
        (f"{MODELING}/test_bayes.py", "test_categories_are_counted_as_in_scikit_learn"),
    ),
    "nearest_centroid": ((f"{MODELING}/test_lazy.py", "test_shrinkage_is_scikit_learns"),),
    "support_vector_machine": ((f"{MODELING}/test_svm.py", "test_machines_are_libsvms"),),
    "kernel_ridge": ((f"{MODELING}/test_knife.py", "test_kernel_ridge_solves_its_equations"),),
    "linear_regression": (
        (
            "operators/test_row_weights.py",
            "test_linear_models_minimise_the_weighted_error",
        ),
    ),
    **dict.fromkeys(
        ("ridge_regression", "lasso_regression", "elastic_net"),
        (
            (
                f"{MODELING}/test_linear.py",
                "test_penalties_are_scikit_learns_on_standardized_attributes",
            ),
        ),
    ),
    "logistic_regression": (
        (f"{MODELING}/test_linear.py", "test_balanced_costs_are_those_of_scikit_learn"),
    ),
    "linear_discriminant_analysis": (
        (f"{MODELING}/test_linear.py", "test_discriminant_analysis_is_scikit_learns"),
    ),
    "decision_tree": (
        (f"{MODELING}/test_trees.py", "test_a_tree_is_scikit_learns_and_tells_the_importances"),
    ),
    "random_forest": (
        (
            f"{MODELING}/test_trees.py",
            "test_forest_is_reproducible_and_as_good_as_scikit_learns",
        ),
    ),
    "gradient_boosting": ((f"{MODELING}/test_trees.py", "test_boosting_is_scikit_learns"),),
    "weight_by_deviation": ((UNIVARIATE, "test_deviation_is_the_sample_standard_deviation"),),
}

WITHOUT = {
    "default_model": "mean or most frequent class",
    "neural_net": "calls scikit-learn",
    "sklearn_estimator": "calls scikit-learn",
    "bagging": "averages inner models",
    "vote": "averages inner models",
    "stacking": "trains an inner model on the predictions of others",
    "classification_by_regression": "calls an inner regression for each class",
    "average": "arithmetic mean of results",
    "normalize_weights": "rescales given weights",
    "weights_from_knife_path": "reads a step of a path",
    "prior_knowledge": "turns names into weights",
    "rank_by_selection": "counts in which round an inner selection keeps an attribute",
    "select_by_weights": "keeps attributes by given weights",
    "select_top_k": "keeps attributes by given weights",
    "sklearn_selector": "calls scikit-learn",
    "loop_parameters": "runs a process for each setting",
}


def test_every_operator_that_selects_or_weighs_has_an_oracle_or_a_reason():
    known = {spec.key for spec in plugins().registry if spec.role in ROLES}
    assert known - ORACLES.keys() - WITHOUT.keys() == set()
    assert not ORACLES.keys() & WITHOUT.keys()


@pytest.mark.parametrize("operator", ORACLES)
def test_an_oracle_exists(operator):
    assert operator in plugins().registry
    for file, function in ORACLES[operator]:
        assert f"def {function}(" in (TESTS / file).read_text(encoding="utf-8"), (file, function)
