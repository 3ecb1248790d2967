"""Rules about operators around models: learners of several models, thresholds, components."""

from __future__ import annotations

from collections.abc import Mapping

from fsops.storage.rapidminer.adapters import Adaptation
from fsops.storage.rapidminer.learners import divided_models
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
