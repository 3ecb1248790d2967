"""Every operator that comes with fsops keeps the contract; a new one is covered at once."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.data.attribute_groups import AttributeGroups
from fsops.plugins import plugins
from fsops.testing import make_examples, operator_checks
from fsops.testing.contract import RULES

# Inputs, files and inner processes are made up from the declaration, and a required text is taken
# from Field(examples=[...]), so that operators rarely need an entry here.
PARAMETERS: dict[str, dict[str, Any]] = {
    # By default there is nothing to calculate.
    "aggregate": {"use_default_aggregation": True},
    # Tables that are made up have no id to join by.
    "join": {"use_id_attribute_as_key": False, "key_attributes": {"num1": "num1"}},
    "intersect": {"key_attributes": ["num1"]},
    "set_minus": {"key_attributes": ["num1"]},
    "de_pivot": {"series": {"value": "num.*"}},
    "pivot": {"group_by_attributes": ["num1"], "index_attribute": "num2"},
    "merge_values": {"attribute": "nom1", "first_value": "a", "second_value": "b"},
    "add_value": {"attribute": "nom1", "new_value": "new"},
    **{key: {"attribute": "day"} for key in ("date_to_numerical", "date_to_nominal")},
    "nominal_to_date": {"attribute": "text"},
    # Methods are named after the operators inside, which a Python function has not.
    "compare_feature_selections": {
        "method_names": ["one", "two"],
        "number_of_folds": 3,
        "number_of_splits": 5,
    },
    "compare_rocs": {"learner_names": ["one", "two"], "number_of_folds": 3},
    # The label that is made up has two or three classes.
    "metacost": {"cost_matrix": "[0 1; 5 0]", "iterations": 2},
    # Less work than by default, because there are hundreds of calls.
    "adaboost": {"iterations": 2},
    "detect_outlier_lof": {"min_points_lower_bound": 2, "min_points_upper_bound": 3},
    "expectation_maximization_clustering": {"restarts": 1, "correlated_attributes": False},
    "gaussian_process": {"optimize": False},
    "k_means": {"number_of_clusters": 2, "restarts": 2},
    "k_medoids": {"number_of_clusters": 2, "restarts": 2},
    "optimize_by_generation_yagga": {"max_generations": 2},
    "independent_component_analysis": {"max_iterations": 20, "tolerance": 1.0},
    "self_organizing_map": {"net_size": 3, "iterations": 2},
    "choose_number_of_features": {"number_of_folds": 3, "number_of_splits": 5},
    "gradient_boosting": {"number_of_trees": 5},
    "knife_path": {"max_steps": 5, "max_iterations": 3, "steps": 5},
    "measure_chance": {"permutations": 19, "resamples": 3},
    "optimize_selection_brute_force": {
        "limit_attributes": True,
        "max_attributes": 2,
        "max_evaluations": 300,
    },
    "optimize_selection_evolutionary": {"max_generations": 3},
    "optimize_selection_hill_climbing": {"restarts": 2, "max_generations": 3},
    "optimize_weights_evolutionary": {"max_generations": 3},
    "permutation_baseline": {"permutations": 3},
    "permutation_test_of_weights": {"permutations": 3},
    "random_forest": {"number_of_trees": 5},
    "repeated_random_split": {"number_of_splits": 5},
    "select_by_boruta": {"number_of_trees": 5, "iterations": 3},
    "stability_selection": {"pairs": 3, "k": 1},
    "weight_by_knife": {"restarts": 2, "max_iterations": 5},
    "weight_by_lasso": {"penalty": 0.1},
    "weight_by_permutation_importance": {
        "permutations": 3,
        "number_of_folds": 3,
        "number_of_splits": 5,
    },
    "weight_by_random_forest": {"number_of_trees": 5},
}
DAYS = pd.DataFrame(
    {
        "x": np.arange(6.0),
        "day": pd.to_datetime(["2020-02-29", "1969-12-31", None] * 2),
        "text": ["2020-02-29", "1969-12-31", None] * 2,
        "label": ["a", "b"] * 3,
    }
)
# Tables that are made up have no dates.
INPUTS: dict[str, dict[str, Any]] = {
    key: {"examples": ExampleSet.from_pandas(DAYS, roles={"label": "label"})}
    for key in ("date_to_numerical", "date_to_nominal", "nominal_to_date")
}
# Nor groups of attributes.
INPUTS["group_enrichment"] = {
    "examples": make_examples().with_groups(
        AttributeGroups.of({"first": [0, 1, 2], "second": [2, 3]})
    )
}
# These read what another operator has left in the run, and are tested together with it.
# Throw Exception never returns, Set Parameters needs the best values of a search, and Execute
# Process the file of another process. Adjust p-Values needs the p-values of a test.
NOT_ALONE = {
    "adjust_p_values",
    "execute_process",
    "log_to_data",
    "recall",
    "set_parameters",
    "throw_exception",
}
OPERATORS = [spec for spec in plugins().registry if not spec.prefix and spec.key not in NOT_ALONE]


# --- which checks run per commit --------------------------------------------------------------

# Per commit an operator meets every rule, but in these rules only some values of each parameter.
VALUE_RULES = ("allowed values are answered", "files keep parameters", "metadata")
VALUES = 3
# And it meets one of so many degenerate tables; the others are left to its neighbors in the palette.
TABLES = 3
TABLE_RULES = [rule.name for rule in RULES if rule.name.startswith("table: ")]


def rules_per_commit() -> dict[str, set[str]]:
    """Return the rules by operator, so that each pair of group and table occurs."""
    by_group: dict[str, list[str]] = defaultdict(list)
    for spec in OPERATORS:
        by_group[spec.group].append(spec.key)
    others = {rule.name for rule in RULES} - set(TABLE_RULES)
    return {
        key: others | set(TABLE_RULES[place % TABLES :: min(TABLES, len(keys))])
        for keys in by_group.values()
        for place, key in enumerate(keys)
    }


PER_COMMIT = rules_per_commit()


def all_checks() -> Iterator[Any]:
    """Return every check; those that are not for every commit are marked as slow."""
    for spec in OPERATORS:
        given = {
            "parameters": PARAMETERS.get(spec.key),
            "inputs": INPUTS.get(spec.key),
            "strict": True,
        }
        quick = dict(operator_checks(spec, **given, values_per_parameter=VALUES))
        for rule, complete in operator_checks(spec, **given):
            name = f"{spec.key}-{rule}"
            if rule in VALUE_RULES:
                yield pytest.param(quick[rule], id=name, marks=pytest.mark.repeated)
                yield pytest.param(complete, id=f"{name}, all values", marks=pytest.mark.slow)
            elif rule in PER_COMMIT[spec.key]:
                yield pytest.param(complete, id=name)
            else:
                yield pytest.param(complete, id=name, marks=pytest.mark.slow)


@pytest.mark.parametrize("check", list(all_checks()))
def test_operator_keeps_the_contract(check: Callable[[], None]) -> None:
    check()


def test_per_commit_every_group_of_the_palette_meets_every_table() -> None:
    met: dict[str, set[str]] = defaultdict(set)
    for spec in OPERATORS:
        met[spec.group] |= PER_COMMIT[spec.key]
    everything = {rule.name for rule in RULES}
    assert {group: everything - rules for group, rules in met.items() if everything - rules} == {}


def test_the_built_in_operators_are_there() -> None:
    assert not [p for p in plugins().problems if p.plugin.distribution == "fsops"]
    assert len(OPERATORS) >= 12
