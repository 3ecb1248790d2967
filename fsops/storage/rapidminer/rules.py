"""How RapidMiner's operators differ from ours, as data.

Plain renames are aliases in the operators' declarations; here is what holds for one class of
RapidMiner only: other operators under the same name, values, defaults, and settings we do not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fsops.storage.rapidminer import adapters
from fsops.storage.rapidminer.categories import MAIN_CRITERIA
from fsops.storage.rapidminer.learners import divided_learners
from fsops.storage.rapidminer.model_rules import MODEL_RULES
from fsops.storage.rapidminer.ports import PortNames
from fsops.storage.rapidminer.report import MAY_CHANGE, WITH_WEIGHTS
from fsops.storage.rapidminer.rule import MappingRule, Unless, unless
from fsops.storage.rapidminer.settings import words

HARMLESS = words("""
    create_view datamanagement enable_parallel_execution materialize_data parallelize_main_process
    parallelize_training parallelize_testing parallelize_nested_chain sort_weights sort_direction
    return_preprocessing_model create_complete_model show_stop_dialog show_population_plotter
    plot_generations constraint_draw_range draw_dominated_points intermediate_weights_generations
    intermediate_weights_file log_performance log_all_criteria show_convergence_plot io_object
    remove_from_process persistent kernel_cache cache_size filters_check_metadata
    use_local_random_seed local_random_seed
""")
"""Settings of any operator that have no influence on a result."""

IGNORED: Mapping[str, Unless] = {
    "normalize_weights": unless("false"),
    "user_result_individual_selection": unless("false"),
    "save_intermediate_weights": unless("false", effect="leaves no file"),
    "population_criteria_data_file": unless("", effect="leaves no file"),
    "use_example_weights": unless("false", effect=WITH_WEIGHTS),
    "use_weights": unless("false", effect=WITH_WEIGHTS),
    "skip_undefined_labels": unless("true"),
    "average_performances_only": unless("true"),
    "store_which": unless("1"),
    "use_value_type_exception": unless("false"),
    "use_block_type_exception": unless("false"),
    "block_type": unless("attribute_block", "value_series", "", effect=MAY_CHANGE),
    "unexpected_value_handling": unless("all 0", "all 0 and warning"),
    "application_parameters": unless(""),
    "encoding": unless("SYSTEM", "UTF-8", effect="may change how a file is written"),
    "synchronize": unless("false"),
    "sorting_type": unless("none", effect="leaves the log unsorted"),
    "filename": unless("", effect="leaves no file"),
    "limit_time": unless("false"),
    "enable_timeout": unless("false"),
    "macro_start_value": unless("1"),
    "unfold": unless("false"),
    "return_inner_output": unless("true"),
    "additional_macros": unless(""),
}
"""Settings of any operator that we do not have, and when that matters."""

NO_COST = {"0.0": "1.0", "0": "1.0"}
"""RapidMiner finds out a cost by itself where it is 0."""

FILTERED = MappingRule(adapt=(adapters.attribute_filter,))
"""Operators on a subset of the attributes."""

WEIGHTING = MappingRule(adapt=(adapters.normalized_weights,))
"""Weightings: their ``normalize_weights`` becomes a separate operator."""
BINNED = replace(WEIGHTING, defaults={"discretization": "equal width", "number_of_bins": "10"})

THEIR_FORMULAS = {"compatibility": "rapidminer"}
"""Where formulas differ, imported processes keep those of RapidMiner."""

DATED = MappingRule(values={"date_format": {"": "yyyy-MM-dd"}}, harmless=words("locale time_zone"))
SELECTION = MappingRule(
    adapt=(adapters.no_infinity,),
    harmless=words("normalize_weights"),  # of zeros and ones it makes the same
)
WRAPPER = MappingRule(adapt=(adapters.scale_by_weights,))

MY_SVM = MappingRule(
    adapt=(adapters.neural_kernel,),
    defaults={"C": "0.0", "epsilon": "0.0", "kernel_gamma": "1.0"},
    values={"kernel_type": {"dot": "linear", "radial": "rbf", "neural": "sigmoid"}},
    harmless=words(
        "kernel_sigma1 kernel_sigma2 kernel_sigma3 kernel_a kernel_b calculate_weights "
        "return_optimization_performance"
    ),
    ignored={
        "convergence_epsilon": unless("0.001", effect="changes the last digits"),
        "L_pos": unless("1"),
        "L_neg": unless("1"),
        "epsilon_plus": unless("0"),
        "epsilon_minus": unless("0"),
        "quadratic_loss_pos": unless("false"),
        "quadratic_loss_neg": unless("false"),
        "estimate_performance": unless("false", effect="leaves an output empty"),
    },
)
TREE = MappingRule(
    adapt=(adapters.multiway_tree, adapters.unlimited_depth),
    defaults={"criterion": "gain_ratio", "minimal_gain": "0.01", "algorithm": "c4.5"},
)
FOREST = MappingRule(
    adapt=(adapters.unlimited_depth,),
    harmless=words("confidence number_of_prepruning_alternatives"),
    ignored={
        "criterion": unless("gini_index"),
        "guess_subset_ratio": unless("true"),
        "subset_ratio": unless("0.2"),
        "minimal_gain": unless("0"),
        "minimal_size_for_split": unless("2"),
        "no_pre_pruning": unless("true"),
        "no_pruning": unless("true"),
        "apply_prepruning": unless("false"),
        "apply_pruning": unless("false"),
        "voting_strategy": unless("confidence vote"),
    },
)
H2O_HARMLESS = words("""
    solver reproducible maximum_number_of_threads use_regularization lambda alpha number_of_lambdas
    lambda_min_ratio early_stopping stopping_rounds stopping_tolerance compute_p-values
    remove_collinear_columns max_runtime_seconds expert_parameters reference beta_constraints
    beta_epsilon objective_epsilon gradient_epsilon calculate_weights
""")
"""Settings of H2O's solver: how it gets to the optimum, not where that is."""
CRITERIA = MappingRule(adapt=(adapters.criteria,))
FURTHER_PERFORMANCES = PortNames(
    outputs={
        "performance 1": "performance", "performance": ("further_performances", -1),
        "averagable 1": "performance", "averagable": ("further_performances", -1),
    },
    sinks={
        "performance 1": "performance", "performance": ("further_performances", -1),
        "averagable 1": "performance", "averagable": ("further_performances", -1),
    },
)  # fmt: skip
VALIDATION = MappingRule(ports=FURTHER_PERFORMANCES)
TABLE_LOOP = PortNames(inputs={"input 1": "examples"}, sources={"input 1": "examples"})
"""Loops over a table: since RapidMiner 7 it is the first of many inputs."""

RULES: Mapping[str, MappingRule] = {
    # --- weights and selection
    "weight_by_relief": replace(
        WEIGHTING, becomes="weight_by_relieff", defaults=THEIR_FORMULAS
    ),
    "weight_by_information_gain_ratio": replace(WEIGHTING, defaults=THEIR_FORMULAS),
    "weight_by_gini_index": replace(WEIGHTING, defaults=THEIR_FORMULAS),
    "naive_bayes": MappingRule(defaults=THEIR_FORMULAS),
    "weight_by_chi_squared_statistic": BINNED,
    "weight_by_uncertainty": BINNED,
    "weight_by_deviation": replace(
        WEIGHTING, categories={"normalize": ("none", "average", "minimum", "maximum")}
    ),
    "weight_by_svm": replace(WEIGHTING, defaults={"C": "0.0"}, substitutes={"C": NO_COST}),
    "optimize_weights_evolutionary": MappingRule(
        adapt=(adapters.no_infinity,), defaults={"normalize_weights": "true"}
    ),
    "weka:performance_cfs": MappingRule(becomes="performance_cfs"),
    **{
        f"optimize_selection{kind}": SELECTION
        for kind in ("", "_brute_force", "_evolutionary", "_weight_guided")
    },
    "optimize_selection_forward": replace(
        SELECTION, categories={"stopping_behavior": (
            "without increase", "without increase of at least", "without significant increase",
        )},
    ),
    "optimize_selection_backward": replace(
        SELECTION, categories={"stopping_behavior": (
            "with decrease", "with decrease of more than", "with significant decrease",
        )},
    ),
    # --- validation
    "wrapper_x_validation": replace(WRAPPER, defaults={"sampling_type": "stratified sampling"}),
    "wrapper_split_validation": WRAPPER,
    **{
        key: replace(CRITERIA, categories={"main_criterion": names})
        for key, names in MAIN_CRITERIA.items()
    },
    **{
        key: VALIDATION
        for key in (
            "cross_validation", "x_validation", "split_validation", "bootstrapping_validation",
        )
    },
    "performance_binominal_classification": replace(
        CRITERIA,
        adapt=(adapters.positive_class, adapters.criteria),
        categories={"main_criterion": MAIN_CRITERIA["performance_binominal_classification"]},
    ),
    "extract_performance": MappingRule(
        categories={
            "statistics": ("average", "min", "max", "count"),
            "optimization_direction": ("minimize", "maximize"),
        }
    ),
    # --- learners
    "support_vector_machine": MY_SVM,
    "support_vector_machine_linear": replace(
        MY_SVM, adapt=(), defaults={"C": "0.0", "epsilon": "0.0"}
    ),
    "support_vector_machine_libsvm": MappingRule(
        adapt=(adapters.libsvm,),
        defaults={
            "C": "0.0", "p": "0.1", "kernel_type": "rbf", "degree": "3", "coef0": "0.0",
            "scale": "false",
        },
        renamed={"p": "epsilon"},
        values={"kernel_type": {"poly": "polynomial"}},
        harmless=words("shrinking nu confidence_for_multiclass tolerance"),
        ignored={
            "svm_type": unless("C-SVC", "epsilon-SVR"),
            "calculate_confidences": unless("false", effect="changes the confidences"),
        },
        categories={"kernel_type": ("linear", "poly", "rbf", "sigmoid", "precomputed")},
    ),
    "logistic_regression": MappingRule(
        defaults={"C": "0.0", "kernel_type": "dot"},
        substitutes={"C": NO_COST},
        harmless=MY_SVM.harmless
        | words("kernel_gamma kernel_degree kernel_shift convergence_epsilon"),
        ignored={"kernel_type": unless("dot")},
    ),
    "h2o:logistic_regression": MappingRule(
        becomes="logistic_regression",
        adapt=(adapters.h2o_logistic,),
        defaults={"use_regularization": "false"},
        renamed={"standardize": "scale"},
        harmless=H2O_HARMLESS,
        ignored={
            "lambda_search": unless("false"),
            "non-negative_coefficients": unless("false"),
            "add_intercept": unless("true"),
            "missing_values_handling": unless("MeanImputation", "Skip", effect=MAY_CHANGE),
            "specify_beta_constraints": unless("false"),
        },
    ),
    "linear_regression": MappingRule(
        defaults={"feature_selection": "M5 prime", "eliminate_colinear_features": "true"},
        substitutes={"feature_selection": {"greedy": "M5 prime", "Iterative T-Test": "T-Test"}},
        harmless=words("max_iterations forward_alpha backward_alpha"),
    ),
    "k_nn": MappingRule(
        adapt=(adapters.distance,),
        defaults=THEIR_FORMULAS,
        harmless=MY_SVM.harmless
        | words("measure_types nominal_measure divergence kernel_type kernel_gamma kernel_degree")
        | words("kernel_shift mixed_measure numerical_measure"),
    ),
    "decision_tree": replace(
        TREE,
        adapt=(adapters.old_pruning, *TREE.adapt),
        defaults={**TREE.defaults, "minimal_gain": "0.1", "confidence": "0.25"},
    ),
    "decision_stump": replace(
        TREE,
        becomes="decision_tree",
        adapt=(),
        defaults={
            **TREE.defaults, "minimal_gain": "0.0", "maximal_depth": "1", "apply_pruning": "false",
            "minimal_leaf_size": "1", "number_of_prepruning_alternatives": "0",
        },
    ),
    "parallel_decision_tree": TREE,
    "random_forest": replace(
        FOREST,
        defaults={"number_of_trees": "10", "minimal_leaf_size": "2", "maximal_depth": "20"},
    ),
    "parallel_random_forest": FOREST,
    "linear_discriminant_analysis": MappingRule(
        harmless=words("approximate_covariance_inverse"), ignored={"alpha": unless("0")}
    ),
    "neural_net": MappingRule(
        adapt=(adapters.hidden_layers,),
        defaults={
            "solver": "sgd", "training_cycles": "500", "learning_rate": "0.3", "momentum": "0.2",
        },
        harmless=words("error_epsilon shuffle"),
    ),
    "correlation_matrix": replace(FILTERED, harmless=words("normalize_weights")),
    "bagging": MappingRule(ports=PortNames(sources={"training set": "training_set"})),
    "vote": MappingRule(adapt=(divided_learners,)),
    **MODEL_RULES,
    # --- data
    "set_role": MappingRule(renamed={"name": "attribute_name"}),
    "blending:sort": MappingRule(becomes="sort", adapt=(adapters.blending_sort,)),
    "read_csv": MappingRule(
        adapt=(adapters.file_columns,),
        defaults={"column_separators": ";"},
        values={"encoding": {"SYSTEM": "utf-8"}},
        harmless=words("time_zone locale trim_lines use_quotes skip_comments comment_characters "
                       "quotes_character escape_character annotations date_format "
                       "parse_numbers grouped_digits grouping_character"),
        ignored={
            "read_all_values_as_polynominal": unless("false"),
            "read_not_matching_values_as_missings": unless("true"),
            "starting_row": unless("1"),
        },
    ),
    "read_excel": MappingRule(
        adapt=(adapters.file_columns,),
        harmless=words("time_zone locale annotations date_format encoding"),
        ignored={
            "imported_cell_range": unless("A1", "", effect=MAY_CHANGE),
            "read_not_matching_values_as_missings": unless("true"),
        },
    ),
    "write_csv": MappingRule(values={"encoding": {"SYSTEM": "utf-8"}},
                      harmless=words("format_date_attributes"),
                      ignored={"append_to_file": unless("false")}),
    "nominal_to_numerical": replace(
        FILTERED, adapt=(adapters.old_coding, adapters.attribute_filter)
    ),
    **{
        key: FILTERED
        for key in (
            "select_attributes", "discretize_by_bins", "discretize_by_entropy",
            "discretize_by_user_specification", "replace_missing_values",
            "add_noise", "nominal_to_binominal", "numerical_to_binominal",
            "numerical_to_polynominal", "declare_missing_value", "remove_duplicates", "replace",
            "map", "remove_unused_values", "numerical_to_real", "nominal_to_text",
            "text_to_nominal", "trim", "cut", "real_to_integer", "generate_absolutes",
            "rename_by_generic_names", "replace_infinite_values",
        )
    },
    "discretize_by_size": replace(FILTERED, defaults={"sorting_direction": "decreasing"}),
    "parse_numbers": replace(
        FILTERED, values={"unparsable_value_handling": {"skip attribute": "missing"}}
    ),
    "date_to_numerical": MappingRule(adapt=(adapters.date_period,), defaults=THEIR_FORMULAS),
    "date_to_nominal": DATED,
    "nominal_to_date": DATED,
    "pivot": MappingRule(
        adapt=(adapters.one_group,), harmless=words("consider_weights weight_aggregation")
    ),
    "blending:pivot": MappingRule(
        adapt=(adapters.several_groups,),
        defaults={"skip_constant_attributes": "false"},
        ignored={"use_default_aggregation": unless("false")},
        harmless=words("default_aggregation_function"),
    ),
    "de_pivot": MappingRule(defaults={"index_attribute": "index"}),
    "id3": replace(
        TREE,
        becomes="decision_tree",
        defaults={
            **TREE.defaults, "maximal_depth": "-1", "apply_pruning": "false",
            "number_of_prepruning_alternatives": "0", "minimal_gain": "0.1",
        },
    ),
    "concurrency:loop_attributes": replace(FILTERED, ports=TABLE_LOOP),
    "loop_attributes": replace(
        FILTERED, adapt=(adapters.attribute_filter, adapters.chained_table), ports=TABLE_LOOP
    ),
    "loop_values": MappingRule(ports=TABLE_LOOP),
    "discretize_by_frequency": replace(FILTERED, defaults=THEIR_FORMULAS),
    "rename_by_replacing": replace(FILTERED, defaults={"replace_what": r"\W"}),
    "order_attributes": MappingRule(
        adapt=(adapters.attribute_order,),
    ),
    "normalize": replace(
        FILTERED,
        categories={"method": (
            "Z-transformation", "range transformation", "proportion transformation",
            "interquartile range",
        )},
    ),
    "aggregate": replace(FILTERED, ignored={"count_all_combinations": unless("false")}),
    "blending:select_attributes": MappingRule(
        becomes="select_attributes", adapt=(adapters.blending_filter,)
    ),
    "blending:set_role": MappingRule(becomes="set_role", adapt=(adapters.blending_roles,)),
    # --- control
    "extract_macro": MappingRule(
        categories={
            "statistics": ("average", "deviation", "variance", "min", "max", "count", "unknown")
        }
    ),
    "log": MappingRule(
        adapt=(adapters.logged_values,), harmless=words("sorting_k sorting_dimension")
    ),
    "branch": MappingRule(
        ports=PortNames(outputs={"input": "output"}, sinks={"input": "output"})
    ),
    "loop_parameters": MappingRule(ports=PortNames(outputs={"result": "output"})),
    "work_on_subset": replace(FILTERED, harmless=words("deliver_inner_results")),
    "loop_and_deliver_best": MappingRule(harmless=words("timeout")),
    "generate_macro": MappingRule(adapt=(adapters.macro_expressions,)),
    "set_parameters": MappingRule(),
    "create_learning_curve": MappingRule(
        defaults={
            "training_ratio": "0.05", "step_fraction": "0.05", "start_fraction": "0.05",
            "sampling_type": "stratified sampling",
        },
        ports=PortNames(
            sources={"through 1": "model", "through": ("through", -1)},
            sinks={"through 1": "model", "through": ("through", -1)},
        ),
    ),
    "optimize_parameters_evolutionary": MappingRule(
        harmless=words("specify_population_size"),
        substitutes={"selection_type": {"non dominated sorting": "tournament"}},
    ),
    "execute_process": MappingRule(
        harmless=words("propagate_metadata_recursively cache_process fail_for_unknown_macros"),
        ignored={"store_output": unless("false", effect="leaves no result in the repository")},
    ),
    "create_exampleset": MappingRule(
        adapt=(adapters.series_configuration,),
        harmless=words("date_format time_zone use_stepsize date_series_configuration")
        | {"date_series_configuration (interval)"},
    ),
    "free_memory": MappingRule(becomes="set_macros"),
    "loop": MappingRule(
        harmless=words("timeout set_iteration_macro"), defaults={"macro_name": "iteration"}
    ),
    "loop_collection": MappingRule(harmless=words("set_iteration_macro")),
}  # fmt: skip
"""Rules by RapidMiner's key without the prefix of a module."""

CLASSES: Mapping[str, str] = {
    "XValidation": "x_validation",
    "FeatureSelection": "optimize_selection",
    "AttributeWeightSelection": "select_by_weights",
    "GeneticAlgorithm": "optimize_selection_evolutionary",
    "EvolutionaryWeighting": "optimize_weights_evolutionary",
    "BruteForce": "optimize_selection_brute_force",
    "DecisionTree": "decision_tree",
    "AttributeWeightsWriter": "write_weights",
    "ArffExampleSource": "read_arff",
}
"""Names that RapidMiner 4 had."""

MODULES = ("concurrency", "legacy", "blending", "advanced_file_connectors", "utility")
"""Prefixes of RapidMiner's own: without them the key means the same."""

EXTENSION: Mapping[str, str] = {
    "select_by_mrmr": "select_by_mrmr_cfs",
    "select_by_cfs": "select_by_mrmr_cfs",
    "feature_selection_stability": "feature_selection_stability_validation",
    "lars_change_parameters": "lars_change_model_parameters",
    "replace_missing_values_offset": "replace_missing_values_with_offset",
    "weights_2_ranking": "weights_to_ranking",
    "select_top_k_features": "select_top_k",
    **{
        key: key
        for key in (
            "weight_by_sam", "weight_by_welch_test", "weight_by_maximum_relevance",
            "select_by_mrmr_cfs", "performance_mrmr", "performance_cfs", "mrmr_cache_creator",
            "select_by_svm_rfe", "recursive_feature_elimination", "lars",
            "ensemble_feature_selection", "select_top_k", "log_performance", "weights_to_ranking",
            "rank_by_selection", "nearest_centroid", "feature_selection_stability_validation",
            "lars_change_model_parameters", "replace_missing_values_with_offset",
        )
    },
}  # fmt: skip
"""Operators of the Feature Selection Extension by the names of its paper.

Its keys and their prefix are nowhere written down, so any prefix will do.
"""

PASSED_ON: Mapping[str, tuple[str, ...]] = {
    "example set": ("example set", "labelled data", "training set", "example set input"),
    "exampleSet": ("training set", "example set"),
    "original": ("example set input",),
    "training": ("training",),
    "model": ("model",),
    "weights": ("weights",),
    "performance vector": ("performance vector",),
    "random forest": ("random forest",),
}
"""Outputs that give an input on as it is, and which; numbered ones have the name of their input."""
