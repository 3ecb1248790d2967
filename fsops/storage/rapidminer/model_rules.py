"""Rules about operators around models: learners of several models, thresholds, components."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fsops.storage.rapidminer.adapters import Adaptation, no_infinity
from fsops.storage.rapidminer.learners import divided_models, divided_stacking
from fsops.storage.rapidminer.ports import PortNames
from fsops.storage.rapidminer.rule import MappingRule, unless
from fsops.storage.rapidminer.settings import ForeignSettings, words

CALL_NUMBER = "%a"
"""RapidMiner's macro for the number of the call, in names of files."""
INNER_LEARNER = PortNames(sources={"training set": "training_set"})


def labels_if_defined(settings: ForeignSettings, task: Adaptation) -> None:
    """Leave the names of classes out unless they are switched on."""
    if not settings.is_on("define_labels", default=False):
        settings.remove("first_label")
    settings.remove("define_labels")
    settings.remove("second_label")


def single_file(settings: ForeignSettings, task: Adaptation) -> None:
    """Leave the number of the call out of the name of a file."""
    name = settings.get("example_set_file") or ""
    if CALL_NUMBER in name:
        settings.set("example_set_file", name.replace(CALL_NUMBER, ""))
        task.remark("Each call replaces the file: the number of the call (%a) is not known here.")


def polynomial_terms(settings: ForeignSettings, task: Adaptation) -> None:
    """Say that all terms are fitted by least squares, not random ones by an evolution."""
    if not task.operator.is_placeholder:
        task.remark("All terms up to max_degree are fitted by least squares, without a search.")


H2O_SETTINGS = words("""
    solver reproducible maximum_number_of_threads number_of_lambdas lambda_min_ratio early_stopping
    stopping_rounds stopping_tolerance compute_p-values missing_values_handling
""")
H2O_CHANGES = {
    "use_regularization": unless("false"),
    "lambda_search": unless("false"),
    "alpha": unless("0"),
    "remove_collinear_columns": unless("false"),
    "max_runtime_seconds": unless("0"),
    "expert_parameters": unless(""),
    "non-negative_coefficients": unless("false"),
    "add_intercept": unless("true"),
    "specify_beta_constraints": unless("false"),
}
DISTANCES = {"distance_function": unless("euclidian distance", "euclidean distance")}
CLUSTERING = MappingRule(
    harmless=words(
        "add_cluster_attribute nominal_measure kernel_type "
        "kernel_gamma kernel_sigma1 kernel_sigma2 kernel_sigma3 kernel_degree kernel_shift "
        "kernel_a kernel_b quality initial_distribution show_probabilities "
        "inital_distribution max_k"
    ),
    ignored={
        "remove_unlabeled": unless("false"),
        "measure_types": unless("NumericalMeasures", "BregmanDivergences", "MixedMeasures"),
        "mixed_measure": unless("MixedEuclideanDistance"),
        "numerical_measure": unless("EuclideanDistance"),
        "divergence": unless("SquaredEuclideanDistance", "GeneralizedIDivergence"),
    },
)

MODEL_RULES: Mapping[str, MappingRule] = {
    "find_threshold": MappingRule(
        adapt=(labels_if_defined,),
        defaults={"compatibility": "rapidminer"},
        harmless=words("show_roc_plot"),
    ),
    "write_special": MappingRule(
        adapt=(single_file,),
        ignored={
            "zipped": unless("false", effect="writes a file that is not compressed"),
            "overwrite_mode": unless(
                "overwrite", "overwrite first, append then", effect="replaces the file"
            ),
        },
    ),
    "create_lift_chart": MappingRule(
        harmless=words(
            "automatic_number_of_digits number_of_digits show_bar_labels show_cumulative_labels "
            "rotate_labels"
        ),
        categories={"binning_type": ("simple", "absolute", "frequency")},
    ),
    "compare_rocs": MappingRule(
        adapt=(divided_models,),
        defaults={"roc_bias": "optimistic"},
    ),
    "optimize_by_generation_yagga": MappingRule(
        adapt=(no_infinity,),
        ports=PortNames(
            sources={"example set source": "examples"}, sinks={"performance sink": "performance"}
        ),
        harmless=words("max_number_of_new_attributes"),
    ),
    **{
        key: replace(CLUSTERING, defaults=defaults)
        for key, defaults in {
            "k_means": {},
            "fast_k_means": {},
            "k_medoids": {"k": "2"},
            "dbscan": {},
            "expectation_maximization_clustering": {},
            "agglomerative_clustering": {},
        }.items()
    },
    "flatten_clustering": CLUSTERING,
    "cluster_distance_performance": MappingRule(
        harmless=words("keep_cluster_model keep_example_set"),
        ignored={"maximize": unless("false")},
        categories={"main_criterion": ("Avg. within centroid distance", "Davies Bouldin")},
    ),
    "adaboost": MappingRule(ports=INNER_LEARNER),
    "metacost": MappingRule(ports=INNER_LEARNER),
    "polynomial_by_binomial_classification": MappingRule(
        ports=INNER_LEARNER,
        substitutes={
            "classification_strategies": {
                "exhaustive code (ECOC)": "1 against all",
                "random code (ECOC)": "1 against all",
            }
        },
        harmless=words("random_code_multiplicator"),
        categories={
            "classification_strategies": (
                "1 against all",
                "1 against 1",
                "exhaustive code (ECOC)",
                "random code (ECOC)",
            )
        },
    ),
    "stacking": MappingRule(adapt=(divided_stacking,)),
    "polynomial_regression": MappingRule(
        harmless=words("max_iterations replication_factor min_coefficient max_coefficient"),
        adapt=(polynomial_terms,),
    ),
    "gaussian_process": MappingRule(
        values={"kernel_type": {"poly": "polynomial", "rbf": "rbf"}},
        substitutes={
            "kernel_type": {
                "cauchy": "rbf",
                "laplace": "rbf",
                "sigmoid": "rbf",
                "spline": "rbf",
                "epanechnikov": "rbf",
                "gaussian combination": "rbf",
                "multiquadric": "rbf",
            }
        },
        harmless=words("kernel_sigma1 kernel_sigma2 kernel_sigma3 kernel_shift kernel_a kernel_b"),
        ignored={name: unless() for name in ("max_basis_vectors", "epsilon_tol", "geometrical_tol")}
        | {"kernel_bias": unless("0")},
    ),
    "h2o:generalized_linear_model": MappingRule(
        becomes="generalized_linear_model",
        values={"family": {"AUTO": "gaussian"}, "link": {"family_default": "automatic"}},
        renamed={"standardize": "normalize", "lambda": "penalty"},
        harmless=H2O_SETTINGS,
        ignored=H2O_CHANGES,
    ),
    "operator_toolbox:smote": MappingRule(becomes="smote_upsampling"),
    "detect_outlier_lof": MappingRule(ignored=DISTANCES),
    "detect_outlier_distances": MappingRule(ignored=DISTANCES),
    "anova_matrix": MappingRule(
        harmless=words("significance_level"), ignored={"only_distinct": unless("false")}
    ),
    "classification_by_regression": MappingRule(ports=INNER_LEARNER),
    "generalized_hebbian_algorithm": MappingRule(defaults={"number_of_iterations": "10"}),
    "independent_component_analysis": MappingRule(
        defaults={"algorithm_type": "deflation"}, ignored={"row_norm": unless("false")}
    ),
    "singular_value_decomposition": MappingRule(
        categories={"dimensionality_reduction": ("none", "keep percentage", "fixed number")}
    ),
}
"""Rules by RapidMiner's key without the prefix of a module."""
