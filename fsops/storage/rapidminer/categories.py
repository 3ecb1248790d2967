"""Values of settings in RapidMiner's order, because files of 5.0 hold their number."""

from __future__ import annotations

from collections.abc import Mapping

SAMPLING = ("linear sampling", "shuffled sampling", "stratified sampling", "automatic")
GAINS = ("gain_ratio", "information_gain", "gini_index", "accuracy")
KERNELS = (
    "dot", "radial", "polynomial", "neural", "anova", "epachnenikov", "gaussian_combination",
    "multiquadric",
)  # fmt: skip
RELATIONS = ("greater", "greater equals", "equals", "less equals", "less")

VALUE_TYPES = (
    "attribute_value", "nominal", "numeric", "integer", "real", "text", "binominal", "polynominal",
    "file_path", "date_time", "date", "time",
)  # fmt: skip

CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "value_type": VALUE_TYPES,
    "except_value_type": VALUE_TYPES,
    "join_type": ("inner", "left", "right", "outer"),
    "sampling_type": SAMPLING,
    "weight_relation": (
        *RELATIONS, "top k", "bottom k", "all but top k", "all but bottom k", "top p%", "bottom p%",
    ),
    "filter_relation": RELATIONS,
    "attribute_order": ("original", "random", "reverse"),
    "selection_direction": ("forward", "backward"),
    "selection_scheme": (
        "uniform", "cut", "roulette wheel", "stochastic universal sampling", "Boltzmann", "rank",
        "tournament", "non dominated sorting",
    ),
    "crossover_type": ("one_point", "uniform", "shuffle"),
    "criterion": GAINS,
    "kernel_type": KERNELS,
    "attribute_filter_type": (
        "all", "single", "subset", "regular_expression", "value_type", "block_type",
        "no_missing_values", "numeric_value_filter",
    ),
    "split": ("absolute", "relative"),
    "sort_direction": ("ascending", "descending"),
    "sorting_direction": ("increasing", "decreasing"),
    "error_handling": ("fail on error", "ignore error"),
    "range_name_type": ("long", "short", "interval"),
    "coding_type": ("dummy coding", "effect coding", "unique integers"),
    "merge_type": ("all", "first_two"),
    "default": ("none", "minimum", "maximum", "average", "zero", "value"),
    "measure_types": (
        "MixedMeasures", "NominalMeasures", "NumericalMeasures", "BregmanDivergences",
    ),
    "optimization_direction": ("minimization", "maximization"),
    "svm_type": ("C-SVC", "nu-SVC", "one-class", "epsilon-SVR", "nu-SVR"),
    "feature_selection": ("none", "M5 prime", "greedy", "T-Test", "Iterative T-Test"),
    "performance_type": ("number_of_examples", "number_of_attributes", "data_value", "statistics"),
    "macro_type": ("number_of_examples", "number_of_attributes", "data_value", "statistics"),
    "dimensionality_reduction": ("none", "keep variance", "fixed number"),
    "sample": ("absolute", "relative", "probability"),
    "sorting_type": ("none", "top-k", "bottom-k"),
    "unexpected_value_handling": ("all 0", "all 0 and warning"),
    "condition_class": (
        "all", "correct_predictions", "wrong_predictions", "no_missing_attributes",
        "missing_attributes", "no_missing_labels", "missing_labels", "attribute_value_filter",
        "expression", "custom_filters",
    ),
    "condition_type": (
        "attribute_value_filter", "attribute_available", "min_examples", "max_examples",
        "min_attributes", "max_attributes", "min_fitness", "max_fitness", "min_performance_value",
        "max_performance_value", "file_exists", "input_exists", "macro_defined", "expression",
    ),
    "mixed_measure": ("MixedEuclideanDistance",),
    "numerical_measure": (
        "EuclideanDistance", "CamberraDistance", "ChebychevDistance", "CorrelationSimilarity",
        "CosineSimilarity",
    ),
    "target_function": (
        "random", "sum", "polynomial", "non linear", "one variable non linear",
        "complicated function", "complicated function2", "simple sinus", "sinus",
        "simple superposition", "sinus frequency", "sinus with trend", "sinc",
        "triangular function", "square pulse function",
        *(
            f"{name} classification"
            for name in (
                "random", "one third", "sum", "quadratic", "simple non linear", "interaction",
                "simple polynomial", "polynomial", "checkerboard", "random dots",
                "global and local models", "sinus", "multi", "two gaussians",
            )
        ),
        "transactions dataset", "grid function", "three ring clusters", "spiral cluster",
        "single gaussian cluster", "gaussian mixture clusters", "driller oscillation timeseries",
    ),
}  # fmt: skip
"""Values of settings in RapidMiner's order, where it is the same for all operators."""

_ERRORS = (
    "normalized_absolute_error", "root_relative_squared_error", "squared_error", "correlation",
    "squared_correlation",
)  # fmt: skip
_RELATIVE_ERRORS = ("relative_error", "relative_error_lenient", "relative_error_strict")
MAIN_CRITERIA: Mapping[str, tuple[str, ...]] = {
    "performance_classification": (
        "first", "accuracy", "classification_error", "kappa", "weighted_mean_recall",
        "weighted_mean_precision", "spearman_rho", "kendall_tau", "absolute_error",
        *_RELATIVE_ERRORS, "normalized_absolute_error", "root_mean_squared_error",
        *_ERRORS[1:], "cross-entropy", "margin", "soft_margin_loss", "logistic_loss",
    ),
    "performance_binominal_classification": (
        "first", "accuracy", "classification_error", "kappa", "AUC (optimistic)", "AUC",
        "AUC (pessimistic)", "precision", "recall", "lift", "fallout", "f_measure",
        "false_positive", "false_negative", "true_positive", "true_negative", "sensitivity",
        "specificity", "youden", "positive_predictive_value", "negative_predictive_value", "psep",
    ),
    "performance_regression": (
        "first", "root_mean_squared_error", "absolute_error", *_RELATIVE_ERRORS, *_ERRORS,
        "prediction_average", "spearman_rho", "kendall_tau",
    ),
}  # fmt: skip
"""By operator, in RapidMiner's order."""
