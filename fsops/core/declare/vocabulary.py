"""The vocabulary of parameters and operators: one name per idea, and the names used before.

This is the only list of earlier names. The operators' aliases, the notices, the contract rule "one
name per idea" and the table in docs/migration.md are made from it. RapidMiner's names that fsops
never used are in the declarations of the operators.
"""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, ...]] = {
    # --- attributes to select
    "k": ("exact_number_of_attributes", "keep"),
    "use_k": ("use_exact_number_of_attributes", "use_fixed_number_of_attributes"),
    "min_attributes": ("min_number_of_attributes", "least"),
    "max_attributes": (
        "max_number_of_attributes",
        "max_total_number_of_attributes",
        "maximal_number_of_attributes",
        "maximum_features",
        "most",
    ),
    "limit_attributes": ("limit_max_total_number_of_attributes", "restrict_maximum"),
    "min_weight": ("minimum_weight",),
    "attribute": ("attribute_name",),
    "remove_collinear_attributes": ("eliminate_colinear_features",),
    # --- how often, how long
    "iterations": ("ensemble_size", "number_of_iterations", "training_cycles", "training_rounds"),
    "max_iterations": ("max_iteration", "max_optimization_steps", "maximum_number_of_steps"),
    "min_iterations": ("minimum_iterations",),
    "repetitions": ("number_of_validations", "repeats"),
    "restarts": ("max_runs",),
    "generations_without_improvement": ("generations_without_improval",),
    "use_early_stopping": ("limit_generations_without_improval",),
    "limit_generations": ("limit_number_of_generations",),
    "max_generations": ("maximum_number_of_generations",),
    "max_eliminations": ("maximal_number_of_eliminations",),
    "max_evaluations": ("maximal_number_of_evaluations",),
    "max_proposals": ("maximum_number_of_proposals",),
    "max_steps": ("maximum_steps",),
    # --- bounds
    "max_absolute_decrease": ("maximal_absolute_decrease",),
    "max_relative_decrease": ("maximal_relative_decrease",),
    "min_absolute_increase": ("minimal_absolute_increase",),
    "min_relative_increase": ("minimal_relative_increase",),
    "max_depth": ("maximal_depth",),
    "max_fitness": ("maximal_fitness",),
    "max_size": ("maximum_size",),
    "min_size": ("minimum_size",),
    "min_gain": ("minimal_gain",),
    "min_leaf_size": ("minimal_leaf_size",),
    "min_points_lower_bound": ("minimal_points_lower_bound",),
    "min_points_upper_bound": ("minimal_points_upper_bound",),
    "min_prune_benefit": ("minimal_prune_benefit",),
    "min_size_for_split": ("minimal_size_for_split",),
    # --- fractions of something, probabilities
    "max_missing_fraction": ("maximum_missing_share",),
    "min_fraction": ("minimum_share", "smallest_share"),
    "sample_fraction": ("ratio", "sample_ratio"),
    "sample_fraction_per_class": ("sample_ratio_per_class",),
    "training_fraction": ("split_ratio", "training_ratio"),
    "tournament_fraction": ("tournament_size",),
    "crossover_probability": ("crossover_prob", "p_crossover"),
    "initial_probability": ("p_initialize",),
    "mutation_probability": ("p_mutation",),
    "nominal_mutation_probability": ("nominal_mutation_rate",),
    # --- numbers of something
    "number_of_bins": ("bins",),
    "number_of_components": ("dimensions",),
    "number_of_neighbors": ("number_of_neighbours",),
    "number_of_rows": ("number_examples", "number_of_examples"),
    # --- methods
    "adjustment": ("correction",),
    "degree": ("kernel_degree",),
    "metric_scaling": ("measure_scaling",),
    "penalty": ("alpha", "decay", "ridge"),
    "sampling": ("sampling_type",),
    "scaling": ("normalize", "scale"),
    "selection_scheme": ("selection_type",),
    "significance_level": ("alpha",),
    "sort_direction": ("sorting_direction",),
    "transformation": ("weight",),
    # --- files
    "path": (
        "arff_file",
        "attribute_constructions_file",
        "attribute_weights_file",
        "coordinates_file",
        "csv_file",
        "example_set_file",
        "excel_file",
        "file",
        "file_name",
        "filename",
        "gene_sets_file",
        "geo_file",
        "h5ad_file",
        "matrix_file",
        "parquet_file",
        "process_location",
        "r_file",
        "statistics_file",
        "svmlight_file",
    ),
    "rows_path": ("rows_file",),
    "column_separator": ("column_separators",),
    "decimal_character": ("decimal_point_character",),
    "sheet": ("sheet_name",),
}
"""Word of each idea, with its synonyms. No operator may call a parameter by a synonym."""

PREFIXES: Mapping[str, str] = {
    "maximal_": "max_",
    "maximum_": "max_",
    "minimal_": "min_",
    "minimum_": "min_",
    "num_": "number_of_",
    "n_": "number_of_",
}
"""Beginnings of names that are synonyms, with the right ones."""

EVERY = "*"
RENAMED: tuple[tuple[str, str, str], ...] = (
    ("correction", "adjustment", "select_by_boruta"),
    (
        "attribute_name",
        "attribute",
        "add_value date_to_nominal date_to_numerical extract_macro extract_performance "
        "generate_copy merge_values nominal_to_date set_role sort",
    ),
    ("column_separators", "column_separator", "read_csv"),
    ("crossover_prob", "crossover_probability", "optimize_parameters_evolutionary"),
    (
        "p_crossover",
        "crossover_probability",
        "optimize_by_generation_yagga optimize_selection_evolutionary "
        "optimize_weights_evolutionary",
    ),
    ("decimal_point_character", "decimal_character", "create_exampleset"),
    ("kernel_degree", "degree", "gaussian_process"),
    ("alpha", "diagonal_fraction", "linear_discriminant_analysis"),
    (
        "p_initialize",
        "initial_probability",
        "optimize_by_generation_yagga optimize_selection_evolutionary "
        "optimize_selection_hill_climbing",
    ),
    ("ensemble_size", "iterations", "select_by_mrmr_cfs"),
    ("number_of_iterations", "iterations", "generalized_hebbian_algorithm loop"),
    ("training_cycles", "iterations", "neural_net"),
    ("training_rounds", "iterations", "self_organizing_map"),
    (
        "exact_number_of_attributes",
        "k",
        "optimize_selection_brute_force optimize_selection_evolutionary",
    ),
    ("keep", "k", "weight_by_iterative_sis weight_by_sis"),
    (
        "number_of_attributes",
        "k",
        "optimize_selection_floating select_by_random weights_from_knife_path",
    ),
    ("keep_best", "keep_best_individual", "optimize_parameters_evolutionary"),
    ("limit_max_total_number_of_attributes", "limit_attributes", "optimize_by_generation_yagga"),
    (
        "restrict_maximum",
        "limit_attributes",
        "optimize_selection_brute_force optimize_selection_evolutionary",
    ),
    ("limit_number_of_generations", "limit_generations", "optimize_selection"),
    ("alpha", "logcosh_constant", "independent_component_analysis"),
    ("macro_name", "macro", "rank_by_selection"),
    ("maximal_absolute_decrease", "max_absolute_decrease", "optimize_selection_backward"),
    (
        "max_number_of_attributes",
        "max_attributes",
        "optimize_selection_brute_force optimize_selection_evolutionary",
    ),
    ("max_total_number_of_attributes", "max_attributes", "optimize_by_generation_yagga"),
    ("maximal_number_of_attributes", "max_attributes", "optimize_selection_forward"),
    ("maximum_features", "max_attributes", "lars lars_change_model_parameters"),
    ("most", "max_attributes", "select_by_fcbf"),
    (
        "maximal_depth",
        "max_depth",
        "decision_tree gradient_boosting random_forest select_by_boruta weight_by_random_forest",
    ),
    ("maximal_number_of_eliminations", "max_eliminations", "optimize_selection_backward"),
    ("maximal_number_of_evaluations", "max_evaluations", "optimize_selection_brute_force"),
    (
        "maximal_fitness",
        "max_fitness",
        "optimize_by_generation_yagga optimize_selection optimize_selection_evolutionary "
        "optimize_selection_weight_guided optimize_weights_evolutionary",
    ),
    (
        "maximum_number_of_generations",
        "max_generations",
        "optimize_by_generation_yagga optimize_selection optimize_selection_evolutionary "
        "optimize_selection_hill_climbing optimize_weights_evolutionary",
    ),
    ("max_iteration", "max_iterations", "independent_component_analysis"),
    (
        "max_optimization_steps",
        "max_iterations",
        "expectation_maximization_clustering k_means k_medoids",
    ),
    ("maximum_number_of_steps", "max_iterations", "select_by_ss_l2_arom"),
    ("maximum_missing_share", "max_missing_fraction", EVERY),
    ("maximum_number_of_proposals", "max_proposals", "select_by_randomized_wrapper"),
    ("maximal_relative_decrease", "max_relative_decrease", "optimize_selection_backward"),
    ("maximum_size", "max_size", "group_enrichment"),
    ("maximum_steps", "max_steps", "knife_path"),
    (
        "measure",
        "metric",
        "aggregate_weights ensemble_feature_selection ensemble_of_selections select_by_hib_css "
        "select_by_hib_sbs select_by_hyb_seq k_nn select_by_randomized_wrapper",
    ),
    (
        "measure_scaling",
        "metric_scaling",
        "aggregate_weights ensemble_feature_selection ensemble_of_selections select_by_hib_css "
        "select_by_hib_sbs select_by_hyb_seq select_by_randomized_wrapper",
    ),
    ("minimal_absolute_increase", "min_absolute_increase", "optimize_selection_forward"),
    ("least", "min_attributes", "weight_by_turf"),
    (
        "min_number_of_attributes",
        "min_attributes",
        "optimize_selection_brute_force optimize_selection_evolutionary",
    ),
    (
        "minimum_share",
        "min_fraction",
        "aggregate_weights ensemble_feature_selection ensemble_of_selections",
    ),
    ("smallest_share", "min_fraction", "knife_path"),
    ("minimal_gain", "min_gain", "decision_tree"),
    (
        "minimum_iterations",
        "min_iterations",
        "aggregate_weights ensemble_feature_selection ensemble_of_selections",
    ),
    ("minimal_leaf_size", "min_leaf_size", "decision_tree random_forest"),
    ("minimal_points_lower_bound", "min_points_lower_bound", "detect_outlier_lof"),
    ("minimal_points_upper_bound", "min_points_upper_bound", "detect_outlier_lof"),
    ("minimal_prune_benefit", "min_prune_benefit", "rule_induction"),
    ("minimal_relative_increase", "min_relative_increase", "optimize_selection_forward"),
    ("minimum_size", "min_size", "group_enrichment"),
    ("minimal_size_for_split", "min_size_for_split", "decision_tree"),
    ("minimum_weight", "min_weight", "performance_min_max"),
    (
        "p_mutation",
        "mutation_probability",
        "optimize_by_generation_yagga optimize_selection_evolutionary",
    ),
    ("nominal_mutation_rate", "nominal_mutation_probability", "optimize_weights_evolutionary"),
    ("normalize", "normalization", "weight_by_deviation"),
    ("bins", "number_of_bins", "select_by_fcbf select_by_jmi_cmim"),
    ("number_of_neighbors", "number_of_changes", "optimize_selection_hill_climbing"),
    ("k", "number_of_clusters", "expectation_maximization_clustering k_means k_medoids"),
    ("dimensions", "number_of_components", "singular_value_decomposition"),
    ("k", "number_of_neighbors", "impute_knn k_nn"),
    ("number_of_neighbours", "number_of_neighbors", "smote_upsampling"),
    ("number_examples", "number_of_rows", "generate_data generate_direct_mailing_data"),
    ("number_of_examples", "number_of_rows", "create_exampleset"),
    ("number_of_neighbors", "number_of_similar_attributes", "select_by_ss_l2_arom"),
    ("iterations", "number_of_splits", "repeated_random_split"),
    ("arff_file", "path", "read_arff write_arff"),
    ("attribute_constructions_file", "path", "read_constructions write_constructions"),
    ("attribute_weights_file", "path", "read_weights write_weights"),
    ("coordinates_file", "path", "read_coordinates write_coordinates"),
    ("csv_file", "path", "read_csv write_csv"),
    ("example_set_file", "path", "write_special_format"),
    ("excel_file", "path", "read_excel write_excel"),
    ("gene_sets_file", "path", "set_attribute_groups"),
    ("geo_file", "path", "read_geo_series_matrix"),
    ("h5ad_file", "path", "read_anndata write_anndata"),
    ("matrix_file", "path", "read_matrix_market"),
    ("parquet_file", "path", "read_parquet write_parquet"),
    ("process_location", "path", "execute_process"),
    ("r_file", "path", "read_r"),
    ("statistics_file", "path", "read_statistics_file"),
    ("svmlight_file", "path", "read_svmlight write_svmlight"),
    (
        "generations_without_improval",
        "generations_without_improvement",
        "optimize_by_generation_yagga optimize_parameters_evolutionary optimize_selection "
        "optimize_selection_evolutionary optimize_selection_hill_climbing "
        "optimize_selection_weight_guided optimize_weights_evolutionary",
    ),
    ("alpha", "penalty", "elastic_net kernel_ridge lasso_regression ridge_regression"),
    ("decay", "penalty", "neural_net"),
    ("ridge", "penalty", "linear_regression polynomial_regression"),
    ("normalize", "per_attribute", "cluster_distance_performance"),
    ("filtered", "prefilter_k", "select_by_hyb_seq"),
    ("eliminate_colinear_features", "remove_collinear_attributes", "linear_regression"),
    ("number_of_validations", "repetitions", "bootstrapping_validation"),
    ("repeats", "repetitions", "weight_by_random_forest"),
    ("max_runs", "restarts", "expectation_maximization_clustering k_means k_medoids"),
    ("rows_file", "rows_path", "read_coordinates read_matrix_market"),
    (
        "ratio",
        "sample_fraction",
        "ensemble_feature_selection ensemble_of_classifiers ensemble_of_selections "
        "feature_selection_stability_validation",
    ),
    (
        "sample_ratio",
        "sample_fraction",
        "bagging bootstrapping_validation gradient_boosting weight_by_pk_relief rule_induction "
        "sample sample_bootstrapping sample_stratified weight_by_relief weight_by_relieff",
    ),
    ("sample_ratio_per_class", "sample_fraction_per_class", "sample"),
    (
        "sampling_type",
        "sampling",
        "choose_number_of_features compare_feature_selections compare_rocs "
        "create_learning_curve cross_validation repeated_random_split split_data "
        "split_validation wrapper_split_validation wrapper_x_validation",
    ),
    (
        "normalize",
        "scaling",
        "gaussian_process generalized_linear_model hard_margin_svm k_nn neural_net "
        "polynomial_regression select_by_svm_rfe smote_upsampling "
        "weight_by_laplacian_score weight_by_pca weight_by_svm",
    ),
    (
        "scale",
        "scaling",
        "elastic_net kernel_ridge lasso_regression logistic_regression ridge_regression "
        "support_vector_machine",
    ),
    ("selection_type", "selection_scheme", "optimize_parameters_evolutionary"),
    ("sheet_name", "sheet", "write_excel"),
    (
        "alpha",
        "significance_level",
        "anova compare_feature_selections friedman_test linear_regression mcnemar_test "
        "optimize_selection_backward optimize_selection_forward select_by_boruta t_test",
    ),
    ("sorting_direction", "sort_direction", "discretize_by_size sort"),
    ("weight", "threshold", "select_by_weights"),
    (
        "tournament_size",
        "tournament_fraction",
        "optimize_by_generation_yagga optimize_selection_evolutionary "
        "optimize_weights_evolutionary",
    ),
    (
        "split_ratio",
        "training_fraction",
        "choose_number_of_features compare_feature_selections compare_rocs "
        "repeated_random_split split_validation wrapper_split_validation",
    ),
    ("training_ratio", "training_fraction", "create_learning_curve"),
    ("normalize", "transformation", "weight_by_maximum_relevance"),
    (
        "weight",
        "transformation",
        "adjust_p_values permutation_test_of_weights weight_by_cox weight_by_f_test "
        "weight_by_kruskal_wallis weight_by_moderated_t weight_by_t_test "
        "weight_by_welch_test weight_by_wilcoxon",
    ),
    ("limit_generations_without_improval", "use_early_stopping", "optimize_selection"),
    (
        "use_exact_number_of_attributes",
        "use_k",
        "optimize_selection_brute_force optimize_selection_evolutionary",
    ),
    ("use_fixed_number_of_attributes", "use_k", "select_by_random"),
)
"""Earlier name of a parameter, present name, and the keys of the operators that had it."""

KEYS: Mapping[str, str] = {
    "hfs": "select_by_hfs",
    "hib_css": "select_by_hib_css",
    "hib_sbs": "select_by_hib_sbs",
    "hyb_seq": "select_by_hyb_seq",
    "l1_arom": "select_by_l1_arom",
    "l2_arom": "select_by_l2_arom",
    "pk_mrmr": "select_by_pk_mrmr",
    "pk_relief": "weight_by_pk_relief",
    "pk_rfe": "select_by_pk_rfe",
    "ps_l2_arom": "select_by_ps_l2_arom",
    "randomized_wrapper": "select_by_randomized_wrapper",
    "ss_l2_arom": "select_by_ss_l2_arom",
}
"""Earlier keys of operators, with their present keys."""

KEY_STARTS: Mapping[str, tuple[str, ...]] = {
    "weighting": ("weight_by_",),
    "selection": ("select_by_", "weight_by_"),
}
"""How the key of an operator begins that computes weights from a table alone, by its role."""

OTHER_KEYS = frozenset(
    {
        "knife_path",  # returns a path
        "correlation_matrix",  # RapidMiner's key
        "prior_knowledge",  # made by the user, not computed
        "sklearn_selector",  # one of three: estimator, selector, transformer
    }
)
"""Keys that begin otherwise, for the reason given."""
