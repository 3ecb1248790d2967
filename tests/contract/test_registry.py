"""Every operator that comes with fsops keeps the contract; a new one is covered at once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fsops.plugins import plugins
from fsops.testing import operator_checks

# Inputs, files and inner processes are made up from the declaration, and a required text is taken
# from Field(examples=[...]), so that operators rarely need an entry here.
PARAMETERS: dict[str, dict[str, Any]] = {
    # By default there is nothing to calculate.
    "aggregate": {"use_default_aggregation": True},
    # Tables that are made up have no id to join by.
    "join": {"use_id_attribute_as_key": False, "key_attributes": {"num1": "num1"}},
    # Methods are named after the operators inside, which a Python function has not.
    "compare_feature_selections": {
        "method_names": ["one", "two"],
        "number_of_folds": 3,
        "number_of_splits": 5,
    },
    # Less work than by default, because there are hundreds of calls.
    "choose_number_of_features": {"number_of_folds": 3, "number_of_splits": 5},
    "gradient_boosting": {"number_of_trees": 5},
    "knife_path": {"maximum_steps": 5, "max_iterations": 3, "steps": 5},
    "optimize_selection_brute_force": {
        "restrict_maximum": True,
        "max_number_of_attributes": 2,
        "maximal_number_of_evaluations": 300,
    },
    "optimize_selection_evolutionary": {"maximum_number_of_generations": 3},
    "optimize_selection_hill_climbing": {"restarts": 2, "maximum_number_of_generations": 3},
    "optimize_weights_evolutionary": {"maximum_number_of_generations": 3},
    "random_forest": {"number_of_trees": 5},
    "repeated_random_split": {"iterations": 5},
    "weight_by_knife": {"restarts": 2, "max_iterations": 5},
    "weight_by_lasso": {"penalty": 0.1},
    "weight_by_random_forest": {"number_of_trees": 5},
}
# These read what another operator has left in the run, and are tested together with it.
NOT_ALONE = {"log_to_data", "recall"}
OPERATORS = [spec for spec in plugins().registry if not spec.prefix and spec.key not in NOT_ALONE]


def all_checks() -> Iterator[Any]:
    for spec in OPERATORS:
        parameters = PARAMETERS.get(spec.key)
        for name, check in operator_checks(spec, parameters=parameters, strict=True):
            yield pytest.param(check, id=f"{spec.key}-{name}")


@pytest.mark.parametrize("check", list(all_checks()))
def test_operator_keeps_the_contract(check: Callable[[], None]) -> None:
    check()


def test_the_built_in_operators_are_there() -> None:
    assert not [p for p in plugins().problems if p.plugin.distribution == "fsops"]
    assert len(OPERATORS) >= 12
